//! The record of a task: its fields as text and times.

use std::time::{SystemTime, UNIX_EPOCH};

use blueque::{Status, TaskInfo};

/// Returns the end time of a finished task.
pub fn ended(info: &TaskInfo) -> Option<SystemTime> {
    info.updated().filter(|_| info.status().is_some_and(Status::is_finished))
}

/// Returns the most important line of an error: the last line of a stack trace, or the first line of an error from a
/// supervisor.
pub fn headline(error: &str) -> String {
    let mut lines = error.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    match lines.next_back() {
        Some(last) if first.starts_with("Traceback") => last.to_owned(),
        Some(_) if first.starts_with("exit code ") || first.starts_with("killed by ") => first.to_owned(),
        _ => error.to_owned(),
    }
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

#[cfg(test)]
mod tests {
    use super::headline;

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
