"""Graphs: tasks that wait for others, as a value that is submitted with one call of the client."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union
from urllib.parse import quote

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
        args: Values, and other nodes or earlier tasks, whose results it gets once they are complete.
        id, label: Its name in the namespace, and within the graph, for people.
        after_success, after, after_failure: What else it waits for: until it is complete; has ended, whatever its end;
          has failed or was cancelled.
        """
        queue, own = (what, {}) if isinstance(what, str) else (what.queue, what.options)
        kinds = {"success": after_success, "after": after, "failure": after_failure}
        waits = tuple(f"{kind}={_id(each)}" for kind, several in kinds.items() for each in several)
        merged = {"label": label, **own, **options}
        given = {name: value for name, value in merged.items() if value is not None}
        node = Node(id or str(uuid.uuid4()), queue, eta, args, waits, given)
        self.nodes.append(node)
        return node

    def entries(self, serializer: Serializer, more: calls.SubmitOptions) -> list[calls.SubmitGraphEach]:
        """The nodes as the call takes them, with tags that all of them get."""
        return [_entry(node, serializer, more.get("tags") or ()) for node in self.nodes]


def _id(what: Upstream) -> str:
    return what if isinstance(what, str) else what.id


def _is_upstream(value: Any) -> bool:
    from .aio import Task as AsyncTask
    from .sync import Task

    return isinstance(value, (Node, Task, AsyncTask))


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
        if _is_upstream(value):
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
