//! Actions on many tasks or a whole queue.

use super::{Call, Calls};
use crate::model::{Force, Step};
use crate::names::QueueName;
use crate::options::Filter;

/// An action on many tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Cancels tasks like [`Task::cancel`](crate::Task::cancel), with a reason of 1 KiB at most.
    Cancel {
        /// The reason.
        reason: String,
        /// The way in which held tasks are cancelled.
        force: Force,
    },
    /// Retries tasks like [`Task::retry`](crate::Task::retry), or with `fresh` like
    /// [`Task::retry_fresh`](crate::Task::retry_fresh).
    Retry {
        /// Discards the checkpoints.
        fresh: bool,
        /// Another queue in which the tasks run again. Tasks of a graph and tasks with upstreams are refused.
        into: Option<QueueName>,
    },
    /// Same as [`Task::delete`](crate::Task::delete).
    Delete,
    /// Deletes finished and waiting tasks: all tasks that no listener holds.
    Purge,
    /// Same as [`Task::move_to`](crate::Task::move_to).
    Move {
        /// Queue to which the tasks move.
        into: QueueName,
    },
    /// Same as [`Task::prioritise`](crate::Task::prioritise).
    Prioritise {
        /// New priority: -1,000 to 1,000, higher first.
        priority: i32,
    },
    /// Same as [`Task::hold`](crate::Task::hold).
    Hold,
    /// Same as [`Task::unhold`](crate::Task::unhold).
    Unhold,
    /// Same as [`Task::suspend`](crate::Task::suspend).
    Suspend,
    /// Same as [`Task::unsuspend`](crate::Task::unsuspend).
    Unsuspend,
    /// Same as [`Task::signal`](crate::Task::signal).
    Signal {
        /// Name of the signal, without SIG.
        signal: String,
    },
    /// Same as [`Task::requeue`](crate::Task::requeue).
    Requeue,
}

impl Action {
    /// Name of the action in the contract.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Cancel { .. } => "cancel",
            Self::Retry { .. } => "retry",
            Self::Delete => "delete",
            Self::Purge => "purge",
            Self::Move { .. } => "move",
            Self::Prioritise { .. } => "prioritise",
            Self::Hold => "hold",
            Self::Unhold => "unhold",
            Self::Suspend => "suspend",
            Self::Unsuspend => "unsuspend",
            Self::Signal { .. } => "signal",
            Self::Requeue => "requeue",
        }
    }
}

impl Calls {
    /// Does one step of a bulk: changes at most `limit` (1 to 500) tasks. Begin with the cursor `0`.
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
            Action::Delete
            | Action::Purge
            | Action::Hold
            | Action::Unhold
            | Action::Suspend
            | Action::Unsuspend
            | Action::Requeue => call,
            Action::Move { into } => call.arg("into").arg(into),
            Action::Signal { signal } => call.arg("signal").arg(signal),
            Action::Prioritise { priority } => call.arg("priority").arg(priority),
        };
        call.pairs(&filter.0)
    }
}
