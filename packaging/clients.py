"""The parts of `scripts/dist` for the clients. Everything in their packages is in git, so that packing needs no Rust."""

import hashlib
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

from steps import DIST, PATIENCE, ROOT, ending, newest, run, venv

PYTHON, TYPESCRIPT = ROOT / "clients" / "python", ROOT / "clients" / "typescript"


def pack_python(folder):
    """The source archive, and the wheel that is made from it."""
    for old in DIST.glob("blueque_client-*"):
        old.unlink()
    python = venv(folder / "build", "-r", ROOT / "packaging" / "clients.txt")
    run(python, "-m", "build", "--outdir", DIST, PYTHON)
    files = [newest("blueque_client-*.whl"), newest("blueque_client-*.tar.gz")]
    run(python, "-m", "twine", "check", "--strict", *files)
    return files


def pack_typescript():
    for old in DIST.glob("blueque-client-*.tgz"):
        old.unlink()
    lock, installed = TYPESCRIPT / "package-lock.json", TYPESCRIPT / "node_modules" / ".lock"
    if not installed.exists() or installed.read_bytes() != lock.read_bytes():
        run("npm", "ci", "--silent", cwd=TYPESCRIPT)
        shutil.copy(lock, installed)
    run("npm", "pack", "--silent", "--pack-destination", DIST, cwd=TYPESCRIPT)
    return newest("blueque-client-*.tgz")


def packed():
    """All packages of the clients, and the statement where they come from."""
    with tempfile.TemporaryDirectory() as folder:
        files = [*pack_python(Path(folder)), pack_typescript()]
    return [*files, provenance(files)]


def provenance(files):
    """Writes an in-toto statement about the packages: their digests, and the commit that they were made from. The
    registries add their own, signed statement when a package is published from CI."""
    changed = run("git", "status", "--porcelain", "--untracked-files=no", "clients", "packaging")
    commit = run("git", "rev-parse", "HEAD") + ("-modified" if changed else "")
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": file.name, "digest": {"sha256": hashlib.sha256(file.read_bytes()).hexdigest()}} for file in files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "make packages",
                "externalParameters": {"command": "scripts/dist --pack"},
                "resolvedDependencies": [{"name": "sources", "digest": {"gitCommit": commit}}],
            },
            "runDetails": {"builder": {"id": "scripts/dist"}},
        },
    }
    file = DIST / "blueque-clients.intoto.jsonl"
    file.write_text(json.dumps(statement) + "\n")
    return file


def python(folder, url):
    """The program of "Two minutes", and its worker."""
    page = (PYTHON / "README.md").read_text().split("## Two minutes")[1]
    program = re.search(r"```python\n(.*?)```", page, re.S)[1].replace("time.sleep(1)", "time.sleep(0.01)")
    for file in pack_python(folder):
        own = folder / file.suffix[1:]
        own.mkdir()
        (own / "films.py").write_text(program.replace("Client()", f"Client({url!r})"))
        interpreter = venv(own / "venv", file)
        worker = ["-m", "blueque_client", "worker", "films", "--slots", "4", "--quiet", "--url", url]
        with ending(interpreter, *worker, cwd=own):
            said = run(interpreter, "films.py", cwd=own, timeout=PATIENCE)
        assert said.endswith("a.mkv.1080.mp4"), said
        yield file, said


def typescript(folder, url):  # noqa: ARG001 - it has a server of its own
    """The programs of "Two minutes"."""
    file = pack_typescript()
    run("npm", "publish", "--dry-run", "--silent", file)
    for each in ("two_minutes.mjs", "README.md"):
        shutil.copy(TYPESCRIPT / each, folder)
    run("npm", "install", "--silent", "--no-audit", "--no-fund", file, cwd=folder)
    said = run("node", "two_minutes.mjs", "README.md", cwd=folder)
    bundled = run("node", "bundlers.mjs", file, cwd=TYPESCRIPT).replace("\n", ", ")
    yield file, f"{said}; bundled alone: {bundled}"
