//! What keeps a queue in order.

use std::time::Duration;

use redis::Value;

use super::{Call, Calls, read};
use crate::model::{Claim, Mended, Orphans, Promoted, Retained};
use crate::names::QueueName;
use crate::reply;
use crate::times::seconds;

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

    /// Brings a clock that ran ahead of the server back, while nothing is held; whether it was ahead.
    #[must_use]
    pub fn reset_clock(&self) -> Call<bool> {
        let parse = |value: &Value| match reply::text(value)?.as_str() {
            "reset" => Some(true),
            "right" => Some(false),
            _ => None,
        };
        self.call("reset_clock", parse).once()
    }

    /// Mends a part of what clients without scripts leave; begin with an empty cursor.
    #[must_use]
    pub fn mend(&self, queue: &QueueName, cursor: &str, limit: u32, grace: Option<Duration>) -> Call<Mended> {
        let parse = |value: &Value| match reply::array(value)? {
            [next, mended, suspected, ..] => Some(Mended {
                next: reply::optional(next)?,
                mended: reply::number(mended)?,
                suspected: reply::number(suspected)?,
                claims: reply::groups(reply::array(value)?, 3, 5, claim)?,
            }),
            _ => None,
        };
        self.call("mend", parse).arg(queue).arg(cursor).arg(limit).option("grace", grace.map(seconds))
    }
}

fn claim(item: &[Value]) -> Option<Claim> {
    let [listener, id, status, holder, pid] = item else { return None };
    Some(Claim {
        listener: reply::text(listener)?,
        id: reply::text(id)?,
        status: reply::text(status)?.parse().ok(),
        holder: reply::text(holder)?,
        pid: reply::optional(pid)?.and_then(|pid| pid.parse().ok()),
    })
}
