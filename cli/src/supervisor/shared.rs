//! What the supervisor's threads share: the lease, the orders, and what waits to be sent.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use blueque::Error;
use jiff::Timestamp;

use crate::output::{causes, clean_line, say, told, unnumbered};
use crate::run_folder::notice::{About, Notice, Refusal};
use crate::run_folder::{Run, RunFolder, boot_clock_us, boot_id};

/// So much of what the supervisor itself has to say waits to be written at most.
const SAID: usize = 64 << 10;

/// So many notices for the worker wait to be written at most.
const NOTICES: usize = 64;

/// So many refusals that are over are remembered.
const REFUSALS: usize = 3;

/// Characters of why something is refused, where it is told with other things.
const WHY: usize = 100;

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
    /// The server has said so.
    told: AtomicBool,
}

impl Lease {
    pub fn of(run: &Run) -> Self {
        let length = run.lease_ms.saturating_mul(1_000);
        // The clock of another boot says nothing about this one.
        let renewed = if run.boot == boot_id() { run.renewed_us } else { 0 };
        Self { renewed: AtomicU64::new(renewed), length, lost: AtomicBool::new(false), told: AtomicBool::new(false) }
    }

    pub fn length(&self) -> Duration {
        Duration::from_micros(self.length)
    }

    /// How long ago it was renewed last.
    pub fn age(&self) -> Duration {
        Duration::from_micros(boot_clock_us().saturating_sub(self.renewed.load(Ordering::Acquire)))
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
            self.lost.store(true, Ordering::Release);
        }
        self.lost.load(Ordering::Acquire)
    }

    /// The server says that the task is another's.
    pub fn lose(&self) {
        self.told.store(true, Ordering::Release);
        self.lost.store(true, Ordering::Release);
    }

    /// How it was lost, just now, in words.
    pub fn words(&self) -> String {
        let at = Timestamp::now();
        if self.told.load(Ordering::Acquire) {
            return format!("lost its lease at {at:.0}, as the server says");
        }
        let silence = Duration::from_micros(boot_clock_us().saturating_sub(self.renewed.load(Ordering::Acquire)));
        format!("lost its lease at {at:.0}, as no heartbeat was accepted for {silence:.0?}")
    }
}

/// A piece of the log, on its way to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub source: String,
    pub text: Vec<u8>,
    /// Bytes of output before it, where they were counted.
    pub offset: Option<u64>,
}

impl Piece {
    /// Bytes of output before what follows it.
    pub fn end(&self) -> Option<u64> {
        Some(self.offset? + self.text.len() as u64)
    }
}

/// What the server refuses, since when and why, and what it has refused.
#[derive(Debug, Default)]
struct Refusals {
    lasting: BTreeMap<About, (Instant, String)>,
    over: Vec<Refusal>,
}

/// What waits to be sent. All of it is bounded.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct Outbox {
    /// What the supervisor has to say in the log.
    pub said: String,
    /// What it has to say to its worker.
    pub notices: Vec<Notice>,
    /// Pieces of the log.
    pub log: VecDeque<Piece>,
    /// There is more of the log than these.
    pub more_log: bool,
    /// Pieces of the log are asked for.
    pub ask_log: bool,
    pub progress: Option<Vec<u8>>,
    pub checkpoint: Option<Vec<u8>>,
    /// A heartbeat is wanted at once.
    pub beat: bool,
    /// The link is to come back.
    pub leave: bool,
}

/// Shared by all threads of a supervisor.
#[derive(Debug)]
pub struct Shared {
    id: String,
    pub lease: Lease,
    /// The program's last sign of life.
    pub alive: AtomicU64,
    /// Until when the program asked to be let run.
    pub extended: AtomicU64,
    /// The program's pid, once it was started.
    pub pid: AtomicU32,
    order: AtomicU8,
    refusals: Mutex<Refusals>,
    outbox: Mutex<Outbox>,
    posted: Condvar,
    wake: UnixStream,
    nudge: UnixStream,
    /// Can be read where the one that keeps the log should look.
    pub nudged: UnixStream,
}

