"""Steps of `scripts/dist` that all its parts take."""

import contextlib
import functools
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PATIENCE = 120


def run(*command, **more):
    """A command that has to succeed; what it said is shown otherwise."""
    said = subprocess.run([str(part) for part in command], capture_output=True, text=True, **{"cwd": ROOT, **more})
    if said.returncode:
        sys.exit(f"dist: this failed: {' '.join(map(str, command))}\n{said.stdout}{said.stderr}")
    return said.stdout.strip()


def venv(folder, *packages):
    """An empty environment with these packages."""
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return folder / "bin" / "python"


def newest(pattern):
    return max(DIST.glob(pattern), key=lambda path: path.stat().st_mtime)


@contextlib.contextmanager
def serving(folder):
    """A server of its own; its URL."""
    place = [
        "--port",
        "0",
        "--unixsocket",
        f"{folder}/socket",
        "--unixsocketperm",
        "777",
        "--save",
        "",
        "--dir",
        str(folder),
    ]
    server = subprocess.Popen([os.environ["BLUEQUE_REDIS_SERVER"], *place], stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + PATIENCE
        while not (folder / "socket").exists():
            assert server.poll() is None and time.monotonic() < until, "the server does not begin"
            time.sleep(0.02)
        yield f"unix://{folder}/socket"
    finally:
        server.kill()
        server.wait()


@contextlib.contextmanager
def ending(*command, **more):
    """A program that is ended at the end of the block."""
    program = subprocess.Popen([str(part) for part in command], **more)
    try:
        yield program
    finally:
        program.terminate()
        program.wait(PATIENCE)


@functools.cache
def builds():
    return pathlib.Path(
        json.loads(run("cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"))["target_directory"]
    )


def eventually(what, asked):
    """Waits for a true value."""
    until = time.monotonic() + PATIENCE
    while not (value := asked()):
        assert time.monotonic() < until, what
        time.sleep(0.05)
    return value
