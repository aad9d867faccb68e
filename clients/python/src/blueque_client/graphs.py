"""Graphs: tasks that wait for others, as a value that is submitted with one call of the client."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union
from urllib.parse import quote, unquote_to_bytes

from . import calls, contract
from .errors import InvalidCall
from .jobs import TaskFunction
from .payload import Serializer
from .wire import Time, written

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .aio import Task as AsyncTask
    from .sync import Task

#: What a task may wait for: another one of the graph, an earlier task, or its id.
Upstream = Union["Node", "Task[Any]", "AsyncTask[Any]", str]


@dataclass(frozen=True, eq=False)
class optional:
    """As an argument the result of another task, or `None` if that one fails or is cancelled: this one goes on then."""

    what: Upstream


@dataclass(frozen=True, eq=False)
class Node:
    """A task of a graph."""

    id: str
    queue: str
    eta: Time | None
    args: tuple[Any, ...]
    after: tuple[str, ...]
    options: dict[str, Any]


@dataclass
class Graph:
    """Tasks that wait for others. Among the arguments of one, another stands for its result:

        graph = Graph("film")
        parts = graph.add(split, "a.mkv")
        graph.add(join, graph.add(encode, parts, 1), graph.add(encode, parts, 2))
        client.submit_graph(graph)

    name: For people.
    on_failure: What becomes of the others if one fails: `cancel` those that nothing else needs, `continue`, or `hold`.
    tags: Of each task.
    deadline: The time by which all must have ended.
    id: By default a random one. Submitted again with one of your own, it is the same graph, and another one is refused.
    """

    name: str | None = None
    on_failure: contract.OnFailure | None = None
    tags: Sequence[str] = ()
    deadline: Time | None = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    nodes: list[Node] = field(default_factory=list)

    def add(
        self,
        what: TaskFunction[..., Any] | str,
        *args: Any,
        id: str | None = None,
        label: str | None = None,
        eta: Time | None = None,
        after_success: Iterable[Upstream] = (),
        after: Iterable[Upstream] = (),
        after_failure: Iterable[Upstream] = (),
        **options: Unpack[calls.SubmitOptions],
    ) -> Node:
        """Adds a task; its parameters are the list of the arguments.

        what: A `@task` function, or the queue of a worker in any language.
        args: Values, and other nodes or earlier tasks, whose results it gets once they are complete; of one in
          `optional(…)` it gets `None` if that one fails or is cancelled.
        id, label: Its name in the namespace, by default that of the graph and its place; within the graph, for people.
        after_success, after, after_failure: What else it waits for: until it is complete; has ended, whatever its end;
          has failed or was cancelled.
        """
        queue, own = (what, {}) if isinstance(what, str) else (what.queue, what.options)
        kinds = {"success": after_success, "after": after, "failure": after_failure}
        waits = tuple(f"{kind}={_id(each)}" for kind, several in kinds.items() for each in several)
        merged = {"label": label, **own, **options}
        given = {name: value for name, value in merged.items() if value is not None}
        node = Node(id or f"{self.id}.{len(self.nodes)}", queue, eta, args, waits, given)
        self.nodes.append(node)
        return node

    def digest(self, each: Iterable[calls.SubmitGraphEach]) -> str:
        """What stands for all that is said of it and of its tasks, as the contract defines it."""
        own = {
            "name": self.name,
            "on_failure": self.on_failure,
            "tags": self.tags or None,
            "deadline": self.deadline,
        }
        found = hashlib.sha1(usedforsecurity=False)
        found.update(_part(_sorted({name: written(value) for name, value in own.items() if value is not None})))
        for one in each:
            inputs = " ".join(sorted(one.inputs.split()))
            options = dict(entry.split("=", 1) for entry in one.options.split())
            found.update(_part(one.id.encode()) + _part(one.queue.encode()) + _part(b"" if one.eta is None else b"1"))
            found.update(_part(written(one.parameters)) + _part(inputs.encode()))
            found.update(_part(_sorted({name: unquote_to_bytes(value) for name, value in options.items()})))
        return found.hexdigest()

    def entries(self, serializer: Serializer, more: calls.SubmitOptions) -> list[calls.SubmitGraphEach]:
        """The nodes as the call takes them, with tags that all of them get."""
        return [_entry(node, serializer, more.get("tags") or ()) for node in self.nodes]


def _part(data: bytes) -> bytes:
    return b"%d:%b," % (len(data), data)


def _sorted(options: dict[str, bytes]) -> bytes:
    # Times are often relative to the submit.
    known = {name: b"1" if name == "deadline" else value for name, value in options.items()}
    return b"".join(_part(name.encode()) + _part(value) for name, value in sorted(known.items()))


def _id(what: Upstream) -> str:
    return what if isinstance(what, str) else what.id


def _is_upstream(value: Any) -> bool:
    from .aio import Task as AsyncTask
    from .sync import Task

    return isinstance(value, (Node, Task, AsyncTask, optional))


def _entry(node: Node, serializer: Serializer, tags: Iterable[str]) -> calls.SubmitGraphEach:
    given = dict(node.options)
    if tags:
        given["tags"] = ",".join(filter(None, [written(given.get("tags")).decode(), *tags]))
    options = " ".join(f"{name}={quote(written(value), safe='')}" for name, value in given.items())
    if not any(map(_is_upstream, node.args)):
        # No slots: the list as it is.
        parameters = serializer.dumps(list(node.args))
        return calls.SubmitGraphEach(node.id, node.queue, node.eta, parameters, " ".join(node.after), options)
    inputs, values = list(node.after), bytearray()
    for slot, value in enumerate(node.args):
        if isinstance(value, optional):
            inputs.append(f"optional/{slot}={_id(value.what)}")
        elif _is_upstream(value):
            inputs.append(f"result/{slot}={value.id}")
        else:
            data = serializer.dumps(value)
            inputs.append(f"value/{slot}={len(data)}")
            values += data
    return calls.SubmitGraphEach(node.id, node.queue, node.eta, bytes(values), " ".join(inputs), options)


def batches(each: list[calls.SubmitGraphEach]) -> Iterable[list[calls.SubmitGraphEach]]:
    """As many entries as a call takes."""
    if not each:
        raise InvalidCall("BADARG", "the graph has no tasks.")
    batch: list[calls.SubmitGraphEach] = []
    size = 0
    for one in each:
        own = len(one.parameters) + len(one.inputs) + len(one.options)
        if batch and (len(batch) == 500 or size + own > 7 << 20):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += own
    yield batch
