//! Finding tasks, and actions on all that were found.

use std::collections::VecDeque;

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

/// Tasks changed by one step of a bulk: about a millisecond of the server's time.
const STEP: u32 = 50;

/// Records that one call reads.
const RECORDS: usize = 100;

/// Entries of one page.
const MOST: u32 = 500;

impl<L: Link> Client<L> {
    /// The ids of the tasks of all queues that match a filter, at most `limit`: one queue after another, those of each
    /// in the order of [`Queue::find`]. Queues that have none with the tag, of the group or in the states that are asked
    /// for are left out without looking at their tasks.
    ///
    /// # Errors
    /// Those of [`Queue::find`].
    pub fn find(&self, filter: &Filter, limit: usize) -> L::Answer<'_, Result<Vec<String>>> {
        let filter = filter.clone();
        L::answer(self.some(limit, move |at, wanted| self.calls().find(None, at, wanted, &filter)))
    }

    /// The ids of all tasks of all queues that match a filter, in the order of [`Client::find`], one after another: an
    /// iterator, or a stream. Each page of up to 500 is read when it is needed.
    ///
    /// # Errors
    /// Those of [`Queue::find`].
    pub fn search(&self, filter: &Filter) -> L::Many<'_, String> {
        let filter = filter.clone();
        self.all(move |at| self.calls().find(None, at, MOST, &filter))
    }

    /// The records of many tasks, in this order; none where there is no such task. Each call reads up to 100 of them, or
    /// 8 MiB, so that it keeps no others waiting.
    ///
    /// # Errors
    /// Those of [`Client::call`].
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

    /// What pages of up to so many entries hold, at most `limit`.
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

    /// What all pages hold, one entry after another.
    fn all<'a>(&'a self, page: impl Fn(&str) -> Call<Page<String>> + Clone + Send + 'a) -> L::Many<'a, String> {
        let begin = (VecDeque::new(), Some("0".to_owned()));
        L::many(begin, move |(mut found, mut cursor): (VecDeque<String>, Option<String>)| {
            let page = page.clone();
            async move {
                while found.is_empty()
                    && let Some(at) = cursor
                {
                    let call = page(&at);
                    let page = self.run(&call).await?;
                    found.extend(page.items);
                    cursor = page.next;
                }
                Ok(found.pop_front().map(|id| (id, (found, cursor))))
            }
        })
    }
}

impl<L: Link> Queue<L> {
    /// The ids of the tasks that match a filter, at most `limit`, the latest first: by creation, or with a group
    /// and without a tag by failure. Searches the tag, the group or else the whole queue, 200 tasks a call, until
    /// it has found enough.
    ///
    /// # Errors
    /// `BADNAME` or `BADARG` for invalid conditions; those of [`Client::call`](crate::Client::call).
    pub fn find(&self, filter: &Filter, limit: usize) -> L::Answer<'_, Result<Vec<String>>> {
        let filter = filter.clone();
        L::answer(
            self.client()
                .some(limit, move |at, wanted| self.client().calls().find(Some(self.name()), at, wanted, &filter)),
        )
    }

    /// The ids of all tasks that match a filter, in the order of [`Queue::find`], one after another: an iterator, or
    /// a stream. Each page of up to 500 is read when it is needed.
    ///
    /// # Errors
    /// Those of [`Queue::find`].
    pub fn search(&self, filter: &Filter) -> L::Many<'_, String> {
        let filter = filter.clone();
        self.client().all(move |at| self.client().calls().find(Some(self.name()), at, MOST, &filter))
    }

    /// The tags of its tasks, the most used first.
    ///
    /// # Errors
    /// Those of [`Client::call`](crate::Client::call).
    pub fn tags(&self) -> L::Answer<'_, Result<Vec<Tag>>> {
        L::answer(self.client().pages(|cursor| self.client().calls().tags(self.name(), cursor, MOST)))
    }

    /// The groups of its failures, the largest first.
    ///
    /// # Errors
    /// Those of [`Client::call`](crate::Client::call).
    pub fn groups(&self) -> L::Answer<'_, Result<Vec<Group>>> {
        L::answer(self.client().pages(|cursor| self.client().calls().groups(self.name(), cursor, MOST)))
    }

    /// Does an action to every task that matches a filter, the oldest first, in steps of 50. Each step is atomic;
    /// tasks that were submitted, or with a group have failed, since it began are left alone.
    ///
    /// # Errors
    /// `BADNAME`, `BADARG` or `TOOBIG` for an invalid call; those of [`Client::call`](crate::Client::call). The
    /// steps before the error were done.
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
    /// As [`Queue::pause`].
    pub fn pause_and_stop(&self, by: &str, reason: &str) -> L::Answer<'_, Result<()>> {
        self.client().make(self.client().calls().pause(self.name(), by, reason, &PauseOptions::new().stop(true)))
    }

    /// Removes what is left of a queue without tasks, listeners and schedules: its settings, limits, events and
    /// statistics.
    ///
    /// # Errors
    /// `NOTEMPTY` while it has a task, in any state, or a listener, or a schedule creates tasks in it; `NOQUEUE` if
    /// there is none; those of [`Client::call`](crate::Client::call).
    pub fn forget(&self) -> L::Answer<'_, Result<()>> {
        self.client().make(self.client().calls().forget(self.name()))
    }
}

impl<L: Link> Task<L> {
    /// Adds tags to the task, in any state; returns all its tags.
    ///
    /// # Errors
    /// `NOTASK`; `TOOMANY` if it would have more than 16; `BADNAME` for an invalid tag, `BADARG` for none or more
    /// than 16 of them; those of [`Client::call`](crate::Client::call).
    pub fn tag(&self, tags: &[&str]) -> L::Answer<'_, Result<Vec<String>>> {
        self.client().make(self.client().calls().tag(self.id(), tags))
    }

    /// Removes tags from the task; returns the remaining ones.
    ///
    /// # Errors
    /// `NOTASK`; `BADNAME`, `BADARG` as [`Task::tag`]; those of [`Client::call`](crate::Client::call).
    pub fn untag(&self, tags: &[&str]) -> L::Answer<'_, Result<Vec<String>>> {
        self.client().make(self.client().calls().untag(self.id(), tags))
    }

    /// Moves the waiting task to another queue, behind those that wait there.
    ///
    /// # Errors
    /// `NOTASK`; `STATE` for one that does not wait; `CLOSED` if the other queue is closed, `DUPLICATE` if a task
    /// there has its unique name, `TOOMANY` if the tasks that wait there have 64 different needs; those of
    /// [`Client::call`](crate::Client::call).
    pub fn move_to(&self, queue: &QueueName) -> L::Answer<'_, Result<()>> {
        self.client().make(self.client().calls().move_to(self.id(), queue))
    }
}
