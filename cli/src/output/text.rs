//! Text that programs and other clients wrote, as a terminal may show it: read, and not obeyed.

use anstream::adapter::StripBytes;

/// Bytes that come in parts, as text. A character may begin in one part and end in the next; what is not UTF-8
/// becomes U+FFFD.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The beginning of a character.
    rest: Vec<u8>,
}

impl Decoder {
    pub fn next(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() - unfinished(&self.rest);
        let rest = self.rest.split_off(whole);
        let text = String::from_utf8_lossy(&self.rest).into_owned();
        self.rest = rest;
        text
    }
}

/// How many bytes at the end are the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    match std::str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => last.len(),
        _ => 0,
    }
}

/// Takes out what a terminal obeys: escape sequences, control characters, and what is not seen but changes how
/// the rest is read. Text may come in parts, and an escape sequence begin in one and end in the next.
#[derive(Debug, Default)]
pub struct Cleaner {
    decoder: Decoder,
    strip: StripBytes,
    after_return: bool,
}

impl Cleaner {
    pub fn next(&mut self, bytes: &[u8]) -> String {
        let text = self.decoder.next(bytes);
        // The stripper of strings forgets where it was between two parts.
        let bare: Vec<u8> = self.strip.strip_next(text.as_bytes()).flatten().copied().collect();
        let mut kept = String::with_capacity(bare.len());
        for c in String::from_utf8_lossy(&bare).chars() {
            match c {
                '\n' if self.after_return => {}
                '\r' | '\u{2028}' | '\u{2029}' => kept.push('\n'),
                c if c == '\n' || c == '\t' || !is_hidden(c) => kept.push(c),
                _ => {}
            }
            self.after_return = c == '\r';
        }
        kept
    }
}

/// Text without what a terminal obeys; its lines stay.
pub fn clean(text: &str) -> String {
    if text.chars().any(|c| is_hidden(c) && c != '\n' && c != '\t') {
        Cleaner::default().next(text.as_bytes())
    } else {
        text.to_owned()
    }
}

/// The same on one line.
pub fn one_line(text: &str) -> String {
    clean(text).trim_end().replace(['\n', '\t'], " ")
}

/// The same, and of a bounded length.
pub fn clean_line(text: &str, limit: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= limit {
        line
    } else {
        line.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
    }
}

/// Control characters, those that turn the direction of writing or end a line unseen, and those that have no width
/// and no other use. The joiners of Persian, of Indian scripts and of emoji are not among them.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::{Cleaner, Decoder, clean, one_line};

    #[test]
    fn text_is_shown_without_what_a_terminal_obeys() {
        for (text, shown) in [
            ("a\u{1b}[2Jb\u{7}\r\nc\rd\te", "ab\nc\nd\te"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{9b}2Jx\u{9d}y\u{85}z", "2Jxyz"),
            ("\u{202e}a\u{2066}b\u{200e}c\u{200b}d\u{e0041}e\u{feff}", "abcde"),
            ("one\u{2028}two", "one\ntwo"),
            ("größe 日本語 👩\u{200d}💻 می\u{200c}خواهم", "größe 日本語 👩\u{200d}💻 می\u{200c}خواهم"),
        ] {
            assert_eq!(clean(text), shown, "{text:?}");
        }
        assert_eq!(one_line("a\r\nb\tc\n"), "a b c");
    }

    #[test]
    fn what_is_cut_in_two_is_read_as_a_whole() {
        let shown = |parts: &[&[u8]]| {
            let mut cleaner = Cleaner::default();
            parts.iter().map(|part| cleaner.next(part)).collect::<String>()
        };
        assert_eq!(shown(&[b"cut \x1b[3", b"1mred"]), "cut red", "an escape sequence");
        assert_eq!(shown(&[b"a\r", b"\nb"]), "a\nb", "the end of a line");
        assert_eq!(shown(&[b"gr\xc3", b"\xb6\xc3\x9fe"]), "größe", "a character");
        assert_eq!(shown(&[b"\xe2\x80", b"\xaex"]), "x", "a hidden one");
        assert_eq!(shown(&[b"\xff \xc3", b"x"]), "\u{fffd} \u{fffd}x", "what is not UTF-8");
        assert_eq!(Decoder::default().next(b"\xe2\x80"), "", "the rest may come");
    }
}
