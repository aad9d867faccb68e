//! Publishes the output of a completed attempt atomically, with a manifest. The slow steps run before the completion is
//! sent, so that a client that waits for the task soon finds its output.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use nix::fcntl::OFlag;
use nix::unistd::Uid;

use super::contents::{self, CHANGED, LISTED, Step, Unpublishable};
use super::journal::Journal;
use super::shared::{KILL, Shared};
use crate::run_folder::manifest::{self, Entry, Manifest, digest};
use crate::run_folder::open::{self, lend};
use crate::run_folder::{Run, RunFolder, names};
use crate::safe_path::{private_folders, shared_folder};

/// The owner's permission that is needed to read a file.
const READ: u32 = 0o400;

/// Number of bytes that are copied before the next check if the attempt is over.
const PART: u64 = 8 << 20;

/// Returns the path at which the output will be published, or `None` if there is no output.
pub fn target(folder: &RunFolder, run: &Run) -> Option<String> {
    let target = target_of_output(folder, run).filter(|_| is_filled(&folder.output()))?;
    Some(target.to_string_lossy().into_owned())
}

/// Returns the path at which output is published, or `None` if there is no output.
pub fn target_of_output(folder: &RunFolder, run: &Run) -> Option<PathBuf> {
    Some(published(&place(folder, run)?, run))
}

fn place(folder: &RunFolder, run: &Run) -> Option<PathBuf> {
    run.publish.clone().or_else(|| folder.default_publish())
}

fn published(place: &Path, run: &Run) -> PathBuf {
    place.join(&*names::visible(&run.id))
}

/// Returns true if the path is a folder that is not empty. A folder that cannot be listed counts as not empty.
fn is_filled(output: &Path) -> bool {
    let Ok(_lent) = lend(output, LISTED) else { return false };
    fs::symlink_metadata(output).is_ok_and(|about| about.is_dir())
        && fs::read_dir(output).map_or(true, |mut entries| entries.next().is_some())
}

/// The paths of an attempt in the folder of published outputs.
struct Places {
    folder: PathBuf,
    target: PathBuf,
    name: String,
}

impl Places {
    fn of(folder: &RunFolder, run: &Run) -> Option<Self> {
        let place = place(folder, run)?;
        Some(Self { target: published(&place, run), folder: place, name: names::run(&run.id, run.token) })
    }

    /// Returns a hidden path for temporary data.
    fn aside(&self, word: &str) -> PathBuf {
        self.folder.join(names::aside(&self.name, word))
    }
}

/// Prepares the output of a completed attempt, unless the server has ordered a kill or given the task to another
/// attempt. Returns true if the output is ready. Otherwise the log contains the reason. Fails if the output can never
/// be published.
pub fn make_ready(
    shared: &Shared,
    folder: &RunFolder,
    run: &Run,
    journal: &mut Option<Box<Journal>>,
) -> Result<bool, Unpublishable> {
    let over = || shared.order() == KILL || shared.lease.is_lost();
    let mut look = || {
        if let Some(journal) = journal {
            journal.tend(shared);
        }
        over()
    };
    let Err(error) = prepare(folder, run, &mut look, &|text| shared.say(text)) else { return Ok(true) };
    let error = match error.downcast::<Unpublishable>() {
        Ok(never) => return Err(never),
        Err(error) => error,
    };
    if !over() {
        shared.say(&format!("the output is not published before this is repaired: {error:#}"));
    }
    Ok(false)
}

/// Runs the slow steps: hashes the output, ensures that it is on the disk, and copies it if the target is on another
/// file system. `stops` is called repeatedly, and ends the preparation if it returns true.
pub fn prepare(
    folder: &RunFolder,
    run: &Run,
    stops: &mut dyn FnMut() -> bool,
    say: &dyn Fn(&str),
) -> anyhow::Result<()> {
    let output = folder.output();
    if !is_filled(&output) {
        return Ok(());
    }
    let places = Places::of(folder, run).context("no place to publish to")?;
    let shown = places.folder.display();
    // The folder is checked again, because other users may have replaced it since the worker's check.
    shared_folder(&places.folder).with_context(|| format!("{shown} cannot be used"))?;
    let copied = places.aside("copy");
    open::clear(&copied)?;
    contents::tidy(&output, &copied, say)?;
    let crosses = crosses(folder, &places).with_context(|| format!("nothing can be moved to {shown}"))?;
    describe(&output, folder, run, stops)?;
    if crosses {
        copy(&output, &copied, stops).with_context(|| format!("it cannot be copied to {shown}"))?;
    }
    Ok(())
}

/// Removes everything that `prepare` created outside of the run folder.
pub fn discard(folder: &RunFolder, run: &Run) {
    if let Some(places) = Places::of(folder, run) {
        let _ = open::clear(&places.aside("copy"));
    }
}

/// Returns true if a rename to the target is impossible, as between two file systems. This is tested by a rename,
/// because a file system may be mounted twice.
fn crosses(folder: &RunFolder, places: &Places) -> io::Result<bool> {
    let (from, to) = (folder.path().join("trial"), places.aside("trial"));
    private_folders(&from)?;
    let moved = fs::rename(&from, &to);
    open::clear(&from)?;
    open::clear(&to)?;
    match moved {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => Ok(true),
        moved => moved.map(|()| false),
    }
}

