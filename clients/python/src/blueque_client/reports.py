"""Reports of a worker to the server, log output of its attempts, and maintenance."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from . import calls, contract
from .errors import BluequeError
from .held_attempts import HeldAttempts
from .logs import log
from .shutdown import Shutdown
from .sync import Link
from .version import VERSION
from .worker_settings import WorkerSettings


class Reports:
    """Sends reports and does the maintenance."""

    def __init__(self, settings: WorkerSettings, attempts: HeldAttempts, shutdown: Shutdown) -> None:
        self._settings, self._attempts, self._shutdown = settings, attempts, shutdown
        #: Set to send a report now.
        self.due = threading.Event()
        self._ahead, self._clock_read = 0.0, 0.0

    def send(self) -> None:
        """Sends reports and does the maintenance until the end of the worker."""
        due = {self._report: 0.0, self._maintenance: 0.0}
        while not self._shutdown.over.is_set():
            for job, at in list(due.items()):
                if not time.time() < at < time.time() + 2 * contract.REPORT_EVERY:  # the clock may have been set back
                    try:
                        due[job] = job()
                    except BluequeError as error:
                        log.warning("%s", error)
                        due[job] = time.time() + contract.REPORT_AGAIN
            if self.due.wait(min(max(min(due.values()) - time.time(), 0.01), 2)):
                self.due.clear()
                due[self._report] = 0

    def _report(self) -> float:
        settings, queues = self._settings, self._settings.queues
        orders = settings.link.run(
            calls.report(
                settings.listener,
                settings.slots,
                max(settings.slots - len(self._attempts), 0),
                queues.now,
                has=settings.has,
                name=settings.name,
                version=f"python-{VERSION}",
                draining=self._shutdown.how is not None,
                methods=list(settings.functions),
                patterns=",".join(queues.names) if queues.by_pattern else None,
            )
        )
        if "drain" in orders:
            self._shutdown.drain()
        return time.time() + contract.REPORT_EVERY

    def _clock(self) -> float:
        """The seconds by which the server's clock is ahead of this host's."""
        if not self._clock_read or time.monotonic() > self._clock_read + contract.CLOCK_EVERY:
            self._ahead = self._settings.link.run(calls.handshake()).now - time.time()
            self._clock_read = time.monotonic()
        return self._ahead

    def _maintenance(self) -> float:
        ahead = self._clock()
        due = time.time() + contract.MAINTENANCE_EVERY
        for queues in self._settings.queues.to_keep():
            reply = self._settings.link.run(calls.maintenance(queues))
            if reply.trouble:
                log.warning("maintenance: %s", reply.trouble)
            due = min(due, time.time() if reply.more else max(reply.next - ahead, time.time() + 0.05))
        return due


def send_logs(link: Link, attempts: HeldAttempts, shutdown: Shutdown, every_second: Callable[[], None]) -> None:
    """Sends the log output of functions each second until the end of the worker."""
    while not shutdown.over.wait(1):
        for held in attempts.all():
            held.send_log(link)
        every_second()
