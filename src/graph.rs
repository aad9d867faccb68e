//! Graphs of tasks: tasks that wait for other tasks, and receive their results.

mod array;
mod batches;
mod digest;
mod document;
#[cfg(feature = "enq")]
mod enq;
mod fields;
mod namespace;
mod parts;
mod plan;
mod problem;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::time::SystemTime;

use serde::Serialize;

pub use array::GraphArray;
#[cfg(feature = "enq")]
pub use enq::Enq;
pub use problem::GraphError;

use crate::calls::SubmitGraphOptions;
use crate::model::OnFailure;
use crate::names::{GraphId, PartitionName};
use crate::options::TaskOptions;
use crate::submit_hooks::Submission;
pub(crate) use namespace::has_ended;
pub(crate) use parts::{Parcel, Shares};
pub(crate) use plan::sorted;
use plan::{Argument, Input, Order, Plan, Step, Upstream};
use problem::Place;

/// Tasks that depend on one another, for [`Client::submit_graph`](crate::Client::submit_graph).
///
/// A task runs once all of its upstreams have ended as required: successfully, if the task receives their results
/// ([`GraphTask::result_of`]) or needs their success ([`GraphTask::needs`]); in any way ([`GraphTask::after`]); or only
/// without success ([`GraphTask::after_failure`]). For a set of upstreams, a minimum number of successes can be enough
/// ([`GraphTask::at_least`]). A result may go to any number of tasks.
///
/// ```
/// use blueque::Graph;
///
/// let graph = Graph::new().name("movie-17");
/// let split = graph.task("video", "split", &"movie-17.mkv");
/// let encode = graph.array("video", "encode", 1..=40, |part| part).label("encode").needs(&split);
/// let join = graph.join("video", "join").label("join").results_of(&encode);
/// graph.task("mail", "report", &"movie-17").after(&join);
/// assert_eq!(graph.len(), 43);
/// graph.check()?;
/// # Ok::<(), blueque::GraphError>(())
/// ```
///
/// The same graph as a document, in the format of `docs/reference/graph.schema.json`:
///
/// ```
/// let graph = blueque::Graph::from_json(r#"{
///   "name": "movie-17",
///   "queue": "video",
///   "tasks": {
///     "split": {"method": "split", "parameters": "movie-17.mkv"},
///     "left": {"method": "encode", "args": [{"value": 0}, {"result": "split"}]},
///     "right": {"method": "encode", "args": [{"value": 1}, {"result": "split"}]},
///     "join": {"method": "join", "args": [{"result": "left"}, {"result": "right"}]},
///     "report": {"queue": "mail", "method": "report", "parameters": "movie-17", "after": ["join"]}
///   }
/// }"#)?;
/// assert_eq!(graph.len(), 5);
/// # Ok::<(), blueque::GraphError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Graph {
    id: Option<GraphId>,
    whole: Whole,
    parts: RefCell<Parts>,
}

/// The properties of a whole graph.
#[derive(Clone, Debug, Default)]
struct Whole {
    name: Option<String>,
    tags: Vec<String>,
    priority: Option<i64>,
    on_failure: Option<OnFailure>,
    deadline: Option<SystemTime>,
    notify: Option<String>,
    trace: Option<String>,
    submitter: Option<String>,
}

impl Whole {
    /// Returns the options of a submit.
    fn options(&self) -> SubmitGraphOptions {
        let options = self.name.as_deref().into_iter().fold(SubmitGraphOptions::new(), SubmitGraphOptions::name);
        let options = self.tags.iter().fold(options, SubmitGraphOptions::tag);
        let options = self.deadline.into_iter().fold(options, SubmitGraphOptions::deadline);
        let options = self.notify.as_deref().into_iter().fold(options, SubmitGraphOptions::notify);
        let options = self.trace.as_deref().into_iter().fold(options, SubmitGraphOptions::trace);
        self.on_failure.into_iter().fold(options, SubmitGraphOptions::on_failure)
    }
}

#[derive(Clone, Debug, Default)]
struct Parts {
    steps: Vec<Step>,
    /// The first error of a call. `check` reports it, so that calls can be chained.
    problem: Option<GraphError>,
}

impl Graph {
    /// Creates a graph without tasks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a document of at most 8 MiB.
    ///
    /// # Errors
    /// The first error, with the place of the task and the field: a text that is not JSON, unknown fields or options, a
    /// reference to a task that the graph does not have, and the errors of [`Graph::check`].
    pub fn from_json(text: &str) -> Result<Self, GraphError> {
        let (whole, steps) = document::read(text)?;
        Self::of(whole, steps)
    }

    /// Describes the submit for the hooks around it.
    pub(crate) fn submission(&self) -> Submission {
        let trace = self.whole.trace.iter();
        let options = trace.fold(TaskOptions::default(), |options, trace| options.trace(trace.as_str()));
        Submission { queue: None, graph: self.id.clone(), id: None, tasks: self.len(), options }
    }

    /// Applies the options of a hook around the submit.
    pub(crate) fn traced(self, options: &TaskOptions) -> Self {
        options.0.get("trace").map(str::to_owned).into_iter().fold(self, Self::trace)
    }

