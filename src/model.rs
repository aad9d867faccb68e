//! Replies of the calls.

mod graphs;
mod info;
mod notices;
mod order;
mod queue;
mod records;
mod replies;
pub(crate) mod reply;
mod reserved;
pub(crate) mod schedules;
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
    Aggregated, Audit, Beat, Change, Changes, Claim, Control, Counts, DueNotice, Estimate, Event, Events,
    FinishedAndReserved, GraphSummary, Group, Handshake, Held, KeyLimit, ListenerInfo, LogEntry, LowSchedule,
    MaintenanceStep, Notice, NoticeTarget, Orphans, Peeked, Promoted, Pruned, QueueInfo, Ran, Ready, ReadyQueue,
    Repaired, Reservation, ScheduleSummary, Setting, Settled, Step, Tag, TaskChange, Ticked, TrackedTask, Transition,
    Undelivered, Why, WorkerInfo,
};
pub use reserved::Reserved;
pub use schedules::{ScheduleInfo, ScheduleState, Scheduled, Trouble};
pub use search::Changed;
pub use settings::{Rate, Source};
pub use statistics::{Basis, Day, Durations, Figures, Statistics};
pub use submitted::{Made, Round, Submitted, Until};
pub use why::{Limits, Takers};

use crate::words::words;

include!(concat!(env!("OUT_DIR"), "/words.rs"));

words! {
    /// The order for the owner of a task, from a heartbeat.
    Order {
        /// Continue the work.
        Continue = "continue",
        /// The owner has requests, such as to suspend the program: get and answer them with
        /// `Calls::attend`.
        Attend = "attend",
        /// The task was cancelled: stop, then release it.
        Cancel = "cancel",
        /// The task was cancelled by force: end at once, then release it. The lease is no longer renewed, and the
        /// attempt's result is refused.
        Kill = "kill",
        /// The queue is stopped, or the task requeued: save a checkpoint and release the task.
        Stop = "stop",
        /// The listener must end: save a checkpoint and release the task, or finish it.
        Drain = "drain",
        /// The attempt no longer holds the task: stop, and discard its result.
        Lost = "lost",
    }
}

words! {
    /// Outcome of an attempt.
    Outcome {
        /// The attempt ended with a result.
        Complete = "complete",
        /// The attempt ended with an error.
        Failed = "failed",
        /// The task was cancelled.
        Cancelled = "cancelled",
        /// The owner gave the task back.
        Released = "released",
        /// The lease expired, or the process died.
        Lost = "lost",
        /// The attempt ended with an error, and the task is retried.
        Retrying = "retrying",
        /// The task had ended, and was retried by hand.
        Retry = "retry",
    }
}

words! {
    /// Stage of a cancel.
    Cancelled {
        /// The task is cancelled.
        Done = "cancelled",
        /// The owner was ordered to stop the task.
        Requested = "cancelling",
    }
}

words! {
    /// Stage of a requeue.
    Requeued {
        /// The task is back in its queue.
        Done = "released",
        /// The owner was ordered to give the task back.
        Requested = "requeuing",
        /// The task had already been cancelled, and is now in the state `cancelled`.
        Cancelled = "cancelled",
    }
}

/// Way to cancel a held task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Force {
    /// The owner is asked to stop, with its grace period. A completion within the grace period counts.
    #[default]
    No,
    /// The owner is ordered to kill its program at once. The task is free afterwards, at the latest when its lease has
    /// expired. A task of a client without scripts is free at once.
    Kill,
    /// The task is free at once, although its program may run until the owner finds out, which takes up to a third of
    /// the lease. Another attempt may run at the same time.
    AtOnce,
}

/// A page of a longer reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page<T> {
    /// Cursor of the next page; `None` at the end.
    pub next: Option<String>,
    /// The entries.
    pub items: Vec<T>,
}

/// A page of a growing list, and where to continue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Follow<T> {
    /// Cursor of the last entry.
    pub last: String,
    /// The entries.
    pub items: Vec<T>,
}
