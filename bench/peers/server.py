"""A Redis server for the comparison, and its own figures about its work."""
import collections
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time

import redis

# Commands that the driver itself sends.
OWN = ("info", "config|resetstat", "config|get", "flushall", "monitor", "ping")
SAVES = {"none": ("--appendonly", "no"), "everysec": ("--appendonly", "yes", "--appendfsync", "everysec")}


class Server:
    """A server on loopback, with one database. The server ends, and its data is deleted, at the end of a `with`."""

    def __init__(self, aof):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="peers-"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        program = os.environ.get("BLUEQUE_REDIS_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
        if not program:
            raise SystemExit("peers: no server: apt-get install redis-server, or set BLUEQUE_REDIS_SERVER")
        place = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", ""]
        # Latency histograms depend on the commands that are called, and count as memory, as the tasks do.
        place += ["--latency-tracking", "no"]
        self.process = subprocess.Popen([program, *place, *SAVES[aof]], stdout=subprocess.DEVNULL)
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = redis.Redis(port=self.port)
        until = time.monotonic() + 10
        while True:
            try:
                self.client.ping()
                return
            except redis.ConnectionError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def version(self):
        about = self.client.info("server")
        return f"Valkey {about['valkey_version']}" if "valkey_version" in about else f"Redis {about['redis_version']}"

    def empty(self):
        self.client.flushall()

    def memory(self):
        """Bytes of the data without cached scripts, as soon as no peer is connected."""
        until = time.monotonic() + 10
        while self.client.info("clients")["connected_clients"] > 1 and time.monotonic() < until:
            time.sleep(0.01)
        about = self.client.info("memory")
        return about["used_memory"] - about.get("used_memory_scripts_eval", 0)

    def begin(self):
        """Starts to count work."""
        self.client.config_resetstat()
        self.cpu = self._cpu()

    def commands(self):
        """The server's figures about each command since `begin`."""
        stats = {name.removeprefix("cmdstat_"): stat for name, stat in self.client.info("commandstats").items()}
        return {name: stat for name, stat in stats.items() if name not in OWN}

    def spent(self, shares):
        """Microseconds since `begin`: of the commands that clients sent, including the commands called by scripts and
        transactions; and of the processor, for the thread that serves clients."""
        return total(self.commands(), "usec", shares), (self._cpu() - self.cpu) * 1e6

    def _cpu(self):
        about = self.client.info("cpu")
        user, system = "used_cpu_user_main_thread", "used_cpu_sys_main_thread"
        return float(about.get(user, about["used_cpu_user"])) + float(about.get(system, about["used_cpu_sys"]))


def total(commands, figure, shares):
    """The sum of a figure over the commands that clients sent."""
    return sum(shares.get(name, 1.0) * stat[figure] for name, stat in commands.items())


class Watch:
    """Watches, during a `with`, which commands clients send, and which commands scripts and transactions call."""

    def __init__(self, server):
        self.server = server
        self.sent, self.inner = collections.Counter(), collections.Counter()

    def __enter__(self):
        self.monitor = redis.Redis(port=self.server.port, socket_timeout=None).monitor()
        self.monitor.__enter__()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        return self

    def _read(self):
        transactions = set()
        for seen in self.monitor.listen():
            words = seen["command"].lower().split(" ")
            name, place = words[0], (seen["client_address"], seen["client_port"])
            if name == "echo" and words[-1] == "the-end":
                return
            if seen["client_type"] == "lua" or (place in transactions and name != "exec"):
                self.inner[name] += 1
            else:
                self.sent[name] += 1
            if name == "multi":
                transactions.add(place)
            elif name in ("exec", "discard"):
                transactions.discard(place)

    def __exit__(self, *_):
        self.server.client.echo("the-end")
        self.thread.join(10)
        self.monitor.__exit__(None, None, None)

    def shares(self):
        """The share that clients sent, for each command that scripts call as well."""
        return {name: self.sent[name] / (self.sent[name] + number) for name, number in self.inner.items()}
