//! `worker --verbose`: copies the output of programs to the worker's stderr, each line with the id of its task. The
//! output is read from the logs on the disk, so that a slow reader of stderr does not block a program.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::log;
use super::pool::Pool;
use crate::logs::{self, EXIT, Reader};
use crate::output::{behind, one_line};
use crate::run_folder::{Run, RunFolder};

const LOOK: Duration = Duration::from_millis(200);

/// Time for which an ending worker waits until the last output has been read.
const LAST: Duration = Duration::from_secs(5);

/// Number of entries that are copied from one log before the next log gets its turn.
const TURN: usize = 1_000;

/// Maximum length of a line in bytes. A longer line is cut into parts of this length.
const LINE: usize = 64 << 10;

#[derive(Debug, Default)]
pub struct Verbose {
    /// The runs whose output is copied. The lock is held during a copy, which may wait for a reader.
    streams: Mutex<Vec<Stream>>,
    /// Runs that were added since the last copy. They have a separate lock, so that the start of a task does not wait
    /// for a copy.
    fresh: Mutex<Vec<Stream>>,
}

#[derive(Debug)]
struct Stream {
    id: String,
    run: PathBuf,
    reader: Reader,
    /// Unfinished lines of each source.
    begun: HashMap<String, Vec<u8>>,
    /// Offset at which the next entry begins, unless output is missing.
    next: u64,
}

impl Verbose {
    /// Copies the output of this run from now on.
    pub fn add(&self, folder: &RunFolder, run: &Run) {
        let Some(path) = logs::of_run(folder.path(), run) else { return };
        let reader = Reader::at_end(&path);
        let next = reader.offset();
        let stream = Stream { id: run.id.clone(), run: folder.path().to_owned(), reader, begun: HashMap::new(), next };
        lock(&self.fresh).push(stream);
    }

    /// Copies output until the pool has ended.
    pub fn run(&self, pool: &Pool) {
        while !pool.ends_within(LOOK) {
            self.pass();
        }
    }

    /// Copies the last output. If nobody reads it, the worker ends after a limited time.
    pub fn end(&self) {
        behind::copies_wait(Some(LAST));
        self.pass();
        behind::copies_wait(None);
    }

    /// Copies all available output.
    pub fn pass(&self) {
        loop {
            let mut more = false;
            let mut streams = lock(&self.streams);
            streams.append(&mut lock(&self.fresh));
            streams.retain_mut(|stream| {
                let lives = stream.run.exists();
                let all = stream.pass();
                more |= !all;
                if lives || !all {
                    return true;
                }
                stream.end();
                false
            });
            if !more {
                return;
            }
        }
    }
}

fn lock(streams: &Mutex<Vec<Stream>>) -> MutexGuard<'_, Vec<Stream>> {
    streams.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stream {
    /// Copies some entries of a run. Returns true if no entries are left.
    fn pass(&mut self) -> bool {
        for _ in 0..TURN {
            let Ok(Some(entry)) = self.reader.entry() else { return true };
            if entry.offset > self.next {
                log::output(&self.id, &format!("… {} bytes are left out here …", entry.offset - self.next));
            }
            self.next = entry.offset + entry.text.len() as u64;
            if entry.source == EXIT {
                continue; // not output of the program
            }
            let line = self.begun.entry(entry.source).or_default();
            line.extend_from_slice(&entry.text);
            if line.ends_with(b"\n") || line.len() >= LINE {
                pass_on(&self.id, &std::mem::take(line));
            }
        }
        false
    }

    fn end(&mut self) {
        for line in self.begun.values().filter(|line| !line.is_empty()) {
            pass_on(&self.id, line);
        }
    }
}

fn pass_on(id: &str, line: &[u8]) {
    log::output(id, &one_line(&String::from_utf8_lossy(line)));
}
