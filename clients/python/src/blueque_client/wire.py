"""Writing of calls and reading of replies; `calls` is made of these pieces."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Generic, Protocol, TypeVar, Union, cast

from .errors import InvalidCall, ReplyError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

#: A point in time: seconds since 1970, or a datetime with a time zone.
Time = Union[int, float, Decimal, datetime]
#: A duration: seconds, or a timedelta.
Seconds = Union[int, float, Decimal, timedelta]
#: Several names: a sequence, or one text with commas.
Names = Union[str, Sequence[str]]
#: Opaque bytes; a text is sent as UTF-8.
Bytes = Union[bytes, str]

#: Reads the server's reply: the shape of a reply, and the value that it becomes.
Shape = Callable[[Any], T]

_WHOLE = re.compile(rb"-?\d+")
_DECIMAL = re.compile(rb"\d+(\.\d*)?")


_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def random_id() -> str:
    """A new id: 128 random bits as 22 letters and digits. The server keeps an id at several places, so it is shorter
    than a UUID. The first character is a digit: the server then recognises the id in the text of an error."""
    bits = secrets.randbits(128)
    return "".join(_DIGITS[bits // 62**place % 62] for place in range(21, -1, -1))


def written(value: object) -> bytes:
    """A value in the form that is sent."""
    if value is None:
        return b""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        try:
            return value.encode()
        except UnicodeEncodeError as error:
            raise InvalidCall("BADARG", f"a text is not valid Unicode: {error}.") from None
    if isinstance(value, bool):
        return b"1" if value else b"0"
    if isinstance(value, int):
        return b"%d" % value
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise InvalidCall("BADARG", f"the time {value} has no time zone, such as datetime.timezone.utc.")
        value = value.timestamp()
    if isinstance(value, Decimal) and value.is_finite():
        return format(value, "f").encode()
    if isinstance(value, float) and math.isfinite(value):
        return format(value, ".6f").encode()
    if isinstance(value, (list, tuple)):
        return b",".join(map(written, value))
    raise InvalidCall("BADARG", f"{value!r} is no value of an argument.")


#: Seconds since 1970 in the year 5138. A later time is a number of milliseconds.
_LATEST = 10**11
#: Options that are times.
_TIMES = ("eta", "deadline", "start", "end")


def option(name: str, value: object) -> bytes:
    """The value of an option in the form that is sent. An error names the option."""
    if name in _TIMES and isinstance(value, (int, float, Decimal)) and value > _LATEST:
        raise InvalidCall("BADARG", f"{name}: {value} are milliseconds. Times are seconds since 1970, or a datetime.")
    try:
        return written(value)
    except InvalidCall as error:
        raise InvalidCall(error.code, f"{name}: {error.cause}") from None


#: The units of a rate, by the first letter of their names, in seconds.
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_RATE = re.compile(r"\s*(\d+)\s*/\s*(\d*)\s*(s|sec|m|min|h|hour|d|day|w|week)s?\s*")


def rate(text: str) -> str:
    """A rate such as `100/1h` or `10/m` in the form that is sent: `100/3600`, `10/60`."""
    found = _RATE.fullmatch(text)
    return f"{found[1]}/{int(found[2] or 1) * _UNITS[found[3][0]]}" if found else text


def whole(value: Seconds) -> int:
    """A duration in whole seconds."""
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if seconds != int(seconds):
        raise InvalidCall("BADARG", f"{value} is not a whole number of seconds.")
    return int(seconds)


class Sparse:
    """A record, most of whose fields are usually not set. Its `repr` shows only set fields."""

    def __repr__(self) -> str:
        given = ((each.name, getattr(self, each.name)) for each in fields(cast("Any", self)))
        shown = ", ".join(f"{name}={value!r}" for name, value in given if value not in (None, {}))
        return f"{type(self).__name__}({shown})"


class Page(Protocol[T_co]):
    """A reply with its entries, and the start of the next page; `0` at the end."""

    @property
    def cursor(self) -> str: ...

    @property
    def items(self) -> Sequence[T_co]: ...


@dataclass(frozen=True)
class Call(Generic[T_co]):
    """A call that has not been made yet. A call that is sent again after a lost reply is executed once."""

    command: str
    #: The arguments from `now` on, in the form that is sent.
    arguments: tuple[bytes, ...]
    read: Shape[T_co]
    #: True if the call may carry a `request`.
    takes_request: bool = False

    def at(self, now: Time) -> Call[T_co]:
        """This call at a given time, in a namespace for tests."""
        return replace(self, arguments=(written(now), *self.arguments[1:]))

    def once(self) -> Call[T_co]:
        """This call with a random `request`: a repeated call has no second effect, even if other clients made
        changes in between."""
        if not self.takes_request:
            return self
        return replace(self, arguments=(*self.arguments, b"request", random_id().encode()))


def call(
    command: str,
    arguments: Sequence[object],
    options: Sequence[tuple[str, object]],
    shape: Shape[T],
    takes_request: bool,
) -> Call[T]:
    """A call: the arguments from `now` on, then the given options."""
    sent = [b"", *map(written, arguments)]
    for name, value in options:
        if value is not None:
            sent += (name.encode(), option(name, value))

    def read(reply: Any) -> T:
        try:
            return shape(reply)
        except _Misfit as misfit:
            raise ReplyError("REPLY", f"the reply to {command} does not match the contract: {misfit}.") from None

    return Call(command, tuple(sent), read, takes_request)


class _Misfit(Exception):
    """The error for a reply with an unexpected shape."""


@dataclass(frozen=True)
class Type:
    form: str
    low: int = 0
    high: int | None = None
    words: tuple[str, ...] = ()

    def read(self, raw: bytes) -> Any:
        high = math.inf if self.high is None else self.high
        text = raw.decode(errors="surrogateescape")
        if self.form == "whole" and _WHOLE.fullmatch(raw) and self.low <= int(raw) <= high:
            return int(raw)
        if self.form in ("seconds", "decimal") and _DECIMAL.fullmatch(raw) and self.low <= float(raw) <= high:
            return float(raw)
        if self.form == "flag" and raw in (b"0", b"1"):
            return raw == b"1"
        if self.form == "word" and text in self.words:
            return text
        if self.form == "words" and all(word in self.words for word in text.split(",")):
            return text.split(",")
        if self.form == "bytes" and self.low <= len(raw) <= high:
            return raw
        if self.form == "text" and 1 <= len(raw) <= high:
            return text
        raise ValueError(text)


@dataclass(frozen=True)
class Field:
    """A part of a reply: its type, additional words, and whether it may be nil, empty or missing."""

    name: str
    type: Type | None = None
    words: tuple[str, ...] = ()
    nil: bool = False
    empty: bool = False
    absent: bool = False

    def read(self, got: Any) -> Any:
        """The value; None if the reply is nil, or is empty because it does not apply."""
        if got is None and self.nil:
            return None
        if not isinstance(got, (bytes, int)) or isinstance(got, bool):
            raise _Misfit(f"{self.name} is {got!r}")
        raw = got if isinstance(got, bytes) else b"%d" % got
        if not raw and self.empty:
            return None
        if (text := raw.decode(errors="surrogateescape")) in self.words:
            return text
        try:
            if self.type is None:
                raise ValueError
            return self.type.read(raw)
        except ValueError:
            raise _Misfit(f"{self.name} is {got!r}") from None


def read_value(field: Field) -> Shape[Any]:
    return field.read


def read_maybe(shape: Shape[T]) -> Shape[T | None]:
    """Reads a reply that may be nil: None."""
    return lambda reply: None if reply is None else shape(reply)


def _array(reply: Any) -> Sequence[Any]:
    if not isinstance(reply, list):
        raise _Misfit("it is no array")
    return reply


def _name(got: Any) -> str:
    if not isinstance(got, bytes):
        raise _Misfit(f"the name of a field is {got!r}")
    return got.decode(errors="surrogateescape")


def read_items(make: Callable[..., Any] | None, fields: Sequence[Field]) -> Shape[list[Any]]:
    """Reads repeated fields; for a single field, a list of its values."""

    def read(reply: Any) -> list[Any]:
        reply, width = _array(reply), len(fields)
        if len(reply) % width:
            raise _Misfit("a wrong number of fields")
        rows = ([f.read(got) for f, got in zip(fields, reply[at:])] for at in range(0, len(reply), width))
        return [make(*row) if make else row[0] for row in rows]

    return read


def read_list(make: Callable[..., T], fields: Sequence[Field], items: Shape[list[Any]] | None = None) -> Shape[T]:
    """Reads fields, then optional `items`. Fields that later versions append are ignored."""

    def read(reply: Any) -> T:
        reply = _array(reply)
        if missing := [field.name for field in fields[len(reply) :] if not field.absent]:
            raise _Misfit(f"it lacks {', '.join(missing)}")
        found = [field.read(got) for field, got in zip(fields, reply)]
        found += [None] * (len(fields) - len(found))
        return make(*found, *([items(reply[len(fields) :])] if items else []))

    return read


def read_pairs(make: Callable[..., T], fields: Sequence[Field], absent: bool = False, open: bool = False) -> Shape[T]:
    """Names and values in turn. A field `NAME.*` collects all names that begin with `NAME.`.

    absent: Any field may be missing.
    open: Unknown names are kept in `extra`.
    """

    def read(reply: Any) -> T:
        reply = _array(reply)
        if len(reply) % 2:
            raise _Misfit("a name without a value")
        given = {_name(name): value for name, value in zip(reply[::2], reply[1::2])}
        found: list[Any] = []
        for field in sorted(fields, key=lambda field: field.name.endswith("*")):
            if field.name.endswith("*"):
                begin = field.name[:-1]
                names = [name for name in given if name.startswith(begin)]
                found.append({name[len(begin) :]: field.read(given.pop(name)) for name in names})
            elif field.name in given:
                found.append(field.read(given.pop(field.name)))
            elif absent or field.absent:
                found.append(None)
            else:
                raise _Misfit(f"it lacks {field.name}")
        return make(*found, *([given] if open else []))

    return read


def read_groups(begins: str, pairs: Shape[T]) -> Shape[list[T]]:
    """Several groups of pairs. Each group begins with the same name."""

    def read(reply: Any) -> list[T]:
        reply = _array(reply)
        starts = [at for at in range(0, len(reply), 2) if reply[at] == begins.encode()] or [0]
        return [pairs(reply[at:to]) for at, to in zip(starts, [*starts[1:], len(reply)])]

    return read
