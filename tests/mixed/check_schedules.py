"""Schedules of the mixed runs: each client creates one with an interval and one with cron, and each worker has to serve
them alone for a moment. At the end each fire time must have made one task."""

import collections
import time

from blueque_client import calls
from blueque_client.cron import Cron

EVERY_MINUTE = "* * * * *"
#: The clients that create schedules.
CREATORS = ("python", "shell", "crate", "typescript")
#: The roles that create due tasks, and supply the fire times of cron. Blueque 1.0 knows no schedules.
SERVERS = ("python", "shell", "crate", "typescript")
#: Faults that must be found if a thief deletes and repeats the tasks of schedules, and a role supplies no fire times.
PLANTED = (" has no task of ", " was made 2 times", " supplies no fire times")


class Schedules:
    """The schedules of a run.

    create: Creates a schedule, by the client, the name, the expression or None, and the parameters.
    """

    def __init__(self, client, queue, create):
        self.client, self.queue, self.first, self.alone = client, queue, {}, []
        for n, creator in enumerate(CREATORS):
            for kind, cron in ("every", None), ("cron", EVERY_MINUTE):
                name = f"{kind}-{creator}"
                create(creator, name, cron, {"n": n, "ms": 5})
                self.first[name] = self.info(name).next, n, 60 if cron else 1

    def info(self, name):
        return self.client.schedule_of(name).info()

    def serve_alone(self, role, patience):
        """Waits until the only running worker has created tasks, and has supplied the fire times of a cron schedule
        that has a single one."""
        name, cron = f"alone-{role}", Cron(EVERY_MINUTE, "UTC")
        # An hour ahead: these fire times are never reached.
        times = cron.times(int(time.time()) + 3600, 5)
        run = self.client.link.run
        run(calls.schedule(name, self.queue, str(cron), b'{"n": 0, "ms": 0}', times[:1], start=times[0]))
        made, until = self.made(), time.monotonic() + patience
        created = supplied = False
        while not (created and supplied) and time.monotonic() < until:
            created |= self.made() > made
            supplied |= all(str(each) in self.info(name).slots for each in times)
            time.sleep(0.05)
        run(calls.unschedule(name))
        if not created:
            self.alone.append(f"a worker of the role {role} creates no tasks of schedules")
        if not supplied:
            self.alone.append(f"a worker of the role {role} supplies no fire times")

    def made(self):
        return sum(self.info(name).made for name in self.first)

    def end(self, until):
        """Pauses the schedules when they have caught up. Returns the ids of the expected tasks, with their `n`."""
        now, expected = time.time(), {}
        for name, (first, n, step) in self.first.items():
            while (next := self.info(name).next) < now and time.monotonic() < until:
                time.sleep(0.05)
            if next < now:
                self.alone.append(f"{name} has not handled its fire time {next}")
            self.client.schedule_of(name).pause("the run ends")
            last = self.info(name).last_slot or 0
            expected |= {f"{name}@{slot}": n for slot in range(first, last + 1, step)}
        return expected

    def faults(self, expected, there, events):
        """Yields the faults, by the ids of the tasks that there are."""
        yield from self.alone
        yield from (f"{id.split('@')[0]} has no task of {id}" for id in sorted(expected.keys() - there))
        others = {id for id in there if "@" in id} - expected.keys()
        yield from (f"{id} is the task of no fire time" for id in sorted(others))
        made = collections.Counter(event.id for event in events if "@" in event.id and event.from_ is None)
        yield from (f"{id} was made {times} times" for id, times in made.items() if times > 1)
        for name in self.first:
            info, tasks = self.info(name), sum(id.startswith(f"{name}@") for id in expected)
            if (info.made, info.skipped, info.passed) != (tasks, 0, 0):
                yield f"{name} counts {info.made}, {info.skipped} and {info.passed}, not {tasks} tasks"
