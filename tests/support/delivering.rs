//! A deliverer of this process.

use std::thread;

use blueque::{Deliverer, Partitions};

/// Runs a deliverer of these partitions while `work` does something.
pub fn delivering<T>(partitions: &Partitions, work: impl FnOnce() -> T) -> T {
    let deliverer = Deliverer::new(partitions);
    thread::scope(|scope| {
        scope.spawn(|| deliverer.run());
        let _stopped = Stopped(&deliverer);
        work()
    })
}

/// Stops it also if a test fails, which would wait for it otherwise.
pub struct Stopped<'a>(pub &'a Deliverer);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}
