"""A function for each command of the bundle, and classes for its reply.

Made by generate.py from the bundle's manifest; do not edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypedDict, TypeVar

from . import contract
from .wire import (
    Bytes,
    Call,
    Field,
    Names,
    Seconds,
    Shape,
    Sparse,
    Time,
    Type,
    call,
    read_groups,
    read_items,
    read_list,
    read_maybe,
    read_pairs,
    read_value,
)

V = TypeVar("V")
T = TypeVar("T")

# The types of the contract.
_ACTION = Type("word", words=("cancel", "retry", "delete", "purge", "move", "prioritise", "hold", "unhold", "suspend", "unsuspend", "signal", "requeue",))
_AGEING = Type("seconds", low=1, high=604800)
_ARGUMENT_COUNT = Type("whole", low=1, high=1024)
_BACKOFF = Type("word", words=("exponential", "fixed",))
_BOUNDS = Type("text", high=65536)
_CLOSED = Type("whole", low=0, high=1)
_COMMAND = Type("text", high=65536)
_COUNT = Type("whole", low=1, high=500)
_COUNT_OR_NONE = Type("whole", low=0, high=500)
_CURSOR = Type("text")
_DAY = Type("text")
_DAYS = Type("whole", low=1, high=14)
_DEADLINE = Type("whole", low=0, high=9007199254740991)
_DELAY = Type("seconds", low=0, high=31536000)
_DELAY_OR_NONE = Type("seconds", low=0, high=31536000)
_EDGES = Type("whole", low=1, high=1000)
_ENDED = Type("whole", low=0, high=100)
_ENDING = Type("word", words=("complete", "fail", "final", "release", "uncounted",))
_ENTRY = Type("text")
_EVERY = Type("whole", low=1, high=315360000)
_EXPIRY = Type("whole", low=60, high=31536000)
_FAILURES = Type("whole", low=0, high=1000)
_FLAG = Type("flag")
_FORGET_AFTER = Type("seconds", low=60, high=604800)
_FRACTION = Type("decimal", low=0, high=1)
_FREE_SLOTS = Type("whole", low=0, high=100000)
_GRACE = Type("seconds", low=0, high=86400)
_GRAPH = Type("text", high=128)
_GRAPH_COUNT = Type("whole", low=1, high=500)
_GRAPH_NOTIFY = Type("text", high=1024)
_GRAPH_ROOM = Type("whole", low=1024, high=1099511627776)
_GRAPH_SIZE = Type("whole", low=1, high=10000)
_GROUP = Type("text", high=65536)
_HAS = Type("text", high=1024)
_HAS_COUNT = Type("whole", low=0, high=32)
_HOST = Type("text", high=190)
_INPUT_SIZE = Type("whole", low=1024, high=16777216)
_INPUTS = Type("text", high=1048576)
_INPUTS_OR_NONE = Type("text", high=1048576)
_KEEP = Type("whole", low=0, high=10000000)
_KEPT_AUDIT = Type("whole", low=100, high=1000000)
_KEPT_DAYS = Type("whole", low=0, high=400)
_KEPT_EVENTS = Type("whole", low=100, high=100000)
_KEPT_HISTORY = Type("whole", low=1, high=1000)
_LATE = Type("whole", low=1, high=31536000)
_LEASE = Type("seconds", low=1, high=604800)
_LIMITS = Type("text", high=600)
_LIMITS_COUNT = Type("whole", low=1, high=8)
_LIST = Type("word", words=("waiting", "scheduled", "pending", "held", "reserved", "started", "complete", "failed", "cancelled", "all",))
_LIST_CURSOR = Type("text")
_LISTENER = Type("text", high=200)
_LOG_SIZE = Type("whole", low=0, high=268435456)
_LOG_TAIL = Type("whole", low=1, high=1048576)
_LOG_TEXT = Type("bytes", low=0, high=65536)
_LOGS_SIZE = Type("whole", low=0, high=1099511627776)
_LOSSES = Type("whole", low=0, high=1000000000)
_METHODS = Type("text", high=8192)
_MICROS = Type("whole", low=0, high=9007199254740991)
_MISSED = Type("word", words=("one", "skip", "all",))
_MORE_INPUTS = Type("text", high=1048576)
_NAME = Type("text", high=128)
_NAME_OR_NONE = Type("text", high=128)
_NAMES = Type("text")
_NEED = Type("text", high=64)
_NEEDS = Type("text", high=256)
_NEEDS_COUNT = Type("whole", low=1, high=8)
_NICENESS = Type("whole", low=0, high=19)
_NOTICE_EVENT = Type("word", words=("complete", "failed", "cancelled", "pending", "no-progress", "deadline",))
_NOTICE_OF = Type("word", words=("task", "graph",))
_NOTICE_OUTCOME = Type("word", words=("delivered", "failed",))
_NOTICE_OWNER = Type("text", high=129)
_NOTIFY = Type("text", high=1024)
_NOW = Type("seconds", low=0, high=9007199254)
_NUMBER = Type("whole", low=0, high=9007199254740991)
_ON_FAILURE = Type("word", words=("cancel", "continue", "hold",))
_OPTION_NAMES = Type("text", high=1024)
_ORDER = Type("word", words=("strict", "round", "weighted",))
_OUTCOME = Type("word", words=("complete", "failed", "cancelled", "released", "lost", "retrying", "retry",))
_OVERLAP = Type("word", words=("skip", "queue", "cancel", "allow",))
_PAGE = Type("whole", low=1, high=500)
_PARTITION = Type("text", high=32)
_PARTITION_COUNT = Type("whole", low=1, high=1000)
_PATTERN = Type("text", high=128)
_PATTERN_COUNT = Type("whole", low=1, high=100)
_PATTERN_CURSOR = Type("text", high=132)
_PATTERNS = Type("text", high=4096)
_PAUSE = Type("text")
_PAYLOAD = Type("bytes", low=0, high=1048576)
_PAYLOAD_SIZE = Type("whole", low=0, high=8388608)
_PERCENT = Type("whole", low=0, high=100)
_PID = Type("whole", low=1, high=4194304)
_PLACE = Type("text", high=1024)
_PLACE_ANYWHERE = Type("text", high=1024)
_PLACES = Type("whole", low=1, high=1000000)
_PLACES_OR_DEFAULT = Type("text")
_PRIORITY = Type("whole", low=-1000, high=1000)
_PROGRESS_TEXT = Type("bytes", low=0, high=4096)
_QUEUE = Type("text", high=128)
_QUEUE_COUNT = Type("whole", low=1, high=32)
_QUEUE_COUNT_OR_NONE = Type("whole", low=0, high=32)
_QUEUE_OR_ALL = Type("text", high=128)
_QUEUES = Type("text")
_QUEUES_OR_NONE = Type("text")
_RATE = Type("text")
_RATE_OR_DEFAULT = Type("text")
_REACHED = Type("word", words=("waiting", "scheduled", "pending", "held", "reserved", "started", "complete", "failed", "cancelled", "deleted", "moved",))
_REASON_WORD = Type("text", high=128)
_RECURRENCE = Type("text", high=256)
_RELEASES = Type("whole", low=0, high=1000000)
_REPAIR_CURSOR = Type("text")
_RETENTION = Type("seconds", low=0, high=100000000000)
_SCHEDULE_NAME = Type("text", high=100)
_SETTING_NAME = Type("text")
_SETTING_VALUE = Type("text")
_SHORT_TEXT = Type("bytes", low=0, high=1024)
_SIGNAL = Type("word", words=("ABRT", "ALRM", "HUP", "INT", "IO", "PIPE", "PROF", "QUIT", "TERM", "URG", "USR1", "USR2", "VTALRM", "WINCH",))
_SLOT = Type("whole", low=0, high=100000000000)
_SLOT_COUNT = Type("whole", low=0, high=64)
_SLOTS = Type("whole", low=1, high=100000)
_SPAN = Type("seconds", low=0, high=9007199254740991)
_SQUARES = Type("text")
_STARTS = Type("whole", low=1, high=1000)
_STARTS_TIME = Type("whole", low=1, high=604800)
_STATUS = Type("word", words=("waiting", "scheduled", "pending", "held", "reserved", "started", "complete", "failed", "cancelled",))
_STATUSES = Type("words", words=("waiting", "scheduled", "pending", "held", "reserved", "started", "complete", "failed", "cancelled",))
_STEP = Type("text", high=1024)
_STEP_COUNT = Type("whole", low=1, high=100)
_STEPS = Type("text")
_STORED = Type("bytes", low=0, high=8388608)
_TAG_COUNT = Type("whole", low=1, high=16)
_TAGS = Type("text")
_TAKEN = Type("whole", low=1, high=100)
_TARGET_COUNT = Type("whole", low=1, high=100)
_TARGETS = Type("whole", low=1, high=8)
_TASK = Type("text", high=128)
_TEMPLATE = Type("text")
_TEXT = Type("text")
_TIME = Type("seconds", low=0, high=100000000000)
_TIME_LIMIT = Type("seconds", low=1, high=31536000)
_TIME_OR_NONE = Type("seconds", low=0, high=100000000000)
_TIMES = Type("whole", low=1, high=1000000000)
_TOKEN = Type("whole", low=1, high=9007199254740991)
_TOPOLOGY_VERSION = Type("whole", low=1, high=1000000000)
_TOPOLOGY_VERSION_OR_NONE = Type("whole", low=0, high=999999999)
_TRACE = Type("text", high=568)
_TROUBLE = Type("text")
_UNIQUE_POLICY = Type("word", words=("reject", "existing", "replace", "latest",))
_UNIQUE_TIME = Type("seconds", low=1, high=31536000)
_UNIQUE_UNTIL = Type("text")
_WEIGHT = Type("whole", low=1, high=1000)
_WEIGHTS = Type("text")


@dataclass(frozen=True)
class AdoptItem:
    """One of what `adopt` answers."""

    id: str
    """The task."""

    queue: str
    """The queue of the task."""

    token: int
    """The token of the attempt. Every call of the owner carries the token."""

    attempt: int
    """Number of attempts so far, including the new attempt."""

    deadline: int
    """End of the lease."""

    lease: int
    """The length of the lease."""

    outcome: contract.Outcome | None
    """Outcome of the previous attempt; empty: there was no previous attempt."""

    losses: int
    """Number of attempts that were lost."""

    failures: int
    """Number of attempts that failed."""

    parameters: bytes
    """The parameters, as submitted."""

    checkpoint: bytes | None
    """The checkpoint; nil: none was saved."""


_adopt: Shape[list[AdoptItem] | None] = read_maybe(read_items(
    AdoptItem,
    (
        Field("id", type=_NAME),
        Field("queue", type=_NAME),
        Field("token", type=_TOKEN),
        Field("attempt", type=_NUMBER),
        Field("deadline", type=_DEADLINE),
        Field("lease", type=_MICROS),
        Field("outcome", type=_OUTCOME, empty=True),
        Field("losses", type=_NUMBER),
        Field("failures", type=_NUMBER),
        Field("parameters", type=_STORED),
        Field("checkpoint", type=_STORED, nil=True),
    ),
))


def adopt(
    listener: str,
    from_: str,
    queue: str,
    id: str,
    *,
    lease: Seconds | None = None,
    request: str | None = None,
) -> Call[list[AdoptItem] | None]:
    """Takes over a task from a listener whose process is dead, as a new attempt. The caller must have verified that the
    process is dead.

    listener: The listener.
    from_: The listener that holds the task.
    queue: The queue.
    id: The task.
    lease: Lease of the attempt. By default the setting `lease`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOLISTENER, NOPERM, NOTASK, OTHERQUEUE, RETRY, SCHEMA, STATE, WRONGKEY.
    Reply: The reply of reserve; nil if the task ended instead, because it was cancelled or lost too often.
    """
    return call(
        "adopt",
        [listener, from_, queue, id],
        [
            ("lease", lease),
            ("request", request),
        ],
        _adopt,
        True,
    )


@dataclass(frozen=True)
class AggregateReply:
    """What `aggregate` answers."""

    read: int
    """Number of events that were read."""

    more: bool
    """More events are left to read."""

    missed: int
    """Number of events that were trimmed before they were read."""


_aggregate: Shape[AggregateReply] = read_list(
    AggregateReply,
    (
        Field("read", type=_NUMBER),
        Field("more", type=_FLAG),
        Field("missed", type=_NUMBER),
    ),

)


def aggregate(
    queue: str,
    limit: int,
) -> Call[AggregateReply]:
    """Adds new events to the statistics of their days, each event once, and then trims the events.

    queue: The queue.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Number of events read, 1 if there are more events, number of events that were trimmed before they were read.
    """
    return call(
        "aggregate",
        [queue, limit],
        [
        ],
        _aggregate,
        False,
    )


_answer_notice: Shape[Literal["delivered", "retrying", "given_up", "stale"]] = read_value(Field("reply", words=("delivered", "retrying", "given_up", "stale",)))


def answer_notice(
    of: contract.NoticeOf,
    subject: str,
    target: str,
    token: int,
    outcome: contract.NoticeOutcome,
    answer: Bytes,
) -> Call[Literal["delivered", "retrying", "given_up", "stale"]]:
    """Reports the outcome of a delivery. A delivered notice is done, and the next notice of the task for the same
    target is due. A failed notice is due again after a delay, which grows from 5 seconds to an hour; after three days
    it is given up.

    of: The kind of object that the notice is about.
    subject: The id of the task or the graph.
    target: The target.
    token: The token of the notice, from `take_notices`.
    outcome: The outcome of the delivery.
    answer: The answer of the target, or the error, for people.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: `delivered`, `retrying` or `given_up`; `stale` if the notice was taken again or answered since.
    """
    return call(
        "answer_notice",
        [of, subject, target, token, outcome, answer],
        [
        ],
        _answer_notice,
        False,
    )


_append_log: Shape[str | None] = read_value(Field("last", type=_ENTRY, empty=True))


def append_log(
    id: str,
    token: int,
    source: str,
    text: Bytes,
    *,
    offset: int | None = None,
) -> Call[str | None]:
    """Appends text to a task's log. The server keeps the beginning of the log and the latest part of the rest, until a
    day after the task has ended.

    id: The task.
    token: The token of the attempt.
    source: The source of the text, such as `stdout`.
    text: The text to append.
    offset: The offset of the text in the attempt's log, in bytes. With an offset, a text that is sent twice is added
      once.
    Errors: BADARG, BADNAME, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: Id of the last entry, or an empty string if no entry is kept.
    """
    return call(
        "append_log",
        [id, token, source, text],
        [
            ("offset", offset),
        ],
        _append_log,
        False,
    )


@dataclass(frozen=True)
class AttendReply:
    """What `attend` answers."""

    number: int
    """Number of the request in this attempt."""

    what: Literal["suspend", "unsuspend", "signal", "describe"]
    """The kind of the request."""

    detail: str | None
    """The name of the signal, without SIG; for `describe` the word `values` if the answer includes the values of the
    environment.
    """


_attend: Shape[AttendReply | None] = read_maybe(read_list(
    AttendReply,
    (
        Field("number", type=_NUMBER),
        Field("what", words=("suspend", "unsuspend", "signal", "describe",)),
        Field("detail", type=_NAME, empty=True),
    ),

))


def attend(
    id: str,
    token: int,
    *,
    answered: int | None = None,
    refused: Bytes | None = None,
    described: Bytes | None = None,
) -> Call[AttendReply | None]:
    """Reads the next request to the owner of a task, after the order `attend`: to suspend the program, to continue it,
    to send it a signal, or to describe it. The owner answers each request, in order, with the next call.

    id: The task.
    token: The token of the attempt.
    answered: Number of the request that the owner has carried out or refused.
    refused: The reason why the owner cannot carry out this request.
    described: The answer to a request of `describe`: a JSON object.
    Errors: BADARG, BADNAME, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: Number, kind and detail of the request; nil if no request is left.
    """
    return call(
        "attend",
        [id, token],
        [
            ("answered", answered),
            ("refused", refused),
            ("described", described),
        ],
        _attend,
        False,
    )


@dataclass(frozen=True)
class AuditItem:
    """One of what `audit` answers."""

    entry: str
    """The entry."""

    at: float
    """Time of the change."""

    by: str | None
    """The author of the change; empty: unknown."""

    what: str
    """The command."""

    of: Literal["task", "queue", "key", "shared", "listener", "schedule", "graph", "namespace"]
    """The kind of the changed object."""

    on: str | None
    """The name of the changed object; `QUEUE/KEY` for a key; empty for the namespace."""

    before: str | None
    """The previous value: the state of a task, its priority or its queue; the value of a setting; the limits of a key;
    `open`, `paused` or `stopped`; the recurrence of a schedule.
    """

    after: str | None
    """The new value; for a bulk, the number of tasks that the step changed."""

    detail: str | None
    """The reason; the name of the setting; the action and selection of a bulk; the queue and parameters of a schedule,
    by length and digest.
    """


@dataclass(frozen=True)
class AuditReply:
    """What `audit` answers."""

    last: str
    """The last entry that was read; the value of `after` if no entry was read."""

    missed: bool
    """Entries directly after `after` were trimmed, so the caller may have missed entries."""

    items: list[AuditItem]
    """The entries."""


_audit: Shape[AuditReply] = read_list(
    AuditReply,
    (
        Field("last", type=_ENTRY),
        Field("missed", type=_FLAG),
    ),
    read_items(
    AuditItem,
    (
        Field("entry", type=_ENTRY),
        Field("at", type=_TIME),
        Field("by", type=_NAME, empty=True),
        Field("what", type=_NAME),
        Field("of", words=("task", "queue", "key", "shared", "listener", "schedule", "graph", "namespace",)),
        Field("on", type=_TEXT, empty=True),
        Field("before", type=_TEXT, empty=True),
        Field("after", type=_TEXT, empty=True),
        Field("detail", type=_TEXT, empty=True),
    ),
),
)


def audit(
    after: str,
    limit: int,
    *,
    by: str | None = None,
    what: str | None = None,
    on: str | None = None,
) -> Call[AuditReply]:
    """Returns the audit entries after an entry. An audit entry records who changed what: settings, limits, priorities,
    pauses, drains, cancels, retries, moves, deletions, bulk actions, graphs and schedules. With `by`, `what` or `on`,
    returns only matching entries among the next `limit` entries.

    after: The last entry that was read.
    limit: Maximum number of entries that the call reads or changes.
    by: Only changes by this author.
    what: Only changes by this command.
    on: Only changes of the object with this name.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: The last entry examined (`after` again if there is none), 1 if entries right after `after` have been trimmed
      and may have been missed, then for each change: entry, at, by, what, of, on, before, after, detail.
    """
    return call(
        "audit",
        [after, limit],
        [
            ("by", by),
            ("what", what),
            ("on", on),
        ],
        _audit,
        False,
    )


@dataclass(frozen=True)
class BulkReply:
    """What `bulk` answers."""

    cursor: str
    """Start of the next step; 0 at the end."""

    looked: int
    """Number of tasks that the step read."""

    changed: int
    """Number of tasks that the step changed."""

    refused: int
    """Number of tasks that the step could not change because of their state, a unique name, or the new queue."""


_bulk: Shape[BulkReply] = read_list(
    BulkReply,
    (
        Field("cursor", type=_STEP),
        Field("looked", type=_NUMBER),
        Field("changed", type=_NUMBER),
        Field("refused", type=_NUMBER),
    ),

)


class BulkOptions(TypedDict, total=False):
    """The options of `bulk`."""

    prefix: str | None
    """Tasks whose id begins with this text."""

    status: Names | None
    """Tasks in one of these states."""

    tag: str | None
    """Tasks with this tag."""

    method: str | None
    """Tasks with this method."""

    key: str | None
    """Tasks of this key."""

    group: str | None
    """Failed tasks of this group of errors; empty: failed tasks without a group."""

    from_: Time | None
    """Tasks created at this time or later."""

    to: Time | None
    """Tasks created at this time or earlier."""

    reason: Bytes | None
    """The reason, for people; with the action `cancel`."""

    force: bool | None
    """Kill the program at once."""

    at_once: bool | None
    """Take the task from its owner at once instead of waiting for the owner."""

    fresh: bool | None
    """Forget the checkpoint and the progress."""

    into: str | None
    """The new queue; with the actions `move` and `retry`."""

    priority: int | None
    """The new priority; with the action `prioritise`."""

    signal: contract.Signal | None
    """The signal, without SIG; with the action `signal`."""

    by: str | None
    """The author of the call, for `audit`; `blueque` sends `USER@HOST`."""

    request: str | None
    """A random id, the same for all repetitions of this call: a repeated call returns the first reply."""


def bulk(
    queue: str,
    action: contract.Action,
    cursor: str,
    limit: int,
    *,
    prefix: str | None = None,
    status: Names | None = None,
    tag: str | None = None,
    method: str | None = None,
    key: str | None = None,
    group: str | None = None,
    from_: Time | None = None,
    to: Time | None = None,
    reason: Bytes | None = None,
    force: bool | None = None,
    at_once: bool | None = None,
    fresh: bool | None = None,
    into: str | None = None,
    priority: int | None = None,
    signal: contract.Signal | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[BulkReply]:
    """Applies an action to all tasks of a queue that match the options, oldest first. A call examines up to 300 tasks
    and changes up to `limit` of them.

    queue: The queue.
    action: The action for each task.
    cursor: Start of the step.
    limit: Maximum number of entries that the call reads or changes.
    prefix: Tasks whose id begins with this text.
    status: Tasks in one of these states.
    tag: Tasks with this tag.
    method: Tasks with this method.
    key: Tasks of this key.
    group: Failed tasks of this group of errors; empty: failed tasks without a group.
    from_: Tasks created at this time or later.
    to: Tasks created at this time or earlier.
    reason: The reason, for people; with the action `cancel`.
    force: Kill the program at once. By default 0.
    at_once: Take the task from its owner at once instead of waiting for the owner. By default 0.
    fresh: Forget the checkpoint and the progress. By default 0.
    into: The new queue; with the actions `move` and `retry`.
    priority: The new priority; with the action `prioritise`.
    signal: The signal, without SIG; with the action `signal`.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: Next cursor (0 at the end), number of tasks examined, changed and refused.
    """
    return call(
        "bulk",
        [queue, action, cursor, limit],
        [
            ("prefix", prefix),
            ("status", status),
            ("tag", tag),
            ("method", method),
            ("key", key),
            ("group", group),
            ("from", from_),
            ("to", to),
            ("reason", reason),
            ("force", force),
            ("at_once", at_once),
            ("fresh", fresh),
            ("into", into),
            ("priority", priority),
            ("signal", signal),
            ("by", by),
            ("request", request),
        ],
        _bulk,
        True,
    )


_cancel: Shape[Literal["cancelled", "cancelling"]] = read_value(Field("reply", words=("cancelled", "cancelling",)))


def cancel(
    id: str,
    reason: Bytes,
    *,
    force: bool | None = None,
    at_once: bool | None = None,
    skip: bool | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["cancelled", "cancelling"]]:
    """Cancels a task. If an attempt holds the task, its owner is ordered to stop it, or with `force` to kill it. With
    `at_once` the task is cancelled immediately, even if its program is still running. With `skip` it was not needed:
    its graph counts it as skipped.

    id: The task.
    reason: The reason, for people.
    force: Kill the program at once. By default 0.
    at_once: Take the task from its owner at once instead of waiting for the owner. By default 0.
    skip: The task is not needed: it counts as skipped in its graph, and so do the tasks that only wait for it. By
      default 0.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOBIG, WRONGKEY.
    Reply: `cancelled`, or `cancelling` if its owner must stop it first.
    """
    return call(
        "cancel",
        [id, reason],
        [
            ("force", force),
            ("at_once", at_once),
            ("skip", skip),
            ("by", by),
            ("request", request),
        ],
        _cancel,
        True,
    )


_cancel_graph: Shape[Literal["cancelling"]] = read_value(Field("reply", words=("cancelling",)))


def cancel_graph(
    graph: str,
    reason: Bytes,
    *,
    task: str | None = None,
    force: bool | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["cancelling"]]:
    """Cancels all unfinished tasks of a graph. With `task`, cancels only this task and the tasks that need it, directly
    or indirectly. `run_deferred` does the work in steps. Outcomes that owners of these tasks report later are
    discarded.

    graph: The graph.
    reason: The reason, for people.
    task: Cancel only this task and the tasks that need it.
    force: Kill the program at once. By default 0.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: `cancelling`.
    """
    return call(
        "cancel_graph",
        [graph, reason],
        [
            ("task", task),
            ("force", force),
            ("by", by),
            ("request", request),
        ],
        _cancel_graph,
        True,
    )


@dataclass(frozen=True)
class ChangesItem:
    """One of what `changes` answers."""

    entry: str
    """The entry."""

    id: str
    """The task."""

    queue: str
    """The queue of the task at that time."""

    what: Literal["state", "progress", "checkpoint", "cancel", "requeue", "suspend", "unsuspend", "signal", "suspended", "unsuspended", "signalled", "refused", "note", "edit", "track", "untrack"]
    """The kind of change. `state`: a transition; `cancel`: a cancel request; `requeue`: an order to give the task back;
    `suspend`, `unsuspend` and `signal`: a request to the owner; `suspended`, `unsuspended`, `signalled` and `refused`:
    its answer; `track` and `untrack`: tracking began or ended.
    """

    from_: contract.Reached | None
    """The previous state; empty if the task has entered a new queue."""

    to: contract.Reached
    """The state after the change. It differs from the previous state only if the kind is `state`."""

    attempt: int
    """Number of attempts at that time."""

    at: float
    """Time of the change."""

    by: str | None
    """The listener that made the change, or the author of the call; empty: unknown."""

    why: str
    """The cause of the change: the command, the reason of a release, `lost` or `deadline`."""

    text: bytes | None
    """The progress, the note, the reason, the names of the edited options, or the beginning of the error; at most 1
    KiB.
    """


@dataclass(frozen=True)
class ChangesReply:
    """What `changes` answers."""

    last: str
    """The last entry that was read; the value of `after` if no entry was read."""

    missed: bool
    """Entries directly after `after` were trimmed, so the caller may have missed entries."""

    items: list[ChangesItem]
    """The entries."""


_changes: Shape[ChangesReply] = read_list(
    ChangesReply,
    (
        Field("last", type=_ENTRY),
        Field("missed", type=_FLAG),
    ),
    read_items(
    ChangesItem,
    (
        Field("entry", type=_ENTRY),
        Field("id", type=_NAME),
        Field("queue", type=_NAME),
        Field("what", words=("state", "progress", "checkpoint", "cancel", "requeue", "suspend", "unsuspend", "signal", "suspended", "unsuspended", "signalled", "refused", "note", "edit", "track", "untrack",)),
        Field("from", type=_REACHED, empty=True),
        Field("to", type=_REACHED),
        Field("attempt", type=_NUMBER),
        Field("at", type=_TIME),
        Field("by", type=_NAME, empty=True),
        Field("why", type=_NAME),
        Field("text", type=_STORED, empty=True),
    ),
),
)


def changes(
    after: str,
    limit: int,
    *,
    id: str | None = None,
) -> Call[ChangesReply]:
    """Returns the changes of tracked tasks after an entry, in all queues: transitions, progress, checkpoints, requests
    to cancel, requeues, notes, edits, and when tracking began and ended. With `id`, returns only changes of this task
    among the next `limit` entries.

    after: The last entry that was read.
    limit: Maximum number of entries that the call reads or changes.
    id: Only changes of this task.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: The last entry examined (`after` again if there is none), 1 if entries right after `after` have been trimmed
      and may have been missed, then for each change: entry, id, queue, what, from, to, attempt, at, by, why, text.
    """
    return call(
        "changes",
        [after, limit],
        [
            ("id", id),
        ],
        _changes,
        False,
    )


_checkpoint: Shape[Literal["kept"]] = read_value(Field("reply", words=("kept",)))


def checkpoint(
    id: str,
    token: int,
    checkpoint: Bytes,
    *,
    max_bytes: int | None = None,
) -> Call[Literal["kept"]]:
    """Stores a checkpoint, from which the next attempt continues.

    id: The task.
    token: The token of the attempt.
    checkpoint: The checkpoint for the next attempt.
    max_bytes: Maximum size of the payload. By default 1048576.
    Errors: BADARG, BADNAME, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: `kept`.
    """
    return call(
        "checkpoint",
        [id, token, checkpoint],
        [
            ("max_bytes", max_bytes),
        ],
        _checkpoint,
        False,
    )


_complete: Shape[Literal["complete", "cancelled", "failed"]] = read_value(Field("reply", words=("complete", "cancelled", "failed",)))


class CompleteOptions(TypedDict, total=False):
    """The options of `complete`."""

    max_bytes: int | None
    """Maximum size of the payload."""

    cost: Bytes | None
    """The cost of the attempt; `blueque worker` sends JSON."""

    next: str | None
    """The queue in which the task goes on, instead of the queue of its next step. Empty: the task is complete, even if
    steps are left.
    """

    parameters: Bytes | None
    """The parameters of the next step, instead of the result."""

    eta: Time | None
    """The time at which the next step is due; by default at once."""

    unset: str | None
    """Options to remove for the next step."""

    title: Bytes | None
    """A line for people that says what the task does. Lists show it instead of the parameters."""

    submitter: str | None
    """The author of the submit, such as `USER@HOST`: lists and reports select tasks by it."""

    method: str | None
    """The method, which selects the program that a worker runs if its queue has several."""

    command: str | None
    """The command line that the task runs instead of a program of the worker: JSON such as `{"argv":["sleep","5"]}`, as
    `blueque add` writes it. Only workers with `--allow-commands` run it, so the task also needs `commands`.
    """

    priority: int | None
    """Priority from -1000 to 1000. A higher priority goes first."""

    max_failures: int | None
    """Maximum retries after failures."""

    backoff: contract.Backoff | None
    """Growth of the delay from each retry to the next."""

    delay: Seconds | None
    """Delay before the first retry."""

    max_delay: Seconds | None
    """Longest delay before a retry."""

    jitter: int | None
    """Maximum part by which a delay is shortened, in percent."""

    max_losses: int | None
    """Maximum lost attempts before the task fails; 1000000000 for no limit."""

    lost_delay: Seconds | None
    """Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once."""

    max_releases: int | None
    """Maximum releases before the task fails."""

    lease: Seconds | None
    """Lease of each attempt, instead of the worker's lease."""

    key: str | None
    """The owner of the task, such as a tenant: keys take turns and have limits."""

    weight: int | None
    """Number of places that the task takes in each of its limits."""

    needs: Names | None
    """Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes) and
    `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    """

    limits: str | None
    """Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all these
    limits at the same time.
    """

    unique: str | None
    """A name that only one task of the queue has at a time."""

    unique_until: str | Seconds | None
    """The point until which the task holds its unique name."""

    tags: Names | None
    """Names to find the task by, at most 16."""

    deadline: Time | None
    """The time by which the task must have ended. After this time an unfinished task fails."""

    max_run: Seconds | None
    """Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked for
    more time; a shorter limit of the worker applies instead.
    """

    warn: Seconds | None
    """Time before the end of `max_run` at which the program gets SIGUSR1 as a warning."""

    no_progress: Seconds | None
    """Maximum time without an event, a checkpoint or output of the program."""

    grace: Seconds | None
    """Time between SIGTERM and SIGKILL when the program is stopped."""

    nice: int | None
    """Niceness of the program, in addition to the worker's."""

    notify: str | None
    """The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that workers
    have in their configuration. Without events a target is notified of every end; `none`: no target, even if the queue
    has the setting `notify`.
    """

    log_bytes: int | None
    """Maximum size of the task's log on the server; 0 for none."""

    trace: str | None
    """The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
    continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    """

    steps: Names | None
    """The queues that the task goes through after the first queue. The task enters each queue when it has completed its
    step in the previous queue.
    """


