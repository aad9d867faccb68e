//! The library taken apart: each function or value of `lua/lib` is one piece.

use std::collections::BTreeSet;

use super::source::{LIBRARY, references, word};

#[derive(Clone)]
pub(super) struct Piece {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// A function, not a value.
    pub(super) function: bool,
    /// As it stands in the library, from the keyword `function` or the name on.
    pub(super) body: String,
    pub(super) comment: String,
    pub(super) uses: BTreeSet<String>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Constant,
    Hot,
    Cold,
}

/// Takes a library file apart at its top level.
pub(super) fn pieces(library: &str, text: &str) -> Result<Vec<Piece>, String> {
    let mut found = Vec::new();
    let mut comment = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            comment.clear();
        } else if line.starts_with("--") {
            comment += &format!("{line}\n");
        } else if line == format!("local {library} = {{}}") {
            comment.clear();
        } else if let Some((rest, last)) = opening(line, library) {
            let name = rest.split(|c: char| !word(c)).next().unwrap_or_default();
            let mut body = format!("{line}\n");
            if line != last && !line.ends_with(&last) {
                for line in lines.by_ref() {
                    body += &format!("{line}\n");
                    if line == last {
                        break;
                    }
                }
            }
            let cold = comment.ends_with("-- @cold\n");
            let constant = !name.chars().any(|c| c.is_ascii_lowercase()) && line == last;
            let kind = match (cold, constant) {
                (true, _) if last == "end" => Kind::Cold,
                (true, _) => return Err(format!("only a function can be cold: {line}")),
                (false, true) => Kind::Constant,
                (false, false) => Kind::Hot,
            };
            found.push(Piece {
                name: format!("{library}.{name}"),
                kind,
                function: last == "end",
                uses: references(&body),
                body,
                comment: comment.replace("-- @cold\n", ""),
            });
            comment.clear();
        } else {
            return Err(format!("neither a function nor a value of {library}: {line}"));
        }
    }
    Ok(found)
}

/// What follows `function LIBRARY.` or `LIBRARY.`, and the line that ends the piece.
fn opening<'a>(line: &'a str, library: &str) -> Option<(&'a str, String)> {
    if let Some(rest) = line.strip_prefix(&format!("function {library}.")) {
        return Some((rest, "end".into()));
    }
    let rest = line.strip_prefix(&format!("{library}."))?;
    let last = if line.ends_with('{') { "}".into() } else { line.into() };
    Some((rest, last))
}

/// Whether a line makes a local with the name of a library: what looks like its member
/// would be taken for a piece.
pub(super) fn shadows(line: &str) -> bool {
    let Some(names) = line.trim_start().strip_prefix("local ") else {
        return false;
    };
    let names = names.split(" = ").next().unwrap_or_default();
    names.split([',', ' ', '(']).any(|name| LIBRARY.contains(&name))
}
