//! A worker in this process: takes tasks, runs a handler for each, and sends heartbeats in parallel. The same code
//! serves threads and tasks of an asynchronous runtime.

#[cfg(feature = "tokio")]
mod asynchronous;
mod builder;
mod context;
mod end_batcher;
mod ending;
mod failure;
mod handlers;
mod heartbeats;
mod hooks;
mod local_context;
#[cfg(feature = "tracing")]
mod log_fields;
mod maintenance;
mod outcome;
mod reports;
mod run;
mod settings;
mod shared;
mod slots;
#[cfg(feature = "tokio")]
mod spans;

use std::error::Error as StdError;
use std::time::Duration;

pub use builder::WorkerBuilder;
pub use context::{Context, Stopped};
pub use failure::{Failure, Retry};
pub use hooks::{AroundAttempt, Hooks};
pub use local_context::LocalContext;
#[cfg(feature = "tracing")]
pub use log_fields::LogFields;
pub use maintenance::{Maintenance, MaintenanceError};
pub use run::Worker;
#[doc(hidden)]
pub use shared::LastHour;
pub use shared::Summary;

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
