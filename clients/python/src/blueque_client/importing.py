"""Moves a live queue of redis-work-queue here, while its old workers finish what they have leased.

An item passes through extra lists next to the old lists, so that the importer may be killed at any moment:

1. `NAME:importing` has the items taken from the old lists. Each item is submitted here, due in the year 2100: no
   worker can run it, so it still exists if it is submitted a second time.
2. A single step moves the item to `NAME:imported` and deletes the old data.
3. The item becomes due, and leaves that list.

`NAME:refused` has the items that cannot be tasks; their data stay in place.
"""

from __future__ import annotations

import logging
import os
import re
import socket
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from redis import Redis, exceptions

from . import calls, contract
from .errors import BluequeError, InvalidCall, NotFound, Refused, Unavailable, Unsuitable, verdict
from .replies import TROUBLE, code_of
from .sync import Client
from .sync.work_queue import UNLIMITED
from .text import clean
from .work_items import encode

log = logging.getLogger("blueque.importing")
log.addFilter(clean)

#: The year 2100: the time at which an incompletely moved item is due.
FAR = 4_102_444_800
#: Maximum number of items of a step, and maximum number of their bytes.
MOST, MOST_BYTES = 100, 4 << 20
#: The lists of an old queue, and the lists that the import adds.
LISTS = ("queue", "processing", "cleaning", "importing", "imported", "refused")
#: Maximum number of submits of an item while others complete or delete a task with its id.
TRIES = 10

