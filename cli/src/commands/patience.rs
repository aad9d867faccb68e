//! What is said while a command waits: why a task does not run, and that the server is away.

use std::time::{Duration, Instant};

use blueque::{Error, Status, TaskId, TaskInfo};

use super::view::text;
use super::{Session, times};
use crate::output::say;

/// So long nothing is said: most tasks have begun by then.
const QUIET: Duration = Duration::from_secs(2);

/// In seconds: a task that is due within this time is not said to wait for it.
const SOON: f64 = 5.0;

/// The server may go away while a command waits for hours.
#[derive(Debug, Default)]
pub struct Outage {
    away: bool,
}

impl Outage {
    /// The answer; none where the server is away, which is said once: the caller asks again. Other errors stay.
    pub fn survive<T>(&mut self, answer: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        match answer {
            Ok(answer) => {
                if std::mem::take(&mut self.away) {
                    say("-- the server is back --");
                }
                Ok(Some(answer))
            }
            Err(error) if is_away(&error) => {
                if !std::mem::replace(&mut self.away, true) {
                    say("-- the server is away: waiting for it; what runs goes on --");
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether `survive` has nothing to say of this answer.
    pub fn is_silent<T>(&self, answer: &anyhow::Result<T>) -> bool {
        answer.is_ok() && !self.away
    }
}

fn is_away(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| matches!(cause.downcast_ref(), Some(Error::Unavailable { .. })))
}

/// Whether there is something to say of it. A task that is about to become pending is as good as that.
fn waits(info: &TaskInfo) -> bool {
    let due = || text(info, "eta").and_then(|eta| eta.parse().ok()).unwrap_or(0.0_f64);
    match info.status() {
        Some(Status::Pending) => true,
        Some(Status::Scheduled) => (due() - times::now()).abs() > SOON,
        _ => false,
    }
}

/// Says why a task that is waited for does not run, and says it again when that changes.
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

    /// What is to be said, if anything.
    pub fn news(&mut self, session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Option<String>> {
        if !waits(info) || self.attempt != info.attempts() {
            // It runs, or has run meanwhile: a wait for the next attempt begins anew.
            *self = Self { attempt: info.attempts(), ..Self::new() };
        }
        if Instant::now() < self.look {
            return Ok(None);
        }
        self.look = Instant::now() + QUIET;
        let (_, sentence) = session.why(id, info)?;
        // Numbers and times change all the time, and tell nothing new.
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
