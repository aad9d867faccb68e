"""Each file of `examples/` runs, and prints the expected last line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import PATIENCE, until

from blueque_client import Client, Worker, context, task
from blueque_client.testing import Server

EXAMPLES = Path(__file__).parents[1] / "examples"
#: The last line of each example.
PRINTS = {
    "checkpoints": "4 pages: ['pending', 'started', 'pending', 'started', 'complete']",
    "failures": "cover: no cover for 5; Look at its error, its log and its history; `retry` runs it again.",
    "graph": "a.1.mp4+a.2.mp4",
    "many_at_once": "190",
    "schedule": "3 reports in three days",
    "tracing": "1 trace: order, run mails, smtp, submit mails, wait mails",
    "worker": "[10, 11, 12, 13] in 4 processes",
}


def test_none_is_missing() -> None:
    assert sorted([*PRINTS, "flask_service", "outbox", "service"]) == sorted(
        file.stem for file in EXAMPLES.glob("*.py")
    )


@pytest.mark.parametrize("name", sorted(PRINTS))
def test_an_example(name: str) -> None:
    said = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines()[-1] == PRINTS[name]


@task(queue="transcode")
def transcode(path: str) -> str:
    context.progress(1, 2, "parts")
    return f"{path}.mp4"


SERVICES = {
    "fastapi": ["uvicorn", "service:app", "--port", "0"],
    "flask": ["flask", "--app", "flask_service", "run", "--port", "0"],
}


@pytest.fixture(params=sorted(SERVICES))
def service(request: pytest.FixtureRequest, server: Server, namespace: str, tmp_path: Path) -> Iterator[str]:
    """The URL of the web service."""
    command = [sys.executable, "-m", *SERVICES[request.param]]
    env = {**os.environ, "BLUEQUE_URL": server.url, "BLUEQUE_NAMESPACE": namespace}
    log = tmp_path / "log"
    with log.open("w") as out:
        process = subprocess.Popen(command, env=env, stdout=out, stderr=out, cwd=EXAMPLES)
    try:
        yield until(lambda: re.search(r"(?i)running on (http://\S+)", log.read_text()), "it does not start")[1]
    finally:
        process.terminate()
        # uvicorn and Flask end by the signal itself.
        assert process.wait(PATIENCE) in (0, -signal.SIGTERM), log.read_text()


def answer(url: str, method: str = "GET", body: Any = None, **headers: str) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_the_web_service_submits_follows_and_cancels(service: str, client: Client) -> None:
    key = {"Idempotency-Key": "order-1"}
    assert [answer(f"{service}/tasks", "POST", ["a.mkv"], **key) for _ in range(2)] == [(202, {"id": "order-1"})] * 2
    place = f"{service}/tasks/order-1"
    with urllib.request.urlopen(f"{place}/events", timeout=PATIENCE) as events:
        worker = Worker(client, [transcode], mode="thread")
        working = threading.Thread(target=worker.run, daemon=True)
        working.start()
        changes = [json.loads(line[6:]) for line in events if line.startswith(b"data: ")]
        worker.stop()
        working.join(PATIENCE)
    assert changes[0]["status"] == "pending"
    assert (changes[-1]["status"], changes[-1]["result"]) == ("complete", "a.mkv.mp4")
    assert answer(place) == (200, changes[-1])
    status, told = answer(place, "DELETE")
    assert (status, told["error"].split(":")[0]) == (409, "STATE")
    _, made = answer(f"{service}/tasks", "POST", {"path": "b.mkv"})
    assert answer(f"{service}/tasks/{made['id']}", "DELETE")[0] == 202
    assert client.task(made["id"]).state() == "cancelled"
    assert answer(f"{service}/tasks/nobody")[0] == 404
    assert answer(f"{service}/tasks/nobody/events")[0] == 404


def test_code_of_the_page_is_in_the_examples() -> None:
    page = (EXAMPLES / "../../../docs/use/frameworks.md").read_text()
    places = [*EXAMPLES.glob("**/*.py"), EXAMPLES.parent / "tests/test_outbox.py"]
    places += (EXAMPLES / "../../typescript/examples").glob("*.ts")
    texts = [file.read_text() for file in places]
    blocks = re.findall(r"```\w+\n(.*?)```", page, re.S)
    assert len(blocks) == 6
    for block in blocks:
        assert any(block in text for text in texts), block
