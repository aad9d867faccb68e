//! Calls that any client makes now and then.

use std::collections::BTreeSet;

use crate::model::arguments::micros;
use crate::model::keys::Reply;
use crate::model::ranking::rank;
use crate::model::state::{Model, SECOND, Task, decimal};

impl Model {
    /// Keys that a rate or a changed limit held back may start. Returns whether there may be any, whether there may
    /// be more, and when the next one may.
    fn go_on(&mut self, name: &str, limit: usize) -> (bool, bool, Option<u64>) {
        let now = self.now;
        let needs: BTreeSet<String> = self
            .tasks
            .values()
            .filter(|task| task.queue == name && task.has("rank"))
            .map(Task::class)
            .filter(|needs| !needs.is_empty())
            .collect();
        // A key costs more if there are more different needs.
        let limit = (limit / (needs.len() + 1)).max(1);
        let waits = self.tasks.values().any(|task| task.queue == name && task.status == "pending");
        let changes = self.changes;
        let lanes = &mut self.queue(name).lanes;
        if waits && changes > 0 && lanes.swept != changes {
            (lanes.sweep, lanes.swept) = (Some(0), changes);
        }
        let lanes = &self.queues[name].lanes;
        let mut delayed: Vec<(u64, String)> = lanes.delayed.iter().map(|(key, at)| (*at, key.clone())).collect();
        delayed.sort();
        let next = delayed.iter().find(|(at, _)| *at > now).map(|(at, _)| *at);
        let free: Vec<String> =
            delayed.iter().filter(|(at, _)| *at <= now).take(limit).map(|(_, key)| key.clone()).collect();
        let mut keys = free.clone();
        if lanes.sweep == Some(0) {
            keys.extend(lanes.places.values().map(|(_, key, _)| key.clone()));
        }
        let sweep = lanes.sweep.and_then(|after| {
            let page: Vec<(u64, String)> = delayed.into_iter().filter(|(at, _)| *at >= after).take(limit).collect();
            let last = page.last().filter(|_| page.len() == limit).map(|(at, _)| at + 1);
            keys.extend(page.into_iter().map(|(_, key)| key));
            last
        });
        let wakes = !free.is_empty() || lanes.sweep.is_some();
        let more = free.len() == limit || sweep.is_some();
        let queue = self.queue(name);
        queue.wake |= wakes;
        queue.lanes.sweep = sweep;
        for key in &free {
            queue.lanes.delayed.remove(key);
        }
        for key in keys.iter().filter(|key| !key.is_empty() && *key != "/") {
            self.settle_all(name, key);
        }
        (wakes, more, next)
    }

    pub fn promote(&mut self, name: &str, limit: usize) -> Reply {
        self.born = true;
        let scheduled = self.tasks.values().filter(|task| task.queue == name && task.status == "scheduled");
        let eta = |task: &Task| (micros(task.get("eta")), task.flagged('r'), task.id.clone());
        let mut etas: Vec<(u64, bool, String)> = scheduled.map(eta).collect();
        etas.sort();
        let due = etas.iter().filter(|(eta, ..)| *eta <= self.now).count();
        let mut later = etas.get(due).map(|(eta, ..)| *eta);
        let mut more = due > limit;
        if self.changes > 0 || self.laned(name) || !self.queues[name].lanes.delayed.is_empty() {
            let (_, others, next) = self.go_on(name, limit);
            more |= others;
            later = later.into_iter().chain(next).min();
        }
        for (.., id) in &etas[..due.min(limit)] {
            let now = decimal(self.now.max(self.tasks[id].updated));
            self.task(id).set("promoted", now);
            let task = &self.tasks[id];
            let (front, key, turn) = (task.has("front"), task.get("key").to_owned(), task.get("ended").to_owned());
            if self.tasks[id].has("retry_eta") {
                self.task(id).forget(&["eta", "retry_eta"]);
            }
            if front && !key.is_empty() && !turn.is_empty() {
                self.queue(name).lanes.served.entry(key).or_insert(rank(turn.parse().unwrap()));
            }
            self.shift(id, "pending", "promote", "", front);
            self.queue(name).wake = true;
        }
        let later = later.map_or(String::new(), decimal);
        Reply::List(vec![Reply::text(due.min(limit)), Reply::text(u8::from(more)), Reply::text(later)])
    }

    /// Adds up events that were not read yet.
    pub fn aggregate(&mut self, name: &str, limit: usize) -> Reply {
        self.born = true;
        let events = self.queues[name].events.len();
        let read = self.aggregated.entry(name.into()).or_default();
        let number = limit.min(events - *read);
        *read += number;
        Reply::List(vec![Reply::text(number), Reply::text(u8::from(*read < events)), Reply::text(0)])
    }

