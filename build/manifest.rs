//! The contract in JSON, as in `manifest.json` of the bundle.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::compose::Command;
use super::contract::{Contract, Opt, Table, Type};
use super::header::Header;
use super::replies::{Field, Reply};

/// The version of a command whose header names no version.
const FIRST: &str = "0.1.0";

pub(super) fn manifest(contract: &Contract, scripts: &BTreeMap<String, Command>) -> Value {
    let command = |(name, header): (&String, &Header)| {
        let writes = scripts.get(name).is_some_and(Command::writes);
        (name.clone(), command(contract, name, header, writes))
    };
    let answered = contract.errors.iter().filter(|(_, code)| !code.as_ref().client);
    json!({
        "types": table(&contract.types, |of| type_of(contract, of)),
        "settings": table(&contract.settings, entry),
        "states": table(&contract.states, entry),
        "roles": table(&contract.roles, entry),
        "errors": answered.map(|(name, of)| (name.clone(), entry(of.as_ref()))).collect::<Map<_, _>>(),
        "fields": contract.fields.iter().map(|(name, of)| (name.clone(), table(of, entry))).collect::<IndexMap<_, _>>(),
        "keys": table(&contract.keys, entry),
        "constants": table(&contract.constants, entry),
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
    present(json!({
        "form": format!("{:?}", of.form).to_lowercase(), "low": of.low, "high": of.high, "words": words, "meanings": meanings,
        "unit": of.unit, "error": of.error, "means": of.means, "good": of.good, "bad": of.bad,
    }))
}

/// Returns the properties of an entry of the contract.
fn entry(of: &impl Serialize) -> Value {
    present(json!(of))
}

pub(super) fn command(contract: &Contract, name: &str, header: &Header, writes: bool) -> Value {
    let argument = |argument: &str| {
        let found = contract.argument(name, argument);
        present(
            json!({"name": argument, "type": found.map(|found| &found.of), "means": found.map(|found| &found.means)}),
        )
    };
    let group = header.group().map(
        |(names, count)| json!({"count": count, "args": names.iter().map(|name| argument(name)).collect::<Vec<_>>()}),
    );
    let options = contract.options(name);
    let common = contract.errors.iter().filter(|(_, code)| code.as_ref().common).map(|(name, _)| name);
    let mut errors: Vec<&String> = header.errors.iter().chain(common).collect();
    errors.sort_unstable();
    errors.dedup();
    let mut made = present(json!({
        "summary": header.summary,
        "keys": ["NAMESPACE_meta"],
        "touches": contract.touches.of(contract, name),
        "args": header.singles().map(argument).collect::<Vec<_>>(),
        "group": group,
        "reply_text": header.reply,
        "errors": errors,
        "role": header.role,
        "again": header.again.as_deref().unwrap_or("same"),
        "since": header.since.as_deref().unwrap_or(FIRST),
    }));
    // The value is present even if it is false, so that readers need no default.
    if let Value::Object(made) = &mut made {
        let replied = contract.replies.get(name).map_or(Value::Null, |found| reply(contract, found.as_ref()));
        made.insert("options".into(), options.iter().map(|(name, of)| option(name, of)).collect());
        made.insert("reply".into(), replied);
        made.insert("writes".into(), writes.into());
        made.insert("request".into(), options.iter().any(|(name, _)| *name == "request").into());
    }
    made
}

fn option(name: &str, of: &Opt) -> Value {
    let change = of.change.as_deref().unwrap_or_default().split_whitespace().collect::<Vec<_>>();
    present(json!({
        "name": name, "type": of.of, "default": of.default, "setting": of.setting, "field": of.field,
        "change": change, "means": of.means,
    }))
}

fn reply(contract: &Contract, own: &Reply) -> Value {
    let shape = own.resolved(contract);
    let fields = |fields: &[Field]| fields.iter().map(entry).collect::<Vec<_>>();
    // `with` is not taken from the command with the same shape, because that command has different options.
    let with: Map<_, _> = own.with.iter().map(|(name, with)| (name.clone(), reply(contract, with))).collect();
    present(json!({
        "nil": own.nil, "words": shape.words, "value": shape.value.as_ref().map(entry), "list": fields(&shape.list),
        "items": fields(&shape.items), "pairs": fields(&shape.pairs), "absent": shape.absent, "open": shape.open,
        "begins": shape.begins, "with": with,
    }))
}

/// Removes absent values: null, false, and empty lists and objects.
fn present(mut entry: Value) -> Value {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::super::contract::{Contract, Sources};
    use super::manifest;

    const TYPES: &str = "[n]\nform = \"whole\"\nlow = 0\nhigh = 9\ncheck = \"args.n\"\nmeans = \"A number.\"\n";
    const ERRORS: &str = "[LOST]\nname = \"lost\"\nmeans = \"A.\"\nact = \"B.\"\n[BADARG]\nname = \"bad argument\"\ncommon = true\nmeans = \"A.\"\nact = \"B.\"\n";
    const OPTIONS: &str = "[any]\nrequest = { type = \"n\", field = \"f\", change = \"c d\", means = \"An id.\" }\n";
    const KEY: &str = "\ntype = \"hash\"\nbound = \"9\"\nowner = \"all\"\nlife = \"namespace\"\nmeans = \"A.\"\n";
    const REPLIES: &str =
        "[c]\nlist = [{ name = \"f\", type = \"n\", empty = true, means = \"A.\" }]\n[d]\nas = \"c\"\nnil = true\n";

    /// Returns the manifest of two commands: `c`, with repeated arguments, and `d`.
    fn made() -> Value {
        let argument = |name| format!("{name} = {{ type = \"n\", means = \"A number.\" }}\n");
        let arguments = format!("[any]\n{}", ["now", "count", "id"].map(argument).concat());
        let files = [
            ("types", TYPES),
            ("arguments", &arguments),
            ("options", OPTIONS),
            ("settings", ""),
            ("states", ""),
            ("roles", ""),
            ("constants", ""),
            ("errors", ERRORS),
            ("fields", "[task]\nf = { type = \"n\", there = \"always\", means = \"A.\" }\n"),
            ("keys", &format!("[\"ns_task_ID\"]{KEY}[\"ns_meta\"]{KEY}")),
            ("touches", "[commands]\nc = \"task_ID\"\nd = \"task_ID\"\n"),
            ("replies", REPLIES),
        ];
        let commands = [
            ("c", "--- Does it.\n-- @args now count (id)*count\n-- @options request\n-- @errors LOST\n"),
            ("d", "--- Does it.\n-- @args now\n-- @again `done`\n-- @since 0.2.0\n"),
        ];
        let own = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
        let sources = Sources { files: files.map(own).into(), commands: commands.map(own).into() };
        manifest(&Contract::read(&sources).unwrap(), &BTreeMap::new())
    }

    #[test]
    fn a_type_has_no_entry_for_what_it_does_not_have() {
        assert_eq!(made()["types"]["n"], json!({"form": "whole", "low": 0, "high": 9, "means": "A number."}));
    }

    #[test]
    fn a_command_has_its_arguments_those_that_repeat_its_options_and_all_its_codes() {
        let command = &made()["commands"]["c"];
        let argument = |name| json!({"name": name, "type": "n", "means": "A number."});
        assert_eq!(command["args"], json!([argument("now"), argument("count")]));
        assert_eq!(command["group"], json!({"count": "count", "args": [argument("id")]}));
        assert_eq!(
            command["options"],
            json!([{"name": "request", "type": "n", "field": "f", "change": ["c", "d"], "means": "An id."}])
        );
        assert_eq!(command["errors"], json!(["BADARG", "LOST"]));
        assert_eq!(command["request"], true);
        assert_eq!(command["touches"], json!(["ns_task_ID", "ns_meta"]));
        assert_eq!((&command["again"], &command["since"]), (&json!("same"), &json!("0.1.0")));
    }

    #[test]
    fn a_shape_of_another_command_is_repeated_in_full() {
        let manifest = made();
        let (command, field) =
            (&manifest["commands"]["d"], json!({"name": "f", "type": "n", "empty": true, "means": "A."}));
        assert_eq!(manifest["commands"]["c"]["reply"], json!({"list": [field]}));
        assert_eq!(command["reply"], json!({"nil": true, "list": [field]}));
        assert_eq!(
            (&command["again"], &command["since"], &command["options"]),
            (&json!("done"), &json!("0.2.0"), &json!([]))
        );
    }
}
