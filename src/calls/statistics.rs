//! Calls that compute statistics, and those that read them.

use redis::Value;

use super::{Call, Calls, EstimateOptions, StatisticsOptions};
use crate::model::reply;
use crate::model::{Day, Estimate, Figures, Statistics, Tallied};
use crate::names::{QueueName, TaskId};

impl Calls {
    /// Adds events that were not read yet to the statistics of their days, and trims the events.
    #[must_use]
    pub fn tally(&self, queue: &QueueName, limit: u32) -> Call<Tallied> {
        self.call("tally", Tallied::read).arg(queue).arg(limit)
    }

    /// Statistics of up to 14 days, the last of which is today, or that of the options.
    #[must_use]
    pub fn statistics(&self, queue: &QueueName, days: u32, options: &StatisticsOptions) -> Call<Statistics> {
        self.call("statistics", statistics).arg(queue).arg(days).pairs(&options.0)
    }

    /// When a task is expected to start and to end.
    #[must_use]
    pub fn estimate(&self, id: &TaskId, options: &EstimateOptions) -> Call<Estimate> {
        self.call("estimate", Estimate::read).arg(id).pairs(&options.0)
    }
}

fn statistics(value: &Value) -> Option<Statistics> {
    let mut found = Statistics::default();
    let mut days: Vec<Day> = Vec::new();
    for (name, value) in reply::pairs(value)? {
        let value = reply::text(value)?;
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
