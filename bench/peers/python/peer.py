"""The common part of every peer's program in Python: it carries out the orders of ../README.md."""
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
QUEUE = "peers"
# True if tasks have results, which peers otherwise do not keep.
RESULTS = bool(os.environ.get("PEERS_RESULTS"))


def payload(number, size=100):
    taken = len(json.dumps({"n": number, "pad": ""}, separators=(",", ":")))
    return {"n": number, "pad": "x" * (size - taken)}


class Records:
    """The records of handlers. Processes that are forked later may also write them."""

    def __init__(self, path):
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def handled(self, task):
        os.write(self.file, struct.pack("=QQ", task["n"], time.time_ns()))


class Program:
    """A peer whose worker is a separate program: `self.worker`."""

    def launch(self, command, hold, lease, who, **environment):
        """Starts the program, and waits until it writes a byte to the file descriptor `PEERS_READY`."""
        ready, told = os.pipe()
        environment |= {"PEERS_HOLD": str(hold), "PEERS_LEASE": str(lease or 0), "PEERS_READY": str(told)}
        environment = {**os.environ, **environment, "PEERS_WHO": who or ""}
        self.worker = subprocess.Popen(command, env=environment, cwd=HERE, stdout=sys.stderr, pass_fds=[told])
        os.close(told)
        os.read(ready, 1)
        os.close(ready)

    def stop(self):
        self.worker.send_signal(signal.SIGTERM)
        self.worker.wait(60)


def answer(**what):
    print(json.dumps(what), flush=True)


def serve(peer):
    """Carries out orders from stdin. `peer(url, records)` returns an object with add, add_many, result, work and stop."""
    url, path = sys.argv[1:]
    queue = peer(url, path)
    queue.limit = None  # the time limit of tasks that are added
    answer(ready=True)
    working = False
    for line in sys.stdin:
        order = json.loads(line)
        what = order.pop("do")
        if what == "add":
            first = order["first"]
            tasks = [payload(number, order["bytes"]) for number in range(first, first + order["count"])]
            queue.limit = order.get("limit")
            began = time.perf_counter()
            if order["batch"] == 1:
                for task in tasks:
                    queue.add(task)
            else:
                for at in range(0, len(tasks), order["batch"]):
                    queue.add_many(tasks[at : at + order["batch"]])
            answer(seconds=time.perf_counter() - began)
        elif what == "lone":
            task = payload(order["number"])
            sent = time.time_ns()
            queue.add(task)
            answer(sent=sent)
        elif what == "work":
            queue.work(**{"who": None, **order})
            working = True
            answer(working=True)
        elif what == "result":
            answer(result=queue.result())
        else:
            break
    if working:
        queue.stop()
    answer(stopped=True)
