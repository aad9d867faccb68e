"""RQ in the set-up of its "Notes on Performance" (docs/benchmark.md) for speed: SimpleWorker, which runs jobs in its own
process. Several slots are several such processes, started by `rq worker-pool` (Docs, Workers, Worker Pool); `enqueue_many`
adds many jobs (Docs, Queues, Bulk Job Enqueueing)."""
import os
import pathlib
import subprocess
import sys
import time

import redis
import rq

from peer import HERE, QUEUE, RESULTS, Program, serve

# `rq_peer.py fork`: RQ's own Worker, with a process for each job.
FORK = sys.argv[1] == "fork" and bool(sys.argv.pop(1))


class Rq(Program):
    def __init__(self, url, path):
        self.url, self.path = url, path
        self.server = redis.Redis.from_url(url)
        self.queue = rq.Queue(QUEUE, connection=self.server)

    def add(self, task):
        # RQ runs a lost job again only with Retry, and repeats with Retry also a job that its time limit ended.
        more = {"job_timeout": self.limit} if self.limit else {"retry": rq.Retry(max=3)} if RESULTS else {}
        self.last = self.queue.enqueue("rq_tasks.handle", task, **more)

    def result(self):
        found = self.last.latest_result()
        return found and found.return_value

    def add_many(self, tasks):
        self.queue.enqueue_many([rq.Queue.prepare_data("rq_tasks.handle", (task,)) for task in tasks])

    def work(self, slots, hold, lease, who):
        environment = {**os.environ, "PEERS_RECORDS": self.path, "PEERS_HOLD": str(hold), "PEERS_WHO": who or ""}
        environment["PYTHONPATH"] = str(HERE)
        command = [pathlib.Path(sys.executable).parent / "rq", "worker-pool", "--num-workers", str(slots), "--quiet"]
        if lease:
            # A job counts as lost 60 s after its last heartbeat. An idle worker looks for lost jobs only every
            # `worker-ttl` less 15 s. Only the command for a single worker has these options.
            command = [command[0], "worker", "--quiet", "--job-monitoring-interval", "1", "--maintenance-interval", "1"]
            command += ["--worker-ttl", "16"]
        before = rq.Worker.count(connection=self.server)
        command += ["--worker-class", "rq.Worker" if FORK else "rq.SimpleWorker", "--url", self.url, QUEUE]
        self.worker = subprocess.Popen([str(part) for part in command], env=environment, stdout=sys.stderr)
        while rq.Worker.count(connection=self.server) < before + slots:
            time.sleep(0.01)


serve(Rq)
