//! Failures of handlers with more details than a text.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use crate::calls::FailOptions;

const YEAR: Duration = Duration::from_secs(365 * 86_400);

/// Maximum size of the text of a group in bytes.
const GROUP: usize = 65_536;

/// An error that controls the retry: when to retry, or that a retry cannot help.
///
/// ```
/// # use std::time::Duration;
/// use blueque::Failure;
///
/// fn transcode(name: &str) -> Result<(), blueque::HandlerError> {
///     if name.ends_with(".txt") {
///         return Err(Failure::new("not a film").permanent().into());
///     }
///     Err(Failure::new("the quota is used up").group("quota").again_in(Duration::from_secs(3600)).into())
/// }
/// # assert!(transcode("a.txt").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Failure {
    text: String,
    group: Option<String>,
    again: Option<Duration>,
    permanent: bool,
}

/// Decision about a failed attempt: see [`WorkerBuilder::retry`](super::WorkerBuilder::retry).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "callers create it")]
pub enum Retry {
    /// The task's options decide: the first `max_failures` failures are retried, after the task's backoff.
    #[default]
    Usual,
    /// The failure is permanent.
    Never,
    /// The retry follows after this time, if the task has retries left.
    After(Duration),
}

impl Failure {
    /// Applies a decision.
    pub(super) fn judged(self, retry: Retry) -> Self {
        match retry {
            Retry::Usual => self,
            Retry::Never => self.permanent(),
            Retry::After(pause) => self.again_in(pause),
        }
    }

    /// Creates a failure with a text for people.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Sets the group of failures of the same kind: a name like a queue's, or any text, such as the message of the
    /// error. The server removes numbers, ids and addresses from a text; the rest is the group. A text is cut at 64
    /// KiB.
    pub fn group(mut self, group: impl Into<String>) -> Self {
        let mut group = group.into();
        group.truncate((0..=GROUP.min(group.len())).rev().find(|&at| group.is_char_boundary(at)).unwrap_or_default());
        self.group = Some(group);
        self
    }

    /// Sets the delay before the retry, if the task has retries left: at most a year. By default the task's backoff
    /// determines the delay.
    pub fn again_in(mut self, pause: Duration) -> Self {
        self.again = Some(pause);
        self
    }

    /// Prevents a retry, even if retries are left.
    pub fn permanent(mut self) -> Self {
        self.permanent = true;
        self
    }

    /// Returns true if the delay is no longer than the server allows.
    pub(super) fn pause_is_short(&self) -> bool {
        self.again.is_none_or(|again| again <= YEAR)
    }

    pub(crate) fn options(&self) -> FailOptions {
        let options = FailOptions::new().permanent(self.permanent);
        let options = self.group.iter().fold(options, FailOptions::group);
        self.again.into_iter().filter(|_| !self.permanent).fold(options, FailOptions::again)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for Failure {}
