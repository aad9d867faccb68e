//! Searches for tasks, and actions on all tasks that a search finds.

use crate::calls::bulk::Action;
use crate::calls::{Call, PauseOptions};
use crate::client::Client;
use crate::error::Result;
use crate::link::Link;
use crate::model::{Changed, Group, Page, Tag, TaskInfo};
use crate::names::{QueueName, TaskId};
use crate::options::Filter;
use crate::queue::Queue;
use crate::task::Task;

/// Number of tasks that one step of a bulk changes. They take about a millisecond of the server's time.
const STEP: u32 = 50;

/// Number of records that one call reads.
const RECORDS: usize = 100;

/// Number of entries of one page.
const MOST: u32 = 500;

impl<L: Link> Client<L> {
    /// Returns at most `limit` ids of tasks of all queues that match a filter: one queue after another, and within a
    /// queue in the order of [`Queue::find`]. Queues without a task with the requested tag, group or states are skipped
    /// without reading their tasks.
    ///
    /// # Errors
    /// The errors of [`Queue::find`].
    pub fn find(&self, filter: &Filter, limit: usize) -> L::Answer<'_, Result<Vec<String>>> {
        let filter = filter.clone();
        L::answer(self.some(limit, move |at, wanted| self.calls().find(None, at, wanted, &filter)))
    }

    /// Yields the ids of all tasks of all queues that match a filter, in the order of [`Client::find`]. The blocking
    /// client returns an iterator, the asynchronous client a stream. Each page of up to 500 ids is read on demand.
    ///
    /// # Errors
    /// The errors of [`Queue::find`].
    pub fn search(&self, filter: &Filter) -> L::Many<'_, String> {
        let filter = filter.clone();
        let part = move |at: &str| self.calls().find(None, at, MOST, &filter);
        self.items("0", part, |page| (page.items, page.next), false)
    }

    /// Returns the records of many tasks, in this order; `None` for a task that does not exist. Each call reads up to
    /// 100 records, or 8 MiB, so that the server stays free for other clients.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn infos<'a>(&'a self, ids: &'a [TaskId]) -> L::Answer<'a, Result<Vec<Option<TaskInfo>>>> {
        L::answer(async move {
            let mut found = Vec::with_capacity(ids.len());
            while let Some(left) = ids.get(found.len()..).filter(|left| !left.is_empty()) {
                let page = self.run(&self.calls().get_many(left.get(..RECORDS).unwrap_or(left))).await?;
                found.extend(page.into_iter().map(|(_, info)| info));
            }
            Ok(found)
        })
    }

    /// Reads pages of up to `MOST` entries, until `limit` entries are found.
    async fn some(&self, limit: usize, page: impl Fn(&str, u32) -> Call<Page<String>> + Send) -> Result<Vec<String>> {
        let mut found = Vec::new();
        let mut cursor = Some("0".to_owned());
        while let Some(at) = cursor.filter(|_| found.len() < limit) {
            let wanted = u32::try_from(limit - found.len()).unwrap_or(MOST).clamp(1, MOST);
            let call = page(&at, wanted);
            let page = self.run(&call).await?;
            found.extend(page.items);
            cursor = page.next;
        }
        Ok(found)
    }
}

