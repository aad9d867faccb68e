"""The reply of `why` as a sentence, by the contract's table of its parts."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from datetime import datetime, timezone
from typing import Any

from . import calls, contract

_CONDITION = re.compile(r"(!?)([^!=<>]+?)(?:(<=|>=|!=|=|<|>)(.+))?")
_SUM = re.compile(r"([a-z_.0-9]+)([+-])([a-z_.0-9]+)")
_UNITS = ((31_557_600, "year"), (2_630_016, "month"), (86_400, "day"), (3600, "h"), (60, "m"), (1, "s"))
#: Seconds since 1970 at the end of the year 9999.
_LAST = 253_402_300_800


class Why(calls.WhyReply):
    """The facts that decide whether and when a task runs. `str(why)` is a sentence about them, for people."""

    sentence: str

    def __str__(self) -> str:
        return self.sentence


def why_of(reply: calls.WhyReply, record: calls.GetReply[Any, Any]) -> Why:
    """The reply with its sentence. `record`: the record of the task, read at the same time."""
    found = Why(**{each.name: getattr(reply, each.name) for each in fields(reply)})
    object.__setattr__(found, "sentence", _Sentence(reply, record).part("sentence"))
    return found


def agrees(reply: calls.WhyReply, record: calls.GetReply[Any, Any]) -> bool:
    """Returns true if the record is of the same state: the task may change between the two calls."""
    return record.status == reply.status and record.failures == reply.failures


class _Sentence:
    def __init__(self, reply: calls.WhyReply, record: calls.GetReply[Any, Any]) -> None:
        self._reply, self._record, self._now = reply, record, reply.now

    def part(self, name: str) -> str:
        for when, text in contract.SENTENCES[name]:
            if all(map(self._holds, when.split())):
                return re.sub(r"\{([^|}]+)\|?([^}]*)\}", self._filled, text)
        return ""

    def _holds(self, condition: str) -> bool:
        match = _CONDITION.fullmatch(condition)
        if match is None:
            return False
        no, name, sign, other = match.groups()
        left = self._value(name)
        if sign is None:
            return (left is None) == bool(no)
        right = other[1:-1] if other.startswith("'") else self._value(other)
        if left is None or right is None:
            return False
        try:
            order = float(left) - float(right)
        except ValueError:
            order = (str(left) > str(right)) - (str(left) < str(right))
        known = {"=": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0}
        return known.get(sign, order >= 0)

    def _filled(self, match: re.Match[str]) -> str:
        value, form = self._value(match[1]), match[2]
        if value is None:
            return ""
        if form == "both":
            return f"{_to_the_second(float(value))} ({_relative(float(value), self._now)})"
        if form == "relative":
            return _relative(float(value), self._now)
        if form == "span":
            return _span(float(value))
        if form == "quoted":
            return json.dumps(value, ensure_ascii=False)
        if form == "headline":
            return _headline(str(value))
        if form:
            return f"{value} {form.removeprefix('many ')}{'' if value == 1 else 's'}"
        return str(value)

    def _value(self, name: str) -> Any:
        """The value of an operand; None if it is absent or empty."""
        if match := _SUM.fullmatch(name):
            left, right = self._value(match[1]), self._value(match[3])
            if left is None or right is None:
                return None
            left, right = _number(left), _number(right)
            return left + right if match[2] == "+" else max(left - right, 0)
        if name.isdigit():
            return int(name)
        if name in contract.SENTENCES:
            return self.part(name) or None
        found: Any
        if name == "usable":
            found = 1 if re.fullmatch(r"[A-Za-z0-9._:@-]{1,128}", self._reply.queue) else None
        elif name.startswith("paused."):
            at, by, reason = (*(self._reply.paused or "").split(" ", 2), "", "")[:3]
            found = {"paused.at": _number(at) if at else None, "paused.by": by, "paused.reason": reason}[name]
        elif name == "task.error" and self._record.status != "failed":
            found = None
        else:
            found = getattr(self._record if name.startswith("task.") else self._reply, name.removeprefix("task."))
        if isinstance(found, bytes):
            found = found.decode(errors="replace")
        if name == "deadline" and found is not None:
            found /= 1e6  # microseconds
        return None if found == "" else found


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return int(value)
    except ValueError:
        return float(value)


def _span(seconds: float) -> str:
    """A duration in its two largest units."""
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    rest, words = int(seconds), list[str]()
    for size, unit in _UNITS:
        number, rest = divmod(rest, size)
        if number:
            words.append(f"{number}{unit}{'s' if number > 1 and len(unit) > 1 else ''}")
    return " ".join(words[:2])


def _relative(time: float, now: float) -> str:
    return f"{_span(now - time)} ago" if now >= time else f"in {_span(time - now)}"


def _to_the_second(time: float) -> str:
    if not 0 <= time < _LAST:
        return "an unknown time"
    return datetime.fromtimestamp(int(time), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _headline(error: str) -> str:
    """The most important line of an error."""
    lines = [line.strip() for line in error.split("\n") if line.strip()]
    if len(lines) > 1 and lines[0].startswith("Traceback"):
        return lines[-1]
    if len(lines) > 1 and lines[0].startswith(("exit code ", "killed by ")):
        return lines[0]
    return error
