//! Calls that add up, and those that ask for the sums.

use std::collections::HashMap;

use redis::Value;

use super::{Call, Calls, read};
use crate::model::{Day, Estimate, Figures, Statistics, Tallied};
use crate::names::{QueueName, TaskId};
use crate::reply;

impl Calls {
    /// Adds events that were not read yet to the statistics of their days, and trims the events.
    #[must_use]
    pub fn tally(&self, queue: &QueueName, limit: u32) -> Call<Tallied> {
        let parse = |value: &Value| match reply::array(value)? {
            [events, more, missed, ..] => Some(Tallied {
                events: reply::number(events)?,
                more: read::flag(more)?,
                missed: reply::number(missed)?,
            }),
            _ => None,
        };
        self.call("tally", parse).arg(queue).arg(limit)
    }

    /// Statistics of up to 14 days, the last of which is `until` (YYYYMMDD), or today.
    #[must_use]
    pub fn statistics(&self, queue: &QueueName, days: u32, until: Option<&str>) -> Call<Statistics> {
        self.call("statistics", statistics).arg(queue).arg(days).option("until", until)
    }

    /// When a task is expected to start and to end. `progress`, from 0 to 1, says how far it is.
    #[must_use]
    pub fn estimate(&self, id: &TaskId, progress: Option<f64>) -> Call<Estimate> {
        let progress = progress.filter(|part| part.is_finite()).map(|part| format!("{:.6}", part.clamp(0.0, 1.0)));
        self.call("estimate", estimate).arg(id).option("progress", progress)
    }
}

fn statistics(value: &Value) -> Option<Statistics> {
    let pairs = reply::groups(reply::array(value)?, 0, 2, |item| match item {
        [name, value] => Some((reply::text(name)?, reply::text(value)?)),
        _ => None,
    })?;
    let mut found = Statistics::default();
    let mut days: Vec<Day> = Vec::new();
    for (name, value) in pairs {
        match name.as_str() {
            "day" => days.push(Day { date: value, figures: Figures::default() }),
            "first" => found.first = value,
            "last" => found.last = value,
            "before" => found.before = Some(value).filter(|before| !before.is_empty()),
            field => days.last_mut()?.figures.take(field, &value)?,
        }
    }
    if days.first()?.date != "total" {
        return None;
    }
    found.total = days.remove(0).figures;
    found.days = days;
    Some(found)
}

fn estimate(value: &Value) -> Option<Estimate> {
    let facts: HashMap<String, String> = reply::groups(reply::array(value)?, 0, 2, |item| match item {
        [name, value] => Some((reply::text(name)?, reply::text(value)?)),
        _ => None,
    })?
    .into_iter()
    .collect();
    let time = |name: &str| facts.get(name).and_then(|time| time.parse::<f64>().ok());
    Some(Estimate {
        status: facts.get("status")?.parse().ok()?,
        start: time("start"),
        end: time("end"),
        basis: facts.get("basis")?.parse().ok(),
        runs: facts.get("runs")?.parse().ok()?,
        mean: time("mean"),
        now: time("now")?,
    })
}
