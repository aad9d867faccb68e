//! What is set aside when a run begins, so that its end finds room on a disk that is full by then: files that become the end
//! and its marks by another name, which takes neither a block nor an inode.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};

use super::open::{self, write_durably};
use super::{Limits, RunFolder};

/// Room for an error, which is longer than a small result.
const ERROR: u64 = 16 << 10;

/// Room for `end.json`: it has the last words of the program, each byte of which may be written as six.
const END: u64 = 64 << 10;

impl RunFolder {
    /// Sets the room aside.
    pub(super) fn set_aside(&self, limits: &Limits) -> io::Result<()> {
        let aside = [
            (self.end_payload(), u64::from(limits.max_bytes).max(ERROR)),
            (self.end_file(), END),
            (self.accepted(), 0),
        ];
        for (path, size) in aside {
            reserve(&File::create_new(spare(&path))?, size)?;
        }
        Ok(())
    }

    /// Notes that the server accepted the end.
    pub fn mark_accepted(&self) -> io::Result<()> {
        write(&self.accepted(), b"")
    }
}

/// Where the room for a file is.
fn spare(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("spare.{name}"))
}

fn reserve(mut file: &File, size: u64) -> io::Result<()> {
    if size == 0 {
        return Ok(());
    }
    let length = i64::try_from(size).map_err(io::Error::other)?;
    match fallocate(file, FallocateFlags::empty(), 0, length) {
        // A file system that only gives room to what is written.
        Err(Errno::EOPNOTSUPP | Errno::ENOSYS) => {
            io::copy(&mut io::Read::take(io::repeat(0), size), &mut file).map(|_| ())
        }
        reserved => Ok(reserved?),
    }
}

/// Writes a file durably, whole or not at all, into the room that was set aside for it; elsewhere where there is none: the
/// run is of a release before, or its program has taken that away.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let spare = spare(path);
    match fill(&spare, bytes) {
        Ok(()) => open::put(&spare, path, true),
        Err(_) => write_durably(path, bytes),
    }
}

fn fill(spare: &Path, bytes: &[u8]) -> io::Result<()> {
    let (mut file, about) = open::open_to_write(spare)?;
    // Another name of it may be a file of somebody else.
    if about.nlink() != 1 {
        return Err(ErrorKind::InvalidInput.into());
    }
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}
