"""The first pages of the README, as they are written there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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


def test_every_block_is_python() -> None:
    for block in re.findall(r"```python\n(.*?)```", README.read_text(), re.S):
        compile(block.replace("async with", "with").replace("await ", ""), "README.md", "exec")
