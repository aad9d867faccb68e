"""The work, the same in every role. It squares a number, and records when it began and ended, and who else was
running the task.

handler.py < '{"n": 3, "ms": 20}': as the program of `blueque worker` or of the Rust worker; prints the result.
"""

import contextlib
import json
import os
import sys
import time


def note(*words, file="history"):
    """Appends a line at once, so that lines of several processes do not mix."""
    out = os.open(os.path.join(os.environ["MIXED"], file), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(out, (" ".join(map(str, words)) + "\n").encode())
    os.close(out)


def beside(id):
    """Who else is running a task, if anybody. A process that was killed has left its file behind, and at most a
    zombie."""
    try:
        pid, worker = open(os.path.join(os.environ["MIXED"], "running", id)).read().split()
        with open(f"/proc/{pid}/stat") as stat:
            return "-" if ") Z " in stat.read() else worker
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return "-"


@contextlib.contextmanager
def running(id, attempt, worker):
    """Records when an attempt began and ended, however it ended, and who was running the task then."""
    note("begin", id, attempt, worker, beside(id))
    file = os.path.join(os.environ["MIXED"], "running", id)
    with open(file, "w") as own:
        own.write(f"{os.getpid()} {worker}")
    try:
        yield
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file)
        note("end", id, attempt, worker, "-")


def handle(id, attempt, n, ms, fails=0):
    """`fails` is the number of attempts that fail. Blueque 1.0 has no attempts: its attempt is 0."""
    worker = os.environ["MIXED_WORKER"]
    with running(id, attempt, worker):
        time.sleep(ms / 1000)
        if 0 < attempt <= fails:
            raise ValueError("as the task orders")
    return {"square": n * n, "attempt": attempt, "worker": worker}


if __name__ == "__main__":
    given = json.load(sys.stdin)
    found = handle(os.environ["BLUEQUE_TASK_ID"], int(os.environ["BLUEQUE_ATTEMPT"]), **given)
    print(json.dumps(found))
