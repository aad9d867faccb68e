use std::fs;

use blueque::ListenerId;

use crate::terminal::Screen;
use crate::{Desk, fed};

#[test]
fn a_submit_writes_the_id_and_the_record_says_what_was_asked_for() {
    let desk = Desk::new();
    let args = ["submit", "q", "[1, 2]", "--id", "movie-17", "--method", "encode", "--max-losses", "3"];
    assert_eq!(desk.ok(&args), "movie-17\n");
    let task = desk.json(&["show", "movie-17"]);
    assert_eq!(task["status"], "pending");
    assert_eq!(task["queue"], "q");
    assert_eq!(task["method"], "encode");
    assert_eq!(task["parameters"], serde_json::json!([1, 2]));
    let again = desk.run(&args);
    assert_eq!((again.code, again.out.as_str()), (0, "movie-17\n"), "a submit may be repeated");
    assert!(again.err.contains("exists already"), "{}", again.err);
    assert_eq!(desk.json(&["submit", "q", "--id", "movie-17"])["submitted"], "existing");
}

#[test]
fn parameters_come_from_an_argument_a_file_or_stdin_and_their_bytes_are_kept() {
    let desk = Desk::new();
    let file = desk.home.path().join("parameters.json");
    fs::write(&file, "{ \"n\": 12345678901234567890123 }\n").unwrap();
    let named = format!("@{}", file.display());
    desk.ok(&["submit", "q", "--params", &named, "--id", "file"]);
    desk.ok(&["submit", "q", &named, "--id", "place"]);
    assert_eq!(fed(desk.command(&["submit", "q", "-", "--id", "stdin"]), b"[\"x\"]").code, 0);
    desk.ok(&["submit", "q", "not json", "--raw", "--id", "raw"]);
    desk.ok(&["submit", "q", "-1", "--id", "minus"]);
    desk.ok(&["submit", "q", "--id", "none"]);
    let kept = |id: &str| desk.client().task(id).unwrap().info().unwrap().parameters_bytes().unwrap().to_vec();
    assert_eq!(kept("file"), b"{ \"n\": 12345678901234567890123 }\n");
    assert_eq!(kept("place"), kept("file"));
    assert_eq!(kept("stdin"), b"[\"x\"]");
    assert_eq!(kept("raw"), b"not json");
    assert_eq!(kept("minus"), b"-1");
    assert_eq!(kept("none"), b"[]");
    let shown = desk.ok(&["show", "file", "-o", "jsonl"]);
    assert!(shown.contains(r#""parameters":{"n":12345678901234567890123}"#), "{shown}");
    assert_eq!(shown.lines().count(), 1);
}

#[test]
fn the_bound_of_parameters_is_said_in_bytes_or_with_a_unit() {
    let desk = Desk::new();
    let large = format!("[\"{}\"]", "x".repeat(2000));
    assert!(desk.refused(2, &["submit", "q", &large, "--max-bytes", "1K"]).contains("TOOBIG"));
    for enough in ["2K", "1M", "2004"] {
        desk.ok(&["submit", "q", &large, "--max-bytes", enough]);
    }
    for wrong in ["0", "9M", "1X", "M"] {
        desk.refused(2, &["submit", "q", "--max-bytes", wrong]);
    }
}

#[test]
fn a_task_with_an_eta_is_scheduled() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "soon", "--eta", "+10m"]);
    desk.ok(&["submit", "q", "--id", "later", "--eta", "2100-01-01T01:00:00+01:00"]);
    let task = desk.json(&["show", "later"]);
    assert_eq!((&task["status"], &task["eta"]), (&"scheduled".into(), &"2100-01-01T00:00:00.000000Z".into()));
    assert!(desk.ok(&["why", "soon"]).starts_with("It is scheduled for 20"));
}

#[test]
fn what_cannot_be_a_task_is_refused_with_a_reason_and_nothing_is_made() {
    let desk = Desk::new();
    let large = desk.home.path().join("large");
    fs::write(&large, vec![b'1'; 9 << 20]).unwrap();
    let large = format!("@{}", large.display());
    for (args, reason) in [
        (&["submit", "q", "{bad"][..], "not JSON"),
        (&["run", "q", "--detach"][..], "this command has no option --detach: `blueque submit`"),
        (&["submit", "a queue"], "A-Z a-z 0-9"),
        (&["submit", "q", "--id", "../x"], "A-Z a-z 0-9"),
        (&["submit", "q", "--method", "a/b"], "A-Z a-z 0-9"),
        (&["submit", "q", "--eta", "someday"], "such as 22:00, tomorrow 8:00"),
        (&["submit", "q", "--eta", "+5 lightyears"], "such as 90s"),
        (&["submit", "q", "--max-losses", "-1"], "max-losses"),
        (&["submit", "q", "--params", "@/nowhere/at/all"], "cannot be read"),
        (&["submit", "q", &large], "over 8 MiB"),
        (&["submit"], "QUEUE"),
        (&["submit", "q", "1", "--params", "2"], "cannot be used with"),
    ] {
        let err = desk.refused(2, args);
        assert!(reason.split('|').any(|reason| err.contains(reason)), "{args:?}: {err}");
    }
    assert_eq!(desk.ok(&["ls", "-o", "id"]), "");
    desk.ok(&["submit", "q", "--id", "mine"]);
    assert!(desk.refused(5, &["submit", "other", "--id", "mine"]).contains("OTHERQUEUE"));
}

