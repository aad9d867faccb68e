"""The contract as data: types, states, errors, settings.

Made by generate.py from the bundle's manifest; do not edit."""

from __future__ import annotations

from typing import Literal, NamedTuple

VERSION = "0.1.0"
"""The version of the bundle."""

SCHEMA = 1
"""The schema of the data."""

Action = Literal["cancel", "retry", "delete", "purge", "move", "prioritise", "hold", "unhold", "suspend", "unsuspend", "signal", "requeue"]
"""The action of `bulk` for each task. cancel: As `cancel`. delete: As `delete`. hold: As `hold`. move: As `move`.
prioritise: As `prioritise`. purge: As `delete`, but also deletes waiting tasks. requeue: As `requeue`. retry: As
`retry`. signal: As `signal`. suspend: As `suspend`. unhold: As `unhold`. unsuspend: As `unsuspend`.
"""

Backoff = Literal["exponential", "fixed"]
"""Growth of the delay from each retry to the next. exponential: The delay doubles. fixed: The delay stays the same."""

Ending = Literal["complete", "fail", "final", "release", "uncounted"]
"""The kind of end of an attempt. complete: As `complete`, with a result. fail: As `fail`, with an error. final: As
`fail` with `final 1`. release: As `release`. uncounted: As `release` with `uncounted 1`.
"""

List = Literal["waiting", "scheduled", "pending", "held", "reserved", "started", "complete", "failed", "cancelled", "all"]
"""A state, or `all`. cancelled: Was cancelled. complete: Has a result. failed: Has an error, and no retries left. held:
Is held, and does not start until it is released. pending: Waits for a listener. reserved: A listener has taken the task
and has not started it yet. scheduled: Waits for its eta. started: Runs. waiting: Waits for other tasks.
"""

Missed = Literal["one", "skip", "all"]
"""Policy for slots that passed while no client was running. all: Each missed slot creates a task. one: The latest
missed slot creates one task for all missed slots. skip: The latest missed slot creates a task unless the slot is too
late.
"""

NoticeEvent = Literal["complete", "failed", "cancelled", "pending", "no-progress", "deadline"]
"""The event of a notice: the state in which a task has ended; for a graph `failed` if any task failed, else `cancelled`
if any was cancelled and not skipped, else `complete`. `pending`: it has been pending for the asked time; `no-progress`:
it has run for the asked time without progress; `deadline`: the asked time is left until its deadline.
"""

NoticeOf = Literal["task", "graph"]
"""The kind of object that a notice is about."""

NoticeOutcome = Literal["delivered", "failed"]
"""The outcome of a delivery. `delivered`: the target has accepted the notice."""

OnFailure = Literal["cancel", "continue", "hold"]
"""Policy for the graph when a task fails. cancel: Tasks that need the failed task fail as well. Their other upstreams
are cancelled if no other task needs them. continue: Tasks that need the failed task fail as well. All other tasks run.
hold: Tasks that need the failed task wait until it is retried.
"""

Order = Literal["strict", "round", "weighted"]
"""Order in which the queues of a `reserve` are asked. round: The queues take turns. strict: The queues are asked in the
order of the call. weighted: The queues take turns by their weights.
"""

Outcome = Literal["complete", "failed", "cancelled", "released", "lost", "retrying", "retry"]
"""Outcome of an attempt; `retry`: the task was retried after that attempt."""

Overlap = Literal["skip", "queue", "cancel", "allow"]
"""Policy for a slot while the last task of its schedule is unfinished. allow: Both tasks may run. cancel: The last task
is cancelled, and the new task runs when the last task has stopped. queue: The task of the slot runs after the last
task. skip: The slot creates no task.
"""

Reached = Literal["waiting", "scheduled", "pending", "held", "reserved", "started", "complete", "failed", "cancelled", "deleted", "moved"]
"""A state to which a transition led; also `deleted`, or `moved` for a move to another queue. cancelled: Was cancelled.
complete: Has a result. failed: Has an error, and no retries left. held: Is held, and does not start until it is
released. pending: Waits for a listener. reserved: A listener has taken the task and has not started it yet. scheduled:
Waits for its eta. started: Runs. waiting: Waits for other tasks.
"""

Signal = Literal["ABRT", "ALRM", "HUP", "INT", "IO", "PIPE", "PROF", "QUIT", "TERM", "URG", "USR1", "USR2", "VTALRM", "WINCH"]
"""A signal that a program can handle, without SIG. `suspend` and `cancel` replace the other signals."""

