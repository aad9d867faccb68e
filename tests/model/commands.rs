//! The effect of each call on the model, and its expected reply.

use std::collections::BTreeSet;

use crate::model::arguments::{KEYS, RATES, SETTINGS, listener, payload, queue};
use crate::model::deadlines::moment;
use crate::model::graphs::Graph;
use crate::model::keys::Reply;
use crate::model::ops::{Asks, Op, PARTS, REASONS, SHARED};
use crate::model::reserve::Asked;
use crate::model::state::{ATTEMPT, FAILURE, LEASE, Model, SECOND, Verdict, decimal};
use crate::model::walks::{Wait, Walk};

fn names(queues: &[u8]) -> Vec<&'static str> {
    queues.iter().map(|number| queue(*number)).collect()
}

impl Model {
    /// Makes a settled call at this time.
    pub fn call(&mut self, wall: u64, op: &Op) -> Reply {
        self.now = wall.max(self.clock);
        self.web.begin_call();
        self.us = self.now;
        self.by = op.by();
        let reply = self.perform(op).unwrap_or_else(|code| Reply::Refused(code.into()));
        self.count_named();
        reply
    }

    /// Advances the floor of time. Over 15 s without a sign of life are a gap.
    pub fn advance(&mut self, floor: u64) {
        if self.clock != 0 && self.now.saturating_sub(self.clock) > 15 * SECOND {
            self.gap = self.now;
        }
        self.clock = floor;
    }

