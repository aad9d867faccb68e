//! Requests to owners: to suspend, to continue, to signal or to describe the program of a task.

use crate::model::keys::{Kept, Keys, Reply};
use crate::model::state::{Model, Task, Transition, Verdict, decimal};

/// Commands that make a request.
pub const CONTROLS: [&str; 4] = ["suspend", "unsuspend", "signal", "describe"];

/// Signal of each request to signal.
pub const SIGNAL: &str = "USR1";

/// Description of each program.
pub const DESCRIBED: &str = "{}";

/// Number of descriptions of a task that are kept.
const DESCRIPTIONS: u64 = 4;

const FIELDS: [&str; 6] = ["controls", "controlled", "control_refused", "suspended", "suspended_by", "continued"];

impl Task {
    /// The requests without an answer: number, kind and signal.
    fn controls(&self) -> Vec<(u64, String, String)> {
        let each = self.get("controls").split_terminator(';').map(|request| {
            let mut words = request.splitn(3, ' ').map(str::to_owned);
            (words.next().unwrap().parse().unwrap(), words.next().unwrap(), words.next().unwrap())
        });
        each.collect()
    }

    /// The number of the earliest request without an answer, or of the next request.
    pub fn next_request(&self) -> u8 {
        let first = self.controls().first().map_or(self.number("controlled") + 1, |(number, ..)| *number);
        u8::try_from(first).unwrap_or(u8::MAX)
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

/// The detail of a request, as the audit and the history have it.
fn detail(what: &str) -> &'static str {
    if what == "signal" { SIGNAL } else { "" }
}

fn next(requests: &[(u64, String, String)]) -> Reply {
    requests.first().map_or(Reply::Nil, |(number, what, signal)| {
        Reply::List(vec![Reply::text(number), Reply::text(what), Reply::text(signal)])
    })
}

impl Model {
    /// Makes a request, and adds it to the audit.
    pub fn control(&mut self, id: &str, what: &'static str) -> Verdict<Reply> {
        let (reply, asked) = self.ask(id, what)?;
        if asked {
            let doing = match what {
                "suspend" => "suspending",
                "unsuspend" => "continuing",
                "signal" => "signalling",
                _ => "describing",
            };
            let status = self.tasks[id].status.clone();
            self.note_change(what, ["task", id], [&status, doing], detail(what));
        }
        Ok(reply)
    }

    /// Makes a request. Returns false if the task already is as requested.
    pub fn ask(&mut self, id: &str, what: &'static str) -> Verdict<(Reply, bool)> {
        let by = self.by;
        let task = self.known(id)?;
        if !task.held() || task.get("token").is_empty() || task.has("cancel") || task.has("requeue") {
            return Err("STATE");
        }
        let mut requests = task.controls();
        let latest = requests.iter().rev().find(|(_, what, _)| what.ends_with("suspend"));
        let wanted = latest.map_or(task.has("suspended"), |(_, what, _)| what == "suspend");
        if what == "suspend" && wanted {
            return Ok((Reply::text(if task.has("suspended") { "suspended" } else { "suspending" }), false));
        } else if what == "unsuspend" && !wanted {
            return Ok((Reply::text(if task.has("suspended") { "continuing" } else { "continued" }), false));
        } else if requests.len() == 16 {
            return Err("TOOMANY");
        }
        let number = requests.last().map_or(task.number("controlled"), |(number, ..)| *number) + 1;
        requests.push((number, what.to_owned(), detail(what).to_owned()));
        task.set_controls(&requests);
        task.order = Some("attend");
        if !task.flagged('c') {
            let flags = format!("{}c", task.get("flags"));
            task.set("flags", flags);
        }
        if what == "suspend" {
            task.set("suspended_by", by);
        }
        // A description changes nothing, so the history does not have it.
        if what != "describe" {
            self.tell_control(id, what, by, detail(what));
        }
        let reply = match what {
            "suspend" => Reply::text("suspending"),
            "unsuspend" => Reply::text("continuing"),
            _ => Reply::text(number),
        };
        Ok((reply, true))
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
                "unsuspend" => {
                    if task.has("suspended") {
                        task.set("continued", &now);
                    }
                    task.forget(&["suspended", "suspended_by"]);
                }
                _ => {}
            }
            if refused && what == "suspend" {
                task.forget(&["suspended_by"]);
            }
            if requests.is_empty() && task.order == Some("attend") {
                task.order = None;
            }
            let (node, token) = (task.get("node").to_owned(), task.get("token").to_owned());
            if what == "describe" {
                if !refused {
                    let described = self.described.entry(id.to_owned()).or_default();
                    described.insert((number % DESCRIPTIONS).to_string(), format!("{token} {number} {DESCRIBED}"));
                }
                return next(&requests);
            }
            let done = match what.as_str() {
                _ if refused => "refused",
                "suspend" => "suspended",
                "unsuspend" => "unsuspended",
                _ => "signalled",
            };
            self.tell_control(id, done, &node, if refused { "no" } else { &signal });
        }
        next(&requests)
    }

    /// The descriptions outlive their tasks. They expire in the time of the server.
    pub fn described_keys(&self, keys: &mut Keys) {
        keys.extend(self.described.iter().map(|(id, kept)| (format!("described_{id}"), Kept::Hash(kept.clone()))));
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
