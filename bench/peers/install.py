#!/usr/bin/env python3
"""Installs the comparison's requirements into a folder and runs it there: install.py FOLDER [argument of compare.py …].

FOLDER is `peers` in cargo's target folder, and no other folder is changed. The programs of other queues in Rust are
built in FOLDER, and the packages of Node.js and Python are installed in FOLDER, with the versions of their lock
files. Blueque's programs are a package of its workspace. An error for a missing tool names the line to run.
"""
import os
import pathlib
import shutil
import subprocess
import sys

import peers

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# As required by numpy and contourpy in requirements.txt.
PYTHON = (3, 11)


def need(program, line):
    if shutil.which(program) is None:
        sys.exit(f"peers: no {program}: {line}")


def run(*command, **more):
    ended = subprocess.run([str(part) for part in command], **more)
    if ended.returncode != 0:
        sys.exit(f"peers: this failed: {' '.join(str(part) for part in command)}")


def changed(stamp, *sources):
    """Returns true if a stamp differs from these sources, and the new stamp."""
    text = b"".join(source.read_bytes() for source in sources)
    return (not stamp.exists() or stamp.read_bytes() != text), text


def python(folder):
    if sys.version_info < PYTHON:
        sys.exit(f"peers: Python {sys.version_info[0]}.{sys.version_info[1]} is too old for the lock file: install "
                 f"Python {PYTHON[0]}.{PYTHON[1]} or later and run it with `make peers PYTHON=python{PYTHON[0]}.{PYTHON[1]}`")
    return virtual(folder, "venv", HERE / "python" / "requirements.txt")


def virtual(folder, name, requirements):
    """Installs packages of Python from a lock file."""
    venv = folder / name
    stamp = venv / "requirements.stamp"
    new, text = changed(stamp, requirements)
    if new:
        print("peers: installing the packages of Python", file=sys.stderr)
        if subprocess.run([sys.executable, "-m", "venv", venv]).returncode != 0:
            sys.exit("peers: python has no venv: apt-get install python3-venv")
        run(venv / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", requirements)
        stamp.write_bytes(text)
    return venv / "bin" / "python"


def client(folder):
    """Generates Blueque's client for Python."""
    place = folder / "client"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT / "clients" / "python" / "src", place / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "clients" / "python" / "generate.py", place)
    run(sys.executable, place / "generate.py", next((folder / "bundle").glob("blueque-lua-*")))
    shutil.move(place / "src" / "blueque_client", place / "blueque_client")


def node(folder, own):
    """Installs BullMQ, and Blueque's client for TypeScript if it is requested."""
    need("node", "apt-get install nodejs npm (Node.js 20 or later), or leave it out: make peers ONLY=blueque-threads,…")
    need("npm", "apt-get install npm, or leave it out: make peers ONLY=blueque-threads,…")
    place = folder / "node"
    place.mkdir(parents=True, exist_ok=True)
    files = [HERE / "node" / name for name in ("package.json", "package-lock.json")]
    locked(place, files)
    # Node.js searches modules next to the file that imports them.
    for program in (HERE / "node").glob("*.mjs"):
        shutil.copy(program, place)
    if not own:
        return
    source, built = ROOT / "clients" / "typescript", folder / "client-node"
    built.mkdir(exist_ok=True)
    locked(built, [source / name for name in ("package.json", "package-lock.json")])
    shutil.rmtree(built / "src", ignore_errors=True)
    shutil.copytree(source / "src", built / "src")
    for name in ("generate.mjs", "tsconfig.json"):
        shutil.copy(source / name, built)
    run("node", "generate.mjs", next((folder / "bundle").glob("blueque-lua-*")), cwd=built)
    run("npx", "tsc", "-p", "tsconfig.json", cwd=built)
    link = place / "node_modules" / "@blueque" / "client"
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(built)


def locked(place, files):
    """Installs packages of Node.js from a lock file."""
    stamp = place / "packages.stamp"
    new, text = changed(stamp, *files)
    if new:
        print("peers: installing the packages of Node.js", file=sys.stderr)
        for file in files:
            shutil.copy(file, place)
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error", cwd=place)
        stamp.write_bytes(text)


def rust(folder, only):
    need("cargo", "install Rust 1.89 or later, https://rustup.rs")
    run("cargo", "run", "--locked", "--quiet", "--example", "bundle", "--", folder / "bundle", cwd=ROOT)
    if {"blueque-threads", "blueque-async"} & set(only):
        run("cargo", "build", "--locked", "--release", "--quiet", "--package", "peers-blueque", cwd=ROOT)
    if not {"bullmq-rust", "redis-work-queue"} & set(only):
        return
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder)}
    manifest = HERE / "rust" / "Cargo.toml"
    run("cargo", "build", "--locked", "--release", "--quiet", "--manifest-path", manifest, env=environment)


def main():
    folder, arguments = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    _, wanted = peers.chosen(arguments[arguments.index("--only") + 1] if "--only" in arguments else "")
    only = [peer.name for peer in wanted]
    interpreter = python(folder)
    rust(folder, only)
    client(folder)
    if "arq" in only:
        virtual(folder, "venv-arq", HERE / "python" / "arq.txt")
    if {"blueque-node", "bullmq-node"} & set(only):
        node(folder, "blueque-node" in only)
    os.execv(interpreter, [str(interpreter), str(HERE / "compare.py"), str(folder), *arguments])


if __name__ == "__main__":
    main()
