//! The life of a worker.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use super::context::{Context, Stopped};
use super::upkeep::Upkeep;
use super::{Handler, Stop, WorkerBuilder};
use crate::client::Client;
use crate::error::{Error, Result};
use crate::listener::{Listener, unblock};
use crate::model::{Order, Outcome};
use crate::names::{ListenerId, QueueName, TaskId, Token};

/// Tasks that one heartbeat can carry.
const BATCH: usize = 500;

/// How a run of a worker went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Tasks completed.
    pub complete: u64,
    /// Attempts that failed.
    pub failed: u64,
    /// Tasks whose cancel was carried out.
    pub cancelled: u64,
    /// Tasks given back.
    pub released: u64,
    /// Attempts that were lost.
    pub lost: u64,
}

#[derive(Default)]
struct State {
    running: Vec<Arc<Context>>,
    stop: Option<(Stop, Instant)>,
    ended: bool,
    summary: Summary,
}

/// What the worker's threads share.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// The connection that waits for a task, to be woken when the worker is to stop.
    waiting: AtomicI64,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something changes, at most for `limit`.
    fn wait<'a>(&self, state: MutexGuard<'a, State>, limit: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner).0
    }

    fn update(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Waits until the worker has ended, at most for `limit`.
    fn ended_within(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let mut state = self.lock();
        while !state.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.wait(state, left);
        }
        true
    }
}

/// A worker: takes tasks and runs a handler for each on a thread of its own.
/// Clones are handles to the same worker, to stop it from another thread.
#[derive(Clone)]
pub struct Worker {
    settings: Arc<WorkerBuilder>,
    handler: Arc<Handler>,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Worker {
    /// Settings to build a worker with.
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

    /// How many tasks run now.
    #[must_use]
    pub fn running(&self) -> usize {
        self.shared.lock().running.len()
    }

    /// Takes and runs tasks until it is told to stop. While the server is away it waits for it.
    ///
    /// # Errors
    /// Those that waiting cannot mend: of the configuration, of the server's state. What runs is ended first.
    pub fn run(&self) -> Result<Summary> {
        let queues: Vec<&str> = self.settings.queues.iter().map(QueueName::as_str).collect();
        let mut listener = self.settings.client.listener(&queues)?.lease(self.settings.lease);
        let id = listener.id().clone();
        let taken = thread::scope(|scope| {
            scope.spawn(|| self.beats(&id));
            scope.spawn(|| self.upkeep(&id));
            let taken = self.take(scope, &mut listener);
            self.finish();
            self.shared.update(|state| state.ended = true);
            taken
        });
        // What it could not give back expires with its lease; then others take it off.
        let _ = listener.unregister();
        taken.map(|()| self.shared.lock().summary.clone())
    }

    /// Takes tasks until somebody stops the worker.
    fn take<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, listener: &mut Listener) -> Result<()> {
        while self.slot_free() {
            match listener.listen_unless(&self.shared.waiting, || self.shared.lock().stop.is_some()) {
                Ok(Some((processor, sent))) => {
                    let context = Arc::new(Context::new(processor, sent));
                    self.shared.update(|state| state.running.push(Arc::clone(&context)));
                    scope.spawn(move || self.execute(&context));
                }
                Ok(None) => {}
                Err(Error::State { code, .. }) if code == "DRAINING" => {
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
        match catch_unwind(AssertUnwindSafe(|| (self.handler)(context))) {
            Ok(Ok(result)) => match self.persist(|| processor.complete_bytes(&result)) {
                Err(Error::Invalid { code, text }) => self.persist(|| processor.fail(&format!("{code}: {text}"))),
                outcome => outcome,
            },
            Ok(Err(error)) => match (error.downcast_ref::<Stopped>(), error.downcast_ref::<Error>()) {
                (Some(Stopped(Order::Lost)), _) | (_, Some(Error::Lost)) => Err(Error::Lost),
                (Some(_), _) => self.persist(|| processor.release()),
                _ => self.persist(|| processor.fail(&error.to_string())),
            },
            Err(panic) => {
                let text = format!("the handler panicked: {}", message(panic.as_ref()));
                self.persist(|| processor.fail(&text))
            }
        }
    }

    /// Makes an owner's call until the server acknowledges it: hours of work may hang on it.
    fn persist<T>(&self, call: impl Fn() -> Result<T>) -> Result<T> {
        let deadline = Instant::now() + self.settings.patience;
        loop {
            match call() {
                Err(error) if error.is_transient() && Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(500));
                }
                outcome => return outcome,
            }
        }
    }

    /// Renews the leases of what runs, and passes on the orders that come back.
    fn beats(&self, listener: &ListenerId) {
        let every = self.settings.beat.unwrap_or(self.settings.lease / 3);
        while !self.shared.ended_within(every) {
            let running = self.shared.lock().running.clone();
            for queue in &self.settings.queues {
                let here: Vec<_> = running.iter().filter(|cx| cx.reservation().queue == *queue).collect();
                for batch in here.chunks(BATCH) {
                    self.beat(queue, listener, batch);
                }
            }
        }
    }

    fn beat(&self, queue: &QueueName, listener: &ListenerId, batch: &[&Arc<Context>]) {
        let tasks: Vec<(TaskId, Token)> =
            batch.iter().map(|cx| (cx.reservation().id.clone(), cx.reservation().token)).collect();
        let client = &self.settings.client;
        let sent = Instant::now();
        // A failure needs no word: a context that is not renewed loses its task by itself.
        let Ok(beat) = client.call(&client.calls().heartbeat(queue, listener, self.settings.lease, &tasks)) else {
            return;
        };
        for (context, order) in batch.iter().zip(beat.orders) {
            if order != Order::Lost {
                context.renew(sent);
            }
            context.obey(order);
            if order == Order::Drain {
                self.shared.update(|state| {
                    state.stop.get_or_insert((Stop::Release, sent));
                });
            }
        }
    }

    fn upkeep(&self, listener: &ListenerId) {
        let mut upkeep = Upkeep::new(self.settings.client.clone(), self.settings.queues.clone());
        let mut pause = Duration::ZERO;
        while !self.shared.ended_within(pause) {
            if self.settings.adopt_dead {
                // What fails now is tried again in the next round.
                let _ = upkeep.adopt_dead(listener, |_| false);
            }
            pause = upkeep.round().unwrap_or(Duration::from_secs(2));
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
