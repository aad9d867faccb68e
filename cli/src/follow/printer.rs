//! Prints a task's log for people.

use std::io::{self, IsTerminal, Write};
use std::time::SystemTime;

use blueque::TaskId;
use rustix::fs::{Stat, fstat};

use super::feed::{Item, Piece};
use super::pager::Pager;
use crate::logs::EXIT;
use crate::output::{Cleaner, Painter, Redraws, clean, colour, data};
use crate::run_folder::end::PostMortem;
use crate::times;
use crate::view::cost;

/// Maximum size of a batch in bytes, above which it is written.
const BATCH: usize = 64 << 10;

/// Destination of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// The log is not printed.
    None,
    /// The whole log goes to stdout, as data.
    Data,
    /// The program's stderr goes to stderr, and the rest of the log to stdout.
    Same,
    /// The whole log goes to stderr.
    Talk,
}

/// The state of the text on one stream.
#[derive(Debug, Default)]
struct Text {
    view: View,
    within_line: bool,
    /// An unfinished line of a task with a prefix. Lines of several tasks are not mixed.
    rest: String,
}

/// The form of a program's output.
#[derive(Debug)]
enum View {
    /// For a terminal, with colours, and with bars that are drawn again.
    Terminal(Painter),
    /// For a pipe, a file or a pager: the last state of each line, without colours.
    Plain(Redraws, Cleaner),
}

impl Default for View {
    fn default() -> Self {
        Self::Plain(Redraws::only_last(), Cleaner::default())
    }
}

impl View {
    fn next(&mut self, text: &[u8]) -> String {
        match self {
            Self::Terminal(painter) => painter.next(text),
            Self::Plain(redraws, cleaner) => cleaner.next(&redraws.next(text)),
        }
    }

    fn finish(&mut self) -> String {
        match self {
            Self::Terminal(painter) => painter.finish().to_owned(),
            Self::Plain(redraws, cleaner) => cleaner.next(&redraws.finish()),
        }
    }
}

#[allow(clippy::struct_excessive_bools, reason = "each is a separate fact")]
pub struct Printer<'a> {
    id: &'a TaskId,
    streams: Streams,
    /// True if each line begins with its time.
    timestamps: bool,
    /// The text before each line, if there are several tasks.
    prefix: Option<String>,
    pager: Option<Pager>,
    /// States of stdout and of stderr.
    texts: [Text; 2],
    /// Attempt of the last piece.
    attempt: Option<u32>,
    /// Text to write. The flag is true for stderr.
    batch: Vec<(bool, String)>,
    waiting: usize,
    /// The part of a program's post-mortem that has been received.
    last: Vec<u8>,
    /// True if anything was written to stdout.
    pub wrote: bool,
    /// True if there was any output.
    pub any: bool,
    /// The last attempt that ended: its number, and the post-mortem of its program.
    pub exit: Option<(u32, PostMortem)>,
    /// True if the last text that was written ended within a line, and other text on stderr would continue this line.
    within_line: bool,
}

impl<'a> Printer<'a> {
    pub fn new(id: &'a TaskId, streams: Streams, timestamps: bool, pager: Option<Pager>) -> Self {
        Self {
            id,
            streams,
            timestamps,
            prefix: None,
            pager,
            texts: Default::default(),
            attempt: None,
            batch: Vec::new(),
            waiting: 0,
            last: Vec::new(),
            wrote: false,
            any: false,
            exit: None,
            within_line: false,
        }
    }

    /// Begins each line with this text.
    pub fn prefixed(mut self, prefix: Option<String>) -> Self {
        self.prefix = prefix;
        self
    }

    /// Writes the unfinished lines.
    pub fn finish(&mut self) -> io::Result<()> {
        let prefix = self.prefix.clone();
        for at in 0..self.texts.len() {
            let Some(text) = self.texts.get_mut(at) else { continue };
            let rest = std::mem::take(&mut text.rest) + &text.view.finish();
            let talk = self.talks(if at == 0 { "stdout" } else { "stderr" });
            match &prefix {
                _ if rest.is_empty() => {}
                Some(prefix) => self.push(false, &format!("{prefix}{rest}\n")),
                None => self.push(talk, &rest),
            }
        }
        self.flush()
    }

    /// Returns true if output of this source goes to stderr.
    fn talks(&self, source: &str) -> bool {
        match self.streams {
            Streams::Talk => true,
            Streams::Same => source != "stdout",
            Streams::Data | Streams::None => false,
        }
    }

