//! Replies about graphs.

use std::time::SystemTime;

use redis::Value;

use super::reply::{self, Item};
use super::{GraphSummary, Status};
use crate::names::TaskId;
use crate::text;
use crate::words::words;

words! {
    /// Outcome of a call of `submit_graph`.
    StagedGraph {
        /// Tasks are missing: the graph is not visible yet.
        Staged = "staged",
        /// All tasks of the graph exist.
        Created = "created",
        /// The graph was created before; nothing changed.
        Existing = "existing",
    }
}

words! {
    /// Operation on the tasks of a graph.
    GraphWalk {
        /// The tasks are cancelled.
        Cancel = "cancel",
        /// Failed and cancelled tasks run again.
        Retry = "retry",
        /// Some tasks run again, even if they are complete.
        Rerun = "rerun",
    }
}

words! {
    /// Stage of the creation of a graph.
    GraphState {
        /// Tasks are missing.
        Staging = "staging",
        /// All tasks of the graph exist.
        Created = "created",
    }
}

/// A graph.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphInfo {
    /// Stage of the creation; `None` if unknown to this version.
    pub state: Option<GraphState>,
    /// Time when the graph was created.
    pub created: Option<SystemTime>,
    /// Number of tasks of the graph.
    pub total: u64,
    /// Name of the graph; may be empty.
    pub name: String,
    /// Number of complete tasks.
    pub complete: u64,
    /// Number of failed tasks.
    pub failed: u64,
    /// Number of cancelled tasks, without the skipped tasks.
    pub cancelled: u64,
    /// Number of tasks that were not needed, because what they wait to fail is complete.
    pub skipped: u64,
    /// Operation that currently runs on the tasks, in steps; `None` if there is none.
    pub doing: Option<GraphWalk>,
}

/// A graph, and a part of its tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphPage {
    /// Cursor of the next part; `None` at the end.
    pub next: Option<String>,
    /// The graph.
    pub info: GraphInfo,
    /// Tasks of the graph; each task follows its upstreams.
    pub tasks: Vec<GraphMember>,
}

impl GraphInfo {
    /// Returns the number of tasks that have ended.
    pub fn ended(&self) -> u64 {
        self.complete + self.failed + self.cancelled + self.skipped
    }
}

impl GraphSummary {
    /// Returns the number of tasks that have ended.
    pub fn ended(&self) -> u64 {
        self.complete + self.failed + self.cancelled + self.skipped
    }
}

impl GraphMember {
    /// Returns the state as the graph counts it: `skipped` for a task that was not needed. `None` if the task no longer
    /// exists.
    pub fn outcome(&self) -> Option<&'static str> {
        if self.skipped { Some("skipped") } else { self.status.map(Status::as_str) }
    }
}

impl GraphPage {
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let all = reply::array(value)?;
        let [next, state, created, total, name, complete, failed, cancelled, skipped, doing] = all.first_chunk()?;
        let info = GraphInfo {
            state: reply::known(state)?,
            created: reply::optional(created, crate::times::time)?,
            total: reply::word(total)?,
            name: reply::text(name)?,
            complete: reply::word(complete)?,
            failed: reply::word(failed)?,
            cancelled: reply::word(cancelled)?,
            skipped: reply::word(skipped)?,
            doing: reply::known(doing)?,
        };
        Some(Self { next: reply::next(next)?, info, tasks: reply::items(all, 10)? })
    }
}

/// A task of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphMember {
    /// Id of the task.
    pub id: TaskId,
    /// Queue of the task.
    pub queue: String,
    /// State of the task; `None` if the task no longer exists, or if this version does not know the state.
    pub status: Option<Status>,
    /// Number of tasks that this task still waits for.
    pub open: u64,
    /// The task whose end was the first cause of this task's end, if another task caused it.
    pub cause: Option<TaskId>,
    /// Name of the task within the graph.
    pub label: String,
    /// Past and present upstreams of the task, each with the kind of the edge: `result`, `optional` for a result that
    /// may be missing, `success`, `after`, `failure`, or `some` for an upstream of a set.
    pub upstreams: Vec<(String, TaskId)>,
    /// Number of upstreams of the set that must be complete, if the task waits for a set.
    pub at_least: Option<u64>,
    /// The task was not needed. Its state is `cancelled`, but the graph counts it as skipped.
    pub skipped: bool,
}

impl Item for GraphMember {
    const SIZE: usize = 8;

    fn read(item: &[Value]) -> Option<Self> {
        let [id, queue, status, open, cause, label, inputs, skipped] = item.first_chunk()?;
        Some(Self {
            id: reply::word(id)?,
            queue: reply::text(queue)?,
            status: reply::known(status)?,
            open: reply::word(open)?,
            cause: reply::optional(cause, text::word)?,
            label: reply::text(label)?,
            at_least: at_least(reply::text(inputs)?.as_str()),
            upstreams: reply::text(inputs)?.split_whitespace().filter_map(upstream).collect(),
            skipped: reply::flag(skipped)?,
        })
    }
}

/// Reads from inputs how many upstreams of a set must be complete.
fn at_least(inputs: &str) -> Option<u64> {
    let mut entries = inputs.split_whitespace();
    let number = entries.clone().find_map(|entry| entry.strip_prefix("least/")?.parse().ok());
    let has_set = entries.any(|entry| entry.starts_with("some=") || entry.starts_with("some/"));
    has_set.then_some(number.unwrap_or(1))
}

/// Reads an entry of inputs, such as `result/0=ID`; `None` for a value.
fn upstream(entry: &str) -> Option<(String, TaskId)> {
    let (kind, id) = entry.split_once('=')?;
    let kind = kind.split('/').next()?;
    if kind == "value" { None } else { Some((kind.to_owned(), text::word(id)?)) }
}
