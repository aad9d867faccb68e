//! A task, seen from outside.

use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use crate::client::Client;
use crate::error::{Error, Result};
use crate::model::{Cancelled, Estimate, Status, TaskInfo, Transition};
use crate::names::TaskId;

/// The longest pause between two looks at a task that is waited for.
const LOOK: Duration = Duration::from_millis(500);

/// A task by its id.
#[derive(Clone, Debug)]
pub struct Task {
    client: Client,
    id: TaskId,
}

impl Task {
    pub(crate) fn new(client: Client, id: TaskId) -> Self {
        Self { client, id }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &TaskId {
        &self.id
    }

    /// Its whole record.
    ///
    /// # Errors
    /// `NOTASK`; those of [`Client::call`].
    pub fn info(&self) -> Result<TaskInfo> {
        self.client.info(&self.id)
    }

    /// Waits until the task is finished, and answers its record.
    ///
    /// # Errors
    /// [`Error::TimedOut`] after `limit`; `NOTASK`; those of [`Client::call`].
    pub fn wait(&self, limit: Duration) -> Result<TaskInfo> {
        let deadline = Instant::now() + limit;
        let mut pause = Duration::from_millis(5);
        loop {
            let info = self.info()?;
            if info.status().is_some_and(Status::is_finished) {
                return Ok(info);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::TimedOut(limit));
            }
            thread::sleep(pause.min(left));
            pause = (pause * 2).min(LOOK);
        }
    }

    /// Waits for the result and reads it as JSON.
    ///
    /// # Errors
    /// [`Error::Failed`] with the task's error, [`Error::Cancelled`] where it was
    /// cancelled, `PAYLOAD` where the result is of another type; those of [`Task::wait`].
    pub fn result<R: DeserializeOwned>(&self, limit: Duration) -> Result<R> {
        let info = self.wait(limit)?;
        match info.status() {
            Some(Status::Complete) => Ok(serde_json::from_slice(info.result().unwrap_or(b"null"))?),
            Some(Status::Cancelled) => Err(Error::Cancelled),
            _ => Err(Error::Failed(info.error().unwrap_or_default())),
        }
    }

    /// Cancels the task. A running one is told by its next heartbeat.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for one that is complete or failed; those of [`Client::call`].
    pub fn cancel(&self, reason: &str) -> Result<Cancelled> {
        self.client.call(&self.client.calls().cancel(&self.id, reason, false))
    }

    /// Cancels the task without waiting for its owner, whose attempt is cut off at once.
    ///
    /// # Errors
    /// As [`Task::cancel`].
    pub fn cancel_now(&self, reason: &str) -> Result<Cancelled> {
        self.client.call(&self.client.calls().cancel(&self.id, reason, true))
    }

    /// Runs a failed or cancelled task again, from its last checkpoint.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` in any other state; those of [`Client::call`].
    pub fn retry(&self) -> Result<()> {
        self.client.call(&self.client.calls().retry(&self.id, false))
    }

    /// Runs a failed or cancelled task again, from its beginning.
    ///
    /// # Errors
    /// As [`Task::retry`].
    pub fn retry_fresh(&self) -> Result<()> {
        self.client.call(&self.client.calls().retry(&self.id, true))
    }

    /// Gives the waiting task another priority, -1,000 to 1,000, higher first; it goes behind those that have it already.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for one that does not wait; `BADARG` out of bounds; those of [`Client::call`].
    pub fn prioritise(&self, priority: i32) -> Result<()> {
        self.client.call(&self.client.calls().prioritise(&self.id, priority))
    }

    /// What happened to it, as far as that is kept: its last transitions, the earliest first.
    ///
    /// # Errors
    /// `NOTASK`; those of [`Client::call`].
    pub fn history(&self) -> Result<Vec<Transition>> {
        let mut all = Vec::new();
        loop {
            let after = all.last().map_or(0, |last: &Transition| last.number);
            let page = self.client.call(&self.client.calls().history(&self.id, after, 500))?;
            if page.items.is_empty() {
                return Ok(all);
            }
            all.extend(page.items);
        }
    }

    /// When it is expected to start and to end. `progress`, from 0 to 1, says how far it is, where that is known.
    ///
    /// # Errors
    /// `NOTASK`; those of [`Client::call`].
    pub fn estimate(&self, progress: Option<f64>) -> Result<Estimate> {
        self.client.call(&self.client.calls().estimate(&self.id, progress))
    }

    /// Removes the finished task. [`Error::NotFound`] may mean that a first try succeeded whose reply was lost.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for one that is not finished; those of [`Client::call`].
    pub fn delete(&self) -> Result<()> {
        self.client.call(&self.client.calls().delete(&self.id))
    }
}
