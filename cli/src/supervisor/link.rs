//! The connection to the server. One thread renews the lease and sends the waiting data. There is a minimum pause
//! between two calls of the same kind. If the server does not reply, the thread tries again. The main thread handles
//! the end of the lease.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use blueque::calls::{AppendLogOptions, AttendOptions, CheckpointOptions, EditOptions, StartOptions};
use blueque::constants::{HEARTBEAT_PART, HEARTBEATS_PER_LEASE};
use blueque::{Client, Error, ListenerId, Namespace, Order, QueueName, TaskId, Token};

use super::journal;
use super::shared::{Answer, CANCEL, DRAIN, KILL, Outbox, Piece, STOP, Shared};
use crate::output::say;
use crate::run_folder::notice::{About, Refusal};
use crate::run_folder::{Run, boot_clock_us};
use crate::session::config;
use crate::session::password::Address;

/// Minimum delay between two pieces of the log. Without it, a program that prints slowly causes a call for each line.
const BETWEEN_LOGS: Duration = Duration::from_millis(250);

/// Minimum time in seconds for sending a log of the size that the server keeps.
const LOG_TURN: f64 = 5.0;

const BETWEEN_PROGRESSES: Duration = Duration::from_millis(500);
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(1);
const BETWEEN_BEATS: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_millis(250);

/// A job that can be sent now.
enum Job {
    Start(u32),
    Beat,
    /// Answers the last request of the server, and asks for the next.
    Attend(Option<Answer>),
    Checkpoint(Vec<u8>),
    Progress(Vec<u8>),
    Edit(EditOptions),
    Log(Piece),
}

/// The connection of one attempt.
pub struct Link {
    shared: Arc<Shared>,
    address: Address,
    namespace: Namespace,
    pub id: TaskId,
    pub token: Token,
    queue: QueueName,
    listener: ListenerId,
    pub max_bytes: Option<u32>,
    /// Number of bytes of the log that the server keeps.
    log_bound: u64,
    client: Option<Client>,
    started: bool,
    last_beat: Instant,
    next_beat: Instant,
    next_log: Instant,
    next_progress: Instant,
    next_checkpoint: Instant,
    paused: Instant,
}

impl Link {
    pub fn new(run: &Run, address: Address, shared: Arc<Shared>) -> blueque::Result<Self> {
        let now = Instant::now();
        let first_beat = (shared.lease.length() / HEARTBEATS_PER_LEASE).saturating_sub(shared.lease.age());
        Ok(Self {
            shared,
            address,
            namespace: Namespace::new(run.namespace.as_str())?,
            id: TaskId::new(run.id.as_str())?,
            token: Token::new(run.token)?,
            queue: QueueName::new(run.queue.as_str())?,
            listener: ListenerId::new(run.listener.as_str())?,
            max_bytes: Some(run.limits.max_bytes).filter(|&bytes| bytes != 1 << 20),
            log_bound: journal::bound(run),
            client: None,
            started: false,
            last_beat: now,
            next_beat: now + first_beat,
            next_log: now,
            next_progress: now,
            next_checkpoint: now,
            paused: now,
        })
    }

