"""Servers of the tests' own."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from blueque_client import Client
from blueque_client.testing import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def namespace() -> str:
    """A namespace of the test's own: tests share the server."""
    return f"t{uuid.uuid4().hex[:12]}"


@pytest.fixture
def client(server: Server, namespace: str) -> Iterator[Client]:
    with Client(server.url, namespace) as client:
        yield client


def until(condition: Callable[[], Any], what: str = "it did not come to be", patience: float = 60) -> Any:
    """Waits for something to be true."""
    limit = time.monotonic() + patience
    while not (found := condition()):
        assert time.monotonic() < limit, what
        time.sleep(0.01)
    return found
