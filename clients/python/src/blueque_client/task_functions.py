"""Functions that are tasks."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union, overload

from .calls import SubmitOptions
from .errors import InvalidCall
from .names import check_options

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, Unpack

    from .outside import Left

    P = ParamSpec("P")
elif sys.version_info >= (3, 10):
    from typing import ParamSpec

    P = ParamSpec("P")
else:
    P = TypeVar("P")
A = TypeVar("A")
R = TypeVar("R")


@dataclass(frozen=True)
class TaskCall(Generic[R]):
    """A call of a task function that has not been submitted yet."""

    queue: str
    #: The arguments by name; a list if the function has positional-only arguments.
    parameters: Any
    options: SubmitOptions = field(default_factory=SubmitOptions)
    bound: inspect.BoundArguments | None = field(default=None, repr=False, compare=False)

    def placed(self) -> list[Any] | None:
        """The arguments by place; None if some can only be passed by name."""
        if self.bound is None:
            return self.parameters if isinstance(self.parameters, list) else None
        placed, skipped = list[Any](), list[Any]()
        for name, parameter in self.bound.signature.parameters.items():
            value = self.bound.arguments.get(name, parameter.empty)
            if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
                if value is not parameter.empty:
                    return None
            elif value is parameter.empty:
                skipped.append(parameter.default)
            else:
                placed += [*skipped, *(value if parameter.kind is parameter.VAR_POSITIONAL else [value])]
                skipped = []
        return placed

    def by_name(self) -> list[str]:
        """The names of given arguments that can only be passed by name."""
        if self.bound is None:
            return []
        of, kinds = self.bound.signature.parameters, (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
        return [name for name in self.bound.arguments if of[name].kind in kinds]


#: Methods of functions of other queues, and what to use here.
_ELSEWHERE = {
    **dict.fromkeys(
        ("delay", "apply_async", "send", "send_with_options", "enqueue", "schedule"), "client.submit({}.call(…))"
    ),
    **dict.fromkeys(("s", "si", "signature", "subtask", "message", "partial"), "{}.call(…)"),
    **dict.fromkeys(("apply", "fn", "run_sync"), "{}(…)"),
    **dict.fromkeys(("map", "starmap", "group"), "graph.map({}, items)"),
    **dict.fromkeys(("request", "retry_now", "update_state"), "context"),
}

#: Kinds of exceptions, for `isinstance`.
Kinds = Union[type[BaseException], tuple[type[BaseException], ...], None]
#: Decides about a retry: see `task`.
Judge = Callable[[BaseException, int], Union[bool, float, None]]


def _kinds(given: Kinds) -> tuple[type[BaseException], ...] | None:
    found = given if given is None or isinstance(given, tuple) else (given,)
    for each in found or ():
        if not (isinstance(each, type) and issubclass(each, BaseException)):
            raise InvalidCall("BADARG", f"{each!r} is no kind of exception, such as TimeoutError.")
    return found


@dataclass(frozen=True)
class Retry:
    """Decides which exceptions of a function are retried."""

    kinds: tuple[type[BaseException], ...] | None
    permanent: tuple[type[BaseException], ...]
    judge: Judge | None

    def of(self, error: BaseException, attempt: int) -> bool | float:
        """Returns False if no retry may follow, True if the task's options apply, or the seconds until the retry."""
        verdict = self.judge(error, attempt) if self.judge else None
        if verdict is not None:
            return verdict
        return not isinstance(error, self.permanent) and (self.kinds is None or isinstance(error, self.kinds))


