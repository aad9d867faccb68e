"""Blueque through its bundle of scripts and redis-py, as lua/README.md says: a thread for each slot.

It sends no heartbeats: no handler here holds its task longer than a lease, except in a process that is killed.
"""
import json
import os
import pathlib
import socket
import sys
import threading
import time
import uuid

import redis

from peer import QUEUE, Records, serve

FOLDER = next(pathlib.Path(sys.argv.pop(1)).glob("blueque-lua-*"))
MANIFEST = json.loads((FOLDER / "manifest.json").read_text())
SHA = {name: entry["sha1"] for name, entry in MANIFEST["commands"].items()}


class Bundle:
    def __init__(self, url, path):
        self.server = redis.Redis.from_url(url)
        self.records = Records(path)
        self.listener = f"{socket.gethostname().replace('_', '-')}_{os.getpid()}"
        self.ended, self.threads = threading.Event(), []
        self.call("handshake")

    def call(self, command, *arguments):
        everything = (1, "blueque_meta", "", *arguments)
        try:
            return self.server.evalsha(SHA[command], *everything)
        except redis.exceptions.NoScriptError:
            return self.server.eval((FOLDER / MANIFEST["commands"][command]["file"]).read_text(), *everything)

    def add(self, task):
        self.add_many([task])

    def add_many(self, tasks):
        new = []
        for task in tasks:
            new += [str(uuid.uuid4()), "", json.dumps(task, separators=(",", ":"))]
        self.call("submit", QUEUE, len(tasks), *new)

    def work(self, slots, hold, lease, who):
        del who  # its tasks have no result
        self.call("register", QUEUE, self.listener)
        self.lease = ("lease", lease) if lease else ()
        self.threads = [threading.Thread(target=self.slot, args=(hold,)) for _ in range(slots)]
        self.threads.append(threading.Thread(target=self.maintenance))
        for thread in self.threads:
            thread.start()

    def slot(self, hold):
        woken, own = (), ("pid", os.getpid(), *self.lease)
        found = None
        while not self.ended.is_set():
            if found is None:
                found = self.call("reserve", self.listener, 1, QUEUE, *own, *woken)
                woken = ()
            if found is None:
                if self.server.blpop(f"blueque_wake_{QUEUE}", 1):
                    woken = ("woken", 1)
                continue
            found = self.finish_and_reserve(found, hold, own)
        if found:
            self.call("release", found[0], found[2])

    def finish_and_reserve(self, task, hold, own):
        """Handles a task. A single call ends the task and takes the next."""
        id_, _, token, *_, parameters, _checkpoint = task
        self.records.handled(json.loads(parameters))
        time.sleep(hold)
        end = ("complete", id_, token, "null", "", "", "")
        _verdict, _refusal, *found = self.call("finish_and_reserve", self.listener, QUEUE, 1, 1, *end, *own)
        return found or None

    def maintenance(self):
        while not self.ended.wait(2):
            self.call("promote", QUEUE, 100)
            self.call("requeue_orphans", QUEUE, 25)

    def stop(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        self.call("unregister", QUEUE, self.listener)


serve(Bundle)
