"""Each file of `examples/` runs, and prints the expected last line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
#: The last line of each example.
PRINTS = {
    "checkpoints": "4 pages: ['pending', 'started', 'pending', 'started', 'complete']",
    "failures": "cover: no cover for 5; Look at its error, its log and its history; `retry` runs it again.",
    "graph": "a.1.mp4+a.2.mp4",
    "many_at_once": "190",
    "schedule": "3 reports in three days",
    "tracing": "1 trace: order, run send, smtp, submit mails",
    "worker": "[10, 11, 12, 13] in 4 processes",
}


def test_none_is_missing() -> None:
    assert sorted(PRINTS) == sorted(file.stem for file in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", sorted(PRINTS))
def test_an_example(name: str) -> None:
    said = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines()[-1] == PRINTS[name]
