"""Messages between a worker and its processes: a kind, the number of an attempt, a small object, and bytes."""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from typing import Any, NamedTuple

from . import contract

_HEAD = struct.Struct(">II")
#: Maximum size of the object of a message from a process of tasks.
MOST_ABOUT = 64 << 10


def now() -> float:
    """A clock that also counts the time in which the host was suspended."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class Message(NamedTuple):
    kind: str
    #: Number of the attempt.
    key: int
    about: dict[str, Any]
    body: bytes


def _pack(kind: str, key: int, body: bytes, about: dict[str, Any]) -> bytes:
    head = json.dumps([kind, key, about]).encode()
    return _HEAD.pack(len(head), len(body)) + head + body


class Pipe:
    """One end of a connection between two processes. Any thread may send; only one thread receives.

    trusts: If true, received messages may have any length. True for messages that the worker sends.
    """

    def __init__(self, end: socket.socket, trusts: bool = True) -> None:
        self._end, self._lock, self._trusts = end, threading.Lock(), trusts
        self._left: deque[bytes] = deque()
        self._read = bytearray()
        self._together: deque[bytes] = deque()
        self._posts = False

    def send(self, kind: str, key: int, body: bytes = b"", **about: Any) -> None:
        """Sends a message. Raises `OSError` if the other end is closed."""
        data = _pack(kind, key, body, about)
        with self._lock:
            self._end.sendall(data)
        self._send_together()

    def join(self, kind: str, key: int, body: bytes = b"", **about: Any) -> None:
        """Sends a message together with the messages of other threads: while a thread sends, it also sends for the
        others."""
        self._together.append(_pack(kind, key, body, about))
        self._send_together()

    def _send_together(self) -> None:
        while self._together and self._lock.acquire(blocking=False):
            try:
                self._end.sendall(b"".join([self._together.popleft() for _ in range(len(self._together))]))
            finally:
                self._lock.release()

    def post(self, kind: str, key: int, body: bytes = b"", **about: Any) -> None:
        """Sends a message without waiting: a thread sends the bytes that the other end does not take at once. No error
        is reported if the other end is closed."""
        data = _pack(kind, key, body, about)
        with self._lock:
            if not self._posts:
                try:
                    data = data[self._end.send(data, socket.MSG_DONTWAIT) :]
                except BlockingIOError:
                    pass
                except OSError:
                    return
                if not data:
                    return
                self._posts = True
                threading.Thread(target=self._post, daemon=True).start()
            self._left.append(data)

    def _post(self) -> None:
        while True:
            with self._lock:
                if not self._left:
                    self._posts = False
                    return
                data = self._left.popleft()
            try:
                self._end.sendall(data)
            except OSError:
                with self._lock:
                    self._left.clear()

    def receive(self) -> Message | None:
        """Returns the next message, or None at the end of the pipe. Raises `ValueError` for other bytes."""
        try:
            sizes = self._exactly(_HEAD.size)
            if sizes is None:
                return None
            head_size, body_size = _HEAD.unpack(sizes)
            if not self._trusts and (head_size > MOST_ABOUT or body_size > contract.RESULT_BYTES):
                raise ValueError(f"a message of {head_size} and {body_size} bytes")
            head, body = self._exactly(head_size), self._exactly(body_size)
        except OSError:
            return None
        if head is None or body is None:
            return None
        kind, key, about = json.loads(head)
        if not (isinstance(kind, str) and isinstance(key, int) and isinstance(about, dict)):
            raise ValueError("a message of another shape")
        return Message(kind, key, about, body)

    def _exactly(self, size: int) -> bytes | None:
        # All bytes that have arrived are read at once, because each call releases the interpreter's lock.
        while len(self._read) < size:
            part = self._end.recv(min(max(size - len(self._read), 1 << 16), 1 << 20))
            if not part:
                return None
            self._read += part
        found = bytes(self._read[:size])
        del self._read[:size]
        return found

    def close(self) -> None:
        """Closes this end."""
        # A thread that reads from this end also notices the close.
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)
        self._end.close()
