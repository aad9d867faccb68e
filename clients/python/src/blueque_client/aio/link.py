"""The link that sends calls to the server and reads the replies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..bounds import within
from ..composer import compose
from ..hooks import Hooks
from ..payload import Json, Serializer
from ..replies import TROUBLE, Tries, unread
from ..scripts import DIGESTS
from ..tracing import Tracing
from ..wire import Call, Page, Time

T = TypeVar("T")


@dataclass
class Link:
    """A connection pool of redis-py, with the settings that all calls share."""

    server: Any
    namespace: str
    #: Maximum number of seconds of a call, including its repetitions.
    limit: float = 30
    by: str | None = None
    serializer: Serializer = field(default_factory=Json)
    clock: Callable[[], Time] | None = None
    tracing: Tracing | None = None
    #: The address of the server, for people.
    place: str = "the server"
    hooks: Sequence[Hooks] = ()
    #: True once the server has replied to a call.
    reached: bool = False

    @property
    def longest_wait(self) -> float:
        """Maximum number of seconds that a command may block. The reply must arrive before the connection is given
        up."""
        return min(5, (self.limit or 30) / 2)

    async def run(
        self, call: Call[T], limit: float | None = None, away: Callable[[Exception], None] | None = None
    ) -> T:
        """Makes a call, and repeats it until the server replies, for at most `limit` seconds. If the server has never
        replied and its address refuses connections, gives up within a second.

        away: Called after the first failed try. The call then waits for a server that does not run yet.
        """
        if self.clock:
            call = call.at(self.clock())
        first = not self.reached and away is None
        tries = Tries(self.limit if limit is None else limit, self.place, first)
        while True:
            try:
                async with within(tries.left):
                    reply = await self._send(call, tries.whole)
            except TROUBLE as error:
                seconds = tries.after(error)
                if away and seconds:  # 0 seconds: the next try only sends the script
                    away(error)
                    away = None
                await pause(seconds)
            except Exception as error:
                await self._hang_up()
                raise unread(error, self.place) from error
            else:
                self.reached = True
                return call.read(reply)

    async def make(self, call: Call[T]) -> T:
        """Makes a call that a lost reply must not repeat."""
        return await self.run(call.once())

    async def items(self, call: Callable[[str], Call[Page[T]]]) -> AsyncIterator[T]:
        """The entries, page by page. `call`: returns the call for the page at a cursor."""
        cursor = "0"
        while True:
            page = await self.run(call(cursor))
            for item in page.items:
                yield item
            if (cursor := page.cursor) == "0":
                return

    async def pages(self, call: Callable[[str], Call[Page[T]]]) -> list[T]:
        """All entries."""
        return [item async for item in self.items(call)]

    async def _hang_up(self) -> None:
        """Closes idle connections, because redis-py reuses connections with an unfinished handshake."""
        if pool := getattr(self.server, "connection_pool", None):
            with suppress(*TROUBLE):
                await pool.disconnect(inuse_connections=False)

    async def _send(self, call: Call[T], whole: bool) -> Any:
        word, what = ("EVAL", compose(call.command)) if whole else ("EVALSHA", DIGESTS[call.command])
        # Like `execute_command`, but no callback of redis-py changes the reply.
        return await self.server.execute_command(word, what, 1, f"{self.namespace}_meta", *call.arguments)


async def pause(seconds: float) -> None:
    """Waits."""
    await asyncio.sleep(seconds)
