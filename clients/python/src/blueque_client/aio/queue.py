"""A queue: its tasks, its settings, its events."""

from __future__ import annotations

import re
import warnings
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any, get_args

from .. import calls, contract
from ..errors import BluequeError, InvalidCall, PayloadError, duplicate
from ..hooks import around_submit
from ..names import OF_A_SUBMIT, check_options, check_setting, missing
from ..tracing import submitting
from ..wire import Seconds, Time, option, random_id, written
from ..wire import rate as rate_sent
from .link import Link, pause
from .task import Task

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Remedy if another task has the unique name.
UNIQUE = 'Wait for its end, or submit with `unique_policy="existing"`, which returns that task.'


class Queue:
    """A queue by its name. The first submit creates the queue."""

    def __init__(self, link: Link, name: str) -> None:
        self._link = link
        self.name = name

    def __repr__(self) -> str:
        return f"Queue({self.name!r})"

    async def submit(
        self,
        parameters: Any = None,
        *,
        id: str | None = None,
        eta: Time | None = None,
        unique: str | None = None,
        again: bool = False,
        **options: Unpack[calls.SubmitOptions],
    ) -> Task[Any]:
        """Adds a task. Its handler gets these parameters.

        id: With your own id you may repeat the submit: a second submit with the same id changes nothing.
        eta: The time at which the task is due; by default at once.
        unique: A name that only one task of the queue has at a time. While another task has the name, this raises
          `Refused`, or returns that task with the option `unique_policy="existing"`.
        again: A finished task with this id runs again, and a waiting task is updated.
        options: Options of `calls.submit`, such as `method`, `priority`, `max_failures`, `key`, `needs`, `tags`.
        """
        return await self.submit_bytes(
            self._link.serializer.dumps(parameters), id=id, eta=eta, unique=unique, again=again, **options
        )

    async def submit_bytes(
        self,
        parameters: bytes,
        *,
        id: str | None = None,
        eta: Time | None = None,
        unique: str | None = None,
        again: bool = False,
        **options: Unpack[calls.SubmitOptions],
    ) -> Task[Any]:
        """Adds a task with parameters in bytes, without the serializer."""
        check_options("a submit", options, calls.SubmitOptions.__annotations__, *OF_A_SUBMIT)
        option("eta", eta)
        name = id or random_id()
        each = [calls.SubmitEach(name, eta, parameters)]
        async with around_submit(self._link.hooks, self.name, options, name) as changed:
            traces = submitting(self._link.tracing, self.name, changed, id=name)
            with traces as traced, duplicate(UNIQUE):
                return await self._submit(name, each, unique, again, traced.options)

    async def _submit(
        self, name: str, each: list[calls.SubmitEach], unique: str | None, again: bool, options: calls.SubmitOptions
    ) -> Task[Any]:
        if again:
            await self._link.make(calls.submit_again(self.name, each, again=True, unique=unique, **options))
            return Task(self._link, name)
        if unique is None:
            await self._link.run(calls.submit(self.name, each, **options))
            return Task(self._link, name)
        reply = await self._link.make(calls.submit_unique(self.name, each, unique=unique, **options))
        return Task(self._link, reply.id if reply.outcome == "existing" and reply.id else name)

    async def submit_many(self, parameters: Iterable[Any], **options: Unpack[calls.SubmitOptions]) -> list[Task[Any]]:
        """Adds a task for each of these parameters. One call adds many tasks."""
        check_options("submit_many", options, calls.SubmitOptions.__annotations__)
        async with around_submit(self._link.hooks, self.name, options) as changed:
            with submitting(self._link.tracing, self.name, changed) as traced:
                tasks = await self._submit_many(parameters, traced.options)
                traced.tasks = len(tasks)
                return tasks

    async def _submit_many(self, parameters: Iterable[Any], options: calls.SubmitOptions) -> list[Task[Any]]:
        tasks: list[Task[Any]] = []
        batch: list[calls.SubmitEach] = []
        size = 0
        sent = 0
        for at, each in enumerate(parameters):
            try:
                data = self._link.serializer.dumps(each)
            except PayloadError as error:
                raise PayloadError(f"{_one_of(at, sent)}: {error.cause}") from error
            if batch and (len(batch) == contract.TASKS_OF_CALL or size + len(data) > contract.CALL_BYTES):
                await self._submit_some(batch, options, sent)
                batch, size, sent = [], 0, at
            batch.append(calls.SubmitEach(random_id(), None, data))
            size += len(data)
            tasks.append(Task(self._link, batch[-1].id))
        if batch:
            await self._submit_some(batch, options, sent)
        return tasks

    async def _submit_some(self, batch: list[calls.SubmitEach], options: calls.SubmitOptions, sent: int) -> None:
        """Submits a batch that begins at the index `sent`. The error for a task that is too large names its index."""
        try:
            await self._link.run(calls.submit(self.name, batch, **options))
        except InvalidCall as error:
            size = re.search(r" is (\d+) bytes", error.cause) if error.code == "TOOBIG" else None
            large = [at for at, each in enumerate(batch) if size and len(each.parameters) == int(size[1])]
            if not large:
                raise
            raise InvalidCall("TOOBIG", f"{_one_of(sent + large[0], sent)}: {error.cause}") from error

    def task(self, id: str) -> Task[Any]:
        """A task by its id."""
        return Task(self._link, id)

    if not TYPE_CHECKING:  # types know what there is

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(missing("a queue", name))

    # Contents

    async def counts(self) -> calls.CountsReply:
        """The number of its tasks in each state."""
        return await self._link.run(calls.counts(self.name))

    async def tasks(self, state: contract.List = "all") -> AsyncIterator[Task[Any]]:
        """The tasks of the queue in a state."""
        async for id in self._link.items(lambda cursor: calls.list_(self.name, state, cursor, 500)):
            yield Task(self._link, id)

    async def search(self, **filters: Unpack[calls.FindOptions]) -> AsyncIterator[Task[Any]]:
        """The tasks that match all filters, newest first: `status`, `tag`, `method`, `key`, `group`, …"""
        check_options("a search", filters, calls.FindOptions.__annotations__)
        async for id in self._link.items(lambda cursor: calls.find(self.name, cursor, 500, **filters)):
            yield Task(self._link, id)

    async def bulk(self, action: contract.Action, **options: Unpack[calls.BulkOptions]) -> int:
        """Applies an action to every matching task, in bounded steps. Returns the number of changed tasks."""
        check_options("bulk", options, calls.BulkOptions.__annotations__)
        changed, cursor = 0, "0"
        options.setdefault("by", self._link.by)
        while True:
            step = await self._link.make(calls.bulk(self.name, action, cursor, 50, **options))
            changed += step.changed
            if (cursor := step.cursor) == "0":
                return changed

    async def events(self, after: str = "0", *, follow: bool = False) -> AsyncIterator[calls.EventsItem]:
        """The events of the queue, one for each transition of a task.

        With `follow` the events never end: while the server is away, they wait for it, and continue after the last one.
        If the server has already deleted events that were not read, this issues a `RuntimeWarning`.

        after: The `event` of the last event that you have read, or `latest_event()`; by default all events that the
          queue still has.
        """
        interval, known = 0.01, after != "0"
        while True:
            try:
                page = await self._link.run(calls.events(self.name, after, 500))
            except BluequeError as error:
                if not follow or not error.transient:
                    raise
                await pause(contract.CALL_AGAIN)
                continue
            if page.missed and known:
                warnings.warn(f"events of the queue {self.name} were deleted unread", RuntimeWarning, stacklevel=2)
            known = True
            for event in page.items:
                yield event
            if page.last != after:
                after, interval = page.last, 0.01
            elif not follow:
                return
            else:
                await pause(interval)
                interval = min(interval * 2, contract.LONGEST_PAUSE)

    async def latest_event(self) -> str:
        """The latest event, after which `events` begins with the next one; `0` if the queue has no events."""
        after = "0"
        while (last := (await self._link.run(calls.events(self.name, after, 500))).last) != after:
            after = last
        return after

    async def statistics(self, days: int = 1, until: str | None = None) -> list[calls.StatisticsReply]:
        """Counts and durations of these days in total, then of each day (UTC)."""
        return await self._link.run(calls.statistics(self.name, days, until=until))

    async def groups(self) -> list[calls.GroupsItem]:
        """The failure groups of the queue."""
        return await self._link.pages(lambda cursor: calls.groups(self.name, cursor, 500))

    async def tags(self) -> list[calls.TagsItem]:
        """The tags of its tasks."""
        return await self._link.pages(lambda cursor: calls.tags(self.name, cursor, 500))

    async def listeners(self) -> list[calls.ListenersItem]:
        """The listeners of the queue."""
        return await self._link.pages(lambda cursor: calls.listeners(self.name, cursor, 500))

    # Settings

    async def pause(self, reason: str = "", *, stop: bool = False, by: str | None = None) -> None:
        """Stops giving out tasks; with `stop` the owners of running tasks must give them back."""
        await self._link.run(calls.pause(self.name, by or self._link.by or "python", reason, stop=stop or None))

    async def resume(self) -> None:
        """Gives out tasks again."""
        await self._link.run(calls.resume(self.name, by=self._link.by))

    async def configure(self, setting: contract.Setting, value: str | Seconds) -> None:
        """Changes a setting of the queue; an empty text unsets the setting. A rate is `10/60`, or `10/1m`."""
        check_setting(setting, get_args(contract.Setting))
        if isinstance(value, str) and setting in ("rate", "key_rate"):
            value = rate_sent(value)
        await self._link.run(calls.configure(self.name, setting, written(value).decode(), by=self._link.by))

    async def settings(self) -> list[calls.SettingsItem]:
        """Each setting, with its value and the place where it is set."""
        return await self._link.run(calls.settings(self.name))

    async def limit(self, key: str, concurrency: int | None = None, rate: str | None = None) -> None:
        """Sets the maximum number of running tasks of a key, and the rate of starts, such as `10/60` or `10/1m`.
        None: the queue's settings apply."""
        of = "-" if concurrency is None else str(concurrency)
        await self._link.run(calls.limit(self.name, key, of, rate_sent(rate) if rate else "-", by=self._link.by))

    async def delete(self) -> None:
        """Removes the data of an empty queue."""
        await self._link.make(calls.delete_queue(self.name, by=self._link.by))


def _one_of(at: int, sent: int) -> str:
    """Names one of many parameters by its index, for an error."""
    return f"the parameters with the index {at} ({f'the first {sent} tasks are' if sent else 'no task is'} submitted)"
