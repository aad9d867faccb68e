//! Tasks that need only some of several upstreams: at least a given number of a set must be complete.

use std::collections::BTreeSet;

use crate::model::graphs::{Edge, Seen, Wanted};
use crate::model::state::{Model, Task, Verdict};

/// Counts of what a task still waits for in its set, computed from its edges each time. The scripts store these
/// numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Set {
    /// Number of tasks of the set that must still be complete.
    pub least: i64,
    /// Number of edges, without the owed edges.
    pub left: i64,
    /// Number of the edges in `left` whose upstream has ended, but is not complete.
    pub missed: i64,
    /// Number of edges whose end is awaited in any case, as their upstreams are rerun.
    pub owed: i64,
}

/// Effect of the end of a task of a set.
pub enum Turn {
    Complete,
    /// The dependent waits for the rest of the set.
    Waits,
    /// The dependent waits for nothing more.
    Ready,
    /// Too few can still be complete.
    Short,
}

impl Set {
    pub fn of<'a>(least: i64, edges: impl Iterator<Item = &'a Edge>) -> Self {
        let mut set = Self { least, ..Self::default() };
        for edge in edges.filter(|edge| edge.kind == "some") {
            set.put(edge.mark);
        }
        set
    }

    fn put(&mut self, mark: Option<u8>) {
        match mark {
            Some(0) => self.owed += 1,
            other => {
                self.left += 1;
                self.missed += i64::from(other.is_some());
            }
        }
    }

    /// Number of tasks of the set that can still be complete.
    pub fn chances(self) -> i64 {
        self.left - self.missed + self.owed
    }

    /// Returns true if a task with `open` edges waits for nothing.
    pub fn is_enough(self, open: usize) -> bool {
        self.least <= 0 && i64::try_from(open).unwrap() == self.left
    }

    pub fn require(self) -> Verdict<()> {
        if self.least > self.left + self.owed {
            Err("BADARG")
        } else if self.least > self.chances() {
            Err("UPSTREAM")
        } else {
            Ok(())
        }
    }
}

/// The upstreams of the set in a text of inputs.
pub fn named(inputs: &str) -> BTreeSet<&str> {
    let entries = inputs.split_whitespace().filter_map(|entry| entry.split_once('='));
    entries.filter(|(kind, _)| kind.split('/').next() == Some("some")).map(|(_, up)| up).collect()
}

/// Number of tasks of the set that must be complete, by that text.
pub fn asked(inputs: &str) -> i64 {
    inputs.split_whitespace().find_map(|entry| entry.strip_prefix("least/")).map_or(1, |least| least.parse().unwrap())
}

pub fn without_number(inputs: &str) -> String {
    let entries = inputs.split_whitespace().filter(|entry| !entry.starts_with("least/"));
    entries.collect::<Vec<_>>().join(" ")
}

/// Returns true if an edge of this kind is a reason for the upstream to run.
pub fn wants(kind: &str) -> bool {
    matches!(kind, "success" | "result" | "some" | "optional")
}

impl Wanted {
    /// Returns true if a set begins or changes.
    pub fn has_set(&self) -> bool {
        self.some > 0 || self.least.is_some()
    }

    /// Number of tasks that must be complete from now on. `before`: the number until now. `inputs`: the text that
    /// asked for that number.
    pub fn least_after(&self, inputs: &str, before: Option<i64>) -> i64 {
        let (now, asked) = if named(inputs).is_empty() { (1, 1) } else { (before.unwrap_or(1), asked(inputs)) };
        now + self.least.unwrap_or(asked) - asked
    }
}

impl Model {
    /// Ids of the tasks that have not ended.
    pub fn unfinished(&self) -> BTreeSet<String> {
        self.tasks.values().filter(|task| !task.finished()).map(|task| task.id.clone()).collect()
    }

    /// The set of a task that has one, or had one.
    pub fn set_of(&self, id: &str) -> Option<Set> {
        let task = self.tasks.get(id).or_else(|| self.web.staged.get(id)).filter(|task| task.flagged('k'));
        task.map(|_| Set::of(self.web.least(id), self.web.edges(id)))
    }

    /// Returns true if a task with these edges waits for something.
    pub fn is_open(&self, id: &str) -> bool {
        let open = self.web.waits(id);
        open > 0 && !self.set_of(id).is_some_and(|set| set.is_enough(open))
    }

    /// Number of tasks that a task waits for.
    pub fn open_number(&self, id: &str) -> usize {
        let (all, Some(set)) = (self.web.waits(id), self.set_of(id)) else { return self.web.waits(id) };
        let others = i64::try_from(all).unwrap() - set.left - set.owed;
        usize::try_from(others + if set.least > 0 { set.chances() } else { set.owed }).unwrap()
    }

    /// Notifies a waiting task of the end of a task of its set. `live`: the tasks that have not ended.
    pub fn end_of_one(&mut self, up: &str, to: &str, id: &str, edge: &Edge, live: &BTreeSet<String>) -> Turn {
        if to == "complete" {
            return Turn::Complete;
        }
        let gone = to == "deleted";
        let mut edges = self.web.upstreams[id].clone();
        if gone {
            edges.shift_remove(up);
        } else {
            edges.get_mut(up).unwrap().mark = Some(1);
        }
        let least = self.web.least(id);
        let mut set = Set::of(least, edges.values());
        if set.is_enough(edges.len()) {
            return Turn::Ready;
        }
        let holds = to != "skipped" && self.on_failure(id) == Some("hold") && least <= set.left + set.owed;
        let mut again = Vec::new();
        if least > set.chances() && !holds {
            // Upstreams that were retried since count again.
            for (other, edge) in &mut edges {
                if other != up && edge.mark == Some(1) && live.contains(other) {
                    edge.mark = None;
                    again.push(other.clone());
                }
            }
            set = Set::of(least, edges.values());
            if least > set.chances() {
                return Turn::Short;
            }
        }
        self.web.upstreams.insert(id.into(), edges);
        if gone {
            self.web.cut(id, up);
            self.web.fill(id, &edge.slots);
        } else {
            self.web.see(up, id, Seen::Held);
        }
        for other in again {
            self.web.begin_to_wait(&other, id, self.now);
            self.flag(&other); // it may be another task by now
        }
        self.web.keep_least(id, least);
        Turn::Waits
    }
}

impl Task {
    pub fn add_flag(&mut self, flag: char) {
        if !self.flagged(flag) {
            let flags = format!("{}{flag}", self.get("flags"));
            self.set("flags", flags);
        }
    }
}
