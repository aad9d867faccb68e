"""Wake-ups by the server: a new task for an idle worker, or an order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from . import contract
from .replies import TROUBLE
from .shutdown import Shutdown
from .worker_settings import WorkerSettings


class WakeUps:
    """Waits for tasks while a slot is free.

    free: Returns true if the worker can take a task.
    wake: Wakes the main loop.
    """

    def __init__(
        self, settings: WorkerSettings, shutdown: Shutdown, free: Callable[[], bool], wake: Callable[[], None]
    ) -> None:
        self._settings, self._shutdown, self._free, self._wake = settings, shutdown, free, wake
        #: Set while the main loop waits for tasks.
        self.wanted = threading.Event()
        self._woken = False

    def take(self) -> bool | None:
        """Returns true once after a wake-up, otherwise None."""
        woken, self._woken = self._woken, False
        return woken or None

    def wait(self) -> None:
        """Waits for wake-ups until the end of the worker."""
        link, queues, over = self._settings.link, self._settings.queues, self._shutdown.over
        while not over.is_set():
            self.wanted.wait()
            self.wanted.clear()
            if over.is_set():
                return
            try:
                if lists := queues.lists():
                    woken = link.server.blpop(lists, timeout=link.longest_wait)
                else:
                    woken = over.wait(contract.CALL_AGAIN)
            except TROUBLE:
                over.wait(contract.CALL_AGAIN)
                continue
            if woken and not self._free():
                with suppress(*TROUBLE):  # for another listener
                    link.server.lpush(woken[0], 1)
                    link.server.expire(woken[0], contract.WAKE_UP_EXPIRES)  # perhaps no listener is left
            elif woken:
                self._woken = True
            self._wake()


def await_orders(settings: WorkerSettings, shutdown: Shutdown, due: Sequence[threading.Event]) -> None:
    """Sets the events when an order is announced: heartbeats and reports return orders, and need not wait for their
    intervals."""
    link, queues = settings.link, settings.queues
    channels = [f"{link.namespace}_orders_{name}" for name in (["*"] if queues.by_pattern else queues.names)]
    while not shutdown.over.is_set():
        try:
            with link.server.pubsub(ignore_subscribe_messages=True) as pubsub:
                (pubsub.psubscribe if queues.by_pattern else pubsub.subscribe)(*channels)
                due[0].set()
                while not shutdown.over.is_set():
                    if pubsub.get_message(timeout=2):
                        for each in due:
                            each.set()
        except TROUBLE:
            shutdown.over.wait(contract.CALL_AGAIN)
