"""Functions and hooks that the tests of hooks run."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from blueque_client import Again, Attempt, Failure, Hooks, Submit, context, task


@task(queue="h")
def double(number: int) -> int:
    note(f"runs {double.name}")
    return 2 * number


@task(queue="h", max_failures=1, delay=0)
def breaks() -> None:
    raise ValueError("no such film")


@task(queue="h")
async def awaits() -> str:
    note("runs awaits")
    return "awaited"


@task(queue="h")
def waits() -> None:
    Path(os.environ["HOOKED"] + ".waits").touch()
    while True:
        context.check()


def note(line: str) -> None:
    with open(os.environ["HOOKED"], "a") as file:
        file.write(f"{line}\n")


class Notes(Hooks):
    """Writes each call to a file. A part of the calls fail."""

    @contextmanager
    def around_submit(self, submit: Submit) -> Iterator[None]:
        submit.options["tags"] = ["hooked"]
        yield

    @contextmanager
    def around_attempt(self, attempt: Attempt) -> Iterator[None]:
        note(f"enter {attempt.method}")
        try:
            yield
        finally:
            note(f"leave {attempt.method}")
            raise RuntimeError("the hook is broken")

    def before_attempt(self, attempt: Attempt) -> None:
        note(f"before {attempt.method} {context.id == attempt.id}")
        raise RuntimeError("the hook is broken")

    def after_attempt(self, attempt: Attempt, error: BaseException | None) -> None:
        note(f"after {attempt.method} {type(error).__name__}")

    def on_success(self, attempt: Attempt) -> None:
        note(f"success {attempt.method}")

    def on_failure(self, attempt: Attempt) -> None:
        note(f"failure {attempt.method} {attempt.attempt} {attempt.error} {attempt.group}")

    def on_retry(self, attempt: Attempt) -> None:
        note(f"retry {attempt.method} {attempt.attempt}")

    def on_cancel(self, attempt: Attempt) -> None:
        note(f"cancel {attempt.method}")

    def on_lost(self, attempt: Attempt) -> None:
        note(f"lost {attempt.method}")

    def on_worker_start(self) -> None:
        note("worker start")
        raise RuntimeError("the hook is broken")

    def on_worker_stop(self) -> None:
        note("worker stop")

    def on_process_start(self) -> None:
        note("process start")

    def on_process_stop(self) -> None:
        note("process stop")


class Awaiting(Hooks):
    @asynccontextmanager
    async def around_attempt(self, attempt: Attempt) -> AsyncIterator[None]:
        note(f"aenter {attempt.method}")
        yield
        note(f"aleave {attempt.method}")


class Judge(Hooks):
    """Changes outcomes, and says so."""

    def before_attempt(self, attempt: Attempt) -> None:
        if attempt.method == "awaits":
            raise Failure("not today", permanent=True)

    def after_attempt(self, attempt: Attempt, error: BaseException | None) -> None:
        if isinstance(error, ValueError):
            raise Failure("the film is missing", group="missing", permanent=True) from error
        if attempt.method == "double" and attempt.attempt == 1:
            raise Again(0)


notes, awaiting = Notes(), Awaiting()
