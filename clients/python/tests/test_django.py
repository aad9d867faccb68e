"""`examples/django_shop` with its own server and `manage.py runworker`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import PATIENCE, until

from blueque_client import Client
from blueque_client.testing import Server

SHOP = Path(__file__).parents[1] / "examples/django_shop"


class Shop:
    """The processes of a shop with a server of its own."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.env = {**os.environ, "BLUEQUE_URL": server.url, "SHOP": str(folder / "shop.sqlite3")}
        self.env["PYTHONUNBUFFERED"] = "1"
        self.log = folder / "log"
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with self.log.open("a") as log:
            command = [sys.executable, "manage.py", *arguments]
            self.started.append(subprocess.Popen(command, cwd=SHOP, env=self.env, stdout=log, stderr=log))
        return self.started[-1]

    def manage(self, *arguments: str, code: int = 0) -> str:
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=SHOP, env=self.env, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == code, done.stderr
        return done.stderr


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with Server() as server:
        shop = Shop(server, tmp_path)
        shop.manage("migrate", "--run-syncdb")
        yield shop
        for process in shop.started:
            process.kill()
            process.wait()
    print(shop.log.read_text() if shop.log.exists() else "")


def call(url: str, **form: str) -> Any:
    data = urllib.parse.urlencode(form).encode() if form else None
    with urllib.request.urlopen(url, data, timeout=PATIENCE) as reply:
        return json.loads(reply.read())


def test_an_order_and_its_task_are_committed_together(shop: Shop) -> None:
    shop.start("runserver", "--noreload", "0")
    found = until(lambda: re.search(r"server at http://\S+?:(\d+)", shop.log.read_text()), "it does not start")
    url = f"http://127.0.0.1:{found[1]}/orders"
    with pytest.raises(urllib.error.HTTPError, match="500"):
        call(url, what="nothing")
    made = call(url, what="a film")
    with Client(shop.env["BLUEQUE_URL"], "shop") as client:
        [job] = client.queue("shop").tasks()  # none of the order that was rolled back
        assert call(f"{url}/{made['id']}") == {"shipped": False, "state": "pending"}
        worker = shop.start("runworker", "--slots", "2")
        assert job.result(PATIENCE) == "shipped a film"
        assert call(f"{url}/{made['id']}") == {"shipped": True, "state": "complete"}
        more = [call(url, what=f"film {number}")["id"] for number in range(10)]
        until(lambda: all(call(f"{url}/{id}")["shipped"] for id in more), "orders are not shipped")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(PATIENCE) == 0


def test_a_wrong_command_is_one_line(shop: Shop) -> None:
    text = shop.manage("runworker", "--slots", "0", code=1)
    assert text == "CommandError: BADARG: a worker needs at least one slot. Correct the call.\n"
