"""Checks the calls of hooks that the workers have recorded in the file `hooks`, by the attempts that there were."""

import collections

#: The roles whose workers have hooks.
HOOKED = ("python", "crate", "typescript")
OUTCOMES = ("success", "failure", "retry", "cancel", "release", "lost")
#: Faults that must be found if the hooks of the workers in Python are broken.
PLANTED = (" its hook after_attempt ", " its hook before_attempt ", " hooks of its outcome")


def verdicts(events):
    """The outcome of each attempt whose end the server has accepted, by id and number."""
    found, names = {}, {"complete": "success", "failed": "failure", "cancelled": "cancel"}
    for event in events:
        if event.from_ == "started" and event.why in ("complete", "fail"):
            found[event.id, event.attempt] = names.get(event.to, "retry")
    return found


def faults(history, hooks, events, cancelled):
    """Yields the faults.

    history, hooks: The lines of these files.
    events: The events of the queue.
    cancelled: The ids of the tasks that were cancelled.
    """
    calls, accepted = collections.defaultdict(collections.Counter), verdicts(events)
    for line in hooks:
        what, id, attempt, worker = line.split()
        calls[id, int(attempt), worker][what] += 1
    begun, ended, killed, frozen = [], set(), set(), set()
    for line in history:
        what, id, attempt, worker, _ = line.split()
        if what in ("killed", "frozen"):
            (killed if what == "killed" else frozen).add(worker)
        elif what != "thawed" and worker.startswith(HOOKED):
            own = id, int(attempt), worker
            begun += [own] * (what == "begin")
            ended |= {own} if what == "end" else set()
    for id, attempt, worker in begun:
        own, called = f"attempt {attempt} of {id} on {worker}", calls[id, attempt, worker]
        verdict = accepted.get((id, attempt))
        if called["before"] != 1:
            yield f"{own}: its hook before_attempt was called {called['before']} times"
        # A process that is stopped may be killed between the end of the function and the hook.
        may_miss = not verdict and (worker in killed | frozen or id in cancelled)
        least = verdict or ((id, attempt, worker) in ended and not may_miss)
        if called["after"] > 1 or (least and not called["after"]):
            yield f"{own}: its hook after_attempt was called {called['after']} times"
        outcomes = [each for each in OUTCOMES for _ in range(called[each])]
        if len(outcomes) != 1 and not (worker in killed and not outcomes):
            yield f"{own}: {len(outcomes)} hooks of its outcome were called: {outcomes}"
        elif outcomes and (verdict or outcomes[0]) != outcomes[0]:
            yield f"{own}: its hook {outcomes[0]} was called, but the server has {verdict}"
        elif not verdict and set(outcomes) & {"success", "failure", "retry"}:
            yield f"{own}: its hook {outcomes[0]} was called, but the server has no end of it"
    for id, attempt, worker in calls.keys() - set(begun):
        called = calls[id, attempt, worker]
        # An attempt that never began has no `begin`: its worker was stopped between the hook and the function.
        if set(called) - {"before", "cancel", "release", "lost"} or max(called.values()) > 1:
            yield f"attempt {attempt} of {id} on {worker}: it has not begun, but its hooks were called: {dict(called)}"
