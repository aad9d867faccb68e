//! Reads the cases: plain lists of them, and the two tables that stand for many.
//! The format is described in `README.md` of this folder. The bundle holds the cases after
//! this, every file a plain list, so that a runner in another language need not know the tables.

use std::fs;
use std::path::Path;
use std::slice::from_ref;

use serde_json::{Value, json};

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
    if let Value::Object(commands) = &data["commands"] {
        return commands.iter().flat_map(|(command, one)| arguments(data, command, one)).collect();
    }
    let mut cases = Vec::new();
    for (call, row) in data["cells"].as_object().unwrap() {
        for (state, want) in row.as_object().unwrap() {
            let mut step = want.clone();
            step["do"] = data["calls"][call].clone();
            let then = want["then"].as_str().unwrap_or(state);
            let mut steps = list(&data["states"][state]["steps"]).to_vec();
            steps.push(step);
            cases.push(json!({
                "name": format!("{call} of a task that is {state}"), "steps": steps, "keys": data["states"][then]["keys"],
            }));
        }
    }
    cases
}

/// What `arguments.json` says of one command.
fn arguments(data: &Value, command: &str, one: &Value) -> Vec<Value> {
    let args = list(&one["args"]);
    let mut good = vec![json!(command)];
    good.extend(args.iter().map(|arg| arg[1].clone()));
    let given = list(&data["given"]);
    // The good call last: what made the others fail was the one thing that was wrong.
    let refused = |title: String, calls: Vec<(String, Vec<Value>)>, good: &[Value]| {
        let mut steps = given.to_vec();
        steps.extend(calls.into_iter().map(|(code, call)| json!({"do": call, "error": code})));
        steps.push(json!({ "do": good }));
        json!({"name": format!("{command} refuses {title}"), "steps": steps})
    };
    let bad = |arg: &Value, before: &[Value], after: &[Value]| {
        let kind = arg[2].as_str().or(arg[0].as_str()).unwrap();
        let kinds = data["kinds"][kind].as_object().unwrap_or_else(|| panic!("no kind {kind}"));
        let pairs = kinds.iter().flat_map(|(code, values)| list(values).iter().map(move |value| (code, value)));
        pairs.map(|(code, value)| (code.clone(), [before, from_ref(value), after].concat())).collect::<Vec<_>>()
    };
    let taken = |arg: &Value, before: &[Value], after: &[Value]| {
        let kind = arg[2].as_str().or(arg[0].as_str()).unwrap();
        let calls = list(&data["taken"][kind]).iter().map(|value| [before, from_ref(value), after].concat());
        let steps = calls.map(|call| [given, &[json!({ "do": call })]].concat());
        let name = |number| format!("{command} takes {} at its bounds, {number}", text(&arg[0]));
        steps.enumerate().map(|(i, steps)| json!({"name": name(i + 1), "steps": steps})).collect::<Vec<_>>()
    };
    let badarg = |call: Vec<Value>| ("BADARG".to_owned(), call);

    let mut cases = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        let calls = bad(arg, &good[..=i], &good[i + 2..]);
        cases.push(refused(format!("a bad {}", text(&arg[0])), calls, &good));
        cases.extend(taken(arg, &good[..=i], &good[i + 2..]));
    }
    let missing = (1..good.len()).map(|n| badarg(good[..n].to_vec())).collect();
    cases.push(refused("missing arguments".into(), missing, &good));
    let surplus = list(&data["surplus"]).iter().map(|extra| badarg([&good[..], list(extra)].concat())).collect();
    cases.push(refused("extra arguments".into(), surplus, &good));
    for option in list(&one["options"]) {
        // Some options stand only beside others, some only in another call.
        let good = if option[4].is_array() { list(&option[4]).to_vec() } else { good.clone() };
        let named = [&good[..], list(&option[3]), from_ref(&option[0])].concat();
        let whole = [&named[..], from_ref(&option[1])].concat();
        let twice = [&whole[..], &[option[0].clone(), option[1].clone()]].concat();
        cases.extend(taken(option, &named, &[]));
        let mut calls = bad(option, &named, &[]);
        calls.extend([badarg(named), badarg(twice)]);
        cases.push(refused(format!("a bad option {}", text(&option[0])), calls, &whole));
    }
    let namespaces = list(&data["namespaces"]).iter();
    let steps: Vec<Value> = namespaces.map(|keys| json!({"do": good, "keys": keys, "error": "BADNAME"})).collect();
    cases.push(json!({"name": format!("{command} refuses a bad namespace"), "steps": steps}));
    for fields in list(&data["schemas"]) {
        let set = [&[json!("HSET"), json!("ns_meta")], list(fields)].concat();
        cases.push(json!({"name": format!("{command} refuses another schema, {fields}"),
            "steps": [{ "redis": set }, {"do": good, "error": "SCHEMA"}]}));
    }
    if let Value::Array(before) = &one["moves"] {
        let steps = [given, list(&data["filled"]), before, list(&data["moving"]), &[json!({ "do": good })]].concat();
        cases.push(json!({"server": "cluster", "after": data["settle"], "steps": steps,
            "name": format!("{command} is done whole in a slot that is being moved, while all its keys are here")}));
    }
    for touch in [from_ref(one), list(&one["also"])].concat() {
        let call = if touch["call"].is_array() { list(&touch["call"]) } else { &good };
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

/// The elements, none where there is no list.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}
