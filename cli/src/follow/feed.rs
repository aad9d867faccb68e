//! Reads the log of a task: the whole log from the disk of the worker's host, or the server's part on another host.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use blueque::calls::LogsOptions;
use blueque::{LogEntry, TaskId, TaskInfo, Token};

use crate::logs::{self, Reader};
use crate::server::host;
use crate::session::Session;

/// Cursor before the first entry.
const START: &str = "0";

/// Maximum number of entries that are read at once.
const PAGE: u32 = 200;

/// Maximum difference between the creation time of a task and the token in a log's name.
const AGREE: Duration = Duration::from_secs(1);

/// A piece of output.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub attempt: u32,
    pub at: SystemTime,
    pub source: String,
    pub text: Vec<u8>,
    /// Number of bytes of the attempt's output before this piece, if the bytes were counted.
    pub offset: Option<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Piece(Piece),
    /// Some output is missing. The text names the place where it may be.
    Gap(String),
}

/// Function that receives an item, and returns `Continue` if more items are wanted.
pub type Take<'a> = dyn FnMut(Item) -> anyhow::Result<ControlFlow<()>> + 'a;

pub struct Feed<'a> {
    session: &'a Session,
    id: &'a TaskId,
    /// State folder of this host, which may contain logs.
    state: Option<PathBuf>,
    /// The only attempt to show, if set.
    only: Option<u32>,
    /// Cursor of the last entry that was read from the server.
    after: String,
    /// Attempts whose log is on this host.
    local: BTreeMap<u32, Reader>,
    /// Number of bytes of each attempt that have been passed on.
    ends: BTreeMap<u32, u64>,
    /// Number of attempts at the last search for logs on this host.
    looked_for: Option<u32>,
    /// Hosts of the attempts, once they have been read.
    hosts: Option<BTreeMap<u32, String>>,
}

impl<'a> Feed<'a> {
    /// Creates a feed that begins at the oldest log entry that is kept.
    pub fn new(session: &'a Session, id: &'a TaskId, state: Option<PathBuf>, only: Option<u32>) -> Self {
        let (local, ends) = (BTreeMap::new(), BTreeMap::new());
        Self { session, id, state, only, after: START.to_owned(), local, ends, looked_for: None, hosts: None }
    }

    /// Passes on new items while more items are wanted. The caller has read `info` first, so that the log of a finished
    /// task is complete.
    pub fn look(&mut self, info: &TaskInfo, take: &mut Take<'_>) -> anyhow::Result<()> {
        self.pass_news(info, take).map(|_| ())
    }

