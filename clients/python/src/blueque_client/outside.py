"""The attempt of a task function that is called directly: in a notebook, in a test, in a program of its own.

Progress and log lines are printed to stderr. Checkpoints stay in memory: if a call fails or is interrupted, the next
call of the function with the same arguments is its next attempt, and continues from the last checkpoint.
"""

from __future__ import annotations

import inspect
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from .context import current
from .messages import Message
from .payload import Json, Serializer
from .running_attempts import RunningAttempt, start_of

if TYPE_CHECKING:
    from .hooks import Hooks
    from .task_functions import TaskFunction


class Left(NamedTuple):
    """What a failed call leaves for the next call with the same arguments."""

    arguments: str
    attempt: int
    checkpoint: bytes | None


class _Item(NamedTuple):
    id: str
    queue: str
    attempt: int
    checkpoint: bytes | None
    parameters: bytes = b""


class Outside:
    """The terminal, in the role of the worker."""

    functions: Mapping[str, TaskFunction[Any, Any]] = {}
    serializer: Serializer = Json()
    hooks: Sequence[Hooks] = ()

    def __init__(self, name: str, checkpoint: bytes | None) -> None:
        self._name, self.checkpoint = name, checkpoint

    def ask(self, key: int, kind: str, body: bytes) -> None:  # noqa: ARG002
        if kind == "checkpoint":
            self.checkpoint = body
        else:
            self._print(_words(self.serializer.loads(body)))

    def tell(self, kind: str, key: int, body: bytes) -> None:  # noqa: ARG002
        self._print(body.decode(errors="replace").rstrip("\n"))

    def is_forked(self) -> bool:
        return False

    def _print(self, text: str) -> None:
        print(f"{self._name}: {text}", file=sys.stderr, flush=True)


def _words(progress: Any) -> str:
    if not isinstance(progress, dict) or "done" not in progress:
        return f"progress {progress}"
    unit = f" {progress['unit']}" if "unit" in progress else ""
    total = f" of {progress['total']}" if "total" in progress else ""
    return f"{progress['done']}{total}{unit}"


def begun(name: str, queue: str, method: str | None, left: Left | None) -> tuple[Outside, RunningAttempt]:
    """An attempt of a task in this process, without a server."""
    channel = Outside(name, left.checkpoint if left else None)
    item = _Item(f"outside-{name}", queue, left.attempt + 1 if left else 1, channel.checkpoint)
    # The folder is made on request.
    about, body = start_of(item, method, f"{tempfile.gettempdir()}/blueque-outside-{id(channel)}", None)
    return channel, RunningAttempt(channel, Message("start", 0, about, body))


@contextmanager
def _attempt(function: TaskFunction[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[None]:
    arguments = repr((args, sorted(kwargs.items())))
    left = function.left if function.left and function.left.arguments == arguments else None
    channel, running = begun(function.name, function.queue, function.name, left)
    before = current.set(running)
    try:
        yield
    except BaseException:
        function.left = Left(arguments, running.number, channel.checkpoint)
        raise
    else:
        function.left = None
    finally:
        current.reset(before)
        shutil.rmtree(running.place, ignore_errors=True)


def call(function: TaskFunction[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls a function as an attempt of its own."""
    if inspect.iscoroutinefunction(function.function):
        return _awaited(function, args, kwargs)
    with _attempt(function, args, kwargs):
        return function.function(*args, **kwargs)


async def _awaited(function: TaskFunction[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with _attempt(function, args, kwargs):
        return await function.function(*args, **kwargs)
