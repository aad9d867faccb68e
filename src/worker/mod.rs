//! A worker in this process: takes tasks, runs a handler for each, sends heartbeats beside them. Written once for threads
//! and for tasks of an asynchronous runtime.

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

/// What a handler may fail with: any error, or a text.
pub type HandlerError = Box<dyn StdError + Send + Sync>;

/// How a worker ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Take no more tasks, and let running ones finish, without limit.
    Drain,
    /// Take no more tasks, and order running ones to stop: they go back to the queue, uncounted.
    Release,
    /// Like `Drain`, and after this time like `Release`.
    ReleaseAfter(Duration),
}
