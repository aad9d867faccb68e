"""Checks the events of a queue, in the server's order: each task takes one path through the states, its attempts only
grow, and it ends once."""

FINAL = ("complete", "failed", "cancelled")
HELD = ("reserved", "started")


def check(events, foreign=(), old=False):
    """Yields what is wrong, a line for each fault. `foreign`: tasks that Blueque 1.0 submitted or ran, whose
    transitions make no events. `old`: its workers also give back tasks of other processes that have died."""
    last = {}
    for event in events:
        before = last.get(event.id)
        last[event.id] = event
        if before is None or before.to == "deleted":
            if event.from_ and event.id not in foreign:
                yield f"the first event of {event.id} leads from {event.from_} to {event.to}"
            continue
        # An old worker makes no event when it takes a task, and it may be killed before it writes to the history.
        taken = before.to == "pending" and event.from_ in HELD
        excused = event.id in foreign or (old and (before.to in HELD or taken))
        if event.from_ != before.to and not excused:
            yield f"{event.id} went from {event.from_} to {event.to}, and was {before.to}"
        if before.to in FINAL and event.to != "deleted":
            yield f"{event.id} ended as {before.to}, and then became {event.to}"
        if event.attempt < before.attempt and not excused:
            yield f"{event.id} is in attempt {event.attempt} after attempt {before.attempt}"
