#!/usr/bin/env python3
"""Programs that survive their worker: examples/worker.d, run by `blueque worker` on a private durable server.

    python3 examples/demo/programs.py BLUEQUE [FOLDER]

1. A worker is killed with SIGKILL while its programs run. A new worker finds them: same attempt, same process.
2. The machine is "lost": worker and supervisors are killed. Another worker, which does not have the files of their
   runs, continues from the checkpoint when the lease has expired.
3. A file is cut into pieces, which are packed three at a time and joined: a graph. The worker is killed during this.

Every result is compared with that of sha256sum, and the packed file with the file. Ctrl-C leaves no process behind.
"""

import atexit
import gzip
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LEASE = 4  # seconds
LIMIT = 180

programs = pathlib.Path(__file__).resolve().parent.parent / "worker.d"
blueque = str(pathlib.Path(sys.argv[1]).resolve())
scratch = pathlib.Path(tempfile.mkdtemp(prefix="blueque-demo-"))
children = []
begun = time.monotonic()


def say(text):
    print(f"{time.monotonic() - begun:5.1f} s  {text}", flush=True)


def run(*args, **options):
    done = subprocess.run([blueque, *args], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"demo: blueque {' '.join(args)}: {done.stderr.strip()}")
    return done.stdout.strip()


def start(*command):
    # A separate process group: Ctrl-C ends the demo, and the demo ends these processes.
    child = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    children.append(child)
    return child


def runs(state):
    """The supervisors of a state folder, and their programs."""
    found = {}
    for lock in state.glob("*/runs/*/lock"):
        try:
            holder = json.loads(lock.read_text())
            found[lock.parent.name.split(".")[0]] = (holder["supervisor"]["pid"], holder["program"]["pid"])
        except (ValueError, KeyError, TypeError, FileNotFoundError):
            pass
    return found


def kill(*pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def clean():
    for child in children[1:]:
        kill(child.pid)
    for state in scratch.glob("state-*"):
        for supervisor, _ in runs(state).values():
            kill(supervisor)
    for child in children[:1]:
        kill(child.pid)
    for child in children:
        child.wait()
    shutil.rmtree(scratch, ignore_errors=True)


atexit.register(clean)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: sys.exit(128 + number))


def until(what, look):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"demo: waited in vain until {what}")


def show(task):
    return json.loads(run("show", task, "-o", "json"))


def folders():
    """The folder of the command line, or two folders that exist on every machine that can build this."""
    if len(sys.argv) > 2:
        return [pathlib.Path(sys.argv[2]).resolve()]
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True).stdout.strip()
    candidates = [*pathlib.Path(sysroot).glob("lib/rustlib/*/lib"), pathlib.Path("/usr/bin"), pathlib.Path("/usr/lib")]
    return [path for path in candidates if path.is_dir() and files(path)][:2]


def files(folder):
    return sorted(path for path in folder.iterdir() if path.is_file())


def submit(folder):
    # A pause after each file, to show progress: eight seconds in all.
    pause = 8 / max(1, len(files(folder)))
    return run("submit", "digest", json.dumps([str(folder), pause]), "--id-only")


def progress(task):
    done = show(task).get("progress") or {}
    done = done.get("progress", done) if isinstance(done, dict) else {}
    return done.get("done", 0), done.get("total", 0)


def worker(state, *more):
    child = start(blueque, "worker", "--queue", "digest", "--queue", "resize", "--dir", str(programs), "--slots", "4",
                  "--lease", f"{LEASE}s", "--state-dir", str(scratch / state), "--quiet", *more)
    say(f"worker {child.pid} begins")
    return child


def in_the_middle(task):
    done, total = progress(task)
    return total and total // 4 < done < total


def check(task, folder):
    record = show(task)
    result = record["result"] if isinstance(record["result"], dict) else json.loads(record["result"])
    out = subprocess.run(["sha256sum", "--zero", "--", *files(folder)], capture_output=True, text=True).stdout
    lines = [f"{line[:64]}  {pathlib.Path(line[66:]).name}\n" for line in out.split("\0") if line]
    right = result == {"files": len(lines), "sha256": hashlib.sha256("".join(lines).encode()).hexdigest()}
    print(f"  {str(folder)[-44:]:<44} {len(lines):>5} files  attempt {record['attempt']}  {'right' if right else 'WRONG'}")
    return right


