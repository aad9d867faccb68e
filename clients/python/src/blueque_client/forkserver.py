"""The process from which the processes of tasks are forked.

The fork server is a copy of the worker with all modules imported, made before the worker starts a thread. It only
forks, watches and kills. So a fork is quick and safe, regardless of the worker's threads. Damage that a task does to
itself or to the interpreter affects neither the worker nor other tasks.

Each process of a task leads its own session. Programs that a task has started and left behind, even daemons, are killed
with the task: orphans become children of the task's process, and after its end children of the fork server (on Linux).
A kill of the fork server leaves no processes behind: a keeper, a process between the fork server and the worker, waits
for its end and then kills the remaining processes. If the keeper is killed, the fork server kills them.

The fork server also kills processes whose leases have expired, at times that the worker writes to shared memory. So the
tasks of a frozen worker end, and never run at the same time as those of the next owner.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable, Container
from contextlib import suppress
from pathlib import Path
from typing import Any

from .messages import now

#: Size of orders and reports. The size is fixed, so that no message is read in part.
SIZE = 128

_SET_PDEATHSIG, _SET_SUBREAPER = 1, 36
#: Interval between two checks for expired leases, in milliseconds.
CHECK_EVERY = 200


class KillTimes:
    """Times at which the processes are killed unless the worker writes a later time, in memory that two processes
    share."""

    def __init__(self, count: int) -> None:
        self._times = memoryview(mmap.mmap(-1, 8 * count)).cast("d")
        self._free = list(range(count))

    def take(self) -> int | None:
        """Reserves a place for a process; None if all places are taken."""
        return self._free.pop() if self._free else None

    def give_back(self, place: int | None) -> None:
        """Frees the place of a process that is gone."""
        if place is not None:
            self._times[place] = 0
            self._free.append(place)

    def set(self, place: int | None, at: float) -> None:
        """Sets the time at which the process is killed; 0: never."""
        if place is not None:
            self._times[place] = at

    def passed(self, place: int | None) -> bool:
        """Returns true if the time of the process has come."""
        return place is not None and 0 < self._times[place] < now()


def pack(**order: Any) -> bytes:
    """An order or a report."""
    return json.dumps(order).encode().ljust(SIZE)


_LIBC = ctypes.CDLL(None)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        _LIBC.prctl(option, value, 0, 0, 0)


def keep(control: socket.socket) -> int:
    """Forks. The child becomes the fork server and gets the pid of its parent. The parent waits for the end of the
    child and then kills all processes that the child has left. This needs Linux, where they become children of the
    parent."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    # The worker's parent may have ignored or blocked signals. Forks and programs inherit such settings.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if sys.platform != "linux":
        return os.getppid()
    _prctl(_SET_SUBREAPER, 1)
    keeper = os.getpid()
    pid = os.fork()
    if not pid:
        # If the parent dies, this signal wakes the child, which then checks its parent's pid.
        _prctl(_SET_PDEATHSIG, signal.SIGCHLD)
        return keeper
    control.close()
    os.waitpid(pid, 0)
    _kill_orphans()
    os._exit(0)


def _children() -> list[int]:
    with suppress(OSError):
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    return []


class ForkServer:
    """The fork server. `serve` returns only in a child process, with the child's end of the pipe."""

    def __init__(self, control: socket.socket, kill_times: KillTimes) -> None:
        self.control, self.kill_times = control, kill_times
        self.keeper = keep(control)
        #: Processes of the fork server, each with its place among the kill times.
        self.known: dict[int, int | None] = {}
        self.expired: set[int] = set()

    def serve(self) -> tuple[socket.socket, int | None] | None:
        """Obeys orders. Returns the pipes for messages and output in a new process for tasks, and None when the worker
        is gone."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        _prctl(_SET_SUBREAPER, 1)
        bell, ring = os.pipe()
        os.set_blocking(bell, False)
        os.set_blocking(ring, False)
        signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(bell, select.POLLIN)
        while os.getppid() == self.keeper:
            ready = {fd for fd, _ in poll.poll(CHECK_EVERY if self.known else None)}
            for pid, place in self.known.items():
                if self.kill_times.passed(place):
                    self.expired.add(pid)
                    self._kill(pid)
            if bell in ready:
                with suppress(BlockingIOError):
                    os.read(bell, 4096)
                self._reap()
            if self.control.fileno() in ready:
                try:
                    message, fds, _, _ = socket.recv_fds(self.control, SIZE, 2)
                except ConnectionResetError:  # the worker was killed before it had read a report
                    message, fds = b"", []
                if not message:
                    break
                order = json.loads(message)
                if "start" in order:
                    if pipe := self._fork(fds, order["start"], order["place"]):
                        signal.set_wakeup_fd(-1)
                        os.close(bell)
                        os.close(ring)
                        return pipe
                elif order["pid"] in self.known:
                    if order["signal"] == signal.SIGKILL:
                        self._kill(order["pid"])
                    else:
                        _quietly(os.killpg, order["pid"], order["signal"])
        self._end()
        return None

    def _fork(self, fds: list[int], number: int, place: int | None) -> tuple[socket.socket, int | None] | None:
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self.control.sendall(pack(start=number, error=os.strerror(error.errno or errno.EAGAIN)[:30]))
            _close(fds)
            return None
        if pid:
            _close(fds)
            self.known[pid] = place
            self.control.sendall(pack(start=number, pid=pid))
            return None
        os.setsid()
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        _prctl(_SET_SUBREAPER, 1)
        for default in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(default, signal.SIG_DFL)
        self.control.close()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        # If memory runs out, the system must kill the task, not the worker.
        with suppress(OSError):
            score = Path("/proc/self/oom_score_adj")
            score.write_text(str(min(int(score.read_text()) + 300, 1000)))
        return socket.socket(fileno=fds[0]), fds[1] if len(fds) > 1 else None

    def _reap(self) -> None:
        for pid, status, usage in _dead():
            if pid in self.known:
                # Kills the remaining processes of its group, then its daemons.
                _quietly(os.killpg, pid, signal.SIGKILL)
                del self.known[pid]
                _kill_orphans(self.known)
                cpu = round(1000 * (usage.ru_utime + usage.ru_stime))
                expired = pid in self.expired
                self.expired.discard(pid)
                self.control.sendall(
                    pack(gone=pid, status=status, cpu_ms=cpu, max_rss_kib=usage.ru_maxrss, expired=expired)
                )

    def _kill(self, pid: int) -> None:
        _quietly(os.killpg, pid, signal.SIGKILL)
        _quietly(os.kill, pid, signal.SIGKILL)

    def _end(self) -> None:
        """Ends all tasks, because the worker no longer renews leases, or the keeper no longer kills processes that
        tasks leave behind."""
        for pid in self.known:
            self._kill(pid)
        for pid in self.known:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
        self.known.clear()
        _kill_orphans()


def _kill_orphans(known: Container[int] = ()) -> None:
    """Kills children that this process has not started: processes that a dead task has left, and their children in
    turn."""
    while orphans := [pid for pid in _children() if pid not in known]:
        for pid in orphans:
            _quietly(os.kill, pid, signal.SIGKILL)
        for pid in orphans:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _dead() -> list[tuple[int, int, resource.struct_rusage]]:
    found = []
    with suppress(ChildProcessError):
        while (one := os.wait4(-1, os.WNOHANG))[0]:
            found.append(one)
    return found


def _close(fds: list[int]) -> None:
    for fd in fds:
        os.close(fd)


def _quietly(what: Callable[..., Any], *args: Any) -> None:
    with suppress(ProcessLookupError, PermissionError):
        what(*args)
