//! Shared state of the parts of a worker, and their waits for one another.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Stop;
use super::context::Context;
use super::end_batcher::Line;
use super::handlers::Handlers;
use super::heartbeats::Due;
use super::settings::Settings;
use crate::constants::FAILURES_COUNTED;
use crate::deadline::Deadline;
use crate::error::Result;
use crate::link::{Link, Signal, Way, Wires};
use crate::listener::unblock;
use crate::model::Outcome;

/// Outcome of a worker's run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Number of tasks completed.
    pub complete: u64,
    /// Number of tasks that failed.
    pub failed: u64,
    /// Number of failed attempts whose tasks are retried.
    pub retrying: u64,
    /// Number of tasks whose cancel was carried out.
    pub cancelled: u64,
    /// Number of tasks given back.
    pub released: u64,
    /// Number of attempts that were lost.
    pub lost: u64,
}

/// The failed attempts of the last hour, which a worker reports.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct LastHour(VecDeque<Instant>);

impl LastHour {
    /// Maximum number that is counted.
    const MOST: usize = 10_000;

    pub fn add(&mut self) {
        if self.count() >= Self::MOST as u64 {
            self.0.pop_front();
        }
        self.0.push_back(Instant::now());
    }

    pub fn count(&mut self) -> u64 {
        while self.0.front().is_some_and(|at| at.elapsed() > FAILURES_COUNTED) {
            self.0.pop_front();
        }
        self.0.len() as u64
    }
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

pub(super) struct State<L: Link> {
    pub(super) running: Vec<Arc<Context<L>>>,
    /// Times when the leases of running tasks must be renewed.
    pub(super) due: Due,
    /// Running tasks that no slot has picked up.
    pub(super) ready: VecDeque<Arc<Context<L>>>,
    /// Number of slots that wait for a task from `ready`.
    pub(super) idle: usize,
    /// Number of slots that have begun.
    pub(super) slots: usize,
    /// Number of calls in progress that may take tasks. The call that fills the free slots is the only one, or the
    /// first: while slots are free, no other call takes tasks. While none is free, exchanges only fill the slots of
    /// their own ends.
    pub(super) taking: usize,
    pub(super) line: Line<L>,
    pub(super) stop: Option<(Stop, Instant)>,
    pub(super) runs: bool,
    pub(super) ended: bool,
    pub(super) summary: Summary,
    pub(super) failed: LastHour,
}

impl<L: Link> State<L> {
    /// State of a worker that begins, and may already have been stopped.
    pub(super) fn new(stop: Option<(Stop, Instant)>) -> Self {
        Self {
            running: Vec::new(),
            due: Due::default(),
            ready: VecDeque::new(),
            idle: 0,
            slots: 0,
            taking: 0,
            line: Line::default(),
            stop,
            runs: false,
            ended: false,
            summary: Summary::default(),
            failed: LastHour::default(),
        }
    }
}

/// Shared parts of a worker.
pub(super) struct Shared<L: Link> {
    pub(super) settings: Settings<L>,
    pub(super) handlers: Handlers<L>,
    state: Mutex<State<L>>,
    running: Mutex<L::Running>,
    /// Signals that a slot is free and no call fills it, or that the worker must stop.
    pub(super) room: L::Signal,
    /// Signals that a task is ready, or that the worker has ended.
    pub(super) ready: L::Signal,
    /// Signals that a lease must be renewed sooner than any other, or that the worker has ended.
    pub(super) sooner: L::Signal,
    over: L::Signal,
    /// Ends the wait for a task.
    pub(super) waiting: <<L as Way>::Wires as Wires>::Bell,
}

impl<L: Link> Shared<L> {
    pub(super) fn new(settings: Settings<L>, handlers: Handlers<L>) -> Self {
        let (state, running, waiting) = (Mutex::new(State::new(None)), Mutex::default(), <_>::default());
        let (room, ready, sooner, over) = <(L::Signal, L::Signal, L::Signal, L::Signal)>::default();
        Self { settings, handlers, state, running, room, ready, sooner, over, waiting }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State<L>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> MutexGuard<'_, L::Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a part of the worker in parallel to the other parts.
    pub(super) fn spawn(&self, part: impl Future<Output = ()> + Send + 'static) {
        L::begin(&mut self.running(), part);
    }

    /// Returns all running parts.
    pub(super) fn dismiss(&self) -> L::Running {
        std::mem::take(&mut *self.running())
    }

    /// Orders the worker to stop. With `stricter` the order replaces an earlier one.
    pub(super) fn stop(&self, how: Stop, stricter: bool) {
        {
            let mut state = self.lock();
            if stricter || state.stop.is_none() {
                state.stop = Some((how, Instant::now()));
            }
        }
        self.room.all();
        unblock(&self.settings.client, &self.waiting);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.lock().stop.is_some()
    }

    /// Number of free slots.
    pub(super) fn free(&self, state: &State<L>) -> usize {
        self.settings.slots.saturating_sub(state.running.len())
    }

    /// Ends all parts.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        for signal in [&self.ready, &self.sooner, &self.over] {
            signal.all();
        }
    }

    /// Waits until the worker has ended, for at most `limit`. Returns true if it has ended.
    pub(super) async fn ended_within(&self, limit: Duration) -> bool {
        let deadline = Deadline::after(limit);
        loop {
            let left = deadline.left();
            if self.lock().ended {
                return true;
            }
            if left.is_zero() {
                return false;
            }
            self.over.wait(left, || self.lock().ended).await;
        }
    }
}
