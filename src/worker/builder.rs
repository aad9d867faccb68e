//! How a worker is put together.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::HandlerError;
use super::context::Context;
use super::handlers::{Handlers, closure, json};
use super::run::Worker;
use super::settings::Settings;
use crate::client::Client;
use crate::error::Result;
use crate::link::{Blocking, Link};
use crate::model::QueueOrder;
use crate::names::{Pattern, QueueName};

/// No lease is longer: a heartbeat at a longer interval would renew nothing.
const LONGEST_LEASE: Duration = Duration::from_secs(7 * 86_400);

/// Settings of a [`Worker`], and its handlers.
///
/// A handler serves all tasks, or those with a method ([`Submit::method`](crate::Submit::method)). A task goes to the
/// handler of its method, else to the one for all. If there is neither, it fails for good, whatever retries it has: its
/// error says which method was unknown. A worker takes tasks of any method from its queues; if not all of a queue's
/// workers know all of its methods, give the methods queues of their own.
#[must_use]
pub struct WorkerBuilder<L: Link = Blocking> {
    settings: Settings<L>,
    pub(super) handlers: Handlers<L>,
}

impl<L: Link> fmt::Debug for WorkerBuilder<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerBuilder").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl<L: Link> Worker<L> {
    /// A builder for workers.
    pub fn builder(client: &Client<L>) -> WorkerBuilder<L> {
        WorkerBuilder { settings: Settings::new(client.clone()), handlers: Handlers::new() }
    }
}

impl<L: Link> WorkerBuilder<L> {
    /// A queue to take tasks from, or a pattern ([`Pattern`]) such as `video-*`: all queues that match, also those that
    /// come later, but for those that match one with a `!` before it. Queues named first are asked first, unless
    /// [`WorkerBuilder::order`] is set.
    ///
    /// # Errors
    /// `BADNAME` for an invalid name.
    pub fn queue(mut self, name: &str) -> Result<Self> {
        self.settings.queues.push(Pattern::new(name)?);
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

    /// The worker, ready to run.
    ///
    /// # Errors
    /// `BADARG` without a queue or a handler, or with a lease under 1 s; `BADNAME` for a method that no task can have.
    pub fn build(self) -> Result<Worker<L>> {
        self.settings.check()?;
        self.handlers.check()?;
        Ok(Worker::new(self.settings, self.handlers))
    }
}

impl WorkerBuilder {
    /// The handler of tasks whose method has none of its own: parameters and result are JSON.
    ///
    /// Long work calls [`Context::check`] between its steps and passes its error on. Any other error fails the
    /// attempt, and so does a panic: the task is retried if it has retries left (see
    /// [`crate::Submit::max_failures`]). A [`Failure`](crate::Failure) sets when, or prevents it.
    pub fn handle<P, R, F>(self, handler: F) -> Self
    where
        P: DeserializeOwned,
        R: Serialize,
        F: Fn(P, &Context) -> Result<R, HandlerError> + Send + Sync + 'static,
    {
        self.handle_bytes(move |cx| json(&handler, cx))
    }

    /// The handler of tasks with this method, with types of its own; the last one that is given for it. A worker with
    /// such handlers makes one call more for each task (`get`), to read its method.
    pub fn handle_method<P, R, F>(mut self, method: &str, handler: F) -> Self
    where
        P: DeserializeOwned,
        R: Serialize,
        F: Fn(P, &Context) -> Result<R, HandlerError> + Send + Sync + 'static,
    {
        self.handlers.set(method, closure(move |cx| json(&handler, cx)));
        self
    }

    /// As [`WorkerBuilder::handle`]; parameters (in [`Context::reservation`]) and result are bytes.
    pub fn handle_bytes<F>(mut self, handler: F) -> Self
    where
        F: Fn(&Context) -> Result<Vec<u8>, HandlerError> + Send + Sync + 'static,
    {
        self.handlers.all = Some(closure(handler));
        self
    }
}
