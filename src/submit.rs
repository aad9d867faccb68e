//! How to submit a task.

use std::time::SystemTime;

use crate::names::TaskId;
use crate::options::TaskOptions;

/// How to submit a task. Options that are not set default to the queue's settings.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Submit {
    pub(crate) id: Option<TaskId>,
    pub(crate) eta: Option<SystemTime>,
    pub(crate) options: TaskOptions,
}

impl Submit {
    /// An id of the caller's choice; a random one by default. The same id submitted again creates no second task.
    pub fn id(mut self, id: TaskId) -> Self {
        self.id = Some(id);
        self
    }

    /// Not before this time; at once by default.
    pub fn eta(mut self, eta: SystemTime) -> Self {
        self.eta = Some(eta);
        self
    }
}
