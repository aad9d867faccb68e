//! Sends the end of an attempt until the server replies, without a time limit. Then publishes the output and removes
//! the run folder. An end that an earlier supervisor stored is sent in the same way.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use blueque::calls::{CompleteOptions, FailOptions, ReleaseOptions};
use blueque::constants::RESULT_BYTES;
use blueque::{Client, Error, Inputs};
use jiff::Timestamp;

use super::contents::Unpublishable;
use super::journal::Journal;
use super::link::Link;
use super::publish;
use super::shared::{Piece, Shared};
use crate::logs::EXIT;
use crate::output::say;
use crate::run_folder::end::{Cost, End, Outcome};
use crate::run_folder::notice::About;
use crate::run_folder::{Run, RunFolder, open};

/// Maximum time for sending the rest of a log before the end.
const LOG_LIMIT: Duration = Duration::from_secs(60);

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The outcome of sending an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivered {
    Taken,
    /// The task belongs to another attempt, so the result is discarded.
    Discarded,
}

/// The progress of the delivery of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Ended,
    /// The output of the attempt is prepared.
    Ready,
    /// The server has accepted the end.
    Accepted,
}

/// Sends the end, and acts on the reply.
pub fn deliver(
    link: &mut Link,
    shared: &Shared,
    run: &Run,
    folder: &RunFolder,
    (mut end, mut payload): (End, Vec<u8>),
    journal: Option<Box<Journal>>,
    stage: Stage,
) -> anyhow::Result<Delivered> {
    let made = end.outcome;
    let accepted = stage == Stage::Accepted || {
        let mut log = Rest::new(shared, journal, &end);
        let accepted = until_answered(link, &mut log, folder, &mut end, &mut payload);
        if accepted {
            shared.accepted(About::End);
            log.tend();
        } else if made != Outcome::Release {
            let at = Timestamp::now();
            shared.discards(format!("lost its lease, as the server reported at {at:.0}: its result is discarded"));
            log.tend();
            // If there is no log on the disk, no other thread has sent the notices.
            shared.notify(folder);
        }
        accepted
    };
    if !accepted || end.outcome != Outcome::Complete {
        publish::discard(folder, run);
    } else if stage != Stage::Ready || publish::publish(folder, run).is_err() {
        // With the mark, an interrupted publication can be resumed. Without it, the next supervisor sends the end
        // again.
        if let Err(error) = folder.mark_accepted() {
            say(format!("{}: the mark that its end was accepted cannot be written: {error}", run.id));
        }
        let says = |text: &str| say(format!("{}: {text}", run.id));
        let published =
            publish::prepare(folder, run, &mut || false, &says).and_then(|()| publish::publish(folder, run));
        match published {
            // The server has accepted the end, but the output cannot be published. A retry would also fail.
            Err(error) if error.is::<Unpublishable>() => says(&format!("its output is discarded: {error:#}")),
            published => published
                .with_context(|| format!("the output was not published and stays in {}", folder.path().display()))?,
        }
    }
    if end.outcome != Outcome::Complete {
        keep_checkpoint(run, folder, &end);
    }
    folder.remove().with_context(|| format!("{} cannot be removed", folder.path().display()))?;
    Ok(if accepted || made == Outcome::Release { Delivered::Taken } else { Delivered::Discarded })
}

/// Stores a checkpoint on this host if the server does not have it. If the next attempt also runs here, it uses the
/// checkpoint.
fn keep_checkpoint(run: &Run, folder: &RunFolder, end: &End) {
    let size = fs::symlink_metadata(folder.checkpoint()).map_or(0, |found| found.len());
    if (end.checkpoint || size > u64::from(run.limits.max_bytes))
        && let Err(error) = folder.keep_checkpoint(run)
    {
        say(format!("{}: the checkpoint cannot be stored: {error}", run.id));
    }
}

