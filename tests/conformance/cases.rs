//! Reads the cases: plain lists of them, and the two tables that stand for many. `README.md` of this folder
//! describes the format. The bundle has the resulting cases, every file a plain list, so that a runner in another
//! language need not know the tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::slice::from_ref;

use serde_json::{Value, json};
use values::Tried;

#[path = "values.rs"]
pub mod values;

/// A case with the name of its file.
pub struct Case {
    pub file: String,
    pub data: Value,
}

impl Case {
    pub fn name(&self) -> &str {
        self.data["name"].as_str().unwrap()
    }

    pub fn on_cluster(&self) -> bool {
        self.data["server"] == "cluster"
    }

    pub fn steps(&self) -> &[Value] {
        list(&self.data["steps"])
    }
}

/// A file of this folder as it stands.
pub fn file(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every case of every file.
pub fn all() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let json = entries.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut names: Vec<String> = json.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
        .iter()
        .flat_map(|name| {
            let cases = expand(&file(name));
            cases.into_iter().map(|data| Case { file: name.clone(), data })
        })
        .collect()
}

fn expand(data: &Value) -> Vec<Value> {
    if let Value::Array(cases) = data {
        return cases.clone();
    }
    if data["commands"].is_object() {
        let contract = contract();
        return rows(&contract, data)
            .iter()
            .flat_map(|(command, one)| arguments(&contract, data, command, one))
            .collect();
    }
    let contract = contract();
    let data = &with_plain_cells(&contract, data);
    let mut cases = states(&contract, data);
    for (call, row) in data["cells"].as_object().unwrap() {
        for (state, want) in row.as_object().unwrap() {
            let mut step = want.clone();
            step["do"] = data["calls"][call].clone();
            let then = want["then"].as_str().unwrap_or(state);
            let mut steps = list(&data["states"][state]["steps"]).to_vec();
            steps.push(step);
            let mut keys = data["states"][then]["keys"].clone();
            // No index of another state has the task.
            for (name, other) in contract["states"].as_object().unwrap() {
                let index = other["index"].as_str().and_then(|index| index.strip_suffix("_QUEUE"));
                if let Some(index) = index.filter(|_| !then.contains(name)) {
                    keys.as_object_mut().unwrap().entry(format!("{index}_q")).or_insert(Value::Null);
                }
            }
            cases.push(json!({"name": format!("{call} of a task that is {state}"), "steps": steps, "keys": keys}));
        }
    }
    cases
}

/// The table command x state, with a row for each command without one that changes a task by its id and is refused only
/// if there is no task: it leaves the task in its state.
pub fn with_plain_cells(contract: &Value, data: &Value) -> Value {
    let (mut data, arguments) = (data.clone(), file("arguments.json"));
    let states: Vec<&str> = list(&contract["types"]["status"]["words"]).iter().map(text).collect();
    for (name, command) in contract["commands"].as_object().unwrap() {
        let args = positional(contract, name);
        let mut own = list(&command["errors"]).iter().filter(|code| contract["errors"][text(code)]["common"] != true);
        let alike = own.all(|code| code == "NOTASK") && command["writes"] == true;
        let listed = data["calls"].as_object().unwrap().values().any(|call| call[0] == **name);
        if !alike || listed || !args.iter().any(|(arg, _)| arg == "id") {
            continue;
        }
        let row = plain_row(contract, &arguments, name);
        let value =
            |((arg, _), value): (&(String, String), &Value)| if arg == "id" { json!("t") } else { value.clone() };
        let call: Vec<Value> = args.iter().zip(list(&row["args"])).map(value).collect();
        data["calls"][name] = [&[json!(name)], &call[..]].concat().into();
        data["cells"][name] = json!({"absent": {"error": "NOTASK"}});
        for &state in &states {
            data["cells"][name][state] = json!({});
        }
    }
    data
}

