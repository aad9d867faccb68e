//! Selects a part of a log.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::SystemTime;

use super::feed::{Item, Piece};
use crate::logs::EXIT;

/// Receives the selected items.
pub type Give<'a> = dyn FnMut(Item) -> anyhow::Result<()> + 'a;

/// The bounds of the selected part of a log. `None` means that there is no bound.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogRange {
    pub source: Option<&'static str>,
    pub since: Option<SystemTime>,
    /// Maximum number of lines from the beginning.
    pub head: Option<usize>,
    /// Maximum number of lines from the end.
    pub tail: Option<usize>,
}

/// A filter that passes on the part of a log within a range.
#[derive(Debug, Default)]
pub struct Excerpt {
    range: LogRange,
    /// Number of lines that have been passed on.
    passed: usize,
    /// The last lines so far, and their number.
    kept: VecDeque<Item>,
    lines: usize,
    left_out: usize,
    /// True after the existing last lines have been passed on. All later items are new.
    released: bool,
}

impl Excerpt {
    pub fn new(range: LogRange) -> Self {
        Self { range, ..Self::default() }
    }

    /// Takes an item, and passes on items that are certainly selected. Returns `Continue` if later items may be
    /// selected.
    pub fn pass(&mut self, item: Item, give: &mut Give<'_>) -> anyhow::Result<ControlFlow<()>> {
        self.choose(item, give)?;
        Ok(if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn choose(&mut self, item: Item, give: &mut Give<'_>) -> anyhow::Result<()> {
        let piece = match item {
            Item::Piece(piece) if !self.wants(&piece) => return Ok(()),
            Item::Piece(piece) if self.is_part() && piece.source != EXIT => piece,
            item => return self.keep(item, give),
        };
        for line in lines(&piece) {
            let ends = usize::from(line.text.ends_with(b"\n"));
            if self.range.head.is_some_and(|head| self.passed < head) {
                self.passed += ends;
                give(Item::Piece(line))?;
            } else {
                self.keep(Item::Piece(line), give)?;
            }
        }
        Ok(())
    }

    /// Passes on the last lines, at the present end of the log.
    pub fn release(&mut self, give: &mut Give<'_>) -> anyhow::Result<()> {
        if std::mem::replace(&mut self.released, true) {
            return Ok(());
        }
        // A last line without a line end counts as a line.
        let last = self.kept.iter().rev().find(|item| matches!(item, Item::Piece(piece) if piece.source != EXIT));
        let open = last.is_some_and(|last| !ends_line(last));
        self.trim(self.range.tail.unwrap_or(usize::MAX).saturating_sub(usize::from(open)));
        if self.left_out > 0 && self.range.head.is_some() {
            give(Item::Gap(format!("{} lines are left out here", self.left_out)))?;
        }
        if self.range.tail == Some(0) {
            self.kept.retain(|item| !matches!(item, Item::Piece(piece) if piece.source != EXIT));
        }
        self.kept.drain(..).try_for_each(give)
    }

    /// Returns true if no later item can be selected.
    fn is_over(&self) -> bool {
        self.range.tail.is_none() && self.range.head.is_some_and(|head| self.passed >= head)
    }

    fn is_part(&self) -> bool {
        self.range.head.is_some() || self.range.tail.is_some()
    }

    fn wants(&self, piece: &Piece) -> bool {
        self.range.source.is_none_or(|source| source == piece.source)
            && self.range.since.is_none_or(|since| piece.at >= since)
    }

    fn keep(&mut self, item: Item, give: &mut Give<'_>) -> anyhow::Result<()> {
        match self.range.tail {
            Some(tail) if !self.released => {
                self.lines += usize::from(ends_line(&item));
                self.kept.push_back(item);
                self.trim(tail);
                Ok(())
            }
            None if self.is_over() => Ok(()),
            _ => give(item),
        }
    }

    fn trim(&mut self, most: usize) {
        while self.lines > most
            && let Some(item) = self.kept.pop_front()
        {
            let ends = usize::from(ends_line(&item));
            self.lines -= ends;
            self.left_out += ends;
        }
    }
}

fn ends_line(item: &Item) -> bool {
    matches!(item, Item::Piece(piece) if piece.source != EXIT && piece.text.ends_with(b"\n"))
}

/// Splits a piece into lines.
fn lines(piece: &Piece) -> Vec<Piece> {
    let mut offset = piece.offset;
    let line = |text: &[u8]| {
        let line = Piece { text: text.to_vec(), offset, source: piece.source.clone(), ..*piece };
        offset = offset.map(|offset| offset + text.len() as u64);
        line
    };
    piece.text.split_inclusive(|&byte| byte == b'\n').map(line).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{Excerpt, Item, LogRange, Piece};

    fn shown(range: LogRange, texts: &[&str]) -> String {
        let (mut shown, mut excerpt) = (String::new(), Excerpt::new(range));
        let mut take = |item| {
            match item {
                Item::Piece(piece) => shown.push_str(std::str::from_utf8(&piece.text).unwrap()),
                Item::Gap(text) => shown.push_str(&format!("<{text}>")),
            }
            Ok(())
        };
        for text in texts {
            let piece = Piece {
                attempt: 1,
                at: SystemTime::UNIX_EPOCH + Duration::from_secs(5),
                source: "stdout".into(),
                text: text.as_bytes().to_vec(),
                offset: None,
            };
            if excerpt.pass(Item::Piece(piece), &mut take).unwrap().is_break() {
                break;
            }
        }
        excerpt.release(&mut take).unwrap();
        shown
    }

    #[test]
    fn the_first_and_the_last_lines_are_counted_whatever_pieces_they_came_in() {
        let texts = ["1\n2\n", "3", "\n4\n5\n", "6"];
        let all = LogRange::default;
        assert_eq!(shown(all(), &texts), "1\n2\n3\n4\n5\n6");
        assert_eq!(shown(LogRange { head: Some(3), ..all() }, &texts), "1\n2\n3\n");
        assert_eq!(shown(LogRange { tail: Some(2), ..all() }, &texts), "5\n6");
        assert_eq!(shown(LogRange { tail: Some(2), ..all() }, &texts[..3]), "4\n5\n");
        assert_eq!(shown(LogRange { tail: Some(0), ..all() }, &texts[..3]), "");
        let both = || LogRange { head: Some(1), tail: Some(1), ..all() };
        assert_eq!(shown(both(), &texts), "1\n<4 lines are left out here>6");
        assert_eq!(shown(both(), &["1\n2\n"]), "1\n2\n");
        assert_eq!(
            shown(LogRange { since: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(6)), ..all() }, &texts),
            ""
        );
        assert_eq!(shown(LogRange { source: Some("stderr"), ..all() }, &texts), "");
    }
}