#[test]
fn a_submit_that_waits_writes_the_result_and_ends_as_the_task_does() {
    let desk = Desk::new();
    let mut waits = desk.command(&["submit", "q", "--wait", "-o", "json"]);
    let child = waits.spawn().unwrap();
    desk.take("q").complete(&["done"]).unwrap();
    let left = crate::left(child.wait_with_output().unwrap());
    assert_eq!(left.code, 0);
    let record: serde_json::Value = serde_json::from_str(&left.out).unwrap();
    assert_eq!(record["result"], serde_json::json!(["done"]));

    let child = desk.command(&["submit", "q", "--follow", "--id-only"]).spawn().unwrap();
    let task = desk.take("q");
    desk.say(&task, "stdout", "step one\n");
    task.fail("broken").unwrap();
    let left = crate::left(child.wait_with_output().unwrap());
    assert_eq!((left.code, left.out), (1, format!("{}\n", task.id())));
    assert!(
        left.err.contains("step one\n") && left.err.contains("failed") && left.err.contains("broken"),
        "{}",
        left.err
    );
}

#[test]
fn of_a_submit_that_waits_a_script_gets_the_result_alone() {
    let desk = Desk::new();
    for (flag, result, out) in [
        ("--wait", Some(serde_json::json!({ "ok": true })), "{\"ok\":true}\n"),
        ("--follow", Some(serde_json::json!({ "ok": true })), "{\"ok\":true}\n"),
        ("--wait", Some(serde_json::Value::Null), ""),
        ("--wait", None, ""),
    ] {
        let child = desk.command(&["submit", "q", flag]).spawn().unwrap();
        let task = desk.take("q");
        match &result {
            Some(result) => task.complete(result).unwrap(),
            None => task.fail("broken").unwrap(),
        };
        let left = crate::left(child.wait_with_output().unwrap());
        assert_eq!((left.code, left.out.as_str()), (i32::from(result.is_none()), out), "{flag} {result:?}");
        assert!(left.err.starts_with(&format!("{} submitted\n", task.id())), "{}", left.err);
    }
}

#[test]
fn a_submit_warns_if_no_worker_will_run_the_task() {
    let desk = Desk::new();
    let mut listener = desk.client().listener_as(ListenerId::of_process("host", 1), &["films"]).unwrap();
    assert!(listener.try_listen().unwrap().is_none());
    let warned = |args: &[&str]| {
        let mut screen = Screen::wide(&desk, args);
        assert_eq!(screen.ends(), 0, "{}", screen.shown());
        screen.shown()
    };
    let shown = warned(&["submit", "flims", "--id", "a"]);
    assert!(shown.contains("warning: no worker serves the queue flims, which is new (did you mean films?)"), "{shown}");
    let shown = warned(&["submit", "flims", "--id", "b"]);
    assert!(shown.contains("warning: no worker serves the queue flims (did you mean films?)"), "{shown}");
    let shown = warned(&["submit", "films", "--needs", "gpu"]);
    assert!(shown.contains("warning: It needs gpu, which the only worker of films does not have."), "{shown}");
    let shown = warned(&["add", "--queue", "films", "films", "1"]);
    assert!(shown.contains("warning: films is no program here, but a queue: blueque submit films PARAMS"), "{shown}");
    let shown = warned(&["add", "--queue", "films", "--", "true"]);
    assert!(shown.contains("warning: It needs commands, which the only worker of films does not have."), "{shown}");
    assert!(!warned(&["submit", "films"]).contains("warning"));
    // A script is warned only about the queue.
    let err = desk.run(&["submit", "flims"]).err;
    assert_eq!(err, "warning: no worker serves the queue flims (did you mean films?): the task waits for a worker\n");
    assert_eq!(desk.run(&["submit", "films", "--needs", "gpu"]).err, "");
}