def complete(
    id: str,
    token: int,
    result: Bytes,
    *,
    max_bytes: int | None = None,
    cost: Bytes | None = None,
    next: str | None = None,
    parameters: Bytes | None = None,
    eta: Time | None = None,
    unset: str | None = None,
    title: Bytes | None = None,
    submitter: str | None = None,
    method: str | None = None,
    command: str | None = None,
    priority: int | None = None,
    max_failures: int | None = None,
    backoff: contract.Backoff | None = None,
    delay: Seconds | None = None,
    max_delay: Seconds | None = None,
    jitter: int | None = None,
    max_losses: int | None = None,
    lost_delay: Seconds | None = None,
    max_releases: int | None = None,
    lease: Seconds | None = None,
    key: str | None = None,
    weight: int | None = None,
    needs: Names | None = None,
    limits: str | None = None,
    unique: str | None = None,
    unique_until: str | Seconds | None = None,
    tags: Names | None = None,
    deadline: Time | None = None,
    max_run: Seconds | None = None,
    warn: Seconds | None = None,
    no_progress: Seconds | None = None,
    grace: Seconds | None = None,
    nice: int | None = None,
    notify: str | None = None,
    log_bytes: int | None = None,
    trace: str | None = None,
    steps: Names | None = None,
) -> Call[Literal["complete", "cancelled", "failed"]]:
    """Ends an attempt with its result. The task is complete, or continues with its next step in another queue.

    id: The task.
    token: The token of the attempt.
    result: The result of the task.
    max_bytes: Maximum size of the payload. By default 1048576.
    cost: The cost of the attempt; `blueque worker` sends JSON.
    next: The queue in which the task goes on, instead of the queue of its next step. Empty: the task is complete, even
      if steps are left.
    parameters: The parameters of the next step, instead of the result.
    eta: The time at which the next step is due; by default at once.
    unset: Options to remove for the next step.
    title: A line for people that says what the task does. Lists show it instead of the parameters.
    submitter: The author of the submit, such as `USER@HOST`: lists and reports select tasks by it.
    method: The method, which selects the program that a worker runs if its queue has several.
    command: The command line that the task runs instead of a program of the worker: JSON such as
      `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the task
      also needs `commands`.
    priority: Priority from -1000 to 1000. A higher priority goes first. By default 0.
    max_failures: Maximum retries after failures. By default the setting `max_failures`.
    backoff: Growth of the delay from each retry to the next. By default the setting `backoff`.
    delay: Delay before the first retry. By default the setting `delay`.
    max_delay: Longest delay before a retry. By default the setting `max_delay`.
    jitter: Maximum part by which a delay is shortened, in percent. By default the setting `jitter`.
    max_losses: Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting
      `max_losses`.
    lost_delay: Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once.
      By default the setting `lost_delay`.
    max_releases: Maximum releases before the task fails. By default the setting `max_releases`.
    lease: Lease of each attempt, instead of the worker's lease. By default the setting `lease`.
    key: The owner of the task, such as a tenant: keys take turns and have limits.
    weight: Number of places that the task takes in each of its limits. By default 1.
    needs: Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
      and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    limits: Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
      these limits at the same time.
    unique: A name that only one task of the queue has at a time.
    unique_until: The point until which the task holds its unique name. By default end.
    tags: Names to find the task by, at most 16.
    deadline: The time by which the task must have ended. After this time an unfinished task fails.
    max_run: Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
      for more time; a shorter limit of the worker applies instead.
    warn: Time before the end of `max_run` at which the program gets SIGUSR1 as a warning.
    no_progress: Maximum time without an event, a checkpoint or output of the program.
    grace: Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`.
    nice: Niceness of the program, in addition to the worker's.
    notify: The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
      workers have in their configuration. Without events a target is notified of every end; `none`: no target, even if
      the queue has the setting `notify`.
    log_bytes: Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`.
    trace: The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
      continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    steps: The queues that the task goes through after the first queue. The task enters each queue when it has completed
      its step in the previous queue.
    Errors: BADARG, BADNAME, LOST, NOLIMIT, NOPERM, OVERDUE, RETRY, SCHEMA, TOOBIG, TOOMANY, WRONGKEY.
    Reply: `complete`; if the result was discarded: `cancelled` if another task caused a cancel of the task, or the task
      was cancelled before a further step; `failed` if the attempt was ordered to stop because of the task's deadline.
    """
    return call(
        "complete",
        [id, token, result],
        [
            ("max_bytes", max_bytes),
            ("cost", cost),
            ("next", next),
            ("parameters", parameters),
            ("eta", eta),
            ("unset", unset),
            ("title", title),
            ("submitter", submitter),
            ("method", method),
            ("command", command),
            ("priority", priority),
            ("max_failures", max_failures),
            ("backoff", backoff),
            ("delay", delay),
            ("max_delay", max_delay),
            ("jitter", jitter),
            ("max_losses", max_losses),
            ("lost_delay", lost_delay),
            ("max_releases", max_releases),
            ("lease", lease),
            ("key", key),
            ("weight", weight),
            ("needs", needs),
            ("limits", limits),
            ("unique", unique),
            ("unique_until", unique_until),
            ("tags", tags),
            ("deadline", deadline),
            ("max_run", max_run),
            ("warn", warn),
            ("no_progress", no_progress),
            ("grace", grace),
            ("nice", nice),
            ("notify", notify),
            ("log_bytes", log_bytes),
            ("trace", trace),
            ("steps", steps),
        ],
        _complete,
        False,
    )


_configure: Shape[Literal["configured"]] = read_value(Field("reply", words=("configured",)))


def configure(
    queue: str,
    name: str,
    value: str,
    *,
    by: str | None = None,
) -> Call[Literal["configured"]]:
    """Sets a setting of a queue, or with queue `*` the default for all queues. An empty value removes the setting.

    queue: The queue; `*` for the defaults of all queues.
    name: The setting.
    value: Its new value.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: `configured`.
    """
    return call(
        "configure",
        [queue, name, value],
        [
            ("by", by),
        ],
        _configure,
        False,
    )


@dataclass(frozen=True)
class CountsReply:
    """What `counts` answers."""

    waiting: int
    """Tasks that are waiting."""

    scheduled: int
    """Tasks that are scheduled."""

    pending: int
    """Tasks that are pending."""

    held: int
    """Tasks that are held."""

    reserved: int
    """Tasks that are reserved."""

    started: int
    """Tasks that are started."""

    complete: int
    """Tasks that are complete."""

    failed: int
    """Tasks that are failed."""

    cancelled: int
    """Tasks that are cancelled."""

    listeners: int
    """Number of listeners that take tasks of the queue."""


_counts: Shape[CountsReply] = read_pairs(
    CountsReply,
    (
        Field("waiting", type=_NUMBER),
        Field("scheduled", type=_NUMBER),
        Field("pending", type=_NUMBER),
        Field("held", type=_NUMBER),
        Field("reserved", type=_NUMBER),
        Field("started", type=_NUMBER),
        Field("complete", type=_NUMBER),
        Field("failed", type=_NUMBER),
        Field("cancelled", type=_NUMBER),
        Field("listeners", type=_NUMBER),
    ),
)


def counts(
    queue: str,
) -> Call[CountsReply]:
    """Counts the tasks of a queue in each state. The time of a call grows with the number of listeners.

    queue: The queue.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Name and number in turn: each state, in the order of its life, then `listeners`.
    """
    return call(
        "counts",
        [queue],
        [
        ],
        _counts,
        False,
    )


_delete: Shape[Literal["deleted"]] = read_value(Field("reply", words=("deleted",)))


def delete(
    id: str,
    *,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["deleted"]]:
    """Deletes a finished task with its log and history.

    id: The task.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, WRONGKEY.
    Reply: `deleted`.
    """
    return call(
        "delete",
        [id],
        [
            ("by", by),
            ("request", request),
        ],
        _delete,
        True,
    )


_delete_queue: Shape[Literal["deleted"]] = read_value(Field("reply", words=("deleted",)))


def delete_queue(
    queue: str,
    *,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["deleted"]]:
    """Removes a queue that has no tasks, no listeners and no schedules, with its settings, limits, events and
    statistics.

    queue: The queue.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOQUEUE, NOTEMPTY, RETRY, SCHEMA, WRONGKEY.
    Reply: `deleted`.
    """
    return call(
        "delete_queue",
        [queue],
        [
            ("by", by),
            ("request", request),
        ],
        _delete_queue,
        True,
    )


_depend: Shape[Literal["waiting", "pending", "scheduled"]] = read_value(Field("reply", words=("waiting", "pending", "scheduled",)))


def depend(
    id: str,
    inputs: str,
    *,
    request: str | None = None,
) -> Call[Literal["waiting", "pending", "scheduled"]]:
    """Adds upstream tasks to a task that no attempt holds. A pending or scheduled task then waits, unless all of the
    added tasks have already ended. The result slots of the added tasks follow the slots that the task already has.

    id: The task.
    inputs: Further tasks that the task waits for.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, CYCLE, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOBIG, TOOMANY, UPSTREAM, WRONGKEY.
    Reply: `waiting`, or `pending` or `scheduled` if the task waits for nothing.
    """
    return call(
        "depend",
        [id, inputs],
        [
            ("request", request),
        ],
        _depend,
        True,
    )


_describe: Shape[int] = read_value(Field("number", type=_NUMBER))


