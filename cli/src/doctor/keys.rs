//! The keys of the namespace (I5): each is known, and has the right type.

use std::collections::{BTreeMap, BTreeSet};

use redis::Pipeline;

use super::exam::Exam;

/// Keys checked at once.
const PAGE: usize = 1_000;

/// What follows the name of a kind of key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    Nothing,
    /// A task, a listener, or a schedule.
    Name,
    /// A queue, or a queue and a listener.
    Queue,
    /// `QUEUE/…`
    Part,
    /// `QUEUE` or `QUEUE/…`
    Either,
}

/// Kinds of keys with their types. No key matches two of them.
const KINDS: [(&str, &str, Tail); 50] = [
    ("queues", "zset", Tail::Nothing),
    ("meta", "hash", Tail::Nothing),
    ("schedules", "zset", Tail::Nothing),
    ("low_schedules", "zset", Tail::Nothing),
    ("workers", "zset", Tail::Nothing),
    ("requests", "hash", Tail::Nothing),
    ("task", "hash", Tail::Name),
    ("worker", "hash", Tail::Name),
    ("logs", "zset", Tail::Nothing),
    ("log", "stream", Tail::Name),
    ("logged", "hash", Tail::Name),
    ("history", "stream", Tail::Name),
    ("rounds", "hash", Tail::Name),
    ("schedule", "hash", Tail::Name),
    ("tasks", "zset", Tail::Queue),
    ("pending_tasks", "list", Tail::Queue),
    ("reserved_tasks", "list", Tail::Queue),
    ("started_tasks", "set", Tail::Queue),
    ("scheduled_tasks", "zset", Tail::Queue),
    ("scheduled_lane_tasks", "zset", Tail::Queue),
    ("complete_tasks", "list", Tail::Queue),
    ("failed_tasks", "list", Tail::Queue),
    ("cancelled_tasks", "list", Tail::Queue),
    ("lane_tasks", "zset", Tail::Queue),
    ("ranked_tasks", "zset", Tail::Either),
    ("key_tasks", "zset", Tail::Part),
    ("listeners", "set", Tail::Queue),
    ("wake", "list", Tail::Queue),
    ("leases", "zset", Tail::Queue),
    ("orders", "hash", Tail::Queue),
    ("claims", "zset", Tail::Queue),
    ("seen", "zset", Tail::Queue),
    ("events", "stream", Tail::Queue),
    ("suspects", "hash", Tail::Queue),
    ("needs", "hash", Tail::Queue),
    ("has", "hash", Tail::Queue),
    ("turns", "hash", Tail::Queue),
    ("places", "hash", Tail::Queue),
    ("limits", "hash", Tail::Queue),
    ("delayed", "zset", Tail::Queue),
    ("rate", "list", Tail::Either),
    ("timed", "zset", Tail::Queue),
    ("unique", "hash", Tail::Queue),
    ("tally", "hash", Tail::Queue),
    ("days", "zset", Tail::Queue),
    ("statistics", "hash", Tail::Part),
    ("tags", "zset", Tail::Queue),
    ("tag", "zset", Tail::Part),
    ("groups", "zset", Tail::Queue),
    ("group", "zset", Tail::Part),
];

/// Keys of queues that Blueque 1.0 creates, whose names may have any form there.
const SHARED: [&str; 7] = [
    "pending_tasks",
    "reserved_tasks",
    "started_tasks",
    "scheduled_tasks",
    "complete_tasks",
    "failed_tasks",
    "listeners",
];

/// A queue with one of these keys has tasks.
const TASKS: [&str; 5] = ["tasks", "pending_tasks", "scheduled_tasks", "scheduled_lane_tasks", "lane_tasks"];

/// The keys that were found.
#[derive(Default)]
pub struct Scan {
    /// What follows the name of each kind.
    kinds: BTreeMap<&'static str, Vec<String>>,
    /// Queues that have tasks.
    pub queues: BTreeSet<String>,
    /// Those, and others that have a key of their own.
    pub named: BTreeSet<String>,
    /// Keys of a wrong type: these are not read.
    pub wrong: usize,
    pub cut: bool,
}

impl Scan {
    /// What follows the name of this kind.
    pub fn all(&self, kind: &str) -> &[String] {
        self.kinds.get(kind).map_or(&[], Vec::as_slice)
    }

    /// What follows the name of this kind and the queue, after the `/`.
    pub fn of<'a>(&'a self, kind: &str, queue: &str) -> Vec<&'a str> {
        let all = self.all(kind).iter();
        all.filter_map(|tail| tail.split_once('/')).filter(|(of, _)| *of == queue).map(|(_, part)| part).collect()
    }
}

impl Exam {
    /// Checks every key of the namespace: whether it is known, and its type.
    pub fn scan(&mut self) -> anyhow::Result<Scan> {
        let mut scan = Scan::default();
        let mut looked_at = 0;
        let mut cursor = "0".to_owned();
        loop {
            let pattern = format!("{}*", self.prefix);
            let (next, keys): (String, Vec<Vec<u8>>) =
                self.ask(&["SCAN", &cursor, "MATCH", &pattern, "COUNT", &PAGE.to_string()])?;
            looked_at += keys.len();
            let mut types = Pipeline::new();
            for key in &keys {
                types.cmd("TYPE").arg(key);
            }
            let types: Vec<String> = if keys.is_empty() { Vec::new() } else { self.send(&types)? };
            for (key, kind) in keys.iter().zip(&types) {
                self.known(&String::from_utf8_lossy(key), kind, &mut scan);
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
        // A scan may return a key twice if the server resizes its table meanwhile.
        for tails in scan.kinds.values_mut() {
            tails.sort();
            tails.dedup();
        }
        Ok(scan)
    }

    fn known(&mut self, key: &str, found: &str, scan: &mut Scan) {
        let name = key.strip_prefix(&self.prefix).unwrap_or(key);
        let fits = |&(kind, of, tail)| {
            let rest = name.strip_prefix(kind)?;
            let rest = if tail == Tail::Nothing { rest } else { rest.strip_prefix('_')? };
            let fits = match tail {
                Tail::Nothing => rest.is_empty(),
                Tail::Queue if SHARED.contains(&kind) => !rest.is_empty(),
                Tail::Name | Tail::Queue => !rest.is_empty() && !rest.contains('/'),
                Tail::Part => rest.contains('/'),
                Tail::Either => !rest.is_empty(),
            };
            fits.then_some((kind, of, tail, rest))
        };
        let Some((kind, expected, tail, rest)) = KINDS.iter().find_map(fits) else {
            let todo = "no client of Blueque created it: remove it, or give its owner another name";
            return self.finding("keys", format!("{key} is unknown"), todo);
        };
        // Removed meanwhile.
        if found == "none" {
            return;
        }
        if found != expected {
            scan.wrong += 1;
            let todo = "rename or remove it: no call that needs it succeeds";
            return self.finding("keys", format!("{key} is a {found} and must be a {expected}"), todo);
        }
        if !matches!(tail, Tail::Nothing | Tail::Name) && kind != "reserved_tasks" {
            let queue = match rest.split_once('/') {
                Some((queue, _)) if !SHARED.contains(&kind) => queue,
                _ => rest,
            };
            scan.named.insert(queue.to_owned());
        }
        if TASKS.contains(&kind) {
            scan.queues.insert(rest.to_owned());
        }
        scan.kinds.entry(kind).or_default().push(rest.to_owned());
    }
}
