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

impl ListenerInfo {
    /// The id, where it has the form that this crate's listeners have.
    #[must_use]
    pub fn listener(&self) -> Option<ListenerId> {
        ListenerId::new(self.id.as_str()).ok()
    }
}
