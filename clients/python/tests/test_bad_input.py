"""Wrong input raises an exception with a stable code, its cause and a remedy, and changes nothing."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import tasks_for_tests as app
from conftest import PATIENCE, until
from test_addresses import free_ports

from blueque_client import (
    BluequeError,
    Client,
    ConnectionFailed,
    Graph,
    InvalidCall,
    Json,
    NotFound,
    PayloadError,
    Refused,
    ServerError,
    TaskFailed,
    Unavailable,
    Worker,
    calls,
    task,
)
from blueque_client.testing import Server, run_until_idle


def untyped(what: Any) -> Any:
    return what


@pytest.mark.parametrize(
    ("code", "act"),
    [
        ("BADARG", lambda client: client.submit(app.add.function)),
        ("BADARG", lambda client: client.submit("add")),
        ("BADARG", lambda client: client.schedule("s", app.add, every=60)),
        ("BADARG", lambda client: client.schedule("s", app.add.call(1), every=0.5)),
        ("BADARG", lambda client: client.queue("q").submit(1, priority="high")),
        ("BADARG", lambda client: client.queue("q").submit(1, priority=float("nan"))),
        ("BADARG", lambda client: client.queue("q").submit(1, lease=object())),
        ("BADARG", lambda client: client.queue("q").submit(1, eta=float("inf"))),
        ("BADARG", lambda client: client.queue("q").submit(1, tags=[None, 1.5, object()])),
        ("BADARG", lambda client: client.queue("q").submit(1, id="\udc80")),
        ("BADARG", lambda client: client.queue("q").submit(1, method="\ud800")),
        ("BADNAME", lambda client: client.queue("q").submit(1, id="a b")),
        ("BADNAME", lambda client: client.queue("q").submit(1, tags=["a", ""])),
        ("BADARG", lambda client: client.queue("q").configure("lease", "soon")),
        ("BADARG", lambda client: Worker(client, [1, "add"])),
        ("BADARG", lambda client: Worker(client, app, slots=0)),
        ("BADARG", lambda client: Worker(client, [app.add, task(name="add")(lambda: None)])),
        ("BADARG", lambda client: Worker(client, task(name="l")(lambda: None), spawn=True)),
    ],
)
def test_wrong_types_and_values(client: Client, code: str, act: Callable[[Any], Any]) -> None:
    with pytest.raises(InvalidCall) as error:
        act(client)
    assert error.value.code == code
    assert error.value.cause
    assert error.value.remedy
    assert client.queue("q").counts().pending == 0


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (
            lambda client: client.queue("q").submit(1, colour="red"),
            "`colour`; there are again, backoff, .*eta.* id,.* unique,",
        ),
        (lambda client: client.submit(app.add.call(1), countdown=3), "`countdown`: did you mean `eta`"),
        (lambda client: client.queue("q").submit(1, maxFailures=3), "`maxFailures`: did you mean `max_failures`"),
        (lambda client: client.queue("q").submit_many([1], id="a"), "`id`: `id` is an option of a submit"),
        (lambda client: list(client.queue("q").search(state="failed")), "`state`: did you mean `status`"),
        (lambda client: client.queue("q").bulk("retry", groop="a"), "`groop`: did you mean `group`"),
        (
            lambda client: client.schedule("s", app.add.call(1), every=60, expires=3),
            "`expires`: did you mean `deadline`",
        ),
        (lambda client: client.task("a").edit(prio=3), "`prio`: did you mean `priority`"),
        (lambda _: untyped(Graph().add)(app.add.call(1), job_timeout=3), "`job_timeout`: did you mean `max_run`"),
        (
            lambda _: untyped(Graph().add(app.add.call(1)).set)(unique="a"),
            "`unique`: `unique` is an option of a submit",
        ),
        (
            lambda _: untyped(task)(max_retries=3, autoretry_for=OSError)(app.add.function),
            "@task of add has no option `max_retries`, `autoretry_for`: did you mean `max_failures`, `retry_for`",
        ),
        (lambda _: untyped(task)("films"), r"`@task\(queue='films'\)`"),
        (
            lambda client: client.queue("q").configure("maxRetries", 3),
            "no setting `maxRetries`: did you mean `max_failures`",
        ),
        (
            lambda client: client.queue("q").submit(1, backoff={"type": "fixed"}),
            "backoff: {'type': 'fixed'} is no value",
        ),
    ],
)
def test_a_name_that_does_not_exist(client: Client, act: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(InvalidCall, match=text):
        act(client)
    assert client.queue("q").counts().pending == 0


def test_calls_of_other_queues(client: Client) -> None:
    add, queue, anything = untyped(app.add), untyped(client.queue("q")), untyped(client)
    acts: list[tuple[Callable[[], Any], str]] = [
        (lambda: add.delay(1), r"client.submit\(add.call\(…\)\)"),
        (lambda: add.apply_async((1,)), r"client.submit\(add.call\(…\)\)"),
        (lambda: add.si(1), r"add.call\(…\)"),
        (lambda: queue.enqueue(1), r"submit\(…\)"),
        (lambda: anything.send_task("add"), r"queue\(…\).submit\(…, method=…\)"),
    ]
    for act, text in acts:
        with pytest.raises(AttributeError, match=text):
            act()
    with pytest.raises(AttributeError, match=r"a queue has no `colour`$"):
        getattr(queue, "colour")  # noqa: B009
    assert not hasattr(add, "shape")


@pytest.mark.parametrize(
    ("given", "sent"), [("10/60", "10/60"), ("100/1h", "100/3600"), ("10/m", "10/60"), ("5/2 days", "5/172800")]
)
def test_the_time_of_a_rate_has_a_unit(client: Client, given: str, sent: str) -> None:
    queue = client.queue("q")
    queue.configure("rate", given)
    queue.limit("k", rate=given)
    assert [each.value for each in queue.settings() if each.name == "rate"] == [sent]
    assert [each.rate for each in client.run(calls.limits("q", "0", 10)).items] == [sent]
    with pytest.raises(InvalidCall, match="NUMBER/SECONDS"):
        queue.configure("rate", "10/soon")


def test_the_error_of_a_failed_task_has_its_own_lines() -> None:
    error = TaskFailed("Traceback\n  ValueError: no\n", "ValueError")
    assert str(error).splitlines()[:-1] == [
        "FAILED: the task has failed, with the group ValueError:",
        "Traceback",
        "  ValueError: no",
    ]
    assert error.error == "Traceback\n  ValueError: no\n"


def test_names_of_nothing(client: Client) -> None:
    for act in (client.task("a").state, client.task("a").result, client.graph("g").info, client.task("a").cancel):
        with pytest.raises(NotFound) as error:
            act()
        assert error.value.remedy


def test_a_byte_over_the_maximum(client: Client) -> None:
    most = 8 << 20
    queue = client.queue("q")
    queue.submit_bytes(b"x" * most, max_bytes=most)
    with pytest.raises(InvalidCall) as error:
        queue.submit_bytes(b"x" * (most + 1), max_bytes=most)
    assert error.value.code == "TOOBIG"
    assert queue.counts().pending == 1


def test_cause_and_remedy_are_two_sentences() -> None:
    for cause in ("it is too long", "it is too long.", "is it too long?"):
        text = str(InvalidCall("TOOBIG", cause))
        assert text.startswith(
            "TOOBIG: " + cause.rstrip(".") + ("" if cause.endswith("?") else ".") + " Split the call"
        )


@task(queue="b")
def saves(what: str) -> str:
    from blueque_client import context

    with pytest.raises(PayloadError) as error:
        context.checkpoint({"nan": float("nan"), "surrogate": "\ud800", "bytes": b"x"}[what])
    return error.value.cause


@pytest.mark.parametrize("what", ["nan", "surrogate", "bytes"])
def test_checkpoints_that_json_does_not_have(client: Client, what: str) -> None:
    job = client.submit(saves.call(what))
    run_until_idle(client, saves)
    assert what in job.result(0)
    assert job.checkpoint() is None


def test_a_state_that_does_not_allow_it(client: Client) -> None:
    job = client.submit(app.add.call(1))
    with pytest.raises(Refused) as error:
        job.retry()
    assert error.value.code == "STATE"
    assert job.state() == "pending"


def test_nobody_listens_there(namespace: str) -> None:
    [port] = free_ports(1)
    with Client(f"redis://127.0.0.1:{port}", namespace, limit=0.2) as client, pytest.raises(Unavailable) as error:
        client.check()
    assert "refused" in error.value.cause


REFUSED = """
import asyncio, sys
from blueque_client import Client, aio

