//! Replies about schedules.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use super::records::Record;
use crate::error::{Error, Result};
use crate::words::words;
use crate::{text, times};

words! {
    /// The outcome of setting a schedule.
    Scheduled {
        /// It was created.
        Created = "created",
        /// The one with this name was changed.
        Changed = "changed",
        /// It existed already; nothing changed.
        Existing = "existing",
    }
}

words! {
    /// Whether a schedule creates tasks.
    ScheduleState {
        /// It does.
        Active = "active",
        /// Somebody paused it.
        Paused = "paused",
        /// It has no more tasks to create.
        Ended = "ended",
        /// It waits for a client that knows cron to supply its next slots.
        Dry = "dry",
    }
}

/// A schedule in full.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScheduleInfo {
    /// All its fields.
    pub fields: BTreeMap<String, Vec<u8>>,
}

impl ScheduleInfo {
    /// The options of its tasks: names and values, as in the contract.
    #[must_use]
    pub fn options(&self) -> Vec<(String, String)> {
        let text = self.lossy("options").unwrap_or_default();
        let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), unquoted(value))).collect()
    }

    /// Why its last slots created no task.
    #[must_use]
    pub fn error(&self) -> Option<Trouble> {
        self.read("error", text::word)
    }
}

impl Record for ScheduleInfo {
    fn fields(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.fields
    }
}

/// Why slots of a schedule created no task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trouble {
    /// When; none if unreadable.
    pub at: Option<SystemTime>,
    /// The code of the error, see [`Code`](crate::Code).
    pub word: String,
    /// The cause and the remedy.
    pub text: String,
}

impl FromStr for Trouble {
    type Err = Error;

    /// Reads `SECONDS CODE text`. What has another form is all text.
    fn from_str(text: &str) -> Result<Self> {
        let known = text.split_once(' ').and_then(|(at, rest)| Some((times::time(at)?, rest)));
        let (word, rest) = known.and_then(|(_, rest)| rest.split_once(' ')).unwrap_or(("", text));
        Ok(Self { at: known.map(|(at, _)| at), word: word.to_owned(), text: rest.to_owned() })
    }
}

impl fmt::Display for Trouble {
    /// `CODE text`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.word.is_empty() { "" } else { " " };
        write!(f, "{}{space}{}", self.word, self.text)
    }
}

/// Unescapes a value from the text in which spaces separate the options.
fn unquoted(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(part.bytes().skip(2));
            }
            None => bytes.extend(part.bytes()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
