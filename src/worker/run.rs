//! Life cycle of a worker.

use std::fmt;
use std::process;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Stop;
use super::end_batcher::{EndBatcher, MOST};
use super::handlers::Handlers;
use super::heartbeats::renew;
use super::hooks;
use super::maintenance::Maintenance;
use super::reports::report;
use super::settings::Settings;
use super::shared::{Shared, State, Summary};
use crate::constants::{REPORT_AGAIN, REPORT_EVERY};
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link, Signal};
use crate::listener::Listener;
use crate::model::Order;
use crate::names::ListenerId;
use crate::queue_choice::Queues;

/// Longest wait for free slots. A slot that becomes free ends the wait.
const LOOK: Duration = Duration::from_secs(60);

/// A worker: takes tasks and runs a handler for each. Over [`Blocking`] the handlers run on threads of the worker, over
/// [`Tokio`](crate::tokio::Tokio) in tasks of the runtime. Clones are handles to the same worker, so that another
/// thread or task can stop it.
///
/// The end of a task is sent in a call that also takes and starts the next task for its slot (`finish_and_reserve`).
/// While two of these calls are in progress, further ends wait, and are sent together in the next call. A task that
/// ends alone does not wait for other tasks. So a busy worker needs at most one call for each task.
///
/// Dropping the future of [`Worker::run`] drops the running handlers. Other workers get their tasks when the leases
/// have expired. Use [`Worker::stop`] to end the handlers in order.
#[derive(Clone)]
pub struct Worker<L: Link = Blocking>(Arc<Shared<L>>);

impl<L: Link> fmt::Debug for Worker<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

/// Ends the remaining parts of a run when its future is dropped.
struct Run<'a, L: Link>(&'a Shared<L>);

impl<'a, L: Link> Run<'a, L> {
    fn begin(shared: &'a Shared<L>) -> Result<Self> {
        let mut state = shared.lock();
        if state.runs {
            return Err(Error::argument("this worker runs already: build another one"));
        }
        *state = State::new(state.stop);
        state.runs = true;
        Ok(Self(shared))
    }
}

impl<L: Link> Drop for Run<'_, L> {
    fn drop(&mut self) {
        self.0.end();
        drop(self.0.dismiss());
        self.0.lock().runs = false;
    }
}

impl<L: Link> Worker<L> {
    pub(super) fn new(settings: Settings<L>, handlers: Handlers<L>) -> Self {
        Self(Arc::new(Shared::new(settings, handlers)))
    }

    /// Stops the worker. [`Worker::run`] returns when the last task has ended. A second call can be stricter than the
    /// first.
    pub fn stop(&self, how: Stop) {
        self.0.stop(how, true);
    }

    /// Number of running tasks.
    #[must_use]
    pub fn running(&self) -> usize {
        self.0.lock().running.len()
    }

    /// Takes and runs tasks until the worker is stopped. While the server is away, the worker waits for it.
    ///
    /// # Errors
    /// Errors that waiting does not resolve, in the configuration or the state of the server. Running tasks are ended
    /// first. `BADARG` while the worker already runs.
    pub fn run(&self) -> L::Answer<'_, Result<Summary>> {
        L::answer(self.0.run())
    }
}

impl<L: Link> Shared<L> {
    async fn run(self: &Arc<Self>) -> Result<Summary> {
        let run = Run::begin(self)?;
        let settings = &self.settings;
        let mut listener =
            Listener::register(settings.client.clone(), ListenerId::of_this_process(), settings.queues.clone())
                .await?
                .order(settings.order.clone());
        if let Some(lease) = settings.lease {
            listener = listener.lease(lease);
        }
        if let Some(has) = &settings.has {
            listener = listener.offering(has.clone()).await?;
        }
        let end_batcher = Arc::new(EndBatcher {
            client: settings.client.clone(),
            listener: listener.id().clone(),
            queues: listener.serves().clone(),
            order: settings.order.clone(),
            lease: settings.lease,
            pid: process::id(),
        });
        self.spawn(Arc::clone(self).heartbeats(listener.id().clone()));
        self.spawn(Arc::clone(self).maintenance(listener.id().clone()));
        self.spawn(Arc::clone(self).reports(listener.id().clone(), listener.serves().clone()));
        hooks::call(&settings.hooks, hooks::Hooks::on_worker_start);
        let taken = self.take(&end_batcher, &mut listener).await;
        self.finish().await;
        hooks::call(&settings.hooks, hooks::Hooks::on_worker_stop);
        self.end();
        L::end(self.dismiss()).await;
        drop(run);
        // Tasks that could not be given back expire with their leases; then other workers remove the listener.
        let _ = listener.leave().await;
        taken.map(|()| self.lock().summary.clone())
    }

