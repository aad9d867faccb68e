"""Limits of a call and of its reply. redis-py only limits the time of each read, and a reply may need many reads."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from redis import exceptions
from redis.asyncio.cluster import RedisCluster as AsyncRedisCluster
from redis.cluster import RedisCluster

if sys.version_info >= (3, 11):
    from asyncio import timeout as async_timeout
else:
    from async_timeout import timeout as async_timeout

#: Maximum size of a reply in bytes, as in the crate.
LARGEST = 256 << 20

#: End of the current call of a thread.
_call = threading.local()


class TooLong(exceptions.InvalidResponse):
    """A reply that is too large."""


class within:
    """Limits the time of a call with all its reads; `async with` in asyncio. None: each reply has its own limit."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        self._before = _end()
        if self._seconds is not None:
            _call.end = time.monotonic() + self._seconds

    def __exit__(self, *_: object) -> None:
        _call.end = self._before

    async def __aenter__(self) -> None:
        self._timeout = async_timeout(self._seconds)
        await self._timeout.__aenter__()

    async def __aexit__(self, *error: Any) -> None:
        try:
            await self._timeout.__aexit__(*error)
        except asyncio.TimeoutError:
            raise exceptions.TimeoutError("Timeout reading from socket") from None


def _end() -> float:
    found: float = getattr(_call, "end", float("inf"))
    return found


class _Left:
    """Number of bytes that the reply may still have. After more bytes, `give_up` closes the connection."""

    def __init__(self, give_up: Callable[[], object]) -> None:
        self._give_up = give_up
        self.begin()

    def begin(self) -> None:
        self.bytes = LARGEST

    def count(self, read: int) -> int:
        self.bytes -= read
        if self.bytes < 0:
            self._give_up()  # further bytes must not be read as another reply
            raise TooLong(f"the reply is over {LARGEST >> 20} MiB")
        return read


class _Socket:
    """A socket that limits each reply. A send or a new time limit begins a new reply."""

    def __init__(self, own: socket.socket) -> None:
        self._own, self._left = own, _Left(lambda: own.shutdown(socket.SHUT_RDWR))
        self.settimeout(own.gettimeout())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def _begin(self) -> None:
        self._left.begin()
        self._until = float("inf") if self._limit is None else time.monotonic() + self._limit

    def settimeout(self, limit: float | None) -> None:
        """Limits the following sends, and each reply."""
        self._limit = limit
        self._own.settimeout(limit)
        self._begin()

    def _hurry(self) -> None:
        """Limits the next step by the remaining time of the reply and of the call."""
        until = min(self._until, _end())
        if self._limit != 0 and until < float("inf"):
            left = until - time.monotonic()
            if left <= 0:
                raise socket.timeout("timed out")
            self._own.settimeout(left)

    def sendall(self, data: Any) -> None:
        self._begin()
        self._hurry()
        self._own.sendall(data)

    def recv(self, size: int) -> bytes:
        self._hurry()
        data = self._own.recv(size)
        self._left.count(len(data))
        return data

    def recv_into(self, buffer: Any) -> int:
        """Receives a part of a reply, for the parser of hiredis."""
        self._hurry()
        return self._left.count(self._own.recv_into(buffer))


class _Stream:
    """The reader or the writer of asyncio, with a limit for the size of a reply. redis-py limits the time."""

    def __init__(self, own: Any, left: _Left) -> None:
        self._own, self._left = own, left

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def write(self, data: Any) -> None:
        self._left.begin()
        self._own.write(data)

    def writelines(self, data: Any) -> None:
        self._left.begin()
        self._own.writelines(data)

    async def readexactly(self, size: int) -> bytes:
        self._left.count(size)
        return bytes(await self._own.readexactly(size))

    async def readline(self) -> bytes:
        """Receives a line. asyncio limits its length."""
        data: bytes = await self._own.readline()
        self._left.count(len(data))
        return data

    async def read(self, size: int) -> bytes:
        data: bytes = await self._own.read(size)
        self._left.count(len(data))
        return data


def bounded(connection: Any) -> None:
    """Greets a server after connecting, with limits from the first reply on."""
    connection._sock = _Socket(connection._sock)
    connection.on_connect()


async def async_bounded(connection: Any) -> None:
    """Greets a server after connecting, for asyncio."""
    left = _Left(connection._writer.close)
    connection._reader, connection._writer = _Stream(connection._reader, left), _Stream(connection._writer, left)
    await connection.on_connect()


class Cluster(RedisCluster):
    """A cluster with limits. redis-py greets the nodes of a cluster with its own function."""

    def on_connect(self, connection: Any) -> None:
        connection._sock = _Socket(connection._sock)
        super().on_connect(connection)  # type: ignore[no-untyped-call]


def AsyncCluster(**options: Any) -> Any:
    """A cluster with limits for asyncio. redis-py has no option for greetings, so each node gets the function."""
    cluster = AsyncRedisCluster(**options)
    for each in (cluster, *cluster.nodes_manager.startup_nodes.values()):
        each.connection_kwargs["redis_connect_func"] = async_bounded
    return cluster
