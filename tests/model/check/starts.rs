//! I7, I19, I20, I23 of one call: a reserved task may run, and is next; what comes back does so within its
//! maximums.

use std::collections::BTreeMap;

use super::ranking::{class, place, waiting};
use super::{Checked, Record, ensure, field, hash, held, limit, number, pace, records, records_of, setting};
use crate::model::Turn;
use crate::model::arguments::micros;
use crate::model::keys::{Keys, Reply};
use crate::model::ops::{Act, Op};
use crate::model::ranking::{rank, suits};
use crate::model::shared_limits::parts;

/// The starts since a rate was set, by queue or queue and key.
#[derive(Default)]
pub struct Starts(BTreeMap<String, (String, Vec<u64>)>);

impl Starts {
    /// The start of a new attempt.
    pub fn reserved(&mut self, id: &str, token: u64, before: &Keys, after: &Keys) -> Checked {
        let record = hash(after, &format!("task_{id}"));
        let (queue, key) = (field(&record, "queue"), field(&record, "key"));
        let mine = |record: &&&Record| held(field(record, "status"));
        let weight = number(&record, "weight", 1);
        let used = |key: Option<&str>| -> i64 {
            let others = records_of(before, queue);
            let others = others.values().filter(mine).filter(|other| key.is_none_or(|key| field(other, "key") == key));
            others.map(|other| number(other, "weight", 1)).sum()
        };
        let fits = |used: i64, most: i64| used + weight.min(most) <= most;
        if let Some(most) = setting(before, queue, "concurrency") {
            let used = used(None);
            ensure(fits(used, most.parse().unwrap()), || {
                format!("I7: {id} is one too many for {queue}: {used} of {most}")
            })?;
        }
        let (most, _) = limit(before, queue, key);
        let most = if record.contains_key("exclusive") { Some(1) } else { most };
        if let (false, Some(most)) = (key.is_empty(), most) {
            let used = used(Some(key));
            let most = i64::try_from(most).unwrap();
            ensure(fits(used, most) && !(record.contains_key("exclusive") && used > 0), || {
                format!("I7: {id} is one too many for the key {key} of {queue}: {used} of {most}")
            })?;
        }
        for (name, places) in parts(field(&record, "limits")) {
            let text = hash(before, "shared_limits").remove(name).unwrap_or_default();
            let used = hash(before, "shared_places").get(name).map_or(0, |used| used.parse::<u64>().unwrap());
            let most = text.split(' ').next().and_then(|most| most.parse::<u64>().ok());
            ensure(most.is_none_or(|most| used + places <= most), || {
                format!("I7: {id} is one too many for {name}: {used} of {most:?}")
            })?;
        }
        self.taken(id, token, before, after)?;
        order(id, &record, token, before)
    }

    /// The start of a new attempt by a call that did something before it.
    pub fn taken(&mut self, id: &str, token: u64, before: &Keys, after: &Keys) -> Checked {
        let record = hash(after, &format!("task_{id}"));
        let (queue, key) = (field(&record, "queue"), field(&record, "key"));
        ensure(!hash(before, "meta").contains_key(&format!("paused:{queue}")), || {
            format!("I20: {id} is reserved from a paused queue")
        })?;
        let has = hash(before, &format!("has_{queue}"));
        ensure(suits(field(&has, field(&record, "node")), field(&record, "needs")), || {
            format!("I7: {id} needs what its listener has not: {has:?}")
        })?;
        self.pace(queue, source(before, queue, None), token)?;
        if !key.is_empty() {
            self.pace(&format!("{queue}/{key}"), source(before, queue, Some(key)), token)?;
        }
        Ok(())
    }

    /// An adoption is also a start, though no rate holds it back.
    pub fn adopted(&mut self, id: &str, token: u64, before: &Keys) {
        let record = hash(before, &format!("task_{id}"));
        let (queue, key) = (field(&record, "queue"), field(&record, "key"));
        self.count(queue, source(before, queue, None), token);
        if !key.is_empty() {
            self.count(&format!("{queue}/{key}"), source(before, queue, Some(key)), token);
        }
    }

