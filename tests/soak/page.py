"""docs/proof.md, from the runs of `make soak`."""

import collections
import re
import textwrap

from campaigns import CAMPAIGNS, promised

# Faults of the torture campaigns, and the promise that each tests: the beginning of its text in docs/run/faults.md.
TORTURE = {
    "cut-before": "The reply of a call is lost", "cut-after": "The reply of a call is lost",
    "reserve-lost": "The reply of a reservation is lost",
    "cut": "The network is down for less than the lease", "delay": "The network is down for less than the lease",
    "hole": "The network is down for less than the lease", "one-way": "The network is down for less than the lease",
    "refuse": "The network is down for less than the lease", "drip": "A reply does not end",
    "server-killed": "The server crashes and comes back", "server-set-back": "The server is replaced by a server",
    "promoted": "The server is replaced by a server", "demoted": "The server is replaced by a server",
    "server-torn": "A power loss truncates", "memory-full": "The memory is full when a program ends",
    "clock-forward": "The clock of the server steps ahead", "clock-back": "The clock of the server ran ahead",
    "master-killed": "The master of a Sentinel", "master-hung": "The master of a Sentinel",
    "master-isolated": "The master of a Sentinel", "slot-moved": "The slot of the namespace moves",
    "deliverer-killed": "The process that delivers the end of a task",
    "worker-killed": "A worker dies.", "supervisor-killed": "A supervisor dies.",
    "tree-stopped": "A supervisor and its program are frozen", "host-killed": "The host dies",
    "disk-full": "The disk of the host is full when a program ends", "requeued": "Another client gives back",
}  # fmt: skip
# What the campaigns check of each history, and where: the page names it, so that a reader knows what a run without a
# finding means.
CHECKED = """\
- **Calls** (`model`, `moving-slot`, `replaced-master`): after each call, the reply and every key are those of a model
  that is written without regard to the scripts, and the invariants hold: one index for each state, a lease exactly while
  an attempt has the task, tokens that only grow, no limit exceeded, one terminal transition in each round.
- **Histories** (`torture`, `torture-cluster`): every acknowledged task ends as submitted, its result is from an attempt
  that reached its end, the record names that attempt, and its output is published. The programs' own locks show that no
  two attempts of a task overlap. No attempt begins from an older checkpoint than the server had. No row of a log is there
  twice. `blueque doctor` finds nothing, and no process and no folder is left.
- **Languages** (`mixed`): each result is accepted once and is from the attempt that the record names. By the events of
  the queue, each task takes one path through the states, its attempts only grow, and it ends once. The programs' own
  records show that no two attempts overlap. A planted thief is found first.
- **Not checked yet**: that the calls of all clients together are explained by one order of transitions, and that no
  limit was exceeded at any instant, outside of the model.
- **The measure** (`planted`, `mutants`): bugs that are put into the scripts are found. The model finds every planted bug;
  a changed line that no test notices is listed below.
"""


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(map(str, row)) + " |" for row in rows)]


def day(run):
    return run["at"][:10]


def name(run):
    return f"{run['campaign']}/{run['on']}/{run['size']}/{run['seed']}"


def of_campaigns(runs):
    groups = collections.defaultdict(list)
    for run in runs:
        if run["campaign"] in CAMPAIGNS:
            groups[run["campaign"], run["server"]].append(run)
    for (campaign, server), group in sorted(groups.items(), key=lambda each: (list(CAMPAIGNS).index(each[0][0]), each[0][1])):
        volume, hours = sum(run["volume"] for run in group), sum(run["seconds"] for run in group) / 3600
        found = sum("finding" in run for run in group)
        about = CAMPAIGNS[campaign]
        yield f"`{campaign}`", server, len(group), f"{volume:,} {about.unit}", f"{hours:.2f}", day(group[-1]), found


