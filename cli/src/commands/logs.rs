//! `blueque logs`

use std::collections::HashMap;

use blueque::{LogEntry, Status};
use clap::Args;
use serde::Serialize;

use super::follow::{Follower, Streams};
use super::{Session, times};
use crate::output::table::{self, Row};
use crate::output::{Code, Decoder, Format, fault};

#[derive(Args, Debug)]
pub struct Options {
    /// The id, or an unambiguous beginning of it
    #[arg(value_name = "ID")]
    id: String,
    /// Go on until the task is finished
    #[arg(short, long)]
    follow: bool,
}

/// An entry of a log as data.
#[derive(Serialize)]
struct Entry {
    id: String,
    at: Option<String>,
    attempt: u32,
    source: String,
    text: String,
}

impl Row for Entry {
    const HEADS: &'static [&'static str] = &["at", "attempt", "source", "text"];

    fn id(&self) -> &str {
        &self.id
    }

    fn cells(&self) -> Vec<String> {
        Vec::new() // the text itself is what people see
    }
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let (id, info) = session.find_task(&options.id)?;
    if matches!(session.format, Format::Table) {
        let mut follower = Follower::new(session, &id, Streams::Data);
        if options.follow {
            follower.follow(&|| false)?;
        } else if !follower.log()? && info.status().is_some_and(Status::is_finished) {
            drop(follower);
            crate::output::say(format!("{id} has no log; logs are kept for a day"));
        }
        return Ok(Code::Ok);
    }
    if session.format == Format::Id {
        return Err(fault(Code::Usage, "a log has no ids: use -o table, json or jsonl"));
    }
    if options.follow && session.format == Format::Json {
        return Err(fault(Code::Usage, "what is followed has no end: use -o jsonl"));
    }
    let mut after = "0".to_owned();
    let (mut entries, mut reader) = (Vec::new(), Reader::default());
    loop {
        let info = session.client.task(id.as_str())?.info()?;
        let page = session.client.call(&session.client.calls().logs(&id, &after, 200))?;
        after = page.last;
        let over = page.items.is_empty();
        for entry in page.items {
            let entry = reader.view(id.as_str(), entry);
            if session.format == Format::Json {
                entries.push(entry);
            } else {
                table::write_one(session.format, &entry)?;
            }
        }
        if over && (!options.follow || info.status().is_some_and(Status::is_finished)) {
            break;
        }
        if over {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    }
    if session.format == Format::Json {
        table::write(Format::Json, &entries)?;
    }
    Ok(Code::Ok)
}

/// Entries as data. Their text is a string, whatever a program wrote: a character may begin in one and end in the next.
#[derive(Default)]
struct Reader {
    attempt: u32,
    /// Of each source of the attempt.
    decoders: HashMap<String, Decoder>,
}

impl Reader {
    fn view(&mut self, id: &str, entry: LogEntry) -> Entry {
        let LogEntry { at, attempt, source, text, .. } = entry;
        if self.attempt != attempt {
            *self = Self { attempt, ..Self::default() };
        }
        let text = self.decoders.entry(source.clone()).or_default().next(&text);
        Entry { id: id.to_owned(), at: times::exact(at), attempt, source, text }
    }
}
