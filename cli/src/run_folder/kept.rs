//! Checkpoints that are too large for the server: `STATE/NAMESPACE/kept/ID.ATTEMPT+SERVER`, for the next attempt on this
//! host. Nothing in there keeps a task from beginning.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::end::hex;
use super::names::visible;
use super::{Run, RunFolder, is_older, open, private_folders};
use crate::server::identity;

pub const KEPT: &str = "kept";
const FOR: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Which server a checkpoint belongs to: on another one a task may have the same id.
fn mark(run: &Run) -> String {
    hex(Sha256::digest(identity(&run.url)).get(..4).unwrap_or_default())
}

/// The attempt that kept it, by its name; none where it is of another task or server. Releases before named no server,
/// and hid the checkpoints of ids that begin with a dot.
fn attempt(name: &str, run: &Run, mark: &str) -> Option<u32> {
    let rest = name.strip_prefix(&*visible(&run.id)).or_else(|| name.strip_prefix(&run.id))?.strip_prefix('.')?;
    match rest.split_once('+') {
        Some((attempt, server)) if server == mark => attempt.parse().ok(),
        Some(_) => None,
        None => rest.parse().ok(),
    }
}

impl RunFolder {
    /// The attempt just before this one may have run here too, and saved more than the server has.
    pub(super) fn take_kept(&self, space: &Path, run: &Run) {
        let mark = mark(run);
        for entry in fs::read_dir(space.join(KEPT)).into_iter().flatten().flatten() {
            let Some(kept) = entry.file_name().to_str().and_then(|name| attempt(name, run, &mark)) else { continue };
            let file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if !(file && kept + 1 == run.attempt && fs::rename(entry.path(), self.checkpoint()).is_ok()) {
                let _ = open::clear(&entry.path());
            }
        }
    }

    /// Keeps the checkpoint for the next attempt on this host, if it is a file.
    pub fn keep_checkpoint(&self, run: &Run) -> io::Result<()> {
        let Some(space) = self.space() else { return Ok(()) };
        if !fs::symlink_metadata(self.checkpoint()).is_ok_and(|about| about.is_file()) {
            return Ok(());
        }
        let kept = space.join(KEPT);
        private_folders(&kept)?;
        let target = kept.join(format!("{}.{}+{}", visible(&run.id), run.attempt, mark(run)));
        open::clear(&target)?;
        fs::rename(self.checkpoint(), target)
    }
}

/// Removes what no attempt has asked for in a week.
pub(super) fn tidy(space: &Path) {
    for entry in fs::read_dir(space.join(KEPT)).into_iter().flatten().flatten() {
        if is_older(&entry, FOR) {
            let _ = open::clear(&entry.path());
        }
    }
}
