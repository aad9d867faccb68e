"""The figures as tables, and the goals."""
import dataclasses
import math
import os
import platform
import statistics

import held
from measures import LONG, SHORT

PICTURES = {"speed": "peers.svg", "held": "held.svg"}
ALTERNATIVES = {"speed": "Tasks per second", "held": "Held work"}
OURS, THEIRS = "blueque-threads", "bullmq-rust"

# Title, figure, digits.
SPEED = [
    ("adds/s, one by one", "adds_one", 0),
    ("adds/s, in bulk", "adds_bulk", 0),
    ("processed/s, 1 slot", "processed_1", 0),
    ("8 slots", "processed_8", 0),
    ("32 slots", "processed_32", 0),
    ("lone task, p50 ms", "lone_p50", 2),
    ("p99 ms", "lone_p99", 2),
    ("MiB, 8 slots", "mib_8", 0),
]
SERVER = [
    ("add, one by one", "add_us_one", 1),
    ("in bulk", "add_us_bulk", 1),
    ("after submit, 1 slot", "task_us_1", 1),
    ("32 slots", "task_us_32", 1),
    ("processor, 32 slots", "cpu_us_32", 1),
]
BYTES = [
    (f"waiting, {SHORT}", f"waiting_{SHORT}", 0),
    (f"waiting, {LONG}", f"waiting_{LONG}", 0),
    (f"ended, {SHORT}", f"ended_{SHORT}", 0),
    (f"ended, {LONG}", f"ended_{LONG}", 0),
]
# Figure, true for a comparison with BullMQ, bound, true if more is better.
GOALS = [
    ("processed-1-slot-over-bullmq-rust", "processed_1", True, 1.0, True),
    ("processed-32-slots-over-bullmq-rust", "processed_32", True, 1.0, True),
    ("adds-one-by-one-over-bullmq-rust", "adds_one", True, 1.2, True),
    ("adds-in-bulk-over-bullmq-rust", "adds_bulk", True, 1.2, True),
    ("server-time-after-submit-over-bullmq-rust", "task_us_32", True, 1.0, False),
    ("bytes-per-pending-task", f"waiting_{SHORT}", False, 420, False),
    ("bytes-per-ended-task", f"ended_{SHORT}", False, 650, False),
    ("lone-task-p50-milliseconds", "lone_p50", False, 0.3, False),
    ("lone-task-p99-milliseconds", "lone_p99", False, 1.0, False),
]
# Figure, our peer, the other peers (the fastest of them counts), bound.
CLIENT_GOALS = [
    ("python-process-over-rq", "processed_1", "python-process", ["rq-process"], 2.0),
    ("python-process-8-slots-over-rq", "processed_8", "python-process", ["rq-process"], 2.0),
    ("python-threads-over-the-fastest", "processed_1", "python-threads", ["celery-threads", "dramatiq"], 1.0),
    ("python-threads-8-slots-over-the-fastest", "processed_8", "python-threads", ["celery-threads", "dramatiq"], 1.0),
    ("python-threads-32-slots-over-the-fastest", "processed_32", "python-threads", ["celery-threads", "dramatiq"], 1.0),
    ("python-asyncio-32-slots-over-arq", "processed_32", "python-asyncio", ["arq"], 1.0),
    ("node-1-slot-over-bullmq", "processed_1", "blueque-node", ["bullmq-node"], 1.0),
    ("node-32-slots-over-bullmq", "processed_32", "blueque-node", ["bullmq-node"], 1.0),
]


@dataclasses.dataclass
class About:
    server: str
    rounds: int
    tasks: int
    seconds: int
    aof: str
    load: float
    versions: dict

    def head(self, asked, peers, took):
        save = "nothing kept on disk" if self.aof == "none" else "append-only file, fsync every second"
        asked += "" if self.aof == "none" else f" AOF={self.aof}"
        names = ", ".join(f"{peer.title} {self.versions[peer.name]}" for peer in peers)
        return f"""\
`make peers {asked}`: {self.server}, {save}; {processor()}, {os.cpu_count()} cores
with a load of {self.load:.1f} before it began; {took / 60:.0f} minutes.
{names}."""


def number(value, digits):
    if digits or abs(value) < 1e4:
        return f"{value:,.{digits}f}"
    return f"{value / 1000:.1f}k" if value < 1e6 else f"{value / 1e6:.2g}M"


def spread(values, digits):
    """The median, and the least and the most if they differ."""
    if not values:
        return "–"
    middle, least, most = (number(pick(values), digits) for pick in (statistics.median, min, max))
    return middle if least == most else f"{middle} ({least}–{most})"


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def columns(peers, found, which):
    rows = []
    for peer in peers:
        figures = found[peer.name]
        rows.append([peer.title] + [spread(figures.get(name, []), digits) for _, name, digits in which])
    return table([""] + [title for title, _, _ in which], rows)


