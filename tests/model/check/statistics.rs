//! The sums match the events that were read, each counted once.

use std::collections::BTreeMap;

use super::events::of;
use super::{Checked, Record, ensure, hash, held};
use crate::model::arguments::micros;
use crate::model::keys::{Kept, Keys};
use crate::model::ops::QUEUES;
use crate::model::state::takes;

const DAY: u64 = 86_400_000_000;

/// Days further back than this may have been removed.
const RECENT: u64 = 25;

/// The sums of a day, by the names that the statistics give them; times in µs.
type Sums = BTreeMap<&'static str, u64>;

/// State of the checks: for each queue, the number of events that were read, and the sums of the days.
#[derive(Default)]
pub struct Statistics(BTreeMap<&'static str, (usize, Vec<Record>)>);

impl Statistics {
    pub fn check(&mut self, keys: &Keys) -> Checked {
        for queue in QUEUES {
            let found = read(keys, queue);
            if self.0.get(queue) != Some(&found) {
                check(keys, queue, &found)?;
                self.0.insert(queue, found);
            }
        }
        Ok(())
    }
}

fn read(keys: &Keys, queue: &str) -> (usize, Vec<Record>) {
    let days = keys.iter().filter(|(name, _)| name.starts_with(&format!("statistics_{queue}/")));
    let days = days.map(|(name, _)| hash(keys, name)).collect();
    let aggregate = hash(keys, &format!("aggregate_{queue}"));
    (aggregate.get("read").map_or(0, |read| read.parse().unwrap()), days)
}

fn check(keys: &Keys, queue: &str, (read, found): &(usize, Vec<Record>)) -> Checked {
    let Some(Kept::Stream(events)) = keys.get(&format!("events_{queue}")) else { return Ok(()) };
    let there = events.len();
    ensure(*read <= there, || format!("the statistics of {queue} are of {read} events, of which there were {there}"))?;
    let mut days: BTreeMap<u64, Sums> = BTreeMap::new();
    for event in &events[..*read] {
        add(days.entry(micros(of(event, "at")) / DAY).or_default(), event);
    }
    let last = days.keys().last().copied().unwrap_or_default();
    let expected: Vec<&Sums> = days.values().filter(|sums| sums.values().any(|sum| *sum > 0)).collect();
    if days.keys().any(|day| day + RECENT < last) {
        return Ok(());
    }
    // The names of the days are in their order.
    let fits = found.len() == expected.len() && found.iter().zip(&expected).all(|(found, sums)| same(found, sums));
    ensure(fits, || format!("the statistics of {queue} are {found:?}\n    {read} events make {expected:?}"))
}

fn same(found: &Record, sums: &Sums) -> bool {
    sums.iter().all(|(name, sum)| match found.get(*name) {
        None => *sum == 0,
        Some(value) if name.ends_with(".sum") => micros(value) == *sum,
        Some(value) => *value == sum.to_string(),
    })
}

fn add(sums: &mut Sums, event: &str) {
    let [from, to, by, why] = ["from", "to", "by", "why"].map(|name| of(event, name));
    let took = || micros(of(event, "at")) - micros(of(event, "since"));
    let mut count = |name: &'static str, number: u64| *sums.entry(name).or_default() += number;
    let ended = held(from) && to != "started";
    let lost = ended && (to == "reserved" || by.is_empty() && (why == "lost" || why == "adopt"));
    let step = ended && to == "moved" && why == "next";
    let given = ended && !lost && to != "complete" && !step && why != "complete" && !by.is_empty();
    let back = to == "pending" || to == "scheduled";
    if from == "pending" && takes(from, to) {
        count("wait.count", 1);
        count("wait.sum", took());
    }
    // An owner that never reported the start still worked on the task.
    let done = to == "complete" || step;
    if from == "started" || from == "reserved" && (done || why == "fail" && !by.is_empty()) {
        count("run.count", 1);
        count("run.sum", took());
        count("done.count", u64::from(done));
        count("done.sum", if done { took() } else { 0 });
    }
    let begins = if from.is_empty() { why != "move" } else { why == "again" && to != "moved" };
    count("submitted", u64::from(begins));
    count("started", u64::from(to == "started"));
    count("complete", u64::from(done));
    count("failed", u64::from(to == "failed"));
    count("cancelled", u64::from(to == "cancelled"));
    count("losses", u64::from(lost));
    count("failures", u64::from(given && why == "fail"));
    count("releases", u64::from(given && why != "fail"));
    count(
        "retries",
        u64::from(given && why == "fail" && back) + u64::from(!held(from) && why == "retry" && to == "pending"),
    );
}
