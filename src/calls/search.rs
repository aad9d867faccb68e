//! Tags, groups of failures, search, and actions on many tasks or a whole queue.

use super::{Call, Calls};
use crate::model::reply;
use crate::model::{Force, Group, Page, Step, Tag};
use crate::names::{QueueName, TaskId};
use crate::options::Filter;

/// An action on many tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// As [`Task::cancel`](crate::Task::cancel), with a reason of 1 KiB at most.
    Cancel {
        /// The reason.
        reason: String,
        /// How held tasks are cancelled.
        force: Force,
    },
    /// As [`Task::retry`](crate::Task::retry); with `fresh` as [`Task::retry_fresh`](crate::Task::retry_fresh).
    Retry {
        /// Forget the checkpoints.
        fresh: bool,
        /// Another queue, in which they run again. Tasks of a graph, and those that waited for others, are refused.
        into: Option<QueueName>,
    },
    /// As [`Task::delete`](crate::Task::delete).
    Delete,
    /// The same, and also waiting tasks: all that no listener holds.
    Purge,
    /// As [`Task::move_to`](crate::Task::move_to).
    Move {
        /// The other queue.
        into: QueueName,
    },
    /// As [`Task::prioritise`](crate::Task::prioritise).
    Prioritise {
        /// -1,000 to 1,000, higher first.
        priority: i32,
    },
}

impl Action {
    /// Its word in the contract.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Cancel { .. } => "cancel",
            Self::Retry { .. } => "retry",
            Self::Delete => "delete",
            Self::Purge => "purge",
            Self::Move { .. } => "move",
            Self::Prioritise { .. } => "prioritise",
        }
    }
}

impl Calls {
    /// Ids of a queue's tasks that match a filter, the latest first, at most `limit` (1 to 500). Looks at 200
    /// tasks: a page may be empty without being the last.
    #[must_use]
    pub fn find(&self, queue: &QueueName, filter: &Filter, cursor: &str, limit: u32) -> Call<Page<String>> {
        self.call("find", reply::page).arg(queue).arg(cursor).arg(limit).pairs(&filter.0)
    }

    /// The same of all queues, one queue after another. A cursor names the queue and the place in it. Looks at 200 tasks,
    /// and leaves out queues that have none with the tag, of the group or in the states that are asked for.
    #[must_use]
    pub fn find_everywhere(&self, filter: &Filter, cursor: &str, limit: u32) -> Call<Page<String>> {
        self.call("find", reply::page).arg("*").arg(cursor).arg(limit).pairs(&filter.0)
    }

    /// One step of a bulk: changes at most `limit` (1 to 500) tasks. Begin with the cursor `0`.
    #[must_use]
    pub fn bulk(&self, queue: &QueueName, action: &Action, filter: &Filter, cursor: &str, limit: u32) -> Call<Step> {
        let call = self.call("bulk", Step::read).arg(queue).arg(action.as_str()).arg(cursor).arg(limit).once();
        let call = match action {
            Action::Cancel { reason, force } => {
                let call = call.arg("reason").arg(reason);
                match force {
                    Force::No => call,
                    Force::Kill => call.arg("force").arg(1),
                    Force::AtOnce => call.arg("at_once").arg(1),
                }
            }
            Action::Retry { fresh, into } => {
                let call = if *fresh { call.arg("fresh").arg(1) } else { call };
                into.iter().fold(call, |call, into| call.arg("into").arg(into))
            }
            Action::Delete | Action::Purge => call,
            Action::Move { into } => call.arg("into").arg(into),
            Action::Prioritise { priority } => call.arg("priority").arg(priority),
        };
        call.pairs(&filter.0)
    }

    /// The tags of a queue's tasks, the most used first.
    #[must_use]
    pub fn tags(&self, queue: &QueueName, cursor: &str, limit: u32) -> Call<Page<Tag>> {
        self.call("tags", reply::page).arg(queue).arg(cursor).arg(limit)
    }

    /// The groups of a queue's failures, the largest first.
    #[must_use]
    pub fn groups(&self, queue: &QueueName, cursor: &str, limit: u32) -> Call<Page<Group>> {
        self.call("groups", reply::page).arg(queue).arg(cursor).arg(limit)
    }

    /// Adds 1 to 16 tags to a task; returns all its tags.
    #[must_use]
    pub fn tag(&self, id: &TaskId, tags: &[&str]) -> Call<Vec<String>> {
        named(self.call("tag", reply::list).arg(id), tags)
    }

    /// Removes 1 to 16 tags from a task; returns the remaining ones.
    #[must_use]
    pub fn untag(&self, id: &TaskId, tags: &[&str]) -> Call<Vec<String>> {
        named(self.call("untag", reply::list).arg(id), tags)
    }

    /// Moves a waiting task to another queue.
    #[must_use]
    pub fn move_to(&self, id: &TaskId, queue: &QueueName) -> Call<()> {
        self.call("move", reply::done).arg(id).arg(queue).once()
    }

    /// Removes what is left of a queue without tasks and listeners.
    #[must_use]
    pub fn forget(&self, queue: &QueueName) -> Call<()> {
        self.call("forget", reply::done).arg(queue).once()
    }
}

fn named(call: Call<Vec<String>>, tags: &[&str]) -> Call<Vec<String>> {
    tags.iter().fold(call.arg(tags.len()), super::Call::arg)
}
