//! The answer to `why` in one sentence, by the table in `contract/why.toml`, which the other clients also render.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::model::{TaskInfo, Why};
use crate::wording::{both, headline, many, relative, span};

/// The parts of the sentence, each with its alternatives: conditions and a text.
static PARTS: LazyLock<HashMap<String, Vec<(String, String)>>> =
    LazyLock::new(|| serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/why.json"))).unwrap_or_default());

/// Number of parts within parts after which a part is empty. The table has no cycle; a test renders every part.
const DEEPEST: usize = 20;

/// Words about the listeners of the task's queue, from a program that has read the listeners.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers create it")]
pub struct Takers {
    /// The listeners of a queue from which no listener takes tasks, such as "no worker".
    pub nobody: String,
    /// The state of the listeners that take tasks, such as "the only worker of mail is full".
    pub stand: String,
}

impl Why {
    /// Returns why the task does not run, or its current action, in a sentence; its deadline follows in a second
    /// sentence. `task`: the record of the task. Texts of users, such as an error, are in the sentence as they are.
    #[must_use]
    pub fn sentence(&self, task: &TaskInfo) -> String {
        Sentence::new(self, Some(task), &[]).part("sentence")
    }

    /// Returns the sentence without the deadline, with words about the listeners from the caller.
    #[must_use]
    pub fn state(&self, task: &TaskInfo, takers: &Takers) -> String {
        Sentence::new(self, Some(task), &[("nobody", &takers.nobody), ("stand", &takers.stand)]).part("state")
    }

    /// Describes the deadline of an unfinished task that was not ordered to stop.
    #[must_use]
    pub fn ends_by(&self) -> Option<String> {
        self.some("ends_by", &[])
    }

    /// Describes the need or the limit that prevents a pending task from running, even if it were the first of its queue.
    #[must_use]
    pub fn obstacle(&self) -> Option<String> {
        self.some("obstacle", &[])
    }

    /// Describes a shared limit that is too small for a pending task, and the remedy.
    #[must_use]
    pub fn impossible(&self) -> Option<String> {
        self.some("impossible", &[])
    }

    /// Describes the tasks that the task waits for, as part of a sentence. `named`: its open upstream, as the caller
    /// names it.
    #[must_use]
    pub fn upstreams(&self, named: &str) -> String {
        self.some("upstreams", &[("upstream", named)]).unwrap_or_default()
    }

    fn some(&self, part: &str, given: &[(&'static str, &str)]) -> Option<String> {
        Some(Sentence::new(self, None, given).part(part)).filter(|text| !text.is_empty())
    }
}

/// A value of the reply, of the record or of a part. Times are seconds since 1970.
enum Fact {
    Number(f64),
    Text(String),
}

impl Fact {
    fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.parse().ok(),
        }
    }
}

fn number(number: impl TryInto<u64>) -> Option<Fact> {
    #[allow(clippy::cast_precision_loss, reason = "no count is so large")]
    number.try_into().ok().map(|number| Fact::Number(number as f64))
}

fn time(time: SystemTime) -> Option<Fact> {
    time.duration_since(UNIX_EPOCH).ok().map(|since| Fact::Number(since.as_secs_f64()))
}

fn text(text: impl Into<String>) -> Option<Fact> {
    Some(text.into()).filter(|text| !text.is_empty()).map(Fact::Text)
}

/// The parts for one reply.
struct Sentence<'a> {
    why: &'a Why,
    task: Option<&'a TaskInfo>,
    given: &'a [(&'static str, &'a str)],
    depth: Cell<usize>,
}

impl<'a> Sentence<'a> {
    fn new(why: &'a Why, task: Option<&'a TaskInfo>, given: &'a [(&'static str, &'a str)]) -> Self {
        Self { why, task, given, depth: Cell::new(0) }
    }

    /// Renders a part.
    fn part(&self, name: &str) -> String {
        if self.depth.get() > DEEPEST {
            return String::new();
        }
        self.depth.set(self.depth.get() + 1);
        let alternatives = PARTS.get(name).map(Vec::as_slice).unwrap_or_default();
        let found =
            alternatives.iter().find(|(when, _)| when.split_whitespace().all(|condition| self.holds(condition)));
        let text = found.map(|(_, text)| self.filled(text)).unwrap_or_default();
        self.depth.set(self.depth.get() - 1);
        text
    }

    fn holds(&self, condition: &str) -> bool {
        if let Some(name) = condition.strip_prefix('!') {
            return self.value(name).is_none();
        }
        let found =
            ["<=", ">=", "!=", "=", "<", ">"].iter().find_map(|sign| Some((*sign, condition.split_once(*sign)?)));
        let Some((sign, (left, right))) = found else { return self.value(condition).is_some() };
        let quoted = right.strip_prefix('\'').and_then(|right| right.strip_suffix('\''));
        let right = quoted.map_or_else(|| self.value(right), text);
        let (Some(left), Some(right)) = (self.value(left), right) else { return false };
        let order = match (left.number(), right.number()) {
            (Some(left), Some(right)) => left.total_cmp(&right),
            _ => left.text().cmp(&right.text()),
        };
        match sign {
            "=" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        }
    }

