"""A process that runs tasks: one after another, several in threads, or several on an event loop."""

from __future__ import annotations

import asyncio
import contextvars
import ctypes
import importlib
import inspect
import itertools
import json
import logging
import os
import queue
import resource
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn, Protocol, get_args

from . import contract
from .context import USE, Again, Alone, Failure, Stopped, attempt_here, current
from .environment import for_tasks
from .errors import BluequeError, InvalidCall, Lost, PayloadError, verdict
from .logs import fields
from .messages import Message, Pipe
from .payload import Json, Serializer
from .task_functions import TaskFunction, WrongArguments
from .tracing import enter, flush

#: Modes in which a process runs tasks: one at a time, in threads, on an event loop.
Mode = Literal["process", "thread", "asyncio"]

#: Maximum length of a name or a reason in an end.
MOST_TEXT = 1000
#: Maximum size of an error's text, whose end is kept, and of each of its lines.
MOST_ERROR, MOST_LINE = 16_000, 1000
#: Modules whose frames are of no use to the author of a function.
_OURS = {__file__, inspect.getfile(TaskFunction), inspect.getfile(Json)}


class Ending(NamedTuple):
    """The end of an attempt: the words of `finish_and_reserve`, and the data for them."""

    how: contract.Ending
    body: bytes = b""
    group: str | None = None
    again: float | None = None
    reason: str | None = None
    #: The queue of the next step, and its method.
    next_step: dict[str, str] = {}  # noqa: RUF012 - of a tuple


def ending_of(message: Message) -> Ending:
    """The end that a process reports. Raises `ValueError` or `TypeError` if it is none."""
    ending = Ending(body=message.body, **message.about)
    good = ending.how in get_args(contract.Ending) and isinstance(ending.again, (int, float, type(None)))
    texts = [ending.group, ending.reason, *(ending.next_step.values() if isinstance(ending.next_step, dict) else [0])]
    if not good or not all(text is None or isinstance(text, str) for text in texts):
        raise ValueError("an end of another shape")
    return ending


class Way(Protocol):
    """The functions for an attempt, and its connection to the worker."""

    functions: Mapping[str, TaskFunction[Any, Any]]
    serializer: Serializer

    def ask(self, key: int, kind: str, body: bytes) -> None:
        """Sends a message and waits for its answer, which may be an error."""

    def tell(self, kind: str, key: int, body: bytes) -> None:
        """Sends a message that has no answer."""

    def is_forked(self) -> bool:
        """Returns true in a child that a function has forked: the attempt belongs to the parent."""


