//! A worker whose handlers are asynchronous functions: tasks of the runtime instead of threads.

use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::select;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time;

use super::beats::{Due, renew};
use super::coming::Coming;
use super::context::Context as Attempt;
use super::failure::Failure;
use super::reports::{AGAIN, EVERY, report};
use super::run::Summary;
use super::upkeep::Upkeep;
use super::{HandlerError, Settings, Stop};
use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::{Code, Error, Result};
use crate::link::tokio::Tokio;
use crate::listener::Listener;
use crate::model::{Order, Outcome, QueueOrder};
use crate::names::{ListenerId, QueueName};
use crate::processor::Processor;

/// A running attempt, as its handler sees it. Clones of the `Arc` may go to other tasks.
pub type Context = Attempt<Tokio>;

type Running = Pin<Box<dyn Future<Output = Result<Vec<u8>, HandlerError>> + Send>>;
type Handler = dyn Fn(Arc<Context>) -> Running + Send + Sync;

/// The most tasks that one call takes.
const MOST: usize = 100;

/// Settings of a [`Worker`].
#[must_use]
pub struct WorkerBuilder {
    settings: Settings<Tokio>,
    handler: Option<Arc<Handler>>,
    methods: Vec<(String, Arc<Handler>)>,
}

impl fmt::Debug for WorkerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

impl WorkerBuilder {
    /// A queue to take tasks from. Queues named first are asked first, unless the order is set.
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

    /// How often heartbeats are sent: a third of the lease by default. A cancel reaches the handler within this time.
    pub fn heartbeat(mut self, every: Duration) -> Self {
        self.settings.beat = Some(every.min(super::LONGEST_LEASE));
        self
    }

    /// How long the end of a task is sent repeatedly while the server is away: 1 h by default.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.settings.patience = patience;
        self
    }

    /// The handler of tasks whose method has none of its own: parameters and result are JSON.
    ///
    /// Long work calls [`Context::check`] between its steps, or waits for [`Context::stopped`] beside them, and passes
    /// the error on. Any other error fails the attempt, and so does a panic. Work that blocks belongs into
    /// `tokio::task::spawn_blocking`.
    pub fn handle<P, R, F, N>(mut self, handler: F) -> Self
    where
        P: DeserializeOwned + Send,
        R: Serialize,
        F: Fn(P, Arc<Context>) -> N + Send + Sync + 'static,
        N: Future<Output = Result<R, HandlerError>> + Send + 'static,
    {
        self.handler = Some(typed(handler));
        self
    }

    /// The handler of tasks with a method ([`Submit::method`](crate::Submit::method)), with types of its own. The
    /// worker asks for the method of each task that it takes, if there are such handlers.
    pub fn handle_method<P, R, F, N>(mut self, method: &str, handler: F) -> Self
    where
        P: DeserializeOwned + Send,
        R: Serialize,
        F: Fn(P, Arc<Context>) -> N + Send + Sync + 'static,
        N: Future<Output = Result<R, HandlerError>> + Send + 'static,
    {
        self.methods.push((method.to_owned(), typed(handler)));
        self
    }

    /// The worker, ready to run.
    ///
    /// # Errors
    /// `BADARG` without a queue or a handler, or with a lease under 1 s.
    pub fn build(self) -> Result<Worker> {
        self.settings.check(self.handler.is_some() || !self.methods.is_empty())?;
        let (settings, handler, methods) = (self.settings, self.handler, self.methods);
        let (state, changed, waiting) = (Mutex::default(), Notify::new(), Notify::new());
        Ok(Worker(Arc::new(Shared { settings, handler, methods, state, changed, waiting })))
    }
}

/// A handler whose parameters and result are JSON.
fn typed<P, R, F, N>(handler: F) -> Arc<Handler>
where
    P: DeserializeOwned + Send,
    R: Serialize,
    F: Fn(P, Arc<Context>) -> N + Send + Sync + 'static,
    N: Future<Output = Result<R, HandlerError>> + Send + 'static,
{
    Arc::new(move |cx| {
        let running = cx.processor().parameters().map(|parameters| handler(parameters, Arc::clone(&cx)));
        Box::pin(async move { Ok(serde_json::to_vec(&running?.await?)?) })
    })
}

#[derive(Default)]
struct State {
    running: Vec<Arc<Context>>,
    stop: Option<(Stop, Instant)>,
    summary: Summary,
}

struct Shared {
    settings: Settings<Tokio>,
    handler: Option<Arc<Handler>>,
    methods: Vec<(String, Arc<Handler>)>,
    state: Mutex<State>,
    changed: Notify,
    /// Ends the wait for a task.
    waiting: Notify,
}

/// A worker: takes tasks and runs an asynchronous handler for each. Clones are handles to the same worker, to stop it
/// from elsewhere.
///
/// Dropping the future of [`Worker::run`] drops the running handlers: their tasks are given to others when their leases
/// have expired. [`Worker::stop`] ends them in order.
#[derive(Clone)]
pub struct Worker(Arc<Shared>);

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

