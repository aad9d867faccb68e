//! `blueque admin audit`

use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use blueque::calls::AuditOptions;
use blueque::{Audit, Change};
use clap::Args;
use serde::Serialize;

use crate::follow::pages::{self, Pages};
use crate::input::values::{past, plain};
use crate::output::table::{self, Cell, Column, Row, or_dash};
use crate::output::{Code, Format, say};
use crate::session::Session;
use crate::session::outage::{Outage, begin};
use crate::subcommand::Subcommand;
use crate::times::{self, When};

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Show new changes as they are made
    #[arg(short, long)]
    pub follow: bool,
    /// Only the last N changes [default: 10 with --follow, else all changes that are kept]
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "after")]
    last: Option<usize>,
    /// Only changes by this caller, such as USER@HOST. Callers choose this name, and nothing proves it
    #[arg(long, value_name = "NAME", value_parser = plain)]
    by: Option<String>,
    /// Only changes by this command of the contract, such as configure or cancel
    #[arg(long, value_name = "COMMAND", value_parser = plain)]
    what: Option<String>,
    /// Only changes of the object with this name: a task, queue, schedule, graph or listener, or QUEUE/KEY for a key
    #[arg(long, value_name = "NAME")]
    on: Option<String>,
    /// Only changes at this time or later: a time, or 2h for two hours ago
    #[arg(long, value_name = "WHEN", value_parser = past, conflicts_with = "after")]
    since: Option<When>,
    /// Only changes after the entry with this cursor, which JSON output shows
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

/// A change.
#[derive(Serialize)]
struct View {
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    what: String,
    of: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    cursor: String,
    #[serde(skip)]
    moment: String,
}

impl From<Change> for View {
    fn from(change: Change) -> Self {
        let Change { cursor, at, by, what, of, on, before, after, detail, .. } = change;
        Self { at: times::exact(at), by, what, of, on, before, after, detail, cursor, moment: times::cell(at) }
    }
}

impl Row for View {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("at"), |row| row.moment.clone()),
        (Column::text("by").rank(1), |row| or_dash(row.by.as_ref())),
        (Column::whole("what"), |row| row.what.clone()),
        (Column::id("on"), |row| or_dash(row.on.as_ref())),
        (Column::text("before").rank(2), |row| or_dash(row.before.as_ref())),
        (Column::text("after"), |row| or_dash(row.after.as_ref())),
        (Column::text("detail").rank(3), |row| or_dash(row.detail.as_ref())),
    ];

    /// An entry may be about an object of any kind, so its name is not an id.
    const ID: Option<usize> = None;

    fn id(&self) -> String {
        self.on.clone().unwrap_or_default()
    }
}

/// Reads the entries page by page.
struct Reader<'a> {
    session: &'a Session,
    options: AuditOptions,
    after: String,
    /// True once entries were read. Entries that the server deletes after this moment are reported as missing.
    begun: bool,
}

impl Pages for Reader<'_> {
    type Entry = View;

    fn next(&mut self) -> anyhow::Result<(Vec<View>, bool)> {
        let Audit { last, missed, items, .. } = self.session.client.audit(&self.after, &self.options)?;
        if missed && self.begun {
            say(format!("-- entries after {} have been trimmed: some may be missing here --", self.after));
        }
        let more = last != self.after;
        (self.after, self.begun) = (last, true);
        Ok((items.into_iter().map(View::from).collect(), more))
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        pages::require_lines(self.follow, session.format)?;
        if !self.follow && self.last.is_none() && session.format == Format::Jsonl {
            return each_page(session, self);
        }
        let past = || past_entries(session, self);
        let begun = if self.follow { begin(past, &|| false)? } else { Some(past()?) };
        let Some((mut reader, kept)) = begun else { return Ok(Code::Ok) };
        if !self.follow {
            session.write_ranked(&kept, |entry| entry.at.clone().unwrap_or_default())?;
            return Ok(Code::Ok);
        }
        let (mut outage, mut shown) = (Outage::default(), table::Stream::new(session.format, session.partition()));
        shown.write(&kept)?;
        loop {
            let Some((entries, more)) = outage.survive(reader.next())? else { continue };
            shown.write(&entries)?;
            if !more {
                thread::sleep(pages::PAUSE);
            }
        }
    }

    fn waits(&self) -> Option<Option<Duration>> {
        self.follow.then_some(None)
    }
}

/// Writes the entries page by page as they are read, because there may be a million entries.
fn each_page(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let after = begin_after(options)?.unwrap_or_else(|| pages::START.to_owned());
    let mut reader = Reader { session, options: wanted(options), after, begun: options.after.is_some() };
    let mut shown = table::Stream::new(session.format, session.partition());
    loop {
        let (entries, more) = reader.next()?;
        shown.write(&entries)?;
        if !more {
            return Ok(Code::Ok);
        }
    }
}

/// Returns the filter for the entries.
fn wanted(options: &Options) -> AuditOptions {
    let wanted = options.by.iter().fold(AuditOptions::new(), AuditOptions::by);
    let wanted = options.what.iter().fold(wanted, AuditOptions::what);
    options.on.iter().fold(wanted, AuditOptions::on)
}

/// Returns the id of the entry after which to begin, if the options name a cursor or a time.
fn begin_after(options: &Options) -> anyhow::Result<Option<String>> {
    // The id of an entry begins with its time.
    let since = options.since.map(|since| since.time().duration_since(UNIX_EPOCH).unwrap_or_default());
    let since = since.filter(|since| !since.is_zero()).map(|since| format!("{}-0", since.as_millis() - 1));
    let given = options.after.as_deref().map(pages::given).transpose()?;
    Ok(given.or(since))
}

/// Returns the existing entries, and a reader of later entries.
fn past_entries<'a>(session: &'a Session, options: &Options) -> anyhow::Result<(Reader<'a>, Vec<View>)> {
    let (wanted, from, begun) = (wanted(options), begin_after(options)?, options.after.is_some());
    let last = options.last.or((options.follow && from.is_none()).then_some(pages::BEFORE));
    let read = |after| -> anyhow::Result<_> {
        let mut reader = Reader { session, options: wanted.clone(), after, begun };
        let kept = pages::last(&mut reader, last)?;
        Ok((reader, kept))
    };
    if let (Some(last), None) = (last, &from) {
        for after in recently(session)? {
            let (reader, kept) = read(after)?;
            if kept.len() >= last {
                return Ok((reader, kept));
            }
        }
    }
    read(from.unwrap_or_else(|| pages::START.to_owned()))
}

/// Returns ids from which to search for the last entries, the latest id first. A search from the first entry might read
/// a million entries.
fn recently(session: &Session) -> anyhow::Result<Vec<String>> {
    let now =
        session.client.call(&session.client.calls().handshake())?.now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let before = |seconds: u64| now.saturating_sub(Duration::from_secs(seconds)).as_millis();
    Ok([1, 10, 100, 1_000, 10_000, 100_000, 600_000].map(|seconds| format!("{}-0", before(seconds))).to_vec())
}
