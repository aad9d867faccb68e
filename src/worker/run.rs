//! The life of a worker.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use super::coming::{Coming, Ended};
use super::context::Context;
use super::desk::{Desk, Line, MOST, Turn, Waiting, tell};
use super::failure::Failure;
use super::upkeep::Upkeep;
use super::{Handler, Settings, Stop, WorkerBuilder};
use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::listener::{Listener, unblock};
use crate::model::{Exchanged, Order, Outcome};
use crate::names::{ListenerId, QueueName};
use crate::processor::Processor;

/// The largest payload, unless the client sets another.
const PAYLOAD: usize = 1 << 20;

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

impl Summary {
    pub(super) fn add(&mut self, outcome: &Result<Outcome>) {
        let count = match outcome {
            Ok(Outcome::Complete) => &mut self.complete,
            Ok(Outcome::Failed) => &mut self.failed,
            Ok(Outcome::Retrying) => &mut self.retrying,
            Ok(Outcome::Cancelled) => &mut self.cancelled,
            Ok(Outcome::Released) => &mut self.released,
            _ => &mut self.lost,
        };
        *count += 1;
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) running: Vec<Arc<Context>>,
    /// What runs, but for a thread that takes it up.
    ready: VecDeque<Arc<Context>>,
    /// Threads that wait for such a task.
    idle: usize,
    /// Whether a call that may take tasks is under way. There is one at a time: if its reply is lost, its tasks are found
    /// by the same call again as long as the listener has taken no others since.
    taking: bool,
    line: Line,
    pub(super) stop: Option<(Stop, Instant)>,
    pub(super) ended: bool,
    summary: Summary,
}

