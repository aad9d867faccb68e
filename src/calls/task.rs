//! Calls on one task, for everybody.

use std::collections::BTreeMap;

use redis::Value;

use super::{Call, Calls, CancelOptions, EditOptions, LogsOptions, NoteOptions, RecallOptions, RetryOptions};
use crate::model::reply;
use crate::model::{Cancelled, Follow, LogEntry, Recalled, Status, TaskInfo, Why};
use crate::names::TaskId;
use crate::options::Inputs;

impl Calls {
    /// Cancels a task. The owner of a running one is ordered to stop it, with its grace period, unless the options
    /// say otherwise.
    #[must_use]
    pub fn cancel(&self, id: &TaskId, reason: &str, options: &CancelOptions) -> Call<Cancelled> {
        self.call("cancel", reply::word).arg(id).arg(reason).once().pairs(&options.0)
    }

    /// Asks the owner of a task to give it back, or takes it from its owner at once, even if its program still
    /// runs.
    #[must_use]
    pub fn recall(&self, id: &TaskId, options: &RecallOptions) -> Call<Recalled> {
        self.call("recall", reply::word).arg(id).once().pairs(&options.0)
    }

    /// Retries a failed or cancelled task. Returns the state in which it begins.
    #[must_use]
    pub fn retry(&self, id: &TaskId, options: &RetryOptions) -> Call<Status> {
        self.call("retry", reply::word).arg(id).once().pairs(&options.0)
    }

    /// Adds a note to the history of a task, in any state.
    #[must_use]
    pub fn note(&self, id: &TaskId, text: &str, options: &NoteOptions) -> Call<()> {
        self.call("note", reply::done).arg(id).arg(text).once().pairs(&options.0)
    }

    /// Changes a task that has not ended; while an attempt has it, what does not concern that one. Returns its state.
    #[must_use]
    pub fn edit(&self, id: &TaskId, options: &EditOptions) -> Call<Status> {
        self.call("edit", reply::word).arg(id).once().pairs(&options.0)
    }

    /// Has a task wait for others, too, while no attempt has it. Returns its state then.
    #[must_use]
    pub fn depend(&self, id: &TaskId, inputs: &Inputs) -> Call<Status> {
        self.call("depend", reply::word).arg(id).arg(inputs.text()).once()
    }

    /// Has a waiting task no longer wait for another one. Returns its state then.
    #[must_use]
    pub fn undepend(&self, id: &TaskId, upstream: &TaskId) -> Call<Status> {
        self.call("undepend", reply::word).arg(id).arg(upstream).once()
    }

    /// Deletes a finished task.
    #[must_use]
    pub fn delete(&self, id: &TaskId) -> Call<()> {
        self.call("delete", reply::done).arg(id).once()
    }

    /// A task's log after an entry, `0` for its beginning, or with `tail` the entries of its last bytes. A page
    /// ends after 1 MiB of text; the last one is empty.
    #[must_use]
    pub fn logs(&self, id: &TaskId, after: &str, limit: u32, options: &LogsOptions) -> Call<Follow<LogEntry>> {
        self.call("logs", reply::follow).arg(id).arg(after).arg(limit).pairs(&options.0)
    }

    /// What decides whether and when a task runs.
    #[must_use]
    pub fn why(&self, id: &TaskId) -> Call<Why> {
        self.call("why", Why::read).arg(id)
    }

    /// The record of a task.
    #[must_use]
    pub fn get(&self, id: &TaskId) -> Call<Option<TaskInfo>> {
        let parse = |value: &Value| {
            if matches!(value, Value::Nil) {
                return Some(None);
            }
            let field = |(name, value)| Some((name, reply::bytes(value)?));
            Some(Some(TaskInfo { fields: reply::pairs(value)?.into_iter().map(field).collect::<Option<_>>()? }))
        };
        self.call("get", parse).arg(id)
    }

    /// The records of up to 500 tasks, each with its id; none where there is no such task. Ends after 8 MiB: call again
    /// for those that are not in it.
    #[must_use]
    pub fn get_many(&self, ids: &[TaskId]) -> Call<Vec<(String, Option<TaskInfo>)>> {
        let parse = |value: &Value| {
            let mut found: Vec<(String, Option<TaskInfo>)> = Vec::new();
            for (name, value) in reply::pairs(value)? {
                match (name.as_str(), found.last_mut()) {
                    ("id", _) => found.push((reply::text(value)?, Some(TaskInfo { fields: BTreeMap::new() }))),
                    ("missing", Some((_, info))) => *info = None,
                    (_, Some((_, Some(info)))) => _ = info.fields.insert(name, reply::bytes(value)?),
                    _ => return None,
                }
            }
            (!found.is_empty()).then_some(found)
        };
        ids.iter().fold(self.call("get_many", parse).arg(ids.len()), Call::arg)
    }
}
