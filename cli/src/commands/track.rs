//! `blueque track`, `untrack` and `tracked`

use blueque::TrackedTask;
use clap::Args;
use serde::Serialize;

use crate::input::task_ids::TaskIds;
use crate::output::Code;
use crate::output::table::{Column, Row};
use crate::session::Session;
use crate::times;

#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    pub tasks: TaskIds,
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
        Self { id, queue, status: status.as_str(), since: times::exact(since), moment: times::to_the_second(since) }
    }
}

impl Row for View {
    const COLUMNS: &'static [Column] =
        &[Column::id("id"), Column::text("queue"), Column::whole("status"), Column::whole("since").rank(1)];

    fn id(&self) -> &str {
        &self.id
    }

    fn cells(&self) -> Vec<String> {
        vec![self.id.clone(), self.queue.clone(), self.status.to_owned(), self.moment.clone()]
    }
}

pub fn track(session: &Session, options: &Options) -> anyhow::Result<Code> {
    options.tasks.each(session, |id, _| {
        session.client.task(id.as_str())?.track()?;
        Ok("tracked")
    })
}

pub fn untrack(session: &Session, options: &Options) -> anyhow::Result<Code> {
    options.tasks.each(session, |id, _| {
        session.client.task(id.as_str())?.untrack()?;
        Ok("untracked")
    })
}

pub fn list(session: &Session) -> anyhow::Result<Code> {
    let tasks: Vec<View> = session.client.tracked()?.into_iter().map(View::from).collect();
    session.write(&tasks)?;
    Ok(Code::Ok)
}
