//! Reserves space on the disk when a run begins, so that its end can be stored even if the disk is full. The end is
//! written into the reserved files, which are then renamed. This needs neither a block nor an inode.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};

use super::{Limits, RunFolder, open};

/// Minimum space for the payload of an end, because an error text may be longer than the largest allowed result.
const ERROR: u64 = 16 << 10;

/// Space for `end.json`. The file contains the end of stderr, in which an escape may replace each byte by six bytes.
const END: u64 = 64 << 10;

impl Limits {
    /// Returns the size of the largest file that a run needs.
    pub fn largest_file(&self) -> u64 {
        u64::from(self.max_bytes).max(ERROR).max(END)
    }
}

impl RunFolder {
    /// Reserves the space.
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

    /// Stores that the server accepted the end.
    pub fn mark_accepted(&self) -> io::Result<()> {
        write(&self.accepted(), b"")
    }
}

/// Returns the path of the reserved space for a file.
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
        // The file system cannot reserve space.
        Err(Errno::EOPNOTSUPP | Errno::ENOSYS) => {
            io::copy(&mut io::Read::take(io::repeat(0), size), &mut file).map(|_| ())
        }
        reserved => Ok(reserved?),
    }
}

/// Writes a file durably and atomically into its reserved space, or to a new file if the program removed that space.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let spare = spare(path);
    match fill(&spare, bytes) {
        Ok(()) => open::put(&spare, path, true),
        Err(_) => open::replace(path, bytes, true),
    }
}

fn fill(spare: &Path, bytes: &[u8]) -> io::Result<()> {
    let (mut file, about) = open::open_to_write(spare)?;
    // A file with several hard links may be a file of another user.
    if about.nlink() != 1 {
        return Err(ErrorKind::InvalidInput.into());
    }
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}
