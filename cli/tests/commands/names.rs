//! Names that do not exist.

use crate::Desk;

#[test]
fn a_question_about_a_queue_that_does_not_exist_is_no_empty_success() {
    let desk = Desk::new();
    desk.ok(&["submit", "movies", "--id", "t"]);
    desk.ok(&["submit", "songs", "--id", "s"]);
    let asks: [&[&str]; 16] = [
        &["ls", "moives"],
        &["ls", "moives", "-o", "json"],
        &["ls", "movies", "--queue", "moives", "--status", "failed"],
        &["find", "moives"],
        &["events", "moives"],
        &["tag", "ls", "moives"],
        &["queue", "groups", "moives"],
        &["limit", "ls", "moives"],
        &["workers", "moives"],
        &["queue", "stats", "moives"],
        &["queue", "purge", "moives"],
        &["queue", "purge", "moives", "--count"],
        &["bulk", "retry", "moives"],
        &["bulk", "cancel", "moives", "--dry-run"],
        &["queue", "delete", "moives", "--yes"],
        &["queue", "delete", "moives", "--dry-run"],
    ];
    for args in asks {
        let left = desk.run(args);
        assert_eq!((left.code, left.out.as_str()), (4, ""), "{args:?}: {}", left.err);
        if args != ["queue", "delete", "moives", "--yes"] {
            assert_eq!(left.err, "blueque: there is no queue moives (did you mean movies?)\n", "{args:?}");
        }
    }
    assert_eq!(desk.refused(4, &["ls", "zzz"]), "blueque: there is no queue zzz\n");
    for empty in [
        &["ls", "movies", "--status", "failed"][..],
        &["tag", "ls", "movies"],
        &["limit", "ls", "songs"],
        &["queue", "stats", "songs"],
    ] {
        desk.ok(empty);
    }
}

#[test]
fn what_is_said_of_a_queue_before_it_exists_holds_and_is_told_so() {
    let desk = Desk::new();
    for args in [
        &["queue", "pause", "moives"][..],
        &["queue", "resume", "moives"],
        &["config", "set", "-q", "moives", "lease=5m"],
        &["limit", "set", "moives", "acme", "--concurrency", "2"],
    ] {
        let left = desk.run(args);
        assert_eq!(left.code, 0, "{args:?}: {}", left.err);
        assert!(
            left.err.contains("there is no queue moives; this holds as soon as there is"),
            "{args:?}: {}",
            left.err
        );
    }
    assert_eq!(desk.refused(4, &["drain", "moives"]), "blueque: there is no queue moives\n", "it closes nothing");
    assert!(desk.ok(&["limit", "ls", "moives"]).contains("acme"));
    desk.ok(&["submit", "moives", "--id", "t"]);
    assert!(!desk.run(&["queue", "pause", "moives"]).err.contains("no queue"));
}

#[test]
fn the_log_of_a_task_that_has_none_says_why() {
    let desk = Desk::new();
    for id in ["waits", "cancelled", "later", "runs"] {
        desk.ok(&["submit", if id == "runs" { "r" } else { "q" }, "--id", id]);
    }
    desk.ok(&["cancel", "cancelled"]);
    desk.take("r");
    for format in ["table", "json", "jsonl"] {
        let said = |id: &str| desk.run(&["logs", id, "-o", format]).err;
        assert_eq!(said("waits"), "waits has not started. Its queue q has no worker: start a worker for it.\n");
        assert_eq!(said("cancelled"), "cancelled has no log: it has never run\n");
        assert_eq!(said("runs"), "runs has written nothing yet\n");
    }
}
