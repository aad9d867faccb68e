//! Checks that each key of the namespace is known and has the right type (I5).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use redis::Pipeline;
use serde::Deserialize;

use super::checks::Checks;

/// Number of keys that are checked at once.
const PAGE: usize = 1_000;

/// The form of the part of a key after the name of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    Nothing,
    /// The name of a task, a listener, or a schedule.
    Name,
    /// The name of a queue, optionally followed by a listener.
    Queue,
    /// `QUEUE/…`
    Part,
    /// `QUEUE` or `QUEUE/…`
    Either,
}

/// A kind of keys, with one name for all queues and tasks.
#[derive(Debug)]
struct Kind {
    name: String,
    /// The Redis type of the key.
    of: String,
    tail: Tail,
    /// True if Blueque 1.0 also creates this key. The names in such keys may have any form.
    foreign: bool,
    /// True if a queue with such a key has waiting tasks.
    tasks: bool,
}

/// The keys and states in the contract.
#[derive(Deserialize)]
struct Contract {
    keys: BTreeMap<String, Key>,
    states: BTreeMap<String, State>,
}

#[derive(Deserialize)]
struct Key {
    #[serde(rename = "type")]
    of: String,
    #[serde(default)]
    foreign: bool,
}

#[derive(Deserialize)]
struct State {
    index: Option<String>,
    ranked: Option<String>,
    #[serde(default)]
    waits: bool,
}

/// Returns the kinds of keys of the contract. No key matches two kinds.
fn kinds() -> anyhow::Result<Vec<Kind>> {
    let contract: Contract = serde_json::from_str(blueque::bundle::contract())?;
    let waiting = contract.states.values().filter(|state| state.waits);
    let waiting: BTreeSet<&String> = waiting.flat_map(|state| state.index.iter().chain(&state.ranked)).collect();
    let mut kinds: Vec<Kind> = Vec::new();
    for (key, Key { of, foreign }) in &contract.keys {
        // Channels are not keys, and no key of type `none` exists.
        if of == "channel" || of == "none" {
            continue;
        }
        let name = key.strip_prefix("ns_").unwrap_or(key);
        let (name, rest) = name.split_at(name.find(|c: char| c.is_ascii_uppercase()).unwrap_or(name.len()));
        let tail = match rest {
            "" => Tail::Nothing,
            rest if rest.contains('/') => Tail::Part,
            rest if rest.starts_with("QUEUE") => Tail::Queue,
            _ => Tail::Name,
        };
        let name = name.trim_end_matches('_');
        if let Some(other) = kinds.iter_mut().find(|kind| kind.name == name) {
            if other.tail != tail {
                other.tail = Tail::Either;
            }
            continue;
        }
        let tasks = name == "tasks" || waiting.contains(key);
        kinds.push(Kind { name: name.to_owned(), of: of.clone(), tail, foreign: *foreign, tasks });
    }
    Ok(kinds)
}

/// The keys that a scan found. The tail of a key is the part after the name of its kind.
#[derive(Default)]
pub struct Scan {
    /// The tails of the keys of each kind except `task`.
    kinds: BTreeMap<String, Vec<String>>,
    /// The ids of records that have not been found in an index so far.
    pub unseen: HashSet<String>,
    /// Queues that have tasks.
    pub queues: BTreeSet<String>,
    /// Queues that have tasks, and other queues that have a key.
    pub named: BTreeSet<String>,
    /// Number of keys of a wrong type. These keys are not read.
    pub wrong: usize,
    pub cut: bool,
}