    /// The starts that count for a rate, including this start.
    fn count(&mut self, of: &str, rate: Option<String>, token: u64) -> Option<&(String, Vec<u64>)> {
        let Some(rate) = rate else {
            self.0.remove(of);
            return None;
        };
        let entry = self.0.entry(of.to_owned()).or_default();
        if entry.0 != rate {
            *entry = (rate, Vec::new());
        }
        entry.1.push(token);
        Some(entry)
    }

    /// I7: no more starts in any window than a rate allows.
    fn pace(&mut self, of: &str, rate: Option<String>, token: u64) -> Checked {
        let Some((rate, starts)) = self.count(of, rate, token) else { return Ok(()) };
        let (most, window) = pace(rate.split(' ').next().unwrap());
        let recent = starts.iter().filter(|start| **start + window >= token).count();
        ensure(recent <= most, || format!("I7: {recent} starts of {of} at a rate of {rate}: {starts:?}"))
    }

    /// A change of a rate begins a new count.
    pub fn forget_changed(&mut self, after: &Keys) {
        self.0.retain(|of, (rate, _)| {
            let now = match of.split_once('/') {
                Some((queue, key)) => source(after, queue, Some(key)),
                None => source(after, of, None),
            };
            now.as_ref() == Some(rate)
        });
    }
}

/// The rate of a queue, or of a key in it, and where it is set: only starts since then count.
fn source(keys: &Keys, queue: &str, key: Option<&str>) -> Option<String> {
    let name = if key.is_some() { "key_rate" } else { "rate" };
    let rate = key.map_or_else(|| setting(keys, queue, name), |key| limit(keys, queue, key).1)?;
    let limits = hash(keys, &format!("limits_{queue}"));
    let own = key.and_then(|key| limits.get(key)).is_some_and(|limit| !limit.ends_with(" -"));
    let meta = hash(keys, "meta");
    let settings = field(&meta, &format!("settings:{queue}"));
    let queues = settings.split(' ').any(|one| one.split('=').next() == Some(name));
    Some(format!(
        "{rate} {}",
        if own {
            "key"
        } else if queues {
            "queue"
        } else {
            "namespace"
        }
    ))
}

/// I23: nothing that certainly precedes it waits.
fn order(id: &str, record: &Record, token: u64, before: &Keys) -> Checked {
    let queue = field(record, "queue");
    if setting(before, queue, "ageing").is_some() {
        return Ok(());
    }
    let was = hash(before, &format!("task_{id}"));
    let (key, needs) = (field(&was, "key"), class(&was));
    let needs = needs.as_str();
    let laned = was.contains_key("rank");
    let plain = super::list(before, &format!("pending_tasks_{queue}"));
    let priority = number(&was, "priority", 0);
    ensure(laned || plain.last().is_some_and(|last| last == id), || format!("I23: {id} is not the next of the list"))?;
    ensure(!laned || priority >= 0 || plain.is_empty(), || format!("I23: {id} goes before the list {plain:?}"))?;
    let us = token - 1;
    let first = plain.last().map(|first| (first, plain_rank(&hash(before, &format!("task_{first}")), us)));
    let mine = if laned { field(&was, "rank").to_owned() } else { plain_rank(&was, us) };
    for (other, waits) in waiting(before, queue) {
        let (other_key, other_needs) = (field(waits, "key"), class(waits));
        let higher = number(waits, "priority", 0) > priority;
        let free = other_key.is_empty() && (other_needs.is_empty() || other_needs == needs);
        ensure(!free || !higher, || format!("I23: {id} goes before {other}, which has a higher priority"))?;
        let alike = laned && other_key == key && other_needs == needs;
        let before_list = free && !laned && number(waits, "priority", 0) == 0 && field(waits, "rank") < mine.as_str();
        ensure(!before_list || !other_needs.is_empty(), || {
            format!("I23: {id} goes before {other}, which came earlier")
        })?;
        ensure(!alike || place(&was) <= place(waits), || format!("I23: {id} goes before {other}, which came earlier"))?;
    }
    let turns = hash(before, &format!("turns_{queue}"));
    let late = |rank: &str| match &first {
        Some((other, first)) if laned && priority == 0 && first.as_str() < rank => {
            Err(format!("I23: {id} goes before {other}, the first of the list, which came earlier"))
        }
        _ => Ok(()),
    };
    if key.is_empty() {
        late(&mine)?;
    }
    let number_of = |needs: &str| match needs {
        "" => Some(String::new()),
        _ => hash(before, &format!("needs_{queue}")).get(needs)?.split(' ').next().map(str::to_owned),
    };
    let (true, false, Some(number)) = (laned, key.is_empty(), number_of(needs)) else { return Ok(()) };
    let own = turns.get(&format!("{key}/{number}"));
    ensure(own.is_some(), || format!("I7: {id} is reserved, and its key {key} may not go on: {turns:?}"))?;
    own.and_then(|own| own.split(' ').nth(1)).map_or(Ok(()), late)
}

