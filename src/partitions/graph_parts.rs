//! A graph over several partitions, read from the parts in its partitions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Partitions;
use crate::error::{Code, Error, Result};
use crate::graph::has_ended;
use crate::link::Link;
use crate::model::{GraphInfo, GraphMember, GraphPage, GraphState, Status};
use crate::names::{GraphId, PartitionName, TaskId};
use crate::placeholder::{Carrier, QUEUE, other_part};
use crate::topology::GlobalId;

/// A graph, merged from the parts in its partitions.
#[derive(Debug)]
#[non_exhaustive]
pub struct GraphParts {
    /// The whole graph, without its links between partitions.
    pub info: GraphInfo,
    /// The tasks, each after its upstreams. If there are partitions, the ids are global.
    pub tasks: Vec<GraphMember>,
    /// The partitions whose part is not known or was not created, each with the reason.
    pub missing: BTreeMap<PartitionName, Error>,
}

/// Returns the partitions of a graph that a part names. The value is true for the first partition.
pub(super) fn others(part: &GraphPage) -> BTreeMap<PartitionName, bool> {
    part.tasks.iter().filter_map(|member| other_part(&member.id)).collect()
}

impl<L: Link> Partitions<L> {
    /// Returns true if a task of a part is a link, even if the task was deleted.
    fn is_link(&self, here: &PartitionName, member: &GraphMember) -> bool {
        let of_another = || {
            let id = member.id.as_str().parse::<GlobalId>();
            id.is_ok_and(|id| id.partition() != here && self.inner.names.has(id.partition()))
        };
        member.queue == QUEUE || member.queue.is_empty() && (member.id.as_str().starts_with('@') || of_another())
    }

    async fn part(&self, name: &PartitionName, id: &GraphId) -> Result<GraphPage> {
        self.client(name).await?.local_graph(id.clone()).read().await
    }

    /// Reads all parts. Also returns the errors of partitions that do not answer.
    pub(super) async fn parts(
        &self,
        home: &PartitionName,
        id: &GraphId,
    ) -> Result<(BTreeMap<PartitionName, GraphPage>, BTreeMap<PartitionName, Error>)> {
        let (mut parts, mut missing) = (BTreeMap::new(), BTreeMap::new());
        let (mut left, mut asked) = (vec![home.clone()], BTreeSet::new());
        while let Some(name) = left.pop() {
            if !asked.insert(name.clone()) {
                continue;
            }
            match self.part(&name, id).await {
                Ok(part) => {
                    left.extend(others(&part).into_keys());
                    parts.insert(name, part);
                }
                Err(error) if error.code() == Some(Code::NoTask) => {}
                Err(error) => {
                    if &name == home {
                        // Each part names further partitions of the graph.
                        left.extend(self.names().cloned());
                    }
                    missing.insert(name, error);
                }
            }
        }
        if parts.is_empty() && missing.is_empty() {
            let text = format!("no graph has the id {home}:{id}");
            return Err(Error::State { code: Code::NoTask, text });
        }
        if let Some(other) = parts.keys().next().cloned().filter(|_| missing.contains_key(home)) {
            // The part of another partition may be a separate graph with this id.
            parts.retain(|_, part| others(part).contains_key(home));
            if parts.is_empty() {
                return Err(missing.remove(home).unwrap_or_else(|| Error::argument(format!("{other} has another"))));
            }
            missing.retain(|name, _| name == home || parts.contains_key(name));
        }
        Ok((parts, missing))
    }

    /// Merges the parts of a graph.
    pub(super) async fn whole_graph(&self, home: &PartitionName, id: &GraphId) -> Result<GraphParts> {
        let (parts, mut missing) = self.parts(home, id).await?;
        if parts.is_empty() {
            return Err(missing.remove(home).unwrap_or(Error::NotFound));
        }
        let first = parts.get(home).or_else(|| parts.values().next());
        let mut info = first.map(|part| part.info.clone()).ok_or(Error::NotFound)?;
        let mut tasks = Vec::new();
        for (name, part) in &parts {
            let (far, own): (Vec<&GraphMember>, Vec<&GraphMember>) =
                part.tasks.iter().partition(|member| self.is_link(name, member));
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
        let of = |status: Status| tasks.iter().filter(|task| task.outcome() == Some(status.as_str())).count() as u64;
        info.total = tasks.len() as u64;
        (info.complete, info.failed, info.cancelled) =
            (of(Status::Complete), of(Status::Failed), of(Status::Cancelled));
        info.skipped = tasks.iter().filter(|task| task.skipped).count() as u64;
        Ok(GraphParts { info, tasks: ordered(tasks), missing })
    }

    /// Returns the partitions that refused to create their part of an existing graph, with the reasons.
    async fn refused(&self, parts: &BTreeMap<PartitionName, GraphPage>) -> Result<BTreeMap<PartitionName, Error>> {
        let has =
            |name: &PartitionName| parts.get(name).is_some_and(|part| part.info.state == Some(GraphState::Created));
        let mut refused = BTreeMap::new();
        for (here, part) in parts {
            let open = part.tasks.iter().filter(|member| member.status != Some(Status::Complete));
            let (names, ids): (Vec<PartitionName>, Vec<TaskId>) = open
                .filter_map(|member| Some((other_part(&member.id).filter(|(_, is_first)| !is_first)?.0, &member.id)))
                .filter(|(name, _)| !has(name))
                .map(|(name, id)| (name, id.clone()))
                .unzip();
            let client = self.client(here).await?;
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

    /// Returns true if all tasks of all parts have ended.
    pub(super) async fn has_ended(&self, home: &PartitionName, id: &GraphId) -> Result<bool> {
        let (parts, missing) = self.parts(home, id).await?;
        if let Some(error) = missing.into_values().next() {
            return Err(error);
        }
        // A task that creates another part ends when that part exists.
        let brings = |member: &GraphMember| other_part(&member.id).is_some_and(|(_, is_first)| !is_first);
        let counts = |(name, member): &(&PartitionName, &GraphMember)| !self.is_link(name, member) || brings(member);
        let members = parts.iter().flat_map(|(name, part)| part.tasks.iter().map(move |member| (name, member)));
        Ok(members.filter(counts).all(|(_, member)| has_ended(member)))
    }
}

/// If the cause of an end is a carrier, returns the cause behind it: the cause of its placeholder.
fn first_cause(parts: &BTreeMap<PartitionName, GraphPage>, here: &PartitionName, cause: &TaskId) -> Option<TaskId> {
    let carrier = Carrier::of(cause)?;
    let id = format!("{here}:{}", carrier.task);
    let placeholder = parts.get(&carrier.to)?.tasks.iter().find(|member| member.id.as_str() == id)?;
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
