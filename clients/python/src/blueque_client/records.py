"""Records of tasks and entries of logs, with values and texts in place of bytes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from . import calls
from .payload import Serializer

#: Fields that are values, and fields that are texts.
VALUES = ("parameters", "result", "progress", "checkpoint")
TEXTS = ("error", "last_error", "cost")
#: The record of a task, as the server returns it.
RawRecord = calls.GetReply[bytes, bytes]
#: The record of a task: parameters, result, progress and checkpoint are values, errors are texts. A value that the
#: serializer cannot read, such as the result of a program, remains bytes.
Record = calls.GetReply[str, Any]
#: An entry of a log, with its text.
LogEntry = calls.LogsItem[str]


def record_of(raw: RawRecord, serializer: Serializer) -> Record:
    values = {name: _value(getattr(raw, name), serializer) for name in VALUES}
    texts = {name: _text(getattr(raw, name)) for name in TEXTS}
    return cast("Record", replace(cast("Any", raw), **values, **texts))


def entry_of(raw: calls.LogsItem[bytes]) -> LogEntry:
    return calls.LogsItem(raw.at, raw.attempt, raw.source, raw.text.decode(errors="replace"), raw.offset)


def _value(data: bytes | None, serializer: Serializer) -> Any:
    if not data:
        return None
    try:
        return serializer.loads(data)
    except Exception:  # any serializer
        return data


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode(errors="replace")
