//! Which partitions of a worker wait for their turn.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The partitions that wait to be served, by their seats at the slots.
#[derive(Default)]
pub struct Rota(Mutex<VecDeque<usize>>);

impl Rota {
    /// Whether a partition that has nothing to do keeps another one from being served.
    pub fn others_wait(&self) -> bool {
        !self.lock().is_empty()
    }

    /// The one that has waited longest.
    pub fn next(&self) -> Option<usize> {
        self.lock().pop_front()
    }

    /// It waits for its turn after all others.
    pub fn put_last(&self, seat: usize) {
        self.lock().push_back(seat);
    }

    /// It has the next turn.
    pub fn put_first(&self, seat: usize) {
        self.lock().push_front(seat);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
