//! Limits that a task sets for its program, and shares of the host that no worker gives twice.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::time::Duration;

use blueque::{Status, Submit, Task};
use support::eventually;
use world::{World, result, status};

/// Writes its shares and its niceness into a file of its own, and waits until it is released.
const SHARES: &str = "echo \"$BLUEQUE_CPUS $BLUEQUE_GPUS $CUDA_VISIBLE_DEVICES $(nice)\" > FOLDER/$BLUEQUE_TASK_ID\n\
    while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo 1";

/// Returns the error of a task that has failed.
fn error(task: &Task) -> String {
    status(task, Status::Failed);
    task.info().unwrap().error().unwrap()
}

fn waits(task: &Task) {
    // A worker without these shares may have taken the task and given it back.
    let status = task.info().unwrap().status();
    assert!(matches!(status, Some(Status::Pending | Status::Scheduled)), "{status:?}");
}

#[test]
fn limits_of_a_task_apply_below_those_of_its_worker_and_name_themselves() {
    let world = World::new();
    world.program("sleep", "echo 7 > \"$BLUEQUE_CHECKPOINT\"; exec sleep 600");
    world.program("nice", "nice");
    let worker = world.worker(&["-q", "sleep", "-q", "nice", "--slots", "4", "--max-run", "1h", "--nice", "1"]);
    let second = Duration::from_secs(1);
    let own = |id, how: Submit| world.submit_as("sleep", id, how);
    let run = own("run", Submit::default().max_run(second));
    let silent = own("silent", Submit::default().no_progress(second));
    let nice = world.submit_as("nice", "nice", Submit::default().nice(18));
    let nicest = world.submit_as("nice", "nicest", Submit::default().nice(19));
    assert_eq!(error(&run), "stopped after 1.0s, the task's --max-run; the checkpoint is kept");
    assert_eq!(
        error(&silent),
        "stopped after 1.0s without a sign of life, the task's --no-progress; the checkpoint is kept"
    );
    assert_eq!([result(&nice), result(&nicest)], ["19", "19"]);
    drop(worker);
    let worker = world.worker(&["-q", "sleep", "--max-run", "1s"]);
    let longer = own("longer", Submit::default().max_run(Duration::from_secs(3600)));
    assert_eq!(error(&longer), "stopped after 1.0s, the worker's --max-run; the checkpoint is kept");
    drop(worker);
    let worker = world.worker(&["-q", "stubborn", "--grace", "1h"]);
    world.program("stubborn", "trap '' TERM; while :; do sleep 0.02; done");
    let how = Submit::default().max_run(second).grace(Duration::ZERO);
    assert!(error(&world.submit_as("stubborn", "stubborn", how)).starts_with("stopped after 1.0s"));
    drop(worker);
    world.nothing_is_left();
}

#[test]
fn all_processes_of_a_program_together_keep_the_memory_that_its_task_asks_for() {
    let world = World::new();
    let eat = "x = bytearray(30 << 20); x[::4096] = b'x' * len(x[::4096])";
    world.program(
        "eat",
        &format!("for i in 1 2 3 4; do python3 -c \"import time; {eat}; time.sleep(600)\" & done; wait"),
    );
    let worker = world.worker(&["-q", "eat", "--has", "memory=1G"]);
    let (_, id, _) = world.outcome(&["submit", "eat", "--memory", "64M", "--id-only"]);
    let task = world.client.task(id.trim()).unwrap();
    let error = error(&task);
    // The kernel ends it where runs have control groups with the memory controller.
    let by_supervisor =
        error.starts_with("stopped with ") && error.ends_with(" of memory: the task's --memory is 64 MiB");
    assert!(by_supervisor || error.starts_with("out of memory"), "{error}");
    let shown = world.run(&["show", id.trim()]);
    assert!(shown.contains(", memory limited by the "), "{shown}");
    drop(worker);
    world.nothing_is_left();
}

#[test]
fn workers_of_one_host_give_no_share_twice_and_a_restart_changes_nothing() {
    let world = World::new();
    world.program("q", SHARES);
    let has = ["-q", "q", "--slots", "4", "--has", "cpus=3,gpus=2"];
    let (first, second) = (world.worker(&has), world.worker(&has));
    let wants = |id: &str, how: &[&str]| {
        world.outcome(&[&["submit", "q", "--id", id], how].concat());
        world.client.task(id).unwrap()
    };
    let a = wants("a", &["--cpus", "1.5", "--gpus", "1"]);
    let b = wants("b", &["--cpus", "1.5", "--gpus", "1"]);
    let shares = |id: &str| world.written(id);
    let mut given = [shares("a"), shares("b")];
    given.sort();
    assert_eq!(given, ["1.5 0 0 0", "1.5 1 1 0"]);
    let (c, d) = (wants("c", &["--cpus", "1"]), wants("d", &["--gpus", "2"]));
    let plain = wants("plain", &[]);
    assert_eq!(shares("plain"), "   0".trim(), "a task without GPUs sees none");
    for worker in [first, second] {
        worker.kill();
    }
    let _third = world.worker(&has);
    let last = wants("last", &[]);
    shares("last");
    waits(&c);
    waits(&d);
    world.touch("go");
    for task in [a, b, plain, last, c, d] {
        assert_eq!(result(&task), "1");
    }
    assert_eq!(shares("c"), "1   0");
    assert_eq!(shares("d"), "0,1 0,1 0");
    assert_eq!(result(&wants("all", &["--cpus", "3", "--gpus", "2"])), "1", "all shares are free again");
}

#[test]
fn a_share_that_no_host_has_is_refused_or_explained() {
    let world = World::new();
    world.program("q", "echo 1");
    for (has, says) in [
        ("memory=64", "memory is in bytes: give it a unit, such as 64G"),
        ("cpus=many", "must be a number of processors"),
        ("gpus=1000", "must be a number up to 64"),
    ] {
        let (code, _, err) =
            world.outcome(&["worker", "-q", "q", "--dir", world.path("worker.d").to_str().unwrap(), "--has", has]);
        assert_eq!((code, err.contains(says)), (2, true), "{err}");
    }
    for (wrong, says) in [
        (["--memory", "64"], "must be 1M to"),
        (["--cpus", "0"], "must be a number of processors"),
        (["--gpus", "0"], "must be a whole number from 1 to 64"),
        (["--nice", "-1"], "must be a whole number from 0 to 19"),
        (["--max-run", "0s"], "must be from 1s to"),
    ] {
        let (code, _, err) = world.outcome(&[&["submit", "q"], &wrong[..]].concat());
        assert_eq!((code, err.contains(says)), (2, true), "{err}");
    }
    let _worker = world.worker(&["-q", "q", "--has", "cpus=2,gpus"]);
    eventually("the worker is there", || world.client.workers().unwrap().pop());
    world.outcome(&["submit", "q", "--id", "large", "--cpus", "4"]);
    assert_eq!(world.run(&["why", "large"]), "It needs cpus>=4, which the only worker of q does not have.\n");
}
