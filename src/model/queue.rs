//! Queues and their listeners.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use super::{ListenerInfo, WorkerInfo};
use crate::error::Error;
use crate::names::{ListenerId, Pattern, QueueName};
use crate::times;

/// Who paused a queue or a schedule, when and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pause {
    /// When; none if unreadable.
    pub at: Option<SystemTime>,
    /// Who.
    pub by: String,
    /// Why; may be empty.
    pub reason: String,
}

impl FromStr for Pause {
    type Err = Error;

    /// Reads `SECONDS BY REASON`. Of what has another form the time is none: a pause is a pause.
    fn from_str(text: &str) -> Result<Self, Error> {
        let known = text.split_once(' ').and_then(|(at, rest)| Some((times::time(at)?, rest)));
        let rest = known.map_or(text, |(_, rest)| rest);
        let (by, reason) = rest.split_once(' ').unwrap_or((rest, ""));
        Ok(Self { at: known.map(|(at, _)| at), by: by.to_owned(), reason: reason.to_owned() })
    }
}

impl fmt::Display for Pause {
    /// `paused by BY: REASON`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.reason.is_empty() { "" } else { ": " };
        write!(f, "paused by {}{colon}{}", self.by, self.reason)
    }
}

impl WorkerInfo {
    /// Whether it takes tasks of a queue: its queues are named, or chosen by patterns.
    #[must_use]
    pub fn serves(&self, queue: &QueueName) -> bool {
        let patterns: Vec<Pattern> = self.queues.iter().filter_map(|text| Pattern::new(text.as_str()).ok()).collect();
        Pattern::choose(&patterns, queue.as_str())
    }

    /// Whether it has a program for a method, or for a queue's tasks without one, as far as known.
    #[must_use]
    pub fn has_program(&self, method: &str) -> Option<bool> {
        let known = (!self.methods.is_empty()).then_some(&self.methods)?;
        Some(known.iter().any(|name| name == method || name == "*"))
    }
}

impl ListenerInfo {
    /// The id, if it has the form of this crate's listeners.
    #[must_use]
    pub fn listener(&self) -> Option<ListenerId> {
        ListenerId::new(self.id.as_str()).ok()
    }
}
