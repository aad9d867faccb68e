"""Hooks: calls of your own code around submits and attempts, and at the events of a worker.

An exception in a hook is logged and changes nothing, with these exceptions: `Failure` and `Again` around an attempt end
the attempt as they say, and a `BluequeError` around a submit prevents the submit.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .context import Again, Failure
from .errors import BluequeError, InvalidCall

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager, AbstractContextManager
    from typing import Union

    from .calls import SubmitOptions

    Middleware = Union[AbstractContextManager[object], AbstractAsyncContextManager[object], None]

log = logging.getLogger("blueque.worker")
#: The hook that the worker calls for each verdict of the server on an attempt.
OUTCOMES = {
    "complete": "on_success",
    "failed": "on_failure",
    "retrying": "on_retry",
    "cancelled": "on_cancel",
    "released": "on_release",
    "LOST": "on_lost",
}
#: Exceptions of a hook that change the attempt or the submit.
ENDS: tuple[type[Exception], ...] = (Failure, Again)
REFUSES: tuple[type[Exception], ...] = (BluequeError,)


@dataclass(frozen=True)
class Attempt:
    """An attempt, as hooks see it."""

    id: str
    queue: str
    method: str | None
    #: The number of the attempt, from 1 on.
    attempt: int
    #: First line of the error, and its group: None if the function has returned.
    error: str | None = None
    group: str | None = None
    #: Duration of the attempt in seconds. 0 before its end.
    seconds: float = 0


@dataclass
class Submit:
    """A submit, as hooks see it. A hook may change `options` before the `yield`: for a graph only its `tags`."""

    #: The queue; `graph` for a graph.
    queue: str
    options: SubmitOptions
    #: The id of the task, or of the graph; None for several tasks.
    id: str | None = None


class Hooks:
    """Base class of hooks. Override any of these methods.

    The process of a task calls `around_attempt`, `before_attempt`, `after_attempt`, and `on_process_…`. The worker
    calls the others in a thread of its own, so they delay neither tasks nor heartbeats.
    """

    def around_submit(self, submit: Submit) -> Middleware:
        """Returns a context manager around a submit. With `blueque_client.aio` it may be asynchronous."""

    def around_attempt(self, attempt: Attempt) -> Middleware:
        """Returns a context manager around a function. For an `async def` function it may be asynchronous."""

    def before_attempt(self, attempt: Attempt) -> None:
        """An attempt begins, within the context managers."""

    def after_attempt(self, attempt: Attempt, error: BaseException | None) -> None:
        """A function has returned, or raised this exception; within the context managers."""

    def on_success(self, attempt: Attempt) -> None:
        """The task, or one of its steps, is complete."""

    def on_failure(self, attempt: Attempt) -> None:
        """The task has failed, and no retry follows."""

    def on_retry(self, attempt: Attempt) -> None:
        """The attempt has failed, and a retry follows."""

    def on_cancel(self, attempt: Attempt) -> None:
        """The task was cancelled."""

    def on_release(self, attempt: Attempt) -> None:
        """The task was given back for another attempt, not as a failure."""

    def on_lost(self, attempt: Attempt) -> None:
        """The lease was lost: another worker may have the task."""

    def on_worker_start(self) -> None:
        """The worker begins to take tasks."""

    def on_worker_stop(self) -> None:
        """The worker has ended all its attempts."""

    def on_process_start(self) -> None:
        """A process of tasks begins."""

    def on_process_stop(self) -> None:
        """A process of tasks ends. A process that is killed does not call this."""


def instances(hooks: Iterable[Hooks]) -> tuple[Hooks, ...]:
    """Returns the hooks. Refuses a class in place of its instance."""
    found = tuple(hooks)
    for each in found:
        if isinstance(each, type):
            raise InvalidCall("BADARG", f"hooks are instances: pass {each.__name__}().")
    return found


def hooks_of(tasks: Any, given: Iterable[Hooks] = ()) -> list[Hooks]:
    """Returns the given hooks, then the instances of `Hooks` among the tasks of a worker or in their module."""
    try:
        found = list(vars(tasks).values()) if not isinstance(tasks, Iterable) else list(tasks)
    except TypeError:
        found = []
    return list(dict.fromkeys([*instances(given), *(each for each in found if isinstance(each, Hooks))]))


def without_instance(tasks: Any, found: Iterable[Hooks]) -> list[str]:
    """Returns the classes of hooks that the module of a worker's tasks defines, but makes no instance of."""
    if not isinstance(tasks, ModuleType):
        return []
    return [
        each.__name__
        for each in vars(tasks).values()
        if isinstance(each, type)
        and issubclass(each, Hooks)
        and each.__module__ == tasks.__name__
        and not any(isinstance(hook, each) for hook in found)
    ]


def overridden(hooks: Iterable[Hooks], word: str) -> list[Hooks]:
    """Returns the hooks that override a method."""
    return [each for each in hooks if getattr(type(each), word, None) is not getattr(Hooks, word)]


