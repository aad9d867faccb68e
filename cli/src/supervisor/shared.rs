//! State that the supervisor's threads share: the lease, the orders, and the data that waits to be sent.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use blueque::calls::EditOptions;
use blueque::{Control, Error};
use jiff::Timestamp;

use crate::output::{causes, clean_line, say, told, unnumbered};
use crate::run_folder::notice::{About, Notice, Refusal};
use crate::run_folder::{Run, RunFolder, boot_clock_us, boot_id};

/// Maximum number of bytes of the supervisor's messages that wait to be written.
const SAID: usize = 64 << 10;

/// Maximum number of notices for the worker that wait to be written.
const NOTICES: usize = 64;

/// Maximum number of past refusals that are stored.
const REFUSALS: usize = 3;

/// Maximum number of characters of a refusal's reason, when it is reported with other data.
const WHY: usize = 100;

/// Maximum margin in microseconds. All processes are killed this time before the end of the lease.
const MARGIN_US: u64 = 5_000_000;

/// Orders of the server. A larger number overrides a smaller number.
pub const GO_ON: u8 = 0;
pub const DRAIN: u8 = 1;
pub const STOP: u8 = 2;
pub const CANCEL: u8 = 3;
/// Order to kill the program without a grace period. The lease is no longer renewed.
pub const KILL: u8 = 4;

/// The lease of this attempt.
#[derive(Debug, Default)]
pub struct Lease {
    renewed: AtomicU64,
    length: u64,
    lost: AtomicBool,
    /// True if the server reported that the lease is lost.
    told: AtomicBool,
    /// True if no process of the attempt is left. Then the lease ends only when the server reports it.
    idle: AtomicBool,
}

impl Lease {
    pub fn of(run: &Run) -> Self {
        let length = run.lease_ms.saturating_mul(1_000);
        // A time of the clock of another boot has no meaning.
        let renewed = if run.boot == boot_id() { run.renewed_us } else { 0 };
        Self { renewed: AtomicU64::new(renewed), length, ..Self::default() }
    }

    pub fn length(&self) -> Duration {
        Duration::from_micros(self.length)
    }

    /// Returns the time since the last renewal.
    pub fn age(&self) -> Duration {
        Duration::from_micros(boot_clock_us().saturating_sub(self.renewed.load(Ordering::Acquire)))
    }

    /// Records that the server acknowledged a renewal that was sent at this time.
    pub fn renewed(&self, sent: u64) {
        self.renewed.fetch_max(sent, Ordering::AcqRel);
    }

    /// Returns the time at which all processes must have ended, in microseconds of `boot_clock_us`.
    pub fn end(&self) -> u64 {
        let margin = (self.length / 5).min(MARGIN_US);
        self.renewed.load(Ordering::Acquire).saturating_add(self.length - margin)
    }

    /// Records that no process of the attempt is left. From now on the lease is renewed until the server refuses.
    pub fn idles(&self) {
        self.idle.store(true, Ordering::Release);
    }

    /// Returns true if the attempt is over, according to the server or the clock. This is final.
    pub fn is_lost(&self) -> bool {
        if self.idle.load(Ordering::Acquire) {
            return self.told.load(Ordering::Acquire);
        }
        if boot_clock_us() >= self.end() {
            self.lost.store(true, Ordering::Release);
        }
        self.lost.load(Ordering::Acquire)
    }

    /// Records the server's report that the task belongs to another attempt.
    pub fn lose(&self) {
        self.told.store(true, Ordering::Release);
        self.lost.store(true, Ordering::Release);
    }