    /// Returns the connection. Opens it if there is none.
    pub fn client(&mut self) -> blueque::Result<Client> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let url = self.address.secret().ok_or_else(malformed)?;
        let limit =
            (self.shared.lease.length() / HEARTBEAT_PART).clamp(Duration::from_millis(200), Duration::from_secs(5));
        let client = config::builder().namespace(self.namespace.clone()).limit(limit).open(&url)?;
        Ok(self.client.insert(client).clone())
    }

    /// Sends jobs until the outbox requests an end.
    pub fn serve(mut self) -> Self {
        // The link connects while the program is being started.
        self.connect();
        while let Some(job) = self.next() {
            self.attend(job);
        }
        self
    }

    fn connect(&mut self) {
        if let Err(error) = self.client() {
            say(format!("{}: {error}", self.id));
        }
    }

    fn next(&mut self) -> Option<Job> {
        let shared = Arc::clone(&self.shared);
        let mut outbox = shared.outbox();
        while !outbox.leave {
            let wait = match self.due(&mut outbox) {
                Ok(job) => return Some(job),
                Err(wait) => wait,
            };
            outbox = shared.wait(outbox, wait);
        }
        None
    }

    fn due(&mut self, outbox: &mut Outbox) -> Result<Job, Duration> {
        let now = Instant::now();
        let until = |time: Instant| time.saturating_duration_since(now);
        if self.shared.lease.is_lost() {
            return Err(Duration::from_secs(60));
        }
        if now < self.paused {
            return Err(until(self.paused));
        }
        if std::mem::take(&mut outbox.beat) {
            self.next_beat = self.next_beat.min(now.max(self.last_beat + BETWEEN_BEATS));
        }
        if now >= self.next_beat {
            return Ok(Job::Beat);
        }
        let mut wait = until(self.next_beat);
        // The lease began with the reservation, so it must be renewed even if the server refuses the start.
        if !self.started {
            return match self.shared.pid.load(Ordering::Acquire) {
                0 => Err(wait.min(Duration::from_secs(1))),
                pid => Ok(Job::Start(pid)),
            };
        }
        if std::mem::take(&mut outbox.attend) || outbox.answer.is_some() {
            return Ok(Job::Attend(outbox.answer.take()));
        }
        if outbox.checkpoint.is_some() {
            if now >= self.next_checkpoint
                && let Some(checkpoint) = outbox.checkpoint.take()
            {
                return Ok(Job::Checkpoint(checkpoint));
            }
            wait = wait.min(until(self.next_checkpoint));
        }
        if let Some(edit) = outbox.edits.pop_front() {
            return Ok(Job::Edit(edit));
        }
        if outbox.progress.is_some() {
            if now >= self.next_progress
                && let Some(progress) = outbox.progress.take()
            {
                return Ok(Job::Progress(progress));
            }
            wait = wait.min(until(self.next_progress));
        }
        if outbox.log.is_empty() && outbox.more_log && !outbox.ask_log && now >= self.next_log {
            outbox.ask_log = true;
            self.shared.nudge();
        } else if !outbox.log.is_empty() || outbox.more_log && !outbox.ask_log {
            if now >= self.next_log
                && let Some(piece) = outbox.log.pop_front()
            {
                return Ok(Job::Log(piece));
            }
            wait = wait.min(until(self.next_log));
        }
        Err(wait)
    }

    pub fn third(&self) -> Duration {
        self.shared.lease.length() / HEARTBEATS_PER_LEASE
    }

    fn attend(&mut self, job: Job) {
        let outcome = match &job {
            Job::Start(pid) => self.start(*pid),
            Job::Beat => self.beat(),
            Job::Attend(answer) => self.attend_to(answer.as_ref()),
            Job::Checkpoint(bytes) => {
                self.next_checkpoint = Instant::now() + BETWEEN_CHECKPOINTS;
                self.send_checkpoint(bytes)
            }
            Job::Progress(bytes) => {
                self.next_progress = Instant::now() + BETWEEN_PROGRESSES;
                self.send_progress(bytes)
            }
            Job::Edit(options) => self.send_edit(options),
            Job::Log(piece) => {
                self.next_log = Instant::now() + self.pause(piece);
                self.send_log(piece)
            }
        };
        match outcome {
            Ok(()) => {}
            // The lease is lost, or the task was cancelled by force. A heartbeat distinguishes the two cases.
            Err(Error::Lost) if matches!(job, Job::Checkpoint(_)) => match self.beat() {
                Ok(()) => {}
                Err(Error::Lost) => self.shared.lose(),
                Err(error) => self.failed(Job::Beat, &error),
            },
            Err(Error::Lost) => self.shared.lose(),
            Err(Error::Cancelled) => {
                self.started = true;
                self.shared.give(CANCEL);
            }
            Err(error) => self.failed(job, &error),
        }
    }

    /// Reports the first refusal of a call by the server, and the end of the refusals.
    fn note(&self, about: About, error: Option<&Error>) {
        let text = match about {
            About::Start => "the server refuses the start of the program, and the start is sent again",
            _ => "the server refuses heartbeats, which are sent until the lease ends",
        };
        match error {
            None | Some(Error::Cancelled) => self.shared.accepted(about),
            // The attempt is over.
            Some(Error::Lost | Error::State { .. }) => {}
            Some(error) => self.shared.refused(about, text, error),
        }
    }

    /// Returns the calls that the server has refused so far.
    pub fn refusals(&self) -> Vec<Refusal> {
        self.shared.refusals()
    }

    /// Handles an error. After a temporary error, the job is sent again, unless a newer job of its kind waits.
    fn failed(&mut self, job: Job, error: &Error) {
        self.paused = Instant::now() + PAUSE;
        let passes = error.is_transient() || matches!(error, Error::Connection(_) | Error::Unsuitable { .. });
        match job {
            Job::Start(_) if matches!(error, Error::State { .. }) => self.shared.lose(),
            Job::Attend(Some(answer)) if passes => self.shared.outbox().answer = Some(answer),
            Job::Attend(None) if passes => self.shared.outbox().attend = true,
            Job::Checkpoint(bytes) if passes => {
                self.shared.outbox().checkpoint.get_or_insert(bytes);
            }
            Job::Progress(bytes) if passes => {
                self.shared.outbox().progress.get_or_insert(bytes);
            }
            Job::Edit(options) if passes => self.shared.outbox().edits.push_front(options),
            Job::Log(piece) if passes => self.shared.outbox().log.push_front(piece),
            Job::Start(_) | Job::Beat | Job::Attend(_) | Job::Log(_) => {}
            Job::Checkpoint(_) => self.shared.say(&format!("the checkpoint was not saved: {error}")),
            Job::Edit(_) => self.shared.say(&format!("the next attempt is not changed: {error}")),
            Job::Progress(_) => self.shared.say(&format!("the progress was not kept: {error}")),
        }
    }

    fn start(&mut self, pid: u32) -> blueque::Result<()> {
        let started = self.say_start(pid);
        self.note(About::Start, started.as_ref().err());
        if started.is_ok() {
            self.shared.accepted(About::Lease);
        }
        started
    }

    fn say_start(&mut self, pid: u32) -> blueque::Result<()> {
        let client = self.client()?;
        let sent = boot_clock_us();
        client.call(&client.calls().start(&self.id, self.token, pid, &StartOptions::new()))?;
        self.shared.lease.renewed(sent);
        self.started = true;
        self.next_beat = Instant::now() + self.third();
        Ok(())
    }

    /// Renews the lease, and handles the server's orders.
    pub fn beat(&mut self) -> blueque::Result<()> {
        let renewed = self.renew();
        self.note(About::Lease, renewed.as_ref().err());
        renewed
    }

    fn renew(&mut self) -> blueque::Result<()> {
        let client = self.client()?;
        let (sent, begun) = (boot_clock_us(), Instant::now());
        let held = [(self.id.clone(), self.token)];
        let call = client.calls().heartbeat(&self.queue, &self.listener, self.shared.lease.length(), &held);
        match client.call(&call)?.orders.first() {
            None | Some(Order::Lost) => return Err(Error::Lost),
            Some(Order::Kill) => {
                // The lease is no longer renewed, so the server can give the task to another owner when the lease
                // expires.
                (self.last_beat, self.next_beat) = (begun, begun + self.third());
                self.shared.give(KILL);
                return Ok(());
            }
            Some(Order::Attend) => self.shared.outbox().attend = true,
            Some(Order::Cancel) => self.shared.give(CANCEL),
            Some(Order::Drain) => self.shared.give(DRAIN),
            Some(Order::Stop) => self.shared.give(STOP),
            Some(_) => {}
        }
        self.shared.lease.renewed(sent);
        (self.last_beat, self.next_beat) = (begun, begun + self.third());
        Ok(())
    }

    fn attend_to(&mut self, answer: Option<&Answer>) -> blueque::Result<()> {
        let client = self.client()?;
        let mut options = AttendOptions::new();
        if let Some(answer) = answer {
            options = options.answered(answer.number);
            options = answer.refused.iter().fold(options, |options, why| options.refused(why.as_str()));
            options = answer.described.iter().fold(options, |options, text| options.described(text.as_str()));
        }
        if let Some(control) = client.call(&client.calls().attend(&self.id, self.token, &options))? {
            self.shared.ask(control);
        }
        Ok(())
    }

    pub fn send_checkpoint(&mut self, bytes: &[u8]) -> blueque::Result<()> {
        let client = self.client()?;
        let options = self.max_bytes.into_iter().fold(CheckpointOptions::new(), CheckpointOptions::max_bytes);
        client.call(&client.calls().checkpoint(&self.id, self.token, bytes, &options))
    }

    pub fn send_progress(&mut self, bytes: &[u8]) -> blueque::Result<()> {
        let client = self.client()?;
        client.call(&client.calls().progress(&self.id, self.token, bytes))
    }

    pub fn send_edit(&mut self, options: &EditOptions) -> blueque::Result<()> {
        let client = self.client()?;
        let options = options.clone().token(self.token.value());
        let options = self.max_bytes.into_iter().fold(options, EditOptions::max_bytes);
        client.call(&client.calls().edit(&self.id, &options)).map(|_| ())
    }

    pub fn send_log(&mut self, piece: &Piece) -> blueque::Result<()> {
        let client = self.client()?;
        let options = piece.offset.into_iter().fold(AppendLogOptions::new(), AppendLogOptions::offset);
        client.call(&client.calls().append_log(&self.id, self.token, &piece.source, &piece.text, &options)).map(drop)
    }

    /// Returns the delay after this piece. The delay grows with the size of the piece relative to the size that the
    /// server keeps.
    fn pause(&self, piece: &Piece) -> Duration {
        #[allow(clippy::cast_precision_loss, reason = "a pause needs no precision")]
        let share = (piece.text.len() as u64 + journal::ENTRY) as f64 / self.log_bound.max(1) as f64;
        let pause = Duration::from_secs_f64((share * LOG_TURN).min(LOG_TURN));
        let outbox = self.shared.outbox();
        // While more pieces are available, the minimum delay does not apply.
        if outbox.log.is_empty() && !outbox.more_log { pause.max(BETWEEN_LOGS) } else { pause }
    }

    /// Renews the lease if that is due. Called during long operations.
    pub fn tend(&mut self) -> blueque::Result<()> {
        if Instant::now() < self.next_beat { Ok(()) } else { self.beat() }
    }
}

/// Returns the error for a run whose URL cannot be used.
fn malformed() -> Error {
    let kind = redis::ErrorKind::InvalidClientConfig;
    Error::Connection((kind, "the URL in run.json is malformed").into())
}
