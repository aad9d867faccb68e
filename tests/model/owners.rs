//! The model's calls of owners and listeners, and calls that only read.

use crate::model::arguments::{HAS, listener, payload, queue};
use crate::model::keys::Reply;
use crate::model::ops::{Act, Go, Op, REASONS};
use crate::model::state::{ATTEMPT, FAILURE, LEASE, Model, SECOND, Task, Verdict, decimal};

/// The list on which listeners of all queues wait.
const WAITS: &str = "wakes_df58248c414f342c";

/// The reason in the history why a task was given back. If the owner of a requeued task drains, the reason is
/// `requeue`.
pub fn noted(task: &Task, reason: &'static str) -> &'static str {
    if reason == "drain" && task.has("requeue") { "requeue" } else { reason }
}

impl Model {
    pub fn owner(&mut self, id: &str, token: &str, act: &Act) -> Verdict<Reply> {
        let now = self.now;
        if let Act::Next { go, .. } = act {
            self.check_next(go)?;
        }
        let endings: &[&str] = match act {
            Act::Complete { .. } | Act::Next { .. } => &["complete", "cancelled"], // cancelled: the result is discarded
            Act::Fail { .. } => &["failed", "retrying", "cancelled"],
            Act::Release { .. } | Act::Into { .. } => &["released", "cancelled", "failed"],
            Act::Lost => &["lost"],
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
            let overdue = act.result().is_some() && outcome == "failed" && task.get("group") == "deadline";
            let again = again || task.get("ended") == token && overdue;
            return if again { Ok(Reply::text(outcome)) } else { Err("LOST") };
        }
        let caps = [("releases", self.cap(id, "max_releases")), ("uncounted", self.cap(id, "max_uncounted"))];
        let task = self.task(id);
        let cancelled = task.has("cancel");
        let overdue = task.told_of_deadline();
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
            Act::Attend { answered, refused } => Ok(self.answer_control(id, *answered, *refused)),
            Act::Progress(progress) => {
                self.publish_value(id, "progress", *progress);
                let task = self.task(id);
                task.set("progress", payload(*progress));
                task.set("progressed", decimal(now));
                task.forget(&["stalled_losses"]);
                Ok(Reply::text("kept"))
            }
            Act::Checkpoint(_) | Act::Complete { .. } | Act::Next { .. } | Act::Fail { .. }
                if task.order == Some("kill") =>
            {
                Err("LOST")
            }
            Act::Checkpoint(checkpoint) => {
                self.publish_value(id, "checkpoint", *checkpoint);
                let task = self.task(id);
                task.set("checkpoint", payload(*checkpoint));
                task.set("checkpointed", decimal(now));
                task.forget(&["stalled_losses"]);
                Ok(Reply::text("kept"))
            }
            Act::Complete { cost, .. } | Act::Next { cost, .. } if cancelled && task.has("discard") => {
                Ok(self.end(id, "cancelled", "cancelled", "complete", *cost))
            }
            Act::Complete { cost, .. } | Act::Next { cost, .. } if overdue => {
                task.fail_overdue();
                Ok(self.end(id, "failed", "failed", "complete", *cost))
            }
            Act::Complete { result, cost } => self.complete(id, *result, *cost, &Go::default()),
            Act::Next { result, cost, go } => self.complete(id, *result, *cost, go),
            Act::Fail { error, group, again, last, cost } => {
                task.set("failures", task.number("failures") + 1);
                if overdue {
                    task.set("last_error", payload(*error));
                    task.set("last_group", if *group { "disk" } else { "" });
                    task.fail_overdue();
                    return Ok(self.end(id, "failed", "failed", "fail", *cost));
                }
                let pause = self.pause(id, *again).filter(|_| !cancelled && *last != Some(true));
                let names =
                    if pause.is_none() && !cancelled { ["error", "group"] } else { ["last_error", "last_group"] };
                let task = self.task(id);
                task.forget(&FAILURE);
                task.set(names[0], payload(*error));
                task.set(names[1], if *group { "disk" } else { "" });
                let to = match pause {
                    _ if cancelled => "cancelled",
                    None => "failed",
                    Some(pause) => self.back(id, if pause == 0 { "pending" } else { "scheduled" }, None),
                };
                if let ("scheduled", Some(pause)) = (to, pause) {
                    self.task(id).put_off(now + pause);
                }
                let outcome = if matches!(to, "pending" | "scheduled") { "retrying" } else { to };
                Ok(self.end(id, to, outcome, "fail", *cost))
            }
            Act::Release { reason, again, uncounted, cost } | Act::Into { reason, again, uncounted, cost, .. } => {
                let (counter, cap) = caps[usize::from(*uncounted == Some(true))];
                let given = task.number(counter) + 1;
                let reason = REASONS[usize::from(*reason)];
                let why = noted(task, reason);
                if overdue {
                    task.set(counter, given);
                    task.fail_overdue();
                    return Ok(self.end(id, "failed", "failed", why, *cost));
                }
                if !cancelled && given > cap {
                    task.set(counter, given);
                    task.set("group", "released");
                    let rest = if counter == "uncounted" { " by owners that could not run it" } else { "" };
                    task.set("error", format!("given back {given} times{rest}, more than max_{counter} allows"));
                    return Ok(self.end(id, "failed", "failed", why, *cost));
                }
                let pause = again.unwrap_or_default();
                let later = if pause > 0 { "scheduled" } else { "pending" };
                let back = if cancelled { "cancelled" } else { self.back(id, later, Some(reason)) };
                if let (Act::Into { queue: name, .. }, "pending" | "scheduled") = (act, back)
                    && queue(*name) != self.tasks[id].queue
                {
                    self.keeps = false;
                    return self.give_back(id, queue(*name), why, pause, *cost, (counter, given));
                }
                self.task(id).set(counter, given);
                if back == "scheduled" {
                    let task = self.task(id);
                    task.put_off(now + u64::from(pause) * SECOND);
                    task.set("front", 1);
                }
                let outcome = if back == "cancelled" { "cancelled" } else { "released" };
                Ok(self.end(id, back, outcome, why, *cost))
            }
            Act::Lost => {
                let pause = self.rest(id);
                let name = self.tasks[id].queue.clone();
                let to = self.lose_for(id, if pause > 0 { "scheduled" } else { "pending" }, "lost", pause, "killed");
                self.queue(&name).wake |= to == "pending";
                Ok(Reply::text("lost"))
            }
        }
    }

    /// Seconds after this loss until the task is given out again.
    fn rest(&self, id: &str) -> u64 {
        match self.tasks[id].number("stalled_losses") {
            0 => 0,
            before => (1 << (before - 1).min(40)).min(300),
        }
    }

    /// Time in µs from this failure to the retry of the task, if the task is retried.
    fn pause(&self, id: &str, again: Option<u32>) -> Option<u64> {
        let task = &self.tasks[id];
        let policy = |name: &str| task.fields.get(name).cloned().or_else(|| self.setting(&task.queue, name)).unwrap();
        let number = |name: &str| policy(name).parse::<f64>().unwrap();
        let failures = task.number("failures");
        if failures > self.cap(id, "max_failures") {
            return None;
        }
        if let Some(again) = again {
            return Some(u64::from(again) * SECOND);
        }
        let grown = if policy("backoff") == "exponential" { 2_f64.powf((failures - 1).min(40) as f64) } else { 1.0 };
        let pause = (number("delay") * grown).min(number("max_delay"));
        // The jitter is equal on every server for the same failure of the same task.
        let digest = redis::Script::new(&format!("{id} {failures}")).get_hash().to_owned();
        let fraction = f64::from(u32::from_str_radix(&digest[..8], 16).unwrap()) / 4_294_967_296.0;
        Some((pause * (1.0 - number("jitter") / 100.0 * fraction) * 1e6).floor() as u64)
    }

    pub fn end(&mut self, id: &str, to: &str, outcome: &str, why: &str, cost: Option<u8>) -> Reply {
        let task = self.task(id);
        let (node, name) = (task.get("node").to_owned(), task.queue.clone());
        task.set("ended", task.get("token").to_owned());
        task.forget(&LEASE);
        let implied = to == "complete" && cost.is_none() && task.get("outcome").is_empty();
        task.set("outcome", outcome);
        if let Some(cost) = cost {
            task.set("cost", payload(cost));
            task.set("cost_of", task.get("ended").to_owned());
        }
        if matches!(to, "pending" | "scheduled" | "waiting") {
            task.forget(&ATTEMPT);
            task.forget(&["front"]);
        }
        if outcome == "released" {
            task.set("front", 1);
        }
        if implied {
            self.implied.insert(id.to_owned());
        } else {
            self.implied.remove(id);
        }
        let awaited = self.place_is_awaited(id);
        self.shift(id, to, why, &node, outcome == "released");
        if let Some(last) = self.histories.get_mut(id).and_then(|steps| steps.last_mut()) {
            last.cost = cost.map_or("", payload);
        }
        self.queue(&name).wake |= to == "pending" || awaited;
        Reply::text(outcome)
    }

    pub fn heartbeat(&mut self, name: &str, who: &str, lease: u64, tasks: &[(&str, &str)]) -> Reply {
        let deadline = self.now + lease;
        self.born = true;
        self.advance(self.now);
        let mut answer = vec![Reply::text(deadline)];
        let queue = self.queue(name);
        let drain = if queue.draining.contains(who) { "drain" } else { "continue" };
        let usual = if queue.stopped { "stop" } else { drain };
        for (id, token) in tasks {
            let task = self.tasks.get_mut(*id).filter(|task| task.held() && task.queue == name);
            answer.push(Reply::text(match task.filter(|task| task.get("token") == *token) {
                None => "lost",
                Some(task) if task.order == Some("kill") => "kill",
                Some(task) => {
                    task.deadline = Some(deadline);
                    task.order.unwrap_or(usual)
                }
            }));
        }
        let now = self.now;
        if let Some(seen) = self.queue(name).listeners.get_mut(who) {
            *seen = now;
        }
        Reply::List(answer)
    }

    /// Removes a listener from a queue.
    pub fn dismiss(&mut self, name: &str, who: &str) {
        let queue = self.queue(name);
        queue.listeners.remove(who);
        queue.draining.remove(who);
        queue.has.remove(who);
        self.leave(name, who);
    }

    /// The queues with tasks that are not paused. The first call begins the index, and finds in the search what there
    /// was.
    pub fn with_tasks(&mut self, who: &str) -> Reply {
        let (now, known) = (self.now, self.roams);
        (self.born, self.roams) = (true, true);
        let waits = |name: &String| self.tasks.values().any(|task| task.queue == **name && task.status == "pending");
        let found: Vec<String> = self.queues.keys().filter(|name| known && waits(name)).cloned().collect();
        let mut reply = vec![Reply::text(0), Reply::text(WAITS), Reply::text(0)];
        for name in found {
            let queue = self.queue(&name);
            if queue.paused.is_none() {
                queue.listeners.entry(who.into()).or_insert(now);
                reply.extend([Reply::text(name), Reply::text(1)]);
            }
        }
        Reply::List(reply)
    }

    /// `register`, `unregister`, `drain`.
    pub fn attend(&mut self, op: &Op) -> Verdict<Reply> {
        let now = self.now;
        let answer = match op {
            Op::Register { queue: name, listener: who, has } => {
                let queue = self.queue(queue(*name));
                queue.known = true;
                if let Some(has) = has.map(|has| HAS[usize::from(has)]) {
                    queue.has.insert(listener(*who).into(), has.into());
                    queue.has.retain(|_, has| !has.is_empty());
                }
                match queue.listeners.insert(listener(*who).into(), now) {
                    None => "registered",
                    Some(_) => "existing",
                }
            }
            Op::Unregister { queue: name, listener: who } => {
                let (name, who) = (queue(*name), listener(*who));
                let queue = self.queue(name);
                if queue.held.get(who).is_some_and(|held| !held.is_empty()) {
                    return Err("HELD");
                }
                let known = queue.listeners.contains_key(who);
                self.dismiss(name, who);
                self.rounds.remove(who);
                if known { "unregistered" } else { "absent" }
            }
            Op::Drain { queue: name, listener: who, on } => {
                let (name, who) = (queue(*name), listener(*who));
                let queue = self.queue(name);
                if !queue.listeners.contains_key(who) {
                    return Err("NOLISTENER");
                }
                let changed = if *on { queue.draining.insert(who.into()) } else { queue.draining.remove(who) };
                let words = if *on { ["listening", "draining"] } else { ["draining", "listening"] };
                if changed {
                    self.note_change("drain", ["listener", who], words, name);
                }
                words[1]
            }
            other => panic!("not of a listener: {other:?}"),
        };
        self.born = true;
        Ok(Reply::text(answer))
    }
}
