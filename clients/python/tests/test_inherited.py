"""The parts of an attempt that child processes and threads of a function inherit."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import tasks_for_tests as app
from conftest import PATIENCE, Start

from blueque_client import Again, BluequeError, Client, Failure, PayloadError, Stopped, TaskFailed
from blueque_client.errors import TaskCancelled, verdict

MODES = [[], ["--mode", "thread"]]


@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("what", ["progress", "checkpoint", "log"])
def test_a_child_of_a_function_has_no_attempt(client: Client, start: Start, what: str, options: list[str]) -> None:
    start(*options)
    job = client.submit(app.has_children.call(what))
    with pytest.raises(TaskFailed, match="a process that a function has started") as error:
        job.result(PATIENCE)
    assert error.value.group == "BluequeError"


@pytest.mark.parametrize("options", MODES)
def test_children_of_a_function_log_beside_it(client: Client, start: Start, tmp_path: Path, options: list[str]) -> None:
    start(*options)
    job = client.submit(app.has_children.call("logging"), log_bytes=64 << 20)
    assert job.result(PATIENCE) == [f"{job.id} 1"] * 4
    assert (tmp_path / "log").read_text().count("x" * 60_000) == 200
    assert "".join(entry.text for entry in job.logs()).count("beside them") == 50


def test_an_exception_of_the_package_goes_from_process_to_process(client: Client, start: Start) -> None:
    start()
    job = client.submit(app.has_children.call("again"))
    job_state = job.history
    while not any(each.to == "scheduled" for each in job_state()):
        assert job.state() not in ("failed", "complete")
    for each in (
        BluequeError("WORKER", "cause", "remedy"),
        PayloadError("cause"),
        TaskFailed("error", "group"),
        TaskCancelled("reason"),
        verdict("NOTASK", "text"),
        Again(3, "reason"),
        Again(3),
        Stopped("cancel"),
        Failure("text", group="g", again=3),
    ):
        again = pickle.loads(pickle.dumps(each))
        assert (type(again), str(again), vars(again)) == (type(each), str(each), vars(each))


@pytest.mark.parametrize("what", ["progress", "checkpoint", "log", "check", "id"])
@pytest.mark.parametrize("call", [app.has_threads, app.has_an_executor])
def test_threads_of_a_function_have_its_attempt(client: Client, start: Start, what: str, call: Any) -> None:
    start()
    job = client.submit(call.call(what))
    assert job.result(PATIENCE) == job.id
    if what == "progress":
        assert job.progress() == {"done": 1, "total": 8}
    elif what == "checkpoint":
        assert job.checkpoint() == "of a thread"
    elif what == "log":
        assert "".join(entry.text for entry in job.logs()) == "of a thread\n"


def test_a_thread_that_a_task_has_left_reports_nothing_of_the_next(
    client: Client, start: Start, tmp_path: Path
) -> None:
    start("--tasks-per-process", "2")
    file = str(tmp_path / "file")
    client.submit(app.leaves_a_thread.call(file)).result(PATIENCE)
    job = client.submit(app.waits_for_it.call(file))
    job.result(PATIENCE)
    assert "no task runs here" in Path(f"{file}.error").read_text()
    assert job.progress() is None
