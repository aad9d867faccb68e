"""Webhooks of notices are verified, and reach the handlers."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest

from blueque_client import InvalidCall, Notice, Notices, Unverified

#: The example of the specification.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = 1614265330
#: A delivery of `blueque worker`, as it was received.
BODY = json.dumps(
    {
        "type": "task.failed",
        "timestamp": "2026-11-28T09:20:11.512034Z",
        "data": {
            "namespace": "blueque", "task": "film-17", "queue": "encode", "title": "Film 17", "method": "x265",
            "state": "failed", "from": "started", "cause": "fail", "by": "gpu-1_4711", "attempt": 3,
            "error": "no space left on device", "number": 1, "try": 2,
        },
    }
).encode()  # fmt: skip


def signed(body: bytes, secret: str = SECRET, at: int = NOW) -> dict[str, str]:
    key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
    code = base64.b64encode(hmac.new(key, b"n1.%d.%b" % (at, body), hashlib.sha256).digest()).decode()
    return {"Webhook-Id": "n1", "Webhook-Timestamp": str(at), "Webhook-Signature": f"v1,{code}"}


def receiver(*secrets: str) -> Notices:
    return Notices(*secrets or (SECRET,), clock=lambda: NOW + 1)


def test_the_example_of_the_specification_is_verified() -> None:
    headers = {"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": str(NOW)}
    headers["webhook-signature"] = "v1,bm90IHRoaXM= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    with pytest.raises(KeyError):  # it is verified, but no notice
        receiver().verify(headers, b'{"test": 2432232314}')
    with pytest.raises(Unverified, match="made with this secret"):
        receiver().verify(headers, b'{"test": 2432232315}')


def test_a_notice_has_types_and_reaches_its_handlers() -> None:
    notices, seen = receiver(), list[tuple[str, Notice]]()

    @notices.on_end
    def every(notice: Notice) -> None:
        seen.append(("every", notice))

    @notices.on_end("failed", "cancelled")
    def bad(notice: Notice) -> None:
        seen.append(("bad", notice))

    @notices.on_end("complete")
    def good(notice: Notice) -> None:
        seen.append(("good", notice))

    notice = notices.receive(signed(BODY), BODY)
    assert [name for name, _ in seen] == ["every", "bad"]
    assert (notice.id, notice.type, notice.task, notice.graph) == ("n1", "task.failed", "film-17", None)
    assert (notice.state, notice.attempt, notice.error, notice.tries) == ("failed", 3, "no space left on device", 2)
    assert notice.data["from"] == "started"


def test_an_event_that_is_no_end_reaches_only_its_own_handlers() -> None:
    notices, seen = receiver(), list[str]()
    notices.on_end(lambda _: seen.append("end"))
    notices.on("no-progress", "failed")(lambda notice: seen.append(f"{notice.event} {notice.state} {notice.time}"))
    text = json.loads(BODY)
    text["type"] = "task.no-progress"
    text["data"] = {"namespace": "blueque", "task": "film-17", "state": "started", "time": "20m", "number": 2, "try": 1}
    body = json.dumps(text).encode()
    assert notices.receive(signed(body), body).error is None
    assert seen == ["no-progress started 20m"]
    notices.receive(signed(BODY), BODY)
    assert seen[1:] == ["end", "failed failed None"]
    cases: list[Any] = [(), ("started",)]
    for wrong in cases:
        with pytest.raises(InvalidCall, match="event"):
            notices.on(*wrong)


def test_a_secret_is_replaced_without_a_gap() -> None:
    for secrets in ((SECRET, "new"), ("new", SECRET)):
        for secret in (SECRET, "new"):
            assert receiver(*secrets).verify(signed(BODY, secret), BODY).task == "film-17"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"Webhook-Signature": "v1,AAAA"}, "made with this secret"),
        ({"Webhook-Signature": "v1,é"}, "made with this secret"),
        ({"Webhook-Signature": ""}, "missing or wrong"),
        ({"Webhook-Id": "n2"}, "made with this secret"),
        ({"Webhook-Timestamp": str(NOW + 1)}, "made with this secret"),
        ({"Webhook-Timestamp": "x"}, "missing or wrong"),
        ({"Webhook-Timestamp": "²"}, "missing or wrong"),
        (signed(BODY, at=NOW - 400), "more than 300 s"),
        (signed(BODY, at=NOW + 400), "more than 300 s"),
        (signed(BODY, "another"), "made with this secret"),
    ],
)
def test_what_is_not_signed_calls_nobody(change: dict[str, str], text: str) -> None:
    notices = receiver()
    notices.on_end(lambda _: pytest.fail("called"))
    with pytest.raises(Unverified, match=text) as caught:
        notices.receive({**signed(BODY), **change}, BODY)
    assert caught.value.code == "SIGNATURE"


def test_a_handler_that_raises_is_heard_by_the_caller() -> None:
    notices = receiver()

    @notices.on_end
    def breaks(_: Notice) -> Any:
        raise OSError("the database is away")

    with pytest.raises(OSError, match="away"):
        notices.receive(signed(BODY), BODY)


def test_wrong_receivers_are_refused() -> None:
    for secrets in ((), ("",), ("whsec_%",)):
        with pytest.raises(InvalidCall):
            Notices(*secrets)
    with pytest.raises(InvalidCall, match="no notice has the state 'done'"):
        receiver().on_end("done")  # type: ignore[call-overload]
