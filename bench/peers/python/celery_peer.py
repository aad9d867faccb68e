"""Celery on Redis, for many short tasks as its guide has it: "Optimizing, Prefetch Limits" ("64, or 128" tasks a process),
"Tasks, Ignore results you don't want", "Calling Tasks, Connections" (many messages by one producer). Gossip, mingle and the
worker's heartbeats to others are off. Tasks are acknowledged early, as by default. With a lease they are acknowledged late,
because otherwise a dead worker's task is never run again."""
import os
import sys

from peer import Program, serve

# `celery_peer.py threads`: slots are threads of one process, not processes.
THREADS = sys.argv[1] == "threads" and bool(sys.argv.pop(1))


class Celery(Program):
    def __init__(self, url, path):
        os.environ.update(PEERS_URL=url, PEERS_RECORDS=path)
        import celery_tasks

        self.app, self.handle = celery_tasks.app, celery_tasks.handle
        self.producer = self.app.amqp.Producer(self.app.connection_for_write())

    def add(self, task):
        self.last = self.handle.apply_async((task,), producer=self.producer)

    def result(self):
        return self.last.result if self.last.successful() else None

    def add_many(self, tasks):
        for task in tasks:
            self.add(task)

    def work(self, slots, hold, lease, who):
        command = [sys.executable, "-m", "celery", "--app", "celery_tasks", "--quiet", "worker", "--concurrency", str(slots)]
        command += ["--loglevel", "ERROR", "--without-gossip", "--without-mingle", "--without-heartbeat"]
        command += ["--pool", "threads" if THREADS else "prefork"]
        command += ["--hostname", f"{os.getpid()}@peers"]
        self.launch(command, hold, lease, who)


if __name__ == "__main__":
    serve(Celery)
