//! Finds and reads files that the user names. Anything may be at the path, but no command blocks or uses unlimited memory.

use std::env;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// Returns the paths at which a shell looks for a program of this name, in order.
pub fn on_path(name: &str) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(name)).collect()
}

/// Reads a regular file of at most this size, as text. Links are followed.
pub fn text(path: &Path, limit: u64) -> io::Result<String> {
    let (file, about) = open(path)?;
    if !about.is_file() {
        return Err(not_a_file(about.file_type()));
    }
    let bytes = bounded(file, limit)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {limit} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Reads a file with data, at most one byte more than the limit. A pipe is read until its writers close it, like stdin.
pub fn data(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, about) = open(path)?;
    // The file was opened in non-blocking mode, in which a slow writer causes an error.
    fcntl(&file, FcntlArg::F_SETFL(OFlag::empty()))?;
    let bytes = bounded(file, limit)?;
    if bytes.is_empty() && about.file_type().is_fifo() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "nobody writes to this pipe"));
    }
    Ok(bytes)
}

/// Returns the error for a path that is not a regular file.
pub fn not_a_file(kind: FileType) -> io::Error {
    let what = match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_symlink() => "a link",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    };
    io::Error::new(ErrorKind::InvalidInput, format!("it is {what}, not a file"))
}

/// Opens the file. For a pipe, does not wait for a writer.
fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let file = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    let about = file.metadata()?;
    Ok((file, about))
}

/// Reads at most one byte more than the limit.
pub fn bounded(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
