//! Deadlines of tasks: not of their leases.

use crate::model::arguments::micros;
use crate::model::keys::Reply;
use crate::model::ops::Eta;
use crate::model::state::{Model, Task, Verdict, decimal};

const ERROR: &str = "its deadline has passed";

/// The time that a settled call has.
pub fn moment(eta: Option<Eta>) -> Option<u64> {
    eta.and_then(|eta| if let Eta::At(us) = eta { Some(us) } else { None })
}

impl Task {
    /// The time by which the task must have ended.
    pub fn end_by(&self) -> Option<u64> {
        self.fields.get("deadline").map(|deadline| micros(deadline))
    }

    /// Returns true if the owner was ordered to stop because of the deadline of its task.
    pub fn told_of_deadline(&self) -> bool {
        self.end_by().is_some_and(|end_by| self.has("cancel") && micros(self.get("cancel")) >= end_by)
    }

    pub fn fail_overdue(&mut self) {
        self.set("group", "deadline");
        self.set("error", ERROR);
        self.forget(&["reason"]);
    }
}

impl Model {
    pub fn require_ahead(&self, end_by: Option<u64>) -> Verdict<()> {
        if end_by.is_some_and(|end_by| end_by <= self.now) { Err("OVERDUE") } else { Ok(()) }
    }

    /// Watches the deadline of a task from its begin to its end, and again if the task runs again.
    pub fn watch_deadline(&mut self, id: &str, from: &str, to: &str) {
        let is_final = |status: &str| matches!(status, "complete" | "failed" | "cancelled");
        let Some(end_by) = self.tasks[id].end_by() else { return };
        if is_final(to) || to == "deleted" || is_final(from) && to == "moved" {
            self.web.deadlines.remove(id);
        } else if from.is_empty() || is_final(from) {
            self.web.deadlines.insert(id.into(), end_by);
        }
    }

    /// Fails some of the tasks that are past their deadline, or orders their owners to stop. Returns `None` if no
    /// task is overdue.
    pub fn end_overdue(&mut self, limit: usize) -> Option<Reply> {
        let now = self.now;
        let mut past: Vec<(u64, String)> = self.web.deadlines.iter().map(|(id, at)| (*at, id.clone())).collect();
        past.retain(|(at, _)| *at <= now);
        past.sort();
        past.truncate(limit);
        if past.is_empty() {
            return None;
        }
        self.begin_step();
        let ends: Vec<_> = past.iter().map(|(_, id)| (id.clone(), self.ahead(id, "failed", 0))).collect();
        for (id, ahead) in ends {
            self.web.deadlines.remove(&id);
            let task = self.task(&id);
            if !task.held() {
                task.fail_overdue();
                self.web.ahead = Some(ahead);
                self.shift(&id, "failed", "deadline", "", false);
            } else if !task.has("cancel") {
                task.order = Some("cancel");
                task.set("cancel", decimal(now));
                self.publish(&id, "cancel", "", "deadline", ERROR);
            }
        }
        self.end_step();
        Some(Reply::List(vec![Reply::text(past.len()), Reply::text(1)]))
    }
}
