"""The interface of a running task function: `from blueque_client import context`."""

from __future__ import annotations

import threading
from collections.abc import Awaitable
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

from .errors import BluequeError, Carried, InvalidCall
from .task_functions import TaskFunction

if TYPE_CHECKING:
    from .running_attempts import RunningAttempt


class Stopped(Carried):
    """The attempt must stop. This exception is raised in the function at any point of its code.

    Not an `Exception`, so that `except Exception` does not catch it. Save a checkpoint if you like, and let it
    propagate.
    """

    def __init__(self, order: str) -> None:
        super().__init__(
            f"stopped by the order to {order}" if order in ("cancel", "stop", "drain") else f"stopped: {order}"
        )
        #: `cancel`, `stop` (given back, for another attempt), `drain` (the worker ends), `timeout`, `lost`.
        self.order = order


class Failure(Carried, Exception):
    """A failure that determines the next attempt.

    text: The error text, for people.
    group: The kind of the failure; by default `Failure`.
    again: Seconds until the next attempt, if retries are left; by default the task's backoff.
    permanent: No retry follows, even if some are left.
    """

    def __init__(
        self, text: str, *, group: str | None = None, again: float | None = None, permanent: bool = False
    ) -> None:
        super().__init__(text)
        # In Python a boolean is also a number: 0 or 1 seconds.
        if isinstance(again, bool):
            meant = f"again={again}: that is a number of seconds, and `permanent=True` says that no attempt follows"
            raise InvalidCall("BADARG", f"the Failure {text!r} has {meant}.")
        self.text, self.group, self.again, self.permanent = text, group, again, permanent


class Again(Carried, Exception):
    """Gives the task back with its checkpoint, not as a failure. The next attempt begins after this many seconds."""

    def __init__(self, seconds: float = 0, reason: str | None = None) -> None:
        super().__init__(reason or f"again in {seconds:g} s")
        self.seconds, self.reason = seconds, reason


current: ContextVar[RunningAttempt] = ContextVar("blueque")
#: Remedy for a call where no task runs.
USE = "Report from the function itself, with what its threads and processes return."


class Alone:
    """The only attempt in this process. Threads that it starts also belong to its task."""

    attempt: RunningAttempt | None = None
    #: Threads that existed before the attempt, for example threads that the previous task left behind.
    others: ClassVar[WeakSet[threading.Thread]] = WeakSet()

    @classmethod
    def begin(cls, attempt: RunningAttempt) -> None:
        """Assigns the process to an attempt."""
        cls.others = WeakSet(each for each in threading.enumerate() if each is not threading.main_thread())
        cls.attempt = attempt


def attempt_here() -> RunningAttempt | None:
    """Returns the attempt whose code runs here."""
    found = current.get(None)
    return found or (None if threading.current_thread() in Alone.others else Alone.attempt)


#: True in the processes of a worker.
_in_worker = False
_outside: RunningAttempt | None = None


def enter_worker() -> None:
    """Notes that this is a process of a worker: its code without an attempt is not outside of a worker."""
    global _in_worker
    _in_worker = True


def is_outside() -> bool:
    """Returns true if the code here runs outside of any worker, and outside of any attempt."""
    return not _in_worker and attempt_here() is None


def _attempt() -> RunningAttempt:
    global _outside
    if found := attempt_here():
        return found
    if not _in_worker:  # code of a task that is called without its function
        if _outside is None:
            from .outside import begun

            _outside = begun("task", "outside", None, None)[1]
        return _outside
    where = "in a thread, start it with `contextvars.copy_context().run`; a process of your own has no task"
    raise BluequeError("WORKER", f"no task runs here: the context is for functions that a worker calls; {where}.", USE)


class Context:
    """The attempt of this process, thread or asyncio task. Processes that a function starts have no attempt."""

    @property
    def id(self) -> str:
        """The task."""
        return _attempt().id

    @property
    def queue(self) -> str:
        """The queue of the task."""
        return _attempt().queue

    @property
    def attempt(self) -> int:
        """The number of the attempt, from 1 on."""
        return _attempt().number

    @property
    def folder(self) -> Path:
        """The attempt's own folder, removed at its end. With a process for each task it is the working folder."""
        return _attempt().folder

    @property
    def order(self) -> str | None:
        """The order to stop, or None; `Stopped` lists the possible orders."""
        return _attempt().order

    def check(self) -> None:
        """Raises `Stopped` if the attempt must stop: call it between two steps of the work in a thread."""
        if order := _attempt().order:
            raise Stopped(order)

    def last_checkpoint(self, default: Any = None) -> Any:
        """The checkpoint that the previous attempt saved, or the default."""
        found = _attempt().last_checkpoint()
        return default if found is None else found

    def checkpoint(self, value: Any) -> Awaitable[None]:
        """Saves a checkpoint for the next attempt. When this returns, the server has stored the checkpoint.

        In an `async def` function it returns at once: `await context.checkpoint(value)` waits for the server.
        """
        return _attempt().ask("checkpoint", value)

    def progress(self, done: Any, total: float | None = None, unit: str | None = None) -> Awaitable[None]:
        """Reports progress, for people: `progress(3, 10, "files")`, `progress(3, unit="files")` without a known total,
        or any value. Like `checkpoint` it may be awaited."""
        of = {name: value for name, value in (("total", total), ("unit", unit or None)) if value is not None}
        return _attempt().ask("progress", {"done": done, **of} if of else done)

    def log(self, text: str) -> None:
        """Adds a line to the task's log. Records of `logging` are also added to the log."""
        _attempt().log(text)

    def next(self, step: TaskFunction[Any, Any] | str, method: str | None = None) -> None:
        """After this function returns, the task continues with another function, with the result as its parameters.

        step: The next function; or the queue of a worker in any language, with `method` if the worker needs it.
        """
        queue, method = (step, method) if isinstance(step, str) else (step.queue, step.name)
        _attempt().next_step = {"next": queue, **({"method": method} if method else {})}


context = Context()

__all__ = ["Again", "Context", "Failure", "Stopped", "context"]
