//! The contract as data: the contents of `contract/*.toml` and of the headers in `lua/cmd`, checked against each other.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::Spanned;

use super::header::Header;
use super::replies::Reply;
use super::storage::{self, Key, Records, Touches};

/// Entries of a file by name, in the order of the file.
pub(super) type Table<T> = IndexMap<String, Spanned<T>>;

#[derive(Debug)]
pub(super) struct Contract {
    pub(super) types: Table<Type>,
    pub(super) settings: Table<Setting>,
    pub(super) states: Table<State>,
    pub(super) roles: Table<Role>,
    pub(super) errors: Table<Code>,
    pub(super) replies: Table<Reply>,
    pub(super) fields: Records,
    pub(super) keys: Table<Key>,
    pub(super) touches: Touches,
    pub(super) constants: Table<Constant>,
    arguments: IndexMap<String, Table<Argument>>,
    options: IndexMap<String, Table<Opt>>,
    pub(super) commands: BTreeMap<String, Header>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Form {
    #[default]
    Text,
    Word,
    Words,
    Flag,
    Whole,
    Seconds,
    Decimal,
    Bytes,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Type {
    #[serde(default)]
    pub(super) form: Form,
    /// The name of another type, if this type has the same values.
    #[serde(rename = "as")]
    like: Option<String>,
    /// The type of all values except `none`.
    pub(super) some: Option<String>,
    /// The word that clients send if they have no value.
    pub(super) none: Option<String>,
    pub(super) low: Option<i64>,
    pub(super) high: Option<i64>,
    #[serde(default)]
    words: Words,
    #[serde(default)]
    states: bool,
    pub(super) unit: Option<String>,
    pub(super) check: Option<String>,
    pub(super) error: Option<String>,
    pub(super) means: Option<String>,
    /// Some valid values.
    #[serde(default)]
    pub(super) good: Vec<Value>,
    /// Some invalid values, by the code of the error that they cause.
    #[serde(default)]
    pub(super) bad: IndexMap<String, Vec<Value>>,
}

/// The words of a type. A word has a description unless its meaning is obvious.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Words {
    Plain(Vec<String>),
    Meant(IndexMap<String, String>),
}

impl Default for Words {
    fn default() -> Self {
        Self::Plain(Vec::new())
    }
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Setting {
    #[serde(rename = "type")]
    pub(super) of: String,
    pub(super) default: Option<String>,
    /// True if the setting cannot be set for one queue.
    #[serde(default)]
    pub(super) all_queues: bool,
    pub(super) means: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Argument {
    #[serde(rename = "type")]
    pub(super) of: String,
    pub(super) means: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Opt {
    #[serde(rename = "type")]
    pub(super) of: String,
    pub(super) default: Option<String>,
    pub(super) setting: Option<String>,
    pub(super) field: Option<String>,
    pub(super) change: Option<String>,
    pub(super) means: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own in the file")]
pub(super) struct State {
    pub(super) index: Option<String>,
    /// The index of prioritized tasks, which have a rank.
    pub(super) ranked: Option<String>,
    /// True if no attempt holds the task, and an attempt may follow.
    #[serde(default)]
    pub(super) waits: bool,
    #[serde(default)]
    pub(super) owned: bool,
    #[serde(default, rename = "final")]
    pub(super) ends: bool,
    /// True if this entry is not a state, but stands for a task that does not exist.
    #[serde(default)]
    pub(super) absent: bool,
    pub(super) means: Option<String>,
    pub(super) from: IndexMap<String, Vec<String>>,
}

/// A number on which workers and clients agree.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Constant {
    pub(super) value: u32,
    pub(super) unit: String,
    pub(super) means: Option<String>,
}

/// A role: a set of callers who may use some of the commands that write.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Role {
    /// Another role whose commands this role needs.
    pub(super) includes: Option<String>,
    pub(super) means: Option<String>,
}

/// Suffixes after the name of a group of options in a header. They select all options, or the options that the record
/// stores.
const KINDS: [&str; 2] = ["*", "stored"];

fn of_kind(option: &Opt, kind: &str) -> bool {
    kind == "*" || option.field.is_some()
}

/// Reasons for a rerun of a task.
const ANEW: [&str; 2] = ["retry", "again"];

/// A condition that selects states.
pub(super) type Which = fn(&State) -> bool;

impl State {
    /// Returns the keys that list the tasks in this state.
    pub(super) fn indexes(&self) -> impl Iterator<Item = &str> {
        self.index.iter().chain(&self.ranked).map(String::as_str)
    }
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own in the file")]
pub(super) struct Code {
    #[serde(default)]
    pub(super) repeat: bool,
    #[serde(default)]
    pub(super) common: bool,
    #[serde(default)]
    pub(super) server: bool,
    /// True if only clients raise the code, and no server returns it.
    #[serde(default, skip_serializing)]
    pub(super) client: bool,
    #[serde(skip_serializing)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) kind: Kind,
    pub(super) means: Option<String>,
    pub(super) act: Option<String>,
}

/// Kinds of errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Call,
    State,
    Attempt,
    Setup,
    #[default]
    Server,
}

/// The files of `contract/`, by name, and the sources of `lua/cmd`.
pub(super) struct Sources {
    pub(super) files: BTreeMap<String, String>,
    pub(super) commands: BTreeMap<String, String>,
}

impl Sources {
    fn table<T: DeserializeOwned>(&self, name: &str) -> Result<IndexMap<String, T>, String> {
        let text = self.files.get(name).ok_or_else(|| format!("contract/{name}.toml does not exist"))?;
        toml::from_str(text).map_err(|error| format!("contract/{name}.toml: {error}"))
    }

    /// Checks each entry of a table. An error names the file, the line, and the entry as one of this `kind`. A kind that
    /// ends in a dot is followed by the name without a space.
    pub(super) fn check<'a, T>(
        &self,
        file: &str,
        kind: &str,
        table: &'a Table<T>,
        mut check: impl FnMut(&'a str, &'a T) -> Result<(), String>,
    ) -> Result<(), String> {
        let space = if kind.ends_with('.') { "" } else { " " };
        table.iter().try_for_each(|(name, entry)| {
            let checked = check(name, entry.as_ref());
            checked.map_err(|what| self.wrong(file, entry, format!("the {kind}{space}{name} {what}")))
        })
    }

    /// Returns an error that names the file and the line of an entry.
    pub(super) fn wrong<T>(&self, name: &str, at: &Spanned<T>, what: impl std::fmt::Display) -> String {
        let text = self.files.get(name).map_or("", String::as_str);
        let line = text.get(..at.span().start).unwrap_or_default().matches('\n').count() + 1;
        format!("contract/{name}.toml:{line}: {what}")
    }
}

impl Contract {
    pub(super) fn read(sources: &Sources) -> Result<Self, String> {
        let header = |(name, text): (&String, &String)| {
            let header = Header::read(text).map_err(|what| format!("lua/cmd/**/{name}.lua: {what}"))?;
            Ok::<_, String>((name.clone(), header))
        };
        let mut contract = Self {
            types: sources.table("types")?,
            settings: sources.table("settings")?,
            states: sources.table("states")?,
            roles: sources.table("roles")?,
            errors: sources.table("errors")?,
            replies: sources.table("replies")?,
            fields: sources.table("fields")?,
            keys: sources.table("keys")?,
            touches: Touches::read(sources.table("touches")?),
            constants: sources.table("constants")?,
            arguments: sources.table("arguments")?,
            options: sources.table("options")?,
            commands: sources.commands.iter().map(header).collect::<Result<_, _>>()?,
        };
        contract.types = contract.types.iter().map(|(name, of)| (name.clone(), contract.like(of))).collect();
        storage::add_lists(&mut contract.keys, &contract.states);
        contract.touches.add_groups(&contract.states);
        for reply in contract.replies.values_mut() {
            storage::fill(reply.as_mut(), &contract.fields, &contract.states);
        }
        let codes: Vec<_> = contract.commands.values().map(|header| contract.codes(&header.errors)).collect();
        for ((name, header), codes) in contract.commands.iter_mut().zip(codes) {
            header.errors = codes;
            if let Some(reply) = Reply::of_words(&header.reply) {
                contract.replies.entry(name.clone()).or_insert_with(|| Spanned::new(0..0, reply));
            }
        }
        contract.check(sources)?;
        Ok(contract)
    }

