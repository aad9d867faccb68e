//! `blueque doctor`: looks at server, settings and data, and changes nothing.

mod bounds;
mod data;
mod entries;
mod index;
mod keys;
mod lanes;
mod limits;
mod logs;
mod names;
mod place;
mod remedy;
mod rights;
mod schedules;
mod server;
mod shared;
mod workers;

pub use self::rights::reset_clock;

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;
use redis::{Connection, FromRedisValue, Pipeline, RedisError, RedisResult};
use serde::Serialize;

use crate::input::values::whole_number;
use crate::output::table::{self, Column, Row};
use crate::output::{Code, Format, fault, line, say};
use crate::session::config::Settings;
use crate::session::reach;

/// So many findings of one kind are shown.
const SHOWN: usize = 10;

/// How long the server may take for one answer.
const LIMIT: Duration = Duration::from_secs(10);

#[derive(Args, Debug)]
pub struct Options {
    /// How many keys of the namespace, and entries of each index, are looked at
    #[arg(long, value_name = "N", default_value_t = 100_000, allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 10_000_000))]
    limit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    /// Worth knowing, nothing wrong.
    Note,
    Finding,
}

#[derive(Debug, Serialize)]
struct Finding {
    level: Level,
    check: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    todo: Option<String>,
}

impl Row for Finding {
    const COLUMNS: &'static [Column] =
        &[Column::whole("level"), Column::whole("check"), Column::text("text"), Column::text("todo")];

    fn id(&self) -> &str {
        self.check
    }

    fn cells(&self) -> Vec<String> {
        Vec::new() // written as lines
    }
}

/// A server that is looked at, and what was found.
struct Exam {
    connection: Connection,
    /// What all keys begin with, the `_` included.
    prefix: String,
    limit: usize,
    found: Vec<Finding>,
    /// How often each kind of finding was made.
    counted: BTreeMap<&'static str, usize>,
    /// Whether the server's memory is full.
    full: bool,
}

pub fn run(settings: &Settings, options: &Options, format: Format) -> anyhow::Result<Code> {
    let mut exam = Exam {
        connection: connect(settings)?,
        prefix: format!("{}_", settings.namespace()),
        limit: options.limit as usize,
        found: Vec::new(),
        counted: BTreeMap::new(),
        full: false,
    };
    exam.ok("server", format!("{} answers", settings.url()));
    let looked = exam.look(settings);
    exam.bear(looked).map_err(|error| {
        let (url, namespace) = (settings.url(), settings.namespace());
        let source = error.downcast_ref::<RedisError>();
        let node = source.and_then(RedisError::redirect_node).map(|(node, _)| reach::elsewhere(namespace, node));
        node.or_else(|| reach::refused(url, source?)).unwrap_or(error)
    })?;
    exam.count_up();
    match format {
        Format::Table => exam.found.iter().try_for_each(tell)?,
        format => table::write(format, &exam.found)?,
    }
    let findings = exam.found.iter().filter(|finding| finding.level == Level::Finding).count();
    say(match findings {
        0 => "nothing is wrong".to_owned(),
        1 => "1 finding".to_owned(),
        number => format!("{number} findings"),
    });
    Ok(if findings == 0 { Code::Ok } else { Code::Failed })
}

fn connect(settings: &Settings) -> anyhow::Result<Connection> {
    // The source's text can hold what was sent.
    let wrong = |error: &redis::RedisError| {
        if let Some(refused) = reach::refused(settings.url(), error) {
            return refused;
        }
        let what = error.code().map_or_else(|| error.category().to_owned(), ToOwned::to_owned);
        fault(Code::Unreachable, format!("{} cannot be reached: {what}", settings.url()))
    };
    reach::somebody_listens(settings.url(), LIMIT)?;
    let client = redis::Client::open(settings.address()?).map_err(|error| wrong(&error))?;
    let connection = client.get_connection_with_timeout(LIMIT).map_err(|error| wrong(&error))?;
    connection.set_read_timeout(Some(LIMIT))?;
    connection.set_write_timeout(Some(LIMIT))?;
    Ok(connection)
}

fn tell(finding: &Finding) -> std::io::Result<()> {
    let level = match finding.level {
        Level::Ok => "ok",
        Level::Note => "note",
        Level::Finding => "FINDING",
    };
    let todo = finding.todo.as_ref().map_or(String::new(), |todo| format!(": {todo}"));
    line(crate::output::clean_line(&format!("{level:<9}{:<13}{}{todo}", finding.check, finding.text), 2_000))
}

