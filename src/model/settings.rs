//! Settings and limits of a queue.

use std::fmt;
use std::str::FromStr;

use super::words::words;

words! {
    /// Where a setting is set.
    Source {
        /// Nowhere: it is what this version brings.
        Default = "default",
        /// For the whole namespace.
        Namespace = "namespace",
        /// For the queue.
        Queue = "queue",
    }
}

/// A setting that holds for a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value; none for a limit that nobody set.
    pub value: Option<String>,
    /// Where it is set.
    pub source: Source,
}

/// How many tasks may start within a time that slides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// Starts: 1 to 1,000.
    pub starts: u32,
    /// The window, in seconds: 1 to 604,800.
    pub seconds: u32,
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.starts, self.seconds)
    }
}

impl FromStr for Rate {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (starts, seconds) = text.split_once('/').ok_or(())?;
        Ok(Self { starts: starts.parse().map_err(|_| ())?, seconds: seconds.parse().map_err(|_| ())? })
    }
}

/// The limits of one key, where they are its own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyLimit {
    /// The key.
    pub key: String,
    /// How many places its tasks may take together; none for what the queue's settings say.
    pub concurrency: Option<u32>,
    /// How many of its tasks may start in which time; none for what the queue's settings say.
    pub rate: Option<Rate>,
    /// How many places are taken.
    pub in_use: u64,
}
