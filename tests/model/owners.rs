//! The model's calls of owners and listeners, and its reading ones.

use crate::model::keys::Reply;
use crate::model::ops::{Act, Op};
use crate::model::settle::{listener, payload, queue};
use crate::model::state::{Model, Verdict, decimal};

impl Model {
    pub fn owner(&mut self, id: &str, token: &str, act: &Act) -> Verdict<Reply> {
        let now = self.now;
        let endings: &[&str] = match act {
            Act::Complete(_) => &["complete"],
            Act::Fail { .. } => &["failed", "cancelled"],
            Act::Release { .. } => &["released", "cancelled"],
            _ => &[],
        };
        let holds = self.tasks.get(id).is_some_and(|task| task.held() && task.get("token") == token);
        if !holds {
            if token.parse::<u64>().is_err() {
                return Err("BADARG");
            }
            let task = self.tasks.get(id).ok_or("LOST")?;
            let outcome = task.get("outcome");
            let again = task.get("ended") == token && endings.contains(&outcome);
            return if again { Ok(Reply::text(outcome)) } else { Err("LOST") };
        }
        let task = self.task(id);
        let cancelled = task.has("cancel");
        match act {
            Act::Start { .. } if cancelled => Err("CANCELLED"),
            Act::Start { pid, .. } if task.status == "started" && task.get("pid") != pid.to_string() => Err("STATE"),
            Act::Start { pid, lease } => {
                let lease = lease.map_or(task.number("lease"), |lease| u64::from(lease) * 1_000_000);
                task.deadline = Some(now + lease);
                if task.status == "reserved" {
                    task.set("pid", pid);
                    task.set("lease", lease);
                    task.set("started", decimal(now.max(task.updated)));
                    let node = task.get("node").to_owned();
                    self.shift(id, "started", "start", &node, false);
                }
                Ok(Reply::text(now + lease))
            }
            Act::Progress(progress) => {
                task.set("progress", payload(*progress));
                task.set("progressed", decimal(now));
                Ok(Reply::text("kept"))
            }
            Act::Checkpoint(checkpoint) => {
                task.set("checkpoint", payload(*checkpoint));
                task.set("checkpointed", decimal(now));
                Ok(Reply::text("kept"))
            }
            Act::Complete(result) => {
                task.set("result", payload(*result));
                Ok(self.end(id, "complete", "complete", "complete"))
            }
            Act::Fail { error, group } => {
                task.set("error", payload(*error));
                task.set("group", if *group { "disk" } else { "" });
                task.set("failures", task.number("failures") + 1);
                let to = if cancelled { "cancelled" } else { "failed" };
                Ok(self.end(id, to, to, "fail"))
            }
            Act::Release { reason } => {
                task.set("releases", task.number("releases") + 1);
                let why = if *reason { "deploy" } else { "release" };
                let (to, outcome) = if cancelled { ("cancelled", "cancelled") } else { ("pending", "released") };
                Ok(self.end(id, to, outcome, why))
            }
        }
    }

    fn end(&mut self, id: &str, to: &str, outcome: &str, why: &str) -> Reply {
        let task = self.task(id);
        let (node, name) = (task.get("node").to_owned(), task.queue.clone());
        task.set("ended", task.get("token").to_owned());
        task.set("token", "");
        task.set("outcome", outcome);
        if to == "pending" {
            task.forget(&["node", "pid", "started", "progress", "progressed"]);
        }
        self.shift(id, to, why, &node, true);
        self.queue(&name).wake |= to == "pending";
        Reply::text(outcome)
    }

    pub fn heartbeat(&mut self, name: &str, who: &str, lease: u64, tasks: &[(&str, &str)]) -> Reply {
        let deadline = self.now + lease;
        self.born = true;
        self.clock = self.now;
        let mut answer = vec![Reply::text(deadline)];
        let drain = self.queue(name).draining.contains(who);
        for (id, token) in tasks {
            let task = self.tasks.get_mut(*id).filter(|task| task.held() && task.queue == name);
            answer.push(Reply::text(match task.filter(|task| task.get("token") == *token) {
                None => "lost",
                Some(task) => {
                    task.deadline = Some(deadline);
                    match (task.has("cancel"), drain) {
                        (true, _) => "cancel",
                        (false, true) => "drain",
                        (false, false) => "continue",
                    }
                }
            }));
        }
        let now = self.now;
        if let Some(seen) = self.queue(name).listeners.get_mut(who) {
            *seen = now;
        }
        Reply::List(answer)
    }

