//! A task, seen from outside.

use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;

use crate::calls::{CancelOptions, EditOptions, EstimateOptions, NoteOptions, RecallOptions, RetryOptions};
use crate::client::Client;
use crate::constants::LONGEST_PAUSE;
use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::link::{Blocking, Link};
use crate::model::{Cancelled, Estimate, Recalled, Status, TaskInfo, Transition};
use crate::names::TaskId;
use crate::options::Inputs;

/// A task by its id.
#[derive(Clone, Debug)]
pub struct Task<L: Link = Blocking> {
    client: Client<L>,
    id: TaskId,
}

impl<L: Link> Client<L> {
    /// A task by its id. Makes no call.
    ///
    /// # Errors
    /// `BADNAME` for an invalid id.
    pub fn task(&self, id: &str) -> Result<Task<L>> {
        Ok(Task::new(self.clone(), TaskId::new(id)?))
    }
}

impl<L: Link> Task<L> {
    pub(crate) fn new(client: Client<L>, id: TaskId) -> Self {
        Self { client, id }
    }

    pub(crate) fn client(&self) -> &Client<L> {
        &self.client
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &TaskId {
        &self.id
    }

    /// Its record.
    ///
    /// # Errors
    /// `NOTASK`; those of [`Client::call`].
    pub fn info(&self) -> L::Answer<'_, Result<TaskInfo>> {
        L::answer(self.record())
    }

    pub(crate) async fn record(&self) -> Result<TaskInfo> {
        self.client.run(&self.client.calls().get(&self.id)).await?.ok_or(Error::NotFound)
    }

