//! `blueque tag` and `untag`

use blueque::TaskId;
use clap::Args;
use serde::Serialize;

use crate::input::values::plain;
use crate::output::Code;
use crate::output::table::{Column, Row};
use crate::session::Session;

#[derive(Args, Debug)]
pub struct Options {
    /// The id, or an unambiguous prefix of it
    #[arg(value_name = "ID")]
    pub id: String,
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
    const COLUMNS: &'static [Column] = &[Column::id("id"), Column::text("tags")];

    fn id(&self) -> &str {
        &self.id
    }

    fn cells(&self) -> Vec<String> {
        vec![self.id.clone(), self.tags.join(" ")]
    }
}

pub fn tag(session: &Session, options: &Options) -> anyhow::Result<Code> {
    change(session, options, |id, tags| session.client.call(&session.client.calls().tag(id, tags)))
}

pub fn untag(session: &Session, options: &Options) -> anyhow::Result<Code> {
    change(session, options, |id, tags| session.client.call(&session.client.calls().untag(id, tags)))
}

fn change(
    session: &Session,
    options: &Options,
    call: impl Fn(&TaskId, &[&str]) -> blueque::Result<Vec<String>>,
) -> anyhow::Result<Code> {
    let id = session.find(&options.id)?;
    let tags: Vec<&str> = options.tags.iter().map(String::as_str).collect();
    let tags = call(&id, &tags)?;
    session.write(&[Tagged { id: id.to_string(), tags }])?;
    Ok(Code::Ok)
}
