//! The messages of a worker: lines with the time and the level, or JSON objects. The workers of the clients write the same.

use std::sync::OnceLock;

use clap::ValueEnum;
use jiff::Timestamp;
use serde_json::json;

use crate::output::{behind, json as escaped, told};

/// The format of the messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Lines that begin with the time and the level
    #[default]
    Text,
    /// An object on each line: time, level, message; with --verbose also the task of output
    Json,
}

static FORMAT: OnceLock<Format> = OnceLock::new();

/// Sets the format of this process, once.
pub fn begin(format: Format) {
    let _ = FORMAT.set(format);
}

/// Logs an event.
pub fn info(text: &str) {
    behind::say(line("info", None, text));
}

/// Logs a problem.
pub fn warning(text: &str) {
    behind::say(line("warning", None, text));
}

/// Copies a line of a program's output. Waits if nobody reads the messages.
pub fn output(task: &str, text: &str) {
    behind::copy(line("output", Some(task), text));
}

fn line(level: &str, task: Option<&str>, text: &str) -> String {
    let text = told(text);
    let time = format!("{:.3}", Timestamp::now());
    match (FORMAT.get().copied().unwrap_or_default(), task) {
        (Format::Text, Some(task)) => format!("{}\n", told(&format!("{task}: {text}"))),
        (Format::Text, None) => format!("{time} {:<5} {text}\n", level.to_uppercase()),
        (Format::Json, _) => {
            let mut object = json!({ "time": time, "level": level, "message": text });
            if let (Some(task), Some(fields)) = (task, object.as_object_mut()) {
                fields.insert("task".into(), told(task).into());
            }
            format!("{}\n", escaped(&object).unwrap_or_default())
        }
    }
}