class Running:
    """An attempt in this process."""

    def __init__(self, host: Way, message: Message) -> None:
        self.host, self.key, about = host, message.key, message.about
        self.id: str = about["id"]
        self.queue: str = about["queue"]
        self.method: str | None = about["method"]
        self.number: int = about["attempt"]
        self._folder = Path(about["folder"])
        #: True if this is the last attempt of its process.
        self.last: bool = about.get("last", False)
        #: Span of the attempt, or None.
        self.trace: str | None = about.get("trace")
        self.order: str | None = None
        self.next_step: dict[str, str] = {}
        size = about["parameters"]
        self._parameters = message.body[:size]
        self._checkpoint = message.body[size:] if about["checkpoint"] else None
        self.function = host.functions.get(self.method or self.queue)
        #: Function that raises `Stopped` in the attempt.
        self.thread: int | None = None
        self.loop: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self.ended = False

    # Calls of its function

    @property
    def folder(self) -> Path:
        """The folder of the attempt, made on request."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._folder

    def last_checkpoint(self) -> Any:
        return None if self._checkpoint is None else self.host.serializer.loads(self._checkpoint)

    def ask(self, kind: str, value: Any) -> None:
        body = self.host.serializer.dumps(value)
        if len(body) > contract.RESULT_BYTES:
            raise InvalidCall("TOOBIG", f"the {kind} is over 8 MiB: store it elsewhere, and save its place.")
        self.host.ask(self.key, kind, body)

    def log(self, text: str) -> None:
        line = text.encode(errors="backslashreplace")
        if (more := len(line) - contract.LOG_KEPT_BYTES) > 0:
            line = line[: contract.LOG_KEPT_BYTES] + b"\n[%d bytes were left out]" % more
        self.host.tell("log", self.key, line if line.endswith(b"\n") else line + b"\n")

    # Run and end

    def run(self) -> Ending:
        """Runs its function, to whatever end."""
        current.set(self)
        try:
            value = self._call()
            if inspect.iscoroutine(value):
                value = asyncio.run(value)
            return self._complete(value)
        except BaseException as error:
            return self.ends_badly(error)

    async def run_async(self) -> Ending:
        """Runs its function on an event loop."""
        current.set(self)
        try:
            value = self._call()
            if inspect.isawaitable(value):
                value = await value
            return self._complete(value)
        except asyncio.CancelledError as error:
            return self.ends_badly(Stopped(self.order) if self.order else error)
        except BaseException as error:
            return self.ends_badly(error)

    def _call(self) -> Any:
        if self.order:
            raise Stopped(self.order)
        enter(self.trace)
        if self.function is None:
            what = f"the method {self.method}" if self.method else f"tasks of the queue {self.queue} without a method"
            raise Failure(f"this worker has no function for {what}", group="unknown")
        # A task of a document of graphs may have no parameters: the function then gets no argument.
        return self.function.run(self.host.serializer.loads(self._parameters) if self._parameters else [])

    def _complete(self, value: Any) -> Ending:
        body = self.host.serializer.dumps(value)
        if len(body) > contract.RESULT_BYTES:
            return Ending("final", b"the result is over 8 MiB: store it elsewhere", "toobig")
        return Ending("complete", body, next_step=self.next_step)

    def ends_badly(self, error: BaseException) -> Ending:
        try:
            return self._failed(error)
        except BaseException as worse:  # such as an error in the message, or a lack of memory
            text = f"{type(error).__name__}, and it cannot be told: {type(worse).__name__}"
            return Ending("fail", text.encode(errors="backslashreplace"), type(error).__name__)

    def _failed(self, error: BaseException) -> Ending:
        if isinstance(error, Stopped):
            return stopped(error.order)
        if isinstance(error, Again):
            return Ending("release", again=float(error.seconds), reason=error.reason)
        if isinstance(error, Failure):
            return Ending(
                "final" if error.permanent else "fail",
                _text(error),
                str(error.group or "Failure"),
                None if error.permanent or error.again is None else float(error.again),
            )
        permanent = isinstance(error, (WrongArguments, PayloadError))
        return Ending(
            "final" if permanent else "fail", _text(error), "permanent" if permanent else type(error).__name__
        )


def stopped(order: str) -> Ending:
    """The end of an attempt that was ordered to stop."""
    if order == "timeout":
        return Ending("fail", b"the attempt has taken longer than its time limit", "timeout")
    return Ending("uncounted" if order == "drain" else "release", reason=None)


def _text(error: BaseException) -> bytes:
    """The error text, then the last lines of the traceback."""
    if isinstance(error, Failure):
        return str(error.text).encode(errors="backslashreplace")[:MOST_ERROR]
    first = _shortened("".join(traceback.format_exception_only(type(error), error)).strip())[: MOST_ERROR // 4]
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename in _OURS:
        trace = trace.tb_next
    lines = _shortened("".join(traceback.format_exception(type(error), error, trace)))
    text = first if trace is None else f"{first}\n\n{lines[-MOST_ERROR // 2 :]}"
    return text.encode(errors="backslashreplace")[:MOST_ERROR]


def _shortened(text: str) -> str:
    return "\n".join(line if len(line) <= MOST_LINE else f"{line[:MOST_LINE]}…" for line in text.split("\n"))


class _Logs(logging.Handler):
    """Adds the log records of a function to its task's log."""

    def emit(self, record: logging.LogRecord) -> None:
        attempt = attempt_here()
        if isinstance(attempt, Running) and not record.name.startswith("blueque."):
            try:
                if attempt.host.is_forked():  # as other programs do without any handler
                    if logging.getLogger().handlers == [self] and logging.lastResort:
                        logging.lastResort.handle(record)
                    return
                attempt.log(self.format(record))
            except Exception:  # such as arguments that do not fit: no other handler raises that
                with suppress(Exception):
                    self.handleError(record)


