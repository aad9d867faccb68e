//! `blueque logs`

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use blueque::{LogEntry, Status, TaskId, TaskInfo};
use clap::Args;
use serde::Serialize;

use super::follow::{Follower, Streams};
use super::patience::{Outage, Reason, begin};
use super::{Session, times};
use crate::output::table::{self, Column, Row};
use crate::output::{Code, Decoder, Format, fault, say};

/// So many entries are read at once.
const PAGE: u32 = 200;

#[derive(Args, Debug)]
pub struct Options {
    /// The id, or an unambiguous beginning of it
    #[arg(value_name = "ID")]
    id: String,
    /// Go on until the task is finished
    #[arg(short, long)]
    pub follow: bool,
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
    const COLUMNS: &'static [Column] =
        &[Column::whole("at"), Column::whole("attempt"), Column::whole("source"), Column::text("text")];

    fn id(&self) -> &str {
        &self.id
    }

    fn cells(&self) -> Vec<String> {
        Vec::new() // the text itself is what people see
    }
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let find = || session.find_task(&options.id);
    // What is followed for hours outlives a server that is away.
    let found = if options.follow { begin(find, &|| false)? } else { Some(find()?) };
    let Some((id, info)) = found else { return Ok(Code::Ok) };
    if matches!(session.format, Format::Table) {
        let mut follower = Follower::new(session, &id, Streams::Data);
        if options.follow {
            follower.follow(&|| false)?;
        } else if !follower.log()? {
            drop(follower);
            tell_nothing(session, &id, &info)?;
        }
        return Ok(Code::Ok);
    }
    if session.format == Format::Id {
        return Err(fault(Code::Usage, "a log has no ids: use -o table, json or jsonl"));
    }
    if options.follow && session.format == Format::Json {
        return Err(fault(Code::Usage, "what is followed has no end: use -o jsonl"));
    }
    let (mut entries, mut reader) = (Vec::new(), Reader::default());
    let (mut outage, mut reason) = (Outage::default(), Reason::new());
    loop {
        let looked = reader.look(session, &id);
        let looked = if options.follow { outage.survive(looked)? } else { Some(looked?) };
        let Some((info, page)) = looked else { continue };
        let over = page.is_empty();
        for entry in page {
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
            if let Some(news) = outage.survive(reason.news(session, &id, &info))?.flatten() {
                say(news);
            }
            thread::sleep(Duration::from_millis(200));
        }
    }
    if entries.is_empty() && !reader.any {
        tell_nothing(session, &id, &info)?;
    }
    if session.format == Format::Json {
        table::write(Format::Json, &entries)?;
    }
    Ok(Code::Ok)
}

/// Says why there is no log.
fn tell_nothing(session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<()> {
    say(match info.status() {
        Some(status) if status.is_finished() && info.attempts() > 0 => {
            format!("{id} has no log; logs are kept for a day")
        }
        Some(status) if status.is_finished() => format!("{id} has no log: it has never run"),
        Some(Status::Started) => format!("{id} has written nothing yet"),
        _ if info.attempts() > 1 => format!("{id} has no log. {}", session.why(id, info)?.1),
        _ => format!("{id} has not started. {}", session.why(id, info)?.1),
    });
    Ok(())
}

/// Reads a log as data. Its text is a string, whatever a program wrote: a character may begin in one entry and end in
/// the next.
struct Reader {
    after: String,
    any: bool,
    attempt: u32,
    /// Of each source of the attempt.
    decoders: HashMap<String, Decoder>,
}

impl Default for Reader {
    fn default() -> Self {
        Self { after: "0".to_owned(), any: false, attempt: 0, decoders: HashMap::new() }
    }
}

impl Reader {
    /// The record of the task, and what was added to its log. The record first: after its end nothing is added.
    fn look(&mut self, session: &Session, id: &TaskId) -> anyhow::Result<(TaskInfo, Vec<Entry>)> {
        let info = session.client.task(id.as_str())?.info()?;
        let page = session.client.call(&session.client.calls().logs(id, &self.after, PAGE))?;
        self.after = page.last;
        let entries: Vec<Entry> = page.items.into_iter().map(|entry| self.view(id.as_str(), entry)).collect();
        self.any |= !entries.is_empty();
        Ok((info, entries))
    }

    fn view(&mut self, id: &str, entry: LogEntry) -> Entry {
        let LogEntry { at, attempt, source, text, .. } = entry;
        if self.attempt != attempt {
            self.attempt = attempt;
            self.decoders.clear();
        }
        let text = self.decoders.entry(source.clone()).or_default().next(&text);
        Entry { id: id.to_owned(), at: times::exact(at), attempt, source, text }
    }
}
