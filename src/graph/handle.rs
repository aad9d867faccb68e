//! Graphs on a server.

use std::collections::HashMap;
use std::time::Duration;
use std::vec;

use super::batches::{Part, batches};
use super::digest::digest;
use super::plan::Plan;
use super::{Graph, Whole};
use crate::calls::{Call, CancelGraphOptions, GraphPart, RetryGraphOptions, SubmitGraphOptions};
use crate::client::Client;
use crate::constants::LONGEST_PAUSE;
use crate::deadline::Deadline;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::model::{GraphInfo, GraphMember, GraphPage, GraphSummary, StagedGraph, Status};
use crate::names::{GraphId, QueueName, TaskId};

/// Number of tasks or graphs of one page.
const PAGE: u32 = 500;

/// Number of tasks that one call of `run_deferred` changes.
const DEFERRED_STEPS: u32 = 100;

/// Number of deferred steps for dependents of earlier tasks. `run_deferred` does these steps before the steps of a new
/// graph.
const BEFORE: usize = 10_000;

/// A handle of a graph.
#[derive(Clone, Debug)]
pub struct GraphHandle<L: Link = Blocking> {
    client: Client<L>,
    id: GraphId,
}

/// A graph that was submitted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SubmittedGraph<L: Link = Blocking> {
    /// The graph.
    pub graph: GraphHandle<L>,
    /// False if the graph was created before.
    pub created: bool,
    /// The names of the tasks within the graph, in their order, with their ids.
    pub tasks: Vec<(String, TaskId)>,
}

impl<L: Link> SubmittedGraph<L> {
    /// Returns the id of the task with this name within the graph.
    #[must_use]
    pub fn task(&self, label: &str) -> Option<&TaskId> {
        self.tasks.iter().find(|(other, _)| other == label).map(|(_, id)| id)
    }
}

/// Returns all items of all pages. Each page is read on demand: `page` takes a cursor, and returns items and the next
/// cursor.
fn one_by_one<'a, L: Link, T: Send + 'a, N>(page: impl Fn(String) -> N + Copy + Send + 'a) -> L::Many<'a, T>
where
    N: Future<Output = Result<(Vec<T>, Option<String>)>> + Send + 'a,
{
    let first = (Vec::new().into_iter(), Some("0".to_owned()));
    L::many(first, move |(mut read, mut next): (vec::IntoIter<T>, Option<String>)| async move {
        loop {
            if let Some(one) = read.next() {
                return Ok(Some((one, (read, next))));
            }
            let Some(cursor) = next else { return Ok(None) };
            let (more, after) = page(cursor).await?;
            (read, next) = (more.into_iter(), after);
        }
    })
}

impl<L: Link> Client<L> {
    /// Returns the handle of a graph. Makes no call.
    ///
    /// # Errors
    /// `BADNAME` for an invalid id.
    pub fn graph(&self, id: &str) -> Result<GraphHandle<L>> {
        Ok(GraphHandle { client: self.clone(), id: GraphId::new(id)? })
    }

    /// Returns the graphs of the namespace, the latest first.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn graphs(&self) -> L::Many<'_, GraphSummary> {
        one_by_one::<L, _, _>(move |cursor| async move {
            let page = self.run(&self.calls().graphs(&cursor, PAGE)).await?;
            Ok((page.items, page.next))
        })
    }

    /// Continues deferred work in graphs: dependents of ended tasks, tasks of new graphs, cancels and retries. Workers
    /// do this every few seconds; this call does it at once. `tasks` is the approximate maximum number of changed
    /// tasks. Workers do the rest.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn run_deferred(&self, tasks: usize) -> L::Answer<'_, Result<()>> {
        L::answer(self.run_deferred_steps(tasks))
    }

    pub(crate) async fn run_deferred_steps(&self, tasks: usize) -> Result<()> {
        for _ in 0..tasks / DEFERRED_STEPS as usize + 2 {
            if !self.run(&self.calls().run_deferred(DEFERRED_STEPS)).await?.more {
                break;
            }
        }
        Ok(())
    }

    /// Submits a graph. On an error, no task is created. A graph with a chosen id can be submitted again: it is created
    /// once.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # fn main() -> blueque::Result<()> {
    /// let client = blueque::Client::open("redis://127.0.0.1/")?;
    /// let graph = blueque::Graph::new().name("sums");
    /// let left = graph.task("sums", "sum", &[1, 2]);
    /// let right = graph.task("sums", "sum", &[3, 4]);
    /// graph.join("sums", "sum").label("total").result_of(&left).result_of(&right);
    ///
    /// let made = client.submit_graph(&graph)?;
    /// for task in made.graph.wait(Duration::from_secs(60))? {
    ///     println!("{} {:?}", task.label, task.status);
    /// }
    /// let total = made.task("total").expect("a task of the graph");
    /// println!("{}", client.task(total.as_str())?.result::<u32>(Duration::ZERO)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `BADARG` with the place of the task for the errors of [`Graph::check`]; `DUPLICATE` if a different graph has the
    /// id, or is being submitted with it; the errors of [`Queue::submit_bytes`](crate::Queue::submit_bytes).
    pub fn submit_graph(&self, graph: &Graph) -> L::Answer<'_, Result<SubmittedGraph<L>>> {
        let (plan, whole) = (graph.plan(), graph.whole.clone());
        let id = graph.id.clone().unwrap_or_else(GraphId::random);
        L::answer(async move {
            let plan = plan?;
            plan.require_no_partition()?;
            let ids = plan.ids(&id)?;
            let graph = GraphHandle { client: self.clone(), id };
            let created = graph.stage(&plan, &ids, &whole).await?;
            let tasks: Vec<_> = plan.steps.into_iter().map(|step| step.label).zip(ids).collect();
            if !created {
                graph.must_have(&tasks).await?;
            }
            Ok(SubmittedGraph { graph, created, tasks })
        })
    }
}

