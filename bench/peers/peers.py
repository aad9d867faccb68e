"""The peers: how to start each one, its version, and the features that it lacks."""
from __future__ import annotations  # install.py reports a Python that is too old

import dataclasses
import importlib.metadata
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Seconds of a lease, where a peer's documentation names no least value that is longer.
SHORT = 5
PROCESSES = 0.05


@dataclasses.dataclass(frozen=True)
class Held:
    """When a peer runs the task of a silent worker elsewhere."""

    # By default, and with the shortest setting that the peer's documentation allows for tasks of 60 s; in words.
    usual: str
    shortest: str
    # Seconds of this setting.
    lease: int = SHORT
    # Seconds with which late results are tried.
    silent: int = SHORT
    # Seconds of the setting with which the peer keeps what a worker holds, if its default does not.
    keeps: int | None = None
    # The most slots of a worker.
    slots: int = 1000
    # The share of the held tasks: a process takes as much memory as hundreds of threads.
    share: float = 1.0


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    title: str
    # The program's command line in the installation folder, without the server and the file of records.
    command: object
    # The version in that folder.
    version: object
    # The share of the tasks that the peer gets: a slow peer takes long enough with fewer tasks.
    share: float = 1.0
    # The features of Blueque that the peer lacks.
    lacks: str = ""
    # None: it is not among the peers of held work.
    held: Held | None = None


def own(name):
    """A program of Blueque's workspace."""
    return lambda folder: [folder.parent / "release" / name]


def binary(name):
    return lambda folder: [folder / "release" / name]


def script(name, *more, words=()):
    return lambda folder: [sys.executable, HERE / "python" / name, *words, *(folder / part for part in more)]


def arq(folder):
    # arq needs another version of redis-py.
    return [folder / "venv-arq" / "bin" / "python", HERE / "python" / "arq_peer.py"]


def client(mode):
    """Blueque's client for Python, installed by install.py."""
    return lambda folder: [sys.executable, HERE / "python" / "client_peer.py", folder / "client", mode]


def node(name):
    return lambda folder: ["node", folder / "node" / name]


def crate(package):
    """The version in Cargo.lock."""

    def version(_folder):
        text = (HERE / "rust" / "Cargo.lock").read_text()
        return text.split(f'name = "{package}"\nversion = "')[1].split('"')[0]

    return version


def npm(package):
    return lambda folder: json.loads((folder / "node" / "node_modules" / package / "package.json").read_text())["version"]


def pip(package):
    return lambda _folder: importlib.metadata.version(package)


def arq_version(_folder):
    return (HERE / "python" / "arq.txt").read_text().split("\narq==")[1].split(" ")[0]


def bundle(folder):
    return next((folder / "bundle").glob("blueque-lua-*")).name.removeprefix("blueque-lua-")


OURS = Held("lease 60 s", f"lease {SHORT} s")
RUST = dataclasses.replace(OURS, slots=500)
BULLMQ = {
    "lacks": "a fence on progress, logs and data; a task's history; an order to stop to a task that another process runs; search; fair turns of keys",
    "held": Held("lock and look for stalled jobs 30 s", f"lock and look for stalled jobs {SHORT} s"),
}

RQ = Held(
    "`Retry`; looks for lost jobs every 10 minutes",
    "`Retry`; heartbeats 1 s, and 60 s; looks for lost jobs every second",
    lease=1,
    silent=1,
    share=PROCESSES,
)
CELERY = Held(
    "acknowledged early",
    "acknowledged late, visibility timeout 65 s (longer than each task)",
    lease=65,
    keeps=3600,
)

PEERS = [
    Peer("blueque-threads", "Blueque, threads", own("blueque-threads"), bundle, held=RUST),
    Peer(
        "blueque-async",
        "Blueque, async",
        own("blueque-async"),
        bundle,
        held=RUST,
    ),
    Peer(
        "blueque-python",
        "Blueque, bundle script",
        script("bundle.py", "bundle"),
        bundle,
        share=0.3,
        lacks="(the bundle with redis-py, as here:) a worker with heartbeats",
    ),
    Peer("blueque-node", "Blueque, Node.js", node("client.mjs"), bundle, held=OURS),
    Peer("bullmq-rust", "BullMQ, Rust", binary("bullmq-rust"), crate("bullmq-official"), **BULLMQ),
    Peer("bullmq-node", "BullMQ, Node.js", node("bullmq.mjs"), npm("bullmq"), **BULLMQ),
    Peer(
        "redis-work-queue",
        "redis-work-queue, Rust",
        binary("redis-work-queue"),
        crate("redis-work-queue"),
        lacks="a fence; renewed leases; states, results and errors of tasks; retries that are counted; priorities; schedules; unique keys; limits; events and history; cancel; progress and checkpoints; search",
    ),
    Peer("python-process", "Python: Blueque, a process per task", client("process"), bundle, share=0.05, held=dataclasses.replace(OURS, share=PROCESSES)),
    Peer("rq-process", "Python: RQ, a process per task", script("rq_peer.py", words=["fork"]), pip("rq"), share=0.03, held=RQ),
    Peer("python-kept", "Python: Blueque, processes kept", client("kept"), bundle, share=0.2),
    Peer("python-threads", "Python: Blueque, threads", client("thread"), bundle, share=0.2, held=OURS),
    Peer("python-asyncio", "Python: Blueque, asyncio", client("asyncio"), bundle, share=0.2, held=OURS),
    Peer("celery-threads", "Python: Celery, threads", script("celery_peer.py", words=["threads"]), pip("celery"), share=0.2, held=CELERY),
    Peer(
        "dramatiq",
        "Python: Dramatiq, threads",
        script("dramatiq_peer.py"),
        pip("dramatiq"),
        share=0.2,
        lacks="a fence; renewed leases of tasks; states and events of tasks; priorities by number; unique keys; fair turns of keys; cancel; progress and checkpoints; search",
        held=Held("heartbeats 60 s, looked at by one call in a thousand", f"heartbeats {SHORT} s, looked at by each call"),
    ),
    Peer(
        "arq",
        "Python: arq, asyncio",
        arq,
        arq_version,
        share=0.1,
        lacks="a fence; renewed leases; priorities; retries with backoff by default; events and history; limits; fair turns of keys; checkpoints; search",
        held=Held("time limit 300 s, and 10 s", "time limit 65 s (longer than each task), and 10 s", lease=65),
    ),
    Peer(
        "rq",
        "RQ",
        script("rq_peer.py"),
        pip("rq"),
        share=0.1,
        lacks="a fence; a lease that a SimpleWorker renews while it works; priorities within a queue; a durable stream of events and a task's history; fair turns of keys",
    ),
    Peer(
        "celery",
        "Celery",
        script("celery_peer.py"),
        pip("celery"),
        share=0.2,
        lacks="a fence; renewed leases (what runs longer than the visibility timeout runs twice); a list of what waits; a task's history; checkpoints; unique keys; fair turns of keys",
        held=dataclasses.replace(CELERY, share=PROCESSES),
    ),
]


def chosen(only):
    """The peers of `--only`, and the parts: without names both, with `held` among the names held work, else speed."""
    names = only.split(",") if only else []
    parts = {"speed", "held"} if not names else {"held"} if "held" in names else {"speed"}
    names = [name for name in names if name != "held"]
    known = [peer.name for peer in PEERS]
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"peers: no peer {unknown[0]}: {', '.join(known)}; or held, for held work")
    peers = [peer for peer in PEERS if (not names or peer.name in names) and (parts != {"held"} or peer.held)]
    return parts, peers
