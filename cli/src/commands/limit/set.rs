//! `blueque limit set`: sets the limits of a key in a queue, or a limit that all queues share.

use std::time::Duration;

use blueque::calls::LimitOptions;
use blueque::{KeyLimit, QueueName, Rate};
use clap::Args;

use crate::input::values::{self, plain, queue_name, whole_number};
use crate::output::{Code, fault, say};
use crate::session::Session;
use crate::subcommand::{Scope, Subcommand};

#[derive(Args, Clone, Debug)]
#[command(group(clap::ArgGroup::new("limits").required(true).multiple(true).args(["concurrency", "rate", "expires", "never_expires", "none"])))]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name, required_unless_present = "shared")]
    queue: Option<QueueName>,
    /// The key of the tasks
    #[arg(value_name = "KEY", value_parser = plain, required_unless_present = "shared")]
    key: Option<String>,
    /// Set this shared limit instead of the limits of a key. Tasks of any queue use it with --limits NAME
    #[arg(long, value_name = "NAME", value_parser = plain, conflicts_with_all = ["queue", "key"])]
    shared: Option<String>,
    /// Number of places that all tasks of the limit together may occupy
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 1_000_000))]
    concurrency: Option<u32>,
    /// Number of tasks that may start within a time, such as 100/1h
    #[arg(long, value_name = "N/TIME", value_parser = rate)]
    rate: Option<Rate>,
    /// Delete the shared limit when no task or schedule has named it for this long, such as 7d [default: never]
    #[arg(long, value_name = "TIME", value_parser = expiry, requires = "shared", conflicts_with = "none")]
    expires: Option<Duration>,
    /// Never delete this shared limit: undoes --expires
    #[arg(long, requires = "shared", conflicts_with_all = ["expires", "none"])]
    never_expires: bool,
    /// Remove the limits of the key, so that the settings of the queue apply, or remove the shared limit
    #[arg(long, conflicts_with_all = ["concurrency", "rate"])]
    none: bool,
}

impl Options {
    /// Returns the partitions that the subcommand concerns. All tasks of a key are in one partition, so the limits of a
    /// key are not split.
    pub fn scope(&mut self) -> Scope<'_> {
        let name = self.shared.as_ref().filter(|_| !self.none);
        name.map_or(Scope::All, |name| Scope::Limit(format!("the shared limit {name}")))
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        match (&self.shared, &self.queue, &self.key) {
            (Some(name), ..) => shared(session, self, name),
            // clap does not report a missing required option if another option conflicts with it.
            (None, ..) if self.expires.is_some() || self.never_expires => Err(fault(
                Code::Usage,
                "only a shared limit can expire: name it with --shared, without a queue and a key",
            )),
            (None, Some(queue), Some(key)) => of_key(session, self, queue, key),
            _ => Ok(Code::Usage),
        }
    }
}

fn of_key(session: &Session, options: &Options, queue: &QueueName, key: &str) -> anyhow::Result<Code> {
    let (concurrency, rate, _) = all(options, key, || session.client.queue(queue.as_str())?.limits(false))?;
    session.client.call(&session.client.calls().limit(Some(queue), key, concurrency, rate, &LimitOptions::new()))?;
    say(if options.none {
        format!("{key} is limited as {queue} says")
    } else {
        format!("{key} in {queue}: {}", words(concurrency, rate, "as the queue"))
    });
    session.warn_if_new(queue)?;
    Ok(Code::Ok)
}

fn shared(session: &Session, options: &Options, name: &str) -> anyhow::Result<Code> {
    let (concurrency, rate, expires) = all(options, name, || session.client.shared_limits(false))?;
    if !options.none && concurrency.is_none() && rate.is_none() {
        let text = format!("there is no shared limit {name}: give it a --concurrency or a --rate, too");
        return Err(fault(Code::Usage, text));
    }
    let more = expires.into_iter().fold(LimitOptions::new(), LimitOptions::expires);
    session.client.limit_shared(name, concurrency, rate, &more)?;
    say(if options.none {
        format!("there is no shared limit {name} any more")
    } else {
        let kept = expires.map_or(String::new(), |time| {
            format!(", expires after {} without a task", values::written_seconds(time.as_secs()))
        });
        format!("the shared limit {name}: {}{kept}", words(concurrency, rate, "none"))
    });
    Ok(Code::Ok)
}

/// Returns the values for the call. The call sets all values, so values that the user does not name are repeated.
fn all(
    options: &Options,
    name: &str,
    limits: impl FnOnce() -> blueque::Result<Vec<KeyLimit>>,
) -> anyhow::Result<(Option<u32>, Option<Rate>, Option<Duration>)> {
    let (mut concurrency, mut rate, mut expires) = (options.concurrency, options.rate, options.expires);
    let said = concurrency.is_some() && rate.is_some() && (options.key.is_some() || expires.is_some());
    if !options.none
        && !said
        && let Some(present) = limits()?.into_iter().find(|limit| limit.key == name)
    {
        concurrency = concurrency.or(present.concurrency);
        rate = rate.or(present.rate);
        expires = expires.or(present.expires).filter(|_| !options.never_expires);
    }
    Ok((concurrency, rate, expires))
}

fn words(concurrency: Option<u32>, rate: Option<Rate>, unset: &str) -> String {
    let or = |value: Option<String>| value.unwrap_or_else(|| unset.to_owned());
    let (concurrency, rate) = (concurrency.map(|number| number.to_string()), rate.map(|rate| rate.to_string()));
    format!("concurrency {}, rate {}", or(concurrency), or(rate))
}

fn rate(text: &str) -> Result<Rate, String> {
    values::rate(text).ok_or_else(|| "must be a number of starts in a time, such as 100/1h".to_owned())
}

/// Parses a value of `expires` within the bounds of the contract.
fn expiry(text: &str) -> Result<Duration, String> {
    let time = values::duration(text)?;
    let bounds = Duration::from_secs(60)..=Duration::from_secs(31_536_000);
    if bounds.contains(&time) && time.subsec_nanos() == 0 {
        Ok(time)
    } else {
        Err("must be whole seconds, from 60s to 365d".to_owned())
    }
}