/// Sends the end until the server answers. Returns true if the server accepted it. Otherwise the task belongs to
/// another attempt.
fn until_answered(link: &mut Link, log: &mut Rest, folder: &RunFolder, end: &mut End, payload: &mut Vec<u8>) -> bool {
    let mut pause = FIRST_PAUSE;
    // No pause is longer than a third of the lease, because the lease is renewed only after each pause.
    let longest = LONGEST_PAUSE.min(link.third());
    let mut refused = false;
    loop {
        let error = match send(link, log, folder, end, payload) {
            // If the server accepts a release after it refused the end, another process has released the attempt
            // before. The exception is the release of a cancelled task.
            Ok(outcome) => return !(refused && outcome == blueque::Outcome::Released),
            Err(Error::Lost) if end.outcome == Outcome::Release => return false,
            // The task may have been cancelled by force. Then the server waits for a release, which proves that no
            // process of the attempt runs.
            Err(Error::Lost) => {
                refused = true;
                (end.outcome, end.word) = (Outcome::Release, None);
                (end.checkpoint, end.uncounted) = (false, false);
                (end.inputs, end.next, end.step, end.into) = (None, None, None, None);
                // If this write fails and the supervisor dies, the next supervisor comes to the same result from the
                // stored end. This also applies to the writes below.
                let _ = folder.write_end(end, payload);
                continue;
            }
            Err(error) => error,
        };
        let is_final = matches!(error, Error::Invalid { .. } | Error::State { .. });
        match error {
            // A repeated call would also fail. Therefore the task fails with this error.
            error
                if is_final
                    && end.outcome == Outcome::Complete
                    && (end.step.is_some() || matches!(error, Error::Invalid { .. })) =>
            {
                let goes_on = end.next.take().is_some() | end.step.take().is_some();
                let what = if goes_on { "next step" } else { "result" };
                fail("result", format!("the server does not take the {what}: {error}"), folder, end, payload);
            }
            error if is_final && end.inputs.is_some() => {
                end.inputs = None;
                fail("suspend", format!("the server refuses the tasks to wait for: {error}"), folder, end, payload);
            }
            error if is_final && end.into.is_some() => {
                end.into = None;
                fail("into", format!("the task cannot be given back into that queue: {error}"), folder, end, payload);
            }
            // A person has removed the folder, so the end need not be sent.
            _ if !folder.path().exists() => return false,
            error => {
                let size = payload.len();
                let text = format!("its end ({size} bytes) cannot be delivered, and is sent again");
                log.shared.refused(About::End, &text, &error);
                log.tend();
                thread::sleep(pause);
                pause = (pause * 2).min(longest);
                // A server whose memory is full may refuse the end, but accept heartbeats.
                if matches!(link.beat(), Err(Error::Lost)) {
                    return repeated(link, end, payload);
                }
            }
        }
    }
}

/// Turns the end into a failure of this group, with this error.
fn fail(group: &str, error: String, folder: &RunFolder, end: &mut End, payload: &mut Vec<u8>) {
    *payload = error.into_bytes();
    (end.outcome, end.word) = (Outcome::Fail, Some(group.into()));
    let _ = folder.write_end(end, payload);
}

/// Sends the end again after the lease was lost. Returns true if the server had accepted the end before, and only the
/// reply was lost.
fn repeated(link: &mut Link, end: &End, payload: &[u8]) -> bool {
    link.client().and_then(|client| send_end(link, &client, end, payload)).is_ok()
}

fn send(
    link: &mut Link,
    log: &mut Rest,
    folder: &RunFolder,
    end: &mut End,
    payload: &[u8],
) -> blueque::Result<blueque::Outcome> {
    let client = link.client()?;
    if end.checkpoint {
        let saved = open::read(&folder.checkpoint(), RESULT_BYTES.into());
        // The file may have been removed. Then the checkpoint in the outbox, which was read earlier, is sent.
        let saved = saved.or_else(|error| log.shared.outbox().checkpoint.clone().ok_or(error));
        match saved.map(|bytes| link.send_checkpoint(&bytes)) {
            // The server has accepted the checkpoint, or refuses it permanently. The end follows.
            Ok(Ok(()) | Err(Error::Invalid { .. })) => end.checkpoint = false,
            Err(error) => {
                log.shared
                    .say(&format!("its last checkpoint cannot be read, the server keeps the one before: {error}"));
                log.tend();
                end.checkpoint = false;
            }
            // After a lost lease, the reply to the end shows if the end was accepted before. A server without memory
            // for the checkpoint may still accept the end, and the checkpoint is stored on this host.
            Ok(Err(Error::Lost | Error::Server { .. })) => {}
            Ok(Err(error)) => return Err(error),
        }
    }
    log.send_edits(link)?;
    log.send_progress(link)?;
    log.send(link)?;
    send_end(link, &client, end, payload)
}

/// The last progress and the rest of the log. They must be sent before the end, because the server accepts nothing
/// after it.
struct Rest<'a> {
    shared: &'a Shared,
    journal: Option<Box<Journal>>,
    /// Time since which the log is being sent.
    begun: Option<Instant>,
    over: bool,
}

impl<'a> Rest<'a> {
    fn new(shared: &'a Shared, mut journal: Option<Box<Journal>>, end: &End) -> Self {
        let last = [serde_json::to_vec(&end.post_mortem).unwrap_or_default(), b"\n".to_vec()].concat();
        if let Some(journal) = &mut journal {
            journal.close(shared, &last);
        } else {
            // The disk does not respond. The post-mortem of the program is sent without it.
            let mut outbox = shared.outbox();
            for (source, text) in [("supervisor", std::mem::take(&mut outbox.said).into_bytes()), (EXIT, last)] {
                if !text.is_empty() {
                    outbox.log.push_back(Piece { source: source.into(), text, offset: None });
                }
            }
        }
        Self { shared, journal, begun: None, over: false }
    }

