"""The worker: takes tasks and runs their functions in separate processes.

The process of the worker calls no function of a task. It talks to the server, renews leases, passes on orders, and
watches the processes. So no task can stop the heartbeats, whatever it does with the interpreter.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import queue
import re
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

from . import calls, contract
from .choice import Choice
from .environment import forget_passwords
from .errors import BluequeError, ConnectionFailed, InvalidCall, Lost
from .forkserver import SIZE, Ends, ForkServer, pack
from .frames import Frame, Pipe, now
from .home import Home, removed
from .host import (
    Ending,
    Host,
    Mode,
    check_anew,
    ending_of,
    fill_streams,
    flush_streams,
    importable,
    run_anew,
    stopped,
)
from .jobs import TaskFunction
from .listener import listener_id
from .logs import Fields, fields, subject
from .replies import TROUBLE, read_scripts
from .sync import Client, Link
from .text import clean, one_line
from .tracing import carried
from .version import VERSION
from .wire import Call, Names, Seconds

log = logging.getLogger("blueque.worker")
log.addFilter(clean)  # names and errors come from others

#: Forms of tasks: a function, several functions, or a module that has functions.
Tasks = Union[TaskFunction[Any, Any], Iterable[Any], Any]

LOOK = 0.2
#: Maximum number of seconds until the end of a process after its pipe was closed.
FAREWELL = 5
#: Fields of a task's record.
ABOUT = ("method", "tags")


def functions_of(tasks: Tasks) -> dict[str, TaskFunction[Any, Any]]:
    """The functions by their names."""
    if isinstance(tasks, TaskFunction):
        tasks = [tasks]
    elif hasattr(tasks, "__dict__") and not isinstance(tasks, Iterable):
        tasks = list(vars(tasks).values())
    found: dict[str, TaskFunction[Any, Any]] = {}
    for each in tasks:
        if isinstance(each, TaskFunction) and found.setdefault(each.name, each) is not each:
            raise InvalidCall("BADARG", f"two functions have the name {each.name}: give one another with `name=`.")
    if not found:
        raise InvalidCall("BADARG", "there is no @task function among these.")
    return found


@dataclass(eq=False)
class _Process:
    """A process of tasks."""

    number: int
    pipe: Pipe
    #: Place of the process among the ends.
    place: int | None
    pid: int = 0
    status: int | None = None
    cost: dict[str, Any] = field(default_factory=dict)
    begun: int = 0
    running: set[int] = field(default_factory=set)
    #: `loaded`: the process has imported its functions; `trouble`: the error if it could not.
    loaded: bool = True
    trouble: str = ""
    #: True if the process was killed because a lease had passed.
    late: bool = False
    #: Set when the process and all its children are known to be gone.
    gone: threading.Event = field(default_factory=threading.Event)
    known: threading.Event = field(default_factory=threading.Event)


@dataclass(eq=False)
class _Held:
    """An attempt that this worker holds."""

    key: int
    item: Any
    lease: float
    #: Time at which the last acknowledged renewal was sent.
    renewed: float
    began: float
    folder: Path
    method: str | None = None
    process: _Process | None = None
    time_limit: float | None = None
    order: str | None = None
    ordered: float = 0
    #: Means used so far to stop the attempt: 1 order, 2 SIGTERM, 3 SIGKILL.
    force: int = 0
    #: `append_log`: log output that is not sent yet; `left_out`: the number of bytes that were dropped.
    log: bytearray = field(default_factory=bytearray)
    left_out: int = 0
    #: Held while a part of the log is being sent.
    sends: threading.Lock = field(default_factory=threading.Lock)
    #: The end of the attempt, while its process still exists.
    ending: Ending | None = None
    over: bool = False
    cost: bytes = b""
    #: Span of OpenTelemetry.
    span: Any = None

    @property
    def id(self) -> Any:
        """The id in the form that is sent to the server."""
        return _sent(self.item.id)

    @property
    def token(self) -> int:
        return int(self.item.token)

    def say(self, level: int, text: str, *args: Any) -> None:
        """Logs an event of the attempt."""
        _say(self.item, self.method, level, text, *args)


class Worker:
    """Takes the tasks of some queues and runs their functions.

    client: The client of the server.
    tasks: The `@task` functions, or a module that has them.
    queues: By default the queues of the functions, in this order. Or patterns, such as `["video-*", "!video-test"]`:
      all matching queues, including queues that are created later.
    slots: Maximum number of tasks that run at the same time.
    mode: `process`: each task in its own process, protected from everything that other tasks do. `thread` and
      `asyncio`: all tasks in one process, for many small ones that wait a lot; `async def` functions run in any mode.
    tasks_per_process: Number of tasks after which a process is replaced; None: never. By default 1 with `process`.
    spawn: Start each process as a new interpreter that imports the modules of the functions, for libraries that cannot
      be forked. By default each process is a fork of a process that has imported the modules.
    lease: Time after the last heartbeat for which the worker keeps a task; by default the setting of its queue.
    has: Capabilities of this worker, such as `gpu,memory=64`.
    name: The name of the worker, for people.
    grace: Seconds between the exception `Stopped` in a function and SIGKILL; SIGTERM comes after half of them.
    memory: Maximum memory of a process in bytes.
    folder: The folder in which the folders of attempts are made.
    """

    def __init__(
        self,
        client: Client,
        tasks: Tasks,
        *,
        queues: Sequence[str] | None = None,
        slots: int = 1,
        mode: Mode = "process",
        tasks_per_process: int | None = -1,
        spawn: bool = False,
        lease: Seconds | None = None,
        has: Names | None = None,
        name: str | None = None,
        grace: float = 30,
        memory: int | None = None,
        folder: str | Path | None = None,
    ) -> None:
        self._link: Link = client.link
        self._functions = functions_of(tasks)
        if slots < 1:
            raise InvalidCall("BADARG", "a worker needs at least one slot.")
        self._slots, self._mode, self._lease, self._has, self._name = slots, mode, lease, has, name
        self._per_process = (1 if mode == "process" else None) if tasks_per_process == -1 else tasks_per_process
        self._capacity = 1 if mode == "process" else slots
        self._grace, self._memory = grace, memory
        self._spawn = importable(self._functions, client.link.serializer) if spawn else None
        self._base = Path(folder or tempfile.gettempdir()) / f"blueque-{os.getuid()}"
        self._listener = listener_id()
        names = list(queues or dict.fromkeys(each.queue for each in self._functions.values()))
        self._queues = Choice(self._link, self._listener, names, has)
        self._lock = threading.RLock()
        self._held: dict[int, _Held] = {}
        self._processes: list[_Process] = []
        #: Attempts whose end must be sent, and wake-ups (None).
        self._events: queue.SimpleQueue[tuple[_Held, Ending] | None] = queue.SimpleQueue()
        self._ends = Ends(4 * slots + 100)
        self._keys, self._numbers = itertools.count(1), itertools.count(1)
        self._stop: str | None = None
        self._over = threading.Event()
        self._beat_now = threading.Event()
        self._report_now = threading.Event()
        self._ahead, self._clock_read = 0.0, 0.0
        self._hungry = threading.Event()
        self._broken: str | None = None
        #: Pause without new tasks if the functions cannot be imported, and the end of that pause.
        self._pause = self._rests_until = 0.0
        #: A wake-up led to the next call that takes tasks.
        self._woken = False
        self.done = 0
        #: Called every second while the worker runs.
        self.every_second: Callable[[], None] | None = None

    # From outside

    def stop(self, release: bool = False) -> None:
        """Takes no more tasks; `run` returns when the running tasks have ended. `release`: gives these back at once."""
        # Also called from a signal handler, so nothing here waits for a lock.
        self._stop = "release" if release or self._stop == "release" else "finish"
        self._events.put(None)

    def run(self) -> int:
        """Runs until stopped by `stop`, SIGTERM or SIGINT. A second signal releases the running tasks.

        Returns the number of attempts that have ended in this worker. Call `run` before your program starts threads.
        """
        with fields():
            return self._run()

    def _run(self) -> int:
        # Threads of OpenTelemetry are restarted in forked processes.
        if any(not each.name.startswith("Otel") for each in threading.enumerate()[1:]):
            log.warning(
                "other threads run already: a lock that one of them holds is held for ever in processes of tasks"
            )
        fill_streams()
        read_scripts()
        if self._spawn:
            check_anew(self._spawn)
        self._link.run(calls.handshake(), away=self._away)
        self._queues.register()
        self._home = Home(self._base)
        disconnect(self._link.server)
        self._control = self._fork_server()
        before = self._signals()
        jobs = [self._reports, self._beats, self._watches, self._logs, self._wait, self._orders, self._server_ends]
        threads = [threading.Thread(target=self._always, args=(job,), name=job.__name__, daemon=True) for job in jobs]
        try:
            for thread in threads:
                thread.start()
            log.info(
                "takes tasks of %s as %s: %s, %s, bundle %s",
                ", ".join(self._queues.names),
                self._listener,
                _many(self._slots, "slot"),
                self._link.place,
                VERSION,
            )
            self._desk()
        finally:
            self._over.set()
            self._hungry.set()
            self._beat_now.set()
            self._report_now.set()
            with suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)
            self._wait_for_server()
            for number, handler in before:
                signal.signal(number, handler)
            self._home.remove()
            with suppress(BluequeError):
                self._queues.unregister()
        if self._broken:
            raise BluequeError("WORKER", self._broken)
        return self.done

    def _away(self, error: Exception) -> None:
        until = time.strftime("%H:%M:%S", time.localtime(time.time() + self._link.limit))
        log.warning("no answer from %s yet: %s; tries until %s", self._link.place, str(error).rstrip("."), until)

    def _stopping(self) -> str:
        """Reacts to the order to stop."""
        count = len(self._held)
        if not count:
            return "takes no more tasks"
        if self._stop == "release":
            return f"gives back {_many(count, 'task')}"
        again = "; a second signal gives back what runs" if self._hears_signals else ""
        return f"takes no more, finishes {_many(count, 'task')}{again}"

    def _always(self, job: Callable[[], None]) -> None:
        """Runs a job to its end despite errors, because attempts depend on the job."""
        while True:
            try:
                job()
                return
            except Exception:
                log.exception("%s begins again after an error", job.__name__)
                if self._over.wait(contract.CALL_AGAIN):
                    return

    def _signals(self) -> list[tuple[signal.Signals, Any]]:
        self._hears_signals = threading.current_thread() is threading.main_thread()
        if not self._hears_signals:
            return []

        def end(_number: int, _frame: Any) -> None:
            self.stop(release=self._stop is not None)

        heard = (signal.SIGTERM, signal.SIGINT)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heard)  # the parent process may have blocked these signals
        return [(number, signal.signal(number, end)) for number in heard]

    # The fork server

    def _fork_server(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        flush_streams()
        pid = os.fork()
        if pid:
            theirs.close()
            self._server_pid = pid
            return ours
        status = 1
        try:
            ours.close()
            forget_passwords()
            end = ForkServer(theirs, self._ends).serve()
            if end and self._spawn:
                run_anew(end, self._spawn, self._mode, self._memory)
            elif end:
                Host(end, self._functions, self._link.serializer).serve(self._mode, self._memory)
            status = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)

    def _wait_for_server(self) -> None:
        """Waits until the fork server and all processes that tasks have started are gone."""
        with suppress(ChildProcessError):  # another thread has waited
            os.waitpid(self._server_pid, 0)

    def _server_ends(self) -> None:
        """Receives reports of new processes, and of processes that are gone."""
        while True:
            try:
                message = self._control.recv(SIZE, socket.MSG_WAITALL)
            except OSError:
                message = b""
            if len(message) < SIZE:
                if not self._over.is_set():
                    self._broken = "the process that makes the processes of tasks is gone: start the worker again."
                    log.critical(self._broken)
                    self._wait_for_server()
                    with self._lock:
                        for process in self._processes:
                            process.known.set()
                            process.gone.set()
                    self.stop(release=True)
                return
            report = json.loads(message)
            with self._lock:
                for process in list(self._processes):
                    if report.get("start") == process.number:
                        process.pid = report.get("pid", 0)
                        process.known.set()
                        if "error" in report:
                            log.error("no process can be made: %s", report["error"])
                            process.gone.set()
                            process.pipe.close()
                    elif report.get("gone") == process.pid:
                        process.status, process.late = report["status"], report["late"]
                        process.cost = {name: report[name] for name in ("cpu_ms", "max_rss_kib")}
                        process.gone.set()

    def _signal(self, process: _Process, number: int) -> None:
        if process.known.is_set() and process.pid:
            with suppress(OSError):
                self._control.sendall(pack(pid=process.pid, signal=number))

    def _new_process(self) -> _Process:
        ours, theirs = socket.socketpair()
        process = _Process(next(self._numbers), Pipe(ours, trusts=False), self._ends.take(), loaded=self._spawn is None)
        self._processes.append(process)
        try:
            socket.send_fds(self._control, [pack(start=process.number, place=process.place)], [theirs.fileno()])
        except OSError:  # the fork server is gone
            process.gone.set()
        theirs.close()
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        return process

    # Attempts

    def _abouts(self, items: Sequence[Any]) -> dict[str, dict[str, bytes]]:
        """Reads the fields of tasks that a reservation does not return."""
        found: dict[str, dict[str, bytes]] = {}
        # Reading two fields of a record costs a tenth of reading the record. After an error the whole record is read.
        with suppress(Exception), self._link.server.pipeline(transaction=False) as pipeline:
            for item in items:
                pipeline.hmget(_sent(f"{self._link.namespace}_task_{item.id}"), *ABOUT)
            for item, values in zip(items, pipeline.execute() if items else ()):
                found[item.id] = {name: value for name, value in zip(ABOUT, values) if value is not None}
            return found
        while left := [_sent(item.id) for item in items if item.id not in found]:
            found.update((each.id, each.extra) for each in self._insist(calls.get_many(left)))
        return found

    def _begin(self, item: Any, record: dict[str, bytes], sent: float) -> None:
        """Gives an attempt to a process."""
        key = next(self._keys)
        method = record.get("method", b"").decode(errors="replace") or None
        function = self._functions.get(method or item.queue)
        folder = self._home.path / str(key)
        held = _Held(key, item, item.lease / 1e6, sent, now(), folder, method)
        held.time_limit = function.time_limit if function else None
        if tracing := self._link.tracing:
            tags = record.get("tags", b"").decode(errors="replace").split(",")
            held.span = tracing.attempt(item.id, item.queue, method, item.attempt, tags)
        with self._lock:
            self._held[key] = held
            try:
                # In other modes the folder is made on request. A clean-up program may have removed the home.
                if self._mode == "process":
                    folder.mkdir(mode=0o700, parents=True)
                process = self._process()
            except OSError as error:
                held.say(logging.ERROR, "cannot begin: %s", error)
                held.over = True
                self._events.put((held, Ending("uncounted", reason="noprocess", again=5)))
                return
            process.begun += 1
            process.running.add(key)
            held.process = process
            self._set_end(process)
        held.say(logging.INFO, "begins")
        about = {"id": item.id, "queue": item.queue, "method": method, "attempt": item.attempt, "folder": str(folder)}
        about["trace"] = carried(held.span)
        # The process then ends by itself with all its children, and after that the task's end is sent.
        about["last"] = self._capacity == 1 and not self._lasts(process)
        checkpoint = item.checkpoint
        body = item.parameters + (checkpoint or b"")
        process.pipe.post(
            "start", key, body, parameters=len(item.parameters), checkpoint=checkpoint is not None, **about
        )
        self._spare()

    def _process(self) -> _Process:
        """Returns a process with room for another task."""
        fits = (
            p for p in self._processes if len(p.running) < self._capacity and self._lasts(p) and not p.gone.is_set()
        )
        return next(fits, None) or self._new_process()

    def _set_end(self, process: _Process) -> None:
        """Sets the time at which the fork server kills a process: the end of its first lease, even if the worker is
        frozen."""
        with self._lock:
            running = [self._held[key] for key in process.running if key in self._held]
            self._ends.set(process.place, min((held.renewed + held.lease for held in running), default=0))

    def _spare(self) -> None:
        """Keeps a process ready for the next task while the current task runs."""
        with self._lock:
            idle = any(not process.running and self._lasts(process) for process in self._processes)
            if self._per_process is not None and self._capacity == 1 and not idle and not self._stop:
                with suppress(OSError):
                    self._new_process()

    def _lasts(self, process: _Process) -> bool:
        return self._per_process is None or process.begun < self._per_process

    def _listen(self, process: _Process) -> None:
        """Receives the messages of a process until it is gone, then ends its attempts."""
        try:
            self._hear(process)
        except Exception:
            log.exception("a process says what cannot be read: it is killed")
            self._signal(process, signal.SIGKILL)
        # A process that no longer talks must also stop running, even if it has closed or stopped everything.
        while not process.gone.wait(FAREWELL) and not self._over.is_set():
            self._signal(process, signal.SIGKILL)
        with self._lock:
            if process in self._processes:
                self._processes.remove(process)
                self._ends.give_back(process.place)
            left = [held for held in self._held.values() if held.process is process and not held.over]
        process.pipe.close()
        if not process.loaded and not self._over.is_set():
            self._rest(process)
        for held in left:
            ending = held.ending or self._crashed(process, held)
            held.cost = self._cost(process, held, ending)
            self._ended(held, ending)

    def _rest(self, process: _Process) -> None:
        """Takes no tasks for a while, because a process has ended before it imported its functions."""
        with self._lock:
            if process.status is None or now() < self._rests_until:
                return
            self._pause = min(max(1.0, 2 * self._pause), contract.LONGEST_REST)
            self._rests_until = now() + self._pause
        why = process.trouble or "their process ended while it imported them"
        log.error("the functions cannot be imported: %s: takes nothing for %g s", why, self._pause)

    def _hear(self, process: _Process) -> None:
        while frame := process.pipe.receive():
            if frame.kind == "loaded":
                process.loaded, self._pause = True, 0.0
            elif frame.kind == "unusable":
                process.trouble = frame.body.decode(errors="replace")
            held = self._held.get(frame.key)
            if held is None or held.over or held.process is not process:
                continue
            if frame.kind == "end":
                held.ending = ending_of(frame)
                with self._lock:
                    process.running.discard(frame.key)
                    self._set_end(process)
                    last = not self._lasts(process) and not process.running
                if not last or self._capacity > 1:
                    self._ended(held, held.ending)
                if last:
                    # The process ends with all its children, and after that the task's end is sent.
                    process.pipe.close()
                    break
            elif frame.kind == "log":
                with self._lock:
                    if len(held.log) < contract.LOG_KEPT_BYTES:
                        held.log += frame.body
                    else:
                        held.left_out += len(frame.body)
            elif frame.kind in ("checkpoint", "progress"):
                self._answer(process, held, frame)
            else:
                raise ValueError(f"a message of the kind {frame.kind!r}")

    def _answer(self, process: _Process, held: _Held, frame: Frame) -> None:
        error: tuple[str, str] | None = None
        command = calls.checkpoint if frame.kind == "checkpoint" else calls.progress
        try:
            self._persist(command(held.id, held.token, frame.body), held)
        except BluequeError as refused:
            error = refused.code, refused.cause
            if isinstance(refused, Lost):
                self._order(held, "lost", at_once=True)
        process.pipe.post("answer", held.key, number=frame.about["number"], error=error)

    def _persist(self, call: Call[Any], held: _Held) -> None:
        """Repeats a call for as long as the lease may last."""
        while True:
            try:
                self._link.run(call)
                return
            except BluequeError as error:
                if not passes(error) or held.order:
                    raise
                self._over.wait(contract.CALL_AGAIN)

    def _cost(self, process: _Process, held: _Held, ending: Ending) -> bytes:
        """The cost of an attempt with its own process, in the form of `blueque worker`."""
        if process.status is None or self._capacity > 1 or process.begun > 1:
            return b""
        how: dict[str, Any] = {}
        if os.WIFSIGNALED(process.status):
            how["signal"] = name_of(process.status)
        elif process.status or ending.how == "complete":
            # The process of a failed function exits with 0, which would look like a success.
            how["exit"] = os.WEXITSTATUS(process.status)
        about = {"attempt": held.item.attempt, **how, "oom": False, "wall_ms": round(1000 * (now() - held.began))}
        return json.dumps({**about, **process.cost}).encode()

    def _crashed(self, process: _Process, held: _Held) -> Ending:
        """The end of an attempt whose process is gone."""
        if held.order or process.late:
            return stopped(held.order or "drain")
        if process.status is None or process.pid == 0:
            return Ending("uncounted", reason="noprocess", again=1)
        if not process.loaded:  # the host is at fault, not the task
            return Ending("uncounted", reason="nofunctions", again=max(self._pause, 1.0))
        if os.WIFSIGNALED(process.status):
            name = name_of(process.status)
            hint = ": perhaps the host was out of memory" if name == "SIGKILL" else ""
            text = f"its process was killed by {name}{hint}"
        else:
            text = f"its process ended with the exit code {os.WEXITSTATUS(process.status)} before the function did"
        return Ending("fail", text.encode(), "crashed")

    def _ended(self, held: _Held, ending: Ending) -> None:
        held.over = True
        while self._flush(held):
            pass
        removed(held.folder)
        self._events.put((held, ending))

    def _flush(self, held: _Held) -> bool:
        """Sends a part of the log of an attempt. Returns true if more may be sent."""
        with held.sends:  # keeps the order of the parts and of the end
            with self._lock:
                if held.left_out:
                    held.log += b"[%d bytes were left out]\n" % held.left_out
                    held.left_out = 0
                text = bytes(held.log[: contract.LOG_PIECE_BYTES])
                del held.log[: contract.LOG_PIECE_BYTES]
            if not text:
                return False
            try:
                self._link.run(calls.append_log(held.id, held.token, "log", text), limit=5)
            except BluequeError:
                return False
            return True

    # The desk: ends attempts and takes the next tasks

    def _desk(self) -> None:
        look, told = True, None
        while True:
            if self._stop != told:
                told = self._stop
                log.info("%s", self._stopping())
                self._report_now.set()
            ends: list[tuple[_Held, Ending]] = []
            size = 0
            while len(ends) < contract.ENDS_OF_CALL and size < contract.CALL_BYTES:
                try:
                    event = self._events.get_nowait()
                except queue.Empty:
                    break
                look = True
                if event:
                    ends.append(event)
                    size += len(event[1].body)
            rests = self._rests_until - now()
            free = (
                0 if self._stop or rests > 0 else min(self._slots - len(self._held) + len(ends), contract.ENDS_OF_CALL)
            )
            if ends or (free and look):
                taken = self._finish_and_reserve(ends, free)
                # The queues found before may have no tasks left, while other queues have.
                look = bool(taken) or (bool(ends) and self._queues.by_pattern)
            elif self._stop and not self._held:
                return
            else:
                if free:
                    self._hungry.set()
                with suppress(queue.Empty):
                    event = self._events.get(timeout=min(rests, 5) if rests > 0 else 5)
                    self._events.put(event)
                look = True

    def _finish_and_reserve(self, ends: list[tuple[_Held, Ending]], free: int) -> list[Any]:
        together: list[tuple[_Held, Ending]] = []
        alone: list[tuple[_Held, Ending]] = []
        for held, ending in ends:
            simple = not ending.next_step and not (ending.how in ("release", "uncounted") and ending.reason)
            (together if simple and held.order != "lost" and self._fits(ending) else alone).append((held, ending))
        for held, ending in alone:
            self._end_alone(held, ending)
        each = [
            calls.FinishAndReserveEach(
                ending.how,
                held.id,
                held.token,
                ending.body if ending.how in ("complete", "fail", "final") else b"",
                ending.group or "",
                ending.again,
                held.cost,
            )
            for held, ending in together
        ]
        while True:
            sent = now()
            try:
                if not each:
                    taken = self._reserve(free) if free else []
                    return self._took(taken, sent)
                woken = self._was_woken() if free else None
                queues = self._queues.now if free and self._looks(woken) else []
                call = calls.finish_and_reserve(
                    self._listener,
                    ",".join(queues),
                    max(free, 1),
                    each,
                    pid=os.getpid(),
                    lease=self._lease,
                    woken=woken if queues else None,
                )
                reply = self._insist(call.once())
                break
            except BluequeError as error:
                log.error("the ends are refused together: %s", error)
                for held, ending in together:
                    self._end_alone(held, ending)
                each, together = [], []
        for (held, ending), verdict in zip(together, (reply.verdicts or "").split()):
            self._gave(held, ending, verdict)
        if reply.refusal:
            self._refused(reply.refusal)
        return self._took(reply.items, sent)

    def _reserve(self, free: int) -> list[Any]:
        woken = self._was_woken()
        found = self._looks(woken, fresh=True)
        try:
            while found:
                call = calls.reserve(
                    self._listener, self._queues.now, limit=free, pid=os.getpid(), lease=self._lease, woken=woken
                )
                if taken := self._insist(call.once(), give_up=True):
                    return list(taken)
                found = self._queues.by_pattern and self._queues.more()
            return []
        except BluequeError as error:
            self._refused(error.code)
            log.error("takes no tasks: %s", error)
            self._over.wait(contract.CALL_AGAIN)
            return []

    def _looks(self, woken: bool | None, fresh: bool = False) -> bool:
        """Returns true if there are queues to ask."""
        try:
            return self._queues.look(woken, fresh)
        except BluequeError as error:
            log.warning("finds no queues: %s", error)
            return False

    def _was_woken(self) -> bool | None:
        woken, self._woken = self._woken, False
        return woken or None

    def _refused(self, code: str) -> None:
        if code == "NOLISTENER":
            with suppress(BluequeError):
                self._queues.register()
        elif code == "DRAINING" and not self._stop:
            log.info("was told to drain")
            self.stop()

    def _took(self, items: Sequence[Any], sent: float) -> list[Any]:
        abouts = self._abouts(items)
        for item in items:
            renewed = self._still_held(item, sent)
            if renewed is not None:
                self._begin(item, abouts[item.id], renewed)
        return list(items)

    def _still_held(self, item: Any, sent: float) -> float | None:
        """Returns the time of the last renewal of a taken task's lease; None if another owner has the task. The reply
        may be
        old because the server was away, or this process was frozen."""
        lease = item.lease / 1e6
        while now() - sent > lease / contract.HEARTBEATS_PER_LEASE:
            sent = now()
            each = [calls.HeartbeatEach(_sent(item.id), item.token)]
            reply = self._insist(calls.heartbeat(item.queue, self._listener, lease, each))
            if reply.items[0] in ("lost", "kill"):
                _say(item, None, logging.WARNING, "was lost before it began")
                return None
        return sent

    def _insist(self, call: Call[Any], give_up: bool = False) -> Any:
        """Repeats a call until the server has acknowledged it, because hours of work may depend on the call."""
        while True:
            try:
                return self._link.run(call)
            except BluequeError as error:
                if not passes(error) or (give_up and (self._stop or not error.transient)):
                    raise
                log.warning("the server is away: %s", error)
                time.sleep(contract.CALL_AGAIN)

    def _fits(self, ending: Ending) -> bool:
        return len(ending.body) <= contract.END_BYTES

    def _end_alone(self, held: _Held, ending: Ending) -> None:
        """Ends an attempt with its own call."""
        if held.order == "lost":
            self._gave(held, ending, "LOST")
            return
        try:
            # A value that cannot be sent is refused before the call.
            verdict = str(self._insist(call_of(held.id, held.token, ending, held.cost or None)))
        except BluequeError as error:
            verdict = error.code
            if verdict != "LOST":
                held.say(logging.ERROR, "its end is refused: %s", error)
                about = f"the end of the attempt was refused: {error}".encode()
                with suppress(BluequeError):
                    verdict = str(self._insist(calls.fail(held.id, held.token, about, group="refused")))
        self._gave(held, ending, verdict)

    def _gave(self, held: _Held, ending: Ending, verdict: str) -> None:
        level = logging.WARNING if verdict in ("LOST", "failed") else logging.INFO
        text = error_of(ending)
        held.say(level, "%s%s", verdict, text and f": {text}")
        if held.span and self._link.tracing:
            self._link.tracing.end(held.span, verdict, text)
        with self._lock:
            self._held.pop(held.key, None)
        self.done += 1

    def _wait(self) -> None:
        """Waits for wake-ups while a slot is free."""
        while not self._over.is_set():
            self._hungry.wait()
            self._hungry.clear()
            if self._over.is_set():
                return
            try:
                if lists := self._queues.lists():
                    woken = self._link.server.blpop(lists, timeout=self._link.longest_wait)
                else:
                    woken = self._over.wait(contract.CALL_AGAIN)
            except TROUBLE:
                self._over.wait(contract.CALL_AGAIN)
                continue
            if woken and (self._stop or len(self._held) >= self._slots):
                with suppress(*TROUBLE):  # for another listener
                    self._link.server.lpush(woken[0], 1)
                    self._link.server.expire(woken[0], contract.WAKE_UP_EXPIRES)  # perhaps no listener is left
            elif woken:
                self._woken = True
            self._events.put(None)

    # Background threads: heartbeats, orders, limits

    def _order(self, held: _Held, order: str, at_once: bool = False) -> None:
        """Orders an attempt to stop; `at_once`: without a grace period."""
        with self._lock:
            if held.order in (order, "lost") or (held.order and order not in ("lost", "kill")):
                return
            held.order, held.ordered = "cancel" if order == "kill" else order, 0 if at_once else now()
            process = held.process
        held.say(logging.INFO, "is to stop: %s", order)
        held.force = max(held.force, 1)
        if process:
            process.pipe.post("order", held.key, order=held.order)

    def _beats(self) -> None:
        """Renews leases."""
        due: dict[tuple[str, float], float] = {}
        while not self._over.is_set():
            if hurry := self._beat_now.wait(LOOK):
                self._beat_now.clear()
            groups: dict[tuple[str, float], list[_Held]] = {}
            for held in self._all():
                groups.setdefault((held.item.queue, held.lease), []).append(held)
            for group, members in groups.items():
                if hurry or now() >= due.setdefault(group, now() + group[1] / contract.HEARTBEATS_PER_LEASE):
                    due[group] = now() + group[1] / contract.HEARTBEATS_PER_LEASE
                    most = contract.TASKS_OF_HEARTBEAT
                    for first in range(0, len(members), most):
                        if not self._heartbeat(*group, members[first : first + most]):
                            due[group] = now() + contract.CALL_AGAIN
            due = {group: at for group, at in due.items() if group in groups}

    def _watches(self) -> None:
        """Enforces orders, limits and leases. Heartbeats have their own thread, because they may wait for the
        server."""
        while not self._over.wait(LOOK):
            for held in self._all():
                self._watch(held)

    def _logs(self) -> None:
        """Sends what functions have logged."""
        while not self._over.wait(1):
            for held in self._all():
                self._flush(held)
            if self.every_second:
                self.every_second()

    def _all(self) -> list[_Held]:
        with self._lock:
            return list(self._held.values())

    def _heartbeat(self, name: str, lease: float, members: list[_Held]) -> bool:
        sent = now()
        each = [calls.HeartbeatEach(held.id, held.token) for held in members]
        try:
            reply = self._link.run(
                calls.heartbeat(name, self._listener, lease, each), limit=max(lease / contract.HEARTBEAT_PART, 1)
            )
        except BluequeError as error:
            log.warning("no heartbeat: %s", error)
            return False
        for held, order in zip(members, reply.items):
            if order not in ("lost", "kill"):
                held.renewed = sent
            if order == "drain":
                if not self._stop:
                    self.stop()
            elif order != "continue" and held.ending is None:
                # After a loss another owner may already have the task.
                self._order(held, order, at_once=order in ("lost", "kill"))
        for process in {held.process for held in members if held.process}:
            self._set_end(process)
        return True

    def _watch(self, held: _Held) -> None:
        """Enforces the limits of an attempt, by signals if it does not stop."""
        if held.ending is not None or held.process is None:
            return
        left = held.renewed + held.lease - now()
        if left <= 0 or (left <= min(self._grace, held.lease / 6) and not held.order):
            self._order(held, "lost")
        if held.time_limit and not held.order and now() - held.began > held.time_limit:
            self._order(held, "timeout")
        if self._stop == "release" and not held.order:
            self._order(held, "drain")
        if not held.order:
            return
        since = now() - held.ordered
        if held.force < 2 and since > self._grace / 2:
            held.force = 2
            self._signal_alone(held, signal.SIGTERM)
        # When a lost lease has passed, the next owner may run the task.
        if since > self._grace or (held.order == "lost" and left <= 0):
            held.force = 3
            self._signal_alone(held, signal.SIGKILL)

    def _signal_alone(self, held: _Held, number: int) -> None:
        """Sends a signal to the process of an attempt. Its other tasks are given back, and begin again elsewhere."""
        process = held.process
        if process is None:
            return
        with self._lock:
            others = [other for other in self._held.values() if other.process is process and other is not held]
        for other in others:
            if not other.order and other.ending is None:
                other.say(logging.WARNING, "is given back: its process is killed")
                other.order, other.ordered = "drain", now()
        self._signal(process, number)

    def _orders(self) -> None:
        """Sends a heartbeat at once after an order was announced, instead of at the next interval."""
        space, by_pattern = self._link.namespace, self._queues.by_pattern
        channels = [f"{space}_orders_{name}" for name in (["*"] if by_pattern else self._queues.names)]
        while not self._over.is_set():
            try:
                with self._link.server.pubsub(ignore_subscribe_messages=True) as pubsub:
                    (pubsub.psubscribe if by_pattern else pubsub.subscribe)(*channels)
                    self._beat_now.set()
                    while not self._over.is_set():
                        if pubsub.get_message(timeout=2):
                            self._beat_now.set()
                            self._report_now.set()
            except TROUBLE:
                self._over.wait(contract.CALL_AGAIN)

    def _reports(self) -> None:
        """Sends reports and does the maintenance."""
        due = {self._report: 0.0, self._maintenance: 0.0}
        while not self._over.is_set():
            for job, at in list(due.items()):
                if not time.time() < at < time.time() + 2 * contract.REPORT_EVERY:  # the clock may have been set back
                    try:
                        due[job] = job()
                    except BluequeError as error:
                        log.warning("%s", error)
                        due[job] = time.time() + contract.REPORT_AGAIN
            if self._report_now.wait(min(max(min(due.values()) - time.time(), 0.01), 2)):
                self._report_now.clear()
                due[self._report] = 0

    def _report(self) -> float:
        free = max(self._slots - len(self._held), 0)
        orders = self._link.run(
            calls.report(
                self._listener,
                self._slots,
                free,
                self._queues.now,
                has=self._has,
                name=self._name,
                version=f"python-{VERSION}",
                draining=self._stop is not None,
                methods=list(self._functions),
                patterns=",".join(self._queues.names) if self._queues.by_pattern else None,
            )
        )
        if "drain" in orders and not self._stop:
            log.info("was told to drain")
            self.stop()
        return time.time() + contract.REPORT_EVERY

    def _clock(self) -> float:
        """The seconds by which the server's clock is ahead of this host's."""
        if not self._clock_read or time.monotonic() > self._clock_read + contract.CLOCK_EVERY:
            self._ahead = self._link.run(calls.handshake()).now - time.time()
            self._clock_read = time.monotonic()
        return self._ahead

    def _maintenance(self) -> float:
        ahead = self._clock()
        due = time.time() + contract.MAINTENANCE_EVERY
        for queues in self._queues.to_keep():
            reply = self._link.run(calls.maintenance(queues))
            if reply.trouble:
                log.warning("maintenance: %s", reply.trouble)
            due = min(due, time.time() if reply.more else max(reply.next - ahead, time.time() + 0.05))
        return due


def _sent(name: str) -> Any:
    """A name as it was read. A name that a client of Blueque 1.0 has written may not be text."""
    return name.encode(errors="surrogateescape")


def _say(item: Any, method: str | None, level: int, text: str, *args: Any) -> None:
    if not log.isEnabledFor(level):
        return
    with subject(Fields(one_line(item.id), item.attempt, item.queue, method and one_line(method))):
        log.log(level, f"task %s attempt %d: {text}", item.id, item.attempt, *args)


def passes(error: BluequeError) -> bool:
    """Returns true if a retry may succeed. This includes failed logins, because passwords may change."""
    return error.transient or isinstance(error, ConnectionFailed)


def call_of(id: Any, token: int, ending: Ending, cost: bytes | None = None) -> Call[Any]:
    """The call that ends an attempt."""
    if ending.how == "complete":
        step = ending.next_step
        return calls.complete(
            id,
            token,
            ending.body,
            max_bytes=contract.RESULT_BYTES,
            next=step.get("next"),
            method=step.get("method"),
            cost=cost,
        )
    if ending.how in ("fail", "final"):
        final = ending.how == "final" or None
        return calls.fail(id, token, ending.body, group=ending.group, final=final, again=ending.again)
    reason = re.sub(r"[^A-Za-z0-9._:@-]+", "-", ending.reason or "")[:128] or None
    return calls.release(
        id, token, reason=reason, again=ending.again, uncounted=ending.how == "uncounted" or None, cost=cost
    )


def error_of(ending: Ending) -> str:
    """The first line of an attempt's error, or the beginning of that line."""
    return ending.body.decode(errors="replace").split("\n", 1)[0][:300] if ending.how in ("fail", "final") else ""


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def name_of(status: int) -> str:
    """The signal that ended a process."""
    number = os.WTERMSIG(status)
    try:
        return signal.Signals(number).name
    except ValueError:  # of real time
        return f"signal {number}"


def disconnect(server: Any) -> None:
    """Closes the connections of a client of redis-py before a fork. The client opens new connections when needed."""
    nodes = [node.redis_connection for node in server.get_nodes()] if hasattr(server, "get_nodes") else [server]
    for node in filter(None, nodes):
        node.connection_pool.disconnect()
