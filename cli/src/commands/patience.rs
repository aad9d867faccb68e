//! What is said while a command waits: why a task does not run, and that the server is away.

use std::time::{Duration, Instant};

use blueque::{Client, Error, Status, TaskId, TaskInfo};

use crate::output::{Code, chain, fault, say};
use crate::session::config::Settings;
use crate::session::{LIMIT, Session, reach};
use crate::times;
use crate::view::record::text;
use crate::view::why::why;

/// So long nothing is said: most tasks have begun by then.
const QUIET: Duration = Duration::from_secs(2);

const BACK: &str = "-- the server is back --";

/// So long the server may take for the first answers, however soon the wait is to end.
const LOOK: Duration = Duration::from_secs(1);

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
                    say(BACK);
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

/// Connects for a command that waits for hours, and answers until when it may wait. A server that is away is waited for,
/// which is said once.
pub fn connect(settings: &Settings, timeout: Option<Duration>) -> anyhow::Result<(Option<Instant>, Client)> {
    let after = |timeout: Option<Duration>| timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    // Whoever has no time at all wants to know how it stands.
    let (end, last) = (after(timeout), after(timeout.map(|timeout| timeout.max(LOOK))));
    let mut away = false;
    loop {
        let left = last.map_or(LIMIT, |last| last.saturating_duration_since(Instant::now()).min(LIMIT));
        if left.is_zero() {
            let waited = humantime::format_duration(timeout.unwrap_or_default());
            return Err(fault(Code::TimedOut, format!("no server at {} after {waited}", settings.url())));
        }
        let gone = match reach::somebody_listens(settings.url(), left) {
            Err(gone) => gone,
            Ok(()) => match settings.client_within(left) {
                Ok(client) => {
                    if away {
                        say(BACK);
                    }
                    return Ok((end, last.map_or(client.clone(), |last| client.until(last))));
                }
                Err(error) if is_away(&error) => error,
                Err(error) => return Err(error),
            },
        };
        if !std::mem::replace(&mut away, true) {
            say(format!("-- the server is away: {}; waiting for it --", chain(&gone)));
        }
    }
}

/// Does what a command that waits for hours begins with, as often as the server goes away meanwhile. None where `stopped`
/// says so before.
pub fn begin<T>(what: impl Fn() -> anyhow::Result<T>, stopped: &dyn Fn() -> bool) -> anyhow::Result<Option<T>> {
    let mut outage = Outage::default();
    loop {
        let answer = what();
        if answer.is_err() && stopped() {
            return Ok(None);
        }
        if let Some(answer) = outage.survive(answer)? {
            return Ok(Some(answer));
        }
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
        let (_, sentence) = why(session, id, info)?;
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