/// The cases that are equal for a task in every state, one case each. The task is counted, listed, found and in the
/// history, its queue is not deleted, and its index is repaired. Its unique name is held unless the task has ended.
fn states(contract: &Value, data: &Value) -> Vec<Value> {
    let all: Vec<&str> = list(&contract["types"]["status"]["words"]).iter().map(text).collect();
    let states = all.iter().flat_map(|&state| {
        let given = list(&data["states"][state]["steps"]);
        assert!(!given.is_empty(), "cells.json does not say how a task becomes {state}");
        let case = |what: &str, given: &[Value], then: &[Value], keys: Value| {
            let steps = [given, then].concat();
            json!({"name": format!("A task that is {state} {what}"), "steps": steps, "keys": keys})
        };
        let (is, not) = (json!(["0", "t"]), json!(["0"]));
        let number = |other: &&str| ((*other).to_owned(), json!(i32::from(*other == state)));
        let numbers = all.iter().map(number).collect::<serde_json::Map<_, _>>();
        // The state before it, where the case creates the task in it.
        let begins = given.last().is_some_and(|step| step["do"][0] == "submit");
        let reached = if begins { vec!["", state] } else { vec![state] };
        let mut shown = vec![
            json!({"do": ["counts", "1010", "q"], "reply": {"pairs~": numbers}}),
            json!({"do": ["history", "1010", "t", "0", "100"], "reply": {"among": reached}}),
        ];
        for &other in &all {
            let reply = if other == state { &is } else { &not };
            // Lists of tasks that listeners or programs hold have cursors of their own.
            if contract["states"][other]["owned"] != true || other == state {
                shown.push(json!({"do": ["list", "1010", "q", other, "0", "10"], "reply": reply}));
            }
            shown.push(json!({"do": ["find", "1010", "q", "0", "10", "status", other], "reply": reply}));
        }
        let (owned, ended) = (contract["states"][state]["owned"] == true, contract["states"][state]["final"] == true);
        let mut forget = vec![json!("DEL"), json!("ns_tasks_q"), json!("ns_leases_q")];
        if !owned {
            forget.push(json!("ns_listeners_q"));
        }
        let forget = [json!({ "redis": forget }), json!({"do": ["delete_queue", "1010", "q"], "error": "NOTEMPTY"})];
        let mut repair = vec![
            json!({"redis": ["DEL", "ns_tasks_q"]}),
            json!({"do": ["repair", "1010", "q", "", "100"], "as": "part"}),
        ];
        let next = json!({"do": ["repair", "1010", "q", {"from": "part", "at": 0}, "100"], "as": "part"});
        repair.extend(vec![next; PARTS]);
        let named = given.iter().map(|step| {
            let mut step = step.clone();
            if step["do"][0] == "submit" {
                step["do"].as_array_mut().unwrap().extend([json!("unique"), json!("n")]);
            }
            step
        });
        let named: Vec<Value> = named.collect();
        let mut other = json!({"do": ["submit", "1010", "q", "1", "u", "", "p", "unique", "n"]});
        if ended {
            other["reply"] = json!(["created"]);
        } else {
            other["error"] = json!("DUPLICATE");
        }
        [
            case("is counted, listed, found, and in the history", given, &shown, json!({})),
            case("keeps its queue from being deleted", given, &forget, json!({})),
            case(
                "is put back into the index of all tasks",
                given,
                &repair,
                json!({"ns_tasks_q": {"zset": {"t": 1000}}}),
            ),
            case(if ended { "has no unique name" } else { "has its unique name" }, &named, &[other], json!({})),
        ]
    });
    states.collect()
}

/// More calls than `repair` has parts.
const PARTS: usize = 40;

/// The contract, in the form of the manifest.
pub fn contract() -> Value {
    serde_json::from_str(blueque::bundle::contract()).unwrap()
}

/// An option of a command as it is tested: some need other options, some another call.
pub struct Choice {
    pub name: String,
    pub of: String,
    pub beside: Vec<Value>,
    pub call: Option<Vec<Value>>,
}