impl Scan {
    /// Returns the tails of the keys of this kind.
    pub fn all(&self, kind: &str) -> &[String] {
        self.kinds.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Returns what follows the name of this queue in the keys of this kind: nothing, or a `/` and another name.
    pub fn after<'a>(&'a self, kind: &str, queue: &'a str) -> impl Iterator<Item = &'a str> {
        let rests = self.all(kind).iter().filter_map(move |tail| tail.strip_prefix(queue));
        rests.filter(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the names after the `/` in the keys of this kind and this queue.
    pub fn of<'a>(&'a self, kind: &str, queue: &'a str) -> impl Iterator<Item = &'a str> {
        self.after(kind, queue).filter_map(|rest| rest.strip_prefix('/'))
    }
}

impl Checks {
    /// Checks that every key of the namespace is known and has the right type.
    pub fn scan(&mut self) -> anyhow::Result<Scan> {
        let (mut scan, kinds) = (Scan::default(), kinds()?);
        let keys = self.ask(&["DBSIZE"]).unwrap_or_default(); // a hint; a user may lack the right to read it
        self.bar("keys", keys);
        let mut looked_at = 0;
        let mut cursor = "0".to_owned();
        loop {
            let pattern = format!("{}*", self.prefix);
            let (next, keys): (String, Vec<Vec<u8>>) =
                self.ask(&["SCAN", &cursor, "MATCH", &pattern, "COUNT", &PAGE.to_string()])?;
            looked_at += keys.len();
            self.bar.inc(PAGE as u64);
            let mut types = Pipeline::new();
            for key in &keys {
                types.cmd("TYPE").arg(key);
            }
            let types: Vec<String> = if keys.is_empty() { Vec::new() } else { self.send(&types)? };
            for (key, kind) in keys.iter().zip(&types) {
                self.known(&kinds, &String::from_utf8_lossy(key), kind, &mut scan);
            }
            cursor = next;
            if cursor == "0" {
                break;
            }
            if looked_at >= self.limit {
                scan.cut = true;
                break;
            }
        }
        // A scan may return a key twice if the server resizes its table during the scan.
        for tails in scan.kinds.values_mut() {
            tails.sort();
            tails.dedup();
        }
        Ok(scan)
    }

    fn known(&mut self, kinds: &[Kind], key: &str, found: &str, scan: &mut Scan) {
        let name = key.strip_prefix(&self.prefix).unwrap_or(key);
        let fits = |kind: &Kind| {
            let rest = name.strip_prefix(kind.name.as_str())?;
            let rest = if kind.tail == Tail::Nothing { rest } else { rest.strip_prefix('_')? };
            let fits = match kind.tail {
                Tail::Nothing => rest.is_empty(),
                Tail::Queue if kind.foreign => !rest.is_empty(),
                Tail::Name | Tail::Queue => !rest.is_empty() && !rest.contains('/'),
                Tail::Part => rest.contains('/'),
                Tail::Either => !rest.is_empty(),
            };
            fits.then_some(rest)
        };
        let Some((kind, rest)) = kinds.iter().find_map(|kind| Some((kind, fits(kind)?))) else {
            let todo = "no client of Blueque created it: remove it, or give its owner another name";
            return self.finding("keys", format!("{key} is unknown"), todo);
        };
        // The key was removed during the scan.
        if found == "none" {
            return;
        }
        if found != kind.of {
            scan.wrong += 1;
            let todo = "rename or remove it: no call that needs it succeeds";
            return self.finding("keys", format!("{key} is a {found} and must be a {}", kind.of), todo);
        }
        if !matches!(kind.tail, Tail::Nothing | Tail::Name) && kind.name != "reserved_tasks" {
            let queue = match rest.split_once('/') {
                Some((queue, _)) if !kind.foreign => queue,
                _ => rest,
            };
            scan.named.insert(queue.to_owned());
        }
        if kind.tasks {
            scan.queues.insert(rest.to_owned());
        }
        if kind.name == "task" {
            scan.unseen.insert(rest.to_owned());
        } else {
            scan.kinds.entry(kind.name.clone()).or_default().push(rest.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Tail, kinds};

    #[test]
    fn what_follows_the_name_of_a_key_is_that_of_the_contract() -> anyhow::Result<()> {
        let kinds = kinds()?;
        let kind = |name: &str| {
            let kind = kinds.iter().find(|kind| kind.name == name);
            kind.map(|kind| (kind.of.as_str(), kind.tail))
        };
        for (name, of, tail) in [
            ("queues", "zset", Tail::Nothing),
            ("task", "hash", Tail::Name),
            ("worker", "hash", Tail::Name),
            ("pending_tasks", "list", Tail::Queue),
            ("reserved_tasks", "list", Tail::Queue),
            ("key_tasks", "zset", Tail::Part),
            ("statistics", "hash", Tail::Part),
            ("ranked_tasks", "zset", Tail::Either),
            ("rate", "list", Tail::Either),
        ] {
            assert_eq!(kind(name), Some((of, tail)), "{name}");
        }
        assert!(kinds.iter().all(|kind| kind.name != "channel" && kind.name != "unmoved"));
        let named = |of: fn(&super::Kind) -> bool| {
            let mut names: Vec<&str> = kinds.iter().filter(|kind| of(kind)).map(|kind| kind.name.as_str()).collect();
            names.sort_unstable();
            names
        };
        for name in ["tasks", "pending_tasks", "scheduled_tasks", "scheduled_ranked_tasks", "pending_ranked_tasks"] {
            assert!(named(|kind| kind.tasks).contains(&name), "{name}");
        }
        for name in ["pending_tasks", "failed_tasks", "listeners"] {
            assert!(named(|kind| kind.foreign).contains(&name), "{name}");
        }
        Ok(())
    }
}