    /// Returns a message about the reason for which the lease was lost.
    pub fn words(&self) -> String {
        let at = Timestamp::now();
        if self.told.load(Ordering::Acquire) {
            return format!("lost its lease at {at:.0}, as the server reported");
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
    /// Number of bytes of output before the piece, if they were counted.
    pub offset: Option<u64>,
}

impl Piece {
    /// Returns the number of bytes of output up to the end of the piece.
    pub fn end(&self) -> Option<u64> {
        Some(self.offset? + self.text.len() as u64)
    }
}

/// Present and past refusals of calls by the server. A present refusal has a start and a reason.
#[derive(Debug, Default)]
struct Refusals {
    lasting: BTreeMap<About, (Instant, String)>,
    over: Vec<Refusal>,
}

/// The answer to a request of the server.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub number: u64,
    /// The reason for a refusal.
    pub refused: Option<String>,
    pub described: Option<String>,
}

/// Data that waits to be sent. Each kind of data has a maximum size.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a separate request")]
pub struct Outbox {
    /// Messages of the supervisor for the log.
    pub said: String,
    /// Notices for the supervisor's worker.
    pub notices: Vec<Notice>,
    /// Pieces of the log.
    pub log: VecDeque<Piece>,
    /// True if more of the log can be read.
    pub more_log: bool,
    /// True if pieces of the log are requested.
    pub ask_log: bool,
    pub progress: Option<Vec<u8>>,
    pub checkpoint: Option<Vec<u8>>,
    /// Changes of the next attempt, in the order in which the program requested them.
    pub edits: VecDeque<EditOptions>,
    /// True if the server has a request for the owner.
    pub attend: bool,
    /// The answer to the last request.
    pub answer: Option<Answer>,
    /// True if a heartbeat is requested at once.
    pub beat: bool,
    /// True if the link must end.
    pub leave: bool,
}

/// State that all threads of a supervisor share.
#[derive(Debug)]
pub struct Shared {
    id: String,
    pub lease: Lease,
    /// Time of the program's last event, checkpoint or output.
    pub alive: AtomicU64,
    /// Time until which the program has asked to run.
    pub extended: AtomicU64,
    /// The program's pid, once it has started.
    pub pid: AtomicU32,
    /// True if both pipes of the program have been read to their end.
    pub drained: AtomicBool,
    order: AtomicU8,
    control: Mutex<Option<Control>>,
    refusals: Mutex<Refusals>,
    outbox: Mutex<Outbox>,
    posted: Condvar,
    wake: UnixStream,
    nudge: UnixStream,
    /// Becomes readable when another thread calls `nudge`, to wake the thread that writes the log.
    pub nudged: UnixStream,
}

impl Shared {
    /// Creates the state. The main thread is woken by a write to `wake`.
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
            drained: AtomicBool::new(false),
            order: AtomicU8::new(GO_ON),
            control: Mutex::default(),
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

    /// Records an order, which never replaces a more severe order.
    pub fn give(&self, order: u8) {
        if self.order.fetch_max(order, Ordering::AcqRel) < order {
            self.wake();
        }
    }

    /// Passes a request of the server to the main thread.
    pub fn ask(&self, control: Control) {
        *self.control.lock().unwrap_or_else(PoisonError::into_inner) = Some(control);
        self.wake();
    }

    pub fn asked(&self) -> Option<Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub fn lose(&self) {
        self.lease.lose();
        self.wake();
    }

    /// Wakes the main thread.
    pub fn wake(&self) {
        // A full pipe also wakes the main thread.
        let _ = (&self.wake).write(&[0]);
    }

    pub fn sign_of_life(&self) {
        self.alive.store(boot_clock_us(), Ordering::Release);
    }

    pub fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the outbox, and wakes the link.
    pub fn post(&self, change: impl FnOnce(&mut Outbox)) {
        change(&mut self.outbox());
        self.posted.notify_all();
    }

    /// Writes a message to the task's log.
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

    /// Adds a notice to the logs of the task, of the supervisors and of the worker.
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

    /// Passes waiting notices to the worker.
    pub fn notify(&self, folder: &RunFolder) {
        let notices = std::mem::take(&mut self.outbox().notices);
        for notice in notices {
            // An error is ignored, because the task's log and the exit code contain the same information.
            let _ = folder.notify(&notice);
        }
    }

    /// Adds a notice that the attempt is over and its result is discarded.
    pub fn discards(&self, text: String) {
        self.announce(Notice { lost: true, ..Notice::new(About::Lease, text) });
    }

    fn refusals_now(&self) -> MutexGuard<'_, Refusals> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the server refuses a call. Reports the first of several refusals.
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
        self.announce(Notice { why: Some(why), ..Notice::new(about, text) });
    }

    /// Records that the server has accepted a call. Reports that the refusals have ended.
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
        self.announce(Notice::new(about, text));
    }

    /// Adds the refusals of an earlier supervisor.
    pub fn remember(&self, refused: &[Refusal]) {
        self.refusals_now().over.extend_from_slice(refused);
    }

    /// Returns the latest past and present refusals.
    pub fn refusals(&self) -> Vec<Refusal> {
        let refusals = self.refusals_now();
        let lasting = refusals.lasting.iter();
        let lasting =
            lasting.map(|(&about, (since, why))| Refusal { about, ms: millis(since.elapsed()), why: why.clone() });
        let mut all: Vec<Refusal> = refusals.over.iter().cloned().chain(lasting).collect();
        all.drain(..all.len().saturating_sub(REFUSALS));
        all
    }

    /// Wakes the thread that writes the log.
    pub fn nudge(&self) {
        let _ = (&self.nudge).write(&[0]);
    }

    /// Waits until the outbox is changed, at most for `limit`.
    pub fn wait<'a>(&self, outbox: MutexGuard<'a, Outbox>, limit: Duration) -> MutexGuard<'a, Outbox> {
        self.posted.wait_timeout(outbox, limit).unwrap_or_else(PoisonError::into_inner).0
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
