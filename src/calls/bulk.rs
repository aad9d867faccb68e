//! Actions on many tasks or a whole queue.

use super::{Call, Calls};
use crate::model::{Force, Step};
use crate::names::QueueName;
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
}
