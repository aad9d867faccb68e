//! The log of an attempt. The whole log is written to the disk, and the part that the server keeps is read from there
//! and sent. Text that cannot be written to the disk is still sent.

use std::collections::VecDeque;
use std::path::PathBuf;

use super::shared::{Outbox, Piece, Shared};
use crate::logs::{self, EXIT, Entry, PART, Reader, Writer};
use crate::run_folder::{Run, RunFolder};
use crate::server::host;
use blueque::constants::LOG_PIECE_BYTES;

// The limits of logs on the server, as in its scripts. A test compares these four limits with `lua/`.

/// The largest piece that the server accepts, in bytes.
const PIECE: usize = LOG_PIECE_BYTES as usize;

/// Number of bytes of a log that the server keeps by default.
const KEPT_THERE: u64 = 160 << 10;

/// Divisor of the server's limit. The quotient is the size of the log's head, the beginning that the server always
/// keeps.
const HEAD: u64 = 5;

/// Number of bytes that the server counts for an entry in addition to its text.
pub const ENTRY: u64 = 100;

/// Maximum number of pieces and bytes that are prepared at once.
const PIECES: usize = 64;
const READY: usize = 64 << 10;

/// Divisor of the server's limit. The quotient is the maximum size of a piece, because the server drops whole pieces to
/// make room for new pieces.
const SHARE: u64 = 10;

/// Returns the number of bytes of this run's log that the server keeps.
pub fn bound(run: &Run) -> u64 {
    run.log_bytes.unwrap_or(KEPT_THERE)
}

#[derive(Debug)]
pub struct Journal {
    writer: Writer,
    sender: Sender,
    /// Name of this host, for people.
    host: String,
    folder: RunFolder,
}

impl Journal {
    /// Continues the log where an earlier supervisor stopped.
    pub fn open(folder: &RunFolder, run: &Run) -> Self {
        let path = logs::of_run(folder.path(), run).unwrap_or_else(|| folder.path().join(logs::LOGS));
        let writer = Writer::new(path.clone(), run.keep_log.unwrap_or(logs::KEEP));
        let host = host(&run.listener).unwrap_or_else(|| run.listener.clone());
        Self { writer, sender: Sender::new(path, bound(run)), host, folder: folder.clone() }
    }

    /// Appends output of a source.
    pub fn write(&mut self, shared: &Shared, source: &str, text: &[u8]) {
        let offset = self.writer.end();
        let error = self.writer.write(source, text);
        let mut outbox = shared.outbox();
        if self.writer.has_failed() {
            hand(&mut outbox, source, text, offset);
        }
        let news = !outbox.more_log;
        outbox.more_log = true;
        drop(outbox);
        if let Some(error) = error {
            let text = format!("the log of this attempt cannot be written, and the server gets what it can: {error}\n");
            self.write(shared, "supervisor", text.as_bytes());
        } else if news {
            shared.post(|_| {});
        }
    }

    /// Writes waiting messages to the log, sends waiting notices to the worker, and prepares pieces of the log if the
    /// sender has requested them.
    pub fn tend(&mut self, shared: &Shared) {
        shared.notify(&self.folder);
        let said = std::mem::take(&mut shared.outbox().said);
        if !said.is_empty() {
            self.write(shared, "supervisor", said.as_bytes());
        }
        let room = {
            let outbox = shared.outbox();
            if outbox.ask_log { PIECES.saturating_sub(outbox.log.len()) } else { 0 }
        };
        if room == 0 {
            return;
        }
        let (pieces, more) = self.pieces(room);
        shared.post(|outbox| {
            outbox.log.extend(pieces);
            // Only this thread writes the log, so `more` is still correct.
            outbox.more_log = more;
            outbox.ask_log = false;
        });
    }

    /// Returns the next pieces to send, and true if there may be more.
    fn pieces(&mut self, most: usize) -> (VecDeque<Piece>, bool) {
        let mut pieces = VecDeque::new();
        let mut bytes = 0;
        while pieces.len() < most && bytes < READY {
            let Some(piece) = self.next_piece() else { return (pieces, false) };
            bytes += piece.text.len();
            pieces.push_back(piece);
        }
        (pieces, true)
    }

