//! The embedded Lua bundle: the scripts that implement all of Blueque's behaviour.
//!
//! The crate's own calls use these scripts. For other clients this module offers the same content as the files in
//! `dist/blueque-lua-VERSION/`.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use include_dir::{Dir, File, include_dir};
use redis::Script;

static SCRIPTS: Dir<'_> = include_dir!("$OUT_DIR/bundle");

/// The names of the commands in the order of their files. The names in the paths of the scripts are not used: each is next
/// to its script, so that reading them would bring a page of each script into the memory of every process.
const NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/names.txt"));

static COMMANDS: LazyLock<BTreeMap<&'static str, Command>> = LazyLock::new(|| {
    let named = NAMES.lines().zip(SCRIPTS.files());
    named.map(|(name, file)| (name, Command { name, file, sha1: OnceLock::new() })).collect()
});

/// Version of the scripts and of their contract, which is the version of the crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Schema version of the data in Redis. Scripts refuse data with a different schema version.
pub const SCHEMA: u32 = 1;

/// The contract as data, in JSON: types, settings, states, error codes, and for each command its arguments, options and
/// reply, with types. A client can be generated from it; `lua/manifest.schema.json` is its schema.
#[must_use]
pub fn contract() -> &'static str {
    include_str!(concat!(env!("OUT_DIR"), "/contract.json"))
}

/// One command of the bundle: a script and its part of the contract.
#[derive(Debug)]
pub struct Command {
    name: &'static str,
    file: &'static File<'static>,
    /// Computed on demand, because most programs call few commands.
    sha1: OnceLock<String>,
}

impl Command {
    /// Name of the command, such as `complete`.
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

    /// Description of the command, in a sentence or two.
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

    /// The role that may call the command, if the command changes anything.
    #[must_use]
    pub fn role(&self) -> Option<&'static str> {
        Some(self.entry("role")).filter(|role| !role.is_empty())
    }

    /// Description of the reply.
    #[must_use]
    pub fn reply(&self) -> &'static str {
        self.entry("reply")
    }

    /// Error codes of this command, separated by spaces. Every command may also return `BADARG`, `BADNAME`, `SCHEMA`,
    /// `WRONGKEY` and `RETRY`.
    #[must_use]
    pub fn errors(&self) -> &'static str {
        self.entry("errors")
    }

    fn entry(&self, name: &str) -> &'static str {
        let entry = self.header().find_map(|line| line.strip_prefix(" @")?.strip_prefix(name));
        entry.map_or("", str::trim_start)
    }

    /// The comment lines at the beginning of the script, without their `--`.
    fn header(&self) -> impl Iterator<Item = &'static str> {
        self.source().lines().map_while(|line| line.strip_prefix("--"))
    }
}

/// All commands, by name.
pub fn commands() -> impl Iterator<Item = &'static Command> {
    COMMANDS.values()
}

/// Returns the command with this name.
#[must_use]
pub fn command(name: &str) -> Option<&'static Command> {
    COMMANDS.get(name)
}
