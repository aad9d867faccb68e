//! Graphs over several partitions: all of their parts are made, or none.
//!
//! The part of the first partition decides. Those of the others are staged before it, but for their last task, so that
//! nobody sees them, and go by themselves after ten minutes. Then the first part is created by one call. It has a task for
//! each other part, with all that this consists of, which is there until the other partition has created it: so whoever
//! dies, a [`Deliverer`](super::Deliverer) completes what was decided.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, SystemTime};

use super::Partitions;
use super::anew::stages;
use super::links;
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

/// The longest pause between two looks at a graph that is waited for.
const LOOK: Duration = Duration::from_secs(1);

/// Tasks that one call runs anew.
const AT_ONCE: usize = 100;

/// A graph over one or several partitions.
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
    /// False if it was created before.
    pub created: bool,
    /// The names of its tasks within the graph, in their order, with their ids.
    pub tasks: Vec<(String, GlobalId)>,
    /// The partitions that have yet to create their part: it is brought to them when they answer.
    pub coming: Vec<PartitionName>,
}

/// What the partitions have of a graph.
#[derive(Debug)]
#[non_exhaustive]
pub struct GraphParts {
    /// The whole graph, without its links between partitions.
    pub info: GraphInfo,
    /// Its tasks with their global ids, each after those that it waits for.
    pub tasks: Vec<GraphMember>,
    /// The partitions whose part is not known, or was not made, and why.
    pub missing: BTreeMap<PartitionName, Error>,
}

