"""The main loop of a worker: sends ends and takes the next tasks, in one call if possible."""

from __future__ import annotations

import logging
import os
import queue
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from . import calls, contract, ends
from .endings import Ending
from .errors import BluequeError
from .held_attempts import HeldAttempt, sent
from .logs import log, say
from .messages import now
from .process_pool import ProcessPool
from .worker_state import WorkerState

#: Fields of a task's record.
ABOUT = ("method", "max_run", "no_progress")


class MainLoop:
    """Sends ends and takes tasks."""

    def __init__(self, state: WorkerState, pool: ProcessPool) -> None:
        self._state, self._pool, self._queues = state, pool, state.queues

    def run(self) -> None:
        """Returns after the order to stop, when all attempts have ended."""
        state, look, logged = self._state, True, None
        while True:
            if state.stopping != logged:
                logged = state.stopping
                log.info("%s", _reaction(state))
                state.report_due.set()
            batch: list[tuple[HeldAttempt, Ending]] = []
            size = 0
            with suppress(queue.Empty):
                while len(batch) < contract.ENDS_OF_CALL and size < contract.CALL_BYTES:
                    event = state.events.get_nowait()
                    look = True
                    if event:
                        batch.append(event)
                        size += len(event[1].body)
            rests = self._pool.rests_until - now()
            free = 0
            if not state.stopping and rests <= 0:
                free = min(state.slots - len(state.attempts) + len(batch), contract.ENDS_OF_CALL)
            if batch or (free and look):
                taken = self._finish_and_reserve(batch, free)
                # The known queues may have no tasks left, while other queues have tasks.
                look = bool(taken) or (bool(batch) and self._queues.by_pattern)
            elif state.stopping and not state.attempts:
                return
            else:
                if free:
                    state.tasks_wanted.set()
                with suppress(queue.Empty):
                    state.events.put(state.events.get(timeout=min(rests, 5) if rests > 0 else 5))
                look = True

    def _finish_and_reserve(self, given: list[tuple[HeldAttempt, Ending]], free: int) -> Sequence[Any]:
        state = self._state
        batch = ends.send_large(state, given)
        if not batch:
            return self._reserve(free)
        woken = self._woken() if free else None
        queues = self._queues.now if free and self._looks(woken) else []
        sent_at = now()
        try:
            # An end that cannot be sent is refused before the call.
            call = calls.finish_and_reserve(
                state.listener,
                ",".join(queues),
                max(free, 1),
                [ends.entry_of(*end) for end in batch],
                pid=os.getpid(),
                lease=state.lease,
                woken=woken if queues else None,
            )
            reply = state.insist(call.once())
        except BluequeError as error:
            log.error("the ends are refused together: %s", error)
            for end in batch:
                ends.send(state, *end)
            return self._reserve(free)
        for end, verdict in zip(batch, (reply.verdicts or "").split()):
            ends.sent(state, *end, verdict)
        if reply.refusal:
            self._refused(reply.refusal)
        return self._begin(reply.items, sent_at)

    def _reserve(self, free: int) -> Sequence[Any]:
        state = self._state
        if not free:
            return []
        sent_at = now()
        woken = self._woken()
        found = self._looks(woken, fresh=True)
        try:
            while found:
                call = calls.reserve(
                    state.listener, self._queues.now, limit=free, pid=os.getpid(), lease=state.lease, woken=woken
                )
                if taken := state.insist(call.once(), or_stop=True):
                    return self._begin(taken, sent_at)
                found = self._queues.by_pattern and self._queues.more()
        except BluequeError as error:
            self._refused(error.code)
            log.error("takes no tasks: %s", error)
            state.over.wait(contract.CALL_AGAIN)
        return []

    def _woken(self) -> bool | None:
        """Returns true once after a wake-up, otherwise None."""
        woken, self._state.woken = self._state.woken, False
        return woken or None

    def _looks(self, woken: bool | None, fresh: bool = False) -> bool:
        """Returns true if there are queues to ask."""
        try:
            return self._queues.look(woken, fresh)
        except BluequeError as error:
            log.warning("finds no queues: %s", error)
            return False

    def _refused(self, code: str) -> None:
        """Reacts to the error code of a call that takes tasks."""
        if code == "NOLISTENER":
            with suppress(BluequeError):
                self._queues.register()
        elif code == "DRAINING":
            self._state.drain()

    def _begin(self, items: Sequence[Any], sent_at: float) -> Sequence[Any]:
        """Begins the taken tasks, and returns them."""
        records = self._records(items)
        for item in items:
            renewed = self._still_held(item, sent_at)
            if renewed is not None:
                self._pool.begin(item, records[item.id], renewed)
        return items

    def _still_held(self, item: Any, sent_at: float) -> float | None:
        """Returns the time of the last renewal of a taken task's lease; None if another owner has the task. The reply
        may be old because the server was away, or this process was frozen."""
        lease = item.lease / 1e6
        while now() - sent_at > lease / contract.HEARTBEATS_PER_LEASE:
            sent_at = now()
            each = [calls.HeartbeatEach(sent(item.id), item.token)]
            reply = self._state.insist(calls.heartbeat(item.queue, self._state.listener, lease, each))
            if reply.items[0] in ("lost", "kill"):
                say(item, None, logging.WARNING, "was lost before it began")
                return None
        return sent_at

    def _records(self, items: Sequence[Any]) -> dict[str, dict[str, bytes]]:
        """Reads the fields of tasks that a reservation does not return."""
        found: dict[str, dict[str, bytes]] = {}
        link = self._state.link
        # Reading some fields of a record costs a tenth of reading the record. After an error the whole record is read.
        with suppress(Exception), link.server.pipeline(transaction=False) as pipeline:
            for item in items:
                pipeline.hmget(sent(f"{link.namespace}_task_{item.id}"), *ABOUT)
            for item, values in zip(items, pipeline.execute() if items else ()):
                found[item.id] = {name: value for name, value in zip(ABOUT, values) if value is not None}
            return found
        while left := [sent(item.id) for item in items if item.id not in found]:
            found.update((str(each.id), each.extra) for each in self._state.insist(calls.get_many(left)))
        return found


def _reaction(state: WorkerState) -> str:
    """Describes the reaction to the order to stop, for people."""
    count = len(state.attempts)
    if not count:
        return "takes no more tasks"
    tasks = "1 task" if count == 1 else f"{count} tasks"
    if state.stopping == "release":
        return f"gives back {tasks}"
    again = "; a second signal gives back what runs" if state.hears_signals else ""
    return f"takes no more, finishes {tasks}{again}"
