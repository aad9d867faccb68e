"""Graphs and schedules."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from blueque_client import Client, Graph, InvalidCall, Job, Json, NotFound, Refused, TaskFailed, aio, optional, task
from blueque_client.testing import Clock, Server, run_until_idle


@task(queue="g")
def add(*numbers: int) -> int:
    return sum(numbers)


@task(queue="g")
def halve(n: int, by: int = 2) -> int:
    if n % by:
        raise ValueError(f"{n} is not a multiple of {by}")
    return n // by


@task(queue="g")
def tidy() -> str:
    return "tidy"


@task(queue="g")
def collect(*all: int | None) -> list[int | None]:
    return list(all)


FUNCTIONS = [add, halve, tidy, collect]


def test_results_are_arguments(client: Client) -> None:
    graph = Graph("sums", tags=["test"])
    one, two = graph.add(add, 1, 2, label="one & two"), graph.add(add, 3)
    total = graph.add(add, one, 10, two, two)
    half = graph.add(halve, total, priority=3)
    last = graph.add(tidy, after=[half])
    handle = client.submit_graph(graph)
    client.submit_graph(graph)  # repeated
    assert handle.info().total == 5
    assert handle.task(half).info().priority == 3
    assert run_until_idle(client, FUNCTIONS) == 5  # a sum of 19 is no multiple of 2
    ends = {each.id: each.status for each in handle.wait(10)}
    assert ends[half.id] == "failed"
    assert ends[total.id] == "complete"
    assert handle.task(total).result(0) == 19
    assert [each.label for each in handle.tasks() if each.label] == ["one & two"]
    assert [each.id for each in client.graphs()] == [graph.id]
    assert last.id in ends


def test_earlier_tasks_and_clean_ups(client: Client) -> None:
    before = client.queue("g").submit([4], method="add")
    graph = Graph(on_failure="continue")
    half = graph.add(halve, before, 3)
    clean = graph.add(tidy, after_failure=[half])
    handle = client.submit_graph(graph)
    assert handle.task(half).state() == "waiting"
    assert run_until_idle(client, FUNCTIONS) == 3
    with pytest.raises(TaskFailed, match="not a multiple"):
        handle.task(half).result(0)
    assert handle.task(clean).result(0) == "tidy"
    handle.retry(task=half.id)
    handle.cancel("enough")
    run_until_idle(client, FUNCTIONS)
    assert handle.task(half).state() in ("cancelled", "failed")


def test_an_optional_result_is_none_if_its_task_fails(client: Client) -> None:
    graph = Graph()
    odd, even = graph.add(halve, 3), graph.add(halve, 4)
    found = graph.add(collect, optional(odd), optional(even), 5)
    handle = client.submit_graph(graph)
    assert run_until_idle(client, FUNCTIONS) == 3
    assert handle.task(found).result(0) == [None, 2, 5]


def film(last: str = "tidy") -> Graph:
    graph = Graph("film", on_failure="hold", id="g")
    split = graph.add("split", 1, label="a & b ü")
    join = graph.add("join", split, 2, label="join", priority=3)
    graph.add(last, label="tidy", after=[join])
    return graph


def test_another_graph_with_an_id_is_refused(client: Client) -> None:
    handle = client.submit_graph(film())
    client.submit_graph(film())  # another process with the same program
    with pytest.raises(Refused, match=r"another document.* Choose another id for the graph"):
        client.submit_graph(film(last="other"))
    assert [each.queue for each in handle.tasks()] == ["split", "join", "tidy"]
    digest = film().digest(film().entries(Json(), {}))
    assert digest == "ec0fcf55f8f8c2c8cfa9918d7810f0a8581ce79d"  # as in the tests of the other clients


def test_many_tasks_go_in_several_calls(client: Client) -> None:
    graph = Graph()
    first = graph.add(add, 1)
    for _ in range(1200):
        graph.add(add, first)
    handle = client.submit_graph(graph)
    assert handle.info().state == "created"
    assert len(handle.tasks()) == 1201
    with pytest.raises(InvalidCall):
        client.submit_graph(Graph())
    with pytest.raises(NotFound):
        client.graph("none").info()


def test_on_an_event_loop(server: Server, namespace: str) -> None:
    async def life() -> None:
        async with aio.Client(server.url, namespace) as client:
            graph = Graph()
            total = graph.add(add, graph.add(add, 1), await client.submit(add.call(2)))
            handle = await client.submit_graph(graph)
            with Client(server.url, namespace) as here:
                run_until_idle(here, FUNCTIONS)
            await handle.wait(10)
            assert await handle.task(total).result(0) == 3

    asyncio.run(life())


def test_a_schedule_creates_a_task_for_each_slot(server: Server, namespace: str) -> None:
    clock = Clock()
    with Client(server.url, namespace, clock=clock) as client:
        hourly = client.schedule("hourly", halve.call(8), timedelta(hours=1), offset=60, overlap="allow")
        clock.advance(3 * 3600)
        assert run_until_idle(client, FUNCTIONS) >= 1
        assert hourly.info().state == "active"
        assert [each.name for each in client.schedules()] == ["hourly"]
        assert hourly.run().state() == "pending"
        hourly.pause("holidays")
        assert hourly.info().state == "paused"
        hourly.resume()
        client.schedule("programs", Job("digest", ["/usr/bin"]), 3600)
        client.schedule_of("programs").remove()
        with pytest.raises(NotFound):
            client.schedule_of("programs").info()
        with pytest.raises(InvalidCall, match="whole"):
            client.schedule("odd", halve.call(8), 1.5)
