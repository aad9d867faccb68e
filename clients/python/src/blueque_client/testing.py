"""Helpers for tests: a server of one's own, a clock of one's own, and tasks that run in the test's process."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

import redis


class Server:
    """A private Redis or Valkey server on a socket, for as long as the block lasts.

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
        process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)  # the program is ours
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
        """Ends the server as a crash would."""
        self.process.kill()
        self.process.wait()

    def start(self) -> None:
        """Starts it again, on its data."""
        self.process = self._start()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Clock:
    """A time of one's own: `Client(…, clock=clock)`, in a namespace that nothing else has written to."""

    def __init__(self, now: float = 1_800_000_000) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Goes on by so many seconds."""
        self.now += seconds
