"""The attempts that a worker holds."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import calls, contract
from .endings import Ending
from .errors import BluequeError
from .logs import say
from .messages import now
from .sync import Link

if TYPE_CHECKING:
    from .fork_control import Process


def sent(name: str) -> Any:
    """Returns the bytes of a name. A name written by a client of Blueque 1.0 may be invalid UTF-8."""
    return name.encode(errors="surrogateescape")


@dataclass(eq=False)
class HeldAttempt:
    """An attempt that this worker holds."""

    key: int
    item: Any
    #: Time at which the last acknowledged renewal was sent.
    renewed: float
    folder: Path
    method: str | None
    time_limit: float | None
    #: Maximum number of seconds without a checkpoint, progress or log output.
    no_progress: float | None
    began: float = field(default_factory=now)
    #: Time of the last sign of progress.
    seen: float = field(default_factory=now)
    process: Process | None = None
    order: str | None = None
    ordered: float = 0
    #: True if it was ordered to stop because it made no progress.
    stalled: bool = False
    #: Means used so far to stop the attempt: 1 order, 2 SIGTERM, 3 SIGKILL.
    force: int = 0
    #: `log`: log output that is not sent yet; `left_out`: the number of bytes that were dropped.
    log: bytearray = field(default_factory=bytearray)
    left_out: int = 0
    #: Held while the order or the log output changes.
    lock: threading.Lock = field(default_factory=threading.Lock)
    #: Held while a part of the log is being sent.
    sends: threading.Lock = field(default_factory=threading.Lock)
    #: The end of the attempt, while its process still exists.
    ending: Ending | None = None
    over: bool = False
    cost: bytes = b""
    #: Span of OpenTelemetry.
    span: Any = None

    @property
    def id(self) -> Any:
        """The id in the form that is sent to the server."""
        return sent(self.item.id)

    @property
    def token(self) -> int:
        return int(self.item.token)

    @property
    def lease(self) -> float:
        return float(self.item.lease / 1e6)

    def say(self, level: int, text: str, *args: Any) -> None:
        """Logs an event of the attempt."""
        say(self.item, self.method, level, text, *args)

    def stop(self, order: str, at_once: bool = False) -> None:
        """Orders the attempt to stop; `at_once`: without a grace period."""
        with self.lock:
            if self.order in (order, "lost") or (self.order and order not in ("lost", "kill")):
                return
            self.order, self.ordered = "cancel" if order == "kill" else order, 0 if at_once else now()
        self.say(logging.INFO, "is to stop: %s", order)
        self.force = max(self.force, 1)
        if self.process:
            self.process.pipe.post("order", self.key, order=self.order)

    def add_log(self, text: bytes) -> None:
        """Adds log output, up to a limit."""
        with self.lock:
            if len(self.log) < contract.LOG_KEPT_BYTES:
                self.log += text
            else:
                self.left_out += len(text)

    def send_log(self, link: Link) -> bool:
        """Sends a part of the log output. Returns true if more may be sent."""
        with self.sends:  # keeps the order of the parts and of the end
            with self.lock:
                if self.left_out:
                    self.log += b"" if self.log.endswith(b"\n") else b"\n"
                    self.log += b"[%d bytes were left out]\n" % self.left_out
                    self.left_out = 0
                text = bytes(self.log[: contract.LOG_PIECE_BYTES])
                del self.log[: contract.LOG_PIECE_BYTES]
            if not text:
                return False
            try:
                link.run(calls.append_log(self.id, self.token, "log", text), limit=5)
            except BluequeError:
                return False
            return True