    /// Waits until the task is finished, and returns its record. With [`Duration::MAX`] it waits without limit.
    ///
    /// # Errors
    /// [`Error::TimedOut`] after `limit`; `NOTASK`; those of [`Client::call`].
    pub fn wait(&self, limit: Duration) -> L::Answer<'_, Result<TaskInfo>> {
        L::answer(self.finished(limit))
    }

    async fn finished(&self, limit: Duration) -> Result<TaskInfo> {
        let deadline = Deadline::after(limit);
        let mut pause = Duration::from_millis(5);
        loop {
            let info = self.record().await?;
            if info.status().is_some_and(Status::is_finished) {
                return Ok(info);
            }
            let left = deadline.left();
            if left.is_zero() {
                return Err(Error::TimedOut(limit));
            }
            L::pause(pause.min(left)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Waits for the result and parses it as JSON.
    ///
    /// # Errors
    /// [`Error::Failed`] with the task's error, [`Error::TaskCancelled`] if it was cancelled, `PAYLOAD` if the
    /// result has another type; those of [`Task::wait`].
    pub fn result<R: DeserializeOwned>(&self, limit: Duration) -> L::Answer<'_, Result<R>> {
        L::answer(async move {
            let info = self.finished(limit).await?;
            match info.status() {
                Some(Status::Complete) => Ok(serde_json::from_slice(info.result_bytes().unwrap_or(b"null"))?),
                Some(Status::Cancelled) => Err(Error::TaskCancelled(info.reason().unwrap_or_default())),
                _ => Err(Error::Failed(info.error().unwrap_or_default())),
            }
        })
    }

    /// Cancels the task. The owner of a running one is ordered to stop it, with its grace period.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for one that is complete or failed; those of [`Client::call`].
    pub fn cancel(&self, reason: &str) -> L::Answer<'_, Result<Cancelled>> {
        self.cancel_as(reason, &CancelOptions::new())
    }

    /// Cancels the task. The owner of a running one is ordered to kill it at once; the task is cancelled
    /// afterwards, at the latest when its lease has expired.
    ///
    /// # Errors
    /// As [`Task::cancel`].
    pub fn cancel_by_force(&self, reason: &str) -> L::Answer<'_, Result<Cancelled>> {
        self.cancel_as(reason, &CancelOptions::new().force(true))
    }

    /// Cancels the task at once, even if its program still runs: its owner finds out within a third of its lease.
    /// An attempt that begins before that, after a [`Task::retry`], runs at the same time as the old one.
    ///
    /// # Errors
    /// As [`Task::cancel`].
    pub fn cancel_now(&self, reason: &str) -> L::Answer<'_, Result<Cancelled>> {
        self.cancel_as(reason, &CancelOptions::new().at_once(true))
    }

    fn cancel_as(&self, reason: &str, options: &CancelOptions) -> L::Answer<'_, Result<Cancelled>> {
        self.client.make(self.client.calls().cancel(&self.id, reason, options))
    }

    /// Asks the owner of the task to stop it and to give it back: it may save a checkpoint, and the task goes to
    /// the front of its queue.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for one that nobody holds, or that a client without scripts holds; those of
    /// [`Client::call`].
    pub fn recall(&self) -> L::Answer<'_, Result<Recalled>> {
        self.client.make(self.client.calls().recall(&self.id, &RecallOptions::new()))
    }

    /// Takes the task from its owner at once, to the front of its queue, even if its program still runs: its owner
    /// finds out within a third of its lease. The next attempt may run at the same time.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for one that nobody holds; those of [`Client::call`].
    pub fn recall_now(&self) -> L::Answer<'_, Result<Recalled>> {
        self.client.make(self.client.calls().recall(&self.id, &RecallOptions::new().at_once(true)))
    }

    /// Retries a failed or cancelled task, from its last checkpoint. Returns its new state: pending, or waiting if a
    /// task that it waits for runs again.
    ///
    /// # Errors
    /// `NOTASK`; `STOPPING` for one that is being cancelled and may still run; `UPSTREAM` while a task that it waits for
    /// has failed; `STATE` in any other state; those of [`Client::call`].
    pub fn retry(&self) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().retry(&self.id, &RetryOptions::new()))
    }

    /// Retries a failed or cancelled task, from its beginning.
    ///
    /// # Errors
    /// As [`Task::retry`].
    pub fn retry_fresh(&self) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().retry(&self.id, &RetryOptions::new().fresh(true)))
    }

    /// Changes the task before it ends: its parameters, eta, queue and options; while an attempt has it, what does not
    /// concern that one, such as the parameters of the next. Its place in its queue stays, unless the queue, the eta or
    /// the priority changes. The edit is in its history, with who and why. Returns its state.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for one that has ended, or if an attempt has it and this is changed only while it waits; `LOST`
    /// if it is not the attempt of the token; `DUPLICATE` if another task has the new unique name; `CLOSED` if the new
    /// queue is closed; `OVERDUE` for a deadline that has passed; `TOOMANY` for needs beyond 64 different ones in the
    /// queue; `TOOBIG`; `BADARG`, also if its parameters are made of results; those of [`Client::call`].
    pub fn edit(&self, options: &EditOptions) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().edit(&self.id, options))
    }

    /// Has the task wait for others, too, while no attempt has it: pending or scheduled, it waits from then on. Returns
    /// its new state, which is the old one if those have ended already.
    ///
    /// # Errors
    /// `NOTASK` for this task or one of the others; `STATE` if an attempt has it, or if it has ended; `UPSTREAM` if one
    /// of the others has ended otherwise than the task needs; `CYCLE` if one of them waits for this task, and `TOOBIG` if
    /// that cannot be told because over 2,000 tasks are above them; `BADARG` for results if it does not wait for results;
    /// `TOOMANY` over 10,000 upstreams; those of [`Client::call`].
    pub fn depend(&self, inputs: &Inputs) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().depend(&self.id, inputs))
    }

    /// Has the waiting task no longer wait for another one. Returns its new state: with the last one it is ready. A
    /// result that it was to get from that one is `null`.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` if it does not wait for others; those of [`Client::call`].
    pub fn undepend(&self, upstream: &TaskId) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().undepend(&self.id, upstream))
    }

    /// Retries a failed or cancelled task with a new deadline, which it needs once the old one has passed (`OVERDUE`).
    ///
    /// # Errors
    /// As [`Task::retry`].
    pub fn retry_by(&self, deadline: SystemTime) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().retry(&self.id, &RetryOptions::new().deadline(deadline)))
    }

    /// Changes the priority of the waiting task, -1,000 to 1,000, higher first; it goes behind those that have it
    /// already.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for one that does not wait; `BADARG` out of bounds; those of [`Client::call`].
    pub fn prioritise(&self, priority: i32) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().prioritise(&self.id, priority))
    }

    /// Its last transitions, as far as they are kept, the earliest first.
    ///
    /// # Errors
    /// `NOTASK`; those of [`Client::call`].
    pub fn history(&self) -> L::Answer<'_, Result<Vec<Transition>>> {
        L::answer(async {
            let mut all = Vec::new();
            loop {
                let after = all.last().map_or(0, |last: &Transition| last.number);
                let page = self.client.run(&self.client.calls().history(&self.id, after, 500)).await?;
                if page.items.is_empty() {
                    return Ok(all);
                }
                all.extend(page.items);
            }
        })
    }

    /// Adds a note of at most 1 KiB to its history, in any state.
    ///
    /// # Errors
    /// `NOTASK`; `TOOBIG`; those of [`Client::call`].
    pub fn note(&self, text: &str, options: &NoteOptions) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().note(&self.id, text, options))
    }

    /// Tracks the task: [`Client::changes`] has each of its changes from now on, until [`Task::untrack`], or until it is
    /// deleted.
    ///
    /// # Errors
    /// `NOTASK`; `TOOMANY` if 1,000 tasks are tracked; those of [`Client::call`].
    pub fn track(&self) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().track(&self.id))
    }

    /// Tracks the task no longer. Its earlier changes are kept.
    ///
    /// # Errors
    /// `NOTASK`; those of [`Client::call`].
    pub fn untrack(&self) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().untrack(&self.id))
    }

    /// When it is expected to start and to end. `progress`: from 0 to 1, if known.
    ///
    /// # Errors
    /// `NOTASK`; those of [`Client::call`].
    pub fn estimate(&self, progress: Option<f64>) -> L::Answer<'_, Result<Estimate>> {
        let progress = progress.filter(|part| part.is_finite()).map(|part| part.clamp(0.0, 1.0));
        let options = progress.into_iter().fold(EstimateOptions::new(), EstimateOptions::progress);
        self.client.make(self.client.calls().estimate(&self.id, &options))
    }

    /// Deletes the finished task.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for one that is not finished; those of [`Client::call`].
    pub fn delete(&self) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().delete(&self.id))
    }
}