    fn perform(&mut self, op: &Op) -> Verdict<Reply> {
        match op {
            Op::Submit { queue: name, tasks, options, deadline, needs, .. } => {
                self.submit(queue(*name), tasks, options, *deadline, needs)
            }
            Op::Graph { .. }
            | Op::Settle { .. }
            | Op::ShowGraph { .. }
            | Op::CancelGraph { .. }
            | Op::RetryGraph { .. } => self.graph(op),
            Op::Edit { task, edit } => self.edit(task.id(), edit),
            Op::Resubmit { .. } => self.resubmit(op),
            Op::Depend { task, needs, .. } => self.depend(task.id(), needs),
            Op::Undepend { task, up, .. } => self.undepend(task.id(), up.id()),
            Op::Suspend { task, token, needs, reason } => {
                self.suspend(task.id(), token.token(), needs, REASONS[usize::from(*reason)])
            }
            Op::Reserve { listener: who, queues, limit, asks, .. } => {
                let asked = Asked::by(listener(*who), limit.unwrap_or(1), asks);
                self.reserve(&asked, &names(queues))
            }
            Op::FinishAndReserve { listener: who, queues, limit, ends, asks, .. } => {
                self.finish_and_reserve(&Asked::by(listener(*who), *limit, asks), &names(queues), ends)
            }
            Op::Owner { task, token, act } => self.owner(task.id(), token.token(), act),
            Op::Heartbeat { queue: name, listener: who, lease, tasks } => {
                let tasks: Vec<(&str, &str)> = tasks.iter().map(|(task, token)| (task.id(), token.token())).collect();
                Ok(self.heartbeat(queue(*name), listener(*who), u64::from(*lease) * SECOND, &tasks))
            }
            Op::Adopt { listener: who, from, queue: name, task, lease, request: again } => {
                let (from, name) = (listener(from.unwrap()), queue(name.unwrap()));
                let asks = Asks { lease: *lease, request: *again, ..Asks::default() };
                let asked = Asked::by(listener(*who), 1, &asks);
                self.adopt(&asked, from, name, task.id())
            }
            Op::Cancel { task, reason, force, at_once } => {
                let (force, at_once) = (*force == Some(true), *at_once == Some(true));
                let (id, reason) = (task.id(), payload(*reason));
                self.on_task("cancel", id, reason, |model| model.cancel(id, reason, force, at_once))
            }
            Op::Requeue { task, at_once } => {
                let (id, at_once) = (task.id(), *at_once == Some(true));
                self.on_task("requeue", id, "", |model| model.requeue(id, at_once))
            }
            Op::Retry { task, fresh, deadline } => {
                let (id, fresh) = (task.id(), *fresh == Some(true));
                self.on_task("retry", id, "", |model| model.retry(id, fresh, moment(*deadline)))
            }
            Op::Delete { task } => {
                let id = task.id();
                if !self.known(id)?.finished() || self.keeps_result(id) {
                    return Err("STATE");
                }
                self.on_task("delete", id, "", |model| {
                    model.shift(id, "deleted", "delete", "", false);
                    Ok(Reply::text("deleted"))
                })
            }
            Op::Promote { queue: name, limit } => Ok(self.promote(queue(*name), *limit as usize)),
            Op::RequeueOrphans { queue: name, limit } => Ok(self.requeue_orphans(queue(*name), *limit as usize)),
            Op::Prune { queue: name, limit, keep, seconds } => {
                Ok(self.prune(queue(*name), *limit as usize, *keep, *seconds))
            }
            Op::Register { .. } | Op::Unregister { .. } | Op::Drain { .. } => self.attend(op),
            Op::Report { .. } => Ok(self.report(op)),
            Op::Maintenance { queues } => Ok(self.keep_up(&names(queues))),
            Op::Peek { .. } => Ok(self.peeked(op)),
            Op::Audit { after, limit, wanted, .. } => Ok(self.audited(*after, *limit as usize, wanted)),
            Op::Ready { listener: who } => Ok(self.with_tasks(listener(*who))),
            Op::Workers => Ok(self.told_workers()),
            Op::Share { limit, places, rate, expires } => {
                let rate = rate.map(|rate| RATES[usize::from(rate)]);
                self.share(SHARED[usize::from(*limit)], *places, rate, *expires)?;
                self.born = true;
                Ok(Reply::text("limited"))
            }
            Op::Pause { .. } | Op::Resume { .. } | Op::Configure { .. } | Op::Limit { .. } => {
                self.born = true;
                Ok(Reply::text(self.rule(op)))
            }
            Op::Prioritise { .. }
            | Op::Hold { .. }
            | Op::Control { .. }
            | Op::Move { .. }
            | Op::Tag { .. }
            | Op::Bulk { .. }
            | Op::Forget { .. } => self.operate(op),
            Op::Schedule { .. }
            | Op::Tick { .. }
            | Op::RunSchedule { .. }
            | Op::PauseSchedule { .. }
            | Op::Unschedule { .. } => self.schedule(op),
            Op::History { task } => self.history(task.id()),
            Op::Note { task } => self.note(task.id()),
            Op::Track { task, on } => self.track(task.id(), *on),
            Op::Aggregate { queue: name, limit } => Ok(self.aggregate(queue(*name), *limit as usize)),
            Op::Wake { queue: name } => {
                self.queue(queue(*name)).wake = false;
                Ok(Reply::Nil)
            }
            Op::Restarted => {
                self.run = self.run.is_some().then(|| "another".into());
                Ok(Reply::Nil)
            }
            Op::Repair { part, .. } => {
                let at = PARTS.iter().position(|other| other == part).unwrap() + 1;
                let next = PARTS.get(at).map_or(String::new(), |next| format!("{next}:0"));
                self.born = true;
                let repaired = if *part == "places" { self.expire_shares() } else { 0 };
                Ok(Reply::List(vec![Reply::text(next), Reply::text(repaired), Reply::text(0)]))
            }
            _ => Ok(self.read(op)),
        }
    }

