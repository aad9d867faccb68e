"""Adds fields to each record of `logging`, about the task whose code has written the record.

The attributes are `blueque_task`, `blueque_attempt`, `blueque_queue` and `blueque_method`; None if no task runs. The
prefix avoids conflicts: `logging` refuses a record whose `extra` has the name of an existing attribute.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import datetime, timezone
from typing import Any, NamedTuple

from .context import attempt_here
from .text import clean, one_line

log = logging.getLogger("blueque.worker")
log.addFilter(clean)  # names and errors come from other users


class Fields(NamedTuple):
    """The fields of a record. The attributes have the prefix `blueque_`."""

    task: str | None = None
    attempt: int | None = None
    queue: str | None = None
    method: str | None = None


_NAMES = tuple(f"blueque_{name}" for name in Fields._fields)
_subject: ContextVar[Fields] = ContextVar("blueque_subject", default=Fields())  # noqa: B039 - a tuple


@contextmanager
def subject(fields: Fields) -> Iterator[None]:
    """Within this context, records are about a task that runs elsewhere."""
    before = _subject.set(fields)
    try:
        yield
    finally:
        _subject.reset(before)


class Text(logging.Formatter):
    """Formats a record as a line with time and level, like the log of `blueque worker`."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-5s %(message)s")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: ARG002
        moment = datetime.fromtimestamp(record.created, timezone.utc)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class JsonLines(Text):
    """Records as JSON, one on each line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {"time": self.formatTime(record), "level": record.levelname.lower()}
        line["message"] = record.getMessage()
        if record.name != log.name:
            line["logger"] = record.name
        for name in Fields._fields:
            if (value := getattr(record, f"blueque_{name}", None)) is not None:
                line[name] = value
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


class TaskLog(logging.Handler):
    """Adds the log records of a function to its task's log."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        attempt = attempt_here()
        if attempt and not record.name.startswith("blueque."):
            try:
                if attempt.channel.is_forked():  # Python's default without any handler
                    if logging.getLogger().handlers == [self] and logging.lastResort:
                        logging.lastResort.handle(record)
                    return
                attempt.log(self.format(record))
            except Exception:  # for example wrong arguments: like other handlers, this one does not raise
                with suppress(Exception):
                    self.handleError(record)


class _Factory:
    """Makes records with the previous factory, and adds the fields."""

    def __init__(self, before: Any) -> None:
        self.before = before

    def __call__(self, *args: Any, **named: Any) -> logging.LogRecord:
        record: logging.LogRecord = self.before(*args, **named)
        here = attempt_here()
        found = Fields(here.id, here.number, here.queue, here.method) if here else _subject.get()
        record.__dict__.update(zip(_NAMES, found))
        return record


@contextmanager
def fields() -> Iterator[None]:
    """Within this context, records have the fields."""
    before = logging.getLogRecordFactory()
    if isinstance(before, _Factory):
        yield
        return
    own = _Factory(before)
    logging.setLogRecordFactory(own)
    try:
        yield
    finally:
        if logging.getLogRecordFactory() is own:
            logging.setLogRecordFactory(before)


def say(item: Any, method: str | None, level: int, text: str, *args: Any) -> None:
    """Logs an event of an attempt."""
    if not log.isEnabledFor(level):
        return
    with subject(Fields(one_line(item.id), item.attempt, item.queue, method and one_line(method))):
        log.log(level, f"task %s attempt %d: {text}", item.id, item.attempt, *args)
