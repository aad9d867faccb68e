"""The pages for users of other queues, `docs/migrating/from-*.md`: their rows name tests, and their Python is real."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from blueque_client import (
    Again,
    Client,
    Failure,
    Graph,
    GraphHandle,
    Group,
    Node,
    Queue,
    Schedule,
    Task,
    Worker,
    calls,
    context,
    contract,
    task,
)
from blueque_client.graphs import NodeOptions
from blueque_client.testing import Clock, Server, run_until_idle

PROJECT = Path(__file__).parents[3]
PAGES = sorted(
    PROJECT / "docs/migrating" / f"from-{name}.md" for name in ("bullmq", "celery", "rq", "sidekiq", "temporal")
)
SHOWN_BY = "shown by"


def rows(page: Path) -> list[list[str]]:
    """The cells of the rows of each table with tests."""
    found, is_open = list[list[str]](), False
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        is_open = bool(cells) and (is_open or cells[-1] == SHOWN_BY)
        if is_open and cells[-1] != SHOWN_BY and not line.startswith("|---"):
            found.append(cells)
    return found


@cache
def all_tests() -> set[str]:
    """The names of all tests of the project."""
    kinds = {
        "clients/python/tests/*.py": r"def (test_\w+)\(",
        "clients/typescript/tests/*.ts": r'\btest\("([^"]+)"',
        "cli/tests/**/*.rs": r"fn (\w+)\(",
        "web/tests/**/*.rs": r"fn (\w+)\(",
    }
    files = [(file, pattern) for glob, pattern in kinds.items() for file in PROJECT.glob(glob)]
    return {name for file, pattern in files for name in re.findall(pattern, file.read_text())}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_row_names_its_tests_or_says_why_there_is_nothing(page: Path) -> None:
    found = rows(page)
    assert len(found) > 40
    for cells in found:
        assert len(cells) == 3, cells
        theirs, here, shown = cells
        names = re.findall(r"`([^`]+)`", shown)
        assert [name for name in names if name not in all_tests()] == [], theirs
        assert bool(names) != here.startswith("no"), f"{theirs}: name a test, or say why there is nothing"


#: The types of the names in the pages, and of what their methods return.
ROOTS = {"client": Client, "job": Task, "graph": Graph, "node": Node, "group": Group, "handle": GraphHandle}
ROOTS |= {"context": type(context)}
RETURNED = {
    (Client, "queue"): Queue,
    (Client, "submit"): Task,
    (Client, "task"): Task,
    (Client, "schedule"): Schedule,
    (Graph, "add"): Node,
    (Graph, "map"): Group,
    (Graph, "group"): Group,
    (Node, "then"): Node,
    (Group, "at_least"): Group,
    (Group, "at_most"): Group,
    (Group, "then"): Node,
}
#: Further options of functions that take `**options`.
OPTIONS: dict[Any, Any] = {
    Client.submit: calls.SubmitOptions,
    Queue.submit: calls.SubmitOptions,
    Queue.submit_many: calls.SubmitOptions,
    Queue.search: calls.FindOptions,
    Queue.bulk: calls.BulkOptions,
    Client.schedule: calls.ScheduleOptions,
    Task.edit: calls.EditOptions,
    Graph.add: NodeOptions,
    Node.set: NodeOptions,
    task: calls.SubmitOptions,
}
FUNCTIONS = {"task": task, "Client": Client, "Worker": Worker, "Graph": Graph, "Again": Again, "Failure": Failure}


class Reader(ast.NodeVisitor):
    """Checks that attributes and keywords of a snippet exist."""

    def type_of(self, node: ast.AST) -> type[Any] | None:
        if isinstance(node, ast.Name):
            return ROOTS.get(node.id)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = self.type_of(node.func.value)
            return owner and RETURNED.get((owner, node.func.attr))
        return None

    def visit_Attribute(self, node: ast.Attribute) -> None:
        owner = self.type_of(node.value)
        if owner:
            assert hasattr(owner, node.attr) or node.attr in inspect.getsource(owner), ast.unparse(node)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        function: Any = FUNCTIONS.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(node.func, ast.Attribute):
            function = getattr(self.type_of(node.func.value), node.func.attr, None)
        if function is not None:
            known = {*inspect.signature(function).parameters, *getattr(OPTIONS.get(function), "__annotations__", ())}
            assert {keyword.arg for keyword in node.keywords} <= known, ast.unparse(node)
        if function is Queue.configure and isinstance(node.args[0], ast.Constant):
            assert node.args[0].value in get_args(contract.Setting), ast.unparse(node)
        if function is Queue.bulk and isinstance(node.args[0], ast.Constant):
            assert node.args[0].value in get_args(contract.Action), ast.unparse(node)
        self.generic_visit(node)


def snippets(page: Path) -> list[ast.AST]:
    found = list[ast.AST]()
    for _, here, _ in rows(page):
        for text in re.findall(r"`([^`]+)`", here):
            try:
                found.append(ast.parse(f"{text}\ndef f(): ..." if text.startswith("@") else text))
            except SyntaxError:
                assert not text.startswith(("client.", "job.", "graph.", "node.", "context.", "@")), text
    return found


def test_python_in_the_rows_is_real() -> None:
    for page in PAGES[1:]:
        found = snippets(page)
        assert len(found) > 30
        for each in found:
            Reader().visit(each)
    with pytest.raises(AssertionError):
        Reader().visit(ast.parse("client.submit(f.call(1), prioritee=5)"))
    with pytest.raises(AssertionError):
        Reader().visit(ast.parse("client.queue('q').drop()"))


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_the_program_of_a_page_runs(page: Path, server: Server, namespace: str, tmp_path: Path) -> None:
    [program] = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    own = program.replace("client = Client()", f"client = Client({server.url!r}, {namespace!r})")
    assert own != program
    (tmp_path / "films.py").write_text(own)
    run = (
        "import films, runpy\nfrom blueque_client.testing import run_until_idle\n"
        "assert not hasattr(films, 'client'), 'a worker that imports the program also submits'\n"
        "client = runpy.run_path('films.py', run_name='__main__')['client']\n"
        "ran = run_until_idle(client, films)\n"
        "done = sum(client.queue(each.queue).counts().complete for each in client.queues())\n"
        "assert ran == done > 0, (ran, done)"
    )
    said = subprocess.run([sys.executable, "-c", run], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert said.returncode == 0, said.stderr


@task(queue="m")
def add(x: int, y: int = 1) -> int:
    return x + y


@task(queue="m")
def later(how: str) -> str:
    if context.attempt > 1:
        return how
    raise Again(60) if how == "again" else Failure("busy", again=60)


@task(queue="m")
def begins(x: int) -> int:
    context.next(ends)
    return x + 1


@task(queue="m")
def ends(x: int) -> int:
    return x * 10


def test_options_of_a_submit(client: Client) -> None:
    soon = time.time() + 60
    given: calls.SubmitOptions = {"priority": 5, "title": "order 7", "key": "customer-7", "tags": ["order:7"]}
    given |= {"delay": 60, "backoff": "exponential", "max_delay": 600, "jitter": 20, "deadline": soon + 60}
    info = client.submit(add.call(1), eta=soon, **given).info()
    assert info.status == "scheduled"
    assert (info.priority, info.title, info.key, info.tags) == (5, "order 7", "customer-7", "order:7")
    assert (info.delay, info.backoff, info.max_delay, info.jitter) == (60, "exponential", 600, 20)
    assert info.deadline == pytest.approx(soon + 60, abs=0.01)
    named = client.queue("m").submit([1], method="add")
    assert run_until_idle(client, [add]) == 1
    assert named.result(0) == 2


def test_what_has_expired_fails(server: Server, namespace: str) -> None:
    clock = Clock()
    with Client(server.url, namespace, clock=clock) as client:
        job = client.submit(add.call(1), deadline=clock.now + 60, eta=clock.now + 3600)
        clock.advance(61)
        run_until_idle(client, [add])
        assert (job.state(), job.info().group) == ("failed", "deadline")


def test_a_task_says_when_it_runs_again(server: Server, namespace: str) -> None:
    clock = Clock()
    with Client(server.url, namespace, clock=clock) as client:
        again, failure = client.submit(later.call("again")), client.submit(later.call("failure"), max_failures=1)
        assert run_until_idle(client, [later]) == 2
        assert [again.state(), failure.state()] == ["scheduled"] * 2
        assert [each.info().failures for each in (again, failure)] == [None, 1]
        clock.advance(61)
        assert run_until_idle(client, [later]) == 2
        assert [again.result(0), failure.result(0)] == ["again", "failure"]


def test_rates_and_places(server: Server, namespace: str) -> None:
    clock = Clock()
    with Client(server.url, namespace, clock=clock) as client:
        queue = client.queue("m")
        queue.configure("rate", "2/60")
        queue.limit("customer-7", 1)
        jobs = [client.submit(add.call(number), key="customer-7") for number in range(3)]
        assert run_until_idle(client, [add]) == 2
        assert jobs[2].state() == "pending"
        clock.advance(61)
        assert run_until_idle(client, [add]) == 1


def test_tasks_are_found_and_changed_together(client: Client) -> None:
    queue = client.queue("m")
    jobs = [queue.submit([number], method="add", tags=["order:7"]) for number in range(3)]
    wrong = client.submit(add.call("x"))  # type: ignore[arg-type]
    assert {each.id for each in queue.search(tag="order:7")} == {each.id for each in jobs}
    run_until_idle(client, [add])
    assert [each.id for each in queue.search(status="failed", group="TypeError")] == [wrong.id]
    assert queue.bulk("retry", group="TypeError") == 1
    assert wrong.state() == "pending"
    queue.bulk("purge")
    assert list(queue.tasks()) == []


def test_a_task_continues_with_another_function(client: Client) -> None:
    job = client.submit(begins.call(1))
    assert run_until_idle(client, [begins, ends]) == 2
    assert job.result(0) == 20


def test_a_schedule_ends_after_some_times(server: Server, namespace: str) -> None:
    clock = Clock()
    with Client(server.url, namespace, clock=clock) as client:
        client.schedule("some", add.call(1), every=60, times=3, overlap="allow")
        done = 0
        for _ in range(5):
            clock.advance(60)
            done += run_until_idle(client, [add])
        assert done == 3
