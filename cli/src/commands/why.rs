//! `blueque why`: explains in one sentence why a task does not run, or what it does.

use std::iter;

use blueque::{TaskId, TaskInfo};
use clap::Args;
use serde::Serialize;

use crate::output::{Code, Format, json, line, one_line};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::view::expected::Expected;
use crate::view::why::why;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The id of a task, or an unambiguous prefix of it; or a part of a graph: GRAPH[17], GRAPH[3-9] or GRAPH/NAME
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
        for (name, found) in iter::once(first).chain(all) {
            let (id, info) = found?;
            one(session, &id, &info, several.then_some(name.as_str()))?;
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
        (Format::Table, Some(name)) => line(format!("{}: {sentence}", one_line(name)))?,
        (Format::Table, None) => line(sentence)?,
        (Format::Id, _) => line(session.global(id.as_str()))?,
        (Format::Json | Format::Jsonl, _) => {
            let status = cause.why.status.as_str();
            line(json(&Answer {
                id: &session.global(id.as_str()),
                queue: &cause.why.queue,
                status,
                why: sentence,
                expected,
            })?)?;
        }
    }
    Ok(())
}