impl<L: Link> GraphHandle<L> {
    /// Returns the id of the graph.
    #[must_use]
    pub fn id(&self) -> &GraphId {
        &self.id
    }

    /// Reads the name of the graph and its numbers of tasks.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph; the errors of [`Client::call`].
    pub fn info(&self) -> L::Answer<'_, Result<GraphInfo>> {
        L::answer(async { Ok(self.page("0", 1).await?.info) })
    }

    /// Reads the tasks, each after its upstreams.
    ///
    /// # Errors
    /// The errors of [`GraphHandle::info`].
    pub fn tasks(&self) -> L::Many<'_, GraphMember> {
        one_by_one::<L, _, _>(move |cursor| async move {
            let page = self.page(&cursor, PAGE).await?;
            Ok((page.tasks, page.next))
        })
    }

    /// Waits until all tasks have ended, and returns them. With [`Duration::MAX`] there is no limit.
    ///
    /// # Errors
    /// [`Error::TimedOut`] after `limit`; the errors of [`GraphHandle::info`].
    pub fn wait(&self, limit: Duration) -> L::Answer<'_, Result<Vec<GraphMember>>> {
        L::answer(async move {
            let deadline = Deadline::after(limit);
            let mut pause = Duration::from_millis(5);
            // An ended task stays ended unless it is retried, so each pass starts at the first page with an unfinished
            // task.
            let mut from = "0".to_owned();
            loop {
                let mut cursor = Some(from.clone());
                let mut ended = Vec::new();
                while let Some(at) = cursor {
                    let page = self.page(&at, PAGE).await?;
                    if !page.tasks.iter().all(has_ended) {
                        cursor = Some(at);
                        break;
                    }
                    ended.extend(page.tasks);
                    cursor = page.next;
                }
                match cursor {
                    None if from == "0" => return Ok(ended),
                    // A last pass from the beginning reads all pages without a pause.
                    None => "0".clone_into(&mut from),
                    Some(at) => {
                        from = at;
                        let left = deadline.left();
                        if left.is_zero() {
                            return Err(Error::TimedOut(limit));
                        }
                        L::pause(pause.min(left)).await;
                        pause = (pause * 2).min(LONGEST_PAUSE);
                    }
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
    /// `NOTASK` if there is no such graph; the errors of [`Client::call`].
    pub fn cancel(&self, reason: &str) -> L::Answer<'_, Result<GraphInfo>> {
        self.cancel_with(reason, &CancelGraphOptions::new())
    }

    /// Cancels all unfinished tasks like [`GraphHandle::cancel`]. With the option `task`, cancels only this task and
    /// the tasks that need it, directly or through other tasks. The option `force` kills running programs at once.
    ///
    /// # Errors
    /// The errors of [`GraphHandle::cancel`]; `NOTASK` for a task that is not in this graph.
    pub fn cancel_with(&self, reason: &str, options: &CancelGraphOptions) -> L::Answer<'_, Result<GraphInfo>> {
        let call = self.client.calls().cancel_graph(&self.id, reason, options);
        L::answer(async move {
            self.client.run(&call).await?;
            self.walked().await
        })
    }

    /// Retries the failed and cancelled tasks, and keeps complete tasks. A running task that was asked to stop for a
    /// cancel is not cancelled but given back to the queue.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph; `OVERDUE` if its deadline has passed: see [`GraphHandle::retry_with`]; the
    /// errors of [`Client::call`].
    pub fn retry(&self) -> L::Answer<'_, Result<GraphInfo>> {
        self.retry_with(&RetryGraphOptions::new())
    }

    /// Reruns a task and everything downstream, and discards their results. Running tasks are stopped first, which may
    /// take longer than this call.
    ///
    /// # Errors
    /// The errors of [`GraphHandle::retry`]; `NOTASK` for a task that is not in this graph.
    pub fn retry_from(&self, task: &TaskId) -> L::Answer<'_, Result<GraphInfo>> {
        self.retry_with(&RetryGraphOptions::new().task(task.as_str()))
    }

    /// Retries like [`GraphHandle::retry`]. With the option `task`, reruns one or several tasks like
    /// [`GraphHandle::retry_from`]. The graph and the retried tasks may get a new deadline.
    ///
    /// # Errors
    /// The errors of these methods; `OVERDUE` if the deadline of the graph has passed and there is no new deadline.
    pub fn retry_with(&self, options: &RetryGraphOptions) -> L::Answer<'_, Result<GraphInfo>> {
        let call = self.client.calls().retry_graph(&self.id, options);
        L::answer(async move {
            self.client.run(&call).await?;
            self.walked().await
        })
    }

    /// Does the deferred work after a cancel or retry, and returns the graph. Workers also do this work.
    async fn walked(&self) -> Result<GraphInfo> {
        let total = usize::try_from(self.page("0", 1).await?.info.total).unwrap_or(super::plan::TASKS);
        // The notification of the dependents of each task may be a separate step.
        self.client.run_deferred_steps(DEFERRED_STEPS as usize * 4 * total.max(25)).await?;
        Ok(self.page("0", 1).await?.info)
    }

    /// Reads all tasks.
    pub(crate) async fn members(&self) -> Result<Vec<GraphMember>> {
        let mut members = Vec::new();
        let mut cursor = Some("0".to_owned());
        while let Some(at) = cursor {
            let page = self.page(&at, PAGE).await?;
            members.extend(page.tasks);
            cursor = page.next;
        }
        Ok(members)
    }

    async fn page(&self, cursor: &str, limit: u32) -> Result<GraphPage> {
        let page = self.client.run(&self.client.calls().show_graph(&self.id, cursor, limit)).await?;
        page.ok_or_else(|| Error::State { code: Code::NoTask, text: format!("no graph has the id {}", self.id) })
    }

    /// Submits all tasks. Returns false if the graph was created before.
    async fn stage(&self, plan: &Plan, ids: &[TaskId], whole: &Whole) -> Result<bool> {
        for call in staging(&self.client, &self.id, plan, ids, (whole, plan.steps.len()))? {
            match self.client.run(&call.once()).await? {
                StagedGraph::Created => {
                    // The deferred work of earlier tasks comes first. Workers do the rest.
                    self.client.run_deferred_steps(plan.steps.len() + BEFORE).await?;
                    return Ok(true);
                }
                StagedGraph::Existing => return Ok(false),
                StagedGraph::Staged => {}
            }
        }
        Err(Error::Reply { command: "submit_graph" })
    }

    /// Checks that an existing graph has exactly these tasks, because a client may have submitted the graph without a
    /// digest. For a deleted task, only the id can be compared.
    pub(crate) async fn must_have(&self, tasks: &[(String, TaskId)]) -> Result<()> {
        let theirs = self.members().await?;
        let ours: HashMap<_, _> = tasks.iter().map(|(label, id)| (id, label)).collect();
        let is_ours =
            |task: &GraphMember| ours.get(&task.id).is_some_and(|label| task.queue.is_empty() || **label == task.label);
        if theirs.len() == tasks.len() && theirs.iter().all(is_ours) {
            return Ok(());
        }
        let text = format!("another graph has the id {}: choose another id", self.id);
        Err(Error::State { code: Code::Duplicate, text })
    }
}

