//! Tags, groups of failures, search, and actions on many tasks or a whole queue.

use blueque::calls::FailOptions;
use blueque::{Order, Outcome};

use crate::Desk;
use crate::terminal::Screen;

fn submit(desk: &Desk, queue: &str, ids: &[&str], options: &[&str]) {
    for id in ids {
        desk.ok(&[&["submit", queue, "--id", id], options].concat());
    }
}

/// Fails the next task of a queue with a group, or without one.
fn fail(desk: &Desk, queue: &str, group: Option<&str>) {
    desk.take(queue).fail_with("broken", &group.into_iter().fold(FailOptions::new(), FailOptions::group)).unwrap();
}

#[test]
fn tasks_are_found_by_what_they_are_the_latest_first() {
    let desk = Desk::new();
    submit(&desk, "q", &["movie-1"], &["--method", "encode", "--tag", "red"]);
    submit(&desk, "q", &["movie-2"], &["--eta", "+1h", "--tag", "red", "--tag", "blue"]);
    submit(&desk, "other", &["song-1"], &["--key", "acme"]);
    let found = |args: &[&str]| desk.ok(&[&["find", "-o", "id"], args].concat());
    assert_eq!(found(&[]), "song-1\nmovie-2\nmovie-1\n");
    assert_eq!(found(&["q"]), "movie-2\nmovie-1\n");
    assert_eq!(found(&["--prefix", "movie", "--status", "pending", "--status", "started"]), "movie-1\n");
    assert_eq!(found(&["--tag", "red"]), "movie-2\nmovie-1\n");
    assert_eq!(found(&["--method", "encode"]), "movie-1\n");
    assert_eq!(found(&["--key", "acme"]), "song-1\n");
    assert_eq!(found(&["--from", "-1h", "--to", "+1h", "q"]), "movie-2\nmovie-1\n");
    assert_eq!(found(&["--to", "-1h"]), "");
    assert_eq!(found(&["--from", "2020-01-01T00:00:00Z", "--prefix", "song"]), "song-1\n");
    let left = desk.run(&["find", "q", "--limit", "1"]);
    assert!(left.out.contains("movie-2") && !left.out.contains("movie-1"), "{}", left.out);
    assert!(left.err.contains("the first 1 tasks"), "{}", left.err);
    for wrong in [&["--tag", "a b"][..], &["--status", "idle"], &["--from", "someday"], &["--group", ""]] {
        desk.refused(2, &[&["find"], wrong].concat());
    }
    assert!(desk.refused(2, &["find", "--from", "+2h", "--to", "+1h"]).contains("BADARG"));
}

#[test]
fn a_time_that_is_none_is_refused_with_its_forms() {
    let said = Desk::new().refused(2, &["find", "--from", "foo"]);
    assert!(said.contains("-2h"), "{said}");
}

