//! Stored data: the fields of tasks and schedules, the keys, and the keys that each command uses, from
//! `contract/fields.toml`, `keys.toml` and `touches.toml`.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::contract::{Contract, Sources, State, Table, Which, sentence};
use super::replies::{Field, Reply};

/// The fields of each record, by the name of the record.
pub(super) type Records = IndexMap<String, Table<Kept>>;

/// A field of a record.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    #[serde(rename = "type")]
    pub(super) of: String,
    #[serde(default)]
    pub(super) empty: bool,
    /// Description of the condition under which the field exists.
    pub(super) there: Option<String>,
    /// True if Blueque 1.0 also uses the field.
    #[serde(default)]
    pub(super) foreign: bool,
    pub(super) means: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Key {
    #[serde(rename = "type")]
    pub(super) of: Kind,
    /// True if a channel has the same name.
    #[serde(default)]
    pub(super) channel: bool,
    /// True if Blueque 1.0 also uses the key.
    #[serde(default)]
    pub(super) foreign: bool,
    pub(super) bound: Option<String>,
    /// The commands that write the key.
    pub(super) owner: Option<String>,
    /// Description of the lifetime of the key.
    #[serde(default = "entries")]
    pub(super) life: Option<String>,
    pub(super) means: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    List,
    Set,
    Zset,
    Hash,
    Stream,
    String,
    Channel,
    None,
}

/// The keys that each command may read or write. The names omit the prefix `ns_`.
#[derive(Debug, Default)]
pub(super) struct Touches {
    groups: Table<String>,
    commands: Table<String>,
}

impl Touches {
    pub(super) fn read(mut tables: IndexMap<String, Table<String>>) -> Self {
        let mut table = |name| tables.shift_remove(name).unwrap_or_default();
        Self { groups: table("groups"), commands: table("commands") }
    }

    /// Adds groups of the indexes of states: `waits.*`, `owned.*`, `final.*`.
    pub(super) fn add_groups(&mut self, states: &Table<State>) {
        let groups: [(&str, Which); 3] =
            [("waits", |state| state.waits), ("owned", |state| state.owned), ("final", |state| state.ends)];
        for (group, of) in groups {
            let states = states.values().map(AsRef::as_ref).filter(|state| of(state));
            let keys = states.flat_map(State::indexes).map(bare).collect::<Vec<_>>().join(" ");
            self.groups.insert(group.to_owned(), toml::Spanned::new(0..0, keys));
        }
    }

    /// Returns the keys of an entry. The name of a group in the entry stands for all keys of the group.
    fn words<'a>(&'a self, entry: &'a str) -> impl Iterator<Item = &'a str> {
        entry.split_whitespace().flat_map(|word| match word.strip_suffix(".*") {
            Some(group) => self.groups.get(group).map_or(word, |names| names.as_ref()).split_whitespace(),
            None => word.split_whitespace(),
        })
    }

    /// Returns true if the conformance cases of a command have been run, so that its keys are known.
    pub(super) fn knows(&self, command: &str) -> bool {
        self.commands.contains_key(command)
    }

    /// Returns the keys of a command, in the order of `keys.toml`. A new command whose cases have not been run gets
    /// only the keys that every command may use.
    pub(super) fn of<'a>(&self, contract: &'a Contract, command: &str) -> Vec<&'a str> {
        let words = self.commands.get(command).map(|entry| self.words(entry.as_ref()));
        let named: BTreeSet<&str> = words.into_iter().flatten().chain(COMMON).collect();
        contract.keys.keys().map(String::as_str).filter(|key| named.contains(bare(key))).collect()
    }
}

/// The keys that every command may use.
const COMMON: [&str; 2] = ["meta", "unmovedN"];

/// The placeholders in the name of a key.
const WORDS: [&str; 8] = ["QUEUE", "ID", "LISTENER", "NAME", "TAG", "GROUP", "KEY", "N"];
const DAY: &str = "YYYYMMDD";

fn bare(key: &str) -> &str {
    key.strip_prefix("ns_").unwrap_or(key)
}

/// Replaces each placeholder in the name of a key by a star. Returns the first unknown placeholder as an error.
fn form(key: &str) -> Result<String, &str> {
    let mut form = String::new();
    let upper = |c: char| c.is_ascii_uppercase();
    let mut rest = key;
    while let Some(at) = rest.find(upper) {
        let (before, from) = rest.split_at(at);
        let (word, after) = from.split_at(from.find(|c| !upper(c)).unwrap_or(from.len()));
        if !WORDS.contains(&word) && word != DAY {
            return Err(word);
        }
        form = form + before + "*";
        rest = after;
    }
    Ok(form + rest)
}

/// Returns the name of the record that stores the options of a group.
pub(super) fn record(group: &str) -> &str {
    if group == "schedule" { "schedule" } else { "task" }
}

/// The lifetime of a key that names no other: while it has entries.
#[allow(clippy::unnecessary_wraps, reason = "serde wants the type of the field")]
fn entries() -> Option<String> {
    Some("entries".into())
}

