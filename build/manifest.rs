//! The contract in JSON, as `manifest.json` of the bundle has it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::compose::Command;
use super::contract::{Code, Contract, Opt, Setting, State, Table, Type};
use super::header::Header;
use super::replies::{Field, Reply};

/// The version that commands came with whose header does not tell it.
const FIRST: &str = "0.1.0";

pub(super) fn manifest(contract: &Contract, scripts: &BTreeMap<String, Command>) -> Value {
    let command = |(name, header): (&String, &Header)| {
        let writes = scripts.get(name).is_some_and(Command::writes);
        (name.clone(), command(contract, name, header, writes))
    };
    json!({
        "types": table(&contract.types, |of| type_of(contract, of)),
        "settings": table(&contract.settings, setting),
        "states": table(&contract.states, state),
        "errors": table(&contract.errors, code),
        "commands": contract.commands.iter().map(command).collect::<Map<_, _>>(),
    })
}

fn table<T>(entries: &Table<T>, value: impl Fn(&T) -> Value) -> Map<String, Value> {
    entries.iter().map(|(name, entry)| (name.clone(), value(entry.as_ref()))).collect()
}

fn type_of(contract: &Contract, of: &Type) -> Value {
    let words: Vec<&str> = contract.words(of).into_iter().map(|(word, _)| word).collect();
    let meanings = contract.words(of).into_iter().filter(|(_, means)| !means.is_empty());
    let meanings: Map<String, Value> = meanings.map(|(word, means)| (word.to_owned(), means.into())).collect();
    told(json!({
        "form": format!("{:?}", of.form).to_lowercase(), "low": of.low, "high": of.high, "words": words, "meanings": meanings,
        "unit": of.unit, "error": of.error, "means": of.means,
    }))
}

fn setting(setting: &Setting) -> Value {
    told(json!({
        "type": setting.of, "default": setting.default, "all_queues": setting.all_queues, "means": setting.means,
    }))
}

fn state(state: &State) -> Value {
    told(json!({
        "index": state.index, "final": state.ends, "owned": state.owned, "absent": state.absent,
        "from": state.from, "means": state.means,
    }))
}

fn code(code: &Code) -> Value {
    told(json!({
        "repeat": code.repeat, "common": code.common, "server": code.server, "means": code.means, "act": code.act,
    }))
}

pub(super) fn command(contract: &Contract, name: &str, header: &Header, writes: bool) -> Value {
    let argument = |argument: &str| {
        let found = contract.argument(name, argument);
        told(json!({"name": argument, "type": found.map(|found| &found.of), "means": found.map(|found| &found.means)}))
    };
    let group = header.group().map(
        |(names, count)| json!({"count": count, "args": names.iter().map(|name| argument(name)).collect::<Vec<_>>()}),
    );
    let options = contract.options(name);
    let common = contract.errors.iter().filter(|(_, code)| code.as_ref().common).map(|(name, _)| name);
    let mut errors: Vec<&String> = header.errors.iter().chain(common).collect();
    errors.sort_unstable();
    errors.dedup();
    let mut entry = told(json!({
        "summary": header.summary,
        "keys": ["NAMESPACE_meta"],
        "args": header.singles().map(argument).collect::<Vec<_>>(),
        "group": group,
        "reply_text": header.reply,
        "errors": errors,
        "again": header.again.as_deref().unwrap_or("same"),
        "since": header.since.as_deref().unwrap_or(FIRST),
    }));
    // Here also what is not: a reader need not know that it can be missing.
    if let Value::Object(entry) = &mut entry {
        let replied = contract.replies.get(name).map_or(Value::Null, |found| reply(contract, found.as_ref()));
        entry.insert("options".into(), options.iter().map(|(name, of)| option(name, of)).collect());
        entry.insert("reply".into(), replied);
        entry.insert("writes".into(), writes.into());
        entry.insert("request".into(), options.iter().any(|(name, _)| *name == "request").into());
    }
    entry
}

fn option(name: &str, of: &Opt) -> Value {
    let change = of.change.as_deref().unwrap_or_default().split_whitespace().collect::<Vec<_>>();
    told(json!({
        "name": name, "type": of.of, "default": of.default, "setting": of.setting, "field": of.field,
        "change": change, "means": of.means,
    }))
}

fn reply(contract: &Contract, own: &Reply) -> Value {
    let shape = own.resolved(contract);
    let fields = |fields: &[Field]| fields.iter().map(field).collect::<Vec<_>>();
    let with: Map<_, _> = shape.with.iter().map(|(name, with)| (name.clone(), reply(contract, with))).collect();
    told(json!({
        "nil": own.nil, "words": shape.words, "value": shape.value.as_ref().map(field), "list": fields(&shape.list),
        "items": fields(&shape.items), "pairs": fields(&shape.pairs), "absent": shape.absent, "open": shape.open,
        "begins": shape.begins, "with": with,
    }))
}

fn field(field: &Field) -> Value {
    told(json!({
        "name": field.name, "type": field.of, "words": field.words, "nil": field.nil, "empty": field.empty,
        "absent": field.absent, "means": field.means,
    }))
}

/// Without what there is not: null, false, and nothing in a list or an object.
fn told(mut entry: Value) -> Value {
    if let Value::Object(entry) = &mut entry {
        entry.retain(|_, value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::Array(list) => !list.is_empty(),
            Value::Object(entries) => !entries.is_empty(),
            _ => true,
        });
    }
    entry
}