/// Reads several keys at one moment, as a transaction does, where full memory keeps the server from queueing one.
const AT_ONCE: &str = "local replies, at = {}, 1
while at <= #ARGV do
  local last = at + ARGV[at]
  replies[#replies + 1] = redis.call(unpack(ARGV, at + 1, last))
  at = last + 1
end
return replies";

/// A Redis command that cannot be run, where an error says so: of one call, or of a pipeline.
enum Withheld {
    /// By the rights of this user.
    Denied(String),
    /// By `rename-command`.
    Renamed(String),
}

impl Withheld {
    fn read(error: &RedisError) -> Option<Self> {
        let text = error.to_string();
        let after = |words: &str| {
            let (_, rest) = text.split_once(words)?;
            Some(rest.split('\'').next()?.replace('|', " ").to_uppercase())
        };
        let denied = after("permissions to run the '").map(Self::Denied);
        denied.or_else(|| after("unknown command '").map(Self::Renamed))
    }

    /// As the beginning of a sentence.
    fn words(&self) -> String {
        match self {
            Self::Denied(command) => format!("this user may not run {command}"),
            Self::Renamed(command) => format!("the server does not know {command}: it is renamed or disabled"),
        }
    }

    fn todo(&self) -> String {
        match self {
            Self::Denied(command) => {
                let grant = command.to_lowercase().replace(' ', "|");
                format!("ACL SETUSER with +{grant}, or another user for doctor")
            }
            Self::Renamed(command) => {
                format!("remove rename-command {command} from the server's configuration, and restart the server")
            }
        }
    }
}

fn out_of_memory(error: &RedisError) -> bool {
    error.clone().into_server_errors().is_some_and(|errors| errors.iter().any(|(_, error)| error.code() == "OOM"))
}

impl Exam {
    fn look(&mut self, settings: &Settings) -> anyhow::Result<()> {
        let sound = self.server()?;
        self.rights(settings)?;
        if sound {
            self.transactions()?;
            self.data()?;
            self.programs(settings)?;
        }
        Ok(())
    }

    /// Transactions read several keys at one moment. Where they are refused a pipeline says less.
    fn transactions(&mut self) -> anyhow::Result<()> {
        self.ask::<redis::Value>(&["MULTI"])?;
        self.full = match self.ask::<redis::Value>(&["TIME"]) {
            Err(error) if out_of_memory(&error) => true,
            queued => queued.map(|_| false)?,
        };
        let done = self.ask::<redis::Value>(&["EXEC"]);
        if !self.full {
            done?;
            return Ok(());
        }
        let todo =
            "raise maxmemory, or make room: purge queues, delete finished tasks, lower the settings keep and retain";
        let text =
            "the server's memory is full: it takes no new tasks, schedules or settings; what runs goes on and ends";
        self.finding("memory", text, todo);
        Ok(())
    }

    /// A look that ended early for want of a command is a finding, not an error.
    fn bear(&mut self, looked: anyhow::Result<()>) -> anyhow::Result<()> {
        let Err(error) = looked else { return Ok(()) };
        let Some(withheld) = error.downcast_ref().and_then(Withheld::read) else { return Err(error) };
        let text = format!("{}, without which doctor cannot look at the rest", withheld.words());
        self.finding("rights", text, withheld.todo());
        Ok(())
    }

    fn ok(&mut self, check: &'static str, text: impl Into<String>) {
        self.found.push(Finding { level: Level::Ok, check, text: text.into(), todo: None });
    }

    fn note(&mut self, check: &'static str, text: impl Into<String>) {
        self.found.push(Finding { level: Level::Note, check, text: text.into(), todo: None });
    }

    /// Something is wrong, and this is to be done.
    fn finding(&mut self, check: &'static str, text: impl Into<String>, todo: impl Into<String>) {
        let counted = self.counted.entry(check).or_default();
        *counted += 1;
        if *counted <= SHOWN {
            let todo = Some(todo.into());
            self.found.push(Finding { level: Level::Finding, check, text: text.into(), todo });
        }
    }

    /// Says how many findings were not shown.
    fn count_up(&mut self) {
        for (check, counted) in std::mem::take(&mut self.counted) {
            if counted > SHOWN {
                self.note(check, format!("{} further findings of this kind are not shown", counted - SHOWN));
            }
        }
    }

    fn key(&self, name: &str, of: &str) -> String {
        format!("{}{name}_{of}", self.prefix)
    }

    fn ask<T: FromRedisValue>(&mut self, command: &[&str]) -> RedisResult<T> {
        let mut words = command.iter();
        let mut cmd = redis::cmd(words.next().copied().unwrap_or_default());
        cmd.arg(words.as_slice()).query(&mut self.connection)
    }

    fn send<T: FromRedisValue>(&mut self, pipeline: &Pipeline) -> RedisResult<T> {
        if !self.full {
            match pipeline.query(&mut self.connection) {
                Err(error) if pipeline.is_transaction() && out_of_memory(&error) => self.full = true,
                answer => return answer,
            }
        }
        if pipeline.is_transaction() { self.at_once(pipeline) } else { pipeline.query(&mut self.connection) }
    }

    fn at_once<T: FromRedisValue>(&mut self, pipeline: &Pipeline) -> RedisResult<T> {
        let mut script = redis::cmd("EVAL");
        script.arg(AT_ONCE).arg(1).arg(format!("{}meta", self.prefix));
        for command in pipeline.cmd_iter() {
            script.arg(command.args_iter().len());
            for word in command.args_iter() {
                if let redis::Arg::Simple(word) = word {
                    script.arg(word);
                }
            }
        }
        script.query(&mut self.connection)
    }
}
