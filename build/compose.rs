//! One script from a command and the pieces that it uses.

use std::collections::{BTreeMap, BTreeSet};

use super::pieces::{Kind, Piece, shadows};
use super::rights::{AFTER, WORKER, redis_commands};
use super::source::{localise, references};

/// What every script ends with, and thereby uses.
const EPILOGUE: &str = "
local ok, answer = pcall(command)
if ok then
  return answer
end
return reply.refusal(answer)
";

/// A command, taken apart.
pub(super) struct Source {
    library: Vec<Piece>,
    header: String,
    body: String,
    /// The pieces that it uses, by name.
    uses: BTreeSet<String>,
    /// The Redis commands that it calls.
    calls: BTreeSet<String>,
}

impl Source {
    pub(super) fn read(library: Vec<Piece>, source: &str) -> Result<Self, String> {
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
        Ok(Self { library, header, body, uses, calls })
    }

    pub(super) fn compose(&self, commands: &BTreeMap<&str, Self>) -> String {
        let used: Vec<&Piece> = self.library.iter().filter(|piece| self.uses.contains(&piece.name)).collect();
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
    fn rights(&self, piece: &str, commands: &BTreeMap<&str, Self>) -> Option<String> {
        let list = |calls: &BTreeSet<String>| calls.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let table = |calls: &BTreeSet<String>| format!("{{ '{}' }}", list(calls).replace(' ', "', '"));
        let text = match piece {
            "rights.OWN" => table(&self.calls.iter().filter(|call| AFTER.contains(&call.as_str())).cloned().collect()),
            "rights.WORKER" => {
                let workers = commands.iter().filter(|(name, _)| WORKER.contains(name));
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

fn add_line(text: String, line: &str) -> String {
    text + line + "\n"
}

fn indent(mut text: String, line: &str) -> String {
    text += if line.is_empty() { "" } else { "  " };
    text + line + "\n"
}
