"""The addresses of a server: by TCP, by TLS, of a cluster, of Sentinel; as a URL, or as a client of redis-py."""

from __future__ import annotations

import asyncio
import itertools
import os
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

from blueque_client import BluequeError, Client, ConnectionFailed, Unavailable, aio
from blueque_client.address import completed, parse
from blueque_client.testing import Server, run_until_idle

TLS = Path(__file__).parents[3] / "tests" / "tls"
_tried = itertools.count()


def free_ports(number: int) -> list[int]:
    """Returns ports on which no process listens.

    The numbers are below the range from which the system takes ports of outgoing connections, which could otherwise
    take a port before the server does. Each test process has a hundred ports of its own.
    """
    free: list[int] = []
    while len(free) < number:
        port = 10_000 + os.getpid() % 220 * 100 + next(_tried) % 100
        with socket.socket() as end, suppress(OSError):  # a process listens
            end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            end.bind(("127.0.0.1", port))
            free.append(port)
    return free


def until(condition: Callable[[], Any]) -> None:
    """Waits until a condition is true."""
    limit = time.monotonic() + 60
    while True:
        with suppress(redis.RedisError):
            if condition():
                return
        assert time.monotonic() < limit, "it did not come to be"
        time.sleep(0.02)


@pytest.fixture
def port() -> Iterator[int]:
    """A server that listens on a port."""
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
    """Returns true if the cluster serves all slots."""
    info: Any = node.execute_command("CLUSTER", "INFO")
    return bool(info["cluster_state"] == "ok" if isinstance(info, dict) else b"cluster_state:ok" in info)


@pytest.fixture
def sentinel(port: int, tmp_path: Path) -> Iterator[int]:
    """A Sentinel that watches this server."""
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
    """Submits a task, runs it, and gets its result."""
    with Client(server, namespace) as client:
        job = client.submit(app.add.call(1))
        assert run_until_idle(client, app) == 1
        assert job.result(0) == 2
        assert [event.to for event in client.queue("q").events()] == ["pending", "started", "complete"]


async def async_life(server: Any, namespace: str) -> None:
    """Submits a task on an event loop, without a run."""
    async with aio.Client(server, namespace) as client:
        job = await client.submit(app.add.call(1))
        assert await job.state() == "pending"


def test_by_tcp(port: int, namespace: str) -> None:
    life(f"redis://127.0.0.1:{port}/0", namespace)
    asyncio.run(async_life(f"redis://127.0.0.1:{port}/0", namespace))


def test_a_url_of_another_kind_than_the_server(port: int) -> None:
    wrong = {
        f"redis+sentinel://127.0.0.1:{port}/queue": (
            "names Sentinels",
            "write redis://host:port for the server itself",
        ),
        f"redis+cluster://127.0.0.1:{port}": ("of a cluster, and the server is none", "Write redis://host:port"),
        f"redis://127.0.0.1:{port}/99": ("no database with the number", "Correct that number"),
    }
    for url, (cause, remedy) in wrong.items():
        with pytest.raises(ConnectionFailed, match=cause) as error, Client(url, limit=60) as client:
            client.check()
        assert remedy in error.value.remedy


def test_tls_at_a_server_without(port: int) -> None:
    with Client(f"rediss://127.0.0.1:{port}", limit=0.5) as client:
        begun = time.monotonic()
        with pytest.raises(Unavailable) as error:
            client.check()
        assert time.monotonic() - begun < 10  # it took 15 s, the bound of a reply, despite the limit
    assert "speaks TLS: one that does not has the URL redis://" in error.value.remedy


@pytest.fixture
def tls() -> Iterator[int]:
    """A server that accepts TLS, with a certificate of a test authority."""
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

    async def life_of_one() -> None:  # redis-py on Python 3.9 needs an event loop
        await async_life(AsyncSentinel([("127.0.0.1", sentinel)]).master_for("queue"), namespace)

    asyncio.run(life_of_one())


def test_urls_of_a_cluster(cluster: int, port: int) -> None:
    url = f"redis+cluster://127.0.0.1:1,127.0.0.1:{cluster}"
    life(url, "{blueque:8}")
    asyncio.run(async_life(url, "{blueque:8}"))
    with pytest.raises(BluequeError, match=r"needs a \{tag\}") as untagged:
        life(url, "blueque")
    assert untagged.value.code == "BADNAME"
    for away, kind, text in (
        ("redis+cluster://127.0.0.1:1", Unavailable, "127.0.0.1:1"),
        (f"redis+cluster://127.0.0.1:{port}", ConnectionFailed, "the server is none"),
    ):
        with pytest.raises(kind, match=text):
            Client(away, "{blueque}")

        async def check(url: str = away) -> None:
            async with aio.Client(url, "{blueque}", limit=0.2) as client:
                await client.check()

        with pytest.raises(kind, match=text):
            asyncio.run(check())


