//! The state of the checks of a server, and their findings.

use std::collections::BTreeMap;
use std::time::Duration;

use blueque::Connection;
use indicatif::ProgressBar;
use redis::{FromRedisValue, Pipeline, RedisError, RedisResult, Value};
use serde::Serialize;

use crate::output::bar;
use crate::output::table::Row;

/// Maximum number of findings of one kind that are shown.
const SHOWN: usize = 10;

/// Number of items about which `Checks::each` asks at once. A larger number delays other clients.
const BATCH: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Ok,
    /// The finding is useful to know, but nothing is wrong.
    Note,
    Finding,
}

#[derive(Debug, Serialize)]
pub struct Finding {
    pub level: Level,
    pub check: &'static str,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub todo: Option<String>,
}

impl Finding {
    pub fn new(level: Level, check: &'static str, text: impl Into<String>) -> Self {
        Self { level, check, text: text.into(), todo: None }
    }

    /// Adds the remedy.
    pub fn todo(self, todo: impl Into<String>) -> Self {
        Self { todo: Some(todo.into()), ..self }
    }
}

impl Row for Finding {
    fn id(&self) -> String {
        self.check.to_owned()
    }
}

/// The server that is checked, and the findings so far.
pub struct Checks {
    pub connection: Connection,
    /// The prefix of all keys, including the `_`.
    pub prefix: String,
    pub limit: usize,
    /// Maximum time that the server may take for a reply.
    pub patience: Duration,
    /// The fields of the server's `INFO`. Empty before the query, and if this user may not send it.
    pub info: BTreeMap<String, String>,
    pub found: Vec<Finding>,
    /// The number of findings of each kind, including findings that are not shown. `noted` contains the same numbers
    /// for notes.
    pub counted: BTreeMap<&'static str, usize>,
    pub noted: BTreeMap<&'static str, usize>,
    /// True if the server's memory is full.
    pub full: bool,
    /// The progress bar on a terminal.
    pub bar: ProgressBar,
}

