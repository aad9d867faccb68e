"""A queue used like one of redis-work-queue."""

from __future__ import annotations

import asyncio
import time

import pytest

from blueque_client import Client, InvalidCall, NotFound, WorkItem, WorkQueue, aio
from blueque_client.testing import Clock, Server
from blueque_client.work_items import decode, encode


def test_an_item_is_added_leased_and_completed_once_and_leaves_nothing(client: Client) -> None:
    queue = WorkQueue(client, "films")
    assert queue.add_item(WorkItem(b"\x00\xff", "1"))
    assert not queue.add_item(WorkItem(b"other", "1")), "an unfinished one stays as it is"
    assert (queue.queue_len(), queue.processing()) == (1, 0)
    item = queue.lease(600)
    assert item is not None
    assert item == WorkItem(b"\x00\xff", "1")
    assert not queue.complete(WorkItem(b"\x00\xff", "1")), "it is another item, which was not leased"
    assert queue.lease(600, block=False) is None
    assert queue.lease(600, timeout=0.05) is None
    assert (queue.queue_len(), queue.processing()) == (0, 1)
    assert queue.complete(item)
    assert not queue.complete(item), "once"
    with pytest.raises(NotFound):
        client.task("1").info()
    assert (queue.queue_len(), queue.processing(), queue.deep_clean()) == (0, 0, 0)
    assert len(client.queue("films").listeners()) == 1
    queue.close()
    assert client.queue("films").listeners() == []


@pytest.mark.parametrize("keep", [False, True])
def test_a_completed_item_is_created_again_whether_or_not_its_record_was_kept(client: Client, keep: bool) -> None:
    queue = WorkQueue(client, "films", keep_records=keep)
    for data in (b"one", b"two"):
        assert queue.add_item(WorkItem(data, "1"))
        item = queue.lease(600, block=False)
        assert item is not None
        assert item.data == data
        assert queue.complete(item)
        assert not queue.complete(item)
        assert client.queue("films").counts().complete == keep


def test_any_text_is_a_name_and_an_id_and_comes_back_as_it_was(client: Client) -> None:
    queue = WorkQueue(client, "my films/ü")
    assert queue.queue.name == "my@20films@2F@C3@BC"
    for text in ("", "a b", "a@b", "@", "@41", "ü{}*", "\0\n", "plain-1_2.3:4"):
        assert decode(encode(text)) == text
        assert queue.add_item(WorkItem(b"x", text))
        item = queue.lease(600, block=False)
        assert item is not None
        assert item.id == text
        assert queue.complete(item)
    for name in ("a@b", "@2f", "@41", "a@", "@C3"):
        assert decode(name) == name, "no text is encoded so"
    with pytest.raises(InvalidCall):
        queue.add_item(WorkItem(b"x", "x" * 129))


def test_a_lease_that_ended_is_given_back_and_its_owner_completes_nothing(client: Client) -> None:
    slow, fast = WorkQueue(client, "q"), WorkQueue(client, "q")
    assert slow.add_item(WorkItem.from_json_data([1]))
    lost = slow.lease(1)
    assert lost is not None
    end = time.monotonic() + 30
    while not fast.light_clean():
        assert time.monotonic() < end
    again = fast.lease(600, block=False)
    assert again is not None
    assert again.data_json() == [1]
    assert not slow.complete(lost)
    assert fast.complete(again)


def test_one_that_was_silent_for_long_is_forgotten_and_registers_again(server: Server, namespace: str) -> None:
    clock = Clock()
    with Client(server.url, namespace, clock=clock) as client:
        queue, other = WorkQueue(client, "q"), WorkQueue(client, "q")
        assert queue.lease(600, block=False) is None
        clock.advance(299)
        other.light_clean()
        assert len(client.queue("q").listeners()) == 1
        clock.advance(2)
        other.light_clean()
        assert client.queue("q").listeners() == []
        assert other.add_item(WorkItem(b"x", "1"))
        item = queue.lease(600, block=False)
        assert item is not None
        assert queue.complete(item)
        assert len(client.queue("q").listeners()) == 1


def test_with_all_caps_at_0_an_item_never_runs_twice(client: Client) -> None:
    queue = WorkQueue(client, "q", max_losses=0, max_failures=0, max_releases=0)
    assert queue.add_item(WorkItem(b"x", "1"))
    assert queue.lease(1) is not None
    end = time.monotonic() + 30
    while queue.processing():
        queue.light_clean()
        assert time.monotonic() < end
    assert queue.lease(600, block=False) is None
    assert client.task("1").state() == "failed"


def test_an_asynchronous_lease_waits_for_an_item(server: Server, namespace: str) -> None:
    async def both() -> None:
        async with aio.Client(server.url, namespace) as client:
            queue = aio.WorkQueue(client, "q")
            waits = asyncio.create_task(queue.lease(600))
            assert await queue.add_item(WorkItem.new("x"))
            item = await waits
            assert item is not None
            assert item.data == b"x"
            assert await queue.complete(item)
            assert not await queue.complete(item)
            await queue.aclose()

    asyncio.run(both())
