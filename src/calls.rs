//! Every command of the bundle as a plain value: a script, a key, arguments, and a parser for the reply. The same value
//! runs on a synchronous connection, an asynchronous connection, or a cluster.

pub(crate) mod bulk;
#[cfg(feature = "by-name")]
pub mod by_name;
mod finish_and_reserve;
mod generated;
mod graphs;
#[cfg(feature = "by-name")]
mod json;
mod owner;
mod schedules;
mod submit;
#[cfg(test)]
mod tests;

use std::fmt;
use std::time::SystemTime;

use redis::Value;

pub use finish_and_reserve::End;
pub use graphs::GraphPart;
pub(crate) use graphs::pack;
pub use submit::NewTask;

pub use crate::options::{
    AdoptOptions, AppendLogOptions, AttendOptions, AuditOptions, CancelGraphOptions, CancelOptions, ChangesOptions,
    CheckpointOptions, CompleteOptions, DescribeOptions, EditOptions, EstimateOptions, EventsOptions, FailOptions,
    FinishAndReserveOptions, LimitOptions, LimitsOptions, LogsOptions, NoteOptions, PauseOptions, PeekOptions,
    PruneOptions, ReadyOptions, RegisterOptions, ReleaseOptions, RepairOptions, ReportOptions, RequeueOptions,
    ReserveOptions, RetryGraphOptions, RetryOptions, RunScheduleOptions, ScheduleOptions, StartOptions,
    StatisticsOptions, SubmitGraphOptions, TaskOptions, UndeliveredOptions, trace_context,
};

use crate::bundle::{self, Command};
use crate::error::{Error, Result};
use crate::names::{Namespace, QueueName, TaskId};
use crate::options::Pairs;
use crate::times;

/// A call that has not been made. The call may be repeated after a lost reply: it is executed once, however often it is
/// sent within the hour.
pub struct Call<T> {
    command: &'static str,
    key: String,
    args: Vec<Vec<u8>>,
    /// Name of the caller, for `audit`, unless the call's options contain a name.
    by: Option<String>,
    parse: fn(&Value) -> Option<T>,
}

impl<T> fmt::Debug for Call<T> {
    /// Shows only the name of the command, because arguments may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("command", &self.command).finish_non_exhaustive()
    }
}

impl<T> Call<T> {
    fn new(space: &Namespace, command: &'static str, parse: fn(&Value) -> Option<T>) -> Self {
        Self { command, key: space.meta(), args: vec![Vec::new()], by: None, parse }
    }

    #[allow(clippy::needless_pass_by_value, reason = "numbers and references read better than references to them")]
    fn arg(mut self, value: impl ToString) -> Self {
        self.args.push(value.to_string().into_bytes());
        self
    }

    /// Adds the value, or the text `none` if there is no value.
    fn arg_or(self, value: Option<impl ToString>, none: &str) -> Self {
        match value {
            Some(value) => self.arg(value),
            None => self.arg(none),
        }
    }

    fn raw(mut self, value: &[u8]) -> Self {
        self.args.push(value.to_vec());
        self
    }

    /// Gives the call a request id. With the id, a repeated call returns the first reply and changes nothing, even if
    /// other clients have made changes in the meantime.
    pub(crate) fn once(self) -> Self {
        self.arg("request").arg(TaskId::random())
    }

    fn pairs(mut self, options: &Pairs) -> Self {
        if options.has("by") {
            self.by = None;
        }
        options.iter().fold(self, |call, (name, value)| call.arg(name).raw(value))
    }

    /// Makes the script use `now` instead of the server's time. Works only in a namespace for tests
    /// ([`crate::ClientBuilder::for_tests`]); in other namespaces the call is refused with `BADARG`.
    #[must_use]
    pub fn at(mut self, now: SystemTime) -> Self {
        if let Some(first) = self.args.first_mut() {
            *first = times::seconds(times::since_1970(now)).into_bytes();
        }
        self
    }

    /// Name of the command.
    #[must_use]
    pub fn command(&self) -> &'static str {
        self.command
    }

    pub(crate) fn script(&self) -> Result<&'static Command> {
        bundle::command(self.command).ok_or(Error::Reply { command: self.command })
    }

    /// Builds the Redis command with the script's digest, or with its source if the server does not have the script.
    pub(crate) fn request(&self, script: &Command, whole: bool) -> redis::Cmd {
        let mut cmd = redis::cmd(if whole { "EVAL" } else { "EVALSHA" });
        cmd.arg(if whole { script.source() } else { script.sha1() }).arg(1).arg(&self.key).arg(&self.args);
        if let Some(by) = &self.by {
            cmd.arg("by").arg(by);
        }
        cmd
    }

    pub(crate) fn read(&self, value: &Value) -> Result<T> {
        (self.parse)(value).ok_or(Error::Reply { command: self.command })
    }
}

/// Creates the calls of one namespace.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    space: Namespace,
    /// Name of the caller, for `audit`.
    by: Option<String>,
}

impl Calls {
    /// Creates calls on the keys with the prefix of this namespace.
    #[must_use]
    pub fn new(space: Namespace) -> Self {
        Self { space, by: None }
    }

    /// Returns the same calls with the name of a caller, which `audit` stores with every change by these calls. The
    /// name has 1 to 128 characters of `A-Z a-z 0-9 . _ : @ -`, such as `USER@HOST`.
    #[must_use]
    pub fn by(mut self, name: impl Into<String>) -> Self {
        self.by = Some(name.into());
        self
    }

    /// Namespace of the calls.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        &self.space
    }

    /// Returns the list on which waiting listeners of a queue block.
    #[must_use]
    pub fn wake_list(&self, queue: &QueueName) -> String {
        format!("{}_wake_{queue}", self.space)
    }

    /// Returns the list on which listeners with patterns wait; `list` as [`Calls::ready`] returned it.
    #[must_use]
    pub fn waiting_list(&self, list: &str) -> String {
        format!("{}_{list}", self.space)
    }

    fn call<T>(&self, command: &'static str, parse: fn(&Value) -> Option<T>) -> Call<T> {
        let mut call = Call::new(&self.space, command, parse);
        // In `audit` the option `by` is a filter, not the name of the caller.
        let is_signed = |command: &Command| command.options().split(' ').any(|option| option == "by");
        if self.by.is_some() && command != "audit" && bundle::command(command).is_some_and(is_signed) {
            call.by.clone_from(&self.by);
        }
        call
    }
}
