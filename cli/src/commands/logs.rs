//! `blueque logs`

use std::time::Duration;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::thread;

use blueque::{Status, TaskId, TaskInfo};
use clap::Args;
use serde::Serialize;

use crate::follow::feed::{Feed, Item, Piece};
use crate::follow::log_range::{Excerpt, LogRange};
use crate::follow::pager::Pager;
use crate::follow::printer::{Printer, Streams};
use crate::follow::reason::Reason;
use crate::follow::{Follower, SEARCH, follow_all, pages};
use crate::input::last_id;
use crate::input::selection::Selection;
use crate::input::values::{past, whole_number};
use crate::output::table::{self, Row};
use crate::output::{Code, Decoder, Format, cut, fault, many, one_line, say};
use crate::run_folder::state_folder;
use crate::session::Session;
use crate::session::outage::{Outage, begin};
use crate::subcommand::Subcommand;
use crate::times::{self, When};
use crate::view::why::why;

/// A task with its name.
type Task = (String, (TaskId, TaskInfo));

/// Maximum number of tasks whose logs are followed at the same time.
const FOLLOWED: usize = 200;

/// Maximum width of the name of a task before a line of its log.
const NAME_WIDTH: usize = 40;

const MOST_LINES: i64 = 1_000_000_000_000;

const STATE_DIR_HELP: &str = "Where the logs of this host are [else BLUEQUE_STATE_DIR, else ~/.local/state/blueque]";

#[derive(Args, Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Options {
    /// The id, or an unambiguous prefix of it; @last, @failed; a graph or a part of it: GRAPH, GRAPH[3-9]
    #[arg(conflicts_with_all = ["queue", "tag", "graph"])]
    pub id: Option<String>,
    #[command(flatten)]
    selection: Selection,
    /// Show new output until the task is finished
    #[arg(short, long)]
    pub follow: bool,
    /// Only output of this attempt
    #[arg(long, value_name = "N", value_parser = whole_number::<u32>(1, u32::MAX.into()))]
    attempt: Option<u32>,
    /// Only the first lines; with --tail the first and the last lines
    #[arg(long, value_name = "LINES", value_parser = whole_number::<usize>(0, MOST_LINES), conflicts_with = "follow")]
    head: Option<usize>,
    /// Only the last lines
    #[arg(long, short = 'n', value_name = "LINES", value_parser = whole_number::<usize>(0, MOST_LINES))]
    tail: Option<usize>,
    /// Only output since this time: a time, or 10m for the last ten minutes
    #[arg(long, value_name = "TIME", value_parser = past)]
    since: Option<When>,
    /// Only output of the program on stdout
    #[arg(long, conflicts_with = "stderr")]
    stdout: bool,
    /// Only output of the program on stderr
    #[arg(long)]
    stderr: bool,
    /// Print the time of each line
    #[arg(long, short)]
    timestamps: bool,
    /// The folder with the logs of this host.
    #[arg(long, value_name = "DIR", help = STATE_DIR_HELP)]
    state_dir: Option<PathBuf>,
}

impl Options {
    fn excerpt(&self) -> Excerpt {
        let source = if self.stdout { Some("stdout") } else { self.stderr.then_some("stderr") };
        let since = self.since.map(When::time);
        Excerpt::new(LogRange { source, since, head: self.head, tail: self.tail })
    }

    /// Returns the tasks, each with its name.
    fn find(&self, session: &Session) -> anyhow::Result<Vec<(String, (TaskId, TaskInfo))>> {
        if let Some(id) = &self.id {
            return session.find_tasks(id).map(|(name, found)| Ok((name, found?))).collect();
        }
        let found = self.selection.find(session, !self.follow, |info| info)?;
        Ok(found.into_iter().map(|(id, info)| (session.global(id.as_str()), (id, info))).collect())
    }

