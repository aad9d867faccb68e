//! The end of `blueque worker`: after one signal, after two signals, and after an order from another process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::time::{Duration, Instant};

use blueque::{ListenerId, Status};
use support::eventually;
use world::{HOLD, STEPS, World, beginnings, field, lives, result, saved};

#[test]
fn a_worker_told_to_end_waits_for_its_programs_and_takes_nothing_more() {
    let world = World::new();
    let (mut worker, task) = world.holding(&[]);
    worker.signal("TERM");
    eventually("it drains", || world.log().contains("drains").then_some(()));
    let later = world.submit("hold", "[]");
    world.touch("go");
    assert!(worker.ended().success());
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(later.info().unwrap().status(), Some(Status::Pending));
    assert_eq!(world.client.queue("hold").unwrap().listeners().unwrap(), [], "it said goodbye");
}

#[test]
fn a_second_sigterm_ends_the_worker_at_once_and_its_programs_go_on() {
    let world = World::new();
    let (mut worker, task) = world.holding(&["--lease", "3s"]);
    let pid: i32 = world.written("pid").parse().unwrap();
    worker.signal("TERM");
    eventually("it drains", || world.log().contains("drains").then_some(()));
    worker.signal("TERM");
    assert!(worker.ended().success());
    assert!(lives(pid));
    world.touch("go");
    assert_eq!(result(&task), "\"done\"", "the supervisor needs no worker");
    assert_eq!(task.info().unwrap().attempt(), 1);
    world.nothing_is_left();
}

#[test]
fn a_worker_that_drains_by_checkpoint_asks_its_programs_to_save_and_gives_the_tasks_back_uncounted() {
    let world = World::new();
    world.program("steps", STEPS);
    let mut worker = world.worker(&["--queue", "steps", "--drain", "checkpoint"]);
    let task = world.submit("steps", "[]");
    let saved = saved(&task, 3);
    worker.signal("TERM");
    assert!(worker.ended().success());
    let info = task.info().unwrap();
    assert_eq!(info.status(), Some(Status::Pending));
    assert_eq!((info.losses(), field(&info, "failures").as_str(), field(&info, "releases").as_str()), (0, "", ""));
    assert_eq!(field(&info, "uncounted"), "1", "a drain is the worker's doing, not the task's");
    world.nothing_is_left();
    let _worker = world.worker(&["--queue", "steps"]);
    assert_eq!(result(&task), "[60]");
    assert!(beginnings(&world)[1] >= saved);
}

#[test]
fn a_worker_that_drains_by_release_waits_a_second_for_a_program_that_does_not_listen() {
    let world = World::new();
    world.program("hold", &format!("trap '' TERM\n{HOLD}"));
    let mut worker = world.worker(&["--queue", "hold", "--drain", "release", "--grace", "10min"]);
    let task = world.held();
    worker.signal("TERM");
    assert!(worker.ended().success());
    assert_eq!(task.info().unwrap().status(), Some(Status::Pending));
    world.nothing_is_left();
}

#[test]
fn waiting_turns_into_a_checkpoint_after_its_limit() {
    let world = World::new();
    world.program("steps", &STEPS.replace("60", "60000"));
    let mut worker = world.worker(&["--queue", "steps", "--drain-after", "300ms"]);
    let task = world.submit("steps", "[]");
    saved(&task, 1);
    worker.signal("INT");
    assert!(worker.ended().success());
    assert_eq!(task.info().unwrap().status(), Some(Status::Pending));
    world.nothing_is_left();
}

#[test]
fn a_worker_ordered_to_drain_from_elsewhere_gives_back_what_it_has_and_takes_nothing_more() {
    let world = World::new();
    world.program("steps", &STEPS.replace("60", "60000"));
    let mut worker = world.worker(&["--queue", "steps", "--drain", "checkpoint", "--lease", "3s"]);
    let tasks = [world.submit("steps", "[]"), world.submit("steps", "[]")];
    saved(&tasks[0], 1);
    let queue = world.client.queue("steps").unwrap();
    let listener = ListenerId::new(queue.listeners().unwrap()[0].id.as_str()).unwrap();
    queue.drain(&listener, true).unwrap();
    assert!(worker.ended().success());
    for task in &tasks {
        assert_eq!(task.info().unwrap().status(), Some(Status::Pending));
    }
    assert_eq!(beginnings(&world).len(), 1, "given back once, and not taken again");
    world.nothing_is_left();
}

#[test]
fn a_queue_that_is_paused_and_stopped_takes_its_tasks_back_whatever_the_worker_does_for_a_drain() {
    let world = World::new();
    world.program("steps", &STEPS.replace("60", "60000"));
    world.program("quick", "cat");
    let _worker = world.worker(&["-q", "steps", "-q", "quick", "--drain", "wait", "--lease", "3s"]);
    let task = world.submit("steps", "[]");
    saved(&task, 1);
    let queue = world.client.queue("steps").unwrap();
    queue.pause_and_stop("ops", "disk").unwrap();
    eventually("it is given back", || (task.info().unwrap().status() == Some(Status::Pending)).then_some(()));
    assert!(task.info().unwrap().checkpoint_bytes().is_some());
    assert_eq!((task.info().unwrap().losses(), beginnings(&world).len()), (0, 1));
    world.submit("quick", "[7]").wait(Duration::from_secs(20)).unwrap();
    queue.resume().unwrap();
    eventually("it goes on", || (beginnings(&world).len() == 2).then_some(()));
}