Status = Literal["waiting", "scheduled", "pending", "held", "reserved", "started", "complete", "failed", "cancelled"]
"""A state. cancelled: Was cancelled. complete: Has a result. failed: Has an error, and no retries left. held: Is held,
and does not start until it is released. pending: Waits for a listener. reserved: A listener has taken the task and has
not started it yet. scheduled: Waits for its eta. started: Runs. waiting: Waits for other tasks.
"""

Statuses = Literal["waiting", "scheduled", "pending", "held", "reserved", "started", "complete", "failed", "cancelled"]
"""States, separated by commas. cancelled: Was cancelled. complete: Has a result. failed: Has an error, and no retries
left. held: Is held, and does not start until it is released. pending: Waits for a listener. reserved: A listener has
taken the task and has not started it yet. scheduled: Waits for its eta. started: Runs. waiting: Waits for other tasks.
"""

UniquePolicy = Literal["reject", "existing", "replace", "latest"]
"""Policy for a submit while another task has the unique name. existing: No task is created; the reply names the
existing task. latest: At most one task runs, and at most one task waits: the latest. reject: The submit is refused with
`DUPLICATE`. replace: The existing task is cancelled if it waits and holds the name for no fixed time. Otherwise the
submit is refused with `DUPLICATE`.
"""


class State(NamedTuple):
    """A state of a task."""

    waits: bool
    owned: bool
    final: bool
    means: str


STATES: dict[str, State] = {
    "cancelled": State(False, False, True, "Was cancelled."),
    "complete": State(False, False, True, "Has a result."),
    "deleted": State(False, False, False, "No longer exists."),
    "failed": State(False, False, True, "Has an error, and no retries left."),
    "held": State(True, False, False, "Is held, and does not start until it is released."),
    "moved": State(False, False, False, "Is in another queue."),
    "pending": State(True, False, False, "Waits for a listener."),
    "reserved": State(False, True, False, "A listener has taken the task and has not started it yet."),
    "scheduled": State(True, False, False, "Waits for its eta."),
    "started": State(False, True, False, "Runs."),
    "waiting": State(True, False, False, "Waits for other tasks."),
}


class Error(NamedTuple):
    """An error: what it means, what to do, whether the same call may succeed later."""

    kind: str
    means: str
    act: str
    repeat: bool


