//! Tests of plans, of the builder and of calls.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::{HashMap, HashSet};

use super::batches::{Part, batches};
use super::plan::Plan;
use super::*;
use crate::constants::CALL_BYTES;
use crate::names::{GraphId, TaskId};

/// A part of a call: the task, its entries, and its bytes.
type Sent = (usize, String, Vec<u8>);

fn ids(plan: &Plan) -> Vec<TaskId> {
    plan.ids(&GraphId::new("g").unwrap()).unwrap()
}

/// Returns the calls of a graph. Checks the bounds of each call, and that each task comes after its upstreams.
fn calls(graph: &Graph) -> Vec<Vec<Sent>> {
    let plan = graph.plan().unwrap();
    let ids = ids(&plan);
    let all = batches(&plan, &ids).unwrap();
    let mut begun = HashSet::new();
    for (number, batch) in all.iter().enumerate() {
        assert!((1..=500).contains(&batch.len()), "{}", batch.len());
        let entries: usize = batch.iter().map(|part| part.inputs.split(' ').filter(|e| !e.is_empty()).count()).sum();
        assert!(entries <= 1_000, "{entries}");
        let values = batch.iter().filter(|part| !part.parameters.is_empty()).count();
        let bytes: usize = batch.iter().map(|part| part.parameters.len()).sum();
        assert!(bytes <= CALL_BYTES as usize || values == 1, "{bytes}");
        assert!(begun.len() < plan.steps.len(), "call {number} comes after the last task");
        for part in batch {
            begun.insert(part.index);
            for id in part.inputs.split(' ').filter_map(|entry| entry.split_once("=g.")) {
                assert!(begun.contains(&id.1.parse::<usize>().unwrap()), "{id:?} comes before {}", part.index);
            }
        }
    }
    assert_eq!(begun.len(), plan.steps.len());
    let shown = |part: &Part<'_>| (part.index, part.inputs.clone(), part.parameters.clone());
    all.iter().map(|batch| batch.iter().map(shown).collect()).collect()
}

/// Returns all parts of a task together.
fn whole(calls: &[Vec<Sent>], index: usize) -> (Vec<String>, Vec<u8>) {
    let parts: Vec<_> = calls.iter().flatten().filter(|(other, ..)| *other == index).collect();
    let entries = parts.iter().flat_map(|(_, inputs, ..)| inputs.split(' ')).filter(|entry| !entry.is_empty());
    (entries.map(str::to_owned).collect(), parts.iter().flat_map(|(_, _, bytes)| bytes.clone()).collect())
}

fn problem(graph: &Graph) -> String {
    graph.check().unwrap_err().to_string()
}

