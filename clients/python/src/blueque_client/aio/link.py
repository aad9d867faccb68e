"""The link that sends calls to the server and reads the replies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from ..bounds import within
from ..payload import Json, Serializer
from ..replies import TROUBLE, Tries, script, unread
from ..tracing import Tracing
from ..wire import Call, Page, Time

T = TypeVar("T")


class Link:
    """A connection pool of redis-py, with the settings that all calls share."""

    def __init__(
        self,
        server: Any,
        namespace: str = "blueque",
        limit: float = 30,
        by: str | None = None,
        serializer: Serializer | None = None,
        clock: Callable[[], Time] | None = None,
        tracing: bool = False,
        place: str = "the server",
    ) -> None:
        self.server, self.namespace, self.limit, self.by, self.clock = server, namespace, limit, by, clock
        self.serializer = serializer or Json()
        self.tracing = Tracing() if tracing else None
        #: The address of the server, for people.
        self.place = place

    @property
    def longest_wait(self) -> float:
        """Maximum number of seconds that a command may block. The reply must arrive before the connection is given
        up."""
        return min(5, (self.limit or 30) / 2)

    async def run(
        self, call: Call[T], limit: float | None = None, away: Callable[[Exception], None] | None = None
    ) -> T:
        """Makes a call; sends it again until it is answered, for at most `limit` seconds.

        away: Called after the first failed try.
        """
        if self.clock:
            call = call.at(self.clock())
        tries = Tries(self.limit if limit is None else limit, self.place)
        while True:
            try:
                async with within(tries.left):
                    reply = await self._send(call, tries.whole)
            except TROUBLE as error:
                seconds = tries.after(error)
                if away and seconds:  # not to send the script itself
                    away(error)
                    away = None
                await pause(seconds)
            except Exception as error:
                await self._hang_up()
                raise unread(error, self.place) from error
            else:
                return call.read(reply)

    async def make(self, call: Call[T]) -> T:
        """Makes a call that a lost reply must not repeat."""
        return await self.run(call.once())

    async def pages(self, call: Callable[[str], Call[Page[T]]]) -> list[T]:
        """All entries, page by page. `call`: that of the page at a cursor."""
        found: list[T] = []
        cursor = "0"
        while True:
            page = await self.run(call(cursor))
            found += page.items
            if (cursor := page.cursor) == "0":
                return found

    async def _hang_up(self) -> None:
        """Closes idle connections: redis-py would use one again whose handshake it has not finished."""
        if pool := getattr(self.server, "connection_pool", None):
            with suppress(*TROUBLE):
                await pool.disconnect(inuse_connections=False)

    async def _send(self, call: Call[T], whole: bool) -> Any:
        digest, body = script(call.command)
        # As `execute_command`, so that no callback of redis-py changes the reply.
        word, what = ("EVAL", body) if whole else ("EVALSHA", digest)
        return await self.server.execute_command(word, what, 1, f"{self.namespace}_meta", *call.arguments)

    def dumps(self, value: Any) -> bytes:
        """The bytes of a payload."""
        return self.serializer.dumps(value)

    def loads(self, data: bytes) -> Any:
        """The value of a payload."""
        return self.serializer.loads(data)


async def pause(seconds: float) -> None:
    """Waits."""
    await asyncio.sleep(seconds)
