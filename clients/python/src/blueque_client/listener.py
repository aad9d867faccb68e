"""The id of a listener."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import uuid
from pathlib import Path


def listener_id() -> str:
    """A new id for a listener of this process: HOSTNAME:IDENTITY-RANDOM_PID. IDENTITY separates hosts of the same
    name."""
    host = re.sub(r"[^A-Za-z0-9.-]", "-", socket.gethostname())[:100] or "host"
    return f"{host}:{_identity()}-{uuid.uuid4().hex[:6]}_{os.getpid()}"


def _identity() -> str:
    """The identity of the host. Hosts that see each other's process ids share an identity. Empty if it is unknown."""
    try:
        boot, table = _text("/proc/sys/kernel/random/boot_id"), os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
    try:
        machine = _text("/etc/machine-id")
    except OSError:
        machine = ""
    return hashlib.sha1(f"{machine}\n{boot}\n{table}".encode(), usedforsecurity=False).hexdigest()[:8]


def _text(path: str) -> str:
    return Path(path).read_text(errors="replace").strip()
