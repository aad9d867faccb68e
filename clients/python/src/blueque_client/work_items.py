"""The items of a `WorkQueue`, and their names as tasks."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from .wire import random_id


@dataclass
class Lease:
    """The attempt of a leased item."""

    task: str
    token: int
    ended: bool = False


@dataclass(frozen=True)
class WorkItem:
    """An item: bytes and an id."""

    data: bytes
    id: str
    lease: Lease | None = field(default=None, compare=False, repr=False)

    @classmethod
    def new(cls, data: bytes | str) -> WorkItem:
        """An item with a random id (UUID, version 4)."""
        return cls(data.encode() if isinstance(data, str) else data, random_id())

    @classmethod
    def from_json_data(cls, data: Any) -> WorkItem:
        """An item with a random id, and JSON as its data."""
        return cls.new(json.dumps(data, allow_nan=False))

    def data_json(self) -> Any:
        """The data of the item, read as JSON."""
        return json.loads(self.data)


def encode(text: str) -> str:
    """Encodes any text as the name of a task or queue: each byte (UTF-8) that names cannot have, and `@`, becomes `@`
    and two hexadecimal digits. The empty text becomes `@`."""
    data = text.encode()
    return re.sub(rb"[^A-Za-z0-9._:-]", lambda byte: b"@%02X" % byte[0][0], data).decode() or "@"


def decode(name: str) -> str:
    """Decodes a name made by `encode`. Any other name is returned unchanged."""
    if name == "@":
        return ""
    data = re.sub(rb"@([0-9A-F]{2})", lambda byte: bytes([int(byte[1], 16)]), name.encode())
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return name
    return text if encode(text) == name else name
