"""The settings of a worker, and the state that its parts share."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from . import contract
from .endings import Ending
from .errors import BluequeError, ConnectionFailed
from .held_attempts import HeldAttempt
from .hooks import Hooks, Outcomes
from .logs import log
from .queue_choice import QueueChoice
from .sync import Link
from .task_functions import TaskFunction
from .task_process import Mode
from .wire import Call, Names, Seconds

T = TypeVar("T")


@dataclass(eq=False)
class WorkerState:
    """The settings are those of `Worker`. Any thread may use the rest."""

    link: Link
    listener: str
    queues: QueueChoice
    functions: Mapping[str, TaskFunction[Any, Any]]
    slots: int
    mode: Mode
    #: Number of tasks after which a process is replaced; None: never.
    per_process: int | None
    lease: Seconds | None
    has: Names | None
    name: str | None
    grace: float
    memory: int | None
    hooks: Sequence[Hooks]
    #: Calls of hooks in this process.
    outcomes: Outcomes
    #: The attempts that the worker holds, by their numbers. Use `list(attempts.values())`, which is atomic.
    attempts: dict[int, HeldAttempt] = field(default_factory=dict)
    #: Number of attempts that have ended.
    done: int = 0
    #: Times of the last failed attempts on the monotonic clock.
    failures: deque[float] = field(default_factory=lambda: deque(maxlen=10_000))
    #: Attempts whose end must be sent, and wake-ups of the main loop (None).
    events: queue.SimpleQueue[tuple[HeldAttempt, Ending] | None] = field(default_factory=queue.SimpleQueue)
    #: `finish`: the running tasks end; `release`: they are given back; None: the worker takes tasks.
    stopping: Literal["finish", "release"] | None = None
    #: Set at the end of the worker.
    over: threading.Event = field(default_factory=threading.Event)
    #: Set to renew all leases now, to send a report now, and while the main loop waits for tasks.
    heartbeat_due: threading.Event = field(default_factory=threading.Event)
    report_due: threading.Event = field(default_factory=threading.Event)
    tasks_wanted: threading.Event = field(default_factory=threading.Event)
    #: True while signals stop the worker.
    hears_signals: bool = False
    #: True if the server has woken the worker since its last request for tasks.
    woken: bool = False

    @property
    def capacity(self) -> int:
        """Maximum number of tasks that run in a process at the same time."""
        return 1 if self.mode == "process" else self.slots

    @property
    def failed(self) -> int:
        """Number of failed attempts that the reports of the worker count."""
        since = time.monotonic() - contract.FAILURES_COUNTED
        return sum(at > since for at in list(self.failures))

    def stop(self, release: bool = False) -> None:
        # Also called from a signal handler, so nothing here waits for a lock.
        self.stopping = "release" if release or self.stopping == "release" else "finish"
        self.events.put(None)

    def drain(self) -> None:
        """Stops the worker because the server ordered this."""
        if not self.stopping:
            log.info("is ordered to drain")
            self.stop()

    def insist(self, call: Call[T], or_stop: bool = False) -> T:
        """Repeats a call until the server has acknowledged it, because hours of work may depend on the call.

        or_stop: The call is not repeated after the order to stop, or after a failed login.
        """
        while True:
            try:
                return self.link.run(call)
            except BluequeError as error:
                if not passes(error) or (or_stop and (self.stopping or not error.transient)):
                    raise
                log.warning("the server is away: %s", error)
                time.sleep(contract.CALL_AGAIN)


def passes(error: BluequeError) -> bool:
    """Returns true if a retry may succeed. This includes failed logins, because passwords may change."""
    return error.transient or isinstance(error, ConnectionFailed)
