//! A graph over several partitions, split into one part for each partition.
//!
//! An edge between two partitions becomes a link: see `partitions::links`. The partition of the waiting task has a
//! placeholder, and a task that runs when no task needs the placeholder. The partition of the upstream has two
//! carriers. All of them are tasks of the parts, so each part is created together with its links. The first part also
//! has tasks that create the further parts after the first part exists.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::SystemTime;

use super::digest::digest;
use super::namespace::staging;
use super::plan::{Argument, Input, Order, Plan, Step, Upstream, sorted};
use super::problem::{GraphError, Place};
use super::{Graph, Whole};
use crate::calls::{Call, GraphPart, SubmitGraphOptions, pack};
use crate::client::Client;
use crate::error::{Error, Result};
use crate::link::Link;
use crate::model::StagedGraph;
use crate::names::{GraphId, PartitionName, QueueName, TaskId};
use crate::options::TaskOptions;
use crate::placeholder::{self, Carrier, Waits};
use crate::topology::{GlobalId, Topology};

/// Maximum size of the calls that one task of the first part holds for another part. A longer call has its own task.
const CHUNK: usize = 4 << 20;

/// Maximum number of tasks of a part, including its links.
const TASKS: usize = 10_000;

/// A graph, split into parts. The part of `home` decides the creation of the graph.
pub(crate) struct Shares {
    pub(crate) id: GraphId,
    whole: Whole,
    pub(crate) home: Share,
    pub(crate) others: Vec<Share>,
    /// The tasks, in the order of the graph.
    pub(crate) tasks: Vec<(String, GlobalId)>,
}

/// The part of one partition: the tasks of the graph, then its links.
pub(crate) struct Share {
    pub(crate) partition: PartitionName,
    steps: Vec<Step>,
    ids: Vec<TaskId>,
}

/// The calls that create a part.
pub(crate) struct Parcel {
    /// The calls that stage the part.
    pub(crate) calls: Vec<Call<StagedGraph>>,
    /// The calls that complete the part.
    pub(crate) seals: Vec<Call<StagedGraph>>,
    /// The calls of both kinds as texts.
    pub(crate) texts: Vec<Vec<u8>>,
    /// The names and ids of its tasks.
    pub(crate) members: Vec<(String, TaskId)>,
}

/// A link, as a task of a part.
fn link(id: &TaskId, options: TaskOptions, input: Input, edges: Vec<(Order, usize)>) -> Step {
    let step = Step::new(id.to_string(), placeholder::QUEUE.to_owned(), options, input);
    Step { edges: edges.into_iter().map(|(order, index)| (order, Upstream::Inside(index))).collect(), ..step }
}

fn null() -> Input {
    Input::Whole(b"null".to_vec())
}

impl Graph {
    /// Returns the id of the graph, and the calls that create it in one namespace.
    pub(crate) fn parcel<L: Link>(&self, client: &Client<L>) -> Result<(GraphId, Parcel)> {
        let (plan, id) = (self.plan()?, self.id.clone().unwrap_or_else(GraphId::random));
        plan.require_no_partition()?;
        let ids = plan.ids(&id)?;
        let calls = staging(client, &id, &plan, &ids, (&self.whole, plan.steps.len()))?;
        let members = plan.steps.into_iter().map(|step| step.label).zip(ids).collect();
        Ok((id, Parcel { calls, seals: Vec::new(), texts: Vec::new(), members }))
    }