    /// Returns the whole definition of a type. A type that refers to another type with `as` has the properties of that
    /// type.
    fn like(&self, of: &Spanned<Type>) -> Spanned<Type> {
        let own = of.as_ref();
        let other = own.like.as_ref().and_then(|other| self.type_of(other));
        let whole = other.map_or_else(
            || own.clone(),
            |other| Type { like: own.like.clone(), means: own.means.clone(), ..other.clone() },
        );
        Spanned::new(of.span(), whole)
    }

    /// Returns the error codes that a header lists. `GROUP.*` stands for the codes that invalid options of the group
    /// cause.
    fn codes(&self, words: &[String]) -> Vec<String> {
        let of_types = |group: &str| {
            let types = self.group(group).into_iter().filter_map(|(_, option)| self.type_of(&option.of));
            let codes = types.flat_map(|of| of.error.iter().chain(of.bad.keys()));
            codes.filter(|code| self.errors.get(*code).is_some_and(|code| !code.as_ref().common)).cloned().collect()
        };
        let each = |word: &String| match word.strip_suffix(".*").filter(|group| self.options.contains_key(*group)) {
            Some(group) => of_types(group),
            None => vec![word.clone()],
        };
        words.iter().flat_map(each).collect::<IndexSet<_>>().into_iter().collect()
    }