def describe(
    id: str,
    *,
    values: bool | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[int]:
    """Asks the owner of a task to describe its running program: processes, open files, environment, the end of its log.

    id: The task.
    values: Include the values of the program's environment, except secrets. By default 0.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOMANY, WRONGKEY.
    Reply: Number of the request in this attempt; `description` returns the answer once the field `controlled` has
      reached it.
    """
    return call(
        "describe",
        [id],
        [
            ("values", values),
            ("by", by),
            ("request", request),
        ],
        _describe,
        True,
    )


_description: Shape[str | None] = read_value(Field("description", type=_TEXT, empty=True))


def description(
    id: str,
    token: int,
    request_number: int,
) -> Call[str | None]:
    """Returns the owner's answer to a request of `describe`: a JSON object. It is kept for 60 seconds.

    id: The task.
    token: The token of the attempt.
    request_number: Number of the request, from `describe`.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: The answer; empty if there is none, or no longer.
    """
    return call(
        "description",
        [id, token, request_number],
        [
        ],
        _description,
        False,
    )


_drain: Shape[Literal["draining", "listening"]] = read_value(Field("reply", words=("draining", "listening",)))


def drain(
    queue: str,
    listener: str,
    on: bool,
    *,
    by: str | None = None,
) -> Call[Literal["draining", "listening"]]:
    """Orders a listener to finish the tasks that it holds and to take no more tasks. The replies to the listener's
    heartbeats and reserves carry the order.

    queue: The queue.
    listener: The listener.
    on: 1: drain; 0: withdraw the order.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    Errors: BADARG, BADNAME, NOLISTENER, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: `draining`, or `listening`.
    """
    return call(
        "drain",
        [queue, listener, on],
        [
            ("by", by),
        ],
        _drain,
        False,
    )


_edit: Shape[Literal["pending", "scheduled", "held", "waiting", "reserved", "started"]] = read_value(Field("reply", words=("pending", "scheduled", "held", "waiting", "reserved", "started",)))


class EditOptions(TypedDict, total=False):
    """The options of `edit`."""

    title: Bytes | None
    """A line for people that says what the task does. Lists show it instead of the parameters."""

    submitter: str | None
    """The author of the submit, such as `USER@HOST`: lists and reports select tasks by it."""

    method: str | None
    """The method, which selects the program that a worker runs if its queue has several."""

    command: str | None
    """The command line that the task runs instead of a program of the worker: JSON such as `{"argv":["sleep","5"]}`, as
    `blueque add` writes it. Only workers with `--allow-commands` run it, so the task also needs `commands`.
    """

    priority: int | None
    """Priority from -1000 to 1000. A higher priority goes first."""

    max_failures: int | None
    """Maximum retries after failures."""

    backoff: contract.Backoff | None
    """Growth of the delay from each retry to the next."""

    delay: Seconds | None
    """Delay before the first retry."""

    max_delay: Seconds | None
    """Longest delay before a retry."""

    jitter: int | None
    """Maximum part by which a delay is shortened, in percent."""

    max_losses: int | None
    """Maximum lost attempts before the task fails; 1000000000 for no limit."""

    lost_delay: Seconds | None
    """Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once."""

    max_releases: int | None
    """Maximum releases before the task fails."""

    lease: Seconds | None
    """Lease of each attempt, instead of the worker's lease."""

    key: str | None
    """The owner of the task, such as a tenant: keys take turns and have limits."""

    weight: int | None
    """Number of places that the task takes in each of its limits."""

    needs: Names | None
    """Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes) and
    `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    """

    limits: str | None
    """Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all these
    limits at the same time.
    """

    unique: str | None
    """A name that only one task of the queue has at a time."""

    unique_until: str | Seconds | None
    """The point until which the task holds its unique name."""

    tags: Names | None
    """Names to find the task by, at most 16."""

    deadline: Time | None
    """The time by which the task must have ended. After this time an unfinished task fails."""

    max_run: Seconds | None
    """Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked for
    more time; a shorter limit of the worker applies instead.
    """

    warn: Seconds | None
    """Time before the end of `max_run` at which the program gets SIGUSR1 as a warning."""

    no_progress: Seconds | None
    """Maximum time without an event, a checkpoint or output of the program."""

    grace: Seconds | None
    """Time between SIGTERM and SIGKILL when the program is stopped."""

    nice: int | None
    """Niceness of the program, in addition to the worker's."""

    notify: str | None
    """The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that workers
    have in their configuration. Without events a target is notified of every end; `none`: no target, even if the queue
    has the setting `notify`.
    """

    log_bytes: int | None
    """Maximum size of the task's log on the server; 0 for none."""

    trace: str | None
    """The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
    continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    """

    steps: Names | None
    """The queues that the task goes through after the first queue. The task enters each queue when it has completed its
    step in the previous queue.
    """

    max_bytes: int | None
    """Maximum size of the parameters."""

    eta: Time | None
    """The new time at which the task is due; a time in the past: at once."""

    queue: str | None
    """The new queue. The task goes behind all tasks that wait there."""

    unset: str | None
    """Options to remove from the task. If `eta` is removed, the task is due at once."""

    token: int | None
    """For a call of the owner: the token of its attempt. The call is refused if this attempt does not hold the task."""

    by: str | None
    """The author of the change; `blueque` sends `USER@HOST`."""

    reason: Bytes | None
    """The reason, for people."""

    request: str | None
    """A random id, the same for all repetitions of this call: a repeated call returns the first reply."""


def edit(
    id: str,
    *,
    title: Bytes | None = None,
    submitter: str | None = None,
    method: str | None = None,
    command: str | None = None,
    priority: int | None = None,
    max_failures: int | None = None,
    backoff: contract.Backoff | None = None,
    delay: Seconds | None = None,
    max_delay: Seconds | None = None,
    jitter: int | None = None,
    max_losses: int | None = None,
    lost_delay: Seconds | None = None,
    max_releases: int | None = None,
    lease: Seconds | None = None,
    key: str | None = None,
    weight: int | None = None,
    needs: Names | None = None,
    limits: str | None = None,
    unique: str | None = None,
    unique_until: str | Seconds | None = None,
    tags: Names | None = None,
    deadline: Time | None = None,
    max_run: Seconds | None = None,
    warn: Seconds | None = None,
    no_progress: Seconds | None = None,
    grace: Seconds | None = None,
    nice: int | None = None,
    notify: str | None = None,
    log_bytes: int | None = None,
    trace: str | None = None,
    steps: Names | None = None,
    max_bytes: int | None = None,
    parameters: Bytes | None = None,
    eta: Time | None = None,
    queue: str | None = None,
    unset: str | None = None,
    token: int | None = None,
    by: str | None = None,
    reason: Bytes | None = None,
    request: str | None = None,
) -> Call[Literal["pending", "scheduled", "held", "waiting", "reserved", "started"]]:
    """Changes a task that has not ended: any part of its submission except its dependencies. While an attempt holds the
    task, only parts that do not affect this attempt can change. The task keeps its place in the queue, unless its
    queue, eta or priority changes. The history of the task records each edit.

    id: The task.
    title: A line for people that says what the task does. Lists show it instead of the parameters.
    submitter: The author of the submit, such as `USER@HOST`: lists and reports select tasks by it.
    method: The method, which selects the program that a worker runs if its queue has several.
    command: The command line that the task runs instead of a program of the worker: JSON such as
      `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the task
      also needs `commands`.
    priority: Priority from -1000 to 1000. A higher priority goes first. By default 0.
    max_failures: Maximum retries after failures. By default the setting `max_failures`.
    backoff: Growth of the delay from each retry to the next. By default the setting `backoff`.
    delay: Delay before the first retry. By default the setting `delay`.
    max_delay: Longest delay before a retry. By default the setting `max_delay`.
    jitter: Maximum part by which a delay is shortened, in percent. By default the setting `jitter`.
    max_losses: Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting
      `max_losses`.
    lost_delay: Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once.
      By default the setting `lost_delay`.
    max_releases: Maximum releases before the task fails. By default the setting `max_releases`.
    lease: Lease of each attempt, instead of the worker's lease. By default the setting `lease`.
    key: The owner of the task, such as a tenant: keys take turns and have limits.
    weight: Number of places that the task takes in each of its limits. By default 1.
    needs: Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
      and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    limits: Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
      these limits at the same time.
    unique: A name that only one task of the queue has at a time.
    unique_until: The point until which the task holds its unique name. By default end.
    tags: Names to find the task by, at most 16.
    deadline: The time by which the task must have ended. After this time an unfinished task fails.
    max_run: Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
      for more time; a shorter limit of the worker applies instead.
    warn: Time before the end of `max_run` at which the program gets SIGUSR1 as a warning.
    no_progress: Maximum time without an event, a checkpoint or output of the program.
    grace: Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`.
    nice: Niceness of the program, in addition to the worker's.
    notify: The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
      workers have in their configuration. Without events a target is notified of every end; `none`: no target, even if
      the queue has the setting `notify`.
    log_bytes: Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`.
    trace: The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
      continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    steps: The queues that the task goes through after the first queue. The task enters each queue when it has completed
      its step in the previous queue.
    max_bytes: Maximum size of the parameters. By default the setting `max_bytes`.
    parameters: The new parameters.
    eta: The new time at which the task is due; a time in the past: at once.
    queue: The new queue. The task goes behind all tasks that wait there.
    unset: Options to remove from the task. If `eta` is removed, the task is due at once.
    token: For a call of the owner: the token of its attempt. The call is refused if this attempt does not hold the
      task.
    by: The author of the change; `blueque` sends `USER@HOST`.
    reason: The reason, for people.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, CLOSED, DUPLICATE, LOST, NOLIMIT, NOPERM, NOTASK, OVERDUE, RETRY, SCHEMA, STATE, TOOBIG,
      TOOMANY, WRONGKEY.
    Reply: Its state: `pending`, `scheduled`, `held`, `waiting`, `reserved` or `started`.
    """
    return call(
        "edit",
        [id],
        [
            ("title", title),
            ("submitter", submitter),
            ("method", method),
            ("command", command),
            ("priority", priority),
            ("max_failures", max_failures),
            ("backoff", backoff),
            ("delay", delay),
            ("max_delay", max_delay),
            ("jitter", jitter),
            ("max_losses", max_losses),
            ("lost_delay", lost_delay),
            ("max_releases", max_releases),
            ("lease", lease),
            ("key", key),
            ("weight", weight),
            ("needs", needs),
            ("limits", limits),
            ("unique", unique),
            ("unique_until", unique_until),
            ("tags", tags),
            ("deadline", deadline),
            ("max_run", max_run),
            ("warn", warn),
            ("no_progress", no_progress),
            ("grace", grace),
            ("nice", nice),
            ("notify", notify),
            ("log_bytes", log_bytes),
            ("trace", trace),
            ("steps", steps),
            ("max_bytes", max_bytes),
            ("parameters", parameters),
            ("eta", eta),
            ("queue", queue),
            ("unset", unset),
            ("token", token),
            ("by", by),
            ("reason", reason),
            ("request", request),
        ],
        _edit,
        True,
    )


@dataclass(frozen=True)
class EstimateReply:
    """What `estimate` answers."""

    status: contract.Status
    """The task's state."""

    start: float | None
    """Expected or actual start of the task."""

    end: float | None
    """Expected end of the task."""

    basis: Literal["progress", "history", "both"] | None
    """The basis of the estimate."""

    runs: int
    """Number of completed runs in the statistics."""

    mean: float | None
    """Mean duration of these runs."""

    now: float
    """The time of the call."""


_estimate: Shape[EstimateReply] = read_pairs(
    EstimateReply,
    (
        Field("status", type=_STATUS),
        Field("start", type=_TIME, empty=True),
        Field("end", type=_TIME, empty=True),
        Field("basis", words=("progress", "history", "both",), empty=True),
        Field("runs", type=_NUMBER),
        Field("mean", type=_SPAN, empty=True),
        Field("now", type=_TIME),
    ),
)


def estimate(
    id: str,
    *,
    progress: float | None = None,
) -> Call[EstimateReply]:
    """Estimates when a task will start and end, from its progress (0 to 1) and the statistics of the last days. Without
    the option, the progress that the task has reported is used, if it is a number or contains a fraction.

    id: The task.
    progress: The progress of the attempt. By default 0.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, WRONGKEY.
    Reply: Name and value in turn: status start end basis (`progress`, `history` or `both`) runs mean now; unknown
      values are empty.
    """
    return call(
        "estimate",
        [id],
        [
            ("progress", progress),
        ],
        _estimate,
        False,
    )


@dataclass(frozen=True)
class EventsItem:
    """One of what `events` answers."""

    event: str
    """The event."""

    id: str
    """The task."""

    from_: contract.Reached | None
    """The previous state; empty for a new task."""

    to: contract.Reached
    """The new state."""

    attempt: int
    """Number of attempts at that time."""

    at: float
    """Time of the transition."""

    by: str | None
    """The listener that made the transition."""

    why: str
    """The cause of the transition: the command, the reason of a release, or `lost`."""

    since: float | None
    """Time at which the task entered the previous state."""


@dataclass(frozen=True)
class EventsReply:
    """What `events` answers."""

    last: str
    """The last event that was read; the value of `after` if no event was read."""

    missed: bool
    """Events directly after `after` were trimmed, so the caller may have missed events."""

    items: list[EventsItem]
    """The entries."""


_events: Shape[EventsReply] = read_list(
    EventsReply,
    (
        Field("last", type=_ENTRY),
        Field("missed", type=_FLAG),
    ),
    read_items(
    EventsItem,
    (
        Field("event", type=_ENTRY),
        Field("id", type=_NAME),
        Field("from", type=_REACHED, empty=True),
        Field("to", type=_REACHED),
        Field("attempt", type=_NUMBER),
        Field("at", type=_TIME),
        Field("by", type=_LISTENER, empty=True),
        Field("why", type=_NAME),
        Field("since", type=_TIME, empty=True),
    ),
),
)


def events(
    queue: str,
    after: str,
    limit: int,
    *,
    id: str | None = None,
) -> Call[EventsReply]:
    """Returns the transitions of a queue's tasks after an event. With `id`, returns only transitions of this task among
    the next `limit` events.

    queue: The queue.
    after: The last event that was read.
    limit: Maximum number of entries that the call reads or changes.
    id: Only events of this task.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: The last event examined (`after` again if there is none), 1 if events right after `after` have been trimmed
      and may have been missed, then for each transition: event, id, from, to, attempt, at, by, why, since.
    """
    return call(
        "events",
        [queue, after, limit],
        [
            ("id", id),
        ],
        _events,
        False,
    )


_fail: Shape[Literal["failed", "retrying", "cancelled"]] = read_value(Field("reply", words=("failed", "retrying", "cancelled",)))


def fail(
    id: str,
    token: int,
    error: Bytes,
    *,
    group: str | None = None,
    max_bytes: int | None = None,
    again: Seconds | None = None,
    final: bool | None = None,
    cost: Bytes | None = None,
) -> Call[Literal["failed", "retrying", "cancelled"]]:
    """Ends an attempt with an error. The task is retried after a growing delay, until it has failed too often.

    id: The task.
    token: The token of the attempt.
    error: The error, for people.
    group: The kind of the error, or its text; `groups` counts the failed tasks of each group.
    max_bytes: Maximum size of the payload. By default 1048576.
    again: Delay before the next attempt, instead of the delay in the settings.
    final: Fail the task even if retries are left. By default 0.
    cost: The cost of the attempt; `blueque worker` sends JSON.
    Errors: BADARG, BADNAME, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: `failed`, `retrying`, or `cancelled` if its cancel was requested, or if a newer task has replaced it.
    """
    return call(
        "fail",
        [id, token, error],
        [
            ("group", group),
            ("max_bytes", max_bytes),
            ("again", again),
            ("final", final),
            ("cost", cost),
        ],
        _fail,
        False,
    )


@dataclass(frozen=True)
class FindReply:
    """What `find` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[str]
    """A task."""


_find: Shape[FindReply] = read_list(
    FindReply,
    (
        Field("cursor", type=_PLACE_ANYWHERE),
    ),
    read_items(
    None,
    (
        Field("id", type=_NAME),
    ),
),
)


class FindOptions(TypedDict, total=False):
    """The options of `find`."""

    prefix: str | None
    """Tasks whose id begins with this text."""

    status: Names | None
    """Tasks in one of these states."""

    tag: str | None
    """Tasks with this tag."""

    method: str | None
    """Tasks with this method."""

    key: str | None
    """Tasks of this key."""

    group: str | None
    """Failed tasks of this group of errors; empty: failed tasks without a group."""

    from_: Time | None
    """Tasks created at this time or later."""

    to: Time | None
    """Tasks created at this time or earlier."""


def find(
    queue: str,
    cursor: str,
    limit: int,
    *,
    prefix: str | None = None,
    status: Names | None = None,
    tag: str | None = None,
    method: str | None = None,
    key: str | None = None,
    group: str | None = None,
    from_: Time | None = None,
    to: Time | None = None,
) -> Call[FindReply]:
    """Finds the ids of a queue's tasks that match all options, newest first: by creation, or with `group` and without
    `tag` by failure. A call examines up to 200 tasks. The queue `*` stands for all queues, one after another.

    queue: The queue; `*` for all.
    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    prefix: Tasks whose id begins with this text.
    status: Tasks in one of these states.
    tag: Tasks with this tag.
    method: Tasks with this method.
    key: Tasks of this key.
    group: Failed tasks of this group of errors; empty: failed tasks without a group.
    from_: Tasks created at this time or later.
    to: Tasks created at this time or earlier.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: Next cursor (0 at the end), then ids.
    """
    return call(
        "find",
        [queue, cursor, limit],
        [
            ("prefix", prefix),
            ("status", status),
            ("tag", tag),
            ("method", method),
            ("key", key),
            ("group", group),
            ("from", from_),
            ("to", to),
        ],
        _find,
        False,
    )


class FinishAndReserveEach(NamedTuple):
    """One entry of a call of `finish_and_reserve`."""

    ending: contract.Ending
    """The kind of end."""

    id: str
    """The task."""

    token: int
    """The token of the attempt."""

    body: Bytes
    """The result, or the error; empty for a release."""

    group: str
    """The group of a failure, the reason of a release, or the queue of the next step."""

    again: Seconds | None
    """Delay before the next attempt; empty: the delay of the settings for a failure, otherwise no delay."""

    cost: Bytes
    """The cost of the attempt; empty: not reported."""


@dataclass(frozen=True)
class FinishAndReserveItem:
    """One of what `finish_and_reserve` answers."""

    id: str
    """The task."""

    queue: str
    """The queue of the task."""

    token: int
    """The token of the attempt. Every call of the owner carries the token."""

    attempt: int
    """Number of attempts so far, including the new attempt."""

    deadline: int
    """End of the lease."""

    lease: int
    """The length of the lease."""

    outcome: contract.Outcome | None
    """Outcome of the previous attempt; empty: there was no previous attempt."""

    losses: int
    """Number of attempts that were lost."""

    failures: int
    """Number of attempts that failed."""

    parameters: bytes
    """The parameters, as submitted."""

    checkpoint: bytes | None
    """The checkpoint; nil: none was saved."""


@dataclass(frozen=True)
class FinishAndReserveReply:
    """What `finish_and_reserve` answers."""

    verdicts: str | None
    """A verdict for each end, separated by spaces: the reply of `complete`, `fail` or `release`, or an error code such
    as `LOST`.
    """

    refusal: str | None
    """The code of the error that kept the call from taking tasks."""

    items: list[FinishAndReserveItem]
    """The entries."""


_finish_and_reserve: Shape[FinishAndReserveReply] = read_list(
    FinishAndReserveReply,
    (
        Field("verdicts", type=_TEXT, empty=True),
        Field("refusal", type=_TEXT, empty=True),
    ),
    read_items(
    FinishAndReserveItem,
    (
        Field("id", type=_NAME),
        Field("queue", type=_NAME),
        Field("token", type=_TOKEN),
        Field("attempt", type=_NUMBER),
        Field("deadline", type=_MICROS),
        Field("lease", type=_MICROS),
        Field("outcome", type=_OUTCOME, empty=True),
        Field("losses", type=_NUMBER),
        Field("failures", type=_NUMBER),
        Field("parameters", type=_STORED),
        Field("checkpoint", type=_STORED, nil=True),
    ),
),
)


def finish_and_reserve(
    listener: str,
    queues: Names,
    limit: int,
    each: Sequence[FinishAndReserveEach],
    *,
    pid: int | None = None,
    lease: Seconds | None = None,
    request: str | None = None,
    woken: bool | None = None,
    order: contract.Order | None = None,
    weights: str | Sequence[int] | None = None,
    max_bytes: int | None = None,
) -> Call[FinishAndReserveReply]:
    """Ends attempts like `complete`, `fail` or `release`, and takes the next tasks for the listener like `reserve`, in
    one call. A refused end does not affect the rest.

    listener: The listener.
    queues: The queues to take tasks of, separated by commas; empty: only end attempts.
    limit: Maximum number of tasks to take.
    each: The entries.
    pid: The process that works on the tasks. With `pid` the tasks are started at once.
    lease: Lease of the attempt. By default the setting `lease`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    woken: A wake-up was taken from the list. By default 0.
    order: Order in which the queues are asked. By default strict.
    weights: The share of each queue, for the order `weighted`.
    max_bytes: Maximum size of the payload. By default 1048576.
    Errors: BADARG, BADNAME, DRAINING, NOLISTENER, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: The verdicts on the ends, separated by spaces: the reply of the command for this end, or an error code; then
      the code of the error that prevented taking tasks, else an empty string; then for each task the reply of reserve.
    """
    return call(
        "finish_and_reserve",
        [listener, queues, limit, len(each), *(value for one in each for value in one)],
        [
            ("pid", pid),
            ("lease", lease),
            ("request", request),
            ("woken", woken),
            ("order", order),
            ("weights", weights),
            ("max_bytes", max_bytes),
        ],
        _finish_and_reserve,
        True,
    )


@dataclass(frozen=True, repr=False)
class GetReply(Sparse, Generic[T, V]):
    """What `get` answers."""

    status: contract.Status | None
    """The state."""

    queue: str | None
    """The queue."""

    parameters: V | None
    """The parameters of the program that runs the task."""

    result: V | None
    """The result of the task."""

    error: T | None
    """The error with which the task failed."""

    group: str | None
    """The kind of the error; `lost` and `released`: too many losses or releases; `deadline`: the deadline of the task
    has passed.
    """

    last_error: T | None
    """The error of the last failed attempt, if the task was retried, cancelled, or past its deadline."""

    last_group: str | None
    """The kind of the last error."""

    node: str | None
    """The listener of the attempt."""

    reclaimed_node: str | None
    """The listener from which a client without scripts took the task."""

    pid: int | None
    """The process that runs the task."""

    created: float | None
    """Time of the task's creation."""

    updated: float | None
    """Time of the last change of state."""

    eta: float | None
    """The time at which the task is due, or was due."""

    attempt: int | None
    """Number of attempts so far. A record without `attempt` was created by a client without scripts."""

    token: int | None
    """The token of the current attempt."""

    ended: int | None
    """The token of the attempt that ended last."""

    outcome: contract.Outcome | None
    """Outcome of the attempt that ended last. The hash lacks it if the task had no outcome before it completed; `get`
    returns it.
    """

    cost: T | None
    """The cost of an attempt, as its owner last reported it."""

    cost_of: int | None
    """The token of the attempt with this cost."""

    lease: int | None
    """The length of the lease."""

    request: str | None
    """The request id of the call that began the attempt."""

    promoted: float | None
    """Time at which the task became pending after its eta."""

    reserved: float | None
    """Time of the reservation."""

    started: float | None
    """Time of the start."""

    failures: int | None
    """Number of attempts of this step that failed since the last `retry`."""

    losses: int | None
    """Number of attempts of this step that were lost since the last `retry`."""

    releases: int | None
    """Number of attempts of this step that were released since the last `retry`."""

    uncounted: int | None
    """Number of releases of this step with `uncounted` since the last `retry`."""

    stalled_losses: int | None
    """Number of losses since the task last reported progress, saved a checkpoint or was retried."""

    round: int | None
    """Number of the current run, counted from 1."""

    round_request: str | None
    """The request id of the submit that began this run."""

    next_round: str | None
    """The request id of the submit that queued a rerun. The rerun begins when the current run has ended."""

    notes: int | None
    """Number of notes that were added to the history of the task."""

    max_losses: int | None
    """Maximum lost attempts."""

    lost_delay: float | None
    """The delay before the next attempt after a lost attempt."""

    max_failures: int | None
    """Maximum retries."""

    max_releases: int | None
    """Maximum releases."""

    backoff: contract.Backoff | None
    """Growth of the delay from each retry to the next."""

    delay: float | None
    """The delay before the first retry."""

    max_delay: float | None
    """The longest delay before a retry."""

    jitter: int | None
    """Maximum part by which a delay is shortened."""

    title: str | None
    """A line for people that says what the task does."""

    submitter: str | None
    """The author of the submit."""

    method: str | None
    """The method, which selects the program that a worker runs."""

    command: str | None
    """The command line that the task runs, with its folder, its environment and its script."""

    max_run: float | None
    """Maximum run time of an attempt."""

    warn: float | None
    """Time before the end of `max_run` at which the program is warned."""

    no_progress: float | None
    """Maximum time without a sign of life of the program."""

    grace: float | None
    """Time between SIGTERM and SIGKILL when the program is stopped."""

    nice: int | None
    """Niceness of the program, in addition to the worker's."""

    notify: str | None
    """The targets that are notified of events of the task, sorted."""

    waited: str | None
    """The times of the `pending` notices that the task already has, separated by spaces."""

    log_bytes: int | None
    """Maximum size of the task's log."""

    trace: str | None
    """The trace context of the submit."""

    span: str | None
    """The trace context of the last attempt that reported its span: the next attempt and dependents link to it."""

    own_lease: int | None
    """The lease of each attempt."""

    steps: str | None
    """The queues that the task goes through after the current queue."""

    step: int | None
    """Number of completed steps."""

    priority: int | None
    """The priority."""

    key: str | None
    """The owner of the task, such as a tenant."""

    weight: int | None
    """Number of places that the task takes in each of its limits."""

    needs: str | None
    """Needs of the task: what a listener must offer to run the task, sorted."""

    limits: str | None
    """Shared limits in which the task takes places, sorted."""

    unique: str | None
    """The unique name of the task."""

    unique_until: str | None
    """The point until which the task holds the unique name."""

    rank: str | None
    """The rank of the task among the ranked tasks."""

    exclusive: bool | None
    """The key of the task has only one place."""

    flags: str | None
    """Flags of the task, one letter each: `r` ranked, `p` holds places, `u` unique name, `t` tags, `l` its own lease,
    `w` waits or waited for upstreams, `k` waits for at least N of a set, `d` has dependents, `g` part of a graph, `s`
    further steps, `e` deadline, `o` tracked, `a` a rerun is queued, `c` its owner was asked to suspend, to continue, to
    signal or to describe its program, `n` may have notices, `m` with notices of events that are due at a time, `x`
    skipped: no other task needs it, because what it waits to fail is complete; with `cancel` it is skipped once it has
    stopped.
    """

    deadline: float | None
    """The time by which the task must have ended."""

    retry_eta: bool | None
    """The eta was set by a retry, not by the submit."""

    tags: str | None
    """The tags of the task, sorted."""

    cancel: float | None
    """Time of the cancel request that waits for the owner, or of the order to stop because of the deadline."""

    reason: str | None
    """The reason for the cancel."""

    requeue: float | None
    """Time of the request to the owner to give the task back."""

    controls: str | None
    """The requests of `suspend`, `unsuspend`, `signal` and `describe` that wait for the owner: number, kind and detail
    of each, with a `;` after it.
    """

    controlled: int | None
    """Number of the latest request that the owner has answered."""

    control_refused: str | None
    """Number of the last request that the owner refused, and its reason."""

    suspended: float | None
    """Time since which the program is suspended."""

    continued: float | None
    """Time at which the program was last continued."""

    suspended_by: str | None
    """The author of the `suspend`."""

    held_by: str | None
    """The author of the `hold`."""

    front: bool | None
    """The task was returned to the front of the pending tasks, or is returned to the front when it is promoted."""

    progress: V | None
    """The progress of the attempt."""

    progressed: float | None
    """Time of the progress report."""

    checkpoint: V | None
    """The checkpoint for the next attempt."""

    checkpointed: float | None
    """Time at which the checkpoint was saved."""

    graph: str | None
    """The graph."""

    label: str | None
    """The name of the task within the graph."""

    inputs: str | None
    """The inputs of the task, as submitted, without values."""

    slots: str | None
    """The length of each element of `parameters`."""

    readied: float | None
    """Time at which all upstreams had ended."""

    cause: str | None
    """The task whose end started the chain that ended this task."""

    discard: bool | None
    """Every outcome that the owner reports is discarded."""

    cascade: str | None
    """The position that this work has reached; `join`: see `ns_joined_ID`."""

    checked: str | None
    """`UPDATED yes` if the result is JSON, otherwise `UPDATED no`; UPDATED is the time of the result. During the check:
    the position that the check has reached.
    """

    schedule: str | None
    """The schedule that created the task."""

    slot: int | None
    """The slot for which the schedule created the task."""

    postponed: int | None
    """The deadline to which a gap extended the lease."""

    extra: dict[str, bytes]
    """Fields of other programs and later versions."""


_get: Shape[GetReply[bytes, bytes] | None] = read_maybe(read_pairs(
    GetReply[bytes, bytes],
    (
        Field("status", type=_STATUS),
        Field("queue", type=_NAME),
        Field("parameters", type=_STORED),
        Field("result", type=_STORED),
        Field("error", type=_STORED),
        Field("group", type=_GROUP, empty=True),
        Field("last_error", type=_STORED),
        Field("last_group", type=_GROUP, empty=True),
        Field("node", type=_LISTENER),
        Field("reclaimed_node", type=_TEXT),
        Field("pid", type=_PID),
        Field("created", type=_TIME),
        Field("updated", type=_TIME),
        Field("eta", type=_TIME),
        Field("attempt", type=_NUMBER),
        Field("token", type=_TOKEN),
        Field("ended", type=_TOKEN, empty=True),
        Field("outcome", type=_OUTCOME),
        Field("cost", type=_SHORT_TEXT),
        Field("cost_of", type=_TOKEN),
        Field("lease", type=_MICROS),
        Field("request", type=_NAME, empty=True),
        Field("promoted", type=_TIME),
        Field("reserved", type=_TIME),
        Field("started", type=_TIME),
        Field("failures", type=_NUMBER),
        Field("losses", type=_NUMBER),
        Field("releases", type=_NUMBER),
        Field("uncounted", type=_NUMBER),
        Field("stalled_losses", type=_NUMBER),
        Field("round", type=_NUMBER),
        Field("round_request", type=_NAME),
        Field("next_round", type=_NAME),
        Field("notes", type=_NUMBER),
        Field("max_losses", type=_LOSSES),
        Field("lost_delay", type=_DELAY),
        Field("max_failures", type=_FAILURES),
        Field("max_releases", type=_RELEASES),
        Field("backoff", type=_BACKOFF),
        Field("delay", type=_DELAY),
        Field("max_delay", type=_DELAY),
        Field("jitter", type=_PERCENT),
        Field("title", type=_TEXT, empty=True),
        Field("submitter", type=_NAME),
        Field("method", type=_NAME),
        Field("command", type=_COMMAND),
        Field("max_run", type=_TIME_LIMIT),
        Field("warn", type=_TIME_LIMIT),
        Field("no_progress", type=_TIME_LIMIT),
        Field("grace", type=_GRACE),
        Field("nice", type=_NICENESS),
        Field("notify", type=_NOTIFY),
        Field("waited", type=_TEXT),
        Field("log_bytes", type=_LOG_SIZE),
        Field("trace", type=_TRACE),
        Field("span", type=_TRACE),
        Field("own_lease", type=_MICROS),
        Field("steps", type=_STEPS),
        Field("step", type=_NUMBER),
        Field("priority", type=_PRIORITY),
        Field("key", type=_NAME),
        Field("weight", type=_WEIGHT),
        Field("needs", type=_NEEDS),
        Field("limits", type=_LIMITS),
        Field("unique", type=_NAME),
        Field("unique_until", type=_UNIQUE_UNTIL),
        Field("rank", type=_TEXT),
        Field("exclusive", type=_FLAG),
        Field("flags", type=_TEXT),
        Field("deadline", type=_TIME),
        Field("retry_eta", type=_FLAG),
        Field("tags", type=_TAGS),
        Field("cancel", type=_TIME),
        Field("reason", type=_TEXT, empty=True),
        Field("requeue", type=_TIME),
        Field("controls", type=_TEXT),
        Field("controlled", type=_NUMBER),
        Field("control_refused", type=_TEXT),
        Field("suspended", type=_TIME),
        Field("continued", type=_TIME),
        Field("suspended_by", type=_TEXT, empty=True),
        Field("held_by", type=_TEXT, empty=True),
        Field("front", type=_FLAG),
        Field("progress", type=_PROGRESS_TEXT),
        Field("progressed", type=_TIME),
        Field("checkpoint", type=_STORED),
        Field("checkpointed", type=_TIME),
        Field("graph", type=_NAME),
        Field("label", type=_TEXT, empty=True),
        Field("inputs", type=_TEXT),
        Field("slots", type=_TEXT),
        Field("readied", type=_TIME),
        Field("cause", type=_NAME),
        Field("discard", type=_FLAG),
        Field("cascade", type=_TEXT),
        Field("checked", type=_TEXT),
        Field("schedule", type=_SCHEDULE_NAME),
        Field("slot", type=_SLOT),
        Field("postponed", type=_DEADLINE),
    ), absent=True, open=True,
))


def get(
    id: str,
) -> Call[GetReply[bytes, bytes] | None]:
    """Returns the whole record of a task.

    id: The task.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Nil if there is no such task; else field and value in turn.
    """
    return call(
        "get",
        [id],
        [
        ],
        _get,
        False,
    )


@dataclass(frozen=True, repr=False)
class GetManyReply(Sparse):
    """What `get_many` answers."""

    id: str | None
    """The task whose record follows, with the fields that `get` returns."""

    missing: bool | None
    """No task has this id."""

    extra: dict[str, bytes]
    """Fields of other programs and later versions."""


_get_many: Shape[list[GetManyReply]] = read_groups("id", read_pairs(
    GetManyReply,
    (
        Field("id", type=_NAME),
        Field("missing", type=_FLAG, absent=True),
    ), absent=True, open=True,
))


def get_many(
    ids: Sequence[str],
) -> Call[list[GetManyReply]]:
    """Returns the records of up to 500 tasks, each with its id. The reply ends after 8 MiB: call again for the tasks
    that are not in it.

    ids: The task.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: For each task its `id`, then field and value in turn, or `missing` if there is no such task.
    """
    return call(
        "get_many",
        [len(ids), *ids],
        [
        ],
        _get_many,
        False,
    )


@dataclass(frozen=True)
class GraphsItem:
    """One of what `graphs` answers."""

    id: str
    """The graph."""

    state: Literal["staging", "created"]
    """`created` if all tasks of the graph have arrived, otherwise `staging`."""

    created: float
    """Time at which the last task arrived."""

    total: int
    """Number of tasks of the graph."""

    left: int
    """Number of tasks that are not deleted."""

    complete: int
    """Number of complete tasks."""

    failed: int
    """Number of failed tasks."""

    cancelled: int
    """Number of cancelled tasks, without the skipped tasks."""

    skipped: int
    """Number of tasks that were not needed, because what they wait to fail is complete; not in `cancelled`."""

    name: str | None
    """The name of the graph."""

    tags: str | None
    """The tags of the graph."""


@dataclass(frozen=True)
class GraphsReply:
    """What `graphs` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[GraphsItem]
    """The entries."""


_graphs: Shape[GraphsReply] = read_list(
    GraphsReply,
    (
        Field("cursor", type=_CURSOR),
    ),
    read_items(
    GraphsItem,
    (
        Field("id", type=_NAME),
        Field("state", words=("staging", "created",)),
        Field("created", type=_TIME),
        Field("total", type=_NUMBER),
        Field("left", type=_NUMBER),
        Field("complete", type=_NUMBER),
        Field("failed", type=_NUMBER),
        Field("cancelled", type=_NUMBER),
        Field("skipped", type=_NUMBER),
        Field("name", type=_TEXT, empty=True),
        Field("tags", type=_TAGS, empty=True),
    ),
),
)


def graphs(
    cursor: str,
    limit: int,
) -> Call[GraphsReply]:
    """Lists the graphs of the namespace, newest first.

    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end), then for each graph: its id, `staging` or `created`, the time of its last
      submission, its number of tasks, the number of tasks that are not deleted, how many of these are complete, failed,
      cancelled and skipped, its name and its tags.
    """
    return call(
        "graphs",
        [cursor, limit],
        [
        ],
        _graphs,
        False,
    )


@dataclass(frozen=True)
class GroupsItem:
    """One of what `groups` answers."""

    group: str | None
    """The group; empty: failures without a group."""

    tasks: int
    """Number of failed tasks of the group."""

    last: str | None
    """The task that failed last."""

    at: float | None
    """Time at which that task failed."""


@dataclass(frozen=True)
class GroupsReply:
    """What `groups` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[GroupsItem]
    """The entries."""


_groups: Shape[GroupsReply] = read_list(
    GroupsReply,
    (
        Field("cursor", type=_PLACE),
    ),
    read_items(
    GroupsItem,
    (
        Field("group", type=_GROUP, empty=True),
        Field("tasks", type=_NUMBER),
        Field("last", type=_NAME, empty=True),
        Field("at", type=_TIME, empty=True),
    ),
),
)


def groups(
    queue: str,
    cursor: str,
    limit: int,
) -> Call[GroupsReply]:
    """Lists the groups of a queue's failures, largest first.

    queue: The queue.
    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end), then for each group: its name, its number of failed tasks, the task that failed
      last, and the time of that failure.
    """
    return call(
        "groups",
        [queue, cursor, limit],
        [
        ],
        _groups,
        False,
    )


@dataclass(frozen=True)
class HandshakeReply:
    """What `handshake` answers."""

    schema: int
    """The schema of the data."""

    now: float
    """The server's time."""

    known: bool
    """The namespace holds data."""

    policy: str | None
    """The eviction policy; empty: this user may not read it."""

    test: bool
    """The namespace is for tests."""

    lacks: str | None
    """Commands that this user may not run: `NAME:COMMAND,COMMAND`, separated by spaces. Without `PUBLISH`
    (`messages:PUBLISH`), wake-ups and orders arrive late.
    """


_handshake: Shape[HandshakeReply] = read_list(
    HandshakeReply,
    (
        Field("schema", type=_NUMBER),
        Field("now", type=_TIME),
        Field("known", type=_FLAG),
        Field("policy", type=_TEXT, empty=True),
        Field("test", type=_FLAG),
        Field("lacks", type=_TEXT, empty=True),
    ),

)


def handshake(
) -> Call[HandshakeReply]:
    """Checks the server, the schema, the eviction policy and the permissions of this user. Clients call it first.

    Errors: BADARG, BADNAME, EVICTION, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Schema; server time; 1 if the namespace holds data; the eviction policy, or an empty string if this user may
      not read it; 1 if the namespace is for tests; and the permissions that this user lacks: `NAME:COMMAND,COMMAND` for
      each command of the bundle that this user may not run, separated by spaces, and `messages:PUBLISH` if wake-ups and
      orders will be late.
    """
    return call(
        "handshake",
        [],
        [
        ],
        _handshake,
        False,
    )