impl<L: Link> Partitions<L> {
    /// Submits a graph whose tasks are in several partitions: all of them or, on an error, none. A task that names no
    /// partition is in the one of `otherwise`, or else in the one that the graph's id chooses. Tasks of one partition may
    /// wait for those of another, which needs a running [`Deliverer`](super::Deliverer).
    ///
    /// # Errors
    /// As [`Client::submit_graph`]; that of the first partition that does not answer: then nothing was made.
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
        // Before anything is made.
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
                // Without an answer of the server there may be the graph.
                let is_refused = matches!(error, Error::State { .. } | Error::Invalid { .. });
                for (client, receipts) in staged.iter().filter(|_| is_refused) {
                    for receipt in receipts {
                        let _ = forget(client, receipt).await;
                    }
                }
                return Err(error);
            }
        };
        // It is decided. What fails from here on is done later.
        let _ = client.settle_steps(links::SETTLED).await;
        let mut coming = Vec::new();
        for (name, client, seals) in parcels {
            if !matches!(seal(client, seals).await, Ok(StagedGraph::Created | StagedGraph::Existing)) {
                coming.push(name);
            }
        }
        Ok(SubmittedParts { graph: handle, created, tasks: all.tasks, coming })
    }

    /// The partitions that a graph would be submitted to, the first one first. Makes no call.
    ///
    /// # Errors
    /// As [`Graph::check`]; `BADARG` for a partition that is none of these.
    pub fn partitions_of(&self, graph: &Graph, otherwise: Option<&PartitionName>) -> Result<Vec<PartitionName>> {
        let all = graph.shares(&self.inner.names, otherwise)?;
        Ok(all.each.into_iter().map(|share| share.partition).collect())
    }

    /// The graph that has this id in some partition.
    ///
    /// # Errors
    /// `NOTASK` if there is none, or it is being submitted; `BADARG` if several partitions have one, each its own; that of a
    /// partition that does not answer, if no other has it.
    pub fn find_graph(&self, id: &GraphId) -> L::Answer<'_, Result<SpreadGraph<L>>> {
        let id = id.clone();
        L::answer(async move { self.found_graph(&id).await })
    }

    async fn found_graph(&self, id: &GraphId) -> Result<SpreadGraph<L>> {
        let ask = |_, client: Client<L>| async move {
            match L::step(client.graph(id.as_str())?.info()).await {
                // Which part decides is not known from one that was only staged.
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

    /// A graph by the partition that its id begins with, and the rest of its id. Makes no call.
    #[must_use]
    pub fn graph(&self, home: &PartitionName, id: &GraphId) -> SpreadGraph<L> {
        SpreadGraph { partitions: self.clone(), home: home.clone(), id: id.clone() }
    }
}

/// Stages a part, and checks that one which was created before is the same.
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

/// Leaves a receipt of each text in the partition that it is for: a deliverer brings no other there.
async fn acknowledge<L: Link>(client: &Client<L>, receipts: &[TaskId]) -> Result<()> {
    for receipt in receipts {
        let receipt = patient().id(receipt.clone()).eta(SystemTime::now() + RECEIPT_STAYS);
        L::step(client.queue(QUEUE)?.submit_bytes(b"null", receipt)).await?;
    }
    Ok(())
}

/// Removes a receipt, if it is there.
pub(super) async fn forget<L: Link>(client: &Client<L>, receipt: &TaskId) -> Result<()> {
    let receipt = client.task(receipt.as_str())?;
    links::unless_state(L::step(receipt.cancel("its part is made, or never will be")).await.map(drop))?;
    links::unless_state(L::step(receipt.delete()).await)
}

/// Has a partition create the part that was staged there.
async fn seal<L: Link>(client: &Client<L>, seals: Vec<Call<StagedGraph>>) -> Result<StagedGraph> {
    let mut last = StagedGraph::Staged;
    for call in seals {
        last = client.run(&call.once()).await?;
    }
    let _ = client.settle_steps(links::SETTLED).await;
    Ok(last)
}

/// The part of a partition, if it has one.
pub(super) struct Part {
    pub(super) info: GraphInfo,
    pub(super) members: Vec<GraphMember>,
}

/// The partitions that have a part, as one part names them, and whether that one is the first.
fn others(part: &Part) -> BTreeMap<PartitionName, bool> {
    part.members.iter().filter_map(|member| other_part(&member.id)).collect()
}

impl<L: Link> SpreadGraph<L> {
    /// Its id within each partition.
    #[must_use]
    pub fn id(&self) -> &GraphId {
        &self.id
    }

    /// The partition that has decided whether there is this graph: its global id is `PARTITION:ID`.
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

    /// Whether a task of a part is a link, also if it is gone.
    fn is_link(&self, here: &PartitionName, member: &GraphMember) -> bool {
        let of_another = || {
            let id = member.id.as_str().parse::<GlobalId>();
            id.is_ok_and(|id| id.partition() != here && self.partitions.inner.names.has(id.partition()))
        };
        member.queue == QUEUE || member.queue.is_empty() && (member.id.as_str().starts_with('@') || of_another())
    }

    /// All parts, and the partitions that do not answer.
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
                        // Which partitions have a part is known from any of them.
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
            // Another one may be a graph of its own with this id.
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

    /// What there is of it now.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph; if no partition answers that has a part, the error of the first one.
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

    /// The partitions that have no part although there is the graph, as they have refused it.
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
                    format!("it has not made its part of the graph: {error}. Mend that, then retry the graph")
                } else {
                    format!("it has yet to make its part of the graph, and is asked again and again: {error}")
                };
                refused.entry(name).or_insert(Error::State { code: Code::State, text });
            }
        }
        Ok(refused)
    }

    /// Waits until all its tasks have ended, and returns them. With [`Duration::MAX`] it waits without limit; a partition
    /// that does not answer is waited for.
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

    /// Whether all tasks of all parts have ended.
    async fn settled(&self) -> Result<bool> {
        let (parts, missing) = self.parts().await?;
        if let Some(error) = missing.into_values().next() {
            return Err(error);
        }
        let ended = |member: &GraphMember| member.status.is_none_or(Status::is_finished);
        // What brings another part ends when that is there.
        let brings = |member: &GraphMember| other_part(&member.id).is_some_and(|(_, is_first)| !is_first);
        let counts = |(name, member): &(&PartitionName, &GraphMember)| !self.is_link(name, member) || brings(member);
        let members = parts.iter().flat_map(|(name, part)| part.members.iter().map(move |member| (name, member)));
        Ok(members.filter(counts).all(|(_, member)| ended(member)))
    }

    /// The part that a task is in, by its name or its id.
    ///
    /// # Errors
    /// `NOTASK` for a task that is not of this graph; those of [`SpreadGraph::look`].
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

    /// Cancels all its tasks that have not ended, or one and those that need it. Of a task the cancel reaches other
    /// partitions by the links.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph, or task; that of the first partition that does not answer: the others are done.
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

    /// Runs those of its tasks again that have failed or were cancelled, and keeps what is complete.
    ///
    /// # Errors
    /// As [`SpreadGraph::cancel`]; `OVERDUE`.
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

    /// Runs one of its tasks anew, and all that wait for it, directly or through others, in all partitions: their results
    /// no longer count, those of others do. What runs is stopped first, which may take longer than this call. Ends get from
    /// one partition to another while a [`Deliverer`](super::Deliverer) runs.
    ///
    /// It goes from partition to partition. Whoever is killed meanwhile, or loses a partition, leaves those below it as they
    /// were: repeat the call, which begins with the task again.
    ///
    /// # Errors
    /// `NOTASK` if there is no such graph or task; `STATE` if a partition has yet to make its part; that of the first
    /// partition that does not answer: then nothing was changed, unless it has answered before; `OVERDUE`.
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

    /// Does something with each part. Those that can be reached are done.
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

/// The cause that is behind one which is a carrier: what happened to its placeholder.
fn first_cause(parts: &BTreeMap<PartitionName, Part>, here: &PartitionName, cause: &TaskId) -> Option<TaskId> {
    let carrier = Carrier::of(cause)?;
    let id = format!("{here}:{}", carrier.task);
    let placeholder = parts.get(&carrier.to)?.members.iter().find(|member| member.id.as_str() == id)?;
    TaskId::new(format!("{}:{}", carrier.to, placeholder.cause.as_ref()?)).ok()
}

/// Each task after those that it waits for, otherwise as they stand.
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
