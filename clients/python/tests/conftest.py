"""Private servers for the tests."""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from blueque_client import Client
from blueque_client.testing import Server

HERE = Path(__file__).parent
PATIENCE = 60


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def namespace() -> str:
    """A private namespace for the test: tests share the server."""
    return f"t{uuid.uuid4().hex[:12]}"


@pytest.fixture
def client(server: Server, namespace: str) -> Iterator[Client]:
    with Client(server.url, namespace) as client:
        yield client


def until(condition: Callable[[], Any], what: str = "it did not come to be", patience: float = 60) -> Any:
    """Waits until a condition is true."""
    limit = time.monotonic() + patience
    while not (found := condition()):
        assert time.monotonic() < limit, what
        time.sleep(0.01)
    return found


def gone(pid: int) -> bool:
    """Returns true if a process has ended, even if no process has waited for it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def number(path: Path) -> int:
    """Waits for a file with a number, and returns the number."""
    return int(until(lambda: path.exists() and path.read_text(), f"no {path}"))


Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(server: Server, namespace: str, tmp_path: Path) -> Iterator[Start]:
    """Starts workers of a namespace; kills them afterwards."""
    started: list[subprocess.Popen[bytes]] = []

    def worker(
        *options: str, url: str = server.url, tasks: str = "tasks_for_tests", **more: Any
    ) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "blueque_client", "worker", tasks, *(["--url", url] if url else [])]
        command += ["--namespace", namespace, "--folder", str(tmp_path / "work"), *options]
        with (tmp_path / "log").open("a") as log:
            started.append(subprocess.Popen(command, **{"cwd": HERE, "stderr": log, **more}))
        return started[-1]

    yield worker
    for process in started:
        process.kill()
        process.wait()
    print((tmp_path / "log").read_text())  # of a test that fails
