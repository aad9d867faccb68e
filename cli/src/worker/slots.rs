//! The slots of a worker, shared by the partitions that it serves. The partition that has waited longest gets the next
//! slot.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The slots. Each partition has an index, and counts of its running and claimed slots.
#[derive(Debug)]
pub struct Slots {
    pub all: usize,
    taken: Mutex<Taken>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Taken {
    partitions: Vec<Counts>,
    /// Partitions that wait for a slot. The partition that has waited longest is first.
    waiting: VecDeque<usize>,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    running: usize,
    /// Number of slots that are reserved for tasks that are being taken.
    claimed: usize,
}

impl Slots {
    pub fn new(all: usize, partitions: usize) -> Self {
        let taken = Taken { partitions: vec![Counts::default(); partitions.max(1)], waiting: VecDeque::new() };
        Self { all, taken: Mutex::new(taken), changed: Condvar::new() }
    }

    /// Returns true if several partitions share these slots.
    pub fn are_shared(&self) -> bool {
        self.lock().partitions.len() > 1
    }

    /// Returns the number of slots without a running task.
    pub fn free(&self) -> usize {
        let running: usize = self.lock().partitions.iter().map(|partition| partition.running).sum();
        self.all.saturating_sub(running)
    }

    /// Returns the number of these partitions that have no running task.
    pub fn idle<'a>(&self, partitions: impl Iterator<Item = &'a usize>) -> usize {
        let taken = self.lock();
        partitions
            .filter(|partition| taken.partitions.get(**partition).is_none_or(|partition| partition.running == 0))
            .count()
    }

    /// Updates the number of running tasks of a partition.
    pub fn update(&self, partition: usize, running: impl FnOnce() -> usize) {
        self.change(partition, |partition| partition.running = running());
    }

    /// Releases the claimed slots of a partition. Their tasks are running, or the slots are not needed.
    pub fn release(&self, partition: usize) {
        self.change(partition, |partition| partition.claimed = 0);
    }

    /// Waits until slots are free and it is the turn of the partition. Claims the partition's share of the slots, and
    /// returns their number. Returns zero if `over` returns true, `None` after the limit.
    pub fn claim(&self, partition: usize, limit: Duration, over: impl Fn() -> bool) -> Option<usize> {
        let end = Instant::now() + limit;
        let mut taken = self.lock();
        taken.waiting.push_back(partition);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let occupied: usize = taken.partitions.iter().map(|partition| partition.running + partition.claimed).sum();
            let free = self.all.saturating_sub(occupied);
            let (over, turn) = (over(), taken.waiting.front() == Some(&partition) && free > 0);
            if over || turn || left.is_zero() {
                let share = free / taken.waiting.len().max(1);
                taken.waiting.retain(|waiting| *waiting != partition);
                let claimed = if over { Some(0) } else { turn.then_some(share.max(1)) };
                if let Some(own) = taken.partitions.get_mut(partition) {
                    own.claimed = claimed.unwrap_or(0);
                }
                drop(taken);
                self.changed.notify_all();
                return claimed;
            }
            taken = self.changed.wait_timeout(taken, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Wakes the waiting threads, so that they call `over` again.
    pub fn wake(&self) {
        drop(self.lock());
        self.changed.notify_all();
    }

    fn change(&self, partition: usize, change: impl FnOnce(&mut Counts)) {
        if let Some(partition) = self.lock().partitions.get_mut(partition) {
            change(partition);
        }
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::Slots;

    const SOON: Duration = Duration::from_secs(20);

    #[test]
    fn who_has_waited_longest_gets_the_next_slot() {
        let slots = Slots::new(1, 3);
        assert_eq!(slots.claim(0, SOON, || false), Some(1));
        slots.update(0, || 1);
        slots.release(0);
        assert_eq!((slots.free(), slots.claim(1, Duration::ZERO, || false)), (0, None));
        thread::scope(|scope| {
            let (served, order) = mpsc::channel();
            for partition in [1, 2, 0] {
                let (slots, own) = (&slots, served.clone());
                scope.spawn(move || {
                    assert_eq!(slots.claim(partition, SOON, || false), Some(1));
                    own.send(partition).ok();
                });
                while slots.lock().waiting.back() != Some(&partition) {
                    thread::yield_now();
                }
            }
            slots.update(0, || 0);
            for partition in [1, 2, 0] {
                assert_eq!(order.recv_timeout(SOON), Ok(partition));
                slots.release(partition);
            }
        });
    }

    #[test]
    fn all_that_wait_get_a_share_and_none_waits_when_it_is_over() {
        let slots = Slots::new(10, 2);
        assert_eq!(slots.claim(0, SOON, || false), Some(10), "alone it gets all");
        thread::scope(|scope| {
            let waits = scope.spawn(|| slots.claim(1, SOON, || false));
            while slots.lock().waiting.is_empty() {
                thread::yield_now();
            }
            slots.update(0, || 9);
            slots.release(0);
            assert_eq!(waits.join().ok().flatten(), Some(1));
        });
        assert_eq!(slots.claim(0, SOON, || true), Some(0));
    }
}
