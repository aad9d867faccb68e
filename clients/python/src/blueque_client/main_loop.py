"""The main loop of a worker: sends ends and takes the next tasks, in one call if possible."""

from __future__ import annotations

import logging
import os
import queue
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from . import calls, contract
from .ends import Ends, entry_of
from .errors import BluequeError
from .held_attempts import HeldAttempt, HeldAttempts, sent
from .logs import log, say
from .messages import now
from .process_pool import ProcessPool
from .repeated_calls import insist
from .shutdown import Shutdown
from .task_process import Ending
from .wake_ups import WakeUps
from .worker_settings import WorkerSettings

#: Fields of a task's record.
ABOUT = ("method", "tags")


class MainLoop:
    """Sends ends and takes tasks.

    events: Attempts with their ends, and wake-ups (None).
    stopping: Called after each order to stop.
    """

    def __init__(
        self,
        settings: WorkerSettings,
        attempts: HeldAttempts,
        shutdown: Shutdown,
        pool: ProcessPool,
        wake_ups: WakeUps,
        events: queue.SimpleQueue[tuple[HeldAttempt, Ending] | None],
        stopping: Callable[[], None],
    ) -> None:
        self._settings, self._attempts, self._shutdown, self._pool = settings, attempts, shutdown, pool
        self._wake_ups, self._events, self._stopping = wake_ups, events, stopping
        self._link, self._queues, self._listener = settings.link, settings.queues, settings.listener
        self._lease = settings.lease
        self.ends = Ends(settings.link, attempts)

    def run(self) -> None:
        """Returns after the order to stop, when all attempts have ended."""
        look, told = True, None
        while True:
            if self._shutdown.how != told:
                told = self._shutdown.how
                self._stopping()
            ends: list[tuple[HeldAttempt, Ending]] = []
            size = 0
            while len(ends) < contract.ENDS_OF_CALL and size < contract.CALL_BYTES:
                try:
                    event = self._events.get_nowait()
                except queue.Empty:
                    break
                look = True
                if event:
                    ends.append(event)
                    size += len(event[1].body)
            rests = self._pool.rests_until - now()
            free = (
                0
                if self._shutdown.how or rests > 0
                else min(self._settings.slots - len(self._attempts) + len(ends), contract.ENDS_OF_CALL)
            )
            if ends or (free and look):
                taken = self._finish_and_reserve(ends, free)
                # The queues found before may have no tasks left, while other queues have.
                look = bool(taken) or (bool(ends) and self._queues.by_pattern)
            elif self._shutdown.how and not self._attempts:
                return
            else:
                if free:
                    self._wake_ups.wanted.set()
                with suppress(queue.Empty):
                    event = self._events.get(timeout=min(rests, 5) if rests > 0 else 5)
                    self._events.put(event)
                look = True

    def _finish_and_reserve(self, ends: list[tuple[HeldAttempt, Ending]], free: int) -> Sequence[Any]:
        batch = self.ends.send_large(ends)
        if not batch:
            return self._reserve(free)
        woken = self._wake_ups.take() if free else None
        queues = self._queues.now if free and self._looks(woken) else []
        sent_at = now()
        try:
            # An end that cannot be sent is refused before the call.
            call = calls.finish_and_reserve(
                self._listener,
                ",".join(queues),
                max(free, 1),
                [entry_of(*end) for end in batch],
                pid=os.getpid(),
                lease=self._lease,
                woken=woken if queues else None,
            )
            reply = insist(self._link, call.once())
        except BluequeError as error:
            log.error("the ends are refused together: %s", error)
            for held, ending in batch:
                self.ends.send(held, ending)
            return self._reserve(free)
        for (held, ending), verdict in zip(batch, (reply.verdicts or "").split()):
            self.ends.sent(held, ending, verdict)
        if reply.refusal:
            self._refused(reply.refusal)
        return self._begin(reply.items, sent_at)

    def _reserve(self, free: int) -> Sequence[Any]:
        if not free:
            return []
        sent_at = now()
        woken = self._wake_ups.take()
        found = self._looks(woken, fresh=True)
        try:
            while found:
                call = calls.reserve(
                    self._listener,
                    self._queues.now,
                    limit=free,
                    pid=os.getpid(),
                    lease=self._lease,
                    woken=woken,
                )
                if taken := insist(self._link, call.once(), until=self._shutdown):
                    return self._begin(taken, sent_at)
                found = self._queues.by_pattern and self._queues.more()
        except BluequeError as error:
            self._refused(error.code)
            log.error("takes no tasks: %s", error)
            self._shutdown.over.wait(contract.CALL_AGAIN)
        return []

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
            self._shutdown.drain()

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
            reply = insist(self._link, calls.heartbeat(item.queue, self._listener, lease, each))
            if reply.items[0] in ("lost", "kill"):
                say(item, None, logging.WARNING, "was lost before it began")
                return None
        return sent_at

    def _records(self, items: Sequence[Any]) -> dict[str, dict[str, bytes]]:
        """Reads the fields of tasks that a reservation does not return."""
        found: dict[str, dict[str, bytes]] = {}
        # Reading two fields of a record costs a tenth of reading the record. After an error the whole record is read.
        with suppress(Exception), self._link.server.pipeline(transaction=False) as pipeline:
            for item in items:
                pipeline.hmget(sent(f"{self._link.namespace}_task_{item.id}"), *ABOUT)
            for item, values in zip(items, pipeline.execute() if items else ()):
                found[item.id] = {name: value for name, value in zip(ABOUT, values) if value is not None}
            return found
        while left := [sent(item.id) for item in items if item.id not in found]:
            found.update((each.id, each.extra) for each in insist(self._link, calls.get_many(left)))
        return found
