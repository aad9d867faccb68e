"""Servers with replies that no Redis server sends, also during the handshake of a connection."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from blueque_client import BluequeError, Client, aio

ODD = {
    "nothing": b"",
    "a text": b"hello\r\n",
    "HTTP": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "bytes that are no text": b"-\xff\xfe\r\n",
    "an error without a text": b"-\r\n",
    "an error with spaces": b"-  \r\n",
    "a moved slot that is none": b"-MOVED x\r\n",
    "an ASK without a place": b"-ASK\r\n",
    "a number": b":1\r\n",
    "no number": b":x\r\n",
    "nil": b"$-1\r\n",
    "a length that is none": b"$x\r\n",
    "a negative length": b"$-7\r\nabc\r\n",
    "an empty text": b"$0\r\n\r\n",
    "another word": b"+WRONG\r\n",
    "no array": b"*-1\r\n",
    "an empty array": b"*0\r\n",
    "an array of nil": b"*1\r\n$-1\r\n",
    "an array of arrays": b"*2\r\n*0\r\n*0\r\n",
    "a deep array": b"*1\r\n" * 20_000 + b":1\r\n",
    "a map": b"%1\r\n+proto\r\n+x\r\n",
    "an empty map": b"%0\r\n",
    "a map of arrays": b"%1\r\n*0\r\n*0\r\n",
    "a set of arrays": b"~1\r\n*0\r\n",
    "a double": b",x\r\n",
    "a boolean": b"#x\r\n",
    "a big number": b"(x\r\n",
    "a push": b">1\r\n+x\r\n",
}


@contextmanager
def answering(reply: bytes) -> Iterator[int]:
    """A server that sends this reply to everything; returns its port."""

    def talk(end: socket.socket) -> None:
        while end.recv(65_536):
            end.sendall(reply)
            if not reply:
                end.close()

    with serving(talk) as port:
        yield port


@contextmanager
def serving(talks: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that runs `talks` with each client; returns its port."""
    with socket.create_server(("127.0.0.1", 0)) as listens:
        ends: list[socket.socket] = []

        def talk(end: socket.socket) -> None:
            with suppress(OSError):
                talks(end)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    ends.append(listens.accept()[0])
                    threading.Thread(target=talk, args=(ends[-1],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield listens.getsockname()[1]
        finally:
            listens.shutdown(socket.SHUT_RDWR)
            for end in ends:
                end.close()


def check(url: str) -> None:
    with Client(url, limit=0.3) as client:
        client.check()


def check_async(url: str) -> None:
    async def checks() -> None:
        async with aio.Client(url, limit=0.3) as client:
            await client.check()

    asyncio.run(checks())


@pytest.mark.parametrize(
    "url", ["redis://%s", "redis://u:p@%s/3?protocol=3", "redis://:p@%s/1", "redis+sentinel://%s/m"]
)
@pytest.mark.parametrize("checks", [check, check_async])
def test_an_odd_answer_is_an_error_of_this_package(url: str, checks: Any) -> None:
    others = {}
    for what, reply in ODD.items():
        with answering(reply) as port:
            try:
                checks(url % f"127.0.0.1:{port}")
            except BluequeError as error:
                assert error.remedy or error.code not in ("REPLY", "CONNECTION", "UNAVAILABLE")
            except Exception as error:
                others[what] = repr(error)[:100]
            else:
                others[what] = "no error"
    assert not others


@pytest.mark.parametrize("checks", [check, check_async])
def test_an_odd_answer_of_a_cluster_is_an_error_of_this_package(checks: Any) -> None:
    others = {}
    for what in (
        "a text",
        "a number",
        "nil",
        "an array of nil",
        "an array of arrays",
        "a length that is none",
        "a map",
    ):
        with answering(ODD[what]) as port:
            try:
                checks(f"redis+cluster://127.0.0.1:{port}")
            except BluequeError:
                continue
            except Exception as error:
                others[what] = repr(error)[:100]
    assert not others


#: Seconds. A call that takes longer has no limit.
LONGEST = 20
#: MiB, far more than the largest reply.
FLOOD = 1 << 10
MIB = b"x" * (1 << 20)
EACH_KIND = ["redis://%s", "redis://u:p@%s/3?protocol=3", "redis+sentinel://%s/m", "redis+cluster://u:p@%s"]


def call(url: str, limit: float) -> None:
    with Client(url, limit=limit) as client:
        client.check()


def call_async(url: str, limit: float) -> None:
    async def calls() -> None:
        async with aio.Client(url, limit=limit) as client:
            await client.check()

    asyncio.run(calls())


@pytest.mark.parametrize("url", EACH_KIND)
@pytest.mark.parametrize("calls", [call, call_async])
def test_a_reply_that_drips_is_waited_for_no_longer_than_the_limit_of_its_call(url: str, calls: Any) -> None:
    def drips(end: socket.socket) -> None:
        end.recv(65_536)
        end.sendall(b"$8000000\r\n")
        for _ in range(10 * LONGEST):
            time.sleep(0.2)
            end.sendall(b"x")

    with serving(drips) as port:
        begun = time.monotonic()
        with pytest.raises(BluequeError) as error:
            calls(url % f"127.0.0.1:{port}", 1)
        assert error.value.code == "UNAVAILABLE"
        assert time.monotonic() - begun < LONGEST


@pytest.mark.parametrize("url", ["redis://u:p@%s", "redis://u:p@%s/3?protocol=3", "redis+cluster://u:p@%s"])
@pytest.mark.parametrize("calls", [call, call_async])
def test_replies_that_each_come_just_in_time_share_the_limit_of_their_call(url: str, calls: Any) -> None:
    replies = []

    def tarries(end: socket.socket) -> None:
        while asked := end.recv(65_536):
            time.sleep(1.5)
            replies.append(asked)
            end.sendall(b"%0\r\n" if b"HELLO" in asked else b"+OK\r\n")

    with serving(tarries) as port:
        with pytest.raises(BluequeError):
            calls(url % f"127.0.0.1:{port}", 2)
        # The login, and a reply that may be on its way, but not the library's name and version, and not the call.
        assert len(replies) <= 2, replies


@pytest.mark.parametrize("head", [b"$8000000000\r\n", b"*8000\r\n"])
@pytest.mark.parametrize("url", EACH_KIND)
@pytest.mark.parametrize("calls", [call, call_async])
def test_a_reply_over_the_bound_is_refused_and_not_kept(head: bytes, url: str, calls: Any) -> None:
    sent = []

    def floods(end: socket.socket) -> None:
        end.recv(65_536)
        end.sendall(head)
        for _ in range(FLOOD):
            end.sendall(MIB if head.startswith(b"$") else b"$1048576\r\n%s\r\n" % MIB)
            sent.append(1)

    with serving(floods) as port:
        with pytest.raises(BluequeError) as error:
            calls(url % f"127.0.0.1:{port}", 60)
        assert (error.value.code, "over 256 MiB" in str(error.value)) == ("REPLY", True), error.value
    assert len(sent) < 512