    /// Returns the next piece for the server, or `None` if the server has everything that it keeps.
    pub fn next_piece(&mut self) -> Option<Piece> {
        self.sender.next(&self.writer)
    }

    /// Appends the post-mortem of the program, unless an earlier supervisor has appended it.
    pub fn close(&mut self, shared: &Shared, last: &[u8]) {
        self.tend(shared);
        if self.writer.is_closed() {
            return;
        }
        let left = self.sender.left_out(self.writer.end());
        if left > 0 {
            let kept = if self.writer.is_whole() { "all" } else { "more" };
            let (bound, host, folder) = (self.sender.bound, &self.host, self.writer.folder().display());
            shared.say(&format!(
                "{left} bytes of output were not sent: the server keeps {bound} of this log; {kept} of it is on {host} in {folder}"
            ));
        }
        self.tend(shared);
        self.write(shared, EXIT, last);
    }
}

/// Adds text for the server without writing it to the disk. The oldest pieces are dropped to make room. The offsets of
/// the remaining pieces show the gap.
fn hand(outbox: &mut Outbox, source: &str, text: &[u8], mut offset: u64) {
    for part in text.chunks(PIECE) {
        match outbox.log.back_mut() {
            Some(last)
                if last.source == source && last.end() == Some(offset) && last.text.len() + part.len() <= READY / 8 =>
            {
                last.text.extend_from_slice(part);
            }
            _ => outbox.log.push_back(Piece { source: source.to_owned(), text: part.to_vec(), offset: Some(offset) }),
        }
        offset += part.len() as u64;
    }
    let mut bytes: usize = outbox.log.iter().map(|piece| piece.text.len()).sum();
    while outbox.log.len() > PIECES || bytes > 2 * READY {
        bytes -= outbox.log.pop_front().map_or(bytes, |piece| piece.text.len());
    }
}

/// Reads the log from the disk for the server: first the head, and then the newest part that fits the server's limit.
#[derive(Debug)]
struct Sender {
    folder: PathBuf,
    reader: Reader,
    /// An entry that was read but is not part of the last piece.
    next: Option<Entry>,
    bound: u64,
    /// The largest piece, in bytes.
    piece: usize,
    skipped: u64,
}

impl Sender {
    fn new(folder: PathBuf, bound: u64) -> Self {
        let piece = usize::try_from(bound / SHARE).unwrap_or(PIECE).clamp(PART, PIECE);
        Self { reader: Reader::new(folder.clone()), folder, next: None, bound, piece, skipped: 0 }
    }

    /// Returns the size of the log's head, which the server always keeps.
    fn head(&self) -> u64 {
        self.bound / HEAD
    }

    /// Returns the offset of the newest part that fits the server's limit next to the head, in a log that ends at
    /// `end`.
    fn newest(&self, end: u64) -> u64 {
        end.saturating_sub(self.bound - self.head())
    }

    /// Returns the number of bytes of output that are skipped.
    fn left_out(&self, end: u64) -> u64 {
        if self.bound == 0 {
            return end;
        }
        self.skipped + self.newest(end).saturating_sub(self.offset().max(self.head()))
    }

    /// Returns the offset of the next piece.
    fn offset(&self) -> u64 {
        self.next.as_ref().map_or(self.reader.offset(), |entry| entry.offset)
    }

    /// Returns the offset at which to continue, if more text waits than the server keeps.
    fn jump(&self, end: u64) -> Option<u64> {
        let newest = self.newest(end);
        (self.offset() >= self.head() && newest > self.offset()).then_some(newest)
    }

    fn next(&mut self, log: &Writer) -> Option<Piece> {
        if self.bound == 0 {
            return None;
        }
        if let Some(to) = self.jump(log.end()) {
            self.skip(log, to)?;
        }
        let first = self.entry()?;
        let mut piece = Piece { source: first.source, text: first.text, offset: Some(first.offset) };
        while let Some(entry) = self.entry() {
            let follows = entry.source == piece.source && Some(entry.offset) == piece.end();
            if follows && piece.text.len() + entry.text.len() <= self.piece {
                piece.text.extend_from_slice(&entry.text);
            } else {
                self.next = Some(entry);
                break;
            }
        }
        Some(piece)
    }

