//! How the replies of commands are read.

use std::collections::BTreeMap;
use std::time::Duration;

use redis::Value;

use crate::model::{Counts, Follow, Held, Limits, Page, Reservation, Why, WorkerInfo};
use crate::names::{QueueName, TaskId};
use crate::reply;

pub(super) fn counts(value: &Value) -> Option<Counts> {
    let mut counts = Counts::default();
    for (name, number) in reply::groups(reply::array(value)?, 0, 2, |item| match item {
        [name, number] => Some((reply::text(name)?, reply::number(number)?)),
        _ => None,
    })? {
        match name.as_str() {
            "scheduled" => counts.scheduled = number,
            "pending" => counts.pending = number,
            "reserved" => counts.reserved = number,
            "started" => counts.started = number,
            "complete" => counts.complete = number,
            "failed" => counts.failed = number,
            "cancelled" => counts.cancelled = number,
            "listeners" => counts.listeners = number,
            _ => {}
        }
    }
    Some(counts)
}

pub(super) fn worker(item: &[Value]) -> Option<WorkerInfo> {
    let [id, name, version, queues, has, slots, free, drains, since, seen, life, methods, trouble] = item else {
        return None;
    };
    let names = |value: &Value| -> Option<Vec<String>> {
        Some(reply::text(value)?.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    };
    let time = |value: &Value| reply::text(value)?.parse().ok();
    Some(WorkerInfo {
        id: reply::text(id)?,
        name: reply::optional(name)?,
        version: reply::optional(version)?,
        queues: names(queues)?,
        has: reply::optional(has)?,
        slots: reply::number(slots)?,
        free: reply::number(free)?,
        draining: names(drains)?,
        since: time(since)?,
        seen: time(seen)?,
        dead: reply::text(life)? == "dead",
        methods: names(methods)?,
        trouble: reply::optional(trouble)?,
    })
}

pub(super) fn why(value: &Value) -> Option<Why> {
    let facts: BTreeMap<String, String> = reply::groups(reply::array(value)?, 0, 2, |item| match item {
        [name, value] => Some((reply::text(name)?, reply::text(value)?)),
        _ => None,
    })?
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .collect();
    let fact = |name: &str| facts.get(name).cloned();
    let number = |name: &str| fact(name).and_then(|number| number.parse().ok());
    let count = |name: &str| fact(name).and_then(|number| number.parse().ok()).unwrap_or(0);
    let limits = |of: &str| Limits {
        concurrency: number(&format!("{of}concurrency")),
        used: number(&format!("{of}used")).unwrap_or(0),
        rate_until: fact(&format!("{of}rate_until")).and_then(|until| until.parse().ok()),
    };
    Some(Why {
        status: fact("status")?.parse().ok()?,
        queue: fact("queue")?,
        eta: fact("eta").and_then(|eta| eta.parse().ok()),
        paused: fact("paused"),
        ahead: number("ahead"),
        listeners: fact("listeners")?.parse().ok()?,
        full: number("full").unwrap_or(0),
        draining: number("draining").unwrap_or(0),
        silent: number("silent").unwrap_or(0),
        node: fact("node"),
        deadline: number("deadline"),
        cancelling: facts.contains_key("cancel"),
        priority: fact("priority").and_then(|priority| priority.parse().ok()).unwrap_or(0),
        key: fact("key"),
        weight: number("weight").unwrap_or(1),
        needs: fact("needs"),
        able: number("able"),
        lacking: fact("lacking"),
        limits: limits(""),
        key_limits: limits("key_"),
        failures: count("failures"),
        losses: count("losses"),
        releases: count("releases"),
        uncounted: count("uncounted"),
        order: fact("order").and_then(|order| order.parse().ok()),
        now: fact("now")?.parse().ok()?,
    })
}

pub(super) fn done(value: &Value) -> Option<()> {
    reply::text(value).map(|_| ())
}

/// `NAME:COMMAND,COMMAND`, separated by spaces.
pub(super) fn missing(value: &Value) -> Option<Vec<(String, Vec<String>)>> {
    let text = reply::text(value)?;
    let each = text.split(' ').filter(|item| !item.is_empty()).map(|item| {
        let (name, lacks) = item.split_once(':')?;
        Some((name.to_owned(), lacks.split(',').map(str::to_owned).collect()))
    });
    each.collect()
}

pub(super) fn flag(value: &Value) -> Option<bool> {
    reply::number::<u8>(value).map(|number| number != 0)
}

pub(super) fn page<T>(value: &Value, size: usize, parse: impl Fn(&[Value]) -> Option<T>) -> Option<Page<T>> {
    let items = reply::array(value)?;
    let next = reply::text(items.first()?)?;
    Some(Page { next: Some(next).filter(|next| next != "0"), items: reply::groups(items, 1, size, parse)? })
}

pub(super) fn follow<T>(value: &Value, size: usize, parse: impl Fn(&[Value]) -> Option<T>) -> Option<Follow<T>> {
    let items = reply::array(value)?;
    Some(Follow { last: reply::text(items.first()?)?, items: reply::groups(items, 1, size, parse)? })
}

pub(super) fn reservation(value: &Value) -> Option<Option<Reservation>> {
    if matches!(value, Value::Nil) {
        return Some(None);
    }
    let [id, queue, token, attempt, deadline, lease, outcome, losses, failures, parameters, checkpoint, ..] =
        reply::array(value)?
    else {
        return None;
    };
    Some(Some(Reservation {
        id: TaskId::new(reply::text(id)?).ok()?,
        queue: QueueName::new(reply::text(queue)?).ok()?,
        token: reply::number(token)?,
        attempt: reply::number(attempt)?,
        deadline: reply::number(deadline)?,
        lease: Duration::from_micros(reply::number(lease)?),
        previous: reply::optional(outcome)?.and_then(|outcome| outcome.parse().ok()),
        losses: reply::number(losses)?,
        failures: reply::number(failures)?,
        parameters: reply::bytes(parameters)?,
        checkpoint: match checkpoint {
            Value::Nil => None,
            saved => Some(reply::bytes(saved)?),
        },
    }))
}

pub(super) fn held(item: &[Value]) -> Option<Held> {
    let [id, status, token, attempt, deadline, pid] = item else {
        return None;
    };
    let known = |value| reply::optional(value);
    Some(Held {
        id: reply::text(id)?,
        status: known(status)?.and_then(|status| status.parse().ok()),
        token: known(token)?.and_then(|token| token.parse().ok()),
        attempt: reply::number(attempt)?,
        deadline: known(deadline)?.and_then(|deadline| deadline.parse().ok()),
        pid: known(pid)?.and_then(|pid| pid.parse().ok()),
    })
}