/// The options of a command: the options of the contract, with the settings of its row in `arguments.json`.
pub fn choices(contract: &Value, command: &str, row: &Value) -> Vec<Choice> {
    let choice = |option: &Value| {
        let (name, of) = (text(&option["name"]).to_owned(), text(&option["type"]).to_owned());
        let own = &row["options"][&name];
        Choice { beside: list(&own["beside"]).to_vec(), call: own["call"].as_array().cloned(), name, of }
    };
    list(&contract["commands"][command]["options"]).iter().map(choice).collect()
}

/// The arguments of a command, each with its type: single ones, then repeated ones.
pub fn positional(contract: &Value, command: &str) -> Vec<(String, String)> {
    let entry = &contract["commands"][command];
    let args = list(&entry["args"]).iter().chain(list(&entry["group"]["args"]));
    args.map(|arg| (text(&arg["name"]).to_owned(), text(&arg["type"]).to_owned())).collect()
}

/// Each setting with its type and the arguments before its value in a call that sets one.
fn settings<'a>(contract: &'a Value, good: &[Value]) -> Vec<(&'a str, &'a str, [Value; 4])> {
    let all = contract["settings"].as_object().unwrap().iter();
    let before = |setting: &str, entry: &Value| {
        let queue = if entry["all_queues"] == true { &json!("*") } else { &good[2] };
        [good[0].clone(), good[1].clone(), queue.clone(), json!(setting)]
    };
    all.map(|(setting, entry)| (setting.as_str(), text(&entry["type"]), before(setting, entry))).collect()
}

/// The rows of `arguments.json`. For a command without a row, the row follows from the contract: a call with
/// `values`, or with examples of the arguments' types, and the keys whose names these values complete.
pub fn rows(contract: &Value, data: &Value) -> BTreeMap<String, Value> {
    let row = |command: &String| {
        let own = &data["commands"][command];
        let row = if own.is_object() { own.clone() } else { plain_row(contract, data, command) };
        (command.clone(), row)
    };
    contract["commands"].as_object().unwrap().keys().map(row).collect()
}

fn plain_row(contract: &Value, data: &Value, command: &str) -> Value {
    let args = positional(contract, command);
    let count = &contract["commands"][command]["group"]["count"];
    let mut values = data["values"].as_object().unwrap().clone();
    if args.iter().any(|(name, _)| name == "token") {
        values.extend(data["owned"].as_object().unwrap().clone());
    }
    if let Value::String(count) = count {
        values.insert(count.clone(), json!("1"));
    }
    let example = |of: &str| Tried::new(&contract["types"][of], &Value::Null).good;
    let given = args.iter().map(|(name, of)| values.get(name).cloned().unwrap_or_else(|| example(of)));
    let given: Vec<Value> = given.collect();
    let fill = |key: &Value| {
        let fill = |key: String, (name, value): (&String, &Value)| key.replace(&name.to_uppercase(), text(value));
        values.iter().fold(text(key).to_owned(), fill)
    };
    let mut keys: Vec<String> = list(&contract["commands"][command]["touches"]).iter().map(fill).collect();
    keys.retain(|key| !key.contains(|c: char| c.is_ascii_uppercase()));
    json!({"args": given, "moves": [], "touches": keys})
}

/// The options that a schedule keeps for its tasks are checked again when they are used: a bad value for each, by code.
fn stored(contract: &Value, given: &[Value], one: &Value, good: &[Value]) -> Option<Value> {
    let set = one["template"].as_array()?;
    let mut steps = given.to_vec();
    let of = |command: &str| list(&contract["commands"][command]["options"]).to_vec();
    let templates: Vec<Value> = of("schedule").into_iter().map(|option| option["name"].clone()).collect();
    let own = |name: &Value| name != "request" && name != "by";
    for option in of("submit").iter().filter(|option| templates.contains(&option["name"]) && own(&option["name"])) {
        let tried = Tried::new(&contract["types"][text(&option["type"])], &Value::Null);
        let mut by_code = BTreeMap::new();
        for (code, value) in tried.bad {
            if let Some(value) = plain(&value).filter(|value| value.len() < 10_000) {
                by_code.entry(code).or_insert(value);
            }
        }
        for (code, value) in by_code {
            let options = format!("{}={}", text(&option["name"]), quoted(&value));
            let set = [&set[..], &[json!(options)]].concat();
            steps.push(json!({ "redis": set }));
            steps.push(json!({"do": good, "error": code}));
        }
    }
    let name = format!("{} refuses a bad option of the tasks of a schedule", text(&good[0]));
    Some(json!({"name": name, "steps": steps}))
}

