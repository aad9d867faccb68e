"""Errors, sorted by what the caller can do. Every error has a stable `code`, a `cause` in words, and a `remedy`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from . import contract

#: Remedies for the codes that do not come from the server.
OWN = {
    "UNAVAILABLE": "Check that the server runs and is reachable; the same call may be repeated.",
    "CONNECTION": "Correct the URL or the credentials.",
    "REPLY": "If a later version of Blueque wrote it, update this client; the server must be Redis 7.0 or Valkey "
    "7.2, or later.",
    "PAYLOAD": "Pass JSON values, or a serializer of your own to the client.",
    "TIMEDOUT": "Wait longer; the task continues.",
    "FAILED": "Look at its error, its log and its history; `retry` runs it again.",
    "TASKCANCELLED": "`retry` runs it again.",
    "WORKER": "See the worker's log.",
    "SIGNATURE": "Answer with 401; compare the secret with the `secret_file` of the target.",
}


def _carried(kind: type[BaseException], args: tuple[object, ...], about: dict[str, object]) -> BaseException:
    error = kind.__new__(kind, *args)
    error.__dict__.update(about)
    return error


class Carried(BaseException):
    """An exception that other processes, such as those of `multiprocessing`, receive unchanged, with any
    arguments."""

    def __reduce__(self) -> tuple[object, ...]:
        return _carried, (type(self), self.args, self.__dict__)


class BluequeError(Carried, Exception):
    """Any error of this package."""

    def __init__(self, code: str, cause: str, remedy: str | None = None) -> None:
        self.code = code
        #: Cause of the error, in words.
        self.cause = cause
        known = contract.ERRORS.get(code)
        #: Remedy. It may be more specific than the remedy of the code.
        self.remedy = remedy or OWN.get(code) or (known.act if known else "")
        stop = "" if cause.endswith((".", "!", "?", "\n")) else "."
        space = "" if cause.endswith("\n") else " "
        super().__init__(f"{code}: {cause}" + (f"{stop}{space}{self.remedy}" if self.remedy else ""))

    @property
    def transient(self) -> bool:
        """Returns true if the same call may succeed later without a change by the caller."""
        known = contract.ERRORS.get(self.code)
        return self.code == "UNAVAILABLE" or bool(known and known.repeat)


class Lost(BluequeError):
    """The attempt no longer holds the task: stop the work and discard its result."""


class CancelledAtStart(BluequeError):
    """The task was cancelled between its reservation and its start: release it."""


class NotFound(BluequeError):
    """No task, queue, schedule or listener has this name. A repeated delete raises this if the first delete
    succeeded."""


class Refused(BluequeError):
    """The state of a task, a queue, a schedule or a listener does not allow the call. Nothing was changed."""


class InvalidCall(BluequeError):
    """An argument is wrong: a name, a number, a size, an id of another queue. Nothing was changed."""


class Unsuitable(BluequeError):
    """The server or its data is unsuitable: another schema, an eviction policy that loses tasks, a foreign key."""


class ServerError(BluequeError):
    """The server refused the call, for example because its memory is full. Nothing was changed."""


class Unavailable(BluequeError):
    """The server was not reached, or did not reply, within the limit of the call. It may have been executed; every
    call of this package may be repeated."""


class ConnectionFailed(BluequeError):
    """The connection cannot be made as configured: a malformed URL, a wrong password."""


class ReplyError(BluequeError):
    """The server's reply does not match the contract."""


class PayloadError(BluequeError):
    """A value that cannot be sent unchanged, or bytes that cannot be read. The text shows the place."""

    def __init__(self, cause: str) -> None:
        super().__init__("PAYLOAD", cause)


class Unverified(BluequeError):
    """A webhook that no worker with this secret has sent."""

    def __init__(self, cause: str) -> None:
        super().__init__("SIGNATURE", cause)


class TimedOut(BluequeError):
    """The caller's time limit has passed; the task continues."""


class TaskFailed(BluequeError):
    """The awaited task has failed."""

    def __init__(self, error: str, group: str | None) -> None:
        lines = error.strip("\n")
        super().__init__("FAILED", f"the task has failed, with the group {group}:\n{lines}\n")
        #: The error that its last attempt reported.
        self.error = error
        #: The kind of that error: for a Python function the name of the exception.
        self.group = group


class TaskCancelled(BluequeError):
    """The awaited task was cancelled."""

    def __init__(self, reason: str | None) -> None:
        super().__init__("TASKCANCELLED", f"the task was cancelled: {reason}" if reason else "the task was cancelled.")
        #: The reason for the cancel, if given.
        self.reason = reason


_CODES: dict[str, type[BluequeError]] = {
    "LOST": Lost,
    "CANCELLED": CancelledAtStart,
    **dict.fromkeys(("NOTASK", "NOQUEUE", "NOSCHEDULE", "NOLIMIT"), NotFound),
}
_KINDS: dict[str, type[BluequeError]] = {"call": InvalidCall, "state": Refused, "attempt": Lost, "setup": Unsuitable}


def verdict(code: str, text: str) -> BluequeError:
    """The error of a script, or a refusal of the server."""
    known = contract.ERRORS.get(code)
    return _CODES.get(code, _KINDS.get(known.kind if known else "server", ServerError))(code, text)


@contextmanager
def duplicate(remedy: str) -> Iterator[None]:
    """Within this context, errors with the code DUPLICATE get this remedy, because a name and an id share the code."""
    try:
        yield
    except Refused as error:
        if error.code != "DUPLICATE":
            raise
        raise Refused(error.code, error.cause, remedy) from error
