"""The output of functions as the logs of their tasks.

A process with one task at a time has a pipe to the worker as its stdout and stderr, which also takes the output of the
programs that it starts. In other modes only what is written to `sys.stdout` and `sys.stderr` has a task.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .context import attempt_here

#: Written into the pipe at the end of an attempt. No program prints it by chance.
MARK = b"\0blueque: the attempt has ended\0"


def redirect(out: int) -> None:
    """Makes a pipe the stdout and stderr of this process. The handlers of `logging` keep their streams: the task's log
    has their records already, in its own form."""
    kept = io.TextIOWrapper(open(os.dup(2), "wb", 0), errors="backslashreplace", write_through=True)  # noqa: SIM115
    for logger in [logging.getLogger(), *logging.Logger.manager.loggerDict.values()]:
        for handler in getattr(logger, "handlers", ()):
            if isinstance(handler, logging.StreamHandler) and handler.stream in (sys.stderr, sys.stdout):
                handler.setStream(kept)
    for stream, fd in ((sys.stdout, 1), (sys.stderr, 2)):
        with suppress(Exception):  # a program may have replaced it
            stream.flush()
        os.dup2(out, fd)
        with suppress(Exception):
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]


def say(out: int, text: bytes) -> None:
    """Writes to the pipe."""
    with suppress(OSError):  # the worker is gone, or the function has closed the pipe
        while text:
            text = text[os.write(out, text) :]


def read(pipe: int, hear: Callable[[bytes], object], marked: Callable[[], object]) -> None:
    """Reads the output of a process until its end."""
    rest = b""
    with open(pipe, "rb", 0) as stream:
        while data := stream.read(1 << 16):
            *ended, rest = (rest + data).split(MARK)
            for text in ended:
                hear(text)
                marked()
            # The end of the data may be the beginning of a mark.
            size = next((size for size in range(min(len(MARK), len(rest)), 0, -1) if MARK.startswith(rest[-size:])), 0)
            hear(rest[: len(rest) - size])
            rest = rest[len(rest) - size :]
    hear(rest)


class Shared(io.TextIOBase):
    """A stream of a process with several tasks: lines of the code of an attempt go to its log."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        attempt = attempt_here()
        if attempt is None or attempt.channel.is_forked():
            self._stream.write(text)
            return len(text)
        *lines, attempt.line = (attempt.line + text).split("\n")
        if lines:
            attempt.log("\n".join(lines))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return int(self._stream.fileno())

    def isatty(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return str(self._stream.encoding)


def share() -> None:
    """Lets the standard streams of this process distinguish the tasks."""
    sys.stdout, sys.stderr = Shared(sys.stdout), Shared(sys.stderr)
