//! One line of a log.

use jiff::Timestamp;

/// `2026-11-22T05:00:00.123456789Z`
const STAMP: usize = 30;

/// The source of a supervisor's last words on a program, which are no part of what the program said.
pub const EXIT: &str = "exit";

/// A longer piece of output without an end of line is cut into such.
pub const PART: usize = 16 << 10;

/// A line, read.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    pub at: &'a str,
    pub source: &'a str,
    /// Its end belongs to the text.
    pub whole: bool,
    pub text: &'a [u8],
}

impl<'a> Line<'a> {
    /// None where it is no line of a log: cut off by a crash, or written by somebody else.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let mut words = line.splitn(4, |&byte| byte == b' ');
        let mut word = || std::str::from_utf8(words.next()?).ok();
        let (at, source, tag) = (word()?, word()?, word()?);
        let text = words.next()?;
        (at.len() == STAMP && matches!(tag, "F" | "P")).then_some(Self { at, source, whole: tag == "F", text })
    }
}

/// How lines of one source and one moment begin: a whole one, and a piece of one.
pub struct Begin {
    whole: Vec<u8>,
    part: Vec<u8>,
}

impl Begin {
    /// Now.
    pub fn now(source: &str) -> Self {
        let at = Timestamp::now();
        let of = |tag: char| format!("{at:.9} {source} {tag} ").into_bytes();
        Self { whole: of('F'), part: of('P') }
    }

    /// Appends a piece of output, with its end of line if it has one, as a line.
    pub fn append(&self, lines: &mut Vec<u8>, text: &[u8]) {
        let whole = text.ends_with(b"\n");
        lines.extend_from_slice(if whole { &self.whole } else { &self.part });
        lines.extend_from_slice(text);
        if !whole {
            lines.push(b'\n');
        }
    }
}

/// The time of a line, in seconds since 1970.
pub fn seconds(at: &str) -> Option<f64> {
    let at: Timestamp = at.parse().ok()?;
    Some(at.as_duration().as_secs_f64())
}
