//! The end of a followed task: its record, its result, a sentence, and the exit code.

use blueque::wording::headline;
use blueque::{Status, TaskId, TaskInfo};

use crate::output::table::write_one;
use crate::output::{Code, Format, clean_line, line, say};
use crate::times;
use crate::view::task::TaskView;

/// Writes the record of a followed task.
pub fn write(format: Format, id: &TaskId, info: &TaskInfo) -> anyhow::Result<()> {
    write_one(format, &TaskView::whole(id.as_str(), info))
}

/// Writes the result of a task, if it has a result. `null` stands for no result.
pub fn write_result(info: &TaskInfo) -> anyhow::Result<()> {
    if let Some(result) = info.result_bytes().filter(|result| !result.is_empty() && *result != b"null") {
        line(String::from_utf8_lossy(result))?;
    }
    Ok(())
}

/// Returns the exit code for the end of a task.
pub fn verdict(info: &TaskInfo) -> Code {
    match info.status() {
        Some(Status::Complete) => Code::Ok,
        Some(Status::Cancelled) => Code::Cancelled,
        _ => Code::Failed,
    }
}

/// Reports the outcome of the task.
pub fn report(id: &TaskId, info: &TaskInfo) {
    let status = info.status().map_or("unknown", Status::as_str);
    // The end of a short program may arrive before its start, which is then not recorded.
    let took = match (info.started().or_else(|| info.reserved()), info.updated()) {
        (Some(from), Some(to)) if info.status() != Some(Status::Cancelled) => {
            format!(" after {}", times::span(times::between(from, to)))
        }
        _ => String::new(),
    };
    let why = match info.status() {
        Some(Status::Failed) => info.error().map(|error| headline(&error)),
        Some(Status::Cancelled) => info.reason(),
        _ => None,
    };
    let why = why.map_or(String::new(), |why| format!(": {}", clean_line(&why, 400)));
    say(format!("{id} {status}{took}{why}"));
}
