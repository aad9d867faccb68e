"""Data of other releases: readable data is used, unreadable data is refused, and nothing is lost."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis
import tasks_for_tests as app

from blueque_client import Client, ReplyError, TaskFunction, Unsuitable, Worker, task
from blueque_client.testing import Server, run_until_idle

ARCHIVES = sorted((Path(__file__).parents[3] / "tests" / "fixtures").glob("*.tar.xz"))


@pytest.fixture(params=ARCHIVES, ids=lambda file: file.name)
def release(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The unpacked archive of a release."""
    with tarfile.open(request.param) as packed:
        packed.extractall(tmp_path)
    return tmp_path


@pytest.mark.parametrize("schema", [0, 2])
def test_data_of_another_schema(server: Server, client: Client, namespace: str, schema: int) -> None:
    """Neither a client nor a worker starts if the data is newer or older than this version."""
    job = client.submit(app.add.call(1))
    meta = f"{namespace}_meta"
    with redis.Redis.from_url(server.url) as raw:
        before: Any = raw.hgetall(meta)
        clock = before[b"clock:1"]
        raw.hdel(meta, "clock:1")
        raw.hset(meta, mapping={"schema": schema, f"clock:{schema}": clock})
        acts: list[Callable[[], Any]] = [client.check, lambda: client.submit(app.add.call(1)), Worker(client, app).run]
        for act in acts:
            with pytest.raises(Unsuitable) as error:
                act()
            assert error.value.code == "SCHEMA"
            assert error.value.remedy
        raw.hdel(meta, f"clock:{schema}")
        raw.hset(meta, mapping=before)
    assert client.queue("q").counts().pending == 1
    assert job.state() == "pending"


def test_what_a_later_release_has_written(server: Server, client: Client, namespace: str) -> None:
    """An unknown field is kept, and an unreadable value is refused; other tasks continue."""
    job, beside = client.submit(app.add.call(1)), client.submit(app.add.call(2))
    with redis.Redis.from_url(server.url) as raw:
        record = f"{namespace}_task_{job.id}"
        raw.hset(record, "colour", "red")
        assert job.info().extra == {"colour": b"red"}
        raw.hset(record, "status", "parked")
        for act in (job.state, job.info, job.why):
            with pytest.raises(ReplyError, match="parked") as error:
                act()
            assert "update this client" in error.value.remedy
        raw.hset(record, "status", "pending")
    run_until_idle(client, app)
    assert [job.result(0), beside.result(0)] == [2, 3]


def restore(server: redis.Redis, file: Path) -> None:
    """Restores data that a release has written."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return bytes.fromhex(value["hex"])
        return [plain(each) for each in value] if isinstance(value, list) else value

    for key, about in json.loads(file.read_text())["keys"].items():
        value = plain(about["value"])
        if about["type"] == "string":
            server.set(key, value)
        elif about["type"] == "list":
            server.rpush(key, *value)
        elif about["type"] == "set":
            server.sadd(key, *value)
        elif about["type"] == "hash":
            server.hset(key, mapping=dict(value))
        elif about["type"] == "zset":
            server.zadd(key, {member: float(score) for member, score in value})
        else:
            for id, fields in value:
                server.xadd(key, dict(zip(fields[::2], fields[1::2])), id=id)


def test_what_a_release_has_left_is_gone_on_with(release: Path) -> None:
    with Server() as server, Client(server.url) as client:
        with redis.Redis.from_url(server.url) as raw:
            restore(raw, release / "data.json")
        client.check()
        assert {"plain", "lanes", "groups"} <= {each.queue for each in client.queues()}
        plain = client.queue("plain")
        before = plain.counts()
        assert before.pending
        assert before.complete
        assert len([job.info() for job in plain.tasks("complete")]) == before.complete
        waits = [(job, job.info().method) for job in plain.tasks("pending")]
        run_until_idle(client, [any_task(method) for method in {method for _, method in waits}])
        assert plain.counts().pending == 0
        # Not all tasks complete: some had an order to cancel, or were due.
        assert [job for job, _ in waits if job.info().status == "complete"]


def test_clients_of_a_release_work_beside_this_one(
    server: Server, client: Client, namespace: str, release: Path
) -> None:
    """Older scripts run tasks that this client submits with today's options, and this client runs theirs."""
    with redis.Redis.from_url(server.url) as raw:

        def old(command: str, *arguments: Any) -> Any:
            script = (release / "scripts" / f"{command}.lua").read_text()
            return raw.eval(script, 1, f"{namespace}_meta", "", *arguments)

        ours = client.submit(app.add.call(1), max_failures=2, priority=5, tags=["new"], lost_delay=1)
        old("register", "q", "host_1")
        for last in (False, True):
            id, queue, token, attempt, *_ = old("reserve", "host_1", 1, "q")
            assert (id.decode(), queue, int(attempt)) == (ours.id, b"q", 1 + last)
            old("start", id, token, 4711)
            old("checkpoint", id, token, b"[1]")
            assert ours.state() == "started"
            if last:
                old("complete", id, token, b"3")
            else:
                old("fail", id, token, b"no such film", "again", 0)
                old("promote", "q", 10)
        assert ours.result(0) == 3
        assert ours.checkpoint() == [1]
        assert ours.info().failures == 1
        old("submit", "q", 1, "theirs", "", b'{"a": 4}')
        # Older scripts have no methods: the client calls the function with the name of the queue.
        run_until_idle(client, [task(queue="q", name="q")(app.add.function)])
        assert client.task("theirs").result(0) == 5
        assert old("get", "theirs")


def any_task(method: str | None) -> TaskFunction[..., str]:
    """A function for tasks of the queue `plain`."""

    def run(*_args: Any, **_named: Any) -> str:
        return "done"

    return task(queue="plain", name=method or "plain")(run)
