//! Composes each command of `lua/cmd` with exactly the pieces of `lua/lib` that it uses, directly or indirectly, into
//! one script. A script's chunk runs at each call, so every function that the script does not define saves time.
//! `docs/contribute/scripts.md` shows an example.
//!
//! - A piece `function state.move(…)` or `namespace.now_us = …` becomes a local, `state_move`, `namespace_now_us`,
//!   after the pieces that it needs.
//! - A piece in capitals, `state.EVENTS = '10000'`, is a constant: its value is inlined wherever it is used.
//! - The constants of `lua/lib/core/rights.lua` are filled in here: the Redis commands that scripts call.
//! - Most functions are rarely needed, mostly to refuse a call. All such pieces share one function, `cold`, which
//!   creates the piece with a given number: `args.plain(…)` becomes `cold(12)(…)`, and costs nothing until this call.
//!   Functions that most calls need are marked with the comment line `-- @hot`. If only cold pieces of a command use a
//!   marked function, it is cold in the command's script.
//! - A function under `-- @inline` is inserted where a statement calls it.
//! - Comments stay in the sources, except for the header of a command.
//!
//! The same sources produce the same bytes: the build reads no other input.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "build/checks.rs"]
mod checks;
#[path = "build/compose.rs"]
mod compose;
#[path = "build/contract.rs"]
mod contract;
#[path = "build/header.rs"]
mod header;
#[path = "build/inline.rs"]
mod inline;
#[path = "build/manifest.rs"]
mod manifest;
#[path = "build/pieces.rs"]
mod pieces;
#[path = "build/replies.rs"]
mod replies;
#[path = "build/rights.rs"]
mod rights;
#[path = "build/rust.rs"]
mod rust;
#[path = "build/rust_calls.rs"]
mod rust_calls;
#[path = "build/rust_replies.rs"]
mod rust_replies;
#[path = "build/shared.rs"]
mod shared;
#[path = "build/source.rs"]
mod source;
#[path = "build/storage.rs"]
mod storage;
// `tests/compose.rs` runs these: Cargo runs no tests of a build script.
#[cfg(test)]
#[path = "build/tests.rs"]
mod tests;

use compose::Command;
use contract::{Contract, Sources};
use header::{Header, joined};
use pieces::Library;
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=lua");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=contract");
    let target = PathBuf::from(std::env::var("OUT_DIR")?);
    let out = target.join("bundle");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir_all(&out)?;

    let bundle = Bundle::read(Path::new("."))?;
    fs::write(target.join("options.rs"), rust::options(&bundle.contract))?;
    fs::write(target.join("calls.rs"), rust_calls::calls(&bundle.contract)?)?;
    fs::write(target.join("words.rs"), rust::words(&bundle.contract))?;
    fs::write(target.join("codes.rs"), rust::codes(&bundle.contract))?;
    fs::write(target.join("replies.rs"), rust_replies::replies(&bundle.contract)?)?;
    fs::write(target.join("records.rs"), rust_replies::records(&bundle.contract))?;
    fs::write(target.join("tables.rs"), rust::tables(&bundle.contract))?;
    fs::write(target.join("constants.rs"), rust::constants(&bundle.contract))?;
    for (name, command) in &bundle.commands {
        let script = command.compose(&bundle.commands).map_err(|what| format!("lua/cmd/**/{name}.lua: {what}"))?;
        fs::write(out.join(format!("{name}.lua")), script)?;
    }
    let names: Vec<&str> = bundle.commands.keys().map(String::as_str).collect();
    fs::write(target.join("names.txt"), names.join("\n"))?;
    let mut manifest = manifest::manifest(&bundle.contract, &bundle.commands);
    let sentences: Value = toml::from_str(&fs::read_to_string("contract/why.toml")?)?;
    fs::write(target.join("why.json"), sentences.to_string())?;
    if let Some(manifest) = manifest.as_object_mut() {
        manifest.insert("sentences".to_owned(), sentences);
    }
    fs::write(target.join("contract.json"), manifest.to_string())?;
    Ok(())
}

