# Made by generate.py from aio/work_queue.py; do not edit.

"""A queue used like one of redis-work-queue: items are added, leased, completed and cleaned, without a worker."""

from __future__ import annotations

import os
import time
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

from .. import calls, contract
from ..errors import BluequeError, Lost, NotFound, Refused
from ..replies import TROUBLE
from ..wire import Seconds, random_id
from ..work_items import Lease, WorkItem, decode, encode
from .client import Client
from .link import pause

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The cap of losses that no task reaches.
UNLIMITED = 1_000_000_000
#: Maximum number of tries to add an item while others add and complete it at the same time.
TRIES = 10
#: The longest wait for a wake-up, in seconds: shorter than the time limit of a connection.
LONGEST_WAIT = 5


class WorkQueue:
    """A queue by its name, which may be any text. Its items are tasks with unlimited losses.

    The first lease registers a listener. `close` unregisters the listener; otherwise maintenance removes it later.

    keep_records: If true, records of completed items are kept for the time in the queue's settings.
    options: Options of the added items. With `max_losses`, `max_failures` and `max_releases` of 0 an item runs at most
      once.
    """

    def __init__(
        self, client: Client, name: str, *, keep_records: bool = False, **options: Unpack[calls.SubmitOptions]
    ) -> None:
        self._link = client.link
        self.queue = client.queue(encode(name))
        self.keep_records = keep_records
        self._options: calls.SubmitOptions = {"max_losses": UNLIMITED, **options}
        self._listener = f"work-queue.{uuid.uuid4()}_{os.getpid()}"
        self._registered = False

    def add_item(self, item: WorkItem) -> bool:
        """Adds an item and returns true; a finished item with this id is created again. Returns false and changes
        nothing if an unfinished item has this id."""
        name = encode(item.id)
        each = [calls.SubmitEach(name, None, item.data)]
        for _ in range(TRIES):
            outcomes = self._link.make(calls.submit(self.queue.name, each, **self._options))
            if outcomes != ["existing"]:
                return True
            info = self._link.run(calls.get(name))
            if info is None:
                continue
            if info.status is None or not contract.STATES[info.status].final:
                return False
            with suppress(NotFound, Refused):  # another client has already done this
                self._link.run(calls.delete(name))
        return False

    def lease(self, lease: Seconds, *, block: bool = True, timeout: float = 0) -> WorkItem | None:
        """Leases the next item for this time, 1 second to 7 days. Unless `block` is false, waits for an item for at
        most `timeout` seconds; 0: without a limit."""
        if not self._registered:
            self._link.run(calls.register(self.queue.name, self._listener))
            self._registered = True
        end = time.monotonic() + timeout if timeout else float("inf")
        request, woken = random_id(), False
        while True:
            take = calls.reserve(self._listener, [self.queue.name], lease=lease, request=request, woken=woken)
            try:
                taken = self._link.run(take)
            except Refused as error:
                if error.code != "NOLISTENER":
                    raise
                # The server has removed a listener that was silent for long, or has lost its data.
                self._link.run(calls.register(self.queue.name, self._listener))
                taken = self._link.run(take)
            if taken:
                task = taken[0]
                return WorkItem(task.parameters, decode(task.id), Lease(task.id, task.token))
            left = end - time.monotonic()
            if not block or left <= 0:
                return None
            woken = self._wait(min(left, LONGEST_WAIT))

    def _wait(self, seconds: float) -> bool:
        wakes = f"{self._link.namespace}_wake_{self.queue.name}"
        try:
            most = max(min(seconds, self._link.longest_wait), 0.01)
            return bool(self._link.server.blpop([wakes], timeout=most))
        except TROUBLE:
            pause(min(seconds, 0.5))
            return False

    def complete(self, item: WorkItem) -> bool:
        """Completes an item. Returns true once for each added item: for the owner of its latest lease."""
        lease = item.lease
        if lease is None or lease.ended:
            return False
        lease.ended = True
        try:
            outcome = self._link.run(calls.complete(lease.task, lease.token, b"null"))
        except (Lost, NotFound):
            return False
        except BaseException:
            lease.ended = False
            raise
        if outcome != "complete":
            return False
        if not self.keep_records:
            with suppress(BluequeError):  # the item is complete: retention deletes the rest
                self._link.run(calls.delete(lease.task))
        return True

    def queue_len(self) -> int:
        """The number of items that wait to be leased."""
        return (self.queue.counts()).pending

    def processing(self) -> int:
        """The number of leased items, including items with expired leases that no clean has given back."""
        counts = self.queue.counts()
        return counts.reserved + counts.started

    def light_clean(self) -> int:
        """Gives back the items whose leases have expired, and returns their number. If no process has used the
        namespace for a while, owners first get the time of a lease to report."""
        number = 0
        while True:
            orphans = self._link.run(calls.requeue_orphans(self.queue.name, 25))
            number += orphans.requeued
            if not orphans.more:
                return number

    def deep_clean(self) -> int:
        """Does a light clean, repairs data left by clients without the scripts, and deletes records according to the
        queue's settings. Returns the number of items given back, repairs and deleted records."""
        number, cursor = self.light_clean(), ""
        while True:
            repaired = self._link.run(calls.repair(self.queue.name, cursor, 200))
            number += repaired.repaired
            if not (cursor := repaired.cursor or ""):
                break
        while True:
            pruned = self._link.run(calls.prune(self.queue.name, 100))
            number += pruned.deleted
            if not pruned.more:
                return number

    def close(self) -> None:
        """Unregisters the listener, unless an item is still leased: then maintenance removes the listener later."""
        if self._registered:
            self._registered = False
            with suppress(Refused):
                self._link.run(calls.unregister(self.queue.name, self._listener))
