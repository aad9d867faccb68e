//! Sends the ends of attempts in exchanges: calls that also take the next tasks for the slots that become free. An end
//! is sent at once while fewer than [`EXCHANGES`] exchanges are in progress, and otherwise with all ends that wait.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::context::Context;
use crate::calls::{Call, End, FinishAndReserveOptions};
use crate::client::Client;
use crate::constants::{CALL_BYTES, ENDS_OF_CALL, HEARTBEATS_PER_LEASE};
use crate::error::Result;
use crate::link::{Link, Signal};
use crate::listener::{request, sure};
use crate::model::{FinishedAndReserved, Outcome, QueueOrder};
use crate::names::ListenerId;
use crate::processor::Processor;
use crate::queue_choice::Queues;

/// Maximum number of ends of one call, and of tasks that the call takes.
pub(super) const MOST: usize = ENDS_OF_CALL as usize;

/// Maximum number of exchanges in progress. With one exchange the server is idle while the worker begins the tasks of
/// the last reply; with many, each has few ends, and costs the server more for each end.
const EXCHANGES: usize = 2;

/// Interval at which a waiting end checks if it was sent. A wake-up also starts a check.
const LOOK: Duration = Duration::from_secs(1);

/// The next step for a waiting end.
pub(super) enum Turn {
    /// Send this end and all waiting ends.
    Lead,
    /// The end was sent and has this verdict.
    Done(Result<Outcome>),
    /// The call was refused as a whole, perhaps because of another end: send this end alone.
    Alone,
}

/// An end that waits to be sent.
pub(super) struct Waiting<L: Link> {
    end: End,
    context: Arc<Context<L>>,
    turn: Mutex<Option<Turn>>,
    come: L::Signal,
}

impl<L: Link> Waiting<L> {
    pub(super) fn new(end: End, context: &Arc<Context<L>>) -> Arc<Self> {
        Arc::new(Self { end, context: Arc::clone(context), turn: Mutex::new(None), come: <_>::default() })
    }

    pub(super) fn is_of(&self, context: &Arc<Context<L>>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Turn>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn of the end.
    pub(super) async fn turn(&self) -> Turn {
        loop {
            let turn = self.lock().take();
            if let Some(turn) = turn {
                return turn;
            }
            self.come.wait(LOOK, || self.lock().is_some()).await;
        }
    }

    fn comes(&self, turn: Turn) {
        *self.lock() = Some(turn);
        self.come.all();
    }
}

/// The waiting ends in their order, and the number of ends that lead an exchange.
pub(super) struct Line<L: Link> {
    waiting: VecDeque<Arc<Waiting<L>>>,
    leaders: usize,
}

impl<L: Link> Default for Line<L> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), leaders: 0 }
    }
}

impl<L: Link> Line<L> {
    /// The end leads an exchange, or joins the line if enough exchanges are in progress.
    pub(super) fn join(&mut self, own: Arc<Waiting<L>>) {
        if self.leaders < EXCHANGES {
            self.leaders += 1;
            own.comes(Turn::Lead);
        } else {
            self.waiting.push_back(own);
        }
    }

    /// Removes the ends that are sent with the leader's own end from the line. Returns them all.
    pub(super) fn batch(&mut self, own: &Arc<Waiting<L>>) -> Vec<Arc<Waiting<L>>> {
        let (mut batch, mut bytes) = (vec![Arc::clone(own)], own.end.size());
        while let Some(next) = self.waiting.front() {
            bytes += next.end.size();
            if batch.len() == MOST || bytes > CALL_BYTES as usize {
                break;
            }
            batch.extend(self.waiting.pop_front());
        }
        batch
    }

    /// Ends the turn of a leader: the next end leads.
    pub(super) fn pass_on(&mut self) {
        match self.waiting.pop_front() {
            Some(next) => next.comes(Turn::Lead),
            None => self.leaders -= 1,
        }
    }
}

/// Builds the calls that send ends and take tasks, with the settings of the worker.
pub(super) struct EndBatcher<L: Link> {
    pub(super) client: Client<L>,
    pub(super) listener: ListenerId,
    pub(super) queues: Queues<L>,
    pub(super) order: QueueOrder,
    pub(super) lease: Option<Duration>,
    pub(super) pid: u32,
}

impl<L: Link> EndBatcher<L> {
    /// Builds the call that sends these ends and takes up to `room` tasks.
    pub(super) async fn call(&self, batch: &[Arc<Waiting<L>>], room: usize) -> Call<FinishedAndReserved> {
        let ends: Vec<End> = batch.iter().map(|waiting| waiting.end.clone()).collect();
        if let Some(choice) = self.queues.chosen().filter(|_| room > 0) {
            let _ = choice.look(false).await; // without a reply the previous queues are used
        }
        let (queues, order) = if room > 0 { self.queues.now(&self.order) } else { (Vec::new(), QueueOrder::Strict) };
        let options = FinishAndReserveOptions::new().pid(self.pid).request(request()).order(&order);
        let options = self.lease.into_iter().fold(options, FinishAndReserveOptions::lease);
        let options = self.client.max_bytes().into_iter().fold(options, FinishAndReserveOptions::max_bytes);
        let room = u32::try_from(room.clamp(1, MOST)).unwrap_or(1);
        self.client.calls().finish_and_reserve(&self.listener, &ends, &queues, room, &options)
    }

    /// Returns the tasks in the reply. `sent` is the time when the call was first sent.
    pub(super) async fn taken(&self, exchanged: &FinishedAndReserved, sent: Instant) -> Vec<(Processor<L>, Instant)> {
        let mut all = Vec::with_capacity(exchanged.tasks.len());
        for task in &exchanged.tasks {
            let taken = Processor::new(self.client.clone(), self.listener.clone(), task.clone());
            let late = sent.elapsed() > taken.lease() / HEARTBEATS_PER_LEASE;
            // If the lease of a task cannot be renewed, the task is dropped, and other workers get it when the lease
            // expires.
            all.extend(sure(taken, sent, late).await.ok().flatten());
        }
        all
    }
}

/// Passes on the verdicts. An end without a verdict must be sent alone.
pub(super) fn tell<L: Link>(batch: &[Arc<Waiting<L>>], verdicts: Vec<Result<Outcome>>) {
    let mut verdicts = verdicts.into_iter();
    for waiting in batch {
        waiting.comes(verdicts.next().map_or(Turn::Alone, Turn::Done));
    }
}
