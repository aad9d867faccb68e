//! The partitions that answer. A partition that does not answer occupies only a few slots of a deliverer, and only for
//! a short time.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::names::PartitionName;

/// Maximum number of calls to one partition at the same time.
const MOST: usize = 4;

/// A partition that leaves a call unanswered for this long gets no other call until it has answered.
const SLOW: Duration = Duration::from_millis(250);

/// The partitions that receive deliveries.
#[derive(Debug, Default)]
pub(super) struct Targets {
    known: Mutex<BTreeMap<PartitionName, Target>>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Target {
    /// Start times of the unanswered calls.
    calls: Vec<Instant>,
    /// True if the last call failed.
    is_away: bool,
}

impl Target {
    fn answers(&self) -> bool {
        !self.is_away && self.calls.iter().all(|begun| begun.elapsed() < SLOW)
    }
}

/// A turn: the permission for one call to a partition.
pub(super) struct Turn<'a> {
    targets: &'a Targets,
    name: &'a PartitionName,
    begun: Instant,
}

impl Targets {
    fn known(&self) -> MutexGuard<'_, BTreeMap<PartitionName, Target>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a turn to call a partition, or `None` if the partition does not answer. Waits up to [`SLOW`] for a free
    /// turn.
    pub(super) fn turn<'a>(&'a self, name: &'a PartitionName) -> Option<Turn<'a>> {
        let end = Instant::now() + SLOW;
        let mut known = self.known();
        loop {
            let target = known.entry(name.clone()).or_default();
            if !target.answers() {
                return None;
            }
            let begun = Instant::now();
            if target.calls.len() < MOST {
                target.calls.push(begun);
                return Some(Turn { targets: self, name, begun });
            }
            let left = end.checked_duration_since(begun)?;
            known = self.freed.wait_timeout(known, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Records whether a partition answers.
    pub(super) fn note(&self, name: &PartitionName, answers: bool) {
        self.known().entry(name.clone()).or_default().is_away = !answers;
    }

    /// Returns the partitions that do not answer.
    pub(super) fn away(&self) -> Vec<PartitionName> {
        self.known().iter().filter(|(_, target)| target.is_away).map(|(name, _)| name.clone()).collect()
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(target) = self.targets.known().get_mut(self.name)
            && let Some(at) = target.calls.iter().position(|begun| *begun == self.begun)
        {
            target.calls.swap_remove(at);
        }
        self.targets.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{MOST, Targets};
    use crate::names::PartitionName;

    #[test]
    fn a_partition_that_does_not_answer_gets_no_turn_and_the_others_do() {
        let (targets, one, two) =
            (Targets::default(), PartitionName::new("1").unwrap(), PartitionName::new("2").unwrap());
        let turns: Vec<_> = (0..MOST).map(|_| targets.turn(&one).unwrap()).collect();
        // The next call waits for [`SLOW`], and the earlier calls are still unanswered.
        assert!(targets.turn(&one).is_none());
        assert!(targets.turn(&two).is_some());
        drop(turns);
        assert!(targets.turn(&one).is_some());
        targets.note(&one, false);
        assert!(targets.turn(&one).is_none());
        assert_eq!(targets.away(), std::slice::from_ref(&one));
        targets.note(&one, true);
        assert!(targets.turn(&one).is_some());
    }
}
