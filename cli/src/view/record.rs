//! The record of a task: its fields as text and times, and unknown fields.

use std::collections::BTreeMap;

use blueque::{Status, TaskInfo};

use super::payload::Payload;

/// The fields that are shown in one form or another.
const KNOWN: [&str; 62] = [
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
    "slot",
    "progress",
    "progressed",
    "checkpoint",
    "checkpointed",
    "postponed",
    "cost",
    "cost_of",
];

/// The unknown fields of a record.
pub fn unknown(info: &TaskInfo) -> BTreeMap<String, Payload> {
    let new = info.fields.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str()));
    new.map(|(name, value)| (name.clone(), Payload(value.clone()))).collect()
}

/// When its checkpoint was saved.
pub fn checkpointed(info: &TaskInfo) -> Option<f64> {
    text(info, "checkpointed")?.parse().ok()
}

/// When its progress was reported.
pub fn progressed(info: &TaskInfo) -> Option<f64> {
    text(info, "progressed")?.parse().ok()
}

/// When a finished task ended.
pub fn ended(info: &TaskInfo) -> Option<f64> {
    info.updated().filter(|_| info.status().is_some_and(Status::is_finished))
}

/// The line of an error that says what it was: the last one of a stack trace, and of an error of a supervisor of
/// 0.1.0.
pub fn headline(error: &str) -> String {
    let error = error.strip_prefix("it ended with ").unwrap_or(error);
    let mut lines = error.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    match lines.next_back() {
        Some(last) if first.starts_with("Traceback") => last.to_owned(),
        Some(last) if first.ends_with(last) => first.to_owned(),
        Some(last) if first.ends_with(':') => format!("{first} {last}"),
        // The rest of it is missing: a history has only the beginning of an error.
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
pub fn eta(info: &TaskInfo) -> Option<f64> {
    text(info, "eta")?.parse().ok().filter(|&eta: &f64| eta > 0.0)
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, headline};

    #[test]
    fn every_field_that_the_contract_lists_is_known() {
        let page = include_str!("../../../lua/README.md");
        let rows = page.split("\nThe record. ").nth(1).unwrap_or_default().split("\n\n").nth(1).unwrap_or_default();
        let cells = rows.lines().filter_map(|row| row.split('|').nth(1)).skip(2);
        let fields: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
        assert!(fields.len() > 40 && fields.contains(&"checkpointed"), "{fields:?}");
        let new: Vec<_> = fields.iter().filter(|field| !KNOWN.contains(field)).collect();
        assert!(new.is_empty(), "{new:?}: show tells of them, or they are known to say nothing to a person");
    }

    #[test]
    fn of_an_error_the_line_that_says_what_it_was_leads() {
        for (error, head) in [
            (
                "it ended with exit code 1:\nloading\nTraceback (most recent call last):\n  File x\nRuntimeError: CUDA out of memory\n\n",
                "exit code 1: RuntimeError: CUDA out of memory",
            ),
            ("it ended with exit code 3", "exit code 3"),
            ("it was killed by SIGSEGV:\nlast words", "it was killed by SIGSEGV: last words"),
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
