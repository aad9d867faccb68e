//! `blueque events`

use std::time::Duration;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::Context;
use blueque::calls::{ChangesOptions, EventsOptions};
use blueque::{Event, QueueName, Status, TaskChange, TaskId};
use clap::Args;
use serde::Serialize;

use crate::follow::pages::{self, Pages};
use crate::input::values::queue_name;
use crate::output::table::{self, Cell, Column, Row, or_dash};
use crate::output::{Code, code, fault, say};
use crate::session::Session;
use crate::session::outage::{Outage, begin};
use crate::subcommand::Subcommand;
use crate::times;
use crate::view::payload::Payload;

const PAGE: u32 = 500;

/// Maximum size of a file with a cursor.
const LONGEST: u64 = 4 << 10;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue [default with --task: the queue of the task]
    #[arg(value_name = "QUEUE", value_parser = queue_name, required_unless_present_any = ["task", "tracked"])]
    queue: Option<QueueName>,
    /// Show the changes of tracked tasks in all queues, instead of the events of a queue
    #[arg(long, conflicts_with = "queue")]
    tracked: bool,
    /// Show new events as they occur; with --task until the task is finished
    #[arg(short, long)]
    pub follow: bool,
    /// Only the last N events [default: 10 with --follow, else all events that are kept]
    #[arg(short = 'n', long, value_name = "N", conflicts_with_all = ["after", "resume"])]
    last: Option<usize>,
    /// Only events of one task: its id, or an unambiguous prefix of it
    #[arg(long, value_name = "ID")]
    pub task: Option<String>,
    /// Only events after the event with this cursor, which JSON output shows
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
    /// Only events since the last call with this file, in which the command stores its cursor
    #[arg(long, value_name = "FILE", conflicts_with = "after")]
    resume: Option<PathBuf>,
}

/// A transition.
#[derive(Serialize)]
struct EventView {
    at: Option<String>,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    to: String,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    cursor: String,
    #[serde(skip)]
    moment: String,
}

impl From<Event> for EventView {
    fn from(event: Event) -> Self {
        let Event { cursor, id, from, to, attempt, at, by, why, since, .. } = event;
        let (since, moment) = (since.and_then(times::exact), times::cell(at));
        Self { at: times::exact(at), id, from, to, attempt, by, why, since, cursor, moment }
    }
}

impl Row for EventView {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("at"), |row| row.moment.clone()),
        (Column::id("id"), |row| row.id.clone()),
        (Column::whole("from").rank(3), |row| or_dash(row.from.as_ref())),
        (Column::whole("to"), |row| row.to.clone()),
        (Column::whole("attempt").rank(1), |row| row.attempt.to_string()),
        (Column::text("by").rank(2), |row| or_dash(row.by.as_ref())),
        (Column::text("why"), |row| row.why.clone()),
    ];
}

/// A change of a tracked task.
#[derive(Serialize)]
struct ChangeView {
    at: Option<String>,
    id: String,
    queue: String,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    to: String,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Payload>,
    cursor: String,
    #[serde(skip)]
    moment: String,
}

impl From<TaskChange> for ChangeView {
    fn from(change: TaskChange) -> Self {
        let TaskChange { cursor, id, queue, what, from, to, attempt, at, by, why, text, .. } = change;
        let (moment, text) = (times::cell(at), text.map(Payload));
        Self { at: times::exact(at), id, queue, what, from, to, attempt, by, why, text, cursor, moment }
    }
}

impl Row for ChangeView {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("at"), |row| row.moment.clone()),
        (Column::id("id"), |row| row.id.clone()),
        (Column::text("queue").rank(3), |row| row.queue.clone()),
        (Column::whole("change"), |row| if row.what == "state" { row.to.clone() } else { row.what.clone() }),
        (Column::whole("attempt").rank(1), |row| row.attempt.to_string()),
        (Column::text("by").rank(2), |row| or_dash(row.by.as_ref())),
        (Column::text("why"), |row| row.why.clone()),
        (Column::text("text"), |row| {
            row.text.as_ref().map(|Payload(bytes)| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
        }),
    ];
}

/// A stream of events.
trait Source {
    type View: Row;

    /// Returns the time of an entry as text that sorts by time.
    fn when(view: &Self::View) -> String;

    /// Reads the entries after a cursor, only of the task `only` if it is set. Returns the new cursor, true if entries
    /// may be missing, and the entries.
    fn page(&self, session: &Session, only: Option<&TaskId>, after: &str) -> blueque::Result<Page<Self::View>>;

