//! What the supervisor's threads share: the lease, the orders, and what waits to be sent.

use std::collections::VecDeque;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::run_folder::{Run, boot_clock_us, boot_id};

/// The size of one entry of a task's log.
pub const BATCH: usize = 8 << 10;

/// So much output waits for the server at most; older output makes room for newer.
const BATCHES: usize = 8;

/// How long before the lease's end everything is killed, at most.
const MARGIN_US: u64 = 5_000_000;

/// What the server wants, the graver the larger.
pub const GO_ON: u8 = 0;
pub const DRAIN: u8 = 1;
pub const STOP: u8 = 2;
pub const CANCEL: u8 = 3;
/// Without a grace. The lease is not renewed any more.
pub const KILL: u8 = 4;

/// How long this attempt may go on without another word from the server.
#[derive(Debug)]
pub struct Lease {
    renewed: AtomicU64,
    length: u64,
    lost: AtomicBool,
}

impl Lease {
    pub fn of(run: &Run) -> Self {
        let length = run.lease_ms.saturating_mul(1_000);
        // The clock of another boot says nothing about this one.
        let renewed = if run.boot == boot_id() { run.renewed_us } else { 0 };
        Self { renewed: AtomicU64::new(renewed), length, lost: AtomicBool::new(false) }
    }

    pub fn length(&self) -> Duration {
        Duration::from_micros(self.length)
    }

    /// A renewal that was sent at this time was acknowledged.
    pub fn renewed(&self, sent: u64) {
        self.renewed.fetch_max(sent, Ordering::AcqRel);
    }

    /// When everything must be dead, on the clock that counts sleep.
    pub fn end(&self) -> u64 {
        let margin = (self.length / 5).min(MARGIN_US);
        self.renewed.load(Ordering::Acquire).saturating_add(self.length - margin)
    }

    /// Whether the attempt is over, as the server said or the clock says. There is no way back.
    pub fn is_lost(&self) -> bool {
        if boot_clock_us() >= self.end() {
            self.lose();
        }
        self.lost.load(Ordering::Acquire)
    }

    pub fn lose(&self) {
        self.lost.store(true, Ordering::Release);
    }
}

/// A piece of the log.
#[derive(Debug)]
pub struct Batch {
    pub source: &'static str,
    pub text: Vec<u8>,
}

/// What waits to be sent. All of it is bounded.
#[derive(Debug, Default)]
pub struct Outbox {
    pub log: VecDeque<Batch>,
    /// Bytes of output that found no room.
    pub dropped: u64,
    pub progress: Option<Vec<u8>>,
    pub checkpoint: Option<Vec<u8>>,
    /// A heartbeat is wanted at once.
    pub beat: bool,
    /// The link is to come back.
    pub leave: bool,
}

impl Outbox {
    pub fn log(&mut self, source: &'static str, mut text: &[u8]) {
        while !text.is_empty() {
            let room = match self.log.back() {
                Some(last) if last.source == source => BATCH.saturating_sub(last.text.len()),
                _ => 0,
            };
            if room == 0 {
                self.log.push_back(Batch { source, text: Vec::new() });
                if self.log.len() > BATCHES
                    && let Some(old) = self.log.pop_front()
                {
                    self.dropped += old.text.len() as u64;
                }
                continue;
            }
            let (now, later) = text.split_at(room.min(text.len()));
            if let Some(last) = self.log.back_mut() {
                last.text.extend_from_slice(now);
            }
            text = later;
        }
    }

    /// The next piece of the log; first what became of the pieces before it.
    pub fn next_batch(&mut self) -> Option<Batch> {
        if self.dropped > 0 {
            let text = format!("{} bytes of output were not sent; the log file has the last of them\n", self.dropped);
            self.dropped = 0;
            return Some(Batch { source: "supervisor", text: text.into_bytes() });
        }
        self.log.pop_front()
    }

    pub fn has_log(&self) -> bool {
        self.dropped > 0 || !self.log.is_empty()
    }
}

/// Shared by all threads of a supervisor.
#[derive(Debug)]
pub struct Shared {
    pub lease: Lease,
    /// The program's last sign of life.
    pub alive: AtomicU64,
    /// Until when the program asked to be let run.
    pub extended: AtomicU64,
    /// The program's pid, once it was started.
    pub pid: AtomicU32,
    order: AtomicU8,
    outbox: Mutex<Outbox>,
    posted: Condvar,
    wake: UnixStream,
}

impl Shared {
    /// `wake` is written to when the main thread should look.
    pub fn new(run: &Run, wake: UnixStream) -> Self {
        Self {
            lease: Lease::of(run),
            alive: AtomicU64::new(boot_clock_us()),
            extended: AtomicU64::new(0),
            pid: AtomicU32::new(0),
            order: AtomicU8::new(GO_ON),
            outbox: Mutex::new(Outbox::default()),
            posted: Condvar::new(),
            wake,
        }
    }

    pub fn order(&self) -> u8 {
        self.order.load(Ordering::Acquire)
    }

    /// Notes an order; none takes back a graver one.
    pub fn give(&self, order: u8) {
        if self.order.fetch_max(order, Ordering::AcqRel) < order {
            self.wake();
        }
    }

    pub fn lose(&self) {
        self.lease.lose();
        self.wake();
    }

    /// Lets the main thread look.
    pub fn wake(&self) {
        // A full pipe wakes as well.
        let _ = (&self.wake).write(&[0]);
    }

    pub fn sign_of_life(&self) {
        self.alive.store(boot_clock_us(), Ordering::Release);
    }

    pub fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what waits, and lets the link look.
    pub fn post(&self, change: impl FnOnce(&mut Outbox)) {
        change(&mut self.outbox());
        self.posted.notify_all();
    }

    /// Adds to the log. The link looks by itself as long as there is some.
    pub fn log(&self, source: &'static str, text: &[u8]) {
        let mut outbox = self.outbox();
        let idle = !outbox.has_log();
        outbox.log(source, text);
        drop(outbox);
        if idle {
            self.posted.notify_all();
        }
    }

    /// Says something in the task's log.
    pub fn say(&self, text: &str) {
        self.log("supervisor", format!("{text}\n").as_bytes());
    }

    /// Waits until something is posted.
    pub fn wait<'a>(&self, outbox: MutexGuard<'a, Outbox>, limit: Duration) -> MutexGuard<'a, Outbox> {
        self.posted.wait_timeout(outbox, limit).unwrap_or_else(PoisonError::into_inner).0
    }
}
