//! Bulk actions that run in the background, so that a page shows their progress. If only the page itself can compare
//! tasks with the search, a job first finds them, and waits until a user has confirmed their number.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use blueque::TaskId;

use crate::fields::Fields;

/// Number of jobs that are remembered.
const KEPT: usize = 50;

/// Age to which an ended job counts as recent, and the number of recent jobs that a page shows.
const RECENT: Duration = Duration::from_secs(600);
const SHOWN: usize = 5;

/// Maximum number of tasks that a job looks into, and that it finds.
const LOOKED: u64 = 100_000;
const FOUND: usize = 5_000;

/// Stage of a job.
#[derive(Clone, Debug)]
pub enum Stage {
    /// It looks for the tasks.
    Looks,
    /// It has found the tasks and waits until a user has confirmed their number.
    Asks,
    Runs,
    Ended(Result<(), String>),
}

/// The tasks that a job has found.
#[derive(Clone, Debug, Default)]
pub struct Search {
    pub ids: Vec<String>,
    /// Number of tasks that were compared with the search, and the creation of the last of them.
    pub looked: u64,
    pub last: Option<SystemTime>,
    /// True if no task of the search is left.
    pub is_whole: bool,
}

/// A bulk action, and how far it is.
#[derive(Debug)]
pub struct Job {
    pub id: String,
    pub place: String,
    /// What it does, in words.
    pub what: String,
    pub query: String,
    /// The search that finds the tasks afterwards.
    pub after: Option<String>,
    pub by: String,
    pub begun: SystemTime,
    /// Number of tasks that match, if it is known.
    pub matching: Option<u64>,
    changed: AtomicU64,
    refused: AtomicU64,
    stopped: AtomicBool,
    stage: Mutex<Stage>,
    search: Mutex<Search>,
    /// Name and fields of the action on the found tasks, once their number is confirmed.
    pub plan: Option<(&'static str, Fields)>,
}

impl Job {
    pub fn new(place: &str, by: &str, what: String, query: String) -> Self {
        Self {
            id: TaskId::random().to_string(),
            place: place.to_owned(),
            what,
            query,
            after: None,
            by: by.to_owned(),
            begun: SystemTime::now(),
            matching: None,
            changed: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            stage: Mutex::new(Stage::Runs),
            search: Mutex::default(),
            plan: None,
        }
    }

    /// Makes the job one that first finds its tasks.
    #[must_use]
    pub fn looking(self, action: &'static str, fields: Fields) -> Self {
        Self { stage: Mutex::new(Stage::Looks), plan: Some((action, fields)), ..self }
    }

    /// Adds a page of the search, which looked into `looked` tasks, the last created at `last`. Returns true if the next
    /// page is needed.
    pub fn look<'a>(
        &self,
        ids: impl Iterator<Item = &'a String>,
        looked: u64,
        last: Option<SystemTime>,
        is_whole: bool,
    ) -> bool {
        let mut search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        search.looked += looked;
        search.last = last.or(search.last);
        search.is_whole = is_whole;
        for id in ids {
            // The page may name a task twice that is a whole id of the search.
            if search.ids.first() != Some(id) {
                search.ids.push(id.clone());
            }
        }
        !search.is_whole && search.looked < LOOKED && search.ids.len() < FOUND && !self.is_stopped()
    }

    /// Asks for the confirmation of the number, unless there is nothing to confirm.
    pub fn ask(&self) {
        let is_over = self.is_stopped() || self.search().ids.is_empty();
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) =
            if is_over { Stage::Ended(Ok(())) } else { Stage::Asks };
    }

    /// Begins to run after the confirmation, and returns the ids of the tasks; `None` if the job does not wait for one.
    pub fn confirm(&self) -> Option<Vec<String>> {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*stage, Stage::Asks).then(|| {
            *stage = Stage::Runs;
            self.search().ids
        })
    }

    pub fn stage(&self) -> Stage {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The tasks that were found so far.
    pub fn search(&self) -> Search {
        self.search.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn add(&self, changed: u64, refused: u64) {
        self.changed.fetch_add(changed, Ordering::Relaxed);
        self.refused.fetch_add(refused, Ordering::Relaxed);
    }

    /// Number of tasks that were changed, and that refused.
    pub fn numbers(&self) -> (u64, u64) {
        (self.changed.load(Ordering::Relaxed), self.refused.load(Ordering::Relaxed))
    }

    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*stage, Stage::Asks) {
            *stage = Stage::Ended(Ok(()));
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    pub fn finish(&self, outcome: Result<(), String>) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = Stage::Ended(outcome);
        // Nobody needs the ids after the end.
        self.search.lock().unwrap_or_else(PoisonError::into_inner).ids = Vec::new();
    }

    pub fn outcome(&self) -> Option<Result<(), String>> {
        match self.stage() {
            Stage::Ended(outcome) => Some(outcome),
            _ => None,
        }
    }
}

/// The last jobs.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<VecDeque<Arc<Job>>>);

impl Jobs {
    pub fn add(&self, job: Arc<Job>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(job);
        if all.len() > KEPT {
            all.pop_front();
        }
    }

    /// Returns the jobs of a place that run, or began within the last ten minutes: the latest first.
    pub fn recent(&self, place: &str) -> Vec<Arc<Job>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = |job: &Job| job.begun.elapsed().is_ok_and(|age| age < RECENT);
        let recent = all.iter().rev().filter(|job| job.place == place && (job.outcome().is_none() || is_new(job)));
        recent.take(SHOWN).cloned().collect()
    }

    /// Returns a job of a place.
    pub fn get(&self, place: &str, id: &str) -> Option<Arc<Job>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|job| job.id == id && job.place == place).cloned()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_job_looks_into_a_bounded_number_of_tasks_and_says_how_far_it_got() {
        let job = Job::new("here", "anna", String::new(), "x".to_owned());
        let job = job.looking("cancel", Fields::default());
        let look = |looked: u64| job.look([].iter(), looked, None, false);
        assert!(look(5_000) && job.confirm().is_none());
        assert!(!look(LOOKED));
        assert_eq!((job.search().is_whole, job.search().looked), (false, LOOKED + 5_000));
        job.ask();
        assert!(matches!(job.stage(), Stage::Ended(Ok(()))) && job.confirm().is_none(), "there is nothing to confirm");
    }
}
