//! Why a task runs, or does not.

use super::Status;

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
