//! The model's state: plain maps and lists. It knows neither Redis nor the scripts; `holds` translates it into the
//! contents of the database.

use crate::model::workers::Worker;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::audit::Audit;
use crate::model::graphs::Web;
use crate::model::next_round::NextRound;
use crate::model::ranking::{Carried, Lanes};
use crate::model::rounds::Maintenance;
use crate::model::schedules::Schedule;
use crate::model::shared_limits::Shares;

pub type Verdict<T> = Result<T, &'static str>;

pub const SECOND: u64 = 1_000_000;

/// Fields of an attempt that the next attempt must not find in the record.
pub const ATTEMPT: [&str; 6] = ["node", "pid", "reserved", "started", "progress", "progressed"];

/// Fields of a lease, which end with the attempt.
pub const LEASE: [&str; 3] = ["token", "lease", "request"];

/// Fields of a failure in the record.
pub const FAILURE: [&str; 4] = ["error", "group", "last_error", "last_group"];

#[derive(Clone, Default)]
pub struct Task {
    pub id: String,
    pub queue: String,
    pub status: String,
    /// The fields of the record beyond id, queue, status, attempt and times.
    pub fields: BTreeMap<&'static str, String>,
    pub attempt: u64,
    pub created: u64,
    pub updated: u64,
    /// Deadline of the lease, in µs.
    pub deadline: Option<u64>,
    /// The order for its owner.
    pub order: Option<&'static str>,
}

impl Task {
    pub fn get(&self, field: &str) -> &str {
        self.fields.get(field).map_or("", String::as_str)
    }

    pub fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    pub fn number(&self, field: &str) -> u64 {
        self.fields.get(field).map_or(0, |value| value.parse().unwrap())
    }

    pub fn set(&mut self, field: &'static str, value: impl ToString) {
        self.fields.insert(field, value.to_string());
    }

    pub fn forget(&mut self, fields: &[&'static str]) {
        for field in fields {
            self.fields.remove(field);
        }
    }

    /// Schedules a retry. An eta that the submit did not set is removed when it is promoted.
    pub fn put_off(&mut self, until: u64) {
        if !self.has("eta") {
            self.set("retry_eta", 1);
        }
        self.set("eta", decimal(until));
    }

    pub fn held(&self) -> bool {
        self.status == "reserved" || self.status == "started"
    }

    pub fn waits(&self) -> bool {
        matches!(self.status.as_str(), "pending" | "scheduled" | "held" | "waiting")
    }

    pub fn finished(&self) -> bool {
        matches!(self.status.as_str(), "complete" | "failed" | "cancelled")
    }

    /// The state as a graph counts it, and as dependents see it.
    pub fn outcome(&self) -> &str {
        outcome(&self.status, self.get("flags"))
    }

    /// Removes the mark of a task that was not needed.
    pub fn need(&mut self) {
        if self.flagged('x') {
            let flags = self.get("flags").replace('x', "");
            self.set("flags", flags);
        }
    }

    /// Returns true if the task has the policy `latest`.
    pub fn is_latest(&self) -> bool {
        self.has("exclusive") && self.has("unique") && self.get("unique") == self.get("key")
    }

    /// Returns true if the task has the claim with this letter.
    pub fn flagged(&self, letter: char) -> bool {
        self.get("flags").contains(letter)
    }

    pub fn priority(&self) -> i64 {
        self.fields.get("priority").map_or(0, |priority| priority.parse().unwrap())
    }

    pub fn weight(&self) -> u64 {
        self.number("weight").max(1)
    }

    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.get("tags").split(',').filter(|tag| !tag.is_empty())
    }

    pub fn record(&self) -> BTreeMap<String, String> {
        let mut record: BTreeMap<String, String> =
            self.fields.iter().map(|(field, value)| ((*field).to_owned(), value.clone())).collect();
        record.insert("queue".into(), self.queue.clone());
        record.insert("status".into(), self.status.clone());
        record.insert("attempt".into(), self.attempt.to_string());
        record.insert("created".into(), decimal(self.created));
        record.insert("updated".into(), decimal(self.updated));
        record
    }

    pub fn lease(&self) -> String {
        format!("{} {}", self.id, self.get("token"))
    }
}

/// Names and values, in the order in which they were set.
pub type Settings = Vec<(String, String)>;

#[derive(Clone, Default)]
pub struct Queue {
    /// True if the queue is in the list of queues.
    pub known: bool,
    /// The plain tasks. The next one to run is last.
    pub pending: Vec<String>,
    pub lanes: Lanes,
    /// Finished tasks by status; the latest first.
    pub finished: BTreeMap<String, Vec<String>>,
    /// Held tasks by listener; the latest first.
    pub held: BTreeMap<String, Vec<String>>,
    /// The time at which each listener was last seen.
    pub listeners: BTreeMap<String, u64>,
    /// The offer of each listener.
    pub has: BTreeMap<String, String>,
    pub draining: BTreeSet<String>,
    pub wake: bool,
    /// `name=value|name=value…`
    pub events: Vec<String>,
    pub paused: Option<String>,
    /// Paused, and running tasks are ordered to stop.
    pub stopped: bool,
    pub settings: Settings,
    /// Unique names: the task that holds each name, and until what.
    pub unique: BTreeMap<String, (String, String)>,
    pub unique_until: BTreeMap<String, u64>,
}

