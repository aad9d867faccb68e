//! Checkpoints that are too large for the server: `STATE/NAMESPACE/kept/ID.ATTEMPT+SERVER+TOKEN`, for the next
//! attempt on this host. Nothing in there keeps a task from beginning.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::end::hex;
use super::names::visible;
use super::open::{self, private_folders};
use super::{Run, RunFolder, is_older};
use crate::output::say;
use crate::server::identity;

pub const KEPT: &str = "kept";
const FOR: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Which server a checkpoint belongs to: on another one a task may have the same id.
fn mark(run: &Run) -> String {
    hex(Sha256::digest(identity(&run.url)).get(..4).unwrap_or_default())
}

/// The attempt that kept it, by its name.
struct Keeper {
    number: u32,
    /// Releases before named none.
    token: Option<u64>,
}

impl Keeper {
    /// None where it is of another task or server. Releases before named no server, and hid the checkpoints of ids that
    /// begin with a dot.
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

    /// Whether it is the attempt that ended last. The number alone does not tell: a server that lost its newest data gives
    /// it again, and a task that begins anew has no attempt before.
    fn is_before(&self, run: &Run) -> bool {
        match (self.token, run.previous) {
            (_, None) => false,
            (Some(own), Some(previous)) => own == previous,
            (None, Some(_)) => self.number + 1 == run.attempt,
        }
    }
}

impl RunFolder {
    /// The attempt just before this one may have run here too, and saved more than the server has.
    pub(super) fn take_kept(&self, space: &Path, run: &Run) {
        let mark = mark(run);
        for entry in fs::read_dir(space.join(KEPT)).into_iter().flatten().flatten() {
            let Some(keeper) = entry.file_name().to_str().and_then(|name| Keeper::of(name, run, &mark)) else {
                continue;
            };
            if !(keeper.is_before(run) && entry.file_type().is_ok_and(|kind| kind.is_file())) {
                // What cannot be removed is none of any later attempt's either.
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

    /// Removes what no attempt has asked for in a week.
    pub(super) fn tidy_kept(space: &Path) {
        for entry in fs::read_dir(space.join(KEPT)).into_iter().flatten().flatten() {
            if is_older(&entry, FOR) {
                let _ = open::clear(&entry.path());
            }
        }
    }
}
