//! Errors of a graph, with their place.

use std::fmt;

use crate::error::Error;

/// An error of a graph: its task, its field, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct GraphError {
    /// The place of the task in its document, or among the tasks of the graph, from 0; `None` for the whole graph.
    pub task: Option<usize>,
    /// The name of the task, if the name is not a field of the task.
    pub label: Option<String>,
    /// The field, such as `args[1].type`; empty for the whole task or the whole graph.
    pub field: String,
    /// The cause, and the remedy.
    pub text: String,
}

impl fmt::Display for GraphError {
    /// Writes `task 3, args[1].type: …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut place = self.task.map_or_else(String::new, |index| format!("task {index}"));
        if let Some(label) = &self.label {
            // The debug format adds quotes, and escapes control characters that a terminal could interpret.
            place.push_str(&format!(" {label:?}"));
        }
        if !place.is_empty() && !self.field.is_empty() {
            place.push_str(", ");
        }
        place.push_str(&self.field);
        if place.is_empty() { f.write_str(&self.text) } else { write!(f, "{place}: {}", self.text) }
    }
}

impl std::error::Error for GraphError {}

impl From<GraphError> for Error {
    /// Returns `BADARG`, with the place in its text.
    fn from(problem: GraphError) -> Self {
        Self::argument(problem.to_string())
    }
}

/// A place in a graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    task: Option<usize>,
    label: Option<String>,
    field: String,
}

impl Place {
    /// Returns the place of a task.
    pub(super) fn task(index: usize, label: Option<&str>) -> Self {
        Self { task: Some(index), label: label.map(str::to_owned), field: String::new() }
    }

    /// Returns the place of a field within this place.
    pub(super) fn field(&self, name: &str) -> Self {
        let dot = if self.field.is_empty() { "" } else { "." };
        Self { field: format!("{}{dot}{name}", self.field), ..self.clone() }
    }

    /// Returns the place of a list element within this place.
    pub(super) fn item(&self, index: usize) -> Self {
        Self { field: format!("{}[{index}]", self.field), ..self.clone() }
    }

    pub(super) fn problem(&self, text: impl Into<String>) -> GraphError {
        let Self { task, label, field } = self.clone();
        GraphError { task, label, field, text: text.into() }
    }
}
