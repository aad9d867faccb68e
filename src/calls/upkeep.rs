//! What keeps a queue in order.

use std::time::Duration;

use redis::Value;

use super::{Call, Calls, read, seconds};
use crate::model::{Mended, Orphans, Promoted, Retained};
use crate::names::QueueName;
use crate::reply;

impl Calls {
    /// Moves scheduled tasks that are due to pending.
    #[must_use]
    pub fn promote(&self, queue: &QueueName, limit: u32) -> Call<Promoted> {
        let parse = |value: &Value| match reply::array(value)? {
            [promoted, more, next, ..] => Some(Promoted {
                promoted: reply::number(promoted)?,
                more: read::flag(more)?,
                next: reply::optional(next)?.map(|eta| eta.parse().ok()).map_or(Some(None), |eta| eta.map(Some))?,
            }),
            _ => None,
        };
        self.call("promote", parse).arg(queue).arg(limit)
    }

    /// Takes tasks whose lease has expired from their owners.
    #[must_use]
    pub fn requeue_orphans(&self, queue: &QueueName, limit: u32) -> Call<Orphans> {
        let parse = |value: &Value| match reply::array(value)? {
            [requeued, failed, cancelled, postponed, more, listeners, ..] => Some(Orphans {
                requeued: reply::number(requeued)?,
                failed: reply::number(failed)?,
                cancelled: reply::number(cancelled)?,
                postponed: reply::number(postponed)?,
                more: read::flag(more)?,
                listeners: reply::number(listeners)?,
            }),
            _ => None,
        };
        self.call("requeue_orphans", parse).arg(queue).arg(limit)
    }

    /// Deletes the oldest finished tasks: those over `keep`, and those older than `age`.
    #[must_use]
    pub fn retain(&self, queue: &QueueName, limit: u32, keep: Option<u32>, age: Option<Duration>) -> Call<Retained> {
        let parse = |value: &Value| match reply::array(value)? {
            [deleted, more, ..] => Some(Retained { deleted: reply::number(deleted)?, more: read::flag(more)? }),
            _ => None,
        };
        self.call("retain", parse).arg(queue).arg(limit).option("keep", keep).option("seconds", age.map(seconds))
    }

    /// Mends a part of what clients without scripts leave; begin with an empty cursor.
    #[must_use]
    pub fn mend(&self, queue: &QueueName, cursor: &str, limit: u32, grace: Option<Duration>) -> Call<Mended> {
        let parse = |value: &Value| match reply::array(value)? {
            [next, mended, suspected, ..] => Some(Mended {
                next: reply::optional(next)?,
                mended: reply::number(mended)?,
                suspected: reply::number(suspected)?,
            }),
            _ => None,
        };
        self.call("mend", parse).arg(queue).arg(cursor).arg(limit).option("grace", grace.map(seconds))
    }
}
