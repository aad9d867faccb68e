//! The plan of a graph: its checked tasks, in an order in which each task comes after its upstreams.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::time::SystemTime;

use super::Whole;
use super::problem::{GraphError, Place};
use crate::names::{self, GraphId, PartitionName, TaskId};
use crate::options::TaskOptions;

/// Maximum number of tasks in a graph.
pub(super) const TASKS: usize = 10_000;

/// Maximum number of arguments and edges of one task.
pub(super) const INPUTS: usize = 10_000;

/// Maximum number of tags of a task.
const TAGS: usize = 16;

/// Maximum number of arrays with a bound.
const BOUNDS: usize = 100;

/// Number of tasks that an error shows at each end of a long cycle.
const ENDS: usize = 10;

/// Maximum length of a task's name within its graph, in bytes.
pub(super) const LABEL: usize = 1_000;

pub(super) type Edges = Vec<(Order, Upstream)>;

/// A task for which a task of the graph waits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Upstream {
    /// A task of the graph, by its index.
    Inside(usize),
    /// A task that was submitted before the graph.
    Outside(TaskId),
}

impl Upstream {
    /// Returns the index of a task of the graph.
    pub(super) fn inside(&self) -> Option<usize> {
        if let Self::Inside(index) = self { Some(*index) } else { None }
    }

    /// Returns the id of the task. `ids` are the ids of the tasks of the graph.
    pub(super) fn id<'a>(&'a self, ids: &'a [TaskId]) -> &'a str {
        match self {
            Self::Inside(index) => ids.get(*index).map_or("", TaskId::as_str),
            Self::Outside(id) => id.as_str(),
        }
    }
}

/// A task of a graph. It refers to other tasks by their index among the tasks.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) label: String,
    /// Prefix of the id: the shard of an enq document.
    pub(super) shard: Option<String>,
    /// The partition of the task, if it has one of its own.
    pub(super) partition: Option<PartitionName>,
    pub(super) queue: String,
    pub(super) eta: Option<SystemTime>,
    pub(super) options: TaskOptions,
    pub(super) input: Input,
    pub(super) edges: Edges,
    /// Minimum number of complete tasks in the set of [`Order::Some`].
    pub(super) least: Option<u32>,
    pub(super) bound: Option<Bound>,
    /// The text that replaces the parameters in the digest, if the parameters contain times.
    pub(super) stand_in: Option<String>,
}

/// A maximum number of running tasks. It applies to all tasks with the same `first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) first: usize,
    pub(super) most: u32,
}

/// The parameters that an attempt receives.
#[derive(Clone, Debug)]
pub(super) enum Input {
    /// Bytes, unchanged.
    Whole(Vec<u8>),
    /// A JSON list of arguments.
    List(Vec<Argument>),
}

#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// A JSON text.
    Value(String),
    /// The result of a task.
    Result(Upstream),
    /// The result of a task, or `null` if the task ends without a result.
    Optional(Upstream),
}

impl Argument {
    fn upstream(&self) -> Option<&Upstream> {
        match self {
            Self::Result(upstream) | Self::Optional(upstream) => Some(upstream),
            Self::Value(_) => None,
        }
    }
}

/// The condition of an edge to a task whose result is not received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The task runs after the success of its upstream.
    Success,
    /// The task runs after the end of its upstream, with any outcome.
    After,
    /// The task runs only after a failure or cancel of its upstream.
    Failure,
    /// The task runs after a minimum number of successes in a set. The result of a task of the set is `null` if the
    /// task is not complete at that moment.
    Some,
}

impl Order {
    /// Returns the word in the inputs of a submit.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::After => "after",
            Self::Failure => "failure",
            Self::Some => "some",
        }
    }

    /// Returns the field in a document.
    pub(super) fn field(self) -> &'static str {
        match self {
            Self::Success => "needs",
            Self::After => "after",
            Self::Failure => "after_failure",
            Self::Some => "at_least",
        }
    }
}

