//! Submits tasks.

use std::time::SystemTime;

use redis::Value;

use super::{Call, Calls};
use crate::model::reply;
use crate::model::{Round, Submitted};
use crate::names::{QueueName, TaskId};
use crate::options::TaskOptions;
use crate::times::{seconds, since_1970};

/// One task of a submit.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct NewTask<'a> {
    pub(crate) id: &'a TaskId,
    eta: Option<SystemTime>,
    pub(crate) parameters: &'a [u8],
}

impl<'a> NewTask<'a> {
    /// Creates a task with an id and opaque parameters for the program that runs the task. The task is due at once.
    pub fn new(id: &'a TaskId, parameters: &'a [u8]) -> Self {
        Self { id, eta: None, parameters }
    }

    fn add_to<T>(&self, call: Call<T>) -> Call<T> {
        let eta = self.eta.map(|eta| seconds(since_1970(eta))).unwrap_or_default();
        call.arg(self.id).arg(eta).raw(self.parameters)
    }

    /// Sets when the task is due; `None` for at once.
    pub fn eta(mut self, eta: impl Into<Option<SystemTime>>) -> Self {
        self.eta = eta.into();
        self
    }
}

impl Call<Vec<Submitted>> {
    /// Makes a repeated submit return the reply of the first submit: [`Submitted::Created`], not
    /// [`Submitted::Existing`]. This takes the server a few microseconds longer.
    #[must_use]
    pub fn answered_once(self) -> Self {
        self.once()
    }
}

impl Calls {
    /// Submits up to 500 tasks to a queue.
    #[must_use]
    pub fn submit(&self, queue: &QueueName, tasks: &[NewTask<'_>], options: &TaskOptions) -> Call<Vec<Submitted>> {
        let parse = if options.0.has("unique") { unique } else { plain };
        let call = self.call("submit", parse).arg(queue).arg(tasks.len());
        tasks.iter().fold(call, |call, task| task.add_to(call)).pairs(&options.0)
    }

    /// Submits a task that may have been submitted before: see [`Queue::submit_again`](crate::Queue::submit_again).
    #[must_use]
    pub fn submit_again(
        &self,
        queue: &QueueName,
        task: &NewTask<'_>,
        options: &TaskOptions,
        request: &str,
    ) -> Call<Round> {
        let call = task.add_to(self.call("submit", again).arg(queue).arg(1));
        call.pairs(&options.0).arg("again").arg(1).arg("request").arg(request)
    }

    /// Submits a task like [`Calls::submit_again`]. A running task runs again when the current round has ended.
    #[must_use]
    pub fn submit_once_more(
        &self,
        queue: &QueueName,
        task: &NewTask<'_>,
        options: &TaskOptions,
        request: &str,
    ) -> Call<Round> {
        self.submit_again(queue, task, options, request).arg("once_more").arg(1)
    }
}

fn again(value: &Value) -> Option<Round> {
    match reply::array(value)? {
        [made, number] => Some(Round { made: reply::word(made)?, number: reply::word(number)? }),
        _ => None,
    }
}

fn plain(value: &Value) -> Option<Vec<Submitted>> {
    reply::array(value)?.iter().map(|word| submitted(word, None)).collect()
}

/// Reads the reply for a single task: a word, and the other task that has or had the unique name.
fn unique(value: &Value) -> Option<Vec<Submitted>> {
    match reply::array(value)? {
        [word, other, ..] => Some(vec![submitted(word, Some(TaskId::new(reply::text(other)?).ok()?))?]),
        one => one.iter().map(|word| submitted(word, None)).collect(),
    }
}

fn submitted(word: &Value, other: Option<TaskId>) -> Option<Submitted> {
    Some(match (reply::text(word)?.as_str(), other) {
        ("created", _) => Submitted::Created,
        ("existing", None) => Submitted::Existing,
        ("existing", Some(other)) => Submitted::Taken(other),
        ("replaced", Some(other)) => Submitted::Replaced(other),
        _ => return None,
    })
}
