"""Reports of a worker to the server, log output of its attempts, and maintenance."""

from __future__ import annotations

import time
from collections.abc import Callable

from . import calls, contract
from .errors import BluequeError
from .logs import log
from .sync.schedule import supply_times
from .version import VERSION
from .worker_state import WorkerState


def send_reports(state: WorkerState) -> None:
    """Sends reports until the end of the worker."""
    while not state.over.is_set():
        if state.report_due.wait(_done_or_again(lambda: _report(state))):
            state.report_due.clear()


def maintain(state: WorkerState) -> None:
    """Does the maintenance until the end of the worker."""
    ahead, read = 0.0, float(-contract.CLOCK_EVERY)
    unread: set[str] = set()

    def once() -> float:
        """Returns the seconds until the next maintenance. The server and this host may have different clocks."""
        nonlocal ahead, read
        if time.monotonic() > read + contract.CLOCK_EVERY:
            ahead, read = state.link.run(calls.handshake()).now - time.time(), time.monotonic()
        after = float(contract.MAINTENANCE_EVERY)
        for queues in state.queues.to_keep():
            reply = state.link.run(calls.maintenance(queues))
            if reply.trouble:
                log.warning("maintenance: %s", reply.trouble)
            for text in set(supply_times(state.link, reply.items)) - unread:
                unread.add(text)
                log.warning("%s", text)
            after = min(after, 0.0 if reply.more else max(reply.next - ahead - time.time(), 0.05))
        return after

    while not state.over.wait(_done_or_again(once)):
        pass


def _done_or_again(work: Callable[[], float]) -> float:
    """Calls `work`, which returns the seconds until its next call. After an error the next call is soon."""
    try:
        return work()
    except BluequeError as error:
        log.warning("%s", error)
        return contract.REPORT_AGAIN


def _report(state: WorkerState) -> float:
    queues = state.queues
    orders = state.link.run(
        calls.report(
            state.listener,
            state.slots,
            max(state.slots - len(state.attempts), 0),
            queues.now,
            has=state.has,
            name=state.name,
            version=f"python-{VERSION}",
            draining=state.stopping is not None,
            failed=state.failed,
            methods=list(state.functions),
            patterns=",".join(queues.names) if queues.by_pattern else None,
        )
    )
    if "drain" in orders:
        state.drain()
    return contract.REPORT_EVERY


def send_logs(state: WorkerState, every_second: Callable[[], object]) -> None:
    """Sends the log output of functions each second until the end of the worker."""
    while not state.over.wait(1):
        for held in list(state.attempts.values()):
            held.send_log(state.link)
        every_second()
