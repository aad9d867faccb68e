//! Arrays of tasks, documents in YAML, and the commands that show graphs, run as a user runs them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::process::Command;

use blueque::{Graph, GraphId, Status};
use serde_json::{Value, json};
use support::eventually;
use world::{World, result, status};

fn ok(world: &World, args: &[&str]) -> String {
    let (code, out, err) = world.outcome(args);
    assert_eq!(code, 0, "{args:?}: {err}");
    out
}

fn json(world: &World, args: &[&str]) -> Value {
    serde_json::from_str(&ok(world, &[args, &["-o", "json"]].concat())).unwrap()
}

fn keys(world: &World) -> u64 {
    redis::cmd("DBSIZE").query(&mut world.server.connection()).unwrap()
}

#[test]
fn each_element_of_an_array_learns_its_index_and_so_many_run_at_once() {
    let world = World::new();
    world.program("sim", "mkdir FOLDER/run.$BLUEQUE_ARRAY_INDEX; ls -d FOLDER/run.* | wc -l >> FOLDER/most; cat; sleep 0.1; rmdir FOLDER/run.$BLUEQUE_ARRAY_INDEX");
    let out = ok(&world, &["submit", "sim", "--array", "3-12%2", "--id", "night", "--tag", "x"]);
    assert_eq!(out, "night[3-12]\n");
    let limits = ok(&world, &["limit", "ls", "sim", "-o", "json"]);
    assert!(limits.contains("night.0"), "{limits}");
    let _worker = world.worker(&["--queue", "sim", "--slots", "6"]);
    assert_eq!(world.outcome(&["graph", "wait", "night", "--timeout", "120s"]).0, 0);
    assert_eq!(json(&world, &["show", "night[7]"])["result"], 7);
    let most = fs::read_to_string(world.path("most")).unwrap();
    assert_eq!(most.lines().map(|line| line.trim().parse::<u32>().unwrap()).max(), Some(2), "{most}");
    // The limit is deleted with the last task.
    ok(&world, &["queue", "purge", "sim", "--yes"]);
    assert!(!ok(&world, &["limit", "ls", "sim"]).contains("night"));
    assert_eq!(ok(&world, &["graph", "ls", "-o", "id"]), "");
}

#[test]
fn an_array_and_a_document_may_wait_for_tasks_that_were_there_before() {
    let world = World::new();
    world.program("q", "cat");
    ok(&world, &["submit", "q", "7", "--id", "first"]);
    ok(&world, &["submit", "q", "8", "--id", "second"]);
    ok(&world, &["submit", "q", "--array", "1-3", "--id", "a", "--result-of", "first", "--after", "second"]);
    fs::write(
        world.path("d.yaml"),
        "queue: q\ntasks: {x: {needs: [{task: 'a.1'}], args: [{result: {task: first}}]}}\n",
    )
    .unwrap();
    let file = world.path("d.yaml");
    ok(&world, &["graph", "submit", file.to_str().unwrap(), "--id", "d"]);
    assert!(ok(&world, &["graph", "show", "a"]).contains("3 waiting"));
    let shown = ok(&world, &["graph", "show", "d"]);
    assert!(shown.contains("waits for first, a.1"), "{shown}");
    let (code, _, err) = world.outcome(&["submit", "q", "--array", "1-3", "--after", "nobody"]);
    assert!(code == 4 && err.contains("no task has the id "), "{code} {err}");
    let _worker = world.worker(&["--queue", "q"]);
    assert_eq!(result(&world.client.task("d.0").unwrap()), "[7]");
    assert_eq!(result(&world.client.task("a.2").unwrap()), "[7]");
}

