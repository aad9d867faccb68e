//! The invariants, checked on the keys alone. Nothing here knows the model.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Turn;
use crate::model::keys::{Kept, Keys, Reply};
use crate::model::ops::{Act, LISTENERS, Op, PAYLOADS, QUEUES};
use crate::model::settle::micros;

type Checked = Result<(), String>;
type Record = BTreeMap<String, String>;

const FINISHED: [&str; 3] = ["complete", "failed", "cancelled"];

/// Where a task can go from each state.
const DIAGRAM: [(&str, &[&str]); 9] = [
    ("", &["scheduled", "pending"]),
    ("scheduled", &["pending", "cancelled"]),
    ("pending", &["reserved", "cancelled"]),
    ("reserved", &["started", "reserved", "pending", "complete", "failed", "cancelled"]),
    ("started", &["reserved", "pending", "complete", "failed", "cancelled"]),
    ("complete", &["deleted"]),
    ("failed", &["pending", "deleted"]),
    ("cancelled", &["pending", "deleted"]),
    ("deleted", &[]),
];

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(what()) }
}

fn held(status: &str) -> bool {
    status == "reserved" || status == "started"
}

fn list(keys: &Keys, name: &str) -> Vec<String> {
    match keys.get(name) {
        Some(Kept::List(items)) => items.clone(),
        _ => Vec::new(),
    }
}

fn set(keys: &Keys, name: &str) -> BTreeSet<String> {
    match keys.get(name) {
        Some(Kept::Set(items)) => items.clone(),
        _ => BTreeSet::new(),
    }
}

fn zset(keys: &Keys, name: &str) -> BTreeMap<String, f64> {
    match keys.get(name) {
        Some(Kept::Zset(items)) => items.clone(),
        _ => BTreeMap::new(),
    }
}

fn hash(keys: &Keys, name: &str) -> Record {
    match keys.get(name) {
        Some(Kept::Hash(fields)) => fields.clone(),
        _ => Record::new(),
    }
}

fn field<'a>(record: &'a Record, name: &str) -> &'a str {
    record.get(name).map_or("", String::as_str)
}

fn records(keys: &Keys) -> BTreeMap<&str, &Record> {
    let tasks = keys.iter().filter_map(|(name, kept)| match (name.strip_prefix("task_"), kept) {
        (Some(id), Kept::Hash(record)) => Some((id, record)),
        _ => None,
    });
    tasks.collect()
}

/// What must hold of the keys at any time (I1 to I6), and of the events (I17 to I19).
pub fn keys(keys: &Keys) -> Checked {
    known(keys)?;
    indexes(keys)?;
    for (id, record) in records(keys) {
        let leases = zset(keys, &format!("leases_{}", field(record, "queue")));
        let of = leases.keys().filter(|lease| lease.starts_with(&format!("{id} "))).count();
        let (token, node) = (field(record, "token"), field(record, "node"));
        let live = held(field(record, "status"));
        ensure(of == usize::from(live), || format!("I3: {id} has {of} leases: {record:?}"))?;
        ensure(live != token.is_empty(), || format!("I3: {id} has the token {token:?}: {record:?}"))?;
        ensure(!live || leases.contains_key(&format!("{id} {token}")), || {
            format!("I3: the lease of {id} has another token")
        })?;
        ensure(!live || !node.is_empty(), || format!("I3: {id} has no node: {record:?}"))?;
    }
    events(keys)
}

/// I1, I2, I4: every task is in the index that its status names, and nothing else is in any.
fn indexes(keys: &Keys) -> Checked {
    let mut found: Vec<(String, String, String)> = Vec::new();
    let mut all: Vec<(String, String)> = Vec::new();
    let mut leases = 0;
    for queue in QUEUES {
        let mut put = |status: &str, id: &str| found.push((id.to_owned(), queue.to_owned(), status.to_owned()));
        for status in ["pending", "complete", "failed", "cancelled"] {
            list(keys, &format!("{status}_tasks_{queue}")).iter().for_each(|id| put(status, id));
        }
        zset(keys, &format!("scheduled_tasks_{queue}")).keys().for_each(|id| put("scheduled", id));
        for who in LISTENERS {
            list(keys, &format!("reserved_tasks_{queue}_{who}")).iter().for_each(|id| put(who, id));
        }
        set(keys, &format!("started_tasks_{queue}")).iter().for_each(|entry| put("started", entry));
        all.extend(zset(keys, &format!("tasks_{queue}")).into_keys().map(|id| (id, queue.to_owned())));
        leases += zset(keys, &format!("leases_{queue}")).len();
    }
    let mut expected = Vec::new();
    let mut live = 0;
    for (id, record) in records(keys) {
        let (queue, status) = (field(record, "queue"), field(record, "status"));
        let mut put = |id: &str, index: &str| expected.push((id.to_owned(), queue.to_owned(), index.to_owned()));
        put(id, if held(status) { field(record, "node") } else { status });
        if status == "started" {
            put(&format!("{} {} {id}", field(record, "node"), field(record, "pid")), "started");
        }
        live += usize::from(held(status));
        let eta = zset(keys, &format!("scheduled_tasks_{queue}")).get(id).copied();
        ensure(eta.is_none() || eta == field(record, "eta").parse().ok(), || format!("I1: {id} is due at {eta:?}"))?;
        ensure(all.contains(&(id.to_owned(), queue.to_owned())), || {
            format!("I2: {id} is not among all tasks of {queue}")
        })?;
    }
    found.sort();
    expected.sort();
    ensure(found == expected, || format!("I1, I2: the indexes hold {found:?}\n    the records say {expected:?}"))?;
    ensure(all.len() == records(keys).len(), || format!("I2: all tasks are {all:?}"))?;
    ensure(leases == live, || format!("I3: {leases} leases, {live} held tasks"))?;
    for (queue, listeners) in zset(keys, "queues") {
        let number = set(keys, &format!("listeners_{queue}")).len();
        ensure(number.to_string() == listeners.to_string(), || {
            format!("I4: {queue} counts {listeners} listeners of {number}")
        })?;
    }
    Ok(())
}

