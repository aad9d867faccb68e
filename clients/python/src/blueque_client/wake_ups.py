"""Wake-ups by the server: a new task for an idle worker, or an order."""

from __future__ import annotations

from contextlib import suppress

from . import contract
from .replies import TROUBLE
from .worker_state import WorkerState


def await_tasks(state: WorkerState) -> None:
    """Wakes the main loop at each new task, until the end of the worker."""
    link, over = state.link, state.over
    while not over.is_set():
        state.tasks_wanted.wait()
        state.tasks_wanted.clear()
        if over.is_set():
            return
        try:
            woken = None
            if lists := state.queues.lists():
                woken = link.server.blpop(lists, timeout=link.longest_wait)
            else:
                over.wait(contract.CALL_AGAIN)
        except TROUBLE:
            over.wait(contract.CALL_AGAIN)
            continue
        if woken and (state.stopping or len(state.attempts) >= state.slots):
            with suppress(*TROUBLE):  # for another listener
                link.server.lpush(woken[0], 1)
                link.server.expire(woken[0], contract.WAKE_UP_EXPIRES)  # there may be no other listener
        elif woken:
            state.woken = True
        state.events.put(None)


def await_orders(state: WorkerState) -> None:
    """Sends heartbeats and reports early when an order is announced, because their replies have the orders."""
    link, queues, over = state.link, state.queues, state.over
    channels = [f"{link.namespace}_orders_{name}" for name in (["*"] if queues.by_pattern else queues.names)]
    while not over.is_set():
        try:
            with link.server.pubsub(ignore_subscribe_messages=True) as pubsub:
                (pubsub.psubscribe if queues.by_pattern else pubsub.subscribe)(*channels)
                state.heartbeat_due.set()
                while not over.is_set():
                    if pubsub.get_message(timeout=2):
                        state.heartbeat_due.set()
                        state.report_due.set()
        except TROUBLE:
            over.wait(contract.CALL_AGAIN)
