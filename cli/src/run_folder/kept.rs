//! Checkpoints that the server does not have, for example because they are too large. They are stored in
//! `STATE/NAMESPACE/kept/ID.ATTEMPT+SERVER+TOKEN` for a next attempt on this host. Errors here never prevent the start
//! of a task.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::names::visible;
use super::{Run, RunFolder, is_older, open};
use crate::hex::hex;
use crate::output::say;
use crate::safe_path::private_folders;
use crate::server::identity;

pub const KEPT: &str = "kept";
const FOR: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Returns the text in the file name that identifies the server. Another server may have a task with the same id.
fn mark(run: &Run) -> String {
    hex(Sha256::digest(identity(&run.url)).get(..4).unwrap_or_default())
}

/// Returns the token of the attempt that stored a checkpoint, from the file name, or `None` for another task or server.
/// The number of the attempt is not unique, because a server that lost its newest data issues the number again.
fn run_guard(name: &str, run: &Run, mark: &str) -> Option<u64> {
    let rest = name.strip_prefix(&*visible(&run.id))?.strip_prefix('.')?;
    let (number, of) = rest.split_once('+')?;
    let (server, token) = of.split_once('+')?;
    number.parse::<u32>().ok()?;
    token.parse().ok().filter(|_| server == mark)
}

impl RunFolder {
    /// Moves the stored checkpoint of the previous attempt into this run folder. If the previous attempt ran on this
    /// host, the checkpoint may be newer than the server's.
    pub(super) fn take_kept(&self, space: &Path, run: &Run) {
        let mark = mark(run);
        for entry in fs::read_dir(space.join(KEPT)).into_iter().flatten().flatten() {
            let Some(run_guard) = entry.file_name().to_str().and_then(|name| run_guard(name, run, &mark)) else {
                continue;
            };
            if !(run.previous == Some(run_guard) && entry.file_type().is_ok_and(|kind| kind.is_file())) {
                // An error is ignored, because no later attempt uses this checkpoint.
                let _ = open::clear(&entry.path());
            } else if let Err(error) = fs::rename(entry.path(), self.checkpoint()) {
                say(format!("{}: the checkpoint {} cannot be taken: {error}", run.id, entry.path().display()));
            }
        }
    }

    /// Stores the checkpoint for the next attempt on this host, if the checkpoint is a regular file.
    pub fn keep_checkpoint(&self, run: &Run) -> io::Result<()> {
        let Some(space) = self.space() else { return Ok(()) };
        if !fs::symlink_metadata(self.checkpoint()).is_ok_and(|about| about.is_file()) {
            return Ok(());
        }
        let kept = space.join(KEPT);
        private_folders(&kept)?;
        let target = kept.join(format!("{}.{}+{}+{}", visible(&run.id), run.attempt, mark(run), run.token));
        open::clear(&target)?;
        fs::rename(self.checkpoint(), target)
    }

    /// Removes checkpoints that no attempt has used for a week.
    pub(super) fn tidy_kept(space: &Path) {
        for entry in fs::read_dir(space.join(KEPT)).into_iter().flatten().flatten() {
            if is_older(&entry, FOR) {
                let _ = open::clear(&entry.path());
            }
        }
    }
}
