//! Bugs to plant: each is a replacement in one composed script. A test that finds none of
//! them proves nothing when it finds none in the scripts as they are.

use super::{Scripts, scripts};

/// A planted bug.
pub struct Bug {
    pub name: &'static str,
    pub command: &'static str,
    /// Stands in the script exactly once.
    old: &'static str,
    new: &'static str,
    /// Whether the keys alone show it, without the model.
    pub shows: bool,
}

const fn bug(name: &'static str, command: &'static str, old: &'static str, new: &'static str) -> Bug {
    Bug { name, command, old, new, shows: false }
}

/// One that the invariants find alone.
const fn shown(name: &'static str, command: &'static str, old: &'static str, new: &'static str) -> Bug {
    Bug { name, command, old, new, shows: true }
}

pub const BUGS: [Bug; 24] = [
    shown("complete without a look at the token", "complete", "if v[2] ~= token or not (", "if not ("),
    shown(
        "a lost task keeps its token",
        "requeue_orphans",
        "'token', '', 'ended', task.token, 'outcome', 'lost', 'losses'",
        "'ended', task.token, 'outcome', 'lost', 'losses'",
    ),
    shown("losses are not counted", "requeue_orphans", "tonumber(losses or 0) + 1", "tonumber(losses or 0)"),
    shown("an id that exists is submitted anew", "submit", "if not found then", "if not found or found == queue then"),
    shown("time has no floor", "reserve", "if tonumber(clock) > space_us then", "if false then"),
    shown("an event says too little", "promote", "'from', from or ''", "'from', ''"),
    shown("a lease stays behind", "fail", "if task.token ~= '' then", "if false then"),
    shown(
        "an order stays behind",
        "complete",
        "redis.call('HDEL', prefix .. 'orders_' .. queue, 't:' .. id)",
        "redis.call('HLEN', prefix .. 'orders_' .. queue)",
    ),
    shown("a cancelled task stays started", "cancel", "redis.call('SREM', ", "redis.call('SISMEMBER', "),
    shown("a heartbeat brings a lost lease back", "heartbeat", "'XX', 'CH', ", "'CH', "),
    shown(
        "a write comes before the refusal",
        "start",
        "cold('reply.fail')('CANCELLED',",
        "redis.call('HSET', space_prefix .. 'task_' .. id, 'pid', pid) cold('reply.fail')('CANCELLED',",
    ),
    shown(
        "a deleted task stays listed",
        "delete",
        "redis.call('ZREM', prefix .. 'tasks_'",
        "redis.call('ZSCORE', prefix .. 'tasks_'",
    ),
    shown("retry keeps the losses", "retry", "'losses', '0', ", ""),
    shown("a lost reply is not given again", "release", "'outcome', outcome, ", ""),
    shown("a failure counts twice", "fail", "tonumber(failures or 0) + 1", "tonumber(failures or 0) + 2"),
    bug(
        "a lease expires at its deadline",
        "requeue_orphans",
        "string.format('(%.0f', space_us)",
        "string.format('%.0f', space_us)",
    ),
    bug("a lease is postponed for ever", "requeue_orphans", "tonumber(task.extra[4] or 0) ~= deadline", "true"),
    bug("a task fails one loss too early", "requeue_orphans", "task.losses > tonumber(", "task.losses >= tonumber("),
    bug("release to the back", "release", "task.front, task.forget = true,", "task.front, task.forget = false,"),
    bug("reserve from a paused queue", "reserve", "while not meta[i - 2] and skipped", "while skipped"),
    bug("any token gets the first answer", "complete", "last[1] == token and last[2]", "last[2]"),
    bug("promotion before the time", "promote", "'-inf', space_now, 'LIMIT'", "'-inf', '+inf', 'LIMIT'"),
    bug("a request is not remembered", "reserve", "request or ''", "''"),
    bug("retention deletes the latest", "retain", "-1 - taken[kind]", "taken[kind]"),
];

/// The scripts with this bug in them.
pub fn plant(bug: &Bug) -> Scripts {
    let mut scripts = scripts();
    let source = scripts.get_mut(bug.command).unwrap();
    let places = source.matches(bug.old).count();
    assert_eq!(places, 1, "{:?} stands {places} times in {}: plant `{}` anew", bug.old, bug.command, bug.name);
    *source = source.replace(bug.old, bug.new);
    scripts
}
