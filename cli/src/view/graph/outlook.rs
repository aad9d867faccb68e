//! The progress of a graph's tasks, and the time at which the graph is expected to end.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use blueque::calls::EstimateOptions;
use blueque::{GraphMember, Status, TaskId};

use crate::session::Session;
use crate::times;
use crate::view::expected;
use crate::view::progress::Progress;

/// Maximum number of running tasks whose records are read.
const RUNNING: usize = 100;

/// Number of tasks of one queue whose start is estimated. Each other task gets the estimate of the next of these
/// samples.
const SAMPLES: usize = 20;

/// The known progress and expected ends of the unfinished tasks.
#[derive(Default)]
pub struct Outlook {
    /// Progress of each running task.
    pub progress: HashMap<TaskId, f64>,
    /// Expected end of each task.
    pub ends: HashMap<TaskId, SystemTime>,
    /// Expected end of the last task. It follows from the longest chain of tasks and the mean run time of each queue.
    /// `None` if a run time or a start is unknown.
    pub end: Option<SystemTime>,
}

/// The estimates for the tasks of one queue.
#[derive(Default)]
struct Pace {
    mean: Option<Duration>,
    /// The latest expected end of the tasks that have not started.
    last: Option<SystemTime>,
}

impl Outlook {
    pub fn new(session: &Session, tasks: &[GraphMember]) -> anyhow::Result<Self> {
        let mut outlook = Self::default();
        let runs = |task: &&GraphMember| matches!(task.status, Some(Status::Started | Status::Reserved));
        for task in tasks.iter().filter(runs).take(RUNNING) {
            let Some(info) = session.client.call(&session.client.calls().get(&task.id))? else { continue };
            let progress = info.progress_bytes().and_then(|bytes| Progress::read(bytes).fraction);
            outlook.progress.extend(progress.map(|part| (task.id.clone(), part)));
            let end = expected::end(session, &task.id, &info)?;
            outlook.ends.extend(end.map(|end| (task.id.clone(), end)));
        }
        let mut paces = HashMap::new();
        for task in tasks.iter().filter(|task| task.status.is_some_and(|status| !status.is_finished())) {
            if !paces.contains_key(task.queue.as_str()) {
                paces.insert(task.queue.as_str(), outlook.pace(session, tasks, &task.queue)?);
            }
        }
        outlook.end = outlook.last(tasks, &paces);
        Ok(outlook)
    }

    /// Estimates the starts of some unstarted tasks of a queue.
    fn pace(&mut self, session: &Session, tasks: &[GraphMember], queue: &str) -> anyhow::Result<Pace> {
        let open = |task: &&GraphMember| task.queue == queue && task.status.is_some_and(|status| !status.is_finished());
        let ready = |task: &&GraphMember| matches!(task.status, Some(Status::Pending | Status::Scheduled));
        let all: Vec<&GraphMember> = tasks.iter().filter(open).filter(ready).collect();
        let (mut pace, plain) = (Pace::default(), EstimateOptions::new());
        for tasks in all.chunks(all.len().div_ceil(SAMPLES).max(1)) {
            let Some(last) = tasks.last() else { continue };
            let Some(estimate) = expected::ask(session, &last.id, &plain)? else { continue };
            pace.mean = estimate.mean.or(pace.mean);
            if let Some(end) = estimate.end {
                let alike = tasks.iter().filter(|task| task.status == last.status);
                self.ends.extend(alike.map(|task| (task.id.clone(), end)));
                pace.last = pace.last.max(Some(end));
            }
        }
        if let Some(task) = tasks.iter().find(open).filter(|_| all.is_empty()) {
            pace.mean = expected::ask(session, &task.id, &plain)?.and_then(|estimate| estimate.mean);
        }
        Ok(pace)
    }

    /// Returns the expected end of the task that ends last.
    fn last(&self, tasks: &[GraphMember], paces: &HashMap<&str, Pace>) -> Option<SystemTime> {
        let now = times::now();
        let mut known: HashMap<&TaskId, SystemTime> = HashMap::new();
        let complete = tasks.iter().filter(|task| task.status == Some(Status::Complete)).map(|task| &task.id);
        let complete: HashSet<&TaskId> = complete.collect();
        let mut last = None;
        // Each task comes after its upstreams.
        for task in tasks {
            let Some(status) = task.status.filter(|status| !status.is_finished()) else { continue };
            let pace = paces.get(task.queue.as_str());
            let end = match (self.ends.get(&task.id), status) {
                (Some(end), _) => *end,
                (None, Status::Waiting) => {
                    let each = task.upstreams.iter().filter(|(needs, _)| needs != "some");
                    let above = each.filter_map(|(_, up)| known.get(up)).max().copied();
                    let ready = above.max(enough(task, &complete, &known)).unwrap_or(now).max(now);
                    // A task that runs only after a failure is not expected to run.
                    let is_needed = task.upstreams.iter().all(|(needs, _)| needs != "failure");
                    if is_needed { ready.checked_add(pace?.mean?)? } else { ready }
                }
                (None, Status::Pending | Status::Scheduled) => pace?.last?,
                (None, _) => now.checked_add(pace?.mean?)?,
            };
            known.insert(&task.id, end);
            last = last.max(Some(end));
        }
        last
    }
}

/// Returns the time at which enough tasks of the set are complete.
fn enough(task: &GraphMember, complete: &HashSet<&TaskId>, known: &HashMap<&TaskId, SystemTime>) -> Option<SystemTime> {
    let set = task.upstreams.iter().filter(|(needs, _)| needs == "some").map(|(_, up)| up);
    let set: HashSet<&TaskId> = set.collect();
    let number = usize::try_from(task.at_least?).ok()?.checked_sub(set.intersection(complete).count() + 1)?;
    let mut ends: Vec<SystemTime> = set.into_iter().filter_map(|up| known.get(up).copied()).collect();
    ends.sort_unstable();
    ends.get(number).copied()
}