#[derive(Clone, Default)]
pub struct Model {
    pub born: bool,
    /// The time of the call that is being made.
    pub now: u64,
    /// The time of the call, advanced by the tokens that the call has issued.
    pub us: u64,
    pub clock: u64,
    /// The server that was seen last.
    pub run: Option<String>,
    pub gap: u64,
    /// Replies of calls with a request id, as in the namespace's hash.
    pub answers: BTreeMap<String, String>,
    pub queues: BTreeMap<String, Queue>,
    pub tasks: BTreeMap<String, Task>,
    /// Every token ever issued, by task.
    pub tokens: BTreeMap<String, Vec<String>>,
    /// This server.
    pub here: String,
    pub settings: Settings,
    /// Number of changes of the limits of all queues; at least 1 once any limit was set.
    pub changes: u64,
    /// The number of pending tasks of each queue when a step was planned.
    pub planned: Option<BTreeMap<String, usize>>,
    /// True if a listener takes queues by pattern.
    pub roams: bool,
    /// The rounds of each listener, by queue.
    pub rounds: BTreeMap<String, BTreeMap<String, String>>,
    /// The reports of workers, by listener.
    pub workers: BTreeMap<String, Worker>,
    /// Every transition of each task.
    pub histories: BTreeMap<String, Vec<Transition>>,
    /// The tasks whose hash lacks the outcome of their last end, which `get` returns.
    pub implied: BTreeSet<String>,
    pub schedules: BTreeMap<String, Schedule>,
    /// For the present call: what a task takes along to another queue, and whether a task that comes back keeps its
    /// turn.
    pub carried: Option<Carried>,
    pub keeps: bool,
    /// For the present transition: true if a further round begins.
    pub restarts: bool,
    /// The number of events of each queue that were added up.
    pub aggregated: BTreeMap<String, usize>,
    pub web: Web,
    /// The time since which each tracked task is tracked, and the changes that were published.
    pub tracked: BTreeMap<String, u64>,
    pub told: Vec<String>,
    /// Rounds that begin later, by task.
    pub next_round: BTreeMap<String, NextRound>,
    pub shares: Shares,
    /// Descriptions of programs, by task.
    pub described: BTreeMap<String, BTreeMap<String, String>>,
    /// The caller of the present call, if the call names its caller.
    pub by: &'static str,
    pub audit: Audit,
    pub maintenance: Maintenance,
}

/// A transition, as `history` returns it.
#[derive(Clone, Debug)]
pub struct Transition {
    pub at: String,
    pub from: String,
    pub to: String,
    pub attempt: u64,
    pub by: String,
    pub why: String,
    pub cost: &'static str,
    /// Text of a note.
    pub text: String,
}

/// Returns true if this transition begins an attempt.
pub fn takes(from: &str, to: &str) -> bool {
    to == "reserved" || to == "started" && from == "pending"
}

/// Returns true if a task that comes into a queue for this reason has left another queue.
pub fn comes(why: &str) -> bool {
    ["move", "next", "again"].contains(&why)
}

/// Seconds, as the scripts write them.
pub fn decimal(us: u64) -> String {
    format!("{}.{:06}", us / 1_000_000, us % 1_000_000)
}

pub fn score(us: u64) -> f64 {
    decimal(us).parse().unwrap()
}

impl Model {
    pub fn queue(&mut self, name: &str) -> &mut Queue {
        self.queues.entry(name.to_owned()).or_default()
    }

    pub fn task(&mut self, id: &str) -> &mut Task {
        self.tasks.get_mut(id).unwrap()
    }

    pub fn known(&mut self, id: &str) -> Verdict<&mut Task> {
        self.tasks.get_mut(id).ok_or("NOTASK")
    }

    /// A listener is woken when a waiting task no longer blocks others.
    pub fn leaves(&mut self, id: &str) {
        let name = self.tasks[id].queue.clone();
        let number = match &self.planned {
            Some(planned) => planned.get(&name).copied().unwrap_or_default(),
            None => self.pending().get(&name).copied().unwrap_or_default(),
        };
        self.queue(&name).wake |= number > 1;
    }

    /// The number of pending tasks of each queue.
    fn pending(&self) -> BTreeMap<String, usize> {
        let mut numbers = BTreeMap::new();
        for task in self.tasks.values().filter(|task| task.status == "pending") {
            *numbers.entry(task.queue.clone()).or_default() += 1;
        }
        numbers
    }

    /// Begins a step, which reads everything before it writes anything, and leaves further effects to `run_deferred`.
    pub fn begin_step(&mut self) {
        self.planned = Some(self.pending());
        self.web.later = true;
        self.born = true;
    }