class HeartbeatEach(NamedTuple):
    """One entry of a call of `heartbeat`."""

    id: str
    """The task."""

    token: int
    """The token of the attempt."""


@dataclass(frozen=True)
class HeartbeatReply:
    """What `heartbeat` answers."""

    deadline: int
    """End of the leases."""

    items: list[Literal["continue", "attend", "cancel", "drain", "stop", "lost", "kill"]]
    """The order to the owner of the task."""


_heartbeat: Shape[HeartbeatReply] = read_list(
    HeartbeatReply,
    (
        Field("deadline", type=_DEADLINE),
    ),
    read_items(
    None,
    (
        Field("order", words=("continue", "attend", "cancel", "drain", "stop", "lost", "kill",)),
    ),
),
)


def heartbeat(
    queue: str,
    listener: str,
    lease: Seconds,
    each: Sequence[HeartbeatEach],
) -> Call[HeartbeatReply]:
    """Renews the leases of tasks that a listener holds, and returns an order for each task.

    queue: The queue.
    listener: The listener.
    lease: The lease from now on.
    each: The entries.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Deadline, then for each task `continue`, `attend`, `cancel`, `drain`, `stop`, `kill` or `lost`.
    """
    return call(
        "heartbeat",
        [queue, listener, lease, len(each), *(value for one in each for value in one)],
        [
        ],
        _heartbeat,
        False,
    )


@dataclass(frozen=True)
class HistoryItem:
    """One of what `history` answers."""

    number: int
    """Number of the transition, from 1."""

    at: float | None
    """Time of the transition."""

    from_: contract.Reached | None
    """The previous state; empty for a new task."""

    to: contract.Reached
    """The new state."""

    attempt: int
    """Number of attempts at that time."""

    by: str | None
    """The listener that made the transition, or the author of the note or the edit."""

    why: str | None
    """The cause of the transition: the command, the reason of a release, or `lost`; `note` or `edit` for these entries.
    Empty: a client without scripts made the transition.
    """

    outcome: contract.Outcome | None
    """The outcome of the attempt, if the transition ended an attempt."""

    group: str | None
    """The kind of the error that ended that attempt."""

    error: bytes | None
    """The first 256 bytes of the error that ended that attempt."""

    cost: bytes | None
    """The cost of that attempt."""

    note: bytes | None
    """The text of a note, or the reason of an edit."""

    data: bytes | None
    """The data of a note; or the changes of an edit as JSON, `NAME: [before, after]`, with the sizes of the parameters
    in bytes.
    """


@dataclass(frozen=True)
class HistoryReply:
    """What `history` answers."""

    last: int
    """The number of the last transition; the value of `after` if there was none."""

    items: list[HistoryItem]
    """The entries."""


_history: Shape[HistoryReply] = read_list(
    HistoryReply,
    (
        Field("last", type=_NUMBER),
    ),
    read_items(
    HistoryItem,
    (
        Field("number", type=_NUMBER),
        Field("at", type=_TIME, empty=True),
        Field("from", type=_REACHED, empty=True),
        Field("to", type=_REACHED),
        Field("attempt", type=_NUMBER),
        Field("by", type=_NAME, empty=True),
        Field("why", type=_NAME, empty=True),
        Field("outcome", type=_OUTCOME, empty=True),
        Field("group", type=_GROUP, empty=True),
        Field("error", type=_SHORT_TEXT, empty=True),
        Field("cost", type=_SHORT_TEXT, empty=True),
        Field("note", type=_SHORT_TEXT, empty=True),
        Field("data", type=_STORED, empty=True),
    ),
),
)


def history(
    id: str,
    after: int,
    limit: int,
) -> Call[HistoryReply]:
    """Returns the transitions and notes of a task after a number: first the transitions that are kept of earlier
    attempts, then the transitions in its record.

    id: The task.
    after: The number of the last transition that was read; 0 for none.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, WRONGKEY.
    Reply: Number of the last transition (`after` again if there is none), then for each transition or note: its number,
      at, from, to, attempt, by, why; the outcome, group, beginning of the error and cost of an attempt that ended; the
      text and data of a note.
    """
    return call(
        "history",
        [id, after, limit],
        [
        ],
        _history,
        False,
    )


_hold: Shape[Literal["held"]] = read_value(Field("reply", words=("held",)))


def hold(
    id: str,
    *,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["held"]]:
    """Holds a pending or scheduled task: it does not start until `unhold`.

    id: The task.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, WRONGKEY.
    Reply: `held`.
    """
    return call(
        "hold",
        [id],
        [
            ("by", by),
            ("request", request),
        ],
        _hold,
        True,
    )


_limit: Shape[Literal["limited"]] = read_value(Field("reply", words=("limited",)))


def limit(
    queue: str,
    key: str,
    concurrency: str,
    rate: str,
    *,
    by: str | None = None,
    expires: int | None = None,
) -> Call[Literal["limited"]]:
    """Sets the concurrency and the rate of one key of a queue, in place of the queue's settings; `-` stands for the
    queue's setting. With queue `*`, sets a shared limit: tasks of any queue count against it if they list it in their
    option `limits`; `-` stands for no bound. A shared limit with neither bound is removed; an unused shared limit is
    removed after `expires`.

    queue: The queue; `*` for a shared limit.
    key: The key, or the name of the shared limit.
    concurrency: Places of the key.
    rate: Starts of the key.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    expires: Delete the limit when no unfinished task, queued rerun or schedule has used it for this long.
    Errors: BADARG, BADNAME, NOPERM, NOTEMPTY, RETRY, SCHEMA, TOOMANY, WRONGKEY.
    Reply: `limited`.
    """
    return call(
        "limit",
        [queue, key, concurrency, rate],
        [
            ("by", by),
            ("expires", expires),
        ],
        _limit,
        False,
    )


@dataclass(frozen=True)
class LimitsItem:
    """One of what `limits` answers."""

    key: str
    """The key, or the name of the shared limit."""

    concurrency: int | Literal["-"]
    """Number of places; `-`: the queue's setting applies."""

    rate: str | Literal["-"]
    """The rate; `-`: the queue's setting applies."""

    used: int
    """Number of places in use."""

    tasks: int | Literal["-"]
    """Number of unfinished tasks and schedules that name the shared limit; `-` for a key."""

    expires: int | Literal["-"]
    """Number of seconds after which an unused shared limit is deleted; `-`: never."""


@dataclass(frozen=True)
class LimitsReply:
    """What `limits` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[LimitsItem]
    """The entries."""


_limits: Shape[LimitsReply] = read_list(
    LimitsReply,
    (
        Field("cursor", type=_CURSOR),
    ),
    read_items(
    LimitsItem,
    (
        Field("key", type=_NAME),
        Field("concurrency", type=_PLACES, words=("-",)),
        Field("rate", type=_RATE, words=("-",)),
        Field("used", type=_NUMBER),
        Field("tasks", type=_NUMBER, words=("-",)),
        Field("expires", type=_EXPIRY, words=("-",)),
    ),
),
)


def limits(
    queue: str,
    cursor: str,
    limit: int,
    *,
    used: bool | None = None,
) -> Call[LimitsReply]:
    """Lists the keys of a queue that have limits of their own, or with `used 1` the keys whose tasks are running. With
    queue `*`, lists the shared limits.

    queue: The queue; `*` for the shared limits.
    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    used: List keys with running tasks and their places in use, instead of keys with their own limits. By default 0.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end), then for each key or shared limit: its name, its places (`-`: the queue's
      setting), its rate (also `-`), its places in use, the number of unfinished tasks that list the shared limit, and
      its `expires`; the last two are `-` if they do not apply.
    """
    return call(
        "limits",
        [queue, cursor, limit],
        [
            ("used", used),
        ],
        _limits,
        False,
    )


@dataclass(frozen=True)
class ListReply:
    """What `list` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[str]
    """A task."""


_list: Shape[ListReply] = read_list(
    ListReply,
    (
        Field("cursor", type=_LIST_CURSOR),
    ),
    read_items(
    None,
    (
        Field("id", type=_NAME),
    ),
),
)


def list_(
    queue: str,
    status: contract.List,
    cursor: str,
    limit: int,
) -> Call[ListReply]:
    """Lists the ids of a queue's tasks in one state, or in `all` states. Pending tasks are listed by priority, then in
    the order in which they became pending, regardless of limits, needs, turns of keys and ageing; scheduled tasks by
    eta; reserved and started tasks in no order; `all` by creation; tasks in other states newest first.

    queue: The queue.
    status: The list.
    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end), then ids.
    """
    return call(
        "list",
        [queue, status, cursor, limit],
        [
        ],
        _list,
        False,
    )


@dataclass(frozen=True)
class ListHeldItem:
    """One of what `list_held` answers."""

    id: str
    """The task."""

    status: contract.Status | None
    """The state of the task."""

    token: int | None
    """The token of the attempt."""

    attempt: int
    """Number of attempts so far."""

    deadline: int | None
    """End of the lease."""

    pid: int | None
    """The process that runs the task."""


_list_held: Shape[list[ListHeldItem]] = read_items(
    ListHeldItem,
    (
        Field("id", type=_NAME),
        Field("status", type=_STATUS, empty=True),
        Field("token", type=_TOKEN, empty=True),
        Field("attempt", type=_NUMBER),
        Field("deadline", type=_DEADLINE, empty=True),
        Field("pid", type=_PID, empty=True),
    ),
)


def list_held(
    queue: str,
    listener: str,
) -> Call[list[ListHeldItem]]:
    """Lists the tasks that a listener holds, newest first, and the tasks that it claimed from other listeners. Finds a
    reservation whose reply was lost.

    queue: The queue.
    listener: The listener.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: For each task (500 at most): id status token attempt deadline pid.
    """
    return call(
        "list_held",
        [queue, listener],
        [
        ],
        _list_held,
        False,
    )


@dataclass(frozen=True)
class ListenersItem:
    """One of what `listeners` answers."""

    listener: str
    """The listener."""

    seen: float | None
    """Time at which the listener was last seen."""

    held: int
    """Number of tasks that the listener holds."""


@dataclass(frozen=True)
class ListenersReply:
    """What `listeners` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[ListenersItem]
    """The entries."""


_listeners: Shape[ListenersReply] = read_list(
    ListenersReply,
    (
        Field("cursor", type=_CURSOR),
    ),
    read_items(
    ListenersItem,
    (
        Field("listener", type=_LISTENER),
        Field("seen", type=_TIME, empty=True),
        Field("held", type=_NUMBER),
    ),
),
)


def listeners(
    queue: str,
    cursor: str,
    limit: int,
) -> Call[ListenersReply]:
    """Lists the listeners of a queue.

    queue: The queue.
    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end), then for each listener: its id, when it was last seen, and the number of tasks
      that it holds.
    """
    return call(
        "listeners",
        [queue, cursor, limit],
        [
        ],
        _listeners,
        False,
    )


@dataclass(frozen=True)
class LogsItem(Generic[T]):
    """One of what `logs` answers."""

    at: float
    """Time at which the text was sent."""

    attempt: int
    """The attempt that sent the text."""

    source: str
    """The source of the text."""

    text: T
    """The text."""

    offset: int | None
    """The offset of the text in the attempt's log, in bytes; empty: unknown."""


@dataclass(frozen=True)
class LogsReply:
    """What `logs` answers."""

    last: str
    """The last entry; the value of `after` if there was none."""

    items: list[LogsItem[bytes]]
    """The entries."""


_logs: Shape[LogsReply] = read_list(
    LogsReply,
    (
        Field("last", type=_ENTRY),
    ),
    read_items(
    LogsItem,
    (
        Field("at", type=_TIME),
        Field("attempt", type=_NUMBER),
        Field("source", type=_NAME),
        Field("text", type=_LOG_TEXT),
        Field("offset", type=_NUMBER, empty=True),
    ),
),
)


def logs(
    id: str,
    after: str,
    limit: int,
    *,
    tail: int | None = None,
) -> Call[LogsReply]:
    """Returns a task's log after an entry, or with `tail` the end of the log. A page ends after 1 MiB of text.

    id: The task.
    after: The last entry that was read.
    limit: Maximum number of entries that the call reads or changes.
    tail: Begin this number of bytes before the end of the log.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Id of the last entry (`after` again if there is none), then for each entry: its time, attempt, source, text
      and offset (empty if the sender passed none).
    """
    return call(
        "logs",
        [id, after, limit],
        [
            ("tail", tail),
        ],
        _logs,
        False,
    )


@dataclass(frozen=True)
class MaintenanceItem:
    """One of what `maintenance` answers."""

    name: str
    """A cron schedule that needs more slots."""

    recurrence: str
    """The recurrence of the schedule."""

    after: int
    """The time after which the schedule needs slots."""


@dataclass(frozen=True)
class MaintenanceReply:
    """What `maintenance` answers."""

    part: Literal["tick", "run_deferred", "promote", "requeue_orphans", "aggregate", "prune", "repair"] | None
    """The part of the maintenance that was done; empty: no part had work."""

    number: int
    """Amount of work done: number of tasks, or of events that `aggregate` read."""

    more: bool
    """More maintenance is due at once."""

    next: float
    """Time at which the next part is due."""

    trouble: str | None
    """The error of a part that failed and did nothing. The other parts continue."""

    items: list[MaintenanceItem]
    """The entries."""


_maintenance: Shape[MaintenanceReply] = read_list(
    MaintenanceReply,
    (
        Field("part", words=("tick", "run_deferred", "promote", "requeue_orphans", "aggregate", "prune", "repair",), empty=True),
        Field("number", type=_NUMBER),
        Field("more", type=_FLAG),
        Field("next", type=_TIME),
        Field("trouble", type=_TEXT, empty=True),
    ),
    read_items(
    MaintenanceItem,
    (
        Field("name", type=_SCHEDULE_NAME),
        Field("recurrence", type=_RECURRENCE),
        Field("after", type=_SLOT),
    ),
),
)


def maintenance(
    queues: Sequence[str],
) -> Call[MaintenanceReply]:
    """Does the next part of the maintenance of the namespace and of these queues. The parts of the namespace are `tick`
    and `run_deferred`; the parts of a queue are `promote`, `requeue_orphans`, `aggregate`, `prune` and `repair`. The
    parts take turns, every two seconds, regardless of who calls. An error of one part is returned, and the rest
    continue.

    queues: The queue.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: The part that was done, or an empty string; the amount of work done; 1 if more work is due at once; when the
      next work is due, in seconds; the error of the part, or an empty string; then for each cron schedule that needs
      more slots: its name, its recurrence, and the time after which it needs them.
    """
    return call(
        "maintenance",
        [len(queues), *queues],
        [
        ],
        _maintenance,
        False,
    )


_move: Shape[Literal["moved"]] = read_value(Field("reply", words=("moved",)))


def move(
    id: str,
    queue: str,
    *,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["moved"]]:
    """Moves a waiting task to another queue, behind the tasks that already wait there. The task keeps its time,
    priority, key, needs, tags and unique name.

    id: The task.
    queue: The new queue.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOMANY, WRONGKEY.
    Reply: `moved`.
    """
    return call(
        "move",
        [id, queue],
        [
            ("by", by),
            ("request", request),
        ],
        _move,
        True,
    )


_note: Shape[Literal["noted"]] = read_value(Field("reply", words=("noted",)))


def note(
    id: str,
    text: Bytes,
    *,
    by: str | None = None,
    data: Bytes | None = None,
    request: str | None = None,
) -> Call[Literal["noted"]]:
    """Adds a note to the history of a task, in any state. The setting `history` bounds notes and transitions together.

    id: The task.
    text: The text.
    by: The author of the note; `blueque` sends `USER@HOST`.
    data: Further data for programs, opaque; `blueque` sends a JSON object.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: `noted`.
    """
    return call(
        "note",
        [id, text],
        [
            ("by", by),
            ("data", data),
            ("request", request),
        ],
        _note,
        True,
    )


@dataclass(frozen=True)
class NoticesItem:
    """One of what `notices` answers."""

    number: int
    """The number of the notice, counted from 1."""

    target: str
    """The target."""

    event: contract.NoticeEvent
    """The event."""

    at: float
    """Time of the event."""

    attempt: int
    """Number of attempts at that time."""

    stage: Literal["open", "delivered", "given_up", "dropped"]
    """`open`: not delivered yet; `given_up`: not delivered within three days; `dropped`: never tried, because the
    outbox of the target was full.
    """

    tries: int
    """Number of tries to deliver the notice."""

    answered: float | None
    """Time of the last answer."""

    answer: bytes | None
    """The last answer of the target, or the last error; at most 1 KiB."""


_notices: Shape[list[NoticesItem]] = read_items(
    NoticesItem,
    (
        Field("number", type=_NUMBER),
        Field("target", type=_NAME),
        Field("event", type=_NOTICE_EVENT),
        Field("at", type=_TIME),
        Field("attempt", type=_NUMBER),
        Field("stage", words=("open", "delivered", "given_up", "dropped",)),
        Field("tries", type=_NUMBER),
        Field("answered", type=_TIME, empty=True),
        Field("answer", type=_STORED, empty=True),
    ),
)


def notices(
    of: contract.NoticeOf,
    subject: str,
) -> Call[list[NoticesItem]]:
    """Lists the notices of a task or a graph, oldest first: the last 64. The open notices of a deleted task are listed
    until they are delivered.

    of: The kind of object.
    subject: The id of the task or the graph.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: For each notice its number, its target, the event, its time, the number of attempts of the task, its stage,
      the number of tries, and the time and text of the last answer of its target.
    """
    return call(
        "notices",
        [of, subject],
        [
        ],
        _notices,
        False,
    )


_pause: Shape[Literal["paused"]] = read_value(Field("reply", words=("paused",)))


def pause(
    queue: str,
    by: str,
    reason: Bytes,
    *,
    stop: bool | None = None,
) -> Call[Literal["paused"]]:
    """Stops a queue from giving out tasks. Running tasks continue; with `stop`, heartbeats order their owners to give
    them back.

    queue: The queue.
    by: The user or program that asks for the pause.
    reason: The reason, for people.
    stop: Also order running tasks to save a checkpoint and stop. By default 0.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: `paused`.
    """
    return call(
        "pause",
        [queue, by, reason],
        [
            ("stop", stop),
        ],
        _pause,
        False,
    )


_pause_schedule: Shape[Literal["paused"]] = read_value(Field("reply", words=("paused",)))


def pause_schedule(
    name: str,
    by: str,
    reason: Bytes,
) -> Call[Literal["paused"]]:
    """Stops a schedule from creating tasks. Slots that pass during the pause create no tasks.

    name: The schedule.
    by: The user or program that asks for the pause.
    reason: The reason, for people.
    Errors: BADARG, BADNAME, NOPERM, NOSCHEDULE, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: `paused`.
    """
    return call(
        "pause_schedule",
        [name, by, reason],
        [
        ],
        _pause_schedule,
        False,
    )


@dataclass(frozen=True)
class PeekItem:
    """One of what `peek` answers."""

    id: str
    """The task."""

    why: Literal["paused", "draining", "queue_full", "queue_rate", "behind", "key_full", "key_rate", "needs", "limit_full", "limit_rate", "limit_turn", "gone"] | None
    """The reason why the task is passed over. `paused`: the queue is paused; `draining`: the listener drains; `*_full`:
    the queue, the key or a shared limit has no free places; `*_rate`: its rate allows no start; `limit_turn`: other
    tasks go first at a shared limit; `behind`: an earlier task waits for several places, or is the next task of the
    key; `needs`: the listener lacks a need; `gone`: the task is no longer pending. Empty: the task is given out.
    """

    until: float | None
    """Time until which a rate holds the task back."""


_peek: Shape[list[PeekItem]] = read_items(
    PeekItem,
    (
        Field("id", type=_NAME),
        Field("why", words=("paused", "draining", "queue_full", "queue_rate", "behind", "key_full", "key_rate", "needs", "limit_full", "limit_rate", "limit_turn", "gone",), empty=True),
        Field("until", type=_TIME, empty=True),
    ),
)


def peek(
    queue: str,
    limit: int,
    *,
    listener: str | None = None,
    has: Names | None = None,
) -> Call[list[PeekItem]]:
    """Lists the tasks of a queue that `reserve` would give out now, in this order, and the tasks that it would pass
    over, with the reason. Changes nothing. With `listener`, the reply is for this registered listener; with `has`, for
    a listener that offers this.

    queue: The queue.
    limit: Maximum number of tasks that are given out, and maximum number of tasks that are passed over.
    listener: The listener that asks. Its stored capabilities apply unless `has` is given.
    has: The capabilities that the listener offers to tasks with needs.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: For each task: its id; an empty string if it is given out, else the reason why it is passed over; and until
      when, if this is known. Tasks that are given out come first.
    """
    return call(
        "peek",
        [queue, limit],
        [
            ("listener", listener),
            ("has", has),
        ],
        _peek,
        False,
    )


_prioritise: Shape[Literal["prioritised"]] = read_value(Field("reply", words=("prioritised",)))


def prioritise(
    id: str,
    priority: int,
    *,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["prioritised"]]:
    """Changes the priority of a waiting task, and puts it behind the tasks of its queue that already have this
    priority.

    id: The task.
    priority: The new priority.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, WRONGKEY.
    Reply: `prioritised`.
    """
    return call(
        "prioritise",
        [id, priority],
        [
            ("by", by),
            ("request", request),
        ],
        _prioritise,
        True,
    )


_progress: Shape[Literal["kept"]] = read_value(Field("reply", words=("kept",)))


def progress(
    id: str,
    token: int,
    progress: Bytes,
) -> Call[Literal["kept"]]:
    """Stores the progress of an attempt, for people to read.

    id: The task.
    token: The token of the attempt.
    progress: The progress of the task.
    Errors: BADARG, BADNAME, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: `kept`.
    """
    return call(
        "progress",
        [id, token, progress],
        [
        ],
        _progress,
        False,
    )


@dataclass(frozen=True)
class PromoteReply:
    """What `promote` answers."""

    promoted: int
    """Number of tasks that became pending."""

    more: bool
    """More tasks are due."""

    next: float | None
    """Time at which the next task is due."""


_promote: Shape[PromoteReply] = read_list(
    PromoteReply,
    (
        Field("promoted", type=_NUMBER),
        Field("more", type=_FLAG),
        Field("next", type=_TIME, empty=True),
    ),

)


def promote(
    queue: str,
    limit: int,
) -> Call[PromoteReply]:
    """Makes due scheduled tasks pending, and lets tasks start that a rate or a changed limit held back.

    queue: The queue.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Number of tasks promoted, 1 if more tasks are due, and when the next task is due, in seconds, or an empty
      string.
    """
    return call(
        "promote",
        [queue, limit],
        [
        ],
        _promote,
        False,
    )


@dataclass(frozen=True)
class PruneReply:
    """What `prune` answers."""

    deleted: int
    """Number of tasks that were deleted."""

    more: bool
    """More tasks are left to delete."""


_prune: Shape[PruneReply] = read_list(
    PruneReply,
    (
        Field("deleted", type=_NUMBER),
        Field("more", type=_FLAG),
    ),

)


def prune(
    queue: str,
    limit: int,
    *,
    keep: int | None = None,
    seconds: Seconds | None = None,
) -> Call[PruneReply]:
    """Deletes the oldest finished tasks: tasks beyond a number, and tasks older than an age. Keeps tasks whose results
    are still needed by other tasks. Also removes expired unique names, and the logs of tasks that ended a day ago.

    queue: The queue.
    limit: Maximum number of entries that the call reads or changes.
    keep: Number of finished tasks to keep. By default the setting `keep`.
    seconds: Time for which finished tasks are kept. By default the setting `retain`.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Number of tasks deleted, 1 if more tasks must be deleted.
    """
    return call(
        "prune",
        [queue, limit],
        [
            ("keep", keep),
            ("seconds", seconds),
        ],
        _prune,
        False,
    )


@dataclass(frozen=True)
class QueuesItem:
    """One of what `queues` answers."""

    queue: str
    """The queue."""

    listeners: int
    """Number of listeners that take tasks of the queue."""

    paused: str | None
    """Author, time and reason of the pause."""

    stop: Literal["stop"] | None
    """`stop` if the pause also stops running tasks."""


@dataclass(frozen=True)
class QueuesReply:
    """What `queues` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[QueuesItem]
    """The entries."""


_queues: Shape[QueuesReply] = read_list(
    QueuesReply,
    (
        Field("cursor", type=_CURSOR),
    ),
    read_items(
    QueuesItem,
    (
        Field("queue", type=_NAME),
        Field("listeners", type=_NUMBER),
        Field("paused", type=_PAUSE, empty=True),
        Field("stop", words=("stop",), empty=True),
    ),
),
)


def queues(
    cursor: str,
    limit: int,
) -> Call[QueuesReply]:
    """Lists the queues of the namespace.

    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end), then for each queue: its name; the number of listeners that take its tasks; when
      it was paused, by whom and why, or an empty string; and `stop` if its running tasks are stopped.
    """
    return call(
        "queues",
        [cursor, limit],
        [
        ],
        _queues,
        False,
    )


@dataclass(frozen=True)
class ReadyItem:
    """One of what `ready` answers."""

    queue: str
    """The queue."""

    pattern: int
    """Number of the first matching pattern, counted from 1, not counting patterns that begin with `!`."""


@dataclass(frozen=True)
class ReadyReply:
    """What `ready` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    list_: str | None
    """The name, without `NAMESPACE_`, of the list on which the listener waits if it finds no task; empty: call again
    after a second.
    """

    more: bool
    """The search for tasks from clients without scripts is not finished: call again at once."""

    items: list[ReadyItem]
    """The entries."""


_ready: Shape[ReadyReply] = read_list(
    ReadyReply,
    (
        Field("cursor", type=_PATTERN_CURSOR),
        Field("list", type=_TEXT, empty=True),
        Field("more", type=_FLAG),
    ),
    read_items(
    ReadyItem,
    (
        Field("queue", type=_NAME),
        Field("pattern", type=_NUMBER),
    ),
),
)


