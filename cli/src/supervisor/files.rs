//! Reads the files that the program writes for its supervisor: the file of events, with one event per line, and the
//! checkpoint.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::change::{self, Edit, Next};
use crate::run_folder::open;

/// The longest delay before a retry that the server accepts, in seconds.
const AGAIN: f64 = 31_536_000.0;

/// Maximum length of a line in bytes. A longer line is cut.
const LINE: usize = 64 << 10;

/// Maximum size of the events in bytes. Events beyond this size are ignored.
const EVENTS: u64 = 64 << 20;

/// Maximum number of bytes that are read at once, so that many events do not delay other work.
const LOOK: usize = 1 << 20;

/// A line of the events file. Unknown keys are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    progress: Option<Value>,
    message: Option<Value>,
    log: Option<Value>,
    extend: Option<f64>,
    again: Option<f64>,
    group: Option<String>,
    suspend: Option<String>,
    next: Option<Box<RawValue>>,
    edit: Option<Box<RawValue>>,
    into: Option<String>,
}

/// An event of the program.
#[derive(Debug, PartialEq)]
pub enum Said {
    Progress(Vec<u8>),
    Log(String),
    /// Number of seconds for which the program still wants to run.
    Extend(f64),
    /// Number of seconds before a retry, in case the program fails.
    Again(f64),
    /// The failure group, in case the program fails.
    Group(String),
    /// The tasks to wait for, in case the program asks to be run again.
    Suspend(String),
    /// The next step, in case the program succeeds, or the error in this request.
    Next(Result<Next, String>),
    /// Changes of the task's next attempt.
    Edit(Edit),
    /// The queue for the task, in case the program asks to be run again.
    Into(String),
    /// An event without contents, which shows that the program makes progress.
    Alive,
    /// A line that is not JSON, or not an object.
    Other(String),
}

/// A reader of the events file, which continues where the last read stopped.
#[derive(Debug)]
pub struct Events {
    path: PathBuf,
    offset: u64,
    partial: Vec<u8>,
    /// True while the rest of an overlong line is skipped.
    skipping: bool,
    over: bool,
    /// True if the read error has been reported.
    told: bool,
}

impl Events {
    pub fn new(path: PathBuf) -> Self {
        Self { path, offset: 0, partial: Vec::new(), skipping: false, over: false, told: false }
    }

    /// Returns the events since the last call. At the end, a last line without a line feed also counts.
    pub fn read(&mut self, at_end: bool) -> Vec<Said> {
        let mut said = Vec::new();
        match open::open(&self.path) {
            Ok((file, about)) => self.follow(file, about.len(), &mut said),
            // There may be no events file, because events are optional.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => self.report(&error, &mut said),
        }
        if at_end && !self.partial.is_empty() {
            let line = std::mem::take(&mut self.partial);
            interpret(&line, &mut said);
        }
        said
    }

    /// Reports once that the events cannot be read.
    fn report(&mut self, error: &io::Error, said: &mut Vec<Said>) {
        if !self.told {
            said.push(Said::Other(format!("the events cannot be read: {error}")));
        }
        self.told = true;
    }

    fn follow(&mut self, file: File, length: u64, said: &mut Vec<Said>) {
        if length < self.offset {
            // The file has become shorter, so the program has rewritten it. The reader starts over.
            (self.offset, self.skipping) = (0, false);
            self.partial.clear();
        }
        if length > self.offset && !self.over {
            self.take(file, said);
        }
    }

    fn take(&mut self, file: File, said: &mut Vec<Said>) {
        let mut chunk = Vec::new();
        if let Err(error) = self.chunk(file, &mut chunk) {
            return self.report(&error, said);
        }
        self.offset += chunk.len() as u64;
        for piece in chunk.split_inclusive(|&byte| byte == b'\n') {
            let whole = piece.ends_with(b"\n");
            if !self.skipping {
                let room = LINE.saturating_sub(self.partial.len());
                self.partial.extend_from_slice(piece.get(..room).unwrap_or(piece));
                if whole || piece.len() > room {
                    interpret(&self.partial, said);
                    self.partial.clear();
                    self.skipping = !whole;
                }
            } else if whole {
                self.skipping = false;
            }
        }
        self.partial.shrink_to(LINE);
        if self.offset >= EVENTS {
            self.over = true;
            said.push(Said::Other(format!("the events file is over {} MiB: no more of it is read", EVENTS >> 20)));
        }
    }

    fn chunk(&self, mut file: File, chunk: &mut Vec<u8>) -> io::Result<()> {
        file.seek(SeekFrom::Start(self.offset))?;
        file.take(LOOK as u64).read_to_end(chunk).map(|_| ())
    }
}

