//! Why a task runs, or does not.

use super::{Order, Status};

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
    /// Listeners that take tasks of its queue, now or later.
    pub listeners: u64,
    /// Those of them that report that no slot is free.
    pub full: u64,
    /// Listeners of its queue that drain.
    pub draining: u64,
    /// Listeners of its queue that are dead by all that is known.
    pub silent: u64,
    /// The listener that holds it, or held it last.
    pub node: Option<String>,
    /// When its lease ends, in microseconds of the server's clock.
    pub deadline: Option<u64>,
    /// Whether a cancel waits for its owner.
    pub cancelling: bool,
    /// Its priority.
    pub priority: i32,
    /// Its key.
    pub key: Option<String>,
    /// How many places it takes.
    pub weight: u64,
    /// What it needs.
    pub needs: Option<String>,
    /// How many listeners of its queue have what it needs, if it is pending and needs something.
    pub able: Option<u64>,
    /// Those of its needs that no listener of its queue has, separated by commas.
    pub lacking: Option<String>,
    /// The limits of its queue, if it is pending.
    pub limits: Limits,
    /// The limits of its key, if it is pending and has one.
    pub key_limits: Limits,
    /// How often attempts failed.
    pub failures: u32,
    /// How often owners were lost.
    pub losses: u32,
    /// How often it was given back.
    pub releases: u32,
    /// How often it was given back by an owner that could not run it.
    pub uncounted: u32,
    /// What its owner was ordered to do with it, if somebody holds it.
    pub order: Option<Order>,
    /// The server's time, in seconds since 1970.
    pub now: f64,
}

/// How the limits of a queue or of a key stand.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// How many places there are; none for no limit.
    pub concurrency: Option<u64>,
    /// How many are taken.
    pub used: u64,
    /// Until when the rate lets nothing start, in seconds since 1970; none where it does.
    pub rate_until: Option<f64>,
}
