"""The client on a real server: the calls that a user tries first."""

from __future__ import annotations

import json
import threading
import time
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from conftest import until

from blueque_client import (
    BluequeError,
    Client,
    ConnectionFailed,
    Failure,
    InvalidCall,
    NotFound,
    PayloadError,
    Refused,
    Task,
    TaskCancelled,
    TaskFailed,
    TimedOut,
    Unavailable,
    aio,
    calls,
    context,
    task,
)
from blueque_client.testing import Clock, Server, run_until_idle

LISTENER = "host_1"


def attempt(client: Client, queue: str) -> calls.ReserveItem:
    """Takes and starts a task, as a worker does."""
    client.run(calls.register(queue, LISTENER))
    taken = client.run(calls.reserve(LISTENER, [queue], pid=7))
    assert taken
    return taken[0]


def complete(client: Client, taken: calls.ReserveItem, result: Any) -> None:
    client.run(calls.complete(taken.id, taken.token, json.dumps(result)))


def test_a_task_from_submit_to_result(client: Client) -> None:
    job = client.queue("films").submit({"path": "a.mkv"}, priority=5, tags=["hd", "new"])
    assert job.state() == "pending"
    assert job.parameters() == {"path": "a.mkv"}
    taken = attempt(client, "films")
    assert taken.id == job.id
    client.run(calls.progress(job.id, taken.token, '{"done":1,"total":2}'))
    client.run(calls.checkpoint(job.id, taken.token, "[1]"))
    client.run(calls.append_log(job.id, taken.token, "stdout", "half\n"))
    assert job.progress() == {"done": 1, "total": 2}
    assert job.checkpoint() == [1]
    complete(client, taken, "a.mp4")
    assert job.result(timeout=10) == "a.mp4"
    assert [entry.text for entry in job.logs()] == ["half\n"]
    assert [step.to for step in job.history()] == ["pending", "started", "complete"]
    assert job.info().priority == 5
    assert [found.id for found in client.queue("films").search(tag="hd", status="complete")] == [job.id]
    assert client.queue("films").counts().complete == 1
    job.delete()
    with pytest.raises(NotFound) as error:
        job.state()
    assert error.value.code == "NOTASK"
    assert error.value.remedy


def test_a_result_is_waited_for(client: Client) -> None:
    job = client.queue("q").submit(1)
    with pytest.raises(TimedOut):
        job.result(timeout=0.01)
    taken = attempt(client, "q")
    answers: list[Any] = []
    waiting = threading.Thread(target=lambda: answers.append(job.result(timeout=60)))
    waiting.start()
    complete(client, taken, [2])
    waiting.join()
    assert answers == [[2]]


def test_failures_and_cancels_are_exceptions(client: Client) -> None:
    failed, cancelled = client.queue("q").submit(1), client.queue("q").submit(2)
    taken = attempt(client, "q")
    client.run(calls.fail(taken.id, taken.token, "no such film", group="input"))
    with pytest.raises(TaskFailed, match="no such film") as error:
        failed.result(timeout=10)
    assert error.value.group == "input"
    assert cancelled.cancel("not needed") == "cancelled"
    with pytest.raises(TaskCancelled, match="not needed"):
        cancelled.result(timeout=10)
    with pytest.raises(Refused) as refused:
        failed.cancel()
    assert refused.value.code == "STATE"
    assert failed.retry() == "pending"


def test_submits_are_repeatable_and_unique(client: Client) -> None:
    queue = client.queue("q")
    assert queue.submit(1, id="a").id == queue.submit(2, id="a").id == "a"
    assert queue.task("a").parameters() == 1
    first = queue.submit(1, unique="report")
    assert queue.submit(1, unique="report", unique_policy="existing").id == first.id
    with pytest.raises(Refused) as error:
        queue.submit(1, unique="report")
    assert error.value.code == "DUPLICATE"
    complete(client, attempt(client, "q"), None)
    queue.submit(3, id="a", again=True)
    assert queue.task("a").state() == "pending"
    assert queue.task("a").parameters() == 3


def test_many_at_once(client: Client) -> None:
    queue = client.queue("q")
    tasks = queue.submit_many(range(1201), key="tenant")
    assert len({each.id for each in tasks}) == queue.counts().pending == 1201
    assert len(list(queue.tasks("pending"))) == 1201
    assert queue.bulk("cancel", key="tenant", reason="all") == 1201
    assert [event.to for event in queue.events()].count("cancelled") == 1201