impl<L: Link> Queue<L> {
    /// Returns at most `limit` ids of tasks that match a filter, the latest first. Tasks are ordered by creation time,
    /// or by failure time if the filter has a group but no tag. Searches the tag, the group or else the whole queue,
    /// 200 tasks a call, until enough tasks are found.
    ///
    /// # Errors
    /// `BADNAME` or `BADARG` for invalid conditions; the errors of [`Client::call`](crate::Client::call).
    pub fn find(&self, filter: &Filter, limit: usize) -> L::Answer<'_, Result<Vec<String>>> {
        let filter = filter.clone();
        L::answer(
            self.client()
                .some(limit, move |at, wanted| self.client().calls().find(Some(self.name()), at, wanted, &filter)),
        )
    }

    /// Yields the ids of all tasks that match a filter, in the order of [`Queue::find`]. The blocking client returns an
    /// iterator, the asynchronous client a stream. Each page of up to 500 ids is read on demand.
    ///
    /// # Errors
    /// The errors of [`Queue::find`].
    pub fn search(&self, filter: &Filter) -> L::Many<'_, String> {
        let filter = filter.clone();
        let part = move |at: &str| self.client().calls().find(Some(self.name()), at, MOST, &filter);
        self.client().items("0", part, |page| (page.items, page.next), false)
    }

    /// Returns the tags of the queue's tasks, the most used first.
    ///
    /// # Errors
    /// The errors of [`Client::call`](crate::Client::call).
    pub fn tags(&self) -> L::Answer<'_, Result<Vec<Tag>>> {
        L::answer(self.client().pages(|cursor| self.client().calls().tags(self.name(), cursor, MOST)))
    }

    /// Returns the groups of the queue's failures, the largest first.
    ///
    /// # Errors
    /// The errors of [`Client::call`](crate::Client::call).
    pub fn groups(&self) -> L::Answer<'_, Result<Vec<Group>>> {
        L::answer(self.client().pages(|cursor| self.client().calls().groups(self.name(), cursor, MOST)))
    }

    /// Applies an action to every task that matches a filter, the oldest first, in steps of 50 tasks. Each step is
    /// atomic. Tasks that were submitted after the start are left alone. If the filter has a group, tasks that failed
    /// after the start are also left alone.
    ///
    /// # Errors
    /// `BADNAME`, `BADARG` or `TOOBIG` for an invalid call; the errors of [`Client::call`](crate::Client::call). Steps
    /// before the error stay in effect.
    pub fn bulk(&self, action: &Action, filter: &Filter) -> L::Answer<'_, Result<Changed>> {
        let (action, filter) = (action.clone(), filter.clone());
        L::answer(async move {
            let mut all = Changed::default();
            let mut cursor = Some("0".to_owned());
            while let Some(at) = cursor {
                let call = self.client().calls().bulk(self.name(), &action, &filter, &at, STEP);
                let step = self.client().run(&call).await?;
                all.looked += step.looked;
                all.changed += step.changed;
                all.refused += step.refused;
                cursor = step.next;
            }
            Ok(all)
        })
    }

    /// Stops giving out tasks, and orders the owners of running tasks to give them back.
    ///
    /// # Errors
    /// Same as [`Queue::pause`].
    pub fn pause_and_stop(&self, by: &str, reason: &str) -> L::Answer<'_, Result<()>> {
        self.client().make(self.client().calls().pause(self.name(), by, reason, &PauseOptions::new().stop(true)))
    }

    /// Deletes a queue that has no tasks, listeners or schedules: its settings, limits, events and statistics.
    ///
    /// # Errors
    /// `NOTEMPTY` while the queue has a task in any state or a listener, or a schedule creates tasks in it; `NOQUEUE`
    /// if the queue does not exist; the errors of [`Client::call`](crate::Client::call).
    pub fn delete(&self) -> L::Answer<'_, Result<()>> {
        self.client().make(self.client().calls().delete_queue(self.name()))
    }
}

impl<L: Link> Task<L> {
    /// Adds tags to the task, in any state. Returns all tags of the task.
    ///
    /// # Errors
    /// `NOTASK`; `TOOMANY` if the task then has more than 16 tags; `BADNAME` for an invalid tag, `BADARG` for no tag or
    /// more than 16 tags in the call; the errors of [`Client::call`](crate::Client::call).
    pub fn tag(&self, tags: &[&str]) -> L::Answer<'_, Result<Vec<String>>> {
        self.client().make(self.client().calls().tag(self.id(), tags))
    }

    /// Removes tags from the task. Returns the remaining tags.
    ///
    /// # Errors
    /// `NOTASK`; `BADNAME`, `BADARG` as [`Task::tag`]; the errors of [`Client::call`](crate::Client::call).
    pub fn untag(&self, tags: &[&str]) -> L::Answer<'_, Result<Vec<String>>> {
        self.client().make(self.client().calls().untag(self.id(), tags))
    }

    /// Moves the waiting task to another queue, behind the tasks that wait there.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for a task that does not wait; `CLOSED` if the other queue is closed, `DUPLICATE` if a task in
    /// that queue has the same unique name, `TOOMANY` if the tasks that wait there have 64 different needs; the errors
    /// of [`Client::call`](crate::Client::call).
    pub fn move_to(&self, queue: &QueueName) -> L::Answer<'_, Result<()>> {
        self.client().make(self.client().calls().move_to(self.id(), queue))
    }
}
