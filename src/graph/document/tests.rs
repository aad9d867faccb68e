//! Documents, and the schema that describes them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::path::Path;
use std::{env, fs};

use serde_json::Value;

use super::{ARGUMENT, GRAPH, NO_OPTIONS, TASK};
use crate::contract::{Described, Form, TASK_OPTIONS};
use crate::graph::Graph;
use crate::graph::plan::{Argument, Input, Order};

fn flaw(text: &str) -> String {
    Graph::from_json(text).unwrap_err().to_string()
}

#[test]
fn a_document_has_every_field_of_a_task() {
    let graph = Graph::from_json(
        r#"{"$schema": "graph.schema.json", "name": "n", "queue": "common", "on_failure": "hold", "tasks": {
            "z": {"method": "m", "parameters": {"b": 1.50, "a": [ 1e400 ]}, "eta": 1790000000.25},
            "a": {"queue": "own", "args": [{"result": "z"}, {"value": "\u00e9"}], "needs": ["b"], "after": ["d"],
                  "after_failure": ["c"],
                  "options": {"priority": -3, "tags": ["x", "y"], "key": "k", "backoff": "fixed"}},
            "b": {}, "c": {}, "d": {}
        }}"#,
    )
    .unwrap();
    assert_eq!((graph.name.as_deref(), graph.on_failure), (Some("n"), Some(crate::OnFailure::Hold)));
    let steps = &graph.parts.borrow().steps;
    let labels: Vec<&str> = steps.iter().map(|step| step.label.as_str()).collect();
    assert_eq!(labels, ["z", "a", "b", "c", "d"], "as they stand in the document");
    let [z, a, b, ..] = &steps[..] else { panic!("{steps:?}") };
    assert_eq!((z.queue.as_str(), a.queue.as_str()), ("common", "own"));
    assert_eq!(z.options.0.get("method"), Some("m"));
    // Values are passed on as they are written.
    assert!(matches!(&z.input, Input::Whole(bytes) if bytes == br#"{"b": 1.50, "a": [ 1e400 ]}"#));
    assert_eq!(z.eta, crate::times::time("1790000000.25"));
    let Input::List(arguments) = &a.input else { panic!("{a:?}") };
    assert!(matches!(&arguments[..], [Argument::Result(0), Argument::Value(text)] if text == r#""\u00e9""#));
    assert_eq!(a.edges, [(Order::Success, 2), (Order::After, 4), (Order::Failure, 3)]);
    for (name, value) in [("priority", "-3"), ("tags", "x,y"), ("key", "k"), ("backoff", "fixed")] {
        assert_eq!(a.options.0.get(name), Some(value));
    }
    assert!(matches!(&b.input, Input::Whole(bytes) if bytes.is_empty()));
}

#[test]
fn what_is_wrong_in_a_document_is_named_with_its_place() {
    let task = |fields: &str| flaw(&format!(r#"{{"queue": "q", "tasks": {{"a": {{}}, "b": {{{fields}}}}}}}"#));
    for (text, expected) in [
        ("", "not JSON: EOF while parsing a value at line 1 column 0"),
        ("{\"tasks\": {},\n}", "not JSON: a comma before `}`, at line 1 column 13"),
        ("[]", "must be an object, not a list"),
        ("{}", "tasks: missing"),
        (r#"{"tasks": {}}"#, "a graph needs at least one task"),
        (r#"{"tasks": [1]}"#, "tasks: must be an object, not a list"),
        (
            r#"{"tasks": {}, "task": 1}"#,
            "task: unknown field \"task\": there are $schema, name, queue, on_failure, tasks",
        ),
        (r#"{"queue": "q", "tasks": {"a": {}, "a": {}}}"#, "tasks: the field \"a\" is there twice"),
        (r#"{"queue": "q", "tasks": {"": {}}}"#, "task 0: the name of a task must have 1 to 1000 bytes"),
        (
            r#"{"tasks": {"a": {"method": "m"}}}"#,
            "task 0 \"a\", queue: missing: name the queue of the task, or one for the whole graph",
        ),
    ] {
        assert_eq!(flaw(text), expected, "{text}");
    }
    for (fields, expected) in [
        (r#""method": 1"#, "method: must be text, not a number"),
        (r#""method": "a b""#, "method: must be 1 to 128 characters of A-Z a-z 0-9 . _ : @ -"),
        (r#""queue": null"#, "queue: must be text, not null"),
        (r#""eta": "2026-11-22""#, "eta: must be a number: seconds since 1970"),
        (r#""eta": -1"#, "eta: must be a number: seconds since 1970"),
        (r#""parameters": 1, "args": []"#, "args: a task has `parameters` or `args`, not both"),
        (r#""args": [{"value": 1}, {"result": "c"}]"#, "args[1].result: no task of the graph is named \"c\""),
        (r#""args": [{"value": 1, "result": "a"}]"#, "args[0]: an argument has one of `value` and `result`"),
        (r#""args": [{}]"#, "args[0]: an argument has one of `value` and `result`"),
        (r#""args": [[]]"#, "args[0]: must be an object, not a list"),
        (r#""needs": "a""#, "needs: must be a list, not text"),
        (r#""after": ["a", 1]"#, "after[1]: must be text, not a number"),
        (r#""after_failure": ["b"]"#, "after_failure: the task waits for itself"),
        (r#""options": {"priority": {}}"#, OPTION),
        (r#""options": {"method": "m"}"#, "options.method: the method is a field of the task, not an option"),
        (r#""needs": ["\ud800"]"#, "needs[0]: the text is not Unicode"),
    ] {
        assert_eq!(task(fields), format!("task 1 \"b\", {expected}"), "{fields}");
    }
    let unknown = task(r#""options": {"prio": 1}"#);
    assert!(unknown.contains("options.prio: unknown option \"prio\": there are priority, max_failures,"), "{unknown}");
    assert!(task(r#""\u001b[2J": 1"#).starts_with(r#"task 1 "b": unknown field "\u{1b}[2J": there are queue,"#));
    let huge = format!("{{\"tasks\": \"{}\"}}", "x".repeat(8 << 20));
    assert!(flaw(&huge).contains("at most 8388608 (8 MiB)"));
    let many: Vec<String> = (0..10_001).map(|index| format!("\"{index}\":{{}}")).collect();
    let many = format!("{{\"queue\":\"q\",\"tasks\":{{{}}}}}", many.join(","));
    assert_eq!(flaw(&many), "10001 tasks: a graph has at most 10000; submit several graphs");
    // Nothing in a document makes the reader recurse.
    assert!(Graph::from_json(&format!(r#"{{"tasks": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000))).is_err());
}

const OPTION: &str = "options.priority: must be text, a number, true or false, or a list, not an object";

/// An option as a property of the schema.
fn property(option: &Described) -> String {
    let form = match option.form {
        Form::Flag => r#""type": "boolean""#.to_owned(),
        Form::Word(words) => {
            let words: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
            format!("\"enum\": [{}]", words.join(", "))
        }
        Form::Whole { low, high, .. } => format!(r#""type": "integer", "minimum": {low}, "maximum": {high}"#),
        Form::Seconds { low, high, .. } | Form::Decimal { low, high } => {
            format!(r#""type": "number", "minimum": {low}, "maximum": {high}"#)
        }
        _ if option.kind == "tags" => r#""type": "array", "items": {"type": "string"}, "maxItems": 16"#.to_owned(),
        Form::Text | Form::Words(_) | Form::Bytes { .. } => r#""type": "string""#.to_owned(),
    };
    let (name, means) = (option.name, Value::from(option.means));
    format!("        \"{name}\": {{{form}, \"description\": {means}}}")
}

/// Options are those of a submit; everything else is as it is written in the schema.
fn with_options(schema: &str) -> String {
    let begin = "\"additionalProperties\": false,\n      \"properties\": {\n        ";
    let end = "\n      }\n    },\n    \"argument\"";
    let (before, rest) = schema.rsplit_once(begin).expect("the options");
    let (_, after) = rest.split_once(end).expect("what comes after the options");
    let options = TASK_OPTIONS.iter().filter(|option| NO_OPTIONS.iter().all(|(other, _)| *other != option.name));
    let properties: Vec<String> = options.map(property).collect();
    format!("{before}{begin}{}{end}{after}", properties.join(",\n").trim_start())
}

#[test]
fn the_schema_has_the_fields_of_documents() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/graph.schema.json");
    let schema = fs::read_to_string(&path).unwrap();
    let made = with_options(&schema);
    if env::var_os("BLUEQUE_BLESS").is_some() {
        fs::write(&path, &made).unwrap();
    } else {
        assert_eq!(schema, made, "regenerate it with make bless");
    }
    let schema: Value = serde_json::from_str(&made).unwrap();
    let fields = |place: &Value| {
        assert_eq!(place["additionalProperties"], false);
        let mut names: Vec<String> = place["properties"].as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    let sorted = |names: &[&str]| {
        let mut names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(fields(&schema), sorted(&GRAPH));
    assert_eq!(fields(&schema["$defs"]["task"]), sorted(&TASK));
    let arguments = schema["$defs"]["argument"]["oneOf"].as_array().unwrap();
    assert_eq!(
        arguments.iter().flat_map(fields).collect::<Vec<_>>(),
        sorted(&ARGUMENT).into_iter().rev().collect::<Vec<_>>()
    );
}
