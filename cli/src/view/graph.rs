//! Views of graphs.

mod export;
mod member;
mod outlook;
mod summary;
mod tree;

use std::collections::HashMap;

use blueque::{GraphInfo, GraphMember, Status, SubmittedGraph, TaskId};
use clap::ValueEnum;
use serde::{Serialize, Serializer};

use self::member::{Member, Upstream, counts};
use self::outlook::Outlook;
pub use self::summary::{Standing, Summary};
use super::expected;
use super::notice::NoticeView;
use super::progress::Progress;
use crate::output::document::{document, documents};
use crate::output::screen::screen;
use crate::output::table::{Column, table};
use crate::output::{Format, cut, json, line, one_line, prose};
use crate::session::Session;
use crate::times;

/// The columns of a graph that was submitted.
const MADE: &[Column] = &[Column::text("task").at_least(20), Column::id("id")];

/// A graph that was submitted.
#[derive(Serialize)]
pub struct Made {
    graph: String,
    created: bool,
    tasks: Names,
}

/// The names and ids of the tasks of a graph, in the graph's order.
struct Names(Vec<(String, String)>);

impl Serialize for Names {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, id)| (name, id)))
    }
}

impl Made {
    pub fn new(made: &SubmittedGraph) -> Self {
        let tasks = made.tasks.iter().map(|(label, id)| (label.clone(), id.to_string()));
        Self { graph: made.graph.to_string(), created: made.created, tasks: Names(tasks.collect()) }
    }

    /// Writes the names with their ids, or with `--output id` the id of the graph.
    pub fn write(&self, format: Format) -> anyhow::Result<()> {
        match format {
            Format::Table => {
                line(format!("graph  {}", one_line(&self.graph)))?;
                let rows = self.tasks.0.iter().map(|(name, id)| vec![name.clone(), id.clone()]);
                table(MADE, rows)?;
            }
            Format::Id => line(one_line(&self.graph))?,
            format => document(format, self)?,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_end: Option<String>,
    tasks: Vec<Member>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<NoticeView>,
    /// Expected end, as text.
    #[serde(skip)]
    ends: String,
}

impl Whole {
    /// Returns the view, including the progress and the expected ends of unfinished tasks.
    pub fn looked_at(
        session: &Session,
        id: &impl ToString,
        info: &GraphInfo,
        tasks: Vec<GraphMember>,
    ) -> anyhow::Result<Self> {
        let outlook = Outlook::new(session, &tasks)?;
        let notices = NoticeView::of_graph(session, &id.to_string())?;
        Ok(Self { notices, ..Self::with(id, info, tasks, &outlook) })
    }

    pub fn new(id: &impl ToString, info: &GraphInfo, tasks: Vec<GraphMember>) -> Self {
        Self::with(id, info, tasks, &Outlook::default())
    }

    fn with(id: &impl ToString, info: &GraphInfo, tasks: Vec<GraphMember>, outlook: &Outlook) -> Self {
        let now = times::now();
        let ended = |status: Option<Status>| status.is_none_or(Status::is_finished);
        let known: HashMap<TaskId, (String, Option<Status>)> =
            tasks.iter().map(|task| (task.id.clone(), (task.label.clone(), task.status))).collect();
        let label = |id: &TaskId| {
            known
                .get(id)
                .filter(|(label, _)| !label.is_empty())
                .map_or_else(|| id.to_string(), |(label, _)| label.clone())
        };
        let member = |task: GraphMember| {
            let upstream = |(needs, up): &(String, TaskId)| {
                let status = known.get(up).map(|(_, status)| *status);
                let broken = matches!(status.flatten(), Some(Status::Failed | Status::Cancelled));
                Upstream {
                    task: label(up),
                    id: up.to_string(),
                    needs: needs.clone(),
                    ended: status.map(ended),
                    holds: matches!(needs.as_str(), "success" | "result") && broken,
                    complete: status.flatten() == Some(Status::Complete),
                    key: up.clone(),
                }
            };
            let end = outlook.ends.get(&task.id).copied();
            Member {
                upstreams: task.upstreams.iter().map(upstream).collect(),
                at_least: task.at_least,
                cause: task.cause.as_ref().map(label),
                progress: outlook.progress.get(&task.id).copied(),
                expected_end: end.and_then(times::exact),
                ended: ended(task.status),
                ends: end.map(|end| expected::ends(end, now)).unwrap_or_default(),
                status: task.outcome().unwrap_or("gone"),
                task: task.label,
                id: task.id.to_string(),
                queue: task.queue,
                open: task.open,
                key: task.id,
            }
        };
        let ends = outlook.end.map(|end| expected::ends(end, now)).unwrap_or_default();
        Self {
            tasks: tasks.into_iter().map(member).collect(),
            notices: Vec::new(),
            graph: id.to_string(),
            name: info.name.clone(),
            created: info.created.map(times::utc),
            total: info.total,
            expected_end: outlook.end.and_then(times::exact),
            ends,
        }
    }

    /// Returns the name of the graph, or its id if it has no name.
    fn title(&self) -> &str {
        if self.name.is_empty() { &self.graph } else { &self.name }
    }

    /// Returns true if all tasks of the graph have ended.
    pub fn has_ended(&self) -> bool {
        self.tasks.iter().all(|task| task.ended)
    }

    /// Returns a sentence: the tasks in each state, the number of ended tasks, and the expected end of the last task.
    pub fn sentence(&self) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!(" ({})", self.name) };
        let mut text = format!("graph {}{name}: {}", self.graph, counts(self.tasks.iter()));
        let ended = self.tasks.iter().filter(|task| task.ended).count();
        if ended > 0 && !self.has_ended() {
            text.push_str(&format!("; {} have ended", Progress::part(ended, self.tasks.len())));
        }
        if !self.ends.is_empty() {
            text.push_str(&format!("; expected to end {}", self.ends));
        }
        text
    }