def fill_streams() -> None:
    """Opens stdin, stdout and stderr where they are closed: connections would get their numbers."""
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
        except Exception:  # there is no stream, or it cannot be flushed
            continue


class TaskProcess:
    """This process."""

    def __init__(
        self, end: socket.socket, functions: Mapping[str, TaskFunction[Any, Any]], serializer: Serializer
    ) -> None:
        self.pipe, self.functions, self.serializer = Pipe(end), functions, serializer
        self.running: dict[int, Running] = {}
        self._pid = os.getpid()
        self._starts: queue.SimpleQueue[Running | None] = queue.SimpleQueue()
        self._answers: dict[int, queue.SimpleQueue[Message]] = {}
        self._numbers = itertools.count()
        #: The attempt that a signal reaches, and a flag of sections that must not be interrupted.
        self._main: Running | None = None
        self._shield = threading.local()
        self._loop: asyncio.AbstractEventLoop | None = None
        #: Attempts that wait for threads, the number of threads, and the lock of interruptions.
        self._pool: queue.SimpleQueue[Running] = queue.SimpleQueue()
        self._threads = 0
        self._reach = threading.Lock()
        self._logs = _Logs()
        self._logs.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def serve(self, mode: Mode, memory: int | None) -> None:
        """Runs tasks until the worker closes the pipe."""
        with fields():
            self._serve(mode, memory)

    def _serve(self, mode: Mode, memory: int | None) -> None:
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        logging.getLogger().addHandler(self._logs)
        signal.signal(signal.SIGUSR1, self._interrupt)
        threading.Thread(target=self._read, daemon=True, args=(mode,)).start()
        if mode == "asyncio":
            asyncio.run(self._on_a_loop())
            return
        while (running := self._starts.get()) is not None:
            self._here(running)
            if running.last:
                break
        flush()

    # Messages of the worker

    def _read(self, mode: Mode) -> None:
        try:
            self._hear(mode)
        except BaseException:  # no attempt here would ever be begun or stopped
            traceback.print_exc()
            os._exit(1)

    def _hear(self, mode: Mode) -> None:
        while message := self.pipe.receive():
            if message.kind == "start":
                running = self.running[message.key] = Running(self, message)
                if self._loop:
                    self._loop.call_soon_threadsafe(self._on_the_loop, running)
                elif mode == "thread":
                    self._to_a_thread(running)
                else:
                    self._starts.put(running)
            elif message.kind == "answer":
                if waits := self._answers.get(message.about["number"]):
                    waits.put(message)
            elif message.kind == "order" and (found := self.running.get(message.key)):
                found.order = message.about["order"]
                self._stop(found, mode)
        # The worker is gone, or has no more tasks for this process.
        self._starts.put(None)
        if self._loop:
            flush()
            os._exit(0)

    def _stop(self, running: Running, mode: Mode) -> None:
        if running.loop:
            running.loop[0].call_soon_threadsafe(running.loop[1].cancel)
        elif mode == "thread":
            with self._reach:
                if running.thread:
                    _raise_in(running.thread, ctypes.py_object(_stopping(running)))
        elif mode == "process":
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    def _interrupt(self, _signal: int, _frame: Any) -> None:
        running = self._main
        if running and running.order and not running.ended and not getattr(self._shield, "up", False):
            running.ended = True  # once
            raise Stopped(running.order)

    # Messages of functions

    def tell(self, kind: str, key: int, body: bytes, **about: Any) -> None:
        """Sends a message that has no answer."""
        if self.is_forked():
            # Messages of two processes would mix, and the answer would go to the parent.
            raise BluequeError(
                "WORKER", "this is a process that a function has started: the attempt is its parent's.", USE
            )
        self._shield.up = True
        try:
            self.pipe.send(kind, key, body, **about)
        finally:
            self._shield.up = False

    def ask(self, key: int, kind: str, body: bytes) -> None:
        """Sends a message and waits for its answer, which may be an error."""
        if key not in self.running and not self.is_forked():
            raise Lost("LOST", "this attempt has ended already; a thread of it goes on")
        number = next(self._numbers)
        answers = self._answers[number] = queue.SimpleQueue()
        try:
            self.tell(kind, key, body, number=number)
            self._check(key)
            error = answers.get().about["error"]
        finally:
            self._answers.pop(number, None)
        if error:
            raise verdict(*error)

    def is_forked(self) -> bool:
        """Returns true in a child that a function has forked: the attempt belongs to the parent."""
        return os.getpid() != self._pid

    def _check(self, key: int) -> None:
        """Handles a signal that arrived while a message was being sent."""
        running = self._main
        if running and running.key == key and threading.current_thread() is threading.main_thread():
            self._interrupt(signal.SIGUSR1, None)

    # How tasks run

    def _here(self, running: Running) -> None:
        try:
            os.chdir(running.folder)
        except OSError:  # it is no fault of the task
            self._end(running, Ending("uncounted", reason="nofolder", again=5))
            return
        self._main = running
        Alone.begin(running)
        ending = None
        try:
            ending = contextvars.copy_context().run(running.run)
            running.ended = True
        except Stopped as order:  # just as it ended
            ending = stopped(order.order)
        except BaseException as error:  # of a signal's handler that the function has left
            running.ended = True
            ending = ending or running.ends_badly(error)
        self._main = Alone.attempt = None
        self._end(running, ending)

    def _to_a_thread(self, running: Running) -> None:
        self._pool.put(running)
        if self._threads < len(self.running):
            try:
                threading.Thread(target=self._in_threads, daemon=True).start()
                self._threads += 1
            except (RuntimeError, MemoryError):  # of the system's limits
                with suppress(queue.Empty):  # another thread has taken it
                    self._end(self._pool.get_nowait(), Ending("uncounted", reason="nothread", again=1))

    def _in_threads(self) -> None:
        while True:
            running = self._pool.get()
            ending = None
            try:
                try:
                    running.thread = threading.get_ident()
                    ending = contextvars.copy_context().run(running.run)
                finally:
                    self._out_of_reach(running)
            except Stopped:  # just as it ended
                pass
            except BaseException as error:  # such as a lack of memory
                ending = ending or running.ends_badly(error)
            self._end(running, ending or stopped(running.order or "stop"))

    def _out_of_reach(self, running: Running) -> None:
        """Ensures that no order to this attempt reaches later work of its thread."""
        while True:
            try:
                with self._reach:
                    running.thread = None
                    _raise_in(threading.get_ident(), None)
                return
            except Stopped:
                continue

    async def _on_a_loop(self) -> None:
        self._loop = asyncio.get_running_loop()
        while not self._starts.empty() and (running := self._starts.get()):
            self._on_the_loop(running)
        await asyncio.Event().wait()

    def _on_the_loop(self, running: Running) -> None:
        async def life() -> None:
            self._end(running, await running.run_async())

        def over(task: asyncio.Task[None]) -> None:
            if task.cancelled():  # before it began
                self._end(running, stopped(running.order or "stop"))

        loop = asyncio.get_running_loop()
        running.loop = (loop, loop.create_task(life()))
        running.loop[1].add_done_callback(over)

    def _end(self, running: Running, ending: Ending) -> None:
        if self.is_forked():  # and has returned
            os._exit(0)
        self.running.pop(running.key, None)
        for _ in range(3):
            try:
                self._tidy()
                self._tell_end(running, ending)
                return
            except OSError:  # the worker is gone
                return
            except BaseException:  # such as of a signal's handler that the function has left
                continue
        os._exit(1)  # the worker ends an attempt when its process is gone; otherwise this attempt never ends

    def _tidy(self) -> None:
        """Repairs the changes of a function to its process, for the end and for the next function."""
        flush_streams()
        root = logging.getLogger()
        if self._logs not in root.handlers:
            root.addHandler(self._logs)

    def _tell_end(self, running: Running, ending: Ending) -> None:
        about = _short(ending._asdict() | {"body": b""}) | {"body": ending.body}
        try:
            tell = self.pipe.join if self._threads else self.tell
            tell("end", running.key, about.pop("body"), **about)
        except (TypeError, ValueError) as error:  # the next step is no name
            self.tell("end", running.key, **Ending("fail", group="permanent")._asdict() | {"body": str(error).encode()})


