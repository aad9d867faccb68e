"""Messages between a worker and its processes: a kind, the number of an attempt, a small object, and bytes."""

from __future__ import annotations

import json
import socket
import struct
import threading
from contextlib import suppress
from typing import Any, NamedTuple

_HEAD = struct.Struct(">II")


class Frame(NamedTuple):
    """A message."""

    kind: str
    #: Of the attempt.
    key: int
    about: dict[str, Any]
    body: bytes


class Pipe:
    """One end of a connection between two processes. Any thread may send, one receives."""

    def __init__(self, end: socket.socket) -> None:
        self._end, self._lock = end, threading.Lock()

    def send(self, kind: str, key: int, body: bytes = b"", **about: Any) -> None:
        """Sends a message. Raises `OSError` if nobody is there."""
        head = json.dumps([kind, key, about]).encode()
        with self._lock:
            self._end.sendall(_HEAD.pack(len(head), len(body)) + head + body)

    def receive(self) -> Frame | None:
        """The next message; None when the other end is closed."""
        try:
            sizes = self._exactly(_HEAD.size)
            if sizes is None:
                return None
            head_size, body_size = _HEAD.unpack(sizes)
            head, body = self._exactly(head_size), self._exactly(body_size)
        except OSError:
            return None
        if head is None or body is None:
            return None
        kind, key, about = json.loads(head)
        return Frame(kind, key, about, body)

    def _exactly(self, size: int) -> bytes | None:
        parts = bytearray()
        while len(parts) < size:
            part = self._end.recv(min(size - len(parts), 1 << 20))
            if not part:
                return None
            parts += part
        return bytes(parts)

    def close(self) -> None:
        """Closes this end."""
        # A thread that reads from it hears of this, too.
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)
        self._end.close()
