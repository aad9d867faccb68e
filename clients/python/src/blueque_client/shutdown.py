"""The shutdown of a worker, which every part of the worker observes."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .logs import log


class Shutdown:
    """The order to stop, and the end of the worker.

    wake: Wakes the main loop.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        #: `finish`: the running tasks end; `release`: they are given back; None: the worker takes tasks.
        self.how: str | None = None
        #: Set at the end of the worker.
        self.over = threading.Event()

    def request(self, release: bool = False) -> None:
        """Stops the worker."""
        # Also called from a signal handler, so nothing here waits for a lock.
        self.how = "release" if release or self.how == "release" else "finish"
        self._wake()

    def drain(self) -> None:
        """Stops the worker at an order of the server."""
        if not self.how:
            log.info("was told to drain")
            self.request()
