//! What the calls answer.

mod attempt;
mod history;
mod info;
mod queue;
mod schedules;
mod search;
mod settings;
mod statistics;
mod submitted;
mod upkeep;
mod why;
mod words;

pub use attempt::{Beat, Held, QueueOrder, Reservation};
pub use history::{Event, Events, Transition};
pub use info::TaskInfo;
pub use queue::{Counts, ListenerInfo, QueueInfo};
pub use schedules::{
    LowSchedule, Missed, Overlap, Ran, ScheduleInfo, ScheduleState, ScheduleSummary, Scheduled, Ticked,
};
pub use search::{Changed, Group, Step, Tag};
pub use settings::{KeyLimit, Rate, Setting, Source};
pub use statistics::{Basis, Day, Durations, Estimate, Figures, Statistics, Tallied};
pub use submitted::{Backoff, Policy, Submitted, Until};
pub use upkeep::{Mended, Orphans, Promoted, Retained};
pub use why::{Limits, Why};
use words::words;

words! {
    /// The state of a task.
    Status {
        /// Waits for its time to come.
        Scheduled = "scheduled",
        /// Waits for a listener.
        Pending = "pending",
        /// A listener holds it.
        Reserved = "reserved",
        /// A process works on it.
        Started = "started",
        /// Ended with a result.
        Complete = "complete",
        /// Ended with an error.
        Failed = "failed",
        /// Ended because somebody asked for it.
        Cancelled = "cancelled",
    }
}

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
        /// The queue is stopped: save a checkpoint and release the task.
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
        /// Its owner will be told by its next heartbeat.
        Requested = "cancelling",
    }
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

/// What the first call of a client learns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Greeting {
    /// The schema of the scripts, and of the data where there is any.
    pub schema: u32,
    /// The server's time in seconds since 1970.
    pub time: f64,
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

/// An entry of a task's log.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LogEntry {
    /// When, in seconds since 1970.
    pub at: f64,
    /// In which attempt.
    pub attempt: u32,
    /// What wrote it, such as `stdout`.
    pub source: String,
    /// What it wrote: any bytes, not necessarily whole lines.
    pub text: Vec<u8>,
}
