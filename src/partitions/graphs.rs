//! Graphs over several partitions. Either all parts are created, or no part is created.
//!
//! The part of the first partition decides. The remaining parts are staged before it, without their last task. A staged
//! part is invisible, and it expires after ten minutes. Then one call creates the first part. The first part has a task
//! for each staged part. This task holds the whole staged part, and stays until that part is created. If a process dies
//! at any point, a [`Deliverer`](super::Deliverer) completes the decided graph.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, SystemTime};

use super::Partitions;
use super::remote_edges;
use super::reruns::stages;
use crate::calls::{Call, CancelGraphOptions, RetryGraphOptions};
use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::{Code, Error, Result};
use crate::graph::{Graph, GraphHandle, Parcel, Shares};
use crate::link::{Blocking, Link};
use crate::model::{GraphInfo, GraphMember, GraphState, StagedGraph, Status};
use crate::names::{GraphId, PartitionName, TaskId};
use crate::placeholder::{Carrier, QUEUE, RECEIPT_STAYS, other_part, patient, receipt};
use crate::topology::GlobalId;

/// The longest pause between two reads of a graph during [`SpreadGraph::wait`].
const LOOK: Duration = Duration::from_secs(1);

/// Maximum number of tasks that one call reruns.
const AT_ONCE: usize = 100;

/// A graph in one or several partitions.
#[derive(Clone, Debug)]
pub struct SpreadGraph<L: Link = Blocking> {
    partitions: Partitions<L>,
    home: PartitionName,
    id: GraphId,
}

/// A graph that was submitted to one or several partitions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SubmittedParts<L: Link = Blocking> {
    /// The graph.
    pub graph: SpreadGraph<L>,
    /// False if the graph was created before.
    pub created: bool,
    /// The names of the tasks within the graph, in their order, with their ids.
    pub tasks: Vec<(String, GlobalId)>,
    /// The partitions that have not created their part. A [`Deliverer`](crate::Deliverer) creates the part when the
    /// partition answers.
    pub coming: Vec<PartitionName>,
}

