//! Tracked tasks: each change of a tracked task is published once, in one stream.

use crate::model::arguments::payload;
use crate::model::keys::Reply;
use crate::model::state::{Model, Verdict, decimal};

impl Model {
    pub fn track(&mut self, id: &str, on: bool) -> Verdict<Reply> {
        let tracked = self.known(id)?.flagged('o');
        if tracked != on {
            self.born = true;
            self.task(id).add_flag('o');
            self.publish(id, if on { "track" } else { "untrack" }, "me", "", "");
            if on {
                self.tracked.insert(id.into(), self.now);
            } else {
                self.tracked.remove(id);
                self.untie(id, 'o');
            }
        }
        Ok(Reply::text(if on { "tracked" } else { "untracked" }))
    }

    pub fn untie(&mut self, id: &str, flag: char) {
        let task = self.task(id);
        let flags = task.get("flags").replace(flag, "");
        task.set("flags", &flags);
        if flags.is_empty() {
            task.forget(&["flags"]);
        }
    }

    /// Publishes a change within a state. If `why` is empty, it equals `what`.
    pub fn publish(&mut self, id: &str, what: &str, by: &str, why: &str, text: &str) {
        let task = &self.tasks[id];
        if task.flagged('o') {
            let (queue, status, attempt, at) = (&task.queue, &task.status, task.attempt, decimal(self.now));
            let why = if why.is_empty() { what } else { why };
            let place = format!("id={id}|queue={queue}|what={what}|from={status}|to={status}");
            self.told.push(format!("{place}|attempt={attempt}|at={at}|by={by}|why={why}|text={text}"));
        }
    }

    /// Publishes a new value of a field, by the owner. An equal value is not published.
    pub fn publish_value(&mut self, id: &str, field: &'static str, value: u8) {
        let task = &self.tasks[id];
        let node = task.get("node").to_owned();
        if task.fields.get(field).is_none_or(|known| known != payload(value)) {
            self.publish(id, field, &node, "", if field == "progress" { payload(value) } else { "" });
        }
    }
}
