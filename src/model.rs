//! What the calls answer.

mod info;
mod order;
mod queue;
mod records;
mod replies;
mod schedules;
mod search;
mod settings;
mod statistics;
mod submitted;
mod why;

pub use info::TaskInfo;
pub use order::QueueOrder;
pub use queue::Pause;
pub use replies::{
    Beat, Claim, Counts, Estimate, Event, Events, Greeting, Group, Held, KeyLimit, ListenerInfo, LogEntry, LowSchedule,
    Mended, Orphans, Promoted, QueueInfo, Ran, Reservation, Retained, ScheduleSummary, Setting, Step, Tag, Tallied,
    Ticked, Transition, Why, WorkerInfo,
};
pub use schedules::{ScheduleInfo, ScheduleState, Scheduled, Trouble};
pub use search::Changed;
pub use settings::{Rate, Source};
pub use statistics::{Basis, Day, Durations, Figures, Statistics};
pub use submitted::{Submitted, Until};
pub use why::Limits;

use crate::words::words;

include!(concat!(env!("OUT_DIR"), "/words.rs"));

impl Status {
    /// Whether nothing more happens to the task by itself.
    #[must_use]
    pub fn is_finished(self) -> bool {
        matches!(self, Self::Complete | Self::Failed | Self::Cancelled)
    }
}

words! {
    /// What a heartbeat tells the owner of a task to do.
    Order {
        /// Go on.
        Continue = "continue",
        /// Somebody cancelled the task: stop, then release it.
        Cancel = "cancel",
        /// Somebody cancelled the task by force: end at once, then release it. The lease is not renewed
        /// any more, and what the attempt makes from now on is refused.
        Kill = "kill",
        /// The queue is stopped, or the task recalled: save a checkpoint and release the task.
        Stop = "stop",
        /// The listener is to end: save a checkpoint and release the task, or finish it.
        Drain = "drain",
        /// The attempt no longer holds the task: stop, and discard what it made.
        Lost = "lost",
    }
}

words! {
    /// How an attempt ended.
    Outcome {
        /// With a result.
        Complete = "complete",
        /// With an error.
        Failed = "failed",
        /// Cancelled.
        Cancelled = "cancelled",
        /// Given back by its owner.
        Released = "released",
        /// Its lease expired, or its process died.
        Lost = "lost",
        /// With an error, and the task is tried again.
        Retrying = "retrying",
        /// Ended, and then somebody asked for another try.
        Retry = "retry",
    }
}

words! {
    /// How far a cancel got.
    Cancelled {
        /// The task is cancelled.
        Done = "cancelled",
        /// Its owner has the order to stop it.
        Requested = "cancelling",
    }
}

words! {
    /// How far a recall got.
    Recalled {
        /// The task is back in its queue.
        Done = "released",
        /// Its owner has the order to give it back.
        Requested = "recalling",
        /// The task had been cancelled before, and is cancelled now.
        Cancelled = "cancelled",
    }
}

/// How a task that somebody holds is cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Force {
    /// Its owner is asked to stop, with its grace; a completion that comes first counts.
    #[default]
    No,
    /// Its owner is ordered to kill its program at once. The task is free when it has, at the latest when
    /// its lease has run out. A task of a client without scripts is free at once.
    Kill,
    /// The task is free at once, whatever runs on until its owner hears of it: up to a third of the lease.
    /// Another attempt may run beside it for that time.
    AtOnce,
}

/// A part of a longer answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page<T> {
    /// The cursor of the next part; none at the end.
    pub next: Option<String>,
    /// The entries.
    pub items: Vec<T>,
}

/// A part of something that grows, and where to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Follow<T> {
    /// The cursor of the last entry.
    pub last: String,
    /// The entries.
    pub items: Vec<T>,
}
