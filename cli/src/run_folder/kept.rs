//! Checkpoints that are too large for the server: `STATE/NAMESPACE/kept/ID.ATTEMPT+SERVER+TOKEN`, for the next
//! attempt on this host. Errors here never keep a task from starting.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::end::hex;
use super::names::visible;
use super::open;
use super::{Run, RunFolder, is_older};
use crate::output::say;
use crate::safe_path::private_folders;
use crate::server::identity;

pub const KEPT: &str = "kept";
const FOR: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Which server a checkpoint belongs to: another one may have a task with the same id.
fn mark(run: &Run) -> String {
    hex(Sha256::digest(identity(&run.url)).get(..4).unwrap_or_default())
}

/// The attempt that kept it, from its name.
struct Keeper {
    number: u32,
    /// Former releases stored none.
    token: Option<u64>,
}

impl Keeper {
    /// None for another task or server. Former releases stored no server, and hid the checkpoints of ids that begin
    /// with a dot.
    fn of(name: &str, run: &Run, mark: &str) -> Option<Self> {
        let rest = name.strip_prefix(&*visible(&run.id)).or_else(|| name.strip_prefix(&run.id))?.strip_prefix('.')?;
        let (number, server) = rest.split_once('+').map_or((rest, None), |(number, server)| (number, Some(server)));
        let (server, token) = match server.and_then(|server| server.split_once('+')) {
            Some((server, token)) => (Some(server), Some(token.parse().ok()?)),
            None => (server, None),
        };
        let number = number.parse().ok()?;
        server.is_none_or(|server| server == mark).then_some(Self { number, token })
    }

    /// Whether it is the last attempt that ended. Its number is not enough: a server that lost its newest data
    /// issues it again, and a retried task has no previous attempt.
    fn is_before(&self, run: &Run) -> bool {
        match (self.token, run.previous) {
            (_, None) => false,
            (Some(own), Some(previous)) => own == previous,
            (None, Some(_)) => self.number + 1 == run.attempt,
        }
    }
}

impl RunFolder {
    /// The previous attempt may have run here, too, and saved more than the server has.
    pub(super) fn take_kept(&self, space: &Path, run: &Run) {
        let mark = mark(run);
        for entry in fs::read_dir(space.join(KEPT)).into_iter().flatten().flatten() {
            let Some(keeper) = entry.file_name().to_str().and_then(|name| Keeper::of(name, run, &mark)) else {
                continue;
            };
            if !(keeper.is_before(run) && entry.file_type().is_ok_and(|kind| kind.is_file())) {
                // If it cannot be removed, later attempts cannot use it either.
                let _ = open::clear(&entry.path());
            } else if let Err(error) = fs::rename(entry.path(), self.checkpoint()) {
                say(format!("{}: the checkpoint {} cannot be taken: {error}", run.id, entry.path().display()));
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
