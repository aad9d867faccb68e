//! What a reserve answers that also asks when upkeep is due.

use std::time::SystemTime;

use super::Reservation;

/// What [`Calls::reserve_or_due`](crate::calls::Calls::reserve_or_due) took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// One task or more.
    Tasks(Vec<Reservation>),
    /// There was none.
    Nothing {
        /// When [`Calls::upkeep`](crate::calls::Calls::upkeep) of these queues is due: in the past, or now, at once.
        due: SystemTime,
    },
}
