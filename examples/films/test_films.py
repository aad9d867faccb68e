"""The tests of the film archive: `pytest`, in this folder. They need an installed redis-server or valkey-server."""

from __future__ import annotations

import gzip
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from blueque_client import Client
from blueque_client.testing import Clock, Server, run_until_idle

import films

FILM = os.urandom(1 << 20)
NIGHT = 24 * 3600


class Site(http.server.BaseHTTPRequestHandler):
    """A site that answers the first request for `/busy` with the status 503, and sends half of `/stuck` once."""

    asked: dict[str, int] = {}  # noqa: RUF012

    def do_GET(self) -> None:
        self.asked[self.path] = self.asked.get(self.path, 0) + 1
        busy = self.path == "/busy" and self.asked[self.path] == 1
        self.send_response(404 if self.path == "/missing" else 503 if busy else 200)
        self.end_headers()
        if self.path == "/stuck" and self.asked[self.path] == 1:
            self.wfile.write(FILM[: len(FILM) // 2])
            self.rfile.read(1)  # until the client closes the connection
        else:
            self.wfile.write(FILM)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    Site.asked.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def namespace() -> str:
    """Tests share the server, and have a namespace each."""
    return f"films-{uuid.uuid4().hex}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(
    server: Server, namespace: str, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Client]:
    monkeypatch.setattr(films, "LIBRARY", tmp_path)
    monkeypatch.setattr(films, "PART", 100_000)
    with Client(server.url, namespace, clock=clock) as client:
        yield client


def states(client: Client, name: str) -> dict[str | None, str | None]:
    return {item.label: item.status for item in client.graph(f"film-{name}").tasks()}


def test_a_film_is_published(client: Client, site: str, tmp_path: Path) -> None:
    handle = client.submit_graph(films.film("alien", f"{site}/alien", [480, 1080]))
    client.submit_graph(films.film("alien", f"{site}/alien", [480, 1080]))  # changes nothing
    assert run_until_idle(client, films) == 4
    sizes = client.task("film-alien-publish").result()
    assert sizes == json.loads((tmp_path / "alien/film.json").read_text())
    assert gzip.decompress((tmp_path / "alien/480.gz").read_bytes()) == FILM
    assert states(client, "alien")["tidy"] == "cancelled"
    assert handle.info().total == 5


def test_an_interrupted_encode_continues(
    client: Client, clock: Clock, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: list[int] = []
    compress = gzip.compress

    def full_once(part: bytes) -> bytes:
        parts.append(len(part))
        if len(parts) == 4:
            raise OSError("no space left")
        return compress(part)

    monkeypatch.setattr(gzip, "compress", full_once)
    client.submit_graph(films.film("alien", f"{site}/alien", [480]))
    run_until_idle(client, films)
    assert states(client, "alien")["encode 480"] == "scheduled"
    clock.advance(3600)  # no test waits for a retry
    run_until_idle(client, films)
    assert states(client, "alien")["publish"] == "complete"
    assert len(parts) == 11 + 1  # only the part that failed was compressed again
    assert gzip.decompress((tmp_path / "alien/480.gz").read_bytes()) == FILM


def test_a_busy_site_is_asked_again_and_a_missing_film_is_not(
    client: Client, clock: Clock, site: str, tmp_path: Path
) -> None:
    client.submit_graph(films.film("busy", f"{site}/busy", [480]))
    client.submit_graph(films.film("missing", f"{site}/missing", [480]))
    run_until_idle(client, films)
    assert states(client, "busy")["fetch"] == "scheduled"
    assert states(client, "missing") == {
        "fetch": "failed",
        "encode 480": "failed",
        "publish": "failed",
        "tidy": "complete",
    }
    assert not (tmp_path / "missing").exists()
    clock.advance(3600)
    run_until_idle(client, films)
    assert states(client, "busy")["publish"] == "complete"
    assert Site.asked == {"/busy": 2, "/missing": 1}


def test_a_report_each_night(client: Client, clock: Clock, site: str, tmp_path: Path) -> None:
    client.schedule("nightly", films.report.call(), cron="0 3 * * *", zone="Europe/Berlin")
    client.submit_graph(films.film("alien", f"{site}/alien", [480]))
    for _ in range(3):
        run_until_idle(client, films)
        clock.advance(NIGHT)
    run_until_idle(client, films)
    assert client.schedule_of("nightly").info().made == 3
    assert (tmp_path / "report.txt").read_text() == "1\nalien\n"


@pytest.fixture
def service(server: Server, namespace: str, tmp_path: Path) -> Iterator[str]:
    """The URL of a service with a worker, as they run in production."""
    env = {**os.environ, "BLUEQUE_URL": server.url, "BLUEQUE_NAMESPACE": namespace, "FILMS_PART": "2000"}
    env["FILMS_LIBRARY"] = str(tmp_path)
    here = Path(__file__).parent
    command = [
        sys.executable,
        "-m",
        "blueque_client",
        "worker",
        "films",
        "--slots",
        "2",
        "--folder",
        str(tmp_path / "w"),
    ]
    with (tmp_path / "log").open("w") as log:
        worker = subprocess.Popen(command, env=env, cwd=here, stderr=log)
        command = [sys.executable, "-m", "uvicorn", "service:app", "--port", "0"]
        web = subprocess.Popen(command, env=env, cwd=here, stderr=log)
    try:
        limit = time.monotonic() + 60
        while not (found := re.search(r"running on (http://\S+)", (tmp_path / "log").read_text())):
            assert time.monotonic() < limit, (tmp_path / "log").read_text()
            time.sleep(0.01)
        yield found[1]
    finally:
        for process in (web, worker):
            process.terminate()
        assert worker.wait(60) == 0
        assert web.wait(60) in (0, -signal.SIGTERM)


def call(url: str, method: str = "GET", body: object = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def events(url: str) -> Iterator[dict[str, Any]]:
    with urllib.request.urlopen(f"{url}/events", timeout=60) as lines:
        for line in lines:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])


def test_the_service_shows_progress_and_cancels(service: str, site: str, tmp_path: Path) -> None:
    new = {"name": "alien", "url": f"{site}/stuck", "heights": [480]}
    assert call(f"{service}/films", "POST", new) == (202, {"name": "alien"})
    assert call(f"{service}/films", "POST", {**new, "heights": [720]})[0] == 409
    assert call(f"{service}/films", "POST", {**new, "name": "../up"})[0] == 422
    assert call(f"{service}/films/nobody/events")[0] == 404
    film = f"{service}/films/alien"
    for change in events(film):
        if change["tasks"]["fetch"].get("progress"):
            assert call(film, "DELETE")[0] == 202
            break
    last = list(events(film))[-1]
    assert (last["status"], last["tasks"]["tidy"]) == ("cancelled", {"status": "complete"})
    assert not (tmp_path / "alien").exists()
    assert call(f"{film}/retry", "POST")[0] == 202
    assert list(events(film))[-1]["status"] == "complete"
    assert gzip.decompress((tmp_path / "alien/480.gz").read_bytes()) == FILM
