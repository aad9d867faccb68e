#!/usr/bin/env python3
"""Plants one bug after another in a copy of the project, target/planted, and checks that `make torture` finds it.

A campaign without findings proves nothing until it finds the planted bugs. Takes half an hour:

    BLUEQUE_REDIS_SERVER=$(scripts/tools) python3 torture/planted.py [NAME...]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "target" / "planted"

# Number of seeds to try, and minutes for each.
SEEDS, MINUTES = 5, 2

# The expected output of the campaign, the change (text that occurs in the file once), and the faults that lead to
# it.
PLANTED = {
    "the lease of a repeated reservation is counted late": (
        "ran beside another",
        "src/listener.rs", ".filter(|_| repeated)", ".filter(|_| false)",
        "reserve-lost",
    ),
    "accepted is noted, and the output is not looked after": (
        "is not published",
        "cli/src/supervisor/deliver.rs", "publish::publish(folder, run)", "publish::publish(folder, run).or(anyhow::Ok(()))",
        "disk-full",
    ),
    "a clock that steps ahead leaves no gap": (
        "ran beside another",
        "lua/lib/core/namespace.lua", "    namespace.gap = namespace.now_us\n", "    namespace.gap = false\n",
        "clock-forward cut worker-killed",
    ),
    "a checkpoint on the disk is known by its attempt's number": (
        "where the server had",
        "cli/src/run_folder/kept.rs", "own == previous", "self.number + 1 == run.attempt || own == previous",
        "server-set-back program-killed cut",
    ),
    "a piece of a log that is sent again is added again": (
        "is twice in its log",
        "lua/cmd/attempt/append_log.lua", "offset <= log.seen then", "offset < 0 then",
        "cut-after",
    ),
    "any process with a supervisor's arguments is one": (
        "left behind",
        "cli/src/processes/leftovers.rs", "user(pid) == own && may_be_this_program(*pid)", "(true || user(pid) == own && may_be_this_program(*pid))",
        "neighbour",
    ),
    "output is copied by path": (
        "written behind a link",
        "cli/src/supervisor/publish.rs", 'PathBuf::from(format!("/proc/self/fd/{}", copy.as_raw_fd()))', '{ let _ = copy.as_raw_fd(); to.to_path_buf() }',
        "neighbour",
    ),
    "a notice that is taken leaves the outbox": (
        "has not been received",
        "lua/cmd/notice/take_notices.lua", "redis.call('ZADD', notice.outbox, till, notice.owner)", "redis.call('ZREM', notice.outbox, notice.owner)",
        "worker-killed",
    ),
    "a request is carried out each time that it is read": (
        "signals, and users sent",
        "cli/src/supervisor/controls.rs", "is_none_or(|last| last.number < number)", "is_none_or(|last| last.number < number || number > 0)",
        "signalled cut-after",
    ),
    "an order to the owner of a task is announced and not kept": (
        "is not carried out",
        "lua/lib/action/controlling.lua", "orders.give(task.queue, 't:' .. task.id, 'attend')", "orders.announce(task.queue)",
        "suspended server-killed",
    ),
}


def copy():
    """Writes the files that have changed since the last copy, so that cargo builds only these again."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = {name for name in files.split("\0") if (ROOT / name).is_file()}
    for path in COPY.rglob("*"):
        name = path.relative_to(COPY)
        if path.is_file() and name.parts[0] != "target" and str(name) not in names:
            path.unlink()
    for name in names:
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        if not (COPY / name).exists() or (COPY / name).read_bytes() != (ROOT / name).read_bytes():
            shutil.copyfile(ROOT / name, COPY / name)


def found(name):
    said, file, old, new, faults = PLANTED[name]
    copy()
    text = (COPY / file).read_text()
    if text.count(old) != 1:
        sys.exit(f"{file} has {old!r} {text.count(old)} times: adapt the planted bug")
    (COPY / file).write_text(text.replace(old, new))
    builds = COPY / "target"
    cargo = ["cargo", "build", "--locked", "--quiet", "-p", "blueque-cli", "-p", "blueque-torture", "--target-dir", str(builds)]
    subprocess.run(cargo, cwd=COPY, check=True)
    rig = [str(builds / "debug/blueque-torture"), "--blueque", str(builds / "debug/blueque"), "--minutes", str(MINUTES)]
    rig += [word for fault in faults.split() for word in ("--only", fault)]
    for seed in range(1, SEEDS + 1):
        out = subprocess.run(rig + ["--seed", str(seed)], capture_output=True, text=True).stdout
        violations = re.findall("VIOLATION .*", out)
        hits = [violation for violation in violations if said in violation]
        if hits:
            print(f"found with seed {seed}: {name}\n    {hits[0]}", flush=True)
            return True
        if violations:
            print(f"seed {seed} found something else: {violations[0]}", flush=True)
    print(f"NOT FOUND with {SEEDS} seeds: {name}", flush=True)
    return False


def main():
    if "BLUEQUE_REDIS_SERVER" not in os.environ:
        sys.exit("BLUEQUE_REDIS_SERVER is not set: BLUEQUE_REDIS_SERVER=$(scripts/tools) python3 torture/planted.py")
    missed = 0
    for name in sys.argv[1:] or PLANTED:
        missed += not found(name)
    sys.exit(f"{missed} of the planted bugs were not found" if missed else 0)


if __name__ == "__main__":
    main()
