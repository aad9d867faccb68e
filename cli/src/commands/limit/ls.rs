//! `blueque limit ls`: the limits of each key of a queue, and the shared limits

use blueque::{KeyLimit, QueueName};
use clap::Args;
use serde::Serialize;

use crate::input::values::{queue_name, written_seconds};
use crate::output::Code;
use crate::output::table::{Cell, Column, Row, or};
use crate::session::Session;
use crate::subcommand::Subcommand;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name, required_unless_present = "shared")]
    queue: Option<QueueName>,
    /// Show the shared limits instead of the limits of keys
    #[arg(long, conflicts_with = "queue")]
    shared: bool,
    /// Show the keys that have running tasks, with or without limits of their own
    #[arg(long)]
    used: bool,
}

/// The limits of a key.
#[derive(Serialize)]
struct View {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<String>,
    in_use: u64,
}

/// A shared limit.
#[derive(Serialize)]
struct Shared {
    #[serde(flatten)]
    view: View,
    tasks: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
}

impl Row for View {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("key"), |row| row.key.clone()),
        (Column::whole("concurrency"), |row| or(row.concurrency, "as the queue")),
        (Column::whole("rate"), |row| or(row.rate.as_ref(), "as the queue")),
        (Column::whole("in use"), |row| row.in_use.to_string()),
    ];
}

impl Row for Shared {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("key"), |row| row.view.key.clone()),
        (Column::whole("concurrency"), |row| or(row.view.concurrency, "none")),
        (Column::whole("rate"), |row| or(row.view.rate.as_ref(), "none")),
        (Column::whole("in use"), |row| row.view.in_use.to_string()),
        (Column::whole("tasks"), |row| row.tasks.to_string()),
        (Column::whole("expires"), |row| or(row.expires.map(written_seconds), "never")),
    ];
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let mut limits = match &self.queue {
            Some(queue) => session.client.queue(queue.as_str())?.limits(self.used)?,
            None => session.client.shared_limits(self.used)?,
        };
        limits.sort_by(|one, other| one.key.cmp(&other.key));
        limits.dedup_by(|one, other| one.key == other.key);
        if let Some(queue) = self.queue.as_ref().filter(|_| limits.is_empty()) {
            session.must_exist(std::slice::from_ref(queue))?;
        }
        let view = |limit: KeyLimit| View {
            key: limit.key,
            concurrency: limit.concurrency,
            rate: limit.rate.map(|rate| rate.to_string()),
            in_use: limit.used,
        };
        if self.shared {
            let shared = |limit: KeyLimit| Shared {
                tasks: limit.tasks.unwrap_or(0),
                expires: limit.expires.map(|time| time.as_secs()),
                view: view(limit),
            };
            session.write(&limits.into_iter().map(shared).collect::<Vec<_>>())?;
        } else {
            session.write(&limits.into_iter().map(view).collect::<Vec<_>>())?;
        }
        Ok(Code::Ok)
    }
}