/// A graph, merged from the parts in its partitions.
#[derive(Debug)]
#[non_exhaustive]
pub struct GraphParts {
    /// The whole graph, without its links between partitions.
    pub info: GraphInfo,
    /// The tasks with their global ids, each after its upstreams.
    pub tasks: Vec<GraphMember>,
    /// The partitions whose part is not known or was not created, each with the reason.
    pub missing: BTreeMap<PartitionName, Error>,
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
    ) -> L::Answer<'_, Result<SubmittedParts<L>>> {
        let all = graph.shares(&self.inner.names, otherwise);
        L::answer(async move { self.submit_shares(all?).await })
    }

    async fn submit_shares(&self, mut all: Shares) -> Result<SubmittedParts<L>> {
        let home = all.each.first().map(|share| share.partition.clone());
        let home = home.ok_or_else(|| Error::argument("a graph needs at least one task"))?;
        let mut clients = Vec::new();
        for share in &all.each {
            clients.push(self.client(&share.partition).await?);
        }
        // This check comes before the first write.
        for client in &clients {
            L::step(client.topology()).await?;
        }
        let handle = SpreadGraph { partitions: self.clone(), home: home.clone(), id: all.id.clone() };
        let (mut parcels, mut texts, mut staged) = (Vec::new(), Vec::new(), Vec::new());
        for (share, client) in all.each.iter().zip(&clients).skip(1) {
            let mut parcel = all.other(share, client)?;
            if stage(client, &all.id, &parcel).await? == StagedGraph::Staged {
                let receipts = parcel.texts.iter().map(|text| receipt(text));
                staged.push((client, receipts.collect::<Result<Vec<_>>>()?));
            }
            texts.push((share.partition.clone(), std::mem::take(&mut parcel.texts)));
            parcels.push((share.partition.clone(), client, parcel.seals));
        }
        let client = clients.first().ok_or_else(|| Error::argument("there is no partition"))?;
        let first = all.first(client, &texts)?;
        for (client, receipts) in &staged {
            acknowledge(client, receipts).await?;
        }
        let created = match stage(client, &all.id, &first).await {
            Ok(StagedGraph::Created) => true,
            Ok(StagedGraph::Existing) => false,
            Ok(StagedGraph::Staged) => return Err(Error::Reply { command: "submit_graph" }),
            Err(error) => {
                // If the server did not answer, the graph may exist.
                let is_refused = matches!(error, Error::State { .. } | Error::Invalid { .. });
                for (client, receipts) in staged.iter().filter(|_| is_refused) {
                    for receipt in receipts {
                        let _ = forget(client, receipt).await;
                    }
                }
                return Err(error);
            }
        };
        // The graph is decided. Steps that fail from here on are completed later.
        let _ = client.run_deferred_steps(remote_edges::DEFERRED_STEPS).await;
        let mut coming = Vec::new();
        for (name, client, seals) in parcels {
            if !matches!(seal(client, seals).await, Ok(StagedGraph::Created | StagedGraph::Existing)) {
                coming.push(name);
            }
        }
        Ok(SubmittedParts { graph: handle, created, tasks: all.tasks, coming })
    }

    /// Returns the partitions of a graph, with the deciding partition first. Makes no call.
    ///
    /// # Errors
    /// The errors of [`Graph::check`]; `BADARG` for an unknown partition.
    pub fn partitions_of(&self, graph: &Graph, otherwise: Option<&PartitionName>) -> Result<Vec<PartitionName>> {
        let all = graph.shares(&self.inner.names, otherwise)?;
        Ok(all.each.into_iter().map(|share| share.partition).collect())
    }

    /// Finds the graph with this id in all partitions.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph, or if it is being submitted; `BADARG` if several partitions have separate
    /// graphs with this id; the error of a partition that does not answer, if no other partition has the graph.
    pub fn find_graph(&self, id: &GraphId) -> L::Answer<'_, Result<SpreadGraph<L>>> {
        let id = id.clone();
        L::answer(async move { self.found_graph(&id).await })
    }

    async fn found_graph(&self, id: &GraphId) -> Result<SpreadGraph<L>> {
        let ask = |_, client: Client<L>| async move {
            match L::step(client.graph(id.as_str())?.info()).await {
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
        let (parts, missing) = graph.parts().await?;
        if let Some(other) = has.iter().find(|name| !parts.contains_key(name) && !missing.contains_key(name)) {
            return Err(Error::argument(format!("{id} is ambiguous: {first}:{id}, {other}:{id}")));
        }
        let home = parts.values().flat_map(others).find(|(_, is_first)| *is_first);
        Ok(home.map_or(graph, |(home, _)| self.graph(&home, id)))
    }

    /// Returns a handle of a graph. `home` and `id` are the two parts of its global id. Makes no call.
    #[must_use]
    pub fn graph(&self, home: &PartitionName, id: &GraphId) -> SpreadGraph<L> {
        SpreadGraph { partitions: self.clone(), home: home.clone(), id: id.clone() }
    }
}

/// Stages a part. If the part was created before, checks that it is the same.
async fn stage<L: Link>(client: &Client<L>, id: &GraphId, parcel: &Parcel) -> Result<StagedGraph> {
    for call in &parcel.calls {
        match client.run(&call.again()).await? {
            StagedGraph::Staged => {}
            StagedGraph::Created => return Ok(StagedGraph::Created),
            StagedGraph::Existing => {
                client.graph(id.as_str())?.must_have(&parcel.members).await?;
                return Ok(StagedGraph::Existing);
            }
        }
    }
    Ok(StagedGraph::Staged)
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
    remote_edges::unless_state(L::step(receipt.cancel("its part is made, or never will be")).await.map(drop))?;
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

/// The part of a graph in one partition.
pub(super) struct Part {
    pub(super) info: GraphInfo,
    pub(super) members: Vec<GraphMember>,
}

/// Returns the partitions of a graph that a part names. The value is true for the first partition.
fn others(part: &Part) -> BTreeMap<PartitionName, bool> {
    part.members.iter().filter_map(|member| other_part(&member.id)).collect()
}

impl<L: Link> SpreadGraph<L> {
    /// The id of the graph within each partition.
    #[must_use]
    pub fn id(&self) -> &GraphId {
        &self.id
    }

    /// The partition that decided the creation of the graph. The global id of the graph is `PARTITION:ID`.
    #[must_use]
    pub fn home(&self) -> &PartitionName {
        &self.home
    }

    async fn part(&self, name: &PartitionName) -> Result<Option<Part>> {
        let graph = self.handle(name).await?;
        match L::step(graph.info()).await {
            Ok(info) => Ok(Some(Part { info, members: graph.members().await? })),
            Err(error) if error.code() == Some(Code::NoTask) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns true if a task of a part is a link, even if the task was deleted.
    fn is_link(&self, here: &PartitionName, member: &GraphMember) -> bool {
        let of_another = || {
            let id = member.id.as_str().parse::<GlobalId>();
            id.is_ok_and(|id| id.partition() != here && self.partitions.inner.names.has(id.partition()))
        };
        member.queue == QUEUE || member.queue.is_empty() && (member.id.as_str().starts_with('@') || of_another())
    }

    /// Reads all parts. Also returns the errors of partitions that do not answer.
    async fn parts(&self) -> Result<(BTreeMap<PartitionName, Part>, BTreeMap<PartitionName, Error>)> {
        let (mut parts, mut missing) = (BTreeMap::new(), BTreeMap::new());
        let (mut left, mut asked) = (vec![self.home.clone()], BTreeSet::new());
        while let Some(name) = left.pop() {
            if !asked.insert(name.clone()) {
                continue;
            }
            match self.part(&name).await {
                Ok(Some(part)) => {
                    left.extend(others(&part).into_keys());
                    parts.insert(name, part);
                }
                Ok(None) => {}
                Err(error) => {
                    if name == self.home {
                        // Each part names further partitions of the graph.
                        left.extend(self.partitions.names().cloned());
                    }
                    missing.insert(name, error);
                }
            }
        }
        if parts.is_empty() && missing.is_empty() {
            let text = format!("no graph has the id {}:{}", self.home, self.id);
            return Err(Error::State { code: Code::NoTask, text });
        }
        if let Some(other) = parts.keys().next().cloned().filter(|_| missing.contains_key(&self.home)) {
            // The part of another partition may be a separate graph with this id.
            parts.retain(|_, part| others(part).contains_key(&self.home));
            if parts.is_empty() {
                return Err(missing
                    .remove(&self.home)
                    .unwrap_or_else(|| Error::argument(format!("{other} has another"))));
            }
            missing.retain(|name, _| *name == self.home || parts.contains_key(name));
        }
        Ok((parts, missing))
    }

    /// Reads the current state of the graph.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph. If no partition with a part answers, the error of the first partition.
    pub fn look(&self) -> L::Answer<'_, Result<GraphParts>> {
        L::answer(self.known())
    }

    async fn known(&self) -> Result<GraphParts> {
        let (parts, mut missing) = self.parts().await?;
        if parts.is_empty() {
            return Err(missing.remove(&self.home).unwrap_or(Error::NotFound));
        }
        let first = parts.get(&self.home).or_else(|| parts.values().next());
        let mut info = first.map(|part| part.info.clone()).ok_or(Error::NotFound)?;
        let mut tasks = Vec::new();
        for (name, part) in &parts {
            let (far, own): (Vec<&GraphMember>, Vec<&GraphMember>) =
                part.members.iter().partition(|member| self.is_link(name, member));
            let far: BTreeSet<&TaskId> = far.into_iter().map(|member| &member.id).collect();
            let global = |id: &TaskId| {
                if far.contains(id) { Ok(id.clone()) } else { TaskId::new(format!("{name}:{id}")) }
            };
            for member in own {
                let mut member = member.clone();
                member.id = global(&member.id)?;
                member.cause = member
                    .cause
                    .as_ref()
                    .map(|id| first_cause(&parts, name, id).map_or_else(|| global(id), Ok))
                    .transpose()?;
                for (_, upstream) in &mut member.upstreams {
                    *upstream = global(upstream)?;
                }
                tasks.push(member);
            }
        }
        missing.extend(self.refused(&parts).await?);
        let of = |status| tasks.iter().filter(|task| task.status == Some(status)).count() as u64;
        info.total = tasks.len() as u64;
        (info.complete, info.failed, info.cancelled) =
            (of(Status::Complete), of(Status::Failed), of(Status::Cancelled));
        Ok(GraphParts { info, tasks: ordered(tasks), missing })
    }

    /// Returns the partitions that refused to create their part of an existing graph, with the reasons.
    async fn refused(&self, parts: &BTreeMap<PartitionName, Part>) -> Result<BTreeMap<PartitionName, Error>> {
        let has =
            |name: &PartitionName| parts.get(name).is_some_and(|part| part.info.state == Some(GraphState::Created));
        let mut refused = BTreeMap::new();
        for (here, part) in parts {
            let open = part.members.iter().filter(|member| member.status != Some(Status::Complete));
            let (names, ids): (Vec<PartitionName>, Vec<TaskId>) = open
                .filter_map(|member| Some((other_part(&member.id).filter(|(_, is_first)| !is_first)?.0, &member.id)))
                .filter(|(name, _)| !has(name))
                .map(|(name, id)| (name, id.clone()))
                .unzip();
            let client = self.partitions.client(here).await?;
            let infos = L::step(client.infos(&ids)).await?;
            for (name, info) in names.into_iter().zip(infos) {
                let Some(info) = info else { continue };
                let Some(error) = info.error().or_else(|| info.last_error()) else { continue };
                let text = if info.status() == Some(Status::Failed) {
                    format!("it has not created its part of the graph: {error}. Correct this, then retry the graph")
                } else {
                    format!("it has not created its part of the graph yet, and the creation is retried: {error}")
                };
                refused.entry(name).or_insert(Error::State { code: Code::State, text });
            }
        }
        Ok(refused)
    }

    /// Waits until all tasks have ended, and returns them. With [`Duration::MAX`] there is no limit. The call also
    /// waits for partitions that do not answer.
    ///
    /// # Errors
    /// [`Error::TimedOut`] after `limit`; `NOTASK` if there is no such graph.
    pub fn wait(&self, limit: Duration) -> L::Answer<'_, Result<GraphParts>> {
        L::answer(async move {
            let (deadline, mut pause) = (Deadline::after(limit), Duration::from_millis(10));
            loop {
                match self.settled().await {
                    Ok(true) => return self.known().await,
                    Err(error) if !error.is_transient() => return Err(error),
                    Ok(false) | Err(_) => {}
                }
                let left = deadline.left();
                if left.is_zero() {
                    return Err(Error::TimedOut(limit));
                }
                L::pause(pause.min(left)).await;
                pause = (pause * 2).min(LOOK);
            }
        })
    }

    /// Returns true if all tasks of all parts have ended.
    async fn settled(&self) -> Result<bool> {
        let (parts, missing) = self.parts().await?;
        if let Some(error) = missing.into_values().next() {
            return Err(error);
        }
        let ended = |member: &GraphMember| member.status.is_none_or(Status::is_finished);
        // A task that creates another part ends when that part exists.
        let brings = |member: &GraphMember| other_part(&member.id).is_some_and(|(_, is_first)| !is_first);
        let counts = |(name, member): &(&PartitionName, &GraphMember)| !self.is_link(name, member) || brings(member);
        let members = parts.iter().flat_map(|(name, part)| part.members.iter().map(move |member| (name, member)));
        Ok(members.filter(counts).all(|(_, member)| ended(member)))
    }

    /// Finds a task by its name or its id, and returns its global id.
    ///
    /// # Errors
    /// `NOTASK` for a task that is not in this graph; the errors of [`SpreadGraph::look`].
    pub fn member(&self, named: &str) -> L::Answer<'_, Result<GlobalId>> {
        let named = named.to_owned();
        L::answer(async move {
            let found = self.known().await?;
            let task = found.tasks.iter().find(|task| task.label == named);
            let task = task.or_else(|| found.tasks.iter().find(|task| task.id.as_str() == named));
            match (task, found.missing.into_values().next()) {
                (Some(task), _) => task.id.as_str().parse(),
                (None, Some(error)) => Err(error),
                (None, None) => {
                    let text = format!("no task of the graph {}:{} is {named}", self.home, self.id);
                    Err(Error::State { code: Code::NoTask, text })
                }
            }
        })
    }

    /// Cancels all unfinished tasks, or one task and the tasks that need it. The cancel of one task reaches other
    /// partitions through the links.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph or task; the error of the first partition that does not answer. The call
    /// still takes effect in every partition that answers.
    pub fn cancel(
        &self,
        task: Option<&GlobalId>,
        reason: &str,
        options: &CancelGraphOptions,
    ) -> L::Answer<'_, Result<()>> {
        let (task, reason, mut options) = (task.cloned(), reason.to_owned(), options.clone());
        L::answer(async move {
            if let Some(task) = task {
                options = options.task(task.task().as_str());
                let graph = self.handle(task.partition()).await?;
                return L::step(graph.cancel_with(&reason, &options)).await.map(drop);
            }
            self.each(|graph| graph.cancel_with(&reason, &options)).await
        })
    }

    /// Retries the failed and cancelled tasks, and keeps complete tasks.
    ///
    /// # Errors
    /// The errors of [`SpreadGraph::cancel`]; `OVERDUE`.
    pub fn retry(&self, options: &RetryGraphOptions) -> L::Answer<'_, Result<()>> {
        let options = options.clone();
        L::answer(async move {
            self.each(|graph| graph.retry_with(&options)).await?;
            let (parts, _) = self.parts().await?;
            for name in parts.keys() {
                self.partitions.relink(name, self.id.as_str()).await?;
            }
            Ok(())
        })
    }

    /// Reruns a task and everything downstream in all partitions, and discards their results. The results of other
    /// tasks are kept. Running tasks are stopped first, which may take longer than this call. A running
    /// [`Deliverer`](super::Deliverer) carries ends from one partition to another.
    ///
    /// The call proceeds from partition to partition. If the process is killed or loses a partition during the call,
    /// tasks further downstream keep their former state. Repeat the call then; it starts with the first task again.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph or task; `STATE` if a partition has not created its part; the error of the
    /// first partition that does not answer: then nothing was changed, unless the partition answered earlier during the
    /// call; `OVERDUE`.
    pub fn retry_from(&self, task: &GlobalId, options: &RetryGraphOptions) -> L::Answer<'_, Result<()>> {
        let (task, options) = (task.clone(), options.clone());
        L::answer(async move {
            let (parts, missing) = self.parts().await?;
            if let Some(error) = missing.into_values().next() {
                return Err(error);
            }
            for stage in stages(&parts, &task)? {
                let graph = self.handle(&stage.partition).await?;
                for some in stage.tasks.chunks(AT_ONCE) {
                    if stage.are_placeholders {
                        self.partitions.distrust(&stage.partition, some).await?;
                    }
                    let names: Vec<&str> = some.iter().map(TaskId::as_str).collect();
                    L::step(graph.retry_with(&options.clone().task(names.join(",")))).await?;
                }
            }
            Ok(())
        })
    }

    async fn handle(&self, name: &PartitionName) -> Result<GraphHandle<L>> {
        self.partitions.client(name).await?.graph(self.id.as_str())
    }

    /// Applies a call to each part. Continues after an error, and returns the first error.
    async fn each(
        &self,
        act: impl Fn(&GraphHandle<L>) -> L::Answer<'_, Result<GraphInfo>> + Send + Sync,
    ) -> Result<()> {
        let (parts, missing) = self.parts().await?;
        let mut failed = missing.into_values().next();
        for name in parts.keys() {
            let done = match self.handle(name).await {
                Ok(graph) => L::step(act(&graph)).await.map(drop),
                Err(error) => Err(error),
            };
            failed = failed.or(done.err());
        }
        failed.map_or(Ok(()), Err)
    }
}

