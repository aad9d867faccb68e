//! Builder of workers.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::HandlerError;
use super::context::Context;
use super::failure::Retry;
use super::handlers::{Handlers, closure, json};
use super::hooks::Hooks;
use super::run::Worker;
use super::settings::Settings;
use crate::client::Client;
use crate::error::Result;
use crate::link::{Blocking, Link};
use crate::model::QueueOrder;
use crate::names::{Pattern, QueueName};

/// Longest lease. Also the longest interval of heartbeats, because a longer interval cannot renew any lease.
const LONGEST_LEASE: Duration = Duration::from_secs(7 * 86_400);

/// Settings and handlers of a [`Worker`].
///
/// A handler serves all tasks, or the tasks with a method ([`Submit::method`](crate::Submit::method)). The handler of a
/// task's method runs the task; without such a handler, the handler for all tasks. If there is neither, the task fails
/// without a retry, and its error names the unknown method. A worker takes tasks of any method from its queues. If some
/// workers of a queue lack some of the queue's methods, give these methods queues of their own.
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
    /// Adds a queue to take tasks from, or a pattern ([`Pattern`]) such as `video-*`. A pattern selects all queues that
    /// match, including queues that are created later, except queues that match a pattern with a `!` before it. Queues
    /// named first are asked first, unless [`WorkerBuilder::order`] is set.
    ///
    /// # Errors
    /// `BADNAME` for an invalid name.
    pub fn queue(mut self, name: &str) -> Result<Self> {
        self.settings.queues.push(Pattern::new(name)?);
        Ok(self)
    }

    /// Sets the number of tasks that run at once: 1 by default, at most 500.
    pub fn slots(mut self, slots: usize) -> Self {
        self.settings.slots = slots.clamp(1, 500);
        self
    }

    /// Sets how long a task stays with this worker without a heartbeat: 1 s to 7 days; by default the setting of the
    /// queue, 60 s. A task may have its own lease.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.settings.lease = Some(lease);
        self
    }

    /// Sets the order in which the queues are asked: by default the order in which they are named.
    pub fn order(mut self, order: QueueOrder) -> Self {
        self.settings.order = order;
        self
    }

    /// Sets the capabilities that the worker offers to tasks with needs, such as `gpu,transcoder=3`.
    pub fn has(mut self, has: impl Into<String>) -> Self {
        self.settings.has = Some(has.into());
        self
    }

    /// Sets the name of the worker for people, which lists of workers show.
    ///
    /// # Errors
    /// `BADNAME` for characters or a length that a queue's name cannot have.
    pub fn name(mut self, name: &str) -> Result<Self> {
        self.settings.name = Some(QueueName::new(name)?.to_string());
        Ok(self)
    }

    /// Sets the interval of heartbeats: by default a third of the lease, at most 7 days. A cancel reaches the handler
    /// within this time.
    pub fn heartbeat(mut self, every: Duration) -> Self {
        self.settings.beat = Some(every.min(LONGEST_LEASE));
        self
    }

    /// Sets how long a worker keeps sending the end of a task while the server is away: 1 h by default.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.settings.patience = patience;
        self
    }

    /// Sets whether the worker takes over tasks of dead processes on this host at once, instead of at the end of their
    /// lease. This is off by default. Turn it on only if all processes that share this host's name see each other's
    /// process ids, which is not the case across containers.
    pub fn adopt_dead(mut self, on: bool) -> Self {
        self.settings.adopt_dead = on;
        self
    }

    /// Adds another name of this host for [`WorkerBuilder::adopt_dead`]: a name in the listener ids of Blueque 1.0
    /// clients. The machine's name and the resolver's full name are known, unless the full name begins with
    /// `localhost`.
    pub fn host_name(mut self, name: impl Into<String>) -> Self {
        self.settings.host_names.push(name.into());
        self
    }

    /// Adds hooks, which are called around attempts and at the events of the worker.
    pub fn hooks(mut self, hooks: impl Hooks<L>) -> Self {
        let all = self.settings.hooks.iter().cloned().chain([Arc::new(hooks) as Arc<dyn Hooks<L>>]);
        self.settings.hooks = Arc::new(all.collect());
        self
    }

    /// Sets the decision about errors of handlers, by the error and the number of the attempt, from 1 on. A
    /// [`Failure`](crate::Failure) decides itself, and a panic is retried.
    ///
    /// ```
    /// use std::io;
    ///
    /// use blueque::{Retry, WorkerBuilder};
    ///
    /// fn only_io(builder: WorkerBuilder) -> WorkerBuilder {
    ///     builder.retry(|error, _| if error.is::<io::Error>() { Retry::Usual } else { Retry::Never })
    /// }
    /// ```
    pub fn retry<F>(mut self, decide: F) -> Self
    where
        F: Fn(&(dyn StdError + 'static), u32) -> Retry + Send + Sync + 'static,
    {
        self.settings.retry = Some(Box::new(decide));
        self
    }

    /// Builds the worker, ready to run.
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
    /// Sets the handler of tasks whose method has no handler of its own. Parameters and result are JSON.
    ///
    /// Long work calls [`Context::check`] between its steps and passes the error on. Any other error, and also a panic,
    /// fails the attempt: the task is retried if it has retries left (see [`crate::Submit::max_failures`]). A
    /// [`Failure`](crate::Failure) sets the time of the retry, or prevents the retry.
    pub fn handle<P, R, F>(self, handler: F) -> Self
    where
        P: DeserializeOwned,
        R: Serialize,
        F: Fn(P, &Context) -> Result<R, HandlerError> + Send + Sync + 'static,
    {
        self.handle_bytes(move |cx| json(&handler, cx))
    }

    /// Sets the handler of tasks with this method, with types of its own. A later handler for the same method replaces
    /// an earlier one. A worker with such handlers makes an additional call for each task (`get`), to read its method.
    pub fn handle_method<P, R, F>(mut self, method: &str, handler: F) -> Self
    where
        P: DeserializeOwned,
        R: Serialize,
        F: Fn(P, &Context) -> Result<R, HandlerError> + Send + Sync + 'static,
    {
        self.handlers.set(method, closure(move |cx| json(&handler, cx)));
        self
    }

    /// Sets a handler like [`WorkerBuilder::handle`], whose parameters (in [`Context::reservation`]) and result are
    /// bytes.
    pub fn handle_bytes<F>(mut self, handler: F) -> Self
    where
        F: Fn(&Context) -> Result<Vec<u8>, HandlerError> + Send + Sync + 'static,
    {
        self.handlers.all = Some(closure(handler));
        self
    }
}
