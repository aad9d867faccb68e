"""Servers that answer what no server of Redis does, also while a connection is greeted."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
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
    """A server that answers everything so; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listens:
        ends: list[socket.socket] = []

        def talk(end: socket.socket) -> None:
            with suppress(OSError):
                while end.recv(65_536):
                    end.sendall(reply)
                    if not reply:
                        end.close()

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