    /// Returns the queue of the events, or another name for their source.
    fn name(&self) -> &str;

    /// Reports why there is nothing to show.
    fn nothing(&self, _: &Session, _: &Options, _whole: bool) -> anyhow::Result<()> {
        Ok(())
    }
}

type Page<View> = (String, bool, Vec<View>);

struct OfQueue {
    queue: QueueName,
    /// The task whose events are wanted, if it does not exist.
    gone: Option<TaskId>,
}

impl Source for OfQueue {
    type View = EventView;

    fn when(view: &EventView) -> String {
        view.at.clone().unwrap_or_default()
    }

    fn page(&self, session: &Session, only: Option<&TaskId>, after: &str) -> blueque::Result<Page<EventView>> {
        let options = only.iter().fold(EventsOptions::new(), |options, id| options.id(id.as_str()));
        let page = session.client.call(&session.client.calls().events(&self.queue, after, PAGE, &options))?;
        Ok((page.last, page.missed, page.items.into_iter().map(EventView::from).collect()))
    }

    fn name(&self) -> &str {
        self.queue.as_str()
    }

    fn nothing(&self, session: &Session, options: &Options, whole: bool) -> anyhow::Result<()> {
        if let Some(id) = self.gone.as_ref().filter(|_| whole) {
            let text = format!("there is no task {id}, and {} has no event of it", self.queue);
            return Err(fault(Code::NotFound, text));
        }
        if options.task.is_some() {
            return Ok(());
        }
        match session.unknown(std::slice::from_ref(&self.queue))? {
            // With a cursor file or `--follow`, a missing queue is no error: later events may be added.
            Some(text) if options.follow || options.resume.is_some() => say(format!("{text} yet")),
            Some(text) => return Err(fault(Code::NotFound, text)),
            None => {}
        }
        Ok(())
    }
}

struct OfTracked;

impl Source for OfTracked {
    type View = ChangeView;

    fn when(view: &ChangeView) -> String {
        view.at.clone().unwrap_or_default()
    }

    fn page(&self, session: &Session, only: Option<&TaskId>, after: &str) -> blueque::Result<Page<ChangeView>> {
        let options = only.iter().fold(ChangesOptions::new(), |options, id| options.id(id.as_str()));
        let page = session.client.call(&session.client.calls().changes(after, PAGE, &options))?;
        Ok((page.last, page.missed, page.items.into_iter().map(ChangeView::from).collect()))
    }

    fn name(&self) -> &'static str {
        "tracked tasks"
    }
}

/// Reads events page by page.
struct Reader<'a, S> {
    session: &'a Session,
    source: S,
    /// The task to which the events are limited, if there is a limit.
    only: Option<TaskId>,
    after: String,
    resume: Option<&'a Path>,
}

impl<S: Source> Pages for Reader<'_, S> {
    type Entry = S::View;

    fn next(&mut self) -> anyhow::Result<(Vec<S::View>, bool)> {
        let (last, missed, events) = self.source.page(self.session, self.only.as_ref(), &self.after)?;
        if missed {
            let name = self.source.name();
            say(format!("-- events of {name} after {} have been trimmed: some may be missing here --", self.after));
        }
        let more = last != self.after;
        self.after = last;
        Ok((events, more))
    }
}

impl<S: Source> Reader<'_, S> {
    /// Writes the cursor to a new file next to the cursor file, and returns the path. A call before the first output
    /// ensures that the cursor can be stored.
    fn draft(&self, file: &Path) -> anyhow::Result<PathBuf> {
        let mut fresh = file.as_os_str().to_owned();
        fresh.push(".new");
        // Removes any file at this path first. Through a link, the cursor would overwrite another file. Opening a pipe
        // would block.
        let _ = fs::remove_file(&fresh);
        let written = File::create_new(&fresh).and_then(|mut file| writeln!(file, "{}", self.after));
        written.with_context(|| format!("the cursor cannot be kept in {}", file.display()))?;
        Ok(fresh.into())
    }

    /// Stores the cursor after the events that were shown.
    fn shown(&self) -> anyhow::Result<()> {
        let Some(file) = self.resume else { return Ok(()) };
        let kept = fs::rename(self.draft(file)?, file);
        kept.with_context(|| format!("the cursor cannot be kept in {}", file.display()))
    }

    /// Returns true if no more events can follow, because the task to which they are limited is finished.
    fn over(&self) -> anyhow::Result<bool> {
        let Some(id) = &self.only else { return Ok(false) };
        let info = self.session.client.call(&self.session.client.calls().get(id))?;
        Ok(info.is_none_or(|info| info.status().is_some_and(Status::is_finished)))
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        pages::require_lines(self.follow, session.format)?;
        if self.tracked {
            let only = || self.task.as_ref().map(|id| session.find(id)).transpose();
            return show(session, self, &|| Ok((OfTracked, only()?)));
        }
        show(session, self, &|| of_queue(session, self))
    }

    fn waits(&self) -> Option<Option<Duration>> {
        self.follow.then_some(None)
    }
}