    /// Returns the tasks that were selected after `known`, and adds them.
    fn find_later(&self, session: &Session, known: &mut HashSet<TaskId>) -> anyhow::Result<Vec<&'static Task>> {
        if self.id.is_some() || self.selection.graph.is_some() {
            return Ok(Vec::new());
        }
        let found = self.find(session)?;
        let room = FOLLOWED.saturating_sub(known.len());
        let new = found.into_iter().filter(|(_, (id, _))| !known.contains(id)).take(room).collect::<Vec<_>>();
        known.extend(new.iter().map(|(_, (id, _))| id.clone()));
        // At most `FOLLOWED` records are kept until this process ends.
        Ok(new.into_iter().map(|task| &*Box::leak(Box::new(task))).collect())
    }

    /// Writes the logs of several tasks, each line after the name of its task.
    fn several<'a>(&self, session: &'a Session, found: &'a [Task]) -> anyhow::Result<Code> {
        if self.follow && found.len() > FOLLOWED {
            let text = format!("{} tasks are selected, and at most {FOLLOWED} can be followed", found.len());
            return Err(fault(Code::Usage, text));
        }
        if found.is_empty() {
            say(if self.follow { "no unfinished task is selected" } else { "no task is selected" });
        }
        if session.format != Format::Table {
            return self.several_as_data(session, found);
        }
        let folder = state_folder(self.state_dir.as_deref()).ok();
        let width = found.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(NAME_WIDTH);
        let follower = |task: &'a Task| {
            let (name, (id, _)) = task;
            let prefix = format!("{:<width$} | ", cut(&one_line(name), width));
            let printer = Printer::new(id, Streams::Data, self.timestamps, None).prefixed(Some(prefix));
            let feed = Feed::new(session, id, folder.clone(), self.attempt);
            Follower::with(session, id, feed, self.excerpt(), printer, false)
        };
        if self.follow {
            let mut known = known(found);
            let later = || Ok(self.find_later(session, &mut known)?.into_iter().map(follower).collect());
            follow_all(found.iter().map(follower).collect(), later)?;
            return Ok(Code::Ok);
        }
        let mut any = false;
        for task in found {
            let mut follower = follower(task);
            any |= follower.log(&task.1.1)?;
            follower.finish()?;
        }
        if !any && !found.is_empty() {
            say(format!("{} have no such log", many(found.len(), "task")));
        }
        Ok(Code::Ok)
    }

    fn reader<'a>(&self, session: &'a Session, id: &'a TaskId) -> Reader<'a> {
        let feed = Feed::new(session, id, state_folder(self.state_dir.as_deref()).ok(), self.attempt);
        Reader { feed, excerpt: self.excerpt(), attempt: 0, decoders: HashMap::new() }
    }

    /// Writes the logs of several tasks as data, one task after another, or as they grow.
    fn several_as_data(&self, session: &Session, found: &[Task]) -> anyhow::Result<Code> {
        self.check_format(session)?;
        let mut open: Vec<(&TaskId, Reader<'_>)> =
            found.iter().map(|(_, (id, _))| (id, self.reader(session, id))).collect();
        let (mut entries, mut outage, mut known) = (Vec::new(), Outage::default(), known(found));
        while !open.is_empty() {
            let mut left = Vec::with_capacity(open.len());
            for (id, mut reader) in open {
                let looked = reader.look(session, id, &mut |entry| take(session, &mut entries, entry));
                let looked = if self.follow { outage.survive(looked)? } else { Some(looked?) };
                let ended = looked.is_some_and(|info| info.status().is_some_and(Status::is_finished));
                if self.follow && !ended {
                    left.push((id, reader));
                }
            }
            if self.follow {
                let later = outage.survive(self.find_later(session, &mut known))?.unwrap_or_default();
                left.extend(later.into_iter().map(|(_, (id, _))| (id, self.reader(session, id))));
                thread::sleep(if left.is_empty() { Duration::ZERO } else { SEARCH });
            }
            open = left;
        }
        if session.format == Format::Json {
            table::write(Format::Json, &entries)?;
        }
        Ok(Code::Ok)
    }

    /// Fails for a format that a log does not have.
    fn check_format(&self, session: &Session) -> anyhow::Result<()> {
        if matches!(session.format, Format::Id | Format::Csv) {
            return Err(fault(Code::Usage, "a log is no table and has no ids: use -o table, json, jsonl or template"));
        }
        pages::require_lines(self.follow, session.format)
    }

    /// Returns true if the named attempt does not exist yet.
    fn is_beyond(&self, info: &TaskInfo) -> bool {
        self.attempt.is_some_and(|attempt| attempt > info.attempt())
    }

    /// Returns true if the user wants the whole log.
    fn is_all(&self) -> bool {
        let lines = self.head.is_some() || self.tail.is_some();
        self.attempt.is_none() && self.since.is_none() && !self.stdout && !self.stderr && !lines
    }
}

/// An entry of a log in JSON.
#[derive(Serialize)]
struct Entry {
    id: String,
    at: Option<String>,
    attempt: u32,
    source: String,
    text: String,
    /// Number of bytes of the attempt's output before this entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
}

