"""Held work: the cost of tasks that run for long, and the effects of a worker's death or silence."""
import concurrent.futures
import contextlib
import math
import signal
import time

from measures import BATCH, LONG
from peers import SHORT
from program import Failed, Program, Records
from server import Server, Watch, total

# Seconds after which the wait for a lost task is given up.
LONGEST = 180
# Seconds for which the commands of held tasks are examined: more than the pause between two heartbeats of any peer.
LOOK = 35
# Seconds in which a late result must have arrived.
LATE = 10
# Peers whose lost tasks are waited for at the same time.
TOGETHER = 16
# Seconds that a task takes whose worker is stopped.
HELD = 3
OLD, NEW = "old", "new"


class Held:
    """The measures of a peer, each on a server of its own."""

    def __init__(self, peer, folder, aof):
        self.peer, self.folder, self.aof = peer, folder, aof

    @contextlib.contextmanager
    def _begin(self):
        """Returns the server, the records, and a function that starts a program."""
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(Server(self.aof))
            records = stack.enter_context(Records())
            yield server, records, lambda results=True: stack.enter_context(
                Program(self.peer, server, self.folder, records.path, results)
            )

    def cost(self, tasks, seconds):
        """Commands and microseconds of the server for a task and a minute, and KiB of the worker for a task."""
        tasks = max(1, int(tasks * self.peer.held.share))
        with self._begin() as (server, records, program):
            adder, slots = program(False), min(tasks, self.peer.held.slots)
            workers = [program(False) for _ in range(math.ceil(tasks / slots))]
            # A peer whose worker is a separate program: the memory of the process that starts it does not count.
            before = [worker.pids() for worker in workers]
            for worker in workers:
                worker.work(slots, hold=3600, lease=self.peer.held.keeps)
            adder.add(0, tasks, BATCH, LONG)
            if not records.wait(tasks, max(60, tasks / 5)):
                raise Failed(f"{self.peer.name} runs {len(records.read())} of {tasks} tasks")
            time.sleep(2)
            server.begin()
            began = time.monotonic()
            time.sleep(seconds)
            minutes = (time.monotonic() - began) / 60
            commands = server.commands()
            memory = sum(
                worker.memory([pid for pid in worker.pids() if pid not in first] or first)
                for worker, first in zip(workers, before)
            )
            with Watch(server) as watch:
                time.sleep(min(seconds, LOOK))
            twice = len(records.read()) - tasks
            calls, spent = (total(commands, figure, watch.shares()) for figure in ("calls", "usec"))
        return {
            "tasks": tasks,
            "calls": calls / tasks / minutes,
            "us": spent / tasks / minutes,
            "kib": memory * 1024 / tasks,
            "twice": twice,
        }

    def _taken(self, records, program, lease, hold=3600):
        """A worker that runs a task, and the program that added the task."""
        worker, adder = program(), program()
        worker.work(1, hold=hold, lease=lease, who=OLD)
        adder.add(0, 1, 1, LONG)
        if not records.wait(1, 60):
            raise Failed(f"{self.peer.name} did not run its task")
        return worker, adder

    def killed(self, lease):
        """Seconds from a worker's death until its task runs on another worker; infinite if it did not run in time."""
        with self._begin() as (_, records, program):
            old, _ = self._taken(records, program, lease)
            program().work(1, lease=lease, who=NEW)
            time.sleep(1)
            died = time.time_ns()
            old.signal(signal.SIGKILL)
            return (records.read()[1][1] - died) / 1e9 if records.wait(2, LONGEST) else math.inf

    def wakes(self, ended):
        """A worker is stopped until another worker has its task, and continues when the other has ended the task, or
        still runs it. Returns true if its result is then the task's result."""
        with self._begin() as (_, records, program):
            old, adder = self._taken(records, program, self.peer.held.silent, HELD)
            old.signal(signal.SIGSTOP)
            # The other worker runs the task for longer than the late result takes.
            program().work(1, hold=0 if ended else 3 * LATE, lease=self.peer.held.silent, who=NEW)
            if not records.wait(2, LONGEST):
                raise Failed(f"{self.peer.name} did not give a task to another worker")
            if ended and not _until(lambda: adder.ask("result")["result"] == NEW, LATE):
                raise Failed(f"{self.peer.name}: the task of the second worker has no result")
            old.signal(signal.SIGCONT)
            return _until(lambda: adder.ask("result")["result"] == OLD, LATE)

    def outlives(self):
        """A task runs four times as long as a worker may be silent, or as its time limit. Returns the number of times
        that it was started, and true if it got a result."""
        with self._begin() as (_, records, program):
            one, other, adder = program(), program(), program()
            hold, lease = 4 * SHORT, self.peer.held.silent
            for worker in (one, other):
                worker.work(1, hold=hold, lease=lease, who=NEW)
            adder.add(0, 1, 1, LONG, limit=SHORT)
            if not records.wait(1, 60):
                raise Failed(f"{self.peer.name} did not run its task")
            ended = _until(lambda: adder.ask("result")["result"] == NEW, hold + LATE)
            return len(records.read()), ended


def _until(condition, seconds):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.2)
    return True


def measure(given, attempt):
    """The figures of all peers. `attempt(peer, what, act)` reports what fails, and then returns None."""
    works = {peer: Held(peer, given.folder, given.aof) for peer in given.peers if peer.held}
    found = {peer.name: {} for peer in works}
    for peer, held in works.items():
        found[peer.name]["cost"] = attempt(peer, "holds tasks", lambda: held.cost(given.tasks // 10, given.seconds))
    ways = {
        "outlives": lambda held: held.outlives(),
        "wakes_during": lambda held: held.wakes(False),
        "wakes_after": lambda held: held.wakes(True),
        "killed_shortest": lambda held: held.killed(held.peer.held.lease),
        "killed_usual": lambda held: held.killed(None),
    }
    with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        waits = [(peer, name, pool.submit(way, held)) for name, way in ways.items() for peer, held in works.items()]
        for peer, name, wait in waits:
            found[peer.name][name] = attempt(peer, name.replace("_", ", "), wait.result)
    return found