    /// Splits the graph into parts. A task without a partition of its own goes to `otherwise`, or else to the partition
    /// that the graph's id chooses.
    pub(crate) fn shares(&self, names: &Topology, otherwise: Option<&PartitionName>) -> Result<Shares> {
        let (plan, id) = (self.plan()?, self.id.clone().unwrap_or_else(GraphId::random));
        let chosen = otherwise.or_else(|| names.place(id.as_str()));
        let chosen = chosen.ok_or_else(|| Error::argument("there is no partition"))?;
        let mut at = Vec::new();
        for (index, step) in plan.steps.iter().enumerate() {
            let own = step.partition.as_ref().unwrap_or(chosen);
            if !names.has(own) {
                let known: Vec<_> = names.names().map(PartitionName::as_str).collect();
                let text = format!("there is no partition {own}: there are {}", known.join(", "));
                return Err(Place::task(index, Some(&step.label)).field("partition").problem(text).into());
            }
            at.push(own.clone());
        }
        let ids = plan.ids(&id)?;
        let labels = plan.steps.iter().map(|step| step.label.clone());
        let global = at.iter().zip(&ids).map(|(name, id)| GlobalId::new(name.clone(), id.clone()));
        let tasks: Vec<(String, GlobalId)> = labels.zip(global).collect();
        let all = Splitter { id: &id, names, plan: &plan, at: &at, tasks: &tasks };
        let (home, others) = all.split()?;
        Ok(Shares { id, whole: self.whole.clone(), home, others, tasks })
    }
}

/// The input for the split into parts.
struct Splitter<'a> {
    id: &'a GraphId,
    names: &'a Topology,
    plan: &'a Plan,
    /// The partition of each task.
    at: &'a [PartitionName],
    tasks: &'a [(String, GlobalId)],
}

