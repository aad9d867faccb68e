"""An old worker: old_work_queue.py URL NAME FILE. It completes items of redis-work-queue until there are none, and
writes their ids to FILE."""

import os
import sys
from typing import Any

import redis_work_queue
from redis import Redis


def main(url: str, name: str, file: str) -> None:
    queue, db = redis_work_queue.WorkQueue(redis_work_queue.KeyPrefix(name)), Redis.from_url(url)
    out = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    while True:
        item: Any = queue.lease(db, 600, timeout=1)
        if item is None:
            return
        if queue.complete(db, item):
            os.write(out, f"{item.id()}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
