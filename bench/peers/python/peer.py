"""What every peer's program in Python does: it carries out the orders of ../README.md."""
import json
import os
import struct
import sys
import time

QUEUE = "peers"


def payload(number, size=100):
    taken = len(json.dumps({"n": number, "pad": ""}, separators=(",", ":")))
    return {"n": number, "pad": "x" * (size - taken)}


class Records:
    """Where handlers leave a word. Processes that are forked later may use it too."""

    def __init__(self, path):
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def handled(self, task):
        os.write(self.file, struct.pack("=QQ", task["n"], time.time_ns()))


def answer(**what):
    print(json.dumps(what), flush=True)


def serve(peer):
    """`peer(url, records)` makes what has the methods add, add_many, work and stop."""
    url, path = sys.argv[1:]
    queue = peer(url, path)
    answer(ready=True)
    working = False
    for line in sys.stdin:
        order = json.loads(line)
        what = order.pop("do")
        if what == "add":
            first = order["first"]
            tasks = [payload(number, order["bytes"]) for number in range(first, first + order["count"])]
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
            queue.work(**order)
            working = True
            answer(working=True)
        else:
            break
    if working:
        queue.stop()
    answer(stopped=True)
