"""Compares task queues on one server: compare.py FOLDER [--rounds N] [--tasks N] [--only NAME,NAME] [--aof everysec] [--docs FOLDER].

install.py runs this program, with its requirements in FOLDER. The table goes to stdout. The table and the plot go to
FOLDER or to the folder of pages. Progress goes to stderr.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import sys
import time

import measures
import plot
import report
from peers import PEERS
from program import Failed
from server import Server

# The large queue has this many times the tasks of a round; a million at most.
LARGE = 100
MOST = 1_000_000
SMALL = 1000
# Seconds within which a peer must have filled the large queue.
FILLING = 60


def say(text):
    print(f"peers: {text}", file=sys.stderr, flush=True)


def arguments():
    known = [peer.name for peer in PEERS]
    parser = argparse.ArgumentParser(prog="make peers")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--aof", choices=("none", "everysec"), default="none")
    parser.add_argument("--docs", type=pathlib.Path)
    given = parser.parse_args()
    given.only = given.only.split(",") if given.only else known
    if given.rounds < 1 or given.tasks < 100:
        parser.error("at least 1 round of 100 tasks")
    return given


def main():
    given, began, load = arguments(), time.monotonic(), os.getloadavg()[0]
    peers = [peer for peer in PEERS if peer.name in given.only]
    found = {peer.name: {} for peer in peers}
    failed = []

    def attempt(peer, what, act):
        """A peer that fails is left out of the rest of the run."""
        if peer.name not in {name for name, _ in failed}:
            say(f"{what}: {peer.title}")
            try:
                return act()
            except Failed as error:
                failed.append((peer.name, str(error)))
                say(f"FAILED: {error}")
        return None

    with Server(given.aof) as server:
        version = server.version()
        benches = {peer.name: measures.Bench(peer, server, given.folder) for peer in peers}
        for peer in peers:
            attempt(peer, "commands", benches[peer.name].look)
        for number in range(given.rounds):
            # The order differs in each round: no peer has the advantage of being first.
            turn = number % len(peers)
            for peer in peers[turn:] + peers[:turn]:
                tasks = max(100, int(given.tasks * peer.share))
                figures = attempt(peer, f"round {number + 1} of {given.rounds}", lambda: benches[peer.name].round(tasks))
                for name, values in (figures or {}).items():
                    found[peer.name].setdefault(name, []).extend(values)
        for peer in peers:
            tasks = max(100, int(given.tasks * peer.share))
            found[peer.name].update(attempt(peer, "bytes", lambda: benches[peer.name].bytes(tasks)) or {})
        for peer in peers:
            tasks = max(100, int(given.tasks * peer.share) // 10)
            for size in (SMALL, min(MOST, LARGE * given.tasks)):
                about = attempt(peer, f"{size:,} waiting", lambda: benches[peer.name].at_size(size, tasks, FILLING))
                if about:
                    found[peer.name].setdefault("sizes", []).append(about)
    say("a worker of each is killed")
    with concurrent.futures.ThreadPoolExecutor(len(peers)) as pool:
        waits = {peer: pool.submit(measures.killed, peer, given.folder, given.aof) for peer in peers if peer.recovers}
        for peer, wait in waits.items():
            found[peer.name]["killed"] = attempt(peer, "taken up elsewhere", wait.result)

    # The raw figures, for other plots and comparisons.
    (given.folder / "figures.json").write_text(json.dumps(found))
    about = report.About(version, given.rounds, given.tasks, given.aof, time.monotonic() - began, load)
    versions = {peer.name: peer.version(given.folder) for peer in peers}
    text = report.tables(peers, versions, found, about)
    if goals := report.goals(found):
        text += "\n```text\n" + "\n".join(goals) + "\n```\n"
    print(text)
    target = given.docs or given.folder
    picture = target / "peers.svg"
    plot.draw(peers, found, picture)
    report.place(text, target / "README.md")
    say(f"written: {target / 'README.md'}, {picture}")
    for name, error in failed:
        say(f"{name} is missing: {error}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