async def first():
    async with aio.Client(sys.argv[1]) as client:
        await client.queue("q").submit(1)

if "asyncio" in sys.argv:
    asyncio.run(first())
Client(sys.argv[1]).queue("q").submit(1)
"""


@pytest.mark.parametrize("how", ["sync", "asyncio"])
def test_a_refused_first_connection_fails_soon_with_one_sentence(how: str) -> None:
    url = f"redis://localhost:{free_ports(1)[0]}"
    begun = time.monotonic()
    # Without the rule it takes 30 s, the limit of a call.
    ended = subprocess.run([sys.executable, "-c", REFUSED, url, how], capture_output=True, text=True, timeout=PATIENCE)
    assert time.monotonic() - begun < 20
    *above, last = ended.stderr.splitlines()
    assert f"UNAVAILABLE: no server answers at {url}: Connection refused. Start it, or name another one" in last
    assert "above exception" not in ended.stderr
    assert len(above) < 40


def test_a_server_that_wants_a_password(namespace: str) -> None:
    """The error is the same if the server refuses a call only because of its length, as it does before a login."""
    with Server() as server, Client(server.url, namespace) as client:
        with redis.Redis.from_url(server.url) as raw:
            raw.config_set("requirepass", "secret")
        client.link.server.connection_pool.disconnect()
        acts: list[Callable[[], Any]] = [
            client.check,
            lambda: client.queue("q").submit_many(list(range(20))),
            lambda: client.queue("q").submit("x" * 20_000),
        ]
        for act in acts:
            with pytest.raises(ConnectionFailed, match="refuses the login") as error:
                act()
            assert error.value.remedy


def test_no_room(namespace: str) -> None:
    with Server("--maxmemory-policy", "noeviction") as server, Client(server.url, namespace) as client:
        client.queue("q").submit(1)
        with redis.Redis.from_url(server.url) as raw:
            raw.config_set("maxmemory", "1mb")
            with pytest.raises(ServerError) as error:
                client.queue("q").submit(2)
            assert error.value.code == "OOM"
            raw.config_set("maxmemory", "0")
        assert client.queue("q").counts().pending == 1


@pytest.fixture
def two_nodes() -> Iterator[int]:
    """A node of a cluster whose slots are all on a second node."""
    first, first_bus, second, second_bus = free_ports(4)
    options = ["--cluster-enabled", "yes", "--bind", "127.0.0.1", "--appendonly", "no"]
    with (
        Server("--port", str(first), "--cluster-port", str(first_bus), *options),
        Server("--port", str(second), "--cluster-port", str(second_bus), *options),
        redis.Redis(port=first) as one,
        redis.Redis(port=second) as two,
    ):
        two.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        one.execute_command("CLUSTER", "MEET", "127.0.0.1", second, second_bus)
        until(lambda: "cluster_state:ok" in str(one.execute_command("CLUSTER", "INFO")) or moved(one))
        yield first


def moved(node: redis.Redis) -> bool:
    """Returns true if a node knows which node has the slots."""
    try:
        node.get("a")
    except redis.RedisError as error:
        return isinstance(error, redis.exceptions.MovedError) or "MOVED" in str(error)
    return False


def test_a_node_of_a_cluster_that_has_the_slot_elsewhere(two_nodes: int) -> None:
    """Used as a single server, the node refuses calls: the remedy names the right node."""
    with Client(f"redis://127.0.0.1:{two_nodes}", "{blueque}", limit=0.2) as client:
        with pytest.raises(BluequeError) as error:
            client.check()
        assert error.value.code == "MOVED"
        assert "cluster" in error.value.remedy


def test_texts_that_are_no_url() -> None:
    for url in ("", "queue", "http://example.org", "redis://127.0.0.1:port", str(Path("/tmp"))):
        with pytest.raises(BluequeError) as error:
            Client(url, limit=0.2).check()
        assert error.value.code == "CONNECTION"
        assert error.value.remedy


def test_a_call_by_hand(client: Client) -> None:
    with pytest.raises(InvalidCall):
        client.run(calls.counts("a b"))


@pytest.mark.parametrize("text", [b"NaN", b'{"loss": -Infinity}', b"[1e400]", b"[-2E+999]", b"\xff"])
def test_what_is_no_value_of_json_is_refused_when_it_is_read(text: bytes) -> None:
    with pytest.raises(PayloadError, match="is not JSON"):
        Json().loads(text)


def test_numbers_of_any_size_are_read() -> None:
    assert Json().loads(b"[653247040368672769, 1e300, 1E+12]") == [653247040368672769, 1e300, 1e12]
