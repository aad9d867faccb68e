"""What a task function may say while it runs: `from blueque_client import context`."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from pathlib import Path
from typing import Any, ClassVar, Protocol
from weakref import WeakSet

from .errors import BluequeError, Carried, InvalidCall
from .jobs import TaskFunction


class Stopped(Carried):
    """The attempt is to stop: it is raised in the function, wherever that is at the moment.

    Not an `Exception`, so that `except Exception` does not hold it up. Save a checkpoint if you like, and let it pass.
    """

    def __init__(self, order: str) -> None:
        super().__init__(
            f"stopped by the order to {order}" if order in ("cancel", "stop", "drain") else f"stopped: {order}"
        )
        #: `cancel`, `stop` (given back, for another attempt), `drain` (the worker ends), `timeout`, `lost`.
        self.order = order


class Failure(Carried, Exception):
    """A failure that says what comes next.

    text: For people.
    group: The kind; by default `Failure`.
    again: Seconds until the next attempt, if retries are left; by default as the task's backoff says.
    permanent: No retry follows, even if some are left.
    """

    def __init__(
        self, text: str, *, group: str | None = None, again: float | None = None, permanent: bool = False
    ) -> None:
        super().__init__(text)
        # To Python it would be 0 or 1 seconds.
        if isinstance(again, bool):
            meant = f"again={again}: that is a number of seconds, and `permanent=True` says that no attempt follows"
            raise InvalidCall("BADARG", f"the Failure {text!r} has {meant}.")
        self.text, self.group, self.again, self.permanent = text, group, again, permanent


class Again(Carried, Exception):
    """Gives the task back, not as a failure: with its checkpoint, for another attempt in so many seconds."""

    def __init__(self, seconds: float = 0, reason: str | None = None) -> None:
        super().__init__(reason or f"again in {seconds:g} s")
        self.seconds, self.reason = seconds, reason


class Attempt(Protocol):
    """A running attempt, as its function knows it."""

    id: str
    queue: str
    method: str | None
    number: int
    order: str | None
    next_step: dict[str, str]

    @property
    def folder(self) -> Path:
        """A folder of its own."""

    def last_checkpoint(self) -> Any:
        """What the attempt before has saved."""

    def ask(self, kind: str, value: Any) -> None:
        """Tells the worker, and waits for its answer."""

    def log(self, text: str) -> None:
        """A line of the log."""


current: ContextVar[Attempt] = ContextVar("blueque")
#: What to do where no task runs.
USE = "Report from the function itself, with what its threads and processes return."


class Alone:
    """The attempt that has this process for itself, whose threads of its own are its task's, too."""

    attempt: Attempt | None = None
    #: Threads that were there before it, such as those that the task before has left.
    others: ClassVar[WeakSet[threading.Thread]] = WeakSet()

    @classmethod
    def begin(cls, attempt: Attempt) -> None:
        """It has the process from now on."""
        cls.others = WeakSet(each for each in threading.enumerate() if each is not threading.main_thread())
        cls.attempt = attempt


def attempt_here() -> Attempt | None:
    """The attempt whose code runs here."""
    found = current.get(None)
    return found or (None if threading.current_thread() in Alone.others else Alone.attempt)


def _attempt() -> Attempt:
    if found := attempt_here():
        return found
    where = "in a thread, start it with `contextvars.copy_context().run`; a process of your own has no task"
    raise BluequeError("WORKER", f"no task runs here: the context is for functions that a worker calls; {where}.", USE)


class Context:
    """The attempt that runs here: in this process, thread or asyncio task; not in processes that a function starts."""

    @property
    def id(self) -> str:
        """The task."""
        return _attempt().id

    @property
    def queue(self) -> str:
        """Its queue."""
        return _attempt().queue

    @property
    def attempt(self) -> int:
        """The number of the attempt, from 1 on."""
        return _attempt().number

    @property
    def folder(self) -> Path:
        """A folder of the attempt's own, removed at its end. With a process for each task it is the working folder."""
        return _attempt().folder

    @property
    def order(self) -> str | None:
        """The order to stop, if there is one; `Stopped` has its words."""
        return _attempt().order

    def check(self) -> None:
        """Raises `Stopped` if the attempt is to stop: call it between two steps of the work in a thread."""
        if order := _attempt().order:
            raise Stopped(order)

    def last_checkpoint(self, default: Any = None) -> Any:
        """What the attempt before has saved, to go on from there."""
        found = _attempt().last_checkpoint()
        return default if found is None else found

    def checkpoint(self, value: Any) -> None:
        """Saves what the next attempt is to go on from. When it returns, the server has it."""
        _attempt().ask("checkpoint", value)

    def progress(self, done: Any, total: float | None = None, unit: str | None = None) -> None:
        """Reports progress, for people: `progress(3, 10, "files")`, or any value."""
        value = done if total is None else {"done": done, "total": total, **({"unit": unit} if unit else {})}
        _attempt().ask("progress", value)

    def log(self, text: str) -> None:
        """Adds a line to the task's log. What goes through `logging` is there, too."""
        _attempt().log(text)

    def next(self, step: TaskFunction[Any, Any] | str, method: str | None = None) -> None:
        """Once the function has returned, the task goes on with another one, whose parameters are the result.

        step: The other function; or the queue, and perhaps the method, of a worker in any language.
        """
        queue, method = (step, method) if isinstance(step, str) else (step.queue, step.name)
        _attempt().next_step = {"next": queue, **({"method": method} if method else {})}


context = Context()

__all__ = ["Again", "Context", "Failure", "Stopped", "context"]
