"""A graph in the form of the calls that submit it: the entries of its tasks, their digest, and their batches."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from . import calls, contract
from .errors import InvalidCall, PayloadError
from .graphs import Graph, Node, id_of, is_upstream, optional
from .payload import Serializer
from .wire import option, written

#: The beginning of the entry that follows all entries of a set.
LEAST = "least/"


def entries(graph: Graph, serializer: Serializer, more: calls.SubmitOptions) -> list[calls.SubmitGraphEach]:
    """The tasks in the form of the call, with more tags."""
    keys = {id(node): nodes[0].id for nodes, _ in graph.bounds for node in nodes}
    return [_entry(node, keys.get(id(node)), serializer, more.get("tags") or ()) for node in graph.nodes]


def digest(graph: Graph, each: Iterable[calls.SubmitGraphEach]) -> str:
    """The digest of a graph and all its tasks, as the contract defines it."""
    own = {name: written(value) for name, value in graph.options().items() if value is not None}
    found = hashlib.sha1(_part(_sorted(own)), usedforsecurity=False)
    for one in each:
        inputs = " ".join(sorted(one.inputs.split()))
        options = dict(entry.split("=", 1) for entry in one.options.split())
        found.update(_part(one.id.encode()) + _part(one.queue.encode()) + _part(b"" if one.eta is None else b"1"))
        found.update(_part(written(one.parameters)) + _part(inputs.encode()))
        found.update(_part(_sorted({name: unquote_to_bytes(value) for name, value in options.items()})))
    return found.hexdigest()


def _part(data: bytes) -> bytes:
    return b"%d:%b," % (len(data), data)


#: Options that a client adds on its own, and that may differ in a repeated submit.
_ADDED = ("trace", "submitter")


def _sorted(options: dict[str, bytes]) -> bytes:
    # Only the presence of a deadline counts, because times are often relative to the submit.
    known = {name: b"1" if name == "deadline" else value for name, value in options.items() if name not in _ADDED}
    return b"".join(_part(name.encode()) + _part(value) for name, value in sorted(known.items()))


def _entry(node: Node[Any], key: str | None, serializer: Serializer, tags: Iterable[str]) -> calls.SubmitGraphEach:
    # The bound of a group is a limit of its key.
    given = dict(node.options) if key is None else {**node.options, "key": key}
    if tags:
        given["tags"] = ",".join(filter(None, [written(given.get("tags")).decode(), *tags]))
    options = " ".join(f"{name}={quote(option(name, value), safe='')}" for name, value in given.items())
    inputs, values = [f"{kind}={id_of(up)}" for kind, up in node.waits], bytearray()
    number, some = node.least or (0, ())
    least = {id_of(up): None for up in some}  # a set in the order of the document
    received = set[str]()
    is_list = any(map(is_upstream, node.args))
    for at, value in enumerate(node.args if is_list else ()):
        if isinstance(value, optional):
            inputs.append(f"optional/{at}={id_of(value.what)}")
        elif is_upstream(value):
            inputs.append(f"{'some' if value.id in least else 'result'}/{at}={value.id}")
            received.add(value.id)
        else:
            data = _dumped(serializer, value)
            inputs.append(f"value/{at}={len(data)}")
            values += data
    inputs += [f"some={id}" for id in least if id not in received]
    if node.least:
        inputs.append(f"{LEAST}{number}")
    # Without upstreams among the arguments, the parameters are the unchanged list.
    parameters = bytes(values) if is_list else _dumped(serializer, node.parameters)
    return calls.SubmitGraphEach(node.id, node.queue, node.eta, parameters, " ".join(inputs), options)


def _dumped(serializer: Serializer, value: Any) -> bytes:
    try:
        return serializer.dumps(value)
    except PayloadError as error:
        if "of the type Node" not in str(error):
            raise
        text = "a node is within another argument. Results are arguments of their own: pass `*nodes`."
        raise InvalidCall("BADARG", text) from None


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
    late += [one for one in ups if one[0].startswith(LEAST) and one not in late]  # after all entries of the set
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
