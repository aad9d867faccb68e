//! `blueque limit ls`: the limits of each key of a queue, and the shared limits

use blueque::{KeyLimit, QueueName};
use clap::Args;
use serde::Serialize;

use crate::input::values::{queue_name, written_seconds};
use crate::output::Code;
use crate::output::table::{Column, Row};
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
    const COLUMNS: &'static [Column] =
        &[Column::text("key"), Column::whole("concurrency"), Column::whole("rate"), Column::whole("in use")];

    fn id(&self) -> &str {
        &self.key
    }

    fn cells(&self) -> Vec<String> {
        self.written("as the queue")
    }
}

impl View {
    fn written(&self, unset: &str) -> Vec<String> {
        let set = |value: Option<String>| value.unwrap_or_else(|| unset.to_owned());
        let concurrency = self.concurrency.map(|number| number.to_string());
        vec![self.key.clone(), set(concurrency), set(self.rate.clone()), self.in_use.to_string()]
    }
}

impl Row for Shared {
    const COLUMNS: &'static [Column] = &[
        Column::text("key"),
        Column::whole("concurrency"),
        Column::whole("rate"),
        Column::whole("in use"),
        Column::whole("tasks"),
        Column::whole("expires"),
    ];

    fn id(&self) -> &str {
        &self.view.key
    }

    fn cells(&self) -> Vec<String> {
        let mut cells = self.view.written("none");
        cells.push(self.tasks.to_string());
        cells.push(self.expires.map_or("never".to_owned(), written_seconds));
        cells
    }
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