/// A task of the runtime that ends when it is dropped.
struct Helper(JoinHandle<()>);

impl Drop for Helper {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Worker {
    /// A builder for workers.
    pub fn builder(client: &Client<Tokio>) -> WorkerBuilder {
        WorkerBuilder { settings: Settings::new(client.clone()), handler: None, methods: Vec::new() }
    }

    /// Ends the worker; [`Worker::run`] returns when its last task has ended. May be called again, to be stricter.
    pub fn stop(&self, how: Stop) {
        self.0.stop(how, true);
    }

    /// The number of running tasks.
    #[must_use]
    pub fn running(&self) -> usize {
        self.0.lock().running.len()
    }

    /// Takes and runs tasks until it is told to stop. While the server is away it waits for it.
    ///
    /// # Errors
    /// Those that waiting does not resolve: of the configuration, of the server's state. Running tasks are ended
    /// first.
    pub async fn run(&self) -> Result<Summary> {
        let shared = &self.0;
        let settings = &shared.settings;
        let queues: Vec<&str> = settings.queues.iter().map(QueueName::as_str).collect();
        let mut listener = settings.client.listener(&queues).await?.order(settings.order.clone());
        if let Some(lease) = settings.lease {
            listener = listener.lease(lease);
        }
        if let Some(has) = &settings.has {
            listener = listener.has(has.as_str()).await?;
        }
        let id = listener.id().clone();
        let helpers = [
            Helper(tokio::spawn(Arc::clone(shared).beats(id.clone()))),
            Helper(tokio::spawn(Arc::clone(shared).reports(id))),
            Helper(tokio::spawn(Arc::clone(shared).upkeep())),
        ];
        let mut tasks = JoinSet::new();
        let taken = shared.take(&mut listener, &mut tasks).await;
        shared.finish(&mut tasks).await;
        drop(helpers);
        // What it could not give back expires with its lease; then others remove it.
        let _ = listener.unregister().await;
        taken.map(|()| shared.lock().summary.clone())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self, how: Stop, stricter: bool) {
        {
            let mut state = self.lock();
            if stricter || state.stop.is_none() {
                state.stop = Some((how, Instant::now()));
            }
        }
        self.changed.notify_waiters();
        self.waiting.notify_waiters();
    }

    /// Waits until something changes, at most for `limit`. `unless`: it has changed already.
    async fn changes(&self, limit: Duration, unless: impl Fn(&State) -> bool) {
        let mut changed = pin!(self.changed.notified());
        changed.as_mut().enable();
        if !unless(&self.lock()) {
            let _ = time::timeout(limit, changed).await;
        }
    }

    fn is_stopped(&self) -> bool {
        self.lock().stop.is_some()
    }

