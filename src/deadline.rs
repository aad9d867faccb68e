//! Deadlines of waits.

use std::time::{Duration, Instant};

/// The end of a wait; `None` if it is beyond what the clock can represent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) fn after(limit: Duration) -> Self {
        Self(Instant::now().checked_add(limit))
    }

    /// Creates a deadline at this moment, or a deadline that never passes.
    pub(crate) fn at(end: Option<Instant>) -> Self {
        Self(end)
    }

    /// Returns the time until the deadline; zero once it has passed.
    pub(crate) fn left(self) -> Duration {
        self.0.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }

    pub(crate) fn has_passed(self) -> bool {
        self.left().is_zero()
    }
}