    /// `register`, `unregister`, `drain`.
    pub fn attend(&mut self, op: &Op) -> Verdict<Reply> {
        let now = self.now;
        let answer = match op {
            Op::Register { queue: name, listener: who } => {
                let queue = self.queue(queue(*name));
                queue.known = true;
                match queue.listeners.insert(listener(*who).into(), now) {
                    None => "registered",
                    Some(_) => "existing",
                }
            }
            Op::Unregister { queue: name, listener: who } => {
                let (queue, who) = (self.queue(queue(*name)), listener(*who));
                if queue.held.get(who).is_some_and(|held| !held.is_empty()) {
                    return Err("HELD");
                }
                queue.draining.remove(who);
                if queue.listeners.remove(who).is_some() { "unregistered" } else { "absent" }
            }
            Op::Drain { queue: name, listener: who, on } => {
                let (queue, who) = (self.queue(queue(*name)), listener(*who));
                if !queue.listeners.contains_key(who) {
                    return Err("NOLISTENER");
                }
                if *on {
                    queue.draining.insert(who.into());
                    "draining"
                } else {
                    queue.draining.remove(who);
                    "listening"
                }
            }
            other => panic!("not of a listener: {other:?}"),
        };
        self.born = true;
        Ok(Reply::text(answer))
    }

    /// The calls that change nothing.
    pub fn read(&mut self, op: &Op) -> Reply {
        let of = |name: &str, status: &str| {
            let tasks = self.tasks.values().filter(|task| task.queue == name && task.status == status);
            tasks.map(|task| task.id.clone()).collect::<Vec<_>>()
        };
        let mut answer: Vec<String> = Vec::new();
        match op {
            Op::Get { task } => match self.tasks.get(task.id()) {
                None => return Reply::Nil,
                Some(task) => task.record().into_iter().for_each(|(field, value)| answer.extend([field, value])),
            },
            Op::Held { queue: name, listener: who } => {
                let held = self.queue(queue(*name)).held.get(listener(*who)).cloned().unwrap_or_default();
                for task in held.iter().map(|id| &self.tasks[id]) {
                    let (attempt, deadline) = (task.attempt.to_string(), task.deadline.unwrap().to_string());
                    let (token, pid) = (task.get("token").to_owned(), task.get("pid").to_owned());
                    answer.extend([task.id.clone(), task.status.clone(), token, attempt, deadline, pid]);
                }
            }
            Op::List { queue: name, status, cursor, limit } => {
                let name = queue(*name);
                let ids = match *status {
                    "pending" => self.queue(name).pending.iter().rev().cloned().collect(),
                    "complete" | "failed" | "cancelled" => {
                        self.queue(name).finished.get(*status).cloned().unwrap_or_default()
                    }
                    "reserved" | "started" => of(name, status),
                    _ => {
                        let all = *status == "all";
                        let tasks = self.tasks.values().filter(|task| task.queue == name);
                        let tasks = tasks.filter(|task| all || task.status == "scheduled");
                        let by = tasks.map(|task| if all { decimal(task.created) } else { task.get("eta").to_owned() });
                        let ids = self.tasks.values().filter(|task| task.queue == name);
                        let ids = ids.filter(|task| all || task.status == "scheduled").map(|task| task.id.clone());
                        let mut order: Vec<(String, String)> = by.zip(ids).collect();
                        order.sort();
                        order.into_iter().map(|(_, id)| id).collect::<Vec<_>>()
                    }
                };
                let page: Vec<String> = ids.into_iter().skip(*cursor as usize).take(*limit as usize).collect();
                answer.push(if page.len() < *limit as usize { 0 } else { cursor + limit }.to_string());
                answer.extend(page);
            }
            Op::Counts { queue: name } => {
                let name = queue(*name);
                for status in ["scheduled", "pending", "reserved", "started", "complete", "failed", "cancelled"] {
                    answer.extend([status.to_owned(), of(name, status).len().to_string()]);
                }
                answer.extend(["listeners".to_owned(), self.queue(name).listeners.len().to_string()]);
            }
            Op::Listeners { queue: name } => {
                answer.push("0".into());
                let queue = self.queue(queue(*name));
                for (who, seen) in &queue.listeners {
                    let held = queue.held.get(who).map_or(0, Vec::len);
                    answer.extend([who.clone(), decimal(*seen), held.to_string()]);
                }
            }
            Op::Queues => {
                answer.push("0".into());
                let known = self.queues.iter().filter(|(_, queue)| queue.known);
                let mut known: Vec<_> = known.map(|(name, queue)| (queue.listeners.len(), name, queue)).collect();
                known.sort_by_key(|(listeners, name, _)| (*listeners, (*name).clone()));
                for (listeners, name, queue) in known {
                    answer.extend([name.clone(), listeners.to_string(), queue.paused.clone().unwrap_or_default()]);
                }
            }
            other => panic!("not a reading call: {other:?}"),
        }
        Reply::List(answer.into_iter().map(Reply::Text).collect())
    }
}
