"""The peers: how to start each one, its version, and the features that it lacks."""
import dataclasses
import importlib.metadata
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


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
    # How the time after a worker's death is measured, or why it is not measured.
    kill: str = ""
    recovers: bool = True


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


BULLMQ = {
    "lacks": "a fence on progress, logs and data; a task's history; an order to stop to a task that another process runs; search; fair turns of keys",
    "kill": "lock and look for stalled jobs 10 s (default 30 s each)",
}

PEERS = [
    Peer("blueque-threads", "Blueque, threads", own("blueque-threads"), bundle, kill="lease 10 s (default 60 s)"),
    Peer(
        "blueque-async",
        "Blueque, async",
        own("blueque-async"),
        bundle,
        kill="lease 10 s (default 60 s)",
    ),
    Peer(
        "blueque-python",
        "Blueque, bundle script",
        script("bundle.py", "bundle"),
        bundle,
        share=0.3,
        lacks="(the bundle with redis-py, as here:) a worker with heartbeats",
        kill="lease 10 s (default 60 s)",
    ),
    Peer("blueque-node", "Blueque, Node.js", node("client.mjs"), bundle, kill="lease 10 s (default 60 s)"),
    Peer("bullmq-rust", "BullMQ, Rust", binary("bullmq-rust"), crate("bullmq-official"), **BULLMQ),
    Peer("bullmq-node", "BullMQ, Node.js", node("bullmq.mjs"), npm("bullmq"), **BULLMQ),
    Peer(
        "redis-work-queue",
        "redis-work-queue, Rust",
        binary("redis-work-queue"),
        crate("redis-work-queue"),
        lacks="a fence; renewed leases; states, results and errors of tasks; retries that are counted; priorities; schedules; unique keys; limits; events and history; cancel; progress and checkpoints; search",
        kill="the crate has no cleaner, and that of the Python package (0.1.5) looks for its leases under other keys: it would give out what runs",
        recovers=False,
    ),
    Peer("python-process", "Python: Blueque, a process per task", client("process"), bundle, share=0.05, recovers=False),
    Peer("rq-process", "Python: RQ, a process per task", script("rq_peer.py", words=["fork"]), pip("rq"), share=0.03, recovers=False),
    Peer("python-kept", "Python: Blueque, processes kept", client("kept"), bundle, share=0.2, recovers=False),
    Peer("python-threads", "Python: Blueque, threads", client("thread"), bundle, share=0.2, kill="lease 10 s (default 60 s)"),
    Peer("python-asyncio", "Python: Blueque, asyncio", client("asyncio"), bundle, share=0.2, recovers=False),
    Peer("celery-threads", "Python: Celery, threads", script("celery_peer.py", words=["threads"]), pip("celery"), share=0.2, recovers=False),
    Peer(
        "dramatiq",
        "Python: Dramatiq, threads",
        script("dramatiq_peer.py"),
        pip("dramatiq"),
        share=0.2,
        lacks="a fence; renewed leases of tasks; states and events of tasks; priorities by number; unique keys; fair turns of keys; cancel; progress and checkpoints; search",
        kill="heartbeat timeout 10 s (default 60 s), seen by one in a thousand calls of others",
        recovers=False,
    ),
    Peer(
        "arq",
        "Python: arq, asyncio",
        arq,
        arq_version,
        share=0.1,
        lacks="a fence; renewed leases; priorities; retries with backoff by default; events and history; limits; fair turns of keys; checkpoints; search",
        kill="job timeout 10 s (default 300 s), and 10 s",
    ),
    Peer(
        "rq",
        "RQ",
        script("rq_peer.py"),
        pip("rq"),
        share=0.1,
        lacks="a fence; a lease that a SimpleWorker renews while it works; priorities within a queue; a durable stream of events and a task's history; fair turns of keys",
        kill="missed after the job's timeout and 60 s (240 s by default); it then fails, unless it was given Retry",
        recovers=False,
    ),
    Peer(
        "celery",
        "Celery",
        script("celery_peer.py"),
        pip("celery"),
        share=0.2,
        lacks="a fence; renewed leases (what runs longer than the visibility timeout runs twice); a list of what waits; a task's history; checkpoints; unique keys; fair turns of keys",
        kill="late acknowledgement, visibility timeout 10 s (default 1 h)",
    ),
]
