use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::{Desk, SOON};

#[test]
fn a_list_shows_running_tasks_first_in_each_format() {
    let desk = Desk::new();
    for id in ["done", "runs", "waits"] {
        desk.ok(&["submit", "q", "--id", id]);
    }
    desk.ok(&["edit", "waits", "--title", "Episode 7"]);
    desk.ok(&["submit", "r", "[\"movie.mkv\"]", "--id", "later", "--eta", "+1h"]);
    desk.take("q").complete("x").unwrap();
    desk.take("q").progress(&serde_json::json!({ "done": 5, "total": 12, "message": "epoch\u{1b}[2J" })).unwrap();
    assert_eq!(desk.ok(&["ls", "-o", "id"]), "runs\nwaits\nlater\ndone\n");
    assert_eq!(desk.ok(&["ls", "r", "-o", "id"]), "later\n");
    assert_eq!(
        desk.ok(&["ls", "r", "--queue", "q", "--status", "pending", "--status", "complete", "-o", "id"]),
        "waits\ndone\n"
    );
    let table = desk.ok(&["ls"]);
    let heads: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heads, ["ID", "STATE", "QUEUE", "TASK", "METHOD", "TAGS", "ATTEMPT", "SINCE", "PROGRESS", "ON", "COST"]);
    let runs = table.lines().nth(1).unwrap();
    assert!(runs.starts_with("runs ") && runs.contains("41% 5/12 epoch") && runs.contains("host_1"), "{table:?}");
    assert!(!table.contains('\u{1b}'), "{table:?}");
    assert!(table.contains(" Episode 7 ") && table.contains(" [\"movie.mkv\"] "), "{table}");
    let rows = desk.json(&["ls"]);
    assert_eq!(rows.as_array().unwrap().len(), 4);
    assert_eq!(rows[0]["progress"]["total"], 12);
    let lines = desk.ok(&["ls", "-o", "jsonl"]);
    let ids = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].clone());
    assert_eq!(ids.collect::<Vec<_>>(), ["runs", "waits", "later", "done"]);
    let left = desk.run(&["ls", "--limit", "2"]);
    assert_eq!(left.out.lines().count(), 3);
    assert!(left.err.contains("--limit shows more"), "{}", left.err);
    assert_eq!(desk.json(&["ls", "r", "--status", "failed"]), serde_json::json!([]));
    desk.refused(2, &["ls", "--status", "broken"]);
    desk.refused(2, &["ls", "--limit", "0"]);
}

#[test]
fn a_watched_list_looks_again_until_its_reader_goes_and_ends_quietly() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "first"]);
    let mut child = desk.command(&["ls", "--watch", "-o", "id"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "first");
    desk.ok(&["submit", "q", "--id", "second"]);
    assert!(lines.any(|line| line.unwrap() == "second"));
    drop(lines);
    let left = crate::left(child.wait_with_output().unwrap());
    assert_eq!((left.code, left.err.as_str()), (0, ""));
}

#[test]
fn why_is_one_true_sentence_in_every_state() {
    let desk = Desk::new();
    let why = |id: &str| desk.ok(&["why", id]);
    desk.ok(&["submit", "q", "--id", "a"]);
    desk.ok(&["submit", "q", "--id", "b"]);
    desk.ok(&["submit", "q", "--id", "c"]);
    assert_eq!(why("a"), "Its queue q has no worker: start a worker for it.\n");
    let task = desk.take("q");
    let sentence = why("a");
    assert!(
        sentence.starts_with("It has been running on host_1 for ") && sentence.ends_with(", attempt 1.\n"),
        "{sentence}"
    );
    assert_eq!(why("b"), "It is the next of its queue, and the only worker of q holds 1 task.\n");
    assert_eq!(why("c"), "It waits behind 1 other task, and the only worker of q holds 1 task.\n");
    task.complete("x").unwrap();
    assert!(why("a").starts_with("It ended well 20"), "{}", why("a"));
    assert_eq!(
        why("b"),
        "It is the next of its queue, and 1 of 1 workers of q can take it: one should take it soon.\n"
    );
    desk.take("q").fail("no disk\nleft").unwrap();
    assert!(why("b").ends_with(": no disk left.\n"), "{}", why("b"));
    let answer = desk.json(&["why", "c"]);
    assert_eq!((&answer["status"], &answer["queue"]), (&"pending".into(), &"q".into()));
    assert_eq!(desk.ok(&["why", "c", "-o", "id"]), "c\n");
}

#[test]
fn events_of_a_task_that_is_gone_are_shown_and_of_one_that_never_was_there_is_none() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    for options in [&["events", "q", "--task", "ghost"][..], &["events", "q", "--task", "ghost", "-f"]] {
        let said = desk.refused(4, options);
        assert!(said.contains("there is no task ghost, and q has no event of it"), "{said}");
    }
    desk.ok(&["cancel", "t"]);
    desk.ok(&["delete", "t"]);
    assert!(desk.ok(&["events", "q", "--task", "t", "-o", "id"]).starts_with("t\nt\n"));
    desk.refused(4, &["events", "--task", "t"]);
}

