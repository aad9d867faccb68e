//! The record of a task.

use std::collections::BTreeMap;

use super::Status;
use super::records::Record;
use crate::text;

/// The record of a task: an accessor for each field that this version knows. One that clients without scripts wrote in another
/// form is as if it were not there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskInfo {
    /// Every field of the record, as it is.
    pub fields: BTreeMap<String, Vec<u8>>,
}

impl TaskInfo {
    /// The fields that this version does not know: of later versions, or of other clients.
    pub fn unknown(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let unknown = self.fields.iter().filter(|(name, _)| !Self::FIELDS.contains(&name.as_str()));
        unknown.map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// Why it failed; none where it has not failed.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.failed().then(|| self.lossy("error")).flatten()
    }

    /// What kind of error that is, such as `lost`; none where it has not failed.
    #[must_use]
    pub fn group(&self) -> Option<String> {
        self.failed().then(|| self.read("group", text::owned)).flatten()
    }

    /// The error of the last attempt that failed, where the task was tried again and has not ended by
    /// completing or failing since.
    #[must_use]
    pub fn last_error(&self) -> Option<String> {
        self.last("last_error", "error").and_then(|field| self.lossy(field))
    }

    /// What kind of error [`Self::last_error`] is.
    #[must_use]
    pub fn last_group(&self) -> Option<String> {
        self.last("last_group", "group").and_then(|field| self.read(field, text::owned))
    }

    fn failed(&self) -> bool {
        self.status() == Some(Status::Failed)
    }

    /// Which field has what is known of the last failure: before 0.2 it was the one of a task that has failed.
    fn last(&self, field: &'static str, former: &'static str) -> Option<&'static str> {
        let ended = matches!(self.status(), Some(Status::Failed | Status::Complete));
        if self.fields.contains_key(field) { Some(field) } else { (!ended).then_some(former) }
    }

    /// What the attempt that ended last cost, as its owner said it. `blueque worker` says it as JSON.
    #[must_use]
    pub fn cost(&self) -> Option<&[u8]> {
        // A fresh retry takes `ended` out of the record; what was spent before it is spent.
        let ended = self.bytes("ended");
        self.bytes("cost").filter(|_| ended.is_none() || self.bytes("cost_of") == ended)
    }

    /// Whether a cancel waits for the owner to stop.
    #[must_use]
    pub fn is_cancelling(&self) -> bool {
        self.fields.contains_key("cancel")
    }

    /// Whether its owner has been asked to give it back.
    #[must_use]
    pub fn is_recalled(&self) -> bool {
        self.fields.contains_key("recall")
    }
}

impl Record for TaskInfo {
    fn fields(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.fields
    }
}
