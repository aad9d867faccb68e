"""The ends of attempts, as a process reports them to its worker."""

from __future__ import annotations

import os
import traceback
from typing import Any, NamedTuple, get_args

from . import contract
from .context import Again, Failure, Stopped
from .errors import PayloadError
from .messages import Message
from .task_functions import Retry, WrongArguments

#: Maximum length of a name or a reason in an end.
MOST_TEXT = 1000
#: Maximum size of an error's text, and of each of its lines. A longer text keeps its end.
MOST_ERROR, MOST_LINE = 16_000, 1000
#: The folder of this package: its frames are left out of tracebacks.
PACKAGE = os.path.dirname(__file__) + os.sep


class Ending(NamedTuple):
    """The end of an attempt: the words of `finish_and_reserve`, and the data for them."""

    how: contract.Ending
    body: bytes = b""
    group: str | None = None
    again: float | None = None
    reason: str | None = None
    #: The queue of the next step, and its method.
    next_step: dict[str, str] = {}  # noqa: RUF012 - of a tuple

    def about(self) -> dict[str, Any]:
        """All fields except the body. Texts are cut to the maximum of a message: longer texts are invalid names."""
        return {name: _cut(value) for name, value in self._asdict().items() if name != "body"}


def ending_of(message: Message) -> Ending:
    """Reads the end that a process reports. Raises `ValueError` or `TypeError` if it is invalid."""
    ending = Ending(body=message.body, **message.about)
    good = ending.how in get_args(contract.Ending) and isinstance(ending.again, (int, float, type(None)))
    texts = [ending.group, ending.reason, *(ending.next_step.values() if isinstance(ending.next_step, dict) else [0])]
    if not good or not all(text is None or isinstance(text, str) for text in texts):
        raise ValueError("an end of another shape")
    return ending


def stopped(order: str | None) -> Ending:
    """The end of an attempt that was ordered to stop."""
    if order == "timeout":
        return Ending("fail", b"the attempt has taken longer than its time limit", "timeout")
    return Ending("uncounted" if order == "drain" else "release")


def raised(error: BaseException) -> Ending:
    """The end of an attempt whose function has raised this exception."""
    try:
        return _raised(error)
    except BaseException as worse:  # for example an error in the exception's own text, or a lack of memory
        text = f"{type(error).__name__}, and its text cannot be made: {type(worse).__name__}"
        return Ending("fail", text.encode(errors="backslashreplace"), type(error).__name__)


def judged(retry: Retry, error: BaseException, attempt: int) -> Ending:
    """The end of an attempt whose function has raised this exception, if the exception does not say itself."""
    ending = raised(error)
    if ending.how != "fail" or isinstance(error, (Failure, Stopped)):
        return ending
    try:
        verdict = retry.of(error, attempt)
    except Exception as worse:
        return raised(worse)
    if isinstance(verdict, bool):
        return ending if verdict else ending._replace(how="final")
    return ending._replace(again=float(verdict))


def _raised(error: BaseException) -> Ending:
    if isinstance(error, Stopped):
        return stopped(error.order)
    if isinstance(error, Again):
        return Ending("release", again=float(error.seconds), reason=error.reason)
    if isinstance(error, Failure):
        again = None if error.permanent or error.again is None else float(error.again)
        group = str(error.group or "Failure")
        return Ending("final" if error.permanent else "fail", error_text(error), group, again)
    if isinstance(error, (WrongArguments, PayloadError)):
        return Ending("final", error_text(error), "permanent")
    return Ending("fail", error_text(error), type(error).__name__)


def error_text(error: BaseException) -> bytes:
    """The error text, then the last lines of the traceback."""
    if isinstance(error, Failure):
        return str(error.text).encode(errors="backslashreplace")[:MOST_ERROR]
    text = _shortened("".join(traceback.format_exception_only(type(error), error)).strip())[: MOST_ERROR // 4]
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename.startswith(PACKAGE):
        trace = trace.tb_next
    if trace:
        lines = _shortened("".join(traceback.format_exception(type(error), error, trace)))
        text += f"\n\n{lines[-MOST_ERROR // 2 :]}"
    return text.encode(errors="backslashreplace")[:MOST_ERROR]


def _shortened(text: str) -> str:
    return "\n".join(line if len(line) <= MOST_LINE else f"{line[:MOST_LINE]}…" for line in text.split("\n"))


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _cut(each) for name, each in value.items()}
    return value[:MOST_TEXT] if isinstance(value, str) else value