    /// Replaces the values of a text.
    fn filled(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, (inside, after))) =
            rest.split_once('{').and_then(|(b, a)| Some((b, a.split_once('}')?)))
        {
            let (name, form) = inside.split_once('|').unwrap_or((inside, ""));
            filled += before;
            if let Some(fact) = self.value(name) {
                filled += &self.formed(&fact, form);
            }
            rest = after;
        }
        filled + rest
    }

    fn formed(&self, fact: &Fact, form: &str) -> String {
        let seconds = || Duration::try_from_secs_f64(fact.number().unwrap_or_default()).unwrap_or_default();
        let time = || UNIX_EPOCH.checked_add(seconds()).unwrap_or(self.why.now);
        match form {
            "" => fact.text(),
            "both" => both(time(), self.why.now),
            "relative" => relative(time(), self.why.now),
            "span" => span(seconds()),
            "quoted" => serde_json::Value::from(fact.text()).to_string(),
            "headline" => headline(&fact.text()),
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
            form => many(fact.number().unwrap_or_default() as u64, form.strip_prefix("many ").unwrap_or_default()),
        }
    }

    /// Returns the value of an operand; `None` if it is absent or empty.
    fn value(&self, name: &str) -> Option<Fact> {
        if let Some((left, right)) = name.split_once('+') {
            return Some(Fact::Number(self.value(left)?.number()? + self.value(right)?.number()?));
        }
        if let Some((left, right)) = name.split_once('-') {
            return Some(Fact::Number((self.value(left)?.number()? - self.value(right)?.number()?).max(0.0)));
        }
        if let Ok(number) = name.parse() {
            return Some(Fact::Number(number));
        }
        if let Some((_, given)) = self.given.iter().find(|(given, _)| *given == name) {
            return text(*given);
        }
        if PARTS.contains_key(name) {
            return text(self.part(name));
        }
        match name.split_once('.') {
            Some(("task", name)) => self.record(name),
            Some(("paused", name)) => {
                let paused = self.why.paused.as_ref()?;
                match name {
                    "at" => paused.at.and_then(time),
                    "by" => text(paused.by.as_str()),
                    _ => text(paused.reason.as_str()),
                }
            }
            _ => self.fact(name),
        }
    }

    fn record(&self, name: &str) -> Option<Fact> {
        let task = self.task?;
        match name {
            "attempt" => number(task.attempt()),
            "cancel" => task.is_cancelling().then_some(Fact::Number(1.0)),
            "error" => text(task.error()?),
            "last_error" => text(task.last_error()?),
            "held_by" => text(task.held_by()?),
            "suspended" => time(task.suspended()?),
            "suspended_by" => text(task.suspended_by()?),
            "reason" => text(task.reason()?),
            "started" => time(task.started()?),
            "updated" => time(task.updated()?),
            "token" => number(task.token()?.value()),
            _ => None,
        }
    }

    fn fact(&self, name: &str) -> Option<Fact> {
        let why = self.why;
        match name {
            "status" => text(why.status.as_str()),
            "queue" => text(why.queue.as_str()),
            "usable" => why.is_usable().then_some(Fact::Number(1.0)),
            "node" => text(why.node.as_deref()?),
            "key" => text(why.key.as_ref()?.as_str()),
            "needs" => text(why.needs.as_deref()?),
            "lacking" => text(why.lacking.as_deref()?),
            "order" => text(why.order?.as_str()),
            "upstream" => text(why.upstream.as_deref()?),
            "limit" => text(why.limit.as_deref()?),
            "limit_turn" => text(why.limit_turn.as_deref()?),
            "eta" => time(why.eta?),
            "deadline" => time(why.deadline?),
            "cancel" => time(why.cancel?),
            "now" => time(why.now),
            "end_by" => time(why.end_by?),
            "rate_until" => time(why.rate_until?),
            "key_rate_until" => time(why.key_rate_until?),
            "limit_rate_until" => time(why.limit_rate_until?),
            "ahead" => number(why.ahead?),
            "listeners" => number(why.listeners),
            "full" => number(why.full),
            "draining" => number(why.draining),
            "silent" => number(why.silent),
            "weight" => number(why.weight),
            "failures" => number(why.failures),
            "uncounted" => number(why.uncounted),
            "able" => number(why.able?),
            "concurrency" => number(why.concurrency?),
            "used" => number(why.used?),
            "key_concurrency" => number(why.key_concurrency?),
            "key_used" => number(why.key_used?),
            "open" => number(why.open?),
            "least" => number(why.least?),
            "chances" => number(why.chances?),
            "limit_weight" => number(why.limit_weight?),
            "limit_concurrency" => number(why.limit_concurrency?),
            "limit_used" => number(why.limit_used?),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
