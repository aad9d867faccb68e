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

pub use attempt::{Beat, Held, QueueOrder, Reservation};
pub use history::{Event, Events, Transition};
pub use info::TaskInfo;
pub use queue::{Counts, ListenerInfo, QueueInfo, WorkerInfo};
pub use schedules::{LowSchedule, Ran, ScheduleInfo, ScheduleState, ScheduleSummary, Scheduled, Ticked};
pub use search::{Changed, Group, Step, Tag};
pub use settings::{KeyLimit, Rate, Setting, Source};
pub use statistics::{Basis, Day, Durations, Estimate, Figures, Statistics, Tallied};
pub use submitted::{Submitted, Until};
pub use upkeep::{Claim, Mended, Orphans, Promoted, Retained};
pub use why::{Limits, Why};

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

/// What the first call of a client learns.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Greeting {
    /// The schema of the scripts, and of the data where there is any.
    pub schema: u32,
    /// The server's time in seconds since 1970.
    pub time: f64,
    /// What the server removes when its memory is full, `noeviction` alone being fit; none where this
    /// user may not ask (`INFO`), so that nobody can know that no task is removed.
    pub policy: Option<String>,
    /// Whether the namespace holds data yet.
    pub born: bool,
    /// Whether the namespace is for tests: only there a call may say what time it is.
    pub test: bool,
    /// The commands of the bundle that this user may not run, and the Redis commands that each lacks.
    /// `messages` lacks `PUBLISH` where wake-ups and orders come late.
    pub missing: Vec<(String, Vec<String>)>,
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
    /// How many bytes of the log of its attempt came before it, where its sender said so: more than the entry before it and
    /// its text account for where the server does not keep what came between.
    pub offset: Option<u64>,
}
