//! Attempts: what a listener holds.

use std::time::Duration;

use super::{Order, Outcome, Status};
use crate::names::{QueueName, TaskId, Token};

/// A task in the hands of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reservation {
    /// The task.
    pub id: TaskId,
    /// Its queue.
    pub queue: QueueName,
    /// Proves this attempt in every further call.
    pub token: Token,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// When the lease ends unless renewed, in microseconds of the server's clock.
    pub deadline: u64,
    /// The length of the lease.
    pub lease: Duration,
    /// How the attempt before ended; none for the first.
    pub previous: Option<Outcome>,
    /// How often owners of this task were lost.
    pub losses: u32,
    /// How often attempts failed.
    pub failures: u32,
    /// What was submitted.
    pub parameters: Vec<u8>,
    /// What the attempt before saved.
    pub checkpoint: Option<Vec<u8>>,
}

/// The answer to a heartbeat.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Beat {
    /// When the renewed leases end, in microseconds of the server's clock.
    pub deadline: u64,
    /// One order for each task, in the order of the call.
    pub orders: Vec<Order>,
}

/// A task that a listener holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Held {
    /// The task.
    pub id: String,
    /// Its status; none if it has no record.
    pub status: Option<Status>,
    /// The token; none for a client without scripts.
    pub token: Option<Token>,
    /// The number of the attempt.
    pub attempt: u32,
    /// When its lease ends, in microseconds of the server's clock.
    pub deadline: Option<u64>,
    /// The process that works on it, once started.
    pub pid: Option<u32>,
}

/// In which order several queues are asked for a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueOrder {
    /// Those named first are asked first, always.
    #[default]
    Strict,
    /// In turns: the one that was served least recently is asked first.
    Round,
    /// In turns, so that each gets its share: one weight from 1 to 1,000 for each queue.
    Weighted(Vec<u32>),
}

impl QueueOrder {
    /// The word for it in the contract.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Round => "round",
            Self::Weighted(_) => "weighted",
        }
    }

    /// The weights as the contract writes them: `3,1,1`.
    pub(crate) fn weights(&self) -> Option<String> {
        match self {
            Self::Weighted(weights) => Some(weights.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
            Self::Strict | Self::Round => None,
        }
    }
}
