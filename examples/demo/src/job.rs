//! The long job: a digest of a file, at a visible speed.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{process, thread};

use blueque::{Client, Context, HandlerError, Worker};
use serde::{Deserialize, Serialize};
use sha2::digest::common::hazmat::SerializableState;
use sha2::{Digest, Sha256};

use crate::{Outcome, QUEUE, guard};

/// The file to digest, and the speed. The speed is limited to make the progress visible.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    pub file: PathBuf,
    /// Bytes from one checkpoint to the next.
    pub step: u64,
    /// Bytes in a second.
    pub speed: u64,
}

/// The digest of one file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answer {
    pub sha256: String,
    /// Byte at which this attempt began.
    pub resumed_at: u64,
}

/// Runs digests, one at a time, until the demo ends.
pub fn worker(url: &str, log: &Path) -> Outcome<()> {
    let client = Client::open(url)?;
    let log = log.to_owned();
    let worker = Worker::builder(&client)
        .queue(QUEUE)?
        .lease(Duration::from_secs(3))
        .handle(move |order: Order, cx: &Context| {
            let answer = digest(&order, cx)?;
            // Each completed digest gets one line, regardless of the worker.
            writeln!(OpenOptions::new().append(true).create(true).open(&log)?, "{}", cx.reservation().id)?;
            Ok(answer)
        })
        .build()?;
    thread::spawn(|| {
        guard::until_orphaned();
        #[expect(clippy::disallowed_methods, reason = "the server goes too: nobody is left to say goodbye to")]
        process::exit(0);
    });
    worker.run()?;
    Ok(())
}

fn digest(order: &Order, cx: &Context) -> Result<Answer, HandlerError> {
    let mut input = File::open(&order.file)?;
    let total = input.metadata()?.len();
    let (mut hash, mut done) = restore(cx)?;
    let resumed_at = done;
    input.seek(SeekFrom::Start(done))?;
    let begun = Instant::now();
    let mut chunk = vec![0; usize::try_from(order.step)?];
    loop {
        let length = input.read(&mut chunk)?;
        hash.update(chunk.get(..length).unwrap_or_default());
        done += length as u64;
        if length == 0 {
            break;
        }
        let due = Duration::from_millis((done - resumed_at) * 1000 / order.speed);
        thread::sleep(due.saturating_sub(begun.elapsed()));
        save(cx, &hash, done)?;
        cx.progress(done / 1024, total.div_ceil(1024), "KiB")?;
        cx.check()?;
    }
    let mut sha256 = String::new();
    for byte in hash.finalize() {
        sha256 += &format!("{byte:02x}");
    }
    Ok(Answer { sha256, resumed_at })
}

/// A checkpoint is opaque bytes: here the state of the digest and the position in the file.
fn save(cx: &Context, hash: &Sha256, done: u64) -> Result<(), HandlerError> {
    let mut state = done.to_be_bytes().to_vec();
    state.extend_from_slice(&hash.serialize());
    Ok(cx.processor().checkpoint_bytes(&state)?)
}

fn restore(cx: &Context) -> Result<(Sha256, u64), HandlerError> {
    let Some((done, state)) = cx.reservation().checkpoint.as_deref().and_then(<[u8]>::split_first_chunk::<8>) else {
        return Ok((Sha256::new(), 0));
    };
    let state = state.try_into().map_err(|_| "the checkpoint has another length than a digest's state")?;
    let hash = Sha256::deserialize(&state).map_err(|_| "the checkpoint is no digest's state")?;
    Ok((hash, u64::from_be_bytes(*done)))
}
