//! `blueque limit`: how much of a queue one key may use

use blueque::{QueueName, Rate};
use clap::Args;

use crate::input::values::{self, plain, queue_name, whole_number};
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
    /// Number of places that its tasks may take together
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 1_000_000))]
    concurrency: Option<u32>,
    /// Number of its tasks that may start in a time, such as 100/1h
    #[arg(long, value_name = "N/TIME", value_parser = rate)]
    rate: Option<Rate>,
    /// Remove its own limits: the settings of the queue apply
    #[arg(long, conflicts_with_all = ["concurrency", "rate"])]
    none: bool,
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let Options { queue, key, none, .. } = options;
    let (mut concurrency, mut rate) = (options.concurrency, options.rate);
    // One call sets both: what is not given is repeated.
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
    session.warn_if_new(queue)?;
    Ok(Code::Ok)
}

fn rate(text: &str) -> Result<Rate, String> {
    values::rate(text).ok_or_else(|| "must be starts in a time, such as 100/1h".to_owned())
}
