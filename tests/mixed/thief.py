"""A planted defect: it runs tasks that others have reserved, and writes its results over theirs. thief.py URL QUEUE"""

import json
import os
import signal
import sys
import time

import handler
import redis
from blueque_client import Client


def main():
    client, server, name = Client(sys.argv[1]), redis.Redis.from_url(sys.argv[1]), sys.argv[2]
    ended, seen = [], set()
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    while not ended:
        for task in client.queue(name).tasks("started"):
            if task.id not in seen:
                seen.add(task.id)
                handler.handle(task.id, 0, **json.loads(task.info().parameters))
        for id in seen:
            if client.task(id).state() == "complete":
                result = json.dumps({"square": -1, "attempt": 0, "worker": os.environ["MIXED_WORKER"]})
                server.hset(f"blueque_task_{id}", "result", result)
        time.sleep(0.02)


if __name__ == "__main__":
    main()
