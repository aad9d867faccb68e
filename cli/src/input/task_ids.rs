//! Task ids as arguments, and a loop over these tasks.

use blueque::{TaskId, TaskInfo};
use clap::Args;
use serde::Serialize;

use super::confirm::agreed;
use crate::output::table::{Cell, Column, Row};
use crate::output::{Code, chain, clean, code, say};
use crate::session::Session;

#[derive(Args, Clone, Debug)]
pub struct TaskIds {
    /// Task ids, or unambiguous prefixes of ids; @last, @failed; graphs and parts of graphs: GRAPH, GRAPH[3-9],
    /// GRAPH/NAME
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Do not ask, if an id means several tasks
    #[arg(long, short)]
    yes: bool,
}

/// The outcome for one task.
#[derive(Serialize)]
struct Done {
    id: String,
    outcome: &'static str,
}

impl Row for Done {
    const COLUMNS: &'static [Cell<Self>] =
        &[(Column::id("id"), |row| row.id.clone()), (Column::whole("outcome"), |row| row.outcome.to_owned())];
}

impl TaskIds {
    pub fn one(id: &str) -> Self {
        Self { ids: vec![id.to_owned()], yes: true }
    }

    /// Calls `act` for each task. Continues after a refusal. Returns the exit code of the first refusal.
    pub fn each(
        &self,
        session: &Session,
        act: impl Fn(&TaskId, &TaskInfo) -> anyhow::Result<&'static str>,
    ) -> anyhow::Result<Code> {
        let found: Vec<(&String, Vec<_>)> =
            self.ids.iter().map(|text| (text, session.find_tasks(text).collect())).collect();
        // In GRAPH[3-9] the user has named each task.
        let asks = found.iter().any(|(text, tasks)| tasks.len() > 1 && !text.contains('['));
        let all: Vec<_> = found.into_iter().flat_map(|(_, tasks)| tasks).collect();
        if asks && !agreed(self.yes, || Ok(Some(format!("Change {} tasks?", all.len()))))? {
            return Ok(Code::Failed);
        }
        let mut done = Vec::new();
        let mut worst = Code::Ok;
        let mut flagged = false;
        for (text, found) in all {
            let done_to = |(id, info): (TaskId, TaskInfo)| {
                // These flags mean that the task has dependents or upstreams.
                flagged |= info.fields.get("flags").is_some_and(|flags| flags.iter().any(|flag| b"wd".contains(flag)));
                Ok(Done { outcome: act(&id, &info)?, id: id.to_string() })
            };
            match found.and_then(done_to) {
                Ok(row) => done.push(row),
                Err(error) => {
                    let code = code(&error);
                    if code == Code::Unreachable {
                        session.write(&done)?;
                        return Err(error);
                    }
                    say(format!("blueque: {}: {}", clean(&text), chain(&error)));
                    worst = if worst == Code::Ok { code } else { worst };
                }
            }
        }
        if flagged && !done.is_empty() {
            session.run_deferred();
        }
        if !done.is_empty() || worst == Code::Ok {
            session.write(&done)?;
        }
        Ok(worst)
    }
}
