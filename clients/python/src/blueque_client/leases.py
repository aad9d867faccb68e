"""The leases of a worker's attempts: heartbeats renew the leases, and attempts that must stop are stopped."""

from __future__ import annotations

import signal
import threading

from . import calls, contract
from .errors import BluequeError
from .held_attempts import HeldAttempt, HeldAttempts
from .logs import log
from .messages import now
from .process_pool import ProcessPool
from .shutdown import Shutdown
from .worker_settings import WorkerSettings

#: Seconds between two checks of all attempts.
LOOK = 0.2


class Leases:
    """Renews leases, and enforces orders and limits."""

    def __init__(self, settings: WorkerSettings, attempts: HeldAttempts, shutdown: Shutdown, pool: ProcessPool) -> None:
        self._settings, self._attempts, self._shutdown, self._pool = settings, attempts, shutdown, pool
        #: Set to renew all leases now.
        self.due = threading.Event()

    def renew(self) -> None:
        """Renews leases until the end of the worker."""
        due: dict[tuple[str, float], float] = {}
        while not self._shutdown.over.is_set():
            if hurry := self.due.wait(LOOK):
                self.due.clear()
            groups: dict[tuple[str, float], list[HeldAttempt]] = {}
            for held in self._attempts.all():
                groups.setdefault((held.item.queue, held.lease), []).append(held)
            for group, members in groups.items():
                if hurry or now() >= due.setdefault(group, now() + group[1] / contract.HEARTBEATS_PER_LEASE):
                    due[group] = now() + group[1] / contract.HEARTBEATS_PER_LEASE
                    most = contract.TASKS_OF_HEARTBEAT
                    for first in range(0, len(members), most):
                        if not self._heartbeat(*group, members[first : first + most]):
                            due[group] = now() + contract.CALL_AGAIN
            due = {group: at for group, at in due.items() if group in groups}

    def _heartbeat(self, name: str, lease: float, members: list[HeldAttempt]) -> bool:
        sent = now()
        each = [calls.HeartbeatEach(held.id, held.token) for held in members]
        try:
            call = calls.heartbeat(name, self._settings.listener, lease, each)
            reply = self._settings.link.run(call, limit=max(lease / contract.HEARTBEAT_PART, 1))
        except BluequeError as error:
            log.warning("no heartbeat: %s", error)
            return False
        for held, order in zip(members, reply.items):
            if order not in ("lost", "kill"):
                held.renewed = sent
            if order == "drain":
                self._shutdown.drain()
            elif order != "continue" and held.ending is None:
                # After a loss another owner may already have the task.
                held.stop(order, at_once=order in ("lost", "kill"))
        for process in {held.process for held in members if held.process}:
            self._pool.renewed(process)
        return True

    def watch(self) -> None:
        """Enforces orders, limits and leases. Heartbeats have their own thread, because they may wait for the
        server."""
        while not self._shutdown.over.wait(LOOK):
            for held in self._attempts.all():
                self._watch(held)

    def _watch(self, held: HeldAttempt) -> None:
        """Enforces the limits of an attempt, by signals if it does not stop."""
        if held.ending is not None or held.process is None:
            return
        left = held.renewed + held.lease - now()
        if left <= 0 or (left <= min(self._settings.grace, held.lease / 6) and not held.order):
            held.stop("lost")
        if held.time_limit and not held.order and now() - held.began > held.time_limit:
            held.stop("timeout")
        if self._shutdown.how == "release" and not held.order:
            held.stop("drain")
        if not held.order:
            return
        since = now() - held.ordered
        if held.force < 2 and since > self._settings.grace / 2:
            held.force = 2
            self._pool.signal(held, signal.SIGTERM)
        # When a lost lease has passed, the next owner may run the task.
        if since > self._settings.grace or (held.order == "lost" and left <= 0):
            held.force = 3
            self._pool.signal(held, signal.SIGKILL)
