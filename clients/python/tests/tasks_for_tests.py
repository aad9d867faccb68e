"""Functions that the worker's tests run."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import multiprocessing
import os
import signal
import struct
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from blueque_client import Again, Client, Failure, InvalidCall, Stopped, context, task


@task(queue="q")
def add(a: int, b: int = 1) -> int:
    return a + b


@task(queue="q")
def where() -> dict[str, Any]:
    Path("left").write_text("behind")
    return {"pid": os.getpid(), "folder": os.getcwd(), "parent": os.getppid()}


@task(queue="q")
def surroundings() -> str:
    """Returns all that a function, and a program that it starts, can read of the worker's environment and arguments."""
    own = [Path(f"/proc/{pid}/{name}").read_bytes() for pid in ("self", os.getpid()) for name in ("environ", "cmdline")]
    child = subprocess.run(["env"], capture_output=True, check=True).stdout
    return repr((dict(os.environ), own, child))


@task(queue="q")
def submits(url: str, namespace: str) -> str:
    """Submits a task from a task, with a separate client."""
    with Client(os.environ[url], namespace) as client:
        return client.submit(add.call(1)).id


@task(queue="q")
def keeps() -> str:
    (context.folder / "left").write_text("behind")
    return str(context.folder)


@task(queue="q")
def fails() -> None:
    raise ValueError("no such film")


@task(queue="q")
def says(text: str, permanent: bool = False, group: str | None = None) -> None:
    raise Failure(text, permanent=permanent, group=group)


@task(queue="q")
def ends_oddly(how: str) -> None:
    """Ends with values that the types forbid."""
    anything: Any = object()
    if how == "group":
        raise Failure("text", group=anything)
    if how == "text":
        raise Failure(anything)
    if how == "again":
        raise Failure("text", again=anything)
    if how == "reason":
        raise Again(0, anything)
    context.next("q", anything)


@task(queue="q")
def large(how: str, size: int) -> str:
    """Logs, saves or reports `size` bytes, or names a reason of this length."""
    text = "x" * size
    if how == "reason":
        raise Again(0, text)
    if how == "group":
        raise Failure("text", group=text)
    try:
        getattr(context, how)(text)
    except InvalidCall as error:
        return error.code
    return "done"


@task(queue="q")
def scribbles(head: int, body: int, text: str) -> None:
    """Writes an invalid message into the pipe to the worker."""
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            if int(name) > 2 and os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                os.write(int(name), struct.pack(">II", head, body) + text.encode())
    time.sleep(600)


