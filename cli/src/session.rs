//! The session of a command: a connection, a namespace, a format, and a time limit.

pub mod caller;
pub mod config;
pub mod diagnosis;
mod find;
pub mod graphs;
pub mod many;
pub mod merged_rows;
pub mod outage;
pub mod password;
pub mod queues;
pub mod rights;
mod rows;
pub mod several;
pub mod truncated_aof;

use std::sync::Arc;
use std::time::{Duration, Instant};

use blueque::{Client, Namespace, PartitionName, TaskId};

use self::config::{LIMIT, Settings};
use crate::output::Format;
use crate::times;

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
    pub elsewhere: Option<Elsewhere>,
}

/// Function that returns the reason why a task, named by its global id, has not ended.
pub type Elsewhere = Arc<dyn Fn(&TaskId) -> String + Send + Sync>;

/// Maximum number of tasks that a call of `run_deferred` handles: ten times the size of the largest graph.
const SETTLED: usize = 100_000;

impl Session {
    /// Connects with the time limits of a command: `waits` is that of `Subcommand::waits`.
    pub fn open(settings: &Settings, format: Format, waits: Option<Option<Duration>>) -> anyhow::Result<Self> {
        let Some(timeout) = waits else { return Self::at_once(settings, format) };
        let (end, client) = outage::connect(settings, timeout)?;
        Self::new(settings, format, end, client)
    }

    /// Connects to a server, and fails soon if no server listens.
    pub fn at_once(settings: &Settings, format: Format) -> anyhow::Result<Self> {
        diagnosis::somebody_listens(settings.url(), LIMIT)?;
        Self::new(settings, format, None, settings.client_at_once(LIMIT)?)
    }

    fn new(settings: &Settings, format: Format, end: Option<Instant>, client: Client) -> anyhow::Result<Self> {
        if times::are_relative() {
            times::learn(client.call(&client.calls().handshake())?.now);
        }
        let namespace = settings.namespace().clone();
        Ok(Self { client, format, namespace, end, partition: None, merged_rows: None, elsewhere: None })
    }

    /// Continues the deferred work in graphs that a call has left behind. Errors are ignored, because workers do this
    /// work as well.
    pub fn run_deferred(&self) {
        self.client.run_deferred(SETTLED).ok();
    }
}
