//! Arrays of a graph: tasks with the same method, one for each index of a range.

use std::ops::RangeInclusive;

use serde::Serialize;

use super::plan::{Bound, TASKS};
use super::{Graph, GraphTask, Place};
use crate::element;
use crate::options::TaskOptions;

/// An array of a [`Graph`]: its tasks are shown as one task, and can be cancelled and retried together or in part.
#[derive(Clone, Debug)]
pub struct GraphArray<'g> {
    graph: &'g Graph,
    /// Index of the first task in the graph.
    first: usize,
    indexes: RangeInclusive<u64>,
}

impl Graph {
    /// Adds an array: one task for each index. The function `parameters` returns the parameters for an index.
    ///
    /// ```
    /// use blueque::Graph;
    ///
    /// let graph = Graph::new();
    /// let cut = graph.task("video", "cut", &"movie-17.mkv");
    /// let encode = graph.array("video", "encode", 1..=40, |piece| piece).label("encode").at_most(4).needs(&cut);
    /// graph.join("video", "join").results_of(&encode);
    /// assert_eq!(graph.len(), 42);
    /// graph.check()?;
    /// # Ok::<(), blueque::GraphError>(())
    /// ```
    pub fn array<P: Serialize>(
        &self,
        queue: &str,
        method: &str,
        indexes: RangeInclusive<u64>,
        parameters: impl Fn(u64) -> P,
    ) -> GraphArray<'_> {
        let array = GraphArray { graph: self, first: self.len(), indexes };
        let most = TASKS as u64;
        if array.indexes.is_empty() {
            self.refuse("an array has no element: the lower index comes first");
        } else if array.indexes.end() - array.indexes.start() >= most {
            self.refuse(&format!("an array of over {TASKS} elements: a graph has at most {TASKS} tasks"));
        } else {
            for index in array.indexes.clone() {
                self.task(queue, method, &parameters(index));
            }
        }
        let label = format!("{method}-{}", array.first);
        array.label(label)
    }

    fn refuse(&self, text: &str) {
        let problem = Place::default().problem(text);
        self.parts.borrow_mut().problem.get_or_insert(problem);
    }
}

#[allow(clippy::return_self_not_must_use, reason = "the graph has it already")]
impl GraphArray<'_> {
    /// Sets the name of the array: the task with index 3 is named `NAME[3]`. The default name is the method and the
    /// place of the first task.
    pub fn label(self, label: impl AsRef<str>) -> Self {
        self.each(|index, task| task.label(element::label(label.as_ref(), index)))
    }

    /// Sets the maximum number of tasks of the array that run at once.
    pub fn at_most(self, most: u32) -> Self {
        if most == 0 {
            self.graph.refuse("an array of which none may run at a time: allow at least 1");
        }
        let bound = Bound { first: self.first, most };
        // A maximum that allows all tasks at once is not a bound.
        let bound = (u64::from(most) <= self.indexes.end().saturating_sub(*self.indexes.start())).then_some(bound);
        self.each(|_, task| task.change(|step| step.bound = bound))
    }

    /// Adds options to each task: see [`GraphTask::options`].
    pub fn options(self, options: &TaskOptions) -> Self {
        self.each(|_, task| task.options(options))
    }

    /// Runs each task after the success of another task.
    pub fn needs(self, upstream: &GraphTask<'_>) -> Self {
        self.each(|_, task| task.needs(upstream))
    }

    /// Adds the result of another task to the arguments of each task. Each task runs after the success of the other
    /// task.
    pub fn result_of(self, upstream: &GraphTask<'_>) -> Self {
        self.each(|_, task| task.result_of(upstream))
    }

    /// Returns the tasks, in the order of their indexes.
    pub fn tasks(&self) -> impl Iterator<Item = (u64, GraphTask<'_>)> {
        let places = self.first..self.graph.len();
        self.indexes.clone().zip(places).map(|(index, place)| (index, GraphTask { graph: self.graph, index: place }))
    }

    /// Returns the task with this index.
    #[must_use]
    pub fn get(&self, index: u64) -> Option<GraphTask<'_>> {
        self.tasks().find_map(|(own, task)| (own == index).then_some(task))
    }

    fn each(self, change: impl for<'t> Fn(u64, GraphTask<'t>) -> GraphTask<'t>) -> Self {
        for (index, task) in self.tasks() {
            change(index, task);
        }
        self
    }
}
