//! The view of a graph in a list.

use blueque::{GraphState, GraphSummary, PartitionName};
use clap::ValueEnum;
use serde::Serialize;

use crate::output::table::{Cell, Column, Row};
use crate::times;
use crate::view::progress::Progress;

/// The state of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Tasks are still being added
    Staging,
    /// Not all tasks have ended
    Running,
    /// All tasks that were needed are complete
    Complete,
    /// All tasks have ended, and at least one has failed
    Failed,
    /// All tasks have ended, none has failed, and at least one was cancelled
    Cancelled,
}

#[derive(Serialize)]
pub struct Summary {
    graph: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(rename = "status")]
    standing: Standing,
    total: u64,
    /// Number of unfinished tasks.
    open: u64,
    complete: u64,
    failed: u64,
    cancelled: u64,
    skipped: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip)]
    begun: String,
}

impl Standing {
    pub fn of(graph: &GraphSummary) -> Self {
        match (graph.state, open(graph)) {
            (Some(GraphState::Staging), _) => Self::Staging,
            (_, 1..) => Self::Running,
            _ if graph.failed > 0 => Self::Failed,
            _ if graph.cancelled > 0 => Self::Cancelled,
            _ => Self::Complete,
        }
    }
}

/// Returns the number of unfinished tasks.
fn open(graph: &GraphSummary) -> u64 {
    graph.left.saturating_sub(graph.ended())
}

impl Summary {
    /// Returns the summary of a graph in one of several partitions.
    pub fn of(partition: &PartitionName, graph: GraphSummary) -> Self {
        let id = format!("{partition}:{}", graph.id);
        Self { graph: id, ..Self::new(graph) }
    }

    pub fn new(graph: GraphSummary) -> Self {
        Self {
            standing: Standing::of(&graph),
            open: open(&graph),
            graph: graph.id.to_string(),
            name: graph.name.unwrap_or_default(),
            total: graph.total,
            complete: graph.complete,
            failed: graph.failed,
            cancelled: graph.cancelled,
            skipped: graph.skipped,
            created: Some(times::utc(graph.created)),
            tags: graph.tags,
            begun: times::relative(graph.created, times::now()),
        }
    }

    /// Returns the finished part of the tasks.
    fn done(&self) -> String {
        let ended = self.total.saturating_sub(self.open);
        Progress::part(usize::try_from(ended).unwrap_or(0), usize::try_from(self.total).unwrap_or(0))
    }
}

impl Row for Summary {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::id("graph"), |row| row.graph.clone()),
        (Column::text("name").rank(6), |row| row.name.clone()),
        (Column::whole("state"), |row| {
            row.standing.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
        }),
        (Column::whole("done"), |row| row.done()),
        (Column::whole("tasks").rank(5), |row| row.total.to_string()),
        (Column::whole("open"), |row| row.open.to_string()),
        (Column::whole("complete").rank(3), |row| row.complete.to_string()),
        (Column::whole("failed").rank(4), |row| row.failed.to_string()),
        (Column::whole("cancelled").rank(2), |row| row.cancelled.to_string()),
        (Column::whole("skipped").rank(2), |row| row.skipped.to_string()),
        (Column::whole("created").rank(7), |row| row.begun.clone()),
        (Column::text("tags").rank(1), |row| row.tags.join(",")),
    ];
}
