//! Calls on one task, for everybody.

use redis::Value;

use super::{Call, Calls, read};
use crate::model::{Cancelled, Follow, Force, LogEntry, Recalled, TaskInfo, Why};
use crate::names::TaskId;
use crate::reply;

impl Calls {
    /// Cancels a task. What becomes of one that somebody holds says [`Force`].
    #[must_use]
    pub fn cancel(&self, id: &TaskId, reason: &str, force: Force) -> Call<Cancelled> {
        forced(self.call("cancel", reply::number).arg(id).arg(reason).once(), force)
    }

    /// Asks the owner of a task to give it back, or with `at_once` takes it from its owner, whatever still runs.
    #[must_use]
    pub fn recall(&self, id: &TaskId, at_once: bool) -> Call<Recalled> {
        self.call("recall", reply::number).arg(id).once().option("at_once", at_once.then_some("1"))
    }

    /// Runs a failed or cancelled task again; `fresh` forgets its checkpoint.
    #[must_use]
    pub fn retry(&self, id: &TaskId, fresh: bool) -> Call<()> {
        self.call("retry", read::done).arg(id).once().option("fresh", fresh.then_some("1"))
    }

    /// Removes a finished task.
    #[must_use]
    pub fn delete(&self, id: &TaskId) -> Call<()> {
        self.call("delete", read::done).arg(id).once()
    }

    /// A task's log after an entry, `0` for its beginning. A page ends after 1 MiB of text; the last one is empty.
    #[must_use]
    pub fn logs(&self, id: &TaskId, after: &str, limit: u32) -> Call<Follow<LogEntry>> {
        let parse = |value: &Value| {
            read::follow(value, 5, |item| match item {
                [at, attempt, source, text, offset] => Some(LogEntry {
                    at: reply::number(at)?,
                    attempt: reply::number(attempt)?,
                    source: reply::text(source)?,
                    text: reply::bytes(text)?,
                    offset: reply::text(offset)?.parse().ok(),
                }),
                _ => None,
            })
        };
        self.call("logs", parse).arg(id).arg(after).arg(limit)
    }

    /// The end of a task's log: the entries that hold its last bytes, 1 MiB and `limit` entries at most.
    #[must_use]
    pub fn logs_tail(&self, id: &TaskId, bytes: u32, limit: u32) -> Call<Follow<LogEntry>> {
        self.logs(id, "0", limit).option("tail", Some(bytes))
    }

    /// What decides whether and when a task runs.
    #[must_use]
    pub fn why(&self, id: &TaskId) -> Call<Why> {
        self.call("why", read::why).arg(id)
    }

    /// The whole record of a task.
    #[must_use]
    pub fn get(&self, id: &TaskId) -> Call<Option<TaskInfo>> {
        let parse = |value: &Value| {
            if matches!(value, Value::Nil) {
                return Some(None);
            }
            let fields = reply::groups(reply::array(value)?, 0, 2, |item| match item {
                [field, value] => Some((reply::text(field)?, reply::bytes(value)?)),
                _ => None,
            })?;
            Some(Some(TaskInfo { fields: fields.into_iter().collect() }))
        };
        self.call("get", parse).arg(id)
    }
}

/// What `cancel`, and `bulk` with this action, know of force.
pub(super) fn forced<T>(call: Call<T>, force: Force) -> Call<T> {
    let option = match force {
        Force::No => return call,
        Force::Kill => "force",
        Force::AtOnce => "at_once",
    };
    call.option(option, Some("1"))
}
