//! Follows a task to its end, and prints its log and its progress.

pub mod ended;
pub mod feed;
mod gone;
pub mod interrupts;
pub mod log_range;
pub mod many;
pub mod pager;
pub mod pages;
pub mod printer;
pub mod reason;

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use blueque::{Status, TaskId, TaskInfo};
use indicatif::ProgressBar;
use terminal_size::{Width, terminal_size_of};

use self::feed::Feed;
use self::log_range::Excerpt;
use self::printer::{Printer, Streams};
use self::reason::Reason;
use crate::output::{Code, code, cut, say, waiting};
use crate::run_folder::end::PostMortem;
use crate::run_folder::state_folder;
use crate::session::Session;
use crate::session::outage::Outage;
use crate::times;
use crate::view::progress::Progress;

/// Shortest and longest pause between two polls.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(250));

/// Number of columns of the progress bar before the message.
const BEFORE: usize = 6 + 1 + 20 + 1;

/// Longest time that is shown next to a progress bar.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

/// Polls one task until it ends.
pub struct Follower<'a> {
    session: &'a Session,
    id: &'a TaskId,
    feed: Feed<'a>,
    excerpt: Excerpt,
    printer: Printer<'a>,
    silent: bool,
    bar: Option<ProgressBar>,
    /// The progress bar as last drawn: its elapsed seconds, its position and its text.
    drawn: Option<(u64, u64, String)>,
    outage: Outage,
    reason: Reason,
    /// The last record that was read.
    last: Option<TaskInfo>,
}

impl<'a> Follower<'a> {
    /// Creates a follower that begins at the oldest log entry that is kept.
    pub fn new(session: &'a Session, id: &'a TaskId, streams: Streams) -> Self {
        let silent = streams == Streams::None;
        let feed = Feed::new(session, id, if silent { None } else { state_folder(None).ok() }, None);
        let printer = Printer::new(id, streams, false, None);
        let mut follower = Self::with(session, id, feed, Excerpt::default(), printer, true);
        follower.silent = silent;
        follower
    }

    /// Creates a follower for a part of the log in a given format. On a terminal the bar is optional.
    pub fn with(
        session: &'a Session,
        id: &'a TaskId,
        feed: Feed<'a>,
        excerpt: Excerpt,
        printer: Printer<'a>,
        bar: bool,
    ) -> Self {
        let bar = if bar { waiting(1000) } else { None };
        let (outage, reason) = (Outage::default(), Reason::new());
        Self { session, id, feed, excerpt, printer, silent: false, bar, drawn: None, outage, reason, last: None }
    }

    /// Sets the record of the task, if the caller has read it.
    pub fn after(mut self, info: TaskInfo) -> Self {
        self.last = Some(info);
        self
    }

