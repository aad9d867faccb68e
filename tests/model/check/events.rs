//! I17 to I20, I25: the contents of the events.

use std::collections::{BTreeMap, BTreeSet};

use super::{Checked, ensure, field, hash, records};
use crate::model::arguments::micros;
use crate::model::keys::{Kept, Keys};
use crate::model::ops::{QUEUES, REASONS};
use crate::model::state::{SECOND, comes, takes};

/// The states that a task can reach from each state.
const DIAGRAM: [(&str, &[&str]); 10] = [
    ("", &["waiting", "scheduled", "pending", "held"]),
    ("waiting", &["scheduled", "pending", "failed", "cancelled", "deleted", "moved"]),
    ("scheduled", &["waiting", "pending", "held", "failed", "cancelled", "deleted", "moved"]),
    ("pending", &["waiting", "scheduled", "held", "reserved", "started", "failed", "cancelled", "deleted", "moved"]),
    ("held", &["scheduled", "pending", "failed", "cancelled", "deleted", "moved"]),
    (
        "reserved",
        &["waiting", "started", "reserved", "pending", "scheduled", "complete", "failed", "cancelled", "moved"],
    ),
    ("started", &["waiting", "reserved", "pending", "scheduled", "complete", "failed", "cancelled", "moved"]),
    ("complete", &["waiting", "scheduled", "pending", "deleted", "moved"]),
    ("failed", &["waiting", "scheduled", "pending", "deleted", "moved"]),
    ("cancelled", &["waiting", "scheduled", "pending", "deleted", "moved"]),
];

/// The events so far: the number read from each queue, the history of each task, and the slots of schedules.
#[derive(Default)]
pub struct Events {
    read: BTreeMap<&'static str, usize>,
    tasks: BTreeMap<(String, &'static str), History>,
    slots: BTreeSet<(&'static str, String)>,
}

impl Events {
    /// I17, I18, I19: the events of each task are a path of the diagram, one for each transition, and agree with its
    /// record.
    pub fn check(&mut self, keys: &Keys) -> Checked {
        for queue in QUEUES {
            let entries = match keys.get(&format!("events_{queue}")) {
                Some(Kept::Stream(entries)) => entries.as_slice(),
                _ => &[],
            };
            let read = self.read.entry(queue).or_default();
            if *read > entries.len() {
                *read = 0; // the queue was forgotten
                self.tasks.retain(|(_, other), _| *other != queue);
                self.slots.retain(|(other, _)| *other != queue);
            }
            for event in &entries[std::mem::replace(read, entries.len())..] {
                self.follow(queue, event)?;
            }
        }
        for ((id, queue), history) in &self.tasks {
            agrees(keys, id, queue, history)?;
        }
        let live = records(keys).len();
        let told = keys.iter().filter(|(name, _)| name.starts_with("events_")).count();
        ensure(live == 0 || told > 0, || "I18: tasks without events".into())
    }

    fn follow(&mut self, queue: &'static str, event: &str) -> Checked {
        if of(event, "why") == "schedule" {
            let id = of(event, "id");
            let fresh = self.slots.iter().all(|(_, other)| other != id);
            self.slots.insert((queue, id.to_owned()));
            ensure(fresh, || format!("I25: the slot {id} made a second task: {event}"))?;
            let (_, slot) = id.split_once('@').unwrap();
            ensure(micros(of(event, "at")) >= slot.parse::<u64>().unwrap() * SECOND, || {
                format!("I20: the slot {id} is early: {event}")
            })?;
        }
        let history = self.tasks.entry((of(event, "id").to_owned(), queue)).or_default();
        history.follow(event).map_err(|what| format!("{what}: {event}"))
    }
}

/// Checks that the record of a task agrees with its events.
fn agrees(keys: &Keys, id: &str, queue: &str, history: &History) -> Checked {
    let record = hash(keys, &format!("task_{id}"));
    if history.gone() {
        return ensure(field(&record, "queue") != queue || !record.contains_key("status"), || {
            format!("I18: {id} was deleted and is there")
        });
    }
    let attempt = history.attempt.to_string();
    let own = [("queue", queue), ("status", &history.status), ("updated", &history.at), ("attempt", &attempt)];
    for (name, value) in own {
        ensure(field(&record, name) == value, || format!("I18: {id} has {name} {value:?} in its events: {record:?}"))?;
    }
    for (name, number) in [("failures", history.failures), ("losses", history.losses), ("releases", history.releases)] {
        let uncounted = if name == "releases" { "uncounted" } else { "" };
        if history.came {
            continue; // earlier ones are in another queue's events
        }
        let counted = |name: &str| record.get(name).map_or(0, |value| value.parse::<u64>().unwrap());
        ensure(counted(name) + counted(uncounted) == number, || {
            format!("I19: {number} {name} of {id} by its events: {record:?}")
        })?;
    }
    Ok(())
}

/// A field of an event.
pub fn of<'a>(event: &'a str, name: &str) -> &'a str {
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
    /// True if the task came from another queue, and was not retried since.
    came: bool,
}

impl History {
    fn gone(&self) -> bool {
        self.status == "deleted" || self.status == "moved"
    }

    fn follow(&mut self, event: &str) -> Checked {
        let (from, to, why) = (of(event, "from"), of(event, "to"), of(event, "why"));
        if self.gone() {
            *self = Self::default();
        }
        if from.is_empty() && comes(why) {
            // The counters move along with the task, but a step and a round begin at zero.
            (self.came, self.attempt) = (why == "move", of(event, "attempt").parse().unwrap());
        }
        let since = if from.is_empty() { "" } else { &self.at };
        ensure(of(event, "since") == since, || format!("I18: it was so since {since:?}"))?;
        ensure(self.status == from, || format!("I18: the task was {:?}", self.status))?;
        let allowed = DIAGRAM.iter().any(|(state, next)| *state == from && next.contains(&to));
        ensure(allowed, || "I18: not in the diagram".into())?;
        self.attempt += u64::from(takes(from, to));
        ensure(of(event, "attempt") == self.attempt.to_string(), || format!("I17, I19: attempt {} ran", self.attempt))?;
        match why {
            "fail" => self.failures += 1,
            "lost" | "adopt" => self.losses += 1,
            why if REASONS.contains(&why) => self.releases += 1,
            // The owner gave the task back. If the task was requeued at once, nothing is counted.
            "requeue" if !of(event, "by").is_empty() => self.releases += 1,
            "retry" | "again" => (self.failures, self.losses, self.releases, self.came) = (0, 0, 0, false),
            _ => {}
        }
        self.status = to.to_owned();
        of(event, "at").clone_into(&mut self.at);
        Ok(())
    }
}
