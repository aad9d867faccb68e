"""The settings of a worker, and the objects that all its parts use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .queue_choice import QueueChoice
from .sync import Link
from .task_functions import TaskFunction
from .task_process import Mode
from .wire import Names, Seconds


@dataclass(frozen=True)
class WorkerSettings:
    """The settings of a worker, as in `Worker`."""

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

    @property
    def capacity(self) -> int:
        """Maximum number of tasks that run in a process at the same time."""
        return 1 if self.mode == "process" else self.slots
