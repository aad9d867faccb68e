"""The role `old`: a worker with the package of Blueque 1.0. old_worker.py URL QUEUE"""

import json
import os
import signal
import sys
import time

import blueque
import handler


def main():
    client, name = blueque.Client(sys.argv[1]), sys.argv[2]
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    listener = client.get_listener(name)
    while not ended:
        id = listener._queue.dequeue(listener._name)  # as `listen`, without its second of sleep
        if id is None:
            time.sleep(0.02)
            continue
        task = client.get_task(id)
        processor = client.get_processor(task)
        processor.start(os.getpid())
        processor.complete(json.dumps(handler.handle(id, 0, **json.loads(task.parameters))))
    listener._queue.remove_listener(listener._name)


if __name__ == "__main__":
    main()
