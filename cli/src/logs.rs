//! Logs of attempts on the disk of the worker's host: `STATE/NAMESPACE/logs/ID.ATTEMPT.TOKEN/OFFSET.log`. A log
//! outlives the run folder of its attempt.
//!
//! Lines have the format of container logs (CRI): time, stream, `F` for a whole line or `P` for a part of a line, text.
//! A file is named after the number of bytes of the attempt's output before it, so that a reader can find missing
//! output. The program can modify these files, so nothing relies on them.

mod line;
mod read;
mod segment;
pub mod sweep;
mod write;

use std::fs;
use std::path::{Path, PathBuf};

pub use self::line::{EXIT, PART, time};
pub use self::read::{Entry, Reader};
use self::segment::{Place, segment, segments};
pub use self::write::Writer;
use crate::run_folder::{Run, names, space};

pub const LOGS: &str = "logs";

/// Number of bytes of an attempt's log that are kept by default.
pub const KEEP: u64 = 256 << 20;

/// Returns the folder of an attempt's log.
pub fn folder(state: &Path, namespace: &str, id: &str, attempt: u32, token: u64) -> PathBuf {
    space(state, namespace).join(LOGS).join(names::log(id, attempt, token))
}

/// Returns the folder of the log for the attempt in this run folder.
pub fn of_run(run_folder: &Path, run: &Run) -> Option<PathBuf> {
    let space = run_folder.parent()?.parent()?;
    Some(space.join(LOGS).join(names::log(&run.id, run.attempt, run.token)))
}

/// Returns the logs of a task on this host: attempt, token, folder.
pub fn of_task(state: &Path, namespace: &str, id: &str) -> Vec<(u32, u64, PathBuf)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(space(state, namespace).join(LOGS)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        match name.to_str().and_then(names::logged) {
            Some((of, attempt, token)) if of == id && entry.file_type().is_ok_and(|kind| kind.is_dir()) => {
                found.push((attempt, token, entry.path()));
            }
            _ => {}
        }
    }
    found.sort();
    found
}

/// Returns the end of a log, about this number of bytes. Returns `None` if there is no log.
pub fn tail(folder: PathBuf, bytes: u64) -> Option<String> {
    let mut left = bytes;
    let mut from = None;
    for offset in segments(&folder).ok()?.into_iter().rev() {
        let length = fs::metadata(segment(&folder, offset)).ok()?.len();
        from = Some(Place { segment: offset, position: length.saturating_sub(left), offset });
        left = left.saturating_sub(length);
        if left == 0 {
            break;
        }
    }
    let mut reader = Reader::at(folder, from?);
    let mut text = Vec::new();
    while let Ok(Some(entry)) = reader.entry() {
        // The program may write faster than this reads.
        if text.len() as u64 > 4 * bytes {
            break;
        }
        text.extend_from_slice(&entry.text);
    }
    Some(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests;
