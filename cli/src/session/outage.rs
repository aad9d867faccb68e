//! Handles server outages during commands that wait for hours. Such a command waits for the server, and reports the
//! outage once.

use std::time::{Duration, Instant};

use blueque::{Client, Error};

use super::config::{LIMIT, Settings};
use super::diagnosis;
use crate::output::{Code, chain, fault, say};

const BACK: &str = "-- the server is back --";

/// Minimum time limit for the first replies of the server, even if the command's timeout is shorter.
const LOOK: Duration = Duration::from_secs(1);

/// The state of an outage.
#[derive(Debug, Default)]
pub struct Outage {
    away: bool,
}

impl Outage {
    /// Takes the result of a call. Returns the reply, or `None` if the server is away. Reports the outage once. The
    /// caller must repeat the call. Other errors are returned.
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
                    say("-- the server is away: waiting for it; running tasks go on --");
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns true if `survive` prints nothing for this result.
    pub fn is_silent<T>(&self, answer: &anyhow::Result<T>) -> bool {
        answer.is_ok() && !self.away
    }
}

/// Connects for a command that waits for hours. Returns the time at which the command must stop, and the client. If the
/// server is away, reports this once and waits.
pub fn connect(settings: &Settings, timeout: Option<Duration>) -> anyhow::Result<(Option<Instant>, Client)> {
    let after = |timeout: Option<Duration>| timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    // A timeout of zero requests the present state, for which the server still needs some time.
    let (end, last) = (after(timeout), after(timeout.map(|timeout| timeout.max(LOOK))));
    let mut away = false;
    loop {
        let left = last.map_or(LIMIT, |last| last.saturating_duration_since(Instant::now()).min(LIMIT));
        if left.is_zero() {
            let waited = humantime::format_duration(timeout.unwrap_or_default());
            return Err(fault(
                Code::TimedOut,
                format!("no server at {} after {waited}", diagnosis::place(settings.url())),
            ));
        }
        let gone = match diagnosis::somebody_listens(settings.url(), left) {
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

/// Runs the first steps of a command that waits for hours. Repeats them if the server is away. Returns `None` if
/// `stopped` returns true first.
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
