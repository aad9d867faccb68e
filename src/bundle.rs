//! The Lua bundle: the scripts that hold all of Blueque's behaviour, embedded.
//!
//! The crate's own calls are made from these; whoever wants to drive them by
//! another client finds here what `dist/blueque-lua-VERSION/` holds as files.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use redis::Script;

static SCRIPTS: Dir<'_> = include_dir!("$OUT_DIR/bundle");

static COMMANDS: LazyLock<BTreeMap<&'static str, Command>> = LazyLock::new(|| {
    let sources = SCRIPTS.files().filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)));
    sources.map(|(name, source)| (name, Command::new(name, source))).collect()
});

/// The version of the scripts and of their contract, the crate's own.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The number of the data's schema in Redis. Scripts refuse data of another one.
pub const SCHEMA: u32 = 1;

/// One command of the bundle: a script and what the contract says of it.
#[derive(Debug)]
pub struct Command {
    name: &'static str,
    source: &'static str,
    sha1: String,
    header: BTreeMap<&'static str, &'static str>,
}

impl Command {
    fn new(name: &'static str, source: &'static str) -> Self {
        let header = source.lines().map_while(|line| line.strip_prefix("--"));
        let header = header
            .filter_map(|line| match line.strip_prefix(" @") {
                Some(entry) => Some(entry.split_once(' ').unwrap_or((entry, ""))),
                None => line.strip_prefix("- ").map(|summary| ("summary", summary)),
            })
            .collect();
        let sha1 = Script::new(source).get_hash().to_owned();
        Self { name, source, sha1, header }
    }

    /// Its name, such as `complete`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The whole script, as `EVAL` and `SCRIPT LOAD` take it.
    #[must_use]
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// The digest by which `EVALSHA` knows the script: 40 lower-case hex digits.
    #[must_use]
    pub fn sha1(&self) -> &str {
        &self.sha1
    }

    /// What it does, in a sentence or two.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.entry("summary")
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

    /// What it answers, in words.
    #[must_use]
    pub fn reply(&self) -> &'static str {
        self.entry("reply")
    }

    /// The error codes of its own, separated by spaces; `BADARG`, `BADNAME`,
    /// `SCHEMA`, `WRONGKEY` and `RETRY` can come from every command.
    #[must_use]
    pub fn errors(&self) -> &'static str {
        self.entry("errors")
    }

    fn entry(&self, name: &str) -> &'static str {
        self.header.get(name).copied().unwrap_or_default()
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
