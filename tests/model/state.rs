//! The model's state: plain maps and lists. It knows neither Redis nor the scripts;
//! `keys` says what the contract wants the database to hold for it.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::keys::{Kept, Keys};

pub type Verdict<T> = Result<T, &'static str>;

#[derive(Default)]
pub struct Task {
    pub id: String,
    pub queue: String,
    pub status: String,
    /// The fields of the record beyond id, queue, status, attempt and times.
    pub fields: BTreeMap<&'static str, String>,
    pub attempt: u64,
    pub created: u64,
    pub updated: u64,
    /// Of the lease, in µs.
    pub deadline: Option<u64>,
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

    pub fn held(&self) -> bool {
        self.status == "reserved" || self.status == "started"
    }

    pub fn finished(&self) -> bool {
        matches!(self.status.as_str(), "complete" | "failed" | "cancelled")
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

#[derive(Default)]
pub struct Queue {
    /// Whether it is in the list of queues.
    pub known: bool,
    /// The next one to run stands last.
    pub pending: Vec<String>,
    /// By status; the latest first.
    pub finished: BTreeMap<String, Vec<String>>,
    /// By listener; the latest first.
    pub held: BTreeMap<String, Vec<String>>,
    /// When each was last heard of.
    pub listeners: BTreeMap<String, u64>,
    pub draining: BTreeSet<String>,
    pub wake: bool,
    /// `name=value|name=value…`
    pub events: Vec<String>,
    pub paused: Option<String>,
}

#[derive(Default)]
pub struct Model {
    pub born: bool,
    /// The time of the call that is being made.
    pub now: u64,
    pub clock: u64,
    /// The server that was seen last.
    pub run: Option<String>,
    pub gap: u64,
    pub queues: BTreeMap<String, Queue>,
    pub tasks: BTreeMap<String, Task>,
    /// Every token ever issued, by task.
    pub tokens: BTreeMap<String, Vec<String>>,
    /// This server.
    pub here: String,
}

/// Seconds, as the scripts write them.
pub fn decimal(us: u64) -> String {
    format!("{}.{:06}", us / 1_000_000, us % 1_000_000)
}

fn score(us: u64) -> f64 {
    decimal(us).parse().unwrap()
}

impl Model {
    pub fn queue(&mut self, name: &str) -> &mut Queue {
        self.queues.entry(name.to_owned()).or_default()
    }

    pub fn task(&mut self, id: &str) -> &mut Task {
        self.tasks.get_mut(id).unwrap()
    }

    /// Moves a task to another state: the lists, the status, the time, one event.
    pub fn shift(&mut self, id: &str, to: &str, why: &str, by: &str, front: bool) {
        let task = self.tasks.get_mut(id).unwrap();
        let now = self.now.max(task.updated);
        let queue = self.queues.entry(task.queue.clone()).or_default();
        if to != "started" {
            let lists = queue.finished.values_mut().chain(queue.held.values_mut());
            for list in lists.chain([&mut queue.pending]) {
                list.retain(|other| other != id);
            }
        }
        match to {
            "pending" if front => queue.pending.push(id.to_owned()),
            "pending" => queue.pending.insert(0, id.to_owned()),
            "reserved" => queue.held.entry(task.get("node").to_owned()).or_default().insert(0, id.to_owned()),
            "started" | "scheduled" | "deleted" => {}
            _ => queue.finished.entry(to.to_owned()).or_default().insert(0, id.to_owned()),
        }
        let (from, attempt, at) = (&task.status, task.attempt, decimal(now));
        queue.events.push(format!("id={id}|from={from}|to={to}|attempt={attempt}|at={at}|by={by}|why={why}"));
        to.clone_into(&mut task.status);
        task.updated = now;
        task.forget(&["cancel"]); // no flag survives a transition: start refuses where there is one
        if !task.held() {
            task.deadline = None;
        }
        if to == "deleted" {
            self.tasks.remove(id);
        }
    }

    /// What the database must hold.
    pub fn keys(&self) -> Keys {
        let mut keys = Keys::new();
        if !self.born {
            return keys;
        }
        let mut meta =
            BTreeMap::from([("schema".to_owned(), "1".to_owned()), ("clock:1".into(), self.clock.to_string())]);
        if let Some(run) = &self.run {
            meta.insert("run".into(), run.clone());
            meta.insert("gap".into(), self.gap.to_string());
        }
        let mut known = BTreeMap::new();
        for (name, queue) in &self.queues {
            if let Some(paused) = &queue.paused {
                meta.insert(format!("paused:{name}"), paused.clone());
            }
            if queue.known {
                known.insert(name.clone(), f64::from(u32::try_from(queue.listeners.len()).unwrap()));
            }
            self.queue_keys(name, queue, &mut keys);
        }
        keys.insert("meta".into(), Kept::Hash(meta));
        keys.insert("queues".into(), Kept::Zset(known));
        for task in self.tasks.values() {
            keys.insert(format!("task_{}", task.id), Kept::Hash(task.record()));
        }
        keys.retain(|_, kept| match kept {
            Kept::Hash(hash) => !hash.is_empty(),
            Kept::List(list) => !list.is_empty(),
            Kept::Set(set) => !set.is_empty(),
            Kept::Zset(zset) => !zset.is_empty(),
            Kept::Stream(stream) => !stream.is_empty(),
            Kept::Other(_) => true,
        });
        keys
    }

    fn queue_keys(&self, name: &str, queue: &Queue, keys: &mut Keys) {
        let tasks = || self.tasks.values().filter(|task| task.queue == name);
        let held = || tasks().filter(|task| task.held());
        let scheduled = tasks().filter(|task| task.status == "scheduled");
        let mut orders: BTreeMap<String, String> =
            held().filter(|task| task.has("cancel")).map(|task| (format!("t:{}", task.id), "cancel".into())).collect();
        orders.extend(queue.draining.iter().map(|listener| (format!("l:{listener}"), "drain".into())));

        let mut put = |kind: &str, kept| keys.insert(format!("{kind}_{name}"), kept);
        put("pending_tasks", Kept::List(queue.pending.clone()));
        for (status, list) in &queue.finished {
            put(&format!("{status}_tasks"), Kept::List(list.clone()));
        }
        put(
            "scheduled_tasks",
            Kept::Zset(scheduled.map(|task| (task.id.clone(), task.get("eta").parse().unwrap())).collect()),
        );
        let started = tasks().filter(|task| task.status == "started");
        put(
            "started_tasks",
            Kept::Set(started.map(|task| format!("{} {} {}", task.get("node"), task.get("pid"), task.id)).collect()),
        );
        put("tasks", Kept::Zset(tasks().map(|task| (task.id.clone(), score(task.created))).collect()));
        #[allow(clippy::cast_precision_loss)]
        let deadline = |task: &Task| task.deadline.unwrap() as f64;
        put("leases", Kept::Zset(held().map(|task| (task.lease(), deadline(task))).collect()));
        put("orders", Kept::Hash(orders));
        put("listeners", Kept::Set(queue.listeners.keys().cloned().collect()));
        put("seen", Kept::Zset(queue.listeners.iter().map(|(id, seen)| (id.clone(), score(*seen))).collect()));
        put("wake", Kept::List(vec!["1".to_owned(); usize::from(queue.wake)]));
        put("events", Kept::Stream(queue.events.clone()));
        for (listener, list) in &queue.held {
            keys.insert(format!("reserved_tasks_{name}_{listener}"), Kept::List(list.clone()));
        }
    }
}