impl Step {
    /// Creates a task without upstreams, start time and shard.
    pub(super) fn new(label: String, queue: String, options: TaskOptions, input: Input) -> Self {
        Self {
            label,
            shard: None,
            partition: None,
            queue,
            eta: None,
            options,
            input,
            edges: Vec::new(),
            least: None,
            bound: None,
            stand_in: None,
        }
    }

    /// Returns the upstreams, each with its field in the document.
    pub(super) fn upstreams(&self) -> impl Iterator<Item = (usize, String)> {
        let results = self.arguments().iter().enumerate();
        let results = results.filter_map(|(slot, argument)| Some((argument.upstream()?, format!("args[{slot}]"))));
        let edges = self.edges.iter().map(|(order, upstream)| (upstream, order.field().to_owned()));
        results.chain(edges).filter_map(|(upstream, field)| Some((upstream.inside()?, field)))
    }

    pub(super) fn arguments(&self) -> &[Argument] {
        if let Input::List(arguments) = &self.input { arguments } else { &[] }
    }

    /// Returns the tasks whose results the task receives.
    pub(super) fn received(&self) -> HashSet<&Upstream> {
        self.arguments().iter().filter_map(Argument::upstream).collect()
    }

    /// Returns the edges that are not already arguments. A task of a set is an argument if its result is received.
    pub(super) fn bare_edges(&self) -> impl Iterator<Item = &(Order, Upstream)> {
        let received = self.received();
        self.edges.iter().filter(move |(order, upstream)| *order != Order::Some || !received.contains(upstream))
    }

    /// Adds the tags of the graph, and the graph's priority if the task has none.
    fn inherit(&mut self, whole: &Whole) -> Result<(), String> {
        if let Some(priority) = whole.priority
            && !self.options.0.has("priority")
        {
            self.options.set("priority", priority.to_string());
        }
        if !whole.tags.is_empty() {
            let own = self.options.0.get("tags").unwrap_or_default();
            let mut all: Vec<&str> = own.split(',').filter(|tag| !tag.is_empty()).collect();
            all.extend(whole.tags.iter().map(String::as_str).filter(|tag| !own.split(',').any(|other| other == *tag)));
            if all.len() > TAGS {
                return Err(format!("{} tags with those of the graph: a task has at most {TAGS}", all.len()));
            }
            let all = all.join(",");
            self.options.set("tags", all);
        }
        Ok(())
    }

    /// Returns the tasks of the set of [`Order::Some`].
    pub(super) fn set(&self) -> HashSet<&Upstream> {
        self.edges.iter().filter(|(order, _)| *order == Order::Some).map(|(_, upstream)| upstream).collect()
    }

    /// Fails if the minimum number of a set is out of range, or if a task of the set has another edge.
    fn check_set(&self) -> Result<(), (&'static str, String)> {
        let set = self.set();
        let least = self.least.unwrap_or(1);
        if self.least.is_some() && (least == 0 || least as usize > set.len()) {
            return Err(("at_least.count", format!("at least {least} of {} tasks: it must be 1 to {0}", set.len())));
        }
        match self.edges.iter().find(|(order, upstream)| *order != Order::Some && set.contains(upstream)) {
            Some((order, _)) => Err((order.field(), "one of these is in `at_least`, too: name it once".to_owned())),
            None => Ok(()),
        }
    }

    /// Fails if an argument or an edge needs the success of a task whose result is optional.
    fn check_optional(&self) -> Result<(), (String, String)> {
        let said = |field: String| {
            let text = "the result of the same task is optional in `args`: say that of all or of none";
            Err((field, text.to_owned()))
        };
        let optional = self.arguments().iter().filter_map(|argument| match argument {
            Argument::Optional(upstream) => Some(upstream),
            Argument::Value(_) | Argument::Result(_) => None,
        });
        let optional: HashSet<&Upstream> = optional.collect();
        for (slot, argument) in self.arguments().iter().enumerate() {
            if let Argument::Result(upstream) = argument
                && optional.contains(upstream)
            {
                return said(format!("args[{slot}]"));
            }
        }
        // An edge to a task that was submitted before the graph is separate from the result of that task.
        let is_other = |(order, upstream): &&(Order, Upstream)| {
            (*order != Order::After || upstream.inside().is_none()) && optional.contains(upstream)
        };
        match self.edges.iter().find(is_other) {
            Some((order, _)) => said(order.field().to_owned()),
            None => Ok(()),
        }
    }

