//! Arguments for cancelling a held task by force.

use blueque::Force;
use blueque::calls::CancelOptions;
use clap::Args;

/// How a held task is cancelled.
#[derive(Args, Clone, Copy, Debug)]
pub struct Forced {
    /// Kill the program of a running task at once, without a grace period. The task is cancelled when the program
    /// is dead, at the latest when its lease has expired
    #[arg(long)]
    force: bool,
    /// Do not wait for that: cancel the task now. Its program may run on, even beside a next attempt, until its
    /// worker learns of it: up to a third of the lease
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

    pub fn options(self) -> CancelOptions {
        CancelOptions::new().force(self.force && !self.now).at_once(self.now)
    }
}
