//! A handle of a graph, in one namespace or over several partitions.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::Partitions;
use super::graph_parts::GraphParts;
use super::reruns::stages;
use crate::calls::{Call, CancelGraphOptions, RetryGraphOptions};
use crate::client::Client;
use crate::constants::LONGEST_PAUSE;
use crate::deadline::Deadline;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::model::{GraphInfo, GraphPage};
use crate::names::{GraphId, PartitionName, TaskId};
use crate::topology::GlobalId;

/// Maximum number of tasks that one call reruns.
const AT_ONCE: usize = 100;

/// A handle of a graph, in one namespace or over several partitions. With partitions, the ids of its tasks are global.
///
/// Its text form is the id of the graph: with partitions the global id, which is `PARTITION:ID`.
#[derive(Clone, Debug)]
pub struct GraphHandle<L: Link = Blocking> {
    place: Place<L>,
    id: GraphId,
}

/// Where the tasks of a graph are.
#[derive(Clone, Debug)]
enum Place<L: Link> {
    Namespace(Client<L>),
    /// Several partitions, with the partition that decided the creation of the graph.
    Partitions(Partitions<L>, PartitionName),
}

impl<L: Link> fmt::Display for GraphHandle<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Namespace(_) => self.id.fmt(f),
            Place::Partitions(_, home) => f.pad(&format!("{home}:{}", self.id)),
        }
    }
}

impl<L: Link> Client<L> {
    /// Returns the handle of a graph. Makes no call.
    ///
    /// # Errors
    /// `BADNAME` for an invalid id.
    pub fn graph(&self, id: &str) -> Result<GraphHandle<L>> {
        Ok(GraphHandle::in_namespace(self, GraphId::new(id)?))
    }
}

impl<L: Link> Partitions<L> {
    /// Returns the handle of a graph. `home` and `id` are the two parts of its global id. Makes no call.
    #[must_use]
    pub fn graph(&self, home: &PartitionName, id: &GraphId) -> GraphHandle<L> {
        GraphHandle { place: Place::Partitions(self.clone(), home.clone()), id: id.clone() }
    }
}

impl<L: Link> GraphHandle<L> {
    pub(super) fn in_namespace(client: &Client<L>, id: GraphId) -> Self {
        Self { place: Place::Namespace(client.clone()), id }
    }

    /// Returns the id of the graph, without a partition.
    #[must_use]
    pub fn id(&self) -> &GraphId {
        &self.id
    }

    /// Returns the partition that decided the creation of the graph, if there are partitions.
    #[must_use]
    pub fn home(&self) -> Option<&PartitionName> {
        match &self.place {
            Place::Namespace(_) => None,
            Place::Partitions(_, home) => Some(home),
        }
    }