    fn pass_news(&mut self, info: &TaskInfo, take: &mut Take<'_>) -> anyhow::Result<ControlFlow<()>> {
        self.find(info);
        if self.after == START && self.is_here(info) {
            if self.drain(u32::MAX, info, take)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.skip()?;
        }
        loop {
            let calls = self.session.client.calls();
            let page = self.session.client.call(&calls.logs(self.id, &self.after, PAGE, &LogsOptions::new()))?;
            if page.items.is_empty() {
                break;
            }
            self.after = page.last;
            for entry in page.items {
                if self.drain(entry.attempt.saturating_sub(1), info, take)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                let LogEntry { attempt, at, source, text, offset, .. } = entry;
                let piece = Piece { attempt, at, source, text, offset };
                if self.local.contains_key(&piece.attempt) {
                    if self.drain(piece.attempt, info, take)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                    if piece.offset.is_none() {
                        continue;
                    }
                }
                if self.pass(piece, info, take)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        self.drain(u32::MAX, info, take)
    }

    /// Finds the attempts whose logs are on this host.
    fn find(&mut self, info: &TaskInfo) {
        let Some(state) = &self.state else { return };
        let last = info.token().or(info.ended()).map(Token::value);
        let (attempts, namespace) = (info.attempt(), self.session.namespace.as_str());
        let mut found = BTreeMap::new();
        if self.looked_for != Some(attempts) {
            self.looked_for = Some(attempts);
            // The token is a time in microseconds.
            let created = info.created().unwrap_or(UNIX_EPOCH);
            let of_this = |token: u64| UNIX_EPOCH + Duration::from_micros(token) + AGREE >= created;
            for (attempt, token, path) in logs::of_task(state, namespace, self.id.as_str()) {
                if attempt < attempts && of_this(token) || attempt == attempts && Some(token) == last {
                    found.insert(attempt, path);
                }
            }
        } else if let Some(token) = last.filter(|_| attempts > 0 && !self.local.contains_key(&attempts)) {
            let path = logs::folder(state, namespace, self.id.as_str(), attempts, token);
            if fs::symlink_metadata(&path).is_ok_and(|about| about.is_dir()) {
                found.insert(attempts, path);
            }
        }
        for (attempt, path) in found {
            // Logs of another user are not readable.
            if fs::read_dir(&path).is_ok() {
                self.local.entry(attempt).or_insert_with(|| Reader::new(path));
            }
        }
    }

    /// Returns true if the logs of all attempts are on this host.
    fn is_here(&self, info: &TaskInfo) -> bool {
        info.attempt() > 0 && (1..=info.attempt()).all(|attempt| self.local.contains_key(&attempt))
    }

    /// Skips the server's log if its last entry was already passed on from a local log.
    fn skip(&mut self) -> anyhow::Result<()> {
        let last = self.session.client.call(&self.session.client.calls().logs(
            self.id,
            START,
            1,
            &LogsOptions::new().tail(1),
        ))?;
        let known = last.items.iter().all(|entry| {
            let end = entry.offset.map(|offset| offset + entry.text.len() as u64);
            let unwanted = self.only.is_some_and(|only| only != entry.attempt);
            unwanted || end.is_some_and(|end| self.ends.get(&entry.attempt).is_some_and(|&passed| passed >= end))
        });
        if known {
            self.after = last.last;
        }
        Ok(())
    }

    /// Passes on the local logs of all attempts up to the attempt `last`.
    fn drain(&mut self, last: u32, info: &TaskInfo, take: &mut Take<'_>) -> anyhow::Result<ControlFlow<()>> {
        let here: Vec<u32> = self.local.range(..=last).map(|(&attempt, _)| attempt).collect();
        for attempt in here {
            while let Some(reader) = self.local.get_mut(&attempt)
                && let Ok(Some(entry)) = reader.entry()
            {
                let at = logs::time(&entry.at).unwrap_or(UNIX_EPOCH);
                let offset = Some(entry.offset);
                let piece = Piece { attempt, at, source: entry.source, text: entry.text, offset };
                if self.pass(piece, info, take)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Passes on a piece, unless it has been passed on. Reports a gap before the piece.
    fn pass(&mut self, mut piece: Piece, info: &TaskInfo, take: &mut Take<'_>) -> anyhow::Result<ControlFlow<()>> {
        if self.only.is_some_and(|only| only != piece.attempt) {
            return Ok(ControlFlow::Continue(()));
        }
        if let Some(offset) = piece.offset {
            let passed = *self.ends.entry(piece.attempt).or_default();
            if offset > passed && take(Item::Gap(self.gap(piece.attempt, offset - passed, info)))?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            let known = usize::try_from(passed.saturating_sub(offset)).unwrap_or(usize::MAX).min(piece.text.len());
            piece.text.drain(..known);
            if known > 0 && piece.text.is_empty() {
                return Ok(ControlFlow::Continue(()));
            }
            let offset = offset + known as u64;
            piece.offset = Some(offset);
            self.ends.insert(piece.attempt, offset + piece.text.len() as u64);
        }
        take(Item::Piece(piece))
    }

    fn gap(&mut self, attempt: u32, bytes: u64, info: &TaskInfo) -> String {
        if self.local.contains_key(&attempt) {
            return format!("{bytes} bytes are cut out here: of a log its first and its last part are kept");
        }
        let host = self.host(attempt, info).unwrap_or_else(|| "its worker".to_owned());
        format!(
            "{bytes} bytes are not at the server: run blueque logs {} on {host}, which has all that is kept",
            self.id
        )
    }

    /// Returns the host of an attempt.
    fn host(&mut self, attempt: u32, info: &TaskInfo) -> Option<String> {
        if attempt == info.attempt() {
            return host(&info.node()?);
        }
        let hosts = self.hosts.get_or_insert_with(|| {
            let task = self.session.client.task(self.id.as_str());
            let history = task.and_then(|task| task.history()).unwrap_or_default();
            history.iter().filter_map(|step| Some((step.attempt, host(step.by.as_deref()?)?))).collect()
        });
        hosts.get(&attempt).cloned()
    }
}
