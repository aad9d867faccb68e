"""An attempt in the process that runs its function."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from . import contract
from .context import Failure, Stopped, current
from .endings import Ending, judged, raised
from .errors import InvalidCall
from .hooks import AroundAttempt, Attempt, Hooks
from .messages import Message
from .payload import Serializer, dumped
from .task_functions import Retry, TaskFunction
from .tracing import carried, checkpoint, ended, enter

#: Every exception is retried.
NO_RULE = Retry(None, (), None)


class Channel(Protocol):
    """The functions for an attempt, and its connection to the worker."""

    functions: Mapping[str, TaskFunction[Any, Any]]
    serializer: Serializer
    hooks: Sequence[Hooks]

    def ask(self, key: int, kind: str, body: bytes) -> None:
        """Sends a message and waits for its answer, which may be an error."""

    def tell(self, kind: str, key: int, body: bytes) -> None:
        """Sends a message that needs no answer."""

    def is_forked(self) -> bool:
        """Returns true in a child that a function has forked: the attempt belongs to the parent."""


def start_of(item: Any, method: str | None, folder: str, span: Any) -> tuple[dict[str, Any], bytes]:
    """The object and the bytes of the message that begins an attempt."""
    about = {"id": item.id, "queue": item.queue, "method": method, "attempt": item.attempt, "folder": folder}
    about.update(trace=carried(span), parameters=len(item.parameters), checkpoint=item.checkpoint is not None)
    return about, item.parameters + (item.checkpoint or b"")


class Done:
    """An answer that has arrived."""

    def __await__(self) -> Generator[Any, None, None]:
        yield from ()


class RunningAttempt:
    def __init__(self, channel: Channel, message: Message) -> None:
        self.channel, self.key, about = channel, message.key, message.about
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
        #: The thread, or the loop and its task, in which an order raises `Stopped`.
        self.thread: int | None = None
        self.loop: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self.ended = False
        #: The beginning of a line that its function has printed.
        self.line = ""

    # Calls of its function

    @property
    def folder(self) -> Path:
        """The folder of the attempt, made on request."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._folder

    def last_checkpoint(self) -> Any:
        return None if self._checkpoint is None else self.channel.serializer.loads(self._checkpoint)

    @property
    def place(self) -> Path:
        """The path of the folder, which may not exist."""
        return self._folder

    def ask(self, kind: str, value: Any) -> Awaitable[None]:
        """Sends a value, and waits for the answer. On an event loop the caller may await the answer."""
        body = dumped(self.channel.serializer, f"the {kind}", value)
        if len(body) > contract.RESULT_BYTES:
            raise InvalidCall("TOOBIG", f"the {kind} is over 8 MiB: store it elsewhere, and save its place.")
        span = checkpoint(self.trace, self.id, self.queue) if kind == "checkpoint" else None
        soon = getattr(self.channel, "ask_soon", None)
        if soon and asyncio._get_running_loop():
            future: asyncio.Future[None] = soon(self.key, kind, body)
            # Reading the exception is enough: nobody may await the future.
            future.add_done_callback(lambda over: ended(span, None if over.cancelled() else over.exception()))
            return future
        try:
            self.channel.ask(self.key, kind, body)
        except BaseException as error:
            ended(span, error)
            raise
        ended(span, None)
        return Done()

    def log(self, text: str) -> None:
        line = text.encode(errors="backslashreplace")
        # The worker cuts what it reads from the pipe of the output.
        if (more := len(line) - contract.LOG_KEPT_BYTES) > 0 and not getattr(self.channel, "prints_log", False):
            line = line[: contract.LOG_KEPT_BYTES] + b"\n[%d bytes were left out]" % more
        self.channel.tell("log", self.key, line if line.endswith(b"\n") else line + b"\n")

    # Run and end

    def run(self) -> Ending:
        """Runs its function, and returns after any end of it."""
        retry = NO_RULE
        try:
            function = self._begin()
            retry = function.retry
            if inspect.iscoroutinefunction(function.function):
                return asyncio.run(self.run_async())
            with self._around():
                value = self._call(function)
                return self._complete(asyncio.run(value) if inspect.iscoroutine(value) else value)
        except BaseException as error:
            return judged(retry, error, self.number)

    async def run_async(self) -> Ending:
        """Runs its function on an event loop."""
        retry = NO_RULE
        try:
            function = self._begin()
            retry = function.retry
            async with self._around():
                try:
                    value = self._call(function)
                    return self._complete(await value if inspect.isawaitable(value) else value)
                except asyncio.CancelledError as error:
                    raise (Stopped(self.order) if self.order else error) from None
        except asyncio.CancelledError as error:
            return raised(Stopped(self.order) if self.order else error)
        except BaseException as error:
            return judged(retry, error, self.number)

    def _around(self) -> AroundAttempt:
        about = Attempt(self.id, self.queue, self.method, self.number)
        return AroundAttempt(self.channel.hooks, about, lambda: not self.channel.is_forked())

    def _begin(self) -> TaskFunction[Any, Any]:
        current.set(self)
        if self.order:
            raise Stopped(self.order)
        enter(self.trace)
        function = self.channel.functions.get(self.method or self.queue)
        if function is None:
            what = f"the method {self.method}" if self.method else f"tasks of the queue {self.queue} without a method"
            raise Failure(f"this worker has no function for {what}", group="unknown")
        return function

    def _call(self, function: TaskFunction[Any, Any]) -> Any:
        # A task of a graph's document may have no parameters: then the function gets no argument.
        return function.run(self.channel.serializer.loads(self._parameters) if self._parameters else [])

    def _complete(self, value: Any) -> Ending:
        body = dumped(self.channel.serializer, "the result of the task", value)
        if len(body) > contract.RESULT_BYTES:
            return Ending("final", b"the result is over 8 MiB: store it elsewhere", "toobig")
        return Ending("complete", body, next_step=self.next_step)
