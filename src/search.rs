//! Finding tasks, and actions on all that were found.

use crate::calls::PauseOptions;
use crate::error::Result;
use crate::model::{Changed, Force, Group, Tag};
use crate::names::QueueName;
use crate::options::Pairs;
use crate::queue::Queue;
use crate::task::Task;

/// Tasks changed by one step of a bulk: about a millisecond of the server's time.
const STEP: u32 = 50;

/// Selects tasks of a queue: those that match all its conditions; all tasks without any. The server checks all
/// bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Filter(pub(crate) Pairs);

impl Filter {
    /// All tasks.
    pub fn new() -> Self {
        Self::default()
    }
}

/// An action on many tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// As [`Task::cancel`], with a reason of 1 KiB at most.
    Cancel {
        /// The reason.
        reason: String,
        /// How held tasks are cancelled.
        force: Force,
    },
    /// As [`Task::retry`]; with `fresh` as [`Task::retry_fresh`].
    Retry {
        /// Forget the checkpoints.
        fresh: bool,
    },
    /// As [`Task::delete`].
    Delete,
    /// The same, and also waiting tasks: all that no listener holds.
    Purge,
    /// As [`Task::move_to`].
    Move {
        /// The other queue.
        into: QueueName,
    },
    /// As [`Task::prioritise`].
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

impl Queue {
    /// The ids of the tasks that match a filter, at most `limit`, the latest first: by creation, or with a group
    /// and without a tag by failure. Searches the tag, the group or else the whole queue, 300 tasks a call, until
    /// it has found enough.
    ///
    /// # Errors
    /// `BADNAME` or `BADARG` for invalid conditions; those of [`Client::call`](crate::Client::call).
    pub fn find(&self, filter: &Filter, limit: usize) -> Result<Vec<String>> {
        let mut found = Vec::new();
        let mut cursor = Some("0".to_owned());
        while let Some(at) = cursor.filter(|_| found.len() < limit) {
            let wanted = u32::try_from(limit - found.len()).unwrap_or(500).clamp(1, 500);
            let page = self.client().call(&self.client().calls().find(self.name(), filter, &at, wanted))?;
            found.extend(page.items);
            cursor = page.next;
        }
        Ok(found)
    }

    /// The tags of its tasks, the most used first.
    ///
    /// # Errors
    /// Those of [`Client::call`](crate::Client::call).
    pub fn tags(&self) -> Result<Vec<Tag>> {
        self.client().pages(|cursor| self.client().calls().tags(self.name(), cursor, 500))
    }

    /// The groups of its failures, the largest first.
    ///
    /// # Errors
    /// Those of [`Client::call`](crate::Client::call).
    pub fn groups(&self) -> Result<Vec<Group>> {
        self.client().pages(|cursor| self.client().calls().groups(self.name(), cursor, 500))
    }

    /// Does an action to every task that matches a filter, the oldest first, in steps of 50. Each step is atomic;
    /// tasks that were submitted, or with a group have failed, since it began are left alone.
    ///
    /// # Errors
    /// `BADNAME`, `BADARG` or `TOOBIG` for an invalid call; those of [`Client::call`](crate::Client::call). The
    /// steps before the error were done.
    pub fn bulk(&self, action: &Action, filter: &Filter) -> Result<Changed> {
        let mut all = Changed::default();
        let mut cursor = Some("0".to_owned());
        while let Some(at) = cursor {
            let step = self.client().call(&self.client().calls().bulk(self.name(), action, filter, &at, STEP))?;
            all.looked += step.looked;
            all.changed += step.changed;
            all.refused += step.refused;
            cursor = step.next;
        }
        Ok(all)
    }

    /// Stops giving out tasks, and orders the owners of running tasks to give them back.
    ///
    /// # Errors
    /// As [`Queue::pause`].
    pub fn pause_and_stop(&self, by: &str, reason: &str) -> Result<()> {
        self.client().call(&self.client().calls().pause(self.name(), by, reason, &PauseOptions::new().stop(true)))
    }

    /// Removes what is left of a queue without tasks, listeners and schedules: its settings, limits, events and
    /// statistics.
    ///
    /// # Errors
    /// `NOTEMPTY` while it has a task, in any state, or a listener, or a schedule creates tasks in it; `NOQUEUE` if
    /// there is none; those of [`Client::call`](crate::Client::call).
    pub fn forget(&self) -> Result<()> {
        self.client().call(&self.client().calls().forget(self.name()))
    }
}

impl Task {
    /// Adds tags to the task, in any state; returns all its tags.
    ///
    /// # Errors
    /// `NOTASK`; `TOOMANY` if it would have more than 16; `BADNAME` for an invalid tag, `BADARG` for none or more
    /// than 16 of them; those of [`Client::call`](crate::Client::call).
    pub fn tag(&self, tags: &[&str]) -> Result<Vec<String>> {
        self.client().call(&self.client().calls().tag(self.id(), tags))
    }

    /// Removes tags from the task; returns the remaining ones.
    ///
    /// # Errors
    /// `NOTASK`; `BADNAME`, `BADARG` as [`Task::tag`]; those of [`Client::call`](crate::Client::call).
    pub fn untag(&self, tags: &[&str]) -> Result<Vec<String>> {
        self.client().call(&self.client().calls().untag(self.id(), tags))
    }

    /// Moves the waiting task to another queue, behind those that wait there.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for one that does not wait; `CLOSED` if the other queue is closed, `DUPLICATE` if a task
    /// there has its unique name, `TOOMANY` if the tasks that wait there have 64 different needs; those of
    /// [`Client::call`](crate::Client::call).
    pub fn move_to(&self, queue: &QueueName) -> Result<()> {
        self.client().call(&self.client().calls().move_to(self.id(), queue))
    }
}
