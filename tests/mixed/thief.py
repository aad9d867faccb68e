"""A planted defect. It runs tasks that others have reserved, and writes its results over theirs; it adds completed
items again; and it deletes tasks of schedules, and submits some of these again. thief.py URL QUEUE ITEMS"""

import contextlib
import itertools
import json
import os
import signal
import sys
import time

import handler
import redis
from blueque_client import Client, NotFound, WorkItem, WorkQueue, calls
from blueque_client.work_items import decode


def main():
    client, server, name = Client(sys.argv[1]), redis.Redis.from_url(sys.argv[1]), sys.argv[2]
    works, ended, items = WorkQueue(client, sys.argv[3]), [], {}
    seen, written = set(), set()
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    while not ended:
        for task in client.queue(name).tasks("started"):
            if task.id not in seen:
                seen.add(task.id)
                with contextlib.suppress(NotFound):  # it has deleted it
                    handler.handle(task.id, 0, **task.info().parameters)
        slots = (task for task in client.queue(name).tasks("complete") if "@" in task.id and task.id not in seen)
        for task in list(itertools.islice(slots, 2)):
            seen.add(task.id)
            parameters = task.info().parameters
            task.delete()
            if int(task.id.split("@")[1]) % 2:
                client.queue(name).submit(parameters, id=task.id, method="square")
        for id in [id for id in seen - written if "@" not in id]:
            if client.task(id).state() == "complete":
                written.add(id)
                result = json.dumps({"square": -1, "attempt": 0, "worker": os.environ["MIXED_WORKER"]})
                server.hset(f"blueque_task_{id}", "result", result)
        for task in [task for state in ("pending", "reserved") for task in works.queue.tasks(state)]:
            if record := client.run(calls.get(task.id)):  # else it was completed just now
                items.setdefault(task.id, record.parameters)
        for id in [id for id in items if client.run(calls.get(id)) is None]:
            works.add_item(WorkItem(items.pop(id), decode(id)))
        time.sleep(0.02)


if __name__ == "__main__":
    main()