impl Row for Entry {
    fn id(&self) -> String {
        self.id.clone()
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        if self.id.is_none() && !self.selection.is_given() {
            let last = last_id::read(&session.namespace).map_or_else(
                |_| "logs ID".to_owned(),
                |last| format!("logs @last shows the task that you submitted last, {last}"),
            );
            return Err(fault(
                Code::Usage,
                format!("whose log? blueque {last}; --queue, --tag and --graph select tasks"),
            ));
        }
        // A command that follows a log for hours waits for a server that is away.
        let found = if self.follow { begin(|| self.find(session), &|| false)? } else { Some(self.find(session)?) };
        let found = found.unwrap_or_default();
        // Tasks that come later are followed like several tasks.
        let several = found.len() != 1 || self.follow && self.id.is_none();
        if several {
            return self.several(session, &found);
        }
        let Some((_, one)) = found.into_iter().next() else { return Ok(Code::Ok) };
        let (id, info) = one;
        let feed = Feed::new(session, &id, state_folder(self.state_dir.as_deref()).ok(), self.attempt);
        if matches!(session.format, Format::Table) {
            let pager = if self.follow { None } else { Pager::start() };
            let printer = Printer::new(&id, Streams::Data, self.timestamps, pager);
            let mut follower = Follower::with(session, &id, feed, self.excerpt(), printer, self.follow);
            if self.follow {
                let ended = follower.follow(&|| false)?;
                drop(follower);
                if let Some(info) = ended.filter(|info| self.is_beyond(info)) {
                    explain_absence(session, &id, &info, self)?;
                }
            } else if !follower.log(&info)? {
                drop(follower);
                explain_absence(session, &id, &info, self)?;
            } else {
                follower.finish()?;
            }
            return Ok(Code::Ok);
        }
        self.check_format(session)?;
        let mut reader = Reader { feed, excerpt: self.excerpt(), attempt: 0, decoders: HashMap::new() };
        let (mut entries, mut any) = (Vec::new(), false);
        let (mut outage, mut reason) = (Outage::default(), Reason::new());
        loop {
            let mut news = 0;
            let looked = reader.look(session, &id, &mut |entry| {
                news += 1;
                take(session, &mut entries, entry)
            });
            any |= news > 0;
            let looked = if self.follow { outage.survive(looked)? } else { Some(looked?) };
            let Some(info) = looked else { continue };
            if !self.follow || news == 0 && info.status().is_some_and(Status::is_finished) {
                break;
            }
            if news == 0 {
                if let Some(news) = outage.survive(reason.news(session, &id, &info))?.flatten() {
                    say(news);
                }
                thread::sleep(pages::PAUSE);
            }
        }
        if !any {
            explain_absence(session, &id, &info, self)?;
        }
        if session.format == Format::Json {
            table::write(Format::Json, &entries)?;
        }
        Ok(Code::Ok)
    }

    fn waits(&self) -> Option<Option<Duration>> {
        self.follow.then_some(None)
    }
}

/// Writes an entry, or keeps it for one document.
fn take(session: &Session, entries: &mut Vec<Entry>, entry: Entry) -> anyhow::Result<()> {
    if session.format == Format::Json {
        entries.push(entry);
        return Ok(());
    }
    table::write_one(session.format, &entry)
}

fn known(found: &[Task]) -> HashSet<TaskId> {
    found.iter().map(|(_, (id, _))| id.clone()).collect()
}

/// Reports why there is no log. Fails if the user named an attempt that has not begun.
fn explain_absence(session: &Session, id: &TaskId, info: &TaskInfo, options: &Options) -> anyhow::Result<()> {
    let attempts = info.attempt();
    let why = match info.status() {
        _ if attempts > 0 && options.is_beyond(info) => format!("{id} has had {}", many(attempts, "attempt")),
        _ if !options.is_all() => format!("nothing in the log of {id} is of that kind"),
        Some(status) if status.is_finished() && info.attempt() > 0 => {
            format!("{id} has no log: the server keeps it for a day, its worker's host longer")
        }
        Some(status) if status.is_finished() => format!("{id} has no log: it has never run"),
        Some(Status::Started) => format!("{id} has written nothing yet"),
        _ if info.attempt() > 1 => format!("{id} has no log. {}", why(session, id, info)?.sentence),
        _ => format!("{id} has not started. {}", why(session, id, info)?.sentence),
    };
    if options.is_beyond(info) {
        return Err(fault(Code::NotFound, why));
    }
    say(why);
    Ok(())
}

/// Reads a log as data. Each text is a valid string, even if the program wrote other bytes. A character may begin in
/// one entry and end in the next entry.
struct Reader<'a> {
    feed: Feed<'a>,
    excerpt: Excerpt,
    attempt: u32,
    /// A decoder for each source of the attempt.
    decoders: HashMap<String, Decoder>,
}

impl Reader<'_> {
    /// Reads the record of the task, passes new entries of the log to `take`, and returns the record. The record is
    /// read first, so that the log of a finished task is complete.
    fn look(
        &mut self,
        session: &Session,
        id: &TaskId,
        take: &mut dyn FnMut(Entry) -> anyhow::Result<()>,
    ) -> anyhow::Result<TaskInfo> {
        let info = session.client.task(id.as_str())?.info()?;
        let Self { feed, excerpt, attempt, decoders } = self;
        let mut view = |item| {
            // The offsets show the position of missing text.
            let Item::Piece(piece) = item else { return Ok(()) };
            let Piece { attempt: of, at, source, text, offset } = piece;
            if *attempt != of {
                *attempt = of;
                decoders.clear();
            }
            let text = decoders.entry(source.clone()).or_default().next(&text);
            take(Entry { id: id.to_string(), at: times::exact(at), attempt: of, source, text, offset })
        };
        feed.look(&info, &mut |item| excerpt.pass(item, &mut view))?;
        excerpt.release(&mut view)?;
        Ok(info)
    }
}