impl Shared {
    /// `wake` is written to when the main thread should look.
    pub fn new(run: &Run, wake: UnixStream) -> std::io::Result<Self> {
        let (nudge, nudged) = UnixStream::pair()?;
        nudge.set_nonblocking(true)?;
        nudged.set_nonblocking(true)?;
        Ok(Self {
            id: run.id.clone(),
            lease: Lease::of(run),
            alive: AtomicU64::new(boot_clock_us()),
            extended: AtomicU64::new(0),
            pid: AtomicU32::new(0),
            order: AtomicU8::new(GO_ON),
            refusals: Mutex::default(),
            outbox: Mutex::new(Outbox::default()),
            posted: Condvar::new(),
            wake,
            nudge,
            nudged,
        })
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

    /// Says something in the task's log.
    pub fn say(&self, text: &str) {
        let text = unnumbered(text);
        let mut outbox = self.outbox();
        if outbox.said.len() + text.len() < SAID {
            outbox.said.push_str(&text);
            outbox.said.push('\n');
        }
        drop(outbox);
        self.nudge();
    }

    /// Says what is to be known wherever somebody looks: in the task's log, the supervisors' and the worker's.
    pub fn announce(&self, notice: Notice) {
        let notice = Notice { text: told(&notice.text), ..notice };
        say(format!("{}: {}", self.id, notice.text));
        let text = notice.text.clone();
        let mut outbox = self.outbox();
        if outbox.notices.len() < NOTICES {
            outbox.notices.push(notice);
        }
        drop(outbox);
        self.say(&text);
    }

    /// Passes on what the worker is to hear.
    pub fn notify(&self, folder: &RunFolder) {
        let notices = std::mem::take(&mut self.outbox().notices);
        for notice in notices {
            // A help: the task's log and the exit code tell it too.
            let _ = folder.notify(&notice);
        }
    }

    /// The attempt is over, and what it made is thrown away.
    pub fn discards(&self, text: String) {
        self.announce(Notice { about: About::Lease, text, why: None, lost: true });
    }

    fn refusals_now(&self) -> MutexGuard<'_, Refusals> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server refuses something: said where it begins.
    pub fn refused(&self, about: About, text: &str, error: &Error) {
        let why = match error {
            Error::Server { word, text, .. } => format!("{word} {text}"),
            error => causes(error),
        };
        let why = clean_line(&told(&why), WHY);
        let mut refusals = self.refusals_now();
        if refusals.lasting.contains_key(&about) {
            return;
        }
        refusals.lasting.insert(about, (Instant::now(), why.clone()));
        drop(refusals);
        let text = format!("{text}: {}", causes(error));
        self.announce(Notice { about, text, why: Some(why), lost: false });
    }

    /// The server has taken something: said where it refused that before.
    pub fn accepted(&self, about: About) {
        let mut refusals = self.refusals_now();
        let Some((since, why)) = refusals.lasting.remove(&about) else { return };
        let passed = since.elapsed();
        refusals.over.push(Refusal { about, ms: millis(passed), why });
        let old = refusals.over.len().saturating_sub(REFUSALS);
        refusals.over.drain(..old);
        drop(refusals);
        let what = match about {
            About::Start => "the server knows that the program has started",
            About::Lease => "the server takes heartbeats again",
            About::End => "its end was delivered",
        };
        let text = format!("{what}, after {passed:.0?}");
        self.announce(Notice { about, text, why: None, lost: false });
    }

    /// What a supervisor before this one was refused.
    pub fn remember(&self, refused: &[Refusal]) {
        self.refusals_now().over.extend_from_slice(refused);
    }

    /// What was refused up to now, the last ones.
    pub fn refusals(&self) -> Vec<Refusal> {
        let refusals = self.refusals_now();
        let lasting = refusals.lasting.iter();
        let lasting =
            lasting.map(|(&about, (since, why))| Refusal { about, ms: millis(since.elapsed()), why: why.clone() });
        let mut all: Vec<Refusal> = refusals.over.iter().cloned().chain(lasting).collect();
        all.drain(..all.len().saturating_sub(REFUSALS));
        all
    }

    /// Lets the thread that keeps the log look.
    pub fn nudge(&self) {
        let _ = (&self.nudge).write(&[0]);
    }

    /// Waits until something is posted.
    pub fn wait<'a>(&self, outbox: MutexGuard<'a, Outbox>, limit: Duration) -> MutexGuard<'a, Outbox> {
        self.posted.wait_timeout(outbox, limit).unwrap_or_else(PoisonError::into_inner).0
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