class TaskFunction(Generic[P, R]):
    """A function that workers run. `function.call(…)` makes a call for a submit; `function(…)` calls the function."""

    def __init__(
        self,
        function: Callable[P, R],
        queue: str | None,
        name: str | None,
        time_limit: float | None,
        memory: int | None,
        retry: Retry,
        options: SubmitOptions,
    ) -> None:
        update_wrapper(self, function)
        self.function = function
        #: The method of the tasks, by which a worker finds the function.
        self.name = name or function.__name__
        self.queue = queue or self.name
        #: Seconds after which an attempt is stopped and fails with the group `timeout`.
        self.time_limit = time_limit
        #: Maximum memory of its own process in bytes.
        self.memory = memory
        #: Decides which exceptions are retried.
        self.retry = retry
        self.options: SubmitOptions = {"method": self.name, **options}
        #: The rest of a direct call that has failed.
        self.left: Left | None = None
        self.signature = inspect.signature(function)
        self._places = any(p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL) for p in self.signature.parameters.values())

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        from .context import is_outside

        if not is_outside():
            return self.function(*args, **kwargs)
        from .outside import call

        result: R = call(self, args, kwargs)
        return result

    def __repr__(self) -> str:
        return f"<task {self.name} of the queue {self.queue}>"

    if not TYPE_CHECKING:  # types know what there is

        def __getattr__(self, name: str) -> Any:
            hint = ""
            if name in _ELSEWHERE:
                hint = f": use `{_ELSEWHERE[name].format(self.__dict__.get('name', 'function'))}`"
            raise AttributeError(f"a @task function has no `{name}`{hint}")

    @overload
    def call(self: TaskFunction[P, Coroutine[Any, Any, A]], *args: P.args, **kwargs: P.kwargs) -> TaskCall[A]: ...

    @overload
    def call(self, *args: P.args, **kwargs: P.kwargs) -> TaskCall[R]: ...

    def call(self, *args: P.args, **kwargs: P.kwargs) -> TaskCall[Any]:
        """Returns a call with these arguments, checked against the signature."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise InvalidCall("BADARG", f"{self.name}: {error}.") from None
        if not self._places:
            return TaskCall(self.queue, _flat(bound, self.signature), self.options, bound)
        if bound.kwargs:
            names = ", ".join(bound.kwargs)
            text = f"{self.name} takes arguments by place: declare {names} before the `*`, and pass it by place."
            raise InvalidCall("BADARG", text)
        return TaskCall(self.queue, list(bound.args), self.options, bound)

    def run(self, parameters: Any) -> R:
        """Calls the function with submitted parameters: an object has the arguments by name, a list by position."""
        args, kwargs = _arguments(parameters)
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise WrongArguments(f"{self.name}{self.signature}: {error}; it got {_short(parameters)}") from None
        return self.function(*bound.args, **bound.kwargs)


class WrongArguments(TypeError):
    """The parameters of a task do not match the function's signature, so no retry can succeed."""


def _flat(bound: inspect.BoundArguments, signature: inspect.Signature) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        found.update(value if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD else {name: value})
    return found


def _arguments(parameters: Any) -> tuple[list[Any], dict[str, Any]]:
    if isinstance(parameters, dict):
        return [], parameters
    if isinstance(parameters, list):
        return parameters, {}
    return ([] if parameters is None else [parameters]), {}


def _short(parameters: Any) -> str:
    try:
        text = json.dumps(parameters)
    except (TypeError, ValueError):
        text = repr(parameters)
    return text if len(text) <= 200 else f"{text[:200]}…"


@overload
def task(function: Callable[P, R]) -> TaskFunction[P, R]: ...


@overload
def task(
    *,
    queue: str | None = None,
    name: str | None = None,
    time_limit: float | None = None,
    memory: int | None = None,
    retry_for: Kinds = None,
    permanent_for: Kinds = None,
    retry: Judge | None = None,
    **options: Unpack[SubmitOptions],
) -> Callable[[Callable[P, R]], TaskFunction[P, R]]: ...


def task(
    function: Callable[P, R] | None = None,
    *,
    queue: str | None = None,
    name: str | None = None,
    time_limit: float | None = None,
    memory: int | None = None,
    retry_for: Kinds = None,
    permanent_for: Kinds = None,
    retry: Judge | None = None,
    **options: Unpack[SubmitOptions],
) -> TaskFunction[P, R] | Callable[[Callable[P, R]], TaskFunction[P, R]]:
    """Makes a function a task.

    queue: By default the name of the function.
    name: The method of the tasks; by default the name of the function.
    time_limit: Seconds after which an attempt is stopped and fails with the group `timeout`.
    memory: With a process for each task: maximum memory of the process in bytes while the function runs.
    retry_for: Kinds of exceptions that are retried, as often as `max_failures` allows. All other kinds are permanent.
    permanent_for: Kinds of exceptions that are not retried, even if they are also kinds of `retry_for`.
    retry: A function of the exception and the number of the attempt that decides first: True: retry; False: do not; a
      number: retry after so many seconds; None: `retry_for` and `permanent_for` decide.
    options: Default options of each submit: `max_failures`, `max_run`, `no_progress`, `priority`, `needs`, `lease`, …
    """
    if function is not None and not callable(function):
        raise InvalidCall(
            "BADARG", f"@task({function!r}): its options have names, such as `@task(queue={function!r})`."
        )

    def made(function: Callable[P, R]) -> TaskFunction[P, R]:
        check_options(f"@task of {getattr(function, '__name__', name)}", options, SubmitOptions.__annotations__, *_OWN)
        return TaskFunction(function, *own)

    own = (queue, name, time_limit, memory, Retry(_kinds(retry_for), _kinds(permanent_for) or (), retry), options)
    return made(function) if function is not None else made


#: Options that `@task` has and a submit does not.
_OWN = ("queue", "name", "time_limit", "memory", "retry_for", "permanent_for", "retry")
#: The tasks of a worker: a function, several functions, or a module that has functions.
Tasks = Union[TaskFunction[Any, Any], Iterable[Any], Any]


def functions_of(tasks: Tasks) -> dict[str, TaskFunction[Any, Any]]:
    """Returns the functions by their names."""
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
