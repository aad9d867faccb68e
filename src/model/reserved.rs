//! Reply of a reserve that also asks when maintenance is due.

use std::time::SystemTime;

use super::Reservation;

/// Result of [`Calls::reserve_or_due`](crate::calls::Calls::reserve_or_due).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// One or more tasks.
    Tasks(Vec<Reservation>),
    /// No task was ready.
    Nothing {
        /// Time when [`Calls::maintenance`](crate::calls::Calls::maintenance) of these queues is due. A time that is
        /// not in the future means at once.
        due: SystemTime,
    },
}