    fn skip(&mut self, log: &Writer, to: u64) -> Option<()> {
        let from = self.offset();
        if let Some(place) = log.place(to).filter(|place| place.offset > self.reader.offset()) {
            self.reader = Reader::at(self.folder.clone(), place);
            self.next = None;
        }
        while self.offset() < to {
            self.next = Some(self.entry()?).filter(|entry| entry.offset >= to);
        }
        self.skipped += self.offset() - from;
        Some(())
    }

    /// Returns the next entry. Entries that cannot be read are not sent.
    fn entry(&mut self) -> Option<Entry> {
        self.next.take().or_else(|| self.reader.entry().ok().flatten())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use std::fs;

    use blueque::bundle;

    use super::{ENTRY, HEAD, KEPT_THERE, PIECE, Piece, Sender};
    use crate::logs::Writer;

    fn log(name: &str) -> (Writer, Sender, std::path::PathBuf) {
        let folder = std::env::temp_dir().join(format!("blueque-journal-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        (Writer::new(folder.clone(), 64 << 20), Sender::new(folder.clone(), KEPT_THERE), folder)
    }

    fn sent(sender: &mut Sender, writer: &Writer) -> Vec<Piece> {
        std::iter::from_fn(|| sender.next(writer)).collect()
    }

    #[test]
    fn the_scripts_keep_as_much_of_a_log_as_is_reckoned_with_here() {
        let log = bundle::command("append_log").unwrap().source();
        for said in [
            format!("('text'), {PIECE}, 'text')\n"),
            format!(" log_bytes={KEPT_THERE} "),
            format!("local head = math.floor(most / {HEAD})\n"),
            format!("return #part + {ENTRY}\n"),
        ] {
            assert_eq!(log.matches(&said).count(), 1, "{said}\n{log}");
        }
    }

    #[test]
    fn little_output_is_sent_as_it_comes_and_much_in_large_pieces() {
        let (mut writer, mut sender, folder) = log("little");
        assert_eq!(sent(&mut sender, &writer), []);
        writer.write("stdout", b"one\n");
        writer.write("stdout", b"two");
        writer.write("stderr", b"three\n");
        let pieces = sent(&mut sender, &writer);
        let seen: Vec<_> =
            pieces.iter().map(|piece| (piece.source.as_str(), piece.text.as_slice(), piece.offset.unwrap())).collect();
        assert_eq!(seen, [("stdout", &b"one\ntwo"[..], 0), ("stderr", b"three\n", 7)]);
        writer.write("stdout", "a line\n".repeat(15_000).as_bytes());
        let pieces = sent(&mut sender, &writer);
        assert!(pieces.len() <= 105_000 / 16_000 + 1);
        assert!(pieces.iter().all(|piece| piece.text.len() <= PIECE));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn of_a_flood_the_head_is_sent_and_then_the_newest_and_the_rest_is_counted() {
        let (mut writer, mut sender, folder) = log("flood");
        let mut all: Vec<Piece> = Vec::new();
        for number in 0..200_000 {
            writer.write("stdout", format!("{number:09}\n").as_bytes());
            if number % 10_000 == 0 {
                all.extend(sender.next(&writer));
            }
        }
        let left = sender.left_out(writer.end());
        all.extend(sent(&mut sender, &writer));
        let cut = all.iter().zip(&all[1..]).find(|(one, next)| next.offset != one.end()).unwrap();
        assert!(cut.0.end().unwrap() >= 32 << 10, "the head");
        for piece in &all {
            assert_eq!(piece.text[..10], *format!("{:09}\n", piece.offset.unwrap() / 10).as_bytes());
        }
        assert_eq!(all[all.len() - 1].end(), Some(writer.end()));
        let sent: u64 = all.iter().map(|piece| piece.text.len() as u64).sum();
        assert_eq!(sent + sender.skipped, writer.end());
        assert!(left.abs_diff(sender.skipped) <= 10 && left > 100 << 10, "{left} {}", sender.skipped);
        fs::remove_dir_all(folder).unwrap();
    }
}