#[test]
fn tags_come_and_go_and_are_counted() {
    let desk = Desk::new();
    submit(&desk, "q", &["a", "b"], &["--tag", "red"]);
    assert_eq!(desk.json(&["tag", "add", "a", "urgent", "blue"])[0]["tags"].to_string(), r#"["blue","red","urgent"]"#);
    assert_eq!(
        desk.ok(&["tag", "ls", "q"]),
        "TAG     QUEUE  TASKS\nred     q      2\nurgent  q      1\nblue    q      1\n"
    );
    assert_eq!(desk.json(&["tag", "remove", "a", "red", "nosuch"])[0]["tags"].to_string(), r#"["blue","urgent"]"#);
    assert_eq!(desk.ok(&["tag", "ls", "-o", "id"]), "urgent\nred\nblue\n");
    assert_eq!(desk.json(&["show", "a"])["tags"].to_string(), r#"["blue","urgent"]"#);
    desk.refused(4, &["tag", "add", "nosuch", "red"]);
    desk.refused(2, &["tag", "add", "a", "a,b"]);
    desk.refused(2, &["tag", "add", "a"]);
    let many: Vec<String> = (0..15).map(|n| format!("t{n}")).collect();
    let many: Vec<&str> = ["tag", "add", "a"].into_iter().chain(many.iter().map(String::as_str)).collect();
    assert!(desk.refused(5, &many).contains("TOOMANY"));
    desk.ok(&["cancel", "b"]);
    desk.ok(&["delete", "b"]);
    assert_eq!(desk.ok(&["tag", "ls", "-o", "id"]), "urgent\nblue\n");
}

#[test]
fn a_whole_group_of_failures_is_looked_at_and_run_again() {
    let desk = Desk::new();
    submit(&desk, "q", &["a", "b", "c", "d"], &[]);
    for group in [Some("net"), Some("net"), Some("disk"), None] {
        fail(&desk, "q", group);
    }
    let groups = desk.json(&["queue", "groups", "q"]);
    let seen: Vec<_> =
        groups.as_array().unwrap().iter().map(|one| (&one["group"], &one["tasks"], &one["last"])).collect();
    assert_eq!(format!("{seen:?}").matches("net").count(), 1);
    assert_eq!((&groups[0]["group"], &groups[0]["tasks"], &groups[0]["last"]), (&"net".into(), &2.into(), &"b".into()));
    assert!(desk.ok(&["queue", "groups"]).contains("(none)"));
    assert_eq!(desk.ok(&["queue", "groups", "-o", "id"]), "net\ndisk\n");
    assert_eq!(desk.ok(&["find", "q", "--group", "net", "-o", "id"]), "b\na\n");
    assert_eq!(desk.ok(&["find", "q", "--no-group", "-o", "id"]), "d\n");
    assert_eq!(desk.json(&["bulk", "retry", "q", "--group", "net", "--count"])[0]["tasks"], 2);
    let done = desk.json(&["bulk", "retry", "q", "--group", "net", "--step", "1", "--yes"]);
    assert_eq!((&done[0]["changed"], &done[0]["refused"]), (&2.into(), &0.into()));
    assert_eq!(desk.ok(&["ls", "q", "--status", "pending", "-o", "id"]), "a\nb\n");
    assert_eq!(desk.json(&["bulk", "delete", "q", "--yes", "--no-group"])[0]["changed"], 1);
    assert_eq!(desk.ok(&["queue", "groups", "-o", "id"]), "disk\n");
}

#[test]
fn some_of_a_group_run_again_in_another_queue() {
    let desk = Desk::new();
    submit(&desk, "q", &["a", "b", "c"], &[]);
    for group in ["lost 1 of 9", "lost 2 of 9", "lost 3 of 9"] {
        fail(&desk, "q", Some(group));
    }
    assert_eq!(desk.ok(&["queue", "groups", "-o", "id"]), "lost # of #\n");
    assert_eq!(desk.ok(&["find", "q", "--group", "lost 7 of 8", "-o", "id"]), "c\nb\na\n");
    let all = ["bulk", "retry", "q", "--group", "lost # of #", "--into", "w"];
    let done = desk.json(&[&all[..], &["--most", "2", "--yes"]].concat());
    assert_eq!((&done[0]["changed"], &done[0]["refused"]), (&2.into(), &0.into()));
    assert_eq!(desk.ok(&["ls", "w", "--status", "pending", "-o", "id"]), "a\nb\n");
    assert_eq!(desk.json(&all)[0]["changed"], 1);
    assert_eq!(desk.ok(&["queue", "groups", "-o", "id"]), "");
}

#[test]
fn a_bulk_means_the_states_that_its_action_is_for() {
    let desk = Desk::new();
    submit(&desk, "q", &["running", "a", "b"], &[]);
    let running = desk.take("q");
    submit(&desk, "q", &["later"], &["--eta", "+1h"]);
    desk.ok(&["cancel", "b"]);
    let done = |args: &[&str]| {
        let done = desk.json(args);
        (done[0]["changed"].as_u64().unwrap(), done[0]["refused"].as_u64().unwrap())
    };
    assert_eq!(done(&["bulk", "prioritise", "q", "--priority", "-7", "--yes"]), (2, 0));
    assert_eq!(done(&["bulk", "move", "q", "--into", "w", "--prefix", "a"]), (1, 0));
    assert_eq!(desk.json(&["show", "a"])["queue"], "w");
    assert_eq!(done(&["bulk", "cancel", "q", "--yes", "--reason", "over"]), (2, 0));
    assert_eq!(running.heartbeat().unwrap(), Order::Cancel);
    assert_eq!(desk.json(&["show", "later"])["reason"], "over");
    assert_eq!(done(&["bulk", "cancel", "q", "--yes", "--force"]), (1, 0));
    assert_eq!(running.heartbeat().unwrap(), Order::Kill);
    assert_eq!(running.release().unwrap(), Outcome::Cancelled);
    assert_eq!(done(&["bulk", "delete", "q", "--yes", "--status", "cancelled", "--prefix", "b"]), (1, 0));
    let left = desk.run(&["bulk", "retry", "q", "--status", "cancelled", "--status", "failed", "--fresh", "--yes"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let left = desk.run(&["bulk", "delete", "q", "--yes", "--status", "pending", "-o", "json"]);
    assert_eq!(left.code, 5, "what refuses is told: {}", left.out);
    assert!(left.err.contains("2 refused"), "{}", left.err);
    for wrong in [
        &["move", "q"][..],
        &["move", "q", "--into", "q"],
        &["prioritise", "q", "--priority", "1001"],
        &["queue", "pause", "q"],
    ] {
        desk.refused(2, &[&["bulk"], wrong].concat());
    }
}

#[test]
fn a_queue_is_purged_and_deleted() {
    let desk = Desk::new();
    submit(&desk, "q", &["running", "a", "b"], &["--tag", "x"]);
    submit(&desk, "q", &["later"], &["--eta", "+1h"]);
    let running = desk.take("q");
    desk.ok(&["cancel", "b"]);
    let counted = desk.json(&["queue", "purge", "q", "--count"]);
    assert_eq!(
        (&counted[0]["tasks"], counted[0]["states"].to_string()),
        (&3.into(), r#"{"cancelled":1,"pending":1,"scheduled":1}"#.into())
    );
    assert_eq!(desk.json(&["queue", "purge", "q", "--yes"])[0]["changed"], 3);
    assert_eq!(desk.ok(&["ls", "q", "-o", "id"]), "running\n");
    assert!(desk.refused(5, &["queue", "delete", "q", "--yes"]).contains("NOTEMPTY"));
    running.complete("done").unwrap();
    desk.ok(&["queue", "purge", "q", "--yes"]);
    let listener = running.reservation().queue.clone();
    desk.client()
        .call(&desk.client().calls().unregister(&listener, &blueque::ListenerId::of_process("host", 1)))
        .unwrap();
    desk.ok(&["config", "set", "--queue", "q", "lease=5m"]);
    desk.ok(&["schedule", "add", "nightly", "q", "--every", "1h"]);
    let refused = desk.refused(5, &["queue", "delete", "q", "--yes"]);
    assert!(refused.contains("blueque schedule rm nightly"), "{refused}");
    desk.ok(&["schedule", "rm", "nightly"]);
    desk.ok(&["queue", "delete", "q", "--yes"]);
    assert!(desk.refused(4, &["queue", "delete", "q", "--yes"]).contains("NOQUEUE"));
    assert_eq!(desk.ok(&["queue", "ls", "-o", "id"]), "");
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut desk.server.connection()).unwrap();
    assert!(
        keys.iter().all(|key| key == "blueque_meta" || key.starts_with("blueque_log") || !key.contains("_q")),
        "{keys:?}"
    );
}

#[test]
fn a_task_that_waits_goes_to_another_queue() {
    let desk = Desk::new();
    submit(&desk, "q", &["a", "b"], &["--tag", "x"]);
    let running = desk.take("q");
    assert_eq!(desk.ok(&["move", "w", "b"]), "ID  OUTCOME\nb   moved\n");
    assert_eq!(desk.ok(&["find", "w", "--tag", "x", "-o", "id"]), "b\n");
    assert!(desk.refused(5, &["move", "w", "a"]).contains("STATE"));
    running.release().unwrap();
    desk.ok(&["drain", "w"]);
    assert!(desk.refused(5, &["move", "w", "a"]).contains("CLOSED"));
    assert!(desk.refused(5, &["submit", "w", "--id", "c"]).contains("CLOSED"));
    desk.ok(&["drain", "w", "--off"]);
    desk.ok(&["submit", "w", "--id", "c"]);
    assert_eq!(desk.take("w").id().as_str(), "b", "what is there runs on");
}

#[test]
fn a_pause_that_stops_is_told_to_owners_until_the_queue_is_resumed() {
    let desk = Desk::new();
    submit(&desk, "q", &["t"], &[]);
    let task = desk.take("q");
    assert!(
        desk.run(&["queue", "pause", "q", "--stop", "--reason", "disk"]).err.contains("running tasks are stopped, too")
    );
    assert_eq!(task.heartbeat().unwrap(), Order::Stop);
    assert_eq!(desk.json(&["queue", "ls"])[0]["stopping"], true);
    assert!(desk.ok(&["queue", "ls"]).contains("disk; running tasks are stopped, too"));
    desk.ok(&["queue", "pause", "q"]);
    assert_eq!(task.heartbeat().unwrap(), Order::Continue);
    desk.ok(&["queue", "pause", "q", "--stop"]);
    desk.ok(&["queue", "resume", "q"]);
    assert_eq!(task.heartbeat().unwrap(), Order::Continue);
    assert_eq!(desk.json(&["queue", "ls"])[0].get("stopping"), None);
}

#[test]
fn at_a_terminal_whoever_changes_many_tasks_is_asked_first() {
    let desk = Desk::new();
    submit(&desk, "q", &["a", "b", "c"], &["--tag", "x"]);
    fail(&desk, "q", None);
    desk.ok(&["cancel", "b"]);
    desk.ok(&["submit", "q", "--id", "d"]);
    let words: [(&[&str], &str); 9] = [
        (
            &["bulk", "retry", "q", "--status", "failed", "--status", "cancelled"],
            "Retry 2 tasks of q (1 cancelled, 1 failed)? [y/N]",
        ),
        (&["bulk", "move", "q", "--into", "w"], "Move 2 tasks of q (2 pending)? [y/N]"),
        (&["bulk", "prioritise", "q", "--priority", "1"], "Change the priority of 2 tasks of q (2 pending)? [y/N]"),
        (&["bulk", "cancel", "q", "--most", "1"], "Cancel 1 of 2 tasks of q (2 pending)? [y/N]"),
        (&["bulk", "delete", "q"], "Remove 2 tasks of q (1 cancelled, 1 failed)? [y/N]"),
        (&["bulk", "delete", "q", "--tag", "x", "--status", "failed"], "Remove 1 task of q (1 failed)? [y/N]"),
        (&["bulk", "cancel", "q"], "Cancel 2 tasks of q (2 pending)? [y/N]"),
        (&["queue", "purge", "q"], "Remove 4 tasks of q (1 cancelled, 1 failed, 2 pending)? [y/N]"),
        (&["queue", "delete", "q"], "Delete q, with its settings, limits, statistics and events? [y/N]"),
    ];
    let before = desk.ok(&["ls", "q"]);
    for (args, question) in words {
        for answer in ["n\n", "\n", "\u{4}"] {
            let mut screen = Screen::start(&desk, args);
            screen.shows(question);
            screen.type_in(answer);
            assert_eq!(screen.ends(), 1, "{args:?}: {}", screen.shown());
            assert!(screen.shown().contains("nothing was changed"), "{}", screen.shown());
        }
    }
    for (args, question) in words {
        let refused = desk.refused(2, args);
        let question = question.trim_end_matches(" [y/N]");
        assert!(refused.contains(question) && refused.contains("confirm with --yes"), "{args:?}: {refused}");
    }
    assert_eq!(desk.ok(&["ls", "q", "-o", "id"]).lines().count(), before.lines().count() - 1);
    let mut screen = Screen::start(&desk, &["bulk", "delete", "q", "--tag", "x", "--status", "failed"]);
    screen.shows("[y/N]");
    screen.type_in("y\n");
    assert_eq!(screen.ends(), 0);
    assert_eq!(desk.ok(&["ls", "q", "--status", "failed", "-o", "id"]), "");
    let mut screen = Screen::start(&desk, &["bulk", "retry", "q", "--status", "cancelled"]);
    assert_eq!(screen.ends(), 0, "one task, and it can be undone: {}", screen.shown());
    let mut screen = Screen::start(&desk, &["queue", "purge", "q", "--yes"]);
    assert_eq!(screen.ends(), 0, "{}", screen.shown());
    assert_eq!(desk.ok(&["ls", "q", "-o", "id"]), "");
    let left = desk.json(&["queue", "delete", "q", "--dry-run"]);
    assert_eq!((&left[0]["tasks"], &left[0]["listeners"]), (&0.into(), &1.into()));
}
