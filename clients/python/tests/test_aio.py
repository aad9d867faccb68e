"""The asynchronous client: the same source as the synchronous one, on an event loop."""

from __future__ import annotations

import asyncio

import pytest

from blueque_client import TaskFailed, calls
from blueque_client.aio import Client
from blueque_client.testing import Server


def test_a_task_from_submit_to_result(server: Server, namespace: str) -> None:
    async def life() -> None:
        async with Client(server.url, namespace) as client:
            queue = client.queue("q")
            job = await queue.submit({"n": 1})
            waits = asyncio.create_task(job.result(timeout=60))
            await client.run(calls.register("q", "host_1"))
            taken = await client.run(calls.reserve("host_1", ["q"], pid=7))
            assert taken
            await client.run(calls.complete(job.id, taken[0].token, "[1]"))
            assert await waits == [1]
            assert [found.id async for found in queue.search(status="complete")] == [job.id]
            assert [event.to async for event in queue.events()] == ["pending", "started", "complete"]

    asyncio.run(life())


def test_many_wait_at_once(server: Server, namespace: str) -> None:
    async def life() -> None:
        async with Client(server.url, namespace) as client:
            tasks = await client.queue("q").submit_many(range(50))
            waits = asyncio.gather(*(job.result(timeout=60) for job in tasks), return_exceptions=True)
            await client.run(calls.register("q", "host_1"))
            taken = await client.run(calls.reserve("host_1", ["q"], pid=7, limit=50))
            assert taken
            for each in taken:
                await client.run(calls.fail(each.id, each.token, "no"))
            assert all(isinstance(each, TaskFailed) for each in await waits)

    asyncio.run(life())


def test_what_goes_wrong_is_raised(server: Server, namespace: str) -> None:
    async def life() -> None:
        async with Client(server.url, namespace) as client:
            with pytest.raises(TaskFailed, match="too long"):
                job = await client.queue("q").submit(1)
                await client.run(calls.register("q", "host_1"))
                taken = await client.run(calls.reserve("host_1", ["q"], pid=7))
                assert taken
                await client.run(calls.fail(job.id, taken[0].token, "too long"))
                await job.result(timeout=60)

    asyncio.run(life())
