//! Tags, groups of failures, and steps of a bulk.

/// A tag, and how many tasks of a queue have it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tag {
    /// Its name.
    pub name: String,
    /// How many tasks have it.
    pub tasks: u64,
}

/// Failed tasks whose owners said the same of the error.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Group {
    /// Its name; empty for failures without one.
    pub name: String,
    /// How many tasks are in it.
    pub tasks: u64,
    /// The task that failed last.
    pub last: Option<String>,
    /// When it failed, in seconds since 1970.
    pub at: Option<f64>,
}

/// What a step of a bulk did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The cursor of the next step; none at the end.
    pub next: Option<String>,
    /// How many tasks were looked at.
    pub looked_at: u64,
    /// How many were changed.
    pub changed: u64,
    /// How many refused: their state, a unique name or the other queue does not allow it.
    pub refused: u64,
}

/// What a whole bulk did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changed {
    /// How many tasks were looked at.
    pub looked_at: u64,
    /// How many were changed.
    pub changed: u64,
    /// How many refused.
    pub refused: u64,
}
