//! Tags, groups of failures, search, and what is done to many tasks or to a whole queue.

use redis::Value;

use super::task::forced;
use super::{Call, Calls, read};
use crate::model::{Group, Page, Status, Step, Tag};
use crate::names::{QueueName, TaskId};
use crate::reply;
use crate::search::{Action, Filter};
use crate::times::seconds;

impl Calls {
    /// Ids of a queue's tasks that a filter means, the latest first, `limit` (1 to 500) at most. Looks at 300 tasks:
    /// a page may be empty without being the last.
    #[must_use]
    pub fn find(&self, queue: &QueueName, filter: &Filter, cursor: &str, limit: u32) -> Call<Page<String>> {
        let parse = |value: &Value| read::page(value, 1, |item| reply::text(item.first()?));
        chosen(self.call("find", parse).arg(queue).arg(cursor).arg(limit), filter)
    }

    /// One step of a bulk: changes `limit` (1 to 500) tasks at most. Begin with the cursor `0`.
    #[must_use]
    pub fn bulk(&self, queue: &QueueName, action: &Action, filter: &Filter, cursor: &str, limit: u32) -> Call<Step> {
        let parse = |value: &Value| match reply::array(value)? {
            [next, looked_at, changed, refused, ..] => Some(Step {
                next: Some(reply::text(next)?).filter(|next| next != "0"),
                looked_at: reply::number(looked_at)?,
                changed: reply::number(changed)?,
                refused: reply::number(refused)?,
            }),
            _ => None,
        };
        let call = self.call("bulk", parse).arg(queue).arg(action.as_str()).arg(cursor).arg(limit).once();
        let call = match action {
            Action::Cancel { reason, force } => forced(call.option("reason", Some(reason)), *force),
            Action::Retry { fresh } => call.option("fresh", fresh.then_some("1")),
            Action::Delete | Action::Purge => call,
            Action::Move { into } => call.option("into", Some(into)),
            Action::Prioritise { priority } => call.option("priority", Some(priority)),
        };
        chosen(call, filter)
    }

    /// The tags of a queue's tasks, the most used first.
    #[must_use]
    pub fn tags(&self, queue: &QueueName, cursor: &str, limit: u32) -> Call<Page<Tag>> {
        let parse = |value: &Value| {
            read::page(value, 2, |item| match item {
                [name, tasks] => Some(Tag { name: reply::text(name)?, tasks: reply::number(tasks)? }),
                _ => None,
            })
        };
        self.call("tags", parse).arg(queue).arg(cursor).arg(limit)
    }

    /// The groups of a queue's failures, the largest first.
    #[must_use]
    pub fn groups(&self, queue: &QueueName, cursor: &str, limit: u32) -> Call<Page<Group>> {
        let parse = |value: &Value| {
            read::page(value, 4, |item| match item {
                [name, tasks, last, at] => Some(Group {
                    name: reply::text(name)?,
                    tasks: reply::number(tasks)?,
                    last: reply::optional(last)?,
                    at: reply::optional(at)?.and_then(|at| at.parse().ok()),
                }),
                _ => None,
            })
        };
        self.call("groups", parse).arg(queue).arg(cursor).arg(limit)
    }

    /// Gives a task 1 to 16 tags; answers all that it has.
    #[must_use]
    pub fn tag(&self, id: &TaskId, tags: &[&str]) -> Call<Vec<String>> {
        named(self.call("tag", names).arg(id), tags)
    }

    /// Takes 1 to 16 tags from a task; answers those that remain.
    #[must_use]
    pub fn untag(&self, id: &TaskId, tags: &[&str]) -> Call<Vec<String>> {
        named(self.call("untag", names).arg(id), tags)
    }

    /// Puts a task that waits into another queue.
    #[must_use]
    pub fn move_to(&self, id: &TaskId, queue: &QueueName) -> Call<()> {
        self.call("move", read::done).arg(id).arg(queue).once()
    }

    /// Removes what is left of a queue without tasks and listeners.
    #[must_use]
    pub fn forget(&self, queue: &QueueName) -> Call<()> {
        self.call("forget", read::done).arg(queue).once()
    }
}

fn chosen<T>(call: Call<T>, filter: &Filter) -> Call<T> {
    let states: Vec<&str> = filter.states.iter().copied().map(Status::as_str).collect();
    call.option("prefix", filter.prefix.as_ref())
        .option("status", (!states.is_empty()).then(|| states.join(",")))
        .option("tag", filter.tag.as_ref())
        .option("method", filter.method.as_ref())
        .option("key", filter.key.as_ref())
        .option("group", filter.group.as_ref())
        .option("from", filter.from.map(seconds))
        .option("to", filter.to.map(seconds))
}

fn named(call: Call<Vec<String>>, tags: &[&str]) -> Call<Vec<String>> {
    tags.iter().fold(call.arg(tags.len()), super::Call::arg)
}

fn names(value: &Value) -> Option<Vec<String>> {
    reply::array(value)?.iter().map(reply::text).collect()
}
