"""arq: one process, and its slots are tasks of asyncio (`max_jobs`). Results are not kept (`keep_result = 0`), and it polls
100 times a second instead of twice (`poll_delay`), since it takes at most `max_jobs` with each look. It has no bulk call;
`asyncio.gather` sends many jobs at the same time."""
import asyncio
import json
import sys

from arq import create_pool
from arq.connections import RedisSettings

from peer import QUEUE, Program, serve


def dumps(value):
    return json.dumps(value).encode()


class Arq(Program):
    def __init__(self, url, path):
        self.url, self.path = url, path
        self.loop = asyncio.new_event_loop()
        settings = RedisSettings.from_dsn(url)
        self.pool = self.loop.run_until_complete(create_pool(settings, default_queue_name=QUEUE, job_serializer=dumps, job_deserializer=json.loads))

    def add(self, task):
        self.last = self.loop.run_until_complete(self.pool.enqueue_job("handle", task))

    def result(self):
        found = self.loop.run_until_complete(self.last.result_info())
        return found.result if found and found.success else None

    def add_many(self, tasks):
        async def all_of_them():
            await asyncio.gather(*(self.pool.enqueue_job("handle", task) for task in tasks))

        self.loop.run_until_complete(all_of_them())

    def work(self, slots, hold, lease, who):
        command = [sys.executable, "-m", "arq", "arq_tasks.Settings"]
        self.launch(command, hold, lease, who, PEERS_URL=self.url, PEERS_RECORDS=self.path, PEERS_SLOTS=str(slots))


if __name__ == "__main__":
    serve(Arq)
