"""The worker: takes tasks and runs their functions in separate processes.

The process of the worker calls no function of a task. It calls the server, renews leases, passes on orders, and
watches the processes. So no task can stop the heartbeats, even if it blocks its interpreter.
"""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import calls, contract, leases
from .errors import BluequeError, InvalidCall
from .fork_control import ForkControl
from .hooks import Hooks, Outcomes, hooks_of, overridden, without_instance
from .listener import listener_id
from .logs import fields, log
from .main_loop import MainLoop
from .new_interpreter import become, check_import, importable, importable_hooks
from .process_pool import ProcessPool
from .queue_choice import QueueChoice
from .reports import maintain, send_logs, send_reports
from .streams import fill_streams
from .sync import Client
from .task_functions import Tasks, functions_of
from .task_process import Mode, TaskProcess
from .version import VERSION
from .wake_ups import await_orders, await_tasks
from .wire import Names, Seconds
from .work_folder import WorkFolder
from .worker_state import WorkerState


class Worker:
    """Takes the tasks of some queues and runs their functions.

    client: The client of the server.
    tasks: The `@task` functions, or a module that has them.
    queues: By default the queues of the functions, in this order. Or patterns, such as `["video-*", "!video-test"]`:
      all matching queues, including queues that are created later.
    slots: Maximum number of tasks that run at the same time.
    mode: `process`: each task in its own process, protected from everything that other tasks do. `thread` and
      `asyncio`: all tasks in one process, for many small tasks that mostly wait; `async def` functions run in any mode.
    tasks_per_process: Number of tasks after which a process is replaced; None: never. By default 1 with `process`.
    spawn: Start each process as a new interpreter that imports the modules of the functions, for libraries that cannot
      be forked. By default each process is a fork of a process that has imported the modules.
    lease: Time for which the worker keeps a task after the last heartbeat; by default the setting of its queue.
    has: Capabilities of this worker, such as `gpu,memory=64`.
    name: The name of the worker, for people.
    grace: Seconds between the exception `Stopped` in a function and SIGKILL; SIGTERM comes after half of them.
    memory: Maximum memory of a process in bytes.
    folder: The folder in which the folders of attempts are made.
    hooks: Instances of `Hooks`; those of the client, and those in the module of the tasks, are also called.
    """

    def __init__(
        self,
        client: Client,
        tasks: Tasks,
        *,
        queues: Sequence[str] | None = None,
        slots: int = 1,
        mode: Mode = "process",
        tasks_per_process: int | None = -1,
        spawn: bool = False,
        lease: Seconds | None = None,
        has: Names | None = None,
        name: str | None = None,
        grace: float = 30,
        memory: int | None = None,
        folder: str | Path | None = None,
        hooks: Iterable[Hooks] = (),
    ) -> None:
        functions = functions_of(tasks)
        if slots < 1:
            raise InvalidCall("BADARG", "a worker needs at least one slot.")
        per_process = (1 if mode == "process" else None) if tasks_per_process == -1 else tasks_per_process
        found = hooks_of(tasks, [*client.link.hooks, *hooks])
        self._idle_hooks = without_instance(tasks, found)
        self._spawn: tuple[list[str], list[str]] | None = None
        if spawn:
            modules = importable(functions, client.link.serializer)
            self._spawn = modules, importable_hooks(found, modules)
        self._base = Path(folder or tempfile.gettempdir()) / f"blueque-{os.getuid()}"
        listener = listener_id()
        names = list(queues or dict.fromkeys(each.queue for each in functions.values()))
        choice = QueueChoice(client.link, listener, names, has)
        own = (client.link, listener, choice, functions, slots, mode, per_process, lease, has, name, grace, memory)
        self._state = WorkerState(*own, found, Outcomes(found))
        #: Called every second while the worker runs.
        self.every_second: Callable[[], None] | None = None

    @property
    def done(self) -> int:
        """Number of ended attempts of this worker."""
        return self._state.done

    def stop(self, release: bool = False) -> None:
        """Takes no more tasks; `run` returns when the running tasks have ended. `release`: gives them back at once."""
        self._state.stop(release)

    def run(self) -> int:
        """Runs until stopped by `stop`, SIGTERM or SIGINT. A second signal releases the running tasks.

        Returns the number of attempts that have ended in this worker. Call `run` before your program starts threads.
        """
        with fields():
            return self._run()

    def _run(self) -> int:
        # Threads of OpenTelemetry are restarted in forked processes.
        if any(not each.name.startswith("Otel") for each in threading.enumerate()[1:]):
            log.warning(
                "other threads run already: a lock that one of them holds is held for ever in processes of tasks"
            )
        for name in self._idle_hooks:
            log.warning("calls no hook of %s: the module has no instance of it, such as `hooks = %s()`", name, name)
        fill_streams()
        if self._spawn:
            check_import(*self._spawn)
        state, link, queues = self._state, self._state.link, self._state.queues
        link.run(calls.handshake(), away=self._away)
        queues.register()
        work_folder = WorkFolder(self._base)
        disconnect(link.server)
        control = ForkControl(state, self._run_tasks, self._spawn is not None)
        before = self._signals()
        state.hears_signals = bool(before)
        pool = ProcessPool(state, control, work_folder.path)
        parts: dict[str, Callable[[], None]] = {
            "reports": lambda: send_reports(state),
            "maintenance": lambda: maintain(state),
            "heartbeats": lambda: leases.renew(state, pool),
            "limits": lambda: leases.enforce(state, pool),
            "logs": lambda: send_logs(state, lambda: self.every_second and self.every_second()),
            "wake-ups": lambda: await_tasks(state),
            "orders": lambda: await_orders(state),
            "processes": control.receive_reports,
        }
        try:
            for part in parts.items():
                threading.Thread(target=self._always, args=part, name=part[0], daemon=True).start()
            state.outcomes.begin()
            slots = "1 slot" if state.slots == 1 else f"{state.slots} slots"
            place = f"{slots}, {link.place}, namespace {link.namespace}, bundle {VERSION}"
            log.info("takes tasks of %s as %s: %s", ", ".join(queues.names), state.listener, place)
            if before:
                log.info("to stop it: Ctrl-C or SIGTERM, then it waits for running tasks; a second one gives them back")
            MainLoop(state, pool).run()
        finally:
            state.over.set()
            for waiting in (state.tasks_wanted, state.heartbeat_due, state.report_due):
                waiting.set()
            if overridden(state.hooks, "on_process_stop"):
                pool.close()
            control.close()
            state.outcomes.end(max(state.grace, 1))
            for number, handler in before:
                signal.signal(number, handler)
            work_folder.remove()
            with suppress(BluequeError):
                queues.unregister()
        if control.broken:
            raise BluequeError("WORKER", control.broken)
        return self.done

    def _run_tasks(self, end: socket.socket, output: int | None) -> None:
        """Runs tasks in a process that the fork server has made."""
        state = self._state
        if self._spawn:
            become(end, output, *self._spawn, state.mode, state.memory)
        TaskProcess(end, state.functions, state.link.serializer, state.mode, state.hooks, output).serve(state.memory)

    def _away(self, error: Exception) -> None:
        link = self._state.link
        log.warning("waits up to %g s for the server %s: %s", link.limit, link.place, str(error).rstrip("."))

    def _always(self, name: str, part: Callable[[], None]) -> None:
        """Runs a part of the worker, again after each error, until it returns. Attempts depend on all parts."""
        while True:
            try:
                part()
                return
            except Exception:
                log.exception("the thread for %s begins again after an error", name)
                if self._state.over.wait(contract.CALL_AGAIN):
                    return

    def _signals(self) -> list[tuple[signal.Signals, Any]]:
        """Installs handlers of signals to stop, in the main thread. Returns the previous handlers."""
        if threading.current_thread() is not threading.main_thread():
            return []

        def end(_number: int, _frame: Any) -> None:
            self.stop(release=self._state.stopping is not None)

        heard = (signal.SIGTERM, signal.SIGINT)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heard)  # the parent process may have blocked these signals
        return [(number, signal.signal(number, end)) for number in heard]


def disconnect(server: Any) -> None:
    """Closes the connections of a client of redis-py before a fork. The client opens new connections when needed."""
    nodes = [node.redis_connection for node in server.get_nodes()] if hasattr(server, "get_nodes") else [server]
    for node in filter(None, nodes):
        node.connection_pool.disconnect()
