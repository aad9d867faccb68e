//! A graph as a tree: each task is below one of its upstreams. An array is one line. In a long graph, a chain of
//! complete tasks is one line.

use std::collections::HashMap;

use blueque::{TaskId, element};

use super::member::{Member, counts};
use crate::output::one_line;
use crate::output::table::Column;
use crate::view::progress::Progress;

/// Number of lines above which a tree shows a chain of complete tasks as one line.
const LONG: usize = 20;

/// Minimum length of a chain of complete tasks that is shown as one line.
const RUN: usize = 3;

/// The deepest indentation.
const DEEPEST: usize = 10;

pub const COLUMNS: &[Column] = &[
    Column::text("task").at_least(20),
    Column::whole("state"),
    Column::whole("done").rank(3),
    Column::whole("ends").rank(4),
    Column::text("queue").rank(2),
    Column::id("id").rank(1),
    Column::text(""),
];

/// A line of the tree: one task, or the elements of an array.
struct Node<'a> {
    members: Vec<&'a Member>,
    /// The name of an array.
    array: Option<&'a str>,
    depth: usize,
    below: Vec<usize>,
}

/// Returns the lines of a table. With `whole`, each task has a separate line.
pub fn lines(tasks: &[Member], whole: bool) -> Vec<Vec<String>> {
    let nodes = nodes(tasks, whole);
    // The loop is not recursive, because a chain may have 10,000 tasks.
    let mut open: Vec<usize> =
        (0..nodes.len()).rev().filter(|at| nodes.get(*at).is_some_and(|one| one.depth == 0)).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(node) = open.pop().and_then(|at| nodes.get(at)) {
        order.push(node);
        open.extend(node.below.iter().rev());
    }
    let folds = !whole && order.len() > LONG;
    let same = |one: &&Node<'_>, next: &&Node<'_>| folds && one.is_complete() && next.is_complete();
    let parts = order.chunk_by(same);
    parts
        .flat_map(
            |part| if part.len() >= RUN { vec![folded(part)] } else { part.iter().map(|one| one.line()).collect() },
        )
        .collect()
}

/// Returns the lines of the tree as nodes. Each task comes after its upstreams, so a node comes after its parent.
fn nodes(tasks: &[Member], whole: bool) -> Vec<Node<'_>> {
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut of: HashMap<&TaskId, usize> = HashMap::new();
    let mut arrays: HashMap<&str, usize> = HashMap::new();
    for task in tasks {
        let array = element(&task.task).map(|(array, _)| array).filter(|_| !whole);
        if let Some(at) = array.and_then(|name| arrays.get(name))
            && let Some(node) = nodes.get_mut(*at)
        {
            node.members.push(task);
            of.insert(&task.key, *at);
            continue;
        }
        let own = nodes.len();
        // The parent is the deepest upstream; among equally deep upstreams, the last.
        let above = task.upstreams.iter().filter_map(|up| of.get(&up.key).copied());
        let above = above.filter_map(|at| nodes.get(at).map(|node| (node.depth, at)));
        let above = above.reduce(|one, other| if other.0 >= one.0 { other } else { one });
        if let Some(node) = above.and_then(|(_, at)| nodes.get_mut(at)) {
            node.below.push(own);
        }
        if let Some(name) = array {
            arrays.insert(name, own);
        }
        of.insert(&task.key, own);
        let depth = above.map_or(0, |(depth, _)| depth + 1);
        nodes.push(Node { members: vec![task], array, depth, below: Vec::new() });
    }
    nodes
}

/// Returns one line for a chain of complete tasks.
fn folded(part: &[&Node<'_>]) -> Vec<String> {
    let (first, last) = (part.first(), part.last());
    let tasks: usize = part.iter().map(|node| node.members.len()).sum();
    let name = |node: Option<&&Node<'_>>| node.map(|node| node.name()).unwrap_or_default();
    let depth = first.map_or(0, |node| node.depth);
    let own = format!("{} … {}", name(first), name(last));
    cells(depth, &own, ["complete", "100%", "", "", ""], format!("{tasks} tasks"))
}

fn cells(depth: usize, name: &str, [state, done, ends, queue, id]: [&str; 5], reason: String) -> Vec<String> {
    let name = format!("{}{name}", "  ".repeat(depth.min(DEEPEST)));
    vec![name, state.to_owned(), done.to_owned(), ends.to_owned(), queue.to_owned(), id.to_owned(), reason]
}

impl Node<'_> {
    fn is_complete(&self) -> bool {
        self.members.iter().all(|task| task.status == "complete")
    }

    /// Returns the name of the line: `encode[1-40]` for an array.
    fn name(&self) -> String {
        let (Some(array), [_, _, ..]) = (self.array, self.members.as_slice()) else {
            return self.members.first().map(|task| one_line(&task.task)).unwrap_or_default();
        };
        let indexes = || self.members.iter().filter_map(|task| element(&task.task)).map(|(_, index)| index);
        let (low, high) = (indexes().min().unwrap_or_default(), indexes().max().unwrap_or_default());
        format!("{}[{low}-{high}]", one_line(array))
    }

    fn line(&self) -> Vec<String> {
        let (first, more) = match self.members.as_slice() {
            [] => return Vec::new(),
            [only] => {
                let facts = [only.status, &only.done(), &only.ends, &only.queue, &only.id];
                return cells(self.depth, &self.name(), facts, only.reason());
            }
            [first, more @ ..] => (first, more),
        };
        let numbers = counts(self.members.iter().copied());
        let state = if more.iter().all(|task| task.status == first.status) { first.status } else { "" };
        let queue = if more.iter().all(|task| task.queue == first.queue) { first.queue.as_str() } else { "" };
        let ended = self.members.iter().filter(|task| task.ended).count();
        let done = Progress::part(ended, self.members.len());
        let reason = if state.is_empty() { numbers } else { String::new() };
        cells(self.depth, &self.name(), [state, &done, "", queue, ""], reason)
    }
}
