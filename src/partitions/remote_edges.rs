//! Tasks that wait for tasks of other partitions.
//!
//! The partition of the waiting task has a *placeholder*: a task whose id is the global id of the upstream. Other tasks
//! wait for it as for any task. In the partition of the upstream, two *carriers* wait for the upstream: the first
//! carrier receives its result, and the second carrier runs if there can be no result. The call that ends the upstream
//! therefore makes a carrier ready in the same step. The carrier ends only after the placeholder has its delivery. A
//! worker of each partition runs both kinds of tasks from the queue `@links`.

use std::collections::BTreeSet;
use std::time::SystemTime;

use serde_json::value::RawValue;

use super::Partitions;
use crate::calls::EditOptions;
use crate::client::Client;
use crate::durability::Durability;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::model::{GraphWalk, Status, TaskInfo};
use crate::names::{PartitionName, QueueName, TaskId};
use crate::placeholder::{ANEW, Carrier, Delivery, LARGEST, NEVER, QUEUE, Waits, away, is_of_end, part, patient};
use crate::task::Task;
use crate::topology::GlobalId;
use crate::worker::{Context, HandlerError};

/// Number of placeholders that are read at once.
const PAGE: u32 = 500;

impl<L: Link> Partitions<L> {
    /// Returns the time since which the partition `name` cannot be reached, as a [`Deliverer`](super::Deliverer) has
    /// recorded in the partition `from`. Returns `None` if the partition can be reached, or if there is no record.
    ///
    /// # Errors
    /// The errors of [`Partitions::partition`].
    pub fn away_since(&self, name: &PartitionName, from: &PartitionName) -> L::Answer<'_, Result<Option<SystemTime>>> {
        let (note, from) = (away(name), from.clone());
        L::answer(async move {
            match self.client(&from).await?.task(note?.as_str())?.record().await {
                Ok(info) => Ok(info.created()),
                Err(Error::NotFound) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    /// Lets tasks of one partition wait for a task of another partition. Returns the id of the placeholder for that
    /// task. Use this id in [`Submit::result_of`](crate::Submit::result_of),
    /// [`Submit::after_success`](crate::Submit::after_success) and similar options. While a
    /// [`Deliverer`](super::Deliverer) runs, the placeholder ends in the same way as the task, with the same result.
    /// Repeated calls change nothing.
    ///
    /// The result must be JSON, as for every task whose result goes to another task. The global id must have at most
    /// 128 characters.
    ///
    /// # Errors
    /// `NOTASK` if the task does not exist; `BADNAME` for an id that is too long; the errors of
    /// [`Partitions::partition`].
    pub fn link(&self, upstream: &GlobalId, to: &PartitionName) -> L::Answer<'_, Result<TaskId>> {
        let (upstream, to) = (upstream.clone(), to.clone());
        L::answer(async move {
            let id = TaskId::new(upstream.to_string())?;
            self.task_steps(&upstream).await?.record().await?;
            let placeholder = patient().id(id.clone()).eta(SystemTime::UNIX_EPOCH + NEVER);
            L::step(self.client(&to).await?.queue(QUEUE)?.submit_bytes(b"null", placeholder)).await?;
            self.carriers(&upstream, &to).await?;
            Ok(id)
        })
    }

    /// Submits the two carriers in the partition of the upstream, unless they exist.
    async fn carriers(&self, upstream: &GlobalId, to: &PartitionName) -> Result<()> {
        let (result, failure) = (carrier(upstream, to, true)?, carrier(upstream, to, false)?);
        let links = self.client(upstream.partition()).await?.queue(QUEUE)?;
        // The upstream may end between the two calls. Its end decides which carrier is needed; the call for an unneeded
        // carrier is refused.
        match L::step(links.submit_bytes(b"", patient().id(result.clone()).result_of(0, upstream.task()))).await {
            Ok(_) => {
                let last = L::step(links.submit_bytes(b"null", patient().id(failure).after_failure(&result))).await;
                last.map(drop).or_else(unless_upstream)
            }
            Err(error) => {
                unless_upstream(error)?;
                L::step(links.submit_bytes(b"null", patient().id(failure))).await.map(drop)
            }
        }
    }

    async fn repair(&self, upstream: &GlobalId, to: &PartitionName) -> Result<()> {
        let here =
            self.task_steps(&GlobalId::new(to.clone(), TaskId::new(upstream.to_string())?)).await?.record().await?;
        match self.standing(upstream, to, &here).await? {
            Standing::Complete(result) => {
                let result = serde_json::from_slice(&result)?;
                self.hand_over(to, upstream, &Delivery::Complete(result)).await.map(drop)
            }
            Standing::Ended(why) => self.hand_over(to, upstream, &Delivery::Failed(why)).await.map(drop),
            Standing::Skipped(why) => self.hand_over(to, upstream, &Delivery::Skipped(why)).await.map(drop),
            Standing::Unneeded => self.revive(upstream, to).await,
            Standing::Open if is_of_graph(&here) => self.rearm(upstream, to).await,
            Standing::Open => self.carriers(upstream, to).await,
            Standing::Stopping | Standing::Coming => Ok(()),
        }
    }

    /// Returns the state of an upstream. `here` is the record of its placeholder in the partition `to`.
    pub(super) async fn standing(&self, upstream: &GlobalId, to: &PartitionName, here: &TaskInfo) -> Result<Standing> {
        let info = match self.task_steps(upstream).await?.record().await {
            Ok(info) => info,
            Err(Error::NotFound) => {
                let parameters = here.parameters_bytes().unwrap_or_default();
                return Ok(match serde_json::from_slice(parameters) {
                    Ok(Delivery::Complete(result)) => Standing::Complete(result.get().as_bytes().to_vec()),
                    Ok(Delivery::Failed(why)) => Standing::Ended(why),
                    Ok(Delivery::Skipped(why)) => Standing::Skipped(why),
                    Ok(Delivery::Waits(waits)) if !self.has_begun(&waits, upstream.partition()).await? => {
                        Standing::Coming
                    }
                    _ => Standing::Ended(reason(upstream, None)),
                });
            }
            Err(error) => return Err(error),
        };
        let is = |field: &str, value: &str| info.fields.get(field).is_some_and(|bytes| bytes == value.as_bytes());
        Ok(match info.status() {
            Some(Status::Complete) if is_of_graph(here) && is_of_end(here.method().as_deref()) => {
                Standing::Complete(b"null".to_vec())
            }
            Some(Status::Complete) => {
                let result = info.result_bytes().filter(|bytes| serde_json::from_slice::<&RawValue>(bytes).is_ok());
                result.map_or_else(
                    || Standing::Ended(reason(upstream, Some(&info))),
                    |result| Standing::Complete(result.to_vec()),
                )
            }
            Some(Status::Cancelled) if is("cause", carrier(upstream, to, true)?.as_str()) => Standing::Unneeded,
            Some(_) if info.is_skipped() => Standing::Skipped(reason(upstream, Some(&info))),
            Some(status) if status.is_finished() => Standing::Ended(reason(upstream, Some(&info))),
            _ if info.fields.contains_key("cancel") => Standing::Stopping,
            _ => Standing::Open,
        })
    }

    /// Returns true if tasks of a part are queued for a rerun. Some of these tasks may have to stop first. Until then,
    /// the end of a task may be the end of its previous run.
    pub(super) async fn runs_anew(&self, name: &PartitionName, graph: &str) -> Result<bool> {
        match L::step(self.client(name).await?.graph(graph)?.info()).await {
            Ok(info) => Ok(info.doing == Some(GraphWalk::Rerun)),
            Err(error) if error.code() == Some(Code::NoTask) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Makes placeholders read the state of their upstreams, and ignore all deliveries. A delivery may hold the end of
    /// a previous run, even if it arrives later. A placeholder that runs or has ended reads the state when it runs
    /// again.
    pub(super) async fn distrust(&self, name: &PartitionName, placeholders: &[TaskId]) -> Result<()> {
        let client = self.client(name).await?;
        for (id, info) in placeholders.iter().zip(L::step(client.infos(placeholders)).await?) {
            let Some(info) = info else { continue };
            let method = info.method().unwrap_or_default();
            if info.status().is_some_and(Status::is_finished) || method.ends_with(ANEW) {
                continue;
            }
            let edit = EditOptions::new().method(format!("{method}{ANEW}"));
            unless_state(L::step(client.task(id.as_str())?.edit(&edit)).await)?;
        }
        Ok(())
    }

    /// Returns true if the part of a partition was created, or will never be created.
    pub(super) async fn has_begun(&self, waits: &Waits, of: &PartitionName) -> Result<bool> {
        if &waits.home == of {
            return Ok(true);
        }
        match self.client(&waits.home).await?.task(part(of, &waits.graph, None)?.as_str())?.record().await {
            Ok(info) => Ok(info.status() == Some(Status::Complete)),
            Err(Error::NotFound) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Stores the end of the upstream in its placeholder, and makes the placeholder due. A placeholder that has ended
    /// has already received its delivery, or was cancelled. In a graph, a failed placeholder runs again if the upstream
    /// is complete now. Returns false while the placeholder runs.
    pub(super) async fn hand_over(
        &self,
        to: &PartitionName,
        upstream: &GlobalId,
        delivery: &Delivery<'_>,
    ) -> Result<bool> {
        let parameters = serde_json::to_vec(delivery).map_err(|error| Error::argument(error.to_string()))?;
        let size = u32::try_from(parameters.len()).unwrap_or(u32::MAX).saturating_add(1_024).min(LARGEST);
        let edit = EditOptions::new().parameters(&parameters[..]).max_bytes(size).unset("eta");
        let target = self.client(to).await?.durable(Durability::Local);
        let placeholder = target.task(&upstream.to_string())?;
        match L::step(placeholder.edit(&edit)).await {
            Err(error) if error.code() == Some(Code::State) => {}
            edited => return edited.map(|_| true),
        }
        let info = placeholder.record().await?;
        let failed = matches!(info.status(), Some(Status::Failed | Status::Cancelled));
        if failed && is_of_graph(&info) && matches!(delivery, Delivery::Complete(_)) {
            unless_state(L::step(placeholder.retry()).await)?;
            // If the placeholder runs before this edit, it reads the end itself.
            unless_state(L::step(placeholder.edit(&edit)).await)?;
        }
        Ok(info.status().is_none_or(Status::is_finished))
    }

    /// Retries the tasks of a graph that were cancelled because the partition `to` did not need them.
    pub(super) async fn revive(&self, upstream: &GlobalId, to: &PartitionName) -> Result<()> {
        let (client, cause) = (self.client(upstream.partition()).await?, carrier(upstream, to, true)?);
        if let Some(graph) = self.task_steps(upstream).await?.record().await?.graph() {
            for member in client.graph(&graph)?.read().await?.tasks {
                if member.cause.as_ref() == Some(&cause) {
                    unless_state(L::step(client.task(member.id.as_str())?.retry()).await)?;
                }
            }
        }
        self.rearm(upstream, to).await
    }

    /// Makes the carriers of an unfinished task wait for its end, even if they have run before.
    pub(super) async fn rearm(&self, upstream: &GlobalId, to: &PartitionName) -> Result<()> {
        let client = self.client(upstream.partition()).await?;
        let task = |has_result| client.task(carrier(upstream, to, has_result)?.as_str());
        let (result, failure) = (task(true)?, task(false)?);
        if let Some(Status::Failed | Status::Cancelled) = status(&result).await? {
            unless_state(L::step(result.retry()).await)?;
        }
        if status(&failure).await?.is_some_and(|status| status != Status::Waiting) {
            // Drops the failure of the previous run if it has not been delivered.
            unless_state(L::step(failure.cancel("the task was retried")).await)?;
            // Another process may have made the carrier wait again, which is the intended state.
            unless_state(L::step(failure.delete()).await)?;
        }
        self.carriers(upstream, to).await
    }

    /// Restarts the links of the tasks of this graph that run again in `here` and for which tasks of other partitions
    /// wait. Returns these other partitions.
    pub(super) async fn relink(&self, here: &PartitionName, graph: &str) -> Result<Vec<PartitionName>> {
        let client = self.client(here).await?;
        client.run_deferred_steps(DEFERRED_STEPS).await?;
        let (mut open, mut again) = (Vec::new(), Vec::new());
        for member in client.graph(graph)?.read().await?.tasks {
            let is_open = member.status.is_some_and(|status| !status.is_finished());
            open.extend(
                Carrier::of(&member.id).filter(|carrier| carrier.has_result && is_open && member.queue == QUEUE),
            );
        }
        for page in open.chunks(PAGE as usize) {
            let failures: Vec<TaskId> = page
                .iter()
                .map(|it| Carrier { has_result: false, to: it.to.clone(), task: it.task.clone() }.id())
                .collect::<Result<_>>()?;
            for (carrier, info) in page.iter().zip(L::step(client.infos(&failures)).await?) {
                if info.and_then(|info| info.status()).is_none_or(Status::is_finished) {
                    let upstream = GlobalId::new(here.clone(), carrier.task.clone());
                    self.rearm(&upstream, &carrier.to).await?;
                    let placeholder = self.client(&carrier.to).await?.task(&upstream.to_string())?;
                    unless_state(L::step(placeholder.retry()).await)?;
                    self.client(&carrier.to).await?.run_deferred_steps(DEFERRED_STEPS).await?;
                    again.push(carrier.to.clone());
                }
            }
        }
        Ok(again)
    }
}

impl<L: Link> Partitions<L> {
    /// Retries a failed or cancelled task, and delivers its new end to the tasks in other partitions that wait for it:
    /// see [`Partitions::link_again`]. In a graph, all tasks that ended because of it run again in each partition.
    ///
    /// # Errors
    /// The errors of [`Task::retry`](crate::Task::retry) and [`Partitions::link_again`].
    pub fn retry(&self, upstream: &GlobalId) -> L::Answer<'_, Result<()>> {
        let upstream = upstream.clone();
        L::answer(async move {
            L::step(self.task_steps(&upstream).await?.retry()).await?;
            self.again(&upstream).await.map(drop)
        })
    }

    /// Prepares the delivery of the next end of a retried task to each partition whose placeholder received its
    /// failure. Tasks that failed together with a placeholder must be retried separately, as within one partition,
    /// unless they belong to the graph of the retried task. Returns the partitions that were prepared. Repeated calls
    /// change nothing.
    ///
    /// # Errors
    /// The errors of [`Partitions::partition`].
    pub fn link_again(&self, upstream: &GlobalId) -> L::Answer<'_, Result<Vec<PartitionName>>> {
        let upstream = upstream.clone();
        L::answer(async move { self.again(&upstream).await })
    }

    async fn again(&self, upstream: &GlobalId) -> Result<Vec<PartitionName>> {
        let from = self.client(upstream.partition()).await?;
        if let Some(graph) = from.task(upstream.task().as_str())?.record().await?.graph() {
            return self.relink(upstream.partition(), &graph).await;
        }
        let carrier = |to: &PartitionName, has_result| carrier(upstream, to, has_result);
        // An id that is too long was never linked.
        let known = self.names().filter(|name| *name != upstream.partition());
        let known: Vec<_> =
            known.filter_map(|to| Some((to, carrier(to, true).ok()?, carrier(to, false).ok()?))).collect();
        let ids: Vec<TaskId> =
            known.iter().flat_map(|(_, result, failure)| [result.clone(), failure.clone()]).collect();
        let states: Vec<_> =
            L::step(from.infos(&ids)).await?.into_iter().map(|info| info.and_then(|info| info.status())).collect();
        let mut again = Vec::new();
        for ((to, result, failure), states) in known.into_iter().zip(states.chunks(2)) {
            let [Some(of_result), of_failure] = states else { continue };
            let has_run = of_failure.is_none_or(Status::is_finished);
            if matches!(of_result, Status::Failed | Status::Cancelled) || *of_result != Status::Complete && has_run {
                self.anew(&from, upstream, to, (&result, &failure)).await?;
                again.push(to.clone());
            }
        }
        Ok(again)
    }

    /// Starts the next run of a placeholder, and then of its carriers. Each step can be repeated. All steps are
    /// repeated until the last step has succeeded.
    async fn anew(
        &self,
        from: &Client<L>,
        upstream: &GlobalId,
        to: &PartitionName,
        (result, failure): (&TaskId, &TaskId),
    ) -> Result<()> {
        let (links, request) = (from.queue(QUEUE)?, TaskId::random());
        let never = SystemTime::UNIX_EPOCH + NEVER;
        let placeholder = patient().id(TaskId::new(upstream.to_string())?).eta(never);
        L::step(self.client(to).await?.queue(QUEUE)?.submit_again_bytes(b"null", placeholder, request.as_str()))
            .await?;
        match L::step(from.task(result.as_str())?.retry()).await {
            // The carrier already waits, or the upstream has failed again.
            Ok(_) | Err(Error::State { .. }) => {}
            Err(error) => return Err(error),
        }
        // Drops the failure of the previous run if it has not been delivered.
        let former = from.task(failure.as_str())?;
        unless_state(L::step(former.cancel("the task was retried")).await)?;
        unless_gone(L::step(former.delete()).await)?;
        let after = patient().id(failure.clone()).after_failure(result);
        L::step(links.submit_bytes(b"null", after)).await.map(drop).or_else(unless_upstream)
    }
}

impl Partitions<Blocking> {
    /// Repairs links of one partition that a failover has lost. The end of a finished upstream is delivered again, and
    /// an unfinished upstream gets its carriers again. Returns the partitions of all upstreams that placeholders in
    /// `to` wait for.
    pub(super) fn compare(
        &self,
        to: &PartitionName,
        context: &Context,
    ) -> Result<BTreeSet<PartitionName>, HandlerError> {
        let client = self.partition(to)?;
        let (queue, mut cursor) = (QueueName::new(QUEUE)?, "0".to_owned());
        let (mut needed, mut away) = (BTreeSet::new(), BTreeSet::new());
        loop {
            let page = client.call(&client.calls().list(&queue, "scheduled", &cursor, PAGE))?;
            for upstream in page.items.iter().filter_map(|id| id.parse::<GlobalId>().ok()) {
                context.check()?;
                needed.insert(upstream.partition().clone());
                // An unreachable partition is compared in the next period.
                if !away.contains(upstream.partition())
                    && let Err(Error::Unavailable { .. }) = Blocking::answer(self.repair(&upstream, to))
                {
                    away.insert(upstream.partition().clone());
                }
            }
            match page.next {
                Some(next) => cursor = next,
                None => return Ok(needed),
            }
        }
    }
}

/// State of the upstream of a placeholder.
pub(super) enum Standing {
    /// The upstream is complete, with this result as JSON.
    Complete(Vec<u8>),
    /// The upstream has no result and will not get a result, for this reason.
    Ended(String),
    /// The upstream was not needed, for this reason.
    Skipped(String),
    /// The upstream was cancelled because no task in the partition of the placeholder needed it.
    Unneeded,
    /// The upstream runs and was asked to stop, because it was cancelled.
    Stopping,
    /// The upstream has not ended.
    Open,
    /// The part of the graph with the upstream does not exist yet.
    Coming,
}

/// Maximum number of dependents and graph tasks that one call of `run_deferred_steps` handles. Workers handle the rest.
pub(super) const DEFERRED_STEPS: usize = 20_000;

/// The id of a carrier.
fn carrier(upstream: &GlobalId, to: &PartitionName, has_result: bool) -> Result<TaskId> {
    Carrier { to: to.clone(), task: upstream.task().clone(), has_result }.id()
}

pub(super) fn is_of_graph(info: &TaskInfo) -> bool {
    info.graph().is_some()
}

pub(super) async fn status<L: Link>(task: &Task<L>) -> Result<Option<Status>> {
    match task.record().await {
        Ok(info) => Ok(info.status()),
        Err(Error::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Ignores an error that means that the state or the upstreams of a task do not allow the call.
pub(super) fn unless_state<T>(outcome: Result<T>) -> Result<()> {
    match outcome {
        Err(Error::State { .. } | Error::NotFound) => Ok(()),
        other => other.map(drop),
    }
}

fn unless_gone(outcome: Result<()>) -> Result<()> {
    if matches!(outcome, Err(Error::NotFound)) { Ok(()) } else { outcome }
}

fn unless_upstream(error: Error) -> Result<()> {
    if error.code() == Some(Code::Upstream) { Ok(()) } else { Err(error) }
}

/// Returns the reason why an upstream has no result.
pub(super) fn reason(upstream: &GlobalId, info: Option<&TaskInfo>) -> String {
    let why = match info.map(|info| (info.status(), info)) {
        None => "was removed".to_owned(),
        // The error of the waiting task names the failed task.
        Some((Some(Status::Failed), info)) => return info.error().unwrap_or_default(),
        Some((_, info)) if info.is_skipped() => "was skipped".to_owned(),
        Some((Some(Status::Cancelled), _)) => "was cancelled".to_owned(),
        Some(_) => "has a result that was not delivered: it must be JSON, of 8 MiB at most".to_owned(),
    };
    format!("{upstream} {why}")
}
