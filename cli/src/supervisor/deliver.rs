//! The end is sent until the server has answered, however long that takes; then outputs are published and
//! the run folder is removed. It is the same for an end of this process and for one found on the disk.

use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use blueque::calls::{CompleteOptions, FailOptions, ReleaseOptions};
use blueque::{Client, Error};

use super::link::Link;
use super::publish;
use super::shared::Shared;
use crate::output::say;
use crate::run_folder::end::{End, Outcome};
use crate::run_folder::{Run, RunFolder, open};

/// No server takes a larger checkpoint.
const MOST: u64 = 8 << 20;

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Sends the end, and does what follows from the answer.
pub fn deliver(
    link: &mut Link,
    shared: &Shared,
    run: &Run,
    folder: &RunFolder,
    mut end: End,
    mut payload: Vec<u8>,
) -> anyhow::Result<()> {
    let accepted = folder.accepted().exists() || until_answered(link, shared, folder, &mut end, &mut payload);
    if accepted && end.outcome == Outcome::Complete {
        // Known from now on: a publication that is cut off goes on where it was.
        let _ = open::create(&folder.accepted()).and_then(|file| file.sync_all());
        publish::publish(folder, run)
            .with_context(|| format!("the output was not published and stays in {}", folder.path().display()))?;
    }
    if end.outcome != Outcome::Complete {
        keep_checkpoint(run, folder, &end);
    }
    folder.remove().with_context(|| format!("{} cannot be removed", folder.path().display()))
}

/// What the server does not have is of use to the next attempt, if that runs here.
fn keep_checkpoint(run: &Run, folder: &RunFolder, end: &End) {
    let size = fs::symlink_metadata(folder.checkpoint()).map_or(0, |found| found.len());
    if (end.checkpoint || size > u64::from(run.limits.max_bytes))
        && let Err(error) = folder.keep_checkpoint(run)
    {
        say(format!("{}: the checkpoint cannot be kept: {error}", run.id));
    }
}

/// Whether the server accepted the end; if not, the task is another's.
fn until_answered(link: &mut Link, shared: &Shared, folder: &RunFolder, end: &mut End, payload: &mut Vec<u8>) -> bool {
    let mut pause = FIRST_PAUSE;
    let mut said = false;
    loop {
        let error = match send(link, shared, folder, end, payload, &mut said) {
            Ok(()) => return true,
            Err(Error::Lost) if end.outcome == Outcome::Release => return false,
            // Perhaps cancelled by force at this moment: then the server only waits to hear that nothing runs any more.
            Err(Error::Lost) => {
                (end.outcome, end.word) = (Outcome::Release, None);
                (end.checkpoint, end.uncounted) = (false, false);
                let _ = folder.write_end(end, payload);
                continue;
            }
            Err(error) => error,
        };
        match error {
            // No repetition helps: say so in the place of the result.
            Error::Invalid { .. } if end.outcome == Outcome::Complete => {
                *payload = format!("the server does not take the result: {error}").into_bytes();
                end.outcome = Outcome::Fail;
                end.word = Some("result".into());
                let _ = folder.write_end(end, payload);
            }
            // Removed by hand: nobody wants this end any more.
            _ if !folder.path().exists() => return false,
            _ => {
                thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
                // The server may take this and refuse the other, short of memory.
                if matches!(link.beat(), Err(Error::Lost)) {
                    return repeated(link, end, payload);
                }
            }
        }
    }
}

/// No lease any more: lost, or the end had been accepted and only its answer was not.
fn repeated(link: &mut Link, end: &End, payload: &[u8]) -> bool {
    link.client().and_then(|client| send_end(link, &client, end, payload)).is_ok()
}

fn send(
    link: &mut Link,
    shared: &Shared,
    folder: &RunFolder,
    end: &mut End,
    payload: &[u8],
    said: &mut bool,
) -> blueque::Result<()> {
    let client = link.client()?;
    if end.checkpoint {
        match open::read(&folder.checkpoint(), MOST).map(|bytes| link.send_checkpoint(&bytes)) {
            // Gone, or refused for good: the end goes its way without it.
            Err(_) | Ok(Ok(()) | Err(Error::Invalid { .. })) => end.checkpoint = false,
            // The end tells whether it was accepted before.
            Ok(Err(Error::Lost)) => {}
            Ok(Err(error)) => return Err(error),
        }
    }
    if !*said {
        // The log is a help, no duty: a failure here does not keep the end from being sent.
        let mut whole = true;
        while let Some(batch) = { shared.outbox().next_batch() } {
            whole = whole && link.send_log(batch.source, &batch.text).is_ok();
        }
        let last = serde_json::to_vec(&end.post_mortem).unwrap_or_default();
        whole = whole && link.send_log("exit", &last).is_ok();
        *said = whole;
    }
    send_end(link, &client, end, payload)
}

fn send_end(link: &Link, client: &Client, end: &End, payload: &[u8]) -> blueque::Result<()> {
    let calls = client.calls();
    let word = end.word.as_deref();
    let cost = end.post_mortem.cost.told(end.outcome);
    let cost = cost.as_deref();
    match end.outcome {
        Outcome::Complete => {
            let options = CompleteOptions { max_bytes: link.max_bytes, cost };
            client.call(&calls.complete(&link.id, link.token, payload, options))
        }
        Outcome::Fail => {
            let again = end.again.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            let options = FailOptions { group: word, again, permanent: end.permanent, max_bytes: None, cost };
            client.call(&calls.fail(&link.id, link.token, payload, options))
        }
        Outcome::Release => {
            let options = ReleaseOptions::new();
            let options = word.map_or(options, |word| options.reason(word));
            let options = cost.map_or(options, |cost| options.cost(cost));
            let options = if end.uncounted { options.uncounted() } else { options };
            client.call(&calls.release(&link.id, link.token, options))
        }
    }
    .map(|_| ())
}
