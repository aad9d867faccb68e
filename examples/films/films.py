"""The work of the film archive: `python -m blueque_client worker films --slots 4`, in this folder.

A film is fetched, encoded in several sizes at the same time, and published. If any of this fails or is cancelled, its
files are removed. `encode` compresses the film a part at a time; a real archive runs an encoder there.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from blueque_client import Graph, context, task

#: The folder of the archive, which all workers share.
LIBRARY = Path(os.environ.get("FILMS_LIBRARY", "library"))
#: Number of bytes that are encoded between two checkpoints.
PART = int(os.environ.get("FILMS_PART", "1000000"))


def can_recover(error: BaseException, _attempt: int) -> bool | None:
    """Returns false for a film that does not exist, and None, which leaves the decision to `retry_for`, otherwise."""
    return False if isinstance(error, HTTPError) and error.code < 500 else None


@task(queue="films", max_failures=5, delay=10, retry=can_recover, retry_for=OSError, time_limit=3600)
def fetch(url: str, name: str) -> str:
    folder = LIBRARY / name
    folder.mkdir(parents=True, exist_ok=True)
    with urlopen(url, timeout=60) as response, (folder / "source.part").open("wb") as out:
        while part := response.read(PART):
            out.write(part)
            context.progress(out.tell())
    # An attempt that was interrupted leaves no half of a source.
    (folder / "source.part").replace(folder / "source")
    return str(folder / "source")


@task(queue="films", max_failures=3, lease=60, no_progress=600)
def encode(source: str, height: int) -> str:
    """Continues an interrupted attempt: the checkpoint holds the bytes read, and the bytes written."""
    target = Path(source).with_name(f"{height}.gz")
    read, written = context.last_checkpoint((0, 0))
    size = os.path.getsize(source)
    with open(source, "rb") as film, target.open("r+b" if written else "wb") as out:
        film.seek(read)
        out.truncate(written)
        out.seek(written)
        while part := film.read(PART):
            out.write(gzip.compress(part))
            out.flush()
            os.fsync(out.fileno())
            context.checkpoint((film.tell(), out.tell()))
            context.progress(film.tell(), size, "bytes")
    return str(target)


@task(queue="films", max_failures=3)
def publish(name: str, *files: str) -> dict[str, int]:
    sizes = {Path(file).name: os.path.getsize(file) for file in files}
    entry = LIBRARY / name / "film.json"
    entry.with_suffix(".part").write_text(json.dumps(sizes))
    entry.with_suffix(".part").replace(entry)
    return sizes


@task(queue="films")
def tidy(name: str) -> None:
    shutil.rmtree(LIBRARY / name, ignore_errors=True)


@task(queue="films")
def report() -> int:
    """Runs every night. Returns the number of published films, which is also the first line of its file."""
    films = sorted(entry.parent.name for entry in LIBRARY.glob("*/film.json"))
    (LIBRARY / "report.txt").write_text("\n".join([str(len(films)), *films]) + "\n")
    return len(films)


def film(name: str, url: str, heights: list[int]) -> Graph:
    """A graph with an id of its own: if it is submitted again, nothing changes."""
    graph = Graph(name, id=f"film-{name}")
    source = graph.add(fetch.call(url, name)).set(label="fetch", id=f"film-{name}-fetch")
    sizes = [source.then(encode, height).set(label=f"encode {height}") for height in heights]
    published = graph.add(publish.call(name, *(size.result for size in sizes)))
    published.set(label="publish", id=f"film-{name}-publish").on_failure(tidy, name).set(label="tidy")
    return graph