ERRORS: dict[str, Error] = {
    "BADARG": Error(
        "call",
        "An argument or option is missing, unknown, extra, or out of its bounds.",
        "Correct the call.",
        False,
    ),
    "BADNAME": Error(
        "call",
        "A name has characters or a length that its type does not allow. Or the server is a node of a cluster, and the namespace has no `{tag}`.",
        "Correct the name.",
        False,
    ),
    "BUSY": Error(
        "server",
        "Another script has been running for a long time.",
        "Wait.",
        True,
    ),
    "CANCELLED": Error(
        "attempt",
        "The task was cancelled between reserve and start.",
        "Release the task.",
        False,
    ),
    "CLOSED": Error(
        "state",
        "The queue is closed.",
        "Open the queue with `blueque drain QUEUE --off`, or set its setting `closed` to 0.",
        False,
    ),
    "CLUSTERDOWN": Error(
        "server",
        "The cluster does not serve the slot.",
        "Wait, and check the cluster.",
        True,
    ),
    "CYCLE": Error(
        "call",
        "Tasks would wait for one another.",
        "Correct the call; the text names the tasks.",
        False,
    ),
    "DRAINING": Error(
        "state",
        "The listener was ordered to drain one of the queues.",
        "Finish the tasks of the listener, then unregister it.",
        False,
    ),
    "DUPLICATE": Error(
        "state",
        "Another task has the unique name, or another document has the id of the graph.",
        "For a unique name: wait until the other task has ended, or use the policy `existing`. For a graph: choose another id.",
        False,
    ),
    "EVICTION": Error(
        "setup",
        "The server may evict keys.",
        "Set `maxmemory-policy` to `noeviction`.",
        False,
    ),
    "HELD": Error(
        "state",
        "The listener still holds tasks.",
        "End or adopt these tasks first.",
        False,
    ),
    "LOADING": Error(
        "server",
        "The server is reading its data.",
        "Wait.",
        True,
    ),
    "LOST": Error(
        "attempt",
        "The token does not hold the task.",
        "Stop the work and discard its result.",
        False,
    ),
    "MASTERDOWN": Error(
        "server",
        "The replica has lost its master.",
        "Wait.",
        True,
    ),
    "MISCONF": Error(
        "server",
        "The server refuses writes because it cannot save them.",
        "Check the disk and the log of the server.",
        True,
    ),
    "MOVED": Error(
        "setup",
        "This node of the cluster does not hold the namespace.",
        "Connect to the node that the text names, or with a client for clusters.",
        False,
    ),
    "NOLIMIT": Error(
        "state",
        "The shared limit does not exist, or it has fewer places than the task takes.",
        "Set the shared limit with `limit`, or correct the name or the places.",
        False,
    ),
    "NOLISTENER": Error(
        "state",
        "The listener is not registered on the queue.",
        "Register the listener, then repeat the call.",
        False,
    ),
    "NOPERM": Error(
        "server",
        "This user lacks a permission that the call needs.",
        "Grant the permission; `handshake` lists the missing commands.",
        False,
    ),
    "NOQUEUE": Error(
        "state",
        "No queue has this name.",
        "The queue never existed, or it was deleted.",
        False,
    ),
    "NOREPLICAS": Error(
        "server",
        "Too few replicas are connected.",
        "Wait, and check the replicas.",
        True,
    ),
    "NOSCHEDULE": Error(
        "state",
        "No schedule has this name.",
        "The schedule never existed, or it was removed.",
        False,
    ),
    "NOTASK": Error(
        "state",
        "No task has this id.",
        "The task was never submitted, or it was deleted, or retention removed it.",
        False,
    ),
    "NOTEMPTY": Error(
        "state",
        "The queue has tasks or listeners, or a schedule creates tasks in it; or attempts hold places of the shared limit, or tasks wait for it.",
        "Purge the queue, stop its workers, and remove the schedule; or wait until the places of the shared limit are free.",
        False,
    ),
    "OOM": Error(
        "server",
        "The server's memory is full, and the call needs memory.",
        "Free memory, or raise `maxmemory`. Calls that end or renew an attempt still work.",
        True,
    ),
    "OTHERQUEUE": Error(
        "call",
        "The id belongs to a task of another queue.",
        "Use another id: ids are unique in a namespace.",
        False,
    ),
    "OVERDUE": Error(
        "state",
        "The deadline of the task has passed.",
        "Set a later deadline.",
        False,
    ),
    "READONLY": Error(
        "server",
        "The server is a replica.",
        "Connect to the master.",
        True,
    ),
    "RETRY": Error(
        "server",
        "The slot is being moved.",
        "Repeat the call.",
        True,
    ),
    "SCHEMA": Error(
        "setup",
        "The data has another schema.",
        "Use the bundle that created it, or upgrade all clients.",
        False,
    ),
    "STATE": Error(
        "state",
        "The task's state does not allow the call.",
        "See the table of states.",
        False,
    ),
    "STOPPING": Error(
        "state",
        "The task is being cancelled, and its program may still run.",
        "Wait until the time in the text, then repeat the call.",
        False,
    ),
    "TOOBIG": Error(
        "call",
        "A payload, or the total of all payloads of a call, exceeds its limit.",
        "Split the call, or store the payload elsewhere and pass a reference, or raise `max_bytes`.",
        False,
    ),
    "TOOMANY": Error(
        "state",
        "A collection is full: tags of a task, needs of a queue, limits of keys, shared limits, or schedules.",
        "Remove some of its entries.",
        False,
    ),
    "TOPOLOGY": Error(
        "setup",
        "The namespace is another partition, or another topology is stored in it.",
        "Read the stored topology with `topology` and use it, or correct the address.",
        False,
    ),
    "TRYAGAIN": Error(
        "server",
        "The slot is being moved.",
        "Repeat the call.",
        True,
    ),
    "UPSTREAM": Error(
        "state",
        "An upstream task has already ended in a state that the task does not accept, so the task could never run.",
        "Retry the upstream first, or submit the task without it.",
        False,
    ),
    "WRONGKEY": Error(
        "setup",
        "A key of the namespace holds a value of another type.",
        "Remove the key, or use another namespace.",
        False,
    ),
}

