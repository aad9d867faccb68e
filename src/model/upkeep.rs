//! What the upkeep of a queue answers.

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
}