    /// State of a queue, in a word for the audit.
    fn flow(&self, name: &str) -> &'static str {
        match &self.queues[name] {
            queue if queue.paused.is_none() => "open",
            queue if queue.stopped => "stopped",
            _ => "paused",
        }
    }

    /// The rules that operators set for a queue.
    fn rule(&mut self, op: &Op) -> &'static str {
        match op {
            Op::Pause { queue: name, reason, stop } => {
                let (name, reason) = (queue(*name), payload(*reason));
                let (pause, stop) = (format!("{} me {reason}", decimal(self.now)), *stop == Some(true));
                let before = self.flow(name);
                let queue = self.queue(name);
                let former = queue.paused.replace(pause);
                queue.stopped = stop;
                let after = self.flow(name);
                let same = former.is_some_and(|former| former.split_once(' ').unwrap().1 == format!("me {reason}"));
                if !same || before != after {
                    self.note_change("pause", ["queue", name], [before, after], reason);
                }
                "paused"
            }
            Op::Resume { queue: name } => {
                let name = queue(*name);
                let before = self.flow(name);
                let queue = self.queue(name);
                (queue.paused, queue.stopped, queue.wake) = (None, false, true);
                if before != "open" {
                    self.note_change("resume", ["queue", name], [before, "open"], "");
                }
                "resumed"
            }
            Op::Configure { queue: name, setting, value } => {
                let (setting, values) = SETTINGS[usize::from(*setting)];
                let value = values[usize::from(*value) % values.len()];
                let limits = setting.contains("concurrency") || setting.contains("rate");
                let now = self.now;
                let inherited = name
                    .filter(|_| setting.ends_with("rate"))
                    .and_then(|name| self.setting(queue(name), setting).map(|_| self.since(queue(name), setting)));
                let mut begins = false;
                let settings = match name {
                    None => &mut self.settings,
                    Some(name) => &mut self.queues.get_mut(queue(*name)).unwrap().settings,
                };
                let since = format!("{setting}_since");
                let find =
                    |name: &str| settings.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
                let began = find(&since).filter(|_| find(setting).is_some());
                let before = find(setting).unwrap_or_default();
                let differs = before != value;
                settings.retain(|(other, _)| other != setting && *other != since);
                if !value.is_empty() {
                    settings.push((setting.into(), value.into()));
                    if setting.ends_with("rate") {
                        if began.is_none() && inherited.is_none() {
                            begins = true;
                        }
                        settings.push((since, began.unwrap_or_else(|| inherited.unwrap_or(now).to_string())));
                    }
                }
                if begins {
                    self.advance(now); // no start has an earlier time
                }
                match name.map(queue) {
                    None if limits && differs => self.changes += 1,
                    None if limits => self.changes = self.changes.max(1),
                    Some(name) if limits => {
                        self.changes = self.changes.max(1);
                        let queue = self.queue(name);
                        (queue.lanes.sweep, queue.wake) = (Some(0), true);
                    }
                    Some(name) => self.queue(name).wake |= setting == "ageing",
                    None => {}
                }
                if differs {
                    let on = name.map_or("*", queue);
                    self.note_change("configure", ["queue", on], [&before, value], setting);
                }
                "configured"
            }
            Op::Limit { queue: name, key, places, rate } => {
                let (name, key) = (queue(*name), KEYS[usize::from(*key)]);
                let places = places.map_or("-".to_owned(), |places| places.to_string());
                let rate = rate.map_or("-", |rate| RATES[usize::from(rate)]);
                let new = rate != "-" && self.limit(name, key).1.is_none();
                let queue = self.queue(name);
                let text = |(places, rate): &(String, String)| format!("{places} {rate}");
                let before = queue.lanes.limits.get(key).map_or("- -".to_owned(), text);
                let after = format!("{places} {rate}");
                if new {
                    queue.lanes.starts.remove(key);
                }
                if places == "-" && rate == "-" {
                    queue.lanes.limits.remove(key);
                } else {
                    queue.lanes.limits.insert(key.into(), (places, rate.into()));
                }
                queue.wake = true;
                self.settle_all(name, key);
                if before != after {
                    self.note_change("limit", ["key", &format!("{name}/{key}")], [&before, &after], "");
                }
                "limited"
            }
            other => panic!("not of a queue: {other:?}"),
        }
    }

    pub fn cancel(&mut self, id: &str, reason: &str, force: bool, at_once: bool) -> Verdict<Reply> {
        let now = decimal(self.now);
        let task = self.known(id)?;
        match task.status.as_str() {
            "cancelled" => return Ok(Reply::text("cancelled")),
            "complete" | "failed" => return Err("STATE"),
            _ if task.held() && !at_once => {
                let order = if force { "kill" } else { "cancel" };
                if task.order != Some("kill") && task.order != Some(order) {
                    task.order = Some(order);
                    if !task.has("cancel") {
                        task.set("cancel", now);
                        task.set("reason", reason);
                    } else if !reason.is_empty() {
                        task.set("reason", reason);
                    }
                    self.publish(id, "cancel", self.by, "", reason);
                }
                return Ok(Reply::text("cancelling"));
            }
            _ => {}
        }
        task.set("reason", reason);
        let mut awaited = false;
        if task.held() {
            task.set("ended", task.get("token").to_owned());
            task.forget(&LEASE);
            task.set("outcome", "lost");
            awaited = self.place_is_awaited(id);
        }
        self.shift(id, "cancelled", "cancel", "", false);
        let name = self.tasks[id].queue.clone();
        self.queue(&name).wake |= awaited;
        Ok(Reply::text("cancelled"))
    }

    pub fn requeue(&mut self, id: &str, at_once: bool) -> Verdict<Reply> {
        let now = decimal(self.now);
        let task = self.known(id)?;
        if task.status == "pending" && task.get("outcome") == "released" {
            return Ok(Reply::text("released"));
        } else if !task.held() {
            return Err("STATE");
        } else if !at_once {
            if !task.has("cancel") && !task.has("requeue") {
                task.order = Some("stop");
                task.set("requeue", now);
                self.publish(id, "requeue", self.by, "", "");
            }
            return Ok(Reply::text("requeuing"));
        }
        let cancelled = task.has("cancel");
        let to = if cancelled { "cancelled" } else { self.back(id, "pending", Some("drain")) };
        let outcome = if to == "pending" { "released" } else { to };
        let task = self.task(id);
        task.set("ended", task.get("token").to_owned());
        task.forget(&LEASE);
        task.set("outcome", outcome);
        if to == "pending" {
            task.forget(&ATTEMPT);
            task.set("front", 1);
        }
        let awaited = self.place_is_awaited(id);
        self.shift(id, to, "requeue", "", to == "pending");
        let name = self.tasks[id].queue.clone();
        self.queue(&name).wake |= awaited || to == "pending";
        Ok(Reply::text(outcome))
    }

    fn retry(&mut self, id: &str, fresh: bool, deadline: Option<u64>) -> Verdict<Reply> {
        let task = self.known(id)?;
        if matches!(task.status.as_str(), "pending" | "waiting") && task.get("outcome") == "retry" {
            return Ok(Reply::text(&task.status));
        }
        let graph = task.get("graph").to_owned();
        let wait = self.may_retry(id, None, &BTreeSet::new(), deadline)?;
        let repairs = self.web.graphs.get(&graph).is_some_and(Graph::has_others_to_repair);
        let to = self.run_again(id, fresh, false, wait, deadline);
        if repairs {
            self.begin_walk(&graph, Walk::of("repair"));
        }
        Ok(Reply::text(to))
    }

    /// The upstreams that a task waits for if it runs again, or an error if it may not. In a walk, `begun` are the
    /// tasks that the same step lets run again. `rerun`: the graph that reruns the task.
    pub fn may_retry(
        &self,
        id: &str,
        rerun: Option<&str>,
        begun: &BTreeSet<String>,
        deadline: Option<u64>,
    ) -> Verdict<Option<Wait>> {
        let task = &self.tasks[id];
        if task.held() && task.has("cancel") {
            return Err("STOPPING");
        } else if !(matches!(task.status.as_str(), "failed" | "cancelled")
            || rerun.is_some() && task.status == "complete")
        {
            return Err("STATE");
        } else if self.taken(&task.queue, task.get("unique"), id).is_some() {
            return Err("DUPLICATE");
        }
        let wait = match rerun {
            _ if !task.flagged('w') => None,
            Some(graph) => Some(Wait::Rerun(self.look_rerun(id, graph, begun))),
            None => Some(Wait::Again(self.look_again(id, begun)?)),
        };
        let end_by = deadline.or_else(|| task.end_by());
        if end_by.is_some_and(|end_by| end_by <= self.now) { Err("OVERDUE") } else { Ok(wait) }
    }

    /// A task that has ended waits or runs again.
    pub fn run_again(
        &mut self,
        id: &str,
        fresh: bool,
        rerun: bool,
        wait: Option<Wait>,
        deadline: Option<u64>,
    ) -> &'static str {
        let to = wait.as_ref().map_or("pending", Wait::begins);
        let task = self.task(id);
        let name = task.queue.clone();
        for count in ["failures", "losses", "releases"] {
            task.set(count, 0);
        }
        task.set("outcome", "retry");
        task.forget(&FAILURE);
        task.forget(&["reason", "cause", "discard", "cascade", "front", "uncounted", "stalled_losses"]);
        if task.has("retry_eta") {
            task.forget(&["eta", "retry_eta"]);
        }
        task.forget(&ATTEMPT);
        if fresh {
            task.forget(&["checkpoint", "checkpointed", "ended"]);
        }
        if rerun {
            task.forget(&["result", "readied"]);
        }
        if let Some(deadline) = deadline {
            task.set("deadline", decimal(deadline));
            if !task.flagged('e') {
                let flags = format!("{}e", task.get("flags"));
                task.set("flags", flags);
            }
        }
        self.again(id);
        self.shift(id, to, "retry", "", false);
        self.queue(&name).wake |= to == "pending";
        match wait {
            Some(Wait::Again(again)) => self.wait_again(id, again),
            Some(Wait::Rerun(again)) => self.wait_rerun(id, again),
            None => {}
        }
        to
    }
}
