"""Graphs that read like code: results flow between functions whose types mypy checks.

An unused `type: ignore` is an error of mypy, so each of them tests that mypy refuses its line.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from blueque_client import (
    Client,
    Graph,
    Group,
    InvalidCall,
    Node,
    NotFound,
    Refused,
    TaskCancelled,
    calls,
    optional,
    task,
)
from blueque_client.graph_calls import digest, entries
from blueque_client.payload import Json
from blueque_client.testing import Server, run_until_idle

if TYPE_CHECKING:
    from typing_extensions import assert_type


@task(queue="t")
def split(film: str) -> list[str]:
    return [f"{film}.{number}" for number in range(3)]


@task(queue="t")
def encode(part: str, height: int = 720, *, fast: bool = False) -> str:
    return f"{part}.{height}{'f' if fast else ''}"


@task(queue="t")
def pick(parts: list[str], at: int) -> str:
    return parts[at]


@task(queue="t")
def join(*parts: str) -> str:
    return "+".join(parts)


@task(queue="t")
def album(name: str, *parts: str) -> str:
    return f"{name}: {'+'.join(parts)}"


@task(queue="t")
def framed(name: str, height: int, *parts: str | None) -> str:
    return f"{name} {height}: {parts}"


@task(queue="t")
def named(*parts: str, name: str) -> str:
    return f"{name}: {'+'.join(parts)}"


@task(queue="t")
def known(*parts: str | None) -> int:
    return sum(part is not None for part in parts)


@task(queue="t")
async def length(part: str) -> int:
    return len(part)


@task(queue="t")
def refuse(part: str) -> str:
    raise ValueError(part)


@task(queue="t")
def tidy(what: str = "all") -> str:
    return f"tidied {what}"


@task(queue="t")
def total(*numbers: int) -> int:
    return sum(numbers)


@task(queue="t")
def double(number: int) -> int:
    return number * 2


FUNCTIONS = [split, encode, pick, join, album, framed, named, known, length, refuse, tidy, total, double]


def typed() -> None:
    """mypy knows the types of the results, and refuses wrong compositions. This is never called."""
    graph = Graph()
    parts = graph.add(split.call("a"))
    assert_type(parts, Node[list[str]])
    assert_type(graph.add(split, "a"), Node[list[str]])
    first = parts.then(pick, 0)
    assert_type(first, Node[str])
    assert_type(first.then(length), Node[int])
    assert_type(first.then(encode, 480, fast=True).then(length).then(double), Node[int])
    all = graph.map(encode, ["a", "b"], 480)
    assert_type(all, Group[str])
    assert_type(all[0], Node[str])
    assert_type(all[:1], Group[str])
    assert_type(all.map(length).then(total), Node[int])
    assert_type(graph.map(length, ["a"]).at_most(2), Group[int])
    assert_type(all.at_least(1).then(known), Node[int])
    assert_type(all.then(album, "best"), Node[str])
    assert_type(all.at_least(1).then(framed, "best", 480), Node[str])
    assert_type(graph.add(pick.call(parts.result, 1)), Node[str])
    assert_type(graph.add(join.call("a", *all.results)), Node[str])
    assert_type(graph.group(first, first).then(join), Node[str])
    assert_type(first.on_failure(tidy, "a"), Node[str])
    assert_type(first.on_end(length, "a"), Node[int])
    assert_type(optional(first).result, "str | None")
    client = Client()
    assert_type(client.submit_graph(graph).task(first).result(), str)

    parts.then(length)  # type: ignore[call-overload]  # a list is no text
    parts.then(pick)  # type: ignore[call-overload]  # it lacks an argument
    parts.then(pick, "0")  # type: ignore[call-overload]
    parts.then(lambda parts: parts)  # type: ignore[call-overload]  # no task
    first.then(double)  # type: ignore[call-overload]
    graph.map(double, ["a"])  # type: ignore[call-overload]
    all.then(total)  # type: ignore[arg-type]
    all.then(pick)  # type: ignore[arg-type]  # it takes one list
    all.then(album, 1)  # type: ignore[arg-type, misc]  # the name is a text
    all.then(framed, "best")  # type: ignore[arg-type]  # it lacks an argument
    all.map(double)  # type: ignore[call-overload]
    all.at_least(1).then(join)  # type: ignore[arg-type]  # results may be missing
    graph.add(pick.call(first.result, 1))  # type: ignore[arg-type]
    graph.add(length.call(optional(first).result))  # type: ignore[arg-type]
    first.on_failure(tidy, 1)  # type: ignore[call-overload]
    first.set(prioritee=3)  # type: ignore[call-arg]
    number: Node[int] = parts  # type: ignore[assignment]
    anything: Node[object] = parts
    assert number is anything


def test_a_chain_passes_results(client: Client) -> None:
    graph = Graph("film")
    end = graph.add(split.call("a")).then(pick, 1).then(encode, height=480).set(label="small", priority=3)
    seen = end.then(length)
    handle = client.submit_graph(graph)
    assert handle.task(end).info().priority == 3
    assert run_until_idle(client, FUNCTIONS) == 4
    assert handle.task(end).result(0) == "a.1.480"
    assert handle.task(seen).result(0) == 7
    assert [each.label for each in handle.tasks()] == [None, None, "small", None]


def test_a_group_joins(client: Client) -> None:
    graph = Graph()
    left, right = graph.add(encode.call("l")), graph.add(encode.call("r", 480))
    film = graph.group(left, right).then(join)
    named = graph.add(join.call("film", *graph.group(left, right).results, "end"))
    best = graph.group(left, right).then(album, "best").set(label="album")
    some = graph.group(left, right).at_least(2).then(framed, "some", 480)
    mixed = graph.add(pick.call(graph.add(split.call("b")).result, graph.add(double.call(1)).result))
    handle = client.submit_graph(graph)
    run_until_idle(client, FUNCTIONS)
    assert handle.task(film).result(0) == "l.720+r.480"
    assert handle.task(named).result(0) == "film+l.720+r.480+end"
    assert handle.task(mixed).result(0) == "b.2"
    assert handle.task(best).result(0) == handle.task_of("album").result(0) == "best: l.720+r.480"
    assert handle.task(some).result(0) == "some 480: ('l.720', 'r.480')"
    with pytest.raises(NotFound, match="has the label mail; there are album"):
        handle.task_of("mail")


def test_a_map_has_a_bound(client: Client) -> None:
    graph = Graph()
    encoded = graph.map(encode, (f"{number}" for number in range(4)), 480).at_most(2).set(label="encode", tags=["hd"])
    film = encoded.map(encode, 240).then(join)
    handle = client.submit_graph(graph)
    client.submit_graph(graph)  # repeated
    assert [each.label for each in handle.tasks()][:4] == [f"encode[{at}]" for at in range(4)]
    first = handle.task(encoded[0]).info()
    assert (first.key, first.tags) == (encoded[0].id, "hd")
    [limit] = client.run(calls.limits("t", "0", 10)).items
    assert (limit.key, limit.concurrency) == (encoded[0].id, 2)
    run_until_idle(client, FUNCTIONS)
    assert handle.task(film).result(0) == "+".join(f"{number}.480.240" for number in range(4))


def test_a_bound_is_checked() -> None:
    graph = Graph()
    group = graph.map(double, [1, 2])
    assert graph.options()["bounds"] is None
    group.at_most(2)  # all of them
    assert graph.options()["bounds"] is None
    for wrong in (0, -1, True, 1.5, "2"):
        with pytest.raises(InvalidCall, match="a whole number from 1"):
            group.at_most(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidCall, match="of one queue, not of o, t"):
        graph.group(graph.add("o"), graph.add("t")).at_most(1)
    with pytest.raises(InvalidCall, match="a key of its own"):
        graph.map(double, [1, 2]).set(key="k").at_most(1)
    with pytest.raises(InvalidCall, match="leave out `id`"):
        group.set(id="x")
    assert not graph.map(double, []).at_most(1)


def test_a_step_for_a_failure_reads_the_error(client: Client) -> None:
    @task(queue="t")
    def tell(failed: str) -> str:
        record = client.task(failed).info()
        return f"{record.group}: {record.error}"

    graph = Graph()
    bad = graph.add(refuse.call("no cover"))
    told = bad.on_failure(tell, bad.id)
    handle = client.submit_graph(graph)
    run_until_idle(client, [refuse, tell])
    said = handle.task(told).result(0)
    assert said.startswith("ValueError: ValueError: no cover\n")


def test_steps_for_failures_and_for_ends(client: Client) -> None:
    graph = Graph(on_failure="continue")
    bad, good = graph.add(refuse.call("x")), graph.add(encode.call("y"))
    after = [bad.on_failure(tidy, "bad"), bad.on_end(tidy, "end"), good.on_failure(tidy), good.on_end(tidy)]
    film = graph.add(known.call(optional(bad).result, optional(good).result))
    handle = client.submit_graph(graph)
    run_until_idle(client, FUNCTIONS)
    results = [handle.task(each) for each in after]
    assert [results[at].result(0) for at in (0, 1, 3)] == ["tidied bad", "tidied end", "tidied all"]
    with pytest.raises(TaskCancelled):
        results[2].result(0)
    assert handle.task(film).result(0) == 1


@pytest.mark.parametrize("count", [3, 999, 1000, 1001])
def test_enough_of_a_group(client: Client, count: int) -> None:
    graph = Graph(on_failure="continue")
    texts = graph.map(encode, ["a"] * (count - 1))
    late = graph.add("nobody")
    enough = graph.group(*texts, late).at_least(count - 1).then(known)
    two = graph.add(tidy.call("two"), at_least=(2, [texts[0], texts[1], late]))
    handle = client.submit_graph(graph)
    run_until_idle(client, FUNCTIONS)
    assert handle.task(enough).result(0) == count - 1
    assert handle.task(two).result(0) == "tidied two"
    assert handle.task(late).state() == "pending"


def test_ten_thousand_join(client: Client) -> None:
    earlier = client.submit(double.call(5))
    began = time.monotonic()
    graph = Graph()
    numbers = graph.map(double, range(9999))
    all = graph.add(total, *numbers, earlier)
    handle = client.submit_graph(graph)
    assert time.monotonic() - began < 30  # about 3 s, on a loaded machine more
    assert handle.info().total == 10_000
    client.submit_graph(graph)  # repeated
    graph.add(tidy)
    with pytest.raises(InvalidCall, match="10000"):
        client.submit_graph(graph)
    assert [each.open for each in handle.tasks() if each.id == all.id] == [10_000]


def test_what_cannot_be_composed(client: Client) -> None:
    graph = Graph()
    one = graph.add(double.call(1))
    with pytest.raises(InvalidCall, match="no @task function"):
        one.then(print)  # type: ignore[call-overload]
    with pytest.raises(InvalidCall, match="missing a required argument: 'at'"):
        one.then(pick)  # type: ignore[call-overload]
    with pytest.raises(InvalidCall, match="too many positional"):
        graph.add(double, one, 2)
    with pytest.raises(InvalidCall, match=r"encode: .* by place: declare `fast` before the `\*`"):
        graph.add(split.call("a")).then(pick, 0).then(encode, fast=True)
    with pytest.raises(InvalidCall, match=r"pass `name` by place, `then\(album, name\)`"):
        graph.group(one).then(album, name="best")  # type: ignore[call-overload]
    with pytest.raises(InvalidCall, match=r"named takes arguments by place: declare name before the `\*`"):
        named.call("a", name="best")
    with pytest.raises(InvalidCall, match="pass a number and the tasks"):
        graph.add(tidy, at_least=2)  # type: ignore[call-overload]
    with pytest.raises(InvalidCall, match="leave out `at_least`"):
        graph.map(double, [1, 2]).at_least(1).map(tidy)  # type: ignore[call-overload]
    graph.add(pick.call([one.result, one.result], 1))  # type: ignore[list-item]
    with pytest.raises(InvalidCall, match=r"within another argument\. .* pass `\*nodes`"):
        client.submit_graph(graph)
    wrong = Graph()
    wrong.add(tidy, at_least=(2, [wrong.add(tidy)]))
    with pytest.raises((InvalidCall, Refused)):  # the server's rule
        client.submit_graph(wrong)


def test_arguments_by_name_without_results(client: Client) -> None:
    graph = Graph()
    fast = graph.add(encode.call("a", fast=True))
    handle = client.submit_graph(graph)
    run_until_idle(client, FUNCTIONS)
    assert handle.task(fast).result(0) == "a.720f"


def test_a_repeated_submit_has_the_same_digest(server: Server, namespace: str) -> None:
    def film() -> Graph:
        graph = Graph("film", id="f")
        graph.map(encode, ["a", "b", "c"]).at_most(2).set(label="e").at_least(2).then(known).set(label="k")
        return graph

    assert digest(film(), entries(film(), Json(), {})) == "ee5b2e5a5b3a9127a29733c95a7a8a522256f39a"
    with Client(server.url, namespace) as client:
        client.submit_graph(film())
        assert client.submit_graph(film()).info().total == 4
