//! `blueque config`: the settings of a queue, or of the namespace.

use std::time::Duration;

use blueque::{QueueName, Rate, Setting};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::input::values::{bytes, queue_name, rate, seconds};
use crate::output::table::{self, Column, Row};
use crate::output::{Code, chain, code, fault, say};
use crate::session::Session;
use crate::view::setting::{RATES, TIMES, words};

/// Settings that are whole numbers, and their bounds.
const NUMBERS: [(&str, u32, u32); 12] = [
    ("closed", 0, 1),
    ("concurrency", 1, 1_000_000),
    ("events", 100, 100_000),
    ("history", 1, 1000),
    ("jitter", 0, 100),
    ("keep", 0, 10_000_000),
    ("key_concurrency", 1, 1_000_000),
    ("max_failures", 0, 1000),
    ("max_losses", 0, 1000),
    ("max_releases", 0, 1_000_000),
    ("max_uncounted", 0, 1_000_000),
    ("statistics", 0, 400),
];

/// Settings that are a number of bytes, and the most of each.
const BYTES: [(&str, u64, &str); 3] =
    [("log_bytes", 256 << 20, "256M"), ("logs_bytes", 1 << 40, "1024G"), ("max_bytes", 8 << 20, "8M")];

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
        /// Their names
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
    const COLUMNS: &'static [Column] = &[Column::whole("name"), Column::text("value"), Column::text("set for")];

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
            set(session, queue, pairs)?;
            if let Some(queue) = queue {
                session.tell_if_new(queue)?;
            }
        }
        Some(Word::Unset { names }) => {
            known(session, queue, names.iter())?;
            for name in names {
                session.client.call(&calls.configure(queue, name, None))?;
                say(format!("{name} is not set any more for {}", whom(queue)));
            }
        }
    }
    Ok(Code::Ok)
}

/// Sets all, or none where one is wrong as far as can be told here.
fn set(session: &Session, queue: Option<&QueueName>, pairs: &[(String, String)]) -> anyhow::Result<()> {
    known(session, queue, pairs.iter().map(|(name, _)| name))?;
    let values: Vec<String> = pairs.iter().map(|(name, value)| value_of(name, value)).collect::<anyhow::Result<_>>()?;
    let mut before: Vec<&str> = Vec::new();
    for ((name, _), value) in pairs.iter().zip(&values) {
        if let Err(error) = session.client.call(&session.client.calls().configure(queue, name, Some(value))) {
            let error = anyhow::Error::from(error);
            let reason = chain(&error).replace("the setting must", "it must");
            let done = if before.is_empty() {
                "nothing was set".to_owned()
            } else {
                format!("set before it: {}", before.join(", "))
            };
            return Err(fault(code(&error), format!("{name}={value} was not set: {reason}; {done}")));
        }
        before.push(name);
        say(format!("{name} is {value} for {}", whom(queue)));
    }
    Ok(())
}

/// Whether the server has settings of these names.
fn known<'a>(
    session: &Session,
    queue: Option<&QueueName>,
    mut names: impl Iterator<Item = &'a String>,
) -> anyhow::Result<()> {
    let settings = session.client.call(&session.client.calls().settings(queue))?;
    match names.find(|name| settings.iter().all(|setting| setting.name != **name)) {
        Some(name) => Err(fault(Code::Usage, format!("unknown setting {name}: blueque config shows them all"))),
        None => Ok(()),
    }
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

/// A value as the server takes it. The server checks it too, and the values of settings that are not known here.
fn value_of(name: &str, value: &str) -> anyhow::Result<String> {
    let refused = |form: String| Err(fault(Code::Usage, format!("{name}: must be {form}, not {value}")));
    if value.is_empty() {
        return Err(fault(Code::Usage, format!("{name}: no value; `blueque config unset` takes a setting back")));
    }
    if TIMES.contains(&name) {
        let (low, high) = (u32::from(matches!(name, "ageing" | "lease")), longest(name));
        let within = |text: &String| text.parse().is_ok_and(|time: f64| (f64::from(low)..=high).contains(&time));
        let Some(seconds) = seconds(value).filter(within) else {
            let most = Duration::try_from_secs_f64(high).unwrap_or_default().as_secs();
            return refused(format!("a time such as 90s, 15m or 2h, from {low} to {most} seconds"));
        };
        return Ok(seconds);
    }
    if RATES.contains(&name) {
        let within = |rate: &Rate| (1..=1000).contains(&rate.starts) && (1..=604_800).contains(&rate.seconds);
        let Some(rate) = rate(value).filter(within) else {
            return refused("1 to 1000 starts in 1s to 7days, such as 100/1h".to_owned());
        };
        return Ok(rate.to_string());
    }
    if name == "backoff" && !["exponential", "fixed"].contains(&value) {
        return refused("exponential or fixed".to_owned());
    }
    if let Some((_, most, words)) = BYTES.iter().find(|(number, _, _)| *number == name) {
        let Some(number) = bytes(value).ok().filter(|number| number <= most) else {
            return refused(format!("a number of bytes from 0 to {words}, such as 512K"));
        };
        return Ok(number.to_string());
    }
    if let Some((_, low, high)) = NUMBERS.iter().find(|(number, _, _)| *number == name)
        && !value.parse().is_ok_and(|number: u32| (*low..=*high).contains(&number))
    {
        return refused(format!("a whole number from {low} to {high}"));
    }
    Ok(value.to_owned())
}

/// The most seconds of a setting that is a time.
fn longest(name: &str) -> f64 {
    match name {
        "ageing" | "lease" => 604_800.0,
        "grace" => 86_400.0,
        "delay" | "max_delay" => 31_536_000.0,
        _ => 100_000_000_000.0,
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
