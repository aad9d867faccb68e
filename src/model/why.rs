//! Reasons why a task runs or does not run.

mod sentence;

use std::time::SystemTime;

use super::{TaskInfo, Why};
use crate::names::QueueName;

pub use sentence::Takers;

/// The state of the limits of a queue or of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Number of places; `None` for no limit.
    pub concurrency: Option<u32>,
    /// Number of places in use.
    pub used: u64,
    /// Time until which the rate allows no start; `None` if a start is allowed now.
    pub rate_until: Option<SystemTime>,
}

impl Why {
    /// Limits of the task's queue, if the task is pending.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits { concurrency: self.concurrency, used: self.used.unwrap_or(0), rate_until: self.rate_until }
    }

    /// Limits of the task's key, if the task is pending and has a key.
    #[must_use]
    pub fn key_limits(&self) -> Limits {
        Limits { concurrency: self.key_concurrency, used: self.key_used.unwrap_or(0), rate_until: self.key_rate_until }
    }

    /// Returns true if a record shows the task in the same state. The record and this reply are read by two calls,
    /// between which the task may change.
    #[must_use]
    pub fn agrees(&self, task: &TaskInfo) -> bool {
        task.status() == Some(self.status) && task.failures() == self.failures
    }

    /// Returns true if the name of the task's queue is valid. Blueque 1.0 accepted any name.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        QueueName::new(self.queue.as_str()).is_ok()
    }
}
