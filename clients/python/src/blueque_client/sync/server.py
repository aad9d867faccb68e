# Made by generate.py from aio/server.py; do not edit.

"""Makes a client of redis-py from a URL."""

from __future__ import annotations

from typing import Any

from redis import Redis
from redis.cluster import ClusterNode
from redis.sentinel import Sentinel

from ..address import parse, place_of
from ..bounds import Cluster, bounded, within
from ..errors import ConnectionFailed
from ..replies import TROUBLE, Tries, unread


def opened(url: str, limit: float) -> Any:
    """Returns a client of redis-py for this URL. Its calls take no longer than the limit."""
    address = parse(url, limit)
    try:
        if address.kind == "sentinel":
            theirs = {**address.sentinel, "redis_connect_func": bounded}
            sentinel = Sentinel(
                address.nodes, sentinel_kwargs=theirs, **address.options, redis_connect_func=bounded
            )
            return sentinel.master_for(address.service)
        if address.kind == "cluster":
            nodes = [ClusterNode(host, port) for host, port in address.nodes]
            with within(limit or None):
                return Cluster(startup_nodes=nodes, **address.options)
        return Redis.from_url(address.url, **address.options, redis_connect_func=bounded)
    except TROUBLE as error:
        # The constructor of a cluster's client may connect to the cluster.
        Tries(0, url).after(error)
        raise
    except Exception as error:
        if address.kind == "cluster":
            raise unread(error, place_of(url)) from error
        if not isinstance(error, (TypeError, ValueError)):
            raise
        raise ConnectionFailed("CONNECTION", f"a parameter of the URL is wrong: {error}.") from None
