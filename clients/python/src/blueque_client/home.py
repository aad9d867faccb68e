"""The folder of a worker, in which its attempts have theirs.

A lock in it says that the worker lives, or a process of its tasks: these are forks, which hold it, too. The system
releases it with the last of them, however they end; and unlike a pid it is not given to another process, and means the
same in every container that shares the folder.
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


class Home:
    """A folder that is removed with its worker, or by the next one that begins in the same place."""

    def __init__(self, base: Path) -> None:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        if base.lstat().st_uid != os.getuid():
            raise InvalidCall("BADARG", f"{base} belongs to another user: pass a `folder` of your own.")
        gate = os.open(base, os.O_RDONLY | os.O_CLOEXEC)
        try:
            # Nobody makes one meanwhile, so that each that has a lock has it held, or was left.
            fcntl.flock(gate, fcntl.LOCK_EX)
            left = [each for each in base.iterdir() if each.is_dir() and _is_left(each)]
            self.path = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=base))
            self._lock = _locked(self.path)
        finally:
            os.close(gate)
        for each in left:
            removed(each)

    def remove(self) -> None:
        """Removes it."""
        removed(self.path)
        if self._lock is not None:
            os.close(self._lock)


def removed(folder: Path) -> None:
    """Removes a folder, also one that is too deep for Python, or that a program has made read-only.

    What cannot be removed stays, for the next worker."""
    with suppress(OSError, RecursionError):
        if os.path.lexists(folder):
            with suppress(OSError, RecursionError):
                shutil.rmtree(folder)
                return
            for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
                subprocess.run([*command, "--", folder], stderr=subprocess.DEVNULL, check=False)


def _locked(folder: Path) -> int | None:
    """The lock of a folder, held; None: another process holds it."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def _is_left(folder: Path) -> bool:
    """Whether all that have used a folder are gone. Of one without a lock that is not known."""
    with suppress(OSError):
        if (folder / LOCK).exists() and (lock := _locked(folder)) is not None:
            os.close(lock)
            return True
    return False
