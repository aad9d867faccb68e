//! Text of programs and other clients, made safe for a terminal.

use anstream::adapter::StripBytes;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Decodes bytes that arrive in parts. A character may begin in one part and end in the next. Bytes that are not UTF-8
/// become U+FFFD.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The first bytes of an unfinished character.
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

/// Returns the number of bytes at the end that begin an unfinished character.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    match std::str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => last.len(),
        _ => 0,
    }
}

/// Removes escape sequences, control characters, and invisible characters that change how other text is displayed. Text
/// may arrive in parts, and an escape sequence may span two parts.
#[derive(Debug, Default)]
pub struct Cleaner {
    decoder: Decoder,
    strip: StripBytes,
    after_return: bool,
}

impl Cleaner {
    pub fn next(&mut self, bytes: &[u8]) -> String {
        let text = self.decoder.next(bytes);
        // The text is stripped as bytes, because the library's function for strings loses its state between two parts.
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

/// Cleans text for a terminal like `Cleaner`, but keeps colours and carriage returns. Colours end with their line.
#[derive(Debug, Default)]
pub struct Painter {
    decoder: Decoder,
    /// The beginning of an escape sequence that continues in the next part.
    rest: String,
    cleaner: Cleaner,
    painted: bool,
}

/// Maximum length of an escape sequence of a colour.
const SEQUENCE: usize = 40;

impl Painter {
    pub fn next(&mut self, bytes: &[u8]) -> String {
        let mut text = std::mem::take(&mut self.rest);
        text.push_str(&self.decoder.next(bytes));
        let mut shown = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['\x1b', '\r', '\n']) {
            let (before, from) = rest.split_at(at);
            shown.push_str(&self.cleaner.next(before.as_bytes()));
            if from.starts_with('\x1b') {
                let end = from.find(|c: char| c.is_ascii_alphabetic() || !(c.is_ascii() && c != '\n'));
                match end {
                    None if from.len() < SEQUENCE => {
                        from.clone_into(&mut self.rest);
                        return shown;
                    }
                    Some(end) if is_colour(from.get(..=end).unwrap_or_default()) => {
                        let sequence = from.get(..=end).unwrap_or_default();
                        self.painted = !matches!(sequence, "\x1b[0m" | "\x1b[m");
                        shown.push_str(sequence);
                        rest = from.get(end + 1..).unwrap_or_default();
                    }
                    // The cleaner removes all other sequences, also those that continue in the next part.
                    _ => {
                        shown.push_str(&self.cleaner.next(b"\x1b"));
                        rest = from.get(1..).unwrap_or_default();
                    }
                }
            } else {
                if std::mem::take(&mut self.painted) {
                    shown.push_str("\x1b[0m");
                }
                // A line that is drawn again is cleared, so that nothing of a longer one remains.
                shown.push_str(if from.starts_with('\r') && !from.starts_with("\r\n") { "\r\x1b[K" } else { "" });
                shown.push_str(if from.starts_with('\n') { "\n" } else { "" });
                rest = from.get(1..).unwrap_or_default();
            }
        }
        shown.push_str(&self.cleaner.next(rest.as_bytes()));
        shown
    }

    /// Returns the sequence that ends a colour, at the end of the text.
    pub fn finish(&mut self) -> &'static str {
        if std::mem::take(&mut self.painted) { "\x1b[0m" } else { "" }
    }
}

/// Returns true for a sequence that only changes colours and fonts. Hidden text is no colour.
fn is_colour(sequence: &str) -> bool {
    let Some(codes) = sequence.strip_prefix("\x1b[").and_then(|rest| rest.strip_suffix('m')) else { return false };
    let mut codes = codes.split([';', ':']);
    let mut known = true;
    while let Some(code) = codes.next() {
        match code {
            "8" => return false,
            "38" | "48" | "58" => {
                let more = if codes.next() == Some("2") { 3 } else { 1 };
                codes.by_ref().take(more).for_each(drop);
            }
            code => known &= code.len() <= 3 && code.bytes().all(|byte| byte.is_ascii_digit()),
        }
    }
    known
}

