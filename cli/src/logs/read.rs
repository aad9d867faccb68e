//! Reads a log, even while it is being written.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::line::Line;
use super::segment::{Place, segment, segments};
use crate::run_folder::open;

/// Number of bytes that are read at once.
const READ: usize = 64 << 10;

/// Maximum length of a line that Blueque wrote.
const LONGEST: usize = 128 << 10;

/// A piece of output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Time of the line, which `time` parses.
    pub at: String,
    pub source: String,
    /// Text with its end of line, if the output had one.
    pub text: Vec<u8>,
    /// Number of bytes of output before the entry. If the number exceeds the total length of the entries before, some
    /// output was not kept.
    pub offset: u64,
}

#[derive(Debug)]
pub struct Reader {
    folder: PathBuf,
    /// The file that is read.
    file: Option<(u64, File)>,
    /// Position to begin at, until a file is opened.
    from: Option<Place>,
    /// Bytes that were read. Bytes before `taken` are consumed.
    buffer: Vec<u8>,
    taken: usize,
    /// True while the rest of an overlong line is skipped.
    skipping: bool,
    offset: u64,
}

impl Reader {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, file: None, from: None, buffer: Vec::new(), taken: 0, skipping: false, offset: 0 }
    }

    pub fn at(folder: PathBuf, place: Place) -> Self {
        Self { from: Some(place), offset: place.offset, ..Self::new(folder) }
    }

    /// Returns a reader at the end of the existing log.
    pub fn at_end(folder: &Path) -> Self {
        let last = segments(folder).unwrap_or_default().pop();
        let place = last.map(|segment| Place { segment, position: 0, offset: segment });
        let mut reader = Self { from: place, offset: last.unwrap_or(0), ..Self::new(folder.to_owned()) };
        while let Ok(Some(_)) = reader.entry() {}
        reader
    }

    /// Returns the number of bytes of output before the next entry, as far as known.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the next entry, or `None` at the present end of the log.
    pub fn entry(&mut self) -> io::Result<Option<Entry>> {
        loop {
            while let Some(line) = self.line() {
                if let Some(entry) = self.parse(line) {
                    return Ok(Some(entry));
                }
            }
            if self.fill()? {
                continue;
            }
            let Some(next) = self.later()? else { return Ok(None) };
            // More lines were written after the last read.
            if self.fill()? {
                continue;
            }
            match open::open(&segment(&self.folder, next.segment)) {
                Ok((mut file, _)) => {
                    file.seek(SeekFrom::Start(next.position))?;
                    self.file = Some((next.segment, file));
                    self.from = None;
                    self.buffer.clear();
                    (self.taken, self.skipping, self.offset) = (0, false, next.offset);
                }
                // The writer removed the file to make room for newer output.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the bounds of the next whole line in the buffer.
    fn line(&mut self) -> Option<(usize, usize)> {
        loop {
            let rest = self.buffer.get(self.taken..)?;
            let Some(length) = rest.iter().position(|&byte| byte == b'\n') else {
                if rest.len() > LONGEST {
                    self.taken = self.buffer.len();
                    self.skipping = true;
                }
                return None;
            };
            let begin = self.taken;
            self.taken += length + 1;
            if !std::mem::take(&mut self.skipping) {
                return Some((begin, begin + length));
            }
        }
    }

    fn parse(&mut self, (begin, end): (usize, usize)) -> Option<Entry> {
        let line = Line::parse(self.buffer.get(begin..end)?)?;
        let mut text = line.text.to_vec();
        if line.whole {
            text.push(b'\n');
        }
        let offset = self.offset;
        self.offset += text.len() as u64;
        Some(Entry { at: line.at.to_owned(), source: line.source.to_owned(), text, offset })
    }

    /// Reads more bytes of the file. Returns true if there were any.
    fn fill(&mut self) -> io::Result<bool> {
        let Some((_, file)) = &mut self.file else { return Ok(false) };
        self.buffer.drain(..self.taken);
        self.taken = 0;
        Ok(file.take(READ as u64).read_to_end(&mut self.buffer)? > 0)
    }

    /// Returns the start of the file after the present file.
    fn later(&self) -> io::Result<Option<Place>> {
        let found = match segments(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        if let Some(from) = self.from
            && found.contains(&from.segment)
        {
            return Ok(Some(from));
        }
        let here = self.file.as_ref().map(|(segment, _)| *segment);
        let least = here.map_or(self.from.map_or(0, |from| from.segment), |here| here + 1);
        let next = found.into_iter().find(|&segment| segment >= least);
        Ok(next.map(|segment| Place { segment, position: 0, offset: segment }))
    }
}
