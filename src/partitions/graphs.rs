//! Graphs over several partitions. Either all parts are created, or no part is created.
//!
//! The part of the first partition decides. The remaining parts are staged before it, without their last task. A staged
//! part is invisible, and it expires after ten minutes. Then one call creates the first part. The first part has a task
//! for each staged part. This task holds the whole staged part, and stays until that part is created. If a process dies
//! at any point, a [`Deliverer`](super::Deliverer) completes the decided graph.

use std::time::SystemTime;

use super::graph_handle::GraphHandle;
use super::graph_parts::others;
use super::{Partitions, remote_edges};
use crate::calls::Call;
use crate::client::Client;
use crate::error::{Code, Error, Result};
use crate::graph::{Graph, Shares};
use crate::link::{Blocking, Link};
use crate::model::{GraphState, StagedGraph};
use crate::names::{GraphId, PartitionName, TaskId};
use crate::placeholder::{QUEUE, RECEIPT_STAYS, patient, receipt};
use crate::submit_hooks::{Submission, around};
use crate::topology::GlobalId;

/// A graph that was submitted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SubmittedGraph<L: Link = Blocking> {
    /// The graph.
    pub graph: GraphHandle<L>,
    /// False if the graph was created before.
    pub created: bool,
    /// The names of the tasks within the graph, in their order, with their ids: global ids if there are partitions.
    pub tasks: Vec<(String, TaskId)>,
    /// The partitions that have not created their part. A [`Deliverer`](crate::Deliverer) creates the part when the
    /// partition answers.
    pub coming: Vec<PartitionName>,
}

impl<L: Link> SubmittedGraph<L> {
    /// Returns the id of the task with this name within the graph.
    #[must_use]
    pub fn task(&self, label: &str) -> Option<&TaskId> {
        self.tasks.iter().find(|(other, _)| other == label).map(|(_, id)| id)
    }
}

impl<L: Link> Client<L> {
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
    /// for task in made.graph.wait(Duration::from_secs(60))?.tasks {
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
        let submission = graph.submission();
        // Without hooks the graph is not copied.
        let parcel = if self.submit_hooks().is_empty() { Ok(graph.parcel(self)) } else { Err(graph.clone()) };
        L::answer(around(self.submit_hooks(), submission, async move |submission: Submission| {
            let (id, parcel) = match parcel {
                Ok(parcel) => parcel?,
                Err(graph) => graph.traced(&submission.options).parcel(self)?,
            };
            let tasks = parcel.members.clone();
            let created = self.local_graph(id.clone()).create(parcel).await?;
            Ok(SubmittedGraph { graph: GraphHandle::in_namespace(self, id), created, tasks, coming: Vec::new() })
        }))
    }
}

