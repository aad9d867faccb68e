//! Why a task runs, or does not.

use std::time::SystemTime;

use super::Why;

/// The state of the limits of a queue or of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The number of places; none for no limit.
    pub concurrency: Option<u32>,
    /// The number of taken places.
    pub used: u64,
    /// Until when the rate allows no start; none if it does.
    pub rate_until: Option<SystemTime>,
}

impl Why {
    /// The limits of its queue, if it is pending.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits { concurrency: self.concurrency, used: self.used.unwrap_or(0), rate_until: self.rate_until }
    }

    /// The limits of its key, if it is pending and has one.
    #[must_use]
    pub fn key_limits(&self) -> Limits {
        Limits { concurrency: self.key_concurrency, used: self.key_used.unwrap_or(0), rate_until: self.key_rate_until }
    }
}
