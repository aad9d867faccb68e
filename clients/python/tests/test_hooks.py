"""Hooks around submits and attempts, and at the events of a worker."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import hooked_tasks as app
import pytest
from conftest import PATIENCE, Start, until

from blueque_client import Client, Hooks, InvalidCall, Refused, Submit, TaskCancelled, TaskFailed, aio
from blueque_client.testing import Server, run_until_idle


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "notes"
    file.touch()
    monkeypatch.setenv("HOOKED", str(file))
    return file


@pytest.mark.parametrize("options", [(), ("--spawn",), ("--mode", "thread"), ("--mode", "asyncio")])
def test_a_worker_calls_every_hook_and_no_error_of_a_hook_counts(
    server: Server, namespace: str, start: Start, notes: Path, options: tuple[str, ...], tmp_path: Path
) -> None:
    client = Client(server.url, namespace, hooks=[app.notes])
    worker = start(*options, tasks="hooked_tasks", env={**os.environ})
    assert client.submit(app.double.call(4)).result(PATIENCE) == 8
    assert client.submit(app.awaits.call()).result(PATIENCE) == "awaited"
    broken = client.submit(app.breaks.call())
    with pytest.raises(TaskFailed, match="no such film"):
        broken.result(PATIENCE)
    if "asyncio" not in options:  # its loop is busy with a function that never waits
        waiting = client.submit(app.waits.call())
        until((tmp_path / "notes.waits").exists)
        waiting.cancel()
        with pytest.raises(TaskCancelled):
            waiting.result(PATIENCE)
        until(lambda: "cancel waits" in notes.read_text())
        assert "after waits Stopped" in notes.read_text()
    worker.terminate()
    assert worker.wait(PATIENCE) == 0
    lines = notes.read_text().splitlines()
    own = [line for line in lines if ("double" in line and line[0] != "a") or "after double" in line]
    assert own == [f"{what} double" + more for what, more in STEPS]
    assert [line for line in lines if "awaits" in line][:3] == ["enter awaits", "aenter awaits", "before awaits True"]
    assert "retry breaks 1" in lines
    assert "failure breaks 2 ValueError: no such film ValueError" in lines
    assert (lines.count("worker start"), lines.count("worker stop")) == (1, 1)
    assert lines.count("process start") == lines.count("process stop") >= 1
    said = (tmp_path / "log").read_text()
    assert "the hook Notes.before_attempt has failed, which changes nothing" in said
    assert "the hook Notes.on_worker_start has failed, which changes nothing" in said
    assert next(client.queue("h").search(tag="hooked")).id


STEPS = [("enter", ""), ("before", " True"), ("runs", ""), ("after", " NoneType"), ("leave", ""), ("success", "")]


def test_a_hook_changes_an_outcome_by_saying_so(client: Client, notes: Path) -> None:
    number, waits, broken = (client.submit(each) for each in (app.double.call(1), app.awaits.call(), app.breaks.call()))
    assert run_until_idle(client, [app.double, app.awaits, app.breaks], hooks=[app.Judge()]) == 4
    assert number.result(0) == 2
    with pytest.raises(TaskFailed, match="not today"):
        waits.result(0)
    with pytest.raises(TaskFailed, match="the film is missing") as error:
        broken.result(0)
    assert (error.value.group, broken.info().failures) == ("missing", 1)
    assert "runs awaits" not in notes.read_text()


class Tenant(Hooks):
    @contextmanager
    def around_submit(self, submit: Submit) -> Iterator[None]:
        if submit.queue == "closed":
            raise Refused("STATE", "this tenant is closed")
        submit.options["key"] = "tenant-7"
        yield
        raise RuntimeError("after the submit")


class AsyncTenant(Hooks):
    @asynccontextmanager
    async def around_submit(self, submit: Submit) -> AsyncIterator[None]:
        await asyncio.sleep(0)
        submit.options["key"] = "tenant-8"
        yield


def test_hooks_are_around_submits(server: Server, namespace: str) -> None:
    with Client(server.url, namespace, hooks=[Tenant()]) as client:
        assert client.queue("q").submit(1).info().key == "tenant-7"
        assert [each.info().key for each in client.queue("q").submit_many([1, 2])] == ["tenant-7"] * 2
        with pytest.raises(Refused, match="this tenant is closed"):
            client.queue("closed").submit(1)
        assert client.queue("q").counts().pending == 3

    async def work() -> str | None:
        async with aio.Client(server.url, namespace, hooks=[AsyncTenant()]) as client:
            return (await (await client.queue("q").submit(1)).info()).key

    assert asyncio.run(work()) == "tenant-8"


def test_a_class_in_place_of_its_instance_is_refused(server: Server, client: Client) -> None:
    given: Any = [Tenant]
    with pytest.raises(InvalidCall, match=r"hooks are instances: pass Tenant\(\)"):
        Client(server.url, hooks=given)
    with pytest.raises(InvalidCall, match=r"hooks are instances: pass Tenant\(\)"):
        run_until_idle(client, app, hooks=given)


def test_a_class_of_hooks_without_an_instance_is_named(start: Start, tmp_path: Path) -> None:
    (tmp_path / "idle_hooks.py").write_text(
        "from blueque_client import Hooks, task\n"
        "class Tracks(Hooks): ...\n"
        "class Base(Hooks): ...\n"
        "class Notes(Base): ...\n"
        "notes = Notes()\n"
        "@task\ndef film(): ...\n"
    )
    start(tasks="idle_hooks", cwd=tmp_path)
    said = until(lambda: "takes tasks" in (text := (tmp_path / "log").read_text()) and text)
    assert "calls no hook of Tracks: the module has no instance of it, such as `hooks = Tracks()`" in said
    assert "no hook of Base" not in said
