//! The expected start and end of a task.

use std::time::{Duration, SystemTime};

use blueque::calls::EstimateOptions;
use blueque::{Basis, Error, Estimate, Status, TaskId, TaskInfo};
use serde::Serialize;

use super::progress::Progress;
use crate::session::Session;
use crate::times;

/// The estimates for an unfinished task.
#[derive(Debug, Serialize)]
pub struct Expected {
    #[serde(rename = "expected_start", skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(rename = "expected_end", skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    #[serde(rename = "expected_by", skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    #[serde(skip)]
    words: String,
    #[serde(skip)]
    at_once: bool,
}

const OVERDUE: &str = "overdue";

/// Formats the expected end of a running task. An end in the past is shown as now.
pub fn ends(end: SystemTime, now: SystemTime) -> String {
    let left = times::between(now, end);
    if left < Duration::from_millis(50) { OVERDUE.to_owned() } else { format!("in {}", times::span(left)) }
}

/// Returns the estimates for a task, or `None` if they are unknown.
pub fn expected(session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Option<Expected>> {
    Ok(estimate(session, id, info)?.as_ref().and_then(Expected::new))
}

/// Returns the time at which a task is expected to end.
pub fn end(session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Option<SystemTime>> {
    Ok(estimate(session, id, info)?.and_then(|estimate| estimate.end))
}

/// Returns the estimate for a task, which all views use.
fn estimate(session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Option<Estimate>> {
    if info.status().is_none_or(Status::is_finished) {
        return Ok(None);
    }
    let progress = info.progress_bytes().and_then(|bytes| Progress::read(bytes).fraction);
    let progress = progress.map(|part| part.clamp(0.0, 1.0)).filter(|part| part.is_finite());
    let options = progress.into_iter().fold(EstimateOptions::new(), EstimateOptions::progress);
    ask(session, id, &options)
}

/// Asks the server for an estimate. Returns `None` if there is no such task.
pub fn ask(session: &Session, id: &TaskId, options: &EstimateOptions) -> anyhow::Result<Option<Estimate>> {
    match session.client.call(&session.client.calls().estimate(id, options)) {
        Ok(estimate) => Ok(Some(estimate)),
        Err(Error::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Expected {
    fn new(estimate: &Estimate) -> Option<Self> {
        let end = estimate.end?;
        let waits = estimate.status.is_waiting();
        let start = estimate.start.filter(|_| waits);
        let left = |at| times::between(estimate.now, at);
        let at_once = |at| left(at) < Duration::from_secs(1);
        let soon = |at| {
            if at_once(at) { "at once".to_owned() } else { format!("in {}", times::span(left(at))) }
        };
        let begin = start.map_or(String::new(), |start| format!("to start {} and ", soon(start)));
        let runs =
            if estimate.runs == 1 { "the last run".to_owned() } else { format!("the last {} runs", estimate.runs) };
        let by = match estimate.basis {
            Some(Basis::Progress) => "by its progress".to_owned(),
            Some(Basis::Both) => format!("by its progress and {runs}"),
            _ => format!("by {runs}"),
        };
        let when = if waits { soon(end) } else { ends(end, estimate.now) };
        let words = if when == OVERDUE {
            format!("to end now ({OVERDUE}), {by}")
        } else {
            format!("{begin}to end {when} ({}), {by}", times::utc(end))
        };
        Some(Self {
            start: start.and_then(times::exact),
            end: times::exact(end),
            by: estimate.basis.map(Basis::as_str),
            words,
            at_once: start.is_some_and(at_once),
        })
    }

    pub fn starts_at_once(&self) -> bool {
        self.at_once
    }

    /// Returns the rest of a sentence that begins with "expected".
    pub fn words(&self) -> &str {
        &self.words
    }
}
