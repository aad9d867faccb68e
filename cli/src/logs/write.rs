//! Writing a log: the first half of its bound stays, of what follows the last half.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::line::{Begin, EXIT, PART};
use super::read::Reader;
use super::segment::{Place, segment, segments};
use crate::run_folder::open;

/// Files of a log at most. The first half of them stays; of the others the oldest makes room.
const FILES: usize = 16;

/// Lines are written in pieces of about this size.
const WRITE: usize = 64 << 10;

/// So far apart, at least, are the places of a file that are remembered to read from, and so many of them are.
const BETWEEN_MARKS: u64 = 64 << 10;
const MARKS: u64 = 256;

/// Where it failed, it is tried again so much later.
const AGAIN: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    /// Of one file.
    bound: u64,
    file: Option<File>,
    /// Of the file.
    length: u64,
    segments: Vec<u64>,
    /// Bytes of output so far, kept or not.
    end: u64,
    /// Of the last file.
    marks: Vec<Place>,
    failed: Option<Instant>,
    told: bool,
    /// A file made room.
    cut: bool,
    /// The log that was there already has the last words on the program.
    closed: bool,
}

impl Writer {
    /// Goes on after what is there; the folder is made with the first line.
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
        Self {
            folder,
            bound,
            file: None,
            length: 0,
            segments,
            end,
            marks: Vec::new(),
            failed: None,
            told: false,
            cut: false,
            closed,
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes of output so far.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Whether a supervisor before this one has written the last words on the program.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether nothing of it was cut or lost.
    pub fn is_whole(&self) -> bool {
        !self.cut && !self.told
    }

    /// Whether it cannot be written at the moment.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// A place to read from, at this much output or before, as near as is known.
    pub fn place(&self, offset: u64) -> Option<Place> {
        let mark = self.marks.iter().rev().find(|mark| mark.offset <= offset).copied();
        mark.or_else(|| {
            let segment = *self.segments.iter().rev().find(|&&segment| segment <= offset)?;
            Some(Place { segment, position: 0, offset: segment })
        })
    }

    /// Appends what a source wrote. An error ends the logging for a while, and is answered once.
    pub fn write(&mut self, source: &str, text: &[u8]) -> Option<io::Error> {
        if self.failed.is_some_and(|since| since.elapsed() < AGAIN) {
            self.end += text.len() as u64;
            return None;
        }
        self.failed = None;
        let before = self.end;
        let failure = self.write_lines(source, text).err();
        // Counted in any case: what is missing is known by that.
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

    /// So much output in whole lines.
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

    /// Begins a file.
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
