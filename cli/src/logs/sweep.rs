//! Removes old logs, beginning with the attempt that ended first. Logs of running attempts are never removed.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::sys::statvfs::statvfs;

use super::LOGS;
use crate::run_folder::{names, open};
use crate::safe_path::{Rule, resolve};

/// The logs may use the size of the file system divided by this number.
const PART: u64 = 10;

/// Maximum number of logs that are kept, because a search of the logs takes time.
const MOST: usize = 100_000;

/// Limits for all logs of a state folder, or for all outputs.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    pub bytes: u64,
    pub age: Duration,
}

/// A log or an output that was found.
pub struct Found {
    pub path: PathBuf,
    pub written: SystemTime,
    pub bytes: u64,
    /// True if it must not be removed.
    pub lives: bool,
}

/// The logs or outputs that were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub number: usize,
    pub bytes: u64,
}

/// Removes logs that are too old or exceed the limit on size.
pub fn sweep(state: &Path, keep: Keep) -> Swept {
    let part = statvfs(state).map_or(u64::MAX, |about| about.blocks() * about.fragment_size() / PART);
    let logs = fs::read_dir(state).into_iter().flatten().flatten().flat_map(|space| of_space(&space.path()));
    remove(logs.collect(), Keep { bytes: keep.bytes.min(part), ..keep })
}

/// Removes what is too old, and then the oldest until the rest is within the limit on size.
pub fn remove(mut all: Vec<Found>, keep: Keep) -> Swept {
    all.sort_by_key(|found| found.written);
    let (mut bytes, mut number) = (all.iter().map(|found| found.bytes).sum::<u64>(), all.len());
    let mut swept = Swept::default();
    for found in all.iter().filter(|found| !found.lives) {
        let old = found.written.elapsed().is_ok_and(|age| age > keep.age);
        if !old && bytes <= keep.bytes && number <= MOST {
            break;
        }
        if open::clear(&found.path).is_ok() {
            bytes = bytes.saturating_sub(found.bytes);
            number -= 1;
            swept = Swept { number: swept.number + 1, bytes: swept.bytes + found.bytes };
        }
    }
    swept
}

/// Returns the logs of a namespace. Folders that another user may have put there are not searched.
fn of_space(space: &Path) -> Vec<Found> {
    let folder = space.join(LOGS);
    if resolve(&folder, None, Rule::Own).map_or(true, |(path, _)| path != folder) {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| log(space, &entry)).collect()
}

fn log(space: &Path, entry: &fs::DirEntry) -> Option<Found> {
    let about = entry.metadata().ok()?;
    let mut written = about.modified().ok()?;
    let mut bytes = about.blocks() * 512;
    // Links are not followed.
    let files = if about.is_dir() { fs::read_dir(entry.path()).ok() } else { None };
    for file in files.into_iter().flatten().flatten() {
        let Ok(about) = file.metadata() else { continue };
        bytes += about.blocks() * 512;
        written = written.max(about.modified().unwrap_or(written));
    }
    // An attempt that has a run folder is running, or its end has not been sent.
    let runs = space.join("runs");
    let logged = entry.file_name().to_str().and_then(names::logged);
    let lives = logged.is_some_and(|(id, _, token)| runs.join(names::run(&id, token)).exists());
    Some(Found { path: entry.path(), written, bytes, lives })
}
