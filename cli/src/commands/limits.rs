//! `blueque limits`: how much of a queue each key may use; and the shared limits

use blueque::{KeyLimit, QueueName};
use clap::Args;
use serde::Serialize;

use crate::input::values::queue_name;
use crate::output::Code;
use crate::output::table::{Column, Row};
use crate::session::Session;

#[derive(Args, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name, required_unless_present = "shared")]
    queue: Option<QueueName>,
    /// The shared limits, in place of those of keys
    #[arg(long, conflicts_with = "queue")]
    shared: bool,
    /// The keys whose tasks run now, with or without limits of their own
    #[arg(long)]
    used: bool,
}

/// The limits of a key, or a shared one.
#[derive(Serialize)]
struct View {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<String>,
    in_use: u64,
    #[serde(skip)]
    shared: bool,
}

impl Row for View {
    const COLUMNS: &'static [Column] =
        &[Column::text("key"), Column::whole("concurrency"), Column::whole("rate"), Column::whole("in use")];

    fn id(&self) -> &str {
        &self.key
    }

    fn cells(&self) -> Vec<String> {
        let unset = if self.shared { "none" } else { "as the queue" };
        let set = |value: Option<String>| value.unwrap_or_else(|| unset.to_owned());
        let concurrency = self.concurrency.map(|number| number.to_string());
        vec![self.key.clone(), set(concurrency), set(self.rate.clone()), self.in_use.to_string()]
    }
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let mut limits = match &options.queue {
        Some(queue) => session.client.queue(queue.as_str())?.limits(options.used)?,
        None => session.client.shared_limits(options.used)?,
    };
    limits.sort_by(|one, other| one.key.cmp(&other.key));
    limits.dedup_by(|one, other| one.key == other.key);
    if let Some(queue) = options.queue.as_ref().filter(|_| limits.is_empty()) {
        session.must_exist(std::slice::from_ref(queue))?;
    }
    let view = |limit: KeyLimit| View {
        key: limit.key,
        concurrency: limit.concurrency,
        rate: limit.rate.map(|rate| rate.to_string()),
        in_use: limit.used,
        shared: options.shared,
    };
    session.write(&limits.into_iter().map(view).collect::<Vec<_>>())?;
    Ok(Code::Ok)
}
