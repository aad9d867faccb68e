# Made by generate.py from aio/client.py; do not edit.

"""A client of a namespace on a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .. import calls
from ..address import FROM_ENVIRONMENT, from_environment, place_of
from ..cron import Cron
from ..errors import InvalidCall, Unsuitable, duplicate
from ..graph_calls import batches, digest, entries
from ..graphs import Graph
from ..hooks import Hooks, around_submit, instances
from ..names import OF_A_SUBMIT, check_options, missing
from ..payload import Json, Serializer
from ..replies import suitable
from ..task_functions import TaskCall
from ..tracing import Tracing, submitting
from ..wire import Call, Seconds, Time, whole
from .graph import GraphHandle
from .link import Link
from .queue import Queue
from .schedule import Schedule
from .server import opened
from .task import Task

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

T = TypeVar("T")
R = TypeVar("R")


class Client:
    """A namespace on a server.

    server: A URL (`redis://`, `rediss://`, `unix://`, `redis+sentinel://`, `redis+cluster://`), or your own client
      of redis-py, which must not decode replies. Without it the client reads `BLUEQUE_URL`, the login and
      `BLUEQUE_NAMESPACE` from the environment, as `blueque` does.
    namespace: The beginning of all keys; on a cluster with a `{tag}`. By default `blueque`.
    limit: Maximum number of seconds of a call, including its repetitions.
    by: The author of the changes, for the audit.
    serializer: The serializer of parameters, results, checkpoints and progress; by default JSON.
    clock: The time of each call, for tests in their own namespace.
    tracing: If true, OpenTelemetry records spans of submits and of the attempts of the client's workers.
    hooks: Instances of `Hooks`, for submits and for the client's workers.
    """

    def __init__(
        self,
        server: Any = FROM_ENVIRONMENT,
        namespace: str | None = None,
        *,
        limit: float = 30,
        by: str | None = None,
        serializer: Serializer | None = None,
        clock: Callable[[], Time] | None = None,
        tracing: bool = False,
        hooks: Iterable[Hooks] = (),
    ) -> None:
        place, usual = "the server", "blueque"
        if server is FROM_ENVIRONMENT:
            server, usual = from_environment(os.environ)
        if isinstance(server, str):
            place, server = place_of(server), opened(server, limit)
        suitable(server)
        spans = Tracing() if tracing else None
        self.link = Link(
            server,
            usual if namespace is None else namespace,
            limit,
            by,
            serializer or Json(),
            clock,
            spans,
            place,
            instances(hooks),
        )

    if not TYPE_CHECKING:  # types know what there is

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(missing("a client", name))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections of the client."""
        self.link.server.close()

    def run(self, call: Call[T]) -> T:
        """Makes any call of `blueque_client.calls`."""
        return self.link.run(call)

    def check(self) -> calls.HandshakeReply:
        """Checks that the server is suitable: its schema, its eviction policy, the permissions of this user."""
        reply = self.link.run(calls.handshake())
        if reply.lacks:
            raise Unsuitable("NOPERM", f"this user may not do all that is needed: {reply.lacks}.")
        return reply

    def queue(self, name: str) -> Queue:
        """A queue by its name."""
        return Queue(self.link, name)

    def task(self, id: str) -> Task[Any]:
        """A task by its id."""
        return Task(self.link, id)

    def submit(
        self,
        call: TaskCall[R],
        *,
        id: str | None = None,
        eta: Time | None = None,
        unique: str | None = None,
        again: bool = False,
        **options: Unpack[calls.SubmitOptions],
    ) -> Task[R]:
        """Submits a call of a `@task` function: `client.submit(resize.call("a.png", width=100), priority=5)`.

        The options of the function apply unless other options are given here.
        """
        check_options("a submit", options, calls.SubmitOptions.__annotations__, *OF_A_SUBMIT)
        merged: calls.SubmitOptions = {**_checked(call).options, **options}
        return self.queue(call.queue).submit(
            call.parameters, id=id, eta=eta, unique=unique, again=again, **merged
        )

    def submit_graph(self, graph: Graph) -> GraphHandle:
        """Submits all tasks of a graph together. The call may be repeated; another graph with this id is refused."""
        with around_submit(self.link.hooks, "graph", {}, graph.id) as options:
            traces = submitting(self.link.tracing, None, options, conversation_id=graph.id)
            with traces as traced, duplicate("Choose another id for the graph."):
                self._submit_graph(graph, traced.options)
                traced.tasks = len(graph.nodes)
        return GraphHandle(self.link, graph.id)

    def _submit_graph(self, graph: Graph, traced: calls.SubmitOptions) -> None:
        each = entries(graph, self.link.serializer, traced)
        own = digest(graph, entries(graph, self.link.serializer, {}) if traced.get("tags") else each)
        for batch in batches(each):
            trace = traced.get("trace")
            call = calls.submit_graph(graph.id, len(graph.nodes), batch, trace=trace, digest=own, **graph.options())
            self.link.make(call)

    def graph(self, id: str) -> GraphHandle:
        """A graph by its id."""
        return GraphHandle(self.link, id)

    def graphs(self) -> list[calls.GraphsItem]:
        """All graphs."""
        return self.link.pages(lambda cursor: calls.graphs(cursor, 500))

    def schedule(
        self,
        name: str,
        call: TaskCall[Any],
        every: Seconds | None = None,
        *,
        offset: Seconds = 0,
        cron: str | None = None,
        zone: str | None = None,
        **options: Unpack[calls.ScheduleOptions],
    ) -> Schedule:
        """Creates a task at each multiple of `every` since 1970, plus the offset; or at the times of a cron expression
        in a time zone. Changes the schedule if it exists.

        cron: Minute, hour, day of the month, month, day of the week, such as `0 3 * * MON-FRI`; or `@daily`.
        zone: The time zone of `cron`, such as `Europe/Berlin`; by default UTC.
        call: `function.call(…)`, or `TaskCall("queue", parameters)` for a worker in any language.
        options: Options of `calls.schedule`: `overlap`, `missed`, `start`, `end`, and the options of each task.
        """
        known = calls.ScheduleOptions.__annotations__
        check_options("a schedule", options, known, "every", "offset", "cron", "zone")
        own = {name: value for name, value in _checked(call).options.items() if name in known}
        merged = cast("calls.ScheduleOptions", {"by": self.link.by, **own, **options})
        parameters = self.link.serializer.dumps(call.parameters)
        times: list[int] = []
        if every is not None and cron is None and zone is None:
            recurrence = f"every {whole(every)}" + (f" {whole(offset)}" if offset else "")
        elif cron is not None and every is None and not offset:
            parsed = Cron(cron, zone or "UTC")
            recurrence = str(parsed)
            times = parsed.first((self.link.run(calls.handshake())).now, merged.get("start"))
        else:
            raise InvalidCall("BADARG", "a schedule takes `every` and its `offset`, or `cron` and its `zone`.")
        self.link.make(calls.schedule(name, call.queue, recurrence, parameters, times, **merged))
        return Schedule(self.link, name)

    def schedule_of(self, name: str) -> Schedule:
        """A schedule by its name."""
        return Schedule(self.link, name)

    def schedules(self) -> list[calls.SchedulesItem]:
        """All schedules."""
        return self.link.pages(lambda cursor: calls.schedules(cursor, 500))

    def queues(self) -> list[calls.QueuesItem]:
        """All queues."""
        return self.link.pages(lambda cursor: calls.queues(cursor, 500))

    def workers(self) -> list[calls.WorkersItem]:
        """All workers, alive or dead."""
        return self.link.pages(lambda cursor: calls.workers(cursor, 500))


def _checked(what: TaskCall[R]) -> TaskCall[R]:
    if not isinstance(what, TaskCall):
        raise InvalidCall("BADARG", f"{what!r} is no call of a @task function: pass function.call(…).")
    return what