@task(queue="q")
def unprintable() -> None:
    class Unprintable(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

    raise Unprintable


@task(queue="q")
def returns(what: str) -> Any:
    return {"nothing": None, "bytes": b"x", "nan": float("nan"), "big": "x" * (9 << 20), "large": "x" * (2 << 20)}[what]


@task(queue="q")
def ends(how: str) -> None:
    if how == "exit":
        os._exit(3)
    if how == "sys.exit":
        sys.exit("enough")
    if how == "crash":
        ctypes.string_at(0)
    if how == "memory":
        bytearray(1 << 40)
    if how == "kill":
        os.kill(os.getpid(), 9)
    if how == "close":  # all descriptors, including the worker's pipe
        os.closerange(3, 1024)


def leave_daemon(file: str) -> None:
    """A process that leaves its parent, its group and its session, and writes its pid."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            Path(file).write_text(str(os.getpid()))
            time.sleep(600)
        os._exit(0)
    os.wait()
    while not Path(file).exists() or not Path(file).read_text():
        time.sleep(0.01)


@task(queue="q")
def leaves(file: str) -> str:
    """Leaves a program and a daemon behind."""
    child = subprocess.Popen(["sleep", "600"])
    leave_daemon(file)
    return f"{child.pid} {Path(file).read_text()}"


@task(queue="q", lease=60)
def sleeps(file: str, how: str = "", seconds: float = 600) -> str:
    """Writes its pid, then sleeps in the way that `how` names."""
    Path(file).with_suffix(".pid").write_text(str(os.getpid()))
    Path(file).with_suffix(".pid").rename(file)
    try:
        if how == "deaf":
            while True:
                try:
                    time.sleep(600)
                except BaseException:
                    continue
        elif how == "gil":  # a C function that holds the GIL
            ctypes.PyDLL(None).sleep(int(seconds))
        elif how == "daemon":
            leave_daemon(f"{file}.daemon")
            ctypes.PyDLL(None).sleep(600)
        else:
            time.sleep(seconds)
    except Stopped as order:
        Path(f"{file}.order").write_text(order.order)
        context.checkpoint({"stopped": order.order})
        raise
    return "slept"


@task(queue="q", max_losses=5)
def counts(to: int, file: str) -> dict[str, Any]:
    """Counts, with a checkpoint for each step; appends each to a file."""
    first = context.last_checkpoint(0)
    for number in range(first, to):
        with open(file, "a") as out:
            out.write(f"{number}\n")
        context.checkpoint(number + 1)
        context.progress(number + 1, to, "steps")
        context.check()
        if number == first and context.attempt == 1:
            Path(f"{file}.begun").write_text(str(os.getpid()))
            time.sleep(600)
    return {"first": first, "attempt": context.attempt}


@task(queue="q")
def appends(file: str, number: int) -> int:
    """Appends the number of the task and its attempt to a file."""
    with open(file, "a") as out:
        out.write(f"{number}.{context.attempt}\n")
    return number


@task(queue="q", time_limit=0.2)
def too_long() -> None:
    time.sleep(600)


@task(queue="q")
def logs() -> None:
    context.log("from the context")
    logging.getLogger("app").warning("from logging")


@task(queue="q")
def again() -> int:
    if context.attempt < 3:
        context.checkpoint(context.last_checkpoint(0) + 10)
        raise Again(0)
    return int(context.last_checkpoint())


@task(queue="q")
def first_step(n: int) -> int:
    context.next(second_step)
    return n + 1


@task(queue="second")
def second_step(n: int) -> int:
    return n * 10


@task(queue="q")
async def awaits(seconds: float = 0.0) -> str:
    await asyncio.sleep(seconds)
    await asyncio.to_thread(context.progress, 1, 1)
    return f"awaited {os.getpid()}"


@task(queue="q", time_limit=0.2)
async def awaits_too_long() -> None:
    await asyncio.sleep(600)


@task(queue="q")
def spins(file: str) -> None:
    """Python code that never checks for orders."""
    Path(file).write_text(str(os.getpid()))
    while True:
        pass


@task(queue="q")
def spins_for(seconds: float) -> int:
    """Python code that does not check for orders for a while."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    return threading.get_ident()


@task(queue="q")
def holds(file: str, filling: str) -> int:
    """Holds the interpreter for a second."""
    Path(file).write_text("x")
    ctypes.PyDLL(None).sleep(1)
    return len(filling)


@task(queue="q")
def bomb() -> None:
    """Forks as fast as possible, for a while; the worker must end the whole tree."""
    for _ in range(100):
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
            os._exit(0)


@task(queue="q")
def says_who(file: str) -> None:
    """Logs to a file with the fields of the records, also from a separate thread."""
    log = logging.getLogger("app")
    handler = logging.FileHandler(file)
    fields = ("task", "attempt", "queue", "method")
    handler.setFormatter(logging.Formatter(" ".join(f"%(blueque_{name})s" for name in fields) + ": %(message)s"))
    log.addHandler(handler)
    try:
        log.warning("from the function", extra={"task": "its own", "queue": "its own"})
        thread = threading.Thread(target=log.warning, args=("from a thread",))
        thread.start()
        thread.join()
    finally:
        log.removeHandler(handler)
        handler.close()
    if context.attempt == 1:
        raise Again(0)


@task(queue="q")
async def awaits_and_says_who(file: str) -> None:
    await asyncio.sleep(0)
    says_who(file)


@task(queue="q")
def forks() -> str:
    """Forks; the child returns as well, before its parent."""
    if child := os.fork():
        os.waitpid(child, 0)
        return "parent"
    return "child"


@task(queue="q")
def says_much(size: int) -> None:
    raise ValueError("x" * size)


@task(queue="q")
def spoils(what: str, file: str) -> str:
    """Leaves its process in a state that disturbs the worker's code afterwards."""
    anything: Any
    if what == "closed":
        sys.stdout.close()
        sys.stderr.close()
    elif what == "file":
        with open(file, "w") as sys.stdout, open(file, "w") as sys.stderr:
            print("in the file")
    elif what == "writes":
        anything = type("Writes", (), {"write": lambda _, text: len(text)})()
        sys.stdout = sys.stderr = anything
    elif what == "none":
        anything = None
        sys.stdout = sys.stderr = anything
    elif what == "logging":
        logging.getLogger().handlers.clear()
        logging.setLogRecordFactory(logging.LogRecord)
    return what


@task(queue="q")
def prints_and_logs(text: str) -> str:
    print(text)
    logging.getLogger("app").warning("%s", text)
    logging.getLogger("app").warning("%d", text)  # `logging` accepts this: it prints an error, and continues
    return text


@task(queue="q")
def logs_much(lines: int) -> None:
    for number in range(lines):
        context.log(f"{number} {'x' * 1000}")


@task(queue="q")
def leaves_folders(how: str) -> str:
    """Makes folders that are difficult to remove."""
    if how == "deep":
        for _ in range(5000):
            os.mkdir("d")
            os.chdir("d")
    else:
        Path("a/b").mkdir(parents=True)
        Path("a/b/c").write_text("x")
        Path("a/b").chmod(0o500)
        Path("a").chmod(0o500)
    return str(context.folder)


@task(queue="q")
def raises_oddly(how: str) -> None:
    """Raises errors with values that the server refuses."""
    if how == "again":
        raise Again(float("inf"))
    if how == "reason":
        raise Again(float("inf"), "later")
    if how == "failure":
        raise Failure("text", again=float("nan"))
    raise Failure("text", group="\ud800")


def in_a_child(what: str) -> str:
    """Uses the context in a process that a function has forked."""
    if what == "progress":
        context.progress(1, 8)
    elif what == "checkpoint":
        context.checkpoint(1)
    elif what == "log":
        context.log("x")
    elif what == "again":
        raise Again(3)
    else:
        for _ in range(50):
            logging.getLogger("app").warning("x" * 60_000)
    return f"{context.id} {context.attempt}"


@task(queue="q")
def has_children(what: str) -> list[str]:
    """Starts a pool whose child processes use the context."""
    context.progress(0, 8)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for _ in range(50):
            logging.getLogger("app").warning("beside them")
        found = pool.map(in_a_child, [what] * 4)
    context.progress(8, 8)
    return found


def in_a_thread(what: str) -> Any:
    if what == "progress":
        context.progress(1, 8)
    elif what == "checkpoint":
        context.checkpoint("of a thread")
    elif what == "log":
        context.log("of a thread")
    elif what == "check":
        context.check()
    return context.id


@task(queue="q")
def has_threads(what: str) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(in_a_thread, what).result()


@task(queue="q")
async def has_an_executor(what: str) -> Any:
    return await asyncio.get_running_loop().run_in_executor(None, in_a_thread, what)


@task(queue="q")
def leaves_a_thread(file: str) -> str:
    """Leaves a thread behind, which reports while the next task runs."""

    def late() -> None:
        while not Path(file).exists():
            time.sleep(0.01)
        try:
            context.progress("of the task before")
        except BaseException as error:
            Path(f"{file}.new").write_text(repr(error))
            Path(f"{file}.new").rename(f"{file}.error")

    threading.Thread(target=late, daemon=True).start()
    return context.id


@task(queue="q")
def waits_for_it(file: str) -> None:
    Path(file).touch()
    limit = time.monotonic() + 30
    while not Path(f"{file}.error").exists() and time.monotonic() < limit:
        time.sleep(0.01)


class NoDisk(OSError):
    pass


def later(error: BaseException, attempt: int) -> float | bool | None:
    """Decides about retries."""
    if isinstance(error, KeyError):
        return 0.0 if attempt == 1 else False
    return None


@task(queue="q", max_failures=5, delay=0, retry_for=OSError, permanent_for=(FileNotFoundError,), retry=later)
def kinds(kind: str) -> None:
    raise {"OSError": OSError, "NoDisk": NoDisk, "FileNotFoundError": FileNotFoundError, "KeyError": KeyError}.get(
        kind, ValueError
    )(kind)


@task(queue="q", no_progress=1)
def stalls(lines: int) -> None:
    for _ in range(lines):
        context.log("a sign of progress")
        time.sleep(0.3)
    time.sleep(600)


@task(queue="q", memory=1 << 30)
def takes(size: int) -> int:
    return len(bytearray(size))


@task(queue="q")
async def saves_async(most: int) -> list[Any]:
    """Saves checkpoints while another task of the loop runs."""
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.ensure_future(turn())
    for number in range(most):
        await context.checkpoint(number + 1)
    for number in range(most):
        context.progress(number)  # without an `await`
    found: list[Any] = [turns >= most]
    other.cancel()
    try:
        await context.checkpoint("x" * (9 << 20))
    except InvalidCall as error:
        found.append(error.code)
    return found


@task(queue="q")
def prints(fails: bool = False) -> None:
    """Prints in every way that there is."""
    print("printed")
    sys.stdout.write("a part, ")
    sys.stdout.flush()
    print("and the rest", file=sys.stderr)
    warnings.warn("careful", UserWarning, stacklevel=1)
    os.write(1, b"by descriptor\n")
    subprocess.run("echo by a child; echo and its errors >&2", shell=True, check=True)
    logging.getLogger("app").warning("logged")
    print("no end of line", end="")
    if fails:
        raise ValueError("no such film")


@task(queue="q")
def prints_and_dies() -> None:
    print("before the end")
    os.kill(os.getpid(), signal.SIGKILL)


@task(queue="q")
async def prints_in_turn(name: str) -> None:
    for number in range(3):
        print(name, number)
        await asyncio.sleep(0.01)
    raise KeyError(name)