#[test]
fn a_task_has_its_arguments_in_their_order_and_its_edges() {
    let graph = Graph::new();
    let save = graph.task("q", "save", &1234);
    let other = graph.task("q", "save", &5);
    let mail = graph.join("q", "mail").result_of(&other).argument("now").result_of(&save).result_of(&other);
    graph.task("q", "report", &[1, 2]).argument(&"x").needs(&save).after(&mail).after_failure(&other);
    graph.task("q", "late", "é").result_of(&mail);
    let calls = calls(&graph);
    assert_eq!(calls.len(), 1);
    assert_eq!(whole(&calls, 0), (vec![], b"1234".to_vec()));
    let mail = ["result/0=g.1", "value/1=5", "result/2=g.0", "result/3=g.1"].map(str::to_owned).to_vec();
    assert_eq!(whole(&calls, 2), (mail, br#""now""#.to_vec()));
    // A list of values has no upstream, so the client builds it.
    let report = ["success=g.0", "after=g.2", "failure=g.1"].map(str::to_owned).to_vec();
    assert_eq!(whole(&calls, 3), (report, br#"[[1,2],"x"]"#.to_vec()));
    let late = ["value/0=4", "result/1=g.2"].map(str::to_owned).to_vec();
    assert_eq!(whole(&calls, 4), (late, "\"é\"".as_bytes().to_vec()));
}

#[test]
fn an_array_has_a_task_for_each_index() {
    let graph = Graph::new();
    let cut = graph.task("q", "cut", &());
    let sims = graph.array("q", "sim", 3..=5, |index| index * 10).label("sim").at_most(2).result_of(&cut);
    let all = graph.array("q", "all", 1..=2, |_| "x").at_most(2).needs(&cut);
    graph.join("q", "join").results_of(&sims).after(&all.get(2).unwrap());
    assert!(sims.get(6).is_none());
    let labels: Vec<String> = graph.plan().unwrap().steps.iter().map(|step| step.label.clone()).collect();
    assert_eq!(labels, ["cut-0", "sim[3]", "sim[4]", "sim[5]", "all-4[1]", "all-4[2]", "join-6"]);
    assert_eq!(graph.plan().unwrap().bounds(&ids(&graph.plan().unwrap())).as_deref(), Some("q/g.1=2"));
    let calls = calls(&graph);
    assert_eq!(whole(&calls, 2), (vec!["value/0=2".to_owned(), "result/1=g.0".to_owned()], b"40".to_vec()));
    let join = ["result/0=g.1", "result/1=g.2", "result/2=g.3", "after=g.5"].map(str::to_owned).to_vec();
    assert_eq!(whole(&calls, 6).0, join);
}

#[test]
fn what_is_wrong_with_an_array_is_told() {
    let with = |range: std::ops::RangeInclusive<u64>, most| {
        let graph = Graph::new();
        graph.task("q", "first", &());
        graph.array("q", "sim", range, |index| index).at_most(most);
        problem(&graph)
    };
    assert_eq!(with(std::ops::RangeInclusive::new(2, 1), 1), "an array has no element: the lower index comes first");
    assert_eq!(with(0..=u64::MAX, 1), "an array of over 10000 elements: a graph has at most 10000 tasks");
    assert_eq!(with(1..=10_000, 1), "10001 tasks: a graph has at most 10000; submit several graphs");
    assert_eq!(with(1..=3, 0), "an array of which none may run at a time: allow at least 1");
    let graph = Graph::new();
    graph.array("q", "sim", 1..=3, |index| index).at_most(2).options(&TaskOptions::default().key("k"));
    let text = "an array with a bound has a key of its own: leave out one of them";
    assert_eq!(problem(&graph), format!("task 0 \"sim-0[1]\", options.key: {text}"));
}

#[test]
fn tasks_stand_after_their_upstreams_and_otherwise_where_they_stood() {
    let graph = Graph::new();
    let tasks: Vec<_> = (0..5).map(|_| graph.task("q", "m", &())).collect();
    tasks[0].after(&tasks[3]);
    tasks[1].after(&tasks[0]);
    assert_eq!(graph.plan().unwrap().order, [2, 3, 0, 1, 4]);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    assert_eq!(problem(&Graph::new()), "a graph needs at least one task");
    let of = |make: &dyn Fn(&Graph)| {
        let graph = Graph::new();
        make(&graph);
        problem(&graph)
    };
    let at = |index, label, text: &str| format!("task {index} {label:?}{text}");
    let first = of(&|graph| {
        graph.task("q", "m", &());
        graph.task("a queue", "m", &());
    });
    assert_eq!(first, at(1, "m-1", ", queue: must be 1 to 128 characters of A-Z a-z 0-9 . _ : @ -"));
    assert!(of(&|graph| _ = graph.task("q", "", &())).starts_with("task 0 \"-0\", method: must be 1 to"));
    let map = HashMap::from([((1, 2), 3)]);
    assert_eq!(of(&|graph| _ = graph.task("q", "m", &map)), at(0, "m-0", ", parameters: key must be a string"));
    let unique = TaskOptions::default().priority(1).unique("u");
    assert!(of(&|graph| _ = graph.task("q", "m", &()).options(&unique)).contains("options.unique: a task of a graph"));
    let twice = of(&|graph| _ = (graph.task("q", "m", &()).label("é"), graph.task("q", "m", &()).label("é")));
    assert_eq!(twice, "task 1: task 0 has the same name: \"é\"");
    let itself = of(&|graph| {
        let task = graph.join("q", "m").argument(&1);
        task.result_of(&task);
    });
    assert_eq!(itself, at(0, "m-0", ", args[1]: the task waits for itself"));
    let other = Graph::new();
    let foreign = other.task("q", "m", &());
    assert!(of(&|graph| _ = graph.task("q", "m", &()).after(&foreign)).contains("a task of another graph"));
    let long = "x".repeat(1_001);
    let odd = of(&|graph| _ = graph.task("q", "m", &()).label(&long));
    assert_eq!(odd, "task 0: the name of a task must have 1 to 1000 bytes");
    let inputs = of(&|graph| {
        let one = graph.task("q", "m", &());
        let two = graph.join("q", "m");
        (0..=10_000).for_each(|_| _ = two.result_of(&one));
    });
    assert_eq!(inputs, at(1, "m-1", ", args: 10001 arguments and edges of one task: at most 10000"));
}

#[test]
fn an_upstream_has_one_edge_the_strictest() {
    let graph = Graph::new();
    let a = graph.task("q", "m", &());
    graph.task("q", "m", &()).after(&a).needs(&a).after(&a);
    graph.join("q", "m").result_of(&a).after(&a).needs(&a).result_of(&a);
    graph.task("q", "m", &()).after_failure(&a).after(&a);
    let calls = calls(&graph);
    let entries = |index| whole(&calls, index).0;
    assert_eq!(entries(1), ["success=g.0"]);
    assert_eq!(entries(2), ["result/0=g.0", "result/1=g.0"]);
    assert_eq!(entries(3), ["failure=g.0"]);
    graph.task("q", "m", &1).result_of(&a).after_failure(&a);
    let never =
        "task 4 \"m-4\", after_failure: the task could never run: it needs the success and the failure of \"m-0\"";
    assert_eq!(problem(&graph), never);
}

#[test]
fn of_a_set_some_are_enough_and_their_number_comes_last() {
    let graph = Graph::new();
    let [a, b, c] = [0, 1, 2].map(|number| graph.task("q", "m", &number));
    graph.join("q", "m").result_of(&b).at_least(2, &[a, b, c, a]).argument(&7).result_of(&b).after(&graph.task(
        "q",
        "m",
        &(),
    ));
    let calls = calls(&graph);
    let entries = ["some/0=g.1", "value/1=1", "some/2=g.1", "after=g.4", "some=g.0", "some=g.2", "least/2"];
    assert_eq!(whole(&calls, 3).0, entries);
    assert_eq!(
        problem_of(|graph| _ = graph.task("q", "m", &()).at_least(1, &[])),
        "task 0 \"m-0\", at_least.count: at least 1 of 0 tasks: it must be 1 to 0"
    );
    let twice = problem_of(|graph| {
        let one = graph.task("q", "m", &());
        graph.task("q", "m", &()).at_least(1, &[one]).at_least(1, &[one]);
    });
    assert_eq!(twice, "task 1 \"m-1\", at_least: the task has one already: it waits for some of one set");
    // A long last task is split over several calls, and the last call has the minimum number.
    let long = Graph::new();
    let all: Vec<_> = (0..9_999).map(|index| long.task("q", "m", &index)).collect();
    long.task("q", "m", &()).at_least(9_000, &all);
    let calls = self::calls(&long);
    let (_, last, _) = calls.last().unwrap().last().unwrap();
    assert!(last.ends_with("least/9000") && calls.len() > 10, "{last}");
    assert_eq!(whole(&calls, 9_999).0.len(), 10_000);
}

fn problem_of(build: impl Fn(&Graph)) -> String {
    let graph = Graph::new();
    build(&graph);
    problem(&graph)
}

#[test]
fn a_cycle_is_named_with_its_path() {
    let graph = Graph::new();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|label| graph.task("q", "m", &()).label(label));
    // Tasks upstream and downstream of a cycle are not part of it.
    d.after(&b);
    b.needs(&a);
    c.result_of(&b).after(&graph.task("q", "m", &()));
    assert!(graph.check().is_ok());
    a.after_failure(&c);
    assert_eq!(problem(&graph), "task 0 \"a\": these tasks wait for one another: a -> b -> c -> a");
    // The message for a long cycle shows both ends.
    let long = Graph::new();
    let tasks: Vec<_> = (0..10_000).map(|number| long.task("q", "m", &()).label(format!("t{number}"))).collect();
    for (number, task) in tasks.iter().enumerate() {
        task.needs(&tasks[(number + 9_999) % 10_000]);
    }
    let text = problem(&long);
    assert!(
        text.contains("t0 -> t1 -> t2") && text.contains(" … 9981 more … ") && text.ends_with("t9999 -> t0"),
        "{text}"
    );
    let long = Graph::new();
    let tasks: Vec<_> = (0..10_000).map(|_| long.task("q", "m", &())).collect();
    for pair in tasks.windows(2) {
        pair[1].after(&pair[0]);
    }
    assert!(long.check().is_ok());
    tasks[0].after(&tasks[9_999]);
    assert!(problem(&long).ends_with("m-9998 -> m-9999 -> m-0"), "{}", &problem(&long)[..200]);
}

#[test]
fn a_task_that_waits_for_9_999_others_continues_over_several_calls() {
    let graph = Graph::new();
    let all: Vec<_> = (0..9_999).map(|index| graph.task("q", "m", &index)).collect();
    let join = graph.join("q", "join");
    for one in &all {
        join.result_of(one);
    }
    let calls = calls(&graph);
    assert!(calls.len() <= 20 + 21, "{}", calls.len());
    let ends = calls.last().unwrap().iter().map(|(index, ..)| *index).collect::<Vec<_>>();
    assert_eq!(ends, [9_998, 9_999], "the graph is created by the call that brings the last of its tasks");
    let (mut entries, bytes) = whole(&calls, 9_999);
    entries.sort_by_key(|entry| entry.rsplit_once('.').unwrap().1.parse::<usize>().unwrap());
    assert!(bytes.is_empty());
    let expected: Vec<_> = (0..9_999).map(|slot| format!("result/{slot}=g.{slot}")).collect();
    assert!(entries == expected);
    graph.task("q", "m", &());
    assert_eq!(problem(&graph), "10001 tasks: a graph has at most 10000; submit several graphs");
}

#[test]
fn chains_and_trees_of_10_000_are_split_into_calls_of_500_entries() {
    for upstream in [|index: usize| index.checked_sub(1), |index: usize| index.checked_sub(1).map(|at| at / 2)] {
        let graph = Graph::new();
        let mut tasks: Vec<GraphTask<'_>> = Vec::new();
        for index in 0..10_000 {
            let task = graph.task("q", "m", &index);
            upstream(index).map(|at| task.result_of(&tasks[at]));
            tasks.push(task);
        }
        assert_eq!(calls(&graph).len(), 40);
    }
}

#[test]
fn the_last_task_goes_as_a_whole_behind_tasks_with_several_edges() {
    for (edges, last) in [(1, 400), (3, 500), (3, 501), (7, 400)] {
        let graph = Graph::new();
        let first: Vec<_> = (0..edges).map(|_| graph.task("q", "m", &())).collect();
        let all: Vec<_> = (0..last).map(|number| graph.task("q", "m", &number)).collect();
        for number in 0..300 {
            let task = graph.task("q", "m", &number);
            for one in &first {
                task.after(one);
            }
        }
        let join = graph.join("q", "m");
        for one in &all {
            join.result_of(one);
        }
        assert_eq!(whole(&calls(&graph), 300 + edges + last).0.len(), last);
    }
}

#[test]
fn values_are_split_by_their_bytes_and_none_is_cut() {
    let graph = Graph::new();
    let value = "x".repeat(2_600_000);
    let first = graph.task("q", "m", &());
    let join = graph.join("q", "m").result_of(&first);
    (0..5).for_each(|_| _ = join.argument(&value));
    join.argument(&"y".repeat(7_500_000)).after(&graph.task("q", "m", &()));
    let calls = calls(&graph);
    let sizes: Vec<usize> = calls.iter().map(|batch| batch.iter().map(|(_, _, bytes)| bytes.len()).sum()).collect();
    assert_eq!(sizes, [4 + 2 * 2_600_002, 2 * 2_600_002, 2_600_002, 7_500_002, 4]);
    assert_eq!(whole(&calls, 1).0.len(), 8);
    // Parameters that are sent as a whole are never split.
    let plain = Graph::new();
    (0..5).for_each(|_| _ = plain.task("q", "m", &value));
    assert_eq!(self::calls(&plain).iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
}

#[test]
fn ids_begin_with_the_graphs_id_and_are_names_of_tasks() {
    let graph = Graph::new();
    graph.task("q", "m", &()).label("odd \" name\n/…");
    let plan = graph.plan().unwrap();
    assert_eq!(ids(&plan)[0].as_str(), "g.0");
    assert!(GraphId::new("g".repeat(101)).is_err());
    let longest = GraphId::new("g".repeat(100)).unwrap();
    assert_eq!(plan.ids(&longest).unwrap()[0].as_str().len(), 102);
}

#[test]
fn all_clients_compute_the_same_digest() {
    let text = r#"{"name": "film", "on_failure": "hold", "tasks": {
        "a & b ü": {"queue": "split", "parameters": [1]},
        "join": {"queue": "join", "args": [{"result": "a & b ü"}, {"value": 2}], "options": {"priority": 3}},
        "tidy": {"queue": "tidy", "parameters": [], "after": ["join"]}
    }}"#;
    assert_eq!(digest_of(&Graph::from_json(text).unwrap()), "ec0fcf55f8f8c2c8cfa9918d7810f0a8581ce79d"); // same as in all clients
}

fn digest_of(graph: &Graph) -> String {
    let plan = graph.plan().unwrap();
    super::digest::digest(&plan, &ids(&plan), &graph.whole.options())
}

#[test]
fn whatever_differs_changes_the_digest_but_not_the_order_of_options() {
    let text = |task: &str, whole: &str| {
        let text = format!(r#"{{{whole}"queue": "q", "tasks": {{"a": {{"parameters": 1}}, "b": {{{task}}}}}}}"#);
        digest_of(&Graph::from_json(&text).unwrap())
    };
    let plain = r#""needs": ["a"], "parameters": 1, "options": {"tags": "x", "delay": 3}"#;
    let others = [
        (r#""needs": ["a"], "parameters": 1, "options": {"tags": "x", "delay": 4}"#, ""),
        (r#""needs": ["a"], "parameters": 1, "options": {"tags": "x"}"#, ""),
        (r#""needs": ["a"], "parameters": 2, "options": {"tags": "x", "delay": 3}"#, ""),
        (r#""after": ["a"], "parameters": 1, "options": {"tags": "x", "delay": 3}"#, ""),
        (r#""parameters": 1, "options": {"tags": "x", "delay": 3}"#, ""),
        (r#""needs": ["a"], "args": [{"value": 1}], "options": {"tags": "x", "delay": 3}"#, ""),
        (r#""needs": ["a"], "eta": 5, "parameters": 1, "options": {"tags": "x", "delay": 3}"#, ""),
        (r#""needs": ["a"], "parameters": 1, "options": {"tags": "x", "delay": 3, "deadline": 9}"#, ""),
        (r#""needs": ["a"], "queue": "r", "parameters": 1, "options": {"tags": "x", "delay": 3}"#, ""),
        (plain, r#""name": "n", "#),
        (plain, r#""deadline": 2000000000, "#),
        (plain, r#""on_failure": "hold", "#),
    ];
    let all: HashSet<_> = others.iter().map(|(task, whole)| text(task, whole)).chain([text(plain, "")]).collect();
    assert_eq!(all.len(), others.len() + 1);
    let at = |eta: u32| text(&format!(r#""eta": {eta}"#), &format!(r#""deadline": {}, "#, eta + 60));
    assert_eq!(at(1_900_000_000), at(1_900_000_007)); // they may be relative to the time of the submit
    assert_eq!(text(plain, ""), text(r#""options": {"delay": 3, "tags": "x"}, "parameters": 1, "needs": ["a"]"#, ""));
}
