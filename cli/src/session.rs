//! The session of a command: a connection, a namespace, a format, and how long to wait.

pub mod caller;
pub mod config;
pub mod diagnosis;
mod find;
pub mod graphs;
pub mod many;
pub mod outage;
pub mod password;
pub mod queues;
pub mod rights;
mod rows;
pub mod sheet;
pub mod torn;

use std::sync::Arc;
use std::time::{Duration, Instant};

use blueque::{Client, Namespace, PartitionName, TaskId};

use crate::output::Format;

/// How long a person waits for one reply of the server.
pub const LIMIT: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub struct Session {
    pub client: Client,
    pub format: Format,
    pub namespace: Namespace,
    /// When to stop waiting for the end of tasks, if limited.
    pub end: Option<Instant>,
    /// Which of several partitions it is of, if there are several.
    pub partition: Option<PartitionName>,
    /// Where its rows are kept until those of the other partitions are there.
    pub sheet: Option<Arc<sheet::Sheet>>,
    /// Says of a task of another partition why it has not ended, if that can be asked.
    pub elsewhere: Option<Elsewhere>,
}

/// Says of a task, by its global id, why it has not ended.
pub type Elsewhere = Arc<dyn Fn(&TaskId) -> String + Send + Sync>;

/// As many tasks as ten of the largest graphs have.
const SETTLED: usize = 100_000;

impl Session {
    /// Goes on with what a call has left behind in graphs. Workers would do it, too: so whatever keeps it from that is no
    /// error.
    pub fn settle(&self) {
        self.client.settle(SETTLED).ok();
    }
}
