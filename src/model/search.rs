//! Outcomes of actions on many tasks.

/// Outcome of a whole bulk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changed {
    /// Number of tasks that were examined.
    pub looked: u64,
    /// Number of tasks that were changed.
    pub changed: u64,
    /// Number of tasks that refused the change.
    pub refused: u64,
}
