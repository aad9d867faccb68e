//! Inlining of the pieces that follow a line `-- @inline`. The body of such a piece replaces a call that is a statement
//! or sets new locals. A function often costs more than a read of data, because each call of the script creates the
//! function.

use std::collections::BTreeMap;

use super::source::{Token, tokens};

/// A function that can be inlined.
#[derive(Clone)]
pub(super) struct Inline {
    parameters: Vec<String>,
    /// True if the last parameter is `...`.
    variable: bool,
    /// The body without the final return.
    body: String,
    /// The values that the last line returns.
    values: Option<String>,
}

impl Inline {
    /// Parses a function. Its text has no comments.
    pub(super) fn read(function: &str) -> Result<Self, String> {
        let (head, body) = function.split_once('\n').ok_or("a function to lay in has a body of its own lines")?;
        let body = body.trim_end().strip_suffix("end").unwrap_or(body).trim_end();
        let parameters = head.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or_default();
        let mut parameters: Vec<String> =
            parameters.split(", ").filter(|name| !name.is_empty()).map(Into::into).collect();
        let variable = parameters.last().is_some_and(|name| name == "...");
        parameters.truncate(parameters.len() - usize::from(variable));
        let at = if body.starts_with("  return ") { Some(0) } else { body.rfind("\n  return ").map(|at| at + 1) };
        let (body, values) = match at.map(|at| body.split_at(at)) {
            Some((body, values)) => (body.trim_end(), values.strip_prefix("  return ")),
            None => (body, None),
        };
        if [body, values.unwrap_or_default()].iter().any(|part| tokens(part).contains(&Token::Word("return"))) {
            return Err("an inlined function can only return at its end: anywhere else it would end its caller".into());
        }
        Ok(Self { parameters, variable, body: body.into(), values: values.map(Into::into) })
    }

    /// Returns the code as a block in the code of the caller. `into`: the locals that get the values.
    fn block(&self, arguments: &str, into: &str) -> String {
        let mut block = "do\n".to_owned();
        if !self.parameters.is_empty() {
            let values = if arguments.is_empty() { String::new() } else { format!(" = {arguments}") };
            block += &format!("  local {}{values}\n", self.parameters.join(", "));
        }
        block += &self.body;
        match &self.values {
            Some(values) if !into.is_empty() => block += &format!("\n  {into} = {values}"),
            Some(values) if values.ends_with(')') => block += &format!("\n  {values}"), // a call
            _ => {}
        }
        format!("{}\nend", block.trim_end())
    }

    /// Returns the arguments for the named parameters. In the inlined code, `...` means the `...` of the caller.
    /// Therefore a call of a function with `...` must pass one argument for each named parameter, and then `...`.
    fn arguments(&self, given: &str) -> Option<String> {
        if !self.variable {
            return Some(given.into());
        }
        let named = given.strip_suffix("...")?.trim_end();
        let named = if self.parameters.is_empty() { named } else { named.strip_suffix(',')? };
        let mut depth = 0;
        let commas = tokens(named).into_iter().filter(|token| {
            depth += step(token);
            depth == 0 && *token == Token::Sign(",")
        });
        (commas.count() + usize::from(!named.is_empty()) == self.parameters.len()).then(|| named.into())
    }
}

/// Returns code without comments, and with inlined calls.
pub(super) fn lay_in(code: &str, inlines: &BTreeMap<String, Inline>) -> Result<String, String> {
    expand(code, inlines, &mut Vec::new())
}

/// Inlines calls. `within`: the names of the inlined functions that contain this code.
fn expand<'a>(code: &str, inlines: &'a BTreeMap<String, Inline>, within: &mut Vec<&'a str>) -> Result<String, String> {
    let tokens = tokens(code);
    let mut out = String::new();
    let mut before = None; // last token that Lua sees
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        let rest = tokens.get(at..).unwrap_or_default();
        if let Some(call) = statement(&out, before, rest, inlines) {
            if within.contains(&call.name) {
                return Err(format!("{0} would be inlined into itself: {1} -> {0}", call.name, within.join(" -> ")));
            }
            // The values get new names, because the block may hide the names of the caller.
            let number = call.locals.split(',').filter(|name| !name.is_empty()).count();
            let into =
                (1..=number).map(|nth| format!("value_{}_{nth}", within.len() + 1)).collect::<Vec<_>>().join(", ");
            within.push(call.name);
            let mut code = expand(&call.inline.block(&call.arguments, &into), inlines, within)?;
            within.pop();
            if number > 0 {
                code = format!("local {into}\n{code}\nlocal {} = {into}", call.locals);
            }
            let indent = out.rsplit('\n').next().unwrap_or_default().to_owned();
            for (number, line) in code.lines().enumerate() {
                let indent = if number == 0 || line.is_empty() { "" } else { &indent };
                out += &format!("{}{indent}{line}", if number == 0 { "" } else { "\n" });
            }
            before = Some(Token::Word("end"));
            at += call.length;
        } else {
            out += token.as_str();
            before = if token.matters() { Some(token) } else { before };
            at += 1;
        }
    }
    Ok(out)
}

/// A call that the body of a piece replaces.
struct Call<'a> {
    name: &'a str,
    inline: &'a Inline,
    arguments: String,
    /// Locals that get the value of the call, if the call is not a statement.
    locals: String,
    /// The number of tokens.
    length: usize,
}

/// Finds a call that is a statement, or that sets new locals.
fn statement<'a>(
    out: &str,
    before: Option<Token>,
    tokens: &[Token],
    inlines: &'a BTreeMap<String, Inline>,
) -> Option<Call<'a>> {
    if !out.rsplit('\n').next()?.trim().is_empty() || before.is_some_and(expects) {
        return None;
    }
    let (locals, first) = match tokens {
        [Token::Word("local"), rest @ ..] => {
            let end = rest.iter().position(|token| *token == Token::Sign("="))?;
            let names: String = rest.get(..end)?.iter().map(|token| token.as_str()).collect();
            if names.contains('\n') || rest.get(end + 1) != Some(&Token::Space(" ")) {
                return None;
            }
            (names.trim().to_owned(), end + 3)
        }
        _ => (String::new(), 0),
    };
    let [Token::Word(library), Token::Sign("."), Token::Word(name), Token::Sign("("), rest @ ..] =
        tokens.get(first..)?
    else {
        return None;
    };
    let (name, inline) = inlines.get_key_value(&format!("{library}.{name}"))?;
    if inline.values.is_none() && !locals.is_empty() {
        return None;
    }
    let mut depth = 1;
    let end = rest.iter().position(|token| {
        depth += step(token);
        depth == 0
    })?;
    let alone = rest.get(end + 1).is_none_or(|token| matches!(token, Token::Space(space) if space.contains('\n')));
    let given: String = rest.get(..end)?.iter().map(|token| token.as_str()).collect();
    let arguments = inline.arguments(&given)?;
    let next = rest.get(end + 1..)?.iter().find(|token| token.matters());
    let continues = matches!(next, Some(Token::Sign(_) | Token::Word("and" | "or"))) && !locals.is_empty();
    (alone && !continues).then(|| Call { name, inline, arguments, locals, length: first + end + 5 })
}

/// Returns the number by which a token changes the depth of nested brackets.
fn step(token: &Token) -> i32 {
    match token {
        Token::Sign("(" | "{" | "[") => 1,
        Token::Sign(")" | "}" | "]") => -1,
        _ => 0,
    }
}

/// Returns true if an expression continues after this token, so that the next token begins no statement.
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
