//! Settings and limits of a queue.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::words::words;

words! {
    /// Place where a setting is set.
    Source {
        /// Not set: the default of this version applies.
        Default = "default",
        /// Set for the whole namespace.
        Namespace = "namespace",
        /// Set for the queue.
        Queue = "queue",
    }
}

/// Maximum number of tasks that may start within a sliding window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rate {
    starts: u32,
    seconds: u32,
}

impl Rate {
    /// Creates a rate: a number of starts, 1 to 1,000, within a window of whole seconds, 1 s to 7 days.
    ///
    /// # Errors
    /// `BADARG` for values out of these bounds.
    pub fn new(starts: u32, window: Duration) -> Result<Self> {
        let seconds = u32::try_from(window.as_secs()).unwrap_or(u32::MAX);
        if (1..=1_000).contains(&starts) && (1..=604_800).contains(&seconds) && window.subsec_nanos() == 0 {
            Ok(Self { starts, seconds })
        } else {
            Err(Error::argument("a rate must be 1 to 1000 starts in 1 s to 7 days, in whole seconds"))
        }
    }

    /// Number of starts.
    #[must_use]
    pub fn starts(self) -> u32 {
        self.starts
    }

    /// Length of the window.
    #[must_use]
    pub fn window(self) -> Duration {
        Duration::from_secs(self.seconds.into())
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.starts, self.seconds)
    }
}

impl FromStr for Rate {
    type Err = Error;

    /// Parses `STARTS/SECONDS`.
    ///
    /// # Errors
    /// `BADARG` as in [`Rate::new`].
    fn from_str(text: &str) -> Result<Self> {
        let (starts, seconds) = text.split_once('/').unwrap_or_default();
        let seconds = seconds.parse().map_or(Duration::ZERO, Duration::from_secs);
        Self::new(starts.parse().unwrap_or_default(), seconds)
    }
}

impl TryFrom<String> for Rate {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Rate> for String {
    fn from(rate: Rate) -> Self {
        rate.to_string()
    }
}
