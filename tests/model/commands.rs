//! What each call does to the model, and what it must answer.

use crate::model::keys::Reply;
use crate::model::ops::{Op, PARTS};
use crate::model::reserve::Asked;
use crate::model::settle::{KEYS, RATES, SETTINGS, listener, payload, queue, request};
use crate::model::state::{ATTEMPT, Model, SECOND, Verdict, decimal};

impl Model {
    /// Makes a settled call at this time.
    pub fn call(&mut self, wall: u64, op: &Op) -> Reply {
        self.now = wall.max(self.clock);
        self.us = self.now;
        self.perform(op).unwrap_or_else(|code| Reply::Refused(code.into()))
    }

    fn perform(&mut self, op: &Op) -> Verdict<Reply> {
        match op {
            Op::Submit { queue: name, tasks, wish, .. } => self.submit(queue(*name), tasks, wish),
            Op::Reserve { listener: who, queues, lease, request: again, woken, order, .. } => {
                let asked = Asked { who: listener(*who), lease: *lease, request: again.map(request) };
                self.reserve(&asked, queues, *woken, order.as_ref())
            }
            Op::Owner { task, token, act } => self.owner(task.id(), token.token(), act),
            Op::Heartbeat { queue: name, listener: who, lease, tasks } => {
                let tasks: Vec<(&str, &str)> = tasks.iter().map(|(task, token)| (task.id(), token.token())).collect();
                Ok(self.heartbeat(queue(*name), listener(*who), u64::from(*lease) * SECOND, &tasks))
            }
            Op::Adopt { listener: who, from, queue: name, task, lease, request: again } => {
                let (from, name) = (listener(from.unwrap()), queue(name.unwrap()));
                let asked = Asked { who: listener(*who), lease: *lease, request: again.map(request) };
                self.adopt(&asked, from, name, task.id())
            }
            Op::Cancel { task, reason, force } => self.cancel(task.id(), payload(*reason), *force == Some(true)),
            Op::Retry { task, fresh } => self.retry(task.id(), *fresh == Some(true)),
            Op::Delete { task } => {
                if !self.known(task.id())?.finished() {
                    return Err("STATE");
                }
                self.shift(task.id(), "deleted", "delete", "", false);
                Ok(Reply::text("deleted"))
            }
            Op::Promote { queue: name, limit } => Ok(self.promote(queue(*name), *limit as usize)),
            Op::Requeue { queue: name, limit } => Ok(self.requeue(queue(*name), *limit as usize)),
            Op::Retain { queue: name, limit, keep, seconds } => {
                Ok(self.retain(queue(*name), *limit as usize, *keep, *seconds))
            }
            Op::Register { .. } | Op::Unregister { .. } | Op::Drain { .. } => self.attend(op),
            Op::Pause { .. } | Op::Resume { .. } | Op::Configure { .. } | Op::Limit { .. } => {
                self.born = true;
                Ok(Reply::text(self.rule(op)))
            }
            Op::Prioritise { .. } | Op::Move { .. } | Op::Tag { .. } | Op::Bulk { .. } | Op::Forget { .. } => {
                self.operate(op)
            }
            Op::Schedule { .. }
            | Op::Tick { .. }
            | Op::RunSchedule { .. }
            | Op::PauseSchedule { .. }
            | Op::Unschedule { .. } => self.schedule(op),
            Op::History { task } => self.history(task.id()),
            Op::Tally { queue: name, limit } => Ok(self.tally(queue(*name), *limit as usize)),
            Op::Wake { queue: name } => {
                self.queue(queue(*name)).wake = false;
                Ok(Reply::Nil)
            }
            Op::Restarted => {
                self.run = self.run.is_some().then(|| "another".into());
                Ok(Reply::Nil)
            }
            Op::Mend { part, .. } => {
                let at = PARTS.iter().position(|other| other == part).unwrap() + 1;
                let next = PARTS.get(at).map_or(String::new(), |next| format!("{next}:0"));
                self.born = true;
                Ok(Reply::List(vec![Reply::text(next), Reply::text(0), Reply::text(0)]))
            }
            _ => Ok(self.read(op)),
        }
    }

    /// What operators say of a queue.
    fn rule(&mut self, op: &Op) -> &'static str {
        match op {
            Op::Pause { queue: name, reason, stop } => {
                let pause = format!("{} me {}", decimal(self.now), payload(*reason));
                let queue = self.queue(queue(*name));
                (queue.paused, queue.stopped) = (Some(pause), *stop == Some(true));
                "paused"
            }
            Op::Resume { queue: name } => {
                let queue = self.queue(queue(*name));
                (queue.paused, queue.stopped, queue.wake) = (None, false, true);
                "resumed"
            }
            Op::Configure { queue: name, setting, value } => {
                let (setting, values) = SETTINGS[usize::from(*setting)];
                let value = values[usize::from(*value) % values.len()];
                let limits = setting.contains("concurrency") || setting.contains("rate");
                let settings = match name {
                    None => &mut self.settings,
                    Some(name) => &mut self.queues.get_mut(queue(*name)).unwrap().settings,
                };
                settings.retain(|(other, _)| other != setting);
                if !value.is_empty() {
                    settings.push((setting.into(), value.into()));
                }
                self.limited |= limits;
                if let (true, Some(name)) = (limits, name) {
                    let queue = self.queue(queue(*name));
                    (queue.lanes.sweep, queue.wake) = (Some(0), true);
                } else if limits {
                    self.queues.values_mut().filter(|queue| queue.known).for_each(|queue| queue.lanes.sweep = Some(0));
                }
                "configured"
            }
            Op::Limit { queue: name, key, places, rate } => {
                let (name, key) = (queue(*name), KEYS[usize::from(*key)]);
                let places = places.map_or("-".to_owned(), |places| places.to_string());
                let rate = rate.map_or("-", |rate| RATES[usize::from(rate)]);
                let queue = self.queue(name);
                if places == "-" && rate == "-" {
                    queue.lanes.limits.remove(key);
                } else {
                    queue.lanes.limits.insert(key.into(), (places, rate.into()));
                }
                queue.wake = true;
                self.settle_all(name, key);
                "limited"
            }
            other => panic!("not of a queue: {other:?}"),
        }
    }

    pub fn cancel(&mut self, id: &str, reason: &str, force: bool) -> Verdict<Reply> {
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
        let mut awaited = false;
        if task.held() {
            task.set("ended", task.get("token").to_owned());
            task.set("token", "");
            task.set("outcome", "lost");
            awaited = self.place_is_awaited(id);
        }
        self.shift(id, "cancelled", "cancel", "", false);
        let name = self.tasks[id].queue.clone();
        self.queue(&name).wake |= awaited;
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
        let (name, unique) = (task.queue.clone(), task.get("unique").to_owned());
        if self.holder(&name, &unique).is_some_and(|(other, _)| other != id) {
            return Err("DUPLICATE");
        }
        let task = self.task(id);
        for count in ["failures", "losses", "releases"] {
            task.set(count, 0);
        }
        task.set("outcome", "retry");
        task.forget(&["error", "group", "reason"]);
        task.forget(&ATTEMPT);
        if fresh {
            task.forget(&["checkpoint", "checkpointed"]);
        }
        self.shift(id, "pending", "retry", "", false);
        self.queue(&name).wake = true;
        Ok(Reply::text("pending"))
    }
}
