//! The options of a task, as arguments: of one that is submitted, or of those that a schedule makes.

use std::time::Duration;

use blueque::calls::SubmitOptions;
use blueque::{Backoff, Policy, Until};
use clap::{Args, ValueEnum};

use super::values::{bytes, duration, lease, plain, whole_number};

/// How the pause before another try grows.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Growth {
    /// It doubles
    Exponential,
    /// It stays
    Fixed,
}

/// What follows if another task has the unique name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Rival {
    /// An error
    Reject,
    /// Nothing is made; the other task is the answer
    Existing,
    /// The other task is cancelled if it waits
    Replace,
    /// At most one runs, and at most one waits: the latest
    Latest,
}

/// What is not said is as the queue's settings say: `blueque config`.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Policy")]
pub struct TaskOptions {
    /// What a worker for programs runs
    #[arg(long, value_name = "NAME", value_parser = plain)]
    method: Option<String>,
    /// Higher first, from -1000 to 1000 [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<i32>(-1000, 1000))]
    priority: Option<i32>,
    /// How many failures the task survives, each followed by another try [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<u32>(0, 1000))]
    max_failures: Option<u32>,
    /// How the pause before another try grows [default: exponential]
    #[arg(long, value_name = "HOW")]
    backoff: Option<Growth>,
    /// The pause before the first other try [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    delay: Option<Duration>,
    /// The longest pause before another try [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    max_delay: Option<Duration>,
    /// How much of the pause is spread, in percent [default: 20]
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, value_parser = whole_number::<u32>(0, 100))]
    jitter: Option<u32>,
    /// How many lost owners the task survives [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<u32>(0, 1000))]
    max_losses: Option<u32>,
    /// How often the task may be given back [default: 1000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<u32>(0, 1_000_000))]
    max_releases: Option<u32>,
    /// The lease of each attempt, whatever its worker says: 1s to 7days
    #[arg(long, value_name = "TIME", value_parser = lease)]
    lease: Option<Duration>,
    /// Who shares limits and takes turns, such as a tenant
    #[arg(long, value_name = "NAME", value_parser = plain)]
    key: Option<String>,
    /// How many places of its limits the task takes [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 1000))]
    weight: Option<u32>,
    /// What a worker must have: gpu,transcoder>=3
    #[arg(long, value_name = "NEEDS")]
    needs: Option<String>,
    /// A name that only one task of the queue has at a time
    #[arg(long, value_name = "NAME", value_parser = plain)]
    unique: Option<String>,
    /// How long the task has that name: end, start, or a time such as 10m [default: end]
    #[arg(long, value_name = "WHEN", requires = "unique", value_parser = until)]
    unique_until: Option<Until>,
    /// What follows if another task has that name [default: reject]
    #[arg(long, value_name = "POLICY", requires = "unique")]
    unique_policy: Option<Rival>,
    /// A word to find the task by; may be repeated, up to 16
    #[arg(long = "tag", value_name = "TAG", value_parser = plain)]
    tags: Vec<String>,
    /// How large the parameters may be: 64K, 2M, at most 8M [default: 1M]
    #[arg(long, value_name = "BYTES", value_parser = max_bytes)]
    max_bytes: Option<u32>,
    /// How much of its log the server keeps: 1M, at most 256M; 0 for none [default: 160K, or 64M where it is followed]
    #[arg(long, value_name = "BYTES", value_parser = log_bytes)]
    log_bytes: Option<u32>,
}

impl TaskOptions {
    /// The same as options of a call; `tags` lends the text of the tags.
    pub fn options<'a>(&'a self, tags: &'a str) -> SubmitOptions<'a> {
        SubmitOptions {
            max_losses: self.max_losses,
            max_failures: self.max_failures,
            max_releases: self.max_releases,
            backoff: self.backoff.map(|growth| match growth {
                Growth::Exponential => Backoff::Exponential,
                Growth::Fixed => Backoff::Fixed,
            }),
            delay: self.delay,
            max_delay: self.max_delay,
            jitter: self.jitter,
            lease: self.lease,
            priority: self.priority,
            key: self.key.as_deref(),
            weight: self.weight,
            needs: self.needs.as_deref(),
            unique: self.unique.as_deref(),
            unique_until: self.unique_until,
            unique_policy: self.unique_policy.map(|rival| match rival {
                Rival::Reject => Policy::Reject,
                Rival::Existing => Policy::Existing,
                Rival::Replace => Policy::Replace,
                Rival::Latest => Policy::Latest,
            }),
            tags: Some(tags).filter(|tags| !tags.is_empty()),
            method: self.method.as_deref(),
            max_bytes: self.max_bytes,
            log_bytes: self.log_bytes,
        }
    }

    pub fn tags(&self) -> String {
        self.tags.join(",")
    }
}

fn max_bytes(text: &str) -> Result<u32, String> {
    let number = u32::try_from(bytes(text)?).ok().filter(|number| (1..=8 << 20).contains(number));
    number.ok_or_else(|| "must be 1 to 8M".to_owned())
}

fn log_bytes(text: &str) -> Result<u32, String> {
    let number = u32::try_from(bytes(text)?).ok().filter(|&number| number <= 256 << 20);
    number.ok_or_else(|| "must be 0 to 256M".to_owned())
}

fn until(text: &str) -> Result<Until, String> {
    match text {
        "end" => Ok(Until::End),
        "start" => Ok(Until::Start),
        time => duration(time).map(Until::For).map_err(|_| "must be end, start, or a time such as 10m".to_owned()),
    }
}
