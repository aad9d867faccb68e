//! `blueque config`: the settings of a queue, or of the namespace.

use blueque::contract::{Form, SETTINGS};
use blueque::{QueueName, Setting};
use clap::Args;
use serde::Serialize;

use crate::input::values::{bytes, queue_name, rate, seconds, written_bytes};
use crate::output::table::{Cell, Column, Row};
use crate::output::{Code, chain, code, fault, say};
use crate::session::Session;
use crate::subcommand::{Scope, Subcommand};
use crate::view::setting::words;

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(subcommand)]
    word: Option<Word>,
    /// The queue [default: the settings for all queues]
    #[arg(long, short, value_name = "QUEUE", global = true, value_parser = queue_name)]
    queue: Option<QueueName>,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Word {
    /// Show every setting in effect, and where it is set
    Show,
    /// Set settings
    Set {
        /// Settings, such as lease=5m, delay=30s, rate=100/1h
        #[arg(required = true, value_name = "NAME=VALUE", value_parser = pair)]
        pairs: Vec<(String, String)>,
    },
    /// Unset settings
    Unset {
        /// The names
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
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("name"), |row| row.name.clone()),
        (Column::text("value"), |row| row.words.clone()),
        (Column::text("set for"), |row| row.source.to_owned()),
    ];
}

impl Options {
    /// Returns the partitions that the subcommand concerns. All tasks of a key are in one partition, so the limits of a
    /// key are not split.
    pub fn scope(&mut self) -> Scope<'_> {
        let Some(Word::Set { pairs }) = &self.word else { return Scope::All };
        let limit = pairs.iter().find(|(name, _)| ["concurrency", "rate"].contains(&name.as_str()));
        limit.map_or(Scope::All, |(name, _)| Scope::Limit(format!("the setting {name}")))
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let queue = self.queue.as_ref();
        let calls = session.client.calls();
        match &self.word {
            None | Some(Word::Show) => {
                let settings = session.client.call(&calls.settings(queue))?;
                session.write(&settings.into_iter().map(view).collect::<Vec<_>>())?;
            }
            Some(Word::Set { pairs }) => {
                set(session, queue, pairs)?;
                if let Some(queue) = queue {
                    session.warn_if_new(queue)?;
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
}

/// Sets all settings. Sets none of them if this client finds an invalid value.
fn set(session: &Session, queue: Option<&QueueName>, pairs: &[(String, String)]) -> anyhow::Result<()> {
    known(session, queue, pairs.iter().map(|(name, _)| name))?;
    let values: Vec<String> = pairs.iter().map(|(name, value)| value_of(name, value)).collect::<anyhow::Result<_>>()?;
    let mut before: Vec<&str> = Vec::new();
    for ((name, _), value) in pairs.iter().zip(&values) {
        if let Err(error) = session.client.call(&session.client.calls().configure(queue, name, Some(value))) {
            let error = anyhow::Error::from(error);
            let reason = chain(&error).replace(&format!("the setting {name} must"), "it must");
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

/// Fails if the server does not know one of these settings.
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
    View { source: setting.from.as_str(), name: setting.name, value: setting.value, words }
}

/// Converts a value to the server's form. The server also checks the value, even if this client does not know the
/// setting.
fn value_of(name: &str, value: &str) -> anyhow::Result<String> {
    let refused = |form: String| Err(fault(Code::Usage, format!("{name}: must be {form}, not {value}")));
    if value.is_empty() {
        return Err(fault(Code::Usage, format!("{name}: no value; `blueque config unset` takes a setting back")));
    }
    let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) else { return Ok(value.to_owned()) };
    match setting.form {
        _ if setting.kind == "rate" => {
            let rate = rate(value).map(|rate| rate.to_string());
            rate.map_or_else(|| refused("1 to 1000 starts in 1s to 7days, such as 100/1h".to_owned()), Ok)
        }
        Form::Seconds { low, high, .. } => {
            let time = seconds(value).filter(|time| setting.allows(time));
            time.map_or_else(|| refused(format!("a time such as 90s, 15m or 2h, from {low} to {high} seconds")), Ok)
        }
        Form::Whole { low, high, unit: "bytes" } => {
            let number = bytes(value).ok().map(|number| number.to_string()).filter(|number| setting.allows(number));
            let most = written_bytes(high.unsigned_abs());
            number.map_or_else(|| refused(format!("a number of bytes from {low} to {most}, such as 512K")), Ok)
        }
        Form::Whole { low, high, .. } if !setting.allows(value) => {
            refused(format!("a whole number from {low} to {high}"))
        }
        Form::Word(words) if !setting.allows(value) => {
            refused(words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(" or "))
        }
        _ => Ok(value.to_owned()),
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