/// The rank of a task of the plain list among the ranked ones, at this time.
fn plain_rank(record: &Record, us: u64) -> String {
    let since = micros(field(record, "updated")).min(us);
    if record.contains_key("front") { format!("-{}", rank(9_007_199_254_740_991 - since)) } else { rank(since) }
}

/// I19: what happened to an attempt is within the maximums of its task.
pub fn caps(turn: &Turn) -> Checked {
    let Turn { op, reply, before, after, .. } = turn;
    let cap = |record: &Record, name: &str, unset: i64| {
        let set = || setting(before, field(record, "queue"), name).map(|value| value.parse().unwrap());
        record.get(name).map(|value| value.parse().unwrap()).or_else(set).unwrap_or(unset)
    };
    if let (Op::Owner { task, act, .. }, Reply::Text(answer), true) = (op, reply, before != after) {
        let record = hash(after, &format!("task_{}", task.id()));
        let within = |count: &str, name: &str, unset| number(&record, count, 0) <= cap(&record, name, unset);
        let fits = match (act, answer.as_str()) {
            (_, "failed") if field(&record, "group") == "deadline" => true,
            (Act::Fail { last, .. }, "retrying") => within("failures", "max_failures", 0) && *last != Some(true),
            (Act::Fail { last, .. }, "failed") => !within("failures", "max_failures", 0) || *last == Some(true),
            (Act::Release { uncounted, .. }, "released" | "failed") => {
                let (count, cap, unset) = match uncounted {
                    Some(true) => ("uncounted", "max_uncounted", 10_000),
                    _ => ("releases", "max_releases", 1000),
                };
                within(count, cap, unset) == (answer == "released")
            }
            _ => true,
        };
        ensure(fits, || format!("I19: the answer {answer} does not fit the caps: {record:?}"))?;
    }
    for (id, record) in records(after) {
        let was = hash(before, &format!("task_{id}"));
        if number(record, "losses", 0) <= number(&was, "losses", 0) {
            continue;
        }
        let over = number(record, "losses", 0) > cap(record, "max_losses", 10);
        let fits = match field(record, "status") {
            "failed" => over || field(record, "group") == "deadline",
            "cancelled" => true,
            _ => !over,
        };
        ensure(fits, || format!("I19: {id} was lost, which does not fit its cap: {record:?}"))?;
    }
    Ok(())
}

/// I20: no task with an eta runs before it.
pub fn early(turn: &Turn) -> Checked {
    let (Op::Promote { .. } | Op::Maintenance { .. }) = turn.op else { return Ok(()) };
    for (id, record) in records(&turn.after) {
        let was = hash(&turn.before, &format!("task_{id}"));
        if field(&was, "status") == "scheduled" && field(record, "status") == "pending" {
            ensure(micros(field(record, "updated")) >= micros(field(&was, "eta")), || {
                format!("I20: {id} is early: {record:?}")
            })?;
        }
    }
    Ok(())
}
