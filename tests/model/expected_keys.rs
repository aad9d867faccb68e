//! The database contents that the contract requires for the model's state.

use std::collections::BTreeMap;

use crate::model::keys::{Kept, Keys};
use crate::model::state::{Model, Queue, Settings, Task, score};

fn text(settings: &Settings) -> String {
    settings.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap())
}

#[allow(clippy::cast_precision_loss)]
fn moment(us: u64) -> f64 {
    us as f64
}

impl Model {
    /// Every key except the derived keys: see `keys::DERIVED`.
    pub fn keys(&self) -> Keys {
        let mut keys = Keys::new();
        if !self.born {
            return keys;
        }
        let mut known = BTreeMap::new();
        for (name, queue) in &self.queues {
            if queue.known {
                known.insert(name.clone(), count(queue.listeners.len()));
            }
            self.queue_keys(name, queue, &mut keys);
            self.index_keys(name, &mut keys);
        }
        keys.insert("meta".into(), Kept::Hash(self.meta()));
        keys.insert("requests".into(), Kept::Hash(self.answers.clone()));
        keys.insert("queues".into(), Kept::Zset(known));
        let next = |next: Option<u64>| next.map_or(f64::INFINITY, moment);
        let schedules = self.schedules.iter().map(|(name, schedule)| (name.clone(), next(schedule.at())));
        keys.insert("schedules".into(), Kept::Zset(schedules.collect()));
        for task in self.tasks.values() {
            let mut record = task.record();
            if task.status == "complete" && self.implied.contains(&task.id) {
                record.remove("outcome");
            }
            keys.insert(format!("task_{}", task.id), Kept::Hash(record));
        }
        for (listener, passes) in &self.rounds {
            keys.insert(format!("rounds_{listener}"), Kept::Hash(passes.clone()));
        }
        self.worker_keys(&mut keys);
        self.graph_keys(&mut keys);
        self.share_keys(&mut keys);
        self.audit_keys(&mut keys);
        self.maintenance_keys(&mut keys);
        self.described_keys(&mut keys);
        keys.insert("changes".into(), Kept::Stream(self.told.clone()));
        let tracked = self.tracked.iter().map(|(id, since)| (id.clone(), score(*since)));
        keys.insert("tracked".into(), Kept::Zset(tracked.collect()));
        keys.extend(
            self.next_round
                .iter()
                .map(|(id, next_round)| (format!("next_round_{id}"), Kept::Hash(next_round.fields()))),
        );
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

    fn meta(&self) -> BTreeMap<String, String> {
        let mut meta = BTreeMap::from([
            ("schema".to_owned(), "1".to_owned()),
            ("clock:1".into(), self.clock.to_string()),
            ("test".into(), "1".into()),
        ]);
        let mut put = |field: String, value: String| meta.insert(field, value);
        if let Some(run) = &self.run {
            put("run".into(), run.clone());
        }
        if self.run.is_some() || self.gap > 0 {
            put("gap".into(), self.gap.to_string());
        }
        if !self.settings.is_empty() {
            put("settings".into(), text(&self.settings));
        }
        if self.changes > 0 {
            put("limits".into(), self.changes.to_string());
        }
        for (name, queue) in &self.queues {
            if let Some(paused) = &queue.paused {
                put(format!("paused:{name}"), paused.clone());
            }
            if !queue.settings.is_empty() {
                put(format!("settings:{name}"), text(&queue.settings));
            }
            if self.laned(name) {
                put(format!("ranking:{name}"), queue.lanes.last.to_string());
            }
            if !queue.draining.is_empty() {
                put(format!("drained:{name}"), queue.draining.len().to_string());
            }
            if queue.lanes.swept > 0 {
                put(format!("swept:{name}"), queue.lanes.swept.to_string());
            }
            if let Some(sweep) = queue.lanes.sweep {
                let place = sweep.checked_sub(1).map_or("0".into(), |after| format!("- {after}"));
                put(format!("sweep:{name}"), place);
            }
        }
        meta
    }

    fn queue_keys(&self, name: &str, queue: &Queue, keys: &mut Keys) {
        let tasks = || self.tasks.values().filter(|task| task.queue == name);
        let held = || tasks().filter(|task| task.held());
        let scheduled = |laned: bool| {
            let tasks = tasks().filter(|task| task.status == "scheduled" && task.flagged('r') == laned);
            Kept::Zset(tasks.map(|task| (task.id.clone(), task.get("eta").parse().unwrap())).collect())
        };
        let mut orders: BTreeMap<String, String> =
            held().filter_map(|task| Some((format!("t:{}", task.id), task.order?.to_owned()))).collect();
        orders.extend(queue.draining.iter().map(|listener| (format!("l:{listener}"), "drain".into())));
        orders.extend(queue.stopped.then(|| ("q".into(), "stop".into())));

        let mut put = |kind: &str, kept| keys.insert(format!("{kind}_{name}"), kept);
        put("pending_tasks", Kept::List(queue.pending.clone()));
        for (status, list) in &queue.finished {
            put(&format!("{status}_tasks"), Kept::List(list.clone()));
        }
        put("scheduled_tasks", scheduled(false));
        put("scheduled_ranked_tasks", scheduled(true));
        let waiting = tasks().filter(|task| task.status == "waiting");
        put("waiting_tasks", Kept::Zset(waiting.map(|task| (task.id.clone(), score(task.updated))).collect()));
        let started = tasks().filter(|task| task.status == "started");
        put(
            "started_tasks",
            Kept::Set(started.map(|task| format!("{} {} {}", task.get("node"), task.get("pid"), task.id)).collect()),
        );
        put("tasks", Kept::Zset(tasks().map(|task| (task.id.clone(), score(task.created))).collect()));
        let deadline = |task: &Task| moment(task.deadline.unwrap());
        put("leases", Kept::Zset(held().map(|task| (task.lease(), deadline(task))).collect()));
        put("orders", Kept::Hash(orders));
        put("listeners", Kept::Set(queue.listeners.keys().cloned().collect()));
        put("seen", Kept::Zset(queue.listeners.iter().map(|(id, seen)| (id.clone(), score(*seen))).collect()));
        put("has", Kept::Hash(queue.has.clone()));
        put("wake", Kept::List(vec!["1".to_owned(); usize::from(queue.wake)]));
        put("events", Kept::Stream(queue.events.clone()));
        let limits = queue.lanes.limits.iter().map(|(key, (places, rate))| (key.clone(), format!("{places} {rate}")));
        put("limits", Kept::Hash(limits.collect()));
        let unique = queue.unique.iter().map(|(name, (id, until))| (name.clone(), format!("{id} {until}")));
        put("unique", Kept::Hash(unique.collect()));
        let until = queue.unique_until.iter().map(|(name, till)| (name.clone(), moment(*till)));
        put("timed", Kept::Zset(until.collect()));
        for (of, starts) in &queue.lanes.starts {
            let suffix = if of == "/" { "" } else { &format!("/{of}") };
            let starts = starts.iter().map(u64::to_string).collect();
            keys.insert(format!("rate_{name}{suffix}"), Kept::List(starts));
        }
        for (listener, list) in &queue.held {
            keys.insert(format!("reserved_tasks_{name}_{listener}"), Kept::List(list.clone()));
        }
    }

    /// Failures by their group, and tasks by their tags.
    fn index_keys(&self, name: &str, keys: &mut Keys) {
        let (mut groups, mut tags) = (BTreeMap::new(), BTreeMap::new());
        let put = |index: &mut BTreeMap<String, BTreeMap<String, f64>>, under: &str, id: &str, at| {
            index.entry(under.to_owned()).or_default().insert(id.to_owned(), score(at));
        };
        for task in self.tasks.values().filter(|task| task.queue == name) {
            if task.status == "failed" {
                put(&mut groups, task.get("group"), &task.id, task.updated);
            }
            task.tags().for_each(|tag| put(&mut tags, tag, &task.id, task.created));
        }
        for (many, one, index) in [("groups", "group", groups), ("tags", "tag", tags)] {
            let sizes = index.iter().map(|(under, tasks)| (under.clone(), count(tasks.len())));
            keys.insert(format!("{many}_{name}"), Kept::Zset(sizes.collect()));
            keys.extend(index.into_iter().map(|(under, tasks)| (format!("{one}_{name}/{under}"), Kept::Zset(tasks))));
        }
    }
}
