"""The asynchronous client: `async with Client(…) as client: task = await client.queue("q").submit(…)`."""

from .client import Client
from .graph import GraphHandle
from .link import Link
from .queue import Queue
from .schedule import Schedule
from .task import Task
from .work_queue import WorkQueue

__all__ = ["Client", "GraphHandle", "Link", "Queue", "Schedule", "Task", "WorkQueue"]
