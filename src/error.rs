//! Errors, grouped by what the caller can do.
//!
//! - [`Lost`](Error::Lost) and [`Cancelled`](Error::Cancelled): stop the work.
//! - [`NotFound`](Error::NotFound), [`State`](Error::State), [`Invalid`](Error::Invalid): the call was wrong. It
//!   changed nothing, and the same call will not succeed.
//! - [`Unavailable`](Error::Unavailable): the server could not be reached within the limit of the call. The call may or
//!   may not have been executed; every call of this crate may be repeated.
//! - [`Server`](Error::Server), [`Unsuitable`](Error::Unsuitable): an administrator must check the server.

use std::time::Duration;

use crate::durability::Durability;
use crate::words::words;

include!(concat!(env!("OUT_DIR"), "/codes.rs"));

/// Variant for a code of the server.
enum Kind {
    Call,
    State,
    Attempt,
    Setup,
    Server,
}

/// An error of a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The attempt no longer holds the task: the lease expired and another owner got the task, the task was taken away,
    /// or it has ended. Stop the work and discard the result.
    #[error("the attempt no longer holds the task: stop the work and discard the result")]
    Lost,
    /// The task was cancelled before it started. Release it.
    #[error("the task was cancelled before it started: release it")]
    Cancelled,
    /// The task was cancelled while the caller waited for its result. Contains the reason, or an empty text.
    #[error("the task was cancelled{}", because(.0))]
    TaskCancelled(String),
    /// No task has this id. A repeated delete may return this error because the first delete succeeded.
    #[error("no task has this id")]
    NotFound,
    /// The state of a task, a listener, a queue or a schedule does not allow the call.
    #[error("{code}: {text}")]
    State {
        /// Code such as [`Code::State`], [`Code::Held`], [`Code::Duplicate`], [`Code::NoListener`].
        code: Code,
        /// The current state, and the remedy.
        text: String,
    },
    /// An argument is wrong, for example a name, a number, a size, or an id of another queue.
    #[error("{code}: {text}")]
    Invalid {
        /// [`Code::BadArgument`], [`Code::BadName`], [`Code::TooBig`] or [`Code::OtherQueue`].
        code: Code,
        /// The wrong argument, and its bounds.
        text: String,
    },
    /// The server or its data is unsuitable: another schema, an eviction policy that loses tasks, a key of another
    /// application, a namespace for tests, the wrong node of a cluster.
    #[error("{code}: {text}")]
    Unsuitable {
        /// [`Code::Schema`], [`Code::Eviction`], [`Code::WrongKey`], [`Code::Topology`], [`Code::Test`] or
        /// [`Code::Moved`].
        code: Code,
        /// Setting or configuration to change.
        text: String,
    },
    /// The server was not reached, or did not reply, within the limit of the call.
    #[error("no answer from the server within {limit:?}: check that it runs and is reachable")]
    Unavailable {
        /// The limit.
        limit: Duration,
        /// The last failure.
        source: redis::RedisError,
    },
    /// The server refused the call, for example with `OOM`. Nothing was changed. `NOPERM`: the user lacks a permission
    /// that the call needs; the text names the Redis command ([`crate::Handshake`] lists all missing permissions).
    #[error("the server refused the call: {word} {text}{}", advice(*code))]
    Server {
        /// The code; `None` if this version does not know it.
        code: Option<Code>,
        /// The first word of the server's error, whether or not this version knows it.
        word: String,
        /// The remaining text of the server's error.
        text: String,
    },
    /// The call was executed, but its change did not reach the required durability ([`Durability`]) within the limit.
    /// The change may still reach it. To check again, repeat the call with the same id, which changes nothing.
    #[error("accepted, {}{}", wished.missed(*reached), because(why))]
    NotDurable {
        /// Required durability.
        wished: Durability,
        /// Number of disks or replicas that have confirmed the change.
        reached: u32,
        /// Reason why the server does not wait for durability, if it gave a reason.
        why: String,
    },
    /// The connection cannot be made as configured: a malformed URL, a wrong password.
    #[error("the connection cannot be made: check the URL and the credentials")]
    Connection(#[source] redis::RedisError),
    /// The server's reply does not match the contract.
    #[error("the server's reply to `{command}` does not match the contract: is it Redis 7.0 or Valkey 7.2 at least?")]
    Reply {
        /// The command.
        command: &'static str,
    },
    /// The server's reply is larger than any reply of the contract, and was not read to its end.
    #[error("the server's reply is over 256 MiB: look at the port in the URL: is it Redis or Valkey?")]
    ReplyTooBig(#[source] redis::RedisError),
    /// A value could not be converted to JSON, or parameters or a result could not be converted to the requested type.
    #[error("the payload and its type do not agree")]
    Payload(#[from] serde_json::Error),
    /// The caller's time limit has passed. The text is empty, or a colon and the reason why the task has not ended.
    #[error("not finished within {0:?}{1}")]
    TimedOut(Duration, String),
    /// The handler of a task reported a failure.
    #[error("{0}")]
    Failed(String),
}

impl Error {
    /// The error code; `None` if the server returned a code that this version does not know.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        Some(match self {
            Self::Lost => Code::Lost,
            Self::Cancelled => Code::Cancelled,
            Self::TaskCancelled(_) => Code::TaskCancelled,
            Self::NotFound => Code::NoTask,
            Self::State { code, .. } | Self::Invalid { code, .. } | Self::Unsuitable { code, .. } => *code,
            Self::Server { code, .. } => return *code,
            Self::Unavailable { .. } => Code::Unavailable,
            Self::Connection(_) => Code::Connection,
            Self::Reply { .. } | Self::ReplyTooBig(_) => Code::Reply,
            Self::Payload(_) => Code::Payload,
            Self::TimedOut(..) | Self::NotDurable { .. } => Code::TimedOut,
            Self::Failed(_) => Code::Failed,
        })
    }

    /// The code as text, such as `NOTASK`. For an error of the server this is its first word, even if this version does
    /// not know it.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Server { word, .. } => word,
            known => known.code().map_or("", Code::as_str),
        }
    }

    /// Returns true if the same call may succeed later without a change by the caller: see [`Code::repeat`].
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.code().is_some_and(Code::repeat)
    }

    /// Converts an error of a script, or a refusal of the server.
    pub(crate) fn verdict(word: &str, text: &str) -> Self {
        let (known, text) = (word.parse::<Code>().ok(), text.to_owned());
        match known.map(|code| (code, code.kind())) {
            Some((Code::Lost, _)) => Self::Lost,
            Some((Code::Cancelled, _)) => Self::Cancelled,
            // For a missing upstream the text names the upstream, the task and the field.
            Some((code @ Code::NoTask, _)) if text.starts_with("task ") => Self::State { code, text },
            Some((Code::NoTask, _)) => Self::NotFound,
            Some((code, Kind::State)) => Self::State { code, text },
            Some((code, Kind::Call)) => Self::Invalid { code, text },
            Some((code, Kind::Setup)) => Self::Unsuitable { code, text },
            Some((_, Kind::Attempt | Kind::Server)) | None => Self::Server { code: known, word: word.to_owned(), text },
        }
    }

    pub(crate) fn name(what: &str) -> Self {
        Self::Invalid { code: Code::BadName, text: what.into() }
    }

    /// Returns the error for a word that this version does not know.
    pub(crate) fn unknown(word: &str, known: &[&str]) -> Self {
        Self::argument(format!("`{word}` is none of: {}", known.join(" ")))
    }

    pub(crate) fn argument(what: impl Into<String>) -> Self {
        Self::Invalid { code: Code::BadArgument, text: what.into() }
    }
}

/// The remedy for a server that refuses writes.
fn advice(code: Option<Code>) -> &'static str {
    match code {
        Some(Code::OutOfMemory) => {
            "; nothing was changed: its memory is full. Running tasks can continue and end. Raise maxmemory, or \
             make room: purge queues, delete finished tasks, lower the settings keep and retain. Queues can still be \
             paused and closed"
        }
        Some(Code::Misconfigured) => {
            "; nothing was changed: it cannot write to its disk. Free disk space, and read its log"
        }
        Some(Code::ReadOnly) => "; it is a replica: connect to its master, or by an address that leads there",
        _ => "",
    }
}

/// The end of a sentence, if there is a reason.
fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;
