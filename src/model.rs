//! What the calls answer.

mod info;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

pub use info::TaskInfo;

use crate::names::{ListenerId, QueueName, TaskId, Token};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_doc])* $variant),+
        }

        impl $name {
            /// The word for it in Redis.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl FromStr for $name {
            type Err = ();

            fn from_str(word: &str) -> Result<Self, ()> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

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
    /// Whether a submit made a task.
    Submitted {
        /// It did.
        Created = "created",
        /// The id had been submitted before; nothing changed.
        Existing = "existing",
    }
}

words! {
    /// What a heartbeat tells the owner of a task to do.
    Order {
        /// Go on.
        Continue = "continue",
        /// Somebody cancelled the task: stop, then release it.
        Cancel = "cancel",
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

/// What `promote` did.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Promoted {
    /// Tasks that became pending.
    pub promoted: u64,
    /// Whether more are due.
    pub more: bool,
    /// When the next one is due, in seconds since 1970.
    pub next: Option<f64>,
}

/// What `requeue_orphans` did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Orphans {
    /// Tasks that became pending again.
    pub requeued: u64,
    /// Tasks that had been lost too often.
    pub failed: u64,
    /// Tasks whose cancel was waiting for their owner.
    pub cancelled: u64,
    /// Leases given more time after a gap.
    pub postponed: u64,
    /// Whether more leases have expired.
    pub more: bool,
    /// Listeners of the queue.
    pub listeners: u64,
}

/// What `retain` did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retained {
    /// Tasks deleted.
    pub deleted: u64,
    /// Whether more are to go.
    pub more: bool,
}

/// What a step of `mend` did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mended {
    /// Where to go on; none at the end.
    pub next: Option<String>,
    /// Things set right.
    pub mended: u64,
    /// Things that will be set right if they are still wrong after the grace.
    pub suspected: u64,
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

/// How many tasks of a queue are in each state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Waiting for their time.
    pub scheduled: u64,
    /// Waiting for a listener.
    pub pending: u64,
    /// Held, not started.
    pub reserved: u64,
    /// Running.
    pub started: u64,
    /// With a result.
    pub complete: u64,
    /// With an error.
    pub failed: u64,
    /// Cancelled.
    pub cancelled: u64,
    /// Listeners of the queue.
    pub listeners: u64,
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueInfo {
    /// Its name.
    pub name: String,
    /// Its number of listeners.
    pub listeners: i64,
    /// When and by whom it was paused, and why: `SECONDS BY REASON`.
    pub paused: Option<String>,
}

/// A listener.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ListenerInfo {
    /// Its id; of a client without scripts it may have any form.
    pub id: String,
    /// When it was last heard of, in seconds since 1970; none for a client without scripts.
    pub seen: Option<f64>,
    /// How many tasks it holds.
    pub held: u64,
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

/// What the first call of a client learns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Greeting {
    /// The schema of the scripts, and of the data where there is any.
    pub schema: u32,
    /// The server's time in seconds since 1970.
    pub time: f64,
}

impl ListenerInfo {
    /// The id, where it has the form that this crate's listeners have.
    #[must_use]
    pub fn listener(&self) -> Option<ListenerId> {
        ListenerId::new(self.id.as_str()).ok()
    }
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

/// A transition of a task.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// The task.
    pub id: String,
    /// The state it left; none for a new task.
    pub from: Option<String>,
    /// The state it entered, or `deleted`.
    pub to: String,
    /// The number of the attempt.
    pub attempt: u32,
    /// When, in seconds since 1970.
    pub at: f64,
    /// The listener that did it, if one did.
    pub by: Option<String>,
    /// The command, or another cause.
    pub why: String,
}

/// What decides whether and when a task runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Why {
    /// Its state.
    pub status: Status,
    /// Its queue.
    pub queue: String,
    /// When it is due, if it is scheduled, in seconds since 1970.
    pub eta: Option<f64>,
    /// When and by whom its queue was paused, and why: `SECONDS BY REASON`.
    pub paused: Option<String>,
    /// How many tasks run before it, if it is pending; 10,000 may be more.
    pub ahead: Option<u64>,
    /// Listeners of its queue.
    pub listeners: u64,
    /// The listener that holds it, or held it last.
    pub node: Option<String>,
    /// When its lease ends, in microseconds of the server's clock.
    pub deadline: Option<u64>,
    /// Whether a cancel waits for its owner.
    pub cancelling: bool,
    /// The server's time, in seconds since 1970.
    pub now: f64,
}
