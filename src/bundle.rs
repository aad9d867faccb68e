//! The Lua bundle: the scripts that implement all of Blueque's behaviour, embedded.
//!
//! The crate's own calls use these; for other clients this module has what `dist/blueque-lua-VERSION/` has as
//! files.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use include_dir::{Dir, File, include_dir};
use redis::Script;

static SCRIPTS: Dir<'_> = include_dir!("$OUT_DIR/bundle");

static COMMANDS: LazyLock<BTreeMap<&'static str, Command>> = LazyLock::new(|| {
    let names = SCRIPTS.files().filter_map(|file| Some((file.path().file_stem()?.to_str()?, file)));
    names.map(|(name, file)| (name, Command { name, file, sha1: OnceLock::new() })).collect()
});

/// The version of the scripts and of their contract, the crate's own.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The schema version of the data in Redis. Scripts refuse data with another one.
pub const SCHEMA: u32 = 1;

/// The contract as data, in JSON: types, settings, states, error codes, and for each command its arguments, options
/// and reply, typed. Enough to generate a client from; `lua/manifest.schema.json` is its schema.
#[must_use]
pub fn contract() -> &'static str {
    include_str!(concat!(env!("OUT_DIR"), "/contract.json"))
}

/// One command of the bundle: a script and its part of the contract.
#[derive(Debug)]
pub struct Command {
    name: &'static str,
    file: &'static File<'static>,
    /// Computed on demand: most programs call few commands.
    sha1: OnceLock<String>,
}

impl Command {
    /// Its name, such as `complete`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The whole script, as `EVAL` and `SCRIPT LOAD` take it.
    #[must_use]
    pub fn source(&self) -> &'static str {
        self.file.contents_utf8().unwrap_or_default()
    }

    /// The digest of the script for `EVALSHA`: 40 lower-case hex digits.
    #[must_use]
    pub fn sha1(&self) -> &str {
        self.sha1.get_or_init(|| Script::new(self.source()).get_hash().to_owned())
    }

    /// What it does, in a sentence or two.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.header().find_map(|line| line.strip_prefix("- ")).unwrap_or_default()
    }

    /// The positional arguments after the key, separated by spaces.
    #[must_use]
    pub fn args(&self) -> &'static str {
        self.entry("args")
    }

    /// The names of the options that may follow, separated by spaces.
    #[must_use]
    pub fn options(&self) -> &'static str {
        self.entry("options")
    }

    /// The role that may call it, if it changes anything.
    #[must_use]
    pub fn role(&self) -> Option<&'static str> {
        Some(self.entry("role")).filter(|role| !role.is_empty())
    }

    /// Its reply, in words.
    #[must_use]
    pub fn reply(&self) -> &'static str {
        self.entry("reply")
    }

    /// Its own error codes, separated by spaces; every command may also return `BADARG`, `BADNAME`, `SCHEMA`,
    /// `WRONGKEY` and `RETRY`.
    #[must_use]
    pub fn errors(&self) -> &'static str {
        self.entry("errors")
    }

    fn entry(&self, name: &str) -> &'static str {
        let entry = self.header().find_map(|line| line.strip_prefix(" @")?.strip_prefix(name));
        entry.map_or("", str::trim_start)
    }

    /// The comment lines at the beginning of the script, after their `--`.
    fn header(&self) -> impl Iterator<Item = &'static str> {
        self.source().lines().map_while(|line| line.strip_prefix("--"))
    }
}

/// All commands, by name.
pub fn commands() -> impl Iterator<Item = &'static Command> {
    COMMANDS.values()
}

/// The command of this name.
#[must_use]
pub fn command(name: &str) -> Option<&'static Command> {
    COMMANDS.get(name)
}
