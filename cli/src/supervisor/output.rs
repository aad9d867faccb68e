//! Stores the parts of the program's output that are needed at its end: stdout, which may be the result, and the last
//! bytes of stderr, for the post-mortem.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;

use sha2::{Digest, Sha256};

/// Maximum size of the stderr in the post-mortem, in bytes.
const LAST_WORDS: usize = 4 << 10;

/// The beginning of stdout. It is the result if it is JSON and the program wrote no result file. It is stored on the
/// disk, to save memory.
#[derive(Debug, Default)]
pub enum Spool {
    Disk {
        path: PathBuf,
        file: File,
        length: u64,
        /// Digest of the written bytes, because a program, a cleaner or a disk may change the file.
        digest: Sha256,
    },
    /// The disk is full, and the output is kept in memory.
    Memory(Vec<u8>),
    /// The output is longer than a result may be.
    #[default]
    Over,
    /// The written output cannot be read.
    Broken(io::Error),
}

impl Spool {
    pub fn open(path: PathBuf) -> Self {
        match OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path) {
            Ok(file) => Self::Disk { path, file, length: 0, digest: Sha256::new() },
            Err(_) => Self::Memory(Vec::new()),
        }
    }

    pub fn write(&mut self, bytes: &[u8], limit: u64) {
        match self {
            Self::Disk { path, file, length, digest } => {
                if *length + bytes.len() as u64 > limit {
                    // The file is removed now to free its space. An error is ignored, because the run folder is removed
                    // later.
                    let _ = fs::remove_file(path);
                    *self = Self::Over;
                } else if file.write_all(bytes).is_ok() {
                    *length += bytes.len() as u64;
                    digest.update(bytes);
                } else {
                    *self = match read(file, *length, digest) {
                        Ok(kept) => Self::Memory([&kept, bytes].concat()),
                        Err(error) => Self::Broken(error),
                    };
                }
            }
            Self::Memory(kept) => {
                if (kept.len() + bytes.len()) as u64 > limit {
                    *self = Self::Over;
                } else {
                    kept.extend_from_slice(bytes);
                }
            }
            Self::Over | Self::Broken(_) => {}
        }
    }

    /// Returns all output, or `None` if it was too long.
    pub fn take(self) -> io::Result<Option<Vec<u8>>> {
        match self {
            Self::Disk { mut file, length, digest, .. } => read(&mut file, length, &digest).map(Some),
            Self::Memory(kept) => Ok(Some(kept)),
            Self::Over => Ok(None),
            Self::Broken(error) => Err(error),
        }
    }
}

/// Reads the output from the open file, because the program may have replaced the file at the path.
fn read(file: &mut File, length: u64, digest: &Sha256) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(length).read_to_end(&mut bytes)?;
    if Sha256::digest(&bytes) == digest.clone().finalize() {
        Ok(bytes)
    } else {
        Err(io::Error::other("its file is not as it was written"))
    }
}

/// Keeps the last bytes that were written. A carriage return removes the text before it from the current line, as on a
/// terminal, so that only the last state of a progress bar is kept.
#[derive(Debug, Default)]
pub struct LastWords {
    text: Vec<u8>,
    /// Offset at which the current line begins.
    line: usize,
    /// True if the last byte was a carriage return. A line feed may follow.
    returned: bool,
}

impl LastWords {
    pub fn write(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\r' | b'\n')) {
            if self.returned && !matches!(piece.first(), Some(b'\r' | b'\n')) {
                self.text.truncate(self.line);
            }
            self.text.extend_from_slice(piece);
            self.returned = piece.ends_with(b"\r");
            if piece.ends_with(b"\n") {
                self.line = self.text.len();
            }
        }
        let over = self.text.len().saturating_sub(LAST_WORDS);
        self.text.drain(..over);
        self.text.shrink_to(2 * LAST_WORDS);
        self.line = self.line.saturating_sub(over);
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.text).trim_end().to_owned()
    }
}

/// Tracks the structure of a text while it is written, to find out if the text is a single JSON list or object. If
/// stdout is too long for a result, this distinguishes a large result from a long log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    #[default]
    Before,
    /// Contains the number of open lists and objects.
    Within(u32),
    Text(u32),
    Escape(u32),
    After,
    /// The text is not a single list or object.
    Other,
}

impl Shape {
    pub fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            *self = match (*self, byte) {
                (Self::Other, _) => return,
                (Self::Before, b'[' | b'{') => Self::Within(1),
                (Self::Within(depth), b'[' | b'{') => Self::Within(depth.saturating_add(1)),
                (Self::Within(1), b']' | b'}') => Self::After,
                (Self::Within(depth), b']' | b'}') => Self::Within(depth - 1),
                (Self::Within(depth), b'"') | (Self::Escape(depth), _) => Self::Text(depth),
                (Self::Text(depth), b'"') => Self::Within(depth),
                (Self::Text(depth), b'\\') => Self::Escape(depth),
                (same @ (Self::Within(_) | Self::Text(_)), _) | (same, b' ' | b'\t' | b'\r' | b'\n') => same,
                _ => Self::Other,
            };
        }
    }

    pub fn is_one_value(self) -> bool {
        self == Self::After
    }

    /// Returns true for one list or object, even if its end is missing.
    pub fn looks_like_json(self) -> bool {
        !matches!(self, Self::Before | Self::Other)
    }
}
