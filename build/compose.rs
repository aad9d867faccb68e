//! Composes one script from a command and the pieces that it uses.

use std::collections::{BTreeMap, BTreeSet};

use super::header::role;
use super::pieces::{Kind, Library, Piece};
use super::rights::{self, redis_commands};
use super::source::{Token, rewrite, tokens};

/// The last lines of every script.
const EPILOGUE: &str = "
local ok, answer = pcall(command)
if ok then
  return answer
end
return reply.refusal(answer)
";

/// A parsed command.
pub(super) struct Command {
    library: Library,
    header: String,
    body: String,
    /// Names of the pieces that the command uses.
    uses: BTreeSet<String>,
    /// Redis commands that the command calls.
    pub(super) calls: BTreeSet<String>,
    /// Role that may call the command, if the header names a role.
    pub(super) role: Option<String>,
}

/// The name and the text of pieces, by their index in the library.
pub(super) type Pieces<'a> = BTreeMap<usize, (&'a str, String)>;

/// The pieces of a script.
struct Parts<'a> {
    /// In the order in which the script creates them.
    hot: Vec<&'a Piece>,
    /// Names of hot pieces that the script must declare first.
    ahead: Vec<&'a str>,
    cold: Vec<&'a Piece>,
    /// The Lua text of each constant.
    constants: BTreeMap<&'a str, String>,
}

