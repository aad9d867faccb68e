"""The measures, each for a single peer."""
import contextlib
import statistics
import time

from program import Failed, Program, Records
from server import Watch

BATCH = 500
SLOTS = (1, 8, 32)
# Tasks whose commands are examined, to attribute them to their senders.
LOOKED_AT = 100
LONE = 200
WARM_UP = 20
PAUSE = 0.005
# With many tasks waiting, a worker first gets time for one-off work, such as statistics. The wait ends when the server
# uses less than this many microseconds in a second, or after the number of seconds below.
QUIET = 20_000
SETTLE = 120
# Bytes of payloads. A value over 64 bytes makes Redis keep a hash as a table, which takes more.
SHORT, LONG = 40, 100


class Bench:
    """The measures of a peer on a server."""

    def __init__(self, peer, server, folder):
        self.peer, self.server, self.folder = peer, server, folder
        self.shares = {}

    @contextlib.contextmanager
    def program(self, records):
        with Program(self.peer, self.server, self.folder, records.path) as program:
            yield program

    def look(self):
        """Finds the commands that the peer sends itself."""
        self.server.empty()
        with Records() as records, Watch(self.server) as watch:
            with self.program(records) as program:
                program.add(0, LOOKED_AT, 1, LONG)
                program.work(1)
                self._all(records, LOOKED_AT)
                program.stop()
        self.shares = watch.shares()

    def round(self, tasks):
        """The figures that are measured several times."""
        found = {}
        for slots in SLOTS:
            with Records() as records:
                self._fill(records, tasks, 1 if slots == 1 else BATCH, found)
                self._drain(records, slots, tasks, found)
        found.update(self._lone())
        return found

    def _fill(self, records, tasks, batch, found, size=LONG):
        self.server.empty()
        self.empty = self.server.memory()
        with self.program(records) as adder:
            # The first add loads scripts.
            adder.add(0, 1, 1, size)
            self.server.begin()
            rate = adder.add(1, tasks - 1, batch, size)
            commands, _ = self.server.spent(self.shares)
        how = "one" if batch == 1 else "bulk"
        found.setdefault(f"adds_{how}", []).append(rate)
        found.setdefault(f"add_us_{how}", []).append(commands / (tasks - 1))

    def _drain(self, records, slots, tasks, found):
        with self.program(records) as worker:
            self.server.begin()
            worker.work(slots)
            self._all(records, tasks)
            found.setdefault(f"mib_{slots}", []).append(worker.memory())
            worker.stop()
        commands, cpu = self.server.spent(self.shares)
        handled = records.read()
        self._once(handled, tasks)
        times = sorted(time for _, time in handled)
        low, high = tasks // 10, tasks - tasks // 10 - 1
        found.setdefault(f"processed_{slots}", []).append((high - low) / (times[high] - times[low]) * 1e9)
        found.setdefault(f"task_us_{slots}", []).append(commands / tasks)
        found.setdefault(f"cpu_us_{slots}", []).append(cpu / tasks)

    def _lone(self):
        """Milliseconds from a submit to the handler of an idle worker."""
        self.server.empty()
        with Records() as records, self.program(records) as worker, self.program(records) as adder:
            worker.work(1)
            time.sleep(1)
            sent = []
            for number in range(WARM_UP + LONE):
                sent.append(adder.ask("lone", number=number)["sent"])
                self._all(records, number + 1)
                time.sleep(PAUSE)
            handled = dict(records.read())
            worker.stop()
        # The first tasks load scripts and open connections.
        took = sorted((handled[number] - sent[number]) / 1e6 for number in range(WARM_UP, len(sent)))
        return {"lone_p50": [statistics.median(took)], "lone_p99": [took[len(took) * 99 // 100]]}

    def at_size(self, waiting, tasks, limit):
        """Microseconds of the server for the submit and for the processing of a single task, while other tasks wait.
        Fewer tasks wait if the peer cannot add all of them within `limit` seconds."""
        self.server.empty()
        with Records() as records:
            with self.program(records) as adder:
                number, until = 0, time.monotonic() + limit
                while number < waiting and time.monotonic() < until:
                    step = min(50 * BATCH, waiting - number)
                    adder.add(number, step, BATCH, LONG)
                    number += step
                self.server.begin()
                adder.add(number, tasks, 1, LONG)
                submit = self.server.spent(self.shares)[0] / tasks
            with self.program(records) as worker:
                worker.work(1, hold=3600)
                self._settle()
            before = len(records.read())
            with self.program(records) as worker:
                self.server.begin()
                worker.work(1)
                self._all(records, before + tasks)
                worker.stop()
            process = self.server.spent(self.shares)[0] / (len(records.read()) - before)
        return {"waiting": number, "submit": submit, "process": process}

    def _settle(self):
        until, quiet = time.monotonic() + SETTLE, 0
        while quiet < 3 and time.monotonic() < until:
            self.server.begin()
            time.sleep(1)
            quiet = quiet + 1 if self.server.spent(self.shares)[0] < QUIET else 0

    def bytes(self, tasks):
        """Bytes that a task takes while it waits and after it has ended."""
        found = {}
        for size in (SHORT, LONG):
            with Records() as records:
                self._fill(records, tasks, BATCH, {}, size)
                found[f"waiting_{size}"] = [(self.server.memory() - self.empty) / tasks]
                self._drain(records, max(SLOTS), tasks, {})
                found[f"ended_{size}"] = [(self.server.memory() - self.empty) / tasks]
        return found

    def _all(self, records, tasks):
        if not records.wait(tasks, max(120, tasks / 20)):
            raise Failed(f"{self.peer.name} handled {len(records.read())} of {tasks} tasks")

    def _once(self, handled, tasks):
        numbers = [number for number, _ in handled]
        if sorted(numbers) != list(range(tasks)):
            lost, twice = tasks - len(set(numbers)), len(numbers) - len(set(numbers))
            raise Failed(f"{self.peer.name} lost {lost} and ran {twice} tasks twice, of {tasks}")
