//! The commands of the contract as data, with their arguments, options and replies.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::bundle;

static CONTRACT: LazyLock<Contract> =
    LazyLock::new(|| serde_json::from_str(bundle::contract()).unwrap_or_else(|_| Contract::default()));

/// The part of the contract that describes calls.
#[derive(Debug, Default, Deserialize)]
struct Contract {
    commands: BTreeMap<String, Command>,
    types: BTreeMap<String, Type>,
    errors: BTreeMap<String, ErrorCode>,
}

/// All commands, by their names.
pub fn commands() -> impl Iterator<Item = (&'static str, &'static Command)> {
    CONTRACT.commands.iter().map(|(name, command)| (name.as_str(), command))
}

/// Returns the command with this name.
#[must_use]
pub fn command(name: &str) -> Option<&'static Command> {
    CONTRACT.commands.get(name)
}

/// Returns the type with this name.
#[must_use]
pub fn type_of(name: &str) -> Option<&'static Type> {
    CONTRACT.types.get(name)
}

/// Returns the description of an error code, by its word.
#[must_use]
pub fn error_code(word: &str) -> Option<&'static ErrorCode> {
    CONTRACT.errors.get(word)
}

/// A command.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Command {
    /// Description of the command.
    pub summary: String,
    /// The arguments, beginning with `now`. With a group, one of them is the number of its entries.
    pub args: Vec<Argument>,
    /// Arguments that are repeated after the others.
    pub group: Option<Group>,
    /// The options.
    #[serde(default)]
    pub options: Vec<Argument>,
    /// Codes of the errors that the command returns.
    #[serde(default)]
    pub errors: Vec<String>,
    /// The role that may call a command that writes.
    pub role: Option<String>,
    /// Description of the reply.
    #[serde(default)]
    pub reply_text: String,
    /// Shape of the reply.
    pub reply: Reply,
    /// True if a repeated call with the same `request` returns the first reply.
    #[serde(default)]
    pub request: bool,
}

/// An argument or an option.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Argument {
    /// Name.
    pub name: String,
    /// Name of its type.
    #[serde(rename = "type")]
    pub of: String,
    /// Description.
    #[serde(default)]
    pub means: String,
    /// Value of an option that is not given.
    pub default: Option<String>,
}

/// Arguments that are repeated.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Group {
    /// Name of the argument with the number of entries.
    pub count: String,
    /// Arguments of one entry.
    pub args: Vec<Argument>,
}

impl Group {
    /// Name of the list of entries: `ids` for a list of ids, otherwise `tasks`, because every group of several arguments
    /// describes tasks.
    #[must_use]
    pub fn name(&self) -> String {
        match self.args.as_slice() {
            [only] => format!("{}s", only.name),
            _ => "tasks".to_owned(),
        }
    }
}

/// The shape of a reply, as `contract/replies.toml` describes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Reply {
    /// True if the reply may be nil.
    pub nil: bool,
    /// The words that the reply may be.
    pub words: Vec<String>,
    /// The only field of the reply.
    pub value: Option<Field>,
    /// The first fields of an array.
    pub list: Vec<Field>,
    /// The fields of each item of an array.
    pub items: Vec<Field>,
    /// Fields with their names.
    pub pairs: Vec<Field>,
    /// True if any of the pairs may be missing.
    pub absent: bool,
    /// True if the reply may contain other names.
    pub open: bool,
    /// The name with which each group of pairs begins.
    pub begins: Option<String>,
    /// The shape with an option.
    pub with: BTreeMap<String, Reply>,
}

/// A field of a reply.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Field {
    /// Name; in pairs it may end with `*`.
    pub name: String,
    /// Name of its type.
    #[serde(rename = "type")]
    pub of: Option<String>,
    /// Words that the field may hold.
    #[serde(default)]
    pub words: Vec<String>,
    /// True if the field may be nil.
    #[serde(default)]
    pub nil: bool,
    /// True if the field may be empty.
    #[serde(default)]
    pub empty: bool,
    /// True if the field may be missing.
    #[serde(default)]
    pub absent: bool,
    /// Description.
    #[serde(default)]
    pub means: String,
}

/// A type of arguments, options and fields.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Type {
    /// Form of the value: `text`, `word`, `words`, `flag`, `whole`, `seconds`, `decimal` or `bytes`.
    pub form: String,
    /// The minimum of a number, or of the length of bytes.
    pub low: Option<i64>,
    /// The maximum of a number, or of the length of bytes.
    pub high: Option<i64>,
    /// The possible words.
    #[serde(default)]
    pub words: Vec<String>,
    /// Unit of a number.
    pub unit: Option<String>,
    /// Description.
    #[serde(default)]
    pub means: String,
    /// Valid values. The first one is the example.
    #[serde(default)]
    good: Vec<Value>,
}

impl Type {
    /// An example of a value, if the contract has a short example.
    #[must_use]
    pub fn example(&self) -> Option<&str> {
        self.good.iter().find_map(Value::as_str)
    }

    /// The text that stands for no value: an empty text or `-`. `None` if there must be a value.
    #[must_use]
    pub fn none(&self) -> Option<&'static str> {
        ["", "-"].into_iter().find(|none| self.good.iter().any(|good| good.as_str() == Some(none)))
    }
}

/// The description of an error code.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct ErrorCode {
    /// Meaning of the code.
    #[serde(default)]
    pub means: String,
    /// What to do.
    #[serde(default)]
    pub act: String,
}
