"""Very long running tasks on Redis or Valkey.

`Client` and the objects that it returns are synchronous; `blueque_client.aio` is the same API for asyncio. `calls` has
a function for every command of the contract. Each function returns a call for `Client.run`.
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
    Unverified,
)
from .graphs import Graph, Group, Node, optional
from .hooks import Attempt, Hooks, Submit
from .notices import Notice, Notices
from .payload import Json, Serializer
from .sync import Client, GraphHandle, Queue, Schedule, Task, WorkQueue
from .task_functions import TaskCall, TaskFunction, task
from .version import VERSION as __version__
from .why import Why
from .work_items import WorkItem
from .worker import Worker

__all__ = [
    "Again",
    "Attempt",
    "BluequeError",
    "CancelledAtStart",
    "Client",
    "ConnectionFailed",
    "Failure",
    "Graph",
    "GraphHandle",
    "Group",
    "Hooks",
    "InvalidCall",
    "Json",
    "Lost",
    "Node",
    "NotFound",
    "Notice",
    "Notices",
    "PayloadError",
    "Queue",
    "Refused",
    "ReplyError",
    "Schedule",
    "Serializer",
    "ServerError",
    "Stopped",
    "Submit",
    "Task",
    "TaskCall",
    "TaskCancelled",
    "TaskFailed",
    "TaskFunction",
    "TimedOut",
    "Unavailable",
    "Unsuitable",
    "Unverified",
    "Why",
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
