"""Queues of redis-work-queue are moved to Blueque while their old workers finish."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import redis_work_queue
from conftest import until
from redis import Redis

from blueque_client import BluequeError, Client, WorkItem, WorkQueue
from blueque_client.importing import WorkQueueImport
from blueque_client.testing import Server

HERE = Path(__file__).parent


class Old:
    """A queue of redis-work-queue."""

    def __init__(self, db: Any, name: str) -> None:
        self.db, self.name = db, name
        self.queue = redis_work_queue.WorkQueue(redis_work_queue.KeyPrefix(name))

    def add(self, id: str, data: bytes | str = b"data") -> None:
        self.queue.add_item(self.db, redis_work_queue.Item(data, id))

    def lease(self, seconds: int = 600) -> Any:
        return self.queue.lease(self.db, seconds, block=False)

    def complete(self, item: Any) -> bool:
        return bool(self.queue.complete(self.db, item))

    def list(self, name: str) -> list[str]:
        return [id.decode() for id in self.db.lrange(f"{self.name}:{name}", 0, -1)]

    def keys(self) -> set[str]:
        """All keys of the queue except leases, which expire."""
        found = {key.decode() for key in self.db.scan_iter(f"{self.name}:*")}
        return {key for key in found if ":leased_by_session:" not in key and ":lease:" not in key}


@pytest.fixture
def db(server: Server) -> Iterator[Redis]:
    with Redis.from_url(server.url) as db:
        yield db


@pytest.fixture
def old(db: Redis, namespace: str) -> Old:
    return Old(db, f"old-{namespace}")


def importer(client: Client, there: Old, **options: Any) -> WorkQueueImport:
    return WorkQueueImport(client, there.name, queue="films", **{"settle": 0.2, "lock": 0.2, **options})


def drained(client: Client) -> list[tuple[str, bytes]]:
    """Completes all due items in their order, and returns them. No task is left."""
    queue, found = WorkQueue(client, "films"), []
    while item := queue.lease(600, block=False):
        found.append((item.id, item.data))
        assert queue.complete(item)
    queue.close()
    return found


def test_what_waits_is_moved_in_its_order(client: Client, old: Old) -> None:
    items = [(f"film {n}/ü", bytes([n % 256]) * n) for n in range(250)]
    for id, data in items:
        old.add(id, data)
    imported = importer(client, old).run()
    assert (imported.moved, imported.known, imported.dropped, imported.refused) == (250, 0, 0, 0)
    assert drained(client) == items
    assert not old.keys()


def test_what_an_old_worker_has_leased_stays_with_it(client: Client, old: Old) -> None:
    old.add("1")
    item = old.lease()
    runs = importer(client, old)
    thread = threading.Thread(target=runs.run)
    thread.start()
    # The importer continues with items that are added while it runs.
    old.add("2")
    until(lambda: runs.imported.moved == 1)
    assert old.list("processing") == ["1"]
    assert old.complete(item)
    thread.join(60)
    assert drained(client) == [("2", b"data")]
    assert not old.keys()


def test_an_item_whose_old_worker_was_lost_is_moved(client: Client, old: Old) -> None:
    old.add("1", b"lost")
    item = old.lease(1)
    assert importer(client, old).run().moved == 1
    assert not old.complete(item), "its late owner hears of it, as after a clean"
    assert drained(client) == [("1", b"lost")]


def test_whatever_many_lost_old_workers_had_leaves_the_old_queue(client: Client, old: Old) -> None:
    ids = [f"film-{n}" for n in range(1000)]
    with old.db.pipeline(transaction=False) as pipeline:
        for id in ids:
            old.queue.add_item_to_pipeline(pipeline, redis_work_queue.Item("data", id))
            pipeline.rpoplpush(f"{old.name}:queue", f"{old.name}:processing")
        pipeline.delete(
            *(f"{old.name}:item:{id}" for id in ids[:300])
        )  # as left by workers that died while they completed the items
        pipeline.execute()
    imported = importer(client, old).run()
    assert (imported.moved, imported.dropped, old.list("importing")) == (700, 300, [])
    assert sorted(id for id, _ in drained(client)) == sorted(ids[300:])
    assert not old.keys()


@pytest.mark.parametrize("lease", ["leased_by_session", "lease"])  # in Python, and in Rust
def test_an_old_worker_between_its_two_steps_keeps_its_item(client: Client, old: Old, lease: str) -> None:
    old.add("1")
    old.db.rpoplpush(f"{old.name}:queue", f"{old.name}:processing")
    runs = importer(client, old, settle=60)
    assert runs._look() == 1
    old.db.setex(f"{old.name}:{lease}:1", 600, "session")
    assert runs._look() == 1
    assert not runs._since
    assert old.list("processing") == ["1"]


@pytest.mark.parametrize("where", ["cleaning", "queue", "processing"])
def test_what_an_old_cleaner_has_left_is_moved_once(client: Client, old: Old, where: str) -> None:
    old.add("1")
    old.db.lpush(f"{old.name}:cleaning", "1")
    if where != "queue":
        old.db.rpop(f"{old.name}:queue")
    if where == "processing":
        old.db.lpush(f"{old.name}:processing", "1")
    imported = importer(client, old).run()
    assert (imported.moved, imported.known) == (1, 0)
    assert drained(client) == [("1", b"data")]
    assert not old.keys()


def test_an_id_without_data_is_dropped(client: Client, old: Old) -> None:
    old.add("1")
    old.add("1")  # as there, it is in the list twice
    imported = importer(client, old).run()
    assert (imported.moved, imported.dropped) in ((1, 1), (1, 0))
    assert drained(client) == [("1", b"data")]
    old.add("2")
    old.db.delete(f"{old.name}:item:2")
    assert importer(client, old).run().dropped == 1
    assert drained(client) == []


def test_what_cannot_be_a_task_stays_and_is_tried_again(client: Client, old: Old) -> None:
    old.add("x" * 129)
    old.add("large", b"x" * (1 << 20) + b"x")
    old.add("good")
    imported = importer(client, old).run()
    assert (imported.moved, imported.refused) == (1, 2)
    assert sorted(old.list("refused")) == ["large", "x" * 129]
    assert len(old.db.get(f"{old.name}:item:large")) == (1 << 20) + 1
    imported = importer(client, old, options={"max_bytes": 2 << 20}).run()
    assert (imported.moved, imported.refused) == (1, 1)
    assert [id for id, _ in drained(client)] == ["good", "large"]


def test_an_unfinished_task_of_the_same_id_stays_and_one_that_ended_is_created_again(client: Client, old: Old) -> None:
    queue = WorkQueue(client, "films", keep_records=True)
    assert queue.add_item(WorkItem(b"here", "1"))
    assert queue.add_item(WorkItem(b"here", "2"))
    assert queue.complete(queue.lease(600) or WorkItem(b"", ""))
    for id in ("1", "2"):
        old.add(id, b"there")
    imported = importer(client, old).run()
    assert (imported.moved, imported.known) == (1, 1)
    assert drained(client) == [("2", b"here"), ("1", b"there")]


def test_two_servers(client: Client) -> None:
    with Server() as other, Redis.from_url(other.url) as db:
        old = Old(db, "films")
        old.add("1")
        assert importer(client, old, old=db).run().moved == 1
        assert drained(client) == [("1", b"data")]
        assert not old.keys()


class Crash(BaseException):
    """Ends the importer at any point."""


class Crashing(Redis):
    """Crashes before or after `left` commands."""

    left = 0
    after = False

    def execute_command(self, *words: Any, **options: Any) -> Any:
        self.left -= 1
        if self.left == 0 and not self.after:
            raise Crash
        reply = super().execute_command(*words, **options)  # type: ignore[no-untyped-call]
        if self.left == 0:
            raise Crash
        return reply


@pytest.mark.parametrize("after", [False, True])
def test_crashed_at_each_command_it_loses_and_doubles_nothing(
    server: Server, client: Client, old: Old, namespace: str, after: bool
) -> None:
    for crash in range(1, 100):
        ids = [f"{crash}-{n}" for n in range(3)]
        for id in ids:
            old.add(id)
        old.lease(1)
        old.db.delete(f"{old.name}:leased_by_session:{ids[0]}")
        old.db.delete(f"{old.name}:importer")
        with Crashing.from_url(server.url) as crashing:
            crashing.left, crashing.after = crash, after
            runs = importer(Client(crashing, namespace), old, settle=0)
            try:
                runs.run()
            except Crash:
                ended = False
            else:
                ended = True
        # The worst case: all moved items are done and deleted before the next importer starts.
        found = drained(client)
        old.db.delete(f"{old.name}:importer")
        importer(client, old, settle=0).run()
        found += drained(client)
        assert sorted(id for id, _ in found) == ids, f"crash {crash}"
        assert not old.keys()
        assert client.queue("films").counts().pending == 0
        if ended:
            assert crash > 15
            return
    raise AssertionError("it never came to its end")


def deep_clean(old: Old) -> None:
    """The newest cleaner, in no package registry. It requeues each item that has data, and no lease and no place."""
    for key in old.db.scan_iter(f"{old.name}:item:*"):
        id = key.decode().split(":item:")[1]
        leased = old.db.exists(f"{old.name}:lease:{id}", f"{old.name}:leased_by_session:{id}")
        if not leased and id not in old.list("queue"):
            old.db.lpush(f"{old.name}:queue", id)


@pytest.mark.parametrize("ends", ["later", "before"])
def test_what_a_deep_clean_gives_to_an_old_worker_runs_there_alone(
    server: Server, client: Client, old: Old, namespace: str, ends: str
) -> None:
    for crash in range(1, 100):
        old.add("1")
        old.db.delete(f"{old.name}:importer")
        with Crashing.from_url(server.url) as crashing:
            crashing.left = crash
            with suppress(Crash):
                importer(Client(crashing, namespace), old).run()
                break
        found = drained(client)
        old.db.delete(f"{old.name}:importer")
        deep_clean(old)
        item = old.lease()
        done = item is not None and ends == "before" and old.complete(item)
        runs = importer(client, old)
        thread = threading.Thread(target=runs.run)
        thread.start()
        if item is not None and ends == "later":
            until(lambda: not old.list("importing"))
            done = old.complete(item)
        thread.join(60)
        found += drained(client)
        assert len(found) + done == 1, f"crash {crash}"
        assert not old.keys()
        assert client.queue("films").counts().scheduled == 0
    assert crash > 8


@pytest.mark.parametrize("settle", [0, 0.2])
def test_data_whose_id_is_in_no_list_is_moved(client: Client, old: Old, settle: float) -> None:
    """Left by a killed `add_item`, or by a cleaner that lost the id."""
    old.name += "[*]"
    old.queue = redis_work_queue.WorkQueue(redis_work_queue.KeyPrefix(old.name))
    old.add("0")
    for id in ("1", "2"):
        old.db.set(f"{old.name}:item:{id}", f"data of {id}")
    assert importer(client, old, settle=settle).run().moved == 3
    assert sorted(drained(client)) == [("0", b"data"), ("1", b"data of 1"), ("2", b"data of 2")]
    assert not old.db.keys(f"{old.name[:-3]}*item*")


def test_killed_at_any_time_beside_old_workers_it_loses_and_doubles_nothing(
    server: Server, client: Client, old: Old, namespace: str, tmp_path: Path
) -> None:
    ids = [f"film-{n}" for n in range(1500)]
    done = tmp_path / "done"
    with old.db.pipeline(transaction=False) as pipeline:
        for id in ids:
            old.queue.add_item_to_pipeline(pipeline, redis_work_queue.Item("data", id))
        pipeline.execute()
    worker = subprocess.Popen([sys.executable, HERE / "old_work_queue.py", server.url, old.name, done])
    command = [sys.executable, "-m", "blueque_client", "import-work-queue", old.name, "-q", "films", "--quiet"]
    command += ["--url", server.url, "--namespace", namespace, "--settle", "1"]
    found: list[str] = []

    def left_at_most(goal: int) -> bool:
        return len(old.list("queue")) <= goal

    for kill in range(4):
        old.db.delete(f"{old.name}:importer")
        runs = subprocess.Popen(command, stdout=subprocess.PIPE)
        if kill < 3:
            goal = len(old.list("queue")) * 3 // 4
            until(functools.partial(left_at_most, goal))
            runs.kill()
        else:
            out, _ = runs.communicate(timeout=60)
            assert runs.returncode == 0
            assert re.match(rb"moved \d+, known 0, dropped 0, refused 0\n", out)
        runs.wait()
        found += [id for id, _ in drained(client)]
    assert worker.wait(60) == 0
    assert sorted([*found, *done.read_text().split()]) == sorted(ids)
    assert not old.keys()


ODD = b"\xff\x80"


def test_bytes_that_are_no_text_stay_and_stop_nothing(client: Client, old: Old) -> None:
    old.add("1")
    for name in ("queue", "processing", "cleaning", "importing", "imported", "refused"):
        old.db.lpush(f"{old.name}:{name}", ODD + name.encode())
        old.db.set(f"{old.name}:item:".encode() + ODD + name.encode(), "data")
    old.db.lpush(f"{old.name}:imported", ODD)
    old.db.set(f"{old.name}:importer", ODD, px=300)
    imported = importer(client, old, settle=0.1).run()
    assert (imported.moved, imported.refused) == (1, 6)
    assert drained(client) == [("1", b"data")]
    assert (old.db.llen(f"{old.name}:imported"), old.db.llen(f"{old.name}:refused")) == (0, 6)


@pytest.mark.parametrize(
    "name", ["queue", "processing", "cleaning", "importing", "imported", "refused", "importer", "item:1"]
)
def test_a_key_of_another_type_is_named(client: Client, old: Old, name: str) -> None:
    old.add("1")
    old.add("2")
    old.db.delete(f"{old.name}:{name}")
    old.db.hset(f"{old.name}:{name}", "a", "b")
    if name == "item:1":
        imported = importer(client, old).run()
        assert (imported.moved, imported.refused, old.list("refused")) == (1, 1, ["1"])
        return
    with pytest.raises(BluequeError, match=f"{old.name}:{name} is a hash") as error:
        importer(client, old).run()
    assert error.value.code == "WRONGKEY"
    assert old.db.hgetall(f"{old.name}:{name}") == {b"a": b"b"}


def test_a_server_that_goes_away_is_an_error_with_a_code(client: Client) -> None:
    with Server() as other, Redis.from_url(other.url) as db:
        old = Old(db, "films")
        old.add("1")
        old.lease()
        runs, found = importer(client, old, old=db), []

        def run() -> None:
            with pytest.raises(BluequeError) as error:
                runs.run()
            found.append(error.value.code)

        thread = threading.Thread(target=run)
        thread.start()
        until(lambda: db.exists("films:importer"))
        other.kill()
        thread.join(60)
        assert found == ["UNAVAILABLE"]


def test_a_name_that_is_no_text_needs_the_name_of_a_queue(server: Server, namespace: str, db: Any) -> None:
    name = f"{namespace}-".encode() + ODD
    db.lpush(name + b":queue", "1")
    db.set(name + b":item:1", "data")
    command: list[Any] = [sys.executable, "-m", "blueque_client", "import-work-queue", name, "--settle", "0"]
    command += ["--url", server.url, "--namespace", namespace]
    said = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (said.returncode, b"error: BADARG" in said.stderr, b"Traceback" in said.stderr) == (1, True, False)
    said = subprocess.run([*command, "-q", "films"], capture_output=True, timeout=60, check=False)
    assert said.stdout == b"moved 1, known 0, dropped 0, refused 0\n", said.stderr


def test_a_second_importer_waits_for_the_first(client: Client, old: Old) -> None:
    first, second = importer(client, old, lock=60), importer(client, old)
    with first._locked():
        assert second._lock()
    old.add("1")
    assert second.run().moved == 1


def test_each_row_of_the_page_names_a_test_that_there_is() -> None:
    page = (HERE / "../../../docs/migrating/from-redis-work-queue.md").read_text().split("## Moving a live queue")[1]
    rows = [line for line in page.splitlines() if line.startswith("| ") and "`test_" in line]
    assert len(rows) > 7
    for row in rows:
        for name in re.findall(r"`(test_\w+)`", row):
            assert f"def {name}(" in Path(__file__).read_text(), row
