"""Tests the table in docs/migrating/blueque-1.0.md: programs for Blueque 1.0's Python API, ported to this client."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from blueque_client import Client, NotFound, Refused, calls, task
from blueque_client.testing import Server

LISTENER, DEAD = "host_1", "host_2"


@task(queue="q", name="q")
def add(one: int, other: int) -> int:
    """Runs the tasks of Blueque 1.0 in the queue `q`, which have no method."""
    return one + other


def test_a_task_is_submitted_scheduled_and_made_due(client: Client) -> None:
    queue = client.queue("q")
    job = queue.submit([1])
    assert queue.submit_bytes(b"[1]").parameters() == job.parameters() == [1]
    later = queue.submit([2], eta=time.time() + 60)
    assert later.state() == "scheduled"
    assert client.run(calls.promote("q", 100)).promoted == 0
    soon = queue.submit([3], eta=time.time() + 0.2)
    end = time.monotonic() + 30
    while not client.run(calls.promote("q", 100)).promoted:
        assert time.monotonic() < end
    assert (soon.state(), later.state()) == ("pending", "scheduled")


def test_it_is_taken_started_completed_or_failed_shown_and_deleted(client: Client) -> None:
    client.run(calls.register("q", LISTENER))
    for fails in (False, True):
        job = client.queue("q").submit([1])
        items = client.run(calls.reserve(LISTENER, ["q"]))
        assert items
        taken = items[0]
        client.run(calls.start(taken.id, taken.token, 7))
        with pytest.raises(Refused):
            job.delete()
        if fails:
            client.run(calls.fail(taken.id, taken.token, "no"))
        else:
            client.run(calls.complete(taken.id, taken.token, "[3]"))
        info = client.task(job.id).info()
        assert (info.status, info.queue, info.node, info.pid) == ("failed" if fails else "complete", "q", LISTENER, 7)
        assert info.parameters == [1]
        assert (info.result, info.error) == ((None, "no") if fails else ([3], None))
        assert info.created is not None
        assert info.updated is not None
        assert info.created <= info.updated
        job.delete()
        with pytest.raises(NotFound):
            job.info()


def test_the_task_of_a_dead_listener_is_adopted(client: Client) -> None:
    for listener in (LISTENER, DEAD):
        client.run(calls.register("q", listener))
    job = client.queue("q").submit([1])
    assert client.run(calls.reserve(DEAD, ["q"]))
    adopted = client.run(calls.adopt(LISTENER, DEAD, "q", job.id))
    assert adopted
    assert adopted[0].id == job.id


def test_a_worker_runs_a_function(server: Server, client: Client, namespace: str) -> None:
    # python -m blueque_client worker
    words = [sys.executable, "-m", "blueque_client", "worker", Path(__file__).stem, "--quiet"]
    words += ["--url", server.url, "--namespace", namespace]
    worker = subprocess.Popen(words, cwd=Path(__file__).parent)
    try:
        assert client.queue("q").submit([1, 2]).result(60) == 3
    finally:
        worker.terminate()
        assert worker.wait(60) == 0
