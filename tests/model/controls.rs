//! Requests to owners: to suspend, to continue or to signal the program of a task.

use crate::model::keys::Reply;
use crate::model::state::{Model, Task, Transition, Verdict, decimal};

/// Commands that make a request.
pub const CONTROLS: [&str; 3] = ["suspend", "unsuspend", "signal"];

const FIELDS: [&str; 5] = ["controls", "controlled", "control_refused", "suspended", "suspended_by"];

impl Task {
    /// The requests without an answer: number, kind and signal.
    fn controls(&self) -> Vec<(u64, String, String)> {
        let each = self.get("controls").split_terminator(';').map(|request| {
            let mut words = request.splitn(3, ' ').map(str::to_owned);
            (words.next().unwrap().parse().unwrap(), words.next().unwrap(), words.next().unwrap())
        });
        each.collect()
    }

    fn set_controls(&mut self, requests: &[(u64, String, String)]) {
        let text = requests.iter().map(|(number, what, signal)| format!("{number} {what} {signal};"));
        let text: String = text.collect();
        self.set("controls", &text);
        if text.is_empty() {
            self.forget(&["controls"]);
        }
    }

    /// Removes the requests with their attempt.
    pub fn end_controls(&mut self) {
        if self.flagged('c') {
            let flags = self.get("flags").replace('c', "");
            self.forget(&FIELDS);
            self.set("flags", &flags);
            if flags.is_empty() {
                self.forget(&["flags"]);
            }
        }
    }
}

impl Model {
    pub fn control(&mut self, id: &str, what: &'static str) -> Verdict<Reply> {
        let by = self.by;
        let task = self.known(id)?;
        if !task.held() || task.get("token").is_empty() || task.has("cancel") || task.has("requeue") {
            return Err("STATE");
        }
        let mut requests = task.controls();
        let latest = requests.iter().rev().find(|(_, what, _)| what != "signal");
        let wanted = latest.map_or(task.has("suspended"), |(_, what, _)| what == "suspend");
        if what == "suspend" && wanted {
            return Ok(Reply::text(if task.has("suspended") { "suspended" } else { "suspending" }));
        } else if what == "unsuspend" && !wanted {
            return Ok(Reply::text(if task.has("suspended") { "continuing" } else { "continued" }));
        } else if requests.len() == 16 {
            return Err("TOOMANY");
        }
        let number = requests.last().map_or(task.number("controlled"), |(number, ..)| *number) + 1;
        let signal = if what == "signal" { "USR1" } else { "" };
        requests.push((number, what.to_owned(), signal.to_owned()));
        task.set_controls(&requests);
        task.order = Some("attend");
        if !task.flagged('c') {
            let flags = format!("{}c", task.get("flags"));
            task.set("flags", flags);
        }
        if what == "suspend" {
            task.set("suspended_by", by);
        }
        let status = task.status.clone();
        self.tell_control(id, what, by, signal);
        let (doing, reply) = match what {
            "suspend" => ("suspending", Reply::text("suspending")),
            "unsuspend" => ("continuing", Reply::text("continuing")),
            _ => ("signalling", Reply::text(number)),
        };
        self.note_change(what, ["task", id], [&status, doing], signal);
        Ok(reply)
    }

    /// The owner's answer to its earliest request, and the next request.
    pub fn answer_control(&mut self, id: &str, answered: Option<u8>, refused: bool) -> Reply {
        let now = decimal(self.now);
        let task = self.task(id);
        let mut requests = task.controls();
        let first = requests.first().filter(|(number, ..)| answered.is_some_and(|one| u64::from(one) == *number));
        if let Some((number, what, signal)) = first.cloned() {
            requests.remove(0);
            task.set("controlled", number);
            task.set_controls(&requests);
            match what.as_str() {
                _ if refused => task.set("control_refused", format!("{number} no")),
                "suspend" => task.set("suspended", &now),
                "unsuspend" => task.forget(&["suspended", "suspended_by"]),
                _ => {}
            }
            if refused && what == "suspend" {
                task.forget(&["suspended_by"]);
            }
            if requests.is_empty() && task.order == Some("attend") {
                task.order = None;
            }
            let node = task.get("node").to_owned();
            let done = match what.as_str() {
                _ if refused => "refused",
                "suspend" => "suspended",
                "unsuspend" => "unsuspended",
                _ => "signalled",
            };
            self.tell_control(id, done, &node, if refused { "no" } else { &signal });
        }
        let next = requests.first();
        next.map_or(Reply::Nil, |(number, what, signal)| {
            Reply::List(vec![Reply::text(number), Reply::text(what), Reply::text(signal)])
        })
    }

    fn tell_control(&mut self, id: &str, why: &'static str, by: &str, text: &str) {
        let now = self.now;
        let task = &self.tasks[id];
        let (at, to, attempt) = (decimal(now.max(task.updated)), task.status.clone(), task.attempt);
        let (by, why_text) = (by.to_owned(), why.to_owned());
        let told = Transition {
            at,
            from: to.clone(),
            to,
            attempt,
            by: by.clone(),
            why: why_text,
            cost: "",
            text: String::new(),
        };
        self.histories.entry(id.into()).or_default().push(told);
        self.publish(id, why, &by, "", text);
    }
}
