//! The life of a worker.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use super::context::{Context, Stopped};
use super::failure::Failure;
use super::upkeep::Upkeep;
use super::{Handler, HandlerError, Stop, WorkerBuilder};
use crate::calls::ReleaseOptions;
use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::listener::{Listener, unblock};
use crate::model::{Order, Outcome};
use crate::names::{ListenerId, QueueName};
use crate::processor::Processor;

/// The outcome of a handler, or its panic.
type Ended = Result<Result<Vec<u8>, HandlerError>, Box<dyn Any + Send>>;

/// The outcome of a worker's run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Tasks completed.
    pub complete: u64,
    /// Tasks that failed.
    pub failed: u64,
    /// Attempts that failed, of tasks that are retried.
    pub retrying: u64,
    /// Tasks whose cancel was carried out.
    pub cancelled: u64,
    /// Tasks given back.
    pub released: u64,
    /// Attempts that were lost.
    pub lost: u64,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) running: Vec<Arc<Context>>,
    pub(super) stop: Option<(Stop, Instant)>,
    pub(super) ended: bool,
    summary: Summary,
}

/// What the worker's threads share.
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// The connection that waits for a task, to be woken when the worker is to stop.
    pub(super) waiting: AtomicI64,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something changes, at most for `limit`.
    pub(super) fn wait<'a>(&self, state: MutexGuard<'a, State>, limit: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Waits until the worker has ended, at most for `limit`.
    pub(super) fn ended_within(&self, limit: Duration) -> bool {
        let deadline = Deadline::after(limit);
        let mut state = self.lock();
        while !state.ended {
            let left = deadline.left();
            if left.is_zero() {
                return false;
            }
            state = self.wait(state, left);
        }
        true
    }
}

