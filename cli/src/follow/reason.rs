//! The reason why a followed task does not run, reported when it changes.

use std::time::{Duration, Instant};

use blueque::{Status, TaskId, TaskInfo};

use crate::session::Session;
use crate::times;
use crate::view::record::eta;
use crate::view::why::why;

/// Time before the first report. Most tasks have started within this time.
const QUIET: Duration = Duration::from_secs(2);

/// A scheduled task that starts within this time is not reported as waiting.
const SOON: Duration = Duration::from_secs(5);

/// Returns true if the task waits for a reason that should be reported. A task that is due soon counts as pending.
fn waits(info: &TaskInfo) -> bool {
    match info.status() {
        Some(Status::Scheduled) => eta(info).is_none_or(|due| {
            let now = times::now();
            times::between(now, due).max(times::between(due, now)) > SOON
        }),
        status => status.is_some_and(Status::is_waiting),
    }
}

/// Reports the reason why a followed task does not run, and reports each change of the reason.
#[derive(Debug)]
pub struct Reason {
    look: Instant,
    attempt: u32,
    said: String,
    /// Time at which the task was first seen running.
    runs: Option<Instant>,
}

impl Reason {
    pub fn new() -> Self {
        Self { look: Instant::now() + QUIET, attempt: 0, said: String::new(), runs: None }
    }

    /// Returns the report, or none if there is nothing to report.
    pub fn news(&mut self, session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Option<String>> {
        self.runs = (info.status() == Some(Status::Started)).then(|| self.runs.unwrap_or_else(Instant::now));
        if !waits(info) || self.attempt != info.attempt() {
            // If the task ran for longer than QUIET, the next wait is new, and its reason is reported. After a shorter
            // run, the same reason is not reported again.
            let over = self.runs.is_some_and(|since| since.elapsed() > QUIET);
            let said = if over { String::new() } else { std::mem::take(&mut self.said) };
            *self = Self { attempt: info.attempt(), said, runs: self.runs, ..Self::new() };
        }
        if Instant::now() < self.look {
            return Ok(None);
        }
        self.look = Instant::now() + QUIET;
        let sentence = why(session, id, info)?.sentence;
        // Changes of numbers and times are not reported.
        let words: Vec<&str> =
            sentence.split(' ').filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect();
        let words = words.join(" ");
        if words == self.said {
            return Ok(None);
        }
        self.said = words;
        Ok(Some(format!("-- {id}: {sentence} --")))
    }
}
