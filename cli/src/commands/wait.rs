//! `blueque wait`

use std::time::{Duration, Instant};

use blueque::{Status, TaskId, TaskInfo};
use clap::Args;

use super::follow::Follower;
use super::patience::begin;
use super::printer::Streams;
use crate::input::values::duration;
use crate::output::table::{self, write_one};
use crate::output::{Code, Format, clean_line, fault, line, say};
use crate::session::Session;
use crate::times;
use crate::view::record::headline;
use crate::view::task::TaskView;

#[derive(Args, Debug)]
pub struct Options {
    /// Ids, or unambiguous beginnings of them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Give up after this long, such as 90s or 2h
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub timeout: Option<Duration>,
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let late = || session.end.is_some_and(|end| Instant::now() >= end);
    let waited = || humantime::format_duration(options.timeout.unwrap_or_default());
    let find = || options.ids.iter().map(|id| session.find(id)).collect::<Result<Vec<TaskId>, _>>();
    let Some(ids) = begin(find, &late)? else {
        return Err(fault(Code::TimedOut, format!("no answer from the server after {}", waited())));
    };
    let mut ended = Vec::new();
    let mut verdicts = Vec::new();
    for id in &ids {
        let Some(info) = Follower::new(session, id, Streams::None).follow(&late)? else {
            return Err(fault(Code::TimedOut, format!("{id} is not finished after {}", waited())));
        };
        verdicts.push(verdict(&info));
        if session.format == Format::Jsonl || session.format == Format::Id {
            write(session.format, id, &info)?;
        } else {
            ended.push(TaskView::whole(id.as_str(), &info));
        }
    }
    if matches!(session.format, Format::Json | Format::Table) {
        table::write(session.format, &ended)?;
    }
    let found = |code| verdicts.contains(&code).then_some(code);
    Ok(found(Code::Failed).or(found(Code::Cancelled)).unwrap_or(Code::Ok))
}

/// Writes the record of a task that is waited for.
pub fn write(format: Format, id: &TaskId, info: &TaskInfo) -> anyhow::Result<()> {
    write_one(format, &TaskView::whole(id.as_str(), info))
}

/// Writes the result of a task, where it has one; `null` is what a program leaves that has none.
pub fn write_result(info: &TaskInfo) -> anyhow::Result<()> {
    if let Some(result) = info.result().filter(|result| !result.is_empty() && *result != b"null") {
        line(String::from_utf8_lossy(result))?;
    }
    Ok(())
}

/// The exit code for the end of a task.
pub fn verdict(info: &TaskInfo) -> Code {
    match info.status() {
        Some(Status::Complete) => Code::Ok,
        Some(Status::Cancelled) => Code::Cancelled,
        _ => Code::Failed,
    }
}

/// Says how it ended.
pub fn tell(id: &TaskId, info: &TaskInfo) {
    let status = info.status().map_or("unknown", Status::as_str);
    let took = match (info.started(), info.updated()) {
        (Some(from), Some(to)) if info.status() != Some(Status::Cancelled) => {
            format!(" after {}", times::span(to - from))
        }
        _ => String::new(),
    };
    let why = match info.status() {
        Some(Status::Failed) => info.error().map(|error| headline(&error)),
        Some(Status::Cancelled) => info.reason(),
        _ => None,
    };
    let why = why.map_or(String::new(), |why| format!(": {}", clean_line(&why, 400)));
    say(format!("{id} {status}{took}{why}"));
}
