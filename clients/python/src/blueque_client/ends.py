"""Sends ends of attempts: in batches with `finish_and_reserve`, or each with its own call."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from . import calls, contract
from .endings import Ending
from .errors import BluequeError
from .held_attempts import HeldAttempt
from .hooks import OUTCOMES, Attempt
from .messages import now
from .wire import Call
from .worker_state import WorkerState


def send(state: WorkerState, held: HeldAttempt, ending: Ending) -> None:
    """Ends an attempt with its own call."""
    verdict = "LOST"
    if held.order != "lost":
        try:
            # A value that cannot be sent is refused before the call.
            verdict = str(state.insist(call_of(held.id, held.token, ending, held.cost or None)))
        except BluequeError as error:
            verdict = error.code
            if verdict != "LOST":
                held.say(logging.ERROR, "its end is refused: %s", error)
                about = f"the end of the attempt was refused: {error}".encode()
                with suppress(BluequeError):
                    verdict = str(state.insist(calls.fail(held.id, held.token, about, group="refused")))
    sent(state, held, ending, verdict)


def send_large(state: WorkerState, ends: Iterable[tuple[HeldAttempt, Ending]]) -> list[tuple[HeldAttempt, Ending]]:
    """Sends each end that does not fit into a batch. Returns the ends that fit."""
    batch: list[tuple[HeldAttempt, Ending]] = []
    for held, ending in ends:
        simple = not ending.next_step and not (ending.how in ("release", "uncounted") and ending.reason)
        if simple and held.order != "lost" and len(ending.body) <= contract.END_BYTES:
            batch.append((held, ending))
        else:
            send(state, held, ending)
    return batch


def sent(state: WorkerState, held: HeldAttempt, ending: Ending, verdict: str) -> None:
    """Removes an attempt whose end the server has answered."""
    text = error_of(ending)
    level = logging.WARNING if verdict in ("LOST", "failed") else logging.INFO
    held.say(level, "%s%s", verdict, text and f": {text}")
    if held.span and state.link.tracing:
        state.link.tracing.end(held.span, held.item.queue, verdict, text, ending.group, now() - held.began)
    if word := OUTCOMES.get(verdict):
        item, seconds = held.item, now() - held.began
        error, group = (text, ending.group) if text else (None, None)
        state.outcomes.add(word, Attempt(item.id, item.queue, held.method, item.attempt, error, group, seconds))
    if ending.how in ("fail", "final") and verdict != "LOST":
        state.failures.append(time.monotonic())
    state.attempts.pop(held.key, None)
    state.done += 1


def entry_of(held: HeldAttempt, ending: Ending) -> calls.FinishAndReserveEach:
    """An end as an entry of a batch."""
    body = ending.body if ending.how in ("complete", "fail", "final") else b""
    return calls.FinishAndReserveEach(
        ending.how, held.id, held.token, body, ending.group or "", ending.again, held.cost
    )


def call_of(id: Any, token: int, ending: Ending, cost: bytes | None = None) -> Call[Any]:
    """The call that ends an attempt."""
    if ending.how == "complete":
        next, method = (ending.next_step.get(name) for name in ("next", "method"))
        most = contract.RESULT_BYTES
        return calls.complete(id, token, ending.body, max_bytes=most, next=next, method=method, cost=cost)
    if ending.how in ("fail", "final"):
        final = ending.how == "final" or None
        return calls.fail(id, token, ending.body, group=ending.group, final=final, again=ending.again)
    reason = re.sub(r"[^A-Za-z0-9._:@-]+", "-", ending.reason or "")[:128] or None
    uncounted = ending.how == "uncounted" or None
    return calls.release(id, token, reason=reason, again=ending.again, uncounted=uncounted, cost=cost)


def error_of(ending: Ending) -> str:
    """The first line of an attempt's error, or the beginning of that line."""
    return ending.body.decode(errors="replace").split("\n", 1)[0][:300] if ending.how in ("fail", "final") else ""
