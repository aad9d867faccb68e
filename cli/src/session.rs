//! The session of a command: a connection, a namespace, a format, and a time limit.

pub mod caller;
pub mod config;
pub mod diagnosis;
pub mod find;
pub mod graphs;
pub mod many;
pub mod merged_rows;
mod open;
pub mod outage;
pub mod password;
pub mod queues;
pub mod rights;
mod rows;
pub mod several;
pub mod truncated_aof;

use std::sync::Arc;
use std::time::Instant;

use blueque::{Client, Namespace, PartitionName, TaskId};

use crate::output::Format;

#[derive(Clone)]
pub struct Session {
    pub client: Client,
    pub format: Format,
    pub namespace: Namespace,
    /// Time at which the command stops waiting for tasks, if there is a limit.
    pub end: Option<Instant>,
    /// The partition of this session, if there are several partitions.
    pub partition: Option<PartitionName>,
    /// The table that collects the rows of all partitions.
    pub merged_rows: Option<Arc<merged_rows::MergedRows>>,
    /// Function that returns the reason why a task of another partition has not ended, if other partitions can be
    /// queried.
    pub remote_why: Option<RemoteWhy>,
}

/// Function that returns the reason why a task, named by its global id, has not ended.
pub type RemoteWhy = Arc<dyn Fn(&TaskId) -> String + Send + Sync>;

/// Maximum number of tasks that a call of `run_deferred` handles: ten times the size of the largest graph.
const DEFERRED_STEPS: usize = 100_000;

impl Session {
    /// Runs the deferred steps of graphs that a call has created. Errors are ignored, because workers also run deferred
    /// steps.
    pub fn run_deferred(&self) {
        self.client.run_deferred(DEFERRED_STEPS).ok();
    }
}
