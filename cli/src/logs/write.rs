//! Writes a log. The first half of its maximum size contains the beginning of the output and is always kept. The second
//! half contains the newest output.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::line::{Begin, EXIT, PART};
use super::read::Reader;
use super::segment::{Place, segment, segments};
use crate::run_folder::open;

/// Maximum number of files of a log. The first half of the files is kept. If the second half is full, its oldest file
/// is removed to make room for a new file.
const FILES: usize = 16;

/// Approximate size of the pieces in which lines are written, in bytes.
const WRITE: usize = 64 << 10;

/// Minimum distance in bytes between marks, and maximum number of marks. A mark is a position in a file from which
/// readers can begin.
const BETWEEN_MARKS: u64 = 64 << 10;
const MARKS: u64 = 256;

/// Time after a failure before the next attempt to write.
const AGAIN: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
pub struct Writer {
    folder: PathBuf,
    /// Maximum size of a file.
    bound: u64,
    file: Option<File>,
    /// Size of the present file.
    length: u64,
    segments: Vec<u64>,
    /// Number of bytes of output so far, kept or not.
    end: u64,
    /// Marks in the last file.
    marks: Vec<Place>,
    failed: Option<Instant>,
    told: bool,
    /// True if a file was removed to make room.
    cut: bool,
    /// True if the existing log already contains the post-mortem of the program.
    closed: bool,
}

impl Writer {
    /// Continues an existing log. The folder is created with the first line.
    pub fn new(folder: PathBuf, bound: u64) -> Self {
        let segments = segments(&folder).unwrap_or_default();
        let (mut end, mut closed) = (0, false);
        if let Some(&segment) = segments.last() {
            let mut reader = Reader::at(folder.clone(), Place { segment, position: 0, offset: segment });
            while let Ok(Some(entry)) = reader.entry() {
                closed |= entry.source == EXIT;
            }
            end = reader.offset();
        }
        let bound = bound / FILES as u64;
        Self { folder, bound, segments, end, closed, ..Self::default() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the number of bytes of output so far.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns true if an earlier supervisor wrote the post-mortem of the program.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns true if nothing was cut or lost.
    pub fn is_whole(&self) -> bool {
        !self.cut && !self.told
    }

    /// Returns true if the log cannot be written at the moment.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Returns the last known position that is not after this offset of the output.
    pub fn place(&self, offset: u64) -> Option<Place> {
        let mark = self.marks.iter().rev().find(|mark| mark.offset <= offset).copied();
        mark.or_else(|| {
            let segment = *self.segments.iter().rev().find(|&&segment| segment <= offset)?;
            Some(Place { segment, position: 0, offset: segment })
        })
    }

    /// Appends output of a source. After an error, nothing is written for a while. Returns each error only once.
    pub fn write(&mut self, source: &str, text: &[u8]) -> Option<io::Error> {
        if self.failed.is_some_and(|since| since.elapsed() < AGAIN) {
            self.end += text.len() as u64;
            return None;
        }
        self.failed = None;
        let before = self.end;
        let failure = self.write_lines(source, text).err();
        // Output that was not written is also counted, so that readers see the gap.
        self.end = before + text.len() as u64;
        let error = failure?;
        self.failed = Some(Instant::now());
        (!std::mem::replace(&mut self.told, true)).then_some(error)
    }

    fn write_lines(&mut self, source: &str, text: &[u8]) -> io::Result<()> {
        let begin = Begin::now(source);
        let (mut lines, mut taken) = (Vec::new(), 0);
        for part in text.split_inclusive(|&byte| byte == b'\n').flat_map(|line| line.chunks(PART)) {
            begin.append(&mut lines, part);
            taken += part.len() as u64;
            if lines.len() >= WRITE {
                self.append(&lines, std::mem::take(&mut taken))?;
                lines.clear();
            }
        }
        if lines.is_empty() { Ok(()) } else { self.append(&lines, taken) }
    }

    /// Appends whole lines of the log, which contain `taken` bytes of output.
    fn append(&mut self, lines: &[u8], taken: u64) -> io::Result<()> {
        if self.length.saturating_add(lines.len() as u64) > self.bound {
            self.file = None;
        }
        let mut file = match self.file.take() {
            Some(file) => file,
            None => self.begin(self.end)?,
        };
        if let Err(error) = file.write_all(lines) {
            let _ = file.set_len(self.length);
            return Err(error);
        }
        self.file = Some(file);
        let apart = BETWEEN_MARKS.max(self.bound / MARKS);
        if self.marks.last().is_none_or(|last| self.end >= last.offset + apart) {
            let segment = self.segments.last().copied().unwrap_or_default();
            self.marks.push(Place { segment, position: self.length, offset: self.end });
        }
        self.length += lines.len() as u64;
        self.end += taken;
        Ok(())
    }

    /// Starts a new file.
    fn begin(&mut self, offset: u64) -> io::Result<File> {
        open::own_folder(&self.folder)?;
        let file = open::create_private(&segment(&self.folder, offset))?;
        self.length = 0;
        self.marks.clear();
        self.segments.retain(|&before| before < offset);
        self.segments.push(offset);
        while self.segments.len() > FILES {
            let _ = fs::remove_file(segment(&self.folder, self.segments.remove(FILES / 2)));
            self.cut = true;
        }
        Ok(file)
    }
}
