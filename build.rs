//! Composes each command of `lua/cmd` with just those pieces of `lua/lib` that it
//! uses, directly or through one another, into one script. A script's chunk runs
//! anew at each call, so every function that it need not define is time saved.
//!
//! - A piece `function state.move(…)` or `space.us = …` becomes a local, `state_move`,
//!   `space_us`.
//! - A piece in capitals on one line, `state.EVENTS = '10000'`, is a constant: its value
//!   stands wherever it is used.
//! - The constants of `lua/lib/rights.lua` are made here: the Redis commands that scripts call.
//! - A piece under the comment line `-- @cold` is seldom needed, mostly to refuse a call.
//!   All such pieces share one function, `cold`, which makes the one that it is asked for
//!   by number: `args.plain(…)` becomes `cold(12 --[[args.plain]])(…)`, and costs nothing until then.
//!   A function that a command uses only from cold pieces is cold there.
//!
//! Same sources, same bytes: nothing else goes in.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of `lua/lib`, each with what runs at once in it after what that uses.
const LIBRARY: [&str; 33] = [
    "reply",
    "args",
    "rights",
    "space",
    "requests",
    "settings",
    "server",
    "record",
    "workers",
    "orders",
    "tags",
    "groups",
    "logs",
    "history",
    "needs",
    "places",
    "turns",
    "lanes",
    "standing",
    "bonds",
    "state",
    "listeners",
    "interruption",
    "owner",
    "retries",
    "attempt",
    "birth",
    "unstarted",
    "search",
    "actions",
    "schedules",
    "statistics",
    "mending",
];

/// Redis commands that scripts call after their first write: a script makes sure of them before it.
const AFTER: [&str; 30] = [
    "EXISTS",
    "EXPIRE",
    "HDEL",
    "HGET",
    "HGETALL",
    "HINCRBY",
    "HMGET",
    "HSET",
    "HSETNX",
    "HVALS",
    "LINDEX",
    "LPUSH",
    "LREM",
    "LTRIM",
    "RPOP",
    "RPOPLPUSH",
    "RPUSH",
    "SADD",
    "SREM",
    "UNLINK",
    "XADD",
    "XDEL",
    "XREVRANGE",
    "XTRIM",
    "ZADD",
    "ZCARD",
    "ZINCRBY",
    "ZMSCORE",
    "ZRANGE",
    "ZREM",
];

/// Those that they call only before it.
const BEFORE: [&str; 22] = [
    "HEXISTS",
    "HLEN",
    "HSCAN",
    "LLEN",
    "LPOS",
    "LRANGE",
    "SCAN",
    "SCARD",
    "SISMEMBER",
    "SMEMBERS",
    "SRANDMEMBER",
    "SSCAN",
    "TIME",
    "XINFO",
    "XLEN",
    "XRANGE",
    "ZCOUNT",
    "ZRANGEBYSCORE",
    "ZRANK",
    "ZREVRANGE",
    "ZSCAN",
    "ZSCORE",
];

/// Those whose refusal they bear.
const BORNE: [&str; 2] = ["INFO", "PUBLISH"];

/// The calls without which nobody can work as a listener.
const WORKER: [&str; 12] = [
    "register",
    "report",
    "reserve",
    "start",
    "heartbeat",
    "progress",
    "checkpoint",
    "complete",
    "fail",
    "release",
    "log",
    "unregister",
];

/// What every script ends with, and thereby uses.
const EPILOGUE: &str = "
local ok, answer = pcall(command)
if ok then
  return answer
end
return reply.refusal(answer)
";

/// What strings begin and end with.
const QUOTES: [char; 2] = ['\'', '"'];

struct Piece {
    name: String,
    kind: Kind,
    /// A function, not a value.
    function: bool,
    /// As it stands in the library, from the keyword `function` or the name on.
    body: String,
    comment: String,
    uses: BTreeSet<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Constant,
    Hot,
    Cold,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=lua");
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("bundle");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir_all(&out)?;

