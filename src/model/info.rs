//! The record of a task.

use std::collections::BTreeMap;

use redis::Value;

use super::records::Record;
use super::{Status, reply};
use crate::text;

/// The record of a task, with an accessor for each field that this version knows. A field counts as absent if a client
/// without scripts wrote it in another form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskInfo {
    /// All fields of the record, unchanged.
    pub fields: BTreeMap<String, Vec<u8>>,
}

impl TaskInfo {
    /// Reads tasks by their ids; `None` for a task that does not exist.
    pub(crate) fn parse_many(value: &Value) -> Option<Vec<(String, Option<Self>)>> {
        let mut found: Vec<(String, Option<Self>)> = Vec::new();
        for (name, value) in reply::pairs(value)? {
            match (name.as_str(), found.last_mut()) {
                ("id", _) => found.push((reply::text(value)?, Some(Self { fields: BTreeMap::new() }))),
                ("missing", Some((_, info))) => *info = None,
                (_, Some((_, Some(info)))) => _ = info.fields.insert(name, reply::bytes(value)?),
                _ => return None,
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Returns the fields that this version does not know, written by later versions or other clients.
    pub fn unknown(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let unknown = self.fields.iter().filter(|(name, _)| !Self::FIELDS.contains(&name.as_str()));
        unknown.map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// Returns true if the title, the command, the parameters or an error of the task contains this text, in upper or
    /// lower case.
    #[must_use]
    pub fn mentions(&self, text: &str) -> bool {
        let (text, fields) = (text.to_lowercase(), ["title", "command", "parameters", "error", "last_error"]);
        fields.iter().filter_map(|field| self.fields.get(*field)).any(|value| {
            let lower = value.to_ascii_lowercase();
            text.is_empty()
                || lower.windows(text.len()).any(|part| part == text.as_bytes())
                || std::str::from_utf8(value).is_ok_and(|value| value.to_lowercase().contains(&text))
        })
    }

    /// Error of a failed task.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.failed().then(|| self.lossy("error")).flatten()
    }

    /// Group of the error of a failed task, such as `lost`.
    #[must_use]
    pub fn group(&self) -> Option<String> {
        self.failed().then(|| self.read("group", text::owned)).flatten()
    }

    /// Error of the last attempt that failed, if the task was retried and has not completed or failed since.
    #[must_use]
    pub fn last_error(&self) -> Option<String> {
        self.lossy("last_error")
    }

    /// Group of [`Self::last_error`].
    #[must_use]
    pub fn last_group(&self) -> Option<String> {
        self.read("last_group", text::owned)
    }

    fn failed(&self) -> bool {
        self.status() == Some(Status::Failed)
    }

    /// Cost of the last attempt, as its owner reported it. `blueque worker` reports JSON.
    #[must_use]
    pub fn cost(&self) -> Option<&[u8]> {
        // A fresh retry removes `ended` from the record, but keeps the cost of the earlier attempt.
        let ended = self.bytes("ended");
        self.bytes("cost").filter(|_| ended.is_none() || self.bytes("cost_of") == ended)
    }

    /// Returns true if a cancel waits for the owner to stop.
    #[must_use]
    pub fn is_cancelling(&self) -> bool {
        self.fields.contains_key("cancel")
    }

    /// Returns true if the task was cancelled because it was not needed: its graph counts it as skipped.
    #[must_use]
    pub fn is_skipped(&self) -> bool {
        self.status() == Some(Status::Cancelled) && self.fields.get("flags").is_some_and(|flags| flags.contains(&b'x'))
    }

    /// Returns true if the owner has been asked to give the task back.
    #[must_use]
    pub fn is_requeued(&self) -> bool {
        self.fields.contains_key("requeue")
    }

    /// Returns true from the request to suspend the program until it continues.
    #[must_use]
    pub fn is_suspending(&self) -> bool {
        self.fields.contains_key("suspended_by")
    }

    /// Returns the word for the state of the task that people need: `stopping` if its owner was asked to stop it, and
    /// `suspended` while its program is suspended.
    #[must_use]
    pub fn condition(&self) -> &'static str {
        match self.status() {
            Some(status) if !status.is_owned() => status.as_str(),
            Some(_) if self.is_cancelling() || self.is_requeued() => "stopping",
            Some(_) if self.suspended().is_some() => "suspended",
            Some(status) => status.as_str(),
            None => "unknown",
        }
    }
}

impl Record for TaskInfo {
    fn fields(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.fields
    }
}