def ready(
    listener: str,
    cursor: str,
    limit: int,
    patterns: Sequence[str],
    *,
    has: Names | None = None,
    woken: bool | None = None,
    live: bool | None = None,
) -> Call[ReadyReply]:
    """Finds queues with tasks that match patterns, and registers the listener with them; the listener passes their
    names to `reserve`. Each call also does a part of the search for queues that clients without scripts have filled.

    listener: The listener.
    cursor: Start of the page.
    limit: Maximum number of queues.
    patterns: A pattern of queues to take. A leading `!` leaves out the queues that match.
    has: The capabilities that the listener offers to tasks with needs.
    woken: A wake-up was taken from the list. By default 0.
    live: For maintenance: also return queues that are paused, or whose tasks are due later or have an owner. The
      listener is not registered and gets no wake-ups. By default 0.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end); the list on which the listener waits if there is no task, or an empty string if
      it must ask again after a second; 1 if the search continues at once; then for each queue: its name and the number
      of the first pattern that it matches, not counting patterns that begin with `!`.
    """
    return call(
        "ready",
        [listener, cursor, limit, len(patterns), *patterns],
        [
            ("has", has),
            ("woken", woken),
            ("live", live),
        ],
        _ready,
        False,
    )


_redeliver: Shape[int] = read_value(Field("number", type=_NUMBER))


def redeliver(
    target: str,
    owners: Sequence[str],
) -> Call[int]:
    """Makes notices of tasks and graphs for a target due at once, if they wait for their next try or were given up. A
    notice that was given up gets one more try. A notice that a worker is delivering stays as it is.

    target: The target.
    owners: The id of a task, or `/` and the id of a graph.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Number of notices that are due now.
    """
    return call(
        "redeliver",
        [target, len(owners), *owners],
        [
        ],
        _redeliver,
        False,
    )


_register: Shape[Literal["registered", "existing"]] = read_value(Field("reply", words=("registered", "existing",)))


def register(
    queue: str,
    listener: str,
    *,
    has: Names | None = None,
) -> Call[Literal["registered", "existing"]]:
    """Registers a listener with a queue, and stores what the listener offers to tasks with needs.

    queue: The queue.
    listener: The listener.
    has: The capabilities that the listener offers to tasks with needs.
    Errors: BADARG, BADNAME, EVICTION, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: `registered`, or `existing`.
    """
    return call(
        "register",
        [queue, listener],
        [
            ("has", has),
        ],
        _register,
        False,
    )


_release: Shape[Literal["released", "cancelled", "failed"]] = read_value(Field("reply", words=("released", "cancelled", "failed",)))


def release(
    id: str,
    token: int,
    *,
    reason: str | None = None,
    again: Seconds | None = None,
    uncounted: bool | None = None,
    inputs: str | None = None,
    into: str | None = None,
    cost: Bytes | None = None,
) -> Call[Literal["released", "cancelled", "failed"]]:
    """Gives a task back to the front of its queue: at once, after a delay, or when other tasks such as its children
    have ended. With `into`, puts the task into another queue, behind the tasks that already wait there. A release does
    not count as a failure. After too many releases the task fails. The task is cancelled if its cancel was requested,
    or if a newer task has replaced it by the policy `latest`.

    id: The task.
    token: The token of the attempt.
    reason: The reason, as one word, for events and statistics.
    again: Delay before the next attempt, instead of the delay in the settings.
    uncounted: Do not count the release, because it is not the task's fault. By default 0.
    inputs: Further upstreams, without results, that the task waits for before it runs again.
    into: Another queue, in which the task goes on.
    cost: The cost of the attempt; `blueque worker` sends JSON.
    Errors: BADARG, BADNAME, CLOSED, CYCLE, DUPLICATE, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, TOOMANY, WRONGKEY.
    Reply: `released`, `cancelled` or `failed`; with `lost` always `lost`.
    """
    return call(
        "release",
        [id, token],
        [
            ("reason", reason),
            ("again", again),
            ("uncounted", uncounted),
            ("inputs", inputs),
            ("into", into),
            ("cost", cost),
        ],
        _release,
        False,
    )


_release_lost: Shape[Literal["lost"]] = read_value(Field("reply", words=("lost",)))


def release_lost(
    id: str,
    token: int,
    *,
    lost: Bytes,
    reason: str | None = None,
    again: Seconds | None = None,
    uncounted: bool | None = None,
    inputs: str | None = None,
    into: str | None = None,
    cost: Bytes | None = None,
) -> Call[Literal["lost"]]:
    """Gives a task back to the front of its queue: at once, after a delay, or when other tasks such as its children
    have ended. With `into`, puts the task into another queue, behind the tasks that already wait there. A release does
    not count as a failure. After too many releases the task fails. The task is cancelled if its cancel was requested,
    or if a newer task has replaced it by the policy `latest`.

    id: The task.
    token: The token of the attempt.
    lost: Count the release as a loss. The text describes how the attempt was lost.
    reason: The reason, as one word, for events and statistics.
    again: Delay before the next attempt, instead of the delay in the settings.
    uncounted: Do not count the release, because it is not the task's fault. By default 0.
    inputs: Further upstreams, without results, that the task waits for before it runs again.
    into: Another queue, in which the task goes on.
    cost: The cost of the attempt; `blueque worker` sends JSON.
    Errors: BADARG, BADNAME, CLOSED, CYCLE, DUPLICATE, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, TOOMANY, WRONGKEY.
    Reply: `released`, `cancelled` or `failed`; with `lost` always `lost`.
    """
    return call(
        "release",
        [id, token],
        [
            ("lost", lost),
            ("reason", reason),
            ("again", again),
            ("uncounted", uncounted),
            ("inputs", inputs),
            ("into", into),
            ("cost", cost),
        ],
        _release_lost,
        False,
    )


@dataclass(frozen=True)
class RepairItem:
    """One of what `repair` answers."""

    from_: str
    """The listener that is responsible for a held task whose listener was removed from the queue: the `from` of
    `adopt`.
    """

    id: str
    """The task."""

    status: contract.Status
    """The state of the task."""

    holder: str
    """The listener that holds the task."""

    pid: int | None
    """The process that runs the task."""


@dataclass(frozen=True)
class RepairReply:
    """What `repair` answers."""

    cursor: str | None
    """Start of the next page; empty at the end."""

    repaired: int
    """Number of repairs."""

    suspected: int
    """Number of suspicious entries, which may still become correct without a repair."""

    items: list[RepairItem]
    """The entries."""


_repair: Shape[RepairReply] = read_list(
    RepairReply,
    (
        Field("cursor", type=_REPAIR_CURSOR, empty=True),
        Field("repaired", type=_NUMBER),
        Field("suspected", type=_NUMBER),
    ),
    read_items(
    RepairItem,
    (
        Field("from", type=_LISTENER),
        Field("id", type=_NAME),
        Field("status", type=_STATUS),
        Field("holder", type=_LISTENER),
        Field("pid", type=_PID, empty=True),
    ),
),
)


def repair(
    queue: str,
    cursor: str,
    limit: int,
    *,
    grace: Seconds | None = None,
    shared: bool | None = None,
) -> Call[RepairReply]:
    """Repairs what clients without scripts leave behind, and what was deleted by hand. Each call examines one part of
    the queue.

    queue: The queue.
    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    grace: Time for which data must look wrong before it is repaired. By default 60.
    shared: Continue where the last call with `shared` of any client ended; the cursor must be empty. By default 0.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (empty at the end), number of repairs, number of suspects, then for each held task whose listener
      was removed from the queue: the listener that is responsible for it, its id, status, holder and pid.
    """
    return call(
        "repair",
        [queue, cursor, limit],
        [
            ("grace", grace),
            ("shared", shared),
        ],
        _repair,
        False,
    )


_report: Shape[list[Literal["continue", "drain"]]] = read_items(
    None,
    (
        Field("order", words=("continue", "drain",)),
    ),
)


class ReportOptions(TypedDict, total=False):
    """The options of `report`."""

    has: Names | None
    """The capabilities that the listener offers to tasks with needs."""

    name: str | None
    """The worker's name, for people."""

    version: str | None
    """The version of the worker's program."""

    draining: bool | None
    """The worker takes no further tasks."""

    methods: Names | None
    """The methods for which the worker has programs."""

    failed: int | None
    """Number of attempts on the worker that failed in the last hour."""

    trouble: Bytes | None
    """The reason why the worker takes fewer tasks than it could, in one sentence."""

    patterns: str | None
    """The patterns by which the worker takes queues. The call then lists the queues that the worker knows."""


def report(
    listener: str,
    slots: int,
    free: int,
    queues: Sequence[str],
    *,
    has: Names | None = None,
    name: str | None = None,
    version: str | None = None,
    draining: bool | None = None,
    methods: Names | None = None,
    failed: int | None = None,
    trouble: Bytes | None = None,
    patterns: str | None = None,
) -> Call[list[Literal["continue", "drain"]]]:
    """Reports that a worker is alive, what it serves and how many of its slots are free. A worker reports every ten
    seconds. A worker that was forgotten is registered again.

    listener: The listener.
    slots: Number of tasks that the worker runs at the same time.
    free: Number of free slots.
    queues: The queue.
    has: The capabilities that the listener offers to tasks with needs.
    name: The worker's name, for people.
    version: The version of the worker's program.
    draining: The worker takes no further tasks. By default 0.
    methods: The methods for which the worker has programs.
    failed: Number of attempts on the worker that failed in the last hour.
    trouble: The reason why the worker takes fewer tasks than it could, in one sentence.
    patterns: The patterns by which the worker takes queues. The call then lists the queues that the worker knows.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
    Reply: For each queue `continue`, or `drain` if the worker is ordered to drain it.
    """
    return call(
        "report",
        [listener, slots, free, len(queues), *queues],
        [
            ("has", has),
            ("name", name),
            ("version", version),
            ("draining", draining),
            ("methods", methods),
            ("failed", failed),
            ("trouble", trouble),
            ("patterns", patterns),
        ],
        _report,
        False,
    )


_requeue: Shape[Literal["requeuing", "released", "cancelled"]] = read_value(Field("reply", words=("requeuing", "released", "cancelled",)))


def requeue(
    id: str,
    *,
    at_once: bool | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["requeuing", "released", "cancelled"]]:
    """Asks the owner of a task to give it back: the owner's heartbeats return `stop`. With `at_once` the task is taken
    from its owner immediately, even if its program is still running.

    id: The task.
    at_once: Take the task from its owner at once instead of waiting for the owner. By default 0.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, WRONGKEY.
    Reply: `requeuing`; `released` or `cancelled` if the task was taken immediately, or had already been given back.
    """
    return call(
        "requeue",
        [id],
        [
            ("at_once", at_once),
            ("by", by),
            ("request", request),
        ],
        _requeue,
        True,
    )


@dataclass(frozen=True)
class RequeueOrphansReply:
    """What `requeue_orphans` answers."""

    requeued: int
    """Number of tasks that are pending again."""

    failed: int
    """Number of tasks that failed because they were lost too often."""

    cancelled: int
    """Number of tasks that were cancelled because of a cancel request, or because a newer task has replaced them."""

    postponed: int
    """Number of tasks whose owner gets more time after a gap."""

    more: bool
    """More leases have expired."""

    listeners: int
    """Number of listeners of the queue."""


_requeue_orphans: Shape[RequeueOrphansReply] = read_list(
    RequeueOrphansReply,
    (
        Field("requeued", type=_NUMBER),
        Field("failed", type=_NUMBER),
        Field("cancelled", type=_NUMBER),
        Field("postponed", type=_NUMBER),
        Field("more", type=_FLAG),
        Field("listeners", type=_NUMBER),
    ),

)


def requeue_orphans(
    queue: str,
    limit: int,
) -> Call[RequeueOrphansReply]:
    """Takes tasks with expired leases from their owners, and removes silent listeners and workers. The tasks go to the
    front of their queue, or are scheduled if they have a `lost_delay`.

    queue: The queue.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Number of tasks requeued, failed, cancelled and postponed, 1 if more leases have expired, and the number of
      listeners of the queue.
    """
    return call(
        "requeue_orphans",
        [queue, limit],
        [
        ],
        _requeue_orphans,
        False,
    )


@dataclass(frozen=True)
class ReserveItem:
    """One of what `reserve` answers."""

    id: str
    """The task."""

    queue: str
    """The queue of the task."""

    token: int
    """The token of the attempt. Every call of the owner carries the token."""

    attempt: int
    """Number of attempts so far, including the new attempt."""

    deadline: int
    """End of the lease."""

    lease: int
    """The length of the lease."""

    outcome: contract.Outcome | None
    """Outcome of the previous attempt; empty: there was no previous attempt."""

    losses: int
    """Number of attempts that were lost."""

    failures: int
    """Number of attempts that failed."""

    parameters: bytes
    """The parameters, as submitted."""

    checkpoint: bytes | None
    """The checkpoint; nil: none was saved."""


_reserve: Shape[list[ReserveItem] | None] = read_maybe(read_items(
    ReserveItem,
    (
        Field("id", type=_NAME),
        Field("queue", type=_NAME),
        Field("token", type=_TOKEN),
        Field("attempt", type=_NUMBER),
        Field("deadline", type=_DEADLINE),
        Field("lease", type=_MICROS),
        Field("outcome", type=_OUTCOME, empty=True),
        Field("losses", type=_NUMBER),
        Field("failures", type=_NUMBER),
        Field("parameters", type=_STORED),
        Field("checkpoint", type=_STORED, nil=True),
    ),
))


def reserve(
    listener: str,
    queues: Sequence[str],
    *,
    limit: int | None = None,
    pid: int | None = None,
    lease: Seconds | None = None,
    request: str | None = None,
    woken: bool | None = None,
    order: contract.Order | None = None,
    weights: str | Sequence[int] | None = None,
) -> Call[list[ReserveItem] | None]:
    """Gives a listener the next task of the first queue that has a task, or up to `limit` tasks as if one by one. With
    `pid` the tasks are started at once.

    listener: The listener.
    queues: The queue.
    limit: Maximum number of tasks to take. By default 1.
    pid: The process that works on the tasks. With `pid` the tasks are started at once.
    lease: Lease of the attempt. By default the setting `lease`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    woken: A wake-up was taken from the list. By default 0.
    order: Order in which the queues are asked. By default strict.
    weights: The share of each queue, for the order `weighted`.
    Errors: BADARG, BADNAME, DRAINING, NOLISTENER, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Nil, or for each task id queue token attempt deadline lease outcome losses failures parameters checkpoint;
      with `due`, the first value is when `maintenance` of these queues is due, in seconds, if there is no task, else an
      empty string.
    """
    return call(
        "reserve",
        [listener, len(queues), *queues],
        [
            ("limit", limit),
            ("pid", pid),
            ("lease", lease),
            ("request", request),
            ("woken", woken),
            ("order", order),
            ("weights", weights),
        ],
        _reserve,
        True,
    )


@dataclass(frozen=True)
class ReserveDueItem:
    """One of what `reserve` with `due` answers."""

    id: str
    """The task."""

    queue: str
    """The queue of the task."""

    token: int
    """The token of the attempt. Every call of the owner carries the token."""

    attempt: int
    """Number of attempts so far, including the new attempt."""

    deadline: int
    """End of the lease."""

    lease: int
    """The length of the lease."""

    outcome: contract.Outcome | None
    """Outcome of the previous attempt; empty: there was no previous attempt."""

    losses: int
    """Number of attempts that were lost."""

    failures: int
    """Number of attempts that failed."""

    parameters: bytes
    """The parameters, as submitted."""

    checkpoint: bytes | None
    """The checkpoint; nil: none was saved."""


@dataclass(frozen=True)
class ReserveDueReply:
    """What `reserve` with `due` answers."""

    due: float | None
    """Time at which `maintenance` of these queues is due; empty if there are tasks, and with `due 0`."""

    items: list[ReserveDueItem]
    """The entries."""


_reserve_due: Shape[ReserveDueReply] = read_list(
    ReserveDueReply,
    (
        Field("due", type=_TIME, empty=True),
    ),
    read_items(
    ReserveDueItem,
    (
        Field("id", type=_NAME),
        Field("queue", type=_NAME),
        Field("token", type=_TOKEN),
        Field("attempt", type=_NUMBER),
        Field("deadline", type=_DEADLINE),
        Field("lease", type=_MICROS),
        Field("outcome", type=_OUTCOME, empty=True),
        Field("losses", type=_NUMBER),
        Field("failures", type=_NUMBER),
        Field("parameters", type=_STORED),
        Field("checkpoint", type=_STORED, nil=True),
    ),
),
)


def reserve_due(
    listener: str,
    queues: Sequence[str],
    *,
    due: bool,
    limit: int | None = None,
    pid: int | None = None,
    lease: Seconds | None = None,
    request: str | None = None,
    woken: bool | None = None,
    order: contract.Order | None = None,
    weights: str | Sequence[int] | None = None,
) -> Call[ReserveDueReply]:
    """Gives a listener the next task of the first queue that has a task, or up to `limit` tasks as if one by one. With
    `pid` the tasks are started at once.

    listener: The listener.
    queues: The queue.
    due: Begin the reply with the time at which `maintenance` is due. If there are tasks, this time is empty. By default
      0.
    limit: Maximum number of tasks to take. By default 1.
    pid: The process that works on the tasks. With `pid` the tasks are started at once.
    lease: Lease of the attempt. By default the setting `lease`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    woken: A wake-up was taken from the list. By default 0.
    order: Order in which the queues are asked. By default strict.
    weights: The share of each queue, for the order `weighted`.
    Errors: BADARG, BADNAME, DRAINING, NOLISTENER, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Nil, or for each task id queue token attempt deadline lease outcome losses failures parameters checkpoint;
      with `due`, the first value is when `maintenance` of these queues is due, in seconds, if there is no task, else an
      empty string.
    """
    return call(
        "reserve",
        [listener, len(queues), *queues],
        [
            ("due", due),
            ("limit", limit),
            ("pid", pid),
            ("lease", lease),
            ("request", request),
            ("woken", woken),
            ("order", order),
            ("weights", weights),
        ],
        _reserve_due,
        True,
    )


_reset_clock: Shape[Literal["reset", "right"]] = read_value(Field("reply", words=("reset", "right",)))


def reset_clock(
    *,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["reset", "right"]]:
    """Sets a clock that ran ahead back to the server's time. The call is refused while any task is held. New tokens
    continue from the highest token.

    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, HELD, NOPERM, RETRY, SCHEMA, TOOMANY, WRONGKEY.
    Reply: `reset`, or `right` if the clock was not ahead.
    """
    return call(
        "reset_clock",
        [],
        [
            ("by", by),
            ("request", request),
        ],
        _reset_clock,
        True,
    )


_resume: Shape[Literal["resumed"]] = read_value(Field("reply", words=("resumed",)))


def resume(
    queue: str,
    *,
    by: str | None = None,
) -> Call[Literal["resumed"]]:
    """Lets a paused queue give out tasks again.

    queue: The queue.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: `resumed`.
    """
    return call(
        "resume",
        [queue],
        [
            ("by", by),
        ],
        _resume,
        False,
    )


_resume_schedule: Shape[Literal["resumed"]] = read_value(Field("reply", words=("resumed",)))


def resume_schedule(
    name: str,
    *,
    by: str | None = None,
) -> Call[Literal["resumed"]]:
    """Lets a paused schedule create tasks again, starting with its next slot.

    name: The schedule.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    Errors: BADARG, BADNAME, NOPERM, NOSCHEDULE, RETRY, SCHEMA, WRONGKEY.
    Reply: `resumed`.
    """
    return call(
        "resume_schedule",
        [name],
        [
            ("by", by),
        ],
        _resume_schedule,
        False,
    )


_retry: Shape[Literal["pending", "waiting"]] = read_value(Field("reply", words=("pending", "waiting",)))


def retry(
    id: str,
    *,
    fresh: bool | None = None,
    deadline: Time | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["pending", "waiting"]]:
    """Retries a failed or cancelled task, and resets its counts of failures and losses to zero.

    id: The task.
    fresh: Forget the checkpoint and the progress. By default 0.
    deadline: A new deadline.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, DUPLICATE, NOPERM, NOTASK, OVERDUE, RETRY, SCHEMA, STATE, STOPPING, UPSTREAM, WRONGKEY.
    Reply: `pending`, or `waiting` if a task that it waits for runs again.
    """
    return call(
        "retry",
        [id],
        [
            ("fresh", fresh),
            ("deadline", deadline),
            ("by", by),
            ("request", request),
        ],
        _retry,
        True,
    )


_retry_graph: Shape[Literal["retrying"]] = read_value(Field("reply", words=("retrying",)))


def retry_graph(
    graph: str,
    *,
    task: Names | None = None,
    deadline: Time | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["retrying"]]:
    """Reruns the failed and cancelled tasks of a graph; complete tasks keep their results. With `task`, reruns these
    tasks and everything downstream of them, including complete tasks. Repeated calls with `task` add up: tasks of
    earlier calls that have not stopped yet also rerun. `run_deferred` does the work in steps.

    graph: The graph.
    task: Rerun these tasks and everything downstream, even complete tasks.
    deadline: A new deadline of the graph and of its rerun tasks.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, OVERDUE, RETRY, SCHEMA, WRONGKEY.
    Reply: `retrying`.
    """
    return call(
        "retry_graph",
        [graph],
        [
            ("task", task),
            ("deadline", deadline),
            ("by", by),
            ("request", request),
        ],
        _retry_graph,
        True,
    )


@dataclass(frozen=True)
class RunDeferredReply:
    """What `run_deferred` answers."""

    settled: int
    """Number of dependents that were notified of the end of an upstream."""

    more: bool
    """More work is left for `run_deferred`."""


_run_deferred: Shape[RunDeferredReply] = read_list(
    RunDeferredReply,
    (
        Field("settled", type=_NUMBER),
        Field("more", type=_FLAG),
    ),

)


def run_deferred(
    limit: int,
) -> Call[RunDeferredReply]:
    """Does the next step of deferred work in task graphs, and of tasks past their deadlines. Overdue tasks come first:
    they fail, or if an attempt holds them, their owners are ordered to stop. Dependents are notified of the end of a
    task if the call that ended it did not notify them: because the dependents were many or the result was long, or
    because another task caused the end. Tasks that nothing needs after the end of another task are cancelled. Queued
    rounds of tasks begin. The tasks of new graphs are released. Cancels and retries of graphs continue. Graphs whose
    tasks did not all arrive within 10 minutes are removed.

    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Number of tasks, 1 if more work is due.
    """
    return call(
        "run_deferred",
        [limit],
        [
        ],
        _run_deferred,
        False,
    )


@dataclass(frozen=True)
class RunScheduleReply:
    """What `run_schedule` answers."""

    outcome: Literal["created", "existing"]
    """`created` if this call created the task, otherwise `existing`."""

    id: str
    """The task."""


_run_schedule: Shape[RunScheduleReply] = read_list(
    RunScheduleReply,
    (
        Field("outcome", words=("created", "existing",)),
        Field("id", type=_NAME),
    ),

)