# KEYS: importing, imported, item, queue, processing, both leases. ARGV: the id, the data.
# 2: old workers have the item again, or have completed it: a deep clean does not know these lists, and requeued it.
DONE = """
if redis.call('LREM', KEYS[1], 0, ARGV[1]) == 0 then return 0 end
if redis.call('EXISTS', KEYS[6], KEYS[7]) > 0 or redis.call('LPOS', KEYS[5], ARGV[1])
  or redis.call('LPOS', KEYS[4], ARGV[1], 'MAXLEN', 1000) or redis.call('GET', KEYS[3]) ~= ARGV[2] then return 2 end
redis.call('LPUSH', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3])
return 1"""
# KEYS: item, importing, both leases, the other lists. ARGV: the id. Takes an id that is in no list.
ORPHAN = """
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 then return 0 end
for at = 2, #KEYS do
  if (at < 3 or at > 4) and redis.call('LPOS', KEYS[at], ARGV[1]) then return 0 end
end
return redis.call('LPUSH', KEYS[2], ARGV[1])"""
# KEYS: processing, importing, both leases. ARGV: the id.
LOST = """
if redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 or redis.call('LREM', KEYS[1], 0, ARGV[1]) == 0 then return 0 end
return redis.call('LPUSH', KEYS[2], ARGV[1])"""
# KEYS: cleaning, importing, both leases, processing, queue. ARGV: the id. An id that is also in another list is safe.
FORGOTTEN = """
if redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 or redis.call('LPOS', KEYS[5], ARGV[1]) then return 0 end
redis.call('LREM', KEYS[1], 0, ARGV[1])
if redis.call('LPOS', KEYS[6], ARGV[1]) or redis.call('LPOS', KEYS[2], ARGV[1]) then return 0 end
return redis.call('LPUSH', KEYS[2], ARGV[1])"""
# KEYS: refused, importing. ARGV: the id.
RETURN = "if redis.call('LREM', KEYS[1], 0, ARGV[1]) > 0 then redis.call('LPUSH', KEYS[2], ARGV[1]) end"
# KEYS: the lock. ARGV: who, milliseconds.
LOCK = """
local who = redis.call('GET', KEYS[1])
if who and who ~= ARGV[1] then return who end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])"""
UNLOCK = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"""


@dataclass
class Imported:
    """The outcome of an import."""

    #: Number of tasks created here.
    moved: int = 0
    #: Number of ids that an unfinished task here already had. That task stays as it is.
    known: int = 0
    #: Number of ids without data, which belong to completed items.
    dropped: int = 0
    #: Number of ids that cannot be tasks; the log has the reasons. They stay in `NAME:refused` for the next run.
    refused: int = 0

    def __str__(self) -> str:
        return f"moved {self.moved}, known {self.known}, dropped {self.dropped}, refused {self.refused}"


class WorkQueueImport:
    """An importer. `run` moves everything; it may be killed, and run again, at any time.

    client: The destination of the items.
    name: The old queue: the beginning of its keys.
    old: The server of the old queue; by default the client's server.
    queue: The queue here; by default the name, encoded as by `WorkQueue`.
    settle: An item is taken from the old workers after it has had no lease for this number of seconds.
    lock: Number of seconds after which another importer may start if this importer is killed.
    options: Options of the tasks, except `max_losses`, which is unlimited.
    """

    def __init__(
        self,
        client: Client,
        name: str,
        *,
        old: Redis | None = None,
        queue: str | None = None,
        settle: float = 5,
        lock: float = 10,
        options: calls.SubmitOptions | None = None,
    ) -> None:
        self._link, self._name, self._settle, self._lock_for = client.link, name, settle, lock
        self._old: Any = client.link.server if old is None else old
        try:
            self._queue = queue or encode(name)
        except UnicodeEncodeError:
            raise InvalidCall(
                "BADARG", "the name of the old queue is no UTF-8: name the queue here yourself."
            ) from None
        self._options: calls.SubmitOptions = {"max_losses": UNLIMITED, **(options or {})}
        self._me = f"{socket.gethostname()}_{os.getpid()}_{uuid.uuid4().hex[:8]}"
        #: Time at which an item was first found without a lease.
        self._since: dict[tuple[str, bytes], float] = {}
        #: Time at which data were first found whose id is in no list.
        self._orphaned: dict[bytes, float] = {}
        self.imported = Imported()

    def run(self) -> Imported:
        """Moves items until the old queue is empty and no old worker has an item. `run` may be repeated after an
        error."""
        try:
            return self._run()
        except exceptions.ResponseError as error:
            raise verdict(*code_of(error)) from error
        except TROUBLE as error:
            raise Unavailable("UNAVAILABLE", f"no answer from the server of the old queue: {error}") from error

    def _run(self) -> Imported:
        self._check()
        with self._locked():
            self._recover()
            logged = ""
            while True:
                while self._step():
                    self._lock()
                left = self._look() or self._orphans()
                if not left:
                    return self.imported
                about = f"{self.imported}; the old workers have {left}"
                if about != logged:
                    log.info("%s", logged := about)
                self._lock()
                time.sleep(min(self._settle, self._lock_for / 3, 1))

    def _key(self, name: str, id: bytes = b"") -> bytes:
        return f"{self._name}:{name}".encode(errors="surrogateescape") + id

    def _eval(self, script: str, keys: Sequence[str | bytes], *args: Any) -> Any:
        """Runs a script. Names of lists become their keys."""
        full = [self._key(key) if isinstance(key, str) else key for key in keys]
        return self._old.eval(script, len(full), *full, *args)

    def _check(self) -> None:
        """Refuses keys that do not belong to a queue. Without this check the import would stop midway, with an error
        that does not name the keys."""
        for name in (*LISTS, "importer"):
            key, wanted = self._key(name), b"string" if name == "importer" else b"list"
            if (found := self._old.type(key)) not in (b"none", wanted):
                what = f"{key.decode(errors='replace')} is a {found.decode()}, not a {wanted.decode()}"
                raise Unsuitable("WRONGKEY", what, "Look whose key that is, and remove or rename it.")

    # One importer at a time. Two importers lose and duplicate nothing, but they repeat each other's work.

    def _lock(self) -> bytes | None:
        found: bytes | None = self._eval(LOCK, ["importer"], self._me, int(self._lock_for * 1000))
        return found

    @contextmanager
    def _locked(self) -> Iterator[None]:
        logged = False
        while other := self._lock():
            if not logged:
                log.warning("waits for the importer %s", other.decode(errors="replace"))
                logged = True
            time.sleep(min(self._lock_for / 5, 0.5))
        try:
            yield
        finally:
            self._eval(UNLOCK, ["importer"], self._me)

    # Items that have been taken

    def _recover(self) -> None:
        """Completes the steps that a killed importer left incomplete."""
        for id in self._old.lrange(self._key("imported"), 0, -1):
            with suppress(UnicodeDecodeError):  # an id that is not text was never a task
                # The item may have run since, and another task may have its id.
                info = self._link.run(calls.get(encode(id.decode())))
                if info and info.eta == FAR:
                    self._make_due(id)
            self._old.lrem(self._key("imported"), 0, id)
        for id in self._old.lrange(self._key("refused"), 0, -1):
            self._eval(RETURN, ["refused", "importing"], id)
        self._import_taken()

    def _import_taken(self) -> None:
        """Moves all items that have been taken."""
        while ids := self._old.lrange(self._key("importing"), -MOST, -1):
            self._import(ids[::-1])
            self._lock()

    def _step(self) -> bool:
        """Moves some of the waiting items. Returns false if no item waits."""
        with self._old.pipeline(transaction=False) as pipeline:
            for _ in range(MOST):
                pipeline.rpoplpush(self._key("queue"), self._key("importing"))
            ids = list(filter(None, pipeline.execute()))
        self._import(ids)
        return bool(ids)

    def _import(self, ids: list[bytes]) -> None:
        batch: list[tuple[bytes, bytes]] = []
        size = 0
        for id in dict.fromkeys(ids):
            try:
                data = self._old.get(self._key("item:", id))
            except exceptions.ResponseError as error:  # of another type
                self._refuse(id, error)
                continue
            if data is None:
                self._forget(id)
                self.imported.dropped += 1
                log.info("%r is dropped: it has no data, as if it had been completed", id.decode(errors="replace"))
                continue
            if batch and size + len(data) > MOST_BYTES:
                self._submit(batch)
                batch, size = [], 0
            batch.append((id, data))
            size += len(data)
        if batch:
            self._submit(batch)

    def _submit(self, batch: list[tuple[bytes, bytes]]) -> None:
        try:
            each = [calls.SubmitEach(encode(id.decode()), FAR, data) for id, data in batch]
            outcomes = self._link.run(calls.submit(self._queue, each, **self._options))
        except (InvalidCall, Refused, UnicodeDecodeError) as error:
            if len(batch) > 1:
                for one in batch:
                    self._submit([one])
            else:
                self._refuse(batch[0][0], error)
            return
        for (id, data), outcome in zip(batch, outcomes):
            created, ours = (True, True) if outcome != "existing" else self._recreate(id, data)
            keys: list[str | bytes] = [
                "importing",
                "imported",
                self._key("item:", id),
                "queue",
                "processing",
                *self._leases(id),
            ]
            done = self._eval(DONE, keys, id, data)
            if done != 1:
                # Another importer has moved the item, and its task may already be complete and deleted; or the old
                # workers have the item.
                if created or (done == 2 and ours):
                    self._withdraw(id)
                continue
            if ours:
                self._make_due(id)
                self.imported.moved += 1
            else:
                self.imported.known += 1
            self._old.lrem(self._key("imported"), 0, id)

    def _recreate(self, id: bytes, data: bytes) -> tuple[bool, bool]:
        """Replaces the task of this id if it has ended. Returns two values: true if it did; true if an importer
        created the task of this id."""
        name = encode(id.decode())
        for _ in range(TRIES):
            info = self._link.run(calls.get(name))
            if info and not (info.status and contract.STATES[info.status].final):
                return False, info.eta == FAR
            if info:
                with suppress(NotFound, Refused):  # another client has already done this
                    self._link.make(calls.delete(name))
            call = calls.submit(self._queue, [calls.SubmitEach(name, FAR, data)], **self._options)
            if self._link.run(call) != ["existing"]:
                return True, True
        return False, False

    def _forget(self, id: bytes) -> None:
        """Removes an id without data: an old worker has completed the item, perhaps after an importer submitted it."""
        with suppress(UnicodeDecodeError):
            # An item that another importer has just moved is in the list of imported items until it is due.
            info = None
            if id not in self._old.lrange(self._key("imported"), 0, -1):
                info = self._link.run(calls.get(encode(id.decode())))
            if info and info.eta == FAR:
                self._withdraw(id)
        self._old.lrem(self._key("importing"), 0, id)

    def _withdraw(self, id: bytes) -> None:
        """Deletes a submitted task that no worker can have started."""
        with suppress(NotFound, Refused):
            self._link.make(calls.cancel(encode(id.decode()), b"imported twice"))
            self._link.make(calls.delete(encode(id.decode())))

    def _make_due(self, id: bytes) -> None:
        with suppress(NotFound, Refused):  # the task was cancelled
            self._link.make(calls.edit(encode(id.decode()), eta=0))

    def _refuse(self, id: bytes, error: Exception) -> None:
        text = error.cause if isinstance(error, BluequeError) else str(error)
        log.error("%r is refused: %s", id.decode(errors="replace"), text)
        with self._old.pipeline() as pipeline:
            pipeline.lpush(self._key("refused"), id)
            pipeline.lrem(self._key("importing"), 0, id)
            pipeline.execute()
        self.imported.refused += 1

    # Items that old workers have

    def _look(self) -> int:
        """Takes items that are no longer leased. Returns the number of items that are left."""
        seen = set()
        left = 0
        for name in ("processing", "cleaning"):
            for id in self._old.lrange(self._key(name), 0, -1):
                left += 1
                if self._old.exists(*self._leases(id)):
                    continue
                # Between two steps of an old worker an item has no lease yet; between two steps of a cleaner it is in
                # no list.
                seen.add((name, id))
                since = self._since.setdefault((name, id), time.monotonic())
                if time.monotonic() - since >= self._settle:
                    self._take(name, id)
        self._since = {key: at for key, at in self._since.items() if key in seen}
        self._import_taken()
        return left + int(self._old.llen(self._key("queue")))

    def _orphans(self) -> int:
        """Takes data whose id is in no list, for example after a killed `add_item`. Returns the number of items
        left."""
        prefix = self._key("item:")
        literal = re.sub(rb"([][*?\\])", rb"\\\1", prefix)
        refused = set(self._old.lrange(self._key("refused"), 0, -1))
        found = {key[len(prefix) :] for key in self._old.scan_iter(match=literal + b"*", count=1000)} - refused
        self._orphaned = {id: self._orphaned.get(id, time.monotonic()) for id in found}
        for id, since in self._orphaned.items():
            # Its `add_item`, or a worker that completes the item, may be between two steps.
            if time.monotonic() - since >= self._settle:
                lists = ("queue", "processing", "cleaning", "imported")
                self._eval(ORPHAN, [self._key("item:", id), "importing", *self._leases(id), *lists], id)
        return len(found)

    def _leases(self, id: bytes) -> list[bytes]:
        """The two keys of an item's lease: workers in Python, Go, Node.js and C# use one, workers in Rust the other."""
        return [self._key("leased_by_session:", id), self._key("lease:", id)]

    def _take(self, name: str, id: bytes) -> None:
        keys: list[str | bytes] = [name, "importing", *self._leases(id)]
        if name == "processing":
            self._eval(LOST, keys, id)
        else:
            self._eval(FORGOTTEN, [*keys, "processing", "queue"], id)