@contextmanager
def guarded(hook: Hooks, word: str, passes: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Logs an exception of a hook, except the exceptions that pass."""
    try:
        yield
    except passes:
        raise
    except Exception:
        log.exception("the hook %s.%s has failed, which changes nothing", type(hook).__name__, word)


def call(hooks: Iterable[Hooks], word: str, *about: Any, passes: tuple[type[Exception], ...] = ()) -> None:
    """Calls a method of all hooks, in their order."""
    for each in overridden(hooks, word):
        with guarded(each, word, passes):
            getattr(each, word)(*about)


class Around:
    """The context managers of all hooks around a submit or an attempt, as one context manager of both kinds."""

    def __init__(self, hooks: Sequence[Hooks], word: str, about: Any, passes: tuple[type[Exception], ...]) -> None:
        self._hooks, self._word, self._about, self._passes = overridden(hooks, word), word, about, passes
        self._entered: list[tuple[Hooks, Any]] = []

    def __enter__(self) -> Any:
        _at_once(self._enter(False))
        return self._about

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        _at_once(self._exit(error))

    async def __aenter__(self) -> Any:
        await self._enter(True)
        return self._about

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        await self._exit(error)

    async def _enter(self, awaits: bool) -> None:
        try:
            for hook in self._hooks:
                with guarded(hook, self._word, self._passes):
                    manager = getattr(hook, self._word)(self._about)
                    if hasattr(manager, "__enter__"):
                        manager.__enter__()
                    elif hasattr(manager, "__aenter__"):
                        if not awaits:
                            raise TypeError("an asynchronous context manager needs an `async def` function")
                        await manager.__aenter__()
                    elif manager is not None:
                        raise TypeError(f"{manager!r} is no context manager")
                    if manager is not None:
                        self._entered.append((hook, manager))
            self._begun()
        except BaseException as error:  # no `__exit__` follows
            await self._exit(error)
            raise

    async def _exit(self, error: BaseException | None) -> None:
        """Leaves the context managers, the last one first. None of them can suppress an exception."""
        now = self._over(error)
        while self._entered:
            hook, manager = self._entered.pop()
            about = (type(now), now, now.__traceback__) if now else (None, None, None)
            with guarded(hook, self._word):
                try:
                    if hasattr(manager, "__enter__"):
                        manager.__exit__(*about)
                    else:
                        await manager.__aexit__(*about)
                except BaseException as raised:
                    if raised is not now and isinstance(raised, Exception) and not isinstance(raised, self._passes):
                        raise
                    now = raised
        if now and now is not error:
            raise now

    def _begun(self) -> None:
        pass

    def _over(self, error: BaseException | None) -> BaseException | None:
        return error


class AroundSubmit(Around):
    """All hooks around a submit. Returns the options of the submit."""

    def __enter__(self) -> SubmitOptions:
        options: SubmitOptions = super().__enter__().options
        return options

    async def __aenter__(self) -> SubmitOptions:
        options: SubmitOptions = (await super().__aenter__()).options
        return options


def around_submit(hooks: Sequence[Hooks], queue: str, options: SubmitOptions, id: str | None = None) -> AroundSubmit:
    return AroundSubmit(hooks, "around_submit", Submit(queue, {**options}, id), REFUSES)


class AroundAttempt(Around):
    """All hooks around the function of an attempt."""

    def __init__(self, hooks: Sequence[Hooks], attempt: Attempt, here: Callable[[], bool]) -> None:
        super().__init__(hooks, "around_attempt", attempt, ENDS)
        self._all, self._here = hooks, here

    def _begun(self) -> None:
        call(self._all, "before_attempt", self._about, passes=ENDS)

    def _over(self, error: BaseException | None) -> BaseException | None:
        if not self._here():  # in a process that the function has forked
            self._entered.clear()
            return error
        try:
            call(self._all, "after_attempt", self._about, error, passes=ENDS)
        except ENDS as raised:
            return raised
        return error


def _at_once(work: Coroutine[Any, Any, None]) -> None:
    """Runs a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration:
        return
    raise RuntimeError("the coroutine waits")


class Outcomes:
    """Calls the hooks of a worker, in its own thread."""

    def __init__(self, hooks: Sequence[Hooks]) -> None:
        self._hooks = hooks
        self._calls: SimpleQueue[tuple[str, tuple[Any, ...]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        if self._hooks:
            self._thread = threading.Thread(target=self._serve, name="hooks", daemon=True)
            self._thread.start()
            self.add("on_worker_start")

    def add(self, word: str, *about: Any) -> None:
        if self._thread:
            self._calls.put((word, about))

    def end(self, seconds: float) -> None:
        """Returns when all calls have been made, or after this time."""
        self.add("on_worker_stop")
        self._calls.put(None)
        if self._thread:
            self._thread.join(seconds)

    def _serve(self) -> None:
        while each := self._calls.get():
            call(self._hooks, each[0], *each[1])