/// I5: each key is one of the contract's, of its type, within its bound.
fn known(keys: &Keys) -> Checked {
    for (name, kept) in keys {
        let queue = QUEUES.into_iter().find(|queue| name.ends_with(&format!("_{queue}")));
        let kind = queue.map_or(name.as_str(), |queue| &name[..name.len() - queue.len() - 1]);
        let registered = queue.map(|queue| set(keys, &format!("listeners_{queue}"))).unwrap_or_default();
        let orders = |order: (&String, &String)| match (order.0.split_once(':'), order.1.as_str()) {
            (Some(("t", id)), "cancel") => {
                let record = hash(keys, &format!("task_{id}"));
                held(field(&record, "status")) && record.contains_key("cancel")
            }
            (Some(("l", who)), "drain") => registered.contains(who),
            _ => false,
        };
        let fits = match (kind, kept) {
            ("meta", Kept::Hash(meta)) => {
                field(meta, "schema") == "1"
                    && meta.keys().all(|field| {
                        matches!(field.as_str(), "schema" | "clock:1" | "run" | "gap") || field.starts_with("paused:")
                    })
            }
            ("queues", Kept::Zset(queues)) => queues.keys().all(|queue| QUEUES.contains(&queue.as_str())),
            ("wake", Kept::List(items)) => items.len() <= 1,
            ("events", Kept::Stream(entries)) => entries.len() <= 10_200,
            ("orders", Kept::Hash(entries)) => entries.iter().all(orders),
            ("listeners", Kept::Set(ids)) => ids.iter().all(|id| LISTENERS.contains(&id.as_str())),
            ("seen", Kept::Zset(seen)) => seen.keys().cloned().collect::<BTreeSet<_>>() == registered,
            ("pending_tasks" | "complete_tasks" | "failed_tasks" | "cancelled_tasks", Kept::List(_))
            | ("scheduled_tasks" | "tasks" | "leases", Kept::Zset(_))
            | ("started_tasks", Kept::Set(_)) => queue.is_some(),
            (other, Kept::List(_)) if other.starts_with("reserved_tasks_") => true,
            (other, Kept::Hash(_)) => other.starts_with("task_"),
            _ => false,
        };
        ensure(fits, || format!("I5: {name} is not of the contract: {kept:?}"))?;
    }
    Ok(())
}

/// I17, I18, I19: the events of each task are a path of the diagram, one for each
/// transition, and tell the same as its record.
fn events(keys: &Keys) -> Checked {
    let mut tasks: BTreeMap<(String, String), History> = BTreeMap::new();
    for queue in QUEUES {
        let Some(Kept::Stream(entries)) = keys.get(&format!("events_{queue}")) else { continue };
        for event in entries {
            let history = tasks.entry((of(event, "id").to_owned(), queue.to_owned())).or_default();
            history.follow(event).map_err(|what| format!("{what}: {event}"))?;
        }
    }
    for ((id, queue), history) in tasks {
        let record = hash(keys, &format!("task_{id}"));
        if history.status == "deleted" {
            ensure(field(&record, "queue") != queue, || format!("I18: {id} was deleted and is there"))?;
            continue;
        }
        let own = [
            ("queue", queue),
            ("status", history.status),
            ("updated", history.at),
            ("attempt", history.attempt.to_string()),
        ];
        for (name, value) in own {
            ensure(field(&record, name) == value, || {
                format!("I18: {id} has {name} {value:?} in its events: {record:?}")
            })?;
        }
        for (name, number) in
            [("failures", history.failures), ("losses", history.losses), ("releases", history.releases)]
        {
            let counted = record.get(name).map_or(Ok(0), |value| value.parse::<u64>());
            ensure(counted == Ok(number), || format!("I19: {number} {name} of {id} by its events: {record:?}"))?;
        }
    }
    let live = records(keys).len();
    let told = keys.iter().filter(|(name, _)| name.starts_with("events_")).count();
    ensure(live == 0 || told > 0, || "I18: tasks without events".into())
}

