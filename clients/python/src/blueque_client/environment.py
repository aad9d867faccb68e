"""The environment of the processes of tasks: the environment of the worker, without the passwords of its server.

A function can then print its environment, or pass it to a program, without showing the passwords. Other secrets in the
environment stay, because only Blueque's secrets are known here.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from .address import without_passwords


def for_tasks(environ: Mapping[str, str]) -> dict[str, str]:
    """Returns this environment without passwords. Addresses and names of password files stay."""
    urls = ("BLUEQUE_URL", "BLUEQUE_TOPOLOGY")
    return {
        name: without_passwords(value) if name in urls else value
        for name, value in environ.items()
        if name != "BLUEQUE_PASSWORD"
    }


def forget_passwords() -> None:
    """Removes passwords from the environment of this forked process, and from the system's copy in `/proc`."""
    kept = for_tasks(os.environ)
    changed = [name for name, value in os.environ.items() if kept.get(name) != value]
    for name in changed:
        del os.environ[name]
    os.environ.update(kept)
    with suppress(OSError):  # not on Linux
        # `/proc/PID/environ` is read from this memory. It holds the environment at the start of the program.
        about = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        at, end = int(about[47]), int(about[48])
        for entry in ctypes.string_at(at, end - at).split(b"\0") if at else ():
            if os.fsdecode(entry.partition(b"=")[0]) in changed:
                ctypes.memset(at, 0, len(entry))
            at += len(entry) + 1