    pub fn requeue_orphans(&mut self, name: &str, limit: usize) -> Reply {
        let now = self.now;
        let restarted = self.run.as_ref().is_some_and(|run| *run != self.here);
        self.advance(now);
        if restarted {
            self.gap = now;
        }
        let leases = self.tasks.values().filter(|task| task.queue == name && task.deadline.is_some_and(|at| at < now));
        let mut expired: Vec<(u64, String, String)> =
            leases.map(|task| (task.deadline.unwrap(), task.lease(), task.id.clone())).collect();
        expired.sort();
        let more = expired.len() > limit;
        expired.truncate(limit);

        let mut silent: Vec<(u64, String)> =
            self.queue(name).listeners.iter().map(|(who, seen)| (*seen, who.clone())).collect();
        let keep = self.keep(name);
        silent.retain(|(seen, _)| *seen + keep <= now);
        silent.sort();
        silent.truncate(limit);
        let queue = self.queue(name);
        silent.retain(|(_, who)| queue.held.get(who).is_none_or(Vec::is_empty));

        let past = self.past();

        self.born = true;
        self.run = Some(self.here.clone());
        let (mut counts, mut postponed, gap) = ([0, 0, 0], 0, self.gap);
        self.web.later = true;
        for (deadline, _, id) in expired {
            let task = self.task(&id);
            let lease = task.number("lease");
            // If the lease ended in the gap and one lease's time has not passed since.
            let waits = gap + lease > now && deadline - lease < gap;
            if waits && (restarted || task.number("postponed") != deadline) {
                task.deadline = Some(gap + lease);
                task.set("postponed", gap + lease);
                postponed += 1;
            } else {
                match self.lose(&id, "pending", "lost") {
                    "pending" => {
                        counts[0] += 1;
                        self.queue(name).wake = true;
                    }
                    "failed" => counts[1] += 1,
                    _ => counts[2] += 1,
                }
            }
        }
        self.web.later = false;
        for (_, who) in silent {
            self.dismiss(name, &who);
        }
        self.forget_workers(name, past);
        let [requeued, failed, cancelled] = counts;
        let listeners = self.queues[name].listeners.len();
        let numbers = [requeued, failed, cancelled, postponed, usize::from(more), listeners];
        Reply::List(numbers.into_iter().map(Reply::text).collect())
    }

    /// Releases expired unique names.
    fn expire(&mut self, name: &str, limit: usize) {
        let now = self.now;
        let queue = self.queue(name);
        let mut past: Vec<(u64, String)> =
            queue.unique_until.iter().map(|(name, till)| (*till, name.clone())).collect();
        past.retain(|(till, _)| *till <= now);
        past.sort();
        for (_, name) in past.into_iter().take(limit) {
            queue.unique_until.remove(&name);
            let over = |(_, till): &(String, String)| till.parse::<u64>().is_ok_and(|till| till <= now);
            if queue.unique.get(&name).is_some_and(over) {
                queue.unique.remove(&name);
            }
        }
    }

    pub fn prune(&mut self, name: &str, limit: usize, keep: Option<u32>, seconds: Option<u32>) -> Reply {
        self.born = true;
        let set = |setting| self.setting(name, setting).unwrap().parse::<u64>().unwrap();
        let seconds = seconds.map_or_else(|| set("retain"), u64::from);
        let keep = keep.map_or_else(|| usize::try_from(set("keep")).unwrap(), |keep| keep as usize);
        // The scripts compare in the server's numbers, and so does this.
        #[allow(clippy::cast_precision_loss)]
        let oldest = (self.now - seconds * SECOND) as f64;
        self.expire(name, limit);
        let mut deleted = 0;
        loop {
            let (queue, tasks) = (&self.queues[name], &self.tasks);
            let ended = || queue.finished.iter().filter(|(status, _)| *status != "held").map(|(_, list)| list);
            let left: usize = ended().map(Vec::len).sum();
            let lists = ended();
            let tails = lists.filter_map(|list| list.iter().rev().find(|id| !self.keeps_result(id)));
            let ages = tails.map(|id| (decimal(tasks[id].updated).parse::<f64>().unwrap() * 1e6, id));
            // The earliest; if equal, `complete`, `failed`, `cancelled`.
            let order = |id: &String| ["complete", "failed", "cancelled"].iter().position(|s| *s == tasks[id].status);
            let next = ages.min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| order(a.1).cmp(&order(b.1))));
            let next = next.filter(|(age, _)| left > keep || *age < oldest).map(|(_, id)| id.clone());
            match next {
                Some(id) if deleted < limit => self.shift(&id, "deleted", "prune", "", false),
                more => return Reply::List(vec![Reply::text(deleted), Reply::text(u8::from(more.is_some()))]),
            }
            deleted += 1;
        }
    }
}
