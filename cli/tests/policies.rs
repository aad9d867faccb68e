//! Exit codes, settings, needs and several queues of a worker for programs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::time::Duration;

use blueque::{Status, Submit};
use support::eventually;
use world::{World, field, status};

fn surviving() -> Submit {
    Submit::default().max_failures(2).delay(Duration::ZERO)
}

#[test]
fn an_exit_code_that_is_permanent_ends_the_task_and_any_other_is_tried_again() {
    let world = World::new();
    world.program("code", "read -r list; exit \"$(echo \"$list\" | tr -d '[]')\"");
    let submit = |code: u32| world.client.queue("code").unwrap().submit(&[code], surviving()).unwrap();
    let permanent = [64, 65, 77, 78, 126, 127].map(|code| (submit(code), "permanent", 1));
    let tried = [(submit(1), "exit", 3), (submit(75), "temporary", 3)];
    let _worker = world.worker(&["--queue", "code", "--slots", "4"]);
    for (task, group, failures) in permanent.iter().chain(&tried) {
        let info = status(task, Status::Failed);
        assert_eq!((info.group().as_deref(), info.attempt()), (Some(*group), *failures));
        assert_eq!(field(&info, "failures"), failures.to_string());
    }
    world.nothing_is_left();
}

#[test]
fn a_task_whose_program_nobody_should_run_is_not_tried_again() {
    let world = World::new();
    world.program(".hidden", "echo 1");
    let task = world.submit_as("nothing", "t", surviving().method(".hidden"));
    let _worker = world.worker(&["--queue", "nothing"]);
    let info = status(&task, Status::Failed);
    assert_eq!((info.group().as_deref(), info.attempt()), (Some("permanent"), 1));
}

#[test]
fn a_program_says_when_to_try_it_again() {
    let world = World::new();
    world.program("quota", "echo '{\"again\": 7200}' >> \"$BLUEQUE_EVENTS\"; exit 75");
    world.program("asks", &format!("{} task again 2h; exit 1", env!("CARGO_BIN_EXE_blueque")));
    world.program("wild", "echo '{\"again\": 1e300}' >> \"$BLUEQUE_EVENTS\"; exit 1");
    world.program("fine", "echo '{\"again\": 7200}' >> \"$BLUEQUE_EVENTS\"; echo 7");
    let tasks = ["quota", "asks", "wild"].map(|name| world.submit_as(name, name, surviving()));
    let fine = world.submit_as("fine", "fine", surviving());
    let _worker = world.worker(&["-q", "quota", "-q", "asks", "-q", "wild", "-q", "fine", "--slots", "4"]);
    for (task, pause) in tasks.iter().zip([7_200.0, 7_200.0, 31_536_000.0]) {
        status(task, Status::Scheduled);
        let why = world.client.call(&world.client.calls().why(task.id())).unwrap();
        let left = why.eta.unwrap().duration_since(why.now).unwrap().as_secs_f64();
        assert!((pause - 60.0..=pause).contains(&left), "{left}");
    }
    status(&fine, Status::Complete);
}

#[test]
fn a_program_names_the_group_of_its_failure_and_is_retried_as_its_exit_code_says() {
    let world = World::new();
    let say = format!("{} task group 'no film at 10.0.0.7:80'", env!("CARGO_BIN_EXE_blueque"));
    world.program("film", &format!("{say}; exit 64"));
    world.program("quota", "echo '{\"group\": \"quota\"}' >> \"$BLUEQUE_EVENTS\"; exit 1");
    world.program("fine", "echo '{\"group\": \"quota\"}' >> \"$BLUEQUE_EVENTS\"; echo 7");
    let film = world.submit_as("film", "film", surviving());
    let quota = world.submit_as("quota", "quota", Submit::default());
    let fine = world.submit_as("fine", "fine", surviving());
    let _worker = world.worker(&["-q", "film", "-q", "quota", "-q", "fine", "--slots", "3"]);
    let film = status(&film, Status::Failed);
    assert_eq!((film.group().as_deref(), film.attempt()), (Some("no film at #"), 1));
    assert_eq!(status(&quota, Status::Failed).group().as_deref(), Some("quota"));
    status(&fine, Status::Complete);
}

