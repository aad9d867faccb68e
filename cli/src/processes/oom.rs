//! Finds out if the kernel killed processes of a run because memory ran out. The control group of the run counts its
//! kills, if there is one. Otherwise the recent kills of the worker's group or of the machine are counted.

use std::sync::Arc;

use super::cgroup::ControlGroup;
use super::tree;

/// Time that the kernel may take to end a process that it has killed, in microseconds.
const TIME_TO_DIE: u64 = 10_000_000;

/// Counts of kills. All times are from `boot_clock_us`.
#[derive(Debug)]
pub struct Kills {
    group: Option<Arc<ControlGroup>>,
    /// True if the counts include other processes, because no control group counts the kills of the run.
    all: bool,
    /// The second-to-last count: at least `TIME_TO_DIE` old, unless the run is younger.
    before: Option<u64>,
    last: Option<u64>,
    due: u64,
}

impl Kills {
    pub fn new(group: Option<Arc<ControlGroup>>, now: u64) -> Self {
        let all = group.as_ref().is_none_or(|group| group.oom_kills().is_none());
        let first = if all { tree::oom_kills() } else { None };
        Self { group, all, before: first, last: first, due: now.saturating_add(TIME_TO_DIE) }
    }

    /// Counts again if a count is due. Returns the time at which the next count is due.
    pub fn look(&mut self, now: u64) -> u64 {
        self.look_at(now, tree::oom_kills)
    }

    fn look_at(&mut self, now: u64, count: impl FnOnce() -> Option<u64>) -> u64 {
        if !self.all {
            return u64::MAX;
        }
        if now >= self.due {
            (self.before, self.last) = (self.last, count());
            self.due = now.saturating_add(TIME_TO_DIE);
        }
        self.due
    }

    /// Returns true if a process of the run was killed, as far as that can be known. Must be called before the removal
    /// of the control group.
    pub fn any(&self) -> bool {
        let own = if self.all { None } else { self.group.as_ref().and_then(|group| group.oom_kills()) };
        own.map_or_else(|| self.lately(tree::oom_kills()), |kills| kills > 0)
    }

    fn lately(&self, now: Option<u64>) -> bool {
        self.before.zip(now).is_some_and(|(before, now)| now > before)
    }
}

#[cfg(test)]
mod tests {
    use super::{Kills, TIME_TO_DIE};

    #[test]
    fn a_kill_of_a_neighbour_long_ago_does_not_count() {
        let mut kills = Kills { group: None, all: true, before: Some(3), last: Some(3), due: TIME_TO_DIE };
        assert!(!kills.lately(Some(3)) && kills.lately(Some(4)));
        assert_eq!(kills.look_at(TIME_TO_DIE - 1, || Some(4)), TIME_TO_DIE, "not yet");
        assert_eq!(kills.look_at(TIME_TO_DIE, || Some(4)), 2 * TIME_TO_DIE);
        assert!(kills.lately(Some(4)), "a process takes time to die");
        kills.look_at(2 * TIME_TO_DIE, || Some(4));
        assert!(!kills.lately(Some(4)) && kills.lately(Some(5)));
        kills.look_at(3 * TIME_TO_DIE, || None);
        assert!(!kills.lately(None));
    }
}
