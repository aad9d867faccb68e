//! Arguments that cancel a held task by force.

use blueque::Force;
use blueque::calls::CancelOptions;
use clap::Args;

/// The options that cancel a held task.
#[derive(Args, Clone, Copy, Debug)]
pub struct Forced {
    /// Kill the program of a running task at once, without a grace period. The task is cancelled when the program has
    /// ended, at the latest when its lease expires
    #[arg(long)]
    force: bool,
    /// Cancel the task now, without waiting for the end of its program. The program may continue, even during a new
    /// attempt, until its worker notices: up to a third of the lease
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
