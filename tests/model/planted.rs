//! Bugs to plant: each is a replacement in one composed script. A test that does not find them proves nothing about
//! the real scripts.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;

use super::{Kind, Scripts, scripts};

/// A planted bug.
pub struct Bug {
    pub name: &'static str,
    pub command: &'static str,
    /// Occurs in the script once, or once in each copy of an inlined piece.
    old: &'static str,
    new: &'static str,
    /// True if the keys alone show the bug, without the model.
    pub shows: bool,
    /// The cases that find it.
    pub kind: Kind,
}

impl Bug {
    const fn of_graphs(self) -> Self {
        Self { kind: Kind::Graphs, ..self }
    }

    const fn of_changes(self) -> Self {
        Self { kind: Kind::Changes, ..self }
    }

    const fn of_shares(self) -> Self {
        Self { kind: Kind::Shared, ..self }
    }

    const fn of_sets(self) -> Self {
        Self { kind: Kind::Sets, ..self }
    }

    const fn of_further(self) -> Self {
        Self { kind: Kind::NextRound, ..self }
    }

    const fn of_watched(self) -> Self {
        Self { kind: Kind::Watched, ..self }
    }

    const fn of_audits(self) -> Self {
        Self { kind: Kind::Audited, ..self }
    }

    const fn of_maintenance(self) -> Self {
        Self { kind: Kind::KeptUp, ..self }
    }

    const fn of_peeks(self) -> Self {
        Self { kind: Kind::Peeked, ..self }
    }

    const fn of_edits(self) -> Self {
        Self { kind: Kind::Edited, ..self }
    }

    const fn of_controls(self) -> Self {
        Self { kind: Kind::Controlled, ..self }
    }

    const fn of_patterns(self) -> Self {
        Self { kind: Kind::Patterns, ..self }
    }
}

const fn bug(name: &'static str, command: &'static str, old: &'static str, new: &'static str) -> Bug {
    Bug { name, command, old, new, shows: false, kind: Kind::Plain }
}

/// A bug that the invariants find alone.
const fn shown(name: &'static str, command: &'static str, old: &'static str, new: &'static str) -> Bug {
    Bug { name, command, old, new, shows: true, kind: Kind::Plain }
}

