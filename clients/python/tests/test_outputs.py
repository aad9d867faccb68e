"""What a function prints is the log of its task."""

from __future__ import annotations

from pathlib import Path

import pytest
import tasks_for_tests as app
from conftest import PATIENCE, Start

from blueque_client import Client, Task, TaskFailed


def log_of(task: Task[None]) -> str:
    return "".join(entry.text for entry in task.logs())


@pytest.mark.parametrize("options", [(), ("--spawn",), ("--tasks-per-process", "100")])
def test_all_output_of_a_process_is_the_log(
    client: Client, start: Start, options: tuple[str, ...], tmp_path: Path
) -> None:
    start(*options)
    good, broken, dead = (
        client.submit(call) for call in (app.prints.call(), app.prints.call(True), app.prints_and_dies.call())
    )
    good.wait(PATIENCE)
    with pytest.raises(TaskFailed):
        broken.result(PATIENCE)
    with pytest.raises(TaskFailed, match="SIGKILL"):
        dead.result(PATIENCE)
    log = log_of(good)
    for line in ("printed\n", "a part, and the rest\n", "UserWarning: careful", "by descriptor\n", "by a child\n"):
        assert line in log
    assert "and its errors\n" in log
    assert log.count("logged") == 1
    assert "WARNING app: logged\n" in log
    assert log.endswith("no end of line")
    failed = log_of(broken)
    assert failed.index("by a child") < failed.index("Traceback (most recent call last)")
    assert failed.endswith("ValueError: no such film\n")
    assert log_of(dead) == "before the end\n"
    assert "printed" not in (tmp_path / "log").read_text()


@pytest.mark.parametrize("mode", ["thread", "asyncio"])
def test_tasks_of_one_process_have_their_own_lines(client: Client, start: Start, mode: str) -> None:
    start("--mode", mode, "-n", "3")
    jobs = {name: client.submit(app.prints_in_turn.call(name)) for name in ("one", "two", "three")}
    for name, job in jobs.items():
        with pytest.raises(TaskFailed):
            job.result(PATIENCE)
        log = log_of(job)
        assert log.startswith(f"{name} 0\n{name} 1\n{name} 2\nTraceback")
        assert log.endswith(f"KeyError: '{name}'\n")
