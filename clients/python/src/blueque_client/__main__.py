"""`python -m blueque_client`: a worker from the command line, and the import of a queue of redis-work-queue."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sys
import threading
from pathlib import Path
from typing import Any

from . import Client, __version__
from .address import DEFAULT_URL, completed, without_passwords
from .errors import BluequeError, InvalidCall
from .importing import WorkQueueImport
from .logs import JsonLines, Text
from .streams import fill_streams
from .text import one_line
from .worker import Worker


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m blueque_client", description="Blueque from Python.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, dest="command", metavar="command")
    worker = commands.add_parser("worker", help="run the @task functions of a module")
    worker.add_argument("tasks", metavar="MODULE[:NAME]", help="a module, or a function or a list in it")
    worker.add_argument(
        "-q", "--queue", action="append", help="a queue or a pattern; by default those of the functions"
    )
    worker.add_argument("-n", "--slots", type=int, default=1, help="how many tasks run at once")
    worker.add_argument(
        "--mode",
        choices=("process", "thread", "asyncio"),
        default="process",
        help="a process for each task, or all in one",
    )
    worker.add_argument(
        "--tasks-per-process", type=int, default=-1, help="how many tasks a process runs before it is replaced"
    )
    worker.add_argument("--spawn", action="store_true", help="a new interpreter for each process, instead of a fork")
    worker.add_argument("--lease", type=float, help="seconds; by default the setting of the queue")
    worker.add_argument("--has", help="what it offers, such as gpu,memory=64")
    worker.add_argument("--name", help="for people")
    worker.add_argument("--grace", type=float, default=30, help="seconds from an order to stop to SIGKILL")
    worker.add_argument("--memory", type=int, help="bytes of memory that a process may take")
    worker.add_argument("--folder", help="where the folders of attempts are made")
    worker.add_argument("--reload", action="store_true", help="start again when a file of the program has changed")
    worker.add_argument("--tracing", action="store_true", help="spans of attempts, by OpenTelemetry")
    importer = commands.add_parser(
        "import-work-queue", help="move a live queue of redis-work-queue here, while its old workers finish"
    )
    importer.add_argument("name", metavar="NAME", help="the old queue: the beginning of its keys")
    importer.add_argument("--from", dest="old", metavar="URL", help="the server of the old queue; by default the same")
    importer.add_argument("-q", "--queue", help="the queue here; by default NAME, encoded as by WorkQueue")
    importer.add_argument(
        "--settle", type=float, default=5, help="seconds after which an item without a lease counts as lost"
    )
    for command in (worker, importer):
        command.add_argument("--url", help="the server, without a password (BLUEQUE_URL, which may have one)")
        command.add_argument(
            "--namespace", default=os.environ.get("BLUEQUE_NAMESPACE", "blueque"), help="BLUEQUE_NAMESPACE"
        )
        command.add_argument("--quiet", action="store_true", help="log only warnings")
        command.add_argument(
            "--log-format", choices=("text", "json"), default="text", help="json: an object on each line"
        )
    fill_streams()  # before anything is opened
    given = parser.parse_args()
    for option, url in (("--url", given.url), ("--from", getattr(given, "old", None))):
        if url and without_passwords(url) != url:
            seen = f"{option} holds a password, which every user of this machine can read in the list of processes"
            parser.error(
                f"{seen}: name a file that has it, with ?password_file=/path, or set BLUEQUE_PASSWORD for --url"
            )
    if given.url is None:
        given.url = os.environ.get("BLUEQUE_URL", DEFAULT_URL)
    level = logging.WARNING if given.quiet else logging.INFO
    stderr = logging.StreamHandler()
    stderr.setFormatter(JsonLines() if given.log_format == "json" else Text())
    logging.basicConfig(level=level, handlers=[stderr])
    sys.path.insert(0, os.getcwd())
    if os.environ.get("BLUEQUE_DURABILITY", "local") != "local":
        logging.getLogger("blueque").warning("BLUEQUE_DURABILITY: this client does not wait for disks and replicas")
    try:
        return run(given) if given.command == "worker" else move(given)
    except BluequeError as error:
        print(f"error: {one_line(str(error))}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # while it waits for the server
        return 130


def run(given: argparse.Namespace) -> int:
    names = ("slots", "mode", "tasks_per_process", "spawn", "lease", "has", "name", "grace", "memory", "folder")
    options: dict[str, Any] = {name: getattr(given, name) for name in names}
    client = Client(completed(given.url, os.environ), given.namespace, tracing=given.tracing)
    worker = Worker(client, loaded(given.tasks), queues=given.queue, **options)
    changed = Changes(worker) if given.reload else None
    worker.run()
    if changed and changed.seen.is_set():
        os.execv(sys.executable, [sys.executable, "-m", "blueque_client", *sys.argv[1:]])
    return 0


def loaded(tasks: str) -> Any:
    """Returns the object named by `MODULE[:NAME]`."""
    module, _, name = tasks.partition(":")
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        # If the program itself imports a missing module, the traceback shows the place.
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        hint = f": write {module[:-3]}, without .py" if module.endswith(".py") else f" in {os.getcwd()} or installed"
        raise InvalidCall("BADARG", f"there is no module {module}{hint}.") from None
    except SystemExit:
        # A script without `if __name__ == "__main__":` may exit. The exit must not end the worker without an error.
        raise InvalidCall("BADARG", f"the module {module} ends the program when it is imported.") from None
    if name and not hasattr(found, name):
        raise InvalidCall("BADARG", f"the module {module} has no {name}.")
    return getattr(found, name) if name else found


def move(given: argparse.Namespace) -> int:
    """Moves a queue of redis-work-queue. Returns the exit code; 1: some items were refused."""
    old = Client(given.old).link.server if given.old else None
    client = Client(completed(given.url, os.environ), given.namespace)
    imported = WorkQueueImport(client, given.name, old=old, queue=given.queue, settle=given.settle).run()
    print(imported)
    return 1 if imported.refused else 0


class Changes:
    """Watches the files of the program, in development."""

    def __init__(self, worker: Worker) -> None:
        self.worker, self.seen = worker, threading.Event()
        self._known: dict[str, float] = {}
        self._changed()
        worker.every_second = self.look

    def look(self) -> None:
        """Stops the worker if a file has changed; its tasks are given back."""
        if self.seen.is_set() or not (changed := self._changed()):
            return
        log = logging.getLogger("blueque.worker")
        for file in changed:
            try:
                compile(Path(file).read_bytes(), file, "exec")
            except (OSError, SyntaxError, ValueError) as error:
                log.warning("the program has changed, and cannot be read: waits for the next change: %s", error)
                return
        self.seen.set()
        log.info("the program has changed: starts again")
        self.worker.stop(release=True)

    def _changed(self) -> list[str]:
        """Returns the files that have changed since the first check. Files of newly loaded modules do not count."""
        here, changed = Path.cwd(), []
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if not file or not _is_own(Path(file).resolve(), here):
                continue
            try:
                now = Path(file).stat().st_mtime
            except OSError:
                continue
            if self._known.setdefault(file, now) != now:
                self._known[file] = now
                changed.append(file)
        return changed


def _is_own(file: Path, here: Path) -> bool:
    """Returns true if a file belongs to the program. Packages of the Python environment do not belong to it."""
    return here in file.parents and Path(sys.prefix).resolve() not in file.parents and "site-packages" not in file.parts


if __name__ == "__main__":
    sys.exit(main())
