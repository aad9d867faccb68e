"""Graphs and schedules."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta

import pytest

from blueque_client import (
    Client,
    Graph,
    InvalidCall,
    Json,
    NotFound,
    Refused,
    TaskCall,
    TaskFailed,
    TimedOut,
    aio,
    optional,
    task,
)
from blueque_client.graph_calls import digest, entries
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
    assert (
        digest(film(), entries(film(), Json(), {})) == "ec0fcf55f8f8c2c8cfa9918d7810f0a8581ce79d"
    )  # as in the tests of the other clients


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
        client.schedule("programs", TaskCall("digest", ["/usr/bin"]), 3600)
        client.schedule_of("programs").remove()
        with pytest.raises(NotFound):
            client.schedule_of("programs").info()
        with pytest.raises(InvalidCall, match="whole"):
            client.schedule("odd", halve.call(8), 1.5)


def test_waiting_for_a_graph_ends_when_what_is_left_of_it_has_ended(client: Client) -> None:
    for first_is_gone in (True, False):
        graph = Graph("film", on_failure="continue")
        early = graph.add(add, 1)
        late = graph.add(add, early)
        more = [graph.add(tidy, after=[late]) for _ in range(3)]
        handle = client.submit_graph(graph)
        if first_is_gone:
            with pytest.raises(TimedOut, match="tasks are left"):
                run_until_idle(client, FUNCTIONS, most=1)
        else:
            run_until_idle(client, FUNCTIONS)
        handle.task(early).delete()
        if first_is_gone:
            with pytest.raises(TimedOut, match="has not ended"):
                handle.wait(0.1)
            run_until_idle(client, FUNCTIONS)
        ends = {each.id: each.status for each in handle.wait(600)}
        assert ends == {early.id: "deleted", late.id: "complete", **{each.id: "complete" for each in more}}


@pytest.mark.parametrize(
    ("place", "count"),
    [*((place, count) for place in ("last", "middle") for count in (999, 1000, 2600)), ("values", 999), ("both", 1500)],
)
def test_a_task_that_waits_for_very_many(client: Client, place: str, count: int) -> None:
    graph = Graph("wide", id=f"wide-{count}-{place}")
    parts = [graph.add(add, number) for number in range(count)]
    if place == "values":
        total = graph.add(add, *range(count), parts[-1])
    else:
        total = graph.add(add, *parts, *(range(count) if place == "both" else [7]))
    if place == "middle":
        graph.add(halve, total, 1)
    handle = client.submit_graph(graph)
    client.submit_graph(graph)  # repeated
    assert handle.info().total == len(graph.nodes)
    run_until_idle(client, FUNCTIONS)
    wanted = sum(range(count)) + {"values": count - 1, "both": sum(range(count))}.get(place, 7)
    assert handle.task(total).result(0) == wanted


def test_many_tasks_that_wait_for_some(client: Client) -> None:
    graph = Graph()
    first = [graph.add(add, number) for number in range(5)]
    more = [graph.add(add, *first) for _ in range(490)]
    client.submit_graph(graph)
    run_until_idle(client, FUNCTIONS)
    assert {client.task(each.id).result(0) for each in more} == {10}


def test_a_graph_that_cannot_be_sent_leaves_nothing(client: Client) -> None:
    graph = Graph(id="two")
    parts = [graph.add(add, number) for number in range(1200)]
    two = [graph.add(add, *parts) for _ in range(2)]
    with pytest.raises(InvalidCall, match=re.escape(f"{two[0].id} and {two[1].id}, have over 1000 inputs each")):
        client.submit_graph(graph)
    graph.add(tidy)
    assert client.submit_graph(graph).info().total == 1203
