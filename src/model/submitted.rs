//! The outcome of a submit.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::names::TaskId;
use crate::times;
use crate::words::words;

/// The outcome of a submit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Submitted {
    /// The task was created.
    Created,
    /// The id had been submitted before; nothing changed.
    Existing,
    /// Another task, with this id, has the unique name; nothing changed.
    Taken(TaskId),
    /// The task was created. The task with this id, which had the unique name, was cancelled.
    Replaced(TaskId),
}

impl Submitted {
    /// Name of the outcome in the contract.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Existing | Self::Taken(_) => "existing",
            Self::Replaced(_) => "replaced",
        }
    }

    /// Id of the other task that has or had the unique name.
    #[must_use]
    pub fn other(&self) -> Option<&TaskId> {
        match self {
            Self::Taken(other) | Self::Replaced(other) => Some(other),
            Self::Created | Self::Existing => None,
        }
    }
}

words! {
    /// Outcome of a submit of an id that may already belong to a task.
    Made {
        /// No task had this id; the task was created.
        Created = "created",
        /// The task had ended, and runs again.
        Again = "again",
        /// The task is waiting, and was changed.
        Changed = "changed",
        /// The task is waiting, and was already the same.
        Existing = "existing",
        /// The task is running, and runs again when the current round has ended.
        Later = "later",
    }
}

/// The outcome of [`Queue::submit_again`](crate::Queue::submit_again).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Round {
    /// Outcome of the call.
    pub made: Made,
    /// Number of the round, counted from 1.
    pub number: u64,
}

/// Period for which a task keeps its unique name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Until {
    /// Until the task is complete, failed or cancelled.
    End,
    /// Until the task starts.
    Start,
    /// For this time from the submit, with any outcome of the task: 1 s to a year.
    For(Duration),
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => f.write_str("end"),
            Self::Start => f.write_str("start"),
            Self::For(time) => f.write_str(&times::seconds(*time)),
        }
    }
}

impl FromStr for Until {
    type Err = Error;

    /// Parses `end`, `start` or decimal seconds.
    ///
    /// # Errors
    /// `BADARG` for any other text, and for a time under 1 s or over a year.
    fn from_str(text: &str) -> Result<Self> {
        let allowed = Duration::from_secs(1)..=Duration::from_secs(31_536_000);
        match (text, times::span(text)) {
            ("end", _) => Ok(Self::End),
            ("start", _) => Ok(Self::Start),
            (_, Some(time)) if allowed.contains(&time) => Ok(Self::For(time)),
            _ => Err(Error::argument("it must be end, start, or decimal seconds from 1 to 31536000")),
        }
    }
}

impl TryFrom<String> for Until {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Until> for String {
    fn from(until: Until) -> Self {
        until.to_string()
    }
}