def findings(runs):
    """Each finding once, with the number of runs that found it, and whether a run that found it passed when repeated."""
    groups = collections.defaultdict(list)
    for run in runs:
        if "finding" in run:
            groups[run["campaign"], run["finding"]].append(run)
    for (_, finding), group in groups.items():
        ids = {name(run) for run in group}
        last = next(run for run in reversed(runs) if name(run) in ids)
        state = "open" if "finding" in last else f"passes with {last['commit']}"
        count = f"{len(group)} runs" if len(group) > 1 else "1 run"
        yield f"- {day(group[0])}, {count}, first on {group[0]['server']} with {group[0]['commit']}, {state}: {finding.replace('<', '&lt;')}\n  `scripts/soak --repeat {name(last)}`"


def promises(runs):
    """For each promise: its tests, how often they passed, how often torture caused its faults, and when last."""
    tests, last, caused = collections.Counter(), {}, collections.Counter()
    for run in runs:
        if run["campaign"] == "promises" and "finding" not in run:
            tests[run["size"]] += run["volume"]
            last[run["size"]] = day(run)
        for fault, count in run.get("faults", {}).items() if "finding" not in run else ():
            if fault in TORTURE and count:
                caused[TORTURE[fault]] += count
                last[TORTURE[fault]] = day(run)
    known = [f"{promise}." for _, promise, _ in promised()]
    for beginning in TORTURE.values():
        if not any(promise.startswith(beginning) for promise in known):
            raise SystemExit(f"tests/soak/page.py: no promise of docs/run/faults.md begins with {beginning!r}: adapt TORTURE")
    for section, promise, names in promised():
        begins = [beginning for beginning in set(TORTURE.values()) if f"{promise}.".startswith(beginning)]
        days = [last[key] for key in [*names, *begins] if key in last]
        passed = sum(tests[each] for each in names)
        yield section, promise.rstrip("."), len(names), passed or "-", sum(caused[each] for each in begins) or "-", max(days, default="never")


def seeds(runs):
    groups = collections.defaultdict(list)
    for run in runs:
        if "finding" not in run and run["campaign"] != "promises":
            groups[run["campaign"], run["on"], run["size"]].append(str(run["seed"]))
    for (campaign, server, size), group in sorted(groups.items()):
        yield f"`{campaign}/{server}/{size}`, {len(group)} runs:"
        yield from ["", "```text", *textwrap.wrap(" ".join(group), 118), "```", ""]


def page(runs):
    servers = sorted({run["server"] for run in runs})
    commits = list(dict.fromkeys(run["commit"] for run in runs))
    survivors = sorted({line for run in runs for line in run.get("survivors", ())})
    found = list(findings(runs))
    lines = [
        "# What was tried, and what it found",
        "",
        "Written by `make soak`, which runs all campaigns in turn and adds each run to `tests/soak/runs.jsonl`:",
        "",
        "    make soak HOURS=6               a new seed each time",
        "    make soak HOURS=6 SEED=1        the same runs again",
        "",
        "A finding is kept with the line that repeats it, also after it is corrected. A campaign that finds nothing shows",
        "only that what it looks for is rare: without a finding in N independent runs, the rate is below 3/N.",
        "",
        *([f"{len(runs)} runs from {day(runs[0])} to {day(runs[-1])}, on {', '.join(servers)}; commits {commits[0]} to {commits[-1]}.", ""] if runs else ["No run yet.", ""]),
        "## The campaigns",
        "",
        *table(("campaign", "what", "durability of the server"), ((f"`{each.name}`", each.what, each.durability) for each in CAMPAIGNS.values())),
        "",
        *table(("campaign", "server", "runs", "volume", "hours", "last", "findings"), of_campaigns(runs)),
        "",
        "## What is checked",
        "",
        CHECKED,
        "## Findings",
        "",
        *(found or ["None."]),
        "",
        *(["Changes that no test noticed:", "", *(f"- `{line}`" for line in survivors), ""] if survivors else []),
        "## The promises",
        "",
        "For each promise of [Faults](run/faults.md): how many tests verify it, how often they passed in these campaigns (`make test`",
        "runs all of them as well, uncounted), how often torture caused the fault, and when this was last done.",
        "",
        *table(("section", "promise", "tests", "passed", "caused by torture", "last"), promises(runs)),
        "",
        "## Seeds without a finding",
        "",
        *seeds(runs),
    ]  # fmt: skip
    return re.sub(r"\n+$", "\n", "\n".join(lines) + "\n")


def write(path, runs):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(runs))
