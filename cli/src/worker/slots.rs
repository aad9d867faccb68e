//! The slots of a worker, shared by the partitions that it serves. The partition that has waited longest gets the next
//! slot.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The slots. Each partition has a seat: an index, and counts of its running and claimed slots.
#[derive(Debug)]
pub struct Slots {
    pub all: usize,
    taken: Mutex<Taken>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Taken {
    seats: Vec<Seat>,
    /// Seats that wait for a slot. The seat that has waited longest is first.
    waiting: VecDeque<usize>,
}

#[derive(Clone, Debug, Default)]
struct Seat {
    running: usize,
    /// Number of slots that are reserved for tasks that are being taken.
    claimed: usize,
}

impl Slots {
    pub fn new(all: usize, seats: usize) -> Self {
        let taken = Taken { seats: vec![Seat::default(); seats.max(1)], waiting: VecDeque::new() };
        Self { all, taken: Mutex::new(taken), changed: Condvar::new() }
    }

    /// Returns true if several partitions share these slots.
    pub fn are_shared(&self) -> bool {
        self.lock().seats.len() > 1
    }

    /// Returns the number of slots without a running task.
    pub fn free(&self) -> usize {
        let running: usize = self.lock().seats.iter().map(|seat| seat.running).sum();
        self.all.saturating_sub(running)
    }

    /// Returns the number of these seats that have no running task.
    pub fn idle<'a>(&self, seats: impl Iterator<Item = &'a usize>) -> usize {
        let taken = self.lock();
        seats.filter(|seat| taken.seats.get(**seat).is_none_or(|seat| seat.running == 0)).count()
    }

    /// Updates the number of running tasks of a seat.
    pub fn update(&self, seat: usize, running: impl FnOnce() -> usize) {
        self.change(seat, |seat| seat.running = running());
    }

    /// Releases the claimed slots of a seat. Their tasks are running, or the slots are not needed.
    pub fn release(&self, seat: usize) {
        self.change(seat, |seat| seat.claimed = 0);
    }

    /// Waits until slots are free and it is the turn of the seat. Claims the seat's share of the slots, and returns
    /// their number. Returns zero if `over` returns true, `None` after the limit.
    pub fn claim(&self, seat: usize, limit: Duration, over: impl Fn() -> bool) -> Option<usize> {
        let end = Instant::now() + limit;
        let mut taken = self.lock();
        taken.waiting.push_back(seat);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let occupied: usize = taken.seats.iter().map(|seat| seat.running + seat.claimed).sum();
            let free = self.all.saturating_sub(occupied);
            let (over, turn) = (over(), taken.waiting.front() == Some(&seat) && free > 0);
            if over || turn || left.is_zero() {
                let share = free / taken.waiting.len().max(1);
                taken.waiting.retain(|waiting| *waiting != seat);
                let claimed = if over { Some(0) } else { turn.then_some(share.max(1)) };
                if let Some(own) = taken.seats.get_mut(seat) {
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

    fn change(&self, seat: usize, change: impl FnOnce(&mut Seat)) {
        if let Some(seat) = self.lock().seats.get_mut(seat) {
            change(seat);
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
            for seat in [1, 2, 0] {
                let (slots, own) = (&slots, served.clone());
                scope.spawn(move || {
                    assert_eq!(slots.claim(seat, SOON, || false), Some(1));
                    own.send(seat).ok();
                });
                while slots.lock().waiting.back() != Some(&seat) {
                    thread::yield_now();
                }
            }
            slots.update(0, || 0);
            for seat in [1, 2, 0] {
                assert_eq!(order.recv_timeout(SOON), Ok(seat));
                slots.release(seat);
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
