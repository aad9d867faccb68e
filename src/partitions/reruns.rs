//! The tasks that are rerun in a graph over several partitions, and the order of the reruns.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::error::{Code, Error, Result};
use crate::model::{GraphMember, GraphPage, GraphState};
use crate::names::{PartitionName, TaskId};
use crate::placeholder::{Carrier, QUEUE};
use crate::topology::GlobalId;

/// Tasks of one partition that are rerun with everything downstream.
pub(super) struct Stage {
    pub(super) partition: PartitionName,
    pub(super) tasks: Vec<TaskId>,
    /// True if the tasks are placeholders for tasks of other partitions.
    pub(super) are_placeholders: bool,
}

/// A task of a part.
struct Node<'a> {
    here: &'a PartitionName,
    member: &'a GraphMember,
    /// The upstreams in the same part. For a placeholder: the task that it stands for.
    upstreams: Vec<usize>,
    stands_in: bool,
}

/// Returns the stages of the rerun of tasks and everything downstream. A rerun placeholder immediately reads the state
/// of its upstream. The upstream and all of its upstreams are therefore rerun first, so a partition may have several
/// stages.
pub(super) fn stages(parts: &BTreeMap<PartitionName, GraphPage>, tasks: &[GlobalId]) -> Result<Vec<Stage>> {
    let nodes = nodes(parts);
    let find = |task: &GlobalId| {
        let is_task = |node: &Node<'_>| node.here == task.partition() && node.member.id == *task.task();
        let is_known = |node: &Node<'_>| is_task(node) && node.member.queue != QUEUE && node.member.status.is_some();
        let text = format!("the graph has no task {task}, or it was deleted");
        nodes.iter().position(is_known).ok_or(Error::State { code: Code::NoTask, text })
    };
    let first = tasks.iter().map(find).collect::<Result<HashSet<usize>>>()?;
    let upstreams: Vec<Vec<usize>> = nodes.iter().map(|node| node.upstreams.clone()).collect();
    let order = crate::graph::sorted(&upstreams).map_err(|_| Error::State {
        code: Code::State,
        text: "tasks of the graph wait for one another over partitions, so none of them can run".to_owned(),
    })?;
    // Number of placeholders on the longest path from a first task to each task. `None` if there is no path.
    let mut depths: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut found: BTreeMap<(usize, &PartitionName), Vec<TaskId>> = BTreeMap::new();
    for at in order {
        let Some(node) = nodes.get(at) else { continue };
        let above = node.upstreams.iter().filter_map(|up| depths.get(*up).copied().flatten()).max();
        let depth = above.map(|above| above + usize::from(node.stands_in)).or(first.contains(&at).then_some(0));
        let Some(known) = depth else { continue };
        if node.stands_in && node.member.status.is_none() {
            // The dependents of a deleted placeholder may also be deleted.
            require_unused(&nodes, at)?;
            continue;
        }
        if known == 0 && first.contains(&at) || node.stands_in {
            found.entry((known, node.here)).or_default().push(node.member.id.clone());
        }
        require_part(parts, node)?;
        if let Some(own) = depths.get_mut(at) {
            *own = depth;
        }
    }
    let stage = |((depth, partition), tasks): ((usize, &PartitionName), Vec<TaskId>)| Stage {
        partition: partition.clone(),
        tasks,
        are_placeholders: depth > 0,
    };
    Ok(found.into_iter().map(stage).collect())
}

/// All tasks of all parts.
fn nodes(parts: &BTreeMap<PartitionName, GraphPage>) -> Vec<Node<'_>> {
    let members = || parts.iter().flat_map(|(here, part)| part.tasks.iter().map(move |member| (here, member)));
    let places: HashMap<(&PartitionName, &TaskId), usize> =
        members().enumerate().map(|(at, (here, member))| ((here, &member.id), at)).collect();
    let mut nodes = Vec::with_capacity(places.len());
    for (here, member) in members() {
        // A deleted task has no queue.
        let far: Option<GlobalId> = Some(member)
            .filter(|it| it.queue == QUEUE || it.queue.is_empty())
            .and_then(|it| it.id.as_str().parse().ok());
        let far = far.and_then(|id| places.get(&(id.partition(), id.task())).copied());
        let upstreams = match far {
            Some(upstream) => vec![upstream],
            None => member.upstreams.iter().filter_map(|(_, id)| places.get(&(here, id)).copied()).collect(),
        };
        nodes.push(Node { here, member, upstreams, stands_in: far.is_some() });
    }
    nodes
}

/// Fails if tasks wait for a deleted placeholder: they cannot receive the new end.
fn require_unused(nodes: &[Node<'_>], placeholder: usize) -> Result<()> {
    let waits = |node: &&Node<'_>| node.member.queue != QUEUE && node.upstreams.contains(&placeholder);
    match (nodes.iter().find(waits), nodes.get(placeholder)) {
        (Some(node), Some(gone)) => {
            let (id, here) = (&gone.member.id, node.here);
            let text = format!(
                "{here}:{} cannot wait for {id} again: what stood for that one in the partition {here} was deleted",
                node.member.id
            );
            Err(Error::State { code: Code::NoTask, text })
        }
        _ => Ok(()),
    }
}

/// Fails if a task has dependents in a partition that has not created its part. That part could receive the end of the
/// previous run.
fn require_part(parts: &BTreeMap<PartitionName, GraphPage>, node: &Node<'_>) -> Result<()> {
    let Some(Carrier { to, .. }) = Carrier::of(&node.member.id).filter(|_| node.member.queue == QUEUE) else {
        return Ok(());
    };
    if parts.get(&to).is_some_and(|part| part.info.state == Some(GraphState::Created)) {
        return Ok(());
    }
    let text = format!("the partition {to} has not created its part of the graph yet: repeat the call later");
    Err(Error::State { code: Code::State, text })
}
