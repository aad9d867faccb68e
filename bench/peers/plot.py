"""The figures as a plot."""
import statistics

import matplotlib

import held

matplotlib.use("svg")
# The same figures give the same file.
matplotlib.rcParams.update({"svg.hashsalt": "peers", "svg.fonttype": "none", "font.size": 9})

from matplotlib import pyplot  # noqa: E402

# Title, true for a logarithmic axis, series.
PANELS = [
    ("adds per second (logarithmic)", True, [("one by one", "adds_one"), ("in bulk", "adds_bulk")]),
    ("processed per second (logarithmic)", True, [("1 slot", "processed_1"), ("8 slots", "processed_8"), ("32 slots", "processed_32")]),
    ("server time per task, µs", False, [("add", "add_us_one"), ("after submit, 1 slot", "task_us_1"), ("32 slots", "task_us_32")]),
    ("lone task, submit to handler, ms", False, [("p50", "lone_p50"), ("p99", "lone_p99")]),
]


def speed(peers, found, path):
    figure, panels = pyplot.subplots(2, 2, figsize=(11, 1.6 + 1.1 * len(peers)))
    for axes, (title, logarithmic, series) in zip(panels.flat, PANELS):
        height = 0.8 / len(series)
        for number, (label, name) in enumerate(series):
            values = [found[peer.name].get(name, []) for peer in peers]
            middles = [statistics.median(value) if value else 0 for value in values]
            least = [middle - min(value) if value else 0 for middle, value in zip(middles, values)]
            most = [max(value) - middle if value else 0 for middle, value in zip(middles, values)]
            places = [row + (number - (len(series) - 1) / 2) * height for row in range(len(peers))]
            axes.barh(places, middles, height, xerr=(least, most), label=label, error_kw={"linewidth": 0.8})
        axes.set_yticks(range(len(peers)), [peer.title for peer in peers])
        axes.invert_yaxis()
        if logarithmic:
            axes.set_xscale("log")
        else:
            axes.set_xlim(left=0)
        axes.set_title(title, fontsize=10)
        axes.legend(fontsize=8, loc="lower right")
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def held_work(peers, found, path):
    figure, panels = pyplot.subplots(2, 2, figsize=(11, 1.6 + 0.75 * len(peers)))
    titles = {"calls": "commands of a task in a minute", "us": "µs of the server for a task in a minute", "kib": "KiB of the worker for a task"}
    for axes, (name, title) in zip(panels.flat, titles.items()):
        values = [(found[peer.name].get("cost") or {}).get(name, 0) for peer in peers]
        axes.barh(range(len(peers)), values, 0.6)
        axes.set_xscale("log")
        axes.set_title(f"{title} (log.)", fontsize=10)
    axes = panels.flat[3]
    for place, (name, label) in enumerate((("killed_usual", "default"), ("killed_shortest", "shortest setting"))):
        values = [found[peer.name].get(name) for peer in peers]
        rows = [row + (place - 0.5) * 0.4 for row in range(len(peers))]
        axes.barh(rows, [min(value or 0, held.LONGEST) for value in values], 0.4, label=label)
        for row, value in zip(rows, values):
            if value and value > held.LONGEST:
                axes.text(held.LONGEST, row, f" not within {held.LONGEST} s", va="center", fontsize=7)
    axes.set_xlim(0, held.LONGEST * 1.5)
    axes.set_title("kill -9 until it runs elsewhere, s", fontsize=10)
    axes.legend(fontsize=8, loc="upper right")
    for axes in panels.flat:
        axes.set_yticks(range(len(peers)), [peer.title for peer in peers])
        axes.invert_yaxis()
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