impl Command {
    pub(super) fn read(library: Library, source: &str) -> Result<Self, String> {
        let lines = source.split_inclusive('\n').take_while(|line| line.starts_with("--"));
        let header: String = lines.collect();
        let body = library.prepared(source.get(header.len()..).unwrap_or_default())?;
        let uses = library.reach(&library.references(&format!("{body}{EPILOGUE}")));
        if let Some(unknown) = uses.iter().find(|name| library.piece(name).is_none()) {
            return Err(format!("{unknown} is not in the library"));
        }
        let pieces = library.named(&uses).into_iter().map(|piece| piece.body.as_str());
        let calls = pieces.chain([body.as_str()]).map(redis_commands).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { library, header, body, uses, calls: calls.into_iter().flatten().collect(), role: role(source) })
    }

    /// Returns the last part of the name of a key. A caller with access to this key may use the command. For a command
    /// that only reads, the key is `meta`, which every role reads. A custom command that writes and has no role
    /// requires access to the whole namespace.
    pub(super) fn mark(&self) -> String {
        match &self.role {
            _ if !self.writes() => "meta".to_owned(),
            Some(role) => role.to_uppercase(),
            None => "*".to_owned(),
        }
    }

    /// Returns true if the command can change data.
    pub(super) fn writes(&self) -> bool {
        self.calls.iter().any(|call| rights::writes(call))
    }

    /// Returns the whole script. `commands`: all commands of the bundle, which some constants list.
    pub(super) fn compose(&self, commands: &BTreeMap<String, Self>) -> Result<String, String> {
        let Parts { hot, ahead, cold, constants } = self.parts(commands)?;
        let mut names = constants;
        names.extend(hot.iter().map(|piece| (piece.name.as_str(), piece.name.replace('.', "_"))));
        names.extend(cold.iter().zip(1..).map(|(piece, number)| (piece.name.as_str(), format!("cold({number})"))));
        let localise = |code: &str| renamed(code, &names);
        let piece = |piece: &Piece| {
            let local = if ahead.contains(&piece.name.as_str()) { "" } else { "local " };
            format!("\n{local}{}", localise(&piece.body))
        };
        let pieces: String = hot.iter().copied().map(piece).collect();
        let pieces = format!("{pieces}\nfunction cold(number)\n{}end\n", choice(&cold, 1, &localise));
        Ok(self.around(&pieces, &ahead, &localise))
    }

    /// Returns the script with a line `@PIECE` for each hot piece and a line `@cold` for all cold pieces; `@+PIECE` is a
    /// piece that the script has declared before. Also returns the name and the text of each piece, by its index in the
    /// library. References are written as `@{PIECE}`.
    pub(super) fn outline(&self, commands: &BTreeMap<String, Self>) -> Result<(String, Pieces<'_>), String> {
        let Parts { hot, ahead, cold, constants } = self.parts(commands)?;
        let all = || hot.iter().chain(&cold).map(|piece| piece.name.as_str());
        let mut names = constants;
        names.extend(all().map(|name| (name, format!("@{{{name}}}"))));
        let marked = |code: &str| renamed(code, &names);
        let line = |piece: &&Piece| {
            let declared = if ahead.contains(&piece.name.as_str()) { "+" } else { "" };
            format!("@{declared}{}\n", piece.name)
        };
        let lines: String = hot.iter().map(line).collect();
        let text = |name| Some((self.library.index(name)?, (name, marked(&self.library.piece(name)?.body))));
        Ok((self.around(&(lines + "@cold\n"), &ahead, &marked), all().filter_map(text).collect()))
    }

    /// Returns the script with these pieces. The header comes first, to help people who read the script.
    fn around(&self, pieces: &str, ahead: &[&str], localise: &impl Fn(&str) -> String) -> String {
        let ahead = if ahead.is_empty() { String::new() } else { format!("local {}\n", ahead.join(", ")) };
        let (ahead, body) = (localise(&ahead), indented(&localise(&self.body)));
        let end = localise(EPILOGUE);
        format!("{}\nlocal cold\n{ahead}{pieces}\nlocal function command()\n{body}end\n{end}", self.header)
    }

    fn parts(&self, commands: &BTreeMap<String, Self>) -> Result<Parts<'_>, String> {
        let library = &self.library;
        let used = library.named(&self.uses);
        let hot = self.hot(&used);
        let (hot, cold): (Vec<&Piece>, Vec<&Piece>) = used
            .iter()
            .copied()
            .filter(|piece| piece.kind != Kind::Constant)
            .partition(|piece| hot.contains(&piece.name));
        let (hot, ahead) = order(&hot);
        let mut constants = BTreeMap::new();
        for piece in used.iter().filter(|piece| piece.kind == Kind::Constant) {
            let made = rights::constant(&piece.name, self, commands);
            let value = made.map_or_else(|| constant(library, piece, &mut Vec::new()), Ok)?;
            constants.insert(piece.name.as_str(), value);
        }
        Ok(Parts { hot, ahead, cold, constants })
    }

    /// Returns the names of the pieces that a script creates at its start: the values, the pieces that the values need,
    /// and the functions marked as hot that the command or a piece of this list uses.
    fn hot(&self, used: &[&Piece]) -> BTreeSet<String> {
        let library = &self.library;
        let values = used.iter().filter(|piece| piece.kind == Kind::Value).map(|piece| piece.name.clone());
        let mut hot = library.reach(&values.collect());
        let mut rest: Vec<String> = library.references(&format!("{}{EPILOGUE}", self.body)).into_iter().collect();
        rest.extend(hot.iter().filter_map(|name| library.piece(name)).flat_map(|piece| piece.uses.clone()));
        while let Some(piece) = rest.pop().and_then(|name| library.piece(&name)) {
            if piece.kind == (Kind::Function { hot: true }) && hot.insert(piece.name.clone()) {
                rest.extend(piece.uses.iter().cloned());
            }
        }
        hot
    }
}

/// Returns code with other texts for these pieces.
fn renamed(code: &str, names: &BTreeMap<&str, String>) -> String {
    rewrite(code, |library, name| names.get(format!("{library}.{name}").as_str()).cloned())
}

