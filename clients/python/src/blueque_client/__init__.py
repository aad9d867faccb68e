"""Very long running tasks on Redis or Valkey.

`Client` and what it gives are synchronous; `blueque_client.aio` has the same for asyncio. `calls` has every command of
the contract as a function that gives a call, for `Client.run`.
"""

from . import calls, contract
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
from .jobs import Job, TaskFunction, task
from .payload import Json, Serializer
from .sync import Client, Queue, Task
from .version import VERSION as __version__

__all__ = [
    "BluequeError",
    "CancelledAtStart",
    "Client",
    "ConnectionFailed",
    "InvalidCall",
    "Job",
    "Json",
    "Lost",
    "NotFound",
    "PayloadError",
    "Queue",
    "Refused",
    "ReplyError",
    "Serializer",
    "ServerError",
    "Task",
    "TaskCancelled",
    "TaskFailed",
    "TaskFunction",
    "TimedOut",
    "Unavailable",
    "Unsuitable",
    "__version__",
    "calls",
    "contract",
    "task",
]
