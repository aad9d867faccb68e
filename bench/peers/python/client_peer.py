"""Blueque's client for Python: client_peer.py FOLDER MODE, where MODE is a way in which its worker runs tasks. `process`: each
in a separate process; `kept`: in turn in a process for each slot; `thread` and `asyncio`: all in one process."""
import os
import pathlib
import subprocess
import sys
import time

FOLDER, MODE = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
sys.path.insert(0, str(FOLDER))

import blueque_client  # noqa: E402

from peer import HERE, QUEUE, Program, serve  # noqa: E402

OPTIONS = {"kept": ["--mode", "process", "--tasks-per-process", "1000000"]}


class Python(Program):
    def __init__(self, url, path):
        self.url, self.path = url, path
        self.client = blueque_client.Client(url)
        self.client.check()
        self.queue = self.client.queue(QUEUE)

    def add(self, task):
        self.last = self.queue.submit({"task": task}, method="handle")

    def result(self):
        record = self.last.info()
        return record.result if record.status == "complete" else None

    def add_many(self, tasks):
        self.queue.submit_many([{"task": task} for task in tasks], method="handle")

    def work(self, slots, hold, lease, who):
        environment = {**os.environ, "PEERS_RECORDS": self.path, "PEERS_HOLD": str(hold), "PEERS_WHO": who or ""}
        environment["PYTHONPATH"] = f"{FOLDER}{os.pathsep}{HERE}"
        module = "client_tasks:waits" if MODE == "asyncio" else "client_tasks:handle"
        command = [sys.executable, "-m", "blueque_client", "worker", module, "--url", self.url, "--slots", str(slots)]
        command += ["--quiet", *OPTIONS.get(MODE, ["--mode", MODE]), *(["--lease", str(lease)] if lease else [])]
        before = len(self.client.workers())
        self.worker = subprocess.Popen(command, env=environment, stdout=sys.stderr)
        while len(self.client.workers()) == before:
            time.sleep(0.01)


serve(Python)
