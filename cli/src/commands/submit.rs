//! `blueque submit`

use std::time::{SystemTime, UNIX_EPOCH};

use blueque::calls::NewTask;
use blueque::{Error, QueueName, Submitted, TaskId};
use clap::Args;
use serde::Serialize;

use super::follow::{Follower, left};
use super::parameters::Parameters;
use super::printer::Streams;
use super::wish::Wish;
use super::{plain, queue_name, times, wait};
use crate::output::table::{Column, Row, write_one};
use crate::output::{Code, Format, say};
use crate::session::Session;

/// How much of a followed log the server keeps.
const FOLLOWED: u32 = 64 << 20;

/// What a task is made of.
#[derive(Args, Debug)]
pub struct New {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    #[command(flatten)]
    parameters: Parameters,
    /// Not before this time: RFC 3339, or 10m (+10m) from now
    #[arg(long, value_name = "TIME", value_parser = times::coming)]
    eta: Option<SystemTime>,
    /// An id of your choice; submitted twice, it makes one task
    #[arg(long, value_parser = task_id)]
    id: Option<TaskId>,
    #[command(flatten)]
    wish: Wish,
}

#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    new: New,
    /// Wait for its end, and exit as `blueque wait` does
    #[arg(long)]
    wait: bool,
    /// Show its log while waiting for its end
    #[arg(long)]
    follow: bool,
    /// Write the id alone: the same as --output id
    #[arg(long)]
    id_only: bool,
}

/// A task that was submitted.
#[derive(Serialize)]
struct Made {
    id: String,
    queue: String,
    submitted: &'static str,
    /// The task that it took the place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
}

impl Row for Made {
    const COLUMNS: &'static [Column] = &[Column::id("id")];

    fn id(&self) -> &str {
        &self.id
    }

    fn cells(&self) -> Vec<String> {
        vec![self.id.clone()]
    }
}

impl New {
    /// Submits it. One whose log is followed has more of it kept, so that who reads along loses nothing.
    pub fn submit(&self, session: &Session, followed: bool) -> anyhow::Result<(TaskId, Submitted)> {
        let parameters = self.parameters.bytes()?;
        let id = self.id.clone().unwrap_or_else(TaskId::random);
        let eta = self.eta.map(|eta| eta.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64());
        let task = NewTask { id: &id, eta, parameters: &parameters };
        let tags = self.wish.tags();
        let mut options = self.wish.options(&tags);
        options.log_bytes = options.log_bytes.or(followed.then_some(FOLLOWED));
        let call = session.client.calls().submit(&self.queue, &[task], options).answered_once();
        let made = session.client.call(&call).inspect_err(|error| {
            if matches!(error, Error::Unavailable { .. }) {
                say(format!("{id} may have been submitted: the same command with --id {id} makes no second task"));
            }
        })?;
        let made = made.into_iter().next().unwrap_or(Submitted::Created);
        match &made {
            Submitted::Existing => say(format!("{id} exists already; nothing was changed")),
            Submitted::Taken(other) => {
                say(format!("{other} has this unique name; nothing was made"));
                return Ok((other.clone(), made));
            }
            Submitted::Replaced(other) => say(format!("{other} was cancelled: {id} takes its place")),
            _ => {}
        }
        Ok((id, made))
    }
}

pub fn task_id(text: &str) -> Result<TaskId, String> {
    plain(text).and_then(|text| TaskId::new(text).map_err(|error| error.to_string()))
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let (id, made) = options.new.submit(session, options.follow)?;
    let format = if options.id_only { Format::Id } else { session.format };
    let follows = options.wait || options.follow;
    if follows && format == Format::Table {
        // As a script reads it, stdout is the result alone.
        say(format!("{id} submitted"));
    } else if !follows || format == Format::Id {
        let replaced = match &made {
            Submitted::Replaced(other) => Some(other.to_string()),
            _ => None,
        };
        let row = Made { id: id.to_string(), queue: options.new.queue.to_string(), submitted: made.as_str(), replaced };
        write_one(format, &row)?;
    }
    if !follows {
        return Ok(Code::Ok);
    }
    let mut follower = Follower::new(session, &id, if options.follow { Streams::Talk } else { Streams::None });
    let ended = follower.follow(&|| false).map_err(|error| left(&id, error))?;
    drop(follower);
    let Some(info) = ended else { return Ok(Code::Ok) };
    match format {
        Format::Json | Format::Jsonl => wait::write(format, &id, &info)?,
        Format::Table => wait::write_result(&info)?,
        Format::Id => {}
    }
    wait::tell(&id, &info);
    Ok(wait::verdict(&info))
}