def test_of_many_the_error_says_which_ones_are_refused(client: Client) -> None:
    queue = client.queue("q")
    many: list[Any] = list(range(600))
    many[3] = {"when": datetime.now(timezone.utc)}
    with pytest.raises(PayloadError, match=r"with the index 3 \(no task is submitted\): the value\['when'\] is of"):
        queue.submit_many(many)
    assert queue.counts().pending == 0
    many[3] = 3
    many[555] = "x" * 2000
    queue.configure("max_bytes", 1000)
    with pytest.raises(InvalidCall, match=r"with the index 555 \(the first 500 tasks are submitted\): param") as error:
        queue.submit_many(many)
    assert error.value.code == "TOOBIG"
    assert queue.counts().pending == 500


def test_a_taken_unique_name_has_a_remedy_that_fits(client: Client) -> None:
    client.queue("q").submit(1, unique="film")
    with pytest.raises(Refused) as error:
        client.queue("q").submit(1, unique="film")
    unique = 'Wait for its end, or submit with `unique_policy="existing"`, which returns that task.'
    assert (error.value.code, error.value.remedy) == ("DUPLICATE", unique)


@pytest.mark.parametrize("again", [False, True])
def test_a_failure_takes_seconds_and_no_flag(again: bool) -> None:
    with pytest.raises(InvalidCall, match=f"'disk full' has again={again}: .* `permanent=True` says"):
        Failure("disk full", again=again)


def test_times_are_datetimes_or_seconds(client: Client) -> None:
    queue = client.queue("q")
    tomorrow = datetime.now(timezone.utc) + timedelta(days=1)
    assert queue.submit(1, eta=tomorrow).info().eta == pytest.approx(tomorrow.timestamp())
    job = queue.submit(1, lease=timedelta(minutes=5), delay=2.5)
    assert (job.info().own_lease, job.info().delay) == (300_000_000, 2.5)
    with pytest.raises(InvalidCall, match="time zone"):
        queue.submit(1, eta=datetime(2030, 1, 1))


@pytest.mark.parametrize(
    "value", [None, True, 2**200, -(10**40), 1.5, "ä\u0000𝄞", [], {}, {"a": [1, {"b": None}]}, "x" * 100_000]
)
def test_json_round_trips(client: Client, value: Any) -> None:
    assert client.queue("q").submit(value).parameters() == value


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (b"x", "bytes"),
        (datetime.now(timezone.utc), "datetime"),
        ({1, 2}, "set"),
        (float("nan"), "nan"),
        ([1, {"a": float("inf")}], r"the value\[1\]\['a'\] is inf"),
        ({1: 2}, "keys"),
        ("\ud800", "surrogate"),
        (object(), "object"),
    ],
)
def test_what_json_does_not_have_is_refused(client: Client, value: Any, words: str) -> None:
    with pytest.raises(PayloadError, match=words):
        client.queue("q").submit(value)
    assert client.queue("q").counts().pending == 0


def test_a_value_that_is_nested_without_end_is_refused(client: Client) -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(PayloadError, match="nested"):
        client.queue("q").submit(value)


def test_a_payload_over_the_maximum_is_refused(client: Client) -> None:
    with pytest.raises(InvalidCall) as error:
        client.queue("q").submit("x" * (8 << 20))
    assert error.value.code == "TOOBIG"


class Hexadecimal:
    def dumps(self, value: Any) -> bytes:
        return format(value, "x").encode()

    def loads(self, data: bytes) -> Any:
        return int(data, 16)


def test_another_serializer(server: Server, namespace: str) -> None:
    with Client(server.url, namespace, serializer=Hexadecimal()) as client:
        job = client.queue("q").submit(255)
        assert (job.parameters(), job.info().parameters) == (255, 255)


def test_the_time_of_the_tests(server: Server, namespace: str) -> None:
    clock = Clock()
    with Client(server.url, namespace, clock=clock) as client:
        job = client.queue("q").submit(1, eta=clock.now + 3600)
        assert client.run(calls.promote("q", 10)).promoted == 0
        clock.advance(3601)
        assert client.run(calls.promote("q", 10)).promoted == 1
        assert job.state() == "pending"


def test_queues_are_configured_and_paused(client: Client) -> None:
    queue = client.queue("q")
    queue.submit(1)
    queue.configure("concurrency", 2)
    assert {each.name: each.value for each in queue.settings()}["concurrency"] == "2"
    queue.pause("maintenance", by="me")
    [about] = client.queues()
    assert about.queue == "q"
    assert about.paused
    assert "maintenance" in about.paused
    queue.resume()
    [about] = client.queues()
    assert not about.paused
    assert client.check().policy == "noeviction"


@task(queue="images", max_failures=2, tags=["image"])
def resize(path: str, width: int = 100) -> str:
    return f"{path} {width}"


def test_functions_are_submitted_by_their_calls(client: Client) -> None:
    job: Task[str] = client.submit(resize.call("a.png", width=7), priority=3)
    record = job.info()
    assert (record.queue, record.method, record.max_failures, record.priority) == ("images", "resize", 2, 3)
    assert job.parameters() == {"path": "a.png", "width": 7}
    assert resize("a.png") == "a.png 100"
    assert resize.run(["b.png", 5]) == resize.run({"path": "b.png", "width": 5}) == "b.png 5"
    with pytest.raises(InvalidCall, match="missing a required argument: 'path'"):
        resize.call(width=3)  # type: ignore[call-arg]