/// What the worker's threads share.
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// A task is ready, or the worker has ended.
    ready: Condvar,
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
    pub(super) settings: Arc<Settings<Blocking>>,
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

    pub(super) fn new(settings: Settings<Blocking>, handler: Arc<Handler>) -> Self {
        let (changed, ready, waiting) = (Condvar::new(), Condvar::new(), AtomicI64::new(0));
        let shared = Shared { state: Mutex::default(), changed, ready, waiting };
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
        let desk = Desk {
            client: settings.client.clone(),
            listener: listener.id().clone(),
            queues: settings.queues.clone(),
            order: settings.order.clone(),
            lease: settings.lease,
            pid: process::id(),
        };
        let desk = &desk;
        let taken = thread::scope(|scope| {
            scope.spawn(|| self.beats(&desk.listener));
            scope.spawn(|| self.upkeep(&desk.listener));
            scope.spawn(|| self.reports(&desk.listener));
            let taken = self.take(scope, desk, &mut listener);
            self.finish();
            self.shared.update(|state| state.ended = true);
            self.shared.ready.notify_all();
            taken
        });
        // What it could not give back expires with its lease; then others remove it.
        let _ = listener.unregister();
        taken.map(|()| self.shared.lock().summary.clone())
    }

    /// Takes tasks until somebody stops the worker.
    fn take<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        desk: &'scope Desk,
        listener: &mut Listener,
    ) -> Result<()> {
        let mut room = 0;
        loop {
            // A call that was not heard is repeated as it was.
            if !listener.is_unheard() {
                room = self.free_slots();
            }
            if room == 0 {
                return Ok(());
            }
            let answer = Blocking::answer(listener.take_started(u32::try_from(room).unwrap_or(1)));
            let mut state = self.shared.lock();
            state.taking = listener.is_unheard();
            match answer {
                Ok(taken) if taken.is_empty() => {
                    drop(state);
                    let stopped = || self.shared.lock().stop.is_some();
                    Blocking::answer(listener.wait_for_tasks(&self.shared.waiting, &stopped));
                }
                Ok(taken) => {
                    self.begin(&mut state, scope, desk, taken, 0);
                    self.shared.changed.notify_all(); // the heartbeats
                }
                Err(Error::State { code: Code::Draining, .. }) => {
                    state.stop = Some((Stop::Release, Instant::now()));
                    self.shared.changed.notify_all();
                }
                Err(error) if error.is_transient() => {
                    if state.stop.is_some() {
                        return Ok(());
                    }
                    drop(self.shared.wait(state, Duration::from_secs(1)));
                }
                Err(error) => {
                    state.stop = Some((Stop::Release, Instant::now()));
                    self.shared.changed.notify_all();
                    return Err(error);
                }
            }
        }
    }

    /// Waits for free slots that nobody else fills, for the caller to fill them; none when the worker is to stop.
    fn free_slots(&self) -> usize {
        let mut state = self.shared.lock();
        loop {
            if state.stop.is_some() {
                return 0;
            }
            let room = self.room(&state).min(MOST);
            if room > 0 && !state.taking {
                state.taking = true;
                return room;
            }
            state = self.shared.wait(state, Duration::from_secs(60));
        }
    }

    /// Slots that are free.
    fn room(&self, state: &State) -> usize {
        self.settings.slots.saturating_sub(state.running.len())
    }

    /// Hands tasks that were taken and started to threads that run them. `soon`: threads that look for a task next.
    fn begin<'scope>(
        &'scope self,
        state: &mut State,
        scope: &'scope Scope<'scope, '_>,
        desk: &'scope Desk,
        taken: Vec<(Processor, Instant)>,
        soon: usize,
    ) {
        for (processor, sent) in taken {
            let context = Arc::new(Context::new(processor, sent));
            state.running.push(Arc::clone(&context));
            state.ready.push_back(context);
        }
        let waiting = state.ready.len().saturating_sub(soon);
        for _ in 0..waiting.min(state.idle) {
            self.shared.ready.notify_one();
        }
        for _ in state.idle..waiting {
            state.idle += 1; // a new thread looks for a task at once
            scope.spawn(move || self.slot(scope, desk));
        }
    }

    /// Runs tasks, one after another, as long as the worker lives.
    fn slot<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, desk: &'scope Desk) {
        let mut state = self.shared.lock();
        loop {
            if let Some(context) = state.ready.pop_front() {
                state.idle -= 1;
                drop(state);
                self.execute(scope, desk, &context);
                state = self.shared.lock();
                state.idle += 1;
            } else if state.ended {
                return;
            } else {
                let (ready, limit) = (&self.shared.ready, Duration::from_secs(60));
                state = ready.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner).0;
            }
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
    fn execute<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, desk: &'scope Desk, context: &Arc<Context>) {
        let ended = catch_unwind(AssertUnwindSafe(|| (self.handler)(context)));
        let processor = context.processor();
        let outcome = if context.is_killed() {
            self.persist(|| processor.release())
        } else {
            self.settle(scope, desk, context, ended)
        };
        let outcome = match outcome {
            // Cancelled by force, and the order has not arrived yet: after this report that the work has stopped,
            // the server need not wait for the end of the lease. For any other lost task it returns the same again.
            Err(Error::Lost) if context.order() != Order::Lost => self.persist(|| processor.release()),
            outcome => outcome,
        };
        self.shared.update(|state| {
            state.running.retain(|other| !Arc::ptr_eq(other, context));
            state.summary.add(&outcome);
        });
    }

    /// Sends the outcome of the handler.
    fn settle<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        desk: &'scope Desk,
        context: &Arc<Context>,
        ended: Ended,
    ) -> Result<Outcome> {
        let coming = Coming::of(ended)?;
        let processor = context.processor();
        let most = desk.client.max_bytes().map_or(PAYLOAD, |most| most as usize);
        if let Some(end) = coming.end(processor, most) {
            match self.send(scope, desk, &Waiting::new(end, context)) {
                Some(Err(error)) if !matches!(error, Error::Lost) => {}
                Some(verdict) => return verdict,
                None => {}
            }
        }
        self.send_alone(processor, coming)
    }

    /// Sends an end with those that wait at the same moment, and takes the next tasks for the slots that become free. Its
    /// verdict; none where it has to be sent alone.
    fn send<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        desk: &'scope Desk,
        own: &Arc<Waiting>,
    ) -> Option<Result<Outcome>> {
        self.shared.lock().line.join(Arc::clone(own));
        loop {
            match own.turn() {
                Turn::Lead => self.lead(scope, desk),
                Turn::Done(verdict) => return Some(verdict),
                Turn::Alone => return None,
            }
        }
    }

    /// Sends all ends that wait.
    fn lead<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, desk: &'scope Desk) {
        let (batch, room) = {
            let mut state = self.shared.lock();
            let batch = state.line.batch();
            let closed = state.stop.is_some() || state.taking;
            let room = if closed { 0 } else { (self.room(&state) + batch.len()).min(MOST) };
            state.taking |= room > 0;
            (batch, room)
        };
        let call = desk.call(&batch, room);
        let sent = Instant::now();
        let answer = self.persist(|| desk.client.call(&call));
        let taken = answer.as_ref().map(|exchanged| desk.taken(exchanged, sent)).unwrap_or_default();
        let outcomes = answer.as_ref().map(Exchanged::outcomes).unwrap_or_default();
        {
            let mut state = self.shared.lock();
            state.taking &= room == 0;
            // They are not renewed any more, and their slots are free.
            let ended = |context: &Arc<Context>| {
                outcomes.iter().zip(&batch).any(|(outcome, waiting)| outcome.is_ok() && waiting.is_of(context))
            };
            state.running.retain(|context| !ended(context));
            if answer.as_ref().is_ok_and(|exchanged| exchanged.refusal.as_deref() == Some(Code::Draining.as_str())) {
                state.stop.get_or_insert((Stop::Release, sent));
            }
            self.begin(&mut state, scope, desk, taken, batch.len());
            state.line.pass_on();
        }
        self.shared.changed.notify_all();
        tell(&batch, outcomes);
    }

    /// Sends an end by a call of its own.
    fn send_alone(&self, processor: &Processor, coming: Coming) -> Result<Outcome> {
        match coming {
            Coming::Complete(result) => match self.persist(|| processor.complete_bytes(&result)) {
                Err(Error::Invalid { code, text }) => self.fail(processor, &Failure::new(format!("{code}: {text}"))),
                outcome => outcome,
            },
            Coming::Fail(failure) => self.fail(processor, &failure),
            Coming::Release(options) => self.persist(|| processor.release_with(&options)),
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
