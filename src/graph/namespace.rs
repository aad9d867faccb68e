//! Graphs in one namespace of a server.

use std::collections::HashMap;

use super::batches::{Part, batches};
use super::digest::digest;
use super::plan::Plan;
use super::{Parcel, Whole};
use crate::calls::{Call, GraphPart, SubmitGraphOptions};
use crate::client::Client;
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

/// The tasks of a graph in one namespace: a whole graph, or its part in one of several partitions.
#[derive(Clone, Debug)]
pub(crate) struct LocalGraph<L: Link = Blocking> {
    client: Client<L>,
    id: GraphId,
}

impl<L: Link> Client<L> {
    /// Returns the part of a graph in this namespace.
    pub(crate) fn local_graph(&self, id: GraphId) -> LocalGraph<L> {
        LocalGraph { client: self.clone(), id }
    }

    /// Returns the graphs of the namespace, the latest first.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn graphs(&self) -> L::Many<'_, GraphSummary> {
        self.items("0", |cursor| self.calls().graphs(cursor, PAGE), |page| (page.items, page.next), false)
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
}

impl<L: Link> LocalGraph<L> {
    /// Reads the name of the graph and its numbers of tasks.
    pub(crate) async fn info(&self) -> Result<GraphInfo> {
        Ok(self.page("0", 1).await?.info)
    }

    /// Reads the graph and all tasks, each after its upstreams.
    pub(crate) async fn read(&self) -> Result<GraphPage> {
        let mut whole = self.page("0", PAGE).await?;
        while let Some(at) = whole.next.take() {
            let page = self.page(&at, PAGE).await?;
            whole.tasks.extend(page.tasks);
            whole.next = page.next;
        }
        Ok(whole)
    }

    /// Returns the cursor of the first page from `cursor` on that has an unfinished task.
    pub(crate) async fn first_unfinished(&self, mut cursor: String) -> Result<Option<String>> {
        loop {
            let page = self.page(&cursor, PAGE).await?;
            match page.next {
                _ if !page.tasks.iter().all(has_ended) => return Ok(Some(cursor)),
                Some(next) => cursor = next,
                None => return Ok(None),
            }
        }
    }

    /// Makes a call that cancels or retries tasks, and then the deferred work after it. Workers also do this work.
    pub(crate) async fn change(&self, call: &Call<()>) -> Result<()> {
        self.client.run(call).await?;
        let total = usize::try_from(self.info().await?.total).unwrap_or(super::plan::TASKS);
        // The notification of the dependents of each task may be a separate step.
        self.client.run_deferred_steps(DEFERRED_STEPS as usize * 4 * total.max(25)).await
    }

    async fn page(&self, cursor: &str, limit: u32) -> Result<GraphPage> {
        let page = self.client.run(&self.client.calls().show_graph(&self.id, cursor, limit)).await?;
        page.ok_or_else(|| Error::State { code: Code::NoTask, text: format!("no graph has the id {}", self.id) })
    }

    /// Submits all tasks. Returns false if the graph was created before.
    pub(crate) async fn create(&self, parcel: Parcel) -> Result<bool> {
        match self.stage(parcel.calls, &parcel.members).await? {
            StagedGraph::Created => {
                // The deferred work of earlier tasks comes first. Workers do the rest, also after an error.
                let _ = self.client.run_deferred_steps(parcel.members.len() + BEFORE).await;
                Ok(true)
            }
            StagedGraph::Existing => Ok(false),
            StagedGraph::Staged => Err(Error::Reply { command: "submit_graph" }),
        }
    }

    /// Makes the calls that stage a graph or a part of it. If it was created before, checks that it has exactly these
    /// tasks.
    pub(crate) async fn stage(&self, calls: Vec<Call<StagedGraph>>, tasks: &[(String, TaskId)]) -> Result<StagedGraph> {
        for call in calls {
            match self.client.run(&call.once()).await? {
                StagedGraph::Staged => {}
                StagedGraph::Created => return Ok(StagedGraph::Created),
                StagedGraph::Existing => return self.must_have(tasks).await.map(|()| StagedGraph::Existing),
            }
        }
        Ok(StagedGraph::Staged)
    }

    /// Checks that an existing graph has exactly these tasks, because a client may have submitted the graph without a
    /// digest. For a deleted task, only the id can be compared.
    async fn must_have(&self, tasks: &[(String, TaskId)]) -> Result<()> {
        let theirs = self.read().await?.tasks;
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
pub(crate) fn has_ended(task: &GraphMember) -> bool {
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
    let how = whole.submitter.as_deref().into_iter().fold(how, SubmitGraphOptions::submitter);
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
