//! Output: data on stdout, messages on stderr, and an exit code.

pub mod badge;
mod bar;
pub mod behind;
pub mod colour;
pub mod document;
mod format;
pub mod layout;
mod redraws;
pub mod screen;
mod secrets;
pub mod size;
pub mod table;
mod text;

use std::error::Error as StdError;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use blueque::Error;
use serde::Serialize;
use terminal_size::{Width, terminal_size_of};

pub use bar::{bar, waiting};
pub use format::{Format, FormatParser, is_for_programs, is_wide};
pub use redraws::Redraws;
pub use secrets::{hides, holds_secret, redact};
use text::is_hidden;
pub use text::{Cleaner, Decoder, Painter, clean, clean_line, cut, one_line, wrap};

/// The exit codes; `docs/reference/cli.md` has the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Ok,
    Failed,
    Usage,
    Unreachable,
    NotFound,
    Refused,
    TimedOut,
    Cancelled,
    NothingDue,
    /// The exit code of a program that failed.
    Program(u8),
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(match code {
            Code::Ok => 0,
            Code::Failed => 1,
            Code::Usage => 2,
            Code::Unreachable => 3,
            Code::NotFound => 4,
            Code::Refused => 5,
            Code::TimedOut => 6,
            Code::Cancelled => 7,
            Code::NothingDue => 8,
            Code::Program(code) => code,
        })
    }
}

/// An error with an exit code.
#[derive(Debug)]
struct Fault {
    code: Code,
    text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for Fault {}

/// Returns an error with this exit code.
pub fn fault(code: Code, text: impl Into<String>) -> anyhow::Error {
    Fault { code, text: text.into() }.into()
}

/// Returns the exit code of an error.
pub fn code(error: &anyhow::Error) -> Code {
    for cause in error.chain() {
        if let Some(fault) = cause.downcast_ref::<Fault>() {
            return fault.code;
        }
        if let Some(error) = cause.downcast_ref::<Error>() {
            return match error {
                Error::Unavailable { .. } | Error::Connection(_) => Code::Unreachable,
                Error::NotFound
                | Error::State {
                    code: blueque::Code::NoTask | blueque::Code::NoSchedule | blueque::Code::NoQueue,
                    ..
                } => Code::NotFound,
                Error::State { .. }
                | Error::Lost
                | Error::Cancelled
                | Error::Invalid { code: blueque::Code::OtherQueue, .. } => Code::Refused,
                Error::Invalid { .. } | Error::Unsuitable { code: blueque::Code::Moved, .. } => Code::Usage,
                Error::TimedOut(..) | Error::NotDurable { .. } => Code::TimedOut,
                Error::TaskCancelled(_) => Code::Cancelled,
                _ => Code::Failed,
            };
        }
    }
    Code::Failed
}

/// Reports an error to the user. A closed pipe is not an error: its reader needs no more output.
pub fn report(error: &anyhow::Error) -> ExitCode {
    let closed = |cause: &(dyn StdError + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    // A broken pipe to the server is part of an error of the library, and is reported.
    if error.chain().any(closed) && !error.chain().any(|cause| cause.is::<Error>() || cause.is::<redis::RedisError>()) {
        return Code::Ok.into();
    }
    say(format!("blueque: {}", chain(error)));
    code(error).into()
}

/// Returns the texts of an error and its causes. A text that another text contains is left out.
pub fn chain(error: &anyhow::Error) -> String {
    joined(error.chain())
}

/// Returns the same text for a standard error.
pub fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    joined(anyhow::Chain::new(error))
}

fn joined(causes: anyhow::Chain) -> String {
    let mut text = String::new();
    for cause in causes.map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(if text.is_empty() { "" } else { ": " });
            text.push_str(&cause);
        }
    }
    text
}

/// Prints a message on stderr. Passwords in URLs and control characters are removed.
pub fn say(text: impl AsRef<str>) {
    let text = told(text.as_ref());
    let width = io::stderr().is_terminal().then(|| terminal_size_of(io::stderr())).flatten();
    let text = width.map_or_else(|| text.clone(), |(Width(width), _)| wrap(&text, width.into(), 2));
    behind::say(format!("{text}\n"));
}

/// Returns the text that `say` prints. Escape sequences are removed first, so that they cannot hide the password of a
/// URL.
pub fn told(text: &str) -> String {
    redact(&clean(&unnumbered(text)))
}

/// Prints a line of data on stdout, without control sequences.
pub fn line(text: impl AsRef<str>) -> io::Result<()> {
    data(&format!("{}\n", clean(text.as_ref())))
}

/// Prints a line for people on stdout. On a terminal it breaks between words, and continued lines are indented.
pub fn prose(text: impl AsRef<str>, indent: usize) -> io::Result<()> {
    let text = clean(text.as_ref());
    line(screen::screen().map_or_else(|| text.clone(), |(width, _)| wrap(&text, width, indent)))
}

/// Prints data on stdout at once, unchanged.
pub fn data(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|error| io::Error::new(error.kind(), format!("stdout cannot be written: {error}")))
}

/// Returns a number with its noun: `1 task`, `2 tasks`.
pub fn many(number: impl ToString + Copy, noun: &str) -> String {
    let number = number.to_string();
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Removes the numbers of system errors from a text, and keeps their names.
pub fn unnumbered(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        kept.push_str(rest.strip_prefix(')').unwrap_or(part));
    }
    kept
}

/// Returns a value as JSON on one line, without control sequences.
pub fn json<T: Serialize + ?Sized>(value: &T) -> anyhow::Result<String> {
    let text = serde_json::to_string(value)?;
    if !text.chars().any(is_hidden) {
        return Ok(text);
    }
    // In valid JSON, these characters occur only in strings, where they can be escaped.
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(c);
        }
    }
    Ok(escaped)
}