    /// Returns the argument of a command, from the table of the command, or else from the common table.
    pub(super) fn argument(&self, command: &str, name: &str) -> Option<&Argument> {
        let own = self.arguments.get(command).and_then(|table| table.get(name));
        own.or_else(|| self.arguments.get("any")?.get(name)).map(AsRef::as_ref)
    }

    /// Returns the options of a command by name, in the order of its header.
    pub(super) fn options(&self, command: &str) -> Vec<(&str, &Opt)> {
        let words = self.commands.get(command).map_or(&[][..], |header| header.options.as_slice());
        let named = |name: &str| {
            let mut groups = [command, "any"].into_iter().filter_map(|group| self.options.get(group));
            groups.find_map(|table| table.get_key_value(name)).into_iter().collect::<Vec<_>>()
        };
        let entries = |word: &String| match word.split_once('.') {
            Some((group, kind)) => self.group(group).into_iter().filter(|(_, option)| of_kind(option, kind)).collect(),
            None => named(word).into_iter().map(|(name, option)| (name.as_str(), option.as_ref())).collect::<Vec<_>>(),
        };
        words.iter().flat_map(entries).collect()
    }

    /// Returns the options of a group.
    pub(super) fn group(&self, group: &str) -> Vec<(&str, &Opt)> {
        let entries = self.options.get(group).into_iter().flatten();
        entries.map(|(name, option)| (name.as_str(), option.as_ref())).collect()
    }

    /// Returns the source of a command. Its header lists all options and codes, instead of the names of their groups.
    pub(super) fn expand(&self, command: &str, source: &str) -> String {
        let names: Vec<&str> = self.options(command).into_iter().map(|(name, _)| name).collect();
        let line = |line: &str| match line.strip_prefix("-- @").and_then(|entry| entry.split_once(' ')) {
            Some(("options", _)) => format!("-- @options {}\n", names.join(" ")),
            Some((entry @ ("errors" | "noted"), words)) => {
                let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
                format!("-- @{entry} {}\n", self.codes(&words).join(" "))
            }
            _ => format!("{line}\n"),
        };
        source.lines().map(line).collect()
    }

    pub(super) fn type_of(&self, name: &str) -> Option<&Type> {
        self.types.get(name).map(AsRef::as_ref)
    }

    /// Returns the words of a type, and the meaning of each word.
    pub(super) fn words<'a>(&'a self, of: &'a Type) -> Vec<(&'a str, &'a str)> {
        let mut all: Vec<(&str, &str)> = Vec::new();
        if of.states {
            all.extend(self.states().map(|(name, state)| (name, state.means.as_deref().unwrap_or_default())));
        }
        match &of.words {
            Words::Plain(words) => all.extend(words.iter().map(|word| (word.as_str(), ""))),
            Words::Meant(words) => all.extend(words.iter().map(|(word, means)| (word.as_str(), means.as_str()))),
        }
        all
    }

