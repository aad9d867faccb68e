//! The output of a completed attempt becomes visible at once and whole, with a list of what it is.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::run_folder::end::hex;
use crate::run_folder::{Run, RunFolder, private_folders, write_durably};

const MANIFEST: &str = "manifest.json";

#[derive(Serialize)]
struct Manifest<'a> {
    task: &'a str,
    attempt: u32,
    files: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    path: String,
    size: u64,
    sha256: String,
}

/// Publishes the output folder as `PUBLISH/TASKID`, unless it is empty. May be repeated.
pub fn publish(folder: &RunFolder, run: &Run) -> anyhow::Result<()> {
    let output = folder.output();
    let filled = fs::read_dir(&output).is_ok_and(|mut entries| entries.next().is_some());
    if !filled {
        return Ok(());
    }
    let mut files = Vec::new();
    describe(&output, &output, &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let manifest = Manifest { task: &run.id, attempt: run.attempt, files };
    write_durably(&output.join(MANIFEST), &serde_json::to_vec_pretty(&manifest)?).context("no manifest")?;

    let place = run.publish.clone().or_else(|| folder.default_publish()).context("no place to publish to")?;
    private_folders(&place)?;
    let (target, aside) = (place.join(&run.id), |word: &str| place.join(format!(".{}.{}.{word}", run.id, run.token)));
    let ready = match fs::rename(&output, aside("new")) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let _ = fs::remove_dir_all(aside("new"));
            copy(&output, &aside("new"))
        }
        renamed => renamed,
    };
    ready.with_context(|| format!("{} cannot be moved to {}", output.display(), place.display()))?;
    // What an earlier completion of a task that was run again has published gives way.
    let old = match fs::rename(&target, aside("old")) {
        Ok(()) => Some(aside("old")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    fs::rename(aside("new"), &target)?;
    File::open(&place)?.sync_all()?;
    if let Some(old) = old {
        fs::remove_dir_all(old)?;
    }
    Ok(())
}

/// Lists the files, and makes sure that they are on the disk. Links stay what they are and are not followed.
fn describe(root: &Path, folder: &Path, files: &mut Vec<Entry>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            describe(root, &path, files)?;
        } else if kind.is_file() && path != root.join(MANIFEST) {
            let (size, sha256) = digest(&path).with_context(|| path.display().to_string())?;
            let path = path.strip_prefix(root)?.to_string_lossy().into_owned();
            files.push(Entry { path, size, sha256 });
        }
    }
    File::open(folder)?.sync_all()?;
    Ok(())
}

fn digest(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let (mut buffer, mut size, mut hasher) = (vec![0; 64 << 10], 0, Sha256::new());
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        size += read as u64;
        hasher.update(buffer.get(..read).unwrap_or_default());
    }
    file.sync_all()?;
    Ok((size, hex(&hasher.finalize())))
}

/// For a place on another file system.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    private_folders(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target): (PathBuf, PathBuf) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&source, &target)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target)?;
            File::open(&target)?.sync_all()?;
        }
    }
    File::open(to)?.sync_all()
}
