"""A task."""

from __future__ import annotations

import time
import warnings
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .. import calls, contract
from ..errors import BluequeError, NotFound, TaskCancelled, TaskFailed, TimedOut
from ..names import check_options
from ..records import LogEntry, RawRecord, Record, entry_of, record_of
from ..tracing import waiting
from ..why import Why, agrees, why_of
from ..wire import Time
from .link import Link, pause

if TYPE_CHECKING:
    from typing_extensions import Unpack

R = TypeVar("R")


class Task(Generic[R]):
    """A task by its id. Nothing is read until a method is called."""

    def __init__(self, link: Link, id: str) -> None:
        self._link = link
        self.id = id

    def __repr__(self) -> str:
        return f"Task({self.id!r})"

    async def info(self) -> Record:
        """The record of the task."""
        return record_of(await self._raw(), self._link.serializer)

    async def _raw(self) -> RawRecord:
        record = await self._link.run(calls.get(self.id))
        if record is None:
            raise NotFound("NOTASK", f"there is no task {self.id}.")
        return record

    async def state(self) -> str | None:
        """The state, such as `pending`, `started`, `complete`; None if the task's graph is not released yet."""
        return (await self._raw()).status

    async def wait(self, timeout: float | None = None) -> Record:
        """Waits until the task has ended, and returns its record. Raises `TimedOut` after `timeout` seconds."""
        return record_of(await self._ended(timeout), self._link.serializer)

    async def _ended(self, timeout: float | None) -> RawRecord:
        with waiting(self._link.tracing, self.id) as waited:
            waited.record = record = await self._wait(timeout)
            return record

    async def _wait(self, timeout: float | None) -> RawRecord:
        began = time.monotonic()
        until = None if timeout is None else began + timeout
        interval, warns = 0.005, True
        while True:
            record = await self._raw()
            if record.status and contract.STATES[record.status].final:
                return record
            left = contract.LONGEST_PAUSE if until is None else until - time.monotonic()
            if left <= 0:
                text = f"the task {self.id} is {record.status}, not finished within {timeout:g} s"
                why = await self._why()
                raise TimedOut("TIMEDOUT", f"{text}: {why}" if why else f"{text}.")
            if warns and time.monotonic() > began + contract.WARN_AFTER:
                warns = False
                if why := await self._why(nobody=True):
                    warnings.warn(f"waits for the task {self.id}: {why}", RuntimeWarning, stacklevel=4)
            await pause(min(interval, left))
            interval = min(interval * 2, contract.LONGEST_PAUSE)

    async def result(self, timeout: float | None = None) -> R:
        """Waits for the result. Raises `TaskFailed`, `TaskCancelled`, and `TimedOut` after `timeout` seconds."""
        record = await self._ended(timeout)
        if record.status == "complete":
            result: R = self._link.serializer.loads(record.result or b"null")
            return result
        if record.status == "cancelled":
            raise TaskCancelled(record.reason)
        raise TaskFailed((record.error or b"").decode(errors="replace"), record.group)

    async def parameters(self) -> Any:
        """The parameters of the task."""
        return self._link.serializer.loads((await self._raw()).parameters or b"null")

    async def progress(self) -> Any:
        """The progress that its attempt has reported, such as `{"done": 3, "total": 10, "unit": "files"}`; or None."""
        record = await self._raw()
        return self._link.serializer.loads(record.progress) if record.progress else None

    async def checkpoint(self) -> Any:
        """The checkpoint for the next attempt, or None."""
        record = await self._raw()
        return self._link.serializer.loads(record.checkpoint) if record.checkpoint else None

    async def why(self) -> Why:
        """The reasons why the task waits: limits, needs, pauses, other tasks. `str(why)` is a sentence."""
        for _ in range(3):  # the task may change between the two calls
            record, reply = await self._raw(), await self._link.run(calls.why(self.id))
            if agrees(reply, record):
                break
        return why_of(reply, record)

    async def _why(self, nobody: bool = False) -> str:
        """The reasons as a sentence; with `nobody` only if no worker takes tasks of the queue."""
        with suppress(BluequeError):
            why = await self.why()
            if not nobody or (why.status == "pending" and why.listeners == 0 and not why.paused):
                return str(why)
        return ""

    async def estimate(self, progress: float | None = None) -> calls.EstimateReply:
        """The expected start and end of the task. `progress`: the completed part, 0 to 1, if known."""
        return await self._link.run(calls.estimate(self.id, progress=progress))

    async def history(self) -> list[calls.HistoryItem]:
        """The stored transitions of the task, the earliest first."""
        found: list[calls.HistoryItem] = []
        while True:
            page = await self._link.run(calls.history(self.id, found[-1].number if found else 0, 500))
            if not page.items:
                return found
            found += page.items

    async def logs(self, follow: bool = False) -> AsyncIterator[LogEntry]:
        """The log of the task; with `follow` also new entries, until the task has ended."""
        after = "0"
        interval = 0.05
        while True:
            ended = not follow or (await self._raw()).status in ENDED
            page = await self._link.run(calls.logs(self.id, after, 100))
            for entry in page.items:
                yield entry_of(entry)
            after = page.last
            if page.items:
                interval = 0.05
            elif ended:
                return
            else:
                await pause(interval)
                interval = min(interval * 2, contract.LONGEST_PAUSE)

    async def cancel(self, reason: str = "", *, force: bool = False, at_once: bool = False) -> str:
        """Cancels the task. Returns `cancelled`, or `cancelling` while its owner still runs.

        force: The owner must kill the task at once, without a grace period.
        at_once: The task is cancelled now, even if its program still runs for a while.
        """
        call = calls.cancel(self.id, reason, force=force or None, at_once=at_once or None, by=self._link.by)
        return await self._link.make(call)

    async def requeue(self, *, at_once: bool = False) -> str:
        """Asks the owner to save a checkpoint and give the task back."""
        return await self._link.make(calls.requeue(self.id, at_once=at_once or None, by=self._link.by))

    async def retry(self, *, fresh: bool = False, deadline: Time | None = None) -> str:
        """Runs a failed or cancelled task again, from its checkpoint, or with `fresh` from its beginning."""
        return await self._link.make(calls.retry(self.id, fresh=fresh or None, deadline=deadline, by=self._link.by))

    async def edit(self, *, parameters: Any = ..., **options: Unpack[calls.EditOptions]) -> str:
        """Changes an unfinished task: its parameters, in the form of a submit, its eta, queue and options."""
        check_options("an edit", options, calls.EditOptions.__annotations__, "parameters")
        options.setdefault("by", self._link.by)
        data = None if parameters is ... else self._link.serializer.dumps(parameters)
        return await self._link.make(calls.edit(self.id, parameters=data, **options))

    async def prioritise(self, priority: int) -> None:
        """Changes the priority of a waiting task: -1,000 to 1,000, higher first."""
        await self._link.make(calls.prioritise(self.id, priority, by=self._link.by))

    async def hold(self) -> None:
        """Holds a pending or scheduled task: it does not start until `unhold`."""
        await self._link.make(calls.hold(self.id, by=self._link.by))

    async def unhold(self) -> str:
        """Releases a held task; returns its state, `pending` or `scheduled`."""
        return await self._link.make(calls.unhold(self.id, by=self._link.by))

    async def suspend(self) -> bool:
        """Asks the worker to suspend the running program; false if it is suspended. Limits of time do not run."""
        return await self._link.make(calls.suspend(self.id, by=self._link.by)) == "suspending"

    async def unsuspend(self) -> bool:
        """Asks the worker to continue the suspended program; false if it is not suspended."""
        return await self._link.make(calls.unsuspend(self.id, by=self._link.by)) == "continuing"

    async def signal(self, signal: contract.Signal) -> int:
        """Asks the worker to send the program a signal, such as `USR1`; returns the number of the request."""
        return await self._link.make(calls.signal(self.id, signal, by=self._link.by))

    async def move(self, queue: str) -> None:
        """Moves a waiting task into another queue."""
        await self._link.make(calls.move(self.id, queue, by=self._link.by))

    async def note(self, text: str, data: bytes | str | None = None) -> None:
        """Adds a note to the task's history."""
        await self._link.make(calls.note(self.id, text, data=data, by=self._link.by))

    async def tag(self, *tags: str) -> list[str]:
        """Adds tags; returns all tags of the task."""
        return await self._link.run(calls.tag(self.id, tags))

    async def untag(self, *tags: str) -> list[str]:
        """Removes tags; returns the remaining tags."""
        return await self._link.run(calls.untag(self.id, tags))

    async def depend(self, inputs: str) -> str:
        """Adds upstreams to the task: `success=ID`, `after=ID`, `failure=ID`, separated by spaces."""
        return await self._link.make(calls.depend(self.id, inputs))

    async def delete(self) -> None:
        """Deletes the task. It must have ended."""
        await self._link.make(calls.delete(self.id, by=self._link.by))


ENDED = frozenset(name for name, state in contract.STATES.items() if state.final)