/// A value as text, unless it is made of any bytes.
fn plain(value: &Value) -> Option<String> {
    match &value["repeat"] {
        Value::String(part) => Some(part.repeat(usize::try_from(value["times"].as_u64()?).ok()?)),
        _ => value.as_str().map(str::to_owned),
    }
}

/// Spaces, control characters and `%` in hex.
fn quoted(value: &str) -> String {
    let quote = |c: char| {
        if c.is_ascii_whitespace() || c.is_ascii_control() || c == '%' {
            format!("%{:02X}", u32::from(c))
        } else {
            c.to_string()
        }
    };
    value.chars().map(quote).collect()
}

/// The tests of one command from its row.
fn arguments(contract: &Value, data: &Value, command: &str, one: &Value) -> Vec<Value> {
    let good = [&[json!(command)], list(&one["args"])].concat();
    let given = list(&data["given"]);
    // The good call comes last, to show that each refused call failed only because of its one wrong value.
    let refused = |title: String, calls: Vec<(String, Vec<Value>)>, good: &[Value]| {
        let mut steps = given.to_vec();
        steps.extend(calls.into_iter().map(|(code, call)| json!({"do": call, "error": code})));
        steps.push(json!({ "do": good }));
        json!({"name": format!("{command} refuses {title}"), "steps": steps})
    };
    let tried = |name: &str, of: &str, own: &Value| {
        let narrow = &data["narrow"][format!("{command} {name}")];
        let narrow = if narrow.is_null() { &data["narrow"][name] } else { narrow };
        let own = if own.is_null() { &narrow["taken"][0] } else { own };
        Tried::new(&contract["types"][of], own).narrowed(narrow)
    };
    let bad = |tried: &Tried, before: &[Value], after: &[Value]| -> Vec<(String, Vec<Value>)> {
        let call = |(code, value): &(String, Value)| (code.clone(), [before, from_ref(value), after].concat());
        tried.bad.iter().map(call).collect()
    };
    let taken = |name: &str, tried: &Tried, before: &[Value], after: &[Value]| -> Vec<Value> {
        let calls = tried.taken.iter().map(|value| [before, from_ref(value), after].concat());
        let steps = calls.map(|call| [given, &[json!({ "do": call })]].concat());
        let title = |number| format!("{command} takes {name} at its bounds, {number}");
        steps.enumerate().map(|(i, steps)| json!({"name": title(i + 1), "steps": steps})).collect()
    };
    let badarg = |call: Vec<Value>| ("BADARG".to_owned(), call);

    let mut cases = Vec::new();
    for (i, (name, of)) in positional(contract, command).iter().enumerate() {
        let (before, value, after) = (&good[..=i], &good[i + 1], &good[i + 2..]);
        let mut tried = tried(name, of, value);
        if contract["commands"][command]["group"]["count"] == **name {
            // The argument must equal the number that follows.
            let number: i64 = text(value).parse().unwrap();
            tried.taken.clear();
            tried.bad.extend([number - 1, number + 1].map(|other| ("BADARG".to_owned(), json!(other.to_string()))));
        } else if list(&data["named"]).contains(&json!(name)) {
            tried.taken.clear();
        }
        if of == "setting_value" {
            for (setting, of, before) in settings(contract, &good) {
                let mut tried = Tried::new(&contract["types"][of], &Value::Null);
                tried.bad.retain(|(_, value)| value != "");
                let last = [&before[..], from_ref(&tried.good)].concat();
                cases.push(refused(format!("a bad {setting}"), bad(&tried, &before, &[]), &last));
                cases.extend(taken(setting, &tried, &before, &[]));
            }
        }
        cases.push(refused(format!("a bad {name}"), bad(&tried, before, after), &good));
        cases.extend(taken(name, &tried, before, after));
    }
    let missing = (1..good.len()).map(|n| badarg(good[..n].to_vec())).collect();
    cases.push(refused("missing arguments".into(), missing, &good));
    let surplus = list(&data["surplus"]).iter().map(|extra| badarg([&good[..], list(extra)].concat())).collect();
    cases.push(refused("extra arguments".into(), surplus, &good));
    for option in choices(contract, command, one) {
        let tried = tried(&option.name, &option.of, &Value::Null);
        let value = tried.taken.first().unwrap_or(&tried.good);
        let good = option.call.as_ref().unwrap_or(&good);
        let named = [&good[..], &option.beside, &[json!(option.name)]].concat();
        let whole = [&named[..], from_ref(value)].concat();
        let twice = [&whole[..], &[json!(option.name), value.clone()]].concat();
        cases.extend(taken(&option.name, &tried, &named, &[]));
        let mut calls = bad(&tried, &named, &[]);
        calls.extend([badarg(named), badarg(twice)]);
        cases.push(refused(format!("a bad option {}", option.name), calls, &whole));
    }
    let namespaces = list(&data["namespaces"]).iter();
    let steps: Vec<Value> = namespaces.map(|keys| json!({"do": good, "keys": keys, "error": "BADNAME"})).collect();
    cases.push(json!({"name": format!("{command} refuses a bad namespace"), "steps": steps}));
    for fields in list(&data["schemas"]) {
        let set = [&[json!("HSET"), json!("ns_meta")], list(fields)].concat();
        cases.push(json!({"name": format!("{command} refuses another schema, {fields}"),
            "steps": [{ "redis": set }, {"do": good, "error": "SCHEMA"}]}));
    }
    cases.extend(stored(contract, given, one, &good));
    if let Value::Array(before) = &one["moves"] {
        let steps = [given, list(&data["filled"]), before, list(&data["moving"]), &[json!({ "do": good })]].concat();
        cases.push(json!({"server": "cluster", "after": data["settle"], "steps": steps,
            "name": format!("{command} is done whole in a slot that is being moved, while all its keys are here")}));
    }
    cases.extend(of_keys(data, &good, one));
    cases
}

