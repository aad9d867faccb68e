//! A task's log and progress while it runs, until its end.

use std::io::{self, IsTerminal, Write};
use std::thread;
use std::time::Duration;

use blueque::{Status, TaskId, TaskInfo};
use indicatif::{ProgressBar, ProgressStyle};
use terminal_size::{Width, terminal_size_of};

use super::patience::{Outage, Reason};
use super::progress::Progress;
use super::{Session, cost};
use crate::output::{Cleaner, Code, code, cut, say};
use crate::run_folder::end::PostMortem;

/// The shortest and the longest pause between two looks.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(250));

/// The columns of the bar that stand before the message.
const BEFORE: usize = 6 + 1 + 20 + 1;

/// So many entries of the log are read at once.
const PAGE: u32 = 200;

/// Where the log goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// Nowhere.
    None,
    /// All of it to stdout: it is what was asked for.
    Data,
    /// What the program wrote to stderr goes there, the rest to stdout.
    Same,
    /// All of it to stderr.
    Talk,
}

/// Looks at one task again and again.
pub struct Follower<'a> {
    session: &'a Session,
    id: &'a TaskId,
    streams: Streams,
    after: String,
    bar: Option<ProgressBar>,
    /// What the bar shows: its second, its position and its text.
    drawn: Option<(u64, u64, String)>,
    outage: Outage,
    reason: Reason,
    /// Of stdout and of stderr.
    cleaners: [Cleaner; 2],
    /// The attempt of the last entry.
    attempt: Option<u32>,
    /// Whether something came on stdout.
    pub wrote: bool,
    /// What the last attempt that ended left: its number, and what is known of its program.
    pub exit: Option<(u32, PostMortem)>,
}

impl<'a> Follower<'a> {
    /// From the beginning of what is kept of the log.
    pub fn new(session: &'a Session, id: &'a TaskId, streams: Streams) -> Self {
        let bar = (streams != Streams::None && io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(1000);
            let style = ProgressStyle::with_template("{elapsed:>6} {bar:20} {wide_msg}");
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self {
            session,
            id,
            streams,
            after: "0".to_owned(),
            bar,
            drawn: None,
            outage: Outage::default(),
            reason: Reason::new(),
            cleaners: Default::default(),
            attempt: None,
            wrote: false,
            exit: None,
        }
    }

    /// Goes on until the task is finished, and answers the record; none where `stopped` says so before. A server that
    /// goes away is waited for.
    pub fn follow(&mut self, stopped: &dyn Fn() -> bool) -> anyhow::Result<Option<TaskInfo>> {
        let mut pause = PAUSES.0;
        loop {
            let looked = self.look();
            if looked.is_err() && stopped() {
                return Ok(None); // the end of the wait cut it short, or nothing more is to be said
            }
            let looked = self.survive(looked)?;
            if let Some((info, _)) = &looked
                && info.status().is_some_and(Status::is_finished)
            {
                return Ok(looked.map(|(info, _)| info));
            }
            if stopped() {
                return Ok(None);
            }
            let wrote = looked.is_some_and(|(_, wrote)| wrote);
            pause = if wrote { PAUSES.0 } else { (pause * 2).min(PAUSES.1) };
            thread::sleep(pause);
        }
    }

    /// Says that the server is away, or back.
    pub fn survive<T>(&mut self, answer: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        let outage = &mut self.outage;
        match &self.bar {
            Some(bar) if !outage.is_silent(&answer) => bar.suspend(|| outage.survive(answer)),
            _ => outage.survive(answer),
        }
    }

    /// The record, and whether something was added to the log.
    fn look(&mut self) -> anyhow::Result<(TaskInfo, bool)> {
        // The record first: what stands in the log of a finished task is all that will.
        let info = self.session.client.task(self.id.as_str())?.info()?;
        let wrote = self.log()?;
        if let Some(news) = self.reason.news(self.session, self.id, &info)? {
            self.beside_bar(|| say(news));
        }
        self.progress(&info);
        Ok((info, wrote))
    }

    /// Writes what was added to the log; whether there was any.
    pub fn log(&mut self) -> anyhow::Result<bool> {
        let mut any = false;
        while self.streams != Streams::None {
            let page = self.session.client.call(&self.session.client.calls().logs(self.id, &self.after, PAGE))?;
            if page.items.is_empty() {
                break;
            }
            self.after = page.last;
            for entry in &page.items {
                any = true;
                if self.attempt.is_some_and(|before| before != entry.attempt) {
                    let id = self.id;
                    self.beside_bar(|| say(format!("-- attempt {} of {id} --", entry.attempt)));
                    // What one attempt left unfinished is no part of the next.
                    self.cleaners = Default::default();
                }
                self.attempt = Some(entry.attempt);
                if entry.source == "exit" {
                    self.exited(entry.attempt, &entry.text);
                } else {
                    self.write(&entry.source, &entry.text)?;
                }
            }
        }
        Ok(any)
    }

    /// A supervisor's last word on a program is no part of what the program said.
    fn exited(&mut self, attempt: u32, text: &[u8]) {
        let Ok(post_mortem) = serde_json::from_slice::<PostMortem>(text) else { return };
        if self.streams == Streams::Data {
            self.beside_bar(|| say(format!("-- attempt {attempt}: {} --", cost::words(&post_mortem.cost))));
        }
        self.exit = Some((attempt, post_mortem));
    }

    fn write(&mut self, source: &str, text: &[u8]) -> io::Result<()> {
        let talk = match self.streams {
            Streams::Talk => true,
            Streams::Same => source != "stdout",
            Streams::Data | Streams::None => false,
        };
        let [out, err] = &mut self.cleaners;
        let text = (if source == "stderr" { err } else { out }).next(text);
        self.wrote |= !talk && !text.is_empty();
        let write = || {
            if talk {
                let _ = io::stderr().lock().write_all(text.as_bytes());
                Ok(())
            } else {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes())?;
                out.flush()
            }
        };
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
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
        let progress = info.progress().map(Progress::read).unwrap_or_default();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1000")]
        let position = (progress.fraction.unwrap_or(0.0) * 1000.0) as u64;
        let status = info.status().map_or("unknown", Status::as_str);
        let text = progress.brief();
        let text = if text.is_empty() { status } else { text.as_str() };
        let columns = terminal_size_of(io::stderr()).map_or(80, |(Width(columns), _)| usize::from(columns));
        // One line, however long the message is.
        let text = cut(text, columns.saturating_sub(BEFORE + 1));
        // Many looks are taken in a second; whoever records the terminal has each drawing in the record.
        let drawn = (bar.elapsed().as_secs(), position, text);
        if self.drawn.as_ref() != Some(&drawn) {
            bar.set_position(position);
            bar.set_message(drawn.2.clone());
            self.drawn = Some(drawn);
        }
    }
}

impl Drop for Follower<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// An error that ends the following of a task, not the task: says how to follow it again.
pub fn left(id: &TaskId, error: anyhow::Error) -> anyhow::Error {
    if code(&error) == Code::Unreachable {
        say(format!("{id} goes on without this command; blueque logs -f {id} follows it again"));
    }
    error
}