    let mut library = Vec::new();
    for name in LIBRARY {
        let path = Path::new("lua/lib").join(name).with_extension("lua");
        library.extend(pieces(name, &read(&path)?).map_err(|what| format!("{}: {what}", path.display()))?);
    }
    let mut commands = BTreeMap::new();
    for entry in fs::read_dir("lua/cmd")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "lua") {
            let name = path.file_stem().and_then(|name| name.to_str()).ok_or("a command without a name")?;
            let command = Source::read(&library, &read(&path)?);
            commands.insert(name.to_owned(), command.map_err(|what| format!("{}: {what}", path.display()))?);
        }
    }
    for (name, command) in &commands {
        fs::write(out.join(name).with_extension("lua"), command.compose(&library, &commands))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    if text.contains('\r') {
        return Err(format!("{} has CR line ends; the bundle is LF", path.display()).into());
    }
    Ok(text)
}

/// Takes a library file apart at its top level.
fn pieces(library: &str, text: &str) -> Result<Vec<Piece>, String> {
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

/// A command, taken apart.
struct Source {
    header: String,
    body: String,
    /// The pieces that it uses, by name.
    uses: BTreeSet<String>,
    /// The Redis commands that it calls.
    calls: BTreeSet<String>,
}

impl Source {
    fn read(library: &[Piece], source: &str) -> Result<Self, String> {
        let code = library.iter().map(|piece| piece.body.as_str()).chain([source]);
        if let Some(line) = code.flat_map(str::lines).find(|line| shadows(line)) {
            return Err(format!("a local hides a library: {line}"));
        }
        let header = source.lines().take_while(|line| line.starts_with("--")).fold(String::new(), add_line);
        let body: String = source.lines().skip_while(|line| line.starts_with("--")).fold(String::new(), indent);
        let mut uses = references(&format!("{body}{EPILOGUE}"));
        loop {
            let more: Vec<&String> =
                library.iter().filter(|piece| uses.contains(&piece.name)).flat_map(|piece| &piece.uses).collect();
            let before = uses.len();
            uses.extend(more.into_iter().cloned());
            if uses.len() == before {
                break;
            }
        }
        if let Some(unknown) = uses.iter().find(|name| !library.iter().any(|piece| piece.name == **name)) {
            return Err(format!("{unknown} is not in the library"));
        }
        let pieces = library.iter().filter(|piece| uses.contains(&piece.name)).map(|piece| piece.body.as_str());
        let calls = pieces.chain([body.as_str()]).map(redis_commands).collect::<Result<Vec<_>, _>>()?;
        let calls = calls.into_iter().flatten().collect();
        Ok(Self { header, body, uses, calls })
    }

    fn compose(&self, library: &[Piece], commands: &BTreeMap<String, Self>) -> String {
        let used: Vec<&Piece> = library.iter().filter(|piece| self.uses.contains(&piece.name)).collect();
        let hot = self.hot(&used);
        let (mut number, mut kinds) = (0, Vec::new());
        let names = used.iter().map(|piece| {
            let kind = if piece.kind == Kind::Hot && !hot.contains(&piece.name) { Kind::Cold } else { piece.kind };
            kinds.push((*piece, kind));
            number += u32::from(kind == Kind::Cold);
            let text = self.rights(&piece.name, commands).unwrap_or_else(|| in_script(piece, kind, number));
            (piece.name.as_str(), text)
        });
        let names = names.collect();
        let of_kind = |wanted| kinds.iter().filter(move |(_, kind)| *kind == wanted).map(|(piece, _)| *piece);

        // The header first: whoever prints a script sees what it is.
        let mut script = format!("{}\nlocal cold\n", self.header);
        for piece in of_kind(Kind::Hot) {
            script += &format!("\n{}local {}", piece.comment, localise(&piece.body, &names));
        }
        let cold: Vec<&Piece> = of_kind(Kind::Cold).collect();
        script += &format!("\nfunction cold(number)\n{}", choice(&cold, 1, &names));
        script += &format!("end\n\nlocal function command()\n{}end\n", localise(&self.body, &names));
        script + &localise(EPILOGUE, &names)
    }

    /// The pieces that must be there at once: values, and functions used not only by cold ones.
    fn hot(&self, used: &[&Piece]) -> BTreeSet<String> {
        let mut hot = references(&format!("{}{EPILOGUE}", self.body));
        hot.extend(used.iter().filter(|piece| !piece.function).map(|piece| piece.name.clone()));
        loop {
            let known = hot.len();
            let reached = used.iter().filter(|piece| piece.kind != Kind::Cold && hot.contains(&piece.name));
            hot.extend(reached.flat_map(|piece| piece.uses.clone()).collect::<Vec<_>>());
            if hot.len() == known {
                return hot;
            }
        }
    }

    /// The constants of `lua/lib/rights.lua`, as Lua text; none for other pieces.
    fn rights(&self, piece: &str, commands: &BTreeMap<String, Self>) -> Option<String> {
        let list = |calls: &BTreeSet<String>| calls.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let table = |calls: &BTreeSet<String>| format!("{{ '{}' }}", list(calls).replace(' ', "', '"));
        let text = match piece {
            "rights.OWN" => table(&self.calls.iter().filter(|call| AFTER.contains(&call.as_str())).cloned().collect()),
            "rights.WORKER" => {
                let workers = commands.iter().filter(|(name, _)| WORKER.contains(&name.as_str()));
                table(&workers.flat_map(|(_, command)| command.calls.clone()).collect())
            }
            "rights.ALL" => {
                let each = commands.iter().map(|(name, command)| format!("{name}={}", list(&command.calls)));
                format!("'{}'", each.collect::<Vec<_>>().join(";"))
            }
            _ => return None,
        };
        Some(text)
    }
}

/// The Redis commands that some code names: words in capitals, alone in a string.
fn redis_commands(code: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let (mut before, mut last, mut rest) = ("", "", code);
    while !rest.is_empty() {
        let (token, tail) = rest.split_at(length(rest));
        if token.starts_with(QUOTES) {
            let word = token.trim_matches(QUOTES);
            if AFTER.contains(&word) || BEFORE.contains(&word) {
                found.push(word.to_owned());
            } else if before.ends_with("call") && last == "(" && !BORNE.contains(&word) {
                return Err(format!("{word} is in no list of Redis commands of build.rs"));
            }
        }
        (before, last, rest) = (last, token, tail);
    }
    Ok(found)
}

/// Makes one of these cold pieces, found by halving: the first has the number `first`.
fn choice(pieces: &[&Piece], first: usize, names: &BTreeMap<&str, String>) -> String {
    match pieces {
        [] => String::new(),
        [piece] => {
            let (_, function) = piece.body.split_once('(').unwrap_or_default();
            format!("-- {}\n{}return function({}", piece.name, piece.comment, localise(function, names))
        }
        _ => {
            let (low, high) = pieces.split_at(pieces.len() / 2);
            let second = first + low.len();
            let (low, high) = (choice(low, first, names), choice(high, second, names));
            // Not indented: so deep in, that would be a third of the script.
            format!("if number < {second} then\n{low}else\n{high}end\n")
        }
    }
}

/// What stands in a script where a source names this piece, the so manieth cold one.
fn in_script(piece: &Piece, kind: Kind, number: u32) -> String {
    match kind {
        Kind::Constant => piece.body.split_once(" = ").unwrap_or_default().1.trim_end().into(),
        Kind::Cold => format!("cold({number} --[[{}]])", piece.name),
        Kind::Hot => piece.name.replace('.', "_"),
    }
}

/// Whether a line makes a local with the name of a library: what looks like its member
/// would be taken for a piece.
fn shadows(line: &str) -> bool {
    let Some(names) = line.trim_start().strip_prefix("local ") else {
        return false;
    };
    let names = names.split(" = ").next().unwrap_or_default();
    names.split([',', ' ', '(']).any(|name| LIBRARY.contains(&name))
}

fn add_line(text: String, line: &str) -> String {
    text + line + "\n"
}

fn indent(mut text: String, line: &str) -> String {
    text += if line.is_empty() { "" } else { "  " };
    text + line + "\n"
}

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Every `library.name` outside of strings and comments.
fn references(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    rewrite(code, |library, name| {
        found.insert(format!("{library}.{name}"));
        String::new()
    });
    found
}

fn localise(code: &str, names: &BTreeMap<&str, String>) -> String {
    rewrite(code, |library, name| names.get(format!("{library}.{name}").as_str()).cloned().unwrap_or_default())
}

/// How long the comment, string, word or other character is with which some code begins.
fn length(code: &str) -> usize {
    let Some(first) = code.chars().next() else { return 0 };
    if code.starts_with("--") {
        code.find('\n').unwrap_or(code.len())
    } else if QUOTES.contains(&first) {
        string(code, first)
    } else if word(first) {
        code.find(|c| !word(c)).unwrap_or(code.len())
    } else {
        first.len_utf8()
    }
}

/// The same of a string. The other quote stands for itself in it, and so does one behind a backslash.
fn string(code: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in code.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    code.len()
}

/// Replaces each `library.name` outside of strings and comments.
fn rewrite(code: &str, mut replacement: impl FnMut(&str, &str) -> String) -> String {
    let mut out = String::new();
    let mut rest = code;
    let mut after_word = false;
    while !rest.is_empty() {
        let (token, tail) = rest.split_at(length(rest));
        let member = tail.strip_prefix('.').map(|tail| tail.split(|c| !word(c)).next().unwrap_or_default());
        match member {
            Some(name) if !after_word && !name.is_empty() && LIBRARY.contains(&token) => {
                out += &replacement(token, name);
                rest = &tail[1 + name.len()..];
            }
            _ => {
                out += token;
                rest = tail;
            }
        }
        after_word = token.ends_with('.') || token.ends_with(word);
    }
    out
}

// `tests/compose.rs` runs these: Cargo runs no tests of a build script.
#[cfg(test)]
mod tests {
    use super::{redis_commands, references};

    fn named(code: &str) -> Vec<String> {
        references(code).into_iter().collect()
    }

    #[test]
    fn pieces_are_named_outside_of_strings_and_comments_alone() {
        assert_eq!(named("state.move(task, 'args.plain', \"args.next\") -- args.none"), ["state.move"]);
        assert_eq!(named("return record.find(id) or state.plan"), ["record.find", "state.plan"]);
    }

    #[test]
    fn a_quote_of_the_other_kind_or_behind_a_backslash_ends_no_string() {
        assert_eq!(named(r#"if find(text, "can't") then state.move() end -- isn't"#), ["state.move"]);
        assert_eq!(named(r#"find("can't, state.move won't") args.next()"#), ["args.next"]);
        assert_eq!(named(r"say('it\'s args.plain', state.move())"), ["state.move"]);
        assert_eq!(named(r"say('\\', state.move())"), ["state.move"]);
        assert_eq!(named(r#"say('a "', state.move(), '" b')"#), ["state.move"]);
    }

    #[test]
    fn redis_commands_are_found_behind_such_strings() {
        let found = redis_commands("say(\"can't\") redis.call('HSET', key) redis.pcall(\"ZADD\", 'x')").unwrap();
        assert_eq!(found, ["HSET", "ZADD"]);
        assert!(
            redis_commands("say(\"can't\") redis.call('FROB', key)").unwrap_err().starts_with("FROB is in no list")
        );
        assert_eq!(redis_commands("x() -- redis.call('FROB')").unwrap(), Vec::<String>::new());
    }
}
