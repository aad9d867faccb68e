//! What is done to many tasks.

/// What a whole bulk did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changed {
    /// How many tasks were looked at.
    pub looked: u64,
    /// How many were changed.
    pub changed: u64,
    /// How many refused.
    pub refused: u64,
}