CALL_AGAIN = 0.5
"""Pause before a failed wait, a failed subscription or a failed end of an attempt is repeated."""

CALL_BYTES = 7340032
"""Maximum total size of the tasks of a `submit` or `submit_graph`, and of the ends of a `finish_and_reserve`."""

CLOCK_EVERY = 60
"""Interval at which a worker reads the server's clock again."""

CONTROLS = 16
"""Maximum number of requests to suspend, to continue, to signal or to describe a task that its owner has not answered.
"""

EMPTY_PAGES = 16
"""Number of consecutive pages without a queue after which a search for queues ends."""

END_BYTES = 1048576
"""Maximum size of a result or an error in a `finish_and_reserve`, unless the client allows more. A larger result or
error is sent in its own call.
"""

ENDS_OF_CALL = 100
"""Maximum number of attempts that a `finish_and_reserve` ends, and maximum number of tasks that it takes."""

FAILURES_COUNTED = 3600
"""Time for which a worker counts failed attempts in its reports."""

FEW_SLOTS = 32
"""Number of known slots below which a cron schedule needs more slots."""

FIRST_PAUSE = 0.01
"""Pause before a call is repeated for the first time; each further pause is twice as long."""

HEARTBEAT_PART = 6
"""The lease divided by this number is the longest time that a heartbeat waits for its reply."""

HEARTBEATS_PER_LEASE = 3
"""Number of heartbeats that a worker sends in the length of a lease."""

INPUTS_OF_CALL = 1000
"""Maximum number of inputs of all tasks that a `submit_graph` creates."""

LOG_KEPT_BYTES = 1048576
"""Maximum size of the log output of a function that a worker keeps until it is sent. The worker drops the rest."""

LOG_PIECE_BYTES = 65536
"""Maximum size of the text of an `append_log`."""

LONGEST_PAUSE = 0.5
"""Longest pause between two repetitions of a call, and between two checks of a task while a client waits for its end.
"""

LONGEST_REST = 60
"""Longest pause of a worker whose programs or functions cannot start. Also the longest pause between two attempts to
propagate a run.
"""

MAINTENANCE_EVERY = 2
"""Longest pause between two steps of the maintenance."""

PATTERNS_OF_WORKER = 100
"""Maximum number of patterns of a worker."""

QUEUES_FOUND = 500
"""Maximum number of queues that a call finds for the maintenance."""

QUEUES_FRESH = 1
"""Time for which a worker uses the queues that a search has found, before it searches again."""

QUEUES_OF_WORKER = 32
"""Maximum number of queues of a worker, of a call that takes tasks, and of a `maintenance`."""

REPORT_AGAIN = 2
"""Pause before a failed report or maintenance call is repeated."""

REPORT_EVERY = 10
"""Interval between two reports of a worker. After three intervals without a report the worker counts as dead."""

RESULT_BYTES = 8388608
"""Maximum size of a result, a checkpoint or parameters."""

SLOTS_AHEAD = 64
"""Maximum number of slots of a cron schedule that a client supplies ahead of time."""

TASKS_OF_CALL = 500
"""Maximum number of tasks that a `submit` or `submit_graph` creates."""

TASKS_OF_HEARTBEAT = 500
"""Maximum number of tasks whose leases one heartbeat renews."""

TRACE_STATE = 512
"""Maximum length of a `tracestate` in the option `trace`. A longer one is left out."""

WAKE_UP_EXPIRES = 300
"""Time after which a wake-up expires if no listener takes it from its list."""

WARN_AFTER = 2
"""Time after which a wait for a task warns that no worker takes tasks of its queue."""