#[test]
fn the_printed_id_of_an_array_means_all_its_tasks() {
    let world = World::new();
    world.program("q", "echo seen; test $BLUEQUE_ARRAY_INDEX != 2");
    ok(&world, &["submit", "q", "--array", "1-3", "--id", "a", "--tag", "x"]);
    assert_eq!(ok(&world, &["why", "a"]).lines().count(), 3);
    assert_eq!(ok(&world, &["why", "@last"]), ok(&world, &["why", "a"]));
    assert!(ok(&world, &["show", "a"]).contains("3 pending"));
    assert!(world.outcome(&["tag", "add", "a", "y"]).2.contains("a is 3 tasks: name one, such as a.0 (q[1])"));
    let (code, _, err) = world.outcome(&["wait", "--tag", "nothing"]);
    assert!(code == 4 && err.contains("no task has the tag nothing"), "{code} {err}");
    assert_eq!(world.outcome(&["wait", "a", "--tag", "x"]).0, 2);
    let (code, _, err) = world.outcome(&["wait", "a", "--timeout", "0s"]);
    assert!(code == 6 && err.contains("0 of 3 tasks ended: 3 waiting"), "{code} {err}");
    assert_eq!(world.outcome(&["show", "@failed"]).0, 4);
    let _worker = world.worker(&["--queue", "q"]);
    assert_eq!(world.outcome(&["wait", "--tag", "x", "--timeout", "120s", "-o", "id"]).0, 1);
    // What failed before the wait counts, but not the earlier work of a queue.
    let (code, out, err) = world.outcome(&["wait", "--tag", "x", "-o", "id"]);
    assert_eq!((code, out.trim()), (1, "a.1"), "{err}");
    assert!(err.contains("all selected tasks have ended: 1 failed, 2 complete"), "{err}");
    assert_eq!(world.outcome(&["wait", "--queue", "q"]).0, 0);
    ok(&world, &["submit", "q", "--id", "late", "--tag", "x", "--hold"]);
    let (code, out, err) = world.outcome(&["wait", "--tag", "x", "--first-failure", "-o", "id"]);
    assert_eq!((code, out.trim()), (1, "a.1"), "{err}");
    let (code, _, err) = world.outcome(&["wait", "--tag", "x", "--timeout", "0s"]);
    assert!(code == 6 && err.contains("1 of 2 tasks ended: 1 failed, 1 waiting"), "{code} {err}");
    ok(&world, &["cancel", "late"]);
    assert_eq!(json(&world, &["show", "@failed"])["id"], "a.1");
    let logs = ok(&world, &["logs", "a"]);
    for index in 1..=3 {
        assert!(logs.contains(&format!("q[{index}] | seen\n")), "{logs}");
    }
    assert_eq!(ok(&world, &["logs", "--tag", "x"]).matches(" | seen\n").count(), 3);
    assert_eq!(ok(&world, &["history", "a"]).matches("-- q[").count(), 3);
}

#[test]
fn a_missing_last_task_is_named() {
    let world = World::new();
    ok(&world, &["submit", "q", "--id", "gone"]);
    ok(&world, &["cancel", "@last"]);
    ok(&world, &["delete", "@last"]);
    world.submit_as("q", "gone-2", blueque::Submit::default());
    for command in ["show", "logs", "why", "history"] {
        let (code, _, err) = world.outcome(&[command, "@last"]);
        assert!(code == 4 && err.contains("@last is gone, which this user submitted last"), "{command}: {err}");
    }
}

