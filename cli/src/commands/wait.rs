//! `blueque wait`

use std::time::{Duration, Instant};

use blueque::{TaskId, TaskInfo};
use clap::Args;

use crate::follow::Follower;
use crate::follow::ended::{verdict, write};
use crate::follow::printer::Streams;
use crate::input::values::duration;
use crate::output::{Code, Format, fault};
use crate::session::Session;
use crate::session::outage::begin;
use crate::subcommand::Subcommand;
use crate::view::task::TaskView;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Task ids, or unambiguous prefixes of ids; or parts of graphs: GRAPH[17], GRAPH[3-9], GRAPH/NAME
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Give up after this long, such as 90s or 2h
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub timeout: Option<Duration>,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let late = || session.end.is_some_and(|end| Instant::now() >= end);
        let waited = || humantime::format_duration(self.timeout.unwrap_or_default());
        let find = || {
            let found = self.ids.iter().flat_map(|id| session.find_tasks(id));
            found
                .map(|(_, found)| found.map(|(id, info)| (id, brief(info))))
                .collect::<anyhow::Result<Vec<(TaskId, TaskInfo)>>>()
        };
        let Some(found) = begin(find, &late)? else {
            return Err(fault(Code::TimedOut, format!("no answer from the server after {}", waited())));
        };
        let mut ended = Vec::new();
        let mut verdicts = Vec::new();
        for (id, info) in found {
            let id = &id;
            let Some(info) = Follower::new(session, id, Streams::None).after(info).follow(&late)? else {
                return Err(fault(Code::TimedOut, format!("{id} is not finished after {}", waited())));
            };
            verdicts.push(verdict(&info));
            if session.format == Format::Jsonl || session.format == Format::Id {
                write(session.format, &session.global_id(id), &info)?;
            } else {
                ended.push(TaskView::whole(id.as_str(), &info));
            }
        }
        if matches!(session.format, Format::Json | Format::Table) {
            session.write(&ended)?;
        }
        let found = |code| verdicts.contains(&code).then_some(code);
        Ok(found(Code::Failed).or(found(Code::Cancelled)).unwrap_or(Code::Ok))
    }

    fn waits(&self) -> Option<Option<Duration>> {
        Some(self.timeout)
    }
}

/// Removes the long fields of a record, to save memory if there are many tasks.
fn brief(mut info: TaskInfo) -> TaskInfo {
    info.fields.retain(|name, _| ["queue", "status", "updated"].contains(&name.as_str()));
    info
}
