"""Graphs: tasks that wait for other tasks. A graph is a value; one call of the client submits it."""

from __future__ import annotations

import hashlib
import uuid
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Union
from urllib.parse import quote, unquote_to_bytes

from . import calls, contract
from .errors import InvalidCall
from .payload import Serializer
from .task_functions import TaskFunction
from .wire import Time, written

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .aio import Task as AsyncTask
    from .sync import Task

#: An upstream of a task: another task of the graph, an earlier task, or the id of an earlier task.
Upstream = Union["Node", "Task[Any]", "AsyncTask[Any]", str]


@dataclass(frozen=True, eq=False)
class optional:
    """An argument: the result of another task, or `None` if that task fails or is cancelled. The waiting task runs in
    either case."""

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
    """Tasks that wait for other tasks. A node among the arguments of a task stands for the result of that node:

        graph = Graph("film")
        parts = graph.add(split, "a.mkv")
        graph.add(join, graph.add(encode, parts, 1), graph.add(encode, parts, 2))
        client.submit_graph(graph)

    name: The name of the graph, for people.
    on_failure: What happens after a failure: `cancel` tasks that no other task needs, `continue`, or `hold`.
    tags: Tags of each task.
    deadline: The time by which all tasks must have ended.
    notify: The targets that are notified when all tasks have ended, such as `ops:failed`.
    id: The id of the graph, by default random. With your own id a repeated submit changes nothing; another graph
      with this id is refused.
    """

    name: str | None = None
    on_failure: contract.OnFailure | None = None
    tags: Sequence[str] = ()
    deadline: Time | None = None
    notify: str | None = None
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
        args: Values, and other nodes or earlier tasks. The task gets the results of these tasks when they are complete.
          For a task in `optional(…)` it gets `None` if that task fails or is cancelled.
        id, label: `id` is the name in the namespace, by default the id of the graph and the position of the task.
          `label` is the name within the graph, for people.
        after_success, after, after_failure: Further upstreams. The task waits until the upstreams are complete; have
          ended, with any outcome; have failed or were cancelled.
        """
        queue, own = (what, {}) if isinstance(what, str) else (what.queue, what.options)
        kinds = {"success": after_success, "after": after, "failure": after_failure}
        waits = tuple(f"{kind}={_id(each)}" for kind, several in kinds.items() for each in several)
        merged = {"label": label, **own, **options}
        given = {name: value for name, value in merged.items() if value is not None}
        node = Node(id or f"{self.id}.{len(self.nodes)}", queue, eta, args, waits, given)
        self.nodes.append(node)
        return node

    def options(self) -> dict[str, Any]:
        tags = self.tags or None
        return {
            "name": self.name,
            "on_failure": self.on_failure,
            "tags": tags,
            "deadline": self.deadline,
            "notify": self.notify,
        }

    def digest(self, each: Iterable[calls.SubmitGraphEach]) -> str:
        """The digest of the graph and all its tasks, as the contract defines it."""
        own = {name: written(value) for name, value in self.options().items() if value is not None}
        found = hashlib.sha1(_part(_sorted(own)), usedforsecurity=False)
        for one in each:
            inputs = " ".join(sorted(one.inputs.split()))
            options = dict(entry.split("=", 1) for entry in one.options.split())
            found.update(_part(one.id.encode()) + _part(one.queue.encode()) + _part(b"" if one.eta is None else b"1"))
            found.update(_part(written(one.parameters)) + _part(inputs.encode()))
            found.update(_part(_sorted({name: unquote_to_bytes(value) for name, value in options.items()})))
        return found.hexdigest()

    def entries(self, serializer: Serializer, more: calls.SubmitOptions) -> list[calls.SubmitGraphEach]:
        """The nodes in the form of the call, with the tags of the graph."""
        return [_entry(node, serializer, more.get("tags") or ()) for node in self.nodes]


def _part(data: bytes) -> bytes:
    return b"%d:%b," % (len(data), data)


def _sorted(options: dict[str, bytes]) -> bytes:
    # Only the presence of a deadline counts, because times are often relative to the submit.
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
        # Without upstreams among the arguments, the parameters are the unchanged list.
        parameters = serializer.dumps(list(node.args))
        return calls.SubmitGraphEach(node.id, node.queue, node.eta, parameters, " ".join(node.after), options)
    inputs, values = list(node.after), bytearray()
    for at, value in enumerate(node.args):
        if isinstance(value, optional):
            inputs.append(f"optional/{at}={_id(value.what)}")
        elif _is_upstream(value):
            inputs.append(f"result/{at}={value.id}")
        else:
            data = serializer.dumps(value)
            inputs.append(f"value/{at}={len(data)}")
            values += data
    return calls.SubmitGraphEach(node.id, node.queue, node.eta, bytes(values), " ".join(inputs), options)


class _Part(NamedTuple):
    """A task, or some of its inputs: the text of each input, with the bytes of a value."""

    task: calls.SubmitGraphEach
    #: The parameters of a task without upstreams among its arguments.
    whole: bytes
    inputs: list[tuple[str, bytes]]

    def is_long(self) -> bool:
        """Returns true if the task is sent in several calls."""
        return (
            len(self.inputs) > contract.INPUTS_OF_CALL
            or sum(len(value) for _, value in self.inputs) > contract.CALL_BYTES
        )


def _parted(task: calls.SubmitGraphEach) -> _Part:
    inputs, at, data = [], 0, written(task.parameters)
    for text in task.inputs.split():
        size = int(text.partition("=")[2]) if text.startswith("value/") else 0
        inputs.append((text, data[at : at + size]))
        at += size
    return _Part(task, data[at:], inputs)


def batches(each: list[calls.SubmitGraphEach]) -> list[list[calls.SubmitGraphEach]]:
    """Splits the entries into calls. A task with more inputs than a call takes is repeated with its further inputs.

    The call with the last task creates the graph. If that task is sent in several calls, the task before it is sent
    together with its last part.
    """
    if not each:
        raise InvalidCall("BADARG", "the graph has no tasks.")
    parts = [_parted(one) for one in each]
    last = parts[-1]
    if not last.is_long() or len(parts) == 1:
        return _filled(parts)
    second = parts[-2]
    ups = [one for one in last.inputs if not one[0].startswith("value/")]
    late = [one for one in ups if one[0].partition("=")[2] == second.task.id] or ups[:1]
    if second.is_long() or len(second.inputs) + len(late) > contract.INPUTS_OF_CALL:
        ids = f"{second.task.id} and {last.task.id}"
        raise InvalidCall(
            "BADARG",
            f"the last tasks of the graph, {ids}, have over {contract.INPUTS_OF_CALL} inputs each: one of them may.",
        )
    early = [one for one in last.inputs if one not in late]
    first = _filled([*parts[:-2], last._replace(inputs=early)])
    return first + _filled([second, last._replace(whole=b"", inputs=late)])


def _filled(parts: list[_Part]) -> list[list[calls.SubmitGraphEach]]:
    done: list[list[calls.SubmitGraphEach]] = []
    batch: list[calls.SubmitGraphEach] = []
    count = size = 0
    for part in parts:
        for number, inputs in enumerate(_chunks(part)):
            values = (b"" if number else part.whole) + b"".join(value for _, value in inputs)
            texts = " ".join(text for text, _ in inputs)
            own = len(values) + len(texts) + len(part.task.options)
            same = batch and batch[-1].id == part.task.id
            if same or (
                batch
                and (
                    len(batch) == contract.TASKS_OF_CALL
                    or count + len(inputs) > contract.INPUTS_OF_CALL
                    or size + own > contract.CALL_BYTES
                )
            ):
                done.append(batch)
                batch, count, size = [], 0, 0
            batch.append(part.task._replace(parameters=values, inputs=texts))
            count, size = count + len(inputs), size + own
    return [*done, batch]


def _chunks(part: _Part) -> list[list[tuple[str, bytes]]]:
    """Splits the inputs of a task into calls, with at least one upstream in each call."""
    if not part.is_long():
        return [part.inputs]
    done: list[list[tuple[str, bytes]]] = []
    ups = deque(one for one in part.inputs if not one[0].startswith("value/"))
    values = deque(one for one in part.inputs if one[0].startswith("value/"))
    while ups or values:
        if not ups:
            text = f"the task {part.task.id} has too many or too large values: put some of them into one."
            raise InvalidCall("BADARG", text)
        chunk, size = [ups.popleft()], 0
        while (
            values
            and len(chunk) < contract.INPUTS_OF_CALL
            and (size == 0 or size + len(values[0][1]) <= contract.CALL_BYTES)
        ):
            chunk.append(values.popleft())
            size += len(chunk[-1][1])
        while ups and not values and len(chunk) < contract.INPUTS_OF_CALL:
            chunk.append(ups.popleft())
        done.append(chunk)
    return done
