"""`manage.py runworker`: runs the `@task` functions in the modules `tasks` of the installed apps."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, get_args

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from ....errors import BluequeError
from ....task_functions import TaskFunction
from ....task_process import Mode
from ....worker import Worker
from ... import Connections, client


def functions() -> list[TaskFunction[Any, Any]]:
    """The functions of all apps."""
    names = [f"{app.name}.tasks" for app in apps.get_app_configs()]
    modules = [import_module(name) for name in names if find_spec(name)]
    return [each for module in modules for each in vars(module).values() if isinstance(each, TaskFunction)]


class Command(BaseCommand):
    help = "Runs the @task functions in the modules `tasks` of the installed apps."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "-q", "--queue", action="append", help="a queue or a pattern; by default those of the functions"
        )
        parser.add_argument("-n", "--slots", type=int, default=1, help="how many tasks run at once")
        parser.add_argument("--mode", choices=get_args(Mode), default="process", help="how tasks run")
        parser.add_argument("--tasks-per-process", type=int, default=-1, help="how many tasks a process runs")
        parser.add_argument("--has", help="what it offers, such as gpu,memory=64")
        parser.add_argument("--name", help="for people")
        parser.add_argument("--grace", type=float, default=30, help="seconds from an order to stop to SIGKILL")

    def handle(self, **given: Any) -> None:
        found = functions()
        if not found:
            raise CommandError("there is no @task function in a module `tasks` of the installed apps.")
        # Task processes are forked from this process, and must not share its connections.
        connections.close_all()
        own = {name: given[name] for name in ("slots", "mode", "tasks_per_process", "has", "name", "grace")}
        try:
            Worker(client(), found, queues=given["queue"], hooks=[Connections()], **own).run()
        except BluequeError as error:
            raise CommandError(str(error)) from error
