"""Dramatiq on Redis, one process with a thread for each slot (its guide: "Best Practices", "Concurrent vs Sequential");
without the middleware of Prometheus, which only counts. Its messages have no bulk call."""
import os
import sys

from dramatiq.results import ResultMissing

from peer import Program, serve


class Dramatiq(Program):
    def __init__(self, url, path):
        os.environ.update(PEERS_URL=url, PEERS_RECORDS=path)
        import dramatiq_tasks

        self.handle = dramatiq_tasks.handle

    def add(self, task):
        self.last = self.handle.send(task)

    def result(self):
        try:
            return self.last.get_result()
        except ResultMissing:
            return None

    def add_many(self, tasks):
        for task in tasks:
            self.add(task)

    def work(self, slots, hold, lease, who):
        command = [sys.executable, "-m", "dramatiq", "dramatiq_tasks", "--processes", "1", "--threads", str(slots)]
        command += ["--skip-logging"]
        self.launch(command, hold, lease, who)


if __name__ == "__main__":
    serve(Dramatiq)