fn interpret(line: &[u8], said: &mut Vec<Said>) {
    let line = line.trim_ascii();
    if line.is_empty() {
        return;
    }
    let Ok(event) = serde_json::from_slice::<Line>(line) else {
        said.push(Said::Other(format!("an event that cannot be read: {}", short(&String::from_utf8_lossy(line)))));
        return;
    };
    let before = said.len();
    if event.progress.is_some() || event.message.is_some() {
        said.push(Said::Progress(progress(event.progress, event.message)));
    }
    if let Some(log) = event.log {
        let field = |name| log.get(name).and_then(Value::as_str);
        let level = field("level").unwrap_or("info");
        let message = field("message").or(log.as_str()).map_or_else(|| log.to_string(), str::to_owned);
        said.push(Said::Log(format!("{level}: {message}")));
    }
    said.extend(event.extend.filter(|seconds| seconds.is_finite() && *seconds > 0.0).map(Said::Extend));
    let again = event.again.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    said.extend(again.map(|seconds| Said::Again(seconds.min(AGAIN))));
    said.extend(event.group.map(|group| Said::Group(short(&group).to_owned())));
    said.extend(event.suspend.map(Said::Suspend));
    said.extend(event.next.map(|next| Said::Next(change::next(&next))));
    said.extend(event.edit.map(|edit| match change::edit(&edit) {
        Ok(edit) => Said::Edit(edit),
        Err(error) => Said::Other(format!("an edit that cannot be read: {error}")),
    }));
    said.extend(event.into.map(Said::Into));
    if said.len() == before {
        said.push(Said::Alive);
    }
}

/// Returns a progress in the form that workers in Rust use: one object with `done`, `total` and `unit`, or with
/// `progress`, and with `message`.
fn progress(progress: Option<Value>, message: Option<Value>) -> Vec<u8> {
    let mut flat = match progress {
        Some(Value::Object(fields)) => fields,
        Some(value) => Map::from_iter([("progress".to_owned(), value)]),
        None => Map::new(),
    };
    if let Some(message) = message {
        flat.insert("message".into(), Value::String(short(message.as_str().unwrap_or(&message.to_string())).into()));
    }
    serde_json::to_vec(&flat).unwrap_or_default()
}

fn short(text: &str) -> &str {
    let end = (0..=text.len().min(1_000)).rev().find(|&end| text.is_char_boundary(end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Metadata that changes when a file is changed, so that an unchanged file need not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Print(i64, i64, u64, u64);

impl Print {
    fn of(found: &Metadata) -> Self {
        Self(found.mtime(), found.mtime_nsec(), found.len(), found.ino())
    }
}

/// The state of the checkpoint file.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    New(Vec<u8>),
    /// The checkpoint is larger than the server accepts. Contains its size in bytes.
    TooLarge(u64),
    Unreadable(String),
}

/// Watches the checkpoint file.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    limit: u64,
    seen: Option<Print>,
    /// Digest of the last checkpoint that could be read.
    digest: Option<Vec<u8>>,
    /// Last reported reason why the checkpoint could not be read.
    told: Option<String>,
}

impl Checkpoint {
    /// Watches a file from now on. Assumes that the server already has the existing checkpoint.
    pub fn new(path: PathBuf, limit: u64) -> Self {
        let mut watch = Self { path, limit, seen: None, digest: None, told: None };
        watch.look(false);
        watch
    }

    pub fn digest(&self) -> Option<&[u8]> {
        self.digest.as_deref()
    }

    /// Returns the checkpoint if it is new. With `again`, reads the file even if its metadata has not changed.
    pub fn look(&mut self, again: bool) -> Found {
        let there = match fs::symlink_metadata(&self.path) {
            Ok(there) => there,
            Err(error) if error.kind() == ErrorKind::NotFound => return Found::Nothing,
            Err(error) => return self.unreadable(error.to_string()),
        };
        if self.seen.as_ref() == Some(&Print::of(&there)) && !again {
            return Found::Nothing;
        }
        let (mut file, before) = match open::open(&self.path) {
            Ok(opened) => opened,
            Err(error) if error.kind() == ErrorKind::NotFound => return Found::Nothing,
            Err(error) => {
                self.seen = Some(Print::of(&there));
                return self.unreadable(error.to_string());
            }
        };
        let print = Print::of(&before);
        if before.len() > self.limit {
            self.seen = Some(print);
            return Found::TooLarge(before.len());
        }
        let mut bytes = Vec::new();
        if let Err(error) = (&mut file).take(self.limit + 1).read_to_end(&mut bytes) {
            self.seen = Some(print);
            return self.unreadable(error.to_string());
        }
        // The file was changed during the read. The next call reads it again.
        if file.metadata().map_or(true, |after| Print::of(&after) != print) {
            return Found::Nothing;
        }
        self.told = None;
        self.seen = Some(print);
        let digest = Sha256::digest(&bytes).to_vec();
        if self.digest.as_ref() == Some(&digest) {
            return Found::Nothing;
        }
        self.digest = Some(digest);
        Found::New(bytes)
    }

    /// Returns an error, but only once for each reason. For example, a folder at the path has new metadata after each
    /// change in it.
    fn unreadable(&mut self, error: String) -> Found {
        if self.told.as_ref() == Some(&error) {
            return Found::Nothing;
        }
        self.told = Some(error.clone());
        Found::Unreadable(error)
    }
}
