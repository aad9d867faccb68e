//! `blueque why`: explains in one sentence why a task does not run, or what it does.

use std::iter;

use blueque::{Status, TaskId, TaskInfo};
use clap::Args;
use serde::Serialize;

use crate::output::document::document;
use crate::output::{Code, Format, line, many, one_line, prose, say};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::times::localised;
use crate::view::expected::Expected;
use crate::view::why::why;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The id of a task, or an unambiguous prefix of it; @last, @failed; a graph or a part of it: GRAPH, GRAPH[3-9] or
    /// GRAPH/NAME
    pub id: String,
}

/// The output in JSON.
#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
    queue: &'a str,
    status: &'static str,
    why: String,
    #[serde(flatten)]
    expected: Option<Expected>,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let mut all = session.find_tasks(&self.id).peekable();
        let Some(first) = all.next() else { return Ok(Code::Ok) };
        let several = all.peek().is_some();
        // For a whole graph, only the unfinished tasks are explained.
        let whole = several && !self.id.contains(['/', '[']);
        let mut ended = 0;
        for (name, found) in iter::once(first).chain(all) {
            let (id, info) = found?;
            if whole && info.status().is_some_and(Status::is_finished) {
                ended += 1;
                continue;
            }
            one(session, &id, &info, several.then_some(name.as_str()))?;
        }
        if ended > 0 && session.format == Format::Table {
            say(format!("{} ended; blueque graph show {} shows all", many(ended, "task"), one_line(&self.id)));
        }
        Ok(Code::Ok)
    }
}

/// Writes the answer for one task. `name`: the name of the task, which precedes the answer if there are several tasks.
fn one(session: &Session, id: &TaskId, info: &TaskInfo, name: Option<&str>) -> anyhow::Result<()> {
    let cause = why(session, id, info)?;
    let expected = cause.expected(session, id)?;
    let sentence = cause.with(expected.as_ref());
    match (session.format, name) {
        (Format::Table, Some(name)) => prose(format!("{}: {}", one_line(name), localised(&sentence)), 2)?,
        (Format::Table, None) => prose(localised(&sentence), 0)?,
        (Format::Id, _) => line(session.global(id.as_str()))?,
        (format, _) => {
            let (id, status) = (&session.global(id.as_str()), cause.why.status.as_str());
            document(format, &Answer { id, queue: &cause.why.queue, status, why: sentence, expected })?;
        }
    }
    Ok(())
}
