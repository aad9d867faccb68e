//! I5: each key is one of the contract's, of its type, within its bounds.

use std::collections::BTreeSet;

use super::{Checked, Record, ensure, field, hash, held, records, set};
use crate::model::keys::{Kept, Keys};
use crate::model::ops::{LISTENERS, QUEUES};

const META: [&str; 11] =
    ["schema", "clock:1", "test", "token", "run", "gap", "settings", "limits", "patterns", "searched", "asked"];
const META_OF_QUEUES: [&str; 6] = ["paused:", "settings:", "ranking:", "sweep:", "swept:", "drained:"];

/// A key's kind, its queue, and what follows that.
fn parts(name: &str) -> (&str, Option<&'static str>, &str) {
    let (head, rest) = name.split_once('/').unwrap_or((name, ""));
    let queue = QUEUES.into_iter().find(|queue| head.ends_with(&format!("_{queue}")));
    (queue.map_or(head, |queue| &head[..head.len() - queue.len() - 1]), queue, rest)
}

pub fn check(keys: &Keys) -> Checked {
    for (name, kept) in keys {
        let (kind, queue, rest) = parts(name);
        let fits = match queue {
            Some(queue) => of_queue(keys, kind, queue, rest, kept),
            None => of_namespace(keys, kind, kept),
        };
        ensure(fits, || format!("I5: {name} is not of the contract: {kept:?}"))?;
    }
    for (id, record) in records(keys).iter().filter(|(_, record)| record.contains_key("controls")) {
        let told = hash(keys, &format!("orders_{}", field(record, "queue"))).contains_key(&format!("t:{id}"));
        ensure(told, || format!("I5: {id} has requests, and no order: {record:?}"))?;
    }
    Ok(())
}

fn of_namespace(keys: &Keys, kind: &str, kept: &Kept) -> bool {
    match (kind, kept) {
        ("meta", Kept::Hash(meta)) => {
            let known = |field: &String| {
                META.contains(&field.as_str()) || META_OF_QUEUES.iter().any(|kind| field.starts_with(kind))
            };
            field(meta, "schema") == "1" && meta.keys().all(known)
        }
        ("requests", Kept::Hash(answers)) => answers.len() <= 20_002,
        ("schedules", Kept::Zset(names)) => names.keys().all(|name| keys.contains_key(&format!("schedule_{name}"))),
        ("deferred" | "graphs_due" | "deadlines" | "shared_idle", Kept::Zset(_)) => true,
        ("maintenance", Kept::Hash(rounds)) => rounds.keys().all(|name| name == "*" || QUEUES.contains(&name.as_str())),
        ("ready", Kept::Zset(queues)) => queues.keys().all(|queue| QUEUES.contains(&queue.as_str())),
        (other, Kept::Zset(marks)) if other.starts_with("chosen_") => {
            marks.values().all(|mark| [0.0, 1.0, 2.0].contains(mark))
        }
        ("graphs", Kept::Zset(graphs)) => graphs.keys().all(|graph| keys.contains_key(&format!("graph_{graph}"))),
        (other, Kept::Zset(_)) if other.starts_with("dependents_") => true,
        ("queues", Kept::Zset(queues)) => queues.keys().all(|queue| QUEUES.contains(&queue.as_str())),
        ("shared_limits" | "shared_places" | "shared_waits" | "shared_tasks" | "shared_expires", Kept::Hash(_)) => true,
        (other, Kept::Zset(_)) if other.starts_with("shared_turns_") => true,
        (other, Kept::List(_)) => ["reserved_tasks_", "members_", "outside_", "shared_rate_", "wakes_"]
            .iter()
            .any(|kind| other.starts_with(kind)),
        ("workers", Kept::Zset(workers)) => workers.keys().all(|who| keys.contains_key(&format!("worker_{who}"))),
        (other, Kept::Hash(_)) => match other.strip_prefix("rounds_").or_else(|| other.strip_prefix("worker_")) {
            Some(listener) => LISTENERS.contains(&listener),
            None => ["task_", "schedule_", "upstreams_", "inputs_", "graph_", "next_round_", "described_"]
                .iter()
                .any(|kind| other.starts_with(kind)),
        },
        ("audit" | "changes", Kept::Stream(_)) | ("tracked", Kept::Zset(_)) => true,
        (other, Kept::Stream(entries)) => match other.strip_prefix("history_") {
            Some(id) => entries.len() <= 100 && keys.contains_key(&format!("task_{id}")),
            None => false,
        },
        _ => false,
    }
}

fn of_queue(keys: &Keys, kind: &str, queue: &str, rest: &str, kept: &Kept) -> bool {
    let registered = set(keys, &format!("listeners_{queue}"));
    let orders = |order: (&String, &String)| match (order.0.split_once(':'), order.1.as_str()) {
        (Some(("t", id)), order @ ("cancel" | "kill" | "stop")) => {
            let record = hash(keys, &format!("task_{id}"));
            let flag = if order == "stop" { "requeue" } else { "cancel" };
            held(field(&record, "status")) && record.contains_key(flag)
        }
        (Some(("t", id)), "attend") => hash(keys, &format!("task_{id}")).contains_key("controls"),
        (Some(("l", who)), "drain") => registered.contains(who),
        (None, "stop") => order.0 == "q" && hash(keys, "meta").contains_key(&format!("paused:{queue}")),
        _ => false,
    };
    match (kind, kept) {
        ("wake", Kept::List(items)) => items.len() <= 1,
        ("events", Kept::Stream(entries)) => entries.len() <= 10_200,
        ("orders", Kept::Hash(entries)) => entries.iter().all(orders),
        ("listeners", Kept::Set(ids)) => ids.iter().all(|id| LISTENERS.contains(&id.as_str())),
        ("seen", Kept::Zset(seen)) => seen.keys().cloned().collect::<BTreeSet<_>>() == registered,
        ("has", Kept::Hash(has)) => has.iter().all(|(who, what)| registered.contains(who) && !what.is_empty()),
        ("unique", Kept::Hash(names)) => names.values().all(|holder| holder.split(' ').count() == 2),
        ("rate", Kept::List(starts)) => starts.len() <= 1000,
        ("key_tasks" | "group" | "tag", Kept::Zset(_)) => kind == "group" || !rest.is_empty(),
        ("ranked_tasks", Kept::Zset(_)) | ("statistics" | "hosts", Kept::Hash(_)) => true,
        _ if !rest.is_empty() => false,
        ("delayed", Kept::Zset(delayed)) => delayed.keys().all(|key| key == "/" || used(keys, queue, key)),
        ("turns" | "places" | "needs" | "limits" | "aggregate" | "suspects", Kept::Hash(_)) => true,
        ("days", Kept::Zset(days)) => days.len() <= 30,
        ("pending_tasks" | "held_tasks" | "complete_tasks" | "failed_tasks" | "cancelled_tasks", Kept::List(_))
        | (
            "waiting_tasks"
            | "scheduled_tasks"
            | "scheduled_ranked_tasks"
            | "tasks"
            | "leases"
            | "pending_ranked_tasks"
            | "timed"
            | "groups"
            | "tags",
            Kept::Zset(_),
        )
        | ("started_tasks", Kept::Set(_)) => true,
        _ => false,
    }
}

/// Returns true if a task of a key waits or runs.
pub fn used(keys: &Keys, queue: &str, key: &str) -> bool {
    let busy = |record: &&Record| held(field(record, "status")) || field(record, "status") == "pending";
    super::records_of(keys, queue).into_values().filter(busy).any(|record| field(record, "key") == key)
}