pub static BUGS: [Bug; 237] = [
    shown(
        "a queue with a new task is not listed for those who take queues by pattern",
        "submit",
        "redis.pcall('ZADD', ready, '0', queue)",
        "redis.pcall('ZSCORE', ready, queue)",
    )
    .of_patterns(),
    shown(
        "a queue without work stays in the index",
        "ready",
        "found.gone[#found.gone + 1] = queue",
        "found.skipped = queue",
    )
    .of_patterns(),
    bug("paused queues are found", "ready", "elseif live or some and not paused[i] then", "elseif live or some then")
        .of_patterns(),
    shown("a place of a shared limit is not freed", "complete", "if shared ~= '' then", "if false then").of_shares(),
    bug("a further round does not keep the shared limit that it names", "submit", "(shared, 1)", "('', 1)").of_edits(),
    bug("a shared limit that nobody names stays", "repair", "if one.used then", "if true then").of_shares(),
    bug(
        "a shared limit that is named again goes nevertheless",
        "submit",
        "elseif number == change then",
        "elseif false then",
    )
    .of_shares(),
    shown(
        "a shared limit has no bound",
        "reserve",
        "limit.missing or limit.most and limit.used + part.weight > limit.most then",
        "limit.missing then",
    )
    .of_shares(),
    bug("a heavy task starves beside light ones", "reserve", "if first or fits then", "if fits then").of_shares(),
    bug("a queue that does not come keeps its turn", "reserve", "offered + 5000000 <= namespace_now_us", "false")
        .of_shares(),
    shown("complete without a look at the token", "complete", "if v[2] ~= token or not (", "if not ("),
    bug(
        "a clock that steps ahead hides the gap",
        "heartbeat",
        "namespace_gap = namespace_now_us",
        "namespace_gap = false",
    ),
    shown(
        "a lost task keeps its token",
        "requeue_orphans",
        "redis.call('HDEL', key, 'token', 'lease', 'request', unpack(forget))",
        "redis.call('HDEL', key, unpack(forget))",
    ),
    shown(
        "losses are not counted",
        "requeue_orphans",
        "tonumber(known.losses or 0) + 1",
        "tonumber(known.losses or 0)",
    ),
    shown("an id that exists is submitted again", "submit", "if not found then", "if not found or found == queue then"),
    shown("time has no floor", "reserve", "if floor > namespace_now_us then", "if false then"),
    shown("an event says too little", "promote", "'from', from or ''", "'from', ''"),
    shown("a lease stays behind", "fail", "if task.token ~= '' then", "if false then"),
    shown(
        "an order stays behind",
        "complete",
        "redis.call('HDEL', prefix .. 'orders_' .. queue, 't:' .. id)",
        "redis.call('HLEN', prefix .. 'orders_' .. queue)",
    ),
    bug("a task that is to be killed completes", "complete", "if task and task.cancel then", "if false then"),
    bug(
        "the lease of a task that is to be killed is renewed",
        "heartbeat",
        "if ordered[i] ~= 'kill' then",
        "if true then",
    ),
    bug(
        "a task that is to be killed is given out again",
        "cancel",
        "return spec.at_once or",
        "return spec.at_once or spec.force or",
    ),
    bug(
        "what was given back for a while stands behind",
        "promote",
        "task.front, task.turn = true,",
        "task.front, task.turn = false,",
    ),
    shown(
        "an order to stop stays behind",
        "complete",
        "if task.cancel or task.requeue then\n        redis",
        "if task.cancel then\n        redis",
    ),
    shown("a cancelled task stays started", "cancel", "redis.call('SREM', ", "redis.call('SISMEMBER', "),
    shown("a heartbeat brings a lost lease back", "heartbeat", "'XX', 'CH', ", "'CH', "),
    shown(
        "a write comes before the refusal",
        "start",
        "('CANCELLED',",
        "(redis.call('HSET', namespace_prefix .. 'task_' .. id, 'pid', pid) and 'CANCELLED',",
    ),
    shown(
        "a deleted task stays listed",
        "delete",
        "redis.call('ZREM', prefix .. 'tasks_'",
        "redis.call('ZSCORE', prefix .. 'tasks_'",
    ),
    bug("a loss after progress pauses as long as before", "progress", "redis.call('HDEL', ", "redis.call('HEXISTS', "),
    shown("retry keeps the losses", "retry", "'losses', '0', ", ""),
    shown("a lost reply is not given again", "release", "'outcome', outcome, ", ""),
    shown("a failure counts twice", "fail", "tonumber(failures or 0) + 1", "tonumber(failures or 0) + 2"),
    bug(
        "a lease expires at its deadline",
        "requeue_orphans",
        "string.format('(%.0f', namespace_now_us)",
        "string.format('%.0f', namespace_now_us)",
    ),
    bug("a lease is postponed for ever", "requeue_orphans", "tonumber(task.extra[4] or 0) ~= deadline", "true"),
    bug("a task fails one loss too early", "requeue_orphans", "task.losses > tonumber(", "task.losses >= tonumber("),
    bug("release to the back", "release", "task.front, task.forget = true,", "task.front, task.forget = false,"),
    shown(
        "reserve from a paused queue",
        "reserve",
        "local open, weighed = not meta[at],",
        "local open, weighed = true,",
    ),
    bug("any token gets the first answer", "complete", "last[1] == token and outcome", "outcome"),
    bug("promotion before the time", "promote", "'-inf', namespace_now, 'LIMIT'", "'-inf', '+inf', 'LIMIT'"),
    bug("a request is not remembered", "reserve", "taker = listener, request = call.request,", "taker = listener,"),
    bug("retention deletes the latest", "prune", "-1 - pass.taken[kind]", "pass.taken[kind]"),
    shown(
        "a cancel at once keeps its places",
        "cancel",
        "if task.limited and held and to ~= 'started' then",
        "if false then",
    ),
    shown(
        "a heavy task takes one place",
        "reserve",
        "task.queue, task.fair_key, tonumber(task.weight or 1)",
        "task.queue, task.fair_key, 1",
    ),
    shown(
        "one too many for a queue",
        "reserve",
        "used + math.min(tonumber(weight), most) > most",
        "used + 1 > most + 1",
    ),
    shown(
        "a rate lets one too many start",
        "reserve",
        "(starts, number - 1 - before % number, seconds, since)",
        "(starts, number - before % number, seconds, since)",
    ),
    shown("a plain task never waited", "reserve", "if not (us >= 0 and us <= namespace_now_us) then", "if true then"),
    bug("a raised limit reaches nobody", "promote", "if changes and changes ~= known and", "if false and"),
    bug(
        "a key forgets its turn",
        "release",
        "local back = held and task.ranked and to == 'pending'",
        "local back = false",
    ),
    bug("nobody comes back to a key that its rate held up", "reserve", "elseif free then", "elseif false then"),
    shown("an unique key stays with a task that ended", "complete", "task.holder == task.id and (", "false and ("),
    shown("any task gives an unique key back", "complete", "task.holder == task.id and (", "("),
    shown("the lower priority first", "submit", "-tonumber(task.priority or 0)", "tonumber(task.priority or 0)"),
    shown("needs are not looked at", "reserve", "if not holds then", "if false then"),
    shown(
        "a retry is not counted",
        "fail",
        "'group', options.group or '', 'failures', failures)",
        "'group', options.group or '')",
    ),
    shown(
        "one retry too few",
        "fail",
        "failures > tonumber(policy.max_failures)",
        "failures >= tonumber(policy.max_failures)",
    ),
    shown("released for ever", "release", "elseif count > tonumber(v[2]", "elseif false and count > tonumber(v[2]"),
    shown("a group keeps a task that left it", "retry", "left - redis.call('ZREM', key, id)", "left - 1"),
    shown(
        "a turn stays behind",
        "complete",
        "if not waits and not redis.call('HGET', ",
        "if false and not redis.call('HGET', ",
    ),
    bug("a key that was served keeps its turn", "reserve", "('turns', queue), key, ", "('turns', queue), key .. ' ', "),
    bug(
        "nobody goes on behind a heavy task",
        "cancel",
        "and not taker and (task.weight or task.exclusive) then",
        "and not taker and false then",
    ),
    bug("an adoption is no start of its queue", "adopt", "local rate = to == 'reserved' and", "local rate = false and"),
    bug("what is given back stands behind", "release", "task.place or task.front and ", "task.place or false and "),
    bug("a limit of its own does not count", "reserve", "tonumber(own ~= '-' and own or ", "tonumber("),
    bug("a retry does not wait", "fail", "namespace_now_us + pause", "namespace_now_us + 1"),
    shown(
        "an attempt that comes back does not make way",
        "release",
        "return task.replaced and 'cancelled' or to",
        "return to",
    ),
    bug("what was drained loses its turn", "release", "task.keeps = true", "task.keeps = nil"),
    bug("what was drained runs beside a newer one", "reserve", "task.older = ", "local _ = "),
    bug(
        "a schedule does not look at what ran before a change",
        "tick",
        "if exclusive and not stops and not (",
        "if false and not (",
    ),
    bug("what runs is replaced", "submit", "elseif waits and (", "elseif rival and ("),
    bug("a closed queue takes tasks", "submit", "'closed') == '1'", "'closed') == '2'"),
    bug("a queue that was served keeps its claim", "reserve", "pass + asked.step", "pass"),
    bug(
        "a slot stays due",
        "tick",
        "schedule.done = all and string.format('%.0f', fire_times[#fire_times] or final) or namespace_now",
        "schedule.done = schedule.done",
    ),
    bug(
        "a paused schedule goes on",
        "pause_schedule",
        "not over and not schedule.paused and fire_time",
        "not over and fire_time",
    ),
    bug("two tasks of a schedule at once", "tick", "if not old or schedule.overlap == 'cancel' then", "if true then"),
    shown("an index keeps a tag that was taken", "untag", "left - redis.call('ZREM', key, id)", "left - 1"),
    shown(
        "a moved task keeps its unique key",
        "move",
        "(to) or to == 'deleted' or to == 'moved'",
        "(to) or to == 'deleted'",
    ),
    shown(
        "an urgent task stays in the list",
        "prioritise",
        "('pending_tasks', task.queue), task.from_end or -1, task.id)",
        "('pending_tasks', task.queue), task.from_end or -1, '')",
    ),
    shown("an event is added up twice", "aggregate", "last = found[#found][1]", "last = last"),
    bug(
        "history forgets why",
        "release",
        "task.attempt, event.by, event.why, outcome,",
        "task.attempt, event.by, '', outcome,",
    ),
    bug(
        "a note takes the time of the state before",
        "note",
        "options.by or '', at = cold",
        "options.by or '', at = task.since or cold",
    ),
    bug("a note leads to another state", "note", "{ to = task.status,", "{ to = 'pending',"),
    bug("a note skips a number", "note", "'%.0f-0', number + i)", "'%.0f-0', number + i + 1)"),
    bug("an attempt has the cost of an earlier one", "history", "ended == cost_of and cost or ''", "cost or ''"),
    bug("history forgets the cost", "release", "cost = fields[i + 1]", "cost = ''"),
    bug("nobody knows whose cost it is", "release", "'cost_of', task.token,", "'cost_of', '',"),
    bug(
        "the cost of a completed attempt is lost",
        "complete",
        "'cost', cost, 'cost_of', token",
        "'cost', '', 'cost_of', token",
    ),
    bug("one task more than the limit", "reserve", "call.number < call.limit", "call.number <= call.limit"),
    shown("of tasks taken together one stays pending", "reserve", "0, -1 - #tasks)", "0, -#tasks)"),
    shown(
        "tasks started together have another process",
        "reserve",
        "started[i] = pid and listener .. ' ' .. pid",
        "started[i] = pid and listener .. ' 0' .. pid",
    ),
    bug("a request for many is not remembered", "reserve", "call.request or '', 'reserved'", "'', 'reserved'"),
    bug("what claims something is taken with the rest", "reserve", "or v[7] or seen[id]", "or seen[id]"),
    bug(
        "what is started at once takes no place",
        "reserve",
        "return to == 'reserved' or to == 'started' and task.status == 'pending'",
        "return to == 'reserved'",
    ),
    bug(
        "one of several ends needs no token",
        "finish_and_reserve",
        "if v.err or v[2] ~= one.token then",
        "if v.err then",
    ),
    bug(
        "an attempt of another ends among one's own",
        "finish_and_reserve",
        "and v[3] == listener and not seen[id]",
        "and not seen[id]",
    ),
    bug(
        "an attempt ends twice in one call",
        "finish_and_reserve",
        "v[3] == listener and not seen[id]",
        "v[3] == listener",
    ),
    bug(
        "one of several keeps what it claims",
        "finish_and_reserve",
        "not (v[7] or v[9] or v[10])",
        "not (v[7] or v[10])",
    ),
    bug("a repeated finish_and_reserve takes again", "finish_and_reserve", "call.request and call.stale", "false"),
    bug("a wake-up of another queue is lost", "reserve", "if call.queues[2] then", "if false then"),
    bug(
        "a finish_and_reserve takes from a queue that is drained",
        "finish_and_reserve",
        "if meta[4 * i + 1] then",
        "if false then",
    ),
    shown(
        "a task whose dependents are told is told again",
        "run_deferred",
        "if last then\n    redis.call('ZREM'",
        "if not last then\n    redis.call('ZREM'",
    )
    .of_graphs(),
    bug(
        "results stand in the order of the call",
        "submit",
        "      slot = tonumber(slot)\n",
        "      slot = found.slots\n",
    )
    .of_graphs(),
    shown(
        "the last of its upstreams makes no task ready",
        "complete",
        "plan.last = plan.ready or open == 1",
        "plan.last = plan.ready or open == 0",
    )
    .of_graphs(),
    bug(
        "what comes after a task needs its success",
        "fail",
        "if kind == 'after' or",
        "if kind == 'after' and to == 'complete' or",
    )
    .of_graphs(),
    bug(
        "a task does not go on without an optional result",
        "fail",
        "if kind == 'after' or kind == 'optional' then",
        "if kind == 'after' then",
    )
    .of_graphs(),
    bug(
        "a task whose optional result is missing has none in its list",
        "fail",
        "return result == '' and 'null' or result",
        "return result",
    )
    .of_graphs(),
    bug(
        "an optional result is no reason to run",
        "run_deferred",
        "return kind == 'optional' or",
        "return kind == 'never' or",
    )
    .of_graphs(),
    bug(
        "an optional result is asked for in another way by a later call",
        "submit_graph",
        " or kind == 'optional' or other == 'optional')",
        ")",
    )
    .of_graphs(),
    bug(
        "another document is mixed into a graph",
        "submit_graph",
        "known[6] and options.digest and known[6] ~= options.digest",
        "known[1] == 'created' and known[6] and options.digest and known[6] ~= options.digest",
    )
    .of_graphs(),
    bug(
        "another document with the id of a graph is taken for the same",
        "submit_graph",
        "known[6] and options.digest and known[6] ~= options.digest",
        "known[1] ~= 'created' and known[6] and options.digest and known[6] ~= options.digest",
    )
    .of_graphs(),
    bug(
        "a clean-up runs after a success",
        "complete",
        "return (kind == 'failure') ~= (to == 'complete')",
        "return kind == 'failure' or to == 'complete'",
    )
    .of_graphs(),
    shown(
        "a retry forgets what it still waits for",
        "retry",
        "for _, up in ipairs(again.open) do",
        "for _, up in ipairs({}) do",
    )
    .of_graphs(),
    shown(
        "a retry waits for a task that will not tell it",
        "retry",
        "if not string.find(up.flags or '', 'd', 1, true) then",
        "if false then",
    )
    .of_graphs(),
    bug("a retry keeps the cause", "retry", "'reason', 'cause', 'discard'", "'reason', 'discard'").of_graphs(),
    bug(
        "a graph is released without its edges to earlier tasks",
        "run_deferred",
        "local left = graph.total - graph.released",
        "local left = math.max(1, graph.total - graph.released)",
    )
    .of_graphs(),
    shown(
        "a graph counts tasks that are deleted",
        "delete",
        "redis.call('HINCRBY', key, 'left', -1) == 0",
        "redis.call('HINCRBY', key, 'left', 0) == 1",
    )
    .of_graphs(),
    bug("a broken edge stays open", "fail", "'-' .. namespace_now, plan.id)\n  if", "namespace_now, plan.id)\n  if")
        .of_graphs(),
    bug("the first cause is lost on the way", "run_deferred", "local cause = told[3] or up.id", "local cause = up.id")
        .of_graphs(),
    shown(
        "a task that waits stands in the list",
        "submit",
        "task.edges and (task.edges[1] or task.joins) and",
        "false and",
    )
    .of_graphs(),
    shown("an end that comes of another end tells nobody", "fail", "task.deferred = true", "task.deferred = false")
        .of_graphs(),
    bug("a value that is not JSON is an element", "submit", "if #text < length or", "if #text < length and")
        .of_graphs(),
    bug("a result that is not JSON is an element", "complete", "if not up.json then", "if false then").of_graphs(),
    bug("an empty result is no element", "complete", "return result == '' and 'null' or result", "return result")
        .of_graphs(),
    bug(
        "a task that is ready does not look at its eta",
        "complete",
        "plan.to = tonumber(eta or 0) * 1000000 > namespace_now_us and 'scheduled' or 'pending'",
        "plan.to = 'pending'",
    )
    .of_graphs(),
    bug("a task that is ready wakes nobody", "complete", "  if plan.to == 'pending' then", "  if false then")
        .of_graphs(),
    bug("a repair takes a task that has not begun for a deleted one", "repair", "not (v[1] or v[2])", "not v[1]")
        .of_graphs(),
    shown("a submitter that comes back brings too little", "run_deferred", "'staged', -#ids", "'staged', 0")
        .of_graphs(),
    bug("a result that others are to get is deleted", "delete", "return all > 0, waiting > 0", "return false")
        .of_graphs(),
    bug(
        "the first tasks of a graph begin first",
        "run_deferred",
        "math.max(0, left - limit), left - 1",
        "graph.released, graph.released + limit - 1",
    )
    .of_graphs(),
    bug("a graph that is removed loses its first tasks first", "run_deferred", ", -limit, -1)", ", 0, limit - 1)")
        .of_graphs(),
    bug(
        "a task of a graph hears of an end before it begins",
        "submit_graph",
        "outside and '-inf' or edge.missed",
        "edge.missed",
    )
    .of_graphs(),
    bug(
        "a task forgets what it has heard later that it waits for",
        "submit_graph",
        "if not string.find(task.flags, 'w', 1, true) then",
        "if false then",
    )
    .of_graphs(),
    shown("nobody tells those that wait for a task of the same id", "run_deferred", "if up.runs then", "if false then")
        .of_graphs(),
    shown(
        "a version hears nothing of the one that it replaces",
        "submit",
        "rival.later = fresh[1].edges and fresh[1].edges[1] and true",
        "rival.later = nil",
    )
    .of_graphs(),
    bug("a task waits for one that it replaces", "submit", "if edge.up.id == rival.id then", "if false then")
        .of_graphs(),
    bug("a cascade cancels what others need", "run_deferred", "'(0', 'inf', 'LIMIT', 0,", "'(0', '(0', 'LIMIT', 0,")
        .of_graphs(),
    bug(
        "a cascade leaves its task among those that wait",
        "run_deferred",
        "step.left[#step.left + 1] = id",
        "step.left[1] = nil",
    )
    .of_graphs(),
    bug("each step of a cascade is the first", "run_deferred", "offset = tonumber(offset) or 0", "offset = 0")
        .of_graphs(),
    bug("the end of a waiting task cancels nothing", "run_deferred", "if task.cascades then\n", "if false then\n")
        .of_graphs(),
    bug("a result that nobody wants any more counts", "complete", "'discard') then", "'discarded') then").of_graphs(),
    bug(
        "nobody knows why a running task was cancelled",
        "run_deferred",
        "'discard', '1', unpack(spec.cause",
        "'discard', '1', unpack(false",
    )
    .of_graphs(),
    bug("a cascade tells the task that it came from", "run_deferred", "up.knowing = ", "up.known = ").of_graphs(),
    bug("nothing is held", "fail", "(task.extra[5]) == 'hold'", "(task.extra[5]) == 'held'").of_graphs(),
    bug("what is held is told again", "run_deferred", "and '(inf' or 'inf'", "and 'inf' or 'inf'").of_graphs(),
    bug(
        "what was held is not told of the success of the retry",
        "complete",
        "key, '(0', '+inf', 'LIMIT'",
        "key, '(0', '(inf', 'LIMIT'",
    )
    .of_graphs(),
    shown("what is held waits like any other", "fail", ", 'inf', plan.id)", ", namespace_now, plan.id)").of_graphs(),
    bug("a walk leaves its first task out", "cancel_graph", "'at', '0', ...)", "'at', '1', ...)").of_graphs(),
    bug("a second walk keeps the marks of the first", "cancel_graph", "redis.call('UNLINK', ", "redis.call('EXISTS', ")
        .of_graphs(),
    bug(
        "a second walk keeps what the first was about",
        "retry_graph",
        "redis.call('HDEL', cold",
        "redis.call('HMGET', cold",
    )
    .of_graphs(),
    bug(
        "a second call undoes what is yet to run again for the first",
        "retry_graph",
        "if not merges then",
        "if merges then",
    )
    .of_graphs(),
    bug(
        "one of several that run again does not wait for another",
        "run_deferred",
        "if below and mark ~= '1' then",
        "if below and not mark then",
    )
    .of_graphs(),
    bug(
        "a walk goes through its tasks once",
        "run_deferred",
        "walk.at, walk.changed, walk.refused = 0, 0, 0",
        "walk.changed, walk.refused = 0, 0",
    )
    .of_graphs(),
    bug(
        "a task that is spared is discarded all the same",
        "run_deferred",
        "'cancel', 'discard', 'cause', 'reason')",
        "'cancel', 'cause', 'reason')",
    )
    .of_graphs(),
    bug(
        "a task that is not needed counts as cancelled",
        "complete",
        "status == 'cancelled' and string.find(flags or '', 'x', 1, true) and 'skipped' or status",
        "status",
    )
    .of_graphs(),
    bug(
        "a task that runs again still counts as skipped",
        "run_deferred",
        "if to ~= 'cancelled' and to ~= 'deleted' then",
        "if to == '' then",
    )
    .of_graphs(),
    bug(
        "a repair runs again what was cancelled by hand",
        "run_deferred",
        "return status and status ~= 'failed' and status ~= 'cancelled' or cause and walk.spec.begun[cause]",
        "return true",
    )
    .of_graphs(),
    bug(
        "a retry repairs nothing else",
        "retry",
        "(known[2] or 0) + (known[3] or 0) + (known[4] or 0) > 1",
        "(known[2] or 0) + (known[3] or 0) + (known[4] or 0) > 100",
    )
    .of_graphs(),
    bug(
        "a task that runs again gets the old result",
        "run_deferred",
        "again.forget[slot] = true",
        "again.forget[slot] = nil",
    )
    .of_graphs(),
    bug(
        "what is ready is not stopped first",
        "run_deferred",
        "task.status ~= 'pending' and task.status ~= 'scheduled')",
        "task.status)",
    )
    .of_graphs(),
    bug(
        "a step refuses what needs another task of it",
        "run_deferred",
        "spec.begun[id] = task.to and true",
        "spec.begun[id] = nil",
    )
    .of_graphs(),
    bug("a task begins again with each pass", "run_deferred", "walk.marks[id] = '0'", "walk.marks[id] = '1'")
        .of_graphs(),
    bug(
        "a walk does not say whose cancel it was",
        "run_deferred",
        "task.cause = walk.task ~= ids[i] and walk.task or nil",
        "task.cause = nil",
    )
    .of_graphs(),
    bug("a step takes one task too many", "run_deferred", "#walk.tasks >= limit or", "#walk.tasks > limit or")
        .of_graphs(),
    bug("a walk does not wait for owners", "run_deferred", "walk.pause and 1000000 or 0", "0").of_graphs(),
    bug("a circle through others is not seen", "depend", "if up == task.id then", "if false then").of_graphs(),
    bug("later slots leave a gap", "depend", "if slot ~= task.slots + i - 1 then", "if false then").of_graphs(),
    bug(
        "a task that waits later does not say so",
        "depend",
        "task.flags = (task.flags or '') .. 'w'",
        "task.flags = task.flags or ''",
    )
    .of_graphs(),
    bug("an edge that is cut stays in the inputs", "undepend", "'=(.+)$') ~= id then", "'=(.+)$') then").of_graphs(),
    bug("a task that waits again was ready before", "depend", "{ 'readied', 'promoted' }", "{ 'promoted' }")
        .of_graphs(),
    bug("a task that waits for nothing any more is not ready", "undepend", "if open == 0 or", "if open == -1 or")
        .of_graphs(),
    bug(
        "a deadline is over a moment later",
        "run_deferred",
        "tonumber(end_by) * 1000000 <= namespace_now_us",
        "tonumber(end_by) * 1000000 < namespace_now_us",
    )
    .of_graphs(),
    bug(
        "a task that was told of its deadline completes",
        "complete",
        "return task.end_by ~= nil and",
        "return false and",
    )
    .of_graphs(),
    bug(
        "a retry does not look at the deadline",
        "retry",
        "task.end_by = end_by or task.end_by",
        "task.end_by = end_by",
    )
    .of_graphs(),
    bug(
        "the later of two deadlines counts",
        "submit_graph",
        "tonumber(options.deadline) < tonumber(deadline)",
        "tonumber(options.deadline) > tonumber(deadline)",
    )
    .of_graphs(),
    bug("nobody is told of a deadline", "run_deferred", "task.to = 'stopping'", "task.to = nil").of_graphs(),
    bug(
        "a child that has failed is waited for in vain",
        "release",
        "task.broken = task.broken or up",
        "task.broken = nil",
    )
    .of_graphs(),
    bug(
        "what waited for children has lost its turn",
        "release",
        "'flags', task.flags, 'front', '1', ...",
        "'flags', task.flags, ...",
    )
    .of_graphs(),
    shown(
        "an attempt that waits for children is pending",
        "release",
        "local to = task.edges[1] and 'waiting' or 'pending'",
        "local to = 'pending'",
    )
    .of_graphs(),
    bug("a bound of a graph has no number", "submit_graph", "bound.places .. ' -'", "'9 -'").of_graphs(),
    bug(
        "a bound outlives its graph",
        "delete",
        "redis.call('HDEL', bound.limits, bound.key)",
        "redis.call('HGET', bound.limits, bound.key)",
    )
    .of_graphs(),
    bug(
        "one of a set that has failed is as good as a complete one",
        "fail",
        "plan.met = to == 'complete'",
        "plan.met = true",
    )
    .of_sets(),
    shown(
        "a task waits for a set that cannot be complete any more",
        "fail",
        "and not may_wait then",
        "and not may_wait and false then",
    )
    .of_sets(),
    bug("a task fails though one of its set runs again", "fail", "}, set.missed - 1", "}, set.missed").of_sets(),
    shown("a set has enough one too late", "complete", "return set.least <= 0 and", "return set.least < 0 and")
        .of_sets(),
    bug(
        "one of a set is cut without a look at how many are left",
        "undepend",
        "set.least = 0\n  elseif set",
        "set.least = 0\n  elseif false and set",
    )
    .of_sets(),
    bug(
        "another number of a set counts beside the first one",
        "depend",
        "set.least + (wanted.least or had) - had",
        "set.least + (wanted.least or had)",
    )
    .of_sets(),
    shown("a graph waits for a set that is complete", "run_deferred", "open, task.drops = 0, true", "task.drops = nil")
        .of_sets(),
    bug(
        "a step keeps the failures of the one before",
        "complete",
        "('failures', 'losses', 'releases', 'uncounted',",
        "('losses', 'releases', 'uncounted',",
    )
    .of_changes(),
    bug("the same step comes again and again", "complete", "local told = { steps = rest,", "local told = {")
        .of_changes(),
    shown(
        "two tasks of a queue have a unique name by a step",
        "complete",
        "other.unique, other.nameless, flags = nil, true, string.gsub(flags, 'u', '')",
        "local _ = flags",
    )
    .of_changes(),
    bug(
        "a step that is named is followed by the one that it replaces",
        "complete",
        "string.match(v[1] or '', '^([^,]+),?(.*)$')",
        "string.match(v[1] or '', '^([^,]+),?(.*)$')\n  rest = asked and v[1] or rest",
    )
    .of_changes(),
    bug(
        "a next step has only some of its options",
        "complete",
        "told[edit.set[i]] = told[edit.set[i]] or edit.set[i + 1]",
        "told[edit.set[i]] = told[edit.set[i]] or i < 3 and edit.set[i + 1] or nil",
    )
    .of_changes(),
    bug(
        "an option that a next step is not to have stays",
        "complete",
        "told[name] = told[name] or ''",
        "told[name] = told[name]",
    )
    .of_changes(),
    shown(
        "a next step has the claims of the one before",
        "complete",
        "task[name] = fresh[name]",
        "task[name] = task[name] or fresh[name]",
    )
    .of_changes(),
    bug(
        "a cancelled task goes on",
        "complete",
        "elseif task.cancel then\n    task.cost = cost",
        "elseif false then\n    task.cost = cost",
    )
    .of_changes(),
    bug("of several ends one goes on where it is", "finish_and_reserve", "not one.asked and (", "(").of_changes(),
    bug(
        "a task is given back into a closed queue",
        "release",
        "(other.queue, 'closed') == '1'",
        "(other.queue, 'closed') == '2'",
    )
    .of_changes(),
    shown(
        "two tasks of a queue have a unique name by a release",
        "release",
        "elseif other.unique and",
        "elseif false and",
    )
    .of_changes(),
    bug(
        "what was given back into another queue forgets that it was",
        "release",
        "local fields = { 'outcome', 'released', counter, count }",
        "local fields = { 'outcome', 'released' }",
    )
    .of_changes(),
    bug("a release into another queue does not wait", "release", "'eta', other.eta, ", "'eta', namespace.now, ")
        .of_changes(),
    bug(
        "an edit of the priority keeps the place",
        "edit",
        "fresh.place = not changed.priority and (",
        "fresh.place = (",
    )
    .of_changes(),
    bug("an owner edits with the token of another attempt", "edit", "if token and not (", "if false and not (")
        .of_changes(),
    bug(
        "an edit unsets nothing",
        "edit",
        "wanted[name] = not unset[name] and had[field] or nil",
        "wanted[name] = had[field] or nil",
    )
    .of_changes(),
    bug("a pending task that is edited is due at once", "edit", "edit.to = 'scheduled'", "edit.to = 'pending'")
        .of_changes(),
    shown("a new round keeps the result", "submit", "return 'result', 'error',", "return 'error',").of_changes(),
    bug("a new round forgets that others wait for it", "submit", "'[^don]', '')", "'.', '')").of_changes(),
    bug(
        "a round begins beside what still needs another task",
        "submit",
        "elseif string.find(flags, 'w', 1, true) and redis.call(",
        "elseif false and redis.call(",
    )
    .of_changes(),
    bug("a second request for once more replaces the first", "submit", "elseif queued and (", "elseif false and (")
        .of_further(),
    shown(
        "the end of a task that is to run once more begins nothing",
        "complete",
        "if string.find(task.flags, 'a', 1, true) and task.status and",
        "if false and",
    )
    .of_further(),
    bug(
        "a round that began later still has its request",
        "run_deferred",
        "'request', 'exclusive', 'next_round'",
        "'request', 'exclusive'",
    )
    .of_further(),
    bug("a round that cannot begin keeps its flag", "run_deferred", "string.gsub(task.flags, 'a', '')", "task.flags")
        .of_further(),
    bug(
        "a tracked task tells nobody that it is complete",
        "complete",
        "      if task.tracked then",
        "      if task.tracked and to ~= 'complete' then",
    )
    .of_watched(),
    bug("the same progress is told twice", "progress", "field) ~= value", "field) ~= false").of_watched(),
    bug("what is deleted stays tracked", "delete", "      if task.tracked then", "      if false then").of_watched(),
    bug(
        "a round counts attempts again",
        "submit",
        "'queue', new.queue, 'attempt', new.attempt,",
        "'queue', new.queue, 'attempt', '0',",
    )
    .of_changes(),
    bug("the audit is not bounded", "configure", "'MAXLEN', '~', cold", "'MAXLEN', '~', 1000000 + cold").of_audits(),
    bug(
        "what was there before is what is there now",
        "configure",
        "queue, before, value, name",
        "queue, value, value, name",
    )
    .of_audits(),
    bug(
        "a pause that changes nothing leaves an entry",
        "pause",
        "if before ~= after or former ~=",
        "if true or former ~=",
    )
    .of_audits(),
    bug("a bulk hides how many it changed", "bulk", "tostring(#tasks)", "tostring(looked)").of_audits(),
    bug("whose entries they are does not matter", "audit", "(options.by or v[4]) == v[4] and", "").of_audits(),
    bug("a part with more to do waits for the next round", "maintenance", "more and now or math.min(", "math.min(")
        .of_maintenance(),
    bug(
        "what is due within a round waits for the next",
        "maintenance",
        "math.min(one.after, math.max(now, next))",
        "one.after",
    )
    .of_maintenance(),
    bug("a clock that ran ahead stops maintenance", "maintenance", "us <= now + most and us or 0", "us")
        .of_maintenance(),
    bug("what is old is looked for in each round", "maintenance", "one.pruned >= 60000000", "one.pruned >= 0")
        .of_maintenance(),
    bug(
        "the first queue of a call goes before what is due longer",
        "maintenance",
        "one.due < other.due or",
        "false or",
    )
    .of_maintenance(),
    bug("repairs take the whole round", "maintenance", "#parts + 12 - 1", "#parts + 120 - 1").of_maintenance(),
    bug("a peek forgets what it has given out", "peek", "known.used + weight", "known.used").of_peeks(),
    bug("a peek forgets the starts of a key", "peek", "known.starts + 1", "known.starts").of_peeks(),
    bug(
        "an edit changes the limits of what runs",
        "edit",
        "' queue eta key weight limits unique",
        "' queue eta key weight unique",
    )
    .of_edits(),
    bug(
        "the next attempt gets what the running one got",
        "edit",
        "if not parameters or parameters == before then",
        "if not parameters or parameters == before or task.token ~= '' then",
    )
    .of_edits(),
    bug(
        "an edit of limits leaves a task among those with the old ones",
        "edit",
        "changed.needs or changed.limits or changed.priority",
        "changed.needs or changed.priority",
    )
    .of_edits(),
    shown(
        "a repair removes the order of requests without an answer",
        "repair",
        "and (task.cancel or task.requeue or",
        "and (task.cancel or task.requeue or false and",
    )
    .of_controls(),
    bug("an owner answers a request with another token", "attend", "if v[2] ~= token or not (", "if not (")
        .of_controls(),
    bug("a request is delivered again after its answer", "attend", "table.remove(found.list, 1)", "found.list[1]")
        .of_controls(),
    shown(
        "a held task stays among those that can be reserved",
        "hold",
        "redis.call('LREM', task.astray or old, task.from_end or '-1', id)",
        "local _ = to == 'held' or redis.call('LREM', task.astray or old, task.from_end or '-1', id)",
    )
    .of_controls(),
    bug(
        "a task that is being stopped is suspended",
        "suspend",
        "elseif task.cancel or task.requeue then",
        "elseif false then",
    )
    .of_controls(),
    bug("a bulk sends no signal", "bulk", "detail = options.signal,", "detail = nil,").of_controls(),
    bug(
        "a task that is given back stays suspended",
        "release",
        "'control_refused', 'suspended', 'suspended_by'",
        "'control_refused', 'suspended_by'",
    )
    .of_controls(),
];

