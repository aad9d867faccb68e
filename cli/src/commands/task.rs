//! `blueque task`: commands for the program of a task. Outside of a task they do nothing, so that a program can also be
//! started by hand.

mod files;
mod published;

use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use blueque::QueueName;
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Map, Value, json};

use self::files::{append, given, keep, keep_beside};
use crate::input::parameters::Parameters;
use crate::input::task_options::ChangedOptions;
use crate::input::upstreams::{Results, Upstreams};
use crate::input::values::{coming, duration, queue_name};
use crate::output::{Code, fault};
use crate::subcommand::{Global, Subcommand};
use crate::times::When;

#[derive(Clone, Debug, clap::Subcommand)]
pub enum Word {
    /// Report progress: `5/12`, `42%` or `0.42`, and a message
    Progress {
        /// The progress: `5/12` for 5 of 12, or a fraction
        #[arg(value_name = "HOW_FAR", value_parser = how_far, allow_hyphen_values = true)]
        how_far: Value,
        /// The current activity, for people
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
        #[arg(required_unless_present = "published")]
        value: Option<String>,
        /// Use a reference to the files in the output folder as the result: for large results
        #[arg(long, conflicts_with = "value")]
        published: bool,
    },
    /// Print the folders of published results that this task received
    Inputs {
        /// Maximum time to wait for folders that are being published
        #[arg(long, value_name = "TIME", default_value = "1m", value_parser = duration)]
        timeout: Duration,
    },
    /// Ask for a retry after a time such as 10m
    ///
    /// This applies if the program fails and has retries left.
    Again {
        /// The time from the end of the program to the retry
        #[arg(value_name = "TIME", value_parser = duration)]
        pause: Duration,
    },
    /// Name the kind of the failure
    ///
    /// A name, or any text, such as the message of an error. This applies if the program fails.
    Group {
        /// The group. Numbers, ids and addresses in the text make no difference
        #[arg(allow_hyphen_values = true)]
        group: String,
    },
    /// Wait for other tasks, then run again
    ///
    /// The wait begins when the program ends with exit code 85.
    Suspend {
        #[command(flatten)]
        upstreams: Upstreams,
    },
    /// Continue in another queue after success
    ///
    /// The result becomes the parameters there, unless parameters are given.
    Next {
        /// The queue, instead of the next of the task's steps. Without a queue and without options, the task skips its
        /// remaining steps and is complete
        #[arg(value_parser = queue_name)]
        queue: Option<QueueName>,
        /// Not before this time: 22:00, tomorrow 8:00, RFC 3339, or 10m (+10m) from now
        #[arg(long, value_name = "TIME", value_parser = coming)]
        eta: Option<When>,
        #[command(flatten)]
        change: Box<Change>,
    },
    /// Change the parameters or options of the next attempt
    Edit {
        /// The reason, for people
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        #[command(flatten)]
        change: Box<Change>,
    },
    /// Run again in another queue, from the checkpoint
    ///
    /// The task moves when the program ends with exit code 85.
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

/// Changes. Properties that are not named stay as they are.
#[derive(Args, Clone, Debug)]
pub struct Change {
    #[command(flatten)]
    parameters: Parameters,
    /// Remove this option from the task, such as needs; may be repeated
    #[arg(long, value_name = "OPTION", value_delimiter = ',')]
    unset: Vec<String>,
    #[command(flatten)]
    options: ChangedOptions,
}

impl Change {
    fn is_empty(&self) -> bool {
        !self.parameters.are_given() && self.unset.is_empty() && self.options.is_empty()
    }

    /// Adds the change to an event. The parameters are always written to a file.
    fn add_to(&self, event: &mut Map<String, Value>, suffix: &str) -> anyhow::Result<()> {
        if self.parameters.are_given()
            && let Some(path) = keep_beside("BLUEQUE_RESULT", suffix, || self.parameters.bytes())?
        {
            event.insert("parameters_file".to_owned(), json!(path));
        }
        if !self.unset.is_empty() {
            let unset: Vec<String> = self.unset.iter().map(|name| name.replace('-', "_")).collect();
            event.insert("unset".to_owned(), json!(unset));
        }
        event.extend(self.options.given().map(|(name, value)| (name.to_owned(), json!(value))));
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Debug,
    #[default]
    Info,
    Warn,
    Error,
}

impl Subcommand for Word {
    fn start(&self, global: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        Some(global.without_durability().and_then(|()| run(self)).map(Code::into))
    }
}

/// Runs a subcommand. Fails only if the subcommand is malformed or the disk fails.
fn run(word: &Word) -> anyhow::Result<Code> {
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
            append(&json!({ "log": { "level": level, "message": message } }))?;
        }
        Word::Suspend { upstreams } if upstreams.is_empty() => {
            return Err(fault(Code::Usage, "name the tasks to wait for: --after-success ID, --after ID"));
        }
        Word::Suspend { upstreams } => {
            append(&json!({ "suspend": upstreams.inputs(0, &Results::default()).to_string() }))?;
        }
        Word::Into { queue } => append(&json!({ "into": queue.as_str() }))?,
        Word::Next { queue, eta, change } => next(queue.as_ref(), *eta, change)?,
        Word::Edit { change, .. } if change.is_empty() => {
            return Err(fault(Code::Usage, "name a change, such as --params, --priority or --unset"));
        }
        Word::Edit { reason, change } => {
            let mut event = Map::new();
            event.extend(reason.iter().map(|reason| ("reason".to_owned(), json!(reason))));
            change.add_to(&mut event, "edit")?;
            append(&json!({ "edit": event }))?;
        }
        Word::Again { pause } => append(&json!({ "again": pause.as_secs_f64() }))?,
        Word::Group { group } => append(&json!({ "group": group }))?,
        Word::Checkpoint { value } => keep("BLUEQUE_CHECKPOINT", || given(value))?,
        Word::Result { value: Some(value), .. } => keep("BLUEQUE_RESULT", || given(value))?,
        Word::Result { value: None, .. } => keep("BLUEQUE_RESULT", published::own)?,
        Word::Inputs { timeout } => return published::inputs(*timeout),
    }
    Ok(Code::Ok)
}

/// Appends an event that requests the next step of the task. If only the queue is given, the event contains it as a
/// string. An empty string means that no step follows.
fn next(queue: Option<&QueueName>, eta: Option<When>, change: &Change) -> anyhow::Result<()> {
    if eta.is_none() && change.is_empty() {
        return append(&json!({ "next": queue.map_or("", QueueName::as_str) }));
    }
    let mut event = Map::new();
    event.extend(queue.map(|queue| ("queue".to_owned(), json!(queue.as_str()))));
    let since = eta.and_then(|eta| eta.time().duration_since(SystemTime::UNIX_EPOCH).ok());
    event.extend(since.map(|since| ("eta".to_owned(), json!(since.as_secs_f64()))));
    change.add_to(&mut event, "next")?;
    append(&json!({ "next": event }))
}

/// Parses a progress: `5/12`, `42%` or `0.42`.
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
