//! The model's workers: the effect of reports, and which listeners count.

use std::collections::BTreeMap;

use crate::model::arguments::{HAS, listener, queue};
use crate::model::keys::{Kept, Keys, Reply};
use crate::model::ops::Op;
use crate::model::state::{Model, SECOND, decimal, score};

/// The record of a worker.
#[derive(Clone)]
pub struct Worker {
    queues: Vec<String>,
    free: u8,
    has: &'static str,
    draining: bool,
    since: u64,
    at: u64,
    /// The time at which the record is forgotten.
    until: u64,
}

impl Model {
    /// Time in µs for which a silent listener of a queue is remembered.
    pub fn keep(&self, name: &str) -> u64 {
        self.setting(name, "forget_after").unwrap().parse::<u64>().unwrap() * SECOND
    }

    pub fn report(&mut self, op: &Op) -> Reply {
        let Op::Report { listener: who, queues, free, has, draining } = op else { panic!("not a report: {op:?}") };
        let (who, now) = (listener(*who), self.now);
        let names: Vec<String> = queues.iter().map(|name| queue(*name).to_owned()).collect();
        let has = has.map(|has| HAS[usize::from(has)]);
        let mut answer = Vec::new();
        for name in &names {
            let queue = self.queue(name);
            queue.known = true;
            queue.listeners.insert(who.into(), now);
            if let Some(has) = has {
                queue.has.insert(who.into(), has.into());
                queue.has.retain(|_, has| !has.is_empty());
            }
            answer.push(Reply::text(if queue.draining.contains(who) { "drain" } else { "continue" }));
        }
        let alive = self.workers.get(who).filter(|worker| now.saturating_sub(worker.at) <= 30 * SECOND);
        let since = alive.map_or(now, |worker| worker.since);
        // Namespace-wide: a queue's own setting is for its listeners.
        let until = now + self.keep("no such queue");
        let draining = *draining == Some(true);
        let (free, has) = (*free, has.unwrap_or_default());
        self.workers.insert(who.into(), Worker { queues: names, free, has, draining, since, at: now, until });
        self.born = true;
        Reply::List(answer)
    }

    pub fn told_workers(&self) -> Reply {
        let mut workers: Vec<(&String, &Worker)> = self.workers.iter().collect();
        workers.sort_by_key(|(who, worker)| (worker.until, (*who).clone()));
        let mut answer = vec!["0".to_owned()];
        for (who, worker) in workers {
            let ordered = |name: &&String| worker.draining || self.queues[*name].draining.contains(who);
            let drains: Vec<String> = worker.queues.iter().filter(ordered).cloned().collect();
            let dead = self.now.saturating_sub(worker.at) > 30 * SECOND;
            answer.extend([who.clone(), String::new(), String::new(), worker.queues.join(","), worker.has.into()]);
            answer.extend(["2".into(), worker.free.to_string(), drains.join(",")]);
            answer.extend([decimal(worker.since), decimal(worker.at), if dead { "dead" } else { "alive" }.into()]);
            let ending = if worker.draining { "ending" } else { "" };
            answer.extend([String::new(), String::new(), ending.to_owned(), String::new()]);
        }
        Reply::List(answer.into_iter().map(Reply::Text).collect())
    }

    /// The number of listeners that take tasks of a queue, now or later.
    pub fn present(&self, name: &str) -> usize {
        let Some(queue) = self.queues.get(name) else { return 0 };
        let takes = |(who, seen): &(&String, &u64)| {
            let worker = self.workers.get(*who).filter(|worker| worker.queues.iter().any(|other| other == name));
            let idle = queue.held.get(*who).is_none_or(Vec::is_empty);
            let silent = match worker {
                Some(worker) => self.now.saturating_sub(worker.at) > 30 * SECOND,
                None => self.now.saturating_sub(**seen) >= self.keep(name) && idle,
            };
            let ordered = |name: &String| self.queues.get(name).is_some_and(|queue| queue.draining.contains(*who));
            let drains = worker.is_some_and(|worker| worker.draining || worker.queues.iter().any(ordered));
            !silent && !drains && !queue.draining.contains(*who)
        };
        queue.listeners.iter().filter(takes).count()
    }

    /// Lets a worker stop listening to a queue.
    pub fn leave(&mut self, name: &str, who: &str) {
        if let Some(worker) = self.workers.get_mut(who) {
            worker.queues.retain(|other| other != name);
            if worker.queues.is_empty() {
                self.workers.remove(who);
            }
        }
    }

    /// Expired workers, and whether they are registered anywhere.
    pub fn past(&self) -> Vec<(String, bool)> {
        let past = self.workers.iter().filter(|(_, worker)| worker.until <= self.now);
        let registered = |(who, worker): (&String, &Worker)| {
            let any = worker.queues.iter().any(|name| self.queues[name].listeners.contains_key(who));
            (who.clone(), any)
        };
        past.map(registered).collect()
    }

    pub fn forget_workers(&mut self, name: &str, past: Vec<(String, bool)>) {
        let later = self.now + self.keep(name);
        for (who, registered) in past {
            match self.workers.get_mut(&who) {
                Some(worker) if registered => worker.until = later,
                _ => _ = self.workers.remove(&who),
            }
        }
    }

    pub fn worker_keys(&self, keys: &mut Keys) {
        let until = self.workers.iter().map(|(who, worker)| (who.clone(), score(worker.until)));
        keys.insert("workers".into(), Kept::Zset(until.collect()));
        for (who, worker) in &self.workers {
            let text = |text: &str| text.to_owned();
            let record = BTreeMap::from([
                (text("queues"), worker.queues.join(",")),
                (text("slots"), text("2")),
                (text("free"), worker.free.to_string()),
                (text("has"), text(worker.has)),
                (text("name"), String::new()),
                (text("version"), String::new()),
                (text("draining"), u8::from(worker.draining).to_string()),
                (text("methods"), String::new()),
                (text("trouble"), String::new()),
                (text("failed"), String::new()),
                (text("patterns"), String::new()),
                (text("since"), decimal(worker.since)),
                (text("at"), decimal(worker.at)),
            ]);
            keys.insert(format!("worker_{who}"), Kept::Hash(record));
        }
    }
}
