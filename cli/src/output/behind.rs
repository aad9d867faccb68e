//! Messages of a long-running process. A separate thread writes them, so that a slow reader of stderr never delays
//! work. If the reader stops, messages are dropped, and their number is printed when the reader continues.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum number of bytes of waiting messages and copies. A copy is a line of a program's output.
const ROOM: usize = 256 << 10;

/// Maximum number of bytes of waiting copies. The remaining bytes are for messages.
const COPIES: usize = ROOM / 2;

/// Maximum time that the end of the process waits for the last messages to be written.
const PATIENCE: Duration = Duration::from_secs(2);

/// The queue of messages, once the thread that writes them has started.
static MESSAGES: OnceLock<Behind> = OnceLock::new();

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<String>,
    /// Number of bytes of the waiting messages.
    bytes: usize,
    /// Number of messages dropped since the last accepted message.
    dropped: u64,
    /// True while a message is being written.
    writes: bool,
    /// Time until which copies wait for room. `None` means that they wait without limit.
    until: Option<Instant>,
}

/// The queue of messages for the writer.
#[derive(Debug, Default)]
struct Behind {
    state: Mutex<State>,
    changed: Condvar,
}

impl State {
    fn has_room(&self, text: &str, room: usize) -> bool {
        // After a drop, no message is accepted until the number of dropped messages has been printed.
        self.dropped == 0 && (self.waiting.is_empty() || self.bytes + text.len() <= room)
    }

    fn add(&mut self, text: String) {
        if self.has_room(&text, ROOM) {
            self.bytes += text.len();
            self.waiting.push_back(text);
        } else {
            self.dropped += 1;
        }
    }

    fn next(&mut self) -> Option<String> {
        let next = self.waiting.pop_front();
        if let Some(text) = &next {
            self.bytes -= text.len();
        } else if self.dropped > 0 {
            let (number, what) = (std::mem::take(&mut self.dropped), "are missing here: nobody read this output");
            return Some(format!("blueque: {number} messages {what}\n"));
        }
        next
    }
}

impl Behind {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&'a self, state: MutexGuard<'a, State>, limit: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Accepts a message or drops it.
    fn say(&self, text: String) {
        self.lock().add(text);
        self.changed.notify_all();
    }

    /// Accepts a copy. If the queue is full, waits for room until the time limit of copies.
    fn copy(&self, text: String) {
        let mut state = self.lock();
        while !state.has_room(&text, COPIES) && state.until.is_none_or(|until| Instant::now() < until) {
            state = self.wait(state, Duration::from_millis(100));
        }
        state.add(text);
        drop(state);
        self.changed.notify_all();
    }

    fn write_to(&self, mut out: impl Write) {
        let mut state = self.lock();
        loop {
            let Some(text) = state.next() else {
                state.writes = false;
                self.changed.notify_all();
                state = self.wait(state, Duration::from_secs(60));
                continue;
            };
            state.writes = true;
            drop(state);
            let _ = out.write_all(text.as_bytes());
            state = self.lock();
            self.changed.notify_all();
        }
    }

    /// Waits until all messages are written. Returns true if this happened within the limit.
    fn flush(&self, limit: Duration) -> bool {
        let is_left = |state: &mut State| !state.waiting.is_empty() || state.dropped > 0 || state.writes;
        let waited = self.changed.wait_timeout_while(self.lock(), limit, is_left);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

/// Starts the thread that writes the messages of this process.
pub fn begin() {
    if MESSAGES.set(Behind::default()).is_ok() {
        thread::spawn(|| {
            if let Some(messages) = MESSAGES.get() {
                messages.write_to(io::stderr());
            }
        });
    }
}

/// Writes a line, or passes it to the thread.
pub fn say(line: String) {
    match MESSAGES.get() {
        Some(messages) => messages.say(line),
        None => drop(io::stderr().lock().write_all(line.as_bytes())),
    }
}

/// Writes a copy, which may wait for room. A copy is dropped only when the process ends.
pub fn copy(line: String) {
    match MESSAGES.get() {
        Some(messages) => messages.copy(line),
        None => say(line),
    }
}

/// Returns the number of dropped messages, if it has not been printed yet.
pub fn dropped() -> u64 {
    MESSAGES.get().map_or(0, |messages| messages.lock().dropped)
}

/// Limits the time that copies wait for room. `None` removes the limit.
pub fn copies_wait(limit: Option<Duration>) {
    if let Some(messages) = MESSAGES.get() {
        messages.lock().until = limit.map(|limit| Instant::now() + limit);
        messages.changed.notify_all();
    }
}

/// Waits for the last messages to be written, but not for a blocked reader. Called before the process ends.
pub fn flush() {
    if let Some(messages) = MESSAGES.get() {
        messages.flush(PATIENCE);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{BufRead, BufReader, pipe};

    use super::*;

    #[test]
    fn messages_that_nobody_reads_are_dropped_and_their_number_is_printed_in_their_place() {
        let messages: &'static Behind = Box::leak(Box::default());
        let (reader, writer) = pipe().unwrap();
        thread::spawn(|| messages.write_to(writer));
        let line = |number: usize| format!("{number} {}\n", "x".repeat(1_000));
        // The pipe and the queue cannot hold this number of messages.
        let sent = 1_000;
        for number in 0..sent {
            messages.say(line(number));
        }
        assert!(!messages.flush(Duration::ZERO));
        let mut lines = BufReader::new(reader).lines().map(Result::unwrap);
        let mut kept = 0;
        let told = loop {
            let read = lines.next().unwrap();
            if read.starts_with("blueque: ") {
                break read;
            }
            assert_eq!(format!("{read}\n"), line(kept));
            kept += 1;
        };
        assert_eq!(told, format!("blueque: {} messages are missing here: nobody read this output", sent - kept));
        assert!(messages.flush(Duration::from_secs(30)));
        messages.say("and on\n".into());
        assert_eq!(lines.next().unwrap(), "and on");
    }

    #[test]
    fn a_copy_waits_for_room_until_the_process_ends() {
        let messages: &'static Behind = Box::leak(Box::default());
        let (reader, writer) = pipe().unwrap();
        thread::spawn(|| messages.write_to(writer));
        let copying = thread::spawn(|| (0..2_000).for_each(|_| messages.copy(format!("{}\n", "x".repeat(1_000)))));
        let mut lines = BufReader::new(reader).lines().map(Result::unwrap);
        for _ in 0..1_000 {
            assert_eq!(lines.next().unwrap().len(), 1_000);
        }
        messages.lock().until = Some(Instant::now());
        messages.changed.notify_all();
        copying.join().unwrap();
        assert!(messages.lock().dropped > 0);
    }
}