    /// Writes a tree, or with `--output id` the ids of the tasks. With `whole`, the tree shows each array element and
    /// each complete task on a separate line.
    pub fn write(&self, format: Format, whole: bool) -> anyhow::Result<()> {
        match format {
            Format::Table => {
                prose(one_line(&self.sentence()), 2)?;
                table(tree::COLUMNS, tree::lines(&self.tasks, whole).into_iter())?;
                for notice in &self.notices {
                    line(one_line(&format!("notice      {}", notice.words())))?;
                }
            }
            Format::Json => line(json(self)?)?,
            Format::Id => self.tasks.iter().try_for_each(|task| line(one_line(&task.id)))?,
            format => documents(format, &self.tasks)?,
        }
        Ok(())
    }

    /// Writes the tree. A table on a terminal is cut to the height of the terminal. Returns the number of lines left
    /// out.
    pub fn write_screen(&self, format: Format, whole: bool) -> anyhow::Result<usize> {
        let Some((width, height)) = screen().filter(|_| format == Format::Table) else {
            return self.write(format, whole).map(|()| 0);
        };
        line(cut(&one_line(&self.sentence()), width))?;
        let mut lines = tree::lines(&self.tasks, whole);
        // Four lines are reserved: the sentence, the headings, the line below them, and the line of the cursor.
        let hidden = lines.split_off(height.saturating_sub(4).clamp(1, lines.len().max(1)).min(lines.len()));
        table(tree::COLUMNS, lines.into_iter())?;
        Ok(hidden.len())
    }

    /// Prints the graph as a drawing.
    pub fn draw(&self, drawing: Drawing) -> anyhow::Result<()> {
        Ok(line(match drawing {
            Drawing::Dot => export::dot(self.title(), &self.tasks),
            Drawing::Mermaid => export::mermaid(&self.tasks),
            Drawing::Json => json(self)?,
        })?)
    }
}

/// The format of an exported graph.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Drawing {
    /// For Graphviz
    Dot,
    /// For Markdown
    Mermaid,
    /// JSON, as from graph show -o json
    Json,
}
