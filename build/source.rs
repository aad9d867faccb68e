//! Tokens of Lua text: comments, strings, words, signs.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Comment(&'a str),
    /// A string with its quotes, or with its long brackets.
    Text(&'a str),
    /// A name, a keyword or a number.
    Word(&'a str),
    Space(&'a str),
    /// Any other character.
    Sign(&'a str),
}

impl<'a> Token<'a> {
    pub(super) fn as_str(self) -> &'a str {
        match self {
            Self::Comment(text) | Self::Text(text) | Self::Word(text) | Self::Space(text) | Self::Sign(text) => text,
        }
    }

    /// Returns true if the token is neither white space nor a comment.
    pub(super) fn matters(self) -> bool {
        !matches!(self, Self::Comment(_) | Self::Space(_))
    }
}

/// Splits code into tokens. The tokens together contain every character of the code.
pub(super) fn tokens(code: &str) -> Vec<Token<'_>> {
    let (mut found, mut rest) = (Vec::new(), code);
    while let Some(token) = first(rest) {
        rest = rest.get(token.as_str().len()..).unwrap_or_default();
        found.push(token);
    }
    found
}

fn first(code: &str) -> Option<Token<'_>> {
    let first = code.chars().next()?;
    let until = |end: usize| code.get(..end).unwrap_or(code);
    Some(if let Some(comment) = code.strip_prefix("--") {
        let end = long(comment).map_or_else(|| code.find('\n').unwrap_or(code.len()), |end| end + 2);
        Token::Comment(until(end))
    } else if let Some(end) = long(code) {
        Token::Text(until(end))
    } else if first == '\'' || first == '"' {
        Token::Text(until(quoted(code, first)))
    } else if word(first) {
        Token::Word(until(code.find(|c| !word(c)).unwrap_or(code.len())))
    } else if first.is_whitespace() {
        Token::Space(until(code.find(|c: char| !c.is_whitespace()).unwrap_or(code.len())))
    } else {
        let dots = code.len() - code.trim_start_matches('.').len();
        Token::Sign(until(dots.max(first.len_utf8())))
    })
}

/// Returns the length of the text in long brackets at the beginning of code: `[[…]]`, `[=[…]=]`.
fn long(code: &str) -> Option<usize> {
    let inner = code.strip_prefix('[')?;
    let level = inner.find(|c| c != '=')?;
    inner.get(level..)?.strip_prefix('[')?;
    let close = format!("]{}]", "=".repeat(level));
    Some(code.find(&close).map_or(code.len(), |at| at + close.len()))
}

/// Returns the length of a string in quotes. Neither a quote of the other kind nor a quote after a backslash ends the
/// string.
fn quoted(code: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in code.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    code.len()
}

pub(super) fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Replaces each expression `table.name` for which `replacement` returns a text. Skips strings and comments.
pub(super) fn rewrite(code: &str, mut replacement: impl FnMut(&str, &str) -> Option<String>) -> String {
    let tokens = tokens(code);
    let mut out = String::new();
    let (mut at, mut before) = (0, None);
    while let Some(token) = tokens.get(at) {
        let member = match tokens.get(at..at + 3) {
            Some([Token::Word(table), Token::Sign("."), Token::Word(name)]) if before != Some(Token::Sign(".")) => {
                replacement(table, name)
            }
            _ => None,
        };
        before = Some(*token);
        at += if member.is_some() { 3 } else { 1 };
        out += member.as_deref().unwrap_or(token.as_str());
    }
    out
}

/// Returns code without comments, and without lines that contained only comments.
pub(super) fn bare(code: &str) -> String {
    let mut out = String::new();
    let mut alone = false; // this line has only had a comment so far
    for token in tokens(code) {
        match token {
            Token::Comment(_) => {
                out.truncate(out.trim_end_matches([' ', '\t']).len());
                alone = out.is_empty() || out.ends_with('\n');
                if !alone {
                    out.push(' ');
                }
            }
            Token::Space(space) if space.contains('\n') => {
                out.truncate(out.trim_end_matches([' ', '\t']).len());
                out += if alone { "" } else { "\n" };
                out += space.split_once('\n').map_or("", |(_, next)| next);
                alone = false;
            }
            _ => {
                out += token.as_str();
                alone = false;
            }
        }
    }
    out
}
