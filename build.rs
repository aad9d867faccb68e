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
//! `build/` has its parts.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "build/compose.rs"]
mod compose;
#[path = "build/pieces.rs"]
mod pieces;
#[path = "build/rights.rs"]
mod rights;
#[path = "build/source.rs"]
mod source;

use compose::Source;
use pieces::pieces;
use source::LIBRARY;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=lua");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
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