    /// Takes tasks until the worker is stopped.
    async fn take(self: &Arc<Self>, end_batcher: &Arc<EndBatcher<L>>, listener: &mut Listener<L>) -> Result<()> {
        let mut room = 0;
        loop {
            // A call without a reply is repeated unchanged.
            if !listener.is_unheard() {
                room = if let Some(room) = self.slots_now() {
                    room
                } else {
                    listener.pass_on().await; // a free slot checks for tasks without a wake-up
                    self.free_slots().await
                };
            }
            if room == 0 {
                return Ok(());
            }
            let answer = listener.take_started(u32::try_from(room).unwrap_or(1)).await;
            let taken = {
                let mut state = self.lock();
                state.taking = usize::from(listener.is_unheard());
                answer.map(|taken| {
                    let any = !taken.is_empty();
                    self.begin(&mut state, end_batcher, taken, 0);
                    any
                })
            };
            match taken {
                Ok(true) => {}
                Ok(false) => listener.wait_for_tasks(&self.waiting, &|| self.is_stopped()).await,
                Err(Error::State { code: Code::Draining, .. }) => self.stop(Stop::Release, true),
                Err(error) if error.is_transient() => {
                    self.room.wait(Duration::from_secs(1), || self.is_stopped()).await;
                    if self.is_stopped() {
                        return Ok(());
                    }
                }
                Err(error) => {
                    self.stop(Stop::Release, true);
                    return Err(error);
                }
            }
        }
    }

    /// Returns the number of free slots that no other call fills. The caller must fill them.
    fn slots_now(&self) -> Option<usize> {
        let mut state = self.lock();
        let room = self.free(&state).min(MOST);
        if room == 0 || state.taking > 0 || state.stop.is_some() {
            return None;
        }
        state.taking = 1;
        Some(room)
    }

    /// Waits for free slots. Returns 0 when the worker is stopped.
    async fn free_slots(&self) -> usize {
        while !self.is_stopped() {
            if let Some(room) = self.slots_now() {
                return room;
            }
            let over = || {
                let state = self.lock();
                state.stop.is_some() || self.free(&state) > 0 && state.taking == 0
            };
            self.room.wait(LOOK, over).await;
        }
        0
    }

    /// Waits for the running tasks, according to the order to stop.
    async fn finish(&self) {
        loop {
            {
                let state = self.lock();
                if state.running.is_empty() {
                    return;
                }
                let release = match state.stop {
                    Some((Stop::Release, _)) => true,
                    Some((Stop::ReleaseAfter(limit), since)) => since.elapsed() >= limit,
                    _ => false,
                };
                if release {
                    state.running.iter().for_each(|context| context.obey(Order::Drain));
                }
            }
            self.room.wait(Duration::from_millis(200), || self.lock().running.is_empty()).await;
        }
    }

    /// Renews the leases of running tasks during the worker's life, and passes on orders.
    async fn heartbeats(self: Arc<Self>, listener: ListenerId) {
        loop {
            let groups = {
                let mut state = self.lock();
                if state.ended {
                    return;
                }
                let State { due, running, .. } = &mut *state;
                due.groups(running, self.settings.beat)
            };
            match groups {
                Ok(groups) => {
                    if renew(&self.settings.client, &listener, groups).await {
                        self.stop(Stop::Release, false);
                    }
                }
                Err(next) => {
                    let over = || {
                        let state = self.lock();
                        state.ended || state.due.is_before(next)
                    };
                    self.sooner.wait(next.saturating_duration_since(Instant::now()), over).await;
                }
            }
        }
    }

    /// Sends reports during the worker's life, and obeys the order to drain.
    async fn reports(self: Arc<Self>, listener: ListenerId, queues: Queues<L>) {
        loop {
            let sent = Instant::now();
            let (numbers, draining) = {
                let mut state = self.lock();
                ((state.running.len(), state.failed.count()), state.stop.is_some())
            };
            let pause = match report(&self.settings, &self.handlers, (&listener, &queues), numbers, draining).await {
                Ok(drains) => {
                    if drains {
                        self.stop(Stop::Release, false);
                    }
                    REPORT_EVERY.saturating_sub(sent.elapsed())
                }
                Err(_) => REPORT_AGAIN,
            };
            if self.ended_within(pause).await {
                return;
            }
        }
    }

    async fn maintenance(self: Arc<Self>, listener: ListenerId) {
        let settings = &self.settings;
        let maintenance = Maintenance::of(settings.client.clone(), &listener, settings.queues.clone());
        let mut maintenance = maintenance.host_names(settings.host_names.clone());
        let mut pause = Duration::ZERO;
        while !self.ended_within(pause).await {
            if settings.adopt_dead {
                // If this fails, the next round repeats it.
                let _ = maintenance.adopt_all(&listener, |_| false).await;
            }
            pause = maintenance.one_round().await.unwrap_or_else(|error| error.pause);
        }
    }
}
