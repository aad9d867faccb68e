//! Values of tasks: JSON with line breaks, in which every number and every text stays as it was written.

use maud::{Markup, PreEscaped, html};
use serde_json::value::RawValue;

use crate::text;

/// Length from which a value is collapsed.
const LARGE: usize = 2 * 1_024;

/// Length of the part of a value that a page shows.
const SHOWN: usize = 64 * 1_024;

/// A value with its size, and a link that downloads its bytes.
pub fn value(name: &str, bytes: &[u8], raw: &str) -> Markup {
    let lines = pretty(bytes.get(..SHOWN).unwrap_or(bytes), bytes.len() <= SHOWN);
    let body = html! {
        pre.value tabindex="0" aria-label=(name) { code { (lines) } }
        @if bytes.len() > SHOWN { p.note { "The first " (text::size(SHOWN)) " of " (text::size(bytes.len())) "." } }
    };
    html! {
        section.card data-value=(name) {
            header.line {
                h3 { (name) }
                span.note { (text::size(bytes.len())) @if !raw.is_empty() { " · " a href=(raw) download { "download" } } }
            }
            @if bytes.len() > LARGE {
                details { summary { "Show" } (body) }
            } @else {
                (body)
            }
        }
    }
}

/// Writes JSON with line breaks. Any other bytes are shown as they are.
fn pretty(bytes: &[u8], whole: bool) -> Markup {
    let json = std::str::from_utf8(bytes).ok().filter(|_| whole);
    match json.filter(|json| serde_json::from_str::<&RawValue>(json).is_ok()) {
        Some(json) => PreEscaped(text::whole(indented(json).as_bytes()).into_string()),
        None => text::whole(bytes),
    }
}

/// Breaks valid JSON into lines, and changes nothing between its marks.
fn indented(json: &str) -> String {
    let (mut out, mut depth, mut quoted, mut escaped) = (String::with_capacity(json.len() * 2), 0_usize, false, false);
    let mut source = json.chars();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        // A bomb of brackets must not become a megabyte of spaces.
        out.extend(std::iter::repeat_n("  ", depth.min(40)));
    };
    while let Some(c) = source.next() {
        if quoted {
            out.push(c);
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = false,
                _ => {}
            }
            continue;
        }
        match c {
            c if c.is_ascii_whitespace() => {}
            '"' => {
                quoted = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                let next = source.clone().find(|c| !c.is_ascii_whitespace());
                if !matches!(next, Some('}' | ']')) {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                if !out.ends_with(['{', '[']) {
                    depth = depth.saturating_sub(1);
                    line(&mut out, depth);
                }
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn numbers_and_texts_stay_as_they_were_written() {
        let json = r#"{"a":[12345678901234567890, 1.10,{}],"b":"x, {y}: \" z"}"#;
        let lines = "{\n  \"a\": [\n    12345678901234567890,\n    1.10,\n    {}\n  ],\n  \"b\": \"x, {y}: \\\" z\"\n}";
        assert_eq!(indented(json), lines);
        assert_eq!(indented("[ ]"), "[]");
    }
}
