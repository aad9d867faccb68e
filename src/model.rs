//! Replies of the calls.

mod graphs;
mod info;
mod order;
mod queue;
mod records;
mod replies;
pub(crate) mod reply;
mod reserved;
mod schedules;
mod search;
mod settings;
mod statistics;
mod submitted;
mod why;

pub use graphs::{GraphInfo, GraphMember, GraphPage, GraphState, GraphWalk, StagedGraph};
pub use info::TaskInfo;
pub use order::QueueOrder;
pub use queue::Pause;
pub use replies::{
    Audit, Beat, Change, Changes, Claim, Counts, Estimate, Event, Events, Exchanged, GraphSummary, Greeting, Group,
    Held, KeyLimit, ListenerInfo, LogEntry, LowSchedule, Mended, Orphans, Peeked, Promoted, QueueInfo, Ran, Ready,
    ReadyQueue, Reservation, Retained, ScheduleSummary, Setting, Settled, Step, Tag, Tallied, TaskChange, Ticked,
    TrackedTask, Transition, UpkeepStep, Why, WorkerInfo,
};
pub use reserved::Reserved;
pub use schedules::{ScheduleInfo, ScheduleState, Scheduled, Trouble};
pub use search::Changed;
pub use settings::{Rate, Source};
pub use statistics::{Basis, Day, Durations, Figures, Statistics};
pub use submitted::{Made, Round, Submitted, Until};
pub use why::Limits;

use crate::words::words;

include!(concat!(env!("OUT_DIR"), "/words.rs"));

words! {
    /// The order for the owner of a task, from a heartbeat.
    Order {
        /// Continue.
        Continue = "continue",
        /// The task was cancelled: stop, then release it.
        Cancel = "cancel",
        /// The task was cancelled by force: end at once, then release it. The lease is not renewed any more, and
        /// the attempt's result is refused.
        Kill = "kill",
        /// The queue is stopped, or the task recalled: save a checkpoint and release the task.
        Stop = "stop",
        /// The listener is to end: save a checkpoint and release the task, or finish it.
        Drain = "drain",
        /// The attempt no longer holds the task: stop, and discard its result.
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
        /// With an error, and the task is retried.
        Retrying = "retrying",
        /// Ended, and then retried by hand.
        Retry = "retry",
    }
}

words! {
    /// How far a cancel got.
    Cancelled {
        /// The task is cancelled.
        Done = "cancelled",
        /// Its owner was ordered to stop it.
        Requested = "cancelling",
    }
}

words! {
    /// How far a recall got.
    Recalled {
        /// The task is back in its queue.
        Done = "released",
        /// Its owner was ordered to give it back.
        Requested = "recalling",
        /// The task had been cancelled before, and is cancelled now.
        Cancelled = "cancelled",
    }
}

/// How a held task is cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Force {
    /// Its owner is asked to stop, with its grace period; a completion before that counts.
    #[default]
    No,
    /// Its owner is ordered to kill its program at once. The task is free afterwards, at the latest when its lease
    /// has expired. A task of a client without scripts is free at once.
    Kill,
    /// The task is free at once, although its program may run on until its owner finds out: up to a third of the
    /// lease. Another attempt may run at the same time.
    AtOnce,
}

/// A page of a longer reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page<T> {
    /// The cursor of the next page; none at the end.
    pub next: Option<String>,
    /// The entries.
    pub items: Vec<T>,
}

/// A page of something that grows, and where to continue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Follow<T> {
    /// The cursor of the last entry.
    pub last: String,
    /// The entries.
    pub items: Vec<T>,
}
