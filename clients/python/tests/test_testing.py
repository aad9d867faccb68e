"""The helpers for tests of programs that use the client."""

from __future__ import annotations

import pytest
import tasks_for_tests as app

from blueque_client import Client, TaskFailed, task
from blueque_client.testing import Clock, Server, run_until_idle


@task(queue="none")
def nothing() -> str:
    return "nothing"


def test_tasks_run_here_until_nothing_is_left(client: Client) -> None:
    jobs = [client.submit(app.add.call(n)) for n in range(3)]
    step, again = client.submit(app.first_step.call(4)), client.submit(app.again.call())
    wrong, logged = client.submit(app.fails.call()), client.submit(app.logs.call())
    assert run_until_idle(client, app) == 3 + 2 + 3 + 1 + 1
    assert [job.result(0) for job in jobs] == [1, 2, 3]
    assert step.result(0) == 50
    assert again.result(0) == 20
    assert [entry.text for entry in logged.logs()] == ["from the context\n"]
    with pytest.raises(TaskFailed, match="no such film"):
        wrong.result(0)


def test_time_is_an_argument(server: Server, namespace: str) -> None:
    clock = Clock()
    with Client(server.url, namespace, clock=clock) as client:
        later = client.submit(app.add.call(1), eta=clock.now + 3600)
        retried = client.submit(app.fails.call(), max_failures=1, delay=600, jitter=0)
        assert run_until_idle(client, app) == 1
        assert retried.state() == "scheduled"
        clock.advance(601)
        assert run_until_idle(client, app) == 1
        assert retried.state() == "failed"
        clock.advance(3000)
        assert run_until_idle(client, app) == 1
        assert later.result(0) == 2


def test_a_task_without_parameters_gets_no_arguments(client: Client) -> None:
    for data in (b"", b"[]", b"{}", b"null"):
        job = client.queue("none").submit_bytes(data, method="nothing")
        assert run_until_idle(client, nothing) == 1
        assert job.result(0) == "nothing"
