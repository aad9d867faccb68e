//! I7, I8, I23: the ranking, places and unique names, computed from the records.

use std::collections::BTreeMap;

use super::{Checked, Record, ensure, field, hash, held, number, records_of, zset};
use crate::model::keys::{Kept, Keys};
use crate::model::ops::QUEUES;
use crate::model::shared_limits::parts;

pub fn check(keys: &Keys) -> Checked {
    shared(keys)?;
    for queue in QUEUES {
        places(keys, queue)?;
        lanes(keys, queue)?;
        unique(keys, queue)?;
        latest(keys, queue)?;
    }
    Ok(())
}

/// I7: running attempts hold the places of shared limits.
fn shared(keys: &Keys) -> Checked {
    let mut sums = BTreeMap::<String, u64>::new();
    for (_, record) in super::records(keys).into_iter().filter(|(_, record)| held(field(record, "status"))) {
        for (name, places) in parts(field(record, "limits")) {
            *sums.entry(name.to_owned()).or_default() += places;
        }
    }
    let expected: Record = sums.into_iter().map(|(name, sum)| (name, sum.to_string())).collect();
    let found = hash(keys, "shared_places");
    ensure(found == expected, || format!("I7: the places of shared limits are {found:?}, of attempts {expected:?}"))
}

/// I7: the places that are held belong to running attempts, and the sums are right.
fn places(keys: &Keys, queue: &str) -> Checked {
    let (mut expected, mut sums) = (Record::new(), BTreeMap::<String, i64>::new());
    for (id, record) in records_of(keys, queue) {
        let flagged = field(record, "flags").contains('p');
        if !flagged || !held(field(record, "status")) {
            continue;
        }
        let (weight, key) = (number(record, "weight", 1), field(record, "key"));
        let shared = record.get("limits").map_or(String::new(), |limits| format!(" {limits}"));
        expected.insert(format!("a:{id} {}", field(record, "token")), format!("{weight} {key}{shared}"));
        *sums.entry("extra".into()).or_default() += weight - 1;
        if !key.is_empty() {
            *sums.entry(format!("k:{key}")).or_default() += weight;
        }
    }
    expected.extend(sums.into_iter().filter(|(_, sum)| *sum > 0).map(|(name, sum)| (name, sum.to_string())));
    let found = hash(keys, &format!("places_{queue}"));
    ensure(found == expected, || {
        format!("I7: the places of {queue} are {found:?}\n    live attempts have {expected:?}")
    })
}

/// The ranked tasks of a queue.
pub fn waiting<'a>(keys: &'a Keys, queue: &str) -> Vec<(&'a str, &'a Record)> {
    let waits = |(_, record): &(&str, &Record)| field(record, "status") == "pending" && record.contains_key("rank");
    records_of(keys, queue).into_iter().filter(waits).collect()
}

/// The class of a task decides which listeners may take the task, and when. It is the needs and, after a bar, the
/// shared limits.
pub fn class(record: &Record) -> String {
    let bar = if record.contains_key("limits") { "|" } else { "" };
    format!("{}{bar}{}", field(record, "needs"), field(record, "limits"))
}

/// The position of a task: the least goes first.
#[allow(clippy::cast_precision_loss)]
pub fn place(record: &Record) -> (i64, String) {
    (-number(record, "priority", 0), field(record, "rank").to_owned())
}