    /// Returns the states of stdout and of stderr at the beginning of an attempt.
    fn begin(&self) -> [Text; 2] {
        // Lines of several tasks, and lines with their time, are whole.
        let whole = self.prefix.is_some() || self.timestamps || self.pager.is_some();
        ["stdout", "stderr"].map(|source| {
            let terminal = if self.talks(source) { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
            let view = if terminal && !whole && colour::are_wanted() {
                View::Terminal(Painter::default())
            } else {
                View::default()
            };
            Text { view, ..Text::default() }
        })
    }

    /// Takes an item. Returns true if the batch should be written now.
    pub fn take(&mut self, item: Item) -> bool {
        self.any = true;
        match item {
            Item::Gap(text) => self.talk(&format!("-- {text} --")),
            Item::Piece(piece) => self.piece(&piece),
        }
        self.waiting > BATCH
    }

    fn piece(&mut self, piece: &Piece) {
        if self.attempt.is_some_and(|before| before != piece.attempt) {
            self.talk(&format!("-- attempt {} of {} --", piece.attempt, self.id));
            // An unfinished line of one attempt does not continue in the next attempt.
            self.texts = self.begin();
            self.last.clear();
        } else if self.attempt.is_none() {
            self.texts = self.begin();
        }
        self.attempt = Some(piece.attempt);
        if piece.source == EXIT {
            return self.exited(piece);
        }
        let talk = self.talks(&piece.source);
        let [out, err] = &mut self.texts;
        let text = if piece.source == "stderr" { err } else { out };
        let mut shown = text.view.next(&piece.text);
        if self.timestamps {
            shown = text.stamped(&shown, piece.at);
        }
        if let Some(prefix) = &self.prefix {
            shown = text.whole_lines(&shown, prefix);
        }
        self.wrote |= !talk && !shown.is_empty();
        self.push(talk, &shown);
    }

    fn exited(&mut self, piece: &Piece) {
        self.last.extend_from_slice(&piece.text);
        let Ok(post_mortem) = serde_json::from_slice::<PostMortem>(&self.last) else { return };
        self.last.clear();
        if self.streams == Streams::Data {
            self.talk(&format!("-- attempt {}: {} --", piece.attempt, cost::words(&post_mortem.cost)));
        }
        self.exit = Some((piece.attempt, post_mortem));
    }

    /// Adds a message.
    fn talk(&mut self, text: &str) {
        let prefix = self.prefix.as_deref().unwrap_or_default();
        self.push(true, &format!("{prefix}{}\n", clean(text)));
    }

    fn push(&mut self, talk: bool, text: &str) {
        self.waiting += text.len();
        match self.batch.last_mut() {
            Some((same, batch)) if *same == talk => batch.push_str(text),
            _ => self.batch.push((talk, text.to_owned())),
        }
    }

    /// Returns true if there is text to write.
    pub fn waits(&self) -> bool {
        self.waiting > 0
    }

    /// Writes the batch.
    pub fn flush(&mut self) -> io::Result<()> {
        self.waiting = 0;
        for (talk, text) in self.batch.drain(..) {
            self.within_line = !text.ends_with('\n') && (talk || share_a_place());
            if let Some(pager) = &mut self.pager {
                pager.write(text.as_bytes())?;
            } else if talk {
                let _ = io::stderr().lock().write_all(text.as_bytes());
            } else {
                data(&text)?;
            }
        }
        Ok(())
    }
}

impl Printer<'_> {
    /// Ends the line of the program's text, before other text is written to stderr.
    pub fn end_line(&mut self) {
        if std::mem::take(&mut self.within_line) && self.pager.is_none() {
            let _ = io::stderr().lock().write_all(b"\n");
        }
    }
}

/// Returns true if stdout and stderr are the same terminal, pipe or file.
fn share_a_place() -> bool {
    let of = |place: rustix::io::Result<Stat>| place.ok().map(|about| (about.st_dev, about.st_ino));
    let (out, err) = (of(fstat(io::stdout())), of(fstat(io::stderr())));
    out.is_some() && out == err
}

impl Text {
    /// Returns the complete lines, each with the prefix. Keeps the unfinished line.
    fn whole_lines(&mut self, shown: &str, prefix: &str) -> String {
        self.rest.push_str(shown);
        let Some(end) = self.rest.rfind('\n') else { return String::new() };
        let rest = self.rest.split_off(end + 1);
        let lines = std::mem::replace(&mut self.rest, rest);
        lines.split_inclusive('\n').flat_map(|line| [prefix, line]).collect()
    }

    /// Returns the text with the time at the beginning of each line.
    fn stamped(&mut self, shown: &str, at: SystemTime) -> String {
        let at = times::exact(at).unwrap_or_default();
        let mut stamped = String::with_capacity(shown.len() + 32);
        for line in shown.split_inclusive('\n') {
            if !self.within_line {
                stamped.push_str(&at);
                stamped.push(' ');
            }
            stamped.push_str(line);
            self.within_line = !line.ends_with('\n');
        }
        stamped
    }
}