/// If the cause of an end is a carrier, returns the cause behind it: the cause of its placeholder.
fn first_cause(parts: &BTreeMap<PartitionName, Part>, here: &PartitionName, cause: &TaskId) -> Option<TaskId> {
    let carrier = Carrier::of(cause)?;
    let id = format!("{here}:{}", carrier.task);
    let placeholder = parts.get(&carrier.to)?.members.iter().find(|member| member.id.as_str() == id)?;
    TaskId::new(format!("{}:{}", carrier.to, placeholder.cause.as_ref()?)).ok()
}

/// Sorts tasks so that each task comes after its upstreams, otherwise in their given order.
fn ordered(tasks: Vec<GraphMember>) -> Vec<GraphMember> {
    let places: HashMap<&TaskId, usize> = tasks.iter().enumerate().map(|(at, task)| (&task.id, at)).collect();
    let upstreams: Vec<Vec<usize>> = tasks
        .iter()
        .map(|task| task.upstreams.iter().filter_map(|(_, id)| places.get(id).copied()).collect())
        .collect();
    let order = crate::graph::sorted(&upstreams).unwrap_or_else(|_| (0..tasks.len()).collect());
    let mut tasks: Vec<Option<GraphMember>> = tasks.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| tasks.get_mut(at)?.take()).collect()
}
