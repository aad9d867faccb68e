"""Calls that are repeated while the server is away."""

from __future__ import annotations

import time
from typing import Any

from . import contract
from .errors import BluequeError, ConnectionFailed
from .logs import log
from .shutdown import Shutdown
from .sync import Link
from .wire import Call


def passes(error: BluequeError) -> bool:
    """Returns true if a retry may succeed. This includes failed logins, because passwords may change."""
    return error.transient or isinstance(error, ConnectionFailed)


def insist(link: Link, call: Call[Any], until: Shutdown | None = None) -> Any:
    """Repeats a call until the server has acknowledged it, because hours of work may depend on the call.

    until: The call is not repeated after the order to stop, or after a failed login.
    """
    while True:
        try:
            return link.run(call)
        except BluequeError as error:
            if not passes(error) or (until and (until.how or not error.transient)):
                raise
            log.warning("the server is away: %s", error)
            time.sleep(contract.CALL_AGAIN)
