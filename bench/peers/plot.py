"""The figures as a plot."""
import statistics

import matplotlib

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


def draw(peers, found, path):
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
