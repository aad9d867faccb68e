# Made by generate.py from aio/__init__.py; do not edit.

"""The synchronous client: `with Client(…) as client: task = client.queue("q").submit(…)`."""

from .client import Client
from .graph import GraphHandle
from .link import Link
from .queue import Queue
from .schedule import Schedule
from .task import Task
from .work_queue import WorkQueue

__all__ = ["Client", "GraphHandle", "Link", "Queue", "Schedule", "Task", "WorkQueue"]
