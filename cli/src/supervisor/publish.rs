//! Publishes the output of a completed attempt atomically, with a manifest.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use sha2::{Digest, Sha256};

use crate::run_folder::end::hex;
use crate::run_folder::manifest::{self, Entry, Manifest};
use crate::run_folder::open::{self, private_folders, write_durably};
use crate::run_folder::{Run, RunFolder, names};

/// Where the output will be published; none if there is no output.
pub fn target(folder: &RunFolder, run: &Run) -> Option<String> {
    let target = target_of_output(folder, run).filter(|_| is_filled(&folder.output()))?;
    Some(target.to_string_lossy().into_owned())
}

/// Where output would be published.
pub fn target_of_output(folder: &RunFolder, run: &Run) -> Option<PathBuf> {
    Some(published(&place(folder, run)?, run))
}

fn place(folder: &RunFolder, run: &Run) -> Option<PathBuf> {
    run.publish.clone().or_else(|| folder.default_publish())
}

fn published(place: &Path, run: &Run) -> PathBuf {
    place.join(&*names::visible(&run.id))
}

/// Whether it is still a folder that is not empty.
fn is_filled(output: &Path) -> bool {
    fs::symlink_metadata(output).is_ok_and(|about| about.is_dir())
        && fs::read_dir(output).is_ok_and(|mut entries| entries.next().is_some())
}

/// What of the output cannot be read, if anything.
pub fn unreadable(folder: &RunFolder) -> Option<String> {
    fn look(folder: &Path) -> Result<(), (PathBuf, io::Error)> {
        let at = |path: &Path| {
            let path = path.to_owned();
            |error| (path, error)
        };
        for entry in fs::read_dir(folder).map_err(at(folder))? {
            let entry = entry.map_err(at(folder))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(at(&path))?;
            if kind.is_dir() {
                look(&path)?;
            } else if kind.is_file() {
                open::open(&path).and_then(|(mut file, _)| file.read(&mut [0])).map_err(at(&path))?;
            }
        }
        Ok(())
    }
    let output = folder.output();
    let (path, error) = if is_filled(&output) { look(&output).err()? } else { return None };
    let path = path.strip_prefix(&output).unwrap_or(&path);
    Some(format!("{}: {error}", path.display()))
}

/// Publishes the output folder as `PUBLISH/TASKID`, unless it is empty or not a folder. Resumes after an
/// interruption.
pub fn publish(folder: &RunFolder, run: &Run) -> anyhow::Result<()> {
    let output = folder.output();
    let place = place(folder, run).context("no place to publish to")?;
    let (target, name) = (published(&place, run), names::run(&run.id, run.token));
    let aside = |word: &str| place.join(names::aside(&name, word));
    // Where a former release left it.
    let former = |word: &str| place.join(format!(".{}.{}.{word}", run.id, run.token));
    for word in ["new", "old"].into_iter().filter(|word| former(word).exists()) {
        fs::rename(former(word), aside(word))?;
    }
    if is_filled(&output) {
        describe(&output, folder, run)?;
        private_folders(&place).with_context(|| format!("{} cannot be made", place.display()))?;
        let moved = match fs::rename(&output, aside("new")) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                copy_whole(&output, &aside("copy"), &aside("new"))
            }
            renamed => renamed,
        };
        moved.with_context(|| format!("{} cannot be moved to {}", output.display(), place.display()))?;
    }
    if aside("new").exists() {
        // The output of an earlier completion of a retried task is replaced.
        match fs::rename(&target, aside("old")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => fs::rename(aside("new"), &target)?,
        }
        File::open(&place)?.sync_all()?;
    }
    Ok(open::clear(&aside("old"))?)
}

/// Writes the manifest.
fn describe(output: &Path, folder: &RunFolder, run: &Run) -> anyhow::Result<()> {
    let manifest = manifest::place_for(output, &run.id, run.attempt).context("no name is left for a manifest")?;
    let mut files = Vec::new();
    list(output, output, &manifest, &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let described = Manifest { task: run.id.clone(), attempt: run.attempt, files };
    // Created outside of the output, whose names are all the program's.
    let draft = folder.path().join("manifest.json");
    write_durably(&draft, &serde_json::to_vec_pretty(&described)?).context("no manifest can be written")?;
    fs::rename(&draft, &manifest)?;
    Ok(File::open(output)?.sync_all()?)
}

/// Lists the files, and makes sure that they are on the disk. Links are kept and not followed.
fn list(root: &Path, folder: &Path, manifest: &Path, files: &mut Vec<Entry>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            list(root, &path, manifest, files)?;
        } else if kind.is_file() && path != manifest {
            let (size, sha256) = digest(&path).with_context(|| path.display().to_string())?;
            let path = path.strip_prefix(root)?.to_string_lossy().into_owned();
            files.push(Entry { path, size, sha256 });
        }
    }
    File::open(folder)?.sync_all()?;
    Ok(())
}

fn digest(path: &Path) -> io::Result<(u64, String)> {
    let (mut file, _) = open::open(path)?;
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

/// For a target on another file system.
fn copy_whole(from: &Path, draft: &Path, to: &Path) -> io::Result<()> {
    let _ = fs::remove_dir_all(draft);
    copy(from, draft)?;
    let _ = fs::remove_dir_all(to);
    fs::rename(draft, to)?;
    // Copied: it must not be published again.
    fs::remove_dir_all(from)
}

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
