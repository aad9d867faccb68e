"""The sentence for the reasons of a task, which is that of the command."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from blueque_client import Client, TimedOut, aio, calls
from blueque_client.testing import Server
from blueque_client.why import why_of

CASES = json.loads((Path(__file__).parents[3] / "tests/fixtures/why.json").read_text())


@pytest.mark.parametrize("case", CASES)
def test_sentences_are_those_of_the_crate(case: dict[str, str | list[list[str]]]) -> None:
    flat = {name: [word.encode() for pair in case[name] for word in pair] for name in ("reply", "record")}
    record = calls.get("t").read(flat["record"])
    assert record is not None
    assert str(why_of(calls.why("t").read(flat["reply"]), record)) == case["sentence"]


def test_a_task_explains_itself(server: Server, namespace: str) -> None:
    with Client(server.url, namespace) as client:
        task = client.queue("films").submit(1, id="a")
        sentence = "Its queue films has no worker: start a worker for it."
        assert str(task.why()) == sentence
        with pytest.raises(TimedOut, match=f"the task a is pending, not finished within 0 s: {sentence}"):
            task.wait(0)
        with pytest.warns(RuntimeWarning, match=f"waits for the task a: {sentence}"), pytest.raises(TimedOut):
            task.wait(2.5)
        later = client.queue("films").submit(1, eta=1e11)
        assert str(later.why()).startswith("It is scheduled for 5138-11-16T09:46:40Z")

    async def why() -> str:
        async with aio.Client(server.url, namespace) as client:
            return str(await client.task("a").why())

    assert asyncio.run(why()) == sentence
