//! `blueque limit` and `limits`: how much of a queue each key may take.

use blueque::{KeyLimit, QueueName, Rate};
use clap::Args;
use serde::Serialize;

use crate::input::values::{self, plain, queue_name, whole_number};
use crate::output::table::{self, Column, Row};
use crate::output::{Code, say};
use crate::session::Session;

#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("limits").required(true).multiple(true).args(["concurrency", "rate", "none"])))]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// The key that tasks are submitted with
    #[arg(value_name = "KEY", value_parser = plain)]
    key: String,
    /// How many places its tasks may take together
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 1_000_000))]
    concurrency: Option<u32>,
    /// How many of its tasks may start in a time, such as 100/1h
    #[arg(long, value_name = "N/TIME", value_parser = rate)]
    rate: Option<Rate>,
    /// Take its own limits back: the settings of the queue hold
    #[arg(long, conflicts_with_all = ["concurrency", "rate"])]
    none: bool,
}

#[derive(Args, Debug)]
pub struct List {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// The keys whose tasks run now, with limits of their own or without
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

pub fn set(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let Options { queue, key, none, .. } = options;
    let (mut concurrency, mut rate) = (options.concurrency, options.rate);
    // One call sets both: what is not named is told again.
    if !none && (concurrency.is_none() || rate.is_none()) {
        let limits = session.client.queue(queue.as_str())?.limits(false)?;
        if let Some(present) = limits.into_iter().find(|limit| limit.key == *key) {
            concurrency = concurrency.or(present.concurrency);
            rate = rate.or(present.rate);
        }
    }
    session.client.call(&session.client.calls().limit(queue, key, concurrency, rate))?;
    let own = |value: Option<String>| value.unwrap_or_else(|| "as the queue".to_owned());
    say(if *none {
        format!("{key} is limited as {queue} says")
    } else {
        let (concurrency, rate) = (concurrency.map(|n| n.to_string()), rate.map(|rate| rate.to_string()));
        format!("{key} in {queue}: concurrency {}, rate {}", own(concurrency), own(rate))
    });
    session.tell_if_new(queue)?;
    Ok(Code::Ok)
}

pub fn list(session: &Session, options: &List) -> anyhow::Result<Code> {
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
        in_use: limit.in_use,
    };
    table::write(session.format, &limits.into_iter().map(view).collect::<Vec<_>>())?;
    Ok(Code::Ok)
}

fn rate(text: &str) -> Result<Rate, String> {
    values::rate(text).ok_or_else(|| "must be starts in a time, such as 100/1h".to_owned())
}
