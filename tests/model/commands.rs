//! What each call does to the model, and what it must answer.

use crate::model::keys::Reply;
use crate::model::ops::{Eta, IDS, Op, PARTS};
use crate::model::settle::{listener, micros, payload, queue, request};
use crate::model::state::{Model, Task, Verdict, decimal};

const SECOND: u64 = 1_000_000;
const ATTEMPT: [&str; 5] = ["node", "pid", "started", "progress", "progressed"];

impl Model {
    /// Makes a settled call at this time.
    pub fn call(&mut self, wall: u64, op: &Op) -> Reply {
        self.now = wall.max(self.clock);
        self.perform(op).unwrap_or_else(|code| Reply::Refused(code.into()))
    }

    fn perform(&mut self, op: &Op) -> Verdict<Reply> {
        match op {
            Op::Submit { queue: name, tasks, max_losses, .. } => return self.submit(queue(*name), tasks, *max_losses),
            Op::Reserve { listener: who, queues, lease, request: again, woken, .. } => {
                return self.reserve(listener(*who), queues, *lease, &again.map(request), *woken);
            }
            Op::Owner { task, token, act } => return self.owner(task.id(), token.token(), act),
            Op::Heartbeat { queue: name, listener: who, lease, tasks } => {
                let tasks: Vec<(&str, &str)> = tasks.iter().map(|(task, token)| (task.id(), token.token())).collect();
                return Ok(self.heartbeat(queue(*name), listener(*who), u64::from(*lease) * SECOND, &tasks));
            }
            Op::Adopt { listener: who, from, queue: name, task, lease, request: again } => {
                let (from, name) = (listener(from.unwrap()), queue(name.unwrap()));
                return self.adopt(listener(*who), from, name, task.id(), *lease, &again.map(request));
            }
            Op::Cancel { task, reason, force } => {
                return self.cancel(task.id(), payload(*reason), *force == Some(true));
            }
            Op::Retry { task, fresh } => return self.retry(task.id(), *fresh == Some(true)),
            Op::Delete { task } => {
                if !self.known(task.id())?.finished() {
                    return Err("STATE");
                }
                self.shift(task.id(), "deleted", "delete", "", false);
                return Ok(Reply::text("deleted"));
            }
            Op::Promote { queue: name, limit } => return Ok(self.promote(queue(*name), *limit as usize)),
            Op::Requeue { queue: name, limit } => return Ok(self.requeue(queue(*name), *limit as usize)),
            Op::Retain { queue: name, limit, keep, seconds } => {
                return Ok(self.retain(queue(*name), *limit as usize, *keep, *seconds));
            }
            Op::Register { .. } | Op::Unregister { .. } | Op::Drain { .. } => return self.attend(op),
            Op::Pause { queue: name, reason } => {
                let pause = format!("{} me {}", decimal(self.now), payload(*reason));
                self.queue(queue(*name)).paused = Some(pause);
            }
            Op::Resume { queue: name } => {
                let queue = self.queue(queue(*name));
                (queue.paused, queue.wake) = (None, true);
            }
            Op::Wake { queue: name } => {
                self.queue(queue(*name)).wake = false;
                return Ok(Reply::Nil);
            }
            Op::Restarted => {
                self.run = self.run.is_some().then(|| "another".into());
                return Ok(Reply::Nil);
            }
            Op::Mend { part, .. } => {
                let at = PARTS.iter().position(|other| other == part).unwrap() + 1;
                let next = PARTS.get(at).map_or(String::new(), |next| format!("{next}:0"));
                self.born = true;
                return Ok(Reply::List(vec![Reply::text(next), Reply::text(0), Reply::text(0)]));
            }
            _ => return Ok(self.read(op)),
        }
        self.born = true;
        Ok(Reply::text(if matches!(op, Op::Pause { .. }) { "paused" } else { "resumed" }))
    }

    pub fn known(&mut self, id: &str) -> Verdict<&mut Task> {
        self.tasks.get_mut(id).ok_or("NOTASK")
    }

    fn listens(&self, name: &str, who: &str) -> Verdict<()> {
        let known = self.queues.get(name).is_some_and(|queue| queue.listeners.contains_key(who));
        if known { Ok(()) } else { Err("NOLISTENER") }
    }

    fn submit(&mut self, name: &str, tasks: &[(u8, Option<Eta>, u8)], max_losses: Option<u32>) -> Verdict<Reply> {
        let mut answers = Vec::new();
        for (at, (number, ..)) in tasks.iter().enumerate() {
            if tasks[..at].iter().any(|(other, ..)| other == number) {
                return Err("BADARG");
            }
            match self.tasks.get(IDS[usize::from(*number)]) {
                None => answers.push("created"),
                Some(task) if task.queue == name => answers.push("existing"),
                Some(_) => return Err("OTHERQUEUE"),
            }
        }
        for ((number, eta, parameters), _) in tasks.iter().zip(&answers).filter(|(_, answer)| **answer == "created") {
            let id = IDS[usize::from(*number)];
            let mut task = Task { id: id.into(), queue: name.into(), created: self.now, ..Task::default() };
            task.set("parameters", payload(*parameters));
            if let Some(most) = max_losses {
                task.set("max_losses", most);
            }
            let due = match eta {
                Some(Eta::At(eta)) if *eta > self.now => Some(*eta),
                _ => None,
            };
            if let Some(eta) = due {
                task.set("eta", decimal(eta));
            }
            self.tasks.insert(id.into(), task);
            self.shift(id, if due.is_some() { "scheduled" } else { "pending" }, "submit", "", false);
            let queue = self.queue(name);
            queue.known = true;
            queue.wake |= due.is_none();
            self.born = true;
        }
        Ok(Reply::List(answers.into_iter().map(Reply::text).collect()))
    }