    fn of(whole: Whole, steps: Vec<Step>) -> Result<Self, GraphError> {
        let Plan { steps, .. } = Plan::new(steps, &whole)?;
        Ok(Self { id: None, whole, parts: RefCell::new(Parts { steps, problem: None }) })
    }

    /// Sets an id; by default each submit has a random id. A second submit with the same id creates no second graph.
    #[must_use]
    pub fn id(mut self, id: GraphId) -> Self {
        self.id = Some(id);
        self
    }

    /// Sets a name for display.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.whole.name = Some(name.into());
        self
    }

    /// Adds a tag to the graph and to all its tasks.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.whole.tags.push(tag.into());
        self
    }

    /// Sets the priority of tasks without their own priority: from -1000 to 1000.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.whole.priority = Some(priority.into());
        self
    }

    /// Sets the effect of a failed task on the rest of the graph: by default [`OnFailure::Cancel`].
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.whole.on_failure = Some(on_failure);
        self
    }

    /// Sets the targets that are notified when all tasks of the graph have ended, such as `ops:failed`. The tasks have
    /// [their own](TaskOptions::notify).
    #[must_use]
    pub fn notify(mut self, targets: impl Into<String>) -> Self {
        self.whole.notify = Some(targets.into());
        self
    }

    /// Sets the [trace](TaskOptions::trace) of all tasks that have no trace of their own. A repeated submit may have
    /// another trace.
    #[must_use]
    pub fn trace(mut self, trace: impl Into<String>) -> Self {
        self.whole.trace = Some(trace.into());
        self
    }

    /// Sets the submitter of all tasks that have no submitter of their own, such as `me@here`. The same graph of another
    /// submitter is the same graph.
    #[must_use]
    pub fn submitter(mut self, submitter: impl Into<String>) -> Self {
        self.whole.submitter = Some(submitter.into());
        self
    }

    /// Sets the deadline of all tasks that have no earlier [deadline](TaskOptions::deadline) of their own.
    #[must_use]
    pub fn deadline(mut self, deadline: SystemTime) -> Self {
        self.whole.deadline = Some(deadline);
        self
    }

    /// Adds a task with parameters. If the task gets a [result](GraphTask::result_of) or an
    /// [argument](GraphTask::argument), it receives a list: first these parameters, then the results and arguments.
    pub fn task<P: Serialize + ?Sized>(&self, queue: &str, method: &str, parameters: &P) -> GraphTask<'_> {
        let json = serde_json::to_vec(parameters);
        let input = Input::Whole(json.as_ref().map(Vec::clone).unwrap_or_default());
        let task = self.add(queue, method, input);
        if let Err(error) = json {
            task.wrong("parameters", &error.to_string());
        }
        task
    }

    /// Adds a task that receives a list with only [results](GraphTask::result_of) and [arguments](GraphTask::argument),
    /// in the order in which they are added.
    pub fn join(&self, queue: &str, method: &str) -> GraphTask<'_> {
        self.add(queue, method, Input::List(Vec::new()))
    }

    fn add(&self, queue: &str, method: &str, input: Input) -> GraphTask<'_> {
        let task = GraphTask { graph: self, index: self.len() };
        let label = format!("{method}-{}", task.index);
        let (queue, options) = (queue.to_owned(), TaskOptions::default().method(method));
        self.parts.borrow_mut().steps.push(Step::new(label, queue, options, input));
        task
    }

    /// Returns the number of tasks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.borrow().steps.len()
    }

    /// Returns true if the graph has no task.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks the graph as far as possible without the server. A submit makes the same check.
    ///
    /// # Errors
    /// The first error, with the place of the task: an invalid name, parameters that cannot be JSON, no task at all,
    /// over 10,000 tasks, over 10,000 arguments and edges of one task, two tasks with one label, a task that waits for
    /// itself, or a cycle with its path.
    pub fn check(&self) -> Result<(), GraphError> {
        self.plan().map(|_| ())
    }

    fn plan(&self) -> Result<Plan, GraphError> {
        let Parts { steps, problem } = self.parts.borrow().clone();
        problem.map_or_else(|| Plan::new(steps, &self.whole), Err)
    }
}

/// A task of a [`Graph`]. Its methods add properties to the task.
#[derive(Clone, Copy, Debug)]
pub struct GraphTask<'g> {
    graph: &'g Graph,
    index: usize,
}

