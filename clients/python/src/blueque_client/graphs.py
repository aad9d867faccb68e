"""Graphs: tasks that wait for other tasks. A graph is a value; one call of the client submits it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union, cast, overload

from . import contract
from .calls import SubmitOptions
from .errors import InvalidCall
from .names import check_options
from .task_functions import TaskCall, TaskFunction
from .wire import Time, option, random_id

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from typing import Protocol

    from typing_extensions import Concatenate, ParamSpec, Self, Unpack

    from .aio import Task as AsyncTask
    from .sync import Task

    P = ParamSpec("P")
    S_co = TypeVar("S_co", covariant=True)
    T_contra = TypeVar("T_contra", contravariant=True)
    U_contra = TypeVar("U_contra", contravariant=True)
    V_contra = TypeVar("V_contra", contravariant=True)

    class Runs(Protocol[P, S_co]):
        """A `@task` function."""

        queue: str

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> S_co: ...

    class Joins(Protocol[T_contra, S_co]):
        """A `@task` function that takes any number of results: `def join(*parts: str)`."""

        queue: str

        def __call__(self, *results: T_contra) -> S_co: ...

    class Joins1(Protocol[U_contra, T_contra, S_co]):
        """A `@task` function with an argument before any number of results: `def album(name: str, *parts: str)`."""

        queue: str

        def __call__(self, first: U_contra, /, *results: T_contra) -> S_co: ...

    class Joins2(Protocol[U_contra, V_contra, T_contra, S_co]):
        """A `@task` function with two arguments before any number of results."""

        queue: str

        def __call__(self, first: U_contra, second: V_contra, /, *results: T_contra) -> S_co: ...


A = TypeVar("A")
R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")
U = TypeVar("U")
R_co = TypeVar("R_co", covariant=True)

#: An upstream of a task: another task of the graph, an earlier task, or the id of an earlier task.
Upstream = Union["Node[Any]", "Task[Any]", "AsyncTask[Any]", str]


class NodeOptions(SubmitOptions, total=False):
    """The options of a task of a graph."""

    id: str | None
    """The name in the namespace; by default the id of the graph and the position of the task."""

    label: str | None
    """The name within the graph, for people."""

    eta: Time | None
    """The time at which the task is due."""

    after_success: Iterable[Upstream]
    """Upstreams that must be complete."""

    after: Iterable[Upstream]
    """Upstreams that must have ended, with any outcome."""

    after_failure: Iterable[Upstream]
    """Upstreams that must have failed or been cancelled."""

    at_least: tuple[int, Iterable[Upstream]]
    """A number and upstreams: the task waits until this number of upstreams are complete. Upstreams that are not
    complete have the result `None`."""


#: The names of upstreams in the options, and in the inputs of a call.
_KINDS = {"after_success": "success", "after": "after", "after_failure": "failure"}


class optional(Generic[R_co]):
    """An argument: the result of another task, or `None` if that task fails or is cancelled. The waiting task runs in
    either case."""

    @overload
    def __init__(self, what: Node[R_co]) -> None: ...

    @overload
    def __init__(self: optional[Any], what: Upstream) -> None: ...

    def __init__(self, what: Upstream) -> None:
        self.what = what

    @property
    def result(self) -> R_co | None:
        """Stands for the result in `function.call(…)`: this object, with the type of the result."""
        return cast("R_co", self)


class Node(Generic[R_co]):
    """A task of a graph, whose result has the type `R`."""

    def __init__(self, graph: Graph, queue: str, parameters: Any, options: dict[str, Any]) -> None:
        self.graph = graph
        self.id = f"{graph.id}.{len(graph.nodes)}"
        self.queue = queue
        self.parameters = parameters
        self.eta: Time | None = None
        #: Kinds of edges, with their upstreams.
        self.waits: list[tuple[str, Upstream]] = []
        #: A number of tasks that must be complete, and the tasks.
        self.least: tuple[int, tuple[Upstream, ...]] | None = None
        self.options: dict[str, Any] = {}
        self._change(options)

    def __repr__(self) -> str:
        return f"<node {self.id} of the queue {self.queue}>"

    @property
    def args(self) -> Sequence[Any]:
        """The arguments, if the parameters are a list."""
        return self.parameters if isinstance(self.parameters, list) else ()

    @property
    def result(self) -> R_co:
        """Stands for the result in `function.call(…)`: this node, with the type of the result."""
        return cast("R_co", self)

    def set(self, **options: Unpack[NodeOptions]) -> Self:
        """Changes options of the task; upstreams are added."""
        self._change(cast("dict[str, Any]", options))
        return self

    def _change(self, options: dict[str, Any]) -> None:
        check_options("a task of a graph", options, NodeOptions.__annotations__)
        for name, value in options.items():
            if name in _KINDS:
                self.waits += [(_KINDS[name], each) for each in value]
            elif name == "at_least":
                if not isinstance(value, tuple) or len(value) != 2:
                    raise InvalidCall("BADARG", f"at_least={value!r}: pass a number and the tasks, `(2, [a, b, c])`.")
                self.least = (value[0], tuple(value[1]))
            elif name in ("id", "eta"):
                option(name, value)
                setattr(self, name, getattr(self, name) if value is None else value)
            elif value is not None:
                self.options[name] = value

    @overload
    def then(
        self, function: Runs[Concatenate[R_co, P], Coroutine[Any, Any, A]], *args: P.args, **kwargs: P.kwargs
    ) -> Node[A]: ...

    @overload
    def then(self, function: Runs[Concatenate[R_co, P], S], *args: P.args, **kwargs: P.kwargs) -> Node[S]: ...

    def then(self, function: Any, *args: Any, **kwargs: Any) -> Node[Any]:
        """Adds a task that runs when this task is complete. Its first argument is the result of this task."""
        return self.graph.add(_call(function, (self, *args), kwargs))

    @overload
    def on_failure(self, function: Runs[P, Coroutine[Any, Any, A]], *args: P.args, **kwargs: P.kwargs) -> Node[A]: ...

    @overload
    def on_failure(self, function: Runs[P, S], *args: P.args, **kwargs: P.kwargs) -> Node[S]: ...

    def on_failure(self, function: Any, *args: Any, **kwargs: Any) -> Node[Any]:
        """Adds a task that runs only if this task fails or is cancelled; otherwise it is skipped."""
        return self.graph.add(_call(function, args, kwargs), after_failure=[self])

    @overload
    def on_end(self, function: Runs[P, Coroutine[Any, Any, A]], *args: P.args, **kwargs: P.kwargs) -> Node[A]: ...

    @overload
    def on_end(self, function: Runs[P, S], *args: P.args, **kwargs: P.kwargs) -> Node[S]: ...

    def on_end(self, function: Any, *args: Any, **kwargs: Any) -> Node[Any]:
        """Adds a task that runs when this task has ended, with any outcome."""
        return self.graph.add(_call(function, args, kwargs), after=[self])


class Group(Sequence[Node[R_co]]):
    """Tasks of a graph that run in parallel, whose results have the type `R`."""

    def __init__(self, graph: Graph, nodes: Iterable[Node[R_co]], least: int | None = None) -> None:
        self.graph = graph
        self.nodes = tuple(nodes)
        self._least = least

    def __repr__(self) -> str:
        return f"<group of {len(self)} nodes>"

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node[R_co]]:
        return iter(self.nodes)

    @overload
    def __getitem__(self, at: int) -> Node[R_co]: ...

    @overload
    def __getitem__(self, at: slice) -> Group[R_co]: ...

    def __getitem__(self, at: int | slice) -> Node[R_co] | Group[R_co]:
        return self.nodes[at] if isinstance(at, int) else Group(self.graph, self.nodes[at])

    @property
    def results(self) -> list[R_co]:
        """Stand for the results in `function.call(…)`: `join.call("film", *parts.results)`."""
        return [node.result for node in self]

    def set(self, **options: Unpack[NodeOptions]) -> Self:
        """Changes options of each task. With the label `encode` the tasks are named `encode[0]`, `encode[1]`, …"""
        given = cast("dict[str, Any]", options)
        if "id" in given:
            raise InvalidCall("BADARG", "the tasks of a group have ids of their own: leave out `id`.")
        upstreams = {name: list(value) for name, value in given.items() if name in _KINDS}
        label = given.get("label")
        for at, node in enumerate(self):
            node._change({**given, **upstreams, **({"label": f"{label}[{at}]"} if label else {})})
        return self

    def at_most(self, number: int) -> Self:
        """Sets the maximum number of tasks that run at once."""
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InvalidCall("BADARG", f"at most {number!r} tasks at once: pass a whole number from 1.")
        if any("key" in node.options for node in self):
            raise InvalidCall("BADARG", "a group with a bound has a key of its own: leave out one of them.")
        queues = {node.queue for node in self}
        if len(queues) > 1:
            raise InvalidCall("BADARG", f"a bound is for tasks of one queue, not of {', '.join(sorted(queues))}.")
        if number < len(self):  # a maximum that allows all tasks at once is not a bound
            self.graph.bounds.append((self.nodes, number))
        return self

    def at_least(self, number: int) -> Group[R_co | None]:
        """The same tasks. The next task needs only this number of results, and gets `None` for each missing one."""
        return Group(self.graph, self.nodes, number)

    @overload
    def then(self, function: Joins[R_co, Coroutine[Any, Any, A]]) -> Node[A]: ...

    @overload
    def then(self, function: Joins[R_co, S]) -> Node[S]: ...

    @overload
    def then(self, function: Joins1[T, R_co, Coroutine[Any, Any, A]], first: T, /) -> Node[A]: ...

    @overload
    def then(self, function: Joins1[T, R_co, S], first: T, /) -> Node[S]: ...

    @overload
    def then(self, function: Joins2[T, U, R_co, Coroutine[Any, Any, A]], first: T, second: U, /) -> Node[A]: ...

    @overload
    def then(self, function: Joins2[T, U, R_co, S], first: T, second: U, /) -> Node[S]: ...

    def then(self, function: Any, *args: Any, **kwargs: Any) -> Node[Any]:
        """Adds a task that runs when all these tasks are complete. Their results are its last arguments:
        `then(join)` calls `join(*parts)`, and `then(album, "name")` calls `album("name", *parts)`."""
        if kwargs:
            names = ", ".join(f"`{name}`" for name in kwargs)
            text = f"the results follow the other arguments of the task: pass {names} by place, `then(album, name)`."
            raise InvalidCall("BADARG", text)
        options: NodeOptions = {} if self._least is None else {"at_least": (self._least, self.nodes)}
        return self.graph.add(_call(function, (*args, *self.nodes), {}), **options)

    @overload
    def map(
        self, function: Runs[Concatenate[R_co, P], Coroutine[Any, Any, A]], *args: P.args, **kwargs: P.kwargs
    ) -> Group[A]: ...

    @overload
    def map(self, function: Runs[Concatenate[R_co, P], S], *args: P.args, **kwargs: P.kwargs) -> Group[S]: ...

    def map(self, function: Any, *args: Any, **kwargs: Any) -> Group[Any]:
        """Adds a task after each of these tasks. Its first argument is the result of that task."""
        if self._least is not None:
            raise InvalidCall("BADARG", "a task after each of these waits for that one: leave out `at_least`.")
        return self.graph.map(function, self.nodes, *args, **kwargs)


@dataclass
class Graph:
    """Tasks that wait for other tasks. A node among the arguments of a task stands for the result of that node:

        graph = Graph("film")
        parts = graph.add(split.call("a.mkv"))
        parts.then(encode, 1).then(publish)

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
    id: str = field(default_factory=random_id)
    nodes: list[Node[Any]] = field(default_factory=list)
    #: Tasks, and how many of them may run at once.
    bounds: list[tuple[tuple[Node[Any], ...], int]] = field(default_factory=list)

    @overload
    def add(self, what: TaskCall[R], **options: Unpack[NodeOptions]) -> Node[R]: ...

    @overload
    def add(
        self, what: TaskFunction[..., Coroutine[Any, Any, A]], *args: Any, **options: Unpack[NodeOptions]
    ) -> Node[A]: ...

    @overload
    def add(self, what: TaskFunction[..., R], *args: Any, **options: Unpack[NodeOptions]) -> Node[R]: ...

    @overload
    def add(self, what: str, *args: Any, **options: Unpack[NodeOptions]) -> Node[Any]: ...

    def add(
        self, what: TaskCall[Any] | TaskFunction[..., Any] | str, *args: Any, **options: Unpack[NodeOptions]
    ) -> Node[Any]:
        """Adds a task.

        what: `function.call(…)`, whose types are checked; a `@task` function; or the queue of a worker in any language.
        args: The arguments, if `what` is no call: values, and other nodes or earlier tasks. The task gets the results
          of these tasks when they are complete. For a task in `optional(…)` it gets `None` if that task fails or is
          cancelled. In a call, `node.result` stands for the result of a node.
        """
        given = cast("dict[str, Any]", options)
        if isinstance(what, str):
            node = Node[Any](self, what, list(args), given)
        else:
            call = what if isinstance(what, TaskCall) else _call(what, args, {})
            placed = call.placed()
            if placed is None and isinstance(call.parameters, dict) and any(map(is_upstream, call.parameters.values())):
                names = ", ".join(f"`{name}`" for name in call.by_name())
                text = "a task with results among its arguments gets all of them by place: declare"
                raise InvalidCall("BADARG", f"{call.options.get('method')}: {text} {names} before the `*`.")
            node = Node[Any](self, call.queue, call.parameters if placed is None else placed, {**call.options, **given})
        self.nodes.append(node)
        return node

    def group(self, *nodes: Node[R]) -> Group[R]:
        """Makes these tasks a group: `graph.group(left, right).then(join)`."""
        return Group(self, nodes)

    @overload
    def map(
        self,
        function: Runs[Concatenate[T, P], Coroutine[Any, Any, A]],
        items: Iterable[T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Group[A]: ...

    @overload
    def map(
        self, function: Runs[Concatenate[T, P], S], items: Iterable[T], *args: P.args, **kwargs: P.kwargs
    ) -> Group[S]: ...

    def map(self, function: Any, items: Iterable[Any], *args: Any, **kwargs: Any) -> Group[Any]:
        """Adds a task for each item, which is its first argument: `graph.map(encode, parts).at_most(4).then(join)`."""
        first = len(self.nodes)
        group = Group(self, [self.add(_call(function, (item, *args), kwargs)) for item in items])
        return group.set(label=f"{function.name}-{first}") if group else group

    def options(self) -> dict[str, Any]:
        """The options of the graph in the calls of the submit."""
        return {
            "name": self.name,
            "on_failure": self.on_failure,
            "tags": self.tags or None,
            "deadline": self.deadline,
            "notify": self.notify,
            "bounds": " ".join(f"{nodes[0].queue}/{nodes[0].id}={number}" for nodes, number in self.bounds) or None,
        }


def _call(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> TaskCall[Any]:
    if not isinstance(function, TaskFunction):
        raise InvalidCall("BADARG", f"{function!r} is no @task function.")
    return function.call(*args, **kwargs)


def id_of(what: Upstream) -> str:
    return what if isinstance(what, str) else what.id


def is_upstream(value: Any) -> bool:
    from .aio import Task as AsyncTask
    from .sync import Task

    return isinstance(value, (Node, Task, AsyncTask, optional))
