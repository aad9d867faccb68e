"""The worker's side of the fork server: starts and signals processes, and receives reports of their ends."""

from __future__ import annotations

import itertools
import json
import os
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from .environment import forget_passwords
from .forkserver import SIZE, ForkServer, KillTimes, pack
from .held_attempts import HeldAttempt
from .logs import log
from .messages import Pipe
from .streams import flush_streams
from .worker_state import WorkerState


@dataclass(eq=False)
class Process:
    number: int
    pipe: Pipe
    #: Place of the process among the kill times.
    place: int | None
    #: `loaded`: the process has imported its functions; `trouble`: the error if it could not.
    loaded: bool
    trouble: str = ""
    pid: int = 0
    status: int | None = None
    cost: dict[str, Any] = field(default_factory=dict)
    begun: int = 0
    #: The pipe with its output, the attempt that prints, and a flag that is set when its output is complete.
    output: int | None = None
    prints: HeldAttempt | None = None
    marked: threading.Event = field(default_factory=threading.Event)
    running: set[int] = field(default_factory=set)
    #: True if the process was killed because a lease had expired.
    expired: bool = False
    #: Set when the process and all its children are known to be gone.
    gone: threading.Event = field(default_factory=threading.Event)
    known: threading.Event = field(default_factory=threading.Event)


class ForkControl:
    """Forks the fork server, and exchanges messages with it.

    run: Runs tasks in a new process; called with the process's ends of the pipes for messages and for output.
    spawns: True if each process imports the functions itself.
    """

    def __init__(self, state: WorkerState, run: Callable[[socket.socket, int | None], object], spawns: bool) -> None:
        self._state, self._spawns, self._numbers = state, spawns, itertools.count(1)
        #: The times at which the fork server kills processes, even if the worker is frozen.
        self.times = KillTimes(4 * state.slots + 100)
        self._lock = threading.Lock()
        self._processes: dict[int, Process] = {}
        #: The error if the fork server is gone.
        self.broken: str | None = None
        self._socket, theirs = socket.socketpair()
        flush_streams()
        self._pid = os.fork()
        if self._pid:
            theirs.close()
            return
        status = 1
        try:
            self._socket.close()
            forget_passwords()
            if ends := ForkServer(theirs, self.times).serve():
                run(*ends)
            status = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)

    def close(self) -> None:
        """Ends the fork server, and waits until all processes that tasks have started are gone."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._wait()

    def _wait(self) -> None:
        with suppress(ChildProcessError):  # another thread has already waited for it
            os.waitpid(self._pid, 0)

    def start(self) -> Process:
        ours, theirs = socket.socketpair()
        # A process with several tasks cannot distinguish their output.
        read, write = os.pipe() if self._state.capacity == 1 else (None, None)
        with self._lock:
            process = Process(next(self._numbers), Pipe(ours, trusts=False), self.times.take(), loaded=not self._spawns)
            process.output = read
            self._processes[process.number] = process
        try:
            fds = [theirs.fileno(), *([write] if write is not None else [])]
            socket.send_fds(self._socket, [pack(start=process.number, place=process.place)], fds)
        except OSError:  # the fork server is gone
            process.gone.set()
        theirs.close()
        if write is not None:
            os.close(write)
        return process

    def signal(self, process: Process, number: int) -> None:
        """Sends a signal to a process and its children."""
        if process.known.is_set() and process.pid:
            with suppress(OSError):
                self._socket.sendall(pack(pid=process.pid, signal=number))

    def forget(self, process: Process) -> None:
        """Frees the place of a process that is gone."""
        with self._lock:
            if self._processes.pop(process.number, None):
                self.times.give_back(process.place)

    def receive_reports(self) -> None:
        """Receives reports of new processes, and of processes that are gone."""
        while True:
            try:
                message = self._socket.recv(SIZE, socket.MSG_WAITALL)
            except OSError:
                message = b""
            if len(message) < SIZE:
                break
            report = json.loads(message)
            with self._lock:
                processes = list(self._processes.values())
            for process in processes:
                if report.get("start") == process.number:
                    process.pid = report.get("pid", 0)
                    process.known.set()
                    if "error" in report:
                        log.error("no process can be made: %s", report["error"])
                        process.gone.set()
                        process.pipe.close()
                elif report.get("gone") == process.pid:
                    process.status, process.expired = report["status"], report["expired"]
                    process.cost = {name: report[name] for name in ("cpu_ms", "max_rss_kib")}
                    process.gone.set()
        if self._state.over.is_set():
            return
        self.broken = "the process that makes the processes of tasks is gone: start the worker again."
        log.critical(self.broken)
        self._wait()
        with self._lock:
            for process in self._processes.values():
                process.known.set()
                process.gone.set()
        self._state.stop(release=True)
