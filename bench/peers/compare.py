"""Compares task queues on one server: compare.py FOLDER [--rounds N] [--tasks N] [--seconds N] [--only NAME,NAME] [--aof everysec]
[--docs FOLDER].

install.py runs this program, with its requirements in FOLDER. The table goes to stdout. The table and the plot go to
FOLDER or to the folder of pages. Progress goes to stderr.
"""
import argparse
import json
import os
import pathlib
import sys
import time

import held
import measures
import plot
import report
from peers import chosen
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
    parser = argparse.ArgumentParser(prog="make peers")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--aof", choices=("none", "everysec"), default="none")
    parser.add_argument("--docs", type=pathlib.Path)
    given = parser.parse_args()
    if given.rounds < 1 or given.tasks < 100 or given.seconds < 1:
        parser.error("at least 1 round of 100 tasks, and 1 second")
    given.parts, given.peers = chosen(given.only)
    return given


class Attempts:
    """Carries out measures. A peer that fails is left out of the rest of the part."""

    def __init__(self):
        self.failed = {}

    def __call__(self, peer, what, act):
        if peer.name in self.failed:
            return None
        say(f"{what}: {peer.title}")
        try:
            return act()
        except Failed as error:
            self.failed[peer.name] = str(error)
            say(f"FAILED: {error}")
            return None


def speed(given, attempt):
    """The figures of all peers, which take turns on one server."""
    found = {peer.name: {} for peer in given.peers}
    with Server(given.aof) as server:
        benches = {peer.name: measures.Bench(peer, server, given.folder) for peer in given.peers}
        for peer in given.peers:
            attempt(peer, "commands", benches[peer.name].look)
        for number in range(given.rounds):
            # The order differs in each round: no peer has the advantage of being first.
            turn = number % len(given.peers)
            for peer in given.peers[turn:] + given.peers[:turn]:
                tasks = max(100, int(given.tasks * peer.share))
                figures = attempt(peer, f"round {number + 1} of {given.rounds}", lambda: benches[peer.name].round(tasks))
                for name, values in (figures or {}).items():
                    found[peer.name].setdefault(name, []).extend(values)
        for peer in given.peers:
            tasks = max(100, int(given.tasks * peer.share))
            found[peer.name].update(attempt(peer, "bytes", lambda: benches[peer.name].bytes(tasks)) or {})
        for peer in given.peers:
            tasks = max(100, int(given.tasks * peer.share) // 10)
            for size in (SMALL, min(MOST, LARGE * given.tasks)):
                about = attempt(peer, f"{size:,} waiting", lambda: benches[peer.name].at_size(size, tasks, FILLING))
                if about:
                    found[peer.name].setdefault("sizes", []).append(about)
    return found


def main():
    given, load = arguments(), os.getloadavg()[0]
    with Server("none") as server:
        version = server.version()
    versions = {peer.name: peer.version(given.folder) for peer in given.peers}
    about = report.About(version, given.rounds, given.tasks, given.seconds, given.aof, load, versions)
    target, failed, raw = given.docs or given.folder, {}, {}

    def part(name, measure, tables, draw):
        began, attempt = time.monotonic(), Attempts()
        peers = [peer for peer in given.peers if name == "speed" or peer.held]
        raw[name] = found = measure(attempt)
        text = tables(peers, found, about, time.monotonic() - began)
        print(text)
        picture = target / report.PICTURES[name]
        draw(peers, found, picture)
        report.place(name, text, target / "README.md")
        say(f"written: {target / 'README.md'}, {picture}")
        failed.update(attempt.failed)

    if "speed" in given.parts:
        part("speed", lambda attempt: speed(given, attempt), report.speed, plot.speed)
    if "held" in given.parts:
        part("held", lambda attempt: held.measure(given, attempt), report.held_work, plot.held_work)
    # The raw figures, for other plots and comparisons.
    (given.folder / "figures.json").write_text(json.dumps(raw))
    for name, error in failed.items():
        say(f"{name} is missing: {error}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