    /// Returns the states that a task can be in.
    pub(super) fn states(&self) -> impl Iterator<Item = (&str, &State)> {
        let states = self.states.iter().map(|(name, state)| (name.as_str(), state.as_ref()));
        states.filter(|(_, state)| !state.absent)
    }

    /// Returns true if one list of the queue contains all tasks in this state.
    pub(super) fn is_plain(&self, state: &State) -> bool {
        let index = state.index.as_ref().filter(|index| index.ends_with("_QUEUE"));
        let key = index.and_then(|index| self.keys.get(index));
        state.ranked.is_none() && key.is_some_and(|key| key.as_ref().of == storage::Kind::List)
    }

    fn check(&self, sources: &Sources) -> Result<(), String> {
        sources.check("types", "type", &self.types, |_, of| self.check_type(of))?;
        sources.check("roles", "role", &self.roles, |_, role| {
            sentence(role.means.as_deref())?;
            match role.includes.as_ref().filter(|other| !self.roles.contains_key(*other)) {
                Some(other) => Err(format!("includes {other}, which is not a role")),
                None => Ok(()),
            }
        })?;
        sources.check("settings", "setting", &self.settings, |_, setting| {
            sentence(setting.means.as_deref())?;
            self.default(&setting.of, setting.default.as_deref())
        })?;
        sources.check("constants", "constant", &self.constants, |_, constant| sentence(constant.means.as_deref()))?;
        for (group, table) in &self.arguments {
            sources.check("arguments", &format!("argument {group}."), table, |_, argument| {
                sentence(argument.means.as_deref())?;
                self.default(&argument.of, None)
            })?;
        }
        for (group, table) in &self.options {
            let mut fields = BTreeMap::new();
            sources.check("options", &format!("option {group}."), table, |name, option| {
                self.check_option(group, name, option)?;
                match option.field.as_ref().and_then(|field| fields.insert(field, name)) {
                    Some(other) => Err(format!("and {other} have one field: write another field = \"NAME\"")),
                    None => Ok(()),
                }
            })?;
        }
        storage::check(self, sources)?;
        sources.check("states", "state", &self.states, |name, state| self.check_state(name, state))?;
        sources.check("errors", "code", &self.errors, |_, code| {
            sentence(code.means.as_deref())?;
            sentence(code.act.as_deref()).map_err(|what| what.replace("means", "act"))?;
            match code.name.as_deref() {
                None | Some("") => Err("has no name: write name = \"the code in words\"".into()),
                Some(_) => Ok(()),
            }
        })?;
        for (command, header) in &self.commands {
            self.check_header(command, header).map_err(|what| format!("lua/cmd/**/{command}.lua: {what}"))?;
            if !self.replies.contains_key(command) {
                return Err(format!(
                    "contract/replies.toml has no shape of {command}: write [{command}] and what it returns, or if that is a word, all such words in backquotes after @reply"
                ));
            }
        }
        sources.check("replies", "reply of", &self.replies, |command, reply| reply.check(self, command))
    }

    fn check_type(&self, of: &Type) -> Result<(), String> {
        sentence(of.means.as_deref())?;
        of.like.iter().chain(&of.some).try_for_each(|other| self.has_type(other).map(drop))?;
        let counts = matches!(of.form, Form::Whole | Form::Seconds | Form::Decimal | Form::Bytes);
        let what = if counts && !(of.low.is_some() && of.high.is_some() && of.low <= of.high) {
            "has no bounds: write low = NUMBER and a high = NUMBER that is not below it"
        } else if matches!(of.form, Form::Word | Form::Words) && self.words(of).is_empty() {
            "has no words: write words = [\"…\", \"…\"]"
        } else if matches!(of.form, Form::Words | Form::Decimal) && of.check.is_none() {
            "has a form that only a function can read: write check = \"FILE.FUNCTION\""
        } else if of.error.iter().chain(of.bad.keys()).any(|code| !self.errors.contains_key(code)) {
            "has an error that errors.toml does not list"
        } else if of.check.is_some() && !counts && (of.good.is_empty() || of.bad.is_empty()) {
            "has a form that no test can make: write good = [\"…\"] and bad.CODE = [\"…\"]"
        } else {
            return Ok(());
        };
        Err(what.into())
    }