#[test]
fn an_idle_worker_ends_at_once() {
    let world = World::new();
    let mut worker = world.worker(&["--queue", "q"]);
    let queue = world.client.queue("q").unwrap();
    eventually("it listens", || (!queue.listeners().unwrap().is_empty()).then_some(()));
    let begun = Instant::now();
    worker.signal("TERM");
    assert!(worker.ended().success());
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(queue.listeners().unwrap(), []);
}

#[test]
fn a_full_worker_is_one_thing_on_all_its_queues_and_hears_an_order_for_any_of_them() {
    let world = World::new();
    world.program("other", "echo 1");
    let (mut worker, _task) = world.holding(&["-q", "other", "--has", "gpu", "--name", "left"]);
    let waits = world.submit_as("other", "z", blueque::Submit::default().needs("gpu"));
    let blueque = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_blueque"));
        let output = command.args(args).env("BLUEQUE_URL", world.server.url()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let found = eventually("it says that it is full", || {
        let found = world.client.workers().unwrap().into_iter().next()?;
        (found.free == 0).then_some(found)
    });
    assert_eq!((found.queues.len(), found.slots, found.name.as_deref(), found.dead), (2, 1, Some("left"), false));
    assert_eq!((found.version.as_deref(), found.has.as_deref()), (Some(env!("CARGO_PKG_VERSION")), Some("gpu")));
    // On the queue `other` the worker is known only by its reports.
    let full = "It is the next of its queue, and the only worker of other is full with 1 task of hold.\n";
    assert_eq!(blueque(&["why", "z"]), full);
    let shown = blueque(&["workers", "other"]);
    assert!(shown.contains("left") && shown.contains("other"), "{shown}");

    let listener = ListenerId::new(found.id.as_str()).unwrap();
    world.client.queue("other").unwrap().drain(&listener, true).unwrap();
    eventually("it drains", || world.log().contains("ordered to drain").then_some(()));
    let drains = || world.client.workers().unwrap()[0].drained.len() == 2;
    eventually("it says that it drains", || drains().then_some(()));
    assert_eq!(
        blueque(&["why", "z"]),
        format!("Its queue other has only a worker that drains ({}): start a worker for it.\n", found.id)
    );
    world.touch("go");
    assert!(worker.ended().success());
    assert_eq!(waits.info().unwrap().status(), Some(Status::Pending));
    assert_eq!(world.client.workers().unwrap(), [], "it said goodbye");
}

#[test]
fn a_worker_that_died_is_shown_as_dead_though_its_supervisor_sends_heartbeats() {
    let world = World::new();
    let (worker, _task) = world.holding(&["-q", "other", "--lease", "1s"]);
    let id = eventually("it reports", || Some(world.client.workers().unwrap().into_iter().next()?.id));
    worker.kill();
    // Half a minute passes.
    let long_ago =
        world.client.workers().unwrap()[0].seen.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64() - 31.0;
    let key = format!("blueque_worker_{id}");
    let _: () = redis::cmd("HSET").arg(key).arg("at").arg(long_ago).query(&mut world.server.connection()).unwrap();
    world.submit_as("hold", "z", blueque::Submit::default());
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_blueque"))
        .args(["why", "z"])
        .env("BLUEQUE_URL", world.server.url())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let dead = format!("Its queue hold has no living worker, only a dead one ({id}, since 20");
    assert!(said.starts_with(&dead) && said.ends_with("): start a worker for it.\n"), "{said}");
    world.touch("go");
    world.nothing_is_left();
}

#[test]
fn a_suspended_task_stays_suspended_when_its_worker_is_killed_and_another_continues_it() {
    let world = World::new();
    let (worker, task) = world.holding(&["--lease", "3s"]);
    let id = task.id().as_str();
    let pid: i32 = world.written("pid").parse().unwrap();
    let stopped = || std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") T "));
    assert!(world.run(&["suspend", id]).contains("suspended"));
    assert!(stopped());
    worker.kill();
    let _worker = world.worker(&["--queue", "hold"]);
    let begun = task.info().unwrap().updated();
    let since = Instant::now();
    eventually("the lease would have ended", || (since.elapsed() > Duration::from_secs(4)).then_some(()));
    let info = task.info().unwrap();
    assert_eq!((info.condition(), info.attempt(), info.updated()), ("suspended", 1, begun));
    assert!(stopped() && world.run(&["suspend", id]).contains("suspended"));
    assert!(world.run(&["continue", id]).contains("continued"));
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
    world.nothing_is_left();
}

#[test]
fn a_requeued_task_has_its_requeue_in_its_history() {
    let world = World::new();
    let (_worker, task) = world.holding(&["--grace", "1s"]);
    let said = world.run(&["requeue", task.id().as_str()]);
    assert!(said.contains("requeuing"), "{said}");
    eventually("it is given back", || {
        let steps = task.history().unwrap();
        let back = steps.iter().find(|step| step.from.as_deref() == Some("started"))?;
        assert_eq!(back.why.as_deref(), Some("requeue"), "{steps:?}");
        Some(())
    });
}
