//! A worker in this process: takes tasks, runs a handler for each, and sends heartbeats in parallel. The same code
//! serves threads and tasks of an asynchronous runtime.

#[cfg(feature = "tokio")]
mod asynchronous;
mod beats;
mod builder;
mod coming;
mod context;
mod desk;
mod ending;
mod failure;
mod handlers;
mod reports;
mod run;
mod settings;
mod shared;
mod slots;
mod upkeep;

use std::error::Error as StdError;
use std::time::Duration;

pub use builder::WorkerBuilder;
pub use context::{Context, Stopped};
pub use failure::Failure;
pub use run::Worker;
pub use shared::Summary;
pub use upkeep::{Upkeep, UpkeepError};

/// Error of a handler: any error, or a text.
pub type HandlerError = Box<dyn StdError + Send + Sync>;

/// Way to stop a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Take no more tasks, and let running tasks finish, without limit.
    Drain,
    /// Take no more tasks, and order running tasks to stop. They go back to the queue, and the attempts are not
    /// counted.
    Release,
    /// Drain for this time, and then release.
    ReleaseAfter(Duration),
}