    fn check_option(&self, group: &str, name: &str, option: &Opt) -> Result<(), String> {
        sentence(option.means.as_deref())?;
        self.default(&option.of, option.default.as_deref())?;
        if let Some(setting) = option.setting.as_deref().filter(|setting| !self.settings.contains_key(*setting)) {
            return Err(format!("falls back to {setting}, which settings.toml does not list"));
        }
        for command in option.change.iter().flat_map(|commands| commands.split(' ')) {
            let key = storage::key(group);
            if !self.commands.contains_key(command) {
                return Err(format!("is changed by {command}, which is not a command"));
            }
            let touches = !self.touches.knows(command) || self.touches.of(self, command).contains(&key);
            if option.field.is_none() || !touches {
                return Err(format!("is changed by {command}, but it has no field, or touches.toml lacks {key}"));
            }
        }
        if let Some(field) = &option.field
            && !self.fields.get(storage::record(group)).is_some_and(|fields| fields.contains_key(field))
        {
            return Err(format!("is stored in the field {field}, which fields.toml does not list"));
        }
        let named = |header: &Header, word: &str| header.options.iter().any(|option| option == word);
        let any = |word: &str| self.commands.values().any(|header| named(header, word));
        let used = match group {
            "any" => any(name),
            _ => any(&format!("{group}.*")) || self.commands.get(group).is_some_and(|header| named(header, name)),
        };
        if used { Ok(()) } else { Err("is in no header of lua/cmd: write it after @options, or remove it here".into()) }
    }

    fn check_state(&self, name: &str, state: &State) -> Result<(), String> {
        sentence(state.means.as_deref())?;
        if state.index.is_none() != state.absent {
            return Err(
                "needs an index: write index = \"ns_STATE_tasks_QUEUE\"; or absent = true where it is not a state of a task"
                    .into(),
            );
        }
        // Scripts derive the name of the key from the name of the state.
        let begin = format!("ns_{name}_tasks_QUEUE");
        if let Some(index) = state.index.as_ref().filter(|index| !index.starts_with(&begin)) {
            return Err(format!("has the index {index}: write index = \"{begin}\""));
        }
        if [state.waits, state.owned, state.ends, state.absent].into_iter().filter(|is| *is).count() != 1 {
            return Err("does not say which it is: write one of waits, owned, final and absent, with = true".into());
        }
        for (from, reasons) in &state.from {
            let other = self.states.get(from).map(AsRef::as_ref);
            if from != "absent" && other.is_none_or(|other| other.absent) {
                return Err(format!("comes from {from}, which is not a state"));
            } else if other.is_some_and(|other| other.ends)
                && !state.absent
                && !reasons.iter().all(|reason| ANEW.contains(&reason.as_str()))
            {
                return Err(format!("comes from {from}, which is final: only `retry` and `again` lead out of it"));
            } else if reasons.is_empty() {
                return Err(format!("comes from {from} without a reason: write from.{from} = [\"COMMAND\"]"));
            }
        }
        if state.from.is_empty() {
            Err(format!("is reached from nowhere: write from.STATE = [\"{name}\"]"))
        } else {
            Ok(())
        }
    }

    fn check_header(&self, command: &str, header: &Header) -> Result<(), String> {
        if let Some(role) = header.role.as_ref().filter(|role| !self.roles.contains_key(*role)) {
            return Err(format!("@role {role} is not in contract/roles.toml"));
        }
        let group = header.group().map_or(&[][..], |(names, _)| names);
        for name in header.singles().chain(group.iter().map(String::as_str)) {
            if self.argument(command, name).is_none() {
                return Err(format!(
                    "contract/arguments.toml does not describe {name}: write {name} = {{ type = \"…\", means = \"…\" }} in [{command}]"
                ));
            }
        }
        for word in &header.options {
            let found = match word.split_once('.') {
                Some((group, kind)) => KINDS.contains(&kind) && self.options.contains_key(group),
                None => self.options(command).iter().any(|(name, _)| name == word),
            };
            if !found {
                return Err(format!(
                    "contract/options.toml does not describe {word}: write {word} = {{ type = \"…\", means = \"…\" }} in [{command}]"
                ));
            }
        }
        match header.errors.iter().find(|code| self.errors.get(*code).is_none_or(|code| code.as_ref().client)) {
            Some(code) => Err(format!("contract/errors.toml does not list {code}")),
            None => Ok(()),
        }
    }