/// A worker: takes tasks and runs a handler for each on a separate thread. Clones are handles to the same worker,
/// to stop it from another thread.
#[derive(Clone)]
pub struct Worker {
    pub(super) settings: Arc<WorkerBuilder>,
    handler: Arc<Handler>,
    pub(super) shared: Arc<Shared>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Worker {
    /// A builder for workers.
    pub fn builder(client: &Client) -> WorkerBuilder {
        WorkerBuilder::new(client.clone())
    }

    pub(super) fn new(settings: WorkerBuilder, handler: Arc<Handler>) -> Self {
        let shared = Shared { state: Mutex::default(), changed: Condvar::new(), waiting: AtomicI64::new(0) };
        Self { settings: Arc::new(settings), handler, shared: Arc::new(shared) }
    }

    /// Ends the worker; [`Worker::run`] returns when its last task has ended. May be called again, to be stricter.
    pub fn stop(&self, how: Stop) {
        self.shared.update(|state| state.stop = Some((how, Instant::now())));
        unblock(&self.settings.client, &self.shared.waiting);
    }

    /// The number of running tasks.
    #[must_use]
    pub fn running(&self) -> usize {
        self.shared.lock().running.len()
    }

    /// Takes and runs tasks until it is told to stop. While the server is away it waits for it.
    ///
    /// # Errors
    /// Those that waiting does not resolve: of the configuration, of the server's state. Running tasks are ended
    /// first.
    pub fn run(&self) -> Result<Summary> {
        let queues: Vec<&str> = self.settings.queues.iter().map(QueueName::as_str).collect();
        let settings = &self.settings;
        let mut listener = settings.client.listener(&queues)?.order(settings.order.clone());
        if let Some(lease) = settings.lease {
            listener = listener.lease(lease);
        }
        if let Some(has) = &settings.has {
            listener = listener.has(has.as_str())?;
        }
        let id = listener.id().clone();
        let taken = thread::scope(|scope| {
            scope.spawn(|| self.beats(&id));
            scope.spawn(|| self.upkeep(&id));
            scope.spawn(|| self.reports(&id));
            let taken = self.take(scope, &mut listener);
            self.finish();
            self.shared.update(|state| state.ended = true);
            taken
        });
        // What it could not give back expires with its lease; then others remove it.
        let _ = listener.unregister();
        taken.map(|()| self.shared.lock().summary.clone())
    }

    /// Takes tasks until somebody stops the worker.
    fn take<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, listener: &mut Listener) -> Result<()> {
        while self.slot_free() {
            let stopped = || self.shared.lock().stop.is_some();
            match Blocking::answer(listener.listen_unless(&self.shared.waiting, &stopped)) {
                Ok(taken) => {
                    for (processor, sent) in taken {
                        let context = Arc::new(Context::new(processor, sent));
                        self.shared.update(|state| state.running.push(Arc::clone(&context)));
                        scope.spawn(move || self.execute(&context));
                    }
                }
                Err(Error::State { code: Code::Draining, .. }) => {
                    self.shared.update(|state| state.stop = Some((Stop::Release, Instant::now())));
                }
                Err(error) if error.is_transient() => {
                    let state = self.shared.lock();
                    drop(self.shared.wait(state, Duration::from_secs(1)));
                }
                Err(error) => {
                    self.shared.update(|state| state.stop = Some((Stop::Release, Instant::now())));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Waits for a free slot; false when the worker is to stop.
    fn slot_free(&self) -> bool {
        let mut state = self.shared.lock();
        loop {
            if state.stop.is_some() {
                return false;
            }
            if state.running.len() < self.settings.slots {
                return true;
            }
            state = self.shared.wait(state, Duration::from_secs(60));
        }
    }

    /// Waits for the running tasks, as the order to stop says.
    fn finish(&self) {
        let mut state = self.shared.lock();
        while !state.running.is_empty() {
            let release = match state.stop {
                Some((Stop::Release, _)) => true,
                Some((Stop::ReleaseAfter(limit), since)) => since.elapsed() >= limit,
                _ => false,
            };
            if release {
                state.running.iter().for_each(|context| context.obey(Order::Drain));
            }
            state = self.shared.wait(state, Duration::from_millis(200));
        }
    }

    /// Runs one task to the end of its attempt.
    fn execute(&self, context: &Arc<Context>) {
        let outcome = self.attempt(context);
        self.shared.update(|state| {
            state.running.retain(|other| !Arc::ptr_eq(other, context));
            let summary = &mut state.summary;
            match outcome {
                Ok(Outcome::Complete) => summary.complete += 1,
                Ok(Outcome::Failed) => summary.failed += 1,
                Ok(Outcome::Retrying) => summary.retrying += 1,
                Ok(Outcome::Cancelled) => summary.cancelled += 1,
                Ok(Outcome::Released) => summary.released += 1,
                _ => summary.lost += 1,
            }
        });
    }

    fn attempt(&self, context: &Context) -> Result<Outcome> {
        let processor = context.processor();
        match self.persist(|| processor.start(process::id())) {
            Ok(()) => {}
            Err(Error::Cancelled) => return self.persist(|| processor.release()),
            Err(error) => return Err(error),
        }
        let ended = catch_unwind(AssertUnwindSafe(|| (self.handler)(context)));
        if context.is_killed() {
            return self.persist(|| processor.release());
        }
        match self.settle(processor, ended) {
            // Cancelled by force, and the order has not arrived yet: after this report that the work has stopped,
            // the server need not wait for the end of the lease. For any other lost task it returns the same again.
            Err(Error::Lost) if context.order() != Order::Lost => self.persist(|| processor.release()),
            outcome => outcome,
        }
    }

    /// Sends the outcome of the handler.
    fn settle(&self, processor: &Processor, ended: Ended) -> Result<Outcome> {
        match ended {
            Ok(Ok(result)) => match self.persist(|| processor.complete_bytes(&result)) {
                Err(Error::Invalid { code, text }) => self.fail(processor, &Failure::new(format!("{code}: {text}"))),
                outcome => outcome,
            },
            Ok(Err(error)) => match (error.downcast_ref::<Stopped>(), error.downcast_ref::<Error>()) {
                (Some(Stopped(Order::Lost)), _) | (_, Some(Error::Lost)) => Err(Error::Lost),
                (Some(Stopped(Order::Cancel)), _) => self.persist(|| processor.release()),
                (Some(_), _) => {
                    self.persist(|| processor.release_with(&ReleaseOptions::new().reason("drain").uncounted(true)))
                }
                _ => match error.downcast_ref::<Failure>() {
                    Some(failure) => self.fail(processor, failure),
                    None => self.fail(processor, &Failure::new(error.to_string())),
                },
            },
            Err(panic) => {
                let text = format!("the handler panicked: {}", message(panic.as_ref()));
                self.fail(processor, &Failure::new(text))
            }
        }
    }

    fn fail(&self, processor: &Processor, failure: &Failure) -> Result<Outcome> {
        let text = failure.to_string();
        match self.persist(|| processor.fail_with(&text, &failure.options())) {
            // The handler's options are out of bounds, or its text is too large: the attempt must end anyway.
            Err(Error::Invalid { code, text }) => {
                let about = format!("the handler's failure was refused, {code}: {text}");
                self.persist(|| processor.fail(&about))
            }
            outcome => outcome,
        }
    }

    /// Makes an owner's call until the server acknowledges it: hours of work may depend on it.
    fn persist<T>(&self, call: impl Fn() -> Result<T>) -> Result<T> {
        let deadline = Deadline::after(self.settings.patience);
        loop {
            match call() {
                Err(error) if error.is_transient() && !deadline.has_passed() => {
                    thread::sleep(Duration::from_millis(500));
                }
                outcome => return outcome,
            }
        }
    }

    fn upkeep(&self, listener: &ListenerId) {
        let mut upkeep = Upkeep::new(self.settings.client.clone(), self.settings.queues.clone())
            .host_names(self.settings.host_names.clone());
        let mut pause = Duration::ZERO;
        while !self.shared.ended_within(pause) {
            if self.settings.adopt_dead {
                // A failure is repeated in the next round.
                let _ = upkeep.adopt_dead(listener, |_| false);
            }
            pause = upkeep.round().unwrap_or_else(|error| error.pause);
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
