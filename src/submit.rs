//! How to submit a task.

use std::time::{Duration, SystemTime};

use crate::calls::SubmitOptions;
use crate::model::{Backoff, Policy, Until};
use crate::names::TaskId;

/// How to submit a task. What is not said is as the queue's settings say.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Submit {
    pub(crate) id: Option<TaskId>,
    pub(crate) eta: Option<SystemTime>,
    /// Without texts, which are below.
    plain: SubmitOptions<'static>,
    method: Option<String>,
    key: Option<String>,
    needs: Option<String>,
    unique: Option<String>,
    tags: Vec<String>,
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty),+ $(,)?) => {
        $($(#[$doc])*
        pub fn $name(mut self, $name: $type) -> Self {
            self.plain.$name = Some($name);
            self
        })+
    };
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])*
        pub fn $name(mut self, $name: impl Into<String>) -> Self {
            self.$name = Some($name.into());
            self
        })+
    };
}

impl Submit {
    /// An id of the caller's choice; a random one by default. The same id
    /// submitted again makes no second task.
    pub fn id(mut self, id: TaskId) -> Self {
        self.id = Some(id);
        self
    }

    /// Not before this time; at once by default.
    pub fn eta(mut self, eta: SystemTime) -> Self {
        self.eta = Some(eta);
        self
    }

    /// A word to find the task by: a name like a queue's. Up to 16 of them.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    setters! {
        /// How many lost owners the task survives before it fails: 10 by default, at most 1,000.
        max_losses: u32,
        /// How many failures the task survives, each followed by another try: none by default, at most 1,000.
        max_failures: u32,
        /// How often the task may be given back before it fails: 1,000 times by default, at most 1,000,000.
        max_releases: u32,
        /// How the pause before another try grows: it doubles by default.
        backoff: Backoff,
        /// The pause before the first other try: 10 s by default, at most a year.
        delay: Duration,
        /// The longest pause before another try: an hour by default, at most a year.
        max_delay: Duration,
        /// How much of the pause is spread, in percent: 20 by default, so that it is up to 20 % shorter.
        jitter: u32,
        /// How many bytes of its log the server keeps: 160 KiB by default, at most 256 MiB; with 0 none.
        log_bytes: u32,
        /// The lease of each attempt, whatever the worker asks for: 1 s to 7 days.
        lease: Duration,
        /// Higher first: 0 by default, from -1,000 to 1,000.
        priority: i32,
        /// How many places of its limits the task takes: 1 by default, at most 1,000.
        weight: u32,
        /// How long the task has its unique name: to its end by default.
        unique_until: Until,
        /// What follows if another task has that name: an error by default.
        unique_policy: Policy,
    }

    texts! {
        /// What a worker for programs runs, where its queue has more than one program.
        method,
        /// Who shares limits and takes turns, such as a tenant: a name like a queue's.
        key,
        /// What a listener must have: `gpu,transcoder>=3`; 1 to 8, in 256 bytes.
        needs,
        /// A name that only one task of the queue has at a time: a name like a queue's.
        unique,
    }

    /// The same as options of a call; `tags` lends the text of the tags.
    pub(crate) fn options<'a>(&'a self, tags: &'a str) -> SubmitOptions<'a> {
        SubmitOptions {
            method: self.method.as_deref(),
            key: self.key.as_deref(),
            needs: self.needs.as_deref(),
            unique: self.unique.as_deref(),
            tags: Some(tags).filter(|tags| !tags.is_empty()),
            ..self.plain
        }
    }

    pub(crate) fn tags(&self) -> String {
        self.tags.join(",")
    }
}
