#!/usr/bin/env python3
"""Roles in several languages on one queue: they submit, work, cancel, are killed and frozen, as a seed decides.
At the end each accepted result must be there once, that of the attempt that the record names, no two attempts may have
run at the same time, each fire time of the schedules must have made one task, the hooks of the workers must have been
called as often as there were attempts and outcomes, and `blueque doctor` must find nothing.

    mixed.py --blueque target/debug/blueque --crate target/debug/examples --server redis-server --seed 1

With --planted a thief takes part, the hooks of the worker in Python are broken, and some submits have no hook. The run
passes if all these faults are found.

Roles: `python` the worker of clients/python, `shell` `blueque worker`, `crate` a worker of the Rust crate, `typescript`
one of clients/typescript, which has to be built, `old` Blueque 1.0. A role in a further language is an entry in `ROLES`:
a program that runs `square` on the queue until it gets SIGTERM, and records each run as `handler.py` does. The clients
of all of them submit, and all but Blueque 1.0, which cannot, cancel.

Roles of `ITEMS` run next to those above. They use a `WorkQueue` as users of redis-work-queue do: they lease an item,
crash where the item orders it, and record the result. Each item must have been completed once, with the right
result.
"""

import argparse
import collections
import contextlib
import json
import logging
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "clients" / "python" / "src"))

import check_hooks  # noqa: E402
import check_schedules  # noqa: E402
from blueque_client import BluequeError, Client, Hooks, TaskCall, WorkItem, WorkQueue  # noqa: E402
from blueque_client.testing import Server  # noqa: E402
from histories import check  # noqa: E402

QUEUE, LEASE = "mixed", 3
#: The queue of the processes that lease items: a name that has to be encoded.
WORKS = "mixed items"
#: Seconds in which everything must end after the faults are over.
PATIENCE = 120
#: Least number of tasks and items that a run submits and adds, even on a slow machine.
LEAST, LEAST_ITEMS = 60, 20
FINAL = ("complete", "failed", "cancelled")

ROLES = {
    "python": lambda given, url: [
        sys.executable, "-m", "blueque_client", "worker", "mixed_tasks", "--url", url, "-n", "2", "--grace", "1",
        "--lease", str(LEASE), "--folder", f"{given.folder}/python", "--quiet",
    ],
    "shell": lambda given, url: [
        given.blueque, "--url", url, "worker", QUEUE, "--slots", "2", "--lease", f"{LEASE}s", "--quiet",
        # The name that Blueque 1.0 uses for this host.
        "--host-name", socket.getfqdn(), "--env", "MIXED", "--env", "MIXED_WORKER",
        "--", sys.executable, str(HERE / "handler.py"),
    ],
    "crate": lambda given, url: [f"{given.crate}/mixed_worker", url, QUEUE, str(LEASE)],
    "typescript": lambda _given, url: ["node", str(HERE / "worker.mjs"), url, QUEUE, str(LEASE)],
    "old": lambda _given, url: [sys.executable, str(HERE / "old_worker.py"), url, QUEUE],
}  # fmt: skip
ITEMS = {
    "python": lambda _given, url: [sys.executable, str(HERE / "items.py"), url, WORKS],
    "crate": lambda given, url: [f"{given.crate}/mixed_items", url, WORKS],
    "typescript": lambda _given, url: ["node", str(HERE / "items.mjs"), url, WORKS],
}  # fmt: skip
CLIENTS = {
    "crate": lambda given, url: [f"{given.crate}/mixed_client", url, QUEUE, WORKS],
    "typescript": lambda _given, url: ["node", str(HERE / "client.mjs"), url, QUEUE, WORKS],
    "old": lambda _given, url: [sys.executable, str(ROOT / "tests" / "blueque_1_0" / "client.py"), url],
}  # fmt: skip
THIEF = {"thief": lambda _given, url: [sys.executable, str(HERE / "thief.py"), url, QUEUE, WORKS]}
#: Faults that must be found if a thief takes part.
STOLEN = (
    " beside ", " has the result ", " was completed ", " has no tag of a hook", ", not after ",
    *check_hooks.PLANTED, *check_schedules.PLANTED,
)  # fmt: skip
#: The options of each task that a client of the contract submits.
OPTIONS = {"method": "square", "max_losses": 1000, "max_failures": 1, "delay": 0}
WORDS = [word for name, value in OPTIONS.items() for word in (f"--{name.replace('_', '-')}", str(value))]


