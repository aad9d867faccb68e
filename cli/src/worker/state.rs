//! The state folder. Only the worker's own user may write to it, because its contents determine which program is run,
//! which process is signalled, and to which server a password is sent.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::unistd::{AccessFlags, access};

use crate::logs::LOGS;
use crate::output::{Code, fault};
use crate::run_folder::kept::KEPT;
use crate::run_folder::space;
use crate::safe_path::{Refused, Rule, private_folders, resolve, shared_folder};

/// Creates missing folders, and refuses folders that another user may have created. Returns the real path of the state
/// folder. All parts of a worker must use this path, because runs are identified by it in environments and command
/// lines.
pub fn private_state(state: &Path, namespace: &str) -> anyhow::Result<PathBuf> {
    let space = space(state, namespace);
    let runs = space.join("runs");
    // Nothing is created behind another user's link, or in another user's folder.
    check(&runs, false)?;
    private_folders(&runs).with_context(|| format!("{} cannot be made", runs.display()))?;
    for folder in [state, &space, &runs] {
        check(folder, true)?;
    }
    for folder in [space.join(KEPT), space.join("output"), space.join(LOGS)] {
        check(&folder, false)?;
        // The folder is created now, so that files can be moved into it even if the disk is full.
        private_folders(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    for folder in [runs, space.join(KEPT)] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            check(&entry.path(), false)?;
        }
    }
    has_locks(&space.join("runs")).map_err(|error| {
        let shown = state.display();
        let todo = "choose a folder on a local disk by --state-dir";
        fault(Code::Usage, format!("no file can be locked in the state folder {shown}: {error}: {todo}"))
    })?;
    state.canonicalize().with_context(|| format!("{} cannot be resolved", state.display()))
}

/// Fails if the folder's file system does not support locks, which supervisors need. The test needs no free space on
/// the disk.
fn has_locks(folder: &Path) -> io::Result<()> {
    match Flock::lock(File::open(folder)?, FlockArg::LockSharedNonblock) {
        Err((_, error @ (Errno::ENOLCK | Errno::EOPNOTSUPP | Errno::ENOSYS))) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Creates the folder for outputs. Fails if outputs cannot be moved into it, or if another user may replace them there.
pub fn publishable(folder: &Path) -> anyhow::Result<()> {
    let writable = || Ok(access(folder, AccessFlags::W_OK | AccessFlags::X_OK)?);
    shared_folder(folder).and_then(|()| writable()).map_err(|error| {
        let shown = folder.display();
        fault(Code::Usage, format!("nothing can be published in {shown}: {error}: name another folder by --publish"))
    })
}

fn check(path: &Path, there: bool) -> anyhow::Result<()> {
    match resolve(path, None, Rule::Own) {
        Ok(_) => Ok(()),
        Err(Refused::Missing(..)) if !there => Ok(()),
        Err(Refused::Missing(missing, error)) => {
            Err(fault(Code::Usage, format!("the state folder {} cannot be used: {error}", missing.display())))
        }
        Err(Refused::Open(why)) => {
            Err(fault(Code::Usage, format!("the state folder is not safe: {why}, or choose another by --state-dir")))
        }
    }
}