/// A script that reads several keys atomically. A server whose memory is full does not queue a transaction.
const AT_ONCE: &str = "local replies, at = {}, 1
while at <= #ARGV do
  local last = at + ARGV[at]
  replies[#replies + 1] = redis.call(unpack(ARGV, at + 1, last))
  at = last + 1
end
return replies";

/// The reason why a Redis command cannot be run, from the error of a call or of a pipeline.
pub enum Withheld {
    /// This user may not run the command.
    Denied(String),
    /// `rename-command` renamed or disabled the command.
    Renamed(String),
    /// This user may not use the keys.
    Keys,
}

impl Withheld {
    pub fn read(error: &RedisError) -> Option<Self> {
        let text = error.to_string();
        if error.code() == Some("NOPERM") && text.contains("permissions to access") && text.contains("key") {
            return Some(Self::Keys);
        }
        let after = |words: &str| {
            let (_, rest) = text.split_once(words)?;
            Some(rest.split('\'').next()?.replace('|', " ").to_uppercase())
        };
        let denied = after("permissions to run the '").map(Self::Denied);
        denied.or_else(|| after("unknown command '").map(Self::Renamed))
    }

    /// Returns the beginning of a sentence that names the missing permission or command.
    pub fn words(&self, prefix: &str) -> String {
        match self {
            Self::Keys => format!("this user may not use the keys {prefix}*"),
            Self::Denied(command) => format!("this user may not run {command}"),
            Self::Renamed(command) => format!("the server does not know {command}: it is renamed or disabled"),
        }
    }

    pub fn todo(&self, prefix: &str) -> String {
        match self {
            Self::Keys => format!("ACL SETUSER … '~{prefix}*', or another user for doctor"),
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

/// Returns true if a Redis command or a call failed because a key has a wrong type.
pub fn of_wrong_type(error: &anyhow::Error) -> bool {
    let raw = error.downcast_ref::<RedisError>().and_then(RedisError::code);
    let call = error.downcast_ref::<blueque::Error>().and_then(blueque::Error::code);
    raw == Some("WRONGTYPE") || call == Some(blueque::Code::WrongKey)
}

impl Checks {
    /// Prepares the checks. `prefix`: the prefix of all keys, including the `_`. `limit`: the number of entries of each
    /// kind that are checked.
    pub fn new(connection: Connection, prefix: String, limit: usize, patience: Duration) -> Self {
        let (found, counted, noted, bar) = (Vec::new(), BTreeMap::new(), BTreeMap::new(), ProgressBar::hidden());
        Self { connection, prefix, limit, patience, info: BTreeMap::new(), found, counted, noted, full: false, bar }
    }

    /// Returns a field of the server's `INFO`, or an empty text if the field is unknown.
    pub fn fact(&self, name: &str) -> &str {
        self.info.get(name).map_or("", String::as_str)
    }

    /// Starts a new progress bar.
    pub fn bar(&mut self, what: &'static str, size: u64) {
        self.bar.finish_and_clear();
        self.bar = bar(Some(size)).with_message(what);
    }

    /// Tests if the server accepts transactions, with which the checks read several keys atomically. If the server
    /// refuses them because its memory is full, a script reads the keys instead.
    pub fn transactions(&mut self) -> anyhow::Result<()> {
        self.ask::<Value>(&["MULTI"])?;
        self.full = match self.ask::<Value>(&["TIME"]) {
            Err(error) if out_of_memory(&error) => true,
            queued => queued.map(|_| false)?,
        };
        let done = self.ask::<Value>(&["EXEC"]);
        if !self.full {
            done?;
            return Ok(());
        }
        let todo =
            "raise maxmemory, or make room: purge queues, delete finished tasks, lower the settings keep and retain";
        let text =
            "the server's memory is full: it takes no new tasks, schedules or settings; running tasks go on and end";
        self.finding("memory", text, todo);
        Ok(())
    }

    /// Converts the error of a check to a finding, if a permission is missing or a key has a wrong type. Returns other
    /// errors.
    pub fn bear(&mut self, looked: anyhow::Result<()>) -> anyhow::Result<()> {
        let Err(error) = looked else { return Ok(()) };
        if let Some(withheld) = error.downcast_ref().and_then(Withheld::read) {
            let text = format!("{}, without which doctor cannot check the rest", withheld.words(&self.prefix));
            self.finding("rights", text, withheld.todo(&self.prefix));
        } else if let Some(blueque::Error::Server { .. }) = error.downcast_ref() {
            let todo = "grant the permissions that it names: see docs/run/configuration.md";
            self.finding("rights", format!("doctor cannot check the rest: {error}"), todo);
        } else if of_wrong_type(&error) {
            let text = "a key that was not checked has a wrong type, and doctor cannot check the rest";
            self.finding("keys", text, "doctor with a higher --limit names it");
        } else {
            return Err(error);
        }
        Ok(())
    }

    pub fn ok(&mut self, check: &'static str, text: impl Into<String>) {
        self.found.push(Finding::new(Level::Ok, check, text));
    }

    pub fn note(&mut self, check: &'static str, text: impl Into<String>) {
        let noted = self.noted.entry(check).or_default();
        *noted += 1;
        if *noted <= SHOWN {
            self.found.push(Finding::new(Level::Note, check, text));
        }
    }

    /// Returns the number of findings so far, including findings that are not shown.
    pub fn findings(&self) -> usize {
        self.counted.values().sum()
    }

    /// Records a finding. `todo` is the remedy.
    pub fn finding(&mut self, check: &'static str, text: impl Into<String>, todo: impl Into<String>) {
        let counted = self.counted.entry(check).or_default();
        *counted += 1;
        if *counted <= SHOWN {
            self.found.push(Finding::new(Level::Finding, check, text).todo(todo));
        }
    }

    /// Reports data that has grown beyond its bound. `most` is the bound in words.
    pub fn beyond(&mut self, check: &'static str, text: &str, most: &str) {
        self.finding(check, format!("{text}, the bound is {most}"), "another client writes them: find out which one");
    }

    /// Reports the number of findings and notes that were not shown.
    pub fn count_up(&mut self) {
        for (what, counted) in
            [("findings", std::mem::take(&mut self.counted)), ("notes", std::mem::take(&mut self.noted))]
        {
            for (check, counted) in counted.into_iter().filter(|(_, counted)| *counted > SHOWN) {
                let text = format!("{} further {what} of this kind are not shown", counted - SHOWN);
                self.found.push(Finding::new(Level::Note, check, text));
            }
        }
    }

    pub fn key(&self, name: &str, of: &str) -> String {
        format!("{}{name}_{of}", self.prefix)
    }

    pub fn ask<T: FromRedisValue>(&mut self, command: &[&str]) -> RedisResult<T> {
        let mut words = command.iter();
        let mut cmd = redis::cmd(words.next().copied().unwrap_or_default());
        cmd.arg(words.as_slice()).query(&mut self.connection)
    }

    pub fn send<T: FromRedisValue>(&mut self, pipeline: &Pipeline) -> RedisResult<T> {
        if !self.full {
            match pipeline.query(&mut self.connection) {
                Err(error) if pipeline.is_transaction() && out_of_memory(&error) => self.full = true,
                answer => return answer,
            }
        }
        if pipeline.is_transaction() { self.at_once(pipeline) } else { pipeline.query(&mut self.connection) }
    }

    /// Asks the same questions about each item, and returns each item with its answers, which are read atomically. `ask`
    /// adds the questions about one item to a pipeline. `T` is the tuple of their answers.
    pub fn each<I, T: FromRedisValue>(
        &mut self,
        items: impl IntoIterator<Item = I>,
        ask: impl Fn(&Self, &mut Pipeline, &I),
    ) -> anyhow::Result<Vec<(I, T)>> {
        let items: Vec<I> = items.into_iter().collect();
        let mut answers = Vec::with_capacity(items.len());
        for batch in items.chunks(BATCH) {
            let mut pipeline = redis::pipe();
            pipeline.atomic();
            for item in batch {
                ask(self, &mut pipeline, item);
            }
            let all: Vec<Value> = self.send(&pipeline)?;
            for answer in all.chunks((all.len() / batch.len()).max(1)) {
                answers.push(redis::from_redis_value(Value::Array(answer.to_vec()))?);
            }
        }
        Ok(items.into_iter().zip(answers).collect())
    }

    pub fn at_once<T: FromRedisValue>(&mut self, pipeline: &Pipeline) -> RedisResult<T> {
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
