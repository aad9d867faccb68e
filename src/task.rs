//! A task, as seen by programs other than its owner.

use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;

use crate::calls::{CancelOptions, EditOptions, EstimateOptions, NoteOptions, RequeueOptions, RetryOptions};
use crate::client::Client;
use crate::constants::LONGEST_PAUSE;
use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::link::{Blocking, Link};
use crate::model::{Cancelled, Estimate, Notice, Requeued, Status, TaskInfo, Transition};
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

    /// Id of the task.
    #[must_use]
    pub fn id(&self) -> &TaskId {
        &self.id
    }

    /// Returns the record of the task.
    ///
    /// # Errors
    /// `NOTASK`; the errors of [`Client::call`].
    pub fn info(&self) -> L::Answer<'_, Result<TaskInfo>> {
        L::answer(self.record())
    }

    pub(crate) async fn record(&self) -> Result<TaskInfo> {
        self.client.run(&self.client.calls().get(&self.id)).await?.ok_or(Error::NotFound)
    }

    /// Waits until the task is finished, and returns its record. With [`Duration::MAX`] the method waits without limit.
    ///
    /// # Errors
    /// [`Error::TimedOut`] after `limit`, with the sentence of [`Why::sentence`](crate::Why::sentence); `NOTASK`; the
    /// errors of [`Client::call`].
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
                let why = self.client.run(&self.client.calls().why(&self.id)).await;
                return Err(Error::TimedOut(
                    limit,
                    why.map(|why| format!(": {}", why.sentence(&info))).unwrap_or_default(),
                ));
            }
            L::pause(pause.min(left)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Waits for the result and parses it as JSON.
    ///
    /// # Errors
    /// [`Error::Failed`] with the task's error, [`Error::TaskCancelled`] if the task was cancelled, `PAYLOAD` if the
    /// result has another type; the errors of [`Task::wait`].
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

    /// Cancels the task. The owner of a running task is ordered to stop it, with its grace period.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for a task that is complete or failed; the errors of [`Client::call`].
    pub fn cancel(&self, reason: &str) -> L::Answer<'_, Result<Cancelled>> {
        self.cancel_as(reason, &CancelOptions::new())
    }

    /// Cancels the task. The owner of a running task is ordered to kill it at once. The task is cancelled when the
    /// owner has done so, or at the latest when the lease has expired.
    ///
    /// # Errors
    /// Same as [`Task::cancel`].
    pub fn cancel_by_force(&self, reason: &str) -> L::Answer<'_, Result<Cancelled>> {
        self.cancel_as(reason, &CancelOptions::new().force(true))
    }

    /// Cancels the task at once, even if its program still runs: the owner finds out within a third of its lease. An
    /// attempt that begins earlier, after a [`Task::retry`], runs at the same time as the old attempt.
    ///
    /// # Errors
    /// Same as [`Task::cancel`].
    pub fn cancel_now(&self, reason: &str) -> L::Answer<'_, Result<Cancelled>> {
        self.cancel_as(reason, &CancelOptions::new().at_once(true))
    }

    /// Holds a pending or scheduled task, so that it does not start before [`Task::unhold`].
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for a task in any other state; the errors of [`Client::call`].
    pub fn hold(&self) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().hold(&self.id))
    }

    /// Releases a held task. Returns its state: pending, behind the tasks that wait there, or scheduled if its eta is
    /// in the future.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for a task that is not held; the errors of [`Client::call`].
    pub fn unhold(&self) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().unhold(&self.id))
    }

    fn cancel_as(&self, reason: &str, options: &CancelOptions) -> L::Answer<'_, Result<Cancelled>> {
        self.client.make(self.client.calls().cancel(&self.id, reason, options))
    }

    /// Asks the owner of the task to stop it and to give it back. The owner may save a checkpoint, and the task goes to
    /// the front of its queue.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for a task that has no owner, or whose owner does not use the scripts; the errors of
    /// [`Client::call`].
    pub fn requeue(&self) -> L::Answer<'_, Result<Requeued>> {
        self.client.make(self.client.calls().requeue(&self.id, &RequeueOptions::new()))
    }

    /// Takes the task from its owner at once and puts it at the front of its queue, even if its program still runs: the
    /// owner finds out within a third of its lease. The next attempt may run at the same time.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for a task that has no owner; the errors of [`Client::call`].
    pub fn requeue_now(&self) -> L::Answer<'_, Result<Requeued>> {
        self.client.make(self.client.calls().requeue(&self.id, &RequeueOptions::new().at_once(true)))
    }

    /// Asks the owner of the task to suspend its program: all its processes are stopped until [`Task::unsuspend`]. Its
    /// lease and its places are kept, and its limits of time do not run. Returns false if it is suspended already.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for a task that does not run, or is being stopped; `TOOMANY` if the owner has not answered the
    /// last requests; the errors of [`Client::call`].
    pub fn suspend(&self) -> L::Answer<'_, Result<bool>> {
        self.client.make(self.client.calls().suspend(&self.id))
    }

    /// Asks the owner of the task to continue its suspended program. Returns false if it is not suspended.
    ///
    /// # Errors
    /// Same as [`Task::suspend`].
    pub fn unsuspend(&self) -> L::Answer<'_, Result<bool>> {
        self.client.make(self.client.calls().unsuspend(&self.id))
    }

    /// Asks the owner of the task to send its program a signal, such as `USR1`. Returns the number of the request. The
    /// owner has answered it when [`TaskInfo::controlled`] has reached this number.
    ///
    /// # Errors
    /// Same as [`Task::suspend`].
    pub fn signal(&self, signal: &str) -> L::Answer<'_, Result<u64>> {
        self.client.make(self.client.calls().signal(&self.id, signal))
    }

    /// Retries a failed or cancelled task, from its last checkpoint. Returns its new state: pending, or waiting if one
    /// of its upstreams runs again.
    ///
    /// # Errors
    /// `NOTASK`; `STOPPING` for a task that is being cancelled and may still run; `UPSTREAM` while one of its upstreams
    /// is failed; `STATE` in any other state; the errors of [`Client::call`].
    pub fn retry(&self) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().retry(&self.id, &RetryOptions::new()))
    }

    /// Retries a failed or cancelled task, from its beginning.
    ///
    /// # Errors
    /// Same as [`Task::retry`].
    pub fn retry_fresh(&self) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().retry(&self.id, &RetryOptions::new().fresh(true)))
    }

    /// Changes the parameters, eta, queue and options of an unfinished task. While an attempt has the task, only
    /// settings of the next attempt can change, such as the parameters. The task keeps its place in its queue, unless
    /// the queue, the eta or the priority changes. The history records the edit, with who made it and why. Returns the
    /// state of the task.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for a task that has ended, or if an attempt has the task and the field can change only while
    /// the task waits; `LOST` if the token is not the current attempt's; `DUPLICATE` if another task has the new unique
    /// name; `CLOSED` if the new queue is closed; `OVERDUE` for a deadline that has passed; `TOOMANY` for more than 64
    /// different needs in the queue; `TOOBIG`; `BADARG`, also if the parameters are made of results; the errors of
    /// [`Client::call`].
    pub fn edit(&self, options: &EditOptions) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().edit(&self.id, options))
    }

    /// Adds upstreams to a task that no attempt has. A pending or scheduled task becomes waiting. Returns the new
    /// state, which is the old state if the new upstreams have already ended.
    ///
    /// # Errors
    /// `NOTASK` for this task or an upstream; `STATE` if an attempt has the task, or if the task has ended; `UPSTREAM`
    /// if an upstream has ended with another outcome than the task needs; `CYCLE` if an upstream waits for this task;
    /// `TOOBIG` if more than 2,000 tasks are upstream, too many to check for a cycle; `BADARG` for results if the task
    /// does not wait for results; `TOOMANY` over 10,000 upstreams; the errors of [`Client::call`].
    pub fn depend(&self, inputs: &Inputs) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().depend(&self.id, inputs))
    }

    /// Removes an upstream of the waiting task. Returns the new state: without upstreams the task is ready. The removed
    /// upstream's result becomes `null` in the parameters.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` if the task does not wait for upstreams; the errors of [`Client::call`].
    pub fn undepend(&self, upstream: &TaskId) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().undepend(&self.id, upstream))
    }

    /// Retries a failed or cancelled task with a new deadline. A new deadline is necessary if the old one has passed
    /// (`OVERDUE`).
    ///
    /// # Errors
    /// Same as [`Task::retry`].
    pub fn retry_by(&self, deadline: SystemTime) -> L::Answer<'_, Result<Status>> {
        self.client.make(self.client.calls().retry(&self.id, &RetryOptions::new().deadline(deadline)))
    }

    /// Changes the priority of the waiting task: -1,000 to 1,000, higher first. The task goes behind tasks that already
    /// have the same priority.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for a task that does not wait; `BADARG` out of bounds; the errors of [`Client::call`].
    pub fn prioritise(&self, priority: i32) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().prioritise(&self.id, priority))
    }

    /// Returns the last 64 notices of the task, delivered or not, the earliest first.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn notices(&self) -> L::Answer<'_, Result<Vec<Notice>>> {
        self.client.make(self.client.calls().notices("task", self.id.as_str()))
    }

    /// Returns the last transitions of the task, as far as they are kept, the earliest first.
    ///
    /// # Errors
    /// `NOTASK`; the errors of [`Client::call`].
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

    /// Adds a note of at most 1 KiB to the history of the task, in any state.
    ///
    /// # Errors
    /// `NOTASK`; `TOOBIG`; the errors of [`Client::call`].
    pub fn note(&self, text: &str, options: &NoteOptions) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().note(&self.id, text, options))
    }

    /// Tracks the task: from now on [`Client::changes`] reports each of its changes, until [`Task::untrack`] or until
    /// the task is deleted.
    ///
    /// # Errors
    /// `NOTASK`; `TOOMANY` if 1,000 tasks are tracked; the errors of [`Client::call`].
    pub fn track(&self) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().track(&self.id))
    }

    /// Stops tracking the task. Earlier changes are kept.
    ///
    /// # Errors
    /// `NOTASK`; the errors of [`Client::call`].
    pub fn untrack(&self) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().untrack(&self.id))
    }

    /// Estimates when the task starts and ends. `progress` is a number from 0 to 1, if known.
    ///
    /// # Errors
    /// `NOTASK`; the errors of [`Client::call`].
    pub fn estimate(&self, progress: Option<f64>) -> L::Answer<'_, Result<Estimate>> {
        let progress = progress.filter(|part| part.is_finite()).map(|part| part.clamp(0.0, 1.0));
        let options = progress.into_iter().fold(EstimateOptions::new(), EstimateOptions::progress);
        self.client.make(self.client.calls().estimate(&self.id, &options))
    }

    /// Deletes the finished task.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for a task that is not finished; the errors of [`Client::call`].
    pub fn delete(&self) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().delete(&self.id))
    }
}
