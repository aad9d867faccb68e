//! Graphs of tasks: tasks that wait for others, and receive their results.

mod array;
mod batches;
mod digest;
mod document;
#[cfg(feature = "enq")]
mod enq;
mod fields;
mod flaw;
mod handle;
mod plan;
mod shares;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::time::SystemTime;

use serde::Serialize;

pub use array::GraphArray;
#[cfg(feature = "enq")]
pub use enq::Enq;
pub use flaw::GraphError;
pub use handle::{GraphHandle, SubmittedGraph};

use crate::calls::SubmitGraphOptions;
use crate::model::OnFailure;
use crate::names::{GraphId, PartitionName};
use crate::options::TaskOptions;
use flaw::Place;
pub(crate) use plan::sorted;
use plan::{Argument, Input, Order, Plan, Step};
pub(crate) use shares::{Parcel, Shares};

/// Tasks that depend on one another, for [`Client::submit_graph`](crate::Client::submit_graph).
///
/// A task runs once all that it waits for have ended as it needs it: successfully, if it receives their results
/// ([`GraphTask::result_of`]) or comes after their success ([`GraphTask::needs`]); whatever their end is
/// ([`GraphTask::after`]); or only if they have not succeeded ([`GraphTask::after_failure`]). Of some tasks it may be
/// enough that so many succeed ([`GraphTask::at_least`]). A result may go to any number of tasks.
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
/// The same as a document, which `docs/graph.schema.json` describes:
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

/// What is said of all of a graph.
#[derive(Clone, Debug, Default)]
struct Whole {
    name: Option<String>,
    tags: Vec<String>,
    priority: Option<i64>,
    on_failure: Option<OnFailure>,
    deadline: Option<SystemTime>,
}

impl Whole {
    /// The options of a submit.
    fn options(&self) -> SubmitGraphOptions {
        let options = self.name.as_deref().into_iter().fold(SubmitGraphOptions::new(), SubmitGraphOptions::name);
        let options = self.tags.iter().fold(options, SubmitGraphOptions::tag);
        let options = self.deadline.into_iter().fold(options, SubmitGraphOptions::deadline);
        self.on_failure.into_iter().fold(options, SubmitGraphOptions::on_failure)
    }
}

#[derive(Clone, Debug, Default)]
struct Parts {
    steps: Vec<Step>,
    /// The first that was wrong in a call: `check` reports it, so that calls can be chained.
    flaw: Option<GraphError>,
}

impl Graph {
    /// Without tasks yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a document: at most 8 MiB.
    ///
    /// # Errors
    /// What is wrong, with the place of the task and the field: a text that is not JSON, unknown fields or options, a
    /// reference to no task of the graph, and whatever [`Graph::check`] finds.
    pub fn from_json(text: &str) -> Result<Self, GraphError> {
        let (whole, steps) = document::read(text)?;
        Self::of(whole, steps)
    }

    fn of(whole: Whole, steps: Vec<Step>) -> Result<Self, GraphError> {
        let Plan { steps, .. } = Plan::new(steps, &whole)?;
        Ok(Self { id: None, whole, parts: RefCell::new(Parts { steps, flaw: None }) })
    }

    /// An id of the caller's choice; a random one for each submit by default. The same id submitted again creates no
    /// second graph.
    #[must_use]
    pub fn id(mut self, id: GraphId) -> Self {
        self.id = Some(id);
        self
    }

