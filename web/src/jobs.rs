//! Bulk actions that run in the background, so that a page shows their progress.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use blueque::TaskId;

/// Number of jobs that are remembered.
const KEPT: usize = 50;

/// Age to which an ended job counts as recent, and the number of recent jobs that a page shows.
const RECENT: Duration = Duration::from_secs(600);
const SHOWN: usize = 5;

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
    /// The outcome, once it has ended.
    end: Mutex<Option<Result<(), String>>>,
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
            end: Mutex::new(None),
        }
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
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    pub fn finish(&self, outcome: Result<(), String>) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    }

    pub fn outcome(&self) -> Option<Result<(), String>> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
