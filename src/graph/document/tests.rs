//! Tests of documents and their schema.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::path::Path;
use std::{env, fs};

use serde_json::Value;

use super::{ARGUMENT, FROM, GRAPH, NO_OPTIONS, TEMPLATE};
use crate::contract::{Described, Form, TASK_OPTIONS};
use crate::graph::Graph;
use crate::graph::plan::{Argument, Input, Order, Step, Upstream};

fn task(fields: &str) -> String {
    problem(&format!(r#"{{"queue": "q", "tasks": {{"a": {{}}, "b": {{{fields}}}}}}}"#))
}

fn problem(text: &str) -> String {
    Graph::from_json(text).unwrap_err().to_string()
}

#[test]
fn a_document_has_every_field_of_a_task() {
    let graph = Graph::from_json(
        r#"{"$schema": "graph.schema.json", "name": "n", "queue": "common", "deadline": 1900000000, "on_failure": "hold", "tasks": {
            "z": {"method": "m", "parameters": {"b": 1.50, "a": [ 1e400 ]}, "eta": 1790000000.25},
            "a": {"queue": "own", "args": [{"result": "z"}, {"value": "\u00e9"}], "needs": ["b"], "after": ["d"],
                  "after_failure": ["c"],
                  "options": {"priority": -3, "tags": ["x", "y"], "key": "k", "backoff": "fixed"}},
            "b": {}, "c": {}, "d": {}
        }}"#,
    )
    .unwrap();
    assert_eq!((graph.whole.name.as_deref(), graph.whole.on_failure), (Some("n"), Some(crate::OnFailure::Hold)));
    assert_eq!(graph.whole.deadline, crate::times::time("1900000000"));
    let steps = &graph.parts.borrow().steps;
    let labels: Vec<&str> = steps.iter().map(|step| step.label.as_str()).collect();
    assert_eq!(labels, ["z", "a", "b", "c", "d"], "as they stand in the document");
    let [z, a, b, ..] = &steps[..] else { panic!("{steps:?}") };
    assert_eq!((z.queue.as_str(), a.queue.as_str()), ("common", "own"));
    assert_eq!(z.options.0.get("method"), Some("m"));
    // Values are passed on unchanged.
    assert!(matches!(&z.input, Input::Whole(bytes) if bytes == br#"{"b": 1.50, "a": [ 1e400 ]}"#));
    assert_eq!(z.eta, crate::times::time("1790000000.25"));
    let Input::List(arguments) = &a.input else { panic!("{a:?}") };
    assert!(
        matches!(&arguments[..], [Argument::Result(Upstream::Inside(0)), Argument::Value(text)] if text == r#""\u00e9""#)
    );
    let edges = [(Order::Success, 2), (Order::After, 4), (Order::Failure, 3)];
    assert_eq!(a.edges, edges.map(|(order, at)| (order, Upstream::Inside(at))));
    for (name, value) in [("priority", "-3"), ("tags", "x,y"), ("key", "k"), ("backoff", "fixed")] {
        assert_eq!(a.options.0.get(name), Some(value));
    }
    assert!(matches!(&b.input, Input::Whole(bytes) if bytes == b"[]"));
}

/// Returns the tasks of a document, one line for each: name, queue, method, priority, tags, key, input and upstreams.
fn lines(text: &str) -> Vec<String> {
    let graph = Graph::from_json(text).unwrap();
    let steps = &graph.parts.borrow().steps;
    let line = |step: &Step| {
        let options = ["method", "priority", "tags", "key"].map(|name| step.options.0.get(name).unwrap_or("-"));
        let input = match &step.input {
            Input::Whole(bytes) => String::from_utf8(bytes.clone()).unwrap(),
            Input::List(all) => all
                .iter()
                .map(|one| match one {
                    Argument::Value(json) => json.clone(),
                    Argument::Result(Upstream::Inside(at)) => format!("<{at}"),
                    Argument::Result(Upstream::Outside(id)) => format!("<<{id}"),
                    Argument::Optional(Upstream::Inside(at)) => format!("<{at}?"),
                    Argument::Optional(Upstream::Outside(id)) => format!("<<{id}?"),
                })
                .collect::<Vec<_>>()
                .join(","),
        };
        let edge = |(order, upstream): &(Order, Upstream)| match upstream {
            Upstream::Inside(at) => format!(" {}={at}", order.word()),
            Upstream::Outside(id) => format!(" {}={id}", order.word()),
        };
        let edges: Vec<String> = step.edges.iter().map(edge).collect();
        let bound = step.bound.map(|bound| format!(" {}of{}", bound.most, bound.first)).unwrap_or_default();
        format!("{} {} {} {input}{}{bound}", step.label, step.queue, options.join(" "), edges.concat())
    };
    steps.iter().map(line).collect()
}

#[test]
fn an_array_is_a_task_for_each_index() {
    let text = r#"{"queue": "q", "tasks": {
        "cut": {}, "sim": {"array": "3-5%2", "needs": ["cut"]},
        "check": {"array": "4-5", "args": [{"result": "sim[i]"}, {"element": "index"}, {"value": "x"}]},
        "join": {"args": [{"value": 1}, {"result": "sim"}], "after": ["check[5]"], "needs": ["sim[4-5]"]}
    }}"#;
    assert_eq!(
        lines(text),
        [
            "cut q - - - - []",
            "sim[3] q - - - - 3 success=0 2of1",
            "sim[4] q - - - - 4 success=0 2of1",
            "sim[5] q - - - - 5 success=0 2of1",
            "check[4] q - - - - <2,4,\"x\"",
            "check[5] q - - - - <3,5,\"x\"",
            "join q - - - - 1,<1,<2,<3 after=5",
        ]
    );
    let only = r#"{"queue": "q", "tasks": {"a": {"array": "7", "parameters": {"n": 1.0}}, "b": {"array": "0-1%2"}}}"#;
    assert_eq!(lines(only), ["a[7] q - - - - {\"n\": 1.0}", "b[0] q - - - - 0", "b[1] q - - - - 1"]);
    let plan = Graph::from_json(text).unwrap().plan().unwrap();
    let ids = plan.ids(&crate::GraphId::new("g").unwrap()).unwrap();
    assert_eq!(plan.bounds(&ids).as_deref(), Some("q/g.1=2"));
    let key = problem(r#"{"queue": "q", "tasks": {"a": {"array": "1-9%2", "options": {"key": "k"}}}}"#);
    let text = "an array with a bound has a key of its own: leave out one of them";
    assert_eq!(key, format!("task 0 \"a[1]\", options.key: {text}"));
}

#[test]
fn a_task_may_wait_for_one_that_was_there_before() {
    let text = r#"{"queue": "q", "tasks": {
        "a": {"needs": [{"task": "old.1"}, "b"], "after": [{"task": "old.2"}]},
        "b": {"array": "1-2", "args": [{"element": "index"}, {"result": {"task": "old.3"}}]}}}"#;
    let expected = [
        "a q - - - - [] success=1 success=2 success=old.1 after=old.2",
        "b[1] q - - - - 1,<<old.3",
        "b[2] q - - - - 2,<<old.3",
    ];
    assert_eq!(lines(text), expected);
}

