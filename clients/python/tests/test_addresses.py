"""The ways to a server that redis-py knows: by TCP, of a cluster, of Sentinel."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import redis
import tasks_for_tests as app
from redis.asyncio.cluster import RedisCluster as AsyncCluster
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.cluster import RedisCluster
from redis.sentinel import Sentinel

from blueque_client import Client, ConnectionFailed, aio
from blueque_client.testing import Server, run_until_idle

TLS = Path(__file__).parents[3] / "tests" / "tls"


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens to."""
    ends = [socket.socket() for _ in range(number)]
    for end in ends:
        end.bind(("127.0.0.1", 0))
    ports = [end.getsockname()[1] for end in ends]
    for end in ends:
        end.close()
    return ports


def until(condition: Callable[[], Any]) -> None:
    """Waits for something to be true."""
    limit = time.monotonic() + 60
    while True:
        with suppress(redis.RedisError):
            if condition():
                return
        assert time.monotonic() < limit, "it did not come to be"
        time.sleep(0.02)


@pytest.fixture
def port() -> Iterator[int]:
    """A server that listens to a port."""
    [port] = free_ports(1)
    with Server("--port", str(port)):
        yield port


@pytest.fixture
def cluster() -> Iterator[int]:
    """A cluster of one node."""
    port, bus = free_ports(2)
    options = ["--cluster-enabled", "yes", "--cluster-port", str(bus), "--bind", "127.0.0.1", "--appendonly", "no"]
    with Server("--port", str(port), *options), redis.Redis(port=port) as node:
        node.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        until(lambda: ok(node))
        yield port


def ok(node: redis.Redis) -> bool:
    """Whether the cluster serves all slots."""
    info: Any = node.execute_command("CLUSTER", "INFO")
    return bool(info["cluster_state"] == "ok" if isinstance(info, dict) else b"cluster_state:ok" in info)


@pytest.fixture
def sentinel(port: int, tmp_path: Path) -> Iterator[int]:
    """A sentinel that watches that server."""
    [own] = free_ports(1)
    file = tmp_path / "sentinel.conf"
    file.write_text(f"port {own}\nbind 127.0.0.1\ndir {tmp_path}\nsentinel monitor queue 127.0.0.1 {port} 1\n")
    program = shutil.which("redis-server") or shutil.which("valkey-server") or ""
    process = subprocess.Popen([program, str(file), "--sentinel"], stdout=subprocess.DEVNULL)
    try:
        until(lambda: Sentinel([("127.0.0.1", own)]).discover_master("queue"))
        yield own
    finally:
        process.kill()
        process.wait()


def life(server: Any, namespace: str) -> None:
    """Submits a task, runs it, and has its result."""
    with Client(server, namespace) as client:
        job = client.submit(app.add.call(1))
        assert run_until_idle(client, app) == 1
        assert job.result(0) == 2
        assert [event.to for event in client.queue("q").events()] == ["pending", "started", "complete"]


async def async_life(server: Any, namespace: str) -> None:
    """The same on an event loop, without the run."""
    async with aio.Client(server, namespace) as client:
        job = await client.submit(app.add.call(1))
        assert await job.state() == "pending"


def test_by_tcp(port: int, namespace: str) -> None:
    life(f"redis://127.0.0.1:{port}/0", namespace)
    asyncio.run(async_life(f"redis://127.0.0.1:{port}/0", namespace))


@pytest.fixture
def tls() -> Iterator[int]:
    """A server that speaks TLS, with a certificate by an authority of the tests' own."""
    [port] = free_ports(1)
    keys = ["--tls-cert-file", f"{TLS}/server.pem", "--tls-key-file", f"{TLS}/server.key"]
    with Server("--tls-port", str(port), *keys, "--tls-ca-cert-file", f"{TLS}/ca.pem", "--tls-auth-clients", "no"):
        yield port


def test_by_tls(tls: int, namespace: str, tmp_path: Path) -> None:
    url = f"rediss://localhost:{tls}/0?ssl_ca_certs={TLS}/ca.pem"
    life(url, namespace)
    asyncio.run(async_life(url, namespace))
    command = [sys.executable, "-m", "blueque_client", "worker", "tasks_for_tests", "--url", url]
    command += ["--namespace", namespace, "--folder", str(tmp_path)]
    worker = subprocess.Popen(command, cwd=Path(__file__).parent)
    try:
        with Client(url, namespace) as client:
            assert client.submit(app.add.call(1)).result(60) == 2
    finally:
        worker.terminate()
        assert worker.wait(60) == 0
    stranger = f"rediss://localhost:{tls}/0"
    with Client(stranger) as client, pytest.raises(ConnectionFailed, match="certificate"):
        client.check()


def test_of_a_cluster(cluster: int) -> None:
    life(RedisCluster(host="127.0.0.1", port=cluster), "{blueque:7}")
    asyncio.run(async_life(AsyncCluster(host="127.0.0.1", port=cluster), "{blueque:7}"))


def test_a_worker_of_a_cluster(cluster: int, tmp_path: Path) -> None:
    program = f"""
import tasks_for_tests as app
from redis.cluster import RedisCluster
from blueque_client import Client, Worker
Worker(Client(RedisCluster(host="127.0.0.1", port={cluster}), "{{blueque:7}}"), app, folder={str(tmp_path)!r}).run()
"""
    worker = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parent)
    try:
        with Client(RedisCluster(host="127.0.0.1", port=cluster), "{blueque:7}") as client:
            assert client.submit(app.add.call(1)).result(60) == 2
            job = client.submit(app.sleeps.call(str(tmp_path / "pid")))
            until(lambda: (tmp_path / "pid").exists())
            job.cancel()  # announced to the worker, long before its next heartbeat
            until(lambda: job.state() == "cancelled")
    finally:
        worker.terminate()
        assert worker.wait(60) == 0


def test_of_sentinel(sentinel: int, namespace: str) -> None:
    life(Sentinel([("127.0.0.1", sentinel)]).master_for("queue"), namespace)
    asyncio.run(async_life(AsyncSentinel([("127.0.0.1", sentinel)]).master_for("queue"), namespace))
