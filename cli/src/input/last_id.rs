//! The id of the last submit of this user in a namespace, kept in the state folder.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use anyhow::Context;
use blueque::Namespace;

use crate::file;
use crate::output::{Code, fault};
use crate::run_folder::{space, state_folder};
use crate::session::Session;

/// Longest id that is read: an id of a task and the name of its partition.
const MOST: u64 = 512;

fn path(namespace: &Namespace) -> anyhow::Result<PathBuf> {
    Ok(space(&state_folder(None)?, namespace.as_str()).join("last-submitted"))
}

/// Keeps the id of a task or a graph that was submitted. An id that cannot be kept is no reason to fail: the task
/// exists.
pub fn keep(session: &Session, id: &str) {
    let write = || {
        let path = path(&session.namespace)?;
        let folder = path.parent().context("no folder")?;
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // Another command may read the file at the same time.
        let new = path.with_extension(std::process::id().to_string());
        fs::write(&new, id)?;
        anyhow::Ok(fs::rename(new, path)?)
    };
    let _ = write();
}

/// Returns the id that was kept last.
pub fn read(namespace: &Namespace) -> anyhow::Result<String> {
    let kept = file::text(&path(namespace)?, MOST).unwrap_or_default();
    if kept.is_empty() {
        return Err(fault(Code::NotFound, "@last: this user has submitted nothing yet from this host"));
    }
    Ok(kept)
}
