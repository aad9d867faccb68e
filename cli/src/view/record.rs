//! The record of a task: its fields as text and times.

use std::time::{SystemTime, UNIX_EPOCH};

use blueque::{Status, TaskInfo};

/// Returns the end time of a finished task.
pub fn ended(info: &TaskInfo) -> Option<SystemTime> {
    info.updated().filter(|_| info.status().is_some_and(Status::is_finished))
}

/// Returns a field of the record as text. An empty field counts as absent.
pub fn text(info: &TaskInfo, field: &str) -> Option<String> {
    let bytes = info.fields.get(field).filter(|bytes| !bytes.is_empty())?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

/// Returns the time at which the task is, or was, due.
pub fn eta(info: &TaskInfo) -> Option<SystemTime> {
    info.eta().filter(|eta| *eta > UNIX_EPOCH)
}