SENTENCES: dict[str, tuple[tuple[str, str], ...]] = {
    "and_paused": (
        ("paused.by", ", and its queue is {paused_words}"),
    ),
    "because": (
        ("status='failed' task.error", ": {task.error|headline}"),
        ("status='failed'", ""),
        ("status='scheduled' task.last_error", ": {task.last_error|headline}"),
        ("status='scheduled'", ""),
        ("task.cancel task.reason", ": {task.reason}"),
        ("status='cancelled' task.reason", ": {task.reason}"),
    ),
    "before": (
        ("!ahead", "It is the next of its queue"),
        ("ahead=0", "It is the next of its queue"),
        ("ahead=1", "It waits behind 1 other task"),
        ("ahead=10000", "It waits behind 10,000 other tasks or more"),
        ("", "It waits behind {ahead} other tasks"),
    ),
    "due": (
        ("eta", "{eta|both}"),
        ("", "an unknown time"),
    ),
    "ended": (
        ("task.updated", " {task.updated|both}"),
    ),
    "ends_by": (
        ("end_by !finished !cancel", " Its deadline is {end_by|both}."),
    ),
    "finished": (
        ("status='complete'", "yes"),
        ("status='failed'", "yes"),
        ("status='cancelled'", "yes"),
    ),
    "for": (
        ("task.updated", " for {now-task.updated|span}"),
    ),
    "for_start": (
        ("task.started", " for {now-task.started|span}"),
        ("", "{for}"),
    ),
    "foreign": (
        ("owned !deadline !task.token", "yes"),
    ),
    "held_by": (
        ("task.held_by", " by {task.held_by}"),
    ),
    "impossible": (
        ("!limit", ""),
        ("!limit_used", "There is no shared limit {limit}: {set_limit}, or edit the task (--limits)."),
        ("shared_weight>limit_concurrency", "The shared limit {limit} has only {limit_concurrency|many place}, and it takes {shared_weight}: {set_limit}, or edit the task (--limits)."),
    ),
    "key_full": (
        ("!key_concurrency", ""),
        ("used_of_key+key_need<=key_concurrency", ""),
        ("key_concurrency=1", "The only place of its key {key} is taken{takes}."),
        ("used_of_key>=key_concurrency", "All {key_concurrency} places of its key {key} are taken{takes}."),
        ("", "{used_of_key} of the {key_concurrency} places of its key {key} are taken{takes}."),
    ),
    "key_need": (
        ("weight<key_concurrency", "{weight}"),
        ("key_concurrency", "{key_concurrency}"),
    ),
    "lacking_words": (
        ("!lacking", ": each need is met, but by different ones"),
        ("lacking!=needs", ": nobody has {lacking}"),
    ),
    "lacks": (
        ("listeners=1", "does not have"),
        ("", "has"),
    ),
    "late": (
        ("listeners=0", ", and its queue has {nobody}"),
        ("eta<now", ", and becomes pending when a worker looks next"),
    ),
    "lease": (
        ("deadline<now", "; its lease ended {now-deadline|span} ago without a renewal, and it goes back to its queue when a worker looks next"),
    ),
    "no_worker": (
        ("", "Its queue {queue} has {nobody}: start a worker for it."),
    ),
    "nobody": (
        ("draining>0", "only workers that drain"),
        ("silent>0", "no living worker"),
        ("", "no worker"),
    ),
    "none": (
        ("listeners=1", "the only worker"),
        ("", "none of the {listeners} workers"),
    ),
    "obstacle": (
        ("needs able=0", "It needs {needs}, which {none} of {queue} {lacks}{lacking_words}."),
        ("queue_full", "{queue_full}"),
        ("key key_full", "{key_full}"),
        ("shared_obstacle", "{shared_obstacle}"),
        ("rate_until>now", "The rate of its queue {queue} lets the next task start at {rate_until|both}."),
        ("key key_rate_until>now", "The rate of its key {key} lets the next task start at {key_rate_until|both}."),
    ),
    "often": (
        ("failures>=2", ", after {failures|many failure}"),
    ),
    "opens": (
        ("open", "{open}"),
        ("", "1"),
    ),
    "others": (
        ("rest<=1", ""),
        ("rest=2", " and another task"),
        ("", " and {rest-1} other tasks"),
    ),
    "owned": (
        ("status='reserved'", "yes"),
        ("status='started'", "yes"),
    ),
    "owner": (
        ("node", "{node}"),
        ("", "an unknown worker"),
    ),
    "paused_reason": (
        ("paused.reason", ": {paused.reason}"),
    ),
    "paused_words": (
        ("paused.at", "paused by {paused.by} {paused.at|relative}{paused_reason}"),
        ("", "paused by {paused.by} at an unknown time{paused_reason}"),
    ),
    "possible": (
        ("chances>1", "{chances}"),
        ("", "0"),
    ),
    "queue_full": (
        ("!concurrency", ""),
        ("queue_used+queue_need<=concurrency", ""),
        ("concurrency=1", "The only place of its queue {queue} is taken{takes}."),
        ("queue_used>=concurrency", "All {concurrency} places of its queue {queue} are taken{takes}."),
        ("", "{queue_used} of the {concurrency} places of its queue {queue} are taken{takes}."),
    ),
    "queue_need": (
        ("weight<concurrency", "{weight}"),
        ("concurrency", "{concurrency}"),
    ),
    "queue_used": (
        ("used", "{used}"),
        ("", "0"),
    ),
    "rest": (
        ("some", "{opens-possible}"),
        ("", "{opens}"),
    ),
    "scheduled": (
        ("failures=0 uncounted=1", "It was given back once by workers that could not run it, and is given out again at {due}{late}{and_paused}."),
        ("failures=0 uncounted>1", "It was given back {uncounted} times by workers that could not run it, and is given out again at {due}{late}{and_paused}."),
        ("failures=0", "It is scheduled for {due}{late}{and_paused}."),
        ("", "It is tried again at {due}, after {failures|many failure}{late}{and_paused}{because}."),
    ),
    "sentence": (
        ("", "{state}{ends_by}"),
    ),
    "set": (
        ("least>chances", "{least} more of a set, of which only {chances} can still be complete: for "),
        ("least open=chances chances>1", "{least} more of {chances} tasks: "),
    ),
    "set_limit": (
        ("", "blueque limit set --shared {limit} --concurrency {shared_weight}"),
    ),
    "shared_obstacle": (
        ("!limit", ""),
        ("impossible", "{impossible}"),
        ("!limit_used", ""),
        ("limit_rate_until>now", "The rate of the shared limit {limit} lets the next task start at {limit_rate_until|both}."),
        ("limit_turn", "It is the turn of the queue {limit_turn} at the shared limit {limit}{shared_takes}."),
        ("limit_concurrency=1", "The only place of the shared limit {limit} is taken."),
        ("limit_used>=limit_concurrency", "All {limit_concurrency} places of the shared limit {limit} are taken{shared_takes}."),
        ("limit_concurrency", "{limit_used} of {limit_concurrency} places of the shared limit {limit} are taken{shared_takes}."),
        ("", "{limit_used} places of the shared limit {limit} are taken{shared_takes}."),
    ),
    "shared_takes": (
        ("shared_weight>1", ", and it takes {shared_weight}"),
    ),
    "shared_weight": (
        ("limit_weight", "{limit_weight}"),
        ("", "1"),
    ),
    "some": (
        ("least possible>0 opens>possible", ", and for {least} more of {possible} tasks"),
    ),
    "stand": (
        ("listeners<=1 listeners-full=0", "the only worker of {queue} is full"),
        ("listeners-full=0", "the {listeners} workers of {queue} are full"),
        ("listeners=1", "the only worker of {queue} can take it, and should soon"),
        ("", "{listeners-full} of {listeners} workers of {queue} can take it: one should take it soon"),
    ),
    "state": (
        ("status='scheduled'", "{scheduled}"),
        ("status='pending' !usable", "Its queue {queue|quoted} has a name that only clients of Blueque 1.0 use: one of those has to run it."),
        ("status='pending' paused.by", "Its queue {queue} is {paused_words}."),
        ("status='pending' listeners=0 impossible", "{impossible} {no_worker}"),
        ("status='pending' listeners=0", "{no_worker}"),
        ("status='pending' !ahead", "A client of Blueque 1.0 has taken it from its queue, and has not noted that it holds it: if that client is dead, workers put the task back within minutes."),
        ("status='pending' obstacle", "{obstacle}"),
        ("status='pending'", "{turn}"),
        ("foreign cancel", "It is being cancelled{because}, but {owner}, a client of Blueque 1.0, is not informed: if it completes or fails the task, that is the outcome. blueque cancel --force cancels it at once."),
        ("owned order='kill'", "It was cancelled by force, and {owner} has not killed it yet{because}{until}."),
        ("owned cancel>=end_by", "Its deadline has passed, and {owner} has not stopped it yet{lease}."),
        ("owned cancel", "It is being cancelled, and {owner} has not stopped it yet{because}{lease}."),
        ("owned order='stop'", "It was requeued, and {owner} has not given it back yet{lease}."),
        ("owned task.suspended", "It has been suspended{suspended_by} on {owner} for {now-task.suspended|span}{lease}: blueque continue lets it go on."),
        ("owned !deadline !foreign", "Its lease was deleted: {owner}, which took it for attempt {task.attempt}, is told that it lost it, and kills its program. A worker gives it a new lease within minutes; it goes back to its queue when that ends."),
        ("status='reserved'", "{owner} has taken it, and has not started it yet{lease}."),
        ("status='started'", "It has been running on {owner}{for_start}, attempt {task.attempt}{lease}."),
        ("status='waiting' upstream", "It waits for {upstreams}."),
        ("status='waiting'", "All that it waited for has ended. Its input is long: workers put it together, in steps."),
        ("status='held'", "It has been held{held_by}{for}: blueque unhold releases it."),
        ("status='complete'", "It ended well{ended}{because}."),
        ("status='failed'", "It failed{ended}{often}{because}."),
        ("", "It was cancelled{ended}{because}."),
    ),
    "suspended_by": (
        ("task.suspended_by", " by {task.suspended_by}"),
    ),
    "takes": (
        ("weight>1", ", and it takes {weight}"),
    ),
    "turn": (
        ("", "{before}, and {stand}."),
    ),
    "until": (
        ("deadline>now", "; its lease ends at {deadline|both}"),
    ),
    "upstreams": (
        ("", "{set}{upstream}{others}{some}"),
    ),
    "used_of_key": (
        ("key_used", "{key_used}"),
        ("", "0"),
    ),
}
"""The parts of the sentence for `why`: alternatives of conditions and a text."""

