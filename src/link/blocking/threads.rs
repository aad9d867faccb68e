//! Signals between threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Wakes threads that wait for a change.
#[derive(Debug, Default)]
pub struct Signal {
    /// Number of wake-ups.
    times: Mutex<u64>,
    changed: Condvar,
}

impl Signal {
    fn lock(&self) -> MutexGuard<'_, u64> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl crate::link::Signal for Signal {
    fn all(&self) {
        *self.lock() += 1;
        self.changed.notify_all();
    }

    fn one(&self) {
        *self.lock() += 1;
        self.changed.notify_one();
    }

    async fn wait(&self, limit: Duration, over: impl Fn() -> bool + Send) {
        let seen = *self.lock();
        if !over() {
            let _ = self.changed.wait_timeout_while(self.lock(), limit, |times| *times == seen);
        }
    }
}
