//! Text of tasks and hosts, made safe: every byte is shown as what it is.

use std::fmt::Write as _;

use anstyle_parse::{DefaultCharAccumulator, Params, Parser, Perform};
use maud::{Markup, PreEscaped, html};

/// Returns true for characters that change how other text is displayed, or are not displayed.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Returns true if a field of a form can show every character of a text.
pub fn is_plain(text: &str) -> bool {
    !text.chars().any(is_hidden)
}

/// Writes a character, escaped for HTML.
fn push(html: &mut String, c: char) {
    match c {
        '<' => html.push_str("&lt;"),
        '>' => html.push_str("&gt;"),
        '&' => html.push_str("&amp;"),
        '"' => html.push_str("&quot;"),
        c if is_hidden(c) => _ = write!(html, "<i class=\"code\">\\u{{{:x}}}</i>", u32::from(c)),
        c => html.push(c),
    }
}

fn push_byte(html: &mut String, byte: u8) {
    _ = write!(html, "<i class=\"code\">\\x{byte:02x}</i>");
}

/// Text with its line ends. Hidden characters and bytes that are not UTF-8 are shown by their codes.
pub fn whole(bytes: &[u8]) -> Markup {
    let mut html = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut html, c));
        chunk.invalid().iter().for_each(|byte| push_byte(&mut html, *byte));
    }
    PreEscaped(html)
}

/// Text in a line of its own direction, cut after `most` characters, with the whole text on hover.
pub fn short(text: &str, most: usize) -> Markup {
    let line = line(text);
    match line.char_indices().nth(most) {
        None => html! { bdi { (line) } },
        Some((at, _)) => {
            let begin = line.get(..at).unwrap_or_default();
            let hover: String = line.chars().take(2_000).collect();
            html! { bdi title=(hover) { (begin) "…" } }
        }
    }
}

/// Text as one line, in which hidden characters are shown by their codes. For attributes and titles.
pub fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(4_096));
    // Nobody reads more in one line.
    for c in text.chars().take(4_096) {
        match c {
            '\n' | '\t' => line.push(' '),
            c if is_hidden(c) => _ = write!(line, "\\u{{{:x}}}", u32::from(c)),
            c => line.push(c),
        }
    }
    line
}

/// Number of bytes, for people.
pub fn size(bytes: usize) -> String {
    #[allow(clippy::cast_precision_loss, reason = "for people")]
    let bytes = bytes as f64;
    match bytes {
        small if small < 1_024.0 => format!("{small} B"),
        some if some < 1_048_576.0 => format!("{:.1} KiB", some / 1_024.0),
        many if many < 1_073_741_824.0 => format!("{:.1} MiB", many / 1_048_576.0),
        most => format!("{:.1} GiB", most / 1_073_741_824.0),
    }
}

/// A log: colours by escape sequences become classes, other sequences are dropped, and everything else is shown.
pub fn log(bytes: &[u8]) -> String {
    let mut screen = Screen { html: String::with_capacity(bytes.len()), style: Style::default(), open: false };
    let mut parser = Parser::<DefaultCharAccumulator>::new();
    for chunk in bytes.utf8_chunks() {
        chunk.valid().bytes().for_each(|byte| parser.advance(&mut screen, byte));
        for byte in chunk.invalid() {
            push_byte(&mut screen.html, *byte);
        }
    }
    screen.close();
    screen.html
}

#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the terminal")]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Style {
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    /// One of the 16 colours.
    colour: Option<u16>,
}

struct Screen {
    html: String,
    style: Style,
    open: bool,
}

impl Screen {
    fn close(&mut self) {
        if std::mem::take(&mut self.open) {
            self.html.push_str("</span>");
        }
    }

    fn set(&mut self, style: Style) {
        if style == self.style {
            return;
        }
        self.close();
        self.style = style;
        if style == Style::default() {
            return;
        }
        let mut classes = Vec::new();
        let flags = [(style.bold, "b"), (style.dim, "d"), (style.italic, "i"), (style.underline, "u")];
        classes.extend(flags.iter().filter(|(on, _)| *on).map(|(_, name)| format!("a{name}")));
        classes.extend(style.colour.map(|colour| format!("a{colour}")));
        _ = write!(self.html, "<span class=\"{}\">", classes.join(" "));
        self.open = true;
    }
}

impl Perform for Screen {
    fn print(&mut self, c: char) {
        push(&mut self.html, c);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' | b'\t' => self.html.push(char::from(byte)),
            // A bar that a program redraws is a line each time; the page shows what was printed.
            b'\r' => {}
            other => push(&mut self.html, char::from(other)),
        }
    }

    fn csi_dispatch(&mut self, params: &Params, _: &[u8], _: bool, action: u8) {
        if action != b'm' {
            return;
        }
        let mut style = self.style;
        let mut codes = params.iter().flat_map(|param| param.iter().copied());
        while let Some(code) = codes.next() {
            match code {
                0 => style = Style::default(),
                1 => style.bold = true,
                2 => style.dim = true,
                3 => style.italic = true,
                4 => style.underline = true,
                22 => (style.bold, style.dim) = (false, false),
                23 => style.italic = false,
                24 => style.underline = false,
                30..=37 => style.colour = Some(code - 30),
                90..=97 => style.colour = Some(code - 82),
                39 => style.colour = None,
                // Colours of larger palettes: only the first 16 are shown.
                38 | 48 => match codes.next() {
                    Some(5) => {
                        let colour = codes.next();
                        if code == 38 {
                            style.colour = colour.filter(|colour| *colour < 16);
                        }
                    }
                    Some(2) => _ = codes.by_ref().take(3).count(),
                    _ => {}
                },
                _ => {}
            }
        }
        self.set(style);
    }
}

/// A number of tasks, in words.
pub fn tasks(number: u64) -> String {
    if number == 1 { "1 task".to_owned() } else { format!("{} tasks", thousands(number)) }
}

/// Formats a number with separators between thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_shown_as_what_it_is() {
        assert_eq!(
            whole(b"<b>\xff\x1b\n").into_string(),
            "&lt;b&gt;<i class=\"code\">\\xff</i><i class=\"code\">\\u{1b}</i>\n"
        );
        assert_eq!(line("a\u{202e}b\nc"), "a\\u{202e}b c");
    }

    #[test]
    fn colours_of_a_log_become_classes_and_other_sequences_nothing() {
        assert_eq!(log(b"\x1b[1;31mred\x1b[0m <x>"), "<span class=\"ab a1\">red</span> &lt;x&gt;");
        assert_eq!(log(b"\x1b[2Ja\x1b]0;title\x07b\r\n"), "ab\n");
        assert_eq!(log(b"\x1b[38;5;200mx\x1b[38;2;1;2;3my"), "xy");
        assert_eq!(log("é\u{202e}".as_bytes()), "é<i class=\"code\">\\u{202e}</i>");
        assert_eq!(log(b"\xffa"), "<i class=\"code\">\\xff</i>a");
    }
}
