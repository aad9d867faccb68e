//! The invariants, checked on the keys alone, without the model.

pub mod events;
pub mod graphs;
pub mod indexes;
pub mod known;
pub mod log;
pub mod ranking;
pub mod starts;
pub mod statistics;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::keys::{Kept, Keys};
use crate::model::state::SECOND;

pub use indexes::tidy;
pub use log::Log;

pub type Checked = Result<(), String>;
pub type Record = BTreeMap<String, String>;

/// The invariants of the keys at any time.
pub fn keys(keys: &Keys) -> Checked {
    known::check(keys)?;
    indexes::check(keys)?;
    indexes::leases(keys)?;
    indexes::ready(keys)?;
    ranking::check(keys)?;
    graphs::check(keys)
}

pub fn ensure(holds: bool, what: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(what()) }
}

pub fn held(status: &str) -> bool {
    status == "reserved" || status == "started"
}

pub fn list(keys: &Keys, name: &str) -> Vec<String> {
    match keys.get(name) {
        Some(Kept::List(items)) => items.clone(),
        _ => Vec::new(),
    }
}

pub fn set(keys: &Keys, name: &str) -> BTreeSet<String> {
    match keys.get(name) {
        Some(Kept::Set(items)) => items.clone(),
        _ => BTreeSet::new(),
    }
}

pub fn zset(keys: &Keys, name: &str) -> BTreeMap<String, f64> {
    match keys.get(name) {
        Some(Kept::Zset(items)) => items.clone(),
        _ => BTreeMap::new(),
    }
}

pub fn hash(keys: &Keys, name: &str) -> Record {
    match keys.get(name) {
        Some(Kept::Hash(fields)) => fields.clone(),
        _ => Record::new(),
    }
}

pub fn field<'a>(record: &'a Record, name: &str) -> &'a str {
    record.get(name).map_or("", String::as_str)
}

pub fn number(record: &Record, name: &str, unset: i64) -> i64 {
    record.get(name).map_or(unset, |value| value.parse().unwrap())
}

/// All records, including records of staged tasks.
pub fn all_records(keys: &Keys) -> BTreeMap<&str, &Record> {
    let tasks = keys.iter().filter_map(|(name, kept)| match (name.strip_prefix("task_"), kept) {
        (Some(id), Kept::Hash(record)) => Some((id, record)),
        _ => None,
    });
    tasks.collect()
}

/// Records of the tasks that any command finds.
pub fn records(keys: &Keys) -> BTreeMap<&str, &Record> {
    let mut found = all_records(keys);
    found.retain(|_, record| record.contains_key("status"));
    found
}

/// Records of the tasks of a queue.
pub fn records_of<'a>(keys: &'a Keys, queue: &str) -> BTreeMap<&'a str, &'a Record> {
    let mut found = records(keys);
    found.retain(|_, record| field(record, "queue") == queue);
    found
}

/// The setting in effect for a queue, if one is set.
pub fn setting(keys: &Keys, queue: &str, name: &str) -> Option<String> {
    let meta = hash(keys, "meta");
    let texts = [field(&meta, &format!("settings:{queue}")).to_owned(), field(&meta, "settings").to_owned()];
    let find =
        |text: &String| text.split(' ').find_map(|one| one.strip_prefix(name)?.strip_prefix('=').map(str::to_owned));
    texts.iter().find_map(find)
}

/// Places and rate of a key.
pub fn limit(keys: &Keys, queue: &str, key: &str) -> (Option<u64>, Option<String>) {
    let limits = hash(keys, &format!("limits_{queue}"));
    let (places, rate) = limits.get(key).and_then(|text| text.split_once(' ')).unwrap_or(("-", "-"));
    let own = |value: &str| (value != "-").then(|| value.to_owned());
    let places = own(places).or_else(|| setting(keys, queue, "key_concurrency"));
    (places.map(|places| places.parse().unwrap()), own(rate).or_else(|| setting(keys, queue, "key_rate")))
}

/// Number of starts, and the time in µs in which a rate allows them.
pub fn pace(rate: &str) -> (usize, u64) {
    let (number, seconds) = rate.split_once('/').unwrap();
    (number.parse().unwrap(), seconds.parse::<u64>().unwrap() * SECOND)
}