/// Removes control sequences and keeps line ends.
pub fn clean(text: &str) -> String {
    if text.chars().any(|c| is_hidden(c) && c != '\n' && c != '\t') {
        Cleaner::default().next(text.as_bytes())
    } else {
        text.to_owned()
    }
}

/// Removes control sequences and joins the text to one line.
pub fn one_line(text: &str) -> String {
    clean(text).trim_end().replace(['\n', '\t'], " ")
}

/// Cleans a text like `one_line`, and cuts it to a width on the screen.
pub fn clean_line(text: &str, limit: usize) -> String {
    cut(&one_line(text), limit)
}

/// Cuts a line to a width on the screen. A cut line ends in `…`.
pub fn cut(line: &str, columns: usize) -> String {
    if width(line) <= columns {
        return line.to_owned();
    }
    let Some(room) = columns.checked_sub(1) else { return String::new() };
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken <= room
    };
    let mut kept: String = line.chars().take_while(fits).collect();
    while width(&kept) > room {
        kept.pop();
    }
    kept.push('…');
    kept
}

/// Breaks lines between words, so that they fit into this width. Continued lines are indented. A word that is wider than
/// the screen stays whole.
pub fn wrap(text: &str, columns: usize, indent: usize) -> String {
    let lines = text.split('\n').map(|line| {
        if width(line) <= columns {
            return line.to_owned();
        }
        let (mut wrapped, mut at) = (String::new(), 0);
        for (number, word) in line.split(' ').enumerate() {
            let wide = width(word);
            if number > 0 && at + 1 + wide > columns && at > indent {
                wrapped.truncate(wrapped.trim_end().len());
                wrapped.push('\n');
                wrapped.push_str(&" ".repeat(indent));
                at = indent;
            } else if number > 0 {
                wrapped.push(' ');
                at += 1;
            }
            wrapped.push_str(word);
            at += wide;
        }
        wrapped
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the width of a line on the screen. Terminals differ in the width of combined emoji. The larger width is
/// returned, so that no line wraps.
pub fn width(line: &str) -> usize {
    UnicodeWidthStr::width(line).max(line.chars().filter_map(UnicodeWidthChar::width).sum())
}

/// Returns true for control characters, changes of the writing direction, invisible line ends, and characters that show
/// nothing and are not spaces. Characters that shape the preceding character are kept: the joiners of Persian, of
/// Indian scripts and of emoji, and variation selectors.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || is_ignorable(c) && !is_shaping(c) || is_blank(c)
        // Ends of lines and paragraphs, and annotations (categories Zl, Zp, Cf).
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}')
}

/// Returns true for a `Default_Ignorable_Code_Point` of DerivedCoreProperties.txt. Unicode 16 and 17 have the same
/// list.
fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns true for a `Join_Control` or a `Variation_Selector` of PropList.txt. U+180E is neither.
fn is_shaping(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0100}'..='\u{e01ef}')
}

/// Returns true for a symbol whose glyph is empty according to its name in UnicodeData.txt: the braille pattern blank,
/// the musical null notehead, the Khitan filler, and the full and half blanks of hieroglyphs.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{2800}' | '\u{1d159}' | '\u{16fe4}' | '\u{13441}' | '\u{13442}')
}

#[cfg(test)]
mod tests {
    use super::{Cleaner, Decoder, Painter, clean, clean_line, is_hidden, one_line, wrap};

    /// The clients for Python and TypeScript hide the same characters.
    #[test]
    #[allow(clippy::unwrap_used, reason = "a failure is one of the test")]
    fn the_characters_that_show_nothing_are_those_of_all_languages() {
        let listed: Vec<[String; 2]> = serde_json::from_str(include_str!("../../../tests/hidden.json")).unwrap();
        let code = |text: &String| u32::from_str_radix(text, 16).unwrap();
        let ranges: Vec<_> = listed.iter().map(|[first, last]| code(first)..=code(last)).collect();
        for c in '\0'..=char::MAX {
            let is_listed = ranges.iter().any(|range| range.contains(&u32::from(c)));
            let is_break = matches!(c, '\u{2028}' | '\u{2029}');
            assert_eq!(is_hidden(c), c.is_control() || is_break || is_listed, "{c:?}");
        }
    }