def process_of(listener):
    """The process in a listener's id, HOST_PID."""
    return int(listener.rsplit("_", 1)[1])


class Tagging(Hooks):
    """Adds a tag to each submit."""

    @contextlib.contextmanager
    def around_submit(self, submit):
        submit.options["tags"] = [*submit.options.get("tags", ()), "hooked"]
        yield
        raise RuntimeError("a hook changes no outcome")


class Worker:
    """A process in a role."""

    def __init__(self, role, number, given, url, items=False):
        self.role, self.items, self.name = role, items, f"{role}-{'items-' * items}{number}"
        folder = given.folder / "state"
        environment = {
            **os.environ,
            "MIXED": str(given.folder),
            "MIXED_WORKER": self.name,
            "BLUEQUE_STATE_DIR": str(folder),
            **({"MIXED_PLANTED": "1"} if given.planted else {}),
        }
        environment["PYTHONPATH"] = f"{ROOT / 'clients' / 'python' / 'src'}:{HERE}"
        with (given.folder / "log").open("a") as log:
            self.process = subprocess.Popen(
                (ITEMS if items else {**ROLES, **THIEF})[role](given, url),
                env=environment,
                cwd=HERE,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.frozen_until = None

    def signal(self, number):
        self.process.send_signal(number)

    def end(self):
        if self.items:  # a role of items runs without end
            return self.process.kill()
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return f"{self.name} does not end"
        return None


class Run:
    """A run of one seed on one server."""

    def __init__(self, given, url):
        self.given, self.url, self.dice = given, url, random.Random(given.seed)
        self.client = Client(url, limit=10, hooks=[] if given.planted else [Tagging()])
        logging.getLogger("blueque.worker").addHandler(logging.NullHandler())  # for the errors of the hook
        self.queue = self.client.queue(QUEUE)
        # A long run is judged by everything that happened.
        self.queue.configure("keep", 10_000_000)
        self.queue.configure("events", 100_000)
        self.submitted, self.cancelled, self.killed, self.foreign = {}, set(), set(), set()
        self.fails, self.hooked = collections.Counter(), set()
        self.workers, self.count = [], collections.Counter()
        self.works, self.added, self.kills = WorkQueue(self.client, WORKS), {}, 0
        with (given.folder / "log").open("a") as log:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log, "text": True}
            self.clients = {name: subprocess.Popen(command(given, url), **pipes) for name, command in CLIENTS.items()}
        self.schedules = check_schedules.Schedules(self.client, QUEUE, self.schedule)

    def ask(self, how, **order):
        client = self.clients[how]
        client.stdin.write(json.dumps(order) + "\n")
        client.stdin.flush()
        return json.loads(client.stdout.readline())["ok"]

    def command(self, *words):
        said = subprocess.run(
            [self.given.blueque, "--url", self.url, *words], capture_output=True, text=True, timeout=60
        )
        return said.returncode, said.stdout, said.stderr

    def begin(self, role, items=False):
        self.count[role] += 1
        self.workers.append(Worker(role, self.count[role], self.given, self.url, items))

    def schedule(self, how, name, cron, parameters):
        """Creates a schedule whose fire times each make one task, however late."""
        if how in CLIENTS:
            self.ask(how, do="schedule", name=name, cron=cron, parameters=parameters)
        elif how == "shell":
            code, _, error = self.command(
                "schedule", "add", name, QUEUE, json.dumps(parameters),
                *(("--cron", cron) if cron else ("--every", "1s")), "--overlap", "allow", "--missed", "all", *WORDS,
            )  # fmt: skip
            assert code == 0, error
        else:
            when, policies = {"cron": cron} if cron else {"every": 1}, {"overlap": "allow", "missed": "all"}
            self.client.schedule(name, TaskCall(QUEUE, parameters), **when, **policies, **OPTIONS)

    def submit(self):
        n, ms = len(self.submitted), self.dice.choice([0, 5, 20, 100])
        parameters = {"n": n, "ms": ms}
        # A command takes longer than a call.
        how = self.dice.choice(["python", "python", "crate", "crate", "typescript", "typescript", "shell", "old"])
        if how != "old":
            parameters["fails"] = fails = self.dice.choice([0] * 8 + [1, 99])
        if how == "old":
            id = self.ask(how, do="enqueue", queue=QUEUE, parameters=json.dumps(parameters))
            self.foreign.add(id)
        elif how in CLIENTS:
            id = f"{how}-{n}"
            self.ask(how, do="submit", id=id, parameters=parameters)
        elif how == "shell":
            id = f"shell-{n}"
            code, _, error = self.command("submit", QUEUE, json.dumps(parameters), "--id", id, *WORDS)
            assert code == 0, error
        else:
            id = self.queue.submit(parameters, **OPTIONS).id
        self.submitted[id] = n
        if how != "old":
            self.fails[id] = fails
        if how not in ("old", "shell"):
            self.hooked.add(id)

    def cancel(self):
        id, how = self.dice.choice(list(self.submitted)), self.dice.choice(["python", "shell", "crate", "typescript"])
        if how == "shell":
            code, _, error = self.command("cancel", id)
            assert code in (0, 4, 5), error
            done = code == 0
        elif how in CLIENTS:
            done = self.ask(how, do="cancel", id=id)
        else:
            try:
                self.client.task(id).cancel("by chance")
                done = True
            except BluequeError as error:
                assert error.code in ("STATE", "NOTASK"), error
                done = False
        if done:
            self.cancelled.add(id)

    def add(self):
        n, how = len(self.added), self.dice.choice(["python", "crate", "typescript"])
        crash = self.dice.choice([None] * 27 + ["leased", "worked", "completed"])
        id, data = f"item/{n}", json.dumps({"n": n, "ms": self.dice.choice([0, 5, 20, 100]), "crash": crash})
        self.added[id] = crash
        if how == "python":
            done = self.works.add_item(WorkItem(data.encode(), id))
        else:
            done = self.ask(how, do="add", id=id, data=data)
        assert done, id

    def break_one(self):
        worker = self.dice.choice([worker for worker in self.workers if worker.role not in THIEF])
        if worker.role == "old" or self.dice.random() < 0.5:
            self.note("killed", worker)
            self.killed.add(worker.process.pid)
            self.kills += worker.items
            worker.signal(signal.SIGKILL)
            worker.process.wait()
            self.workers.remove(worker)
            self.begin(worker.role, worker.items)
        elif worker.frozen_until is None:
            self.freeze(worker, time.monotonic() + self.dice.uniform(0.5, 2) * LEASE)

    def freeze(self, worker, until):
        self.note("frozen", worker)
        worker.signal(signal.SIGSTOP)
        worker.frozen_until = until

    def thaw(self, now):
        for worker in self.workers:
            if worker.frozen_until and now >= worker.frozen_until:
                worker.signal(signal.SIGCONT)
                worker.frozen_until = None
                self.note("thawed", worker)

    def few(self):
        return len(self.submitted) < LEAST or len(self.added) < LEAST_ITEMS

    def replace(self):
        """Replaces the processes that have crashed because an item ordered it."""
        for worker in [worker for worker in self.workers if worker.items and worker.process.poll() is not None]:
            # Only `clear` and faults send SIGKILL, and a fault replaces the process itself.
            assert worker.process.returncode == 7, f"{worker.name} ended with {worker.process.returncode}"
            self.workers.remove(worker)
            self.begin(worker.role, items=True)

    def note(self, what, worker):
        with (self.given.folder / "history").open("a") as history:
            history.write(f"{what} - - {worker.name} -\n")

    def run(self):
        for role in self.given.roles:
            self.begin(role)
            if role in check_schedules.SERVERS:
                self.schedules.serve_alone(role, 8 if self.given.planted else PATIENCE)
                self.freeze(self.workers[-1], float("inf"))
        self.thaw(float("inf"))
        for role in [role for role in ITEMS if role in self.given.roles]:
            self.begin(role, items=True)
        until, next_fault = time.monotonic() + self.given.seconds, time.monotonic() + 2
        while time.monotonic() < until or (self.few() and time.monotonic() < until + PATIENCE):
            for _ in range(self.dice.randrange(1, 8)):
                self.submit()
            for _ in range(self.dice.randrange(3) if self.works.queue_len() < 50 else 0):
                self.add()
            self.replace()
            if self.dice.random() < 0.2:
                self.cancel()
            if time.monotonic() > next_fault:
                self.break_one()
                next_fault = time.monotonic() + self.dice.uniform(0.3, 1.5)
            self.thaw(time.monotonic())
            # Waits while more than 100 tasks are pending, so that the end of the run does not take long.
            while self.queue.counts().pending > 100 and time.monotonic() < until:
                self.thaw(time.monotonic())
                time.sleep(0.05)
        self.thaw(float("inf"))
        return self.judge()

    def clear(self):
        """Leaves no process behind."""
        for process in (*self.clients.values(), *(worker.process for worker in self.workers)):
            process.kill()
            process.wait()

    def judge(self):
        """Yields what is wrong, a line for each fault."""
        until, found = time.monotonic() + PATIENCE, []
        for thief in [worker for worker in self.workers if worker.role in THIEF]:
            thief.end()
            self.workers.remove(thief)
        expected = self.schedules.end(until)
        there = {task.id for task in self.queue.tasks()}
        self.submitted |= {id: n for id, n in expected.items() if id in there}
        left = set(self.submitted)
        while left and time.monotonic() < until:
            left = {id for id in left if self.client.task(id).state() not in FINAL}
            time.sleep(0.1)
        found += [f"{id} is {self.client.task(id).state()}" for id in sorted(left)]
        found += self.items(until)
        found += filter(None, [worker.end() for worker in self.workers])
        attempts = self.history(found)
        self.foreign |= {id for id, ran in attempts.items() if any(worker.startswith("old") for _, worker in ran)}
        events = list(self.queue.events())
        found += self.transitions(events)
        found += self.transitions(list(self.works.queue.events()))
        found += self.schedules.faults(expected, there, events)
        found += check_hooks.faults(self.lines("history"), self.lines("hooks"), events, self.cancelled)
        for id, n in self.submitted.items():
            record, fails = self.client.task(id).info(), self.fails[id]
            if (record.failures or 0) > fails:
                found.append(f"{id} has failed {record.failures} times, not after {fails} orders: {record.error}")
            if id in self.hooked and "hooked" not in (record.tags or ()):
                found.append(f"{id} has no tag of a hook around its submit")
            if record.status == "complete":
                result = record.result
                ran = {worker for attempt, worker in attempts.get(id, []) if attempt == result["attempt"]}
                if result["square"] != n * n or result["worker"] not in ran:
                    found.append(f"{id} has the result {result}, of none of {attempts.get(id)}")
                if not result["worker"].startswith("old") and result["attempt"] != record.attempt:
                    found.append(f"{id} has the result of the attempt {result['attempt']}, not {record.attempt}")
            elif id not in self.cancelled and (record.status != "failed" or fails < 2):
                found.append(f"{id} is {record.status}: {record.error}")
        found += self.doctor()
        ran, workers = sum(map(len, attempts.values())), sum(self.count.values())
        self.done = f"{len(self.submitted)} tasks, {len(expected)} of schedules, {ran} attempts, "
        self.done += f"{len(self.lines('hooks'))} hooks, {len(self.added)} items, {workers} workers"
        return found

    def items(self, until):
        """Checks that each item was completed once, and that its results are right."""
        while (left := self.works.queue_len() + self.works.processing()) and time.monotonic() < until:
            self.works.light_clean()
            self.replace()
            time.sleep(0.05)
        if left:
            yield f"{left} items are left"
        for worker in [worker for worker in self.workers if worker.items]:
            worker.process.kill()  # it waits for the next item
            worker.process.wait()
            self.workers.remove(worker)
        results, done = collections.defaultdict(set), collections.Counter()
        for line in self.lines("items"):
            what, id, result, _ = line.split()
            if what == "result":
                results[id].add(int(result))
            else:
                done[id] += 1
        for n, (id, _) in enumerate(self.added.items()):
            if results[id] != {n * n}:
                yield f"{id} has the results {results[id]}"
            if done[id] > 1:
                yield f"{id} was completed {done[id]} times"
        # A crash may come between the completion and the record of it; the record of such an item may be left.
        silent = sum(not done[id] and crash != "completed" for id, crash in self.added.items())
        counts = self.works.queue.counts()
        if max(silent, counts.complete) > self.kills + len(ITEMS):
            yield f"{silent} items were not completed, {counts.complete} have a record, {self.kills} workers were killed"
        if counts.failed or counts.cancelled or counts.waiting:
            yield f"items are left: {counts}"

    def lines(self, name):
        file = self.given.folder / name
        return file.read_text().splitlines() if file.exists() else []

    def transitions(self, events):
        """Checks that the events, in the server's order, belong to one owner at a time, and to one result. Blueque
        1.0 makes no events."""
        held, completions = {}, collections.Counter()
        yield from check(events, self.foreign, old="old" in self.given.roles)
        for event in events:
            if event.to == "reserved":
                attempt, owner = held.get(event.id, (event.attempt, None))
                # Tasks of a dead process go to the next owner in one step.
                adopted = event.why == "adopt" and owner and process_of(owner) in self.killed
                if event.attempt > attempt and not adopted:
                    yield f"attempt {event.attempt} of {event.id} began before attempt {attempt} of {owner} had ended"
                held[event.id] = event.attempt, event.by
            elif event.to != "started":
                held.pop(event.id, None)
            completions[event.id] += event.to == "complete"
        yield from (f"{id} was completed {times} times" for id, times in completions.items() if times > 1)

    def doctor(self):
        """Yields the findings of `blueque doctor`. Blueque 1.0 does not see that a task was cancelled, and completes
        it anyway. Maintenance repairs that within minutes, so such a finding is allowed."""
        code, said, error = self.command("doctor")
        findings = [line for line in said.splitlines() if line.startswith("FINDING")]
        if code and not findings:
            yield f"doctor: {said}{error}"
        for line in findings:
            about = re.match(r"FINDING +tasks +(\S+) is complete, but is in cancelled_tasks", line)
            known = about and about[1] in self.cancelled
            result = self.client.task(about[1]).info().result if known else {}
            if not result.get("worker", "").startswith("old"):
                yield f"doctor: {line}"

    def history(self, found):
        """The attempts that there were, by worker. No two attempts may run at once, unless the earlier worker was
        killed or frozen."""
        running, attempts, frozen, numbers = {}, {}, set(), set()
        for line in self.lines("history"):
            what, id, attempt, worker, other = line.split()
            if what == "begin":
                before, excused = running.get(id, (None, False))
                # Without `other` nothing was running: an earlier worker that was killed has not recorded its end.
                if other != "-" and not (before == other and excused):
                    found.append(f"{id} runs on {worker} beside {other}")
                running[id] = worker, worker in frozen
                # Blueque 1.0 does not have attempts.
                if not worker.startswith("old"):
                    if (id, attempt) in numbers:
                        found.append(f"the attempt {attempt} of {id} began twice")
                    numbers.add((id, attempt))
                attempts.setdefault(id, []).append((int(attempt), worker))
            elif what == "end":
                if running.get(id, (None, False))[0] == worker:
                    del running[id]
            elif what == "thawed":
                frozen.discard(worker)
            else:
                frozen.add(worker)
                running |= {id: (each, excused or each == worker) for id, (each, excused) in running.items()}
        return attempts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--blueque", type=os.path.abspath, required=True)
    parser.add_argument("--crate", type=os.path.abspath, required=True)
    parser.add_argument("--server", action="append", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--roles", default=",".join(ROLES))
    parser.add_argument("--planted", action="store_true")
    given = parser.parse_args()
    given.roles = given.roles.split(",") + list(THIEF) * given.planted
    failed = False
    for server in given.server:
        os.environ["BLUEQUE_REDIS_SERVER"] = server
        with tempfile.TemporaryDirectory() as folder, Server() as own:
            given.folder = pathlib.Path(folder)
            (given.folder / "history").touch()
            (given.folder / "running").mkdir()
            run = Run(given, own.url)
            try:
                found = run.run()
            except BaseException:
                print((given.folder / "log").read_text()[-4000:])
                raise
            finally:
                run.clear()
            print(f"{pathlib.Path(server).name}, seed {given.seed}: {run.done}; {len(found)} violations", flush=True)
            if given.planted:
                missed = [words.strip() for words in STOLEN if not any(words in line for line in found)]
                print(f"  the thief was not seen: {missed}" if missed else f"  planted, and found: {found[0]}")
                print((given.folder / "log").read_text()[-4000:] if missed else "", end="")
                failed |= bool(missed)
                continue
            for line in found:
                print(f"  {line}")
            if found:
                failed = True
                print((given.folder / "log").read_text()[-4000:])
    if failed:
        print(f"repeat it: make mixed SEED={given.seed} MINUTES={given.seconds / 60:g}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