    /// Takes tasks until somebody stops the worker.
    async fn take(self: &Arc<Self>, listener: &mut Listener<Tokio>, tasks: &mut JoinSet<()>) -> Result<()> {
        while !self.is_stopped() {
            while tasks.try_join_next().is_some() {}
            let room = self.settings.slots.saturating_sub(tasks.len()).min(MOST);
            if room == 0 {
                let changes = pin!(self.changes(Duration::from_secs(60), |state| state.stop.is_some()));
                let ends = pin!(tasks.join_next());
                select(ends, changes).await;
                continue;
            }
            match listener.take_started(u32::try_from(room).unwrap_or(1)).await {
                Ok(taken) if taken.is_empty() => {
                    listener.wait_for_tasks(&self.waiting, &|| self.is_stopped()).await;
                }
                Ok(taken) => {
                    for (processor, sent) in taken {
                        let context = Arc::new(Context::new(processor, sent));
                        self.lock().running.push(Arc::clone(&context));
                        tasks.spawn(Arc::clone(self).execute(context));
                    }
                    self.changed.notify_waiters(); // the heartbeats
                }
                Err(Error::State { code: Code::Draining, .. }) => self.stop(Stop::Release, true),
                Err(error) if error.is_transient() => {
                    self.changes(Duration::from_secs(1), |state| state.stop.is_some()).await;
                }
                Err(error) => {
                    self.stop(Stop::Release, true);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Waits for the running tasks, as the order to stop says.
    async fn finish(&self, tasks: &mut JoinSet<()>) {
        while !tasks.is_empty() {
            {
                let state = self.lock();
                let release = match state.stop {
                    Some((Stop::Release, _)) => true,
                    Some((Stop::ReleaseAfter(limit), since)) => since.elapsed() >= limit,
                    _ => false,
                };
                if release {
                    state.running.iter().for_each(|context| context.obey(Order::Drain));
                }
            }
            let _ = time::timeout(Duration::from_millis(200), tasks.join_next()).await;
        }
    }

    /// Runs one task to the end of its attempt.
    async fn execute(self: Arc<Self>, context: Arc<Context>) {
        let ended = self.handled(&context).await;
        let processor = context.processor();
        let outcome = if context.is_killed() {
            self.persist(|| processor.release()).await
        } else {
            match ended {
                Ok(coming) => self.send(processor, coming).await,
                Err(error) => Err(error),
            }
        };
        let outcome = match outcome {
            // Cancelled by force, and the order has not arrived yet: after this report that the work has stopped,
            // the server need not wait for the end of the lease.
            Err(Error::Lost) if context.order() != Order::Lost => self.persist(|| processor.release()).await,
            outcome => outcome,
        };
        let mut state = self.lock();
        state.running.retain(|other| !Arc::ptr_eq(other, &context));
        state.summary.add(&outcome);
    }

    /// What the handler came to. It is a task of its own, so that its panic ends nothing else, and dropped with this one.
    async fn handled(&self, context: &Arc<Context>) -> Result<Coming> {
        let Some(handler) = self.handler_of(context.processor()).await? else {
            return Ok(Coming::Fail(Failure::new("the worker has no handler for the method").permanent()));
        };
        let mut alone = JoinSet::new();
        let cx = Arc::clone(context);
        alone.spawn(async move { handler(cx).await });
        match alone.join_next().await {
            Some(Ok(ended)) => Coming::of(Ok(ended)),
            Some(Err(panic)) if panic.is_panic() => Coming::of(Err(panic.into_panic())),
            _ => Err(Error::Lost),
        }
    }

    /// The handler of a task: that of its method, else the one for all.
    async fn handler_of(&self, processor: &Processor<Tokio>) -> Result<Option<Arc<Handler>>> {
        if self.methods.is_empty() {
            return Ok(self.handler.clone());
        }
        let client = &self.settings.client;
        let info = self.persist(|| client.make(client.calls().get(processor.id()))).await?.ok_or(Error::Lost)?;
        let method = info.method();
        let own = self.methods.iter().find(|(name, _)| Some(name.as_str()) == method.as_deref());
        Ok(own.map(|(_, handler)| Arc::clone(handler)).or_else(|| self.handler.clone()))
    }

    async fn send(&self, processor: &Processor<Tokio>, coming: Coming) -> Result<Outcome> {
        match coming {
            Coming::Complete(result) => match self.persist(|| processor.complete_bytes(&result)).await {
                Err(Error::Invalid { code, text }) => {
                    self.fail(processor, &Failure::new(format!("{code}: {text}"))).await
                }
                outcome => outcome,
            },
            Coming::Fail(failure) => self.fail(processor, &failure).await,
            Coming::Release(options) => self.persist(|| processor.release_with(&options)).await,
        }
    }

    async fn fail(&self, processor: &Processor<Tokio>, failure: &Failure) -> Result<Outcome> {
        let text = failure.to_string();
        match self.persist(|| processor.fail_with(&text, &failure.options())).await {
            // The handler's options are out of bounds, or its text is too large: the attempt must end anyway.
            Err(Error::Invalid { code, text }) => {
                let about = format!("the handler's failure was refused, {code}: {text}");
                self.persist(|| processor.fail(&about)).await
            }
            outcome => outcome,
        }
    }

    /// Makes an owner's call until the server acknowledges it: hours of work may depend on it.
    async fn persist<T, N: Future<Output = Result<T>>>(&self, call: impl Fn() -> N) -> Result<T> {
        let deadline = Deadline::after(self.settings.patience);
        loop {
            match call().await {
                Err(error) if error.is_transient() && !deadline.has_passed() => {
                    time::sleep(Duration::from_millis(500)).await;
                }
                outcome => return outcome,
            }
        }
    }

    /// Renews the leases of running tasks as long as the worker lives, and passes on orders.
    async fn beats(self: Arc<Self>, listener: ListenerId) {
        let mut due = Due::default();
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let groups = due.groups(&self.lock().running, self.settings.beat);
            match groups {
                Ok(groups) => {
                    if renew(&self.settings.client, &listener, groups).await {
                        self.stop(Stop::Release, false);
                    }
                }
                Err(next) => {
                    let _ = time::timeout_at(next.into(), changed).await;
                }
            }
        }
    }

    /// Reports as long as the worker lives, and obeys the order to drain.
    async fn reports(self: Arc<Self>, listener: ListenerId) {
        loop {
            let (running, draining) = {
                let state = self.lock();
                (state.running.len(), state.stop.is_some())
            };
            let pause = match report(&self.settings, &listener, running, draining).await {
                Ok(true) => {
                    self.stop(Stop::Release, false);
                    EVERY
                }
                Ok(false) => EVERY,
                Err(_) => AGAIN,
            };
            time::sleep(pause).await;
        }
    }

    async fn upkeep(self: Arc<Self>) {
        let mut upkeep = Upkeep::new(self.settings.client.clone(), self.settings.queues.clone());
        loop {
            let pause = upkeep.round().await.unwrap_or_else(|error| error.pause);
            time::sleep(pause).await;
        }
    }
}