/// I7, I23: the keys of the ranking agree with the records, and whatever may run is in the order.
fn lanes(keys: &Keys, queue: &str) -> Checked {
    let waiting = waiting(keys, queue);
    let needs = hash(keys, &format!("needs_{queue}"));
    let mut counts = BTreeMap::<String, usize>::new();
    for class in waiting.iter().map(|(_, record)| class(record)).filter(|class| !class.is_empty()) {
        *counts.entry(class).or_default() += 1;
    }
    let mut numbers = BTreeMap::from([("", "")]);
    for (text, known) in &needs {
        let (number, count) = known.split_once(' ').unwrap_or((known, ""));
        ensure(counts.get(text).is_some_and(|own| own.to_string() == count), || {
            format!("I7: {count} tasks of {queue} need {text:?}; the records say {counts:?}")
        })?;
        ensure(!numbers.values().any(|other| *other == number), || {
            format!("I7: two needs have one number: {needs:?}")
        })?;
        numbers.insert(text, number);
    }
    ensure(counts.len() == needs.len(), || format!("I7: the needs are {needs:?}; the records say {counts:?}"))?;

    let mut expected: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    let mut firsts: BTreeMap<(&str, &str), (i64, String)> = BTreeMap::new();
    let suffix = |number: &str| if number.is_empty() { String::new() } else { format!("/{number}") };
    for (id, record) in &waiting {
        let (score, rank) = place(record);
        let mut put = |key: String, member: String| {
            #[allow(clippy::cast_precision_loss)]
            expected.entry(key).or_default().insert(member, score as f64);
        };
        put(format!("pending_ranked_tasks_{queue}"), format!("{rank} {id}"));
        let number = numbers[class(record).as_str()];
        let key = field(record, "key");
        if key.is_empty() {
            put(format!("ranked_tasks_{queue}{}", suffix(number)), format!("{rank} {id}"));
        } else {
            let weight = if record.contains_key("exclusive") {
                "exclusive".into()
            } else {
                super::number(record, "weight", 1).to_string()
            };
            put(format!("key_tasks_{queue}/{key}{}", suffix(number)), format!("{rank} {id} {weight}"));
            let first = firsts.entry((key, number)).or_insert_with(|| place(record));
            *first = place(record).min(first.clone());
        }
    }
    entries(keys, queue, &firsts, &mut expected)?;
    let found: BTreeMap<String, BTreeMap<String, f64>> = keys
        .iter()
        .filter(|(name, _)| {
            ["pending_ranked_tasks", "ranked_tasks", "key_tasks"].iter().any(|kind| {
                name.strip_prefix(&format!("{kind}_{queue}"))
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        })
        .filter_map(|(name, kept)| match kept {
            Kept::Zset(zset) => Some((name.clone(), zset.clone())),
            _ => None,
        })
        .collect();
    ensure(found == expected, || format!("I7: the lanes hold {found:?}\n    the records say {expected:?}"))
}

/// The entries of keys in the order: every key in `turns` must be in the order. A key that waits is in the order, or
/// its places are held, or its rate sets the time at which it may start.
fn entries(
    keys: &Keys,
    queue: &str,
    firsts: &BTreeMap<(&str, &str), (i64, String)>,
    expected: &mut BTreeMap<String, BTreeMap<String, f64>>,
) -> Checked {
    let turns = hash(keys, &format!("turns_{queue}"));
    let places = hash(keys, &format!("places_{queue}"));
    let delayed = zset(keys, &format!("delayed_{queue}"));
    for ((key, number), (score, rank)) in firsts {
        match turns.get(&format!("{key}/{number}")) {
            None => ensure(places.contains_key(&format!("k:{key}")) || delayed.contains_key(*key), || {
                format!("I23: the key {key} of {queue} waits for nothing: {turns:?}")
            })?,
            Some(entry) => {
                let own = turns.get(*key).filter(|served| *served > rank).unwrap_or(rank);
                ensure(*entry == format!("{score} {own}"), || {
                    format!("I23: the key {key} of {queue} has the turn {entry}, not {score} {own}")
                })?;
                let suffix = if number.is_empty() { String::new() } else { format!("/{number}") };
                let ranked = expected.entry(format!("ranked_tasks_{queue}{suffix}")).or_default();
                #[allow(clippy::cast_precision_loss)]
                ranked.insert(format!("{own} /{key}"), *score as f64);
            }
        }
    }
    for turn in turns.keys() {
        let known = match turn.split_once('/') {
            Some((key, number)) => firsts.contains_key(&(key, number)),
            None => super::known::used(keys, queue, turn),
        };
        ensure(known, || format!("I7: {queue} keeps a turn of {turn}, which nothing waits for"))?;
    }
    Ok(())
}

/// I8: with the policy `latest`, at most one task of a name runs. At most one other task waits, besides a task that
/// was interrupted; the waiting task has the name.
fn latest(keys: &Keys, queue: &str) -> Checked {
    let holders = hash(keys, &format!("unique_{queue}"));
    let (mut running, mut waiting) = (BTreeMap::<&str, &str>::new(), BTreeMap::<&str, &str>::new());
    for (id, record) in records_of(keys, queue) {
        let (name, status) = (field(record, "unique"), field(record, "status"));
        if name.is_empty() || field(record, "exclusive").is_empty() || name != field(record, "key") {
            continue;
        }
        let other = match status {
            "reserved" | "started" => running.insert(name, id),
            "pending" | "scheduled" | "held" | "waiting"
                if field(&holders, &format!("/{name}")) == format!("{id} kept") =>
            {
                None
            }
            "pending" | "scheduled" | "held" | "waiting" => {
                ensure(field(&holders, name).starts_with(&format!("{id} ")), || {
                    format!("I8: {id} waits and does not have its name: {holders:?}")
                })?;
                waiting.insert(name, id)
            }
            _ => None,
        };
        ensure(other.is_none(), || format!("I8: both {id} and {other:?} of the name {name} are {status}"))?;
    }
    Ok(())
}

/// I8: a unique name belongs to one live task, which holds it for as long as its option requires.
fn unique(keys: &Keys, queue: &str) -> Checked {
    let holders = hash(keys, &format!("unique_{queue}"));
    let mut live = BTreeMap::<&str, Vec<&str>>::new();
    for (id, record) in records_of(keys, queue) {
        let (name, until) = (field(record, "unique"), field(record, "unique_until"));
        let done = super::log::FINISHED.contains(&field(record, "status"));
        if name.is_empty() || done {
            continue;
        }
        if until == "end" {
            live.entry(name).or_default().push(id);
            ensure(field(&holders, name) == format!("{id} end"), || {
                format!("I8: {id} lives and does not hold its unique key: {holders:?}")
            })?;
        }
    }
    for (name, holder) in &holders {
        let (id, until) = holder.split_once(' ').unwrap();
        let record = hash(keys, &format!("task_{id}"));
        if until != "end" && until != "start" {
            continue; // for a time, whatever becomes of the task
        }
        let status = field(&record, "status");
        let (name, kept) = name.strip_prefix('/').map_or((name.as_str(), false), |name| (name, true));
        ensure(kept == (until == "kept"), || format!("I8: {name} is held by {holder}"))?;
        let waits = ["waiting", "pending", "scheduled", "held", "reserved"].contains(&status);
        ensure(!kept || status != "reserved", || format!("I8: {id} keeps its turn, and runs"))?;
        ensure(waits || until == "end" && status == "started", || {
            format!("I8: {id} holds the unique key {name} until its {until}, and is {status:?}")
        })?;
        ensure(field(&record, "queue") == queue && field(&record, "unique") == name, || {
            format!("I8: the unique key {name} is held by {id}, which has another")
        })?;
    }
    ensure(live.values().all(|ids| ids.len() == 1), || format!("I8: a unique key has several live tasks: {live:?}"))
}
