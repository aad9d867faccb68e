//! The lines of a log.

use std::time::SystemTime;

use jiff::Timestamp;

/// Length of a time: `2026-11-22T05:00:00.123456789Z`.
const STAMP: usize = 30;

/// The source of the entry with the supervisor's post-mortem of the program. The entry is not output of the program.
pub const EXIT: &str = "exit";

/// Maximum length of output without an end of line. Longer output is cut into parts of this length.
pub const PART: usize = 16 << 10;

/// A parsed line.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    pub at: &'a str,
    pub source: &'a str,
    /// True if the text ends with the end of a line.
    pub whole: bool,
    pub text: &'a [u8],
}

impl<'a> Line<'a> {
    /// Parses a line. Returns `None` if the line is malformed, because a crash cut it off or another program wrote it.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let mut words = line.splitn(4, |&byte| byte == b' ');
        let mut word = || std::str::from_utf8(words.next()?).ok();
        let (at, source, tag) = (word()?, word()?, word()?);
        let text = words.next()?;
        (at.len() == STAMP && matches!(tag, "F" | "P")).then_some(Self { at, source, whole: tag == "F", text })
    }
}

/// The beginnings of log lines with one source and one time: for a whole line, and for a part of a line.
pub struct Begin {
    whole: Vec<u8>,
    part: Vec<u8>,
}

impl Begin {
    /// Returns the beginnings for the present time.
    pub fn now(source: &str) -> Self {
        let at = Timestamp::now();
        let of = |tag: char| format!("{at:.9} {source} {tag} ").into_bytes();
        Self { whole: of('F'), part: of('P') }
    }

    /// Appends output as a line of the log. The line is marked as whole if the output ends with a line feed.
    pub fn append(&self, lines: &mut Vec<u8>, text: &[u8]) {
        let whole = text.ends_with(b"\n");
        lines.extend_from_slice(if whole { &self.whole } else { &self.part });
        lines.extend_from_slice(text);
        if !whole {
            lines.push(b'\n');
        }
    }
}

/// Parses the time of a line.
pub fn time(at: &str) -> Option<SystemTime> {
    at.parse::<Timestamp>().ok().map(SystemTime::from)
}
