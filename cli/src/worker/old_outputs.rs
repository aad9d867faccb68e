//! Removes old outputs, if the worker has limits for them.

use std::fs;
use std::path::Path;

use crate::logs::sweep::{Found, Keep, Swept, remove};
use crate::run_folder::manifest::Manifest;
use crate::run_folder::names;
use crate::safe_path::{Rule, resolve};

/// Removes outputs that are too old or exceed the limit on size. A folder without the manifest of its task is not an
/// output, and stays.
pub fn sweep(outputs: &Path, keep: Keep) -> Swept {
    // Another user could put a link there that leads to other folders.
    if resolve(outputs, None, Rule::Deployed).map_or(true, |(path, _)| path != outputs) {
        return Swept::default();
    }
    let entries = fs::read_dir(outputs).into_iter().flatten().flatten();
    remove(entries.filter_map(|entry| output(&entry)).collect(), keep)
}

fn output(entry: &fs::DirEntry) -> Option<Found> {
    let name = entry.file_name();
    if names::is_hidden(&name) || !entry.file_type().ok()?.is_dir() {
        return None;
    }
    let (manifest, written) = Manifest::found_in(&entry.path())?;
    let bytes = manifest.files.iter().map(|file| file.size).fold(0, u64::saturating_add);
    let own = *names::visible(&manifest.task) == *name.to_str()?;
    own.then(|| Found { path: entry.path(), written, bytes, lives: false })
}
