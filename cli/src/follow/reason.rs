//! Why a task that is waited for does not run: reported when that changes.

use std::time::{Duration, Instant};

use blueque::{Status, TaskId, TaskInfo};

use crate::session::Session;
use crate::times;
use crate::view::record::text;
use crate::view::why::why;

/// Nothing is reported before this time: most tasks have started by then.
const QUIET: Duration = Duration::from_secs(2);

/// Seconds: a task that is due within this time is not reported to wait for it.
const SOON: f64 = 5.0;

/// Whether there is something to report. A task that is about to become pending counts as pending.
fn waits(info: &TaskInfo) -> bool {
    let due = || text(info, "eta").and_then(|eta| eta.parse().ok()).unwrap_or(0.0_f64);
    match info.status() {
        Some(Status::Pending) => true,
        Some(Status::Scheduled) => (due() - times::now()).abs() > SOON,
        _ => false,
    }
}

/// Reports why a task that is waited for does not run, and again when that changes.
#[derive(Debug)]
pub struct Reason {
    look: Instant,
    attempt: u32,
    said: String,
}

impl Reason {
    pub fn new() -> Self {
        Self { look: Instant::now() + QUIET, attempt: 0, said: String::new() }
    }

    /// The report, if there is one.
    pub fn news(&mut self, session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Option<String>> {
        if !waits(info) || self.attempt != info.attempts() {
            // It runs, or has run meanwhile: a new wait begins.
            *self = Self { attempt: info.attempts(), ..Self::new() };
        }
        if Instant::now() < self.look {
            return Ok(None);
        }
        self.look = Instant::now() + QUIET;
        let sentence = why(session, id, info)?.sentence;
        // Changing numbers and times are not news.
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
