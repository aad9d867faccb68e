"""Dramatiq on Redis, one process with a thread for each slot (its guide: "Best Practices", "Concurrent vs Sequential");
without the middleware of Prometheus, which only counts. Its messages have no bulk call."""
import os
import pathlib
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


class Dramatiq:
    def __init__(self, url, path):
        os.environ.update(PEERS_URL=url, PEERS_RECORDS=path)
        import dramatiq_tasks

        self.handle = dramatiq_tasks.handle

    def add(self, task):
        self.handle.send(task)

    def add_many(self, tasks):
        for task in tasks:
            self.add(task)

    def work(self, slots, hold, lease):
        ready, told = os.pipe()
        environment = {**os.environ, "PEERS_HOLD": str(hold), "PEERS_LEASE": str(lease or 0), "PEERS_READY": str(told)}
        command = [sys.executable, "-m", "dramatiq", "dramatiq_tasks", "--processes", "1", "--threads", str(slots)]
        command += ["--skip-logging"]
        self.worker = subprocess.Popen(command, env=environment, cwd=HERE, stdout=sys.stderr, pass_fds=[told])
        os.close(told)
        os.read(ready, 1)

    def stop(self):
        self.worker.send_signal(signal.SIGTERM)
        self.worker.wait(60)


if __name__ == "__main__":
    from peer import serve

    serve(Dramatiq)