def run_schedule(
    name: str,
    id: str,
    *,
    overlap: contract.Overlap | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[RunScheduleReply]:
    """Creates a task of a schedule at once, in addition to its slots, even if the schedule is paused or has ended.

    name: The schedule.
    id: The task.
    overlap: Policy while the last task is unfinished, instead of the schedule's overlap.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOLIMIT, NOPERM, NOSCHEDULE, OTHERQUEUE, OVERDUE, RETRY, SCHEMA, STATE,
      TOOBIG, TOOMANY, WRONGKEY.
    Reply: `created` or `existing`, and the id of the task.
    """
    return call(
        "run_schedule",
        [name, id],
        [
            ("overlap", overlap),
            ("by", by),
            ("request", request),
        ],
        _run_schedule,
        True,
    )


_schedule: Shape[Literal["created", "changed", "existing"]] = read_value(Field("reply", words=("created", "changed", "existing",)))


class ScheduleOptions(TypedDict, total=False):
    """The options of `schedule`."""

    overlap: contract.Overlap | None
    """Policy for a slot while the last task is unfinished."""

    missed: contract.Missed | None
    """Policy for slots that passed while no client was running."""

    late: int | None
    """Maximum delay with which a missed slot still creates its task."""

    start: Time | None
    """Earliest time of a slot."""

    end: Time | None
    """Latest time of a slot."""

    times: int | None
    """Maximum number of tasks that the schedule creates."""

    title: Bytes | None
    """A line for people that says what the task does. Lists show it instead of the parameters."""

    submitter: str | None
    """The author of the submit, such as `USER@HOST`: lists and reports select tasks by it."""

    method: str | None
    """The method, which selects the program that a worker runs if its queue has several."""

    command: str | None
    """The command line that the task runs instead of a program of the worker: JSON such as `{"argv":["sleep","5"]}`, as
    `blueque add` writes it. Only workers with `--allow-commands` run it, so the task also needs `commands`.
    """

    priority: int | None
    """Priority from -1000 to 1000. A higher priority goes first."""

    max_failures: int | None
    """Maximum retries after failures."""

    backoff: contract.Backoff | None
    """Growth of the delay from each retry to the next."""

    delay: Seconds | None
    """Delay before the first retry."""

    max_delay: Seconds | None
    """Longest delay before a retry."""

    jitter: int | None
    """Maximum part by which a delay is shortened, in percent."""

    max_losses: int | None
    """Maximum lost attempts before the task fails; 1000000000 for no limit."""

    lost_delay: Seconds | None
    """Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once."""

    max_releases: int | None
    """Maximum releases before the task fails."""

    lease: Seconds | None
    """Lease of each attempt, instead of the worker's lease."""

    key: str | None
    """The owner of the task, such as a tenant: keys take turns and have limits."""

    weight: int | None
    """Number of places that the task takes in each of its limits."""

    needs: Names | None
    """Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes) and
    `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    """

    limits: str | None
    """Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all these
    limits at the same time.
    """

    unique: str | None
    """A name that only one task of the queue has at a time."""

    unique_until: str | Seconds | None
    """The point until which the task holds its unique name."""

    unique_policy: contract.UniquePolicy | None
    """Policy if another task holds the unique name."""

    tags: Names | None
    """Names to find the task by, at most 16."""

    deadline: Time | None
    """The time by which the task must have ended. After this time an unfinished task fails."""

    max_bytes: int | None
    """Maximum size of the parameters."""

    max_run: Seconds | None
    """Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked for
    more time; a shorter limit of the worker applies instead.
    """

    warn: Seconds | None
    """Time before the end of `max_run` at which the program gets SIGUSR1 as a warning."""

    no_progress: Seconds | None
    """Maximum time without an event, a checkpoint or output of the program."""

    grace: Seconds | None
    """Time between SIGTERM and SIGKILL when the program is stopped."""

    nice: int | None
    """Niceness of the program, in addition to the worker's."""

    notify: str | None
    """The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that workers
    have in their configuration. Without events a target is notified of every end; `none`: no target, even if the queue
    has the setting `notify`.
    """

    log_bytes: int | None
    """Maximum size of the task's log on the server; 0 for none."""

    trace: str | None
    """The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
    continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    """

    steps: Names | None
    """The queues that the task goes through after the first queue. The task enters each queue when it has completed its
    step in the previous queue.
    """

    by: str | None
    """The author of the call, for `audit`; `blueque` sends `USER@HOST`."""

    request: str | None
    """A random id, the same for all repetitions of this call: a repeated call returns the first reply."""


def schedule(
    name: str,
    queue: str,
    recurrence: str,
    parameters: Bytes,
    slots: Sequence[int],
    *,
    overlap: contract.Overlap | None = None,
    missed: contract.Missed | None = None,
    late: int | None = None,
    start: Time | None = None,
    end: Time | None = None,
    times: int | None = None,
    title: Bytes | None = None,
    submitter: str | None = None,
    method: str | None = None,
    command: str | None = None,
    priority: int | None = None,
    max_failures: int | None = None,
    backoff: contract.Backoff | None = None,
    delay: Seconds | None = None,
    max_delay: Seconds | None = None,
    jitter: int | None = None,
    max_losses: int | None = None,
    lost_delay: Seconds | None = None,
    max_releases: int | None = None,
    lease: Seconds | None = None,
    key: str | None = None,
    weight: int | None = None,
    needs: Names | None = None,
    limits: str | None = None,
    unique: str | None = None,
    unique_until: str | Seconds | None = None,
    unique_policy: contract.UniquePolicy | None = None,
    tags: Names | None = None,
    deadline: Time | None = None,
    max_bytes: int | None = None,
    max_run: Seconds | None = None,
    warn: Seconds | None = None,
    no_progress: Seconds | None = None,
    grace: Seconds | None = None,
    nice: int | None = None,
    notify: str | None = None,
    log_bytes: int | None = None,
    trace: str | None = None,
    steps: Names | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["created", "changed", "existing"]]:
    """Creates a schedule, or changes the schedule with this name.

    name: The schedule.
    queue: The queue.
    recurrence: The recurrence of the slots.
    parameters: The parameters of the program that runs the task.
    slots: The time at which a slot is due.
    overlap: Policy for a slot while the last task is unfinished. By default skip.
    missed: Policy for slots that passed while no client was running. By default one.
    late: Maximum delay with which a missed slot still creates its task. By default 60.
    start: Earliest time of a slot.
    end: Latest time of a slot.
    times: Maximum number of tasks that the schedule creates.
    title: A line for people that says what the task does. Lists show it instead of the parameters.
    submitter: The author of the submit, such as `USER@HOST`: lists and reports select tasks by it.
    method: The method, which selects the program that a worker runs if its queue has several.
    command: The command line that the task runs instead of a program of the worker: JSON such as
      `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the task
      also needs `commands`.
    priority: Priority from -1000 to 1000. A higher priority goes first. By default 0.
    max_failures: Maximum retries after failures. By default the setting `max_failures`.
    backoff: Growth of the delay from each retry to the next. By default the setting `backoff`.
    delay: Delay before the first retry. By default the setting `delay`.
    max_delay: Longest delay before a retry. By default the setting `max_delay`.
    jitter: Maximum part by which a delay is shortened, in percent. By default the setting `jitter`.
    max_losses: Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting
      `max_losses`.
    lost_delay: Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once.
      By default the setting `lost_delay`.
    max_releases: Maximum releases before the task fails. By default the setting `max_releases`.
    lease: Lease of each attempt, instead of the worker's lease. By default the setting `lease`.
    key: The owner of the task, such as a tenant: keys take turns and have limits.
    weight: Number of places that the task takes in each of its limits. By default 1.
    needs: Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
      and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    limits: Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
      these limits at the same time.
    unique: A name that only one task of the queue has at a time.
    unique_until: The point until which the task holds its unique name. By default end.
    unique_policy: Policy if another task holds the unique name. By default reject.
    tags: Names to find the task by, at most 16.
    deadline: The time by which the task must have ended. After this time an unfinished task fails.
    max_bytes: Maximum size of the parameters. By default the setting `max_bytes`.
    max_run: Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
      for more time; a shorter limit of the worker applies instead.
    warn: Time before the end of `max_run` at which the program gets SIGUSR1 as a warning.
    no_progress: Maximum time without an event, a checkpoint or output of the program.
    grace: Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`.
    nice: Niceness of the program, in addition to the worker's.
    notify: The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
      workers have in their configuration. Without events a target is notified of every end; `none`: no target, even if
      the queue has the setting `notify`.
    log_bytes: Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`.
    trace: The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
      continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    steps: The queues that the task goes through after the first queue. The task enters each queue when it has completed
      its step in the previous queue.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOLIMIT, NOPERM, RETRY, SCHEMA, TOOBIG, TOOMANY, WRONGKEY.
    Reply: `created`, `changed`, or `existing` if nothing differs.
    """
    return call(
        "schedule",
        [name, queue, recurrence, parameters, len(slots), *slots],
        [
            ("overlap", overlap),
            ("missed", missed),
            ("late", late),
            ("start", start),
            ("end", end),
            ("times", times),
            ("title", title),
            ("submitter", submitter),
            ("method", method),
            ("command", command),
            ("priority", priority),
            ("max_failures", max_failures),
            ("backoff", backoff),
            ("delay", delay),
            ("max_delay", max_delay),
            ("jitter", jitter),
            ("max_losses", max_losses),
            ("lost_delay", lost_delay),
            ("max_releases", max_releases),
            ("lease", lease),
            ("key", key),
            ("weight", weight),
            ("needs", needs),
            ("limits", limits),
            ("unique", unique),
            ("unique_until", unique_until),
            ("unique_policy", unique_policy),
            ("tags", tags),
            ("deadline", deadline),
            ("max_bytes", max_bytes),
            ("max_run", max_run),
            ("warn", warn),
            ("no_progress", no_progress),
            ("grace", grace),
            ("nice", nice),
            ("notify", notify),
            ("log_bytes", log_bytes),
            ("trace", trace),
            ("steps", steps),
            ("by", by),
            ("request", request),
        ],
        _schedule,
        True,
    )


@dataclass(frozen=True)
class SchedulesItem:
    """One of what `schedules` answers."""

    name: str
    """The schedule."""

    queue: str
    """The queue of its tasks."""

    recurrence: str
    """The recurrence of the schedule."""

    state: Literal["active", "paused", "ended", "dry"]
    """The state of the schedule; `dry`: a client must supply the next slots."""

    next: int | None
    """The next slot."""

    made: int
    """Number of tasks created."""

    skipped: int
    """Number of slots skipped because of the overlap policy or an error."""

    passed: int
    """Number of slots passed over: too late, or replaced by a later slot."""

    last_task: str | None
    """The last task of the schedule."""

    error: str | None
    """The last error of the schedule."""

    title: str | None
    """The title of its tasks."""

    argv: str | None
    """The program and its arguments as a JSON list, if its tasks run a command line."""


@dataclass(frozen=True)
class SchedulesReply:
    """What `schedules` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[SchedulesItem]
    """The entries."""


_schedules: Shape[SchedulesReply] = read_list(
    SchedulesReply,
    (
        Field("cursor", type=_CURSOR),
    ),
    read_items(
    SchedulesItem,
    (
        Field("name", type=_SCHEDULE_NAME),
        Field("queue", type=_NAME),
        Field("recurrence", type=_RECURRENCE),
        Field("state", words=("active", "paused", "ended", "dry",)),
        Field("next", type=_SLOT, empty=True),
        Field("made", type=_NUMBER),
        Field("skipped", type=_NUMBER),
        Field("passed", type=_NUMBER),
        Field("last_task", type=_NAME, empty=True),
        Field("error", type=_TROUBLE, empty=True),
        Field("title", type=_TEXT, empty=True),
        Field("argv", type=_TEXT, empty=True),
    ),
),
)


def schedules(
    cursor: str,
    limit: int,
) -> Call[SchedulesReply]:
    """Lists the schedules of the namespace, by their next slot.

    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end), then for each schedule: its name, queue, recurrence, state (`active paused ended
      dry`), next slot, tasks created, slots skipped, slots passed over, last task, last error, and of its tasks the
      title and the arguments of the command line; values that do not apply are empty.
    """
    return call(
        "schedules",
        [cursor, limit],
        [
        ],
        _schedules,
        False,
    )


_set_topology: Shape[Literal["stored"]] = read_value(Field("reply", words=("stored",)))


def set_topology(
    former: int,
    version: int,
    partition: str,
    members: Sequence[str],
    *,
    by: str | None = None,
) -> Call[Literal["stored"]]:
    """Stores the topology: the partition that this namespace is from now on, and the names of all partitions. `former`
    is the version that the caller has read, or 0 if none is stored. The call is refused if another client has changed
    the topology since, or if the new version is not greater.

    former: The version that is stored; 0: none.
    version: The new version.
    partition: The partition of this namespace. It never changes.
    members: The name of a partition.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOPOLOGY, WRONGKEY.
    Reply: `stored`.
    """
    return call(
        "set_topology",
        [former, version, partition, len(members), *members],
        [
            ("by", by),
        ],
        _set_topology,
        False,
    )


@dataclass(frozen=True)
class SettingsItem:
    """One of what `settings` answers."""

    name: str
    """The setting."""

    value: str | None
    """The value of the setting; empty: no limit."""

    from_: Literal["queue", "namespace", "default"]
    """The place where the value is set."""


_settings: Shape[list[SettingsItem]] = read_items(
    SettingsItem,
    (
        Field("name", type=_SETTING_NAME),
        Field("value", type=_SETTING_VALUE, empty=True),
        Field("from", words=("queue", "namespace", "default",)),
    ),
)


def settings(
    queue: str,
) -> Call[list[SettingsItem]]:
    """Returns the settings in effect for a queue, or with queue `*` the defaults for all queues.

    queue: The queue; `*` for the defaults of all queues.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: For each setting: its name, its value (empty: no limit) and the level where it is set: `queue`, `namespace`
      or `default`.
    """
    return call(
        "settings",
        [queue],
        [
        ],
        _settings,
        False,
    )


@dataclass(frozen=True)
class ShowGraphItem:
    """One of what `show_graph` answers."""

    id: str
    """The task."""

    queue: str | None
    """The queue of the task."""

    status: contract.Status | Literal["deleted"]
    """The state of the task."""

    open: int
    """Number of open upstreams."""

    cause: str | None
    """The other task that caused the end of the task."""

    label: str | None
    """The name of the task within the graph."""

    inputs: str | None
    """The inputs of the task, as submitted, without values."""

    skipped: bool
    """The task was not needed: it is `cancelled`, and counts as skipped."""


@dataclass(frozen=True)
class ShowGraphReply:
    """What `show_graph` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    state: Literal["staging", "created"]
    """`created` if all tasks of the graph have arrived, otherwise `staging`."""

    created: float
    """Time at which the last task arrived."""

    total: int
    """Number of tasks of the graph."""

    name: str | None
    """The name of the graph."""

    complete: int
    """Number of complete tasks."""

    failed: int
    """Number of failed tasks."""

    cancelled: int
    """Number of cancelled tasks, without the skipped tasks."""

    skipped: int
    """Number of tasks that were not needed, because what they wait to fail is complete; not in `cancelled`."""

    doing: Literal["cancel", "retry", "rerun"] | None
    """The current operation on the tasks of the graph: all or some are cancelled, failed and cancelled tasks are
    retried, or some tasks are rerun.
    """

    items: list[ShowGraphItem]
    """The entries."""


_show_graph: Shape[ShowGraphReply | None] = read_maybe(read_list(
    ShowGraphReply,
    (
        Field("cursor", type=_CURSOR),
        Field("state", words=("staging", "created",)),
        Field("created", type=_TIME),
        Field("total", type=_NUMBER),
        Field("name", type=_TEXT, empty=True),
        Field("complete", type=_NUMBER),
        Field("failed", type=_NUMBER),
        Field("cancelled", type=_NUMBER),
        Field("skipped", type=_NUMBER),
        Field("doing", words=("cancel", "retry", "rerun",), empty=True),
    ),
    read_items(
    ShowGraphItem,
    (
        Field("id", type=_NAME),
        Field("queue", type=_NAME, empty=True),
        Field("status", type=_STATUS, words=("deleted",)),
        Field("open", type=_NUMBER),
        Field("cause", type=_NAME, empty=True),
        Field("label", type=_TEXT, empty=True),
        Field("inputs", type=_TEXT, empty=True),
        Field("skipped", type=_FLAG),
    ),
),
))


def show_graph(
    graph: str,
    cursor: str,
    limit: int,
) -> Call[ShowGraphReply | None]:
    """Returns the tasks of a graph, in the order in which they were submitted.

    graph: The graph.
    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Nil if there is no such graph; else next cursor (0 at the end), `staging` or `created`, the time of its last
      submission, its number of tasks, its name; how many tasks are complete, failed, cancelled and skipped; the action
      in progress: `cancel`, `retry`, `rerun`, or empty; then for each task: its id, its queue (empty if the task was
      deleted), its status, the number of tasks that it still waits for, the task that caused its end (empty if there is
      none), its label, its inputs as submitted, and 1 if it was skipped.
    """
    return call(
        "show_graph",
        [graph, cursor, limit],
        [
        ],
        _show_graph,
        False,
    )


@dataclass(frozen=True, repr=False)
class ShowScheduleReply(Sparse):
    """What `show_schedule` answers."""

    recurrence: str | None
    """The recurrence of the schedule."""

    queue: str | None
    """The queue of the schedule's tasks."""

    parameters: bytes | None
    """The parameters of the schedule's tasks."""

    options: str | None
    """The options of the schedule's tasks."""

    overlap: contract.Overlap | None
    """Policy for a slot while the last task is unfinished."""

    missed: contract.Missed | None
    """Policy for slots that passed while no client was running."""

    late: int | None
    """Maximum delay with which a missed slot still creates its task."""

    start: float | None
    """Earliest time of a slot."""

    end: float | None
    """Latest time of a slot."""

    times: int | None
    """Maximum number of tasks that the schedule creates."""

    created: float | None
    """Time of the schedule's creation."""

    changed: float | None
    """Time of the last change."""

    done: float | None
    """The time up to which all slots are handled."""

    next: int | None
    """The next slot."""

    held: int | None
    """Time at which a slot that was held back is checked again."""

    slots: str | None
    """The known slots of a cron schedule."""

    final: bool | None
    """The known slots are the last slots of the schedule."""

    ended: float | None
    """Time at which the last slot was handled."""

    paused: str | None
    """Author, time and reason of the pause."""

    made: int | None
    """Number of tasks created."""

    skipped: int | None
    """Number of slots skipped because of the overlap policy or an error."""

    passed: int | None
    """Number of slots passed over: too late, or replaced by a later slot."""

    last_slot: int | None
    """The last slot that created a task."""

    last_task: str | None
    """The last task of the schedule."""

    last_at: float | None
    """Time at which the last task was created."""

    error: str | None
    """The last error of the schedule."""

    tasks: str | None
    """The unfinished tasks of the schedule."""

    state: Literal["active", "paused", "ended", "dry"] | None
    """The state of the schedule; `dry`: a client must supply the next slots."""

    extra: dict[str, bytes]
    """Fields of other programs and later versions."""


_show_schedule: Shape[ShowScheduleReply] = read_pairs(
    ShowScheduleReply,
    (
        Field("recurrence", type=_RECURRENCE),
        Field("queue", type=_NAME),
        Field("parameters", type=_STORED),
        Field("options", type=_TEMPLATE, empty=True),
        Field("overlap", type=_OVERLAP),
        Field("missed", type=_MISSED),
        Field("late", type=_LATE),
        Field("start", type=_TIME),
        Field("end", type=_TIME),
        Field("times", type=_TIMES),
        Field("created", type=_TIME),
        Field("changed", type=_TIME),
        Field("done", type=_TIME),
        Field("next", type=_SLOT),
        Field("held", type=_SLOT),
        Field("slots", type=_TEXT),
        Field("final", type=_FLAG),
        Field("ended", type=_TIME),
        Field("paused", type=_PAUSE),
        Field("made", type=_NUMBER),
        Field("skipped", type=_NUMBER),
        Field("passed", type=_NUMBER),
        Field("last_slot", type=_SLOT),
        Field("last_task", type=_NAME),
        Field("last_at", type=_TIME),
        Field("error", type=_TROUBLE),
        Field("tasks", type=_TEXT),
        Field("state", words=("active", "paused", "ended", "dry",)),
    ), absent=True, open=True,
)


def show_schedule(
    name: str,
) -> Call[ShowScheduleReply]:
    """Returns the fields of a schedule.

    name: The schedule.
    Errors: BADARG, BADNAME, NOPERM, NOSCHEDULE, RETRY, SCHEMA, WRONGKEY.
    Reply: Field and value in turn, and its `state`: `active`, `paused`, `ended`, or `dry` (a client must supply its
      next slots).
    """
    return call(
        "show_schedule",
        [name],
        [
        ],
        _show_schedule,
        False,
    )


_signal: Shape[int] = read_value(Field("number", type=_NUMBER))


def signal(
    id: str,
    signal: contract.Signal,
    *,
    by: str | None = None,
    request: str | None = None,
) -> Call[int]:
    """Asks the owner of a task to send its program a signal, once.

    id: The task.
    signal: The signal, without SIG.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOMANY, WRONGKEY.
    Reply: Number of the request in this attempt; the owner has answered it when the field `controlled` has reached it.
    """
    return call(
        "signal",
        [id, signal],
        [
            ("by", by),
            ("request", request),
        ],
        _signal,
        True,
    )


_start: Shape[int] = read_value(Field("deadline", type=_DEADLINE))


def start(
    id: str,
    token: int,
    pid: int,
    *,
    lease: Seconds | None = None,
    span: str | None = None,
) -> Call[int]:
    """Reports that a process works on the reserved task, and renews its lease.

    id: The task.
    token: The token of the attempt.
    pid: The process that runs the task.
    lease: Lease of the attempt. By default the setting `lease`.
    span: The trace context of the attempt, to which the next attempt and dependents link.
    Errors: BADARG, BADNAME, CANCELLED, LOST, NOPERM, RETRY, SCHEMA, STATE, WRONGKEY.
    Reply: Deadline.
    """
    return call(
        "start",
        [id, token, pid],
        [
            ("lease", lease),
            ("span", span),
        ],
        _start,
        False,
    )


@dataclass(frozen=True, repr=False)
class StatisticsReply(Sparse):
    """What `statistics` answers."""

    day: str | Literal["total"] | None
    """The day of the following numbers; `total`: all days of the call."""

    first: str | None
    """The first day of the call."""

    last: str | None
    """The last day of the call."""

    before: str | None
    """The day before the first day: the `until` of the next page."""

    submitted: int | None
    """Number of tasks created."""

    started: int | None
    """Number of attempts started."""

    complete: int | None
    """Number of tasks that completed."""

    failed: int | None
    """Number of tasks that failed."""

    cancelled: int | None
    """Number of tasks that were cancelled."""

    failures: int | None
    """Number of attempts that failed."""

    retries: int | None
    """Number of attempts that retried a failed attempt."""

    losses: int | None
    """Number of attempts that were lost."""

    releases: int | None
    """Number of attempts that were released."""

    missed: int | None
    """Number of events that were trimmed before they were counted."""

    wait_count: int | None
    """Number of tasks that were reserved."""

    wait_sum: float | None
    """Total time for which these tasks were pending."""

    wait_squares: str | None
    """Sum of the squares of these pending times."""

    wait_least: float | None
    """Shortest of these pending times."""

    wait_most: float | None
    """Longest of these pending times."""

    run_count: int | None
    """Number of attempts that ran."""

    run_sum: float | None
    """Total running time of these attempts."""

    run_squares: str | None
    """Sum of the squares of these running times."""

    run_least: float | None
    """Shortest of these running times."""

    run_most: float | None
    """Longest of these running times."""

    done_count: int | None
    """Number of attempts that completed their task."""

    done_sum: float | None
    """Total running time of these attempts."""

    done_squares: str | None
    """Sum of the squares of these running times."""

    done_least: float | None
    """Shortest of these running times."""

    done_most: float | None
    """Longest of these running times."""

    wait: dict[str, int]
    """`*` is a bound in seconds: number of these pending times up to this bound and above the previous bound; `over`:
    above four weeks.
    """

    run: dict[str, int]
    """`*` is a bound in seconds: number of these running times up to this bound and above the previous bound; `over`:
    above four weeks.
    """

    done: dict[str, int]
    """`*` is a bound in seconds: number of these running times up to this bound and above the previous bound; `over`:
    above four weeks.
    """


_statistics: Shape[list[StatisticsReply]] = read_groups("day", read_pairs(
    StatisticsReply,
    (
        Field("day", type=_DAY, words=("total",)),
        Field("first", type=_DAY),
        Field("last", type=_DAY),
        Field("before", type=_DAY, empty=True),
        Field("submitted", type=_NUMBER),
        Field("started", type=_NUMBER),
        Field("complete", type=_NUMBER),
        Field("failed", type=_NUMBER),
        Field("cancelled", type=_NUMBER),
        Field("failures", type=_NUMBER),
        Field("retries", type=_NUMBER),
        Field("losses", type=_NUMBER),
        Field("releases", type=_NUMBER),
        Field("missed", type=_NUMBER),
        Field("wait.count", type=_NUMBER),
        Field("wait.sum", type=_SPAN),
        Field("wait.squares", type=_SQUARES),
        Field("wait.least", type=_SPAN),
        Field("wait.most", type=_SPAN),
        Field("wait.*", type=_NUMBER),
        Field("run.count", type=_NUMBER),
        Field("run.sum", type=_SPAN),
        Field("run.squares", type=_SQUARES),
        Field("run.least", type=_SPAN),
        Field("run.most", type=_SPAN),
        Field("run.*", type=_NUMBER),
        Field("done.count", type=_NUMBER),
        Field("done.sum", type=_SPAN),
        Field("done.squares", type=_SQUARES),
        Field("done.least", type=_SPAN),
        Field("done.most", type=_SPAN),
        Field("done.*", type=_NUMBER),
    ), absent=True,
))


def statistics(
    queue: str,
    days: int,
    *,
    until: str | None = None,
    host: str | None = None,
) -> Call[list[StatisticsReply]]:
    """Returns the statistics of a queue by day, and for all these days together. Includes the events that `aggregate`
    has read. With `host`, returns the statistics of attempts that ended on this host.

    queue: The queue.
    days: Number of days.
    until: The last day; today if absent.
    host: Only attempts by listeners of this host, counted by outcome. At most 100 hosts are recorded each day.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Name and value in turn: `day` and `total`, the `first` and the `last` day and the day `before` the first
      (YYYYMMDD), then the values of all these days; then for each day that has values, earliest first, `day` and its
      date (YYYYMMDD) and its values.
    """
    return call(
        "statistics",
        [queue, days],
        [
            ("until", until),
            ("host", host),
        ],
        _statistics,
        False,
    )


class SubmitEach(NamedTuple):
    """One entry of a call of `submit`."""

    id: str
    """The task."""

    eta: Time | None
    """The time at which the task is due; empty: at once."""

    parameters: Bytes
    """The parameters of the program that runs the task."""


_submit: Shape[list[Literal["created", "existing"]]] = read_items(
    None,
    (
        Field("outcome", words=("created", "existing",)),
    ),
)


class SubmitOptions(TypedDict, total=False):
    """The options of `submit`."""

    title: Bytes | None
    """A line for people that says what the task does. Lists show it instead of the parameters."""

    submitter: str | None
    """The author of the submit, such as `USER@HOST`: lists and reports select tasks by it."""

    method: str | None
    """The method, which selects the program that a worker runs if its queue has several."""

    command: str | None
    """The command line that the task runs instead of a program of the worker: JSON such as `{"argv":["sleep","5"]}`, as
    `blueque add` writes it. Only workers with `--allow-commands` run it, so the task also needs `commands`.
    """

    priority: int | None
    """Priority from -1000 to 1000. A higher priority goes first."""

    max_failures: int | None
    """Maximum retries after failures."""

    backoff: contract.Backoff | None
    """Growth of the delay from each retry to the next."""

    delay: Seconds | None
    """Delay before the first retry."""

    max_delay: Seconds | None
    """Longest delay before a retry."""

    jitter: int | None
    """Maximum part by which a delay is shortened, in percent."""

    max_losses: int | None
    """Maximum lost attempts before the task fails; 1000000000 for no limit."""

    lost_delay: Seconds | None
    """Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once."""

    max_releases: int | None
    """Maximum releases before the task fails."""

    lease: Seconds | None
    """Lease of each attempt, instead of the worker's lease."""

    key: str | None
    """The owner of the task, such as a tenant: keys take turns and have limits."""

    weight: int | None
    """Number of places that the task takes in each of its limits."""

    needs: Names | None
    """Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes) and
    `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    """

    limits: str | None
    """Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all these
    limits at the same time.
    """

    unique_until: str | Seconds | None
    """The point until which the task holds its unique name."""

    unique_policy: contract.UniquePolicy | None
    """Policy if another task holds the unique name."""

    tags: Names | None
    """Names to find the task by, at most 16."""

    deadline: Time | None
    """The time by which the task must have ended. After this time an unfinished task fails."""

    max_bytes: int | None
    """Maximum size of the parameters."""

    max_run: Seconds | None
    """Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked for
    more time; a shorter limit of the worker applies instead.
    """

    warn: Seconds | None
    """Time before the end of `max_run` at which the program gets SIGUSR1 as a warning."""

    no_progress: Seconds | None
    """Maximum time without an event, a checkpoint or output of the program."""

    grace: Seconds | None
    """Time between SIGTERM and SIGKILL when the program is stopped."""

    nice: int | None
    """Niceness of the program, in addition to the worker's."""

    notify: str | None
    """The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that workers
    have in their configuration. Without events a target is notified of every end; `none`: no target, even if the queue
    has the setting `notify`.
    """

    log_bytes: int | None
    """Maximum size of the task's log on the server; 0 for none."""

    trace: str | None
    """The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
    continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    """

    steps: Names | None
    """The queues that the task goes through after the first queue. The task enters each queue when it has completed its
    step in the previous queue.
    """

    inputs: str | None
    """The inputs that the tasks wait for, such as `success=ID`."""

    once_more: bool | None
    """With `again`: if the task is running, run it again after the current run, unless it is cancelled."""

    hold: bool | None
    """Hold the new tasks: they do not start until `unhold`."""

    by: str | None
    """The author of the call, for `audit`; `blueque` sends `USER@HOST`."""

    request: str | None
    """A random id, the same for all repetitions of this call: a repeated call returns the first reply."""


