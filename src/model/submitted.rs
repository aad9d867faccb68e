//! What a submit did.

use std::fmt;
use std::time::Duration;

use crate::calls::seconds;
use crate::names::TaskId;

/// What a submit did.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Submitted {
    /// It made the task.
    Created,
    /// The id had been submitted before; nothing changed.
    Existing,
    /// This other task has the unique name; nothing changed.
    Taken(TaskId),
    /// It made the task, and cancelled this one, which had the unique name.
    Replaced(TaskId),
}

impl Submitted {
    /// The word for it in the contract.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Existing | Self::Taken(_) => "existing",
            Self::Replaced(_) => "replaced",
        }
    }

    /// The other task that has the unique name, or had it.
    #[must_use]
    pub fn other(&self) -> Option<&TaskId> {
        match self {
            Self::Taken(other) | Self::Replaced(other) => Some(other),
            Self::Created | Self::Existing => None,
        }
    }
}

/// How long a task has its unique name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Until {
    /// Until it is complete, failed or cancelled.
    End,
    /// Until it starts.
    Start,
    /// For this time from the submit, whatever becomes of it: 1 s to a year.
    For(Duration),
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => f.write_str("end"),
            Self::Start => f.write_str("start"),
            Self::For(time) => f.write_str(&seconds(*time)),
        }
    }
}
