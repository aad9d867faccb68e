//! Replies about graphs.

use std::time::SystemTime;

use redis::Value;

use super::Status;
use super::reply::{self, Item};
use crate::names::TaskId;
use crate::text;
use crate::words::words;

words! {
    /// What a call of `submit_graph` led to.
    StagedGraph {
        /// Tasks are missing: nothing is to be seen of it yet.
        Staged = "staged",
        /// All its tasks are there.
        Created = "created",
        /// It was created before; nothing changed.
        Existing = "existing",
    }
}

words! {
    /// What is being done to the tasks of a graph.
    GraphWalk {
        /// They are cancelled.
        Cancel = "cancel",
        /// Those that have failed or were cancelled run again.
        Retry = "retry",
        /// Some run anew, also those that are complete.
        Anew = "anew",
    }
}

words! {
    /// Whether a graph is complete.
    GraphState {
        /// Tasks are missing.
        Staging = "staging",
        /// All its tasks are there.
        Created = "created",
    }
}

/// A graph.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphInfo {
    /// Whether it is complete; none if unknown to this version.
    pub state: Option<GraphState>,
    /// When it was created.
    pub created: Option<SystemTime>,
    /// The number of its tasks.
    pub total: u64,
    /// Its name, or empty.
    pub name: String,
    /// How many of its tasks are complete.
    pub complete: u64,
    /// How many have failed.
    pub failed: u64,
    /// How many were cancelled.
    pub cancelled: u64,
    /// What is being done to its tasks, in steps; none if nothing is.
    pub doing: Option<GraphWalk>,
}

/// A graph, with a part of its tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphPage {
    /// Where the next part begins; none at the end.
    pub next: Option<String>,
    /// The graph.
    pub info: GraphInfo,
    /// Tasks of it, each after those that it waits for.
    pub tasks: Vec<GraphMember>,
}

impl GraphPage {
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let all = reply::array(value)?;
        let [next, state, created, total, name, complete, failed, cancelled, doing] = all.first_chunk()?;
        let info = GraphInfo {
            state: reply::known(state)?,
            created: reply::optional(created, crate::times::time)?,
            total: reply::word(total)?,
            name: reply::text(name)?,
            complete: reply::word(complete)?,
            failed: reply::word(failed)?,
            cancelled: reply::word(cancelled)?,
            doing: reply::known(doing)?,
        };
        Some(Self { next: reply::next(next)?, info, tasks: reply::items(all, 9)? })
    }
}

/// A task of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphMember {
    /// Its id.
    pub id: TaskId,
    /// Its queue.
    pub queue: String,
    /// Its state; none if it does not exist any more, or in one that this version does not know.
    pub status: Option<Status>,
    /// The number of tasks that it still waits for.
    pub open: u64,
    /// The task whose end was the first cause of its own, if another one was.
    pub cause: Option<TaskId>,
    /// Its name within the graph.
    pub label: String,
    /// The tasks that it waits for, or waited for, each with what it needs of them: `result`, `optional` for a result that
    /// may be missing, `success`, `after`, `failure`, or `some` for one of a set.
    pub upstreams: Vec<(String, TaskId)>,
    /// How many of that set must be complete, if it waits for one.
    pub at_least: Option<u64>,
}

impl Item for GraphMember {
    const SIZE: usize = 7;

    fn read(item: &[Value]) -> Option<Self> {
        let [id, queue, status, open, cause, label, inputs] = item.first_chunk()?;
        Some(Self {
            id: reply::word(id)?,
            queue: reply::text(queue)?,
            status: reply::known(status)?,
            open: reply::word(open)?,
            cause: reply::optional(cause, text::word)?,
            label: reply::text(label)?,
            at_least: at_least(reply::text(inputs)?.as_str()),
            upstreams: reply::text(inputs)?.split_whitespace().filter_map(upstream).collect(),
        })
    }
}

/// How many of a set must be complete, by the text of inputs.
fn at_least(inputs: &str) -> Option<u64> {
    let mut entries = inputs.split_whitespace();
    let number = entries.clone().find_map(|entry| entry.strip_prefix("least/")?.parse().ok());
    let has_set = entries.any(|entry| entry.starts_with("some=") || entry.starts_with("some/"));
    has_set.then_some(number.unwrap_or(1))
}

/// An entry of inputs, such as `result/0=ID`; none for a value.
fn upstream(entry: &str) -> Option<(String, TaskId)> {
    let (kind, id) = entry.split_once('=')?;
    let kind = kind.split('/').next()?;
    if kind == "value" { None } else { Some((kind.to_owned(), text::word(id)?)) }
}