#[test]
fn a_task_may_go_on_without_a_result() {
    let text = r#"{"queue": "q", "tasks": {
        "sim": {"array": "1-2"}, "cut": {},
        "all": {"args": [{"result": "sim", "optional": true}, {"result": "cut", "optional": false}, {"value": 1},
                         {"result": {"task": "old"}, "optional": true}], "after": ["sim"]}}}"#;
    assert_eq!(lines(text)[3], "all q - - - - <0?,<1?,<2,1,<<old?");
    for (fields, expected) in [
        (
            r#""args": [{"value": 1, "optional": true}]"#,
            "args[0].optional: only a result is optional: it is `null` if there is none",
        ),
        (r#""args": [{"result": "a", "optional": 1}]"#, "args[0].optional: must be true or false, not a number"),
        (
            r#""args": [{"result": "a", "optional": true}, {"result": "a"}]"#,
            "args[1]: the result of the same task is optional in `args`: say that of all or of none",
        ),
        (
            r#""args": [{"result": "a", "optional": true}], "needs": ["a"]"#,
            "needs: the result of the same task is optional in `args`: say that of all or of none",
        ),
        (
            r#""args": [{"result": "a", "optional": true}], "at_least": {"count": 1, "of": ["a"]}"#,
            "at_least: the result of the same task is optional in `args`: say that of all or of none",
        ),
        (
            r#""args": [{"result": {"task": "x"}, "optional": true}], "after_failure": [{"task": "x"}]"#,
            "after_failure: the result of the same task is optional in `args`: say that of all or of none",
        ),
    ] {
        let text = format!(r#"{{"queue": "q", "tasks": {{"a": {{}}, "b": {{{fields}}}}}}}"#);
        assert_eq!(problem(&text), format!("task 1 \"b\", {expected}"), "{fields}");
    }
}

#[test]
fn a_task_may_do_with_some_of_several() {
    let text = r#"{"queue": "q", "tasks": {
        "sim": {"array": "1-3"}, "cut": {},
        "one": {"args": [{"result": "sim"}, {"result": "cut"}], "after": ["cut"],
                "at_least": {"count": 2, "of": ["sim", {"task": "old"}, "sim[2]"]}},
        "two": {"array": "1-2", "needs": ["cut"], "at_least": {"of": ["sim[i]", "sim[3]"], "count": 1}}}}"#;
    let expected = [
        "one q - - - - <0,<1,<2,<3 some=0 some=1 some=2 some=old",
        "two[1] q - - - - 1 success=3 some=0 some=2",
        "two[2] q - - - - 2 success=3 some=1 some=2",
    ];
    assert_eq!(lines(text)[4..], expected);
    let steps = &Graph::from_json(text).unwrap().parts.into_inner().steps;
    assert_eq!(steps.iter().map(|step| step.least).collect::<Vec<_>>()[3..], [None, Some(2), Some(1), Some(1)]);
    let with = |set: &str| {
        let text = r#"{"queue": "q", "tasks": {"a": {}, "b": {}, "t": {"needs": ["b"], "after": [{"task": "x"}], "at_least": SET}}}"#;
        problem(&text.replace("SET", set))
    };
    let of = "task 2 \"t\", at_least.";
    assert_eq!(with(r#"{"of": ["a"]}"#), format!("{of}count: missing"));
    assert_eq!(with(r#"{"count": 1}"#), format!("{of}of: missing"));
    assert_eq!(
        with(r#"{"count": 2, "of": ["a", "a"]}"#),
        format!("{of}count: at least 2 of 1 tasks: it must be 1 to 1")
    );
    assert_eq!(with(r#"{"count": 0, "of": ["a"]}"#), format!("{of}count: at least 0 of 1 tasks: it must be 1 to 1"));
    let bad = "must be at least 1, and at most the number of these tasks";
    assert_eq!(with(r#"{"count": -1, "of": ["a"]}"#), format!("{of}count: {bad}"));
    let twice = "one of these is in `at_least`, too: name it once";
    assert_eq!(with(r#"{"count": 1, "of": ["a", "b"]}"#), format!("task 2 \"t\", needs: {twice}"));
    let there = "the task is named twice: once is enough";
    assert_eq!(with(r#"{"count": 1, "of": [{"task": "x"}]}"#), format!("{of}of[0]: {there}"));
    assert_eq!(with(r#"{"count": 1, "of": ["t"]}"#), "task 2 \"t\", at_least: the task waits for itself");
}

#[test]
fn a_matrix_is_a_task_for_each_combination() {
    let text = r#"{"queue": "q", "tasks": {
        "a": {"matrix": {"lr": [0.10, 1e-3], "net": ["small", "large"]}},
        "b": {"matrix": {"lr": [0.10]}, "parameters": {"epochs": 5}},
        "c": {"matrix": {"lr": [[1]]}, "args": [{"element": "lr"}, {"element": "index"}, {"result": "a[3]"}]}
    }}"#;
    assert_eq!(
        lines(text),
        [
            r#"a[1] q - - - - {"lr":0.10,"net":"small"}"#,
            r#"a[2] q - - - - {"lr":0.10,"net":"large"}"#,
            r#"a[3] q - - - - {"lr":1e-3,"net":"small"}"#,
            r#"a[4] q - - - - {"lr":1e-3,"net":"large"}"#,
            r#"b[1] q - - - - {"lr":0.10,"epochs":5}"#,
            "c[1] q - - - - [1],1,<2",
        ]
    );
}

#[test]
fn tasks_have_what_their_template_and_their_graph_say_unless_they_say_otherwise() {
    let text = r#"{"queue": "q", "priority": 5, "tags": ["film", "night"],
      "templates": {"encode": {"queue": "gpu", "method": "encode", "parameters": 1, "needs": ["cut"], "array": "1-2",
                               "options": {"tags": ["4k", "film"], "key": "k", "weight": 2}}},
      "tasks": {"cut": {"options": {"priority": -1}}, "a": {"template": "encode"},
                "b": {"template": "encode", "method": "other", "args": [{"value": 2}], "needs": [], "matrix": {"x": [1]},
                      "options": {"key": "l"}}}}"#;
    assert_eq!(
        lines(text),
        [
            "cut q - -1 film,night - []",
            "a[1] gpu encode 5 4k,film,night k 1 success=0",
            "a[2] gpu encode 5 4k,film,night k 1 success=0",
            "b[1] gpu other 5 4k,film,night l 2",
        ]
    );
    let graph = Graph::from_json(text).unwrap();
    assert_eq!(graph.parts.borrow().steps[3].options.0.get("weight"), Some("2"));
    // The submit plans the graph again, and adds nothing twice.
    assert_eq!(graph.plan().unwrap().steps[3].options.0.get("tags"), Some("4k,film,night"));
}

#[test]
fn a_deadline_is_a_number_of_seconds() {
    let text = r#"{"deadline": "tomorrow", "queue": "q", "tasks": {"a": {}}}"#;
    assert_eq!(problem(text), "deadline: must be a number: seconds since 1970");
}

#[test]
fn what_is_wrong_in_a_document_is_named_with_its_place() {
    for (text, expected) in [
        ("", "not JSON: EOF while parsing a value at line 1 column 0"),
        ("{\"tasks\": {},\n}", "not JSON: a comma before `}`, at line 1 column 13"),
        ("[]", "must be an object, not a list"),
        ("{}", "tasks: missing"),
        (r#"{"tasks": {}}"#, "a graph needs at least one task"),
        (r#"{"tasks": [1]}"#, "tasks: must be an object, not a list"),
        (
            r#"{"tasks": {}, "task": 1}"#,
            "task: unknown field \"task\": there are $schema, name, tags, queue, partition, priority, deadline, on_failure, notify, templates, tasks",
        ),
        (r#"{"queue": "q", "tasks": {"a": {}, "a": {}}}"#, "tasks: the field \"a\" occurs twice"),
        (r#"{"queue": "q", "tasks": {"": {}}}"#, "task 0: the name of a task must have 1 to 1000 bytes"),
        (
            r#"{"tasks": {"a": {"method": "m"}}}"#,
            "task 0 \"a\", queue: missing: name the queue of the task, or one for the whole graph",
        ),
    ] {
        assert_eq!(problem(text), expected, "{text}");
    }
    for (fields, expected) in [
        (r#""method": 1"#, "method: must be text, not a number"),
        (r#""method": "a b""#, "method: must be 1 to 128 characters of A-Z a-z 0-9 . _ : @ -"),
        (r#""queue": null"#, "queue: must be text, not null"),
        (r#""eta": "2026-11-22""#, "eta: must be a number: seconds since 1970"),
        (r#""eta": -1"#, "eta: must be a number: seconds since 1970"),
        (r#""parameters": 1, "args": []"#, "args: a task has `parameters` or `args`, not both"),
        (r#""args": [{"value": 1}, {"result": "c"}]"#, "args[1].result: no task of the graph is named \"c\""),
        (r#""args": [{"value": 1, "result": "a"}]"#, "args[0]: an argument has one of `value`, `result` and `element`"),
        (r#""args": [{}]"#, "args[0]: an argument has one of `value`, `result` and `element`"),
        (r#""args": [[]]"#, "args[0]: must be an object, not a list"),
        (r#""needs": "a""#, "needs: must be a list, not text"),
        (r#""after": ["a", 1]"#, "after[1]: must be text, not a number"),
        (r#""after_failure": ["b"]"#, "after_failure: the task waits for itself"),
        (r#""options": {"priority": {}}"#, OPTION),
        (r#""options": {"method": "m"}"#, "options.method: the method is a field of the task, not an option"),
        (r#""needs": ["\ud800"]"#, "needs[0]: the text is not Unicode"),
        (r#""array": "5-3""#, "array: 5-3 has no element: the lower number comes first"),
        (r#""array": 5"#, "array: must be text, not a number"),
        (r#""array": "1-10000%""#, ARRAY),
        (r#""array": "1-20001""#, "array: over 10000 elements: a graph has at most 10000 tasks"),
        (r#""array": "1-10000""#, "with this array, the graph has over 10000 tasks, the maximum"),
        (r#""array": "1-2", "matrix": {}"#, "matrix: a task has `array` or `matrix`, not both"),
        (r#""matrix": {}"#, "matrix: must name at least one list of values"),
        (r#""matrix": {"x": [1], "y": []}"#, "matrix.y: must have at least one value, or there is no element"),
        (r#""matrix": {"x": 1}"#, "matrix.x: must be a list, not a number"),
        (r#""matrix": {"index": [1]}"#, "matrix.index: the index of an element has this name: choose another name"),
        (r#""matrix": {"x": [1]}, "parameters": 1"#, "parameters: must be an object, not a number"),
        (r#""matrix": {"x": [1]}, "parameters": {"x": 1}"#, "parameters.x: the matrix has a value of this name"),
        (r#""matrix": {"x": [1]}, "args": [{"element": "y"}]"#, ELEMENT),
        (r#""args": [{"element": "index"}]"#, "args[0].element: this task is not an element of an array"),
        (r#""needs": ["a[1]"]"#, "needs[0]: \"a\" is no array"),
        (r#""array": "1-3", "needs": ["b[4]"]"#, "needs[0]: b[4] is not in b[1-3]"),
        (r#""array": "1-3", "needs": ["b[2-1]"]"#, "needs[0]: no task of the graph is named \"b[2-1]\""),
        (r#""needs": ["b[i]"]"#, "needs[0]: \"b\" is no array"),
        (r#""needs": [{"task": "a b"}]"#, "needs[0].task: must be 1 to 128 characters of A-Z a-z 0-9 . _ : @ -"),
        (r#""needs": [{"task": "x", "id": "y"}]"#, "needs[0].id: unknown field \"id\": there are task"),
        (r#""after": [{"task": "x"}, {"task": "x"}]"#, "after[1]: the task is named twice: once is enough"),
        (r#""template": "t""#, "template: no template of the graph is named \"t\""),
    ] {
        let expected = if expected.starts_with("with ") { format!(": {expected}") } else { format!(", {expected}") };
        assert_eq!(task(fields), format!("task 1 \"b\"{expected}"), "{fields}");
    }
}

#[test]
fn what_is_wrong_in_a_whole_document_is_named_with_its_place() {
    // The upstreams of elements are known only after the expansion of the array.
    let cycle =
        problem(r#"{"queue": "q", "tasks": {"a": {"array": "1-2", "needs": ["b"]}, "b": {"needs": ["a[2]"]}}}"#);
    assert_eq!(cycle, "task 1 \"a[2]\": these tasks wait for one another: a[2] -> b -> a[2]");
    let twice = problem(r#"{"queue": "q", "tasks": {"a": {"array": "1-2"}, "a[2]": {}}}"#);
    assert_eq!(twice, "task 2: task 1 has the same name: \"a[2]\"");
    let huge = r#"{"x": [1,2,3,4,5,6,7,8,9,0], "y": [1,2,3,4,5,6,7,8,9,0], "z": [1,2,3,4,5,6,7,8,9,0]}"#;
    let huge = huge.replace("0], \"y\"", "0,1,2,3,4,5,6,7,8,9,10], \"y\"").replace(
        "0], \"z\"",
        "0,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9], \"z\"",
    );
    let huge = task(&format!(r#""matrix": {huge}"#));
    assert_eq!(huge, "task 1 \"b\", matrix.z: it makes over 10000 elements: a graph has at most 10000 tasks");
    let all =
        problem(r#"{"queue": "q", "tasks": {"a": {"array": "1-2000"}, "b": {"array": "1-2000", "needs": ["a"]}}}"#);
    assert!(all.starts_with("task 1 \"b\": with this task, the graph has over 1000000 arguments and edges"), "{all}");
    let long = "x".repeat(1 << 20);
    let all = problem(&format!(r#"{{"queue": "q", "tasks": {{"a": {{"array": "1-65", "parameters": "{long}"}}}}}}"#));
    assert!(all.starts_with("task 0 \"a\": with this task, the graph has over 67108864 bytes of parameters"), "{all}");
    let of_graph = |fields: &str| {
        problem(&format!(r#"{{"queue": "q", {fields}, "tasks": {{"a": {{"options": {{"tags": "z"}}}}}}}}"#))
    };
    assert_eq!(of_graph(r#""priority": "high""#), "priority: must be a whole number");
    assert_eq!(of_graph(r#""tags": ["a b"]"#), "tags[0]: must be 1 to 128 characters of A-Z a-z 0-9 . _ : @ -");
    let tags: Vec<String> = (0..16).map(|tag| format!("\"t{tag}\"")).collect();
    let many = of_graph(&format!(r#""tags": [{}]"#, tags.join(",")));
    assert_eq!(many, "task 0 \"a\", options.tags: 17 tags with those of the graph: a task has at most 16");
    let unknown = of_graph(r#""templates": {"t": {"template": "u"}}"#);
    assert!(unknown.starts_with("templates.t.template: unknown field \"template\": there are queue,"), "{unknown}");
    let unknown = task(r#""options": {"prio": 1}"#);
    assert!(
        unknown.contains(
            "options.prio: unknown option \"prio\": there are title, submitter, command, priority, max_failures,"
        ),
        "{unknown}"
    );
    assert!(task(r#""\u001b[2J": 1"#).starts_with(r#"task 1 "b": unknown field "\u{1b}[2J": there are queue,"#));
    let huge = format!("{{\"tasks\": \"{}\"}}", "x".repeat(8 << 20));
    assert!(problem(&huge).contains("at most 8388608 (8 MiB)"));
    let many: Vec<String> = (0..10_001).map(|index| format!("\"{index}\":{{}}")).collect();
    let many = format!("{{\"queue\":\"q\",\"tasks\":{{{}}}}}", many.join(","));
    assert_eq!(problem(&many), "10001 tasks: a graph has at most 10000; submit several graphs");
    // Nothing in a document makes the reader recurse.
    assert!(Graph::from_json(&format!(r#"{{"tasks": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000))).is_err());
}

const ARRAY: &str = "array: must be such as \"1-500\", or \"1-500%20\" for 20 at once, not \"1-10000%\"";
const ELEMENT: &str = "args[0].element: an element has no \"y\": there are index, x";
const OPTION: &str = "options.priority: must be text, a number, true or false, or a list, not an object";

/// Returns an option as a property of the schema.
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
        _ if option.kind == "steps" => r#""type": "array", "items": {"type": "string"}, "maxItems": 100"#.to_owned(),
        Form::Text | Form::Words(_) | Form::Bytes { .. } => r#""type": "string""#.to_owned(),
    };
    let (name, means) = (option.name, Value::from(option.means));
    format!("        \"{name}\": {{{form}, \"description\": {means}}}")
}

/// Returns the schema with the options of a submit. The rest of the schema is unchanged.
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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/graph.schema.json");
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
    assert_eq!(fields(&schema["$defs"]["template"]), sorted(&TEMPLATE));
    let task: Vec<&str> = TEMPLATE.into_iter().chain([FROM]).collect();
    assert_eq!(fields(&schema["$defs"]["task"]), sorted(&task));
    let arguments = schema["$defs"]["argument"]["oneOf"].as_array().unwrap();
    let mut arguments: Vec<String> = arguments.iter().flat_map(fields).collect();
    arguments.sort();
    assert_eq!(arguments, sorted(&ARGUMENT));
}