def sizes(peers, found):
    rows = []
    for peer in peers:
        row, measured = [peer.title], found[peer.name].get("sizes", [])
        for about in measured:
            row += [number(about["waiting"], 0), number(about["submit"], 1), number(about["process"], 1)]
        rows.append(row + ["–"] * (7 - len(row)))
    return table(["", "waiting", "add, µs", "process, µs", "waiting", "add, µs", "process, µs"], rows)


def rest(peers):
    rows = [[peer.title, peer.lacks] for peer in peers if peer.lacks]
    return table(["", "has not"], rows) if rows else ""


def processor():
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def speed(peers, found, about, took):
    text = f"""\
{about.head(f"ROUNDS={about.rounds} TASKS={about.tasks}", peers, took)} Medians of all rounds, in brackets the least and the most.

{columns(peers, found, SPEED)}

Microseconds of the server for a task:

{columns(peers, found, SERVER)}

Bytes that a task takes in memory, with a payload of {SHORT} and of {LONG} bytes; none where the peer keeps no ended tasks:

{columns(peers, found, BYTES)}

Microseconds of the server for one task with many others waiting (slower peers with as many as they took in a minute):

{sizes(peers, found)}

{rest(peers)}
"""
    if lines := goals(found):
        text += "\n```text\n" + "\n".join(lines) + "\n```\n"
    return text


def seconds(took):
    return "–" if took is None else f"{took:.1f}" if took < math.inf else f"not within {held.LONGEST}"


def late(figures):
    """What the result of a worker replaced that had lost its task."""
    answers = {"wakes_during": "the running worker's", "wakes_after": "the later result"}
    if all(figures.get(name) is None for name in answers):
        return "–"
    return ", ".join(what for name, what in answers.items() if figures.get(name)) or "nothing"


def runs(figures):
    if figures.get("outlives") is None:
        return "–"
    number, ended = figures["outlives"]
    return f"{number}" + ("" if ended else ", ended by its time limit")


def held_work(peers, found, about, took):
    costs, losses, settings = [], [], []
    for peer in peers:
        figures = found[peer.name]
        if cost := figures.get("cost"):
            costs.append([peer.title, f"{cost['tasks']:,}", number(cost["calls"], 2), number(cost["us"], 1), number(cost["kib"], 1)])
        took_default, took_shortest = (seconds(figures.get(f"killed_{name}")) for name in ("usual", "shortest"))
        losses.append([peer.title, took_default, took_shortest, late(figures), runs(figures)])
        settings.append([peer.title, peer.held.usual, peer.held.shortest])
    return f"""\
{about.head(f"ONLY=held TASKS={about.tasks} SECONDS={about.seconds}", peers, took)}

Running tasks for {about.seconds} seconds, with the default settings: for each task, commands and microseconds of the
server in a minute, and memory of the worker. A process for each task: fewer tasks.

{table(["", "tasks", "commands", "server, µs", "worker, KiB"], costs)}

A worker is killed: seconds until its task runs on another worker, with the default and with the shortest setting. A
worker is stopped until another worker has its task, and then continues and ends the task: what its result replaced. A
task runs four times as long as a worker may be silent ({held.SHORT} s), or as its time limit: how often it was started.

{table(["", "default, s", "shortest, s", "a late result replaced", "starts"], losses)}

{table(["", "default", "shortest"], settings)}
"""


def goals(found):
    ours, theirs, lines = found.get(OURS, {}), found.get(THEIRS, {}), []
    for name, figure, beside, bound, more in GOALS:
        if not ours.get(figure) or (beside and not theirs.get(figure)):
            continue
        value = statistics.median(ours[figure])
        if beside:
            value /= statistics.median(theirs[figure])
        verdict = "met" if (value >= bound if more else value <= bound) else "short"
        lines.append(f"goal {name} {value:.2f} {bound} {verdict}")
    for name, figure, own, others, bound in CLIENT_GOALS:
        fastest = [statistics.median(found[other][figure]) for other in others if found.get(other, {}).get(figure)]
        if fastest and found.get(own, {}).get(figure):
            value = statistics.median(found[own][figure]) / max(fastest)
            lines.append(f"goal {name} {value:.2f} {bound} {'met' if value >= bound else 'short'}")
    return lines


def place(part, text, page):
    """Puts the tables of a part between their marks in a page, and keeps the other text of the page."""
    name = "make peers" + ("" if part == "speed" else f", {part}")
    begin, end = f"<!-- {name}: from here", f"<!-- {name}: to here -->"
    before, after = "", ""
    if page.exists():
        old = page.read_text()
        if begin in old and end in old:
            before, rest = old.split(begin, 1)
            after = rest.split(end, 1)[1]
        else:
            before = old.rstrip() + "\n\n"
    picture = f"![{ALTERNATIVES[part]}]({PICTURES[part]})"
    page.write_text(f"{before}{begin}; edits are lost -->\n{text}\n{picture}\n{end}{after or chr(10)}")
