//! The partitions of a worker that wait for their turn.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Indexes of the partitions that wait to be served.
#[derive(Default)]
pub struct RoundRobin(Mutex<VecDeque<usize>>);

impl RoundRobin {
    /// Returns true if other partitions wait, so a partition without tasks must end its turn.
    pub fn others_wait(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Removes and returns the partition that has waited longest.
    pub fn next(&self) -> Option<usize> {
        self.lock().pop_front()
    }

    /// Adds a partition behind all others.
    pub fn put_last(&self, partition: usize) {
        self.lock().push_back(partition);
    }

    /// Adds a partition in front of all others.
    pub fn put_first(&self, partition: usize) {
        self.lock().push_front(partition);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
