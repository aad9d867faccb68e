//! `blueque track`: the tracked tasks.

use blueque::TrackedTask;
use serde::Serialize;

use crate::input::task_ids::TaskIds;
use crate::output::Code;
use crate::output::table::{Cell, Column, Row};
use crate::session::Session;
use crate::subcommand::{Scope, Subcommand};
use crate::times;

#[derive(Clone, Debug, clap::Subcommand)]
pub enum Word {
    /// Track tasks
    Add(TaskIds),
    /// Stop tracking tasks
    Remove(TaskIds),
    /// List the tracked tasks
    Ls,
}

/// A tracked task.
#[derive(Serialize)]
struct View {
    id: String,
    queue: String,
    status: &'static str,
    since: Option<String>,
    #[serde(skip)]
    moment: String,
}

impl From<TrackedTask> for View {
    fn from(task: TrackedTask) -> Self {
        let TrackedTask { id, queue, status, since, .. } = task;
        Self { id, queue, status: status.as_str(), since: times::exact(since), moment: times::cell(since) }
    }
}

impl Row for View {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::id("id"), |row| row.id.clone()),
        (Column::text("queue"), |row| row.queue.clone()),
        (Column::whole("status"), |row| row.status.to_owned()),
        (Column::whole("since").rank(1), |row| row.moment.clone()),
    ];
}

impl Word {
    /// Returns the partitions that the subcommand concerns.
    pub fn scope(&mut self) -> Scope<'_> {
        match self {
            Word::Add(tasks) | Word::Remove(tasks) => Scope::Tasks(&mut tasks.ids),
            Word::Ls => Scope::All,
        }
    }
}

impl Subcommand for Word {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let client = &session.client;
        match self {
            Word::Add(tasks) => tasks.each(session, |id, _| {
                client.task(id.as_str())?.track()?;
                Ok("tracked")
            }),
            Word::Remove(tasks) => tasks.each(session, |id, _| {
                client.task(id.as_str())?.untrack()?;
                Ok("untracked")
            }),
            Word::Ls => {
                session.write(&client.tracked()?.into_iter().map(View::from).collect::<Vec<_>>())?;
                Ok(Code::Ok)
            }
        }
    }
}
