"""Notices: a receiver of the webhooks that workers call about a task or a graph (`docs/use/notify.md`)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar, get_args, overload

from .errors import InvalidCall, Unverified

#: Maximum difference in seconds between the time of a delivery and this host's clock.
TOLERANCE = 300

State = Literal["complete", "failed", "cancelled"]
Event = Literal["complete", "failed", "cancelled", "pending", "no-progress", "deadline"]

_ENDS = get_args(State)
_EVENTS = get_args(Event)


@dataclass(frozen=True)
class Notice:
    """An event of a task or of a graph. Fields that do not apply are None."""

    #: Id of the notice, the same at every delivery: ignore a notice that you have seen.
    id: str
    #: `task.failed`, `graph.complete`, …
    type: str
    #: Time of the event, such as `2026-11-28T09:20:11.512034Z`.
    timestamp: str
    #: The state of the task. At its end this is also the event.
    state: str
    namespace: str
    #: Id of the task, or of the graph.
    task: str | None
    graph: str | None
    queue: str | None
    method: str | None
    title: str | None
    #: Name of the graph, and the numbers of its tasks.
    name: str | None
    tasks: str | None
    #: The command that ended the task, or `lost` or `deadline`; the author of the change.
    cause: str | None
    by: str | None
    attempt: int | None
    #: The first KiB of the error, or the reason of a cancel.
    error: str | None
    reason: str | None
    #: The time that was asked with the event, such as `20m`: for `pending`, `no-progress` and `deadline`.
    time: str | None
    #: Number of this delivery, from 1.
    tries: int
    #: The whole text.
    data: Mapping[str, Any]

    @property
    def event(self) -> str:
        """The event: the last part of `type`."""
        return self.type.partition(".")[2]


Handler = Callable[[Notice], Any]
H = TypeVar("H", bound=Handler)


def _key(secret: str | bytes) -> bytes:
    data = secret.encode() if isinstance(secret, str) else secret
    if not data.startswith(b"whsec_"):
        return data
    try:
        return base64.b64decode(data[6:], validate=True)
    except binascii.Error:
        raise InvalidCall("BADARG", "the secret begins with `whsec_`, but the rest is no base64.") from None


class Notices:
    """A receiver of notices. Any web framework passes it the headers and the body of a POST:

        notices = Notices("whsec_…")

        @notices.on_end("failed")
        def alarm(notice: Notice) -> None: ...

        @app.post("/hooks/blueque", status_code=204)
        def hook(request: Request, body: bytes = Body()) -> None:
            notices.receive(request.headers, body)

    secrets: The content of the target's `secret_file`; several while it is replaced.
    clock: Seconds since 1970.
    """

    def __init__(self, *secrets: str | bytes, clock: Callable[[], float] = time.time) -> None:
        self._keys = [_key(secret) for secret in secrets]
        if not all(self._keys) or not self._keys:
            raise InvalidCall("BADARG", "notices without a secret could be anyone's: pass that of the target.")
        self._clock = clock
        self._handlers: list[tuple[tuple[str, ...], Handler]] = []

    @overload
    def on_end(self, handler: H, /) -> H: ...

    @overload
    def on_end(self, *states: State) -> Callable[[H], H]: ...

    def on_end(self, *given: Any) -> Any:
        """Calls a function for each notice, or only for these states: `@notices.on_end("failed")`."""
        if len(given) == 1 and callable(given[0]):
            self._handlers.append((_ENDS, given[0]))
            return given[0]
        if wrong := [state for state in given if state not in _ENDS]:
            raise InvalidCall("BADARG", f"no notice has the state {wrong[0]!r}: complete, failed or cancelled.")
        return self._add(given or _ENDS)

    def on(self, *events: Event) -> Callable[[H], H]:
        """Calls a function for each notice of these events: `@notices.on("no-progress")`."""
        if not events or (wrong := [event for event in events if event not in _EVENTS]):
            raise InvalidCall("BADARG", f"no notice has the event {wrong[0]!r}." if events else "name the events.")
        return self._add(events)

    def _add(self, events: tuple[str, ...]) -> Callable[[H], H]:
        def add(handler: H) -> H:
            self._handlers.append((events, handler))
            return handler

        return add

    def verify(self, headers: Mapping[str, str], body: bytes) -> Notice:
        """Returns the notice of a POST. Raises `Unverified` if it is not signed with a secret, or too old."""
        found = {name.lower(): value for name, value in headers.items()}
        id, at, signatures = (found.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
        if not id or not re.fullmatch("[0-9]{1,15}", at) or not signatures:
            raise Unverified("the headers webhook-id, webhook-timestamp and webhook-signature are missing or wrong.")
        if not any(_signed(self._keys, id, at, body, each) for each in signatures.split()):
            raise Unverified("no signature of the notice is made with this secret.")
        if abs(self._clock() - int(at)) > TOLERANCE:
            raise Unverified(f"the notice was sent more than {TOLERANCE} s ago, or by a clock that is ahead.")
        return _notice(id, json.loads(body))

    def receive(self, headers: Mapping[str, str], body: bytes) -> Notice:
        """Verifies a POST, calls the handlers one after another, and returns the notice. If a handler raises, answer
        with an error: the notice is delivered again."""
        notice = self.verify(headers, body)
        for events, handler in self._handlers:
            if notice.event in events:
                handler(notice)
        return notice


def _signed(keys: Iterable[bytes], id: str, at: str, body: bytes, signature: str) -> bool:
    text = f"{id}.{at}.".encode() + body
    wanted = (b"v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()) for key in keys)
    return any([hmac.compare_digest(each, signature.encode()) for each in wanted])


def _notice(id: str, text: Any) -> Notice:
    data = text["data"]
    given = {
        "id": id,
        "type": text["type"],
        "timestamp": text["timestamp"],
        "state": data["state"],
        "namespace": data["namespace"],
        "tries": data["try"],
        "data": data,
    }
    rest = [field.name for field in fields(Notice) if field.name not in given]
    return Notice(**given, **{name: data.get(name) for name in rest})
