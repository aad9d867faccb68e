"""The folder of a worker, which contains the folders of its attempts.

A lock in the folder shows that the worker or a process of its tasks lives: these processes are forks and also hold the
lock. The system releases the lock when the last of these processes ends, for any reason. Unlike a pid, a lock is never
reused by another process, and it is valid in every container that shares the folder.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from .errors import InvalidCall

LOCK = ".lock"


class WorkFolder:
    """A folder that is removed with its worker, or by the next worker that starts in the same place."""

    def __init__(self, base: Path) -> None:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        if base.lstat().st_uid != os.getuid():
            raise InvalidCall("BADARG", f"{base} belongs to another user: pass a `folder` of your own.")
        gate = os.open(base, os.O_RDONLY | os.O_CLOEXEC)
        try:
            # No other worker makes a folder at the same time. So the lock of each folder is either held, or was left
            # behind.
            fcntl.flock(gate, fcntl.LOCK_EX)
            left = [each for each in base.iterdir() if each.is_dir() and _is_left(each)]
            self.path = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=base))
            self._lock = _locked(self.path)
        finally:
            os.close(gate)
        for each in left:
            removed(each)

    def remove(self) -> None:
        removed(self.path)
        if self._lock is not None:
            os.close(self._lock)


def removed(folder: Path) -> None:
    """Removes a folder, even if it is too deep for Python, or if a program has made it read-only.

    Files that cannot be removed stay, for the next worker."""
    with suppress(OSError, RecursionError):
        if os.path.lexists(folder):
            with suppress(OSError, RecursionError):
                shutil.rmtree(folder)
                return
            for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
                subprocess.run([*command, "--", folder], stderr=subprocess.DEVNULL, check=False)


def _locked(folder: Path) -> int | None:
    """Takes and returns the lock of a folder; None: another process holds the lock."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def _is_left(folder: Path) -> bool:
    """Returns true if all processes that used a folder are gone. Without a lock that is unknown, and the result is
    false."""
    with suppress(OSError):
        if (folder / LOCK).exists() and (lock := _locked(folder)) is not None:
            os.close(lock)
            return True
    return False
