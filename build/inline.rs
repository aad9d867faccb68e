//! Pieces under `-- @inline`: if one is called as a statement, its body is inserted. In a script, a function call
//! costs more than many a read.

use std::collections::BTreeMap;

use super::source::{Token, tokens};

/// A function that can be inlined.
#[derive(Clone)]
pub(super) struct Inline {
    parameters: String,
    body: String,
}

impl Inline {
    /// Takes a function apart; its text has no comments any more.
    pub(super) fn read(function: &str) -> Result<Self, String> {
        let (head, body) = function.split_once('\n').ok_or("a function to lay in has a body of its own lines")?;
        let body = body.trim_end().strip_suffix("end").unwrap_or(body);
        let parameters = head.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or_default();
        // Its return value is for calls in an expression, which remain calls.
        let mut lines: Vec<&str> = body.trim_end().lines().collect();
        let mut last = String::new();
        if let Some(call) = lines.last().and_then(|line| line.strip_prefix("  return ")) {
            if !call.ends_with(')') {
                return Err("an inlined function can only return the result of a call, in its last line".into());
            }
            last = format!("  {call}");
            lines.pop();
        }
        let body = [lines.join("\n"), last].join("\n");
        if tokens(&body).contains(&Token::Word("return")) {
            return Err(
                "an inlined function can only return in its last line: anywhere else it would end its caller".into()
            );
        }
        if parameters.contains("...") {
            return Err("an inlined function must name its parameters: `...` would be its caller's".into());
        }
        Ok(Self { parameters: parameters.into(), body: body.trim_end().into() })
    }
}

/// Code without comments, with inlined statements.
pub(super) fn lay_in(code: &str, inlines: &BTreeMap<String, Inline>) -> Result<String, String> {
    expand(code, inlines, &mut Vec::new())
}

/// `within`: the inlined functions around this code.
fn expand<'a>(code: &str, inlines: &'a BTreeMap<String, Inline>, within: &mut Vec<&'a str>) -> Result<String, String> {
    let tokens = tokens(code);
    let mut out = String::new();
    let mut before = None; // the last token that Lua sees
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        let call = statement(&out, before, tokens.get(at..).unwrap_or_default(), inlines);
        if let Some((name, inline, arguments, length)) = call {
            if within.contains(&name) {
                return Err(format!("{name} would be inlined into itself: {} -> {name}", within.join(" -> ")));
            }
            within.push(name);
            let body = expand(&inline.body, inlines, within)?;
            within.pop();
            let indent = out.rsplit('\n').next().unwrap_or_default().to_owned();
            out += "do\n";
            if !inline.parameters.is_empty() {
                let values = if arguments.is_empty() { String::new() } else { format!(" = {arguments}") };
                out += &format!("{indent}  local {}{values}\n", inline.parameters);
            }
            for line in body.lines() {
                out += &if line.is_empty() { "\n".into() } else { format!("{indent}{line}\n") };
            }
            out += &format!("{indent}end");
            before = Some(Token::Word("end"));
            at += length;
        } else {
            out += token.as_str();
            before = if token.matters() { Some(token) } else { before };
            at += 1;
        }
    }
    Ok(out)
}

/// A call that is a statement of its own: the function, its arguments, and the number of tokens.
fn statement<'a>(
    out: &str,
    before: Option<Token>,
    tokens: &[Token],
    inlines: &'a BTreeMap<String, Inline>,
) -> Option<(&'a str, &'a Inline, String, usize)> {
    let [Token::Word(library), Token::Sign("."), Token::Word(name), Token::Sign("("), rest @ ..] = tokens else {
        return None;
    };
    let (name, inline) = inlines.get_key_value(&format!("{library}.{name}"))?;
    if !out.rsplit('\n').next()?.trim().is_empty() || before.is_some_and(expects) {
        return None;
    }
    let mut depth = 1;
    let end = rest.iter().position(|token| {
        depth += match token {
            Token::Sign("(" | "{" | "[") => 1,
            Token::Sign(")" | "}" | "]") => -1,
            _ => 0,
        };
        depth == 0
    })?;
    let alone = rest.get(end + 1).is_none_or(|token| matches!(token, Token::Space(space) if space.contains('\n')));
    let arguments = rest.get(..end)?.iter().map(|token| token.as_str()).collect();
    alone.then_some((name.as_str(), inline, arguments, end + 5))
}

/// Whether an expression continues after this token: then what follows is not a statement.
fn expects(token: Token) -> bool {
    match token {
        Token::Sign(sign) => !matches!(sign, ")" | "]" | "}" | ";"),
        Token::Word(word) => matches!(
            word,
            "and" | "or" | "not" | "return" | "function" | "in" | "if" | "elseif" | "while" | "until" | "for"
        ),
        _ => false,
    }
}