/// Returns the key of the record that stores the options of a group.
pub(super) fn key(group: &str) -> &'static str {
    if group == "schedule" { "ns_schedule_NAME" } else { "ns_task_ID" }
}

/// Adds the lists of tasks by state that `keys.toml` does not describe.
pub(super) fn add_lists(keys: &mut Table<Key>, states: &Table<State>) {
    for (name, state) in states {
        let Some(index) = state.as_ref().index.as_ref().filter(|index| !keys.contains_key(*index)) else { continue };
        let out = states.values().filter_map(|other| other.as_ref().from.get(name)).flatten();
        let mut ways: Vec<&str> = out.chain(state.as_ref().from.values().flatten()).map(String::as_str).collect();
        ways.sort_unstable();
        ways.dedup();
        let key = Key {
            of: Kind::List,
            channel: false,
            foreign: false,
            bound: Some(format!("tasks that are {name}")),
            owner: Some(format!("`{}`", ways.join(" "))),
            life: entries(),
            means: Some("Ids, the latest at the head.".into()),
        };
        keys.insert(index.clone(), toml::Spanned::new(0..0, key));
    }
}

/// Adds fields to a reply if its shape asks for them: the fields of a record, or a number for each state.
pub(super) fn fill(reply: &mut Reply, records: &Records, states: &Table<State>) {
    if let Some(of) = &reply.states {
        let states = states.iter().filter(|(_, state)| !state.as_ref().absent).map(|(name, _)| Field {
            name: name.clone(),
            of: Some(of.clone()),
            means: Some(format!("Tasks that are {name}.")),
            ..Field::default()
        });
        reply.pairs = states.chain(std::mem::take(&mut reply.pairs)).collect();
    }
    let Some(fields) = reply.record.as_ref().and_then(|record| records.get(record)) else { return };
    let field = |(name, kept): (&String, &toml::Spanned<Kept>)| {
        let Kept { of, empty, means, .. } = kept.as_ref();
        Field { name: name.clone(), of: Some(of.clone()), empty: *empty, means: means.clone(), ..Field::default() }
    };
    let own = std::mem::take(&mut reply.pairs);
    reply.pairs = fields.iter().map(field).chain(own).collect();
    (reply.absent, reply.open) = (true, true); // clients without scripts omit some, and add others
}

pub(super) fn check(contract: &Contract, sources: &Sources) -> Result<(), String> {
    check_fields(contract, sources)?;
    check_keys(contract, sources)?;
    check_touches(contract, sources)
}

fn check_keys(contract: &Contract, sources: &Sources) -> Result<(), String> {
    let mut forms = BTreeMap::new();
    sources.check("keys", "key", &contract.keys, |name, key| {
        sentence(key.means.as_deref())?;
        for (entry, text) in [("bound", &key.bound), ("owner", &key.owner), ("life", &key.life)] {
            if text.as_ref().is_none_or(String::is_empty) {
                return Err(format!("does not say its {entry}: write {entry} = \"…\""));
            }
        }
        if bare(name) == name {
            return Err("is not of the namespace: write ns_ before it".into());
        }
        let form = form(name).map_err(|word| {
            format!("has {word} in its name, which stands for no value: use {} or {DAY}", WORDS.join(", "))
        })?;
        match forms.insert(form, name) {
            Some(other) => Err(format!("and {other} look the same: write another name")),
            None => Ok(()),
        }
    })?;
    for (name, state) in &contract.states {
        if let Some(index) = state.as_ref().indexes().find(|index| !contract.keys.contains_key(*index)) {
            let what = format!("the state {name} has the index {index}, which keys.toml does not list");
            return Err(sources.wrong("states", state, what));
        }
    }
    Ok(())
}

fn check_touches(contract: &Contract, sources: &Sources) -> Result<(), String> {
    let touches = &contract.touches;
    for (name, entry) in touches.groups.iter().chain(&touches.commands) {
        let unknown = touches.words(entry.as_ref()).find(|word| !contract.keys.contains_key(&format!("ns_{word}")));
        if let Some(word) = unknown {
            let what = format!("{name} touches {word}, which keys.toml does not list");
            return Err(sources.wrong("touches", entry, what));
        }
    }
    for (name, entry) in &touches.commands {
        if !contract.commands.contains_key(name) {
            return Err(sources.wrong("touches", entry, format!("{name} is not a command")));
        }
    }
    Ok(())
}

fn check_fields(contract: &Contract, sources: &Sources) -> Result<(), String> {
    for (record, fields) in &contract.fields {
        sources.check("fields", &format!("field {record}."), fields, |name, kept| {
            sentence(kept.means.as_deref())?;
            contract.has_type(&kept.of)?;
            if name.starts_with("x_") {
                return Err("starts with x_, as the fields of custom commands do: choose another name".into());
            }
            match kept.there.as_deref() {
                None | Some("") => Err("does not say when it is present: write there = \"always\", or when".into()),
                Some(_) => Ok(()),
            }
        })?;
    }
    Ok(())
}
