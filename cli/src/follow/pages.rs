//! Reads a stream of the server page by page, including entries that are added later.

use std::collections::VecDeque;
use std::time::Duration;

use crate::output::{Code, Format, fault};

/// Cursor before the first entry.
pub const START: &str = "0";

/// Pause at the end of a stream before the next read.
pub const PAUSE: Duration = Duration::from_millis(200);

/// Number of existing entries that `--follow` shows first.
pub const BEFORE: usize = 10;

pub trait Pages {
    type Entry;

    /// Returns the next entries, and true if more entries may exist now.
    fn next(&mut self) -> anyhow::Result<(Vec<Self::Entry>, bool)>;
}

/// Reads to the present end of the stream. Returns the last `keep` entries, or all entries if `keep` is `None`.
pub fn last<P: Pages>(pages: &mut P, keep: Option<usize>) -> anyhow::Result<Vec<P::Entry>> {
    let keep = keep.unwrap_or(usize::MAX);
    let mut kept = VecDeque::new();
    loop {
        let (entries, more) = pages.next()?;
        kept.extend(entries);
        kept.drain(..kept.len().saturating_sub(keep));
        if !more {
            return Ok(kept.into());
        }
    }
}

/// Fails if the output of `--follow` would be a single JSON document, which never ends.
pub fn require_lines(follow: bool, format: Format) -> anyhow::Result<()> {
    if follow && format == Format::Json {
        return Err(fault(Code::Usage, "following has no end: use -o jsonl"));
    }
    Ok(())
}

/// Returns true if the text has the form of a cursor. The cursor 0 is before all entries.
pub fn is_cursor(text: &str) -> bool {
    let number = |part: &str| (1..=19).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    text == START || text.split_once('-').is_some_and(|(time, count)| number(time) && number(count))
}

/// Returns the cursor that the user passed with `--after`.
pub fn given(after: &str) -> anyhow::Result<String> {
    if is_cursor(after) {
        return Ok(after.to_owned());
    }
    let text = "--after must be a cursor, such as 1795213200000-0: -o json shows them";
    Err(fault(Code::Usage, text))
}
