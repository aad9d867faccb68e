"""The processes of a worker: each runs the function of an attempt, or the functions of several."""

from __future__ import annotations

import itertools
import json
import logging
import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import calls, contract
from .endings import Ending, ending_of, stopped
from .errors import BluequeError, Lost
from .fork_control import ForkControl, Process
from .held_attempts import HeldAttempt
from .logs import log
from .messages import Message, now
from .outputs import read
from .running_attempts import start_of
from .work_folder import removed
from .worker_state import WorkerState, passes

#: Maximum number of seconds until the end of a process after its pipe was closed.
FAREWELL = 5
#: Maximum number of seconds in which the output of an attempt arrives after its end.
REST = 2


class ProcessPool:
    """Gives attempts to processes, and receives the messages of the processes.

    folder: The folder for the folders of attempts.
    """

    def __init__(self, state: WorkerState, control: ForkControl, folder: Path) -> None:
        self._state, self._control, self._folder = state, control, folder
        self._keys = itertools.count(1)
        self._lock = threading.RLock()
        self._processes: list[Process] = []
        #: Length of the pause after the functions could not be imported, and its end. A pause takes no new tasks.
        self._pause = self.rests_until = 0.0

    def begin(self, item: Any, record: dict[str, bytes], renewed: float) -> None:
        """Gives an attempt to a process."""
        key = next(self._keys)
        method = record.get("method", b"").decode(errors="replace") or None
        function = self._state.functions.get(method or item.queue)
        folder = self._folder / str(key)
        max_run, no_progress = (float(record.get(name) or 0) for name in ("max_run", "no_progress"))
        limits = [limit for limit in (function.time_limit if function else None, max_run) if limit]
        held = HeldAttempt(key, item, renewed, folder, method, min(limits, default=None), no_progress)
        if tracing := self._state.link.tracing:
            held.span = tracing.begin(self._state.link, item, held.id, self._state.listener)
        with self._lock:
            try:
                # In other modes the folder is made on request. A clean-up program may have removed the work folder.
                if self._state.mode == "process":
                    folder.mkdir(mode=0o700, parents=True)
                process = self._process()
            except OSError as error:
                held.say(logging.ERROR, "cannot begin: %s", error)
                held.over = True
                self._state.attempts[key] = held
                self._state.events.put((held, Ending("uncounted", reason="noprocess", again=5)))
                return
            process.begun += 1
            process.prints = held
            process.marked.clear()
            process.running.add(key)
            held.process = process
            self._state.attempts[key] = held
            self.renewed(process)
        held.say(logging.INFO, "begins")
        about, body = start_of(item, method, str(folder), held.span)
        # The process then ends by itself with all its children, and after that the task's end is sent.
        last = self._state.capacity == 1 and not self._lasts(process)
        process.pipe.post("start", key, body, last=last, **about)
        self._spare()

    def _process(self) -> Process:
        """Returns a process with room for another task."""
        most = self._state.capacity
        fits = (p for p in self._processes if len(p.running) < most and self._lasts(p) and not p.gone.is_set())
        return next(fits, None) or self._new_process()

    def _new_process(self) -> Process:
        process = self._control.start()
        self._processes.append(process)
        output: threading.Thread | None = None
        if (pipe := process.output) is not None:
            output = threading.Thread(target=self._read, args=(process, pipe), daemon=True)
            output.start()
        threading.Thread(target=self._listen, args=(process, output), daemon=True).start()
        return process

    def _spare(self) -> None:
        """Keeps a process ready for the next task while the current task runs."""
        if self._state.per_process is None or self._state.capacity > 1 or self._state.stopping:
            return
        with self._lock, suppress(OSError):
            if not any(not process.running and self._lasts(process) for process in self._processes):
                self._new_process()

    def _lasts(self, process: Process) -> bool:
        return self._state.per_process is None or process.begun < self._state.per_process

    def renewed(self, process: Process) -> None:
        """Sets the time at which the fork server kills a process: the end of its first lease."""
        with self._lock:
            running = [held for key in process.running if (held := self._state.attempts.get(key))]
            self._control.times.set(process.place, min((held.renewed + held.lease for held in running), default=0))

    def signal(self, held: HeldAttempt, number: int) -> None:
        """Sends a signal to the process of an attempt. The process's other tasks are given back and run again."""
        process = held.process
        if process is None:
            return
        for other in list(self._state.attempts.values()):
            if other.process is process and other is not held and not other.order and other.ending is None:
                other.say(logging.WARNING, "is given back: its process is killed")
                other.order, other.ordered = "drain", now()
        self._control.signal(process, number)

    def _read(self, process: Process, pipe: int) -> None:
        """Adds the output of a process to the log of its attempt. Other output goes to the worker's stderr."""

        def hear(text: bytes) -> None:
            held = process.prints
            if held and not held.over:
                held.seen = now()
                held.add_log(text)
            elif text:
                with suppress(OSError):
                    os.write(2, text)

        def marked() -> None:
            process.prints = None
            process.marked.set()

        read(pipe, hear, marked)

    def _listen(self, process: Process, output: threading.Thread | None) -> None:
        """Receives the messages of a process until it is gone, then ends its attempts."""
        try:
            self._hear(process)
        except Exception:
            log.exception("a process says what cannot be read: it is killed")
            self._control.signal(process, signal.SIGKILL)
        # If the messages of a process have ended, the process must end too.
        while not process.gone.wait(FAREWELL) and not self._state.over.is_set():
            self._control.signal(process, signal.SIGKILL)
        if output:
            output.join(REST)
        with self._lock:
            self._processes.remove(process)
            self._control.forget(process)
            left = [held for held in list(self._state.attempts.values()) if held.process is process and not held.over]
        process.pipe.close()
        if not process.loaded and not self._state.over.is_set():
            self._rest(process)
        for held in left:
            ending = held.ending or self._crashed(process, held)
            held.cost = self._cost(process, held, ending)
            self._ended(held, ending)

    def _rest(self, process: Process) -> None:
        """Takes no tasks for a while, because a process has ended before it imported its functions."""
        with self._lock:
            if process.status is None or now() < self.rests_until:
                return
            self._pause = min(max(1.0, 2 * self._pause), contract.LONGEST_REST)
            self.rests_until = now() + self._pause
        why = process.trouble or "their process ended while it imported them"
        log.error("the functions cannot be imported: %s: takes nothing for %g s", why, self._pause)

    def _hear(self, process: Process) -> None:
        while message := process.pipe.receive():
            if message.kind == "loaded":
                process.loaded, self._pause = True, 0.0
            elif message.kind == "unusable":
                process.trouble = message.body.decode(errors="replace")
            held = self._state.attempts.get(message.key)
            if held is None or held.over or held.process is not process:
                continue
            held.seen = now()
            if message.kind == "end":
                held.ending = ending_of(message)
                with self._lock:
                    process.running.discard(message.key)
                    self.renewed(process)
                    last = not self._lasts(process) and not process.running
                if process.output is not None and not last:
                    process.marked.wait(REST)
                if not last or self._state.capacity > 1:
                    self._ended(held, held.ending)
                if last:
                    # The process ends with all its children, and after that the task's end is sent.
                    process.pipe.close()
                    break
            elif message.kind == "log":
                held.add_log(message.body)
            elif message.kind in ("checkpoint", "progress"):
                self._answer(process, held, message)
            else:
                raise ValueError(f"a message of the kind {message.kind!r}")

    def _answer(self, process: Process, held: HeldAttempt, message: Message) -> None:
        """Sends a checkpoint or progress to the server, and the result to the process."""
        command = calls.checkpoint if message.kind == "checkpoint" else calls.progress
        error: tuple[str, str] | None = None
        began = now()
        while True:
            try:
                self._state.link.run(command(held.id, held.token, message.body))
                break
            except BluequeError as refused:
                if passes(refused) and not held.order:
                    self._state.over.wait(contract.CALL_AGAIN)
                    continue
                error = refused.code, refused.cause
                if isinstance(refused, Lost):
                    held.stop("lost", at_once=True)
                break
        if held.span and self._state.link.tracing and message.kind == "checkpoint":
            self._state.link.tracing.saved(held.item.queue, now() - began, error[0] if error else None)
        process.pipe.post("answer", held.key, number=message.about["number"], error=error)

    def close(self) -> None:
        """Ends the idle processes, and waits for a short time until they are gone."""
        with self._lock:
            processes = list(self._processes)
        for process in processes:
            process.pipe.close()
        until = now() + FAREWELL
        for process in processes:
            process.gone.wait(max(until - now(), 0))

    def _ended(self, held: HeldAttempt, ending: Ending) -> None:
        held.over = True
        if held.stalled and ending.group == "timeout":
            text = f"the attempt has made no progress for {held.no_progress:g} s: no checkpoint, progress or log"
            ending = ending._replace(body=text.encode())
        while held.send_log(self._state.link):
            pass
        removed(held.folder)
        self._state.events.put((held, ending))

    def _cost(self, process: Process, held: HeldAttempt, ending: Ending) -> bytes:
        """The cost of an attempt with its own process, in the form of `blueque worker`."""
        if process.status is None or self._state.capacity > 1 or process.begun > 1:
            return b""
        how: dict[str, Any] = {}
        if os.WIFSIGNALED(process.status):
            how["signal"] = signal_name(process.status)
        elif process.status or ending.how == "complete":
            # After a failed function the process exits with 0, which looks like a success.
            how["exit"] = os.WEXITSTATUS(process.status)
        about = {"attempt": held.item.attempt, **how, "oom": False, "wall_ms": round(1000 * (now() - held.began))}
        return json.dumps({**about, **process.cost}).encode()

    def _crashed(self, process: Process, held: HeldAttempt) -> Ending:
        """The end of an attempt whose process is gone."""
        if held.order or process.expired:
            return stopped(held.order or "drain")
        if process.status is None or process.pid == 0:
            return Ending("uncounted", reason="noprocess", again=1)
        if not process.loaded:  # the host caused this, not the task
            return Ending("uncounted", reason="nofunctions", again=max(self._pause, 1.0))
        if os.WIFSIGNALED(process.status):
            name = signal_name(process.status)
            hint = ": perhaps the host was out of memory" if name == "SIGKILL" else ""
            text = f"its process was killed by {name}{hint}"
        else:
            text = f"its process ended with the exit code {os.WEXITSTATUS(process.status)} before the function did"
        return Ending("fail", text.encode(), "crashed")


def signal_name(status: int) -> str:
    """The signal that ended a process."""
    number = os.WTERMSIG(status)
    try:
        return signal.Signals(number).name
    except ValueError:  # signals for real-time programs
        return f"signal {number}"
