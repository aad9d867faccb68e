//! `blueque notify`: notices that are not delivered.

use std::collections::BTreeSet;
use std::time::SystemTime;

use blueque::calls::UndeliveredOptions;
use blueque::{Notice, Undelivered};
use serde::Serialize;

use crate::input::values::plain;
use crate::output::table::{Cell, Column, Row, or};
use crate::output::{Code, clean_line, say};
use crate::session::Session;
use crate::subcommand::{Scope, Subcommand};
use crate::times;

/// Number of tasks and graphs of a page.
const PAGE: u32 = 100;

/// Characters of an answer in a table.
const ANSWER: usize = 60;

#[derive(Clone, Debug, clap::Subcommand)]
pub enum Word {
    /// List open notices and notices that were given up
    Ls {
        /// Only notices for this target
        #[arg(value_parser = plain)]
        target: Option<String>,
        /// Only notices that were given up
        #[arg(long)]
        given_up: bool,
    },
    /// Try notices at once that wait for their next try or were given up
    Retry {
        /// The notices of these tasks or graphs
        #[arg(value_name = "ID", value_parser = plain, required_unless_present = "target")]
        ids: Vec<String>,
        /// All notices for this target; with ids, only the notices of these tasks and graphs for it
        #[arg(long, value_name = "NAME", value_parser = plain)]
        target: Option<String>,
    },
}

/// A notice that is not delivered.
#[derive(Serialize)]
struct View {
    of: String,
    id: String,
    event: String,
    at: Option<String>,
    target: String,
    stage: String,
    tries: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<String>,
    #[serde(skip)]
    next: String,
}

impl View {
    fn new(target: &str, notice: Undelivered) -> Self {
        let next = match notice.due {
            _ if notice.stage.as_deref() == Some("given_up") => "given up".to_owned(),
            Some(due) if due <= SystemTime::now() => "due".to_owned(),
            Some(due) => times::cell(due),
            None => "after the one before".to_owned(),
        };
        Self {
            of: notice.of,
            id: notice.subject,
            event: notice.event,
            at: times::exact(notice.at),
            target: target.to_owned(),
            stage: notice.stage.unwrap_or_default(),
            tries: notice.tries,
            answer: notice.answer.map(|answer| String::from_utf8_lossy(&answer).into_owned()),
            due: notice.due.and_then(times::exact),
            next,
        }
    }
}

impl Row for View {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::id("id"), |row| row.id.clone()),
        (Column::whole("event"), |row| row.event.clone()),
        (Column::text("target"), |row| row.target.clone()),
        (Column::whole("tries"), |row| row.tries.to_string()),
        (Column::whole("next try"), |row| row.next.clone()),
        (Column::text("last answer").rank(1), |row| or(row.answer.as_ref().map(|it| clean_line(it, ANSWER)), "none")),
    ];
}

/// The notices of a target that are tried at once.
#[derive(Serialize)]
struct Retried {
    target: String,
    notices: u64,
}

impl Row for Retried {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("target"), |row| row.target.clone()),
        (Column::whole("notices"), |row| row.notices.to_string()),
    ];
}

/// Calls `act` for each page of the notices of a target. A page has its notices by task and graph.
fn pages(
    session: &Session,
    target: &str,
    given_up: bool,
    mut act: impl FnMut(Vec<Undelivered>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let options = UndeliveredOptions::new().given_up(given_up);
    let mut next = Some("0".to_owned());
    while let Some(cursor) = next {
        let page = session.client.call(&session.client.calls().undelivered(target, &cursor, PAGE, &options))?;
        next = page.next;
        act(page.items)?;
    }
    Ok(())
}

fn list(session: &Session, target: Option<&String>, given_up: bool) -> anyhow::Result<Code> {
    let targets = match target {
        Some(target) => vec![target.clone()],
        None => session.client.call(&session.client.calls().targets())?.into_iter().map(|it| it.target).collect(),
    };
    let mut rows = Vec::new();
    for target in targets {
        for stage in [false, true].into_iter().filter(|stage| *stage || !given_up) {
            pages(session, &target, stage, |notices| {
                rows.extend(notices.into_iter().map(|notice| View::new(&target, notice)));
                Ok(())
            })?;
        }
    }
    session.write(&rows)?;
    Ok(Code::Ok)
}

/// Returns the owner of a notice: the id of a task, or `/` and the id of a graph.
fn owner(of: &str, id: &str) -> String {
    if of == "graph" { format!("/{id}") } else { id.to_owned() }
}

fn redeliver(session: &Session, target: &str, owners: &[String]) -> anyhow::Result<u64> {
    let owners: Vec<&str> = owners.iter().map(String::as_str).collect();
    if owners.is_empty() {
        return Ok(0);
    }
    Ok(session.client.call(&session.client.calls().redeliver(target, &owners))?)
}

fn retry_all(session: &Session, target: &str) -> anyhow::Result<Vec<Retried>> {
    let mut notices = 0;
    for given_up in [false, true] {
        pages(session, target, given_up, |page| {
            let mut owners: Vec<_> = page.iter().map(|notice| owner(&notice.of, &notice.subject)).collect();
            owners.dedup();
            notices += redeliver(session, target, &owners)?;
            Ok(())
        })?;
    }
    Ok(vec![Retried { target: target.to_owned(), notices }])
}

/// Returns the targets of the notices of a task or a graph that are not delivered.
fn targets(session: &Session, of: &str, id: &str) -> anyhow::Result<BTreeSet<String>> {
    let notices = session.client.call(&session.client.calls().notices(of, id))?;
    let waits = |notice: &Notice| matches!(notice.stage.as_deref(), Some("open" | "given_up"));
    Ok(notices.into_iter().filter(waits).map(|notice| notice.target).collect())
}

fn retry(session: &Session, id: &str, only: Option<&String>) -> anyhow::Result<Vec<Retried>> {
    let mut rows = Vec::new();
    for of in ["task", "graph"] {
        for target in targets(session, of, id)?.into_iter().filter(|target| only.is_none_or(|only| only == target)) {
            rows.push(Retried { notices: redeliver(session, &target, &[owner(of, id)])?, target });
        }
    }
    // A deleted task and its notices are found only by the whole id.
    if rows.is_empty() && session.find_graph(id)?.is_none() {
        let found = session.find(id)?;
        return if found.as_str() == id { Ok(rows) } else { retry(session, found.as_str(), only) };
    }
    Ok(rows)
}

impl Word {
    pub fn scope(&mut self) -> Scope<'_> {
        match self {
            Self::Retry { ids, .. } if !ids.is_empty() => Scope::Tasks(ids),
            Self::Retry { .. } | Self::Ls { .. } => Scope::All,
        }
    }
}

impl Subcommand for Word {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let mut rows = Vec::new();
        match self {
            Self::Ls { target, given_up } => return list(session, target.as_ref(), *given_up),
            Self::Retry { ids, target: Some(target) } if ids.is_empty() => rows = retry_all(session, target)?,
            Self::Retry { ids, target } => {
                for id in ids {
                    rows.extend(retry(session, id, target.as_ref())?);
                }
            }
        }
        if rows.iter().all(|row| row.notices == 0) {
            say("no notice was given up or waits for its next try: `blueque notify ls` lists what is not delivered");
        }
        session.write(&rows)?;
        Ok(Code::Ok)
    }
}
