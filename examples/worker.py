#!/usr/bin/env python3
"""A worker with few calls, with nothing but the bundle and redis-py: one `exchange` ends the tasks that are done and takes
and starts the next ones.

    python examples/worker.py dist/blueque-lua-VERSION [redis://127.0.0.1:6379]
"""
import json
import os
import socket
import uuid
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from bundle import Bundle

SLOTS, LEASE, QUEUE = 4, 60, "squares"
call = Bundle.of_arguments(__doc__).call
listener = f"{socket.gethostname().replace('_', '-')}_{os.getpid()}"


def work(parameters):
    return json.dumps(json.loads(parameters) ** 2)


def end(future, task, token):
    """An end as `exchange` wants it: ending, id, token, body, group, again, cost."""
    if future.exception():
        return ["fail", task, token, str(future.exception()), "", "", ""]
    return ["complete", task, token, future.result(), "", "", ""]


def options(free):
    # The request makes the call repeatable: after a lost reply send the very same call again.
    return ["lease", LEASE, "pid", os.getpid(), "request", str(uuid.uuid4())], max(free, 1)


call("register", QUEUE, listener)
for number in range(10):
    call("submit", QUEUE, 1, str(uuid.uuid4()), "", json.dumps(number if number != 7 else "seven"))

running, calls = {}, 0
with ThreadPoolExecutor(SLOTS) as slots:
    while True:
        calls += 1
        if running:
            done, _ = wait(running, timeout=LEASE / 3, return_when=FIRST_COMPLETED)
            if not done:  # nothing ended for a third of the lease: renew it
                held = [word for task_and_token in running.values() for word in task_and_token]
                call("heartbeat", QUEUE, listener, LEASE, len(running), *held)
                continue
            # What waits at this moment ends together; nobody waits for company.
            ends = [word for future in done for word in end(future, *running.pop(future))]
            about, free = options(SLOTS - len(running))
            verdicts, refusal, *taken = call("exchange", listener, QUEUE, free, len(done), *ends, *about)
            print("exchange", verdicts.decode(), "| takes", len(taken) // 11, refusal.decode())
        else:
            about, free = options(SLOTS)
            taken = call("reserve", listener, 1, QUEUE, "limit", free, *about) or []
            print("reserve  takes", len(taken) // 11)
            if not taken:
                break  # a worker that goes on waits here: BLPOP blueque_wake_QUEUE 30, then `reserve` with `woken 1`
        for at in range(0, len(taken), 11):
            task, _, token = taken[at : at + 3]
            running[slots.submit(work, taken[at + 9])] = (task, token)
call("unregister", QUEUE, listener)
print("10 tasks,", calls, "calls")