    fn inputs(&self) -> usize {
        self.arguments().len() + self.bare_edges().count()
    }

    /// Returns the field of the document with the most arguments or edges.
    fn longest(&self) -> &'static str {
        let mut numbers = HashMap::from([("args", self.arguments().len())]);
        self.edges.iter().for_each(|(order, _)| *numbers.entry(order.field()).or_default() += 1);
        numbers.into_iter().max_by_key(|&(field, number)| (number, field)).map_or("args", |(field, _)| field)
    }
}

/// The tasks of a graph, checked.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    /// Indexes of all tasks, each after its upstreams, otherwise in the order of the graph.
    pub(super) order: Vec<usize>,
}

impl Plan {
    pub(super) fn new(mut steps: Vec<Step>, whole: &Whole) -> Result<Self, GraphError> {
        match steps.len() {
            0 => return Err(Place::default().problem("a graph needs at least one task")),
            1..=TASKS => {}
            number => return Err(too_many(number)),
        }
        labels(steps.iter().map(|step| step.label.as_str()))?;
        if let Some(tag) = whole.tags.iter().find(|tag| !names::plain(tag)) {
            return Err(Place::default().field("tags").problem(format!("{tag:?}: {}", names::PLAIN)));
        }
        for (index, step) in steps.iter_mut().enumerate() {
            step.inherit(whole)
                .map_err(|text| Place::task(index, Some(&step.label)).field("options.tags").problem(text))?;
        }
        for (index, step) in steps.iter().enumerate() {
            let place = Place::task(index, Some(&step.label));
            for (field, name) in [("queue", Some(step.queue.as_str())), ("method", step.options.0.get("method"))] {
                if name.is_some_and(|name| !names::plain(name)) {
                    return Err(place.field(field).problem(names::PLAIN));
                }
            }
            if step.bound.is_some() && step.options.0.has("key") {
                let text = "an array with a bound has a key of its own: leave out one of them";
                return Err(place.field("options.key").problem(text));
            }
            if step.inputs() > INPUTS {
                let text = format!("{} arguments and edges of one task: at most {INPUTS}", step.inputs());
                return Err(place.field(step.longest()).problem(text));
            }
            if let Some((_, field)) = step.upstreams().find(|(upstream, _)| *upstream == index) {
                return Err(place.field(&field).problem("the task waits for itself"));
            }
            step.check_set().map_err(|(field, text)| place.field(field).problem(text))?;
            step.check_optional().map_err(|(field, text)| place.field(&field).problem(text))?;
        }
        let bounded = |(index, step): &(usize, &Step)| step.bound.is_some_and(|bound| bound.first == *index);
        if let Some((index, step)) = steps.iter().enumerate().filter(bounded).nth(BOUNDS) {
            let text = format!("over {BOUNDS} arrays of the graph have a bound on how many run at once");
            return Err(Place::task(index, Some(&step.label)).field("array").problem(text));
        }
        for index in 0..steps.len() {
            let merged = steps.get(index).map(merged).transpose();
            let edges = merged.map_err(|(order, upstream)| {
                let label = |index: usize| steps.get(index).map_or("", |step| step.label.as_str());
                let text =
                    format!("the task could never run: it needs the success and the failure of {:?}", label(upstream));
                Place::task(index, Some(label(index))).field(order.field()).problem(text)
            })?;
            if let (Some(step), Some(edges)) = (steps.get_mut(index), edges) {
                step.edges = edges;
            }
        }
        let upstreams: Vec<Vec<usize>> =
            steps.iter().map(|step| step.upstreams().map(|(upstream, _)| upstream).collect()).collect();
        match sorted(&upstreams) {
            Ok(order) => Ok(Self { steps, order }),
            Err(cycle) => {
                let label = |index: &usize| steps.get(*index).map_or("", |step| step.label.as_str()).to_owned();
                let path: Vec<String> = cycle.iter().map(label).collect();
                let text = format!("these tasks wait for one another: {}", shortened(&path));
                let first = cycle.first().copied().unwrap_or_default();
                Err(Place::task(first, Some(&label(&first))).problem(text))
            }
        }
    }