#[test]
fn a_program_that_fails_goes_on_from_its_checkpoint() {
    let world = World::new();
    let script = "n=$(cat \"$BLUEQUE_CHECKPOINT\" 2>/dev/null || echo 0); n=$((n + 1))
        echo $n > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"
        test $n -ge 3 && echo \"[$n, \\\"$BLUEQUE_START_REASON\\\"]\"";
    world.program("steps", script);
    let task = world.submit_as("steps", "t", surviving());
    let _worker = world.worker(&["--queue", "steps"]);
    let info = status(&task, Status::Complete);
    assert_eq!(info.result_bytes(), Some(&b"[3, \"retry\"]"[..]));
}

#[test]
fn lease_and_grace_are_those_of_the_queue_unless_the_worker_says_otherwise() {
    let world = World::new();
    world.program("stubborn", "trap '' TERM; echo $$ > FOLDER/pid; while :; do sleep 1; done");
    let queue = world.client.queue("stubborn").unwrap();
    queue.configure("lease", Some("1800")).unwrap();
    queue.configure("grace", Some("0.2")).unwrap();
    let task = world.submit("stubborn", "[]");
    let worker = world.worker(&["--queue", "stubborn"]);
    world.written("pid");
    let info = status(&task, Status::Started);
    assert_eq!(field(&info, "lease"), "1800000000");
    task.cancel("enough").unwrap();
    // With the default grace period this takes longer than the test waits.
    status(&task, Status::Cancelled);
    worker.kill();

    let task = world.submit("stubborn", "[]");
    let _worker = world.worker(&["--queue", "stubborn", "--lease", "20s"]);
    assert_eq!(field(&status(&task, Status::Started), "lease"), "20000000");
}

#[test]
fn a_worker_takes_what_it_can_do_and_nobody_waits_for_the_rest() {
    let world = World::new();
    world.program("films", "echo 1");
    let heavy = world.submit_as("films", "heavy", Submit::default().needs("gpu,transcoder>=3"));
    let light = world.submit_as("films", "light", Submit::default());
    let _weak = world.worker(&["--queue", "films", "--has", "transcoder=2"]);
    status(&light, Status::Complete);
    assert_eq!(heavy.info().unwrap().status(), Some(Status::Pending));
    let _able = world.worker(&["--queue", "films", "--has", "gpu,transcoder=3"]);
    status(&heavy, Status::Complete);
    let _mistaken = world.worker(&["--queue", "films", "--has", "gpu=2"]);
    eventually("a warning", || {
        world.log().contains("--has gpu=2 gives tasks no gpus: did you mean gpus=2?").then_some(())
    });
}

#[test]
fn queues_are_served_by_their_weights() {
    let world = World::new();
    let tasks: Vec<_> =
        (0..8).map(|n| world.submit_as(if n < 4 { "a" } else { "b" }, &format!("t{n}"), Submit::default())).collect();
    for name in ["a", "b"] {
        world.program(name, "echo $BLUEQUE_QUEUE >> FOLDER/order");
    }
    let _worker = world.worker(&["-q", "a=3", "-q", "b"]);
    for task in &tasks {
        status(task, Status::Complete);
    }
    let order = world.written("order").replace('\n', "");
    assert_eq!(order.get(..4).map(|first| first.matches('a').count()), Some(3), "{order}");
    for wrong in [&["-q", "a=0"][..], &["-q", "a=x"], &["-q", "a=2", "--order", "strict"], &["-q", "a", "--has", "!"]] {
        let mut worker = world.worker(wrong);
        assert!(!eventually("it refuses", || worker.0.try_wait().unwrap()).success(), "{wrong:?}");
    }
}
