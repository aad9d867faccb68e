//! `blueque suspend`, `blueque continue` and `blueque signal`

use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use blueque::{TaskId, TaskInfo};
use clap::Args;
use nix::sys::signal::Signal as Number;

use crate::input::task_ids::TaskIds;
use crate::input::values::duration;
use crate::output::{Code, clean};
use crate::session::Session;
use crate::subcommand::Subcommand;

/// Longest pause between two looks for an answer.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// All processes of the programs are stopped until `blueque continue`. They keep their memory, their slot and their
/// lease. Their limits of time do not run.
#[derive(Args, Clone, Debug)]
pub struct Suspend {
    #[command(flatten)]
    pub tasks: TaskIds,
    #[command(flatten)]
    patience: Patience,
}

/// The programs go on where they were stopped.
#[derive(Args, Clone, Debug)]
pub struct Continue {
    #[command(flatten)]
    pub tasks: TaskIds,
    #[command(flatten)]
    patience: Patience,
}

/// The signal goes once to each process of the program that handles it. If no process does, it is not sent, because it
/// could end the program.
#[derive(Args, Clone, Debug)]
pub struct Signal {
    #[command(flatten)]
    pub tasks: TaskIds,
    /// The signal: USR1, SIGUSR1 or 10
    #[arg(value_name = "SIGNAL", value_parser = signal)]
    name: String,
    #[command(flatten)]
    patience: Patience,
}

#[derive(Args, Clone, Debug)]
struct Patience {
    /// Maximum time to wait until the workers have done it. The request stays in effect afterwards
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    timeout: Duration,
}

impl Subcommand for Suspend {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let end = self.patience.end();
        self.tasks.each(session, |id, info| {
            let asked = session.client.call(&session.client.calls().suspend(id))?;
            Ok(if !asked || answered(session, id, info, None, end)? { "suspended" } else { "suspending" })
        })
    }
}

impl Subcommand for Continue {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let end = self.patience.end();
        self.tasks.each(session, |id, info| {
            let asked = session.client.call(&session.client.calls().unsuspend(id))?;
            Ok(if !asked || answered(session, id, info, None, end)? { "continued" } else { "continuing" })
        })
    }
}

impl Subcommand for Signal {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let end = self.patience.end();
        self.tasks.each(session, |id, info| {
            let number = session.client.call(&session.client.calls().signal(id, &self.name))?;
            Ok(if answered(session, id, info, Some(number), end)? { "delivered" } else { "not yet delivered" })
        })
    }
}

impl Patience {
    fn end(&self) -> Instant {
        let now = Instant::now();
        now.checked_add(self.timeout).unwrap_or(now)
    }
}

/// Waits until the owner has answered a request, by default the latest. Returns false if it has not by `end`.
fn answered(
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
fn signal(text: &str) -> Result<String, String> {
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