/// Returns true if a task has ended or was deleted.
fn has_ended(task: &GraphMember) -> bool {
    task.status.is_none_or(Status::is_finished)
}

/// Returns the calls that submit the tasks of a plan. The graph has `total` tasks. The calls do not have their request
/// ids yet.
pub(super) fn staging<L: Link>(
    client: &Client<L>,
    id: &GraphId,
    plan: &Plan,
    ids: &[TaskId],
    (whole, total): (&Whole, usize),
) -> Result<Vec<Call<StagedGraph>>> {
    let how = plan.bounds(ids).into_iter().fold(whole.options(), SubmitGraphOptions::bounds);
    let digest = digest(plan, ids, &how);
    let how = how.digest(digest);
    let call = |batch: Vec<Part<'_>>| {
        let (queues, options) = owned(client, &batch, ids)?;
        let parts = batch.iter().zip(&queues).zip(&options).filter_map(|((part, queue), options)| {
            let Part { step, inputs, parameters, .. } = part;
            let (id, eta, label) = (ids.get(part.index)?, step.eta, step.label.as_str());
            Some(GraphPart { id, queue, eta, parameters, inputs, label, options })
        });
        let parts: Vec<_> = parts.collect();
        Ok(client.calls().stage_graph(id, total, &parts, &how))
    };
    batches(plan, ids)?.into_iter().map(call).collect()
}

/// Returns the queues and the options of parts.
fn owned<L: Link>(
    client: &Client<L>,
    batch: &[Part<'_>],
    ids: &[TaskId],
) -> Result<(Vec<QueueName>, Vec<crate::calls::TaskOptions>)> {
    let queues = batch.iter().map(|part| QueueName::new(part.step.queue.as_str())).collect::<Result<_>>()?;
    let options = batch.iter().map(|part| {
        let options = client.sized(&part.step.options);
        match part.step.bound.and_then(|bound| ids.get(bound.first)) {
            Some(key) => options.key(key.as_str()),
            None => options,
        }
    });
    Ok((queues, options.collect()))
}
