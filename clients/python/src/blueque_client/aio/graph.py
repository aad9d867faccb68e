"""A graph that was submitted."""

from __future__ import annotations

import time
from typing import Any, TypeVar, overload

from .. import calls, contract
from ..errors import NotFound, TimedOut
from ..graphs import Node
from ..tracing import waiting
from .link import Link, pause
from .task import ENDED, Task

R = TypeVar("R")


class GraphHandle:
    """A graph by its id."""

    def __init__(self, link: Link, id: str) -> None:
        self._link = link
        self.id = id

    def __repr__(self) -> str:
        return f"GraphHandle({self.id!r})"

    @overload
    def task(self, node: Node[R]) -> Task[R]: ...

    @overload
    def task(self, node: str) -> Task[Any]: ...

    def task(self, node: Node[Any] | str) -> Task[Any]:
        """Returns the task of a node, or the task with this id."""
        return Task(self._link, node if isinstance(node, str) else node.id)

    async def task_of(self, label: str) -> Task[Any]:
        """The task with this label, such as `encode[2]` of a group with the label `encode`."""
        labels = list[str]()
        for each in await self.tasks():
            if each.label == label:
                return Task(self._link, each.id)
            labels += [each.label] if each.label else []
        known = f"; there are {', '.join(labels[:20])}{'…' if labels[20:] else ''}" if labels else ""
        raise NotFound("NOTASK", f"no task of the graph {self.id} has the label {label}{known}.")

    async def _page(self, cursor: str, limit: int = 500) -> calls.ShowGraphReply:
        found = await self._link.run(calls.show_graph(self.id, cursor, limit))
        if found is None:
            raise NotFound("NOTASK", f"there is no graph {self.id}.")
        return found

    async def tasks(self) -> list[calls.ShowGraphItem]:
        """All tasks of the graph, with their states and numbers of open upstreams."""
        found, cursor = list[calls.ShowGraphItem](), "0"
        while True:
            page = await self._page(cursor)
            found += page.items
            if (cursor := page.cursor) == "0":
                return found

    async def info(self) -> calls.ShowGraphReply:
        """The numbers of complete, failed, cancelled and skipped tasks."""
        return await self._page("0", 1)

    async def wait(self, timeout: float | None = None) -> list[calls.ShowGraphItem]:
        """Waits until all tasks have ended or are deleted, and returns the tasks."""
        with waiting(self._link.tracing, self.id, "graph"):
            return await self._wait(timeout)

    async def _wait(self, timeout: float | None) -> list[calls.ShowGraphItem]:
        until = None if timeout is None else time.monotonic() + timeout
        interval, first = 0.005, "0"
        while True:
            # Deletions lower the numbers of `info`, so this checks the tasks, from the first unfinished page on.
            ended, cursor, over = list[calls.ShowGraphItem](), first, False
            while not over:
                page = await self._page(cursor)
                if not all(each.status in ENDED or each.status == "deleted" for each in page.items):
                    break
                ended += page.items
                cursor, over = page.cursor, page.cursor == "0"
            if over and first == "0":
                return ended
            first = "0" if over else cursor  # tasks of earlier pages may run again
            if over:
                continue
            left = contract.LONGEST_PAUSE if until is None else until - time.monotonic()
            if left <= 0:
                raise TimedOut("TIMEDOUT", f"the graph {self.id} has not ended within {timeout:g} s.")
            await pause(min(interval, left))
            interval = min(interval * 2, contract.LONGEST_PAUSE)

    async def cancel(self, reason: str = "", *, task: str | None = None, force: bool = False) -> None:
        """Cancels all unfinished tasks; with `task` only this task and the tasks that wait for it."""
        call = calls.cancel_graph(self.id, reason, task=task, force=force or None, by=self._link.by)
        await self._link.make(call)

    async def retry(self, *, task: str | None = None) -> None:
        """Retries failed and cancelled tasks. With `task`, reruns this task and everything downstream."""
        await self._link.make(calls.retry_graph(self.id, task=task, by=self._link.by))