/// The keys of a command: of a wrong type, and moved to another node.
fn of_keys(data: &Value, good: &[Value], one: &Value) -> Vec<Value> {
    let given = list(&data["given"]);
    let mut cases = Vec::new();
    for touch in [from_ref(one), list(&one["also"])].concat() {
        let call = if touch["call"].is_array() { list(&touch["call"]) } else { good };
        let before = [given, list(&touch["before"])].concat();
        for key in list(&touch["touches"]).iter().map(text) {
            let mut steps = before.clone();
            steps.extend([
                json!({"redis": ["DEL", key]}),
                json!({"redis": ["SET", key, "x"]}),
                json!({"do": call, "error": "WRONGKEY"}),
            ]);
            cases.push(json!({"name": format!("{} refuses a {key} of a wrong type", text(&call[0])), "steps": steps}));
            // On a cluster, the key as if it were moved already.
            if key != "ns_meta" && before.iter().all(|step| step["redis"].is_null()) {
                let mut steps = before.clone();
                steps.push(json!({"redis": ["DEL", key.replacen("ns", "{ns}", 1)]}));
                steps.extend(list(&data["moving"]).iter().cloned());
                steps.push(json!({"do": call, "error": "RETRY"}));
                cases.push(json!({"server": "cluster", "after": data["settle"], "steps": steps,
                    "name": format!("{} changes nothing when {key} was moved to another node", text(&call[0]))}));
            }
        }
    }
    cases
}

/// The elements; empty if the value is not a list.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}
