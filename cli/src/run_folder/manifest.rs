//! The manifest of published output, and the reference that a task can return as its result instead of the output.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use blueque::TaskId;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{names, open};
use crate::hex::hex;

const NAME: &str = "manifest.json";

/// Maximum size of a manifest that Blueque wrote.
const MOST: u64 = 64 << 20;

#[derive(Deserialize, Serialize)]
pub struct Manifest {
    pub task: String,
    pub attempt: u32,
    pub files: Vec<Entry>,
}

#[derive(Deserialize, Serialize)]
pub struct Entry {
    pub path: String,
    pub size: u64,
    pub sha256: String,
}

/// Returns the size and the digest of a file. `go_on` is called before each part is read, and its error ends the call.
pub fn digest(mut file: impl Read, mut go_on: impl FnMut() -> io::Result<()>) -> io::Result<(u64, String)> {
    let (mut buffer, mut size, mut sum) = (vec![0; 64 << 10], 0, Sha256::new());
    loop {
        go_on()?;
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((size, hex(&sum.finalize())));
        }
        size += read as u64;
        sum.update(buffer.get(..read).unwrap_or_default());
    }
}

/// Returns the possible paths of the manifest in a folder of output. There are several, because a file of the program
/// may have the usual name.
fn places(folder: &Path) -> impl Iterator<Item = PathBuf> {
    ["", "blueque-", "blueque-1-", "blueque-2-"].into_iter().map(move |before| folder.join(format!("{before}{NAME}")))
}

fn is_of(path: &Path, task: &str, attempt: u32) -> bool {
    of(path, task, attempt).is_some()
}

fn of(path: &Path, task: &str, attempt: u32) -> Option<Manifest> {
    let text = open::read(path, MOST).ok()?;
    serde_json::from_slice(&text).ok().filter(|found: &Manifest| found.task == task && found.attempt == attempt)
}

impl Manifest {
    /// Returns the manifest in a folder of output, and the time at which it was written.
    pub fn found_in(folder: &Path) -> Option<(Self, SystemTime)> {
        places(folder).find_map(|path| {
            let written = fs::symlink_metadata(&path).ok()?.modified().ok()?;
            Some((serde_json::from_slice(&open::read(&path, MOST).ok()?).ok()?, written))
        })
    }

    /// Returns the manifest of an attempt, if the folder contains its output.
    pub fn of(folder: &Path, task: &str, attempt: u32) -> Option<Self> {
        places(folder).find_map(|path| of(&path, task, attempt))
    }
}

/// Returns the path at which the manifest of an attempt exists, or can be written.
pub fn place_for(folder: &Path, task: &str, attempt: u32) -> Option<PathBuf> {
    places(folder).find(|path| fs::symlink_metadata(path).is_err() || is_of(path, task, attempt))
}

/// A result that refers to published output, for results that are too large to be sent.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
pub struct Published {
    pub host: String,
    pub folder: PathBuf,
    pub task: String,
    pub attempt: u32,
}

impl Published {
    /// Returns the folder of this output below the folder `published` of a worker. The folder in the reference is not
    /// used, because a client can write any path into it. Returns `None` if the task id is invalid.
    pub fn place(&self, published: &Path) -> Option<PathBuf> {
        TaskId::new(self.task.as_str()).ok().map(|id| published.join(&*names::visible(id.as_str())))
    }

    /// Returns true if a folder contains this output. Shortly after the end of the task, the folder may be missing or
    /// contain the output of another attempt.
    pub fn is_in(&self, folder: &Path) -> bool {
        places(folder).any(|path| is_of(&path, &self.task, self.attempt))
    }
}
