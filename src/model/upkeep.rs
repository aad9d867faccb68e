//! What the upkeep of a queue answers.

use super::Status;

/// What `promote` did.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Promoted {
    /// Tasks that became pending.
    pub promoted: u64,
    /// Whether more are due.
    pub more: bool,
    /// When the next one is due, in seconds since 1970.
    pub next: Option<f64>,
}

/// What `requeue_orphans` did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Orphans {
    /// Tasks that became pending again.
    pub requeued: u64,
    /// Tasks that had been lost too often.
    pub failed: u64,
    /// Tasks whose cancel was waiting for their owner.
    pub cancelled: u64,
    /// Leases given more time after a gap.
    pub postponed: u64,
    /// Whether more leases have expired.
    pub more: bool,
    /// Listeners of the queue.
    pub listeners: u64,
}

/// What `retain` did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retained {
    /// Tasks deleted.
    pub deleted: u64,
    /// Whether more are to go.
    pub more: bool,
}

/// What a step of `mend` did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mended {
    /// Where to go on; none at the end.
    pub next: Option<String>,
    /// Things set right.
    pub mended: u64,
    /// Things that will be set right if they are still wrong after the grace.
    pub suspected: u64,
    /// Held tasks whose listener was taken off the queue, as far as this step looked at them.
    pub claims: Vec<Claim>,
}

/// A held task whose listener was taken off the queue, or which another claimed, as Blueque 1.0 does with those of
/// listeners that died.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claim {
    /// Who answers for it: its claimer, else its holder. It is adopted from this one.
    pub listener: String,
    /// The task.
    pub id: String,
    /// Whether it is reserved or started; none for a word that this version does not know.
    pub status: Option<Status>,
    /// In whose list it is.
    pub holder: String,
    /// The process that works on it, once started.
    pub pid: Option<u32>,
}