#[allow(clippy::return_self_not_must_use, reason = "the graph has it already")]
impl GraphTask<'_> {
    /// Sets the name of the task, which is unique within the graph; by default the method and the place of the task.
    pub fn label(self, label: impl Into<String>) -> Self {
        let label = label.into();
        self.change(|step| step.label = label)
    }

    /// Sets the earliest start time. The task waits for this time even if all its upstreams have ended.
    pub fn eta(self, eta: SystemTime) -> Self {
        self.change(|step| step.eta = Some(eta))
    }

    /// Sets the partition of the task, for [`Partitions::submit_graph`](crate::Partitions::submit_graph).
    pub fn partition(self, name: &PartitionName) -> Self {
        self.change(|step| step.partition = Some(name.clone()))
    }

    /// Sets options of the task. A unique name is not allowed, because the graph's id is unique.
    pub fn options(self, options: &TaskOptions) -> Self {
        let mut refused = None;
        self.change(|step| {
            for (name, value) in options.0.iter() {
                let value = String::from_utf8_lossy(value);
                let outcome = document::set(&mut step.options, name, &value).map_err(|text| (name, text));
                refused = refused.take().or(outcome.err());
            }
        });
        if let Some((name, text)) = refused {
            self.wrong(&format!("options.{name}"), &text);
        }
        self
    }

    /// Adds a value to the arguments of the task.
    pub fn argument<P: Serialize + ?Sized>(self, value: &P) -> Self {
        match serde_json::to_string(value) {
            Ok(json) => self.receives(Argument::Value(json)),
            Err(error) => {
                self.wrong("args", &error.to_string());
                self
            }
        }
    }

    /// Adds the result of another task to the arguments. The task runs after the success of that task.
    pub fn result_of(self, upstream: &GraphTask<'_>) -> Self {
        if self.knows(upstream) { self.receives(Argument::Result(Upstream::Inside(upstream.index))) } else { self }
    }

    /// Adds the result of another task to the arguments, or `null` if that task fails or is cancelled. The task runs
    /// after the end of that task.
    ///
    /// ```
    /// let graph = blueque::Graph::new();
    /// let subtitles = graph.task("text", "subtitles", &"movie-17");
    /// let film = graph.task("video", "encode", &"movie-17");
    /// graph.join("video", "join").result_of(&film).result_or_null(&subtitles);
    /// # graph.check()?;
    /// # Ok::<(), blueque::GraphError>(())
    /// ```
    pub fn result_or_null(self, upstream: &GraphTask<'_>) -> Self {
        if self.knows(upstream) { self.receives(Argument::Optional(Upstream::Inside(upstream.index))) } else { self }
    }

    /// Adds the results of all tasks of an array to the arguments, in the order of their indexes.
    pub fn results_of(self, array: &GraphArray<'_>) -> Self {
        array.tasks().fold(self, |task, (_, upstream)| task.result_of(&upstream))
    }

    /// Runs the task after the success of another task.
    pub fn needs(self, upstream: &GraphTask<'_>) -> Self {
        self.waits(Order::Success, upstream)
    }

    /// Runs the task after the end of another task, with any outcome.
    pub fn after(self, upstream: &GraphTask<'_>) -> Self {
        self.waits(Order::After, upstream)
    }

    /// Runs the task only if another task fails or is cancelled, for cleanup.
    pub fn after_failure(self, upstream: &GraphTask<'_>) -> Self {
        self.waits(Order::Failure, upstream)
    }

    /// Runs the task once `number` of these tasks are complete. The remaining tasks of the set continue to run. A
    /// [result](GraphTask::result_of) of a task in the set is `null` if that task is not complete at that moment. The
    /// task fails once `number` successes are no longer possible. A task has at most one such set.
    ///
    /// ```
    /// let graph = blueque::Graph::new();
    /// let copies = ["oslo", "turin", "graz"].map(|place| graph.task("copy", "upload", place).label(place));
    /// graph.task("mail", "published", &"movie-17").at_least(2, &copies);
    /// # graph.check()?;
    /// # Ok::<(), blueque::GraphError>(())
    /// ```
    pub fn at_least(self, number: u32, of: &[GraphTask<'_>]) -> Self {
        let mut former = None;
        self.change(|step| former = step.least.replace(number));
        if former.is_some() {
            self.wrong(Order::Some.field(), "the task has one already: it waits for some of one set");
        }
        of.iter().fold(self, |task, upstream| task.waits(Order::Some, upstream))
    }

    fn waits(self, order: Order, upstream: &GraphTask<'_>) -> Self {
        let edge = (order, Upstream::Inside(upstream.index));
        if self.knows(upstream) { self.change(|step| step.edges.push(edge)) } else { self }
    }

    fn receives(self, argument: Argument) -> Self {
        self.change(|step| match &mut step.input {
            Input::List(arguments) => arguments.push(argument),
            Input::Whole(json) => {
                let first = Argument::Value(String::from_utf8_lossy(json).into_owned());
                step.input = Input::List(vec![first, argument]);
            }
        })
    }

    /// Returns true if another task belongs to the same graph. Otherwise records an error.
    fn knows(self, other: &GraphTask<'_>) -> bool {
        let same = std::ptr::eq(self.graph, other.graph);
        if !same {
            self.wrong("", "it waits for a task of another graph");
        }
        same
    }

    fn change(self, change: impl FnOnce(&mut Step)) -> Self {
        if let Some(step) = self.graph.parts.borrow_mut().steps.get_mut(self.index) {
            change(step);
        }
        self
    }

    fn wrong(self, field: &str, text: &str) {
        let parts = &mut *self.graph.parts.borrow_mut();
        if parts.problem.is_none() {
            let label = parts.steps.get(self.index).map(|step| step.label.as_str());
            parts.problem = Some(Place::task(self.index, label).field(field).problem(text));
        }
    }
}
