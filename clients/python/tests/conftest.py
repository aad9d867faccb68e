"""Servers of the tests' own."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

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
