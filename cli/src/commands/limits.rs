//! `blueque limits`: how much of a queue each key may use

use blueque::{KeyLimit, QueueName};
use clap::Args;
use serde::Serialize;

use crate::input::values::queue_name;
use crate::output::Code;
use crate::output::table::{self, Column, Row};
use crate::session::Session;

#[derive(Args, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// The keys whose tasks run now, with or without limits of their own
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

impl Row for View {
    const COLUMNS: &'static [Column] =
        &[Column::text("key"), Column::whole("concurrency"), Column::whole("rate"), Column::whole("in use")];

    fn id(&self) -> &str {
        &self.key
    }

    fn cells(&self) -> Vec<String> {
        let set = |value: Option<String>| value.unwrap_or_else(|| "as the queue".to_owned());
        let concurrency = self.concurrency.map(|number| number.to_string());
        vec![self.key.clone(), set(concurrency), set(self.rate.clone()), self.in_use.to_string()]
    }
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let mut limits = session.client.queue(options.queue.as_str())?.limits(options.used)?;
    limits.sort_by(|one, other| one.key.cmp(&other.key));
    limits.dedup_by(|one, other| one.key == other.key);
    if limits.is_empty() {
        session.must_exist(std::slice::from_ref(&options.queue))?;
    }
    let view = |limit: KeyLimit| View {
        key: limit.key,
        concurrency: limit.concurrency,
        rate: limit.rate.map(|rate| rate.to_string()),
        in_use: limit.used,
    };
    table::write(session.format, &limits.into_iter().map(view).collect::<Vec<_>>())?;
    Ok(Code::Ok)
}