/// The sources, taken apart.
pub(crate) struct Bundle {
    contract: Contract,
    library: Library,
    commands: BTreeMap<String, Command>,
}

impl Bundle {
    /// Reads the sources of the project in this folder.
    pub(crate) fn read(root: &Path) -> Result<Self, Box<dyn Error>> {
        let commands = tree(&root.join("lua/cmd"))?.into_iter().map(|(name, text)| (name, joined(&text)));
        let sources = Sources { files: folder(&root.join("contract"), "toml")?, commands: commands.collect() };
        let contract = Contract::read(&sources)?;
        let library = Library::read(&tree(&root.join("lua/lib"))?, "contract")?;
        let mut bundle = Self { contract, library, commands: BTreeMap::new() };
        for (name, text) in &sources.commands {
            let command = bundle.command(name, &bundle.contract.expand(name, text));
            let command = command.map_err(|what| format!("lua/cmd/**/{name}.lua: {what}"))?;
            if command.writes() && command.role.is_none() {
                return Err(format!("lua/cmd/**/{name}.lua: it writes: say who may call it, @role ROLE").into());
            }
            bundle.commands.insert(name.clone(), command);
        }
        Ok(bundle)
    }

    fn command(&self, name: &str, source: &str) -> Result<Command, String> {
        Command::read(self.library.with("contract", &checks::library(&self.contract, name))?, source)
    }

    /// Custom commands in a folder, composed with the same library: each script by name, and its entry in the
    /// manifest as far as its header describes it.
    #[allow(dead_code)] // not used by the build itself; `make bundle` calls this
    pub(crate) fn own(&self, path: &Path) -> Result<BTreeMap<String, (String, Value)>, Box<dyn Error>> {
        let composed = |(name, (command, entry)): (String, (Command, Value))| {
            Ok((name, (command.compose(&self.commands)?, entry)))
        };
        self.own_commands(path)?.into_iter().map(composed).collect()
    }

    /// All scripts as one text, with the custom commands in a folder.
    #[allow(dead_code)] // as `own`
    pub(crate) fn shared(&self, own: Option<&Path>) -> Result<String, Box<dyn Error>> {
        let own = own.map(|path| self.own_commands(path)).transpose()?.unwrap_or_default();
        let own = own.into_iter().map(|(name, (command, _))| (name, command)).collect();
        Ok(shared::text(&self.commands, &own)?)
    }

    fn own_commands(&self, path: &Path) -> Result<BTreeMap<String, (Command, Value)>, Box<dyn Error>> {
        let own = |name: &str, text: &str| {
            if self.commands.contains_key(name) {
                return Err("the bundle has a command of this name, choose another".to_owned());
            }
            let (header, command) = (Header::read(text)?, self.command(name, text)?);
            let entry = manifest::command(&self.contract, name, &header, command.writes());
            Ok((command, entry))
        };
        let read = |(name, text): (String, String)| {
            let made = own(&name, &joined(&text));
            Ok((name.clone(), made.map_err(|what| format!("{}: {what}", path.join(name + ".lua").display()))?))
        };
        folder(path, "lua")?.into_iter().map(read).collect()
    }
}

/// The files of a folder with this extension, by their names without it.
fn folder(path: &Path, extension: &str) -> Result<BTreeMap<String, String>, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            let name = path.file_stem().and_then(|name| name.to_str()).ok_or("a file without a name")?;
            files.insert(name.to_owned(), read(&path)?);
        }
    }
    Ok(files)
}

/// Returns the Lua files below a folder, by their names without the extension. The folder of a file does not matter to
/// a script.
fn tree(path: &Path) -> Result<BTreeMap<String, String>, Box<dyn Error>> {
    let mut files = folder(path, "lua")?;
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        for (name, text) in if path.is_dir() { tree(&path)? } else { BTreeMap::new() } {
            if files.insert(name.clone(), text).is_some() {
                return Err(format!("{}: a second file has the name {name}.lua", path.display()).into());
            }
        }
    }
    Ok(files)
}

fn read(path: &Path) -> Result<String, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    if text.contains('\r') {
        return Err(format!("{} has CR line ends; the bundle is LF", path.display()).into());
    }
    Ok(text)
}
