# Made by generate.py from aio/schedule.py; do not edit.

"""A schedule: a task at intervals, or by cron."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from .. import calls, contract
from ..cron import Cron
from ..errors import InvalidCall, NotFound
from ..wire import random_id
from .link import Link
from .task import Task


class Schedule:
    """A schedule by its name."""

    def __init__(self, link: Link, name: str) -> None:
        self._link = link
        self.name = name

    def __repr__(self) -> str:
        return f"Schedule({self.name!r})"

    def info(self) -> calls.ShowScheduleReply:
        """The record of the schedule: its tasks, its times, and its results so far."""
        return self._link.run(calls.show_schedule(self.name))

    def run(self) -> Task[Any]:
        """Creates a task now, in addition to its fire times."""
        reply = self._link.make(calls.run_schedule(self.name, random_id(), by=self._link.by))
        return Task(self._link, reply.id)

    def pause(self, reason: str = "", *, by: str | None = None) -> None:
        """Pauses the schedule: no tasks are created."""
        self._link.run(calls.pause_schedule(self.name, by or self._link.by or "python", reason))

    def resume(self) -> None:
        """Resumes the schedule."""
        self._link.run(calls.resume_schedule(self.name, by=self._link.by))

    def remove(self) -> None:
        """Removes the schedule; its tasks stay."""
        self._link.make(calls.unschedule(self.name, by=self._link.by))


def supply_times(link: Link, schedules: Iterable[calls.MaintenanceItem]) -> list[str]:
    """Supplies the next fire times of cron schedules that have few left. If this host cannot compute the times
    of a schedule, another client supplies them. Returns the reasons."""
    unread = []
    for each in schedules:
        try:
            times = Cron.read(each.recurrence).times(each.after, contract.SLOTS_AHEAD)
        except (InvalidCall, ValueError) as error:
            unread.append(f"the schedule {each.name} gets no fire times from this worker: {error}")
            continue
        with suppress(NotFound):  # it was removed
            link.run(calls.supply_times(each.name, each.recurrence, each.after, times))
    return unread
