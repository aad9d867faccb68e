//! All scripts of the bundle as one text, in which each piece stands once: a fifth of the size, and a change of a piece
//! changes one place. Clients keep this text and compose a script when they send it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::compose::Command;

/// Returns the text. `own`: custom commands, which the text contains as well.
///
/// - `=== args.plain` begins a piece. A piece whose text depends on the command names these commands:
///   `=== contract.arguments cancel fail`.
/// - `=== cancel` begins a script. A line `@args.next` stands for a hot piece, `@cold` for the function with the cold
///   pieces: all pieces that the script needs and does not name in such a line, in the order of this text.
/// - `@{args.next}` is a reference to a piece, in a piece or a script.
pub(super) fn text(commands: &BTreeMap<String, Command>, own: &BTreeMap<String, Command>) -> Result<String, String> {
    let mut pieces: BTreeMap<(usize, &str), BTreeMap<String, BTreeSet<&str>>> = BTreeMap::new();
    let mut scripts = String::new();
    for (name, command) in commands.iter().chain(own) {
        let (outline, used) = command.outline(commands)?;
        let _ = write!(scripts, "=== {name}\n{outline}\n");
        for (index, (piece, text)) in used {
            pieces.entry((index, piece)).or_default().entry(text).or_default().insert(name);
        }
    }
    let mut all = String::new();
    for ((_, piece), texts) in &pieces {
        let mut texts: Vec<_> = texts.iter().map(|(text, commands)| (commands, text)).collect();
        texts.sort();
        let one = texts.len() == 1;
        for (commands, text) in texts {
            let _ = write!(all, "=== {piece}");
            for name in commands.iter().filter(|_| !one) {
                let _ = write!(all, " {name}");
            }
            let _ = write!(all, "\n{text}\n");
        }
    }
    Ok(all + &scripts)
}
