"""The role `python` of the processes that lease items of a `WorkQueue`: items.py URL NAME. It squares numbers, and
records each result and each item that it has completed, until it is killed or crashes."""

import os
import sys
import time

from blueque_client import Client, WorkQueue


def note(*words):
    """Appends a line at once, so that lines of several processes do not mix."""
    out = os.open(os.path.join(os.environ["MIXED"], "items"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(out, (" ".join(map(str, words)) + f" {os.environ['MIXED_WORKER']}\n").encode())
    os.close(out)


def crash(given, at):
    """Crashes if the item orders it, at the item's first attempt."""
    if given["crash"] == at:
        try:
            os.mkdir(os.path.join(os.environ["MIXED"], f"crash-{given['n']}"))
        except FileExistsError:
            return
        os._exit(7)


def main():
    queue = WorkQueue(Client(sys.argv[1]), sys.argv[2])
    while True:
        item = queue.lease(1, timeout=1)
        if item is None:
            queue.light_clean()
            continue
        given = item.data_json()
        crash(given, "leased")
        time.sleep(given["ms"] / 1000)
        note("result", item.id, given["n"] ** 2)
        crash(given, "worked")
        if queue.complete(item):
            crash(given, "completed")
            note("done", item.id, "-")


if __name__ == "__main__":
    main()
