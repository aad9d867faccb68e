//! Putting tasks into a queue.

use std::time::Duration;

use redis::Value;

use super::{Call, Calls, seconds};
use crate::model::{Backoff, Policy, Submitted, Until};
use crate::names::{QueueName, TaskId};
use crate::reply;

/// One task of a submit.
#[derive(Clone, Copy, Debug)]
pub struct NewTask<'a> {
    /// Its id.
    pub id: &'a TaskId,
    /// When it is due, in seconds since 1970; none for at once.
    pub eta: Option<f64>,
    /// Opaque bytes for whoever runs it.
    pub parameters: &'a [u8],
}

/// What holds for all tasks of a submit. What is none is as the queue's settings say,
/// or else as said here. The bounds are checked by the server.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SubmitOptions<'a> {
    /// How many lost owners a task survives: 10 where none is given, at most 1,000.
    pub max_losses: Option<u32>,
    /// How many failures a task survives, each followed by another try: none, at most 1,000.
    pub max_failures: Option<u32>,
    /// How often a task may be given back: 1,000 times, at most 1,000,000.
    pub max_releases: Option<u32>,
    /// How the pause before another try grows.
    pub backoff: Option<Backoff>,
    /// The pause before the first other try: 10 s, at most a year.
    pub delay: Option<Duration>,
    /// The longest pause: an hour, at most a year.
    pub max_delay: Option<Duration>,
    /// How much of the pause is spread, in percent: 20.
    pub jitter: Option<u32>,
    /// How many bytes of its log the server keeps: 160 KiB where none is given, at most 256 MiB; with 0 none.
    pub log_bytes: Option<u32>,
    /// The lease of each attempt, whatever the listener asks for: 1 s to 7 days.
    pub lease: Option<Duration>,
    /// Higher first: 0 where none is given, from -1,000 to 1,000.
    pub priority: Option<i32>,
    /// Who shares limits and takes turns, such as a tenant: a name like a queue's.
    pub key: Option<&'a str>,
    /// How many places of its limits a task takes: 1, at most 1,000.
    pub weight: Option<u32>,
    /// What a listener must have: `gpu,transcoder>=3`; 1 to 8, in 256 bytes.
    pub needs: Option<&'a str>,
    /// A name that only one task of the queue has at a time. For one task of a call.
    pub unique: Option<&'a str>,
    /// How long it has that name: to its end, where none is given.
    pub unique_until: Option<Until>,
    /// What follows if another task has that name: an error, where none is given.
    pub unique_policy: Option<Policy>,
    /// Words to find a task by: `a,b`; 1 to 16 names like those of queues.
    pub tags: Option<&'a str>,
    /// What a worker for programs runs, where its queue has more than one program.
    pub method: Option<&'a str>,
    /// How large parameters may be: 1 MiB where none is given, at most 8 MiB.
    pub max_bytes: Option<u32>,
}

impl SubmitOptions<'_> {
    /// The options that are given, as names and values of the contract.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let number = |value: Option<u32>| value.map(|value| value.to_string());
        let text = |value: Option<&str>| value.map(str::to_owned);
        let all = [
            ("max_losses", number(self.max_losses)),
            ("max_failures", number(self.max_failures)),
            ("max_releases", number(self.max_releases)),
            ("backoff", self.backoff.map(|backoff| backoff.to_string())),
            ("delay", self.delay.map(seconds)),
            ("max_delay", self.max_delay.map(seconds)),
            ("jitter", number(self.jitter)),
            ("log_bytes", number(self.log_bytes)),
            ("lease", self.lease.map(seconds)),
            ("priority", self.priority.map(|priority| priority.to_string())),
            ("key", text(self.key)),
            ("weight", number(self.weight)),
            ("needs", text(self.needs)),
            ("unique", text(self.unique)),
            ("unique_until", self.unique_until.map(|until| until.to_string())),
            ("unique_policy", self.unique_policy.map(|policy| policy.to_string())),
            ("tags", text(self.tags)),
            ("method", text(self.method)),
            ("max_bytes", number(self.max_bytes)),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

impl<T> Call<T> {
    /// What is wished of a task, here or in a template.
    pub(super) fn submit_options(mut self, options: &SubmitOptions<'_>) -> Self {
        for (name, value) in options.pairs() {
            self = self.arg(name).arg(value);
        }
        self
    }
}

impl Call<Vec<Submitted>> {
    /// Lets a submit that is sent again say what it said first, [`Submitted::Created`] and not
    /// [`Submitted::Existing`]. It takes some microseconds of the server's time more.
    #[must_use]
    pub fn answered_once(self) -> Self {
        self.once()
    }
}

impl Calls {
    /// Puts up to 500 tasks into a queue.
    #[must_use]
    pub fn submit(&self, queue: &QueueName, tasks: &[NewTask<'_>], options: SubmitOptions<'_>) -> Call<Vec<Submitted>> {
        let parse = if options.unique.is_some() { unique } else { plain };
        let mut call = self.call("submit", parse).arg(queue).arg(tasks.len());
        for task in tasks {
            let eta = task.eta.map(|eta| format!("{eta:.6}")).unwrap_or_default();
            call = call.arg(task.id).arg(eta).raw(task.parameters);
        }
        call.submit_options(&options)
    }
}

fn plain(value: &Value) -> Option<Vec<Submitted>> {
    reply::array(value)?.iter().map(|word| submitted(word, None)).collect()
}

/// The answer for one task: a word, and the other task that has the unique name, or had it.
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
