//! Every command of the bundle as a plain value: a script, a key, arguments, and
//! how to read the reply. The same value runs on a synchronous connection, an
//! asynchronous one, or a cluster.

mod history;
mod owner;
mod queue;
mod read;
mod schedules;
mod search;
mod settings;
mod statistics;
mod submit;
mod task;
#[cfg(test)]
mod tests;
mod upkeep;

use std::fmt;

use redis::Value;

pub use owner::{CompleteOptions, FailOptions, LogOptions, ReleaseOptions, ReserveOptions};
pub use queue::Report;
pub use submit::NewTask;

pub use crate::options::{ScheduleOptions, TaskOptions};

use crate::bundle::{self, Command};
use crate::error::{Error, Result};
use crate::model::Greeting;
use crate::names::{Namespace, QueueName, TaskId};
use crate::reply;

/// A call that has not been made yet. Every one may be sent again after a lost reply: what is done by one value is
/// done once, however often that is sent within the hour.
pub struct Call<T> {
    command: &'static str,
    key: String,
    args: Vec<Vec<u8>>,
    parse: fn(&Value) -> Option<T>,
}

impl<T> fmt::Debug for Call<T> {
    /// Names the command only: arguments may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("command", &self.command).finish_non_exhaustive()
    }
}

impl<T> Call<T> {
    fn new(space: &Namespace, command: &'static str, parse: fn(&Value) -> Option<T>) -> Self {
        Self { command, key: space.meta(), args: vec![Vec::new()], parse }
    }

    #[allow(clippy::needless_pass_by_value, reason = "numbers and references read better than references to them")]
    fn arg(mut self, value: impl ToString) -> Self {
        self.args.push(value.to_string().into_bytes());
        self
    }

    fn raw(mut self, value: &[u8]) -> Self {
        self.args.push(value.to_vec());
        self
    }

    fn option(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.arg(name).arg(value),
            None => self,
        }
    }

    /// Gives the call a request id: sent again, it gives its first answer and does nothing a second time,
    /// whatever others did in between.
    fn once(self) -> Self {
        self.arg("request").arg(TaskId::random())
    }

    fn raw_option(self, name: &str, value: Option<&[u8]>) -> Self {
        match value {
            Some(value) => self.arg(name).raw(value),
            None => self,
        }
    }

    /// Lets the script take `now` (decimal seconds since 1970) for the server's time. Only a namespace for
    /// tests takes it ([`crate::ClientBuilder::for_tests`]); elsewhere the call is refused with `BADARG`.
    #[must_use]
    pub fn at(mut self, now: &str) -> Self {
        if let Some(first) = self.args.first_mut() {
            *first = now.as_bytes().to_vec();
        }
        self
    }

    /// The command's name.
    #[must_use]
    pub fn command(&self) -> &'static str {
        self.command
    }

    pub(crate) fn script(&self) -> Result<&'static Command> {
        bundle::command(self.command).ok_or(Error::Reply { command: self.command })
    }

    /// The command by its digest, or with its body where the server does not know it yet.
    pub(crate) fn request(&self, script: &Command, whole: bool) -> redis::Cmd {
        let mut cmd = redis::cmd(if whole { "EVAL" } else { "EVALSHA" });
        cmd.arg(if whole { script.source() } else { script.sha1() }).arg(1).arg(&self.key).arg(&self.args);
        cmd
    }

    pub(crate) fn read(&self, value: &Value) -> Result<T> {
        (self.parse)(value).ok_or(Error::Reply { command: self.command })
    }
}

/// Makes the calls of one namespace.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    space: Namespace,
}

impl Calls {
    /// Calls on the keys that begin with this namespace.
    #[must_use]
    pub fn new(space: Namespace) -> Self {
        Self { space }
    }

    /// The namespace.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        &self.space
    }

    /// The list on which waiting listeners of a queue block.
    #[must_use]
    pub fn wake_list(&self, queue: &QueueName) -> String {
        format!("{}_wake_{queue}", self.space)
    }

    fn call<T>(&self, command: &'static str, parse: fn(&Value) -> Option<T>) -> Call<T> {
        Call::new(&self.space, command, parse)
    }

    /// Checks server, schema and eviction policy.
    #[must_use]
    pub fn hello(&self) -> Call<Greeting> {
        self.call("hello", |value| match reply::array(value)? {
            [schema, time, rest @ ..] => Some(Greeting {
                schema: reply::number(schema)?,
                time: reply::number(time)?,
                policy: rest.get(1).map_or(Some(None), reply::optional)?,
                born: rest.first().is_some_and(|born| read::flag(born) == Some(true)),
                test: rest.get(2).is_some_and(|test| read::flag(test) == Some(true)),
                missing: rest.get(3).map_or(Some(Vec::new()), read::missing)?,
            }),
            _ => None,
        })
    }
}