#[test]
fn parts_of_arrays_are_cancelled_retried_and_explained() {
    let world = World::new();
    ok(&world, &["submit", "q", "--array", "1-20", "--id", "a"]);
    assert_eq!(json(&world, &["show", "a[17]"])["id"], "a.16");
    let cancelled = ok(&world, &["cancel", "a[3-5,9]", "-o", "id"]);
    assert_eq!(cancelled, "a.2\na.3\na.4\na.8\n");
    let counts = world.client.queue("q").unwrap().counts().unwrap();
    assert_eq!((counts.cancelled, counts.pending), (4, 16));
    assert_eq!(ok(&world, &["retry", "a[4]", "-o", "id"]), "a.3\n");
    let why = ok(&world, &["why", "a[3-4]"]);
    let lines: Vec<&str> = why.lines().collect();
    assert!(
        lines[0].starts_with("q[3]: It was cancelled") && lines[1].starts_with("q[4]: Its queue q has no"),
        "{why}"
    );
    assert!(ok(&world, &["why", "a[4]"]).starts_with("Its queue q has no worker"));
    for (part, code, text) in [
        ("a[21]", 4, "the array has no element 21"),
        ("a[19-21,40]", 4, "the array has no element 40"),
        ("a[x]", 2, "a part of an array is such as a[17] or a[3-9]"),
        ("a/b", 4, "the graph has no task a/b"),
        ("b[1]", 4, "there is no graph b"),
    ] {
        let (found, _, err) = world.outcome(&["cancel", part]);
        assert!(found == code && err.contains(text), "{part}: {found} {err}");
    }
    assert_eq!(world.outcome(&["show", "a[1-2]"]).0, 2);
    // With two arrays, the error lists their names.
    let graph = Graph::from_json(r#"{"queue": "q", "tasks": {"x": {"array": "1-2"}, "y": {"array": "1-2"}, "z": {}}}"#);
    world.client.submit_graph(&graph.unwrap().id(GraphId::new("two").unwrap())).unwrap();
    let (code, _, err) = world.outcome(&["cancel", "two[1]"]);
    assert!(code == 2 && err.contains("two has several arrays, x, y: name one, such as two/x[1]"), "{err}");
    assert_eq!(ok(&world, &["cancel", "two/y[1-2]", "two/z", "-o", "id"]), "two.2\ntwo.3\ntwo.4\n");
    let (code, _, err) = world.outcome(&["cancel", "two/x"]);
    assert!(code == 2 && err.contains("Change 2 tasks? Nothing was changed"), "{err}");
    assert_eq!(ok(&world, &["cancel", "two/x", "--yes", "-o", "id"]), "two.0\ntwo.1\n");
}

const FILM: &str = "\
name: film
queue: q
tags: [night]
priority: 3
templates:
  part: {method: echo, options: {max_failures: 2}}
tasks:
  cut: {method: echo, parameters: cut}
  encode:
    template: part
    array: 1-3
    args: [{element: index}, {result: cut}]
  join:
    method: echo
    args: [{result: encode}]
";

#[test]
fn a_document_in_yaml_runs_as_one_in_json() {
    let world = World::new();
    world.program("echo", "cat");
    fs::write(world.path("film.yaml"), FILM).unwrap();
    let file = world.path("film.yaml");
    let made = json(&world, &["graph", "submit", file.to_str().unwrap(), "--id", "one"]);
    assert_eq!(
        made["tasks"],
        json!({"cut": "one.0", "encode[1]": "one.1", "encode[2]": "one.2", "encode[3]": "one.3", "join": "one.4"})
    );
    let join = json(&world, &["show", "one/join"]);
    assert_eq!((&join["priority"], &join["tags"]), (&json!(3), &json!(["night"])), "{join}");
    let shown = ok(&world, &["graph", "show", "one"]);
    assert!(shown.contains("\n  encode[1-3] ") && shown.contains("\n    join "), "{shown}");
    assert!(ok(&world, &["graph", "show", "one", "--all"]).contains("\n  encode[2] "));
    let _worker = world.worker(&["--queue", "q"]);
    let join = world.client.task("one.4").unwrap();
    assert_eq!(result(&join), r#"[[1,"cut"],[2,"cut"],[3,"cut"]]"#);
    // On stdin, the first character shows the format.
    let script = format!("{} graph submit - -o id --id two < {}", env!("CARGO_BIN_EXE_blueque"), file.display());
    let output = Command::new("sh").args(["-c", &script]).env("BLUEQUE_URL", world.server.url()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "two\n");
}

#[test]
fn a_bad_document_names_its_task_and_field_and_makes_nothing() {
    let world = World::new();
    let file = world.path("d.yaml");
    let refused = |text: &str, expected: &str| {
        fs::write(&file, text).unwrap();
        let (code, out, err) = world.outcome(&["graph", "submit", file.to_str().unwrap()]);
        assert!(code == 2 && out.is_empty() && err.contains(expected), "{code} {out}{err}");
    };
    refused("queue: q\ntasks:\n  a: {array: 5-3}\n", "task 0 \"a\", array: 5-3 has no element");
    refused("queue: q\ntasks:\n  a: {matrix: {}}\n", "task 0 \"a\", matrix: must name at least one list");
    refused("queue: q\ntasks:\n  a: {needs: [b]}\n  b: {needs: [c]}\n  c: {needs: [a]}\n", "a -> c -> b -> a");
    refused("queue: q\ntasks: {a: {needs: [b}\n", "not YAML: ");
    refused("queue: q\ntasks: {a: {}, a: {}}\n", "the field \"a\" occurs twice");
    let mut bomb = "queue: q\ntasks: {t: {parameters: *a8}}\n".to_owned();
    for level in 0..9 {
        let below = if level == 0 { "x".to_owned() } else { format!("*a{}", level - 1) };
        bomb = format!("a{level}: &a{level} [{}]\n{bomb}", vec![below; 10].join(","));
    }
    let mut lines: Vec<&str> = bomb.lines().collect();
    lines[..9].reverse();
    let (code, _, err) = {
        fs::write(&file, lines.join("\n")).unwrap();
        world.outcome(&["graph", "submit", file.to_str().unwrap()])
    };
    assert!(code == 2 && (err.contains("with its aliases") || err.contains("repetition limit")), "{err}");
    refused(&format!("queue: q\ntasks: {{a: {{parameters: {}}}}}\n", "x".repeat(8 << 20)), "at most 8388608 (8 MiB)");
    let all: Vec<String> = (0..10_001).map(|n| format!("t{n}")).collect();
    let many = format!("queue: q\ntasks:\n  a: {{array: 1-10000}}\n  b: {{needs: [{}]}}\n", "a");
    refused(&many, "10001 tasks: a graph has at most 10000");
    let fan: Vec<String> = all.iter().map(|name| format!("  {name}: {{}}\n")).collect();
    refused(&format!("queue: q\ntasks:\n{}", fan.concat()), "10001 tasks: a graph has at most 10000");
    for (args, expected) in [
        (&["submit", "q", "--array", "5-3"][..], "5-3 has no element"),
        (&["submit", "q", "--array", "1-10001"], "over 10000 elements"),
        (&["submit", "q", "--array", "1-2%0"], "must be such as"),
        (&["submit", "q", "--array", "x"], "must be such as"),
        (&["submit", "q", "--array", "1-2", "--unique", "u"], "has no unique name"),
        (&["submit", "q", "--array", "1-2", "--wait"], "cannot be used with"),
    ] {
        let (code, out, err) = world.outcome(args);
        assert!(code == 2 && out.is_empty() && err.contains(expected), "{args:?}: {code} {err}");
    }
    // The server refuses the array: the limit of the array is not left behind either.
    ok(&world, &["config", "set", "--queue", "shut", "closed=1"]);
    let before = keys(&world);
    let (code, _, err) = world.outcome(&["submit", "shut", "--array", "1-50%2"]);
    assert!(code == 5 && err.contains("CLOSED"), "{code} {err}");
    assert_eq!(keys(&world), before);
    assert!(world.client.queues().unwrap().is_empty());
}

#[test]
fn a_chain_of_10_000_and_names_of_any_characters_are_accepted_and_shown() {
    let world = World::new();
    let chain: Vec<String> = (1..10_000).map(|n| format!("\"t{n}\": {{\"needs\": [\"t{}\"]}}", n - 1)).collect();
    let text = format!("{{\"queue\": \"q\", \"tasks\": {{\"t0\": {{}}, {}}}}}", chain.join(","));
    fs::write(world.path("chain.json"), text).unwrap();
    let file = world.path("chain.json");
    assert_eq!(ok(&world, &["graph", "submit", file.to_str().unwrap(), "--id", "chain", "-o", "id"]), "chain\n");
    let shown = ok(&world, &["graph", "show", "chain"]);
    assert!(shown.starts_with("graph chain: 1 pending, 9999 waiting\n") && shown.lines().count() == 10_002);
    assert!(ok(&world, &["graph", "export", "chain"]).contains("  t9998 -> t9999;\n"));
    let odd = "é \u{1b}[31m\"\\`'#<b>&\n日本";
    let tasks = json!({"queue": "q", "tasks": {odd: {}, "b": {"needs": [odd]}}});
    fs::write(world.path("odd.json"), tasks.to_string()).unwrap();
    ok(&world, &["graph", "submit", world.path("odd.json").to_str().unwrap(), "--id", "odd"]);
    assert_eq!(json(&world, &["graph", "show", "odd"])["tasks"][0]["task"], odd);
    let dot = ok(&world, &["graph", "export", "odd", "--format", "dot"]);
    assert!(dot.contains(r#"[label="é \"\\`'#<b>& 日本""#) && !dot.contains('\u{1b}'), "{dot}");
    let mermaid = ok(&world, &["graph", "export", "odd", "--format", "mermaid"]);
    assert!(mermaid.contains(r#"t0["é #quot;\#96;'#35;#lt;b#gt;#amp; 日本"]:::pending"#), "{mermaid}");
}

#[test]
fn graphs_are_listed_drawn_and_their_end_is_expected() {
    let world = World::new();
    world.program("q", "sleep 0.2; echo 1");
    world.program("fail", "exit 64");
    let submit = |id: &str, name: &str, text: &str| {
        let graph = Graph::from_json(text).unwrap().id(GraphId::new(id).unwrap()).name(name).tag(name);
        world.client.submit_graph(&graph).unwrap();
    };
    submit(
        "done",
        "first",
        r#"{"queue": "q", "tasks": {"a": {}, "b": {"needs": ["a"]}, "tidy": {"after_failure": ["a"]}}}"#,
    );
    submit("bad", "second", r#"{"queue": "q", "tasks": {"a": {"method": "fail"}, "b": {"needs": ["a"]}}}"#);
    let worker = world.worker(&["--queue", "q"]);
    assert_eq!(world.outcome(&["graph", "wait", "done", "--timeout", "120s"]).0, 0);
    let shown = ok(&world, &["graph", "show", "done"]);
    assert!(shown.contains("2 complete, 1 skipped") && shown.contains("not needed after a"), "{shown}");
    assert_eq!(world.outcome(&["graph", "wait", "bad", "--timeout", "120s"]).0, 1);
    drop(worker);
    submit(
        "open",
        "third",
        r#"{"queue": "q", "tasks": {"a": {}, "b": {"needs": ["a"]}, "c": {"after_failure": ["a"]}}}"#,
    );
    let list = ok(&world, &["graph", "ls"]);
    let states: Vec<Vec<&str>> = list.lines().skip(1).map(|line| line.split_whitespace().take(4).collect()).collect();
    assert_eq!(
        states,
        [
            ["open", "third", "running", "0%"],
            ["bad", "second", "failed", "100%"],
            ["done", "first", "complete", "100%"]
        ]
    );
    for (args, expected) in [
        (&["--status", "running,failed"][..], "open\nbad\n"),
        (&["--name", "first"], "done\n"),
        (&["--tag", "second"], "bad\n"),
        (&["--limit", "1"], "open\n"),
    ] {
        assert_eq!(ok(&world, &[&["graph", "ls", "-o", "id"], args].concat()), expected);
    }
    let listed: Vec<GraphId> = world.client.graphs().map(|graph| graph.unwrap().id).collect();
    assert_eq!(listed.iter().map(GraphId::as_str).collect::<Vec<_>>(), ["open", "bad", "done"]);
    let dot = ok(&world, &["graph", "export", "open"]);
    assert!(dot.starts_with("digraph \"third\" {") && dot.contains("t0 -> t2 [label=\"failure\"];"), "{dot}");
    let mermaid = ok(&world, &["graph", "export", "open", "--format", "mermaid"]);
    assert!(mermaid.starts_with("flowchart LR\n") && mermaid.contains("  t0 --> t1\n"), "{mermaid}");
    // With a worker and earlier runs of the queue, the command estimates the end of the graph.
    for number in 0..5 {
        world.submit("q", &number.to_string());
    }
    world.program("q", "sleep 0.2; while [ -e FOLDER/hold ]; do sleep 0.02; done; echo 1");
    fs::write(world.path("hold"), "").unwrap();
    let _worker = world.worker(&["--queue", "q", "--slots", "1"]);
    status(&world.client.task("open.0").unwrap(), Status::Started);
    let shown = eventually("the end is expected", || {
        let shown = ok(&world, &["graph", "show", "open"]);
        shown.contains("expected to end ").then_some(shown)
    });
    assert!(shown.starts_with("graph open (third): 1 started, 2 waiting; expected to end "), "{shown}");
    assert!(json(&world, &["graph", "show", "open"])["expected_end"].is_string());
    fs::remove_file(world.path("hold")).unwrap();
    // The command refreshes until all tasks have ended.
    let watched = ok(&world, &["graph", "show", "open", "--watch", "-o", "jsonl"]);
    assert!(watched.lines().last().unwrap().contains("\"skipped\""), "{watched}");
}
