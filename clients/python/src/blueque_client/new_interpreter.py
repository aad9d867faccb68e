"""Processes of tasks that are new interpreters, not forks of a process that has imported the functions."""

from __future__ import annotations

import importlib
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from .endings import error_text
from .environment import for_tasks
from .errors import InvalidCall
from .hooks import Hooks
from .logs import Text, log
from .messages import Pipe
from .payload import Json, Serializer
from .task_functions import TaskFunction
from .task_process import Mode, TaskProcess


def importable(functions: Mapping[str, TaskFunction[Any, Any]], serializer: Serializer) -> list[str]:
    """The modules of the functions, if a new interpreter can import them."""
    if not isinstance(serializer, Json):
        raise InvalidCall("BADARG", "`spawn` needs the serializer of JSON: another one cannot be handed on.")
    for each in functions.values():
        found = getattr(sys.modules[each.function.__module__], each.function.__name__, None)
        if found is not each or each.function.__module__ == "__main__":
            raise InvalidCall(
                "BADARG", f"`spawn` needs functions that can be imported: {each.name} is not in a module."
            )
    return [f"{each.function.__module__}:{each.function.__name__}" for each in functions.values()]


def importable_hooks(hooks: Iterable[Hooks], functions: list[str]) -> list[str]:
    """The places of the hooks in the modules of their classes or of the functions."""
    found = []
    for each in hooks:
        modules = [type(each).__module__, *(name.split(":")[0] for name in functions)]
        places = (f"{of}:{name}" for of in modules for name, what in vars(sys.modules[of]).items() if what is each)
        if not (place := next(places, None)) or place.startswith("__main__:"):
            text = f"`spawn` needs hooks that can be imported: {type(each).__name__} is no variable of a module."
            raise InvalidCall("BADARG", text)
        found.append(place)
    return found


def command_of(functions: list[str], hooks: list[str], **more: Any) -> list[str]:
    """The command of a new interpreter for these functions."""
    # Not with -m: Python warns if the package itself imports the module.
    program = "import sys, blueque_client.new_interpreter; blueque_client.new_interpreter.main(sys.argv[1])"
    about = {"functions": functions, "hooks": hooks, "path": sys.path, **more}
    return [sys.executable, "-c", program, json.dumps(about)]


def check_import(functions: list[str], hooks: list[str]) -> None:
    """Refuses functions that a new interpreter cannot import: each of their tasks would fail."""
    said = subprocess.run(
        command_of(functions, hooks),
        env=for_tasks(os.environ),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    if said.returncode:
        if sys.stderr:
            sys.stderr.write(said.stderr)
        last = said.stderr.strip().rpartition("\n")[2] or f"it ended with the exit code {said.returncode}"
        raise InvalidCall("BADARG", f"`spawn`: a new interpreter cannot import the functions: {last}")


def become(
    end: socket.socket, output: int | None, functions: list[str], hooks: list[str], mode: Mode, memory: int | None
) -> NoReturn:
    """Becomes a new interpreter, and runs tasks there."""
    os.set_inheritable(end.fileno(), True)
    if output is not None:
        os.set_inheritable(output, True)
    os.execv(sys.executable, command_of(functions, hooks, fd=end.fileno(), output=output, mode=mode, memory=memory))


def _imported(place: str) -> Any:
    module, name = place.split(":")
    return getattr(importlib.import_module(module), name)


def main(text: str) -> None:
    """The main function of the new interpreter. Without a pipe to the worker it only imports the functions."""
    about = json.loads(text)
    sys.path[:] = about["path"]
    end = socket.socket(fileno=about["fd"]) if "fd" in about else None
    if end:
        end.set_inheritable(False)
        if about["output"] is not None:
            os.set_inheritable(about["output"], False)
    try:
        found, hooks = ([_imported(place) for place in about[word]] for word in ("functions", "hooks"))
    except BaseException as error:
        if end is None:
            raise
        # The worker could import the functions at its start, so the host caused this, for example by a deployment.
        with suppress(OSError):
            Pipe(end).send("unusable", 0, error_text(error).split(b"\n", 1)[0])
        os._exit(1)
    if end:
        process = TaskProcess(end, {each.name: each for each in found}, Json(), about["mode"], hooks, about["output"])
        if not logging.getLogger().handlers:  # the program has configured none
            stderr = logging.StreamHandler()
            stderr.setFormatter(Text())
            log.addHandler(stderr)
        with suppress(BrokenPipeError):  # the worker has ended
            process.pipe.send("loaded", 0)
        process.serve(about["memory"])
    os._exit(0)