impl Splitter<'_> {
    fn split(&self) -> Result<(Share, Vec<Share>)> {
        // Each link is an upstream and another partition with dependents of the upstream. The value is true if one of
        // these dependents receives the result.
        let mut links: BTreeMap<(usize, &PartitionName), bool> = BTreeMap::new();
        for (step, here) in self.plan.steps.iter().zip(self.at) {
            let received = step.received();
            for (upstream, _) in step.upstreams().filter(|(upstream, _)| self.at.get(*upstream) != Some(here)) {
                *links.entry((upstream, here)).or_default() |= received.contains(&Upstream::Inside(upstream));
            }
        }
        let home = self.at.first().ok_or_else(|| Error::argument("a graph needs at least one task"))?;
        let others: BTreeSet<&PartitionName> = self.at.iter().filter(|name| *name != home).collect();
        let others = others.into_iter().map(|name| self.share(name, home, &links)).collect::<Result<_>>()?;
        Ok((self.share(home, home, &links)?, others))
    }

    fn share(
        &self,
        here: &PartitionName,
        home: &PartitionName,
        links: &BTreeMap<(usize, &PartitionName), bool>,
    ) -> Result<Share> {
        let own = self.at.iter().enumerate().filter(|(_, name)| *name == here).map(|(index, _)| index);
        let own: Vec<usize> = own.collect();
        let mut places: HashMap<usize, usize> = own.iter().enumerate().map(|(at, index)| (*index, at)).collect();
        let came: Vec<(usize, bool)> = links
            .iter()
            .filter(|((_, to), _)| *to == here)
            .map(|((upstream, _), result)| (*upstream, *result))
            .collect();
        places.extend(came.iter().enumerate().map(|(at, (upstream, _))| (*upstream, own.len() + at)));
        let mut share = Share { partition: here.clone(), steps: Vec::new(), ids: Vec::new() };
        for index in &own {
            if let (Some(step), Some((_, id))) = (self.plan.steps.get(*index), self.tasks.get(*index)) {
                share.steps.push(self.moved(*index, step, here, &places)?);
                share.ids.push(id.task().clone());
            }
        }
        for (upstream, has_result) in &came {
            let Some((_, upstream)) = self.tasks.get(*upstream) else { continue };
            let waits = Waits { home: home.clone(), graph: self.id.clone() };
            let method = if *has_result { placeholder::RESULT } else { placeholder::END };
            let id = TaskId::new(upstream.to_string()).map_err(|_| long(self.id))?;
            let step =
                link(&id, placeholder::patient().options.method(method), Input::Whole(waits.json()?), Vec::new());
            share.add(id, Step { eta: Some(SystemTime::UNIX_EPOCH + placeholder::NEVER), ..step });
        }
        for (at, (upstream, _)) in came.iter().enumerate() {
            let Some((_, upstream)) = self.tasks.get(*upstream) else { continue };
            let id = placeholder::unneeded(upstream).map_err(|_| long(self.id))?;
            let options = placeholder::patient().options.method(placeholder::UNNEEDED);
            share.add(id.clone(), link(&id, options, null(), vec![(Order::Failure, own.len() + at)]));
        }
        for ((upstream, to), has_result) in links {
            let (Some(place), Some((_, global))) = (places.get(upstream), self.tasks.get(*upstream)) else { continue };
            if global.partition() != here {
                continue;
            }
            let carrier = |has_result| Carrier { to: (*to).clone(), task: global.task().clone(), has_result }.id();
            let (result, failure) =
                (carrier(true).map_err(|_| long(self.id))?, carrier(false).map_err(|_| long(self.id))?);
            let at = share.steps.len();
            let step = if *has_result {
                link(
                    &result,
                    placeholder::patient().options,
                    Input::List(vec![Argument::Result(Upstream::Inside(*place))]),
                    Vec::new(),
                )
            } else {
                let input = Input::Whole(b"[null]".to_vec());
                link(&result, placeholder::patient().options, input, vec![(Order::Success, *place)])
            };
            share.add(result, step);
            share.add(
                failure.clone(),
                link(&failure, placeholder::patient().options, null(), vec![(Order::Failure, at)]),
            );
        }
        Ok(share)
    }

    /// Turns a task of the graph into a task of its part.
    fn moved(
        &self,
        index: usize,
        step: &Step,
        here: &PartitionName,
        places: &HashMap<usize, usize>,
    ) -> Result<Step, GraphError> {
        let place = |index: &usize| places.get(index).copied().unwrap_or_default();
        let own = |id: &TaskId| match id.as_str().parse::<GlobalId>() {
            Ok(global) if global.partition() == here => Ok(global.task().clone()),
            Ok(global) if self.names.has(global.partition()) => {
                let text = format!(
                    "{global} is a task of another partition: of tasks that were there before the graph, one \
                                    waits only for those of its own"
                );
                Err(Place::task(index, Some(&step.label)).problem(text))
            }
            _ => Ok(id.clone()),
        };
        let mut moved = step.clone();
        let arguments = if let Input::List(arguments) = &mut moved.input { arguments.as_mut_slice() } else { &mut [] };
        let received = arguments.iter_mut().filter_map(|argument| match argument {
            Argument::Result(upstream) | Argument::Optional(upstream) => Some(upstream),
            Argument::Value(_) => None,
        });
        for upstream in received.chain(moved.edges.iter_mut().map(|(_, upstream)| upstream)) {
            match upstream {
                Upstream::Inside(index) => *index = place(index),
                Upstream::Outside(id) => *id = own(id)?,
            }
        }
        if let Some(bound) = &mut moved.bound {
            bound.first = place(&bound.first);
        }
        moved.partition = None;
        Ok(moved)
    }
}

/// The error for a graph id that makes the ids of links too long.
fn long(id: &GraphId) -> Error {
    Error::argument(format!("the ids of the links between partitions would be too long: shorten the graph's id {id}"))
}

impl Share {
    fn add(&mut self, id: TaskId, step: Step) {
        self.ids.push(id);
        self.steps.push(step);
    }

    fn plan(&self) -> Result<Plan> {
        if self.steps.len() > TASKS {
            let (number, name) = (self.steps.len(), &self.partition);
            let text = format!(
                "with its links to others the part of the partition {name} has {number} tasks: at most {TASKS}; submit \
                 several graphs"
            );
            return Err(Error::argument(text));
        }
        let steps = self.steps.clone();
        let upstreams: Vec<Vec<usize>> =
            steps.iter().map(|step| step.upstreams().map(|(upstream, _)| upstream).collect()).collect();
        let order = sorted(&upstreams).map_err(|_| Error::argument("the links of the graph make a circle"))?;
        Ok(Plan { steps, order })
    }