    fn reservation(&self, id: &str) -> Reply {
        let task = &self.tasks[id];
        let or = |field, none: &str| Reply::text(task.fields.get(field).map_or(none, String::as_str));
        Reply::List(vec![
            Reply::text(id),
            Reply::text(&task.queue),
            or("token", ""),
            Reply::text(task.attempt),
            Reply::text(task.deadline.unwrap()),
            or("lease", ""),
            or("outcome", ""),
            or("losses", "0"),
            or("failures", "0"),
            or("parameters", ""),
            task.fields.get("checkpoint").map_or(Reply::Nil, Reply::text),
        ])
    }

    fn repeated(&self, id: &str, who: &str, again: &Option<String>) -> Option<Reply> {
        let task = &self.tasks[id];
        let same = again.as_ref().is_some_and(|again| task.get("request") == again);
        (same && task.held() && task.get("node") == who).then(|| self.reservation(id))
    }

    /// A new attempt.
    fn take(&mut self, id: &str, who: &str, lease: Option<u32>, again: &Option<String>, why: &str) -> Reply {
        let (token, lease) = (self.now + 1, u64::from(lease.unwrap_or(60)) * SECOND);
        self.clock = token;
        self.tokens.entry(id.into()).or_default().push(token.to_string());
        let task = self.task(id);
        task.attempt += 1;
        task.deadline = Some(token + lease);
        task.set("node", who);
        task.set("token", token);
        task.set("lease", lease);
        task.set("request", again.clone().unwrap_or_default());
        self.shift(id, "reserved", why, who, false);
        self.reservation(id)
    }

    fn reserve(
        &mut self,
        who: &str,
        queues: &[u8],
        lease: Option<u32>,
        again: &Option<String>,
        woken: bool,
    ) -> Verdict<Reply> {
        for number in queues {
            let latest = self.queue(queue(*number)).held.get(who).and_then(|held| held.first()).cloned();
            if let Some(answer) = latest.and_then(|id| self.repeated(&id, who, again)) {
                return Ok(answer);
            }
        }
        let open = queues.iter().map(|number| (queue(*number), &self.queues[queue(*number)]));
        let next = open
            .filter(|(_, queue)| queue.paused.is_none())
            .find_map(|(name, queue)| Some((name, queue.pending.last()?)));
        if let Some((name, id)) = next {
            let id = id.clone();
            self.listens(name, who)?;
            let answer = self.take(&id, who, lease, again, "reserve");
            let queue = self.queue(name);
            queue.wake |= woken && !queue.pending.is_empty();
            return Ok(answer);
        }
        for name in queues.iter().map(|number| queue(*number)) {
            self.listens(name, who)?;
            if self.queues[name].draining.contains(who) {
                return Err("DRAINING");
            }
        }
        self.born = true;
        let now = self.now;
        for number in queues {
            self.queue(queue(*number)).listeners.insert(who.into(), now);
        }
        Ok(Reply::Nil)
    }

    fn adopt(
        &mut self,
        who: &str,
        from: &str,
        name: &str,
        id: &str,
        lease: Option<u32>,
        again: &Option<String>,
    ) -> Verdict<Reply> {
        if self.known(id)?.queue != name {
            return Err("OTHERQUEUE");
        }
        self.listens(name, who)?;
        if let Some(answer) = self.repeated(id, who, again) {
            return Ok(answer);
        }
        let task = self.task(id);
        if !task.held() || task.get("node") != from || from == who {
            return Err("STATE");
        }
        let to = self.lose(id, "reserved", "adopt");
        Ok(if to == "reserved" { self.take(id, who, lease, again, "adopt") } else { Reply::Nil })
    }

