//! Calls that read histories and events.

use super::{AuditOptions, Call, Calls, ChangesOptions, EventsOptions};
use crate::model::reply;
use crate::model::{Audit, Changes, Events, Follow, Page, TrackedTask, Transition};
use crate::names::{QueueName, TaskId};

impl Calls {
    /// A queue's transitions after an event, `0` for the oldest that is kept: the next `limit` (1 to 500), or those
    /// of one task among them.
    #[must_use]
    pub fn events(&self, queue: &QueueName, after: &str, limit: u32, options: &EventsOptions) -> Call<Events> {
        self.call("events", Events::read).arg(queue).arg(after).arg(limit).pairs(&options.0)
    }

    /// Who changed what after an entry, `0` for the oldest that is kept: of the next `limit` (1 to 500) all, or those
    /// that the options select.
    #[must_use]
    pub fn audit(&self, after: &str, limit: u32, options: &AuditOptions) -> Call<Audit> {
        self.call("audit", Audit::read).arg(after).arg(limit).pairs(&options.0)
    }

    /// Tracks a task: [`Calls::changes`] has each of its changes from now on.
    #[must_use]
    pub fn track(&self, id: &TaskId) -> Call<()> {
        self.call("track", reply::done).arg(id)
    }

    /// Tracks a task no longer.
    #[must_use]
    pub fn untrack(&self, id: &TaskId) -> Call<()> {
        self.call("untrack", reply::done).arg(id)
    }

    /// The tracked tasks, the latest first.
    #[must_use]
    pub fn tracked(&self, cursor: &str, limit: u32) -> Call<Page<TrackedTask>> {
        self.call("tracked", reply::page).arg(cursor).arg(limit)
    }

    /// What happened to tracked tasks after an entry, `0` for the oldest that is kept: the next `limit` (1 to 500), or
    /// the changes of one task among them.
    #[must_use]
    pub fn changes(&self, after: &str, limit: u32, options: &ChangesOptions) -> Call<Changes> {
        self.call("changes", Changes::read).arg(after).arg(limit).pairs(&options.0)
    }

    /// The transitions of a task after a number, 0 for the first that is kept.
    #[must_use]
    pub fn history(&self, id: &TaskId, after: u64, limit: u32) -> Call<Follow<Transition>> {
        self.call("history", reply::follow).arg(id).arg(after).arg(limit)
    }
}