    #[test]
    fn text_is_shown_without_what_a_terminal_obeys() {
        for (text, shown) in [
            ("a\u{1b}[2Jb\u{7}\r\nc\rd\te", "ab\nc\nd\te"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{9b}2Jx\u{9d}y\u{85}z", "2Jxyz"),
            ("\u{202e}a\u{2066}b\u{200e}c\u{200b}d\u{e0041}e\u{feff}", "abcde"),
            ("one\u{2028}two", "one\ntwo"),
            ("a\u{3164}b\u{115f}c\u{2800}d\u{ad}e\u{34f}f\u{1160}g\u{ffa0}h\u{17b4}i\u{180e}j", "abcdefghij"),
            ("a\u{e0fff}b\u{1d173}c\u{2065}d\u{13441}e\u{fff9}f\u{13430}g\u{1bca0}h", "abcdefgh"),
            ("e\u{301} 한글 葛\u{e0100} ❤\u{fe0f} a\u{3000}b ⠃", "e\u{301} 한글 葛\u{e0100} ❤\u{fe0f} a\u{3000}b ⠃"),
            ("größe 日本語 👩\u{200d}💻 می\u{200c}خواهم", "größe 日本語 👩\u{200d}💻 می\u{200c}خواهم"),
        ] {
            assert_eq!(clean(text), shown, "{text:?}");
        }
        assert_eq!(one_line("a\r\nb\tc\n"), "a b c");
    }

    #[test]
    fn a_line_is_cut_by_the_columns_that_it_takes() {
        for (text, width, shown) in [
            ("four", 4, "four"),
            ("fives", 4, "fiv…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("e\u{301}e\u{301}e\u{301}", 3, "e\u{301}e\u{301}e\u{301}"),
            ("👩\u{200d}💻👩\u{200d}💻", 8, "👩\u{200d}💻👩\u{200d}💻"),
            ("👩\u{200d}💻👩\u{200d}💻", 6, "👩\u{200d}💻…"),
            ("❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}", 4, "❤\u{fe0f}❤…"),
            ("日", 1, "…"),
            ("a", 0, ""),
        ] {
            assert_eq!(clean_line(text, width), shown, "{text} in {width}");
        }
    }

    #[test]
    fn a_terminal_gets_colours_and_returns_and_nothing_else_that_it_obeys() {
        let shown = |parts: &[&str]| {
            let mut painter = Painter::default();
            let shown: String = parts.iter().map(|part| painter.next(part.as_bytes())).collect();
            shown + painter.finish()
        };
        for (parts, all) in [
            (&["a \x1b[31mred\x1b[0m b\n"][..], "a \x1b[31mred\x1b[0m b\n"),
            (&["\x1b[1;38;5;8mgrey\nnext"], "\x1b[1;38;5;8mgrey\x1b[0m\nnext"),
            (&["\x1b[3", "2mgreen"], "\x1b[32mgreen\x1b[0m"),
            (&["\x1b[8mhidden\x1b[2J\x1b]0;title\x07\x1b[38;2;1;2;3mx\n"], "hidden\x1b[38;2;1;2;3mx\x1b[0m\n"),
            (&["1%\r", "2%\r\n"], "1%\r\x1b[K2%\n"),
            (&["\x1b", "[2Jx\u{202e}y"], "xy"),
        ] {
            assert_eq!(shown(parts), all, "{parts:?}");
        }
    }

    #[test]
    fn lines_break_between_words_and_continued_lines_are_indented() {
        for (text, shown) in [
            ("id        a b", "id        a b"),
            ("error     exit code 1 of this", "error     exit code\n          1 of this"),
            ("one two three four\nfive", "one two three four\nfive"),
            ("one two three four five", "one two three four\n          five"),
            ("/a/very/long/path/of/a/file and more", "/a/very/long/path/of/a/file\n          and more"),
            ("note      /a/very/long/path/of/a/file", "note      /a/very/long/path/of/a/file"),
            ("日本 日本 日本 日本 日本", "日本 日本 日本 日本\n          日本"),
        ] {
            assert_eq!(wrap(text, 20, 10), shown);
        }
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