    /// A name for people.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.whole.name = Some(name.into());
        self
    }

    /// A tag of the graph and of all its tasks.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.whole.tags.push(tag.into());
        self
    }

    /// The priority of its tasks that have none of their own: from -1000 to 1000.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.whole.priority = Some(priority.into());
        self
    }

    /// What the failure of a task does to the others: by default [`OnFailure::Cancel`].
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.whole.on_failure = Some(on_failure);
        self
    }

    /// The time by which all its tasks must have ended: those that have no earlier [deadline](TaskOptions::deadline) of
    /// their own.
    #[must_use]
    pub fn deadline(mut self, deadline: SystemTime) -> Self {
        self.whole.deadline = Some(deadline);
        self
    }

    /// Adds a task with parameters. Once it has a [result](GraphTask::result_of) or an
    /// [argument](GraphTask::argument), it receives a list that begins with them.
    pub fn task<P: Serialize + ?Sized>(&self, queue: &str, method: &str, parameters: &P) -> GraphTask<'_> {
        let json = serde_json::to_vec(parameters);
        let input = Input::Whole(json.as_ref().map(Vec::clone).unwrap_or_default());
        let task = self.add(queue, method, input);
        if let Err(error) = json {
            task.wrong("parameters", &error.to_string());
        }
        task
    }

    /// Adds a task that receives a list of [results](GraphTask::result_of) and [arguments](GraphTask::argument) only,
    /// in the order in which they are added to it.
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

    /// The number of its tasks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.borrow().steps.len()
    }

    /// Whether it has no task.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks it as far as that is possible without the server. A submit does the same.
    ///
    /// # Errors
    /// What is wrong, with the place of the task: an invalid name, parameters that cannot be JSON, no task at all,
    /// over 10,000 tasks, over 10,000 arguments and edges of one, two tasks with one label, a task that waits for
    /// itself, a cycle with its path.
    pub fn check(&self) -> Result<(), GraphError> {
        self.plan().map(|_| ())
    }

    fn plan(&self) -> Result<Plan, GraphError> {
        let Parts { steps, flaw } = self.parts.borrow().clone();
        flaw.map_or_else(|| Plan::new(steps, &self.whole), Err)
    }
}

/// A task of a [`Graph`], to which its other properties are added.
#[derive(Clone, Copy, Debug)]
pub struct GraphTask<'g> {
    graph: &'g Graph,
    index: usize,
}

#[allow(clippy::return_self_not_must_use, reason = "the graph has it already")]
impl GraphTask<'_> {
    /// Its name within the graph, which no other task of it has; by default the method and its place.
    pub fn label(self, label: impl Into<String>) -> Self {
        let label = label.into();
        self.change(|step| step.label = label)
    }

    /// Not before this time, also if all that it waits for have ended.
    pub fn eta(self, eta: SystemTime) -> Self {
        self.change(|step| step.eta = Some(eta))
    }

    /// The partition that it is in, for [`Partitions::submit_graph`](crate::Partitions::submit_graph).
    pub fn partition(self, name: &PartitionName) -> Self {
        self.change(|step| step.partition = Some(name.clone()))
    }

    /// How it is to be run. It has no unique name: the graph's id is unique.
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

    /// Adds a value to its arguments.
    pub fn argument<P: Serialize + ?Sized>(self, value: &P) -> Self {
        match serde_json::to_string(value) {
            Ok(json) => self.receives(Argument::Value(json)),
            Err(error) => {
                self.wrong("args", &error.to_string());
                self
            }
        }
    }

    /// Adds the result of another task to its arguments. It runs after the success of that task.
    pub fn result_of(self, upstream: &GraphTask<'_>) -> Self {
        if self.knows(upstream) { self.receives(Argument::Result(upstream.index)) } else { self }
    }

    /// The same, but it goes on without that task if it fails or is cancelled: it runs after its end, and what it receives
    /// of it is `null` then.
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
        if self.knows(upstream) { self.receives(Argument::Optional(upstream.index)) } else { self }
    }

    /// Adds the results of the tasks of an array to its arguments, in the order of their indexes.
    pub fn results_of(self, array: &GraphArray<'_>) -> Self {
        array.tasks().fold(self, |task, (_, upstream)| task.result_of(&upstream))
    }

    /// It runs after the success of another task.
    pub fn needs(self, upstream: &GraphTask<'_>) -> Self {
        self.waits(Order::Success, upstream)
    }

    /// It runs after the end of another task, whatever that is.
    pub fn after(self, upstream: &GraphTask<'_>) -> Self {
        self.waits(Order::After, upstream)
    }

    /// It runs only if another task fails or is cancelled, to clean up.
    pub fn after_failure(self, upstream: &GraphTask<'_>) -> Self {
        self.waits(Order::Failure, upstream)
    }

    /// It runs once so many of these tasks are complete; the others run on. What it has as a
    /// [result](GraphTask::result_of) of one of them is `null` if that one is not complete by then. It fails once too few
    /// of them can still be complete. A task has one such set.
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
        if self.knows(upstream) { self.change(|step| step.edges.push((order, upstream.index))) } else { self }
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

    /// Whether another task is of the same graph.
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
        if parts.flaw.is_none() {
            let label = parts.steps.get(self.index).map(|step| step.label.as_str());
            parts.flaw = Some(Place::task(self.index, label).field(field).flaw(text));
        }
    }
}
