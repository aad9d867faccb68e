//! Submitting tasks.

use std::time::SystemTime;

use redis::Value;

use super::{Call, Calls};
use crate::model::Submitted;
use crate::model::reply;
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
    /// A task with an id, and opaque bytes for the program that runs it, due at once.
    pub fn new(id: &'a TaskId, parameters: &'a [u8]) -> Self {
        Self { id, eta: None, parameters }
    }

    /// When it is due; none for at once.
    pub fn eta(mut self, eta: impl Into<Option<SystemTime>>) -> Self {
        self.eta = eta.into();
        self
    }
}

impl Call<Vec<Submitted>> {
    /// Makes a repeated submit return its first reply, [`Submitted::Created`] and not [`Submitted::Existing`]. It
    /// takes some microseconds more of the server's time.
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
        let mut call = self.call("submit", parse).arg(queue).arg(tasks.len());
        for task in tasks {
            let eta = task.eta.map(|eta| seconds(since_1970(eta))).unwrap_or_default();
            call = call.arg(task.id).arg(eta).raw(task.parameters);
        }
        call.pairs(&options.0)
    }
}

fn plain(value: &Value) -> Option<Vec<Submitted>> {
    reply::array(value)?.iter().map(|word| submitted(word, None)).collect()
}

/// The reply for one task: a word, and the other task that has the unique name, or had it.
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