def test_urls_of_sentinels(sentinel: int, namespace: str) -> None:
    url = f"redis+sentinel://127.0.0.1:1,127.0.0.1:{sentinel}/queue"
    life(url, namespace)
    asyncio.run(async_life(url, namespace))
    with Client(f"{url}/3", namespace) as client:
        assert client.link.server.connection_pool.connection_kwargs["db"] == 3
    stranger = Client(f"redis+sentinel://127.0.0.1:{sentinel}/nobody", limit=0.2)
    with stranger as client, pytest.raises(Unavailable, match="nobody"):
        client.check()


def test_a_worker_of_sentinels(sentinel: int, namespace: str, tmp_path: Path) -> None:
    url = f"redis+sentinel://127.0.0.1:{sentinel}/queue"
    command = [sys.executable, "-m", "blueque_client", "worker", "tasks_for_tests", "--url", url]
    command += ["--namespace", namespace, "--folder", str(tmp_path)]
    worker = subprocess.Popen(command, cwd=Path(__file__).parent)
    try:
        with Client(url, namespace) as client:
            assert client.submit(app.add.call(1)).result(60) == 2
    finally:
        worker.terminate()
        assert worker.wait(60) == 0


def test_sentinels_with_a_password(port: int, namespace: str, tmp_path: Path) -> None:
    """The Sentinels have a password, and the server has another password. Both are read from files."""
    ours, theirs = tmp_path / "server", tmp_path / "sentinel"
    ours.write_text("secret\n")
    theirs.write_text("other\n")
    with redis.Redis(port=port) as server:
        server.config_set("requirepass", "secret")
    [own] = free_ports(1)
    file = tmp_path / "sentinel.conf"
    lines = [f"port {own}", "bind 127.0.0.1", f"dir {tmp_path}", f"sentinel monitor queue 127.0.0.1 {port} 1"]
    lines += ["sentinel auth-pass queue secret", "user default off", "user scout on >other ~* &* +@all"]
    file.write_text("\n".join(lines) + "\n")
    program = shutil.which("redis-server") or shutil.which("valkey-server") or ""
    process = subprocess.Popen([program, str(file), "--sentinel"], stdout=subprocess.DEVNULL)
    at = f"redis+sentinel://127.0.0.1:{own}/queue?password_file={ours}"
    try:
        scout = Sentinel([("127.0.0.1", own)], sentinel_kwargs={"username": "scout", "password": "other"})
        until(lambda: scout.discover_master("queue"))
        url = f"{at}&sentinel_user=scout&sentinel_password_file={theirs}"
        life(url, namespace)
        asyncio.run(async_life(url, namespace))
        with (
            Client(at, namespace, limit=3) as client,
            pytest.raises(ConnectionFailed, match="a Sentinel refuses the login"),
        ):
            client.check()

        async def refused() -> None:
            async with aio.Client(at, namespace, limit=3) as client:
                await client.check()

        with pytest.raises(ConnectionFailed, match="a Sentinel refuses the login"):
            asyncio.run(refused())
    finally:
        process.kill()
        process.wait()


def test_a_client_without_a_server_reads_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("one\n")
    with Server("--user", "worker", "on", ">one", "~*", "&*", "+@all") as server:
        for name, value in (
            ("URL", server.url),
            ("USER", "worker"),
            ("PASSWORD_FILE", str(file)),
            ("NAMESPACE", "env"),
        ):
            monkeypatch.setenv(f"BLUEQUE_{name}", value)
        with redis.Redis.from_url(server.url) as raw, Client() as client, Client(namespace="own") as own:
            client.queue("q").submit(1, id="t")
            own.queue("q").submit(1, id="t")
            assert {b"env_task_t", b"own_task_t"} <= set(raw.keys())
            assert raw.hget("env_task_t", "parameters") == b"1"
            user = raw.execute_command("CLIENT", "LIST", "TYPE", "NORMAL")
            assert "user=worker" in str(user)
    # A server that is named has none of this.
    with Client("redis://127.0.0.1:1") as client:
        assert client.link.namespace == "blueque"


def test_a_password_from_a_file(namespace: str, tmp_path: Path) -> None:
    """The file is read at each connection, so a new password needs no restart."""
    file = tmp_path / "password"
    with Server("--user", "worker", "on", ">one", "~*", "&*", "+@all") as server:
        url = f"{server.url}?user=worker&password_file={file}"
        with redis.Redis.from_url(server.url) as raw, Client(url, namespace, limit=5) as client:
            refused: list[tuple[str | None, str]] = [
                (None, "is no file with a password"),
                ("\n", "is empty"),
                ("wrong", "refuses the login"),
                ("x" * 70_000, "is no file with a password"),
            ]
            for text, why in refused:
                if text is not None:
                    file.write_text(text)
                with pytest.raises(ConnectionFailed, match=why) as error:
                    client.check()
                assert error.value.remedy
                assert "wrong" not in str(error.value)
            file.write_text("one\n")
            client.check()
            assert raw.acl_whoami()
            raw.execute_command("ACL", "SETUSER", "worker", ">two", "<one")
            file.write_text("two\n")
            raw.execute_command("CLIENT", "KILL", "USER", "worker")
            client.check()

            async def check() -> None:
                async with aio.Client(url, namespace) as client:
                    await client.check()

            asyncio.run(check())


