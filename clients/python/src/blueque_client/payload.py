"""Conversion of parameters, results and checkpoints between values and bytes.

The server never reads the contents. By default the format is strict JSON, which every language reads: a value that JSON
does not have is refused with its place, not converted.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Protocol

from .errors import PayloadError


class Serializer(Protocol):
    """Converts values to bytes and back. An example is the module `msgpack` behind two methods."""

    def dumps(self, value: Any) -> bytes:
        """The bytes of a value."""

    def loads(self, data: bytes) -> Any:
        """The value of bytes."""


def dumped(serializer: Serializer, what: str, value: Any) -> bytes:
    """The bytes of a value. If it is refused, the error names what it is."""
    try:
        return serializer.dumps(value)
    except PayloadError as error:
        raise PayloadError(f"{what}: {error.cause}") from error


class Json:
    """JSON: None, booleans, whole numbers of any size, finite floats, texts, lists, and dicts with texts as keys.

    A tuple becomes a list. Bytes, datetimes, sets, NaN and other objects are refused: send `value.isoformat()`,
    `base64.b64encode(value).decode()`, or give the client a serializer of your own.
    """

    def dumps(self, value: Any) -> bytes:
        _check(value, "the value", 0)
        try:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        except UnicodeEncodeError as error:
            raise PayloadError(
                f"a text holds half of a surrogate pair, which UTF-8 cannot carry: {error.reason}."
            ) from None

    def loads(self, data: bytes) -> Any:
        try:
            # A hook for each float costs time, and is only needed if a float can be too large.
            floats = _finite if _LARGE.search(data) else None
            return json.loads(data, parse_constant=_refused, parse_float=floats)
        except ValueError as error:
            raise PayloadError(f"{data[:80]!r} is not JSON: {error}.") from None


DEEPEST = 200
_LARGE = re.compile(rb"[eE]\+?\d{3}")


def _refused(word: str) -> Any:
    raise ValueError(f"{word} is no value of it")


def _finite(text: str) -> float:
    found = float(text)
    return found if math.isfinite(found) else _refused(text)


def _check(value: Any, place: str, depth: int) -> None:
    if value is None or isinstance(value, (bool, int, str)):
        return
    if depth > DEEPEST:
        raise PayloadError(f"{place[:60]}… is nested more than {DEEPEST} deep.")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise PayloadError(f"{place} is {value}, which JSON does not have.")
    elif isinstance(value, (list, tuple)):
        for at, each in enumerate(value):
            _check(each, f"{place}[{at}]", depth + 1)
    elif isinstance(value, dict):
        for key, each in value.items():
            if not isinstance(key, str):
                raise PayloadError(f"a key of {place} is {key!r}: JSON has only texts as keys.")
            _check(each, f"{place}[{key!r}]", depth + 1)
    else:
        raise PayloadError(f"{place} is of the type {type(value).__name__}, which JSON does not have.")
