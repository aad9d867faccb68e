"""Task functions that are called directly, and reports from an event loop."""

from __future__ import annotations

import asyncio

import pytest
import tasks_for_tests as app
from conftest import PATIENCE, Start

from blueque_client import Client, PayloadError, context, task


@task(queue="films", max_failures=3)
def transcode(seconds: int, broken: int | None = None) -> tuple[int, int]:
    first = context.last_checkpoint(0)
    for second in range(first, seconds):
        if second == broken and context.attempt == 1:
            raise KeyboardInterrupt
        context.checkpoint(second + 1)
        context.progress(second + 1, seconds, "seconds")
    context.log("done")
    (context.folder / "left").write_text("behind")
    context.check()
    return first, context.attempt


def test_a_function_called_directly_has_a_context(capsys: pytest.CaptureFixture[str]) -> None:
    assert transcode(2) == (0, 1)
    said = "transcode: 1 of 2 seconds\ntranscode: 2 of 2 seconds\ntranscode: done\n"
    assert capsys.readouterr().err == said
    with pytest.raises(KeyboardInterrupt):
        transcode(3, broken=2)
    assert transcode(2) == (0, 1)  # other arguments
    with pytest.raises(KeyboardInterrupt):
        transcode(3, broken=2)
    assert transcode(3, broken=2) == (2, 2)  # the next attempt continues
    with pytest.raises(KeyboardInterrupt):
        transcode(3, broken=2)  # it was complete, so this is another task
    context.progress("outside of any function")
    assert "progress outside of any function" in capsys.readouterr().err
    with pytest.raises(PayloadError):
        context.checkpoint({1, 2})


@task
async def counts(most: int) -> int:
    for number in range(most):
        await context.checkpoint(number)
        await context.progress(number, most)
    return most


def test_an_async_function_called_directly_has_a_context() -> None:
    assert asyncio.run(counts(3)) == 3


@pytest.mark.parametrize("mode", ["process", "asyncio"])
def test_async_functions_await_their_checkpoints(client: Client, start: Start, mode: str) -> None:
    start("--mode", mode, "-n", "2")
    job = client.submit(app.saves_async.call(5))
    assert job.result(PATIENCE) == [True, "TOOBIG"]
    assert job.checkpoint() == 5
