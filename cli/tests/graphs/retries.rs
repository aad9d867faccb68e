//! Rule 7 of enq's acceptance: the dependents of a task do not notice its retries until its tries are used up or its
//! deadline has passed, whichever comes first.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use blueque::{Status, Task, TaskInfo};

use crate::world::{World, field, result, send, status};
use crate::{began, caused_by, document, mail, submitted, task, value, world};

/// A task of a document with further fields.
fn with(task: &str, fields: &str) -> String {
    format!("{},{fields}}}", task.strip_suffix('}').unwrap())
}

/// The time this many seconds from now, as documents write it.
fn seconds_from_now(seconds: u64) -> u64 {
    (SystemTime::now() + Duration::from_secs(seconds)).duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// The document with two shards, whose first task has further fields.
fn with_first(world: &World, fields: &str) -> [Task; 3] {
    let tasks = [with(&value("1", 1), fields), value("2", 2), mail("send-mail", &["1", "2"])];
    let made = submitted(world, &document(&tasks), &[]);
    ["1/save", "2/save", "1/email"].map(|name| task(world, &made, name))
}

/// The states that a task went through, without `started`: the end of a short program may arrive before its start.
fn states(task: &Task) -> Vec<String> {
    task.history().unwrap().into_iter().map(|step| step.to).filter(|to| to != "started").collect()
}

fn failed_by(task: &Task, group: &str) -> TaskInfo {
    let info = status(task, Status::Failed);
    assert_eq!(info.group().as_deref(), Some(group), "{:?}", info.error());
    info
}

#[test]
fn a_failure_that_is_tried_again_is_not_noticed_by_what_needs_the_task() {
    let world = world();
    world.run(&["config", "set", "delay=0"]);
    // The attempts: a failure with the code for a retry, another failure, a signal, and then a result.
    world.program(
        "save-user-data",
        "case $BLUEQUE_ATTEMPT in 1) exit 75;; 2) exit 3;; 3) kill -KILL $$;; esac; echo \"$BLUEQUE_ATTEMPT\"",
    );
    world.program("send-mail", "cat");
    let made =
        submitted(&world, &document(&[with(&value("1", 1), r#""max_retries":3"#), mail("send-mail", &["1"])]), &[]);
    let [save, email] = ["1/save", "1/email"].map(|name| task(&world, &made, name));
    let _worker = world.worker(&["--queue", "shard-1"]);
    assert_eq!(result(&email), "[4]");
    let info = save.info().unwrap();
    assert_eq!((info.attempt(), field(&info, "failures").as_str()), (4, "3"));
    assert_eq!(states(&email), ["waiting", "pending", "reserved", "complete"]);
    assert_eq!(email.info().unwrap().attempt(), 1);
}

#[test]
fn a_task_whose_tries_are_used_up_fails_and_so_does_what_needs_it() {
    let world = world();
    world.run(&["config", "set", "delay=0"]);
    world.program("save-user-data", "exit 75");
    let [save, other, email] = with_first(&world, r#""max_retries":2"#);
    let _worker = world.worker(&["--queue", "shard-1"]);
    let info = status(&save, Status::Failed);
    assert_eq!((info.attempt(), field(&info, "failures").as_str()), (3, "3"));
    status(&email, Status::Failed);
    status(&other, Status::Cancelled);
    caused_by(&email, &save);
    caused_by(&other, &save);
    assert_eq!([began(&email), began(&other)], [false, false]);
    // Without the field the first failure is the last.
    let [save, _, email] = with_first(&world, r#""lost_delay":1"#);
    assert_eq!(status(&save, Status::Failed).attempt(), 1);
    status(&email, Status::Failed);
}

#[test]
fn a_deadline_that_comes_before_the_last_try_fails_the_task() {
    let world = world();
    world.run(&["config", "set", "delay=1h", "jitter=0"]);
    world.program("save-user-data", "exit 75");
    let fields = format!(r#""max_retries":1000,"deadline":{}"#, seconds_from_now(3));
    let [save, other, email] = with_first(&world, &fields);
    let _worker = world.worker(&["--queue", "shard-1"]);
    let info = failed_by(&save, "deadline");
    assert_eq!((info.attempt(), field(&info, "failures").as_str()), (1, "1"), "it was tried once, and then scheduled");
    status(&email, Status::Failed);
    status(&other, Status::Cancelled);
    caused_by(&email, &save);
}

#[test]
fn a_deadline_that_passes_while_a_task_is_pending_ends_the_whole_document() {
    let world = world();
    let [save, other, email] = with_first(&world, &format!(r#""deadline":{}"#, seconds_from_now(2)));
    let _worker = world.worker(&["--queue", "other"]);
    failed_by(&save, "deadline");
    let info = status(&email, Status::Failed);
    assert!(field(&info, "error").starts_with(&format!("{} failed: its deadline has passed", save.id())), "{info:?}");
    status(&other, Status::Cancelled);
    caused_by(&email, &save);
    caused_by(&other, &save);
    assert_eq!([began(&save), began(&email), began(&other)], [false; 3]);
}

#[test]
fn a_deadline_that_passes_while_a_task_waits_stops_what_only_it_needed() {
    let world = world();
    world.program("save-user-data", "echo $$ > FOLDER/pid; exec sleep 600");
    let deadline = format!(r#""deadline":{}"#, seconds_from_now(4));
    let tasks = [value("1", 1), with(&mail("send-mail", &["1"]), &deadline)];
    let made = submitted(&world, &document(&tasks), &[]);
    let [save, email] = ["1/save", "1/email"].map(|name| task(&world, &made, name));
    let _worker = world.worker(&["--queue", "shard-1", "--grace", "1s"]);
    world.written("pid");
    failed_by(&email, "deadline");
    assert_eq!(states(&email), ["waiting", "failed"]);
    assert_eq!(status(&save, Status::Cancelled).result_bytes(), None);
    caused_by(&save, &email);
}

#[test]
fn a_deadline_that_passes_while_a_program_runs_stops_it_and_fails_its_task() {
    let world = world();
    // At the stop signal the program prints a result, which is discarded.
    world
        .program("save-user-data", "trap 'echo 7; exit 0' TERM INT; echo $$ > FOLDER/pid; while :; do sleep 0.1; done");
    let [save, other, email] = with_first(&world, &format!(r#""deadline":{}"#, seconds_from_now(4)));
    let _worker = world.worker(&["--queue", "shard-1"]);
    world.written("pid");
    let info = failed_by(&save, "deadline");
    assert_eq!((info.attempt(), info.result_bytes()), (1, None));
    status(&email, Status::Failed);
    status(&other, Status::Cancelled);
    caused_by(&email, &save);
}

#[test]
fn a_lost_task_of_a_document_runs_again_after_its_delay_and_what_needs_it_waits() {
    let world = world();
    world.program(
        "save-user-data",
        "[ $BLUEQUE_ATTEMPT = 1 ] && { echo $$ > FOLDER/pid; exec sleep 600; }; echo \"$BLUEQUE_ATTEMPT\"",
    );
    world.program("send-mail", "cat");
    let made =
        submitted(&world, &document(&[with(&value("1", 1), r#""lost_delay":3"#), mail("send-mail", &["1"])]), &[]);
    let [save, email] = ["1/save", "1/email"].map(|name| task(&world, &made, name));
    let worker = world.worker(&["--queue", "shard-1", "--lease", "3s"]);
    world.written("pid");
    status(&save, Status::Started);
    let supervisor = world.supervisor();
    worker.kill();
    send("KILL", supervisor);
    let _other = world.worker(&["--queue", "shard-1"]);
    assert_eq!(result(&email), "[2]");
    let steps = save.history().unwrap();
    let lost = steps.iter().find(|step| step.to == "scheduled").unwrap_or_else(|| panic!("{steps:?}"));
    let again = steps.iter().rfind(|step| step.to == "reserved").unwrap();
    assert!(again.at.unwrap().duration_since(lost.at.unwrap()).unwrap() >= Duration::from_secs(3), "{steps:?}");
    assert_eq!(field(&save.info().unwrap(), "losses"), "1");
    assert_eq!(states(&email), ["waiting", "pending", "reserved", "complete"]);
}