impl<L: Link> Partitions<L> {
    /// Submits a graph whose tasks are in several partitions. On an error, no task is created. A task without a
    /// partition of its own goes to `otherwise`, or else to the partition that the graph's id chooses. Tasks of one
    /// partition may wait for tasks of another partition; this needs a running [`Deliverer`](super::Deliverer).
    ///
    /// # Errors
    /// The errors of [`Client::submit_graph`]; the error of the first partition that does not answer: then nothing was
    /// created.
    pub fn submit_graph(
        &self,
        graph: &Graph,
        otherwise: Option<&PartitionName>,
    ) -> L::Answer<'_, Result<SubmittedGraph<L>>> {
        let (names, hooks) = (&self.inner.names, self.inner.builder.submit_hooks());
        let all = if hooks.is_empty() {
            Ok(graph.shares(names, otherwise))
        } else {
            Err((graph.clone(), otherwise.cloned()))
        };
        L::answer(around(hooks, graph.submission(), async move |submission: Submission| {
            let all = match all {
                Ok(all) => all,
                Err((graph, otherwise)) => graph.traced(&submission.options).shares(names, otherwise.as_ref()),
            };
            self.submit_shares(all?).await
        }))
    }

    async fn submit_shares(&self, mut all: Shares) -> Result<SubmittedGraph<L>> {
        let global = |(label, id): &(String, GlobalId)| Ok((label.clone(), TaskId::new(id.to_string())?));
        let tasks = all.tasks.iter().map(global).collect::<Result<_>>()?;
        let (client, mut clients) = (self.client(&all.home.partition).await?, Vec::new());
        for share in &all.others {
            clients.push(self.client(&share.partition).await?);
        }
        // This check comes before the first write.
        for client in [&client].into_iter().chain(&clients) {
            L::step(client.topology()).await?;
        }
        let (mut parcels, mut texts, mut staged) = (Vec::new(), Vec::new(), Vec::new());
        for (share, client) in all.others.iter().zip(&clients) {
            let parcel = all.other(share, client)?;
            let part = client.local_graph(all.id.clone());
            if part.stage(parcel.calls, &parcel.members).await? == StagedGraph::Staged {
                let receipts = parcel.texts.iter().map(|text| receipt(text));
                staged.push((client, receipts.collect::<Result<Vec<_>>>()?));
            }
            texts.push((share.partition.clone(), parcel.texts));
            parcels.push((share.partition.clone(), client, parcel.seals));
        }
        let first = all.first(&client, &texts)?;
        for (client, receipts) in &staged {
            acknowledge(client, receipts).await?;
        }
        let created = client.local_graph(all.id.clone()).create(first).await;
        // If the server did not answer, the graph may exist.
        if matches!(created, Err(Error::State { .. } | Error::Invalid { .. })) {
            for (client, receipts) in &staged {
                for receipt in receipts {
                    let _ = forget(client, receipt).await;
                }
            }
        }
        let created = created?;
        // The graph is decided. Steps that fail from here on are completed later.
        if !created {
            // The earlier submit may have stopped before these steps.
            let _ = client.run_deferred_steps(remote_edges::DEFERRED_STEPS).await;
        }
        let mut coming = Vec::new();
        for (name, client, seals) in parcels {
            if !matches!(seal(client, seals).await, Ok(StagedGraph::Created | StagedGraph::Existing)) {
                coming.push(name);
            }
        }
        Ok(SubmittedGraph { graph: self.graph(&all.home.partition, &all.id), created, tasks, coming })
    }

    /// Returns the partitions of a graph, with the deciding partition first. Makes no call.
    ///
    /// # Errors
    /// The errors of [`Graph::check`]; `BADARG` for an unknown partition.
    pub fn partitions_of(&self, graph: &Graph, otherwise: Option<&PartitionName>) -> Result<Vec<PartitionName>> {
        let all = graph.shares(&self.inner.names, otherwise)?;
        Ok([all.home].into_iter().chain(all.others).map(|share| share.partition).collect())
    }

    /// Finds the graph with this id in all partitions.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph, or if it is being submitted; `BADARG` if several partitions have separate
    /// graphs with this id; the error of a partition that does not answer, if no other partition has the graph.
    pub fn find_graph(&self, id: &GraphId) -> L::Answer<'_, Result<GraphHandle<L>>> {
        let id = id.clone();
        L::answer(async move { self.found_graph(&id).await })
    }

    async fn found_graph(&self, id: &GraphId) -> Result<GraphHandle<L>> {
        let ask = |_, client: Client<L>| async move {
            match client.local_graph(id.clone()).info().await {
                // A staged part does not show which part decides.
                Ok(info) => Ok(info.state != Some(GraphState::Staging)),
                Err(error) if error.code() == Some(Code::NoTask) => Ok(false),
                Err(error) => Err(error),
            }
        };
        let found = self.each_steps(ask).await;
        let has: Vec<PartitionName> = found.answers.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect();
        let Some(first) = has.first() else {
            let text = format!("no graph has the id {id}");
            return Err(found.missing.into_values().next().unwrap_or(Error::State { code: Code::NoTask, text }));
        };
        let graph = self.graph(first, id);
        let (parts, missing) = self.parts(first, id).await?;
        if let Some(other) = has.iter().find(|name| !parts.contains_key(name) && !missing.contains_key(name)) {
            return Err(Error::argument(format!("{id} is ambiguous: {first}:{id}, {other}:{id}")));
        }
        let home = parts.values().flat_map(others).find(|(_, is_first)| *is_first);
        Ok(home.map_or(graph, |(home, _)| self.graph(&home, id)))
    }
}

/// Stores a receipt of each text in its target partition. A deliverer creates only parts that have a receipt.
async fn acknowledge<L: Link>(client: &Client<L>, receipts: &[TaskId]) -> Result<()> {
    for receipt in receipts {
        let receipt = patient().id(receipt.clone()).eta(SystemTime::now() + RECEIPT_STAYS);
        L::step(client.queue(QUEUE)?.submit_bytes(b"null", receipt)).await?;
    }
    Ok(())
}

/// Removes a receipt if it exists.
pub(super) async fn forget<L: Link>(client: &Client<L>, receipt: &TaskId) -> Result<()> {
    let receipt = client.task(receipt.as_str())?;
    remote_edges::unless_state(L::step(receipt.cancel("its part is made, or never will be")).await)?;
    remote_edges::unless_state(L::step(receipt.delete()).await)
}

/// Creates the part that was staged in a partition.
async fn seal<L: Link>(client: &Client<L>, seals: Vec<Call<StagedGraph>>) -> Result<StagedGraph> {
    let mut last = StagedGraph::Staged;
    for call in seals {
        last = client.run(&call.once()).await?;
    }
    let _ = client.run_deferred_steps(remote_edges::DEFERRED_STEPS).await;
    Ok(last)
}