server = os.environ.get("BLUEQUE_REDIS_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
if not server:
    sys.exit("demo: no redis-server or valkey-server: apt-get install redis-server")
start(server, "--port", "0", "--unixsocket", str(scratch / "socket"), "--dir", str(scratch),
      "--appendonly", "yes", "--appendfsync", "always", "--save", "")
os.environ.update(BLUEQUE_URL=f"unix://{scratch}/socket", BLUEQUE_STATE_DIR=str(scratch / "state-one"))
until("the server answers", lambda: subprocess.run([blueque, "queue", "ls"], capture_output=True).returncode == 0)

print("\nPart 1: the worker is killed, its programs go on")
first = worker("state-one")
tasks = [(submit(folder), folder) for folder in folders()]
picture = scratch / "photo.ppm"
picture.write_text("P3\n4 2 9\n1 1 1 2 2 2 3 3 3 4 4 4\n5 5 5 6 6 6 7 7 7 8 8 8\n")
small = run("run", "resize", json.dumps([str(picture), 2]))
say(f"resize, a shell script, answers {small}")
for task, _ in tasks:
    until("a digest is in the middle", lambda: in_the_middle(task))
before = runs(scratch / "state-one")
say(f"SIGKILL to worker {first.pid} at {' and '.join('%d of %d files' % progress(task) for task, _ in tasks)}")
kill(first.pid)
first.wait()
alive = all(pathlib.Path(f"/proc/{program}").exists() for _, program in before.values())
say(f"its programs {', '.join(str(program) for _, program in before.values())} {'still run' if alive else 'DIED'}")
second = worker("state-one")
for task, _ in tasks:
    run("wait", task, "--timeout", f"{LIMIT}s")
say("all complete")
same = all(show(task)["attempt"] == 1 for task, _ in tasks)
right = [check(task, folder) for task, folder in tasks] + [alive, same, '"width":2' in small]

print("\nPart 2: the machine is lost, another one goes on from the checkpoint")
task, folder = submit(tasks[0][1]), tasks[0][1]
until("the digest is in the middle", lambda: in_the_middle(task))
done, total = progress(task)
say(f"SIGKILL to worker {second.pid} and the supervisor at {done} of {total} files; the lease of {LEASE} s must expire")
kill(second.pid, *(supervisor for supervisor, _ in runs(scratch / "state-one").values()))
second.wait()
third = worker("state-two", "--no-adopt")  # like another machine, which could not see that those processes are dead
until("it runs again", lambda: show(task)["attempt"] == 2 and show(task)["status"] == "started")
say("attempt 2 has begun")
run("wait", task, "--timeout", f"{LIMIT}s")
log = run("logs", task)
resumed = [line for line in log.splitlines() if "goes on after" in line]
say(resumed[-1] if resumed else "IT BEGAN ANEW")
right += [check(task, folder), bool(resumed)]

print("\nPart 3: a file in pieces, and the worker killed while it packs them")
PIECES = 8
source = max(files(tasks[0][1]), key=lambda path: min(path.stat().st_size, 64 << 20))
(scratch / "pieces").mkdir()
order = {"file": str(source), "folder": str(scratch / "pieces"), "pieces": PIECES}
graph = {"name": "pieces", "queue": "pieces", "tasks": {
    "split": {"method": "split", "parameters": order},
    "pack": {"method": "pack", "array": f"1-{PIECES}%3", "args": [{"result": "split"}]},
    "join": {"method": "join", "args": [{"result": "pack"}]},
}}
run("graph", "submit", "-", "--id", "pieces", input=json.dumps(graph))
os.environ["REST"] = "0.5"


def packer():
    return start(blueque, "worker", "--queue", "pieces", "--dir", str(programs.parent / "pieces.d"), "--slots", "8",
                 "--env", "REST", "--lease", f"{LEASE}s", "--state-dir", str(scratch / "state-three"), "--quiet")


def states():
    shown = [task["status"] for task in json.loads(run("graph", "show", "pieces", "-o", "json"))["tasks"]]
    return {status: shown.count(status) for status in shown}


victim = packer()
until("three pieces are being packed", lambda: states().get("started") == 3)
print("\n".join("  " + line for line in run("graph", "show", "pieces").splitlines()))
say(f"SIGKILL to worker {victim.pid}: {states()}")
kill(victim.pid)
victim.wait()
packer()
run("graph", "wait", "pieces", "--timeout", f"{LIMIT}s")
whole = show("pieces/join")["result"]
same = gzip.decompress(pathlib.Path(whole["file"]).read_bytes()) == source.read_bytes()
print(f"  {str(source)[-44:]:<44} {PIECES:>5} pieces {whole['bytes']} bytes  {'right' if same else 'WRONG'}")
right.append(same)

print("\nEvery result is right." if all(right) else "\nNOT every result is right.")
sys.exit(0 if all(right) else 1)
