//! The commands that show what comes next, what happened, and where tasks are.

use blueque::Submit;
use blueque::calls::FailOptions;
use serde_json::{Value, json};

use crate::Desk;

/// The ids of a list.
fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

#[test]
fn peek_shows_what_comes_next_and_what_is_passed_over_and_why() {
    let desk = Desk::new();
    desk.ok(&["limit", "set", "--shared", "gpu", "--concurrency", "1"]);
    for (id, more) in [("b", &[][..]), ("a", &["--priority", "1"]), ("g", &["--needs", "disk"])] {
        desk.ok(&[&["submit", "q", "--id", id], more].concat());
    }
    desk.ok(&["submit", "q", "--id", "l", "--limits", "gpu"]);
    desk.ok(&["submit", "other", "--id", "o", "--limits", "gpu"]);
    let holder = desk.take("other");
    let seen = desk.json(&["queue", "peek", "q"]);
    assert_eq!(seen[0], json!({"id": "a", "place": 1}));
    assert_eq!(seen[1], json!({"id": "b", "place": 2}));
    let passed = |id: &str| seen.as_array().unwrap().iter().find(|one| one["id"] == id).unwrap()["passed"].clone();
    assert_eq!((passed("g"), passed("l")), (json!("needs"), json!("limit_full")));
    let table = desk.ok(&["queue", "peek", "q"]);
    for words in ["its needs are not met", "all places of a shared limit are taken"] {
        assert!(table.contains(words), "{table}");
    }
    assert_eq!(ids(&desk.json(&["queue", "peek", "q", "--has", "disk", "-n", "3"]))[..3], ["a", "b", "g"]);
    holder.complete(&()).unwrap();
    assert!(ids(&desk.json(&["queue", "peek", "q", "-n", "3"]))[..3].contains(&"l"), "the place is free");
    desk.ok(&["queue", "pause", "q"]);
    assert!(desk.ok(&["queue", "peek", "q"]).contains("the queue is paused"));
    assert!(desk.refused(2, &["queue", "peek", "q", "-n", "501"]).contains("500"));
    assert!(desk.refused(2, &["queue", "peek", "q", "--has", "a b"]).contains("BADARG"));
}

#[test]
fn stats_of_a_host_count_only_its_attempts() {
    let desk = Desk::new();
    let queue = desk.client().queue("q").unwrap();
    for id in ["t", "u"] {
        queue.submit(&(), Submit::default().id(blueque::TaskId::new(id).unwrap())).unwrap();
        let task = desk.take("q");
        if id == "t" { task.complete(&()).map(drop).unwrap() } else { task.fail("no").map(drop).unwrap() }
    }
    let of = |host: &str| desk.json(&["queue", "stats", "q", "--host", host]);
    let (here, elsewhere) = (of("host"), of("elsewhere"));
    assert_eq!((&here["total"]["complete"], &here["total"]["failed"]), (&json!(1), &json!(1)), "{here}");
    assert_eq!(elsewhere["total"]["complete"], json!(0), "{elsewhere}");
    assert!(desk.ok(&["queue", "stats", "q", "--host", "host"]).contains("complete"));
    assert!(desk.refused(2, &["queue", "stats", "q", "--host", "a b"]).contains("BADNAME"));
}

#[test]
fn a_running_task_begins_once_more_and_another_request_is_refused() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "[1]", "--id", "t"]);
    let task = desk.take("q");
    let again = ["submit", "q", "[2]", "--id", "t", "--again", "--once-more", "--request", "two"];
    assert_eq!(desk.json(&again)["submitted"], "later");
    assert_eq!(desk.json(&again)["round"], 2, "the same command again");
    let other = [&again[..8], &["three"]].concat();
    assert!(desk.refused(5, &other).contains("STATE"));
    assert!(desk.refused(2, &["submit", "q", "--id", "t", "--once-more", "--request", "x"]).contains("--again"));
    task.complete(&()).unwrap();
    while desk.client().maintenance(&[]).unwrap().more {}
    let shown = desk.json(&["show", "t"]);
    assert_eq!((&shown["status"], &shown["round"], &shown["parameters"]), (&json!("pending"), &json!(2), &json!([2])));
}

#[test]
fn find_asks_all_queues_or_one() {
    let desk = Desk::new();
    for (queue, id, tag) in [("a", "a-1", "x"), ("b", "b-1", "x"), ("b", "b-2", "y"), ("c", "c-1", "x")] {
        desk.ok(&["submit", queue, "--id", id, "--tag", tag, "--method", "m"]);
    }
    desk.ok(&["cancel", "c-1"]);
    let mut found = desk.json(&["find", "--tag", "x"]);
    found.as_array_mut().unwrap().sort_by_key(|one| one["id"].as_str().unwrap().to_owned());
    assert_eq!(ids(&found), ["a-1", "b-1", "c-1"]);
    assert_eq!(ids(&desk.json(&["find", "b", "--tag", "x"])), ["b-1"]);
    assert_eq!(ids(&desk.json(&["find", "--tag", "x", "--status", "cancelled"])), ["c-1"]);
    assert_eq!(ids(&desk.json(&["find", "--prefix", "b-", "--method", "m"])).len(), 2);
    let few = desk.run(&["find", "--method", "m", "--limit", "2", "-o", "id"]);
    assert_eq!((few.code, few.out.lines().count()), (0, 2), "{}", few.err);
    assert!(few.err.contains('2'), "it says that there are more: {}", few.err);
    assert_eq!(desk.ok(&["find", "--tag", "none", "-o", "id"]), "");
    desk.refused(4, &["find", "nowhere", "--tag", "x"]);
}

#[test]
fn bulk_retries_failed_tasks_into_another_queue() {
    let desk = Desk::new();
    for id in ["a", "b", "c"] {
        desk.ok(&["submit", "q", "--id", id]);
        let group = if id == "c" { "other" } else { "disk is full at 17" };
        desk.take("q").fail_with("no", &FailOptions::new().group(group)).unwrap();
    }
    let said = desk.run(&["bulk", "retry", "q", "--group", "disk is full at 99", "--into", "spare", "--yes"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let counts = |queue: &str| {
        let counts = desk.client().queue(queue).unwrap().counts().unwrap();
        (counts.pending, counts.failed)
    };
    assert_eq!((counts("q"), counts("spare")), ((0, 1), (2, 0)));
    desk.ok(&["config", "set", "--queue", "shut", "closed=1"]);
    let refused = desk.run(&["bulk", "retry", "q", "--into", "shut", "--yes"]);
    assert!(
        refused.code != 0 || refused.err.contains("CLOSED") || refused.out.contains('0'),
        "{}{}",
        refused.out,
        refused.err
    );
    assert_eq!(counts("q"), (0, 1), "nothing has changed");
}

#[test]
fn too_many_patterns_are_refused_before_a_worker_starts() {
    let desk = Desk::new();
    for number in [101, 10_000] {
        let names: Vec<String> = (0..number).map(|nth| format!("video-{nth}-*")).collect();
        let mut args = vec!["worker"];
        args.extend(names.iter().flat_map(|name| ["--queue", name]));
        args.extend(["--", "true"]);
        let said = desk.refused(2, &args);
        assert!(said.contains(&format!("at most 100 patterns, not {number}")), "{said}");
    }
    assert!(desk.client().queues().unwrap().is_empty());
}