    /// Returns the ids of the tasks. A repeated submit of the same graph with the same id has the same task ids.
    pub(super) fn ids(&self, graph: &GraphId) -> Result<Vec<TaskId>, GraphError> {
        let id = |(index, step): (usize, &Step)| {
            let shard = step.shard.as_ref().map(|shard| format!("{shard}:")).unwrap_or_default();
            TaskId::new(format!("{shard}{graph}.{index}")).map_err(|_| {
                let text = "with the shard the task's id would have over 128 characters: shorten the graph's id";
                Place::task(index, None).field("task_id.shard").problem(text)
            })
        };
        self.steps.iter().enumerate().map(id).collect()
    }
}

impl Plan {
    /// Fails if a task has a partition. A graph of a single client cannot have partitions.
    pub(super) fn require_no_partition(&self) -> Result<(), GraphError> {
        let named =
            self.steps.iter().enumerate().find_map(|(index, step)| Some((index, step, step.partition.as_ref()?)));
        let Some((index, step, name)) = named else { return Ok(()) };
        let text = format!("the task belongs to the partition {name}: submit the graph with a topology");
        Err(Place::task(index, Some(&step.label)).field("partition").problem(text))
    }

    /// Returns the bounds on running tasks, as an option of a submit. The key of an array is the id of its first task.
    pub(super) fn bounds(&self, ids: &[TaskId]) -> Option<String> {
        let first = |(index, step): (usize, &Step)| {
            let bound = step.bound.filter(|bound| bound.first == index)?;
            Some(format!("{}/{}={}", step.queue, ids.get(index)?, bound.most))
        };
        let all: Vec<String> = self.steps.iter().enumerate().filter_map(first).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }
}

/// The error for a graph with too many tasks.
pub(super) fn too_many(number: usize) -> GraphError {
    Place::default().problem(format!("{number} tasks: a graph has at most {TASKS}; submit several graphs"))
}

/// Returns the index of each name. Fails for a duplicate name.
pub(super) fn labels<'a>(labels: impl Iterator<Item = &'a str>) -> Result<HashMap<&'a str, usize>, GraphError> {
    let mut places = HashMap::new();
    for (index, label) in labels.enumerate() {
        let problem = |text: String| Err(Place::task(index, None).problem(text));
        if label.is_empty() || label.len() > LABEL {
            return problem(format!("the name of a task must have 1 to {LABEL} bytes"));
        }
        if let Some(first) = places.insert(label, index) {
            return problem(format!("task {first} has the same name: {label:?}"));
        }
    }
    Ok(places)
}

/// Returns the edges of a task, with at most one edge to each upstream, and no edge to an upstream whose result is
/// received. An edge for success or failure replaces [`Order::After`], because success and failure are both ends. The
/// error is an edge that contradicts another edge.
fn merged(step: &Step) -> Result<Edges, (Order, usize)> {
    let received: BTreeSet<usize> = step.received().into_iter().filter_map(Upstream::inside).collect();
    let set: BTreeSet<usize> = step.set().into_iter().filter_map(Upstream::inside).collect();
    let mut strictest: HashMap<usize, Order> = received.iter().map(|upstream| (*upstream, Order::Success)).collect();
    for (order, upstream) in step.edges.iter().filter(|(order, _)| *order != Order::Some) {
        let Some(upstream) = upstream.inside() else { continue };
        match strictest.insert(upstream, *order) {
            Some(other) if other == *order || other == Order::After => {}
            Some(other) if *order == Order::After => _ = strictest.insert(upstream, other),
            Some(_) => return Err((*order, upstream)),
            None => {}
        }
    }
    let mut edges = Vec::new();
    for upstream in step.edges.iter().filter_map(|(_, upstream)| upstream.inside()) {
        if !received.contains(&upstream)
            && let Some(order) = strictest.remove(&upstream)
        {
            edges.push((order, Upstream::Inside(upstream)));
        }
    }
    edges.extend(set.into_iter().map(|upstream| (Order::Some, Upstream::Inside(upstream))));
    edges.extend(step.edges.iter().filter(|(_, upstream)| upstream.inside().is_none()).cloned());
    Ok(edges)
}