    pub(super) fn has_type(&self, of: &str) -> Result<&Type, String> {
        self.type_of(of).ok_or_else(|| format!("has the type {of}, which types.toml does not list"))
    }

    /// Checks that a type exists, and that a default is one of its values.
    fn default(&self, of: &str, default: Option<&str>) -> Result<(), String> {
        let of = self.has_type(of)?;
        let Some(default) = default else { return Ok(()) };
        let number = default.parse::<i64>().ok();
        let fits = match of.form {
            Form::Whole | Form::Seconds | Form::Decimal => {
                number.is_some_and(|number| of.low <= Some(number) && of.high >= Some(number))
            }
            Form::Word => self.words(of).iter().any(|(word, _)| *word == default),
            Form::Flag => default == "0" || default == "1",
            Form::Text | Form::Words | Form::Bytes => true,
        };
        if fits { Ok(()) } else { Err(format!("has the default {default}, which its type does not allow")) }
    }
}

pub(super) fn sentence(text: Option<&str>) -> Result<(), String> {
    if text.is_some_and(|text| text.len() > 1 && text.ends_with('.')) {
        return Ok(());
    }
    Err("has no sentence: write means = \"What it is.\"".into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Contract, Sources};

    const COMMAND: &str = "--- Does it.\n-- @args now id\n-- @options task.* request\n-- @errors LOST\n-- @role user\n";

    /// Parses the smallest contract after replacing a text in one of its files.
    fn read(file: &str, old: &str, new: &str) -> Result<Contract, String> {
        let files = [
            (
                "types",
                "[name]\nform = \"text\"\nmeans = \"A name.\"\n[size]\nform = \"whole\"\nerror = \"LOST\"\nlow = 1\nhigh = 9\nmeans = \"A size.\"\n[how]\nform = \"word\"\nwords = { fast = \"At once.\" }\nmeans = \"How.\"\n",
            ),
            ("settings", "[most]\ntype = \"size\"\ndefault = \"5\"\nmeans = \"The most.\"\n"),
            (
                "arguments",
                "[any]\nnow = { type = \"name\", means = \"Now.\" }\nid = { type = \"name\", means = \"The task.\" }\n",
            ),
            (
                "options",
                "[task]\nmost = { type = \"size\", setting = \"most\", field = \"most\", means = \"The most.\" }\nleast = { type = \"size\", field = \"least\", means = \"The least.\" }\n[any]\nrequest = { type = \"name\", means = \"An id.\" }\n",
            ),
            (
                "states",
                "[open]\nindex = \"ns_open_tasks_QUEUE\"\nwaits = true\nmeans = \"Open.\"\nfrom.absent = [\"submit\"]\nfrom.shut = [\"retry\"]\n[shut]\nindex = \"ns_shut_tasks_QUEUE\"\nfinal = true\nmeans = \"Shut.\"\nfrom.open = [\"shut\"]\n",
            ),
            ("constants", "[often]\nvalue = 10\nunit = \"seconds\"\nmeans = \"How often.\"\n"),
            ("roles", "[user]\nmeans = \"Uses it.\"\n[owner]\nincludes = \"user\"\nmeans = \"Owns it.\"\n"),
            ("replies", "[do]\nwords = [\"done\"]\n"),
            (
                "keys",
                "[\"ns_open_tasks_QUEUE\"]\ntype = \"list\"\nbound = \"tasks\"\nowner = \"`do`\"\nlife = \"entries\"\nmeans = \"The open ones.\"\n[\"ns_shut_tasks_QUEUE\"]\ntype = \"list\"\nbound = \"tasks\"\nowner = \"`do`\"\nlife = \"entries\"\nmeans = \"The shut ones.\"\n",
            ),
            ("touches", "[groups]\nboth = \"open_tasks_QUEUE shut_tasks_QUEUE\"\n[commands]\ndo = \"both.*\"\n"),
            (
                "fields",
                "[task]\nmost = { type = \"size\", there = \"always\", means = \"The most.\" }\nleast = { type = \"size\", there = \"always\", means = \"The least.\" }\n",
            ),
            ("errors", "[LOST]\nname = \"lost\"\nmeans = \"It is lost.\"\nact = \"Stop.\"\n"),
        ];
        let files = files.into_iter().map(|(name, text)| {
            let text = if name == file { text.replacen(old, new, 1) } else { text.to_owned() };
            (name.to_owned(), text)
        });
        let command = if file == "command" { COMMAND.replacen(old, new, 1) } else { COMMAND.to_owned() };
        Contract::read(&Sources { files: files.collect(), commands: BTreeMap::from([("do".to_owned(), command)]) })
    }

    #[test]
    fn a_whole_contract_is_read() {
        let contract = read("", "", "").unwrap();
        let options: Vec<&str> = contract.options("do").into_iter().map(|(name, _)| name).collect();
        assert_eq!(options, ["most", "least", "request"]);
        assert!(contract.expand("do", COMMAND).contains("\n-- @options most least request\n"));
    }

    #[test]
    fn the_codes_of_a_group_are_those_of_its_types_each_once() {
        let contract = read("command", "LOST", "task.* LOST").unwrap();
        assert_eq!(contract.commands["do"].errors, ["LOST"]);
        assert!(contract.expand("do", "-- @noted task.*\n").contains("-- @noted LOST\n"));
    }

    #[test]
    fn a_command_whose_cases_have_not_been_run_touches_what_all_touch() {
        let contract = read("touches", "do = \"both.*\"\n", "").unwrap();
        assert!(contract.touches.of(&contract, "do").is_empty(), "the description lacks ns_meta");
    }

    #[test]
    #[allow(clippy::too_many_lines, reason = "it is a table")]
    fn what_is_broken_names_its_place_and_the_remedy() {
        check(&[
            ("types", "means = \"A name.\"", "", "contract/types.toml:1: the type name has no sentence: write means ="),
            ("types", "high = 9\n", "", "contract/types.toml:4: the type size has no bounds: write low ="),
            ("types", "high = 9", "high = 0", "contract/types.toml:4: the type size has no bounds"),
            ("types", "words = { fast = \"At once.\" }\n", "", "the type how has no words: write words ="),
            (
                "types",
                "form = \"whole\"",
                "form = \"whole\"\nas = \"none\"",
                "has the type none, which types.toml does not list",
            ),
            ("types", "form = \"whole\"", "form = \"round\"", "contract/types.toml: TOML parse error at line 5"),
            ("types", "form = \"whole\"", "form = \"decimal\"", "only a function can read: write check ="),
            ("types", "form = \"text\"", "form = \"text\"\ncheck = \"a.b\"", "no test can make: write good ="),
            (
                "types",
                "form = \"text\"",
                "form = \"text\"\nbad.NONE = [\"\"]",
                "an error that errors.toml does not list",
            ),
            (
                "types",
                "form = \"text\"",
                "form = \"text\"\nerror = \"NONE\"",
                "an error that errors.toml does not list",
            ),
            (
                "settings",
                "\"size\"",
                "\"none\"",
                "contract/settings.toml:1: the setting most has the type none, which types.toml does not list",
            ),
            ("settings", "\"5\"", "\"50\"", "the setting most has the default 50, which its type does not allow"),
            (
                "arguments",
                "means = \"The task.\"",
                "means = \"\"",
                "contract/arguments.toml:3: the argument any.id has no sentence",
            ),
            (
                "options",
                "means = \"The least.\"",
                "means = \"least\"",
                "contract/options.toml:3: the option task.least has no sentence",
            ),
            (
                "options",
                "field = \"least\"",
                "field = \"most\"",
                "the option task.least and most have one field: write another field =",
            ),
            (
                "options",
                "field = \"least\"",
                "field = \"rest\"",
                "the option task.least is stored in the field rest, which fields.toml does not list",
            ),
            (
                "options",
                "setting = \"most\"",
                "setting = \"none\"",
                "falls back to none, which settings.toml does not list",
            ),
            ("options", "field = \"least\"", "change = \"none\"", "is changed by none, which is not a command"),
            ("options", "field = \"least\"", "change = \"do\"", "changed by do, but it has no field"),
            ("options", "\"least\", means", "\"least\", change = \"do\", means", "or touches.toml lacks ns_task_ID"),
            (
                "options",
                "[any]",
                "[any]\nspare = { type = \"size\", means = \"Spare.\" }",
                "the option any.spare is in no header",
            ),
            (
                "states",
                "index = \"ns_open_tasks_QUEUE\"\n",
                "",
                "contract/states.toml:1: the state open needs an index: write index =",
            ),
            (
                "states",
                "ns_open_tasks_QUEUE",
                "ns_shut_tasks_QUEUE",
                "the state open has the index ns_shut_tasks_QUEUE: write index = \"ns_open_tasks_QUEUE\"",
            ),
            ("states", "waits = true\n", "", "the state open does not say which it is: write one of waits,"),
            (
                "states",
                "waits = true\n",
                "waits = true\nranked = \"ns_ranked\"\n",
                "the state open has the index ns_ranked, which keys.toml does not list",
            ),
            (
                "states",
                "from.shut = [\"retry\"]",
                "from.shut = [\"open\"]",
                "the state open comes from shut, which is final",
            ),
            (
                "states",
                "from.open = [\"shut\"]",
                "from.none = [\"shut\"]",
                "the state shut comes from none, which is not a state",
            ),
            (
                "states",
                "from.open = [\"shut\"]",
                "from.open = []",
                "comes from open without a reason: write from.open =",
            ),
            (
                "constants",
                "means = \"How often.\"\n",
                "",
                "contract/constants.toml:1: the constant often has no sentence",
            ),
            (
                "roles",
                "includes = \"user\"",
                "includes = \"guest\"",
                "contract/roles.toml:3: the role owner includes guest, which is not a role",
            ),
            ("roles", "means = \"Uses it.\"\n", "", "the role user has no sentence: write means ="),
            ("command", "-- @role user\n", "-- @role guest\n", "@role guest is not in contract/roles.toml"),
            ("errors", "act = \"Stop.\"", "", "contract/errors.toml:1: the code LOST has no sentence: write act ="),
            ("errors", "name = \"lost\"\n", "", "contract/errors.toml:1: the code LOST has no name: write name ="),
            (
                "command",
                "now id",
                "now id what",
                "lua/cmd/**/do.lua: contract/arguments.toml does not describe what: write what =",
            ),
            ("command", "request", "request what", "contract/options.toml does not describe what: write what ="),
            ("command", "task.*", "task.* tasks.*", "does not describe tasks.*"),
            ("command", "LOST", "GONE", "contract/errors.toml does not list GONE"),
            ("command", "LOST", "gone.*", "contract/errors.toml does not list gone.*"),
        ]);
    }

    #[test]
    fn so_does_what_is_broken_of_keys_and_fields() {
        check(&[
            (
                "fields",
                "means = \"The least.\"",
                "means = \"\"",
                "contract/fields.toml:3: the field task.least has no sentence",
            ),
            ("fields", "\"size\"", "\"none\"", "the field task.most has the type none, which types.toml does not list"),
            (
                "fields",
                "there = \"always\", ",
                "",
                "the field task.most does not say when it is present: write there =",
            ),
            (
                "fields",
                "least = ",
                "x_new = { type = \"size\", there = \"always\", means = \"New.\" }\nleast = ",
                "the field task.x_new starts with x_, as the fields of custom commands do",
            ),
            ("fields", "least = ", "most = ", "contract/fields.toml: TOML parse error at line 3, column 1"),
            (
                "replies",
                "words = [\"done\"]",
                "record = \"none\"",
                "is the record none, which fields.toml does not list",
            ),
        ]);
    }

    /// Checks broken contracts. Each entry is a file, a text of this file, its replacement, and the expected error.
    fn check(broken: &[(&str, &str, &str, &str)]) {
        for (file, old, new, says) in broken {
            let error = read(file, old, new).unwrap_err();
            assert!(error.contains(says), "{file}, {old} -> {new}:\n{error}\nbut not: {says}");
        }
    }
}
