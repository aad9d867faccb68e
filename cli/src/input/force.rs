//! Whether a task that somebody holds is cancelled by force, as arguments.

use blueque::Force;
use clap::Args;

/// How a task that somebody holds is cancelled.
#[derive(Args, Clone, Copy, Debug)]
pub struct Forced {
    /// Have the program of a running task killed at once, without a grace. The task is cancelled when it is dead, at
    /// the latest when its lease has run out
    #[arg(long)]
    force: bool,
    /// Do not wait for that: the task is cancelled now. Its program may run on, also beside a next attempt, until its
    /// worker hears of it: up to a third of the lease
    #[arg(long)]
    now: bool,
}

impl Forced {
    pub fn how(self) -> Force {
        match self {
            Self { now: true, .. } => Force::AtOnce,
            Self { force: true, .. } => Force::Kill,
            _ => Force::No,
        }
    }
}
