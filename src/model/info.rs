//! The record of a task.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::Status;

/// The record of a task. Fields that this version does not name are in [`fields`](Self::fields).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskInfo {
    /// Every field of the record.
    pub fields: BTreeMap<String, Vec<u8>>,
}

impl TaskInfo {
    /// The state; none if a client wrote a word unknown to this version.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.parsed("status")
    }

    /// The queue.
    #[must_use]
    pub fn queue(&self) -> Option<String> {
        self.text("queue")
    }

    /// The number of attempts begun.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.parsed("attempt").unwrap_or(0)
    }

    /// How often owners were lost.
    #[must_use]
    pub fn losses(&self) -> u32 {
        self.parsed("losses").unwrap_or(0)
    }

    /// What a worker for programs runs, where submit said so.
    #[must_use]
    pub fn method(&self) -> Option<String> {
        self.text("method")
    }

    /// The listener that holds the task, or held it last.
    #[must_use]
    pub fn node(&self) -> Option<String> {
        self.text("node")
    }

    /// When it was submitted, in seconds since 1970.
    #[must_use]
    pub fn created(&self) -> Option<f64> {
        self.parsed("created")
    }

    /// When its last attempt started, in seconds since 1970.
    #[must_use]
    pub fn started(&self) -> Option<f64> {
        self.parsed("started")
    }

    /// When its state last changed, in seconds since 1970.
    #[must_use]
    pub fn updated(&self) -> Option<f64> {
        self.parsed("updated")
    }

    /// What was submitted.
    #[must_use]
    pub fn parameters(&self) -> Option<&[u8]> {
        self.bytes("parameters")
    }

    /// What the completing owner left.
    #[must_use]
    pub fn result(&self) -> Option<&[u8]> {
        self.bytes("result")
    }

    /// Why it failed; none where it has not failed.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.failed().then(|| self.lossy("error")).flatten()
    }

    /// The group of its failure, such as `lost`; none where it has not failed.
    #[must_use]
    pub fn group(&self) -> Option<String> {
        self.failed().then(|| self.text("group")).flatten()
    }

    /// The error of the last attempt that failed, where the task was tried again and has not ended by
    /// completing or failing since.
    #[must_use]
    pub fn last_error(&self) -> Option<String> {
        self.last("last_error", "error").and_then(|field| self.lossy(field))
    }

    /// The group of [`Self::last_error`].
    #[must_use]
    pub fn last_group(&self) -> Option<String> {
        self.last("last_group", "group").and_then(|field| self.text(field))
    }

    fn failed(&self) -> bool {
        self.status() == Some(Status::Failed)
    }

    /// Which field has what is known of the last failure: before 0.2 it was the one of a task that has failed.
    fn last(&self, field: &'static str, former: &'static str) -> Option<&'static str> {
        let ended = matches!(self.status(), Some(Status::Failed | Status::Complete));
        if self.fields.contains_key(field) { Some(field) } else { (!ended).then_some(former) }
    }

    /// Why it was cancelled.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        self.text("reason")
    }

    /// The last word on how far it is.
    #[must_use]
    pub fn progress(&self) -> Option<&[u8]> {
        self.bytes("progress")
    }

    /// The last checkpoint.
    #[must_use]
    pub fn checkpoint(&self) -> Option<&[u8]> {
        self.bytes("checkpoint")
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

    fn bytes(&self, field: &str) -> Option<&[u8]> {
        self.fields.get(field).map(Vec::as_slice)
    }

    fn lossy(&self, field: &str) -> Option<String> {
        self.bytes(field).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    fn text(&self, field: &str) -> Option<String> {
        String::from_utf8(self.bytes(field)?.to_vec()).ok().filter(|text| !text.is_empty())
    }

    fn parsed<T: FromStr>(&self, field: &str) -> Option<T> {
        self.text(field)?.parse().ok()
    }
}