Setting = Literal[
    "ageing",
    "audit",
    "backoff",
    "closed",
    "concurrency",
    "delay",
    "events",
    "forget_after",
    "grace",
    "graph_bytes",
    "history",
    "input_bytes",
    "jitter",
    "keep",
    "key_concurrency",
    "key_rate",
    "lease",
    "log_bytes",
    "logs_bytes",
    "lost_delay",
    "max_bytes",
    "max_delay",
    "max_failures",
    "max_losses",
    "max_releases",
    "max_uncounted",
    "notify",
    "rate",
    "retain",
    "statistics",
]
"""The settings of a queue, or of all (`*`).

ageing: Waiting time that counts as one level of priority. Default: no limit.
audit: Number of entries that `audit` keeps; only for the queue `*`. Default: 10000.
backoff: Growth of the delay from each retry to the next. Default: exponential.
closed: 1: `submit` is refused with `CLOSED`; existing tasks still run. Default: 0.
concurrency: Maximum number of tasks of the queue that run at the same time. Default: no limit.
delay: Delay before the first retry. Default: 10.
events: Number of events that `aggregate` keeps. Default: 10000.
forget_after: Time without a sign of life after which a listener that holds nothing is forgotten. Default: 300.
grace: Time between the order to stop a program and the kill of the program, for workers that run programs. Default: 30.
graph_bytes: Maximum size of the parameters, values and results of 256 bytes or more that a graph passes on; only for
  the queue `*`. Default: 536870912.
history: Number of transitions in the history of a task. Default: 100.
input_bytes: Maximum size of the results and values that become the parameters of a task. Default: 8388608.
jitter: Maximum part by which a delay is shortened. Default: 20.
keep: Number of finished tasks that `prune` keeps. Default: 50000.
key_concurrency: Maximum number of tasks of each key that run at the same time. Default: no limit.
key_rate: Maximum number of starts of each key within a sliding window. Default: no limit.
lease: Lease of an attempt. Default: 60.
log_bytes: Maximum size of a task's log on the server. Default: 163840.
logs_bytes: Maximum size of all logs of the namespace; only for the queue `*`. Default: 1073741824.
lost_delay: Delay before the next attempt after a lost attempt; 0: the task goes to the front at once. Default: 0.
max_bytes: Maximum size of parameters. Default: 1048576.
max_delay: Longest delay before a retry. Default: 3600.
max_failures: Maximum retries after failures. Default: 0.
max_losses: Maximum lost attempts before the task fails; 1000000000 for no limit. Default: 10.
max_releases: Maximum releases before the task fails. Default: 1000.
max_uncounted: Maximum uncounted releases before the task fails. Default: 10000.
notify: The targets that are notified of events of the tasks of the queue. It applies to tasks that are submitted from
  then on without the option `notify`. Default: no limit.
rate: Maximum number of starts of the queue within a sliding window. Default: no limit.
retain: Time for which `prune` keeps finished tasks. Default: 604800.
statistics: Number of days of statistics. Default: 30.
"""
