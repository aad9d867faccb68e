//! Outcomes of actions on many tasks.

/// The outcome of a whole bulk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changed {
    /// Tasks that were looked at.
    pub looked: u64,
    /// Tasks that were changed.
    pub changed: u64,
    /// Tasks that refused.
    pub refused: u64,
}
