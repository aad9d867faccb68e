"""Retries by the kind of an exception, and limits of each task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tasks_for_tests as app
from conftest import PATIENCE, Start

from blueque_client import Client, InvalidCall, TaskFailed, task
from blueque_client.testing import run_until_idle


@pytest.mark.parametrize(
    ("kind", "failures"), [("OSError", 6), ("NoDisk", 6), ("FileNotFoundError", 1), ("ValueError", 1), ("KeyError", 2)]
)
def test_the_kind_of_an_exception_decides_about_retries(client: Client, kind: str, failures: int) -> None:
    job = client.submit(app.kinds.call(kind))
    run_until_idle(client, app.kinds)
    record = job.info()
    assert (record.status, record.failures, record.group) == ("failed", failures, kind)


def test_a_rule_that_fails_fails_the_attempt(client: Client) -> None:
    @task(queue="q", max_failures=1, delay=0, retry=lambda *_: 1 / 0 > 1)
    def wrong() -> None:
        raise OSError

    job = client.submit(wrong.call())
    run_until_idle(client, wrong)
    with pytest.raises(TaskFailed, match="division by zero"):
        job.result(0)
    anything: Any = "OSError"
    with pytest.raises(InvalidCall, match="'OSError' is no kind of exception"):
        task(retry_for=anything)(lambda: None)


def test_limits_of_each_task(client: Client, start: Start, tmp_path: Path) -> None:
    start("--grace", "1", "-n", "4")
    stalls = client.submit(app.stalls.call(6))
    long = client.submit(app.sleeps.call(str(tmp_path / "pid")), max_run=1)
    fits, large = client.submit(app.takes.call(1 << 20)), client.submit(app.takes.call(2 << 30))
    assert fits.result(PATIENCE) == 1 << 20
    with pytest.raises(TaskFailed, match="MemoryError"):
        large.result(PATIENCE)
    with pytest.raises(TaskFailed, match="longer than its time limit") as error:
        long.result(PATIENCE)
    with pytest.raises(TaskFailed, match="no progress for 1 s: no checkpoint, progress or log") as stalled:
        stalls.result(PATIENCE)
    assert error.value.group == stalled.value.group == "timeout"