/// `SEED NAME` of each bug: what selects the calls that find it soon.
const SEEDS: &str = include_str!("seeds.txt");

fn seeds(text: &str) -> BTreeMap<&str, u64> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(seed, name)| (name, seed.parse().unwrap())).collect()
}

/// The seed with which a bug is found: the same each time.
pub fn seed_of(bug: &Bug) -> u64 {
    seeds(SEEDS).get(bug.name).copied().unwrap_or(1)
}

/// Writes a better seed of a bug into the file of all.
pub fn keep_seed(bug: &Bug, seed: u64) {
    static FILE: Mutex<()> = Mutex::new(());
    let _one_at_a_time = FILE.lock().unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/model/seeds.txt");
    let text = fs::read_to_string(path).unwrap();
    let mut all = seeds(&text);
    all.insert(bug.name, seed);
    all.retain(|name, seed| *seed != 1 && BUGS.iter().any(|bug| bug.name == *name));
    fs::write(path, all.iter().map(|(name, seed)| format!("{seed} {name}\n")).collect::<String>()).unwrap();
}

/// The scripts with this bug in them.
pub fn plant(bug: &Bug) -> Scripts {
    let mut scripts = scripts();
    let source = scripts.get_mut(bug.command).unwrap();
    assert!(
        source.contains(bug.old),
        "{:?} does not occur in {}: adapt the planted bug `{}`",
        bug.old,
        bug.command,
        bug.name
    );
    *source = source.replace(bug.old, bug.new);
    scripts
}
