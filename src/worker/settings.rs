//! Settings of workers.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use super::failure::Retry;
use super::hooks::AllHooks;
use crate::client::Client;
use crate::error::{Error, Result};
use crate::link::Link;
use crate::model::QueueOrder;
use crate::names::Pattern;

/// Decides about the retry of an error, by the error and the number of the attempt.
pub(super) type Judge = dyn Fn(&(dyn StdError + 'static), u32) -> Retry + Send + Sync;

/// Settings of workers over any link.
pub(super) struct Settings<L: Link> {
    pub(super) client: Client<L>,
    pub(super) queues: Vec<Pattern>,
    pub(super) slots: usize,
    pub(super) lease: Option<Duration>,
    pub(super) order: QueueOrder,
    pub(super) has: Option<String>,
    pub(super) name: Option<String>,
    pub(super) beat: Option<Duration>,
    pub(super) patience: Duration,
    pub(super) adopt_dead: bool,
    pub(super) host_names: Vec<String>,
    pub(super) hooks: AllHooks<L>,
    pub(super) retry: Option<Box<Judge>>,
}

impl<L: Link> Settings<L> {
    pub(super) fn new(client: Client<L>) -> Self {
        Self {
            client,
            queues: Vec::new(),
            slots: 1,
            lease: None,
            order: QueueOrder::Strict,
            has: None,
            name: None,
            beat: None,
            patience: Duration::from_secs(3600),
            adopt_dead: false,
            host_names: Vec::new(),
            hooks: AllHooks::<L>::default(),
            retry: None,
        }
    }

    /// Returns `BADARG` for settings that cannot work.
    pub(super) fn check(&self) -> Result<()> {
        if self.queues.is_empty() {
            return Err(Error::argument("a worker needs a queue: call queue(…)"));
        }
        if self.lease.is_some_and(|lease| lease < Duration::from_secs(1)) {
            return Err(Error::argument("the lease must be at least 1 s"));
        }
        Ok(())
    }
}

impl<L: Link> fmt::Debug for Settings<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("queues", &self.queues)
            .field("slots", &self.slots)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}
