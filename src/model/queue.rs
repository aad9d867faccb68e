//! Queues and their listeners.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use super::{ListenerInfo, WorkerInfo};
use crate::error::Error;
use crate::names::{ListenerId, Pattern, QueueName};
use crate::{times, wording};

/// A pause of a queue or a schedule: who paused it, when and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pause {
    /// Time of the pause; `None` if unreadable.
    pub at: Option<SystemTime>,
    /// Name of the person or program that paused it.
    pub by: String,
    /// Reason of the pause; may be empty.
    pub reason: String,
}

impl FromStr for Pause {
    type Err = Error;

    /// Reads `SECONDS BY REASON`. Any other text is still a pause, without a time.
    fn from_str(text: &str) -> Result<Self, Error> {
        let known = text.split_once(' ').and_then(|(at, rest)| Some((times::time(at)?, rest)));
        let rest = known.map_or(text, |(_, rest)| rest);
        let (by, reason) = rest.split_once(' ').unwrap_or((rest, ""));
        Ok(Self { at: known.map(|(at, _)| at), by: by.to_owned(), reason: reason.to_owned() })
    }
}

impl Pause {
    /// Returns the pause with its age, as part of a sentence.
    #[must_use]
    pub fn words(&self, now: SystemTime) -> String {
        let reason = if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        let when = self.at.map_or_else(|| "at an unknown time".to_owned(), |at| wording::relative(at, now));
        format!("paused by {} {when}{reason}", self.by)
    }
}

impl fmt::Display for Pause {
    /// Writes `paused by BY: REASON`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.reason.is_empty() { "" } else { ": " };
        write!(f, "paused by {}{colon}{}", self.by, self.reason)
    }
}

impl WorkerInfo {
    /// Returns true if the worker takes tasks of a queue, by name or by patterns.
    #[must_use]
    pub fn serves(&self, queue: &QueueName) -> bool {
        let patterns: Vec<Pattern> = self.queues.iter().filter_map(|text| Pattern::new(text.as_str()).ok()).collect();
        Pattern::choose(&patterns, queue.as_str())
    }

    /// Returns true if the worker has a program for a method, or with an empty `method` for tasks without a method.
    /// Returns `None` if the worker has not reported its methods.
    #[must_use]
    pub fn has_program(&self, method: &str) -> Option<bool> {
        let known = (!self.methods.is_empty()).then_some(&self.methods)?;
        Some(known.iter().any(|name| name == method || name == "*"))
    }
}

impl ListenerInfo {
    /// Returns the id, if it has the form of this crate's listeners.
    #[must_use]
    pub fn listener(&self) -> Option<ListenerId> {
        ListenerId::new(self.id.as_str()).ok()
    }
}
