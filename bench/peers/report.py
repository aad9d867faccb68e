"""The figures as tables, and the goals."""
import dataclasses
import os
import platform
import statistics

from measures import LONG, LONGEST, SHORT

BEGIN, END = "<!-- make peers: from here", "<!-- make peers: to here -->"
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
    aof: str
    seconds: float
    load: float


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


def rest(peers, found):
    rows = []
    for peer in peers:
        took = found[peer.name].get("killed")
        seconds = f"{took:.1f} s" if took else f"not within {LONGEST} s" if peer.recovers else "–"
        rows.append([peer.title, seconds, peer.kill or "–", peer.lacks or "–"])
    return table(["", f"killed at 0 s, runs elsewhere after", "with", "has not"], rows)


def processor():
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def tables(peers, versions, found, about):
    names = ", ".join(f"{peer.title} {versions[peer.name]}" for peer in peers)
    save = "nothing kept on disk" if about.aof == "none" else "append-only file, fsync every second"
    asked = f"ROUNDS={about.rounds} TASKS={about.tasks}" + ("" if about.aof == "none" else f" AOF={about.aof}")
    return f"""\
`make peers {asked}`: {about.server}, {save}; {processor()}, {os.cpu_count()} cores
with a load of {about.load:.1f} before it began; {about.seconds / 60:.0f} minutes.
{names}. Medians of all rounds, in brackets the least and the most.

{columns(peers, found, SPEED)}

Microseconds of the server for a task:

{columns(peers, found, SERVER)}

Bytes that a task takes in memory, with a payload of {SHORT} and of {LONG} bytes; none where the peer keeps no ended tasks:

{columns(peers, found, BYTES)}

Microseconds of the server for one task with many others waiting (slower peers with as many as they took in a minute):

{sizes(peers, found)}

{rest(peers, found)}
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


def place(text, page):
    """Puts the tables between their marks in a page, and keeps the other text of the page."""
    before, after = "", ""
    if page.exists():
        old = page.read_text()
        if BEGIN in old and END in old:
            before, rest = old.split(BEGIN, 1)
            after = rest.split(END, 1)[1]
        else:
            before = old.rstrip() + "\n\n"
    mark = f"{BEGIN}; edits are lost -->"
    page.write_text(f"{before}{mark}\n{text}\n![Tasks per second](peers.svg)\n{END}{after or chr(10)}")
