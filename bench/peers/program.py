"""A peer's program, and the records that its handlers write."""
import array
import json
import os
import pathlib
import selectors
import signal
import subprocess
import time

# Bytes that a handler writes: the task's number and the time, in nanoseconds since 1970.
RECORD = 16
# Seconds. No order of any peer takes longer, even on a slow machine.
PATIENCE = 900


class Failed(Exception):
    """A peer did not carry out an order."""


class Program:
    """A process of a peer, which carries out orders. It is killed, with its children, at the end of a `with`."""

    def __init__(self, peer, server, folder, records, results=False):
        self.name = peer.name
        self.log = open(folder / f"{peer.name}.log", "ab")
        command = [str(part) for part in peer.command(folder)] + [server.url, str(records)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.log}
        environment = {**os.environ, "PEERS_RESULTS": "1"} if results else None
        self.process = subprocess.Popen(command, **pipes, env=environment, start_new_session=True)
        self.rest = b""
        self._answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        self.log.close()

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def signal(self, number):
        """Signals all processes of the program: some have a session of their own."""
        for pid in self.pids():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def ask(self, order, **more):
        self.process.stdin.write(json.dumps({"do": order, **more}).encode() + b"\n")
        self.process.stdin.flush()
        return self._answer()

    def add(self, first, count, batch, size, **more):
        """Tasks per second."""
        return count / self.ask("add", first=first, count=count, batch=batch, bytes=size, **more)["seconds"]

    def work(self, slots, hold=0, lease=None, **more):
        self.ask("work", slots=slots, hold=hold, lease=lease, **more)

    def stop(self):
        self.ask("stop")

    def pids(self):
        children = {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                children.setdefault(int(stat.read_text().rsplit(")", 1)[1].split()[1]), []).append(int(stat.parent.name))
            except OSError:  # the process has ended
                continue
        found = [self.process.pid]
        for pid in found:
            found += children.get(pid, [])
        return found

    def memory(self, pids=None):
        """MiB of all processes of the program, or of some. Shared memory counts once."""
        found = 0
        for pid in pids or self.pids():
            try:
                rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
            except OSError:
                continue
            found += int(rollup.split("\nPss:")[1].split()[0])
        return found / 1024

    def _answer(self):
        until = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.rest:
                ready = selector.select(until - time.monotonic())
                some = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
                if not some:
                    raise Failed(f"{self.name} {'ended' if ready else 'did not answer'}: see {self.log.name}")
                self.rest += some
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)


class Records:
    """The file to which handlers append. It is in memory if possible, so that its writes cost every peer the same."""

    def __init__(self):
        place = pathlib.Path("/dev/shm")
        self.path = (place if place.is_dir() else pathlib.Path("/tmp")) / f"peers-{os.getpid()}-{time.monotonic_ns()}"
        self.path.touch()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.path.unlink()

    def wait(self, count, seconds):
        """Returns true if the file has `count` records in time."""
        until = time.monotonic() + seconds
        while self.path.stat().st_size < count * RECORD:
            if time.monotonic() > until:
                return False
            time.sleep(0.002)
        return True

    def read(self):
        """Numbers and times, in the order of the handlings."""
        values = array.array("Q", self.path.read_bytes())
        return list(zip(values[::2], values[1::2]))