def test_files_for_tls(tls: int, namespace: str) -> None:
    url = f"rediss://localhost:{tls}/0?ca={TLS}/ca.pem"
    life(url, namespace)
    asyncio.run(async_life(f"{url}&cert={TLS}/client.pem&key={TLS}/client.key", namespace))
    with Client(url.replace("localhost", "127.0.0.2")) as client, pytest.raises(ConnectionFailed, match="certificate"):
        client.check()  # the certificate is for another name


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://h?read=replica", "`read`"),
        ("redis+sentinel://h/m?read=replica", "`read`"),
        ("redis://h?reads=replica", "`reads`"),
        ("redis://h?durability=fsync", "`durability`"),
        ("redis+cluster://h?durability=fsync", "`durability`"),
        ("redis://h?ca=/x", "`ca`.* not rediss://"),
        ("rediss://h?ca=x", "`ca`.* absolute"),
        ("rediss://h?cert=/x", "`cert`.* needs `key`"),
        ("rediss://h?key=/x", "`key`.* needs `cert`"),
        ("redis://h?password_file=x", "`password_file`.* absolute"),
        ("redis://h?sentinel_user=x", "`sentinel_user`.* Sentinels"),
        ("redis+cluster://h?sentinel_password_file=/x", "`sentinel_password_file`.* Sentinels"),
        ("redis+sentinel://h/m?sentinel_user=x", "`sentinel_user`.* needs `sentinel_password_file`"),
        ("redis+sentinel://h", "name of the master"),
        ("redis+sentinel://h/m/x", "database"),
        ("redis://h/one", "database"),
        ("redis+cluster://h/1", "only the database 0"),
        ("redis://one,two", "several hosts"),
        ("unix+cluster:///s", "redis.cluster://"),
        ("redis+ring://h", "must begin with"),
        ("redis://:se/cret@h", "database"),
        ("redis://:se:cret/@h", "database"),
        ("redis://h:secret", "malformed"),
        ("redis://h?socket_timeout=soon", "malformed"),
    ],
)
def test_what_a_url_cannot_say_here(url: str, said: str) -> None:
    """The error names the parameter, before anything is sent, and repeats no password."""
    for kind in (Client, aio.Client):
        with pytest.raises(ConnectionFailed, match=said) as error:
            kind(url)
        assert error.value.code == "CONNECTION"
        assert error.value.remedy
        assert "cret" not in str(error.value)


def test_what_a_url_may_say() -> None:
    for url in (
        "redis://h?read=master",
        "valkey://u:p@h:1/2?client_name=films&health_check_interval=5",
        "redis://[::1]:6379",
        "unix://u:p@/s?db=3",
        "unix:///s?user=u&pass=p",
    ):
        Client(url)
    sentinels = parse("rediss+sentinel://u:p%40@one,[::1]:7/films/2?socket_timeout=3&ca=/ca")
    assert (sentinels.nodes, sentinels.service) == ([("one", 26379), ("::1", 7)], "films")
    wanted = {"username": "u", "password": "p@", "db": 2, "socket_timeout": 3, "ssl": True, "ssl_ca_certs": "/ca"}
    assert wanted.items() <= sentinels.options.items()
    assert sentinels.sentinel == {**sentinels.sentinel, "ssl": True, "ssl_ca_certs": "/ca"}
    assert "password" not in sentinels.sentinel
    assert "p@" not in repr(sentinels)


def test_what_the_environment_says_besides() -> None:
    said = {
        "BLUEQUE_USER": "me/you",
        "BLUEQUE_PASSWORD_FILE": "/p",
        "BLUEQUE_CA": "/ca",
        "BLUEQUE_SENTINEL_PASSWORD_FILE": "/s",
    }
    for url, whole in (
        ("redis://a/1", "redis://me%2Fyou@a/1?password_file=%2Fp"),
        ("redis://you@a", "redis://you@a?password_file=%2Fp"),
        ("redis://:s3@a", "redis://me%2Fyou:s3@a?password_file=%2Fp"),
        ("unix:///s?db=1", "unix://me%2Fyou@/s?db=1&password_file=%2Fp"),
        ("rediss://you@a?ca=/x", "rediss://you@a?ca=%2Fx&password_file=%2Fp"),
        ("redis+sentinel://you@a/m", "redis+sentinel://you@a/m?password_file=%2Fp&sentinel_password_file=%2Fs"),
    ):
        assert completed(url, said) == whole
        parse(whole)
    secret = completed("redis://you:old@a?password_file=/p", {"BLUEQUE_PASSWORD": "n/w"})
    assert parse(secret).url == "redis://you:n%2Fw@a/"
    assert completed("nonsense", said) == "nonsense"
