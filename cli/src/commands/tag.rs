//! `blueque tag`: the tags of tasks and queues.

mod ls;

use blueque::TaskId;
use clap::Args;
use serde::Serialize;

use crate::input::values::plain;
use crate::output::Code;
use crate::output::table::{Cell, Column, Row};
use crate::session::Session;
use crate::subcommand::{Scope, Subcommand};

#[derive(Clone, Debug, clap::Subcommand)]
pub enum Word {
    /// Add tags to a task
    Add(Change),
    /// Remove tags from a task
    Remove(Change),
    /// List the tags of a queue, the most used first
    Ls(ls::Options),
}

#[derive(Args, Clone, Debug)]
pub struct Change {
    /// The id, or an unambiguous prefix of it
    id: String,
    /// The tags
    #[arg(required = true, value_name = "TAG", value_parser = plain)]
    tags: Vec<String>,
}

/// The tags of a task.
#[derive(Serialize)]
struct Tagged {
    id: String,
    tags: Vec<String>,
}

impl Row for Tagged {
    const COLUMNS: &'static [Cell<Self>] =
        &[(Column::id("id"), |row| row.id.clone()), (Column::text("tags"), |row| row.tags.join(" "))];
}

impl Word {
    /// Returns the partitions that the subcommand concerns.
    pub fn scope(&mut self) -> Scope<'_> {
        match self {
            Word::Add(options) | Word::Remove(options) => Scope::Task(&mut options.id),
            Word::Ls(_) => Scope::All,
        }
    }
}

impl Subcommand for Word {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let (client, calls) = (&session.client, session.client.calls());
        match self {
            Word::Add(options) => change(session, options, |id, tags| client.call(&calls.tag(id, tags))),
            Word::Remove(options) => change(session, options, |id, tags| client.call(&calls.untag(id, tags))),
            Word::Ls(options) => ls::run(session, options),
        }
    }
}

fn change(
    session: &Session,
    options: &Change,
    call: impl Fn(&TaskId, &[&str]) -> blueque::Result<Vec<String>>,
) -> anyhow::Result<Code> {
    let id = session.find(&options.id)?;
    let tags: Vec<&str> = options.tags.iter().map(String::as_str).collect();
    let tags = call(&id, &tags)?;
    session.write(&[Tagged { id: id.to_string(), tags }])?;
    Ok(Code::Ok)
}
