//! The files of a log, and positions in them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The start of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, by its name.
    pub segment: u64,
    /// Number of bytes of this file before the line.
    pub position: u64,
    /// Number of bytes of output before the line.
    pub offset: u64,
}

/// Returns the first offsets of the files of a log, in order.
pub fn segments(folder: &Path) -> io::Result<Vec<u64>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let offset = path.file_stem().and_then(|name| name.to_str()?.parse().ok());
        found.extend(offset.filter(|&offset| path == segment(folder, offset)));
    }
    found.sort_unstable();
    Ok(found)
}

pub fn segment(folder: &Path, offset: u64) -> PathBuf {
    folder.join(format!("{offset:012}.log"))
}
