//! The thread that reads everything that the program writes: its output, its events and its checkpoints.

use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::process::{ChildStderr, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::change::{Edit, Next};
use super::files::{Checkpoint, Events, Found, Said};
use super::journal::Journal;
use super::output::{LastWords, Shape, Spool};
use super::shared::Shared;
use crate::output::Redraws;
use crate::run_folder::{Run, RunFolder, boot_clock_us};

/// Interval at which the files are read.
const LOOK: Duration = Duration::from_millis(250);

/// Time for which a pipe is still read after all processes were killed, if a process keeps the pipe open.
const REMNANT: Duration = Duration::from_secs(1);

/// The results of reading everything that the program wrote.
#[derive(Debug, Default)]
pub struct Seen {
    pub stdout: Spool,
    pub shape: Shape,
    pub last_words: String,
    /// Number of seconds before a retry, as the program requested in case it fails.
    pub again: Option<f64>,
    /// The failure group that the program requested in case it fails.
    pub group: Option<String>,
    /// The tasks to wait for, if the program asks to be run again.
    pub suspend: Option<String>,
    /// The next step that the program requested in case it succeeds, or the error in this request.
    pub next: Option<Result<Next, String>>,
    /// The queue for the task, if the program asks to be run again.
    pub into: Option<String>,
    /// The digest of the last checkpoint that the server can accept, if the program wrote one.
    pub checkpoint: Option<Vec<u8>>,
    /// True if the checkpoint file is too large for the server.
    pub too_large: bool,
    /// True if the run folder is still the folder in which the program started.
    pub there: bool,
    /// True if the files could not be read in time, so that the results of the program are unknown.
    pub blind: bool,
    /// The log, which the caller must close.
    pub journal: Option<Box<Journal>>,
}

impl Seen {
    /// Returns the results if the files cannot be read.
    pub fn nothing() -> Self {
        Self { blind: true, ..Self::default() }
    }
}

/// Maximum number of changes of the next attempt that wait for the server. After that, each change replaces the newest
/// change.
const EDITS: usize = 64;

/// Shortest time between two states of a progress bar in the log.
const REDRAWS: Duration = Duration::from_secs(1);

pub struct Capture {
    /// The streams of the program, with progress bars thinned out for the log.
    streams: [(&'static str, Redraws); 2],
    shared: Arc<Shared>,
    limit: u64,
    journal: Journal,
    events: Events,
    checkpoint: Checkpoint,
    first: Option<Vec<u8>>,
    seen: Seen,
    words: LastWords,
}

impl Capture {
    /// Prepares the capture. Must be called before the program starts, so that existing files are known.
    pub fn new(folder: &RunFolder, run: &Run, shared: Arc<Shared>) -> Self {
        let limit = u64::from(run.limits.max_bytes);
        let checkpoint = Checkpoint::new(folder.checkpoint(), limit);
        Self {
            streams: ["stdout", "stderr"].map(|source| (source, Redraws::each(REDRAWS))),
            limit,
            journal: Journal::open(folder, run),
            events: Events::new(folder.events()),
            first: checkpoint.digest().map(<[u8]>::to_vec),
            checkpoint,
            seen: Seen { stdout: Spool::open(folder.stdout()), ..Seen::default() },
            words: LastWords::default(),
            shared,
        }
    }

    /// Reads repeatedly until `ended` is closed, and then one last time.
    pub fn watch(mut self, stdout: ChildStdout, stderr: ChildStderr, ended: &UnixStream) -> Seen {
        let (mut stdout, mut stderr) = (Some(stdout), Some(stderr));
        let mut buffer = vec![0; 64 << 10];
        let mut looked = Instant::now();
        let mut until: Option<Instant> = None;
        while until.is_none_or(|until| Instant::now() < until && (stdout.is_some() || stderr.is_some())) {
            let ready = wait(
                [
                    Some(ended.as_fd()).filter(|_| until.is_none()),
                    stdout.as_ref().map(AsFd::as_fd),
                    stderr.as_ref().map(AsFd::as_fd),
                    Some(self.shared.nudged.as_fd()),
                ],
                LOOK.saturating_sub(looked.elapsed()),
            );
            if ready[1] {
                self.take("stdout", &mut stdout, &mut buffer);
            }
            if ready[2] {
                self.take("stderr", &mut stderr, &mut buffer);
            }
            if (ready[1] || ready[2]) && stdout.is_none() && stderr.is_none() {
                self.shared.drained.store(true, Ordering::Release);
                self.shared.wake();
            }
            if ready[3] {
                let mut sink = [0; 64];
                while (&self.shared.nudged).read(&mut sink).is_ok_and(|read| read == sink.len()) {}
                self.journal.tend(&self.shared);
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                self.look(false);
            }
            if ready[0] {
                until = Some(Instant::now() + REMNANT);
            }
        }
        self.look(true);
        self.log_redraws(Redraws::finish);
        self.seen.last_words = self.words.text();
        if self.checkpoint.digest() != self.first.as_deref() {
            self.seen.checkpoint = self.checkpoint.digest().map(<[u8]>::to_vec);
        }
        self.journal.tend(&self.shared);
        self.seen.journal = Some(Box::new(self.journal));
        self.seen
    }

    fn take(&mut self, source: &'static str, pipe: &mut Option<impl Read>, buffer: &mut [u8]) {
        let read = match pipe.as_mut().map(|pipe| pipe.read(buffer)) {
            Some(Ok(read)) if read > 0 => read,
            Some(Err(error)) if error.kind() == std::io::ErrorKind::Interrupted => return,
            _ => {
                *pipe = None;
                return;
            }
        };
        let bytes = buffer.get(..read).unwrap_or_default();
        self.shared.sign_of_life();
        if let Some((_, redraws)) = self.streams.iter_mut().find(|(name, _)| *name == source) {
            let text = redraws.next(bytes);
            if !text.is_empty() {
                self.journal.write(&self.shared, source, &text);
            }
        }
        if source == "stdout" {
            self.seen.stdout.write(bytes, self.limit);
            self.seen.shape.write(bytes);
        } else {
            self.words.write(bytes);
        }
    }

    /// Writes the states of progress bars that were held back.
    fn log_redraws(&mut self, take: fn(&mut Redraws) -> Vec<u8>) {
        for (source, redraws) in &mut self.streams {
            let text = take(redraws);
            if !text.is_empty() {
                self.journal.write(&self.shared, source, &text);
            }
        }
    }

    /// Passes on a change of the next attempt.
    fn edit(&self, edit: &Edit) {
        let parameters = edit.parameters.as_ref().map(|source| source.read(self.limit)).transpose();
        match parameters.map(|parameters| edit.options(parameters)) {
            Err(error) => self.shared.say(&format!("the next attempt is not changed: {error}")),
            Ok(options) => self.shared.post(|outbox| {
                outbox.edits.truncate(EDITS - 1);
                outbox.edits.push_back(options);
            }),
        }
    }

    fn look(&mut self, at_end: bool) {
        self.log_redraws(Redraws::due);
        let said = self.events.read(at_end);
        if !said.is_empty() {
            self.shared.sign_of_life();
        }
        for said in said {
            match said {
                Said::Progress(progress) => self.shared.post(|outbox| outbox.progress = Some(progress)),
                Said::Log(text) => self.journal.write(&self.shared, "event", format!("{text}\n").as_bytes()),
                Said::Other(text) => self.shared.say(&text),
                Said::Alive => {}
                Said::Again(seconds) => self.seen.again = Some(seconds),
                Said::Group(group) => self.seen.group = Some(group),
                Said::Suspend(inputs) => self.seen.suspend = Some(inputs),
                Said::Next(next) => self.seen.next = Some(next),
                Said::Edit(edit) => self.edit(&edit),
                Said::Into(queue) => self.seen.into = Some(queue),
                Said::Extend(seconds) => {
                    let until = Duration::try_from_secs_f64(seconds).map_or(u64::MAX, |time| {
                        boot_clock_us().saturating_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
                    });
                    self.shared.extended.fetch_max(until, Ordering::AcqRel);
                    self.shared.wake();
                }
            }
        }
        match self.checkpoint.look(at_end) {
            Found::Nothing => return,
            Found::New(bytes) => {
                self.seen.too_large = false;
                self.shared.post(|outbox| outbox.checkpoint = Some(bytes));
            }
            Found::TooLarge(_) if self.seen.too_large && at_end => {}
            Found::TooLarge(size) => {
                self.seen.too_large = true;
                self.shared.say(&format!(
                    "the checkpoint has {size} bytes; the server takes {}: it is kept for an attempt on this host",
                    self.limit
                ));
            }
            Found::Unreadable(error) => self.shared.say(&format!(
                "the checkpoint cannot be read: {error}: write it to a file aside, a folder packed into one, and rename that"
            )),
        }
        self.shared.sign_of_life();
    }
}

/// Waits for these descriptors, and returns which can be read or have been closed.
fn wait(fds: [Option<BorrowedFd<'_>>; 4], limit: Duration) -> [bool; 4] {
    let mut polled: Vec<PollFd> = fds.iter().flatten().map(|&fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
    // The limit is rounded up, to avoid polling within the last millisecond.
    let limit = u16::try_from(limit.as_micros().div_ceil(1_000)).unwrap_or(u16::MAX);
    if poll(&mut polled, PollTimeout::from(limit)).is_err() {
        return [false; 4];
    }
    let mut ready = polled.iter().map(|fd| fd.any().unwrap_or(true));
    fds.map(|fd| fd.is_some() && ready.next().unwrap_or(false))
}