def submit(
    queue: str,
    each: Sequence[SubmitEach],
    *,
    title: Bytes | None = None,
    submitter: str | None = None,
    method: str | None = None,
    command: str | None = None,
    priority: int | None = None,
    max_failures: int | None = None,
    backoff: contract.Backoff | None = None,
    delay: Seconds | None = None,
    max_delay: Seconds | None = None,
    jitter: int | None = None,
    max_losses: int | None = None,
    lost_delay: Seconds | None = None,
    max_releases: int | None = None,
    lease: Seconds | None = None,
    key: str | None = None,
    weight: int | None = None,
    needs: Names | None = None,
    limits: str | None = None,
    unique_until: str | Seconds | None = None,
    unique_policy: contract.UniquePolicy | None = None,
    tags: Names | None = None,
    deadline: Time | None = None,
    max_bytes: int | None = None,
    max_run: Seconds | None = None,
    warn: Seconds | None = None,
    no_progress: Seconds | None = None,
    grace: Seconds | None = None,
    nice: int | None = None,
    notify: str | None = None,
    log_bytes: int | None = None,
    trace: str | None = None,
    steps: Names | None = None,
    inputs: str | None = None,
    once_more: bool | None = None,
    hold: bool | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[list[Literal["created", "existing"]]]:
    """Adds tasks to a queue. A new task is pending, scheduled if its eta is in the future, or waiting if it waits for
    other tasks. With `again`, a finished task begins a new round, and a waiting task is changed. With `once_more` as
    well, a task that an attempt holds begins a new round when the current round has ended.

    queue: The queue.
    each: The entries.
    title: A line for people that says what the task does. Lists show it instead of the parameters.
    submitter: The author of the submit, such as `USER@HOST`: lists and reports select tasks by it.
    method: The method, which selects the program that a worker runs if its queue has several.
    command: The command line that the task runs instead of a program of the worker: JSON such as
      `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the task
      also needs `commands`.
    priority: Priority from -1000 to 1000. A higher priority goes first. By default 0.
    max_failures: Maximum retries after failures. By default the setting `max_failures`.
    backoff: Growth of the delay from each retry to the next. By default the setting `backoff`.
    delay: Delay before the first retry. By default the setting `delay`.
    max_delay: Longest delay before a retry. By default the setting `max_delay`.
    jitter: Maximum part by which a delay is shortened, in percent. By default the setting `jitter`.
    max_losses: Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting
      `max_losses`.
    lost_delay: Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once.
      By default the setting `lost_delay`.
    max_releases: Maximum releases before the task fails. By default the setting `max_releases`.
    lease: Lease of each attempt, instead of the worker's lease. By default the setting `lease`.
    key: The owner of the task, such as a tenant: keys take turns and have limits.
    weight: Number of places that the task takes in each of its limits. By default 1.
    needs: Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
      and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    limits: Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
      these limits at the same time.
    unique_until: The point until which the task holds its unique name. By default end.
    unique_policy: Policy if another task holds the unique name. By default reject.
    tags: Names to find the task by, at most 16.
    deadline: The time by which the task must have ended. After this time an unfinished task fails.
    max_bytes: Maximum size of the parameters. By default the setting `max_bytes`.
    max_run: Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
      for more time; a shorter limit of the worker applies instead.
    warn: Time before the end of `max_run` at which the program gets SIGUSR1 as a warning.
    no_progress: Maximum time without an event, a checkpoint or output of the program.
    grace: Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`.
    nice: Niceness of the program, in addition to the worker's.
    notify: The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
      workers have in their configuration. Without events a target is notified of every end; `none`: no target, even if
      the queue has the setting `notify`.
    log_bytes: Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`.
    trace: The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
      continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    steps: The queues that the task goes through after the first queue. The task enters each queue when it has completed
      its step in the previous queue.
    inputs: The inputs that the tasks wait for, such as `success=ID`.
    once_more: With `again`: if the task is running, run it again after the current run, unless it is cancelled. By
      default 0.
    hold: Hold the new tasks: they do not start until `unhold`. By default 0.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOLIMIT, NOPERM, NOTASK, OTHERQUEUE, OVERDUE, RETRY, SCHEMA, STATE,
      TOOBIG, TOOMANY, UPSTREAM, WRONGKEY.
    Reply: For each task `created`, or `existing` if the id was submitted before; with a unique name `existing` or
      `replaced`, and the id of the other task; with `again` the word `created`, `again`, `changed`, `existing` or
      `later`, and the number of the round.
    """
    return call(
        "submit",
        [queue, len(each), *(value for one in each for value in one)],
        [
            ("title", title),
            ("submitter", submitter),
            ("method", method),
            ("command", command),
            ("priority", priority),
            ("max_failures", max_failures),
            ("backoff", backoff),
            ("delay", delay),
            ("max_delay", max_delay),
            ("jitter", jitter),
            ("max_losses", max_losses),
            ("lost_delay", lost_delay),
            ("max_releases", max_releases),
            ("lease", lease),
            ("key", key),
            ("weight", weight),
            ("needs", needs),
            ("limits", limits),
            ("unique_until", unique_until),
            ("unique_policy", unique_policy),
            ("tags", tags),
            ("deadline", deadline),
            ("max_bytes", max_bytes),
            ("max_run", max_run),
            ("warn", warn),
            ("no_progress", no_progress),
            ("grace", grace),
            ("nice", nice),
            ("notify", notify),
            ("log_bytes", log_bytes),
            ("trace", trace),
            ("steps", steps),
            ("inputs", inputs),
            ("once_more", once_more),
            ("hold", hold),
            ("by", by),
            ("request", request),
        ],
        _submit,
        True,
    )


@dataclass(frozen=True)
class SubmitAgainReply:
    """What `submit` with `again` answers."""

    outcome: Literal["created", "again", "changed", "existing", "later"]
    """Outcome: `created` for a new task, `again` for a rerun, `changed` if a waiting task was updated, `existing` if
    the task already has these values, `later` if the rerun begins after the current run.
    """

    round: int | None
    """Number of the run, from 1; absent with `again 0`."""


_submit_again: Shape[SubmitAgainReply] = read_list(
    SubmitAgainReply,
    (
        Field("outcome", words=("created", "again", "changed", "existing", "later",)),
        Field("round", type=_NUMBER, absent=True),
    ),

)


class SubmitAgainOptions(TypedDict, total=False):
    """The options of `submit`."""

    title: Bytes | None
    """A line for people that says what the task does. Lists show it instead of the parameters."""

    submitter: str | None
    """The author of the submit, such as `USER@HOST`: lists and reports select tasks by it."""

    method: str | None
    """The method, which selects the program that a worker runs if its queue has several."""

    command: str | None
    """The command line that the task runs instead of a program of the worker: JSON such as `{"argv":["sleep","5"]}`, as
    `blueque add` writes it. Only workers with `--allow-commands` run it, so the task also needs `commands`.
    """

    priority: int | None
    """Priority from -1000 to 1000. A higher priority goes first."""

    max_failures: int | None
    """Maximum retries after failures."""

    backoff: contract.Backoff | None
    """Growth of the delay from each retry to the next."""

    delay: Seconds | None
    """Delay before the first retry."""

    max_delay: Seconds | None
    """Longest delay before a retry."""

    jitter: int | None
    """Maximum part by which a delay is shortened, in percent."""

    max_losses: int | None
    """Maximum lost attempts before the task fails; 1000000000 for no limit."""

    lost_delay: Seconds | None
    """Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once."""

    max_releases: int | None
    """Maximum releases before the task fails."""

    lease: Seconds | None
    """Lease of each attempt, instead of the worker's lease."""

    key: str | None
    """The owner of the task, such as a tenant: keys take turns and have limits."""

    weight: int | None
    """Number of places that the task takes in each of its limits."""

    needs: Names | None
    """Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes) and
    `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    """

    limits: str | None
    """Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all these
    limits at the same time.
    """

    unique: str | None
    """A name that only one task of the queue has at a time."""

    unique_until: str | Seconds | None
    """The point until which the task holds its unique name."""

    unique_policy: contract.UniquePolicy | None
    """Policy if another task holds the unique name."""

    tags: Names | None
    """Names to find the task by, at most 16."""

    deadline: Time | None
    """The time by which the task must have ended. After this time an unfinished task fails."""

    max_bytes: int | None
    """Maximum size of the parameters."""

    max_run: Seconds | None
    """Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked for
    more time; a shorter limit of the worker applies instead.
    """

    warn: Seconds | None
    """Time before the end of `max_run` at which the program gets SIGUSR1 as a warning."""

    no_progress: Seconds | None
    """Maximum time without an event, a checkpoint or output of the program."""

    grace: Seconds | None
    """Time between SIGTERM and SIGKILL when the program is stopped."""

    nice: int | None
    """Niceness of the program, in addition to the worker's."""

    notify: str | None
    """The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that workers
    have in their configuration. Without events a target is notified of every end; `none`: no target, even if the queue
    has the setting `notify`.
    """

    log_bytes: int | None
    """Maximum size of the task's log on the server; 0 for none."""

    trace: str | None
    """The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
    continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    """

    steps: Names | None
    """The queues that the task goes through after the first queue. The task enters each queue when it has completed its
    step in the previous queue.
    """

    inputs: str | None
    """The inputs that the tasks wait for, such as `success=ID`."""

    once_more: bool | None
    """With `again`: if the task is running, run it again after the current run, unless it is cancelled."""

    hold: bool | None
    """Hold the new tasks: they do not start until `unhold`."""

    by: str | None
    """The author of the call, for `audit`; `blueque` sends `USER@HOST`."""

    request: str | None
    """A random id, the same for all repetitions of this call: a repeated call returns the first reply."""


def submit_again(
    queue: str,
    each: Sequence[SubmitEach],
    *,
    again: bool,
    title: Bytes | None = None,
    submitter: str | None = None,
    method: str | None = None,
    command: str | None = None,
    priority: int | None = None,
    max_failures: int | None = None,
    backoff: contract.Backoff | None = None,
    delay: Seconds | None = None,
    max_delay: Seconds | None = None,
    jitter: int | None = None,
    max_losses: int | None = None,
    lost_delay: Seconds | None = None,
    max_releases: int | None = None,
    lease: Seconds | None = None,
    key: str | None = None,
    weight: int | None = None,
    needs: Names | None = None,
    limits: str | None = None,
    unique: str | None = None,
    unique_until: str | Seconds | None = None,
    unique_policy: contract.UniquePolicy | None = None,
    tags: Names | None = None,
    deadline: Time | None = None,
    max_bytes: int | None = None,
    max_run: Seconds | None = None,
    warn: Seconds | None = None,
    no_progress: Seconds | None = None,
    grace: Seconds | None = None,
    nice: int | None = None,
    notify: str | None = None,
    log_bytes: int | None = None,
    trace: str | None = None,
    steps: Names | None = None,
    inputs: str | None = None,
    once_more: bool | None = None,
    hold: bool | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[SubmitAgainReply]:
    """Adds tasks to a queue. A new task is pending, scheduled if its eta is in the future, or waiting if it waits for
    other tasks. With `again`, a finished task begins a new round, and a waiting task is changed. With `once_more` as
    well, a task that an attempt holds begins a new round when the current round has ended.

    queue: The queue.
    each: The entries.
    again: Submit an existing task again: a finished task runs again, a waiting task is updated. By default 0.
    title: A line for people that says what the task does. Lists show it instead of the parameters.
    submitter: The author of the submit, such as `USER@HOST`: lists and reports select tasks by it.
    method: The method, which selects the program that a worker runs if its queue has several.
    command: The command line that the task runs instead of a program of the worker: JSON such as
      `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the task
      also needs `commands`.
    priority: Priority from -1000 to 1000. A higher priority goes first. By default 0.
    max_failures: Maximum retries after failures. By default the setting `max_failures`.
    backoff: Growth of the delay from each retry to the next. By default the setting `backoff`.
    delay: Delay before the first retry. By default the setting `delay`.
    max_delay: Longest delay before a retry. By default the setting `max_delay`.
    jitter: Maximum part by which a delay is shortened, in percent. By default the setting `jitter`.
    max_losses: Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting
      `max_losses`.
    lost_delay: Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once.
      By default the setting `lost_delay`.
    max_releases: Maximum releases before the task fails. By default the setting `max_releases`.
    lease: Lease of each attempt, instead of the worker's lease. By default the setting `lease`.
    key: The owner of the task, such as a tenant: keys take turns and have limits.
    weight: Number of places that the task takes in each of its limits. By default 1.
    needs: Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
      and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    limits: Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
      these limits at the same time.
    unique: A name that only one task of the queue has at a time.
    unique_until: The point until which the task holds its unique name. By default end.
    unique_policy: Policy if another task holds the unique name. By default reject.
    tags: Names to find the task by, at most 16.
    deadline: The time by which the task must have ended. After this time an unfinished task fails.
    max_bytes: Maximum size of the parameters. By default the setting `max_bytes`.
    max_run: Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
      for more time; a shorter limit of the worker applies instead.
    warn: Time before the end of `max_run` at which the program gets SIGUSR1 as a warning.
    no_progress: Maximum time without an event, a checkpoint or output of the program.
    grace: Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`.
    nice: Niceness of the program, in addition to the worker's.
    notify: The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
      workers have in their configuration. Without events a target is notified of every end; `none`: no target, even if
      the queue has the setting `notify`.
    log_bytes: Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`.
    trace: The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
      continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    steps: The queues that the task goes through after the first queue. The task enters each queue when it has completed
      its step in the previous queue.
    inputs: The inputs that the tasks wait for, such as `success=ID`.
    once_more: With `again`: if the task is running, run it again after the current run, unless it is cancelled. By
      default 0.
    hold: Hold the new tasks: they do not start until `unhold`. By default 0.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOLIMIT, NOPERM, NOTASK, OTHERQUEUE, OVERDUE, RETRY, SCHEMA, STATE,
      TOOBIG, TOOMANY, UPSTREAM, WRONGKEY.
    Reply: For each task `created`, or `existing` if the id was submitted before; with a unique name `existing` or
      `replaced`, and the id of the other task; with `again` the word `created`, `again`, `changed`, `existing` or
      `later`, and the number of the round.
    """
    return call(
        "submit",
        [queue, len(each), *(value for one in each for value in one)],
        [
            ("again", again),
            ("title", title),
            ("submitter", submitter),
            ("method", method),
            ("command", command),
            ("priority", priority),
            ("max_failures", max_failures),
            ("backoff", backoff),
            ("delay", delay),
            ("max_delay", max_delay),
            ("jitter", jitter),
            ("max_losses", max_losses),
            ("lost_delay", lost_delay),
            ("max_releases", max_releases),
            ("lease", lease),
            ("key", key),
            ("weight", weight),
            ("needs", needs),
            ("limits", limits),
            ("unique", unique),
            ("unique_until", unique_until),
            ("unique_policy", unique_policy),
            ("tags", tags),
            ("deadline", deadline),
            ("max_bytes", max_bytes),
            ("max_run", max_run),
            ("warn", warn),
            ("no_progress", no_progress),
            ("grace", grace),
            ("nice", nice),
            ("notify", notify),
            ("log_bytes", log_bytes),
            ("trace", trace),
            ("steps", steps),
            ("inputs", inputs),
            ("once_more", once_more),
            ("hold", hold),
            ("by", by),
            ("request", request),
        ],
        _submit_again,
        True,
    )


@dataclass(frozen=True)
class SubmitUniqueReply:
    """What `submit` with `unique` answers."""

    outcome: Literal["created", "existing", "replaced"]
    """`created` if this call created the task; `existing` if another task has the unique name; `replaced` if another
    task had the name until this call.
    """

    id: str | None
    """The task that has or had the unique name."""


_submit_unique: Shape[SubmitUniqueReply] = read_list(
    SubmitUniqueReply,
    (
        Field("outcome", words=("created", "existing", "replaced",)),
        Field("id", type=_NAME, absent=True),
    ),

)


class SubmitUniqueOptions(TypedDict, total=False):
    """The options of `submit`."""

    title: Bytes | None
    """A line for people that says what the task does. Lists show it instead of the parameters."""

    submitter: str | None
    """The author of the submit, such as `USER@HOST`: lists and reports select tasks by it."""

    method: str | None
    """The method, which selects the program that a worker runs if its queue has several."""

    command: str | None
    """The command line that the task runs instead of a program of the worker: JSON such as `{"argv":["sleep","5"]}`, as
    `blueque add` writes it. Only workers with `--allow-commands` run it, so the task also needs `commands`.
    """

    priority: int | None
    """Priority from -1000 to 1000. A higher priority goes first."""

    max_failures: int | None
    """Maximum retries after failures."""

    backoff: contract.Backoff | None
    """Growth of the delay from each retry to the next."""

    delay: Seconds | None
    """Delay before the first retry."""

    max_delay: Seconds | None
    """Longest delay before a retry."""

    jitter: int | None
    """Maximum part by which a delay is shortened, in percent."""

    max_losses: int | None
    """Maximum lost attempts before the task fails; 1000000000 for no limit."""

    lost_delay: Seconds | None
    """Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once."""

    max_releases: int | None
    """Maximum releases before the task fails."""

    lease: Seconds | None
    """Lease of each attempt, instead of the worker's lease."""

    key: str | None
    """The owner of the task, such as a tenant: keys take turns and have limits."""

    weight: int | None
    """Number of places that the task takes in each of its limits."""

    needs: Names | None
    """Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes) and
    `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    """

    limits: str | None
    """Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all these
    limits at the same time.
    """

    unique_until: str | Seconds | None
    """The point until which the task holds its unique name."""

    unique_policy: contract.UniquePolicy | None
    """Policy if another task holds the unique name."""

    tags: Names | None
    """Names to find the task by, at most 16."""

    deadline: Time | None
    """The time by which the task must have ended. After this time an unfinished task fails."""

    max_bytes: int | None
    """Maximum size of the parameters."""

    max_run: Seconds | None
    """Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked for
    more time; a shorter limit of the worker applies instead.
    """

    warn: Seconds | None
    """Time before the end of `max_run` at which the program gets SIGUSR1 as a warning."""

    no_progress: Seconds | None
    """Maximum time without an event, a checkpoint or output of the program."""

    grace: Seconds | None
    """Time between SIGTERM and SIGKILL when the program is stopped."""

    nice: int | None
    """Niceness of the program, in addition to the worker's."""

    notify: str | None
    """The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that workers
    have in their configuration. Without events a target is notified of every end; `none`: no target, even if the queue
    has the setting `notify`.
    """

    log_bytes: int | None
    """Maximum size of the task's log on the server; 0 for none."""

    trace: str | None
    """The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
    continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    """

    steps: Names | None
    """The queues that the task goes through after the first queue. The task enters each queue when it has completed its
    step in the previous queue.
    """

    inputs: str | None
    """The inputs that the tasks wait for, such as `success=ID`."""

    once_more: bool | None
    """With `again`: if the task is running, run it again after the current run, unless it is cancelled."""

    hold: bool | None
    """Hold the new tasks: they do not start until `unhold`."""

    by: str | None
    """The author of the call, for `audit`; `blueque` sends `USER@HOST`."""

    request: str | None
    """A random id, the same for all repetitions of this call: a repeated call returns the first reply."""


def submit_unique(
    queue: str,
    each: Sequence[SubmitEach],
    *,
    unique: str,
    title: Bytes | None = None,
    submitter: str | None = None,
    method: str | None = None,
    command: str | None = None,
    priority: int | None = None,
    max_failures: int | None = None,
    backoff: contract.Backoff | None = None,
    delay: Seconds | None = None,
    max_delay: Seconds | None = None,
    jitter: int | None = None,
    max_losses: int | None = None,
    lost_delay: Seconds | None = None,
    max_releases: int | None = None,
    lease: Seconds | None = None,
    key: str | None = None,
    weight: int | None = None,
    needs: Names | None = None,
    limits: str | None = None,
    unique_until: str | Seconds | None = None,
    unique_policy: contract.UniquePolicy | None = None,
    tags: Names | None = None,
    deadline: Time | None = None,
    max_bytes: int | None = None,
    max_run: Seconds | None = None,
    warn: Seconds | None = None,
    no_progress: Seconds | None = None,
    grace: Seconds | None = None,
    nice: int | None = None,
    notify: str | None = None,
    log_bytes: int | None = None,
    trace: str | None = None,
    steps: Names | None = None,
    inputs: str | None = None,
    once_more: bool | None = None,
    hold: bool | None = None,
    by: str | None = None,
    request: str | None = None,
) -> Call[SubmitUniqueReply]:
    """Adds tasks to a queue. A new task is pending, scheduled if its eta is in the future, or waiting if it waits for
    other tasks. With `again`, a finished task begins a new round, and a waiting task is changed. With `once_more` as
    well, a task that an attempt holds begins a new round when the current round has ended.

    queue: The queue.
    each: The entries.
    unique: A name that only one task of the queue has at a time.
    title: A line for people that says what the task does. Lists show it instead of the parameters.
    submitter: The author of the submit, such as `USER@HOST`: lists and reports select tasks by it.
    method: The method, which selects the program that a worker runs if its queue has several.
    command: The command line that the task runs instead of a program of the worker: JSON such as
      `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the task
      also needs `commands`.
    priority: Priority from -1000 to 1000. A higher priority goes first. By default 0.
    max_failures: Maximum retries after failures. By default the setting `max_failures`.
    backoff: Growth of the delay from each retry to the next. By default the setting `backoff`.
    delay: Delay before the first retry. By default the setting `delay`.
    max_delay: Longest delay before a retry. By default the setting `max_delay`.
    jitter: Maximum part by which a delay is shortened, in percent. By default the setting `jitter`.
    max_losses: Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting
      `max_losses`.
    lost_delay: Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once.
      By default the setting `lost_delay`.
    max_releases: Maximum releases before the task fails. By default the setting `max_releases`.
    lease: Lease of each attempt, instead of the worker's lease. By default the setting `lease`.
    key: The owner of the task, such as a tenant: keys take turns and have limits.
    weight: Number of places that the task takes in each of its limits. By default 1.
    needs: Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
      and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
    limits: Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
      these limits at the same time.
    unique_until: The point until which the task holds its unique name. By default end.
    unique_policy: Policy if another task holds the unique name. By default reject.
    tags: Names to find the task by, at most 16.
    deadline: The time by which the task must have ended. After this time an unfinished task fails.
    max_bytes: Maximum size of the parameters. By default the setting `max_bytes`.
    max_run: Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
      for more time; a shorter limit of the worker applies instead.
    warn: Time before the end of `max_run` at which the program gets SIGUSR1 as a warning.
    no_progress: Maximum time without an event, a checkpoint or output of the program.
    grace: Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`.
    nice: Niceness of the program, in addition to the worker's.
    notify: The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
      workers have in their configuration. Without events a target is notified of every end; `none`: no target, even if
      the queue has the setting `notify`.
    log_bytes: Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`.
    trace: The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
      continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
    steps: The queues that the task goes through after the first queue. The task enters each queue when it has completed
      its step in the previous queue.
    inputs: The inputs that the tasks wait for, such as `success=ID`.
    once_more: With `again`: if the task is running, run it again after the current run, unless it is cancelled. By
      default 0.
    hold: Hold the new tasks: they do not start until `unhold`. By default 0.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOLIMIT, NOPERM, NOTASK, OTHERQUEUE, OVERDUE, RETRY, SCHEMA, STATE,
      TOOBIG, TOOMANY, UPSTREAM, WRONGKEY.
    Reply: For each task `created`, or `existing` if the id was submitted before; with a unique name `existing` or
      `replaced`, and the id of the other task; with `again` the word `created`, `again`, `changed`, `existing` or
      `later`, and the number of the round.
    """
    return call(
        "submit",
        [queue, len(each), *(value for one in each for value in one)],
        [
            ("unique", unique),
            ("title", title),
            ("submitter", submitter),
            ("method", method),
            ("command", command),
            ("priority", priority),
            ("max_failures", max_failures),
            ("backoff", backoff),
            ("delay", delay),
            ("max_delay", max_delay),
            ("jitter", jitter),
            ("max_losses", max_losses),
            ("lost_delay", lost_delay),
            ("max_releases", max_releases),
            ("lease", lease),
            ("key", key),
            ("weight", weight),
            ("needs", needs),
            ("limits", limits),
            ("unique_until", unique_until),
            ("unique_policy", unique_policy),
            ("tags", tags),
            ("deadline", deadline),
            ("max_bytes", max_bytes),
            ("max_run", max_run),
            ("warn", warn),
            ("no_progress", no_progress),
            ("grace", grace),
            ("nice", nice),
            ("notify", notify),
            ("log_bytes", log_bytes),
            ("trace", trace),
            ("steps", steps),
            ("inputs", inputs),
            ("once_more", once_more),
            ("hold", hold),
            ("by", by),
            ("request", request),
        ],
        _submit_unique,
        True,
    )


class SubmitGraphEach(NamedTuple):
    """One entry of a call of `submit_graph`."""

    id: str
    """The task."""

    queue: str
    """The queue."""

    eta: Time | None
    """The time at which the task is due; empty: at once."""

    parameters: Bytes
    """The parameters of the program that runs the task."""

    inputs: str
    """The tasks and values that the task waits for; empty: none."""

    options: str
    """`NAME=VALUE`, separated by spaces: the options of the task and its `label`; spaces, control bytes and `%` in a
    value are `%XX`.
    """


_submit_graph: Shape[Literal["staged", "created", "existing"]] = read_value(Field("reply", words=("staged", "created", "existing",)))


class SubmitGraphOptions(TypedDict, total=False):
    """The options of `submit_graph`."""

    name: Bytes | None
    """The name of the graph, for people."""

    on_failure: contract.OnFailure | None
    """Policy for the other tasks when a task fails."""

    tags: Names | None
    """Tags of the graph. The tasks of the graph have their own tags."""

    bounds: str | None
    """Maximum number of running tasks for each of these keys. Each maximum is set as the `limit` of its key while the
    graph exists.
    """

    deadline: Time | None
    """The deadline of all tasks that have no earlier deadline."""

    notify: str | None
    """The targets that are notified when all tasks of the graph have ended. The tasks have their own targets."""

    trace: str | None
    """The trace of all tasks that have no `trace` of their own."""

    submitter: str | None
    """The submitter of all tasks that name none."""

    digest: str | None
    """A digest of the whole document, the same in all its calls. A graph is refused if its id was submitted with
    another digest; without a digest nothing is compared.
    """

    request: str | None
    """A random id, the same for all repetitions of this call: a repeated call returns the first reply."""


def submit_graph(
    graph: str,
    total: int,
    each: Sequence[SubmitGraphEach],
    *,
    name: Bytes | None = None,
    on_failure: contract.OnFailure | None = None,
    tags: Names | None = None,
    bounds: str | None = None,
    deadline: Time | None = None,
    notify: str | None = None,
    trace: str | None = None,
    submitter: str | None = None,
    digest: str | None = None,
    request: str | None = None,
) -> Call[Literal["staged", "created", "existing"]]:
    """Submits the tasks of a graph, which wait for one another, up to 500 in a call. The call that submits the last
    task creates the graph; until then no other command finds the tasks. A task must come after all tasks that it waits
    for.

    graph: An id for the graph, the same in all its calls.
    total: Number of tasks of the whole graph.
    each: The entries.
    name: The name of the graph, for people.
    on_failure: Policy for the other tasks when a task fails. By default cancel.
    tags: Tags of the graph. The tasks of the graph have their own tags.
    bounds: Maximum number of running tasks for each of these keys. Each maximum is set as the `limit` of its key while
      the graph exists.
    deadline: The deadline of all tasks that have no earlier deadline.
    notify: The targets that are notified when all tasks of the graph have ended. The tasks have their own targets.
    trace: The trace of all tasks that have no `trace` of their own.
    submitter: The submitter of all tasks that name none.
    digest: A digest of the whole document, the same in all its calls. A graph is refused if its id was submitted with
      another digest; without a digest nothing is compared.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOLIMIT, NOPERM, NOTASK, OTHERQUEUE, OVERDUE, RETRY, SCHEMA, TOOBIG,
      TOOMANY, UPSTREAM, WRONGKEY.
    Reply: `staged` while tasks are missing, `created`, or `existing` if this graph was created before.
    """
    return call(
        "submit_graph",
        [graph, total, len(each), *(value for one in each for value in one)],
        [
            ("name", name),
            ("on_failure", on_failure),
            ("tags", tags),
            ("bounds", bounds),
            ("deadline", deadline),
            ("notify", notify),
            ("trace", trace),
            ("submitter", submitter),
            ("digest", digest),
            ("request", request),
        ],
        _submit_graph,
        True,
    )


_supply_times: Shape[Literal["told", "stale"]] = read_value(Field("reply", words=("told", "stale",)))


def supply_times(
    name: str,
    recurrence: str,
    after: int,
    slots: Sequence[int],
) -> Call[Literal["told", "stale"]]:
    """Supplies the next slots of a cron schedule: the slots after a time that `tick` returned, or after the last slot
    of an earlier call. A count of 0 means that there are no further slots.

    name: The schedule.
    recurrence: The recurrence of the slots.
    after: The time after which the slots begin, as returned by `tick`.
    slots: The time at which a slot is due.
    Errors: BADARG, BADNAME, NOPERM, NOSCHEDULE, RETRY, SCHEMA, WRONGKEY.
    Reply: `told`, or `stale` if the schedule has changed since.
    """
    return call(
        "supply_times",
        [name, recurrence, after, len(slots), *slots],
        [
        ],
        _supply_times,
        False,
    )


_suspend: Shape[Literal["suspending", "suspended"]] = read_value(Field("reply", words=("suspending", "suspended",)))


def suspend(
    id: str,
    *,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["suspending", "suspended"]]:
    """Asks the owner of a task to suspend its program: the owner's heartbeats return `attend`. The lease lives on, and
    the task keeps its places.

    id: The task.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOMANY, WRONGKEY.
    Reply: `suspending`; `suspended` if the program is suspended already.
    """
    return call(
        "suspend",
        [id],
        [
            ("by", by),
            ("request", request),
        ],
        _suspend,
        True,
    )


_tag: Shape[list[str]] = read_items(
    None,
    (
        Field("tag", type=_NAME),
    ),
)


def tag(
    id: str,
    tags: Sequence[str],
) -> Call[list[str]]:
    """Adds tags to a task, in any state.

    id: The task.
    tags: A tag.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, TOOMANY, WRONGKEY.
    Reply: All tags of the task.
    """
    return call(
        "tag",
        [id, len(tags), *tags],
        [
        ],
        _tag,
        False,
    )


@dataclass(frozen=True)
class TagsItem:
    """One of what `tags` answers."""

    tag: str
    """The tag."""

    tasks: int
    """Number of tasks with the tag."""


@dataclass(frozen=True)
class TagsReply:
    """What `tags` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[TagsItem]
    """The entries."""


_tags: Shape[TagsReply] = read_list(
    TagsReply,
    (
        Field("cursor", type=_PLACE),
    ),
    read_items(
    TagsItem,
    (
        Field("tag", type=_NAME),
        Field("tasks", type=_NUMBER),
    ),
),
)


def tags(
    queue: str,
    cursor: str,
    limit: int,
) -> Call[TagsReply]:
    """Lists the tags of a queue's tasks, most used first.

    queue: The queue.
    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end), then for each tag: its name and its number of tasks.
    """
    return call(
        "tags",
        [queue, cursor, limit],
        [
        ],
        _tags,
        False,
    )


@dataclass(frozen=True)
class TakeNoticesItem:
    """One of what `take_notices` answers."""

    of: contract.NoticeOf
    """The kind of object that the notice is about."""

    subject: str
    """The id of the task or the graph."""

    number: int
    """The number of the notice among the notices of the task or graph, counted from 1."""

    token: int
    """The token for `answer_notice`."""

    target: str
    """The target."""

    event: contract.NoticeEvent
    """The event."""

    at: float
    """Time of the event."""

    attempt: int
    """Number of attempts at that time; 0 for a graph."""

    from_: contract.Reached | None
    """The state before the event."""

    why: str
    """The cause of the event: the command, the reason of a release, or `lost`; `end` for a graph; the event itself if
    it was due at a time.
    """

    by: str | None
    """The listener that made the transition, or the author of the call."""

    text: bytes
    """The beginning of the error, or the reason of a cancel; for a graph its numbers of tasks; the asked time of an
    event that was due at a time. At most 1 KiB.
    """

    tries: int
    """Number of earlier tries to deliver the notice."""

    queue: str | None
    """The queue of the task; empty if the task was deleted."""

    title: str | None
    """The title of the task, or the name of the graph."""

    method: str | None
    """The method of the task."""


_take_notices: Shape[list[TakeNoticesItem]] = read_items(
    TakeNoticesItem,
    (
        Field("of", type=_NOTICE_OF),
        Field("subject", type=_NAME),
        Field("number", type=_NUMBER),
        Field("token", type=_NUMBER),
        Field("target", type=_NAME),
        Field("event", type=_NOTICE_EVENT),
        Field("at", type=_TIME),
        Field("attempt", type=_NUMBER),
        Field("from", type=_REACHED, empty=True),
        Field("why", type=_NAME),
        Field("by", type=_NAME, empty=True),
        Field("text", type=_STORED),
        Field("tries", type=_NUMBER),
        Field("queue", type=_NAME, empty=True),
        Field("title", type=_TEXT, empty=True),
        Field("method", type=_NAME, empty=True),
    ),
)


def take_notices(
    limit: int,
    targets: Sequence[str],
) -> Call[list[TakeNoticesItem]]:
    """Takes due notices of targets, for their delivery: of each task and graph the first notice that is not delivered.
    A notice that is not answered within 60 seconds is given to the next caller.

    limit: Maximum number of notices of each target.
    targets: The name of a target that the caller can reach.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: For each notice `task` or `graph`, its id, the number of the notice, the token for `answer_notice`, the
      target, the event, its time, the number of attempts of the task, the state before, the cause, its author, the
      text, the number of earlier tries, and from the record its queue, its title or name, and its method.
    """
    return call(
        "take_notices",
        [limit, len(targets), *targets],
        [
        ],
        _take_notices,
        False,
    )


@dataclass(frozen=True)
class TargetsItem:
    """One of what `targets` answers."""

    target: str
    """The target."""

    open: int
    """Number of tasks and graphs with open notices."""

    due: float | None
    """Time at which the next open notice is due, or its delivery must be answered."""

    given_up: int
    """Number of tasks and graphs with notices that were given up."""


_targets: Shape[list[TargetsItem]] = read_items(
    TargetsItem,
    (
        Field("target", type=_NAME),
        Field("open", type=_NUMBER),
        Field("due", type=_TIME, empty=True),
        Field("given_up", type=_NUMBER),
    ),
)


def targets(
) -> Call[list[TargetsItem]]:
    """Lists the targets with notices that are not delivered, by name.

    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: For each target its name, the number of tasks and graphs with open notices, when the next of these notices is
      due, and the number of tasks and graphs with notices that were given up.
    """
    return call(
        "targets",
        [],
        [
        ],
        _targets,
        False,
    )


@dataclass(frozen=True)
class TickItem:
    """One of what `tick` answers."""

    name: str
    """A cron schedule that needs more slots."""

    recurrence: str
    """The recurrence of the schedule."""

    after: int
    """The time after which the schedule needs slots."""


@dataclass(frozen=True)
class TickReply:
    """What `tick` answers."""

    made: int
    """Number of tasks created."""

    more: bool
    """More slots are due."""

    next: int | None
    """Time at which the next slot is due."""

    items: list[TickItem]
    """The entries."""


_tick: Shape[TickReply] = read_list(
    TickReply,
    (
        Field("made", type=_NUMBER),
        Field("more", type=_FLAG),
        Field("next", type=_SLOT, empty=True),
    ),
    read_items(
    TickItem,
    (
        Field("name", type=_SCHEDULE_NAME),
        Field("recurrence", type=_RECURRENCE),
        Field("after", type=_SLOT),
    ),
),
)


def tick(
    limit: int,
) -> Call[TickReply]:
    """Creates the tasks of due slots. An error of one schedule is recorded in this schedule and does not affect other
    schedules.

    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Number of tasks created, 1 if more slots are due, and when the next slot is due, in seconds, or an empty
      string; then for each cron schedule that needs more slots: its name, its recurrence, and the time after which it
      needs them.
    """
    return call(
        "tick",
        [limit],
        [
        ],
        _tick,
        False,
    )


@dataclass(frozen=True)
class TopologyReply:
    """What `topology` answers."""

    version: int
    """The version; 0: none is stored."""

    partition: str | None
    """The partition of this namespace; empty: none."""

    items: list[str]
    """The name of a partition."""


_topology: Shape[TopologyReply] = read_list(
    TopologyReply,
    (
        Field("version", type=_TOPOLOGY_VERSION_OR_NONE),
        Field("partition", type=_PARTITION, empty=True),
    ),
    read_items(
    None,
    (
        Field("member", type=_PARTITION),
    ),
),
)


def topology(
) -> Call[TopologyReply]:
    """Returns the stored topology: the partition that this namespace is, and the names of all partitions.

    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Version of the topology (0 if none is stored); the name of this partition (empty if none is stored); then the
      names of all partitions.
    """
    return call(
        "topology",
        [],
        [
        ],
        _topology,
        False,
    )


_track: Shape[Literal["tracked"]] = read_value(Field("reply", words=("tracked",)))


def track(
    id: str,
    *,
    by: str | None = None,
) -> Call[Literal["tracked"]]:
    """Tracks a task: until `untrack`, or until the task is deleted, `changes` returns each of its changes, in every
    queue.

    id: The task.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, TOOMANY, WRONGKEY.
    Reply: `tracked`.
    """
    return call(
        "track",
        [id],
        [
            ("by", by),
        ],
        _track,
        False,
    )


@dataclass(frozen=True)
class TrackedItem:
    """One of what `tracked` answers."""

    id: str
    """The task."""

    queue: str
    """The queue of the task."""

    status: contract.Status
    """The state of the task."""

    since: float
    """Time since which the task is tracked."""


@dataclass(frozen=True)
class TrackedReply:
    """What `tracked` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[TrackedItem]
    """The entries."""


_tracked: Shape[TrackedReply] = read_list(
    TrackedReply,
    (
        Field("cursor", type=_PLACE),
    ),
    read_items(
    TrackedItem,
    (
        Field("id", type=_NAME),
        Field("queue", type=_NAME),
        Field("status", type=_STATUS),
        Field("since", type=_TIME),
    ),
),
)


def tracked(
    cursor: str,
    limit: int,
) -> Call[TrackedReply]:
    """Lists the tracked tasks of the namespace, newest first.

    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end), then for each task: its id, its queue, its state and when tracking began.
    """
    return call(
        "tracked",
        [cursor, limit],
        [
        ],
        _tracked,
        False,
    )


@dataclass(frozen=True)
class UndeliveredItem:
    """One of what `undelivered` answers."""

    of: contract.NoticeOf
    """The kind of object that the notice is about."""

    subject: str
    """The id of the task or the graph."""

    number: int
    """The number of the notice among the notices of the task or graph, counted from 1."""

    event: contract.NoticeEvent
    """The event."""

    at: float
    """Time of the event."""

    attempt: int
    """Number of attempts at that time; 0 for a graph."""

    stage: Literal["open", "given_up"]
    """`open`: not delivered yet; `given_up`: not delivered within three days."""

    tries: int
    """Number of tries to deliver the notice."""

    answered: float | None
    """Time of the last answer."""

    answer: bytes | None
    """The last answer of the target, or the last error; at most 1 KiB."""

    due: float | None
    """Time of the next try, or until which the present try must be answered; empty if the notice waits for an earlier
    one or was given up.
    """


@dataclass(frozen=True)
class UndeliveredReply:
    """What `undelivered` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[UndeliveredItem]
    """The entries."""


_undelivered: Shape[UndeliveredReply] = read_list(
    UndeliveredReply,
    (
        Field("cursor", type=_CURSOR),
    ),
    read_items(
    UndeliveredItem,
    (
        Field("of", type=_NOTICE_OF),
        Field("subject", type=_NAME),
        Field("number", type=_NUMBER),
        Field("event", type=_NOTICE_EVENT),
        Field("at", type=_TIME),
        Field("attempt", type=_NUMBER),
        Field("stage", words=("open", "given_up",)),
        Field("tries", type=_NUMBER),
        Field("answered", type=_TIME, empty=True),
        Field("answer", type=_STORED, empty=True),
        Field("due", type=_TIME, empty=True),
    ),
),
)


def undelivered(
    target: str,
    cursor: str,
    limit: int,
    *,
    given_up: bool | None = None,
) -> Call[UndeliveredReply]:
    """Lists the open notices of a target by the time at which they are due, or with `given_up` its given-up notices by
    the time at which they were given up. A page has all these notices of up to `limit` tasks and graphs.

    target: The target.
    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    given_up: List the notices that were given up, not the open ones. By default 0.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end), then for each notice: `task` or `graph`, its id, the number of the notice, the
      event, its time, the number of attempts of the task, its stage, the number of tries, the time and text of the last
      answer, and when it is due; empty if it waits for an earlier notice or was given up.
    """
    return call(
        "undelivered",
        [target, cursor, limit],
        [
            ("given_up", given_up),
        ],
        _undelivered,
        False,
    )


_undepend: Shape[Literal["waiting", "pending", "scheduled"]] = read_value(Field("reply", words=("waiting", "pending", "scheduled",)))


def undepend(
    id: str,
    upstream: str,
    *,
    request: str | None = None,
) -> Call[Literal["waiting", "pending", "scheduled"]]:
    """Removes an upstream task from a waiting task. A task without upstream tasks is ready to run. A result that the
    task expected from the removed upstream task is `null`.

    id: The task.
    upstream: An upstream of the task.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, UPSTREAM, WRONGKEY.
    Reply: `waiting`, or `pending` or `scheduled` if this was the last upstream task.
    """
    return call(
        "undepend",
        [id, upstream],
        [
            ("request", request),
        ],
        _undepend,
        True,
    )


_unhold: Shape[Literal["pending", "scheduled"]] = read_value(Field("reply", words=("pending", "scheduled",)))


def unhold(
    id: str,
    *,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["pending", "scheduled"]]:
    """Releases a held task: it is pending, behind the tasks that wait there, or scheduled if its eta is in the future.

    id: The task.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, WRONGKEY.
    Reply: `pending` or `scheduled`.
    """
    return call(
        "unhold",
        [id],
        [
            ("by", by),
            ("request", request),
        ],
        _unhold,
        True,
    )


_unregister: Shape[Literal["unregistered", "absent"]] = read_value(Field("reply", words=("unregistered", "absent",)))


def unregister(
    queue: str,
    listener: str,
) -> Call[Literal["unregistered", "absent"]]:
    """Removes a listener that holds no task from a queue.

    queue: The queue.
    listener: The listener.
    Errors: BADARG, BADNAME, HELD, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: `unregistered`, or `absent`.
    """
    return call(
        "unregister",
        [queue, listener],
        [
        ],
        _unregister,
        False,
    )


_unschedule: Shape[Literal["removed"]] = read_value(Field("reply", words=("removed",)))


def unschedule(
    name: str,
    *,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["removed"]]:
    """Removes a schedule. The tasks that it has created remain.

    name: The schedule.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOSCHEDULE, RETRY, SCHEMA, WRONGKEY.
    Reply: `removed`.
    """
    return call(
        "unschedule",
        [name],
        [
            ("by", by),
            ("request", request),
        ],
        _unschedule,
        True,
    )


_unsuspend: Shape[Literal["continuing", "continued"]] = read_value(Field("reply", words=("continuing", "continued",)))


def unsuspend(
    id: str,
    *,
    by: str | None = None,
    request: str | None = None,
) -> Call[Literal["continuing", "continued"]]:
    """Asks the owner of a suspended task to continue its program.

    id: The task.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    request: A random id, the same for all repetitions of this call: a repeated call returns the first reply.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOMANY, WRONGKEY.
    Reply: `continuing`; `continued` if the program is not suspended.
    """
    return call(
        "unsuspend",
        [id],
        [
            ("by", by),
            ("request", request),
        ],
        _unsuspend,
        True,
    )


_untag: Shape[list[str]] = read_items(
    None,
    (
        Field("tag", type=_NAME),
    ),
)


def untag(
    id: str,
    tags: Sequence[str],
) -> Call[list[str]]:
    """Removes tags from a task, in any state.

    id: The task.
    tags: A tag.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, WRONGKEY.
    Reply: The remaining tags of the task.
    """
    return call(
        "untag",
        [id, len(tags), *tags],
        [
        ],
        _untag,
        False,
    )


_untrack: Shape[Literal["untracked"]] = read_value(Field("reply", words=("untracked",)))


def untrack(
    id: str,
    *,
    by: str | None = None,
) -> Call[Literal["untracked"]]:
    """Stops tracking a task. Its earlier changes stay in the stream.

    id: The task.
    by: The author of the call, for `audit`; `blueque` sends `USER@HOST`.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, WRONGKEY.
    Reply: `untracked`.
    """
    return call(
        "untrack",
        [id],
        [
            ("by", by),
        ],
        _untrack,
        False,
    )


@dataclass(frozen=True)
class WhyReply:
    """What `why` answers."""

    status: contract.Status
    """The state."""

    queue: str
    """The queue."""

    eta: float | None
    """Time at which a scheduled task is due."""

    paused: str | None
    """Who paused the queue, when and why."""

    ahead: int | None
    """Number of tasks before a pending task, up to 10,000. Empty if the task is in no list, for example after a pop by
    a client without scripts.
    """

    listeners: int
    """Number of listeners that take tasks of the queue now, or as soon as they have a free slot."""

    node: str | None
    """The listener of the attempt."""

    deadline: int | None
    """End of the lease of the attempt."""

    cancel: float | None
    """Time of the cancel request that waits for the owner."""

    now: float
    """The time of the call."""

    priority: int
    """The priority."""

    key: str | None
    """The owner of the task, such as a tenant."""

    weight: int
    """Number of places that the task takes in each of its limits."""

    needs: str | None
    """Needs of the task: what a listener must offer to run the task."""

    failures: int
    """Number of attempts that failed."""

    losses: int
    """Number of attempts that were lost."""

    able: int | None
    """Number of listeners that satisfy a pending task's needs, among the first 1,000."""

    concurrency: int | None
    """Number of places of the queue."""

    used: int | None
    """Number of the queue's places in use."""

    rate_until: float | None
    """Time at which the rate of the queue allows a start."""

    key_concurrency: int | None
    """Number of places of the key."""

    key_used: int | None
    """Number of the key's places in use."""

    key_rate_until: float | None
    """Time at which the rate of the key allows a start."""

    lacking: str | None
    """Needs that no listener has."""

    releases: int
    """Number of attempts that were released."""

    uncounted: int
    """Number of attempts that were released uncounted."""

    order: Literal["attend", "cancel", "stop", "kill"] | None
    """The order for the owner."""

    full: int
    """Number of listeners without a free slot."""

    draining: int
    """Number of listeners that drain."""

    silent: int
    """Number of listeners that seem to be dead."""

    open: int | None
    """Number of open upstreams."""

    upstream: str | None
    """One of the open upstreams."""

    last: str | None
    """If that upstream also waits: the first task along the chain of upstreams that does not wait. The call follows at
    most 100 tasks; to continue, call again with the returned task.
    """

    slots: int | None
    """Number of slots of the task's input."""

    least: int | None
    """Number of upstreams of the task's set that must still become complete."""

    chances: int | None
    """Number of upstreams of the set that may still become complete."""

    end_by: float | None
    """The deadline of the task."""

    shared: str | None
    """The shared limits in which the task takes places."""

    limit: str | None
    """The first shared limit that keeps the task from running."""

    limit_weight: int | None
    """Number of places that the task takes in this limit."""

    limit_concurrency: int | None
    """Number of places of this limit."""

    limit_used: int | None
    """Number of the limit's places in use; empty: the limit does not exist."""

    limit_rate_until: float | None
    """Time at which the rate of this limit allows a start."""

    limit_turn: str | None
    """The queue that goes first at this limit."""


