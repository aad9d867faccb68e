"""TLS on real servers: each version, the client's certificate, Sentinels and a cluster by TLS, and refusals."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from test_addresses import free_ports, life, ok, until

from blueque_client import BluequeError, Client, ConnectionFailed
from blueque_client.testing import Server

TLS = Path(__file__).parents[3] / "tests" / "tls"
CA = f"ca={TLS}/ca.pem"
OWN = f"cert={TLS}/client.pem&key={TLS}/client.key"


def keys(certificate: str) -> list[str]:
    """The settings of a server: its own files, and the files for connections between servers."""
    files = {"cert-file": certificate, "key-file": "server.key", "ca-cert-file": "ca.pem"}
    files |= {"client-cert-file": "client.pem", "client-key-file": "client.key"}
    return [word for name, file in files.items() for word in (f"--tls-{name}", f"{TLS}/{file}")]


@contextmanager
def serving(certificate: str, *more: str) -> Iterator[int]:
    """A server that accepts TLS on a port."""
    [port] = free_ports(1)
    with Server("--tls-port", str(port), *keys(certificate), *more):
        yield port


@pytest.mark.parametrize("version", ["TLSv1.2", "TLSv1.3"])
def test_each_version_with_the_clients_certificate(version: str, namespace: str) -> None:
    with serving("server.pem", "--tls-auth-clients", "yes", "--tls-protocols", version) as port:
        life(f"rediss://localhost:{port}?{CA}&{OWN}", namespace)
        with Client(f"rediss://localhost:{port}?{CA}", limit=2) as client, pytest.raises(BluequeError) as error:
            client.check()
        assert error.value.code in ("CONNECTION", "UNAVAILABLE"), error.value


@pytest.mark.parametrize(
    ("certificate", "host", "parameters"),
    [
        ("expired.pem", "localhost", f"?{CA}"),
        ("server.pem", "127.0.0.2", f"?{CA}"),
        ("server.pem", "localhost", f"?ca={TLS}/client.pem"),
        ("server.pem", "localhost", ""),
    ],
)
def test_a_certificate_that_is_not_trusted(certificate: str, host: str, parameters: str) -> None:
    with serving(certificate, "--tls-auth-clients", "no") as port:
        with (
            Client(f"rediss://{host}:{port}{parameters}", limit=10) as client,
            pytest.raises(ConnectionFailed) as error,
        ):
            client.check()
        assert "certificate" in str(error.value), error.value


def test_sentinels(namespace: str, tmp_path: Path) -> None:
    with serving("server.pem", "--tls-auth-clients", "no", "--tls-replication", "yes") as master:
        [port] = free_ports(1)
        words = keys("server.pem")
        lines = [f"{name[2:]} {file}" for name, file in zip(words[::2], words[1::2], strict=True)]
        lines += ["port 0", f"tls-port {port}", "bind 127.0.0.1", "tls-replication yes", "tls-auth-clients no"]
        file = tmp_path / "sentinel.conf"
        file.write_text("\n".join([*lines, f"sentinel monitor films 127.0.0.1 {master} 1", ""]))
        program = shutil.which("redis-server") or shutil.which("valkey-server") or ""
        sentinel = subprocess.Popen([program, str(file), "--sentinel"], stdout=subprocess.DEVNULL)
        try:
            asked: Any = redis.Redis(host="localhost", port=port, ssl=True, ssl_ca_certs=f"{TLS}/ca.pem")
            until(lambda: asked.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "films"))
            life(f"rediss+sentinel://localhost:{port}/films?{CA}", namespace)
        finally:
            sentinel.kill()
            sentinel.wait()


def test_a_cluster() -> None:
    port, bus = free_ports(2)
    cluster = [
        "--cluster-enabled",
        "yes",
        "--cluster-port",
        str(bus),
        "--tls-cluster",
        "yes",
        "--tls-auth-clients",
        "no",
    ]
    with Server("--tls-port", str(port), *keys("server.pem"), *cluster) as server:
        admin: Any = redis.Redis(unix_socket_path=server.url.removeprefix("unix://"))
        admin.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        until(lambda: ok(admin))
        life(f"rediss+cluster://localhost:{port}?{CA}", "{tls}")
