//! `blueque why`: one sentence.

use clap::Args;
use serde::Serialize;

use crate::output::{Code, Format, json, line};
use crate::session::Session;
use crate::view::expected::Expected;
use crate::view::why::{Cause, why};

#[derive(Args, Debug)]
pub struct Options {
    /// The id, or an unambiguous prefix of it
    #[arg(value_name = "ID")]
    id: String,
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

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let (id, info) = session.find_task(&options.id)?;
    let cause = why(session, &id, &info)?;
    let expected = cause.expected(session, &id, &info)?;
    let Cause { why, mut sentence, .. } = cause;
    if let Some(expected) = &expected
        && sentence.ends_with('.')
    {
        sentence.pop();
        sentence.push_str(&format!("; expected {}.", expected.words()));
    }
    match session.format {
        Format::Table => line(sentence)?,
        Format::Id => line(id.as_str())?,
        Format::Json | Format::Jsonl => {
            let status = why.status.as_str();
            line(json(&Answer { id: id.as_str(), queue: &why.queue, status, why: sentence, expected })?)?;
        }
    }
    Ok(Code::Ok)
}
