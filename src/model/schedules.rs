//! What is known of schedules.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::{Missed, Overlap};
use crate::names::{ScheduleName, TaskId};
use crate::words::words;

words! {
    /// What setting a schedule did.
    Scheduled {
        /// It made it.
        Created = "created",
        /// It changed the one of this name.
        Changed = "changed",
        /// It was there as it is; nothing changed.
        Existing = "existing",
    }
}

words! {
    /// Whether a schedule makes tasks.
    ScheduleState {
        /// It does.
        Active = "active",
        /// Somebody paused it.
        Paused = "paused",
        /// It has none to make any more.
        Ended = "ended",
        /// It waits for a client that knows cron to supply its next slots.
        Dry = "dry",
    }
}

/// A schedule, as a list of them has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScheduleSummary {
    /// Its name.
    pub name: ScheduleName,
    /// The queue of its tasks.
    pub queue: String,
    /// When it makes them: `every SECONDS OFFSET`, or `cron ZONE` and five fields.
    pub rhythm: String,
    /// Whether it makes tasks.
    pub state: ScheduleState,
    /// Its next slot, in seconds since 1970.
    pub next: Option<u64>,
    /// Slots that made a task.
    pub made: u64,
    /// Slots that made none, because of the overlap or because of an error.
    pub skipped: u64,
    /// Slots that were too late, or that a later one stood for.
    pub passed: u64,
    /// Its last task.
    pub last_task: Option<String>,
    /// Why its last slots made no task: `SECONDS CODE text`.
    pub error: Option<String>,
}

/// All that is known of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScheduleInfo {
    /// Every field of it.
    pub fields: BTreeMap<String, Vec<u8>>,
}

impl ScheduleInfo {
    /// Whether it makes tasks.
    #[must_use]
    pub fn state(&self) -> Option<ScheduleState> {
        self.parsed("state")
    }

    /// When it makes them: `every SECONDS OFFSET`, or `cron ZONE` and five fields.
    #[must_use]
    pub fn rhythm(&self) -> Option<String> {
        self.text("rhythm")
    }

    /// The queue of its tasks.
    #[must_use]
    pub fn queue(&self) -> Option<String> {
        self.text("queue")
    }

    /// The parameters of its tasks.
    #[must_use]
    pub fn parameters(&self) -> Option<&[u8]> {
        self.fields.get("parameters").map(Vec::as_slice)
    }

    /// What its tasks are submitted with: names and values, as in the contract.
    #[must_use]
    pub fn options(&self) -> Vec<(String, String)> {
        let text = self.text("options").unwrap_or_default();
        let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), unquoted(value))).collect()
    }

    /// What a slot does while the last task is not finished.
    #[must_use]
    pub fn overlap(&self) -> Option<Overlap> {
        self.parsed("overlap")
    }

    /// What becomes of slots that passed because nobody looked.
    #[must_use]
    pub fn missed(&self) -> Option<Missed> {
        self.parsed("missed")
    }

    /// Its next slot, in seconds since 1970.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        self.parsed("next")
    }

    /// Slots that made a task.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.parsed("made").unwrap_or(0)
    }

    /// Slots that made none, because of the overlap or because of an error.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.parsed("skipped").unwrap_or(0)
    }

    /// Slots that were too late, or that a later one stood for.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.parsed("passed").unwrap_or(0)
    }

    /// Its last task.
    #[must_use]
    pub fn last_task(&self) -> Option<String> {
        self.text("last_task")
    }

    /// Who paused it: `SECONDS BY REASON`.
    #[must_use]
    pub fn paused(&self) -> Option<String> {
        self.text("paused")
    }

    /// Why its last slots made no task: `SECONDS CODE text`.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.text("error")
    }

    /// A field as text; bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn text(&self, field: &str) -> Option<String> {
        let bytes = self.fields.get(field).filter(|bytes| !bytes.is_empty())?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    fn parsed<T: FromStr>(&self, field: &str) -> Option<T> {
        self.text(field)?.parse().ok()
    }
}

/// What `run_schedule` did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ran {
    /// Whether it made the task; otherwise the id existed, or another task has the unique name.
    pub created: bool,
    /// The task that is there now.
    pub id: TaskId,
}

/// What `tick` did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ticked {
    /// Tasks that it made.
    pub made: u64,
    /// Whether more slots are due.
    pub more: bool,
    /// When the next slot is, in seconds since 1970.
    pub next: Option<u64>,
    /// Cron schedules that need more slots.
    pub low: Vec<LowSchedule>,
}

/// A cron schedule that needs more slots.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LowSchedule {
    /// Its name.
    pub name: ScheduleName,
    /// Its rhythm: `cron ZONE` and five fields.
    pub rhythm: String,
    /// The time after which slots are wanted, in seconds since 1970.
    pub after: u64,
}

/// A value as it was, from the text in which spaces separate the options.
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
