"""arq: one process, and its slots are tasks of asyncio (`max_jobs`). Results are not kept (`keep_result = 0`), and it polls
100 times a second instead of twice (`poll_delay`), since it takes at most `max_jobs` with each look. It has no bulk call;
many are sent at once by `asyncio.gather`."""
import asyncio
import json
import os
import pathlib
import signal
import subprocess
import sys

from arq import create_pool
from arq.connections import RedisSettings

from peer import QUEUE, serve

HERE = pathlib.Path(__file__).resolve().parent


def dumps(value):
    return json.dumps(value).encode()


class Arq:
    def __init__(self, url, path):
        self.url, self.path = url, path
        self.loop = asyncio.new_event_loop()
        settings = RedisSettings.from_dsn(url)
        self.pool = self.loop.run_until_complete(create_pool(settings, default_queue_name=QUEUE, job_serializer=dumps))

    def add(self, task):
        self.loop.run_until_complete(self.pool.enqueue_job("handle", task))

    def add_many(self, tasks):
        async def all_of_them():
            await asyncio.gather(*(self.pool.enqueue_job("handle", task) for task in tasks))

        self.loop.run_until_complete(all_of_them())

    def work(self, slots, hold, lease):
        ready, told = os.pipe()
        environment = {**os.environ, "PEERS_URL": self.url, "PEERS_RECORDS": self.path, "PEERS_HOLD": str(hold)}
        environment |= {"PEERS_SLOTS": str(slots), "PEERS_LEASE": str(lease or 0), "PEERS_READY": str(told)}
        command = [sys.executable, "-m", "arq", "arq_tasks.Settings"]
        self.worker = subprocess.Popen(command, env=environment, cwd=HERE, stdout=sys.stderr, pass_fds=[told])
        os.close(told)
        os.read(ready, 1)

    def stop(self):
        self.worker.send_signal(signal.SIGTERM)
        self.worker.wait(60)


if __name__ == "__main__":
    serve(Arq)
