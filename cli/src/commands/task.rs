//! `blueque task`: for use inside a task's program. Outside of a task its subcommands do nothing, so that a program
//! runs by hand as it does under a worker.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use blueque::{Inputs, QueueName};
use clap::{Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

use crate::input::upstreams::Upstreams;
use crate::input::values::{duration, queue_name};
use crate::output::{Code, fault};

/// The server accepts no more.
const LARGEST: u64 = 8 << 20;

#[derive(Debug, Subcommand)]
pub enum Word {
    /// Report progress: `5/12`, `42%` or `0.42`, and a message
    Progress {
        /// 5 of 12 as `5/12`, or a fraction
        #[arg(value_name = "HOW_FAR", value_parser = how_far, allow_hyphen_values = true)]
        how_far: Value,
        /// What it is doing now, for people
        message: Option<String>,
        /// The unit of the numbers, such as MB
        #[arg(long)]
        unit: Option<String>,
    },
    /// Save a checkpoint for the next attempt; - reads stdin, @FILE a file
    Checkpoint {
        /// The whole checkpoint
        value: String,
    },
    /// Save the result; - reads stdin, @FILE a file
    Result {
        /// The result
        value: String,
    },
    /// Ask for a retry after a time such as 10m, should the program fail and have retries left
    Again {
        /// Counted from its end
        #[arg(value_name = "TIME", value_parser = duration)]
        pause: Duration,
    },
    /// Wait for other tasks, such as those that this one submitted, once it ends with exit code 85; then it runs again
    Suspend {
        #[command(flatten)]
        upstreams: Upstreams,
    },
    /// Go on in another queue, once the program has succeeded: its result becomes the parameters there
    Next {
        /// The queue, in place of the next one of the task's steps; without it the task is complete, whatever steps are left
        #[arg(value_parser = queue_name)]
        queue: Option<QueueName>,
    },
    /// Run again in another queue, from its checkpoint, once the program ends with exit code 85
    Into {
        /// The queue
        #[arg(value_parser = queue_name)]
        queue: QueueName,
    },
    /// Write a line to the task's log
    Log {
        /// The line
        message: String,
        /// The severity
        #[arg(long, value_enum, default_value_t)]
        level: Level,
    },
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Level {
    Debug,
    #[default]
    Info,
    Warn,
    Error,
}

/// Runs a subcommand. Only a malformed one, or a failing disk, is an error.
pub fn run(word: &Word) -> anyhow::Result<Code> {
    match word {
        Word::Progress { how_far, message, unit } => {
            let mut event = Map::new();
            let mut progress = how_far.clone();
            if let (Some(object), Some(unit)) = (progress.as_object_mut(), unit) {
                object.insert("unit".to_owned(), json!(unit));
            }
            event.insert("progress".to_owned(), progress);
            if let Some(message) = message {
                event.insert("message".to_owned(), json!(message));
            }
            append(&Value::Object(event))?;
        }
        Word::Log { message, level } => {
            let level = match level {
                Level::Debug => "debug",
                Level::Info => "info",
                Level::Warn => "warn",
                Level::Error => "error",
            };
            append(&json!({ "log": { "level": level, "message": message } }))?;
        }
        Word::Suspend { upstreams } if upstreams.is_empty() => {
            return Err(fault(Code::Usage, "name the tasks to wait for: --after-success ID, --after ID"));
        }
        Word::Suspend { upstreams } => append(&json!({ "suspend": upstreams.add_to(Inputs::new(), 0, &[]).text() }))?,
        Word::Into { queue } => append(&json!({ "into": queue.as_str() }))?,
        Word::Next { queue } => append(&json!({ "next": queue.as_ref().map_or("", QueueName::as_str) }))?,
        Word::Again { pause } => append(&json!({ "again": pause.as_secs_f64() }))?,
        Word::Checkpoint { value } => keep("BLUEQUE_CHECKPOINT", value)?,
        Word::Result { value } => keep("BLUEQUE_RESULT", value)?,
    }
    Ok(Code::Ok)
}

/// Appends one line with one write: lines of parallel writers stay whole.
fn append(event: &Value) -> anyhow::Result<()> {
    let Some(path) = file("BLUEQUE_EVENTS") else { return Ok(()) };
    let text = format!("{event}\n");
    let written =
        OpenOptions::new().append(true).create(true).open(&path).and_then(|mut f| f.write_all(text.as_bytes()));
    written.with_context(|| format!("{} cannot be written", path.display()))
}

/// Replaces a file atomically.
fn keep(variable: &str, value: &str) -> anyhow::Result<()> {
    let Some(path) = file(variable) else { return Ok(()) };
    let bytes = match (value, value.strip_prefix('@')) {
        ("-", _) => read(std::io::stdin().lock()).context("stdin cannot be read")?,
        (_, Some(from)) => {
            let source = fs::File::open(from).map_err(|error| fault(Code::Usage, format!("{from}: {error}")))?;
            read(source).with_context(|| format!("{from} cannot be read"))?
        }
        (text, None) => text.as_bytes().to_vec(),
    };
    replace(&path, &bytes).with_context(|| format!("{} cannot be written", path.display()))
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}", std::process::id()));
    let draft = PathBuf::from(draft);
    let replaced = fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&draft);
    }
    replaced
}

fn read(source: impl Read) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(LARGEST + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 <= LARGEST, "over 8 MiB: store it elsewhere, and keep a reference to it");
    Ok(bytes)
}

/// The file that the worker named.
fn file(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// `5/12`, `42%`, `0.42`.
fn how_far(text: &str) -> Result<Value, String> {
    let wrong = || "must be such as 5/12, 42% or 0.42".to_owned();
    let number = |text: &str| {
        let whole = text.trim().parse::<u64>().ok().map(|number| json!(number));
        let number =
            whole.or_else(|| text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0).map(|n| json!(n)));
        number.ok_or_else(wrong)
    };
    if let Some((done, total)) = text.split_once('/') {
        let (part, all) = (number(done)?, number(total)?);
        if part.as_f64() > all.as_f64() {
            return Err(format!("{} of {} is more than all", done.trim(), total.trim()));
        }
        return Ok(json!({ "done": part, "total": all }));
    }
    let fraction = match text.strip_suffix('%') {
        Some(percent) => number(percent)?.as_f64().unwrap_or(0.0) / 100.0,
        None => number(text)?.as_f64().unwrap_or(0.0),
    };
    if fraction <= 1.0 { Ok(json!(fraction)) } else { Err(wrong()) }
}
