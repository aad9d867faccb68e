#!/usr/bin/env python3
"""A whole worker of three calls, with nothing but the bundle and redis-py.

`finish_and_reserve` ends the tasks that are done and takes and starts further tasks. `heartbeat` renews the leases.
`maintenance` does the work that every client does besides its tasks.

    python examples/worker.py dist/blueque-lua-VERSION [redis://127.0.0.1:6379]
"""
import json
import os
import socket
import time
import uuid
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from bundle import Bundle

SLOTS, LEASE, QUEUE = 4, 60, "squares"
call = Bundle.of_arguments(__doc__).call
listener = f"{socket.gethostname().replace('_', '-')}:-{uuid.uuid4().hex[:6]}_{os.getpid()}"


def work(parameters):
    return json.dumps(json.loads(parameters) ** 2)


def end(future, task, token):
    """An end in the format of `finish_and_reserve`: ending, id, token, body, group, again, cost."""
    if future.exception():
        return ["fail", task, token, str(future.exception()), "", "", ""]
    return ["complete", task, token, future.result(), "", "", ""]


call("register", QUEUE, listener)
for number in range(10):
    call("submit", QUEUE, 1, str(uuid.uuid4()), "", json.dumps(number if number != 7 else "seven"))

running, calls, beat, due = {}, 0, 0, 0
with ThreadPoolExecutor(SLOTS) as slots:
    while True:
        calls += 1
        now = time.time()
        if now >= due:  # work besides tasks: schedules, retries, orphans, retention
            part, number, more, due, trouble = call("maintenance", 1, QUEUE)[:5]
            due = float(due)  # now, if there is more to do
            print("maintenance  ", part.decode() or "nothing", number, trouble.decode())
            continue
        if running and now >= beat:
            held = [word for task_and_token in running.values() for word in task_and_token]
            call("heartbeat", QUEUE, listener, LEASE, len(running), *held)
            beat = now + LEASE / 3
            continue
        done = set()
        if running:
            done, _ = wait(running, timeout=min(beat, due) - now, return_when=FIRST_COMPLETED)
            if not done:
                continue
        # All tasks that are done at this moment end together; none waits for further tasks. The request makes the call
        # repeatable: after a lost reply, send the same call again.
        ends = [word for future in done for word in end(future, *running.pop(future))]
        about = ["lease", LEASE, "pid", os.getpid(), "request", str(uuid.uuid4())]
        free = SLOTS - len(running)
        verdicts, refusal, *taken = call("finish_and_reserve", listener, QUEUE, free, len(done), *ends, *about)
        print("finish_and_reserve", verdicts.decode(), "| takes", len(taken) // 11, refusal.decode())
        for at in range(0, len(taken), 11):
            task, _, token = taken[at : at + 3]
            running[slots.submit(work, taken[at + 9])] = (task, token)
        if not running:
            break  # a permanent worker waits until `due`: BLPOP blueque_wake_QUEUE SECONDS, then option `woken 1`
call("unregister", QUEUE, listener)
print("10 tasks,", calls, "calls")