    /// Reads the name of the graph and its numbers of tasks.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph; the errors of [`Client::call`]. If no partition with a part answers, the
    /// error of the first partition.
    pub fn info(&self) -> L::Answer<'_, Result<GraphInfo>> {
        L::answer(self.read_info())
    }

    async fn read_info(&self) -> Result<GraphInfo> {
        match &self.place {
            Place::Namespace(client) => client.local_graph(self.id.clone()).info().await,
            Place::Partitions(..) => Ok(self.read().await?.info),
        }
    }

    /// Reads the graph with all its tasks.
    ///
    /// # Errors
    /// The errors of [`GraphHandle::info`].
    pub fn look(&self) -> L::Answer<'_, Result<GraphParts>> {
        L::answer(self.read())
    }

    pub(super) async fn read(&self) -> Result<GraphParts> {
        match &self.place {
            Place::Namespace(client) => {
                let GraphPage { info, tasks, .. } = client.local_graph(self.id.clone()).read().await?;
                Ok(GraphParts { info, tasks, missing: BTreeMap::new() })
            }
            Place::Partitions(partitions, home) => partitions.whole_graph(home, &self.id).await,
        }
    }

    /// Waits until all tasks have ended, and returns the graph. With [`Duration::MAX`] there is no limit. The call also
    /// waits for partitions that do not answer.
    ///
    /// # Errors
    /// [`Error::TimedOut`] after `limit`; `NOTASK` if there is no such graph; without partitions also the errors of
    /// [`Client::call`].
    pub fn wait(&self, limit: Duration) -> L::Answer<'_, Result<GraphParts>> {
        L::answer(async move {
            let (deadline, mut pause) = (Deadline::after(limit), Duration::from_millis(5));
            // An ended task stays ended unless it is retried, so each pass starts at the first page with an unfinished
            // task.
            let mut from = "0".to_owned();
            loop {
                let has_ended = match &self.place {
                    Place::Namespace(client) => {
                        let open = client.local_graph(self.id.clone()).first_unfinished(from).await?;
                        from = open.clone().unwrap_or_else(|| "0".to_owned());
                        open.is_none()
                    }
                    Place::Partitions(partitions, home) => match partitions.has_ended(home, &self.id).await {
                        Err(error) if error.is_transient() => false,
                        answer => answer?,
                    },
                };
                if has_ended {
                    let found = self.read().await?;
                    if found.tasks.iter().all(crate::graph::has_ended) {
                        return Ok(found);
                    }
                }
                let left = deadline.left();
                if left.is_zero() {
                    return Err(Error::TimedOut(limit, String::new()));
                }
                L::pause(pause.min(left)).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        })
    }

    /// Finds a task by its name or its id, and returns its id.
    ///
    /// # Errors
    /// `NOTASK` for a task that is not in this graph; the errors of [`GraphHandle::look`].
    pub fn member(&self, named: &str) -> L::Answer<'_, Result<TaskId>> {
        let named = named.to_owned();
        L::answer(async move {
            let found = self.read().await?;
            let task = found.tasks.iter().find(|task| task.label == named);
            let task = task.or_else(|| found.tasks.iter().find(|task| task.id.as_str() == named));
            match (task, found.missing.into_values().next()) {
                (Some(task), _) => Ok(task.id.clone()),
                (None, Some(error)) => Err(error),
                (None, None) => {
                    let text = format!("no task of the graph {self} is {named}");
                    Err(Error::State { code: Code::NoTask, text })
                }
            }
        })
    }

    /// Cancels all unfinished tasks. Running tasks are asked to stop, and their later reports are discarded. Returns
    /// when all other tasks are cancelled.
    ///
    /// ```no_run
    /// # fn main() -> blueque::Result<()> {
    /// let client = blueque::Client::open("redis://127.0.0.1/")?;
    /// let graph = client.graph("film-17")?;
    /// graph.cancel("the source was wrong")?;
    /// graph.retry()?; // runs the failed and cancelled tasks again
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph; the errors of [`Client::call`]. With partitions, the error of the first
    /// partition that does not answer: the call still takes effect in every partition that answers.
    pub fn cancel(&self, reason: &str) -> L::Answer<'_, Result<GraphInfo>> {
        self.cancel_with(reason, &CancelGraphOptions::new())
    }

    /// Cancels all unfinished tasks like [`GraphHandle::cancel`]. With the option `task`, cancels only this task and
    /// the tasks that need it, directly or through other tasks. The cancel of a task reaches other partitions through
    /// the links. The option `force` kills running programs at once.
    ///
    /// # Errors
    /// The errors of [`GraphHandle::cancel`]; `NOTASK` for a task that is not in this graph.
    pub fn cancel_with(&self, reason: &str, options: &CancelGraphOptions) -> L::Answer<'_, Result<GraphInfo>> {
        let (reason, options) = (reason.to_owned(), options.clone());
        L::answer(async move {
            match (&self.place, options.0.get("task")) {
                (Place::Partitions(partitions, _), Some(task)) => {
                    let task: GlobalId = task.parse()?;
                    let client = partitions.client(task.partition()).await?;
                    let options = options.clone().task(task.task().as_str());
                    let call = client.calls().cancel_graph(&self.id, &reason, &options);
                    client.local_graph(self.id.clone()).change(&call).await?;
                }
                _ => self.each(|client| client.calls().cancel_graph(&self.id, &reason, &options)).await?,
            }
            self.read_info().await
        })
    }

    /// Retries the failed and cancelled tasks, and keeps complete tasks. A running task that was asked to stop for a
    /// cancel is not cancelled but given back to the queue.
    ///
    /// # Errors
    /// The errors of [`GraphHandle::cancel`]; `OVERDUE` if the deadline of the graph has passed: see
    /// [`GraphHandle::retry_with`].
    pub fn retry(&self) -> L::Answer<'_, Result<GraphInfo>> {
        self.retry_with(&RetryGraphOptions::new())
    }

    /// Reruns a task and everything downstream in all partitions, and discards their results. The results of other
    /// tasks are kept. Running tasks are stopped first, which may take longer than this call. With partitions, a
    /// running [`Deliverer`](super::Deliverer) carries ends from one partition to another.
    ///
    /// The call proceeds from partition to partition. If the process is killed or loses a partition during the call,
    /// tasks further downstream keep their former state. Repeat the call then; it starts with the first task again.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph or task; `STATE` if a partition has not created its part; the error of the
    /// first partition that does not answer: then nothing was changed, unless the partition answered earlier during the
    /// call; `OVERDUE`; the errors of [`Client::call`].
    pub fn retry_from(&self, task: &TaskId) -> L::Answer<'_, Result<GraphInfo>> {
        self.retry_with(&RetryGraphOptions::new().task(task.as_str()))
    }

    /// Retries like [`GraphHandle::retry`]. With the option `task`, reruns one or several tasks like
    /// [`GraphHandle::retry_from`]. The graph and the retried tasks may get a new deadline.
    ///
    /// # Errors
    /// The errors of these methods; `OVERDUE` if the deadline of the graph has passed and there is no new deadline.
    pub fn retry_with(&self, options: &RetryGraphOptions) -> L::Answer<'_, Result<GraphInfo>> {
        let options = options.clone();
        L::answer(async move {
            match (&self.place, options.0.get("task")) {
                (Place::Partitions(partitions, home), Some(tasks)) => {
                    self.rerun(partitions, home, tasks, &options).await?;
                }
                (place, _) => {
                    self.each(|client| client.calls().retry_graph(&self.id, &options)).await?;
                    if let Place::Partitions(partitions, home) = place {
                        let (parts, _) = partitions.parts(home, &self.id).await?;
                        for name in parts.keys() {
                            partitions.relink(name, self.id.as_str()).await?;
                        }
                    }
                }
            }
            self.read_info().await
        })
    }

    /// Reruns tasks and everything downstream, from partition to partition.
    async fn rerun(
        &self,
        partitions: &Partitions<L>,
        home: &PartitionName,
        tasks: &str,
        options: &RetryGraphOptions,
    ) -> Result<()> {
        let tasks = tasks.split(',').map(str::parse).collect::<Result<Vec<GlobalId>>>()?;
        let (parts, missing) = partitions.parts(home, &self.id).await?;
        if let Some(error) = missing.into_values().next() {
            return Err(error);
        }
        for stage in stages(&parts, &tasks)? {
            let client = partitions.client(&stage.partition).await?;
            for some in stage.tasks.chunks(AT_ONCE) {
                if stage.are_placeholders {
                    partitions.distrust(&stage.partition, some).await?;
                }
                let names: Vec<&str> = some.iter().map(TaskId::as_str).collect();
                let call = client.calls().retry_graph(&self.id, &options.clone().task(names.join(",")));
                client.local_graph(self.id.clone()).change(&call).await?;
            }
        }
        Ok(())
    }

    /// Makes a call in each namespace that has tasks of the graph. Continues after an error, and returns the first
    /// error.
    async fn each(&self, call: impl Fn(&Client<L>) -> Call<()> + Send + Sync) -> Result<()> {
        let (partitions, home) = match &self.place {
            Place::Namespace(client) => return client.local_graph(self.id.clone()).change(&call(client)).await,
            Place::Partitions(partitions, home) => (partitions, home),
        };
        let (parts, missing) = partitions.parts(home, &self.id).await?;
        let mut failed = missing.into_values().next();
        for name in parts.keys() {
            let done = match partitions.client(name).await {
                Ok(client) => client.local_graph(self.id.clone()).change(&call(&client)).await,
                Err(error) => Err(error),
            };
            failed = failed.or(done.err());
        }
        failed.map_or(Ok(()), Err)
    }
}
