//! Upkeep of queues.

use super::{Call, Calls, MendOptions, ReadyOptions, RetainOptions};
use crate::model::reply;
use crate::model::{Mended, Orphans, Promoted, Ready, Retained, Settled, UpkeepStep};
use crate::names::{ListenerId, Pattern, QueueName};

impl Calls {
    /// Moves due scheduled tasks to pending.
    #[must_use]
    pub fn promote(&self, queue: &QueueName, limit: u32) -> Call<Promoted> {
        self.call("promote", Promoted::read).arg(queue).arg(limit)
    }

    /// Takes tasks whose lease has expired from their owners.
    #[must_use]
    pub fn requeue_orphans(&self, queue: &QueueName, limit: u32) -> Call<Orphans> {
        self.call("requeue_orphans", Orphans::read).arg(queue).arg(limit)
    }

    /// Deletes the oldest finished tasks: those over a number, and those over an age.
    #[must_use]
    pub fn retain(&self, queue: &QueueName, limit: u32, options: &RetainOptions) -> Call<Retained> {
        self.call("retain", Retained::read).arg(queue).arg(limit).pairs(&options.0)
    }

    /// Goes on with what calls leave behind in graphs: dependents of tasks that have ended, and the tasks of new graphs.
    #[must_use]
    pub fn settle(&self, limit: u32) -> Call<Settled> {
        self.call("settle", Settled::read).arg(limit)
    }

    /// Does the next part of what is to be done beside tasks, for the namespace and for up to 32 queues.
    #[must_use]
    pub fn upkeep(&self, queues: &[QueueName]) -> Call<UpkeepStep> {
        queues.iter().fold(self.call("upkeep", UpkeepStep::read).arg(queues.len()), Call::arg)
    }

    /// Finds up to `limit` queues with tasks that match patterns, and registers the listener with them; begin with an
    /// empty cursor. Each call also looks for queues that clients without scripts have filled.
    #[must_use]
    pub fn ready(
        &self,
        listener: &ListenerId,
        patterns: &[Pattern],
        cursor: &str,
        limit: u32,
        options: &ReadyOptions,
    ) -> Call<Ready> {
        let cursor = if cursor.is_empty() { "0" } else { cursor };
        let call = self.call("ready", Ready::read).arg(listener).arg(cursor).arg(limit).arg(patterns.len());
        patterns.iter().fold(call, Call::arg).pairs(&options.0)
    }

    /// Sets a clock that ran ahead of the server back, while nothing is held; returns whether it was ahead.
    #[must_use]
    pub fn reset_clock(&self) -> Call<bool> {
        self.call("reset_clock", reply::reset).once()
    }

    /// Repairs a part of what clients without scripts leave behind; begin with an empty cursor.
    #[must_use]
    pub fn mend(&self, queue: &QueueName, cursor: &str, limit: u32, options: &MendOptions) -> Call<Mended> {
        self.call("mend", Mended::read).arg(queue).arg(cursor).arg(limit).pairs(&options.0)
    }
}
