//! Why a task runs, or does not.

use std::time::SystemTime;

use super::Why;

/// How the limits of a queue or of a key stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many places there are; none for no limit.
    pub concurrency: Option<u32>,
    /// How many are taken.
    pub used: u64,
    /// Until when the rate lets nothing start; none where it does.
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