    pub fn end_step(&mut self) {
        (self.planned, self.web.later) = (None, false);
    }

    /// Moves a task to another state: the lists, the status, the time, its claims, one event.
    pub fn shift(&mut self, id: &str, to: &str, why: &str, by: &str, front: bool) {
        let task = &self.tasks[id];
        let takes = takes(&task.status, to);
        if task.status == "pending" && !takes && (task.weight() > 1 || task.has("exclusive")) {
            self.leaves(id);
        }
        let task = self.tasks.get_mut(id).unwrap();
        let now = self.now.max(task.updated);
        let laned = to == "pending" && task.flagged('r');
        let queue = self.queues.entry(task.queue.clone()).or_default();
        let owner = queue.held.iter().find(|(_, list)| list.iter().any(|other| other == id));
        let owner = owner.map(|(who, _)| who.clone()).filter(|who| who != by && to != "started");
        if takes || to != "started" {
            let lists = queue.finished.values_mut().chain(queue.held.values_mut());
            for list in lists.chain([&mut queue.pending]) {
                list.retain(|other| other != id);
            }
        }
        match to {
            "pending" if laned => {}
            "pending" if front => queue.pending.push(id.to_owned()),
            "pending" => queue.pending.insert(0, id.to_owned()),
            "reserved" | "started" if takes => {
                queue.held.entry(task.get("node").to_owned()).or_default().insert(0, id.to_owned())
            }
            "started" | "scheduled" | "waiting" | "deleted" | "moved" => {}
            _ => queue.finished.entry(to.to_owned()).or_default().insert(0, id.to_owned()),
        }
        let (from, attempt, at) = (task.status.clone(), task.attempt, decimal(now));
        let since = if from.is_empty() { String::new() } else { decimal(task.updated) };
        let mut event =
            format!("id={id}|from={from}|to={to}|attempt={attempt}|at={at}|by={by}|why={why}|since={since}");
        event.extend(owner.map(|who| format!("|node={who}"))); // another has ended its attempt
        let (name, graph, flags) = (task.queue.clone(), task.get("graph").to_owned(), task.get("flags").to_owned());
        if flags.contains('o') {
            let place = format!("id={id}|queue={name}|what=state|from={from}|to={to}");
            self.told.push(format!("{place}|attempt={attempt}|at={at}|by={by}|why={why}|text="));
            if to == "deleted" {
                self.tracked.remove(id);
            }
        }
        let left = if from.is_empty() && comes(why) { "moved".into() } else { from.clone() };
        let transition = Transition {
            at,
            from: left,
            to: to.into(),
            attempt,
            by: by.into(),
            why: why.into(),
            cost: "",
            text: String::new(),
        };
        self.histories.entry(id.into()).or_default().push(transition);
        to.clone_into(&mut task.status);
        task.updated = now;
        if from == "held" && to != "moved" {
            task.forget(&["held_by"]);
        }
        if to != "started" {
            task.forget(&["cancel", "requeue"]);
            task.order = None;
            task.end_controls();
        }
        if to != "cancelled" && to != "deleted" {
            task.need();
        }
        if !task.held() {
            task.deadline = None;
        }
        self.rebind(id, &from, to, front);
        self.queue(&name).events.push(event);
        self.watch_deadline(id, &from, to);
        if to == "deleted" {
            self.tasks.remove(id);
            self.histories.remove(id);
        }
        self.pass_on(id, &graph, &flags, &from, to);
    }

    /// Returns true if the end of this attempt has to wake a listener that waits for its place.
    pub fn place_is_awaited(&self, id: &str) -> bool {
        let task = &self.tasks[id];
        let limited = task.flagged('p') || self.setting(&task.queue, "concurrency").is_some();
        let waits = |planned: &BTreeMap<String, usize>| planned.get(&task.queue).is_some_and(|number| *number > 0);
        limited && self.planned.as_ref().map_or_else(|| waits(&self.pending()), waits)
    }

    /// The setting in effect for a queue; `None` if there is no such setting.
    pub fn setting(&self, queue: &str, name: &str) -> Option<String> {
        let set =
            |settings: &Settings| settings.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
        let own = self.queues.get(queue).and_then(|queue| set(&queue.settings));
        own.or_else(|| set(&self.settings)).or_else(|| default(name).map(str::to_owned))
    }
}

/// The count of a graph that includes a task with this state.
pub fn outcome<'a>(status: &'a str, flags: &str) -> &'a str {
    if status == "cancelled" && flags.contains('x') { "skipped" } else { status }
}

fn default(name: &str) -> Option<&'static str> {
    Some(match name {
        "lease" => "60",
        "keep" => "50000",
        "retain" => "604800",
        "max_losses" | "delay" => "10",
        "max_failures" | "closed" => "0",
        "forget_after" => "300",
        "max_releases" => "1000",
        "max_uncounted" => "10000",
        "backoff" => "exponential",
        "max_delay" => "3600",
        "jitter" => "20",
        _ => return None,
    })
}
