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
        /// The schedule was created.
        Created = "created",
        /// The schedule with this name was changed.
        Changed = "changed",
        /// The schedule existed already; nothing changed.
        Existing = "existing",
    }
}

words! {
    /// State of a schedule.
    ScheduleState {
        /// The schedule creates tasks.
        Active = "active",
        /// The schedule is paused.
        Paused = "paused",
        /// The schedule has no more tasks to create.
        Ended = "ended",
        /// The schedule waits for a client that knows cron to supply its next slots.
        Dry = "dry",
    }
}

/// A schedule in full.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScheduleInfo {
    /// All fields of the schedule.
    pub fields: BTreeMap<String, Vec<u8>>,
}

impl ScheduleInfo {
    /// Options of the schedule's tasks: names and values, as in the contract.
    #[must_use]
    pub fn options(&self) -> Vec<(String, String)> {
        read_options(&self.lossy("options").unwrap_or_default())
    }

    /// Reason why the last slots created no task.
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

/// Reason why slots of a schedule created no task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trouble {
    /// Time of the error; `None` if unreadable.
    pub at: Option<SystemTime>,
    /// Code of the error, see [`Code`](crate::Code).
    pub word: String,
    /// Cause and remedy.
    pub text: String,
}

impl FromStr for Trouble {
    type Err = Error;

    /// Reads `SECONDS CODE text`. Any other form is read as text.
    fn from_str(text: &str) -> Result<Self> {
        let known = text.split_once(' ').and_then(|(at, rest)| Some((times::time(at)?, rest)));
        let (word, rest) = known.and_then(|(_, rest)| rest.split_once(' ')).unwrap_or(("", text));
        Ok(Self { at: known.map(|(at, _)| at), word: word.to_owned(), text: rest.to_owned() })
    }
}

impl fmt::Display for Trouble {
    /// Writes `CODE text`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.word.is_empty() { "" } else { " " };
        write!(f, "{}{space}{}", self.word, self.text)
    }
}

/// Reads options that are separated by spaces.
pub(crate) fn read_options(text: &str) -> Vec<(String, String)> {
    let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), unquoted(value))).collect()
}

/// Unescapes a value from a text whose options are separated by spaces.
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
