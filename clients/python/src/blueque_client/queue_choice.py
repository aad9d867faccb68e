"""The queues from which a worker takes tasks: named queues, or queues that match patterns and have tasks."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from . import calls, contract
from .errors import InvalidCall, NotFound
from .sync import Link
from .wire import Names


class QueueChoice:
    """The queues of a worker.

    names: Names of queues; or patterns, if a name contains a `*` or a `!`: `["video-*", "!video-test"]`.
    """

    def __init__(self, link: Link, listener: str, names: Sequence[str], has: Names | None) -> None:
        self._link, self._listener, self._has = link, listener, has
        self.names = list(names)
        self.by_pattern = any("*" in name or name.startswith("!") for name in self.names)
        if self.by_pattern and all(name.startswith("!") for name in self.names):
            raise InvalidCall("BADARG", "these patterns only leave queues out: add one for those to take, such as *.")
        #: The queues of the next call for tasks.
        self.now: list[str] = [] if self.by_pattern else self.names
        #: The queues on which the worker is registered.
        self.known: set[str] = set()
        self._list: str | None = None
        self._next = "0"
        self._at: float = -contract.QUEUES_FRESH
        self._lock = threading.Lock()

    def register(self) -> None:
        """Registers the worker, also after the server has removed it. With patterns: on the queues in which it has
        found tasks."""
        for name in sorted(self.known) if self.by_pattern else self.names:
            self._link.run(calls.register(name, self._listener, has=self._has))
            self.known.add(name)

    def unregister(self) -> None:
        for name in sorted(self.known):
            try:
                self._link.run(calls.unregister(name, self._listener), limit=2)
            except NotFound:  # the queue was removed
                continue

    def look(self, woken: bool | None, fresh: bool = False) -> bool:
        """Asks the server which queues have tasks, unless the last reply is recent. Returns true if any has tasks."""
        if self.by_pattern and (fresh or woken or not self.now or time.monotonic() - self._at > contract.QUEUES_FRESH):
            self._page("0", woken)
            return bool(self.now) or self.more()
        return bool(self.now)

    def more(self) -> bool:
        """Continues with the next queues. Returns true if there are any."""
        for _ in range(contract.EMPTY_PAGES):
            if self._next == "0":
                return False
            self._page(self._next, None)
            if self.now:
                return True
        return False

    def _page(self, cursor: str, woken: bool | None) -> None:
        found = self._link.run(
            calls.ready(self._listener, cursor, contract.QUEUES_OF_WORKER, self.names, has=self._has, woken=woken)
        )
        with self._lock:
            self.now = [each.queue for each in found.items]
            self.known.update(self.now)
            self._list, self._next, self._at = found.list_, found.cursor, time.monotonic()

    def lists(self) -> list[str]:
        """The lists on which the worker waits for a task of any queue. Empty: the worker looks again after a second."""
        space = self._link.namespace
        if not self.by_pattern:
            return [f"{space}_wake_{name}" for name in self.names]
        return [f"{space}_{self._list}"] if self._list else []

    def to_keep(self) -> list[list[str]]:
        """The queues whose maintenance the worker does, in groups of the size of a call."""
        if not self.by_pattern:
            return [self.names]
        most = contract.QUEUES_FOUND
        live = self._link.items(lambda cursor: calls.ready(self._listener, cursor, most, self.names, live=True))
        names = list(dict.fromkeys(each.queue for each in live))
        # The namespace needs maintenance even without a queue.
        return [
            names[at : at + contract.QUEUES_OF_WORKER] for at in range(0, len(names), contract.QUEUES_OF_WORKER)
        ] or [[]]