#[test]
fn events_are_shown_as_they_were_and_as_they_come() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    desk.ok(&["cancel", "t"]);
    let events = desk.json(&["events", "q"]);
    let steps: Vec<(&str, &str)> =
        events.as_array().unwrap().iter().map(|e| (e["to"].as_str().unwrap(), e["why"].as_str().unwrap())).collect();
    assert_eq!(steps, [("pending", "submit"), ("cancelled", "cancel")]);
    assert_eq!(desk.ok(&["events", "q", "-n", "1", "-o", "jsonl"]).lines().count(), 1);
    assert!(desk.ok(&["events", "q"]).starts_with("AT "));
    let mut child = desk.command(&["events", "q", "-f", "-o", "jsonl"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("\"pending\""));
    assert!(lines.next().unwrap().unwrap().contains("\"cancelled\""));
    desk.ok(&["retry", "t"]);
    assert!(lines.next().unwrap().unwrap().contains("\"retry\""));
    drop(lines);
    desk.ok(&["cancel", "t"]); // the output goes to a closed pipe
    let left = crate::left(child.wait_with_output().unwrap());
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    assert!(desk.refused(2, &["events", "q", "-f", "-o", "json"]).contains("jsonl"));
}

#[test]
fn changes_of_tracked_tasks_are_shown_over_all_queues_as_they_come() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    desk.ok(&["submit", "q", "--id", "other"]);
    assert!(desk.ok(&["track", "add", "t"]).contains("tracked"));
    desk.ok(&["move", "r", "t"]);
    desk.ok(&["cancel", "other"]);
    assert_eq!(desk.ok(&["track", "ls", "-o", "id"]), "t\n");
    assert_eq!(desk.json(&["track", "ls"])[0]["queue"], "r");
    let mut child = desk.command(&["events", "--tracked", "-f", "-o", "jsonl"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for word in ["\"track\"", "\"moved\"", "\"pending\""] {
        let line = lines.next().unwrap().unwrap();
        assert!(line.contains(word), "{line}");
    }
    let task = desk.take("r");
    task.progress(&serde_json::json!({ "done": 1 })).unwrap();
    for word in ["\"started\"", r#""text":{"done":1}"#] {
        let line = lines.find(|line| line.as_ref().unwrap().contains(word));
        assert!(line.is_some(), "{word}");
    }
    drop(lines);
    desk.ok(&["note", "t", "a word"]); // the output goes to a closed pipe
    let left = crate::left(child.wait_with_output().unwrap());
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    assert!(desk.ok(&["events", "--tracked", "--task", "t", "-n", "1"]).contains("a word"));
    assert!(desk.ok(&["track", "remove", "t"]).contains("untracked"));
    assert_eq!(desk.ok(&["track", "ls", "-o", "id"]), "");
    assert_eq!(desk.run(&["track", "add", "nosuch"]).code, 4);
    desk.refused(2, &["events", "q", "--tracked"]);
}

#[test]
fn waiting_ends_with_the_worst_end_or_with_the_limit() {
    let desk = Desk::new();
    for id in ["good", "bad", "gone", "open"] {
        desk.ok(&["submit", "q", "--id", id]);
    }
    desk.take("q").complete("x").unwrap();
    desk.take("q").fail("broken").unwrap();
    desk.ok(&["cancel", "gone", "--reason", "no need"]);
    assert_eq!(desk.run(&["wait", "good", "-o", "id"]).out, "good\n");
    assert_eq!(desk.run(&["wait", "good", "bad", "gone"]).code, 1);
    assert_eq!(desk.run(&["wait", "good", "gone"]).code, 7);
    assert!(desk.run(&["wait", "bad"]).out.contains("broken"));
    let err = desk.refused(6, &["wait", "good", "open", "--timeout", "20ms"]);
    assert!(err.contains("open is not finished after 20ms"), "{err}");
    desk.refused(2, &["wait", "open", "--timeout", "soon"]);
    let child = desk.command(&["wait", "open", "--timeout", "20s", "-o", "json"]).spawn().unwrap();
    desk.client().listener(&["q"]).unwrap().listen(SOON).unwrap().unwrap().complete("y").unwrap();
    let left = crate::left(child.wait_with_output().unwrap());
    assert_eq!(left.code, 0);
    assert!(left.out.contains("\"result\":\"y\""), "{}", left.out);
}

#[test]
fn a_closed_pipe_ends_a_command_quietly() {
    let desk = Desk::new();
    for args in
        [&["ls"][..], &["queue", "ls"], &["ls", "-o", "json"], &["completions", "bash"], &["--help"], &["doctor"]]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = desk.command(args).stdout(Stdio::from(writer)).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {err}");
        assert!(!err.contains("roken pipe") && !err.contains("panicked"), "{args:?}: {err}");
    }
}

#[test]
fn top_needs_a_terminal_and_says_so() {
    let desk = Desk::new();
    assert!(desk.refused(2, &["top"]).contains("needs a terminal"));
}