    fn members(&self) -> Vec<(String, TaskId)> {
        self.steps.iter().map(|step| step.label.clone()).zip(self.ids.iter().cloned()).collect()
    }
}

impl Shares {
    /// Returns the options of the whole graph, with the bounds that apply in this part.
    fn options(&self, share: &Share, plan: &Plan) -> SubmitGraphOptions {
        plan.bounds(&share.ids).into_iter().fold(self.whole.options(), SubmitGraphOptions::bounds)
    }

    /// Returns the first part, with the tasks that create all further parts. A graph in one partition has only this
    /// part.
    pub(crate) fn first<L: Link>(
        &mut self,
        client: &Client<L>,
        others: &[(PartitionName, Vec<Vec<u8>>)],
    ) -> Result<Parcel> {
        let id = self.id.clone();
        let mut digests = HashMap::new();
        for share in &self.others {
            let plan = share.plan()?;
            digests.insert(share.partition.clone(), digest(&plan, &share.ids, &self.options(share, &plan)));
        }
        for (to, texts) in others {
            let mut former = None;
            for (number, text) in texts.iter().enumerate() {
                let own = placeholder::part(to, &id, Some(number).filter(|number| number + 1 < texts.len()));
                let own = own.map_err(|_| long(&id))?;
                let options = placeholder::patient().options.method(placeholder::PART).max_bytes(placeholder::LARGEST);
                let edges = former.map(|at| (Order::Success, at)).into_iter().collect();
                former = Some(self.home.steps.len());
                let step = link(&own, options, Input::Whole(text.clone()), edges);
                self.home.add(own, Step { stand_in: digests.get(to).cloned(), ..step });
            }
        }
        let plan = self.home.plan()?;
        let calls = staging(client, &self.id, &plan, &self.home.ids, (&self.whole, plan.steps.len()))?;
        Ok(Parcel { calls, seals: Vec::new(), texts: Vec::new(), members: self.home.members() })
    }

    /// Returns the part of another partition. Its last tasks are created only after the first part exists.
    pub(crate) fn other<L: Link>(&self, share: &Share, client: &Client<L>) -> Result<Parcel> {
        let plan = share.plan()?;
        let calls = |seals| staging(client, &self.id, &plan, &share.ids, (&self.whole, plan.steps.len() + seals));
        let mut chunks: Vec<(usize, usize)> = Vec::new();
        for size in calls(1)?.iter().map(|call| pack(std::slice::from_ref(call)).len()) {
            match chunks.last_mut() {
                Some((number, bytes)) if *bytes + size <= CHUNK => (*number, *bytes) = (*number + 1, *bytes + size),
                _ => chunks.push((1, size)),
            }
        }
        let total = plan.steps.len() + chunks.len();
        let mut left = calls(chunks.len())?;
        let how = self.options(share, &plan);
        let (queue, options) =
            (QueueName::new(placeholder::QUEUE)?, placeholder::patient().options.method(placeholder::BEGUN));
        let mut parcel = Parcel { calls: Vec::new(), seals: Vec::new(), texts: Vec::new(), members: share.members() };
        for (number, (count, _)) in chunks.iter().enumerate() {
            let id = placeholder::begun(
                &self.home.partition,
                &self.id,
                Some(number).filter(|number| number + 1 < chunks.len()),
            );
            let id = id.map_err(|_| long(&self.id))?;
            let own = GraphPart {
                id: &id,
                queue: &queue,
                eta: None,
                parameters: b"null",
                inputs: "",
                label: id.as_str(),
                options: &options,
            };
            let seal = client.calls().stage_graph(&self.id, total, &[own], &how);
            let rest = left.split_off((*count).min(left.len()));
            let mut text = pack(&left);
            text.extend(pack(std::slice::from_ref(&seal)));
            parcel.texts.push(text);
            parcel.calls.append(&mut left);
            parcel.seals.push(seal);
            parcel.members.push((id.to_string(), id));
            left = rest;
        }
        Ok(parcel)
    }
}
