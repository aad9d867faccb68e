"""The standard streams of this process."""

from __future__ import annotations

import logging
import os
import sys


def fill_streams() -> None:
    """Opens stdin, stdout and stderr if they are closed. Otherwise connections get their file descriptors."""
    while (fd := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(fd, True)
    os.close(fd)


def flush_streams() -> None:
    """Flushes stdout and stderr, even if a function has replaced them. Reopens streams that it has closed."""
    for name, fd in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name, None)
        try:
            if not getattr(stream, "closed", False):
                stream.flush()  # type: ignore[union-attr]
                continue
            new = open(fd, "w", errors="backslashreplace", closefd=False)  # noqa: SIM115 - it stays
            setattr(sys, name, new)
            for handler in logging.getLogger().handlers:
                if isinstance(handler, logging.StreamHandler) and handler.stream is stream:
                    handler.setStream(new)
        except Exception:  # the stream is missing, or cannot be flushed
            continue
