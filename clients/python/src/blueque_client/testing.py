"""Helpers for tests: a private server, a clock that the test sets, and tasks that run in the test's process."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextvars import copy_context
from pathlib import Path
from typing import Any

import redis

from . import calls
from .ends import call_of, error_of
from .errors import TimedOut
from .hooks import OUTCOMES, Attempt, Hooks, call, hooks_of
from .logs import fields
from .messages import Message
from .running_attempts import RunningAttempt, start_of
from .sync import Client, Link
from .sync.schedule import supply_times
from .task_functions import TaskFunction, Tasks, functions_of

LISTENER = f"test_{os.getpid()}"


class Server:
    """A private Redis or Valkey server on a socket. It runs until the end of the block.

    The program is `BLUEQUE_REDIS_SERVER`, or else `redis-server` or `valkey-server` in the path.
    """

    def __init__(self, *arguments: str) -> None:
        program = (
            os.environ.get("BLUEQUE_REDIS_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
        )
        if not program:
            raise FileNotFoundError("no redis-server or valkey-server: install one, or set BLUEQUE_REDIS_SERVER")
        self.folder = Path(tempfile.mkdtemp(prefix="blueque-server-"))
        self.url = f"unix://{self.folder}/socket"
        self._command = [program, "--port", "0", "--unixsocket", f"{self.folder}/socket", "--dir", str(self.folder)]
        self._command += ["--save", "", "--appendonly", "yes", "--appendfsync", "everysec", *arguments]
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)  # the caller chooses the program
        limit = time.monotonic() + 30
        with redis.Redis.from_url(self.url) as server:
            while True:
                try:
                    server.ping()
                except (redis.RedisError, OSError):
                    if time.monotonic() > limit or process.poll() is not None:
                        raise
                    time.sleep(0.01)
                else:
                    return process

    def kill(self) -> None:
        """Kills the server, like a crash."""
        self.process.kill()
        self.process.wait()

    def start(self) -> None:
        """Starts the server again, with its data."""
        self.process = self._start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def run_until_idle(client: Client, tasks: Tasks, most: int = 10_000, *, hooks: Iterable[Hooks] = ()) -> int:
    """Runs all due tasks in this process and thread, one after another. Returns the number of tasks that ran.

    client: If the client has a `Clock`, its time decides which tasks are due.
    tasks: The functions, as for a `Worker`. As in a worker, an error of a function ends its attempt.
    hooks: Hooks, as for a `Worker`; those of the worker and of its processes are not called.
    """
    functions, link = functions_of(tasks), client.link
    queues = list(dict.fromkeys(each.queue for each in functions.values()))
    host = _Here(link, functions, hooks_of(tasks, [*link.hooks, *hooks]))
    for name in queues:
        link.run(calls.register(name, LISTENER))
    try:
        for done in range(most):
            more = True
            while more:
                reply = link.run(calls.maintenance(queues))
                supply_times(link, reply.items)
                more = reply.more
            while link.run(calls.run_deferred(500)).more:  # in production, maintenance does this every two seconds
                pass
            taken = link.make(calls.reserve(LISTENER, queues, pid=os.getpid()))
            if not taken:
                return done
            host.run(taken[0])
        raise TimedOut("TIMEDOUT", f"tasks are left after {most}.")
    finally:
        for name in queues:
            link.run(calls.unregister(name, LISTENER))


class _Here:
    """This process in the role of a worker's process."""

    def __init__(self, link: Link, functions: Mapping[str, TaskFunction[Any, Any]], hooks: Sequence[Hooks]) -> None:
        self.hooks = hooks
        self.link, self.functions, self.serializer = link, functions, link.serializer
        self.attempt: Any = None
        self.pid = os.getpid()

    def run(self, item: calls.ReserveItem) -> None:
        self.attempt, began = item, time.monotonic()
        record, span = self.link.run(calls.get(item.id)), None
        method = record.method if record else None
        if self.link.tracing:
            span = self.link.tracing.begin(self.link, item, item.id, LISTENER)
        with tempfile.TemporaryDirectory() as folder, fields():
            about, body = start_of(item, method, folder, span)
            ending = copy_context().run(RunningAttempt(self, Message("start", 0, about, body)).run)
        verdict = str(self.link.run(call_of(item.id, item.token, ending)))
        text = error_of(ending)
        error = (text, ending.group) if text else (None, None)
        if word := OUTCOMES.get(verdict):
            call(self.hooks, word, Attempt(item.id, item.queue, method, item.attempt, *error))
        if span and self.link.tracing:
            self.link.tracing.end(span, item.queue, verdict, text, ending.group, time.monotonic() - began)

    def ask(self, key: int, kind: str, body: bytes) -> None:  # noqa: ARG002
        command = calls.checkpoint if kind == "checkpoint" else calls.progress
        self.link.run(command(self.attempt.id, self.attempt.token, body))

    def tell(self, kind: str, key: int, body: bytes) -> None:  # noqa: ARG002
        self.link.run(calls.append_log(self.attempt.id, self.attempt.token, "log", body))

    def is_forked(self) -> bool:
        return os.getpid() != self.pid


class Clock:
    """A clock that the test sets: `Client(…, clock=clock)`, in a namespace without other data."""

    def __init__(self, now: float = 1_800_000_000) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Advances the clock by this number of seconds."""
        self.now += seconds
