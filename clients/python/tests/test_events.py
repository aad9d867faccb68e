"""The events of a queue, across the absence of its server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from blueque_client import Client, Unavailable, aio
from blueque_client.testing import Server

CUTS, TASKS = 3, 20


@pytest.fixture
def durable() -> Iterator[Server]:
    with Server("--appendfsync", "always") as server:
        yield server


def test_no_event_is_missed_across_cuts(durable: Server, namespace: str) -> None:
    seen: list[str] = []
    first, all_seen = threading.Event(), threading.Event()

    def follow() -> None:
        with Client(durable.url, namespace, limit=0.2) as client:
            for event in client.queue("q").events(follow=True):
                seen.append(event.id)
                first.set()
                if len(seen) == (CUTS + 1) * TASKS:
                    break
        all_seen.set()

    async def follow_async() -> list[str]:
        async with aio.Client(durable.url, namespace, limit=0.2) as client:
            found = []
            async for event in client.queue("q").events(follow=True):
                found.append(event.id)
                if len(found) == (CUTS + 1) * TASKS:
                    break
            return found

    with Client(durable.url, namespace, limit=0.2) as client, Client(durable.url, namespace) as patient:
        sent = [job.id for job in client.queue("q").submit_many(range(TASKS))]
        threading.Thread(target=follow, daemon=True).start()
        assert first.wait(60)
        for _ in range(CUTS):
            durable.kill()
            with pytest.raises(Unavailable):
                client.queue("q").counts()
            durable.start()
            sent += [job.id for job in patient.queue("q").submit_many(range(TASKS))]
        assert all_seen.wait(60)
    assert seen == sent
    assert asyncio.run(follow_async()) == sent


def test_a_cursor_continues_and_deleted_events_are_reported(client: Client) -> None:
    queue = client.queue("q")
    jobs = queue.submit_many(range(5))
    events = list(queue.events())
    assert [event.id for event in queue.events(events[1].event)] == [job.id for job in jobs[2:]]
    client.link.server.xtrim(f"{client.link.namespace}_events_q", maxlen=1, approximate=False)
    with pytest.warns(RuntimeWarning, match="events of the queue q were deleted unread"):
        assert len(list(queue.events(events[1].event))) == 1