def test_a_server_that_is_away(namespace: str) -> None:
    with Server() as server, Client(server.url, namespace, limit=3) as client:
        client.queue("q").submit(1, id="a")
        server.kill()
        with pytest.raises(Unavailable) as error:
            client.queue("q").submit(2)
        assert error.value.transient
        server.start()
        assert client.queue("q").task("a").state() == "pending"  # NOSCRIPT on the way


def test_bad_ways_to_a_server() -> None:
    with pytest.raises(ConnectionFailed, match="URL"):
        Client("http://example.org")
    wrong: list[Any] = [None, 7391, b"redis://127.0.0.1", {}]
    for server in wrong:
        for kind in (Client, aio.Client):
            with pytest.raises(ConnectionFailed, match="neither a URL nor a client of redis-py") as error:
                kind(server)
            assert error.value.remedy == "Pass one of these."
    with pytest.raises(ConnectionFailed, match="decode"):
        import redis

        Client(redis.Redis(decode_responses=True))


def test_errors_have_a_code_a_cause_and_a_remedy(client: Client) -> None:
    with pytest.raises(BluequeError) as error:
        client.queue("no name").submit(1)
    assert error.value.code == "BADNAME"
    assert error.value.cause
    assert error.value.remedy == "Correct the name."


def test_an_edit_takes_parameters_as_a_submit_does(client: Client) -> None:
    job = client.queue("q").submit(["a.mkv", 720], eta=2e9)
    for value in (["b.mkv", 1080], ["b.mkv"], [1], "text", {"a": 1}, None):
        job.edit(parameters=value)
        assert job.parameters() == value
    job.edit(priority=3)
    assert (job.parameters(), job.info().priority) == (None, 3)
    with pytest.raises(PayloadError, match="bytes"):
        job.edit(parameters=b"{}")
    assert job.parameters() is None


def test_a_server_that_has_no_room_for_more_clients_is_waited_for(namespace: str) -> None:
    with Server() as server, Client(server.url, namespace) as first, Client(server.url, namespace) as second:
        job = first.queue("q").submit(1)
        admin = first.link.server
        admin.config_set("maxclients", 1)
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(second.task(job.id).state()))
        thread.start()
        until(lambda: admin.info("stats")["rejected_connections"] > 0)
        admin.config_set("maxclients", 100)
        thread.join(60)
        assert found == ["pending"]


def test_a_record_has_values_and_texts(client: Client) -> None:
    @task(queue="q", max_failures=0)
    def fails(film: dict[str, int]) -> None:
        context.progress(1, 2, "parts")
        context.checkpoint({"at": film["at"]})
        context.log("half")
        raise ValueError("no film")

    job = client.submit(fails.call({"at": 3}))
    run_until_idle(client, fails)
    record = job.wait(0)
    assert (record.parameters, record.checkpoint) == ({"film": {"at": 3}}, {"at": 3})
    assert record.progress == {"done": 1, "total": 2, "unit": "parts"}
    assert isinstance(record.error, str)
    assert "no film" in record.error
    assert [entry.text for entry in job.logs()][-1:] == ["half\n"]
    assert "max_losses" not in repr(record)  # only fields that are set
    assert "status='failed'" in repr(record)
    # The result of a program may be anything.
    assert client.queue("q").submit_bytes(b"\xff").info().parameters == b"\xff"


def test_progress_without_a_total_keeps_its_unit(client: Client) -> None:
    @task(queue="q")
    def counts(done: float, unit: str | None) -> None:
        context.progress(done, unit=unit)

    for unit, expected in [("files", {"done": 3, "unit": "files"}), (None, 3)]:
        job = client.submit(counts.call(3, unit))
        run_until_idle(client, counts)
        assert job.progress() == expected


def test_times_in_milliseconds_are_refused(client: Client) -> None:
    queue, late = client.queue("q"), time.time() * 1000
    with pytest.raises(InvalidCall, match=r"eta: [\d.]+ are milliseconds. Times are seconds since 1970"):
        queue.submit(1, eta=late)
    with pytest.raises(InvalidCall, match=r"deadline: \d+ are milliseconds"):
        queue.submit(1, deadline=int(late))
    assert queue.counts().scheduled == 0


def test_events_begin_with_the_next(client: Client) -> None:
    queue = client.queue("q")
    assert queue.latest_event() == "0"
    queue.submit_many(range(1001))
    after = queue.latest_event()
    job = queue.submit(1)
    assert next(queue.events(after, follow=True)).id == job.id
    assert list(queue.events(queue.latest_event())) == []
