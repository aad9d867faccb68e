//! A worker in this process: closures on threads, heartbeats on a separate thread.

#[cfg(feature = "tokio")]
pub(crate) mod asynchronous;
mod beats;
mod coming;
mod context;
mod desk;
mod failure;
mod reports;
mod run;
mod upkeep;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::client::Client;
use crate::error::{Error, Result};
use crate::link::{Blocking, Link};
use crate::model::QueueOrder;
use crate::names::QueueName;

pub use context::{Context, Stopped};
pub use failure::Failure;
pub use run::{Summary, Worker};
pub use upkeep::{Upkeep, UpkeepError};

/// What a handler may fail with: any error, or a text.
pub type HandlerError = Box<dyn StdError + Send + Sync>;

/// No lease is longer: a heartbeat at a longer interval would renew nothing.
const LONGEST_LEASE: Duration = Duration::from_secs(7 * 86_400);

type Handler = dyn Fn(&Context) -> Result<Vec<u8>, HandlerError> + Send + Sync;

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

const NO_HANDLER: &str = "a worker needs a handler: call handle(…)";

/// Settings of workers over any link.
pub(crate) struct Settings<L: Link> {
    pub(crate) client: Client<L>,
    pub(crate) queues: Vec<QueueName>,
    pub(crate) slots: usize,
    pub(crate) lease: Option<Duration>,
    pub(crate) order: QueueOrder,
    pub(crate) has: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) beat: Option<Duration>,
    pub(crate) patience: Duration,
    pub(crate) adopt_dead: bool,
    pub(crate) host_names: Vec<String>,
}

impl<L: Link> Settings<L> {
    fn new(client: Client<L>) -> Self {
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
        }
    }

    /// `BADARG` for what cannot work.
    fn check(&self, has_handler: bool) -> Result<()> {
        let missing = |what: &str| Err(Error::argument(what));
        if self.queues.is_empty() {
            return missing("a worker needs a queue: call queue(…)");
        }
        if self.lease.is_some_and(|lease| lease < Duration::from_secs(1)) {
            return missing("the lease must be at least 1 s");
        }
        if !has_handler {
            return missing(NO_HANDLER);
        }
        Ok(())
    }
}

impl<L: Link> fmt::Debug for Settings<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerBuilder")
            .field("queues", &self.queues)
            .field("slots", &self.slots)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

/// Settings of a [`Worker`].
#[must_use]
pub struct WorkerBuilder {
    settings: Settings<Blocking>,
    handler: Option<Arc<Handler>>,
}

impl fmt::Debug for WorkerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

impl WorkerBuilder {
    pub(crate) fn new(client: Client) -> Self {
        Self { settings: Settings::new(client), handler: None }
    }

    /// A queue to take tasks from. Queues named first are asked first, unless [`WorkerBuilder::order`] is set.
    ///
    /// # Errors
    /// `BADNAME` for an invalid name.
    pub fn queue(mut self, name: &str) -> Result<Self> {
        self.settings.queues.push(QueueName::new(name)?);
        Ok(self)
    }

    /// Number of tasks that run at once: 1 by default, at most 500.
    pub fn slots(mut self, slots: usize) -> Self {
        self.settings.slots = slots.clamp(1, 500);
        self
    }

    /// How long a task stays with this worker without a heartbeat: 1 s to 7 days; by default the setting of its
    /// queue, 60 s. A task may have its own lease.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.settings.lease = Some(lease);
        self
    }

    /// The order in which its queues are asked: as named, by default.
    pub fn order(mut self, order: QueueOrder) -> Self {
        self.settings.order = order;
        self
    }

    /// What it offers to tasks with needs: `gpu,transcoder=3`.
    pub fn has(mut self, has: impl Into<String>) -> Self {
        self.settings.has = Some(has.into());
        self
    }

    /// Its name for people, where workers are listed.
    ///
    /// # Errors
    /// `BADNAME` for characters or a length that a queue's name may not have.
    pub fn name(mut self, name: &str) -> Result<Self> {
        self.settings.name = Some(QueueName::new(name)?.to_string());
        Ok(self)
    }

    /// How often heartbeats are sent: a third of the lease by default, every 7 days at least. A cancel reaches the
    /// handler within this time.
    pub fn heartbeat(mut self, every: Duration) -> Self {
        self.settings.beat = Some(every.min(LONGEST_LEASE));
        self
    }

    /// How long the end of a task is sent repeatedly while the server is away: 1 h by default.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.settings.patience = patience;
        self
    }

    /// Whether tasks of dead processes on this host are taken over at once instead of at the end of their lease:
    /// not by default. Only if all processes that share this host's name see each other's process ids, so not
    /// across containers.
    pub fn adopt_dead(mut self, on: bool) -> Self {
        self.settings.adopt_dead = on;
        self
    }

    /// Another name of this host, for [`WorkerBuilder::adopt_dead`]: one that clients of Blueque 1.0 have in the
    /// ids of their listeners. The machine's name and the resolver's full name are known, unless that one begins
    /// with `localhost`.
    pub fn host_name(mut self, name: impl Into<String>) -> Self {
        self.settings.host_names.push(name.into());
        self
    }

    /// The handler of a task: parameters and result are JSON.
    ///
    /// Long work calls [`Context::check`] between its steps and passes its error on. Any other error fails the
    /// attempt, and so does a panic: the task is retried if it has retries left (see
    /// [`crate::Submit::max_failures`]). A [`Failure`] sets when, or prevents it.
    pub fn handle<P, R, F>(self, handler: F) -> Self
    where
        P: DeserializeOwned,
        R: Serialize,
        F: Fn(P, &Context) -> Result<R, HandlerError> + Send + Sync + 'static,
    {
        self.handle_bytes(move |cx| {
            let parameters = cx.processor().parameters()?;
            Ok(serde_json::to_vec(&handler(parameters, cx)?)?)
        })
    }

    /// The handler of a task: parameters (in [`Context::reservation`]) and result are bytes.
    pub fn handle_bytes<F>(mut self, handler: F) -> Self
    where
        F: Fn(&Context) -> Result<Vec<u8>, HandlerError> + Send + Sync + 'static,
    {
        self.handler = Some(Arc::new(handler));
        self
    }

    /// The worker, ready to run.
    ///
    /// # Errors
    /// `BADARG` without a queue or a handler, or with a lease under 1 s.
    pub fn build(self) -> Result<Worker> {
        self.settings.check(self.handler.is_some())?;
        let handler = self.handler.ok_or_else(|| Error::argument(NO_HANDLER))?;
        Ok(Worker::new(self.settings, handler))
    }
}