def _short(value: Any) -> Any:
    """A value whose texts are as long as a message may have them: longer ones are no names."""
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    return value[:MOST_TEXT] if isinstance(value, str) else value


def _raise_in(thread: int, error: Any) -> None:
    """Raises an exception in another thread. None: one that has not been raised yet never is."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)


def _stopping(running: Running) -> type[Stopped]:
    """The exception for another thread, which is raised there without arguments."""

    class StoppedHere(Stopped):
        def __init__(self) -> None:
            super().__init__(running.order or "stop")

    return StoppedHere


def importable(functions: Mapping[str, TaskFunction[Any, Any]], serializer: Serializer) -> list[str]:
    """The modules of the functions, if a new interpreter finds them there."""
    if not isinstance(serializer, Json):
        raise InvalidCall("BADARG", "`spawn` needs the serializer of JSON: another one cannot be handed on.")
    for each in functions.values():
        found = getattr(sys.modules[each.function.__module__], each.function.__name__, None)
        if found is not each or each.function.__module__ == "__main__":
            raise InvalidCall(
                "BADARG", f"`spawn` needs functions that can be imported: {each.name} is not in a module."
            )
    return [f"{each.function.__module__}:{each.function.__name__}" for each in functions.values()]


def anew(functions: list[str], **more: Any) -> list[str]:
    """The command of a new interpreter for these functions."""
    # Not by -m, with which Python warns of a module that its own package imports.
    program = "import sys, blueque_client.task_process; blueque_client.task_process.main(sys.argv[1])"
    return [sys.executable, "-c", program, json.dumps({"functions": functions, "path": sys.path, **more})]


def check_anew(functions: list[str]) -> None:
    """Refuses functions that a new interpreter cannot import: each of their tasks would fail."""
    said = subprocess.run(
        anew(functions),
        env=for_tasks(os.environ),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    if said.returncode:
        if sys.stderr:
            sys.stderr.write(said.stderr)
        last = said.stderr.strip().rpartition("\n")[2] or f"it ended with the exit code {said.returncode}"
        raise InvalidCall("BADARG", f"`spawn`: a new interpreter cannot import the functions: {last}")


def run_anew(end: socket.socket, functions: list[str], mode: Mode, memory: int | None) -> NoReturn:
    """Becomes a new interpreter, and runs tasks there."""
    os.set_inheritable(end.fileno(), True)
    os.execv(sys.executable, anew(functions, fd=end.fileno(), mode=mode, memory=memory))


def main(text: str) -> None:
    """The new interpreter; without a pipe to the worker it only imports the functions."""
    about = json.loads(text)
    sys.path[:] = about["path"]
    end = socket.socket(fileno=about["fd"]) if "fd" in about else None
    if end:
        end.set_inheritable(False)
    try:
        found = [
            getattr(importlib.import_module(module), name)
            for module, name in (each.split(":") for each in about["functions"])
        ]
    except BaseException as error:
        if end is None:
            raise
        # The worker could import the functions at its start, so the host is at fault, for example during a deployment.
        with suppress(OSError):
            Pipe(end).send("unusable", 0, _text(error).split(b"\n", 1)[0])
        os._exit(1)
    if end:
        host = TaskProcess(end, {each.name: each for each in found}, Json())
        host.pipe.send("loaded", 0)
        host.serve(about["mode"], about["memory"])
    os._exit(0)
