//! Task ids as arguments, and a loop over these tasks.

use blueque::{TaskId, TaskInfo};
use clap::Args;
use serde::Serialize;

use crate::output::table::{Cell, Column, Row};
use crate::output::{Code, chain, clean, code, say};
use crate::session::Session;

#[derive(Args, Clone, Debug)]
pub struct TaskIds {
    /// Task ids, or unambiguous prefixes of ids; @last, @failed; graphs and parts of graphs: GRAPH, GRAPH[3-9],
    /// GRAPH/NAME
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
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
        Self { ids: vec![id.to_owned()] }
    }

    /// Calls `act` for each task. Continues after a refusal. Returns the exit code of the first refusal.
    pub fn each(
        &self,
        session: &Session,
        act: impl Fn(&TaskId, &TaskInfo) -> anyhow::Result<&'static str>,
    ) -> anyhow::Result<Code> {
        let mut done = Vec::new();
        let mut worst = Code::Ok;
        let mut flagged = false;
        for (text, found) in self.ids.iter().flat_map(|text| session.find_tasks(text)) {
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