fn show<S: Source>(
    session: &Session,
    options: &Options,
    source: &dyn Fn() -> anyhow::Result<(S, Option<TaskId>)>,
) -> anyhow::Result<Code> {
    let past = || past(session, options, source()?);
    let begun = if options.follow { begin(past, &|| false)? } else { Some(past()?) };
    let Some((mut reader, kept)) = begun else { return Ok(Code::Ok) };
    if let Some(file) = reader.resume {
        reader.draft(file)?;
    }
    if !options.follow {
        session.write_ranked(&kept, S::when)?;
        reader.shown()?;
        return Ok(Code::Ok);
    }
    let mut outage = Outage::default();
    let mut shown = table::Stream::new(session.format, session.partition());
    shown.write(&kept)?;
    loop {
        reader.shown()?;
        // The record is read first: if the task has ended, the next reads return all of its events.
        let looked = reader.over().and_then(|over| Ok((over, reader.next()?)));
        let Some((over, (events, more))) = outage.survive(looked)? else { continue };
        shown.write(&events)?;
        if !more && over {
            reader.shown()?;
            return Ok(Code::Ok);
        }
        if !more {
            thread::sleep(pages::PAUSE);
        }
    }
}

/// Returns the existing events.
fn past<'a, S: Source>(
    session: &'a Session,
    options: &'a Options,
    (source, only): (S, Option<TaskId>),
) -> anyhow::Result<(Reader<'a, S>, Vec<S::View>)> {
    let mut reader = Reader { session, source, only, after: after(options)?, resume: options.resume.as_deref() };
    let whole = reader.after == pages::START;
    let brief = options.follow && reader.only.is_none() && whole && options.resume.is_none();
    let kept = pages::last(&mut reader, options.last.or(brief.then_some(pages::BEFORE)))?;
    if kept.is_empty() {
        reader.source.nothing(session, options, whole)?;
    }
    Ok((reader, kept))
}

/// Returns the queue of the events, and the task to which the events are limited.
fn of_queue(session: &Session, options: &Options) -> anyhow::Result<(OfQueue, Option<TaskId>)> {
    let (mut only, mut gone) = (None, None);
    let mut queue = options.queue.clone();
    if let Some(id) = &options.task {
        match session.find_task(id) {
            Ok((id, info)) => {
                if queue.is_none() {
                    queue = info.queue().map(QueueName::new).transpose()?;
                }
                only = Some(id);
            }
            // The events of a deleted task may still exist.
            Err(error) if queue.is_some() && code(&error) == Code::NotFound => {
                only = Some(TaskId::new(id.as_str())?);
                gone.clone_from(&only);
            }
            Err(error) => return Err(error),
        }
    }
    let queue = queue.ok_or_else(|| fault(Code::Usage, "which queue?"))?;
    Ok((OfQueue { queue, gone }, only))
}

/// Returns the cursor of the entry after which to begin.
fn after(options: &Options) -> anyhow::Result<String> {
    Ok(match (&options.after, &options.resume) {
        (Some(after), _) => pages::given(after)?,
        (None, Some(file)) => match crate::file::text(file, LONGEST) {
            Ok(text) if pages::is_cursor(text.trim()) => text.trim().to_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => pages::START.to_owned(),
            Err(error) if error.kind() != io::ErrorKind::InvalidData => {
                return Err(fault(Code::Usage, format!("{} cannot be read: {error}", file.display())));
            }
            _ => {
                let text = format!("{} contains no cursor of an event: remove it to start over", file.display());
                return Err(fault(Code::Usage, text));
            }
        },
        (None, None) => pages::START.to_owned(),
    })
}