/// Publishes the prepared output folder as `PUBLISH/TASKID`, unless it is empty or not a folder. Resumes after an
/// interruption.
pub fn publish(folder: &RunFolder, run: &Run) -> anyhow::Result<()> {
    let output = folder.output();
    let places = Places::of(folder, run).context("no place to publish to")?;
    let (place, target) = (&places.folder, &places.target);
    let (copied, new, old) = (places.aside("copy"), places.aside("new"), places.aside("old"));
    if is_filled(&output) {
        open::clear(&new)?;
        let moved = if fs::symlink_metadata(&copied).is_ok_and(|about| about.is_dir()) {
            // The original is renamed and not removed here. An interrupted removal would leave a part of the output,
            // which might then be published.
            let spent = folder.path().join("output.copied");
            open::clear(&spent).and_then(|()| fs::rename(&copied, &new)).and_then(|()| fs::rename(&output, spent))
        } else {
            lend(&output, CHANGED).and_then(|mut lent| fs::rename(&output, &new).map(|()| lent.moved(&new)))
        };
        moved.with_context(|| format!("{} cannot be moved to {}", output.display(), place.display()))?;
    }
    if new.exists() {
        // The output of an earlier completion of a retried task is replaced.
        match fs::rename(target, &old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => fs::rename(&new, target)?,
        }
        File::open(place)?.sync_all()?;
    }
    Ok(open::clear(&old)?)
}

/// Writes the manifest.
fn describe(output: &Path, folder: &RunFolder, run: &Run, stops: &mut dyn FnMut() -> bool) -> anyhow::Result<()> {
    let _lent = lend(output, CHANGED)?;
    let manifest = manifest::place_for(output, &run.id, run.attempt).context("no name is left for a manifest")?;
    let files = list(output, &manifest, stops)?;
    let described = Manifest { task: run.id.clone(), attempt: run.attempt, files };
    // The draft is created outside of the output, because all names in the output belong to the program.
    let draft = folder.path().join("manifest.json");
    open::replace(&draft, &serde_json::to_vec_pretty(&described)?, true).context("no manifest can be written")?;
    fs::rename(&draft, &manifest).context("its folder cannot be written to")?;
    Ok(File::open(output)?.sync_all()?)
}

/// Lists the files, and ensures that they are on the disk. Links are kept and not followed.
fn list(output: &Path, manifest: &Path, stops: &mut dyn FnMut() -> bool) -> anyhow::Result<Vec<Entry>> {
    let mut files = Vec::new();
    contents::walk(output, &mut |step| {
        match step {
            Step::Other(path, kind) if kind.is_file() && path != manifest => {
                let within = path.strip_prefix(output)?;
                let (size, sha256) = digest_of(path, stops).with_context(|| within.display().to_string())?;
                files.push(Entry { path: within.to_string_lossy().into_owned(), size, sha256 });
            }
            Step::Left(path, _) => File::open(path)?.sync_all()?,
            _ => {}
        }
        Ok(())
    })?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn digest_of(path: &Path, stops: &mut dyn FnMut() -> bool) -> io::Result<(u64, String)> {
    let _lent = lend(path, READ)?;
    let (file, _) = open::open(path)?;
    let found = digest(&file, || unless(stops))?;
    file.sync_all()?;
    Ok(found)
}

fn unless(stops: &mut dyn FnMut() -> bool) -> io::Result<()> {
    if stops() { Err(io::Error::other("the attempt is over")) } else { Ok(()) }
}

/// Copies the output to a target on another file system. Another user might replace the copy by a link while it is
/// written. Therefore the copy is written through an open descriptor, and other users cannot enter it until it is
/// complete.
fn copy(from: &Path, to: &Path, stops: &mut dyn FnMut() -> bool) -> anyhow::Result<()> {
    let copy = private_folder(to)?;
    let root = PathBuf::from(format!("/proc/self/fd/{}", copy.as_raw_fd()));
    contents::walk(from, &mut |step| {
        let (Step::Folder(path) | Step::Other(path, _) | Step::Left(path, _)) = step;
        let target = root.join(path.strip_prefix(from)?);
        match step {
            Step::Folder(path) if path == from => {}
            Step::Folder(_) => DirBuilder::new().mode(CHANGED).create(target)?,
            Step::Other(path, kind) if kind.is_symlink() => symlink(fs::read_link(path)?, target)?,
            Step::Other(path, kind) if kind.is_file() => {
                let lent = lend(path, READ)?;
                let (mut read, mut written) = (open::open(path)?.0, File::create_new(target)?);
                while io::copy(&mut Read::by_ref(&mut read).take(PART), &mut written)? > 0 {
                    unless(stops)?;
                }
                written.set_permissions(usual(&lent.usual))?;
                written.sync_all()?;
            }
            Step::Other(..) => {}
            Step::Left(_, rights) => {
                let folder = File::open(target)?;
                folder.set_permissions(usual(rights))?;
                folder.sync_all()?;
            }
        }
        Ok(())
    })?;
    if is_at(&copy, to) { Ok(()) } else { Err(anyhow!("somebody has moved the copy away")) }
}

/// Returns true if the open folder has this path.
fn is_at(folder: &File, path: &Path) -> bool {
    let identity = |about: Metadata| (about.dev(), about.ino());
    let there = fs::symlink_metadata(path).map(identity);
    folder.metadata().map(identity).is_ok_and(|own| there.is_ok_and(|there| there == own))
}

/// Returns the permissions without setuid and setgid. The copy belongs to this user, and a program in it must not run
/// with the rights of this user.
fn usual(rights: &Permissions) -> Permissions {
    Permissions::from_mode(rights.mode() & 0o1777)
}

/// Creates a folder that no other user can enter, and opens it.
fn private_folder(path: &Path) -> io::Result<File> {
    DirBuilder::new().mode(CHANGED).create(path)?;
    let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW;
    let folder = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    let about = folder.metadata()?;
    if about.uid() == Uid::effective().as_raw() && about.mode() & 0o777 == CHANGED {
        return Ok(folder);
    }
    Err(io::Error::other(format!("another folder has replaced {}", path.display())))
}