/// A field of an event.
fn of<'a>(event: &'a str, name: &str) -> &'a str {
    event.split('|').find_map(|part| part.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default()
}

#[derive(Default)]
struct History {
    status: String,
    at: String,
    attempt: u64,
    failures: u64,
    losses: u64,
    releases: u64,
}

impl History {
    fn follow(&mut self, event: &str) -> Checked {
        let (from, to, why) = (of(event, "from"), of(event, "to"), of(event, "why"));
        if self.status == "deleted" {
            *self = Self::default();
        }
        ensure(self.status == from, || format!("I18: the task was {:?}", self.status))?;
        let allowed = DIAGRAM.iter().any(|(state, next)| *state == from && next.contains(&to));
        ensure(allowed, || "I18: not in the diagram".into())?;
        self.attempt += u64::from(to == "reserved");
        ensure(of(event, "attempt") == self.attempt.to_string(), || format!("I17, I19: attempt {} ran", self.attempt))?;
        match why {
            "fail" => self.failures += 1,
            "lost" | "adopt" => self.losses += 1,
            "release" | "deploy" => self.releases += 1,
            "retry" => (self.failures, self.losses, self.releases) = (0, 0, 0),
            _ => {}
        }
        self.status = to.to_owned();
        of(event, "at").clone_into(&mut self.at);
        Ok(())
    }
}

/// A call whose reply was lost gives its first answer, or one that says the same.
fn repeated(turn: &Turn, first: &Reply) -> Checked {
    let expected = match (&turn.op, first) {
        (_, Reply::Refused(_) | Reply::Nil) => return Ok(()),
        (Op::Submit { tasks, .. }, _) => Reply::List(vec![Reply::text("existing"); tasks.len()]),
        (Op::Reserve { request, .. } | Op::Adopt { request, .. }, _) if request.is_some() => first.clone(),
        (Op::Owner { act: Act::Complete(_) | Act::Fail { .. } | Act::Release { .. }, .. }, _) => first.clone(),
        (Op::Cancel { .. } | Op::Retry { .. }, _) => first.clone(),
        _ => return Ok(()),
    };
    ensure(turn.reply == expected, || format!("the same call again should answer {expected:?}"))?;
    ensure(turn.before == turn.after, || "the same call again changed something".into())
}

/// What has been answered so far.
#[derive(Default)]
pub struct Log {
    /// The largest token, and each one with the task it was issued for.
    tokens: BTreeMap<u64, &'static str>,
    /// The first result that was accepted of each token.
    results: BTreeMap<String, u8>,
    clock: u64,
}

impl Log {
    /// I6, I16, I17, I24 of one call, and what is promised of a repetition.
    pub fn call(&mut self, turn: &Turn) -> Checked {
        let Turn { op, reply, before, after, .. } = turn;
        if let Some(first) = &turn.again {
            repeated(turn, first)?;
        }
        if let Reply::Refused(code) = reply {
            ensure(before == after, || format!("I24: refused with {code}, and something changed"))?;
        }
        match (op, reply) {
            (Op::Reserve { .. } | Op::Adopt { .. }, Reply::List(items)) => {
                let (id, token) = (items[0].as_text(), items[2].as_text().parse().unwrap());
                let id = crate::model::ops::IDS.into_iter().find(|other| *other == id).unwrap();
                let newest = self.tokens.last_key_value().map_or(0, |(token, _)| *token);
                let known = self.tokens.get(&token);
                ensure(known.map_or(token > newest, |of| *of == id), || format!("I16: {token} after {newest}"))?;
                ensure(known.is_none() || before == after, || "a repeated reservation changed something".into())?;
                self.tokens.insert(token, id);
            }
            (Op::Owner { task, token, act }, answer) => {
                let (id, token) = (task.id(), token.token());
                let current = field(&hash(before, &format!("task_{id}")), "token") == token;
                ensure(current || before == after, || "I16: a stale token changed something".into())?;
                if let (Act::Complete(result), Reply::Text(_)) = (act, answer) {
                    self.results.entry(token.to_owned()).or_insert(*result);
                }
            }
            _ => {}
        }
        for (id, record) in records(after) {
            if field(record, "status") == "complete" {
                let sent = self.results.get(field(record, "ended")).map(|result| PAYLOADS[usize::from(*result)]);
                ensure(sent == Some(field(record, "result")), || format!("I17: the result of {id} is not {sent:?}"))?;
            }
            let times: Vec<u64> = ["created", "started", "updated"]
                .iter()
                .filter_map(|name| record.get(*name))
                .map(|at| micros(at))
                .collect();
            ensure(times.is_sorted(), || format!("I6: {id} has {record:?}"))?;
            ensure(FINISHED.contains(&field(record, "status")) || !record.contains_key("result"), || {
                format!("I17: {id} has a result")
            })?;
        }
        let clock = hash(after, "meta").get("clock:1").map_or(0, |clock| clock.parse().unwrap());
        ensure(clock >= self.clock, || format!("I6: the clock went from {} to {clock}", self.clock))?;
        self.clock = clock;
        Ok(())
    }
}
