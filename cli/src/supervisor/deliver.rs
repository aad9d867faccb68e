//! Sends the end until the server replies, however long that takes. Then publishes outputs and removes the run folder.
//! An end that is found on the disk is treated like an end of this process.

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

/// Progress of an end.
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
            shared.discards(format!("lost its lease, as the server said at {at:.0}: its result is discarded"));
            log.tend();
            // Without a log on the disk, the notices still wait here.
            shared.notify(folder);
        }
        accepted
    };
    if !accepted || end.outcome != Outcome::Complete {
        publish::discard(folder, run);
    } else if stage != Stage::Ready || publish::publish(folder, run).is_err() {
        // From now on, an interrupted publication can be resumed. If the mark cannot be written, the server is asked
        // again.
        if let Err(error) = folder.mark_accepted() {
            say(format!("{}: the mark that its end was accepted cannot be written: {error}", run.id));
        }
        let says = |text: &str| say(format!("{}: {text}", run.id));
        let published =
            publish::prepare(folder, run, &mut || false, &says).and_then(|()| publish::publish(folder, run));
        match published {
            // The end was accepted before the output became unpublishable. Another try also fails.
            Err(error) if error.is::<Unpublishable>() => says(&format!("its output is thrown away: {error:#}")),
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

/// Keeps a checkpoint on this host if the server does not have it. The next attempt uses it if that attempt runs here.
fn keep_checkpoint(run: &Run, folder: &RunFolder, end: &End) {
    let size = fs::symlink_metadata(folder.checkpoint()).map_or(0, |found| found.len());
    if (end.checkpoint || size > u64::from(run.limits.max_bytes))
        && let Err(error) = folder.keep_checkpoint(run)
    {
        say(format!("{}: the checkpoint cannot be kept: {error}", run.id));
    }
}

/// Sends the end until the server answers. Returns true if the server accepted it. Otherwise the task belongs to
/// another attempt.
fn until_answered(link: &mut Link, log: &mut Rest, folder: &RunFolder, end: &mut End, payload: &mut Vec<u8>) -> bool {
    let mut pause = FIRST_PAUSE;
    // The lease is renewed after each pause.
    let longest = LONGEST_PAUSE.min(link.third());
    let mut refused = false;
    loop {
        let error = match send(link, log, folder, end, payload) {
            // A release after a refusal repeats another process's release, except if it reports the end of a cancelled
            // task.
            Ok(outcome) => return !(refused && outcome == blueque::Outcome::Released),
            Err(Error::Lost) if end.outcome == Outcome::Release => return false,
            // The task may just have been cancelled by force. The server then only waits for the report that nothing
            // runs.
            Err(Error::Lost) => {
                refused = true;
                (end.outcome, end.word) = (Outcome::Release, None);
                (end.checkpoint, end.uncounted) = (false, false);
                (end.inputs, end.next, end.step, end.into) = (None, None, None, None);
                // If the write fails, the stored end leads here again. This also applies to the writes below.
                let _ = folder.write_end(end, payload);
                continue;
            }
            Err(error) => error,
        };
        match error {
            // Repeating the call does not help. The error is reported instead of the result.
            Error::Invalid { .. } | Error::State { .. }
                if end.outcome == Outcome::Complete
                    && (end.step.is_some() || matches!(error, Error::Invalid { .. })) =>
            {
                let goes_on = end.next.take().is_some() | end.step.take().is_some();
                let what = if goes_on { "next step" } else { "result" };
                *payload = format!("the server does not take the {what}: {error}").into_bytes();
                end.outcome = Outcome::Fail;
                end.word = Some("result".into());
                let _ = folder.write_end(end, payload);
            }
            Error::Invalid { .. } | Error::State { .. } if end.inputs.is_some() => {
                *payload = format!("the server does not take what it is to wait for: {error}").into_bytes();
                (end.outcome, end.word, end.inputs) = (Outcome::Fail, Some("suspend".into()), None);
                let _ = folder.write_end(end, payload);
            }
            Error::Invalid { .. } | Error::State { .. } if end.into.is_some() => {
                *payload = format!("the task cannot be given back into that queue: {error}").into_bytes();
                (end.outcome, end.word, end.into) = (Outcome::Fail, Some("into".into()), None);
                let _ = folder.write_end(end, payload);
            }
            // The folder was removed by hand, so this end is no longer wanted.
            _ if !folder.path().exists() => return false,
            error => {
                let size = payload.len();
                let text = format!("its end ({size} bytes) cannot be delivered, and is sent again and again");
                log.shared.refused(About::End, &text, &error);
                log.tend();
                thread::sleep(pause);
                pause = (pause * 2).min(longest);
                // When memory runs out, the server may accept heartbeats and refuse the end.
                if matches!(link.beat(), Err(Error::Lost)) {
                    return repeated(link, end, payload);
                }
            }
        }
    }
}

/// Sends the end without a lease. Returns true if the end was accepted before and only its reply was lost, false if the
/// lease was lost.
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
        // A cleaner may have removed the file. The checkpoint that was read before still waits to be sent.
        let saved = saved.or_else(|error| log.shared.outbox().checkpoint.clone().ok_or(error));
        match saved.map(|bytes| link.send_checkpoint(&bytes)) {
            // The checkpoint is refused permanently, and the end is sent without it.
            Ok(Ok(()) | Err(Error::Invalid { .. })) => end.checkpoint = false,
            Err(error) => {
                log.shared
                    .say(&format!("its last checkpoint cannot be read, the server keeps the one before: {error}"));
                log.tend();
                end.checkpoint = false;
            }
            // The reply to the end shows if the end was accepted before. The end is small: a server without memory for
            // the checkpoint accepts it, and the checkpoint is kept here.
            Ok(Err(Error::Lost | Error::Server { .. })) => {}
            Ok(Err(error)) => return Err(error),
        }
    }
    log.send_edits(link)?;
    log.send_progress(link)?;
    log.send(link)?;
    send_end(link, &client, end, payload)
}

/// The progress and the log, which must be sent before the end, since nothing is added after it.
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
            // The disk does not respond. The server still gets the program's exit.
            let mut outbox = shared.outbox();
            for (source, text) in [("supervisor", std::mem::take(&mut outbox.said).into_bytes()), (EXIT, last)] {
                if !text.is_empty() {
                    outbox.log.push_back(Piece { source: source.into(), text, offset: None });
                }
            }
        }
        Self { shared, journal, begun: None, over: false }
    }

    /// Adds messages that were written in the last interval, if the disk still has the log.
    fn tend(&mut self) {
        let Some(journal) = &mut self.journal else { return };
        let news = !self.shared.outbox().said.is_empty();
        journal.tend(self.shared);
        // The server may accept these messages even if it refuses the end.
        if news {
            (self.begun, self.over) = (None, false);
        }
    }

    /// Sends the changes of the next attempt. After the end, no process has the right to send them.
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

    /// Sends the last progress, unless the server already has it. The progress is optional, like the log.
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

    /// Sends the log while the server accepts it. The log is optional. It is waited for only while the server is away,
    /// because the end then also waits.
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
                // When memory runs out, the server may accept the end and refuse the log.
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
            // The program was stopped because of its deadline. The server discards the result, and nothing is
            // published.
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
