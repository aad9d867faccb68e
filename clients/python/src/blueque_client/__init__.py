"""Very long running tasks on Redis or Valkey.

`Client` and what it gives are synchronous; `blueque_client.aio` has the same for asyncio. `calls` has every command of
the contract as a function that gives a call, for `Client.run`.
"""

from . import calls, contract
from .context import Again, Failure, Stopped, context
from .errors import (
    BluequeError,
    CancelledAtStart,
    ConnectionFailed,
    InvalidCall,
    Lost,
    NotFound,
    PayloadError,
    Refused,
    ReplyError,
    ServerError,
    TaskCancelled,
    TaskFailed,
    TimedOut,
    Unavailable,
    Unsuitable,
)
from .graphs import Graph, Node, optional
from .jobs import Job, TaskFunction, task
from .payload import Json, Serializer
from .sync import Client, GraphHandle, Queue, Schedule, Task, WorkQueue
from .version import VERSION as __version__
from .work_items import WorkItem
from .worker import Worker

__all__ = [
    "Again",
    "BluequeError",
    "CancelledAtStart",
    "Client",
    "ConnectionFailed",
    "Failure",
    "Graph",
    "GraphHandle",
    "InvalidCall",
    "Job",
    "Json",
    "Lost",
    "Node",
    "NotFound",
    "PayloadError",
    "Queue",
    "Refused",
    "ReplyError",
    "Schedule",
    "Serializer",
    "ServerError",
    "Stopped",
    "Task",
    "TaskCancelled",
    "TaskFailed",
    "TaskFunction",
    "TimedOut",
    "Unavailable",
    "Unsuitable",
    "WorkItem",
    "WorkQueue",
    "Worker",
    "__version__",
    "calls",
    "context",
    "contract",
    "optional",
    "task",
]