    /// Adds new messages of the supervisor to the log, if there is a log on the disk.
    fn tend(&mut self) {
        let Some(journal) = &mut self.journal else { return };
        let news = !self.shared.outbox().said.is_empty();
        journal.tend(self.shared);
        // The log is sent again, because the server may accept the messages even if it refuses the end.
        if news {
            (self.begun, self.over) = (None, false);
        }
    }

    /// Sends the changes of the next attempt. The server would not accept them after the end.
    fn send_edits(&mut self, link: &mut Link) -> blueque::Result<()> {
        loop {
            let Some(edit) = self.shared.outbox().edits.pop_front() else { return Ok(()) };
            match link.tend().and_then(|()| link.send_edit(&edit)) {
                Ok(()) => {}
                Err(Error::Lost) => return Ok(()), // the end is also refused, or was accepted before
                Err(error @ (Error::Invalid { .. } | Error::State { .. })) => {
                    self.shared.say(&format!("the next attempt is not changed: {error}"));
                    self.tend();
                }
                Err(error) => {
                    self.shared.outbox().edits.push_front(edit);
                    return Err(error);
                }
            }
        }
    }

    /// Sends the last progress, unless the server already has it. Other errors than outages are ignored, because the
    /// progress is optional.
    fn send_progress(&self, link: &mut Link) -> blueque::Result<()> {
        let Some(progress) = self.shared.outbox().progress.take() else { return Ok(()) };
        match link.send_progress(&progress) {
            Err(error @ (Error::Unavailable { .. } | Error::Connection(_))) => {
                self.shared.outbox().progress = Some(progress);
                Err(error)
            }
            _ => Ok(()),
        }
    }

    /// Sends the log as long as the server accepts it. The log is optional, so only an outage of the server, during
    /// which the end must also wait, makes it wait.
    fn send(&mut self, link: &mut Link) -> blueque::Result<()> {
        while !self.over {
            let Some(piece) = self.next() else { break };
            if self.begun.get_or_insert_with(Instant::now).elapsed() > LOG_LIMIT {
                break;
            }
            match link.tend().and_then(|()| link.send_log(&piece)) {
                Ok(()) => {}
                Err(error @ (Error::Unavailable { .. } | Error::Connection(_))) => {
                    self.shared.outbox().log.push_front(piece);
                    self.begun = None;
                    return Err(error);
                }
                // A server whose memory is full may refuse the log, but accept the end.
                Err(error) if error.is_transient() => {
                    self.shared.outbox().log.push_front(piece);
                    return Ok(());
                }
                Err(_) => break,
            }
        }
        self.over = true;
        Ok(())
    }

    fn next(&mut self) -> Option<Piece> {
        let waits = self.shared.outbox().log.pop_front();
        waits.or_else(|| self.journal.as_mut()?.next_piece())
    }
}

fn send_end(link: &Link, client: &Client, end: &End, payload: &[u8]) -> blueque::Result<blueque::Outcome> {
    let calls = client.calls();
    let word = end.word.as_deref();
    let again = end.again.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let cost = Cost { refused: link.refusals(), ..end.post_mortem.cost.clone() }.told(end.outcome);
    let cost = cost.as_deref();
    match end.outcome {
        Outcome::Complete => {
            let options = link.max_bytes.into_iter().fold(CompleteOptions::new(), CompleteOptions::max_bytes);
            let options = cost.into_iter().fold(options, CompleteOptions::cost);
            let options = end.next.iter().fold(options, CompleteOptions::next);
            let options = end.step.iter().fold(options, |options, step| step.of(options, payload));
            let own = end.step.as_ref().is_some_and(|step| step.own_parameters);
            let payload = if own { b"null" } else { payload };
            // If the task's deadline has passed, the server discards the result, and its reply has another outcome.
            // Then no output is published.
            match client.call(&calls.complete(&link.id, link.token, payload, &options))? {
                blueque::Outcome::Complete => Ok(blueque::Outcome::Complete),
                _ => Err(Error::Lost),
            }
        }
        Outcome::Fail => {
            let options = FailOptions::new().permanent(end.permanent);
            let options = word.into_iter().fold(options, FailOptions::group);
            let options = again.into_iter().fold(options, FailOptions::again);
            let options = cost.into_iter().fold(options, FailOptions::cost);
            client.call(&calls.fail(&link.id, link.token, payload, &options))
        }
        Outcome::Release => {
            let options = ReleaseOptions::new().uncounted(end.uncounted);
            let options = word.into_iter().fold(options, ReleaseOptions::reason);
            let options = cost.into_iter().fold(options, ReleaseOptions::cost);
            let options = again.into_iter().fold(options, ReleaseOptions::again);
            let inputs = end.inputs.as_deref().map(Inputs::from_text);
            let options = inputs.iter().fold(options, ReleaseOptions::inputs);
            let options = end.into.iter().fold(options, ReleaseOptions::into);
            client.call(&calls.release(&link.id, link.token, &options))
        }
    }
}