/// Returns the indexes of tasks, each after all its upstreams, otherwise in ascending order. The error is a cycle. Its
/// first index is repeated at its end, and each task in it waits for the task before it.
pub(crate) fn sorted(upstreams: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut downstreams = vec![Vec::new(); upstreams.len()];
    for (index, above) in upstreams.iter().enumerate() {
        for upstream in above {
            if let Some(below) = downstreams.get_mut(*upstream) {
                below.push(index);
            }
        }
    }
    let mut open: Vec<usize> = upstreams.iter().map(Vec::len).collect();
    let ready = open.iter().enumerate().filter(|(_, open)| **open == 0);
    let mut ready: BinaryHeap<_> = ready.map(|(index, _)| Reverse(index)).collect();
    let mut order = Vec::with_capacity(upstreams.len());
    while let Some(Reverse(index)) = ready.pop() {
        order.push(index);
        for below in downstreams.get(index).into_iter().flatten() {
            if let Some(open) = open.get_mut(*below) {
                *open -= 1;
                if *open == 0 {
                    ready.push(Reverse(*below));
                }
            }
        }
    }
    if order.len() == upstreams.len() { Ok(order) } else { Err(cycle(upstreams, &open)) }
}

/// Returns the path of a cycle. A long path is shortened to its beginning and its end.
fn shortened(path: &[String]) -> String {
    match (path.get(..ENDS), path.len().checked_sub(ENDS).and_then(|from| path.get(from..))) {
        (Some(first), Some(last)) if path.len() > 2 * ENDS + 1 => {
            let left_out = path.len() - 2 * ENDS;
            format!("{} -> … {left_out} more … -> {}", first.join(" -> "), last.join(" -> "))
        }
        _ => path.join(" -> "),
    }
}

/// Finds a cycle among the tasks with open upstreams. Each of them has an upstream that also has open upstreams.
fn cycle(upstreams: &[Vec<usize>], open: &[usize]) -> Vec<usize> {
    let stuck = |index: &usize| open.get(*index).is_some_and(|open| *open > 0);
    let mut seen = HashMap::new();
    let mut way: Vec<usize> = Vec::new();
    let mut at = (0..open.len()).find(stuck);
    while let Some(index) = at {
        if let Some(begin) = seen.insert(index, way.len()) {
            // The walk followed the edges backwards.
            let mut circle: Vec<usize> = way.drain(begin..).rev().collect();
            let lowest = circle.iter().enumerate().min_by_key(|(_, index)| **index).map_or(0, |(at, _)| at);
            circle.rotate_left(lowest);
            circle.extend(circle.first().copied());
            return circle;
        }
        way.push(index);
        at = upstreams.get(index).and_then(|above| above.iter().copied().find(stuck));
    }
    way
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::unwrap_used)]

    use serde_json::Value;

    use super::{TAGS, TASKS};
    use crate::bundle;

    #[test]
    fn the_bounds_are_those_of_the_contract() {
        let contract: Value = serde_json::from_str(bundle::contract()).unwrap();
        let types = &contract["types"];
        assert_eq!(types["graph_size"]["high"], TASKS);
        let most = |examples: &Value| {
            let texts = examples.as_array().unwrap().iter().filter_map(Value::as_str);
            texts.map(|text| text.split(',').count()).max().unwrap()
        };
        assert_eq!(most(&types["tags"]["good"]), TAGS);
        assert_eq!(most(&types["tags"]["bad"]["TOOMANY"]), TAGS + 1);
    }
}
