"""The leases of a worker's attempts: heartbeats renew the leases, and attempts that must stop are stopped."""

from __future__ import annotations

import signal
from typing import Any

from . import calls, contract
from .errors import BluequeError
from .held_attempts import HeldAttempt
from .logs import log
from .messages import now
from .process_pool import ProcessPool
from .worker_state import WorkerState

#: Seconds between two checks of all attempts.
CHECK_EVERY = 0.2

#: Answer to requests that a worker for functions cannot carry out.
REFUSAL = "this worker runs the task as a function: it cannot be suspended, signalled or described"


def renew(state: WorkerState, pool: ProcessPool) -> None:
    """Renews leases until the end of the worker."""
    due: dict[tuple[str, float], float] = {}
    while not state.over.is_set():
        if hurry := state.heartbeat_due.wait(CHECK_EVERY):
            state.heartbeat_due.clear()
        groups: dict[tuple[str, float], list[HeldAttempt]] = {}
        for held in list(state.attempts.values()):
            groups.setdefault((held.item.queue, held.lease), []).append(held)
        for group, members in groups.items():
            interval = group[1] / contract.HEARTBEATS_PER_LEASE
            if hurry or now() >= due.setdefault(group, now() + interval):
                due[group] = now() + interval
                most = contract.TASKS_OF_HEARTBEAT
                for first in range(0, len(members), most):
                    if not _heartbeat(state, pool, *group, members[first : first + most]):
                        due[group] = now() + contract.CALL_AGAIN
        due = {group: at for group, at in due.items() if group in groups}


def _heartbeat(state: WorkerState, pool: ProcessPool, queue: str, lease: float, members: list[HeldAttempt]) -> bool:
    sent = now()
    each = [calls.HeartbeatEach(held.id, held.token) for held in members]
    try:
        call = calls.heartbeat(queue, state.listener, lease, each)
        reply = state.link.run(call, limit=max(lease / contract.HEARTBEAT_PART, 1))
    except BluequeError as error:
        log.warning("no heartbeat: %s", error)
        return False
    for held, order in zip(members, reply.items):
        if order not in ("lost", "kill"):
            held.renewed = sent
        if order == "drain":
            state.drain()
        elif order == "attend":
            _refuse(state, held)
        elif order != "continue" and held.ending is None:
            # After a loss another owner may already have the task.
            held.stop(order, at_once=order in ("lost", "kill"))
    for process in {held.process for held in members if held.process}:
        pool.renewed(process)
    return True


def _refuse(state: WorkerState, held: HeldAttempt) -> None:
    """Answers the requests to suspend or to signal a task: its process also serves the worker, or other tasks."""
    answer: dict[str, Any] = {}
    try:
        for _ in range(contract.CONTROLS + 1):
            request = state.link.run(calls.attend(held.id, held.token, **answer))
            if request is None:
                return
            answer = {"answered": request.number, "refused": REFUSAL}
    except BluequeError as error:
        log.warning("a request to task %s is not answered: %s", held.id, error)


def enforce(state: WorkerState, pool: ProcessPool) -> None:
    """Enforces orders, limits and leases. Heartbeats have their own thread, because they may wait for the server."""
    while not state.over.wait(CHECK_EVERY):
        for held in list(state.attempts.values()):
            if held.ending is None and held.process:
                _enforce(state, pool, held)


def _enforce(state: WorkerState, pool: ProcessPool, held: HeldAttempt) -> None:
    """Enforces the limits of an attempt, by signals if it does not stop."""
    left = held.renewed + held.lease - now()
    if left <= 0 or (left <= min(state.grace, held.lease / 6) and not held.order):
        held.stop("lost")
    if held.time_limit and not held.order and now() - held.began > held.time_limit:
        held.stop("timeout")
    if held.no_progress and not held.order and now() - held.seen > held.no_progress:
        held.stalled = True
        held.stop("timeout")
    if state.stopping == "release" and not held.order:
        held.stop("drain")
    if not held.order:
        return
    since = now() - held.ordered
    if held.force < 2 and since > state.grace / 2:
        held.force = 2
        pool.signal(held, signal.SIGTERM)
    # After a lost lease expires, the next owner may run the task.
    if since > state.grace or (held.order == "lost" and left <= 0):
        held.force = 3
        pool.signal(held, signal.SIGKILL)
