"""The work, the same in every role: it squares a number, and leaves word of when it began and ended.

handler.py < '{"n": 3, "ms": 20}': as the program of `blueque worker` or of the Rust worker; prints the result.
"""

import json
import os
import sys
import time


def note(*words):
    """Appends a line at once, so that lines of several processes do not mix."""
    out = os.open(os.path.join(os.environ["MIXED"], "history"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(out, (" ".join(map(str, words)) + "\n").encode())
    os.close(out)


def handle(id, attempt, n, ms):
    worker = os.environ["MIXED_WORKER"]
    note("begin", id, attempt, worker)
    time.sleep(ms / 1000)
    note("end", id, attempt, worker)
    return {"square": n * n, "attempt": attempt, "worker": worker}


if __name__ == "__main__":
    given = json.load(sys.stdin)
    found = handle(os.environ["BLUEQUE_TASK_ID"], int(os.environ["BLUEQUE_ATTEMPT"]), **given)
    print(json.dumps(found))
