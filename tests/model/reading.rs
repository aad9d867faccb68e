//! The model's calls that change nothing.

use std::collections::BTreeSet;

use crate::model::arguments::{listener, queue};
use crate::model::keys::Reply;
use crate::model::ops::Op;
use crate::model::state::{Model, Transition, Verdict, decimal};

impl Model {
    /// The calls that change nothing.
    pub fn read(&mut self, op: &Op) -> Reply {
        let of = |name: &str, status: &str| {
            let tasks = self.tasks.values().filter(|task| task.queue == name && task.status == status);
            tasks.map(|task| task.id.clone()).collect::<Vec<_>>()
        };
        let mut answer: Vec<String> = Vec::new();
        match op {
            Op::Get { task } => match self.tasks.get(task.id()) {
                None => match self.web.told(task.id()) {
                    None => return Reply::Nil,
                    Some(record) => record.into_iter().for_each(|(field, value)| answer.extend([field, value])),
                },
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
                    "pending" => self.all_pending(name),
                    "complete" | "failed" | "cancelled" | "held" => {
                        self.queue(name).finished.get(*status).cloned().unwrap_or_default()
                    }
                    "reserved" | "started" => of(name, status),
                    "waiting" => {
                        let tasks = self.tasks.values().filter(|task| task.queue == name && task.status == *status);
                        let mut order: Vec<(u64, String)> = tasks.map(|task| (task.updated, task.id.clone())).collect();
                        order.sort();
                        order.into_iter().rev().map(|(_, id)| id).collect()
                    }
                    "all" | "scheduled" => {
                        let all = *status == "all";
                        let tasks = self.tasks.values().filter(|task| task.queue == name);
                        let tasks = tasks.filter(|task| all || task.status == "scheduled");
                        let by = tasks.map(|task| match all {
                            true => (decimal(task.created), false),
                            false => (task.get("eta").to_owned(), task.flagged('r')),
                        });
                        let ids = self.tasks.values().filter(|task| task.queue == name);
                        let ids = ids.filter(|task| all || task.status == "scheduled").map(|task| task.id.clone());
                        let mut order: Vec<((String, bool), String)> = by.zip(ids).collect();
                        order.sort();
                        order.into_iter().map(|(_, id)| id).collect::<Vec<_>>()
                    }
                    other => panic!("not a state to list: {other}"),
                };
                let page: Vec<String> = ids.into_iter().skip(*cursor as usize).take(*limit as usize).collect();
                answer.push(if page.len() < *limit as usize { 0 } else { cursor + limit }.to_string());
                answer.extend(page);
            }
            Op::Counts { queue: name } => {
                let name = queue(*name);
                for status in [
                    "waiting",
                    "scheduled",
                    "pending",
                    "held",
                    "reserved",
                    "started",
                    "complete",
                    "failed",
                    "cancelled",
                ] {
                    answer.extend([status.to_owned(), of(name, status).len().to_string()]);
                }
                answer.extend(["listeners".to_owned(), self.present(name).to_string()]);
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
                for (_, name, queue) in known {
                    let stopped = if queue.stopped { "stop" } else { "" };
                    answer.extend([
                        name.clone(),
                        self.present(name).to_string(),
                        queue.paused.clone().unwrap_or_default(),
                    ]);
                    answer.push(stopped.into());
                }
            }
            Op::Limits { queue: name, used } => {
                answer.push("0".into());
                let name = queue(*name);
                let lanes = &self.queues[name].lanes;
                let mut keys: BTreeSet<&String> = lanes.limits.keys().collect();
                if *used {
                    keys = lanes.places.values().map(|(_, key, _)| key).filter(|key| !key.is_empty()).collect();
                }
                for key in keys {
                    let unset = ("-".to_owned(), "-".to_owned());
                    let (places, rate) = lanes.limits.get(key).unwrap_or(&unset);
                    let taken = lanes.places.values().filter(|(_, other, _)| other == key);
                    let taken: u64 = taken.map(|(weight, ..)| weight).sum();
                    answer.extend([
                        key.clone(),
                        places.clone(),
                        rate.clone(),
                        taken.to_string(),
                        "-".into(),
                        "-".into(),
                    ]);
                }
            }
            other => panic!("not a reading call: {other:?}"),
        }
        Reply::List(answer.into_iter().map(Reply::Text).collect())
    }

    pub fn history(&mut self, id: &str) -> Verdict<Reply> {
        self.known(id)?;
        let mut answer = vec![Reply::text(self.histories[id].len())];
        for (number, one) in (1..).zip(&self.histories[id]) {
            let attempt = one.attempt.to_string();
            let fields = [&one.at, &one.from, &one.to, &attempt, &one.by, &one.why];
            answer.push(Reply::text(number));
            answer.extend(fields.into_iter().map(Reply::text));
            answer.extend(["", "", "", one.cost, &one.text, ""].map(Reply::text));
        }
        Ok(Reply::List(answer))
    }

    pub fn note(&mut self, id: &str) -> Verdict<Reply> {
        let now = self.now;
        let task = self.known(id)?;
        let (at, to, attempt) = (decimal(now.max(task.updated)), task.status.clone(), task.attempt);
        task.set("notes", task.get("notes").parse().unwrap_or(0) + 1);
        let note = Transition {
            at,
            from: to.clone(),
            to,
            attempt,
            by: "me".into(),
            why: "note".into(),
            cost: "",
            text: "a word".into(),
        };
        self.histories.entry(id.into()).or_default().push(note);
        self.publish(id, "note", "me", "", "a word");
        Ok(Reply::text("noted"))
    }

    /// The pending tasks by priority, then in the order in which they came, regardless of limits.
    fn all_pending(&self, name: &str) -> Vec<String> {
        let tasks = self.tasks.values().filter(|task| task.queue == name && task.has("rank"));
        let mut laned: Vec<(i64, &str, &str)> =
            tasks.map(|task| (-task.priority(), task.get("rank"), task.id.as_str())).collect();
        laned.sort_unstable();
        let level = laned.partition_point(|(score, ..)| *score < 0);
        let (mut ids, mut rest) = (Vec::new(), laned.split_off(level).into_iter().peekable());
        ids.extend(laned.iter().map(|(.., id)| (*id).to_owned()));
        // Tasks that go before the first of the plain list go before those behind it.
        for id in self.queues[name].pending.iter().rev() {
            let rank = self.plain_rank(&self.tasks[id]);
            while let Some((.., before)) = rest.next_if(|(score, other, _)| *score == 0 && *other < rank.as_str()) {
                ids.push(before.to_owned());
            }
            ids.push(id.clone());
        }
        ids.extend(rest.map(|(.., id)| id.to_owned()));
        ids
    }
}