_why: Shape[WhyReply] = read_pairs(
    WhyReply,
    (
        Field("status", type=_STATUS),
        Field("queue", type=_NAME),
        Field("eta", type=_TIME, empty=True),
        Field("paused", type=_PAUSE, empty=True),
        Field("ahead", type=_NUMBER, empty=True),
        Field("listeners", type=_NUMBER),
        Field("node", type=_LISTENER, empty=True),
        Field("deadline", type=_DEADLINE, empty=True),
        Field("cancel", type=_TIME, empty=True),
        Field("now", type=_TIME),
        Field("priority", type=_PRIORITY),
        Field("key", type=_NAME, empty=True),
        Field("weight", type=_WEIGHT),
        Field("needs", type=_NEEDS, empty=True),
        Field("failures", type=_NUMBER),
        Field("losses", type=_NUMBER),
        Field("able", type=_NUMBER, empty=True, absent=True),
        Field("concurrency", type=_PLACES, empty=True, absent=True),
        Field("used", type=_NUMBER, absent=True),
        Field("rate_until", type=_TIME, empty=True, absent=True),
        Field("key_concurrency", type=_PLACES, empty=True, absent=True),
        Field("key_used", type=_NUMBER, absent=True),
        Field("key_rate_until", type=_TIME, empty=True, absent=True),
        Field("lacking", type=_NEEDS, empty=True, absent=True),
        Field("releases", type=_NUMBER),
        Field("uncounted", type=_NUMBER),
        Field("order", words=("attend", "cancel", "stop", "kill",), empty=True),
        Field("full", type=_NUMBER),
        Field("draining", type=_NUMBER),
        Field("silent", type=_NUMBER),
        Field("open", type=_NUMBER, absent=True),
        Field("upstream", type=_NAME, absent=True),
        Field("last", type=_NAME, absent=True),
        Field("slots", type=_NUMBER, absent=True),
        Field("least", type=_NUMBER, absent=True),
        Field("chances", type=_NUMBER, absent=True),
        Field("end_by", type=_TIME, absent=True),
        Field("shared", type=_LIMITS, absent=True),
        Field("limit", type=_NEED, absent=True),
        Field("limit_weight", type=_WEIGHT, absent=True),
        Field("limit_concurrency", type=_PLACES, empty=True, absent=True),
        Field("limit_used", type=_NUMBER, empty=True, absent=True),
        Field("limit_rate_until", type=_TIME, empty=True, absent=True),
        Field("limit_turn", type=_NAME, empty=True, absent=True),
    ),
)


def why(
    id: str,
) -> Call[WhyReply]:
    """Returns the facts that decide whether and when a task runs.

    id: The task.
    Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, WRONGKEY.
    Reply: Name and value in turn: status queue eta paused ahead listeners node deadline cancel now priority key weight
      needs able concurrency used rate_until key_concurrency key_used key_rate_until lacking failures losses releases
      uncounted order full draining silent open upstream last slots least chances end_by shared limit limit_weight
      limit_concurrency limit_used limit_rate_until limit_turn; values that do not apply are empty.
    """
    return call(
        "why",
        [id],
        [
        ],
        _why,
        False,
    )


@dataclass(frozen=True)
class WorkersItem:
    """One of what `workers` answers."""

    listener: str
    """The listener of the worker."""

    name: str | None
    """The name of the worker, for people."""

    version: str | None
    """The version of the worker's program."""

    queues: str
    """The queues of the worker, or the patterns by which it takes queues."""

    has: str | None
    """The capabilities that the worker offers."""

    slots: int
    """Number of tasks that the worker runs at the same time."""

    free: int
    """Number of free slots."""

    drained: str | None
    """The queues that the worker drains."""

    since: float
    """Time since which the worker reports."""

    seen: float
    """Time at which the listener was last seen."""

    life: Literal["alive", "dead"]
    """`alive` if the worker reported in the last 30 s, otherwise `dead`."""

    methods: str | None
    """The methods for which the worker has programs."""

    trouble: str | None
    """The reason why the worker takes fewer tasks than it could."""

    ending: Literal["ending"] | None
    """`ending` if the worker itself reports that it drains: it ends once its tasks have ended, and an order to drain
    can no longer be withdrawn.
    """

    failed: int | None
    """Number of attempts on the worker that failed in the last hour; empty if the worker does not report it."""


@dataclass(frozen=True)
class WorkersReply:
    """What `workers` answers."""

    cursor: str
    """Start of the next page; 0 at the end."""

    items: list[WorkersItem]
    """The entries."""


_workers: Shape[WorkersReply] = read_list(
    WorkersReply,
    (
        Field("cursor", type=_CURSOR),
    ),
    read_items(
    WorkersItem,
    (
        Field("listener", type=_LISTENER),
        Field("name", type=_NAME, empty=True),
        Field("version", type=_NAME, empty=True),
        Field("queues", type=_QUEUES),
        Field("has", type=_HAS, empty=True),
        Field("slots", type=_SLOTS),
        Field("free", type=_FREE_SLOTS),
        Field("drained", type=_QUEUES, empty=True),
        Field("since", type=_TIME),
        Field("seen", type=_TIME),
        Field("life", words=("alive", "dead",)),
        Field("methods", type=_METHODS, empty=True),
        Field("trouble", type=_TEXT, empty=True),
        Field("ending", words=("ending",), empty=True),
        Field("failed", type=_NUMBER, empty=True),
    ),
),
)


def workers(
    cursor: str,
    limit: int,
) -> Call[WorkersReply]:
    """Lists the workers of the namespace that report.

    cursor: Start of the page.
    limit: Maximum number of entries that the call reads or changes.
    Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
    Reply: Next cursor (0 at the end), then for each worker: its listener, name and version; its queues, or the patterns
      that select its queues, separated by commas; what it offers, separated by commas; its slots and free slots; the
      queues that it drains; when its reports began, and when it was last seen; `alive` or `dead`; the methods that it
      has programs for, separated by commas (`*`: any); its problems; `ending` if it drains and ends, else empty; and
      how many of its attempts failed in the last hour.
    """
    return call(
        "workers",
        [cursor, limit],
        [
        ],
        _workers,
        False,
    )