    /// Ends an attempt without its owner. Where that makes a new attempt, the caller begins it.
    fn lose(&mut self, id: &str, back: &'static str, why: &str) -> &'static str {
        let task = self.task(id);
        let losses = task.number("losses") + 1;
        let most = if task.has("max_losses") { task.number("max_losses") } else { 10 };
        task.set("losses", losses);
        task.set("ended", task.get("token").to_owned());
        task.set("outcome", "lost");
        let to = if task.has("cancel") {
            "cancelled"
        } else if losses > most {
            task.set("group", "lost");
            task.set("error", format!("lost {losses} times: its owners stopped reporting"));
            "failed"
        } else {
            task.forget(if back == "reserved" { &ATTEMPT[1..] } else { &ATTEMPT });
            back
        };
        if to != "reserved" {
            task.set("token", "");
            self.shift(id, to, why, "", true);
        }
        to
    }

    fn cancel(&mut self, id: &str, reason: &str, force: bool) -> Verdict<Reply> {
        let now = decimal(self.now);
        let task = self.known(id)?;
        match task.status.as_str() {
            "cancelled" => return Ok(Reply::text("cancelled")),
            "complete" | "failed" => return Err("STATE"),
            _ if task.held() && !force => {
                if !task.has("cancel") {
                    task.set("cancel", now);
                    task.set("reason", reason);
                }
                return Ok(Reply::text("cancelling"));
            }
            _ => {}
        }
        task.set("reason", reason);
        if task.held() {
            task.set("ended", task.get("token").to_owned());
            task.set("token", "");
            task.set("outcome", "lost");
        }
        self.shift(id, "cancelled", "cancel", "", false);
        Ok(Reply::text("cancelled"))
    }

    fn retry(&mut self, id: &str, fresh: bool) -> Verdict<Reply> {
        let task = self.known(id)?;
        if task.status == "pending" && task.get("outcome") == "retry" {
            return Ok(Reply::text("pending"));
        }
        if task.status != "failed" && task.status != "cancelled" {
            return Err("STATE");
        }
        for count in ["failures", "losses", "releases"] {
            task.set(count, 0);
        }
        task.set("outcome", "retry");
        task.forget(&["error", "group", "reason"]);
        task.forget(&ATTEMPT);
        if fresh {
            task.forget(&["checkpoint", "checkpointed"]);
        }
        let name = task.queue.clone();
        self.shift(id, "pending", "retry", "", false);
        self.queue(&name).wake = true;
        Ok(Reply::text("pending"))
    }

    fn promote(&mut self, name: &str, limit: usize) -> Reply {
        self.born = true;
        let scheduled = self.tasks.values().filter(|task| task.queue == name && task.status == "scheduled");
        let mut etas: Vec<(u64, String)> = scheduled.map(|task| (micros(task.get("eta")), task.id.clone())).collect();
        etas.sort();
        let due = etas.iter().filter(|(eta, _)| *eta <= self.now).count();
        let later = etas.get(due).map_or(String::new(), |(eta, _)| decimal(*eta));
        for (_, id) in &etas[..due.min(limit)] {
            self.shift(id, "pending", "promote", "", false);
            self.queue(name).wake = true;
        }
        Reply::List(vec![Reply::text(due.min(limit)), Reply::text(u8::from(due > limit)), Reply::text(later)])
    }

    fn requeue(&mut self, name: &str, limit: usize) -> Reply {
        let now = self.now;
        let restarted = self.run.as_ref().is_some_and(|run| *run != self.here);
        if restarted || self.clock != 0 && now - self.clock > 15 * SECOND {
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
        silent.retain(|(seen, _)| *seen + 300 * SECOND <= now);
        silent.sort();
        silent.truncate(limit);
        let queue = self.queue(name);
        silent.retain(|(_, who)| queue.held.get(who).is_none_or(Vec::is_empty));

        self.born = true;
        self.clock = now;
        self.run = Some(self.here.clone());
        let (mut counts, mut postponed, gap) = ([0, 0, 0], 0, self.gap);
        for (deadline, _, id) in expired {
            let task = self.task(&id);
            let lease = task.number("lease");
            // Where the lease had run into the gap and one lease's time has not passed since.
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
        let queue = self.queue(name);
        for (_, who) in silent {
            queue.listeners.remove(&who);
            queue.draining.remove(&who);
        }
        let [requeued, failed, cancelled] = counts;
        let numbers = [requeued, failed, cancelled, postponed, usize::from(more), queue.listeners.len()];
        Reply::List(numbers.into_iter().map(Reply::text).collect())
    }

    fn retain(&mut self, name: &str, limit: usize, keep: Option<u32>, seconds: Option<u32>) -> Reply {
        self.born = true;
        // The scripts compare in the server's numbers, and so does this.
        #[allow(clippy::cast_precision_loss)]
        let oldest = (self.now - u64::from(seconds.unwrap_or(7 * 86400)) * SECOND) as f64;
        let keep = keep.unwrap_or(50_000) as usize;
        let mut deleted = 0;
        loop {
            let (queue, tasks) = (&self.queues[name], &self.tasks);
            let left: usize = queue.finished.values().map(Vec::len).sum();
            let tails = queue.finished.values().filter_map(|list| list.last());
            let ages = tails.map(|id| (decimal(tasks[id].updated).parse::<f64>().unwrap() * 1e6, id));
            // The earliest; `complete`, `failed`, `cancelled` where they are equal.
            let order = |id: &String| ["complete", "failed", "cancelled"].iter().position(|s| *s == tasks[id].status);
            let next = ages.min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| order(a.1).cmp(&order(b.1))));
            let next = next.filter(|(age, _)| left > keep || *age < oldest).map(|(_, id)| id.clone());
            match next {
                Some(id) if deleted < limit => self.shift(&id, "deleted", "retain", "", false),
                more => return Reply::List(vec![Reply::text(deleted), Reply::text(u8::from(more.is_some()))]),
            }
            deleted += 1;
        }
    }
}
