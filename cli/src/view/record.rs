//! The record of a task: its fields as text and times, and unknown fields.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use blueque::{Status, TaskInfo};

use super::payload::Payload;

/// The fields that are shown in one form or another, or say nothing to a person. Any other is shown as it is.
const KNOWN: [&str; 72] = [
    "status",
    "queue",
    "parameters",
    "result",
    "error",
    "node",
    "pid",
    "created",
    "updated",
    "eta",
    "deadline",
    "reclaimed_node",
    "attempt",
    "token",
    "ended",
    "outcome",
    "lease",
    "request",
    "promoted",
    "reserved",
    "started",
    "failures",
    "losses",
    "releases",
    "uncounted",
    "fruitless",
    "notes",
    "round_request",
    "max_losses",
    "max_failures",
    "max_releases",
    "backoff",
    "delay",
    "max_delay",
    "jitter",
    "method",
    "own_lease",
    "log_bytes",
    "priority",
    "key",
    "weight",
    "needs",
    "unique",
    "unique_until",
    "rank",
    "solo",
    "ties",
    "group",
    "last_error",
    "last_group",
    "retry_eta",
    "tags",
    "cancel",
    "reason",
    "recall",
    "front",
    "schedule",
    "graph",
    "label",
    "cause",
    "slot",
    "progress",
    "progressed",
    "checkpoint",
    "checkpointed",
    "postponed",
    "cost",
    "cost_of",
    "readied",
    "slots",
    "checked",
    "cascade",
];

/// The other fields of a record.
pub fn unknown(info: &TaskInfo) -> BTreeMap<String, Payload> {
    let new = info.fields.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str()));
    new.map(|(name, value)| (name.clone(), Payload(value.clone()))).collect()
}

/// When a finished task ended.
pub fn ended(info: &TaskInfo) -> Option<SystemTime> {
    info.updated().filter(|_| info.status().is_some_and(Status::is_finished))
}

/// The line of an error that says what it was: the last one of a stack trace, the first one of a supervisor's error.
pub fn headline(error: &str) -> String {
    let mut lines = error.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    match lines.next_back() {
        Some(last) if first.starts_with("Traceback") => last.to_owned(),
        Some(_) if first.starts_with("exit code ") || first.starts_with("killed by ") => first.to_owned(),
        _ => error.to_owned(),
    }
}

/// A field of the record as text; an empty one counts as absent.
pub fn text(info: &TaskInfo, field: &str) -> Option<String> {
    let bytes = info.fields.get(field).filter(|bytes| !bytes.is_empty())?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

/// When it is, or was, due.
pub fn eta(info: &TaskInfo) -> Option<SystemTime> {
    info.eta().filter(|eta| *eta > UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use blueque::TaskInfo;

    use super::{KNOWN, headline};

    #[test]
    fn every_field_that_is_known_is_one_of_the_record() {
        let gone: Vec<_> = KNOWN.iter().filter(|field| !TaskInfo::FIELDS.contains(field)).collect();
        assert!(gone.is_empty(), "{gone:?}");
    }

    #[test]
    fn of_an_error_the_line_that_says_what_it_was_leads() {
        for (error, head) in [
            ("Traceback (most recent call last):\n  File x\nKeyError: 'a'", "KeyError: 'a'"),
            (
                "exit code 1: KeyError: 'a'\nTraceback (most recent call last):\n  File x\nKeyError: 'a'",
                "exit code 1: KeyError: 'a'",
            ),
            ("exit code 1: wrong:\nall of it is\nwrong:", "exit code 1: wrong:"),
            ("exit code 1: KeyError: 'a'\nTraceback (most recent", "exit code 1: KeyError: 'a'"),
            ("no disk\nleft", "no disk\nleft"),
            ("", ""),
        ] {
            assert_eq!(headline(error), head, "{error:?}");
        }
    }
}
