//! Reads a stream of the server page by page, to its present end and as it grows.

use std::collections::VecDeque;
use std::time::Duration;

use crate::output::{Code, Format, fault};

/// Before the first entry.
pub const START: &str = "0";

/// The pause before the end of a stream is looked at again.
pub const PAUSE: Duration = Duration::from_millis(200);

/// How many entries come before those that are followed.
pub const BEFORE: usize = 10;

pub trait Pages {
    type Entry;

    /// The next entries, and whether there may be more right now.
    fn next(&mut self) -> anyhow::Result<(Vec<Self::Entry>, bool)>;
}

/// Reads to the present end, and keeps the last `keep` entries; if nothing is said, all.
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

/// Refuses one JSON document of what has no end.
pub fn require_lines(follow: bool, format: Format) -> anyhow::Result<()> {
    if follow && format == Format::Json {
        return Err(fault(Code::Usage, "following has no end: use -o jsonl"));
    }
    Ok(())
}

/// Whether it may be the cursor of an entry; 0 is before all.
pub fn is_cursor(text: &str) -> bool {
    let number = |part: &str| (1..=19).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    text == START || text.split_once('-').is_some_and(|(time, count)| number(time) && number(count))
}

/// The cursor that the user gave with `--after`.
pub fn given(after: &str) -> anyhow::Result<String> {
    if is_cursor(after) {
        return Ok(after.to_owned());
    }
    let text = "--after must be a cursor, such as 1795213200000-0: -o json shows them";
    Err(fault(Code::Usage, text))
}
