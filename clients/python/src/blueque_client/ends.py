"""Ends of attempts, which are sent in batches with `finish_and_reserve`, or each with its own call."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from . import calls, contract
from .errors import BluequeError
from .held_attempts import HeldAttempt, HeldAttempts
from .repeated_calls import insist
from .sync import Link
from .task_process import Ending
from .wire import Call


class Ends:
    """Sends the ends of attempts."""

    def __init__(self, link: Link, attempts: HeldAttempts) -> None:
        self._link, self._attempts = link, attempts
        #: Number of attempts that have ended.
        self.done = 0

    def send(self, held: HeldAttempt, ending: Ending) -> None:
        """Ends an attempt with its own call."""
        if held.order == "lost":
            self.sent(held, ending, "LOST")
            return
        try:
            # A value that cannot be sent is refused before the call.
            verdict = str(insist(self._link, call_of(held.id, held.token, ending, held.cost or None)))
        except BluequeError as error:
            verdict = error.code
            if verdict != "LOST":
                held.say(logging.ERROR, "its end is refused: %s", error)
                about = f"the end of the attempt was refused: {error}".encode()
                with suppress(BluequeError):
                    verdict = str(insist(self._link, calls.fail(held.id, held.token, about, group="refused")))
        self.sent(held, ending, verdict)

    def send_large(self, ends: Iterable[tuple[HeldAttempt, Ending]]) -> list[tuple[HeldAttempt, Ending]]:
        """Sends each end that does not fit into a batch. Returns the ends that fit."""
        batch: list[tuple[HeldAttempt, Ending]] = []
        for held, ending in ends:
            simple = not ending.next_step and not (ending.how in ("release", "uncounted") and ending.reason)
            if simple and held.order != "lost" and len(ending.body) <= contract.END_BYTES:
                batch.append((held, ending))
            else:
                self.send(held, ending)
        return batch

    def sent(self, held: HeldAttempt, ending: Ending, verdict: str) -> None:
        """Removes an attempt whose end the server has answered."""
        level = logging.WARNING if verdict in ("LOST", "failed") else logging.INFO
        text = error_of(ending)
        held.say(level, "%s%s", verdict, text and f": {text}")
        if held.span and self._link.tracing:
            self._link.tracing.end(held.span, verdict, text)
        self._attempts.remove(held)
        self.done += 1


def entry_of(held: HeldAttempt, ending: Ending) -> calls.FinishAndReserveEach:
    """An end as an entry of a batch."""
    body = ending.body if ending.how in ("complete", "fail", "final") else b""
    return calls.FinishAndReserveEach(
        ending.how, held.id, held.token, body, ending.group or "", ending.again, held.cost
    )


def call_of(id: Any, token: int, ending: Ending, cost: bytes | None = None) -> Call[Any]:
    """The call that ends an attempt."""
    if ending.how == "complete":
        step = ending.next_step
        return calls.complete(
            id,
            token,
            ending.body,
            max_bytes=contract.RESULT_BYTES,
            next=step.get("next"),
            method=step.get("method"),
            cost=cost,
        )
    if ending.how in ("fail", "final"):
        final = ending.how == "final" or None
        return calls.fail(id, token, ending.body, group=ending.group, final=final, again=ending.again)
    reason = re.sub(r"[^A-Za-z0-9._:@-]+", "-", ending.reason or "")[:128] or None
    return calls.release(
        id, token, reason=reason, again=ending.again, uncounted=ending.how == "uncounted" or None, cost=cost
    )


def error_of(ending: Ending) -> str:
    """The first line of an attempt's error, or the beginning of that line."""
    return ending.body.decode(errors="replace").split("\n", 1)[0][:300] if ending.how in ("fail", "final") else ""
