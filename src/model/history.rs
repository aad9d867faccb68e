//! What happened to tasks.

use super::Outcome;

/// A transition of a task, from the events of its queue.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// Where a reader goes on that has dealt with this event.
    pub cursor: String,
    /// The task.
    pub id: String,
    /// The state it left; none for a new task.
    pub from: Option<String>,
    /// The state it entered, or `deleted`, or `moved` to another queue.
    pub to: String,
    /// The number of the attempt.
    pub attempt: u32,
    /// When, in seconds since 1970.
    pub at: f64,
    /// The listener that did it, if one did.
    pub by: Option<String>,
    /// The command, or another cause.
    pub why: String,
    /// When it had come into the state it left, in seconds since 1970.
    pub since: Option<f64>,
}

/// Events, and where to go on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Events {
    /// The cursor after these.
    pub last: String,
    /// Whether the event after which the reader asked has been trimmed, so that those next to it may have been missed.
    pub missed: bool,
    /// The events, in their order.
    pub items: Vec<Event>,
}

/// A transition of a task, from its history.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transition {
    /// Transitions of a task are numbered from 1; the oldest may have been trimmed.
    pub number: u64,
    /// When, in seconds since 1970; none where a client without scripts did not say.
    pub at: Option<f64>,
    /// The state it left; none for a new task.
    pub from: Option<String>,
    /// The state it entered.
    pub to: String,
    /// The number of the attempt.
    pub attempt: u32,
    /// The listener that did it, if one did.
    pub by: Option<String>,
    /// The command, or another cause; none where a client without scripts did it.
    pub why: Option<String>,
    /// How the attempt ended that it ended.
    pub outcome: Option<Outcome>,
    /// The group of the failure.
    pub group: Option<String>,
    /// The first 256 bytes of the error.
    pub error: Option<Vec<u8>>,
    /// What the attempt cost that it ended, as its owner said it.
    pub cost: Option<Vec<u8>>,
}
