//! The ids of tasks, as arguments, and what a command does to each of those tasks.

use blueque::{TaskId, TaskInfo};
use clap::Args;
use serde::Serialize;

use crate::output::table::{self, Column, Row};
use crate::output::{Code, chain, clean, code, say};
use crate::session::Session;

#[derive(Args, Debug)]
pub struct TaskIds {
    /// Ids, or unambiguous beginnings of them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

/// What became of one of them.
#[derive(Serialize)]
struct Done {
    id: String,
    outcome: &'static str,
}

impl Row for Done {
    const COLUMNS: &'static [Column] = &[Column::id("id"), Column::whole("outcome")];

    fn id(&self) -> &str {
        &self.id
    }

    fn cells(&self) -> Vec<String> {
        vec![self.id.clone(), self.outcome.to_owned()]
    }
}

impl TaskIds {
    /// Does it to each task. One that refuses does not keep the others from it; the exit code is that of the first.
    pub fn each(
        &self,
        session: &Session,
        act: impl Fn(&TaskId, &TaskInfo) -> anyhow::Result<&'static str>,
    ) -> anyhow::Result<Code> {
        let mut done = Vec::new();
        let mut worst = Code::Ok;
        for text in &self.ids {
            let done_to = |(id, info): (TaskId, TaskInfo)| Ok(Done { outcome: act(&id, &info)?, id: id.to_string() });
            match session.find_task(text).and_then(done_to) {
                Ok(row) => done.push(row),
                Err(error) => {
                    let code = code(&error);
                    if code == Code::Unreachable {
                        table::write(session.format, &done)?;
                        return Err(error);
                    }
                    say(format!("blueque: {}: {}", clean(text), chain(&error)));
                    worst = if worst == Code::Ok { code } else { worst };
                }
            }
        }
        if !done.is_empty() || worst == Code::Ok {
            table::write(session.format, &done)?;
        }
        Ok(worst)
    }
}
