"""The first pages of the README run as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from textwrap import indent

from blueque_client import Client
from blueque_client.testing import Server

README = Path(__file__).parents[1] / "README.md"


def test_two_minutes(server: Server, namespace: str, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    program = (
        blocks[0]
        .replace("time.sleep(1)", "time.sleep(0)")
        .replace("Client()", f"Client({server.url!r}, {namespace!r})")
    )
    assert program.count("sleep(0)") == program.count(namespace) == 1
    (tmp_path / "films.py").write_text(program)
    command = [sys.executable, "-m", "blueque_client", "worker", "films", "--slots", "4"]
    worker = subprocess.Popen([*command, "--url", server.url, "--namespace", namespace], cwd=tmp_path)
    try:
        said = subprocess.run([sys.executable, "films.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert said.returncode == 0, said.stderr
        assert said.stdout.endswith("a.mkv.1080.mp4\n")
    finally:
        worker.terminate()
        assert worker.wait(60) == 0


def test_the_first_page_of_the_project(server: Server, namespace: str, tmp_path: Path) -> None:
    page = (README.parents[2] / "README.md").read_text().split("## Use it from any language")[1]
    program = re.findall(r"```python\n(.*?)```", page, re.S)[0]
    assert len(program.splitlines()) <= 10
    own = program.replace("Client()", f"Client({server.url!r}, {namespace!r})")
    assert own != program
    (tmp_path / "films.py").write_text(own)
    command = [sys.executable, "-m", "blueque_client", "worker", "films"]
    worker = subprocess.Popen([*command, "--url", server.url, "--namespace", namespace], cwd=tmp_path)
    try:
        said = subprocess.run([sys.executable, "films.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert said.stdout == "a.mkv.mp4\n", said.stderr
    finally:
        worker.terminate()
        assert worker.wait(60) == 0


def test_the_page_of_tests(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    (tmp_path / "films.py").write_text(blocks[0].replace("time.sleep(1)", "time.sleep(0)"))
    [page] = [block for block in blocks if "run_until_idle" in block]
    subprocess.run([sys.executable, "-c", page], cwd=tmp_path, check=True, timeout=60)


def test_what_is_logged_has_the_fields(server: Server, namespace: str, tmp_path: Path) -> None:
    format = next(
        block for block in re.findall(r"```python\n(.*?)```", README.read_text(), re.S) if "blueque_task" in block
    )
    function = "\n\n@task(queue='l')\ndef talks():\n    logging.getLogger('app').warning('about films')\n"
    (tmp_path / "talks.py").write_text(f"from blueque_client import task\n{format}{function}")
    command = [sys.executable, "-m", "blueque_client", "worker", "talks", "--url", server.url, "--namespace", namespace]
    with (tmp_path / "log").open("w") as log, Client(server.url, namespace) as client:
        worker = subprocess.Popen(command, cwd=tmp_path, stderr=log)
        try:
            job = client.queue("l").submit(method="talks")
            job.result(60)
        finally:
            worker.terminate()
            assert worker.wait(60) == 0
    said = (tmp_path / "log").read_text()
    assert f"WARNING {job.id}/1 about films\n" in said
    # The worker's own lines: with a task, and without one.
    assert f"INFO {job.id}/1 task {job.id} attempt 1: complete\n" in said
    assert "INFO None/None takes tasks of l as" in said
    assert "Traceback" not in said


#: What the reader's program has around the examples.
PROGRAM = """
from typing import Any
from blueque_client import Client, task

client: Client
tenant: Any
tracker: Any

@task(queue="transcode")
def transcode(path: str, height: int = 720) -> str: ...
@task()
def split(path: str) -> list[str]: ...
@task()
def pick(parts: list[str], at: int) -> str: ...
@task()
def encode(path: str, height: int = 720) -> str: ...
@task()
def join(*parts: str) -> str: ...
@task()
def report(what: str) -> None: ...
@task()
def tidy() -> None: ...
"""


def test_the_types_of_all_examples_are_right(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    assert len(blocks) > 8
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "films.py").write_text(blocks[0])
    for at, block in enumerate(blocks[1:]):
        # `await` outside of a function is only for notebooks.
        body = "async def example() -> None:\n" + indent(block, "    ") if "await " in block else block
        (tmp_path / f"example{at}.py").write_text(f"from program import *\n{body}")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "--disable-error-code", "empty-body", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (checked.stdout, checked.returncode) == ("", 0), checked.stderr
