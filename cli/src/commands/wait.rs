//! `blueque wait`

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use blueque::{Status, TaskId, TaskInfo};
use clap::Args;

use crate::follow::Follower;
use crate::follow::ended::{verdict, write};
use crate::follow::many::{Until, Waiting, brief};
use crate::follow::printer::Streams;
use crate::input::selection::Selection;
use crate::input::values::duration;
use crate::output::{Code, Format, fault, say};
use crate::session::Session;
use crate::session::outage::begin;
use crate::subcommand::Subcommand;
use crate::view::task::TaskView;

/// Maximum number of failed, of cancelled and of complete tasks that are read, if they ended before the wait.
const ENDED: usize = 1_000;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Task ids, or unambiguous prefixes of ids; @last, @failed; graphs and parts of graphs: GRAPH, GRAPH[3-9],
    /// GRAPH/NAME
    #[arg(required_unless_present_any = ["queue", "tag", "graph"], conflicts_with_all = ["queue", "tag", "graph"], value_name = "ID")]
    pub ids: Vec<String>,
    #[command(flatten)]
    selection: Selection,
    /// Stop as soon as one task has ended
    #[arg(long)]
    any: bool,
    /// Wait until all tasks have ended (default)
    #[arg(long, conflicts_with_all = ["any", "first_failure"])]
    all: bool,
    /// Stop as soon as a task has failed or was cancelled
    #[arg(long, conflicts_with = "any")]
    first_failure: bool,
    /// Give up after this long, such as 90s or 2h
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub timeout: Option<Duration>,
}

impl Options {
    fn until(&self) -> Until {
        match (self.any, self.first_failure) {
            (true, _) => Until::Any,
            (_, true) => Until::FirstFailure,
            _ => Until::All,
        }
    }

    /// Returns the tasks to wait for, without the long fields of their records. Failed and cancelled tasks of a tag are
    /// among them, so that they count. A queue keeps failures of earlier work, so there they do not count.
    fn find(&self, session: &Session) -> anyhow::Result<Vec<(TaskId, TaskInfo)>> {
        if !self.ids.is_empty() {
            let found = self.ids.iter().flat_map(|id| session.find_tasks(id));
            return found.map(|(_, found)| found.map(|(id, info)| (id, brief(info)))).collect();
        }
        let mut found = self.selection.find(session, false, brief)?;
        let Some(tag) = self.selection.tag.as_ref().filter(|_| self.selection.graph.is_none()) else {
            if found.is_empty() {
                say("no unfinished task is selected: there is nothing to wait for");
            }
            return Ok(found);
        };
        if self.any && !found.is_empty() {
            return Ok(found);
        }
        let open: BTreeSet<TaskId> = found.iter().map(|(id, _)| id.clone()).collect();
        let mut counts = Vec::new();
        for status in [Status::Failed, Status::Cancelled, Status::Complete] {
            let ids = self.selection.ids(session, [status], ENDED + 1)?;
            let more = if ids.len() > ENDED { "over " } else { "" };
            if !ids.is_empty() {
                counts.push(format!("{more}{} {status}", ids.len().min(ENDED)));
            }
            if status != Status::Complete {
                let before = self.selection.read(session, ids.get(..ENDED).unwrap_or(&ids), brief)?;
                // A task may have ended after the unfinished tasks were read.
                found.extend(before.into_iter().filter(|(id, _)| !open.contains(id)));
            }
        }
        if open.is_empty() && counts.is_empty() {
            return Err(fault(Code::NotFound, format!("no task has the tag {tag}")));
        }
        if open.is_empty() {
            say(format!("all selected tasks have ended: {}", counts.join(", ")));
        }
        Ok(found)
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let late = || session.end.is_some_and(|end| Instant::now() >= end);
        let waited = || humantime::format_duration(self.timeout.unwrap_or_default());
        let Some(found) = begin(|| self.find(session), &late)? else {
            return Err(fault(Code::TimedOut, format!("no answer from the server after {}", waited())));
        };
        let streams = matches!(session.format, Format::Jsonl | Format::Id);
        let mut ended = Vec::new();
        let mut take = |id: TaskId, info: TaskInfo| {
            if streams {
                return write(session.format, &session.global_id(&id), &info);
            }
            ended.push(TaskView::whole(id.as_str(), &info));
            Ok(())
        };
        let code = if let [(id, info)] = found.as_slice() {
            let Some(info) = Follower::new(session, id, Streams::None).after(info.clone()).follow(&late)? else {
                return Err(fault(Code::TimedOut, format!("{id} is not finished after {}", waited())));
            };
            let code = verdict(&info);
            take(id.clone(), info)?;
            code
        } else {
            let mut waiting = Waiting::new(session, found);
            if !waiting.wait(self.until(), &late, take)? {
                let text = format!("{} not finished after {}: {}", waiting.names(), waited(), waiting.sentence());
                return Err(fault(Code::TimedOut, text));
            }
            waiting.worst()
        };
        if !streams {
            session.write(&ended)?;
        }
        Ok(code)
    }

    fn waits(&self) -> Option<Option<Duration>> {
        Some(self.timeout)
    }
}
