"""The asynchronous client: `async with Client(…) as client: task = await client.queue("q").submit(…)`."""

from .client import Client
from .link import Link
from .queue import Queue
from .task import Task

__all__ = ["Client", "Link", "Queue", "Task"]
