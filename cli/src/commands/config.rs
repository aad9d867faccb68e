//! `blueque config`: the settings of a queue, or of the namespace.

use std::time::Duration;

use blueque::{QueueName, Rate, Setting};
use clap::{Args, Subcommand};
use serde::Serialize;

use super::{Session, queue_name};
use crate::output::table::{self, Row};
use crate::output::{Code, fault, say};

/// Settings that are a time: kept in seconds, and said as `90s` or `15m` too.
const TIMES: [&str; 6] = ["ageing", "delay", "grace", "lease", "max_delay", "retain"];

/// Settings that are so many starts in a time.
const RATES: [&str; 2] = ["rate", "key_rate"];

#[derive(Args, Debug)]
pub struct Options {
    #[command(subcommand)]
    word: Option<Word>,
    /// The queue [default: what holds for all queues that do not set it themselves]
    #[arg(long, short, value_name = "QUEUE", global = true, value_parser = queue_name)]
    queue: Option<QueueName>,
}

#[derive(Debug, Subcommand)]
enum Word {
    /// Show every setting that holds, and where it is set
    Show,
    /// Set settings
    Set {
        /// Such as lease=5m, delay=30s, rate=100/1h
        #[arg(required = true, value_name = "NAME=VALUE", value_parser = pair)]
        pairs: Vec<(String, String)>,
    },
    /// Take settings back
    Unset {
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
}

/// A setting.
#[derive(Serialize)]
struct View {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    source: &'static str,
    #[serde(skip)]
    words: String,
}

impl Row for View {
    const HEADS: &'static [&'static str] = &["name", "value", "set for"];

    fn id(&self) -> &str {
        &self.name
    }

    fn cells(&self) -> Vec<String> {
        vec![self.name.clone(), self.words.clone(), self.source.to_owned()]
    }
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let queue = options.queue.as_ref();
    let calls = session.client.calls();
    match &options.word {
        None | Some(Word::Show) => {
            let settings = session.client.call(&calls.settings(queue))?;
            table::write(session.format, &settings.into_iter().map(view).collect::<Vec<_>>())?;
        }
        Some(Word::Set { pairs }) => {
            for (name, value) in pairs {
                let value = value_of(name, value)?;
                session.client.call(&calls.configure(queue, name, Some(&value)))?;
                say(format!("{name} is {value} for {}", whom(queue)));
            }
        }
        Some(Word::Unset { names }) => {
            for name in names {
                session.client.call(&calls.configure(queue, name, None))?;
                say(format!("{name} is not set any more for {}", whom(queue)));
            }
        }
    }
    Ok(Code::Ok)
}

fn whom(queue: Option<&QueueName>) -> String {
    queue.map_or("the namespace".to_owned(), ToString::to_string)
}

fn view(setting: Setting) -> View {
    let words = match &setting.value {
        None => "none".to_owned(),
        Some(value) => words(&setting.name, value),
    };
    View { source: setting.source.as_str(), name: setting.name, value: setting.value, words }
}

/// A value for people: seconds with their unit.
fn words(name: &str, value: &str) -> String {
    let time = |seconds: f64| {
        let time = Duration::try_from_secs_f64(seconds).ok()?;
        Some(humantime::format_duration(time).to_string().replace(' ', ""))
    };
    let spelt = if TIMES.contains(&name) {
        value.parse().ok().and_then(time)
    } else if RATES.contains(&name) {
        value.parse::<Rate>().ok().and_then(|rate| Some(format!("{}/{}", rate.starts, time(rate.seconds.into())?)))
    } else {
        None
    };
    spelt.unwrap_or_else(|| value.to_owned())
}

/// A value as the server takes it; it checks the bounds.
fn value_of(name: &str, value: &str) -> anyhow::Result<String> {
    let refused = |form: &str| Err(fault(Code::Usage, format!("{name} must be {form}")));
    if TIMES.contains(&name) {
        let Some(seconds) = seconds(value) else { return refused("a time such as 90s, 15m or 2h") };
        return Ok(seconds);
    }
    if RATES.contains(&name) {
        let Some(rate) = rate(value) else { return refused("starts in a time, such as 100/1h") };
        return Ok(rate.to_string());
    }
    if value.is_empty() {
        return refused("a value; `blueque config unset` takes a setting back");
    }
    Ok(value.to_owned())
}

/// Seconds of `90`, `1.5` or `15m`.
fn seconds(text: &str) -> Option<String> {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    if plain {
        return Some(text.to_owned());
    }
    let time = humantime::parse_duration(text).ok()?;
    Some(match time.subsec_micros() {
        0 => time.as_secs().to_string(),
        micros => format!("{}.{micros:06}", time.as_secs()),
    })
}

/// `100/3600` or `100/1h`.
pub fn rate(text: &str) -> Option<Rate> {
    let (starts, time) = text.split_once('/')?;
    let time = match time.chars().next()? {
        c if c.is_ascii_digit() => time.to_owned(),
        _ => format!("1{time}"),
    };
    Some(Rate { starts: starts.parse().ok()?, seconds: seconds(&time)?.parse().ok()? })
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
