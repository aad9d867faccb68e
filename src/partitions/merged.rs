//! Concurrent reads of all partitions, with the outcome of each.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::{Duration, Instant};

use super::Partitions;
use crate::client::Client;
use crate::error::{Error, Result};
#[cfg(feature = "tokio")]
use crate::link::tokio::Tokio;
use crate::link::{Blocking, Link};
use crate::model::{Counts, QueueInfo, WorkerInfo};
use crate::names::{PartitionName, TaskId};
use crate::options::Filter;
use crate::topology::{GlobalId, StoredTopology};

/// Maximum number of partitions that are read at the same time.
const AT_ONCE: usize = 64;

/// The answers of the partitions, and the errors of partitions without an answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Merged<T> {
    /// The answers.
    pub answers: BTreeMap<PartitionName, T>,
    /// The errors of the partitions without an answer.
    pub missing: BTreeMap<PartitionName, Error>,
}

impl<T> Merged<T> {
    /// Returns the answers if every partition has answered.
    ///
    /// # Errors
    /// The error of the first partition without an answer.
    pub fn all(self) -> Result<BTreeMap<PartitionName, T>> {
        match self.missing.into_values().next() {
            Some(error) => Err(error),
            None => Ok(self.answers),
        }
    }
}

impl<L: Link> Partitions<L> {
    /// The topology that each partition has stored, without a check of its names.
    pub fn stored(&self) -> L::Answer<'_, Merged<Option<StoredTopology>>> {
        L::answer(self.ask_all(move |name, end| async move {
            let client = self.reach(&name).await?.until(end);
            L::step(client.topology()).await
        }))
    }

    /// The queues of each partition.
    pub fn queues(&self) -> L::Answer<'_, Merged<Vec<QueueInfo>>> {
        L::answer(self.each_steps(|_, client| async move { L::step(client.queues()).await }))
    }

    /// The workers of each partition that send reports.
    pub fn workers(&self) -> L::Answer<'_, Merged<Vec<WorkerInfo>>> {
        L::answer(self.each_steps(|_, client| async move { L::step(client.workers()).await }))
    }

    /// The number of tasks of a queue in each state, by partition.
    pub fn counts(&self, queue: &str) -> L::Answer<'_, Merged<Counts>> {
        let queue = queue.to_owned();
        L::answer(async move {
            let queue = &queue;
            let ask = |_, client: Client<L>| async move { L::step(client.queue(queue)?.counts()).await };
            self.each_steps(ask).await
        })
    }

    /// The tasks that match, at most `limit` of each partition.
    pub fn find(&self, filter: &Filter, limit: usize) -> L::Answer<'_, Merged<Vec<GlobalId>>> {
        let filter = filter.clone();
        L::answer(async move {
            let filter = &filter;
            let ask = |name: PartitionName, client: Client<L>| async move {
                let found = L::step(client.find(filter, limit)).await?;
                found.into_iter().map(|id| Ok(GlobalId::new(name.clone(), TaskId::new(id)?))).collect()
            };
            self.each_steps(ask).await
        })
    }

    /// Calls all partitions through their clients.
    pub(super) async fn each_steps<T: Send, F>(
        &self,
        ask: impl Fn(PartitionName, Client<L>) -> F + Send + Sync,
    ) -> Merged<T>
    where
        F: Future<Output = Result<T>> + Send,
    {
        let ask = &ask;
        self.ask_all(move |name, end| async move {
            let client = self.client(&name).await?.until(end);
            ask(name, client).await
        })
        .await
    }

    /// Calls all partitions. Each call must end at the given instant.
    pub(super) async fn ask_all<T: Send, F>(&self, ask: impl Fn(PartitionName, Instant) -> F + Send) -> Merged<T>
    where
        F: Future<Output = Result<T>> + Send,
    {
        Self::ask(self.names().cloned().collect(), self.inner.builder.limit, ask).await
    }

    /// Calls these partitions. Each call must end within the limit.
    pub(super) async fn ask<T: Send, F>(
        names: Vec<PartitionName>,
        limit: Duration,
        ask: impl Fn(PartitionName, Instant) -> F + Send,
    ) -> Merged<T>
    where
        F: Future<Output = Result<T>> + Send,
    {
        let end = Instant::now() + limit;
        let step = |name: PartitionName| {
            let answer = ask(name.clone(), end);
            async move { (name, answer.await) }
        };
        let steps: Vec<_> = names.into_iter().map(step).collect();
        let mut merged = Merged { answers: BTreeMap::new(), missing: BTreeMap::new() };
        for (name, answer) in L::together(steps, AT_ONCE).await {
            match answer {
                Ok(answer) => _ = merged.answers.insert(name, answer),
                Err(error) => _ = merged.missing.insert(name, error),
            }
        }
        merged
    }
}

impl Partitions<Blocking> {
    /// Calls all partitions, up to 64 at the same time. The limit of one call applies to all of them, so a hanging
    /// partition delays the answer by no more than that limit.
    pub fn each<T: Send>(&self, ask: impl Fn(&Client) -> Result<T> + Sync) -> Merged<T> {
        let ask = &ask;
        Blocking::answer(self.each_steps(move |_, client| async move { ask(&client) }))
    }
}

#[cfg(feature = "tokio")]
impl Partitions<Tokio> {
    /// Calls all partitions, up to 64 at the same time. The limit of one call applies to all of them, so a hanging
    /// partition delays the answer by no more than that limit.
    pub fn each<'a, T, F>(
        &'a self,
        ask: impl Fn(Client<Tokio>) -> F + Send + Sync + 'a,
    ) -> <Tokio as Link>::Answer<'a, Merged<T>>
    where
        T: Send + 'a,
        F: Future<Output = Result<T>> + Send + 'a,
    {
        Tokio::answer(self.each_steps(move |_, client| ask(client)))
    }
}
