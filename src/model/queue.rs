//! Queues and their listeners.

use crate::names::ListenerId;

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
    /// Listeners that take its tasks.
    pub listeners: u64,
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueInfo {
    /// Its name.
    pub name: String,
    /// How many listeners take its tasks.
    pub listeners: i64,
    /// When and by whom it was paused, and why: `SECONDS BY REASON`.
    pub paused: Option<String>,
    /// Whether what runs is stopped too.
    pub stopping: bool,
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

/// A worker that reports.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorkerInfo {
    /// Its id as a listener.
    pub id: String,
    /// Its name for people.
    pub name: Option<String>,
    /// The version of its program.
    pub version: Option<String>,
    /// The queues that it serves.
    pub queues: Vec<String>,
    /// What it has.
    pub has: Option<String>,
    /// How many tasks it runs at once.
    pub slots: u32,
    /// How many more it could run.
    pub free: u32,
    /// The queues of which it takes no more tasks.
    pub draining: Vec<String>,
    /// Since when it reports, in seconds since 1970.
    pub since: f64,
    /// When it reported last.
    pub seen: f64,
    /// Whether that is so long ago that it is dead.
    pub dead: bool,
    /// The methods that it has programs for, `*` for any; empty where it does not say.
    pub methods: Vec<String>,
    /// Why it takes less than it could, for people.
    pub trouble: Option<String>,
}

impl WorkerInfo {
    /// Whether it has a program for a method, or for a queue's tasks without one, as far as it says.
    #[must_use]
    pub fn has_program(&self, method: &str) -> Option<bool> {
        let known = (!self.methods.is_empty()).then_some(&self.methods)?;
        Some(known.iter().any(|name| name == method || name == "*"))
    }
}

impl ListenerInfo {
    /// The id, where it has the form that this crate's listeners have.
    #[must_use]
    pub fn listener(&self) -> Option<ListenerId> {
        ListenerId::new(self.id.as_str()).ok()
    }
}