    /// Writes what the log has after its last complete line.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        Ok(self.printer.finish()?)
    }

    /// Returns true if anything was written to stdout.
    pub fn wrote(&self) -> bool {
        self.printer.wrote
    }

    /// Returns the last attempt that ended: its number, and the post-mortem of its program.
    pub fn exit(&self) -> Option<&(u32, PostMortem)> {
        self.printer.exit.as_ref()
    }

    /// Follows the task until it is finished and returns its record, or `None` if `stopped` becomes true. Waits for a
    /// server that is away.
    pub fn follow(&mut self, stopped: &dyn Fn() -> bool) -> anyhow::Result<Option<TaskInfo>> {
        let mut pause = PAUSES.0;
        loop {
            let looked = self.look().map_or_else(|error| self.gone(error).map(|info| (info, false)), Ok);
            if looked.is_err() && stopped() {
                return Ok(None); // the wait was cut short, or there is nothing more to report
            }
            let looked = self.survive(looked)?;
            if let Some((info, _)) = &looked
                && info.status().is_some_and(Status::is_finished)
            {
                self.beside_bar_finish()?;
                return Ok(looked.map(|(info, _)| info));
            }
            if stopped() {
                return Ok(None);
            }
            let mut wrote = false;
            if let Some((info, any)) = looked {
                (self.last, wrote) = (Some(info), any);
            }
            pause = if wrote { PAUSES.0 } else { (pause * 2).min(PAUSES.1) };
            thread::sleep(pause);
        }
    }

    /// Returns the last record of a task that was deleted since, with its end.
    fn gone(&self, error: anyhow::Error) -> anyhow::Result<TaskInfo> {
        match &self.last {
            Some(last) if code(&error) == Code::NotFound => gone::ended(self.session, self.id, last),
            _ => Err(error),
        }
    }

    /// Writes the new lines of the log, without a progress bar and without reasons. Returns the record, and true if
    /// there were any lines.
    fn poll(&mut self) -> anyhow::Result<(TaskInfo, bool)> {
        let info = self.session.client.task(self.id.as_str()).and_then(|task| task.info());
        let looked = match info {
            Ok(info) => self.log(&info).map(|any| (info, any))?,
            Err(error) => (self.gone(error.into())?, false),
        };
        self.last = Some(looked.0.clone());
        Ok(looked)
    }

    /// Reports that the server is away, or that it is back.
    pub fn survive<T>(&mut self, answer: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        let outage = &mut self.outage;
        match &self.bar {
            Some(bar) if !outage.is_silent(&answer) => bar.suspend(|| outage.survive(answer)),
            _ => outage.survive(answer),
        }
    }

    /// Returns the record, and true if the log has grown.
    fn look(&mut self) -> anyhow::Result<(TaskInfo, bool)> {
        // The record is read before the log, so that the log of a finished task is complete.
        let info = self.session.client.task(self.id.as_str())?.info()?;
        let wrote = self.log(&info)?;
        if let Some(news) = self.reason.news(self.session, self.id, &info)? {
            self.printer.end_line();
            self.beside_bar(|| say(news));
        }
        self.progress(&info);
        Ok((info, wrote))
    }

    /// Writes new log entries. Returns true if there were any. The caller has read the record first, so that the log of
    /// a finished task is complete.
    pub fn log(&mut self, info: &TaskInfo) -> anyhow::Result<bool> {
        if self.silent {
            return Ok(false);
        }
        let Self { feed, excerpt, printer, bar, .. } = self;
        let mut take = |item| if printer.take(item) { flush(bar.as_ref(), printer) } else { Ok(()) };
        let looked = feed.look(info, &mut |item| excerpt.pass(item, &mut take));
        let looked = looked.and_then(|()| excerpt.release(&mut take));
        // Entries that were read before an error are still written.
        flush(bar.as_ref(), printer)?;
        let any = std::mem::take(&mut printer.any);
        looked.map(|()| any)
    }

    fn beside_bar_finish(&mut self) -> io::Result<()> {
        match self.bar.clone() {
            Some(bar) => bar.suspend(|| self.printer.finish()),
            None => self.printer.finish(),
        }
    }

    fn beside_bar(&self, talk: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(talk),
            None => talk(),
        }
    }

    fn progress(&mut self, info: &TaskInfo) {
        let Some(bar) = &self.bar else { return };
        let progress = info.progress_bytes().map(Progress::read).unwrap_or_default();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1000")]
        let position = (progress.fraction.unwrap_or(0.0) * 1000.0) as u64;
        let status = info.status().map_or("unknown", Status::as_str);
        let text = progress.brief();
        let text = if text.is_empty() { status } else { text.as_str() };
        let columns = terminal_size_of(io::stderr()).map_or(80, |(Width(columns), _)| usize::from(columns));
        // The message is cut to one line.
        let text = cut(text, columns.saturating_sub(BEFORE + 1));
        let running = info.status() == Some(Status::Started);
        if let Some(since) = info.started().filter(|_| running).or_else(|| info.updated()) {
            // The time in this state, not of this command.
            bar.set_elapsed(times::between(since, times::now()).min(LONGEST));
        }
        // The bar is drawn only after a change, because a recording of the terminal contains every redraw.
        let drawn = (bar.elapsed().as_secs(), position, text);
        if self.drawn.as_ref() != Some(&drawn) {
            bar.set_position(position);
            bar.set_message(drawn.2.clone());
            self.drawn = Some(drawn);
        }
    }
}

/// Time between two searches for tasks that came later.
pub const SEARCH: Duration = Duration::from_secs(1);

/// Follows the logs of several tasks until all tasks are finished. `more` finds tasks that came later. Waits for a
/// server that is away.
pub fn follow_all<'a>(
    mut followers: Vec<Follower<'a>>,
    mut more: impl FnMut() -> anyhow::Result<Vec<Follower<'a>>>,
) -> anyhow::Result<()> {
    let (mut outage, mut pause, mut searched) = (Outage::default(), PAUSES.0, Instant::now());
    while !followers.is_empty() {
        let (mut wrote, mut left) = (false, Vec::with_capacity(followers.len()));
        for mut follower in followers {
            let polled = follower.poll();
            let Some((info, any)) = outage.survive(polled)? else {
                left.push(follower);
                continue;
            };
            wrote |= any;
            if info.status().is_some_and(Status::is_finished) {
                follower.finish()?;
            } else {
                left.push(follower);
            }
        }
        if left.is_empty() || searched.elapsed() >= SEARCH {
            left.extend(outage.survive(more())?.unwrap_or_default());
            searched = Instant::now();
        }
        followers = left;
        pause = if wrote { PAUSES.0 } else { (pause * 2).min(PAUSES.1) };
        thread::sleep(pause);
    }
    Ok(())
}

fn flush(bar: Option<&ProgressBar>, printer: &mut Printer<'_>) -> anyhow::Result<()> {
    match bar {
        Some(bar) if printer.waits() => bar.suspend(|| {
            printer.flush()?;
            printer.end_line();
            anyhow::Ok(())
        })?,
        _ => printer.flush()?,
    }
    Ok(())
}

impl Drop for Follower<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.printer.end_line();
    }
}

/// Reports how to follow the task again, if the error only prevents this command from following it. Returns the error.
pub fn left(id: &TaskId, error: anyhow::Error) -> anyhow::Error {
    if code(&error) == Code::Unreachable || error.is::<io::Error>() {
        leave(id);
    }
    error
}

/// Reports that the command stops following the task, and the command that follows it again.
pub fn leave(id: &TaskId) {
    say(format!("{id} goes on without this command; blueque logs -f {id} follows it again"));
}
