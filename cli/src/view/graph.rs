//! Views of graphs.

use std::collections::HashMap;

use blueque::{GraphId, GraphInfo, GraphMember, Status, SubmittedGraph, TaskId};
use serde::{Serialize, Serializer};

use crate::output::table::{Column, Row, table};
use crate::output::{Format, json, line, one_line};
use crate::times;

/// As many upstreams of a task are named in the table.
const NAMED: usize = 3;

/// The columns of a graph that was submitted.
const MADE: &[Column] = &[Column::text("task").at_least(20), Column::id("id")];

/// A graph that was submitted.
#[derive(Serialize)]
pub struct Made {
    graph: String,
    created: bool,
    tasks: Names,
}

/// Ids by the names within a graph, in its order.
struct Names(Vec<(String, String)>);

impl Serialize for Names {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, id)| (name, id)))
    }
}

impl Made {
    pub fn new(made: &SubmittedGraph) -> Self {
        let tasks = made.tasks.iter().map(|(label, id)| (label.clone(), id.to_string()));
        Self { graph: made.graph.id().to_string(), created: made.created, tasks: Names(tasks.collect()) }
    }

    /// The names with their ids; with `--output id` the id of the graph.
    pub fn write(&self, format: Format) -> anyhow::Result<()> {
        match format {
            Format::Table => {
                line(format!("graph  {}", one_line(&self.graph)))?;
                let rows = self.tasks.0.iter().map(|(name, id)| vec![name.clone(), id.clone()]);
                table(MADE, rows)?;
            }
            Format::Json | Format::Jsonl => line(json(self)?)?,
            Format::Id => line(one_line(&self.graph))?,
        }
        Ok(())
    }
}

/// A graph with its tasks.
#[derive(Serialize)]
pub struct Whole {
    graph: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    total: u64,
    tasks: Vec<Member>,
}

/// A task of it.
#[derive(Serialize)]
struct Member {
    task: String,
    id: String,
    queue: String,
    status: &'static str,
    /// The tasks that it waits for, or waited for.
    upstreams: Vec<Upstream>,
    /// How many of them have not ended as it needs.
    open: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
    #[serde(skip)]
    depth: usize,
}

#[derive(Serialize)]
struct Upstream {
    task: String,
    id: String,
    needs: String,
    #[serde(skip)]
    ended: bool,
}

impl Whole {
    pub fn new(id: &GraphId, info: &GraphInfo, tasks: Vec<GraphMember>) -> Self {
        let known: HashMap<TaskId, (String, bool)> = tasks
            .iter()
            .map(|task| {
                let ended = task.status.is_none_or(Status::is_finished);
                (task.id.clone(), (task.label.clone(), ended))
            })
            .collect();
        let label = |id: &TaskId| known.get(id).map_or_else(|| id.to_string(), |(label, _)| label.clone());
        let mut depths: HashMap<TaskId, usize> = HashMap::new();
        let member = |task: GraphMember| {
            // Each comes after those that it waits for.
            let depth = task.upstreams.iter().filter_map(|(_, up)| depths.get(up)).max().map_or(0, |depth| depth + 1);
            depths.insert(task.id.clone(), depth);
            let upstream = |(needs, up): &(String, TaskId)| Upstream {
                task: label(up),
                id: up.to_string(),
                needs: needs.clone(),
                ended: known.get(up).is_some_and(|(_, ended)| *ended),
            };
            Member {
                upstreams: task.upstreams.iter().map(upstream).collect(),
                cause: task.cause.as_ref().map(label),
                task: task.label,
                id: task.id.to_string(),
                queue: task.queue,
                status: task.status.map_or("gone", Status::as_str),
                open: task.open,
                depth,
            }
        };
        let tasks = tasks.into_iter().map(member).collect();
        let created = info.created.map(times::to_the_second);
        Self { graph: id.to_string(), name: info.name.clone(), created, total: info.total, tasks }
    }

    /// How many tasks are in which state.
    pub fn sentence(&self) -> String {
        let mut numbers: Vec<(&str, usize)> = Vec::new();
        for task in &self.tasks {
            match numbers.iter_mut().find(|(status, _)| *status == task.status) {
                Some((_, number)) => *number += 1,
                None => numbers.push((task.status, 1)),
            }
        }
        let numbers: Vec<String> = numbers.iter().map(|(status, number)| format!("{number} {status}")).collect();
        let name = if self.name.is_empty() { String::new() } else { format!(" ({})", self.name) };
        format!("graph {}{name}: {}", self.graph, numbers.join(", "))
    }

    /// A tree; with `--output id` the ids of its tasks.
    pub fn write(&self, format: Format) -> anyhow::Result<()> {
        match format {
            Format::Table => {
                line(one_line(&self.sentence()))?;
                table(Member::COLUMNS, self.tasks.iter().map(Row::cells))?;
            }
            Format::Json => line(json(self)?)?,
            Format::Jsonl => self.tasks.iter().try_for_each(|task| anyhow::Ok(line(json(task)?)?))?,
            Format::Id => self.tasks.iter().try_for_each(|task| line(one_line(&task.id)))?,
        }
        Ok(())
    }
}

impl Row for Member {
    const COLUMNS: &'static [Column] = &[
        Column::text("task").at_least(20),
        Column::whole("state"),
        Column::text("queue").rank(2),
        Column::id("id").rank(1),
        Column::text(""),
    ];

    fn id(&self) -> &str {
        &self.id
    }

    /// Its name is indented by the longest way from a task that waits for none.
    fn cells(&self) -> Vec<String> {
        let name = format!("{}{}", "  ".repeat(self.depth.min(10)), one_line(&self.task));
        vec![name, self.status.to_owned(), self.queue.clone(), self.id.clone(), self.reason()]
    }
}

impl Member {
    /// Whom it waits for, or who was the cause of its end.
    fn reason(&self) -> String {
        if let Some(cause) = &self.cause {
            return format!("because of {cause}");
        }
        let open: Vec<&str> = self.upstreams.iter().filter(|up| !up.ended).map(|up| up.task.as_str()).collect();
        if self.status != "waiting" || open.is_empty() {
            return String::new();
        }
        let (named, more) = open.split_at(open.len().min(NAMED));
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        format!("waits for {}{more}", named.join(", "))
    }
}
