"""A process that runs tasks: one after another, several in threads, or several on an event loop."""

from __future__ import annotations

import asyncio
import contextvars
import ctypes
import itertools
import logging
import os
import queue
import resource
import signal
import socket
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from .context import USE, Alone, Stopped, enter_worker
from .endings import Ending, raised, stopped
from .errors import BluequeError, Lost, verdict
from .hooks import Hooks, call
from .logs import TaskLog, fields
from .messages import Message, Pipe
from .outputs import MARK, redirect, say, share
from .payload import Serializer
from .running_attempts import RunningAttempt
from .streams import flush_streams
from .task_functions import TaskFunction
from .tracing import flush

#: Modes in which a process runs tasks: one at a time, in threads, on an event loop.
Mode = Literal["process", "thread", "asyncio"]


class TaskProcess:
    def __init__(
        self,
        end: socket.socket,
        functions: Mapping[str, TaskFunction[Any, Any]],
        serializer: Serializer,
        mode: Mode,
        hooks: Sequence[Hooks],
        output: int | None = None,
    ) -> None:
        self.hooks, self._output = hooks, output
        #: True if log lines go into the pipe of the output.
        self.prints_log = output is not None
        self.pipe, self.functions, self.serializer, self._mode = Pipe(end), functions, serializer, mode
        self.running: dict[int, RunningAttempt] = {}
        self._pid = os.getpid()
        self._starts: queue.SimpleQueue[RunningAttempt | None] = queue.SimpleQueue()
        self._answers: dict[int, queue.SimpleQueue[Message] | _Answer] = {}
        self._numbers = itertools.count()
        #: The attempt that a signal interrupts, and a flag that is set in sections that must not be interrupted.
        self._main: RunningAttempt | None = None
        self._shield = threading.local()
        self._loop: asyncio.AbstractEventLoop | None = None
        #: Attempts that wait for threads, the number of threads, and the lock of interruptions.
        self._pool: queue.SimpleQueue[RunningAttempt] = queue.SimpleQueue()
        self._threads = 0
        self._reach = threading.Lock()
        self._log = TaskLog()

    def serve(self, memory: int | None) -> None:
        """Runs tasks until the worker closes the pipe."""
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        with fields():
            logging.getLogger().addHandler(self._log)
            enter_worker()
            if self._output is None:
                share()
            else:
                redirect(self._output)
            signal.signal(signal.SIGUSR1, self._interrupt)
            call(self.hooks, "on_process_start")
            threading.Thread(target=self._read, daemon=True).start()
            if self._mode == "asyncio":
                asyncio.run(self._on_a_loop())
            while running := self._starts.get():
                self._here(running)
                if running.last:
                    break
            self._stops()

    def _stops(self) -> None:
        call(self.hooks, "on_process_stop")
        flush()

    # Messages of the worker

    def _read(self) -> None:
        try:
            while message := self.pipe.receive():
                self._hear(message)
            # The worker is gone, or has no more tasks for this process.
            self._starts.put(None)
            if self._loop:
                self._stops()
                os._exit(0)
        except BaseException:  # without this thread no attempt begins or stops
            traceback.print_exc()
            os._exit(1)

    def _hear(self, message: Message) -> None:
        if message.kind == "start":
            running = self.running[message.key] = RunningAttempt(self, message)
            if self._loop:
                self._loop.call_soon_threadsafe(self._on_the_loop, running)
            elif self._mode == "thread":
                self._to_a_thread(running)
            else:
                self._starts.put(running)
        elif message.kind == "answer":
            if waits := self._answers.get(message.about["number"]):
                waits.put(message)
        elif message.kind == "order" and (found := self.running.get(message.key)):
            found.order = message.about["order"]
            self._stop(found)

    def _stop(self, running: RunningAttempt) -> None:
        if running.loop:
            running.loop[0].call_soon_threadsafe(running.loop[1].cancel)
        elif self._mode == "thread":
            with self._reach:
                if running.thread:
                    _raise_in(running.thread, ctypes.py_object(_stopping(running)))
        elif self._mode == "process":
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    def _interrupt(self, _signal: int = signal.SIGUSR1, _frame: Any = None) -> None:
        running = self._main
        if running and running.order and not running.ended and not getattr(self._shield, "up", False):
            running.ended = True  # once
            raise Stopped(running.order)

    # Messages of functions

    def tell(self, kind: str, key: int, body: bytes, **about: Any) -> None:
        if self.is_forked():
            # Messages of two processes would mix, and the answer would go to the parent.
            raise BluequeError(
                "WORKER", "this is a process that a function has started: the attempt is its parent's.", USE
            )
        self._shield.up = True
        try:
            if kind == "log" and self._output is not None:
                # In the order of what the function prints. Threads of an earlier attempt have no log.
                if key in self.running:
                    flush_streams()
                    say(self._output, body)
                return
            self.pipe.send(kind, key, body, **about)
        finally:
            self._shield.up = False

    def ask(self, key: int, kind: str, body: bytes) -> None:
        if key not in self.running and not self.is_forked():
            raise Lost("LOST", "this attempt has ended; one of its threads still runs")
        number = next(self._numbers)
        answers: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._answers[number] = answers
        try:
            self.tell(kind, key, body, number=number)
            # A signal may have arrived while the message was being sent.
            if self._main and self._main.key == key and threading.current_thread() is threading.main_thread():
                self._interrupt()
            error = answers.get().about["error"]
        finally:
            self._answers.pop(number, None)
        if error:
            raise verdict(*error)

    def ask_soon(self, key: int, kind: str, body: bytes) -> asyncio.Future[None]:
        """Sends a message. The future is the answer."""
        if key not in self.running and not self.is_forked():
            raise Lost("LOST", "this attempt has ended; one of its threads still runs")
        number, answer = next(self._numbers), _Answer(asyncio.get_running_loop())
        self._answers[number] = answer
        answer.future.add_done_callback(lambda _: self._answers.pop(number, None))
        self.tell(kind, key, body, number=number)
        return answer.future

    def is_forked(self) -> bool:
        return os.getpid() != self._pid

    # How tasks run

    def _here(self, running: RunningAttempt) -> None:
        try:
            os.chdir(running.folder)
        except OSError:  # the task did not cause this
            self._end(running, Ending("uncounted", reason="nofolder", again=5))
            return
        self._main = running
        function = self.functions.get(running.method or running.queue)
        before = resource.getrlimit(resource.RLIMIT_AS)
        if function and function.memory:
            most = function.memory if before[0] == resource.RLIM_INFINITY else min(function.memory, before[0])
            resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
        Alone.begin(running)
        ending = None
        try:
            ending = contextvars.copy_context().run(running.run)
            running.ended = True
        except Stopped as order:  # the order arrived as the function ended
            ending = stopped(order.order)
        except BaseException as error:  # from a signal handler that the function has left behind
            running.ended = True
            ending = ending or raised(error)
        self._main = Alone.attempt = None
        resource.setrlimit(resource.RLIMIT_AS, before)
        self._end(running, ending)

    def _to_a_thread(self, running: RunningAttempt) -> None:
        self._pool.put(running)
        if self._threads < len(self.running):
            try:
                threading.Thread(target=self._in_threads, daemon=True).start()
                self._threads += 1
            except (RuntimeError, MemoryError):  # a limit of the system
                with suppress(queue.Empty):  # another thread has taken the attempt
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
            except Stopped:  # the order arrived as the function ended
                pass
            except BaseException as error:  # for example a lack of memory
                ending = ending or raised(error)
            self._end(running, ending or stopped(running.order))

    def _out_of_reach(self, running: RunningAttempt) -> None:
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

    def _on_the_loop(self, running: RunningAttempt) -> None:
        async def life() -> None:
            self._end(running, await running.run_async())

        def over(task: asyncio.Task[None]) -> None:
            if task.cancelled():  # the order arrived before the function began
                self._end(running, stopped(running.order))

        loop = asyncio.get_running_loop()
        running.loop = (loop, loop.create_task(life()))
        running.loop[1].add_done_callback(over)

    def _end(self, running: RunningAttempt, ending: Ending) -> None:
        if self.is_forked():  # the function has returned
            os._exit(0)
        self.running.pop(running.key, None)
        for _ in range(3):
            try:
                # Undoes changes of the function to its process, for the end and for the next function.
                flush_streams()
                self._tell_log(running, ending)
                if self._log not in logging.getLogger().handlers:
                    logging.getLogger().addHandler(self._log)
                self._tell_end(running, ending)
                return
            except OSError:  # the worker is gone
                return
            except BaseException:  # for example from a signal handler that the function has left behind
                continue
        os._exit(1)  # The worker ends the attempt when this process is gone. Without the exit the attempt never ends.

    def _tell_log(self, running: RunningAttempt, ending: Ending) -> None:
        """Ends the log of an attempt: with the traceback, if its function has failed."""
        text = running.line.encode(errors="backslashreplace")
        running.line = ""
        if ending.how in ("fail", "final"):
            text += (b"\n" if text else b"") + (ending.body.partition(b"\n\n")[2] or ending.body)
        if text and not text.endswith(b"\n"):
            text += b"\n"
        if self._output is not None:
            say(self._output, text + MARK)
        elif text:
            self.tell("log", running.key, text)

    def _tell_end(self, running: RunningAttempt, ending: Ending) -> None:
        tell = self.pipe.join if self._threads else self.tell
        try:
            tell("end", running.key, ending.body, **ending.about())
        except (TypeError, ValueError) as error:  # the name of the next step is invalid
            tell("end", running.key, str(error).encode(), **Ending("fail", group="permanent").about())


class _Answer:
    """An answer for code on an event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.future: asyncio.Future[None] = loop.create_future()
        self._loop = loop

    def put(self, message: Message) -> None:
        """Takes the answer, in any thread."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._take, message.about["error"])

    def _take(self, error: tuple[str, str] | None) -> None:
        if self.future.done():
            return
        if error:
            self.future.set_exception(verdict(*error))
        else:
            self.future.set_result(None)


def _raise_in(thread: int, error: Any) -> None:
    """Raises an exception in another thread. None: withdraws an exception that is not raised yet."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)


def _stopping(running: RunningAttempt) -> type[Stopped]:
    """The exception for another thread, where Python raises it without arguments."""

    class StoppedHere(Stopped):
        def __init__(self) -> None:
            super().__init__(running.order or "stop")

    return StoppedHere