/// Orders these pieces so that each comes after the pieces that it needs. Also returns the names of functions that an
/// earlier piece uses, because the two need each other. A script must declare these names first.
fn order<'a>(pieces: &[&'a Piece]) -> (Vec<&'a Piece>, Vec<&'a str>) {
    struct Walk<'a> {
        open: BTreeSet<&'a str>,
        done: Vec<&'a Piece>,
        ahead: Vec<&'a str>,
    }
    fn visit<'a>(piece: &'a Piece, pieces: &[&'a Piece], walk: &mut Walk<'a>) {
        if walk.done.iter().any(|done| done.name == piece.name) {
            return;
        }
        walk.open.insert(&piece.name);
        for other in pieces.iter().filter(|other| other.name != piece.name && piece.uses.contains(&other.name)) {
            if !walk.open.contains(other.name.as_str()) {
                visit(other, pieces, walk);
            } else if !walk.ahead.contains(&other.name.as_str()) {
                walk.ahead.push(&other.name);
            }
        }
        walk.open.remove(piece.name.as_str());
        walk.done.push(piece);
    }
    let mut walk = Walk { open: BTreeSet::new(), done: Vec::new(), ahead: Vec::new() };
    for piece in pieces {
        visit(piece, pieces, &mut walk);
    }
    (walk.done, walk.ahead)
}

/// Returns the value of a constant. Constants in the value are replaced by their own values, joined strings become one
/// string, and an expression gets parentheses.
fn constant<'a>(library: &'a Library, piece: &'a Piece, within: &mut Vec<&'a str>) -> Result<String, String> {
    within.push(&piece.name);
    let (_, value) = piece.body.split_once(" = ").unwrap_or_default();
    let mut failure = None;
    let value = rewrite(value.trim_end(), |table, name| {
        let other = library.piece(&format!("{table}.{name}"))?;
        if other.kind != Kind::Constant {
            failure = Some(format!("the constant {} may only name other constants, not {}", piece.name, other.name));
            return None;
        }
        constant(library, other, within).map_err(|what| failure = Some(what)).ok()
    });
    within.pop();
    if let Some(what) = failure {
        return Err(what);
    }
    let parts: Vec<Token> = tokens(&value).into_iter().filter(|token| token.matters()).collect();
    let text = |token: &Token| token.as_str().trim_matches('\'').to_owned();
    let joined = parts.iter().enumerate().all(|(at, token)| match token {
        Token::Text(text) => at % 2 == 0 && text.starts_with('\''),
        Token::Sign("..") => at % 2 == 1,
        _ => false,
    });
    Ok(match parts.as_slice() {
        [_] => value,
        _ if joined => format!("'{}'", parts.iter().step_by(2).map(text).collect::<String>()),
        [Token::Sign("{"), ..] => value,
        _ => format!("({value})"),
    })
}

/// Returns code that finds one of these cold pieces by binary search and creates it. The first piece has the number
/// `first`.
fn choice(pieces: &[&Piece], first: usize, localise: &impl Fn(&str) -> String) -> String {
    match pieces {
        [] => String::new(),
        [piece] => {
            let (_, function) = piece.body.split_once('(').unwrap_or_default();
            // The only generated comment: it shows which piece `cold(46)` is.
            format!("-- {first} {}\nreturn function({}", piece.name, localise(function))
        }
        _ => {
            let (low, high) = pieces.split_at(pieces.len() / 2);
            let second = first + low.len();
            let (low, high) = (choice(low, first, localise), choice(high, second, localise));
            // The code is not indented, because indentation at this depth would be a third of the script.
            format!("if number < {second} then\n{low}else\n{high}end\n")
        }
    }
}

/// Indents each line by two spaces, except within a string, where the spaces become part of the string.
fn indented(code: &str) -> String {
    let mut out = String::from("  ");
    for token in tokens(code.trim_matches('\n')) {
        match token {
            Token::Space(space) => out += &space.replace('\n', "\n  "),
            _ => out += token.as_str(),
        }
    }
    out.lines().map(|line| if line.trim().is_empty() { "\n".into() } else { format!("{line}\n") }).collect()
}
