//! Requests to the owners of tasks: the wait for their answers, and signals.

use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use blueque::{TaskId, TaskInfo};
use clap::Args;
use nix::sys::signal::Signal as Number;

use super::values::duration;
use crate::output::clean;
use crate::session::Session;

/// Longest pause between two looks for an answer.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

#[derive(Args, Clone, Debug)]
pub struct Patience {
    /// Maximum time to wait for the workers. The request stays in effect afterwards
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub timeout: Duration,
}

impl Patience {
    pub fn end(&self) -> Instant {
        let now = Instant::now();
        now.checked_add(self.timeout).unwrap_or(now)
    }
}

/// Waits until the owner has answered a request, by default the latest. Returns false if it has not by `end`.
pub fn answered(
    session: &Session,
    id: &TaskId,
    before: &TaskInfo,
    mut number: Option<u64>,
    end: Instant,
) -> anyhow::Result<bool> {
    let mut pause = Duration::from_millis(20);
    loop {
        let Some(info) = session.client.call(&session.client.calls().get(id))? else { bail!("it was deleted") };
        if info.token() != before.token() || !info.status().is_some_and(blueque::Status::is_owned) {
            bail!("its attempt has ended before its worker has answered");
        }
        let done = info.controlled();
        let waiting = info.controls().unwrap_or_default();
        let latest = || waiting.trim_end_matches(';').rsplit(';').next()?.split(' ').next()?.parse().ok();
        let wanted = *number.get_or_insert_with(|| latest().unwrap_or(done));
        if done >= wanted {
            let refusal = info.control_refused().unwrap_or_default();
            if let Some(why) = refusal.strip_prefix(&format!("{wanted} ")) {
                bail!("refused by its worker: {}", clean(why));
            }
            return Ok(true);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Returns the name of a signal without SIG.
pub fn signal(text: &str) -> Result<String, String> {
    let upper = text.to_ascii_uppercase();
    let known = match upper.parse::<i32>() {
        Ok(number) => Number::try_from(number),
        Err(_) => Number::from_str(&format!("SIG{}", upper.strip_prefix("SIG").unwrap_or(&upper))),
    };
    let instead = match known {
        Ok(Number::SIGKILL) => "a program cannot handle it: use blueque cancel --force",
        Ok(Number::SIGSTOP | Number::SIGTSTP | Number::SIGTTIN | Number::SIGTTOU) => "use blueque suspend",
        Ok(Number::SIGCONT) => "use blueque continue",
        Ok(known) => return Ok(known.as_str().trim_start_matches("SIG").to_owned()),
        Err(_) => "must be a signal such as USR1, SIGUSR1 or 10",
    };
    Err(instead.to_owned())
}
