//! Two process trees never work on one task, whoever cancels, retries or requeues the task, unless `--now` is used.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use blueque::{Error, Status, Task};
use support::eventually;
use world::{World, send, status};

/// Ignores SIGTERM. Records the attempt and the time, repeatedly.
const TWIG: &str = "trap '' TERM
while :; do echo \"$BLUEQUE_ATTEMPT $(date +%s%N)\" >> FOLDER/stamps; sleep 0.01; done";

/// Runs `twig`, with a grandchild in another session.
const TREE: &str = "setsid FOLDER/worker.d/twig & exec FOLDER/worker.d/twig";

/// The kernel keeps the first 15 bytes of a name. Here byte 15 is the first half of a character.
const CUT: &str = "zweig-bericht-ß";

/// The records of the trees: attempt and time.
fn stamps(world: &World) -> Vec<(u32, u64)> {
    let text = fs::read_to_string(world.path("stamps")).unwrap_or_default();
    let whole = text.lines().filter_map(|line| {
        let (attempt, time) = line.split_once(' ')?;
        Some((attempt.parse().ok()?, time.parse().ok().filter(|&time: &u64| time > 1 << 60)?))
    });
    whole.collect()
}

fn of(stamps: &[(u32, u64)], attempt: u32) -> Vec<u64> {
    stamps.iter().filter(|(of, _)| *of == attempt).map(|(_, time)| *time).collect()
}

/// Waits until an attempt runs, with its whole tree.
fn works(world: &World, attempt: u32) {
    eventually(&format!("attempt {attempt} works"), || (of(&stamps(world), attempt).len() > 20).then_some(()));
}

/// Time during which two attempts ran at the same time, in milliseconds; negative: the gap between the attempts.
fn overlap(world: &World, attempt: u32) -> i64 {
    let stamps = stamps(world);
    let (old, new) = (of(&stamps, attempt), of(&stamps, attempt + 1));
    let (last, first) = (*old.iter().max().unwrap(), *new.iter().min().unwrap());
    (last.cast_signed() - first.cast_signed()) / 1_000_000
}

/// Runs the command, which must succeed; returns its output.
fn blueque(world: &World, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_blueque"))
        .args(args)
        .env("BLUEQUE_URL", world.server.url())
        .env("XDG_CONFIG_HOME", world.path("none"))
        .env_remove("BLUEQUE_NAMESPACE")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{args:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Retries until the command is accepted; returns the time that this took.
fn retried(task: &Task) -> Duration {
    let begun = Instant::now();
    eventually("the task can be retried", || match task.retry() {
        Ok(_) => Some(begun.elapsed()),
        Err(Error::State { code: blueque::Code::Stopping, .. }) => None,
        Err(error) => panic!("{error}"),
    })
}

/// A worker with room for another attempt, and a task that works.
fn begun(lease: &str) -> (World, world::Worker, Task) {
    begun_as("twig", lease)
}

/// Starts a worker and a task as `begun` does; `twig` is the name of both processes.
fn begun_as(twig: &str, lease: &str) -> (World, world::Worker, Task) {
    let world = World::new();
    world.program("tree", &TREE.replace("twig", twig));
    world.program(twig, TWIG);
    let worker = world.worker(&["--queue", "tree", "--slots", "2", "--lease", lease, "--grace", "500ms"]);
    let task = world.submit("tree", "[]");
    status(&task, Status::Started);
    works(&world, 1);
    (world, worker, task)
}

#[test]
fn a_task_cancelled_by_force_and_retried_has_one_tree_at_a_time() {
    let (world, _worker, task) = begun("6s");
    for attempt in 1..4 {
        works(&world, attempt);
        assert!(blueque(&world, &["cancel", task.id().as_str(), "--force"]).contains("cancelling"));
        let took = retried(&task);
        assert!(took < Duration::from_secs(2), "the order is heard long before the lease ends: {took:?}");
        works(&world, attempt + 1);
        assert!(overlap(&world, attempt) < 0, "attempt {attempt}: {} ms", overlap(&world, attempt));
    }
}

#[test]
fn a_requeued_task_has_one_tree_at_a_time() {
    let (world, _worker, task) = begun("3s");
    for attempt in 1..3 {
        works(&world, attempt);
        assert!(blueque(&world, &["requeue", task.id().as_str()]).contains("requeuing"));
        works(&world, attempt + 1);
        assert!(overlap(&world, attempt) < 0, "attempt {attempt}: {} ms", overlap(&world, attempt));
    }
    assert_eq!(task.info().unwrap().losses(), 0);
}

#[test]
fn a_supervisor_that_does_not_hear_of_a_forced_cancel_keeps_the_task_to_the_end_of_its_lease() {
    let (world, _worker, task) = begun("3s");
    let supervisor = world.supervisor();
    send("STOP", supervisor);
    task.cancel_by_force("now").unwrap();
    let refused = task.retry().unwrap_err();
    assert!(refused.to_string().contains("STOPPING") && refused.to_string().contains("until "), "{refused}");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(task.retry().unwrap_err().code(), Some(blueque::Code::Stopping), "its program still runs");
    send("CONT", supervisor);
    retried(&task);
    works(&world, 2);
    assert!(overlap(&world, 1) < 0, "{} ms", overlap(&world, 1));
}

#[test]
fn what_a_dead_supervisor_leaves_of_a_task_that_is_to_be_killed_is_settled_at_once() {
    let (world, _worker, task) = begun("10min");
    let supervisor = world.supervisor();
    send("STOP", supervisor);
    let run = world.runs().remove(0);
    fs::write(run.join("checkpoint"), "1").unwrap();
    task.cancel_by_force("now").unwrap();
    send("KILL", supervisor);
    retried(&task);
    works(&world, 2);
    assert!(overlap(&world, 1) < 0, "{} ms", overlap(&world, 1));
}

#[test]
fn what_a_dead_supervisor_leaves_is_dead_before_the_task_goes_on_also_with_a_name_cut_within_a_character() {
    let (world, _worker, _task) = begun_as(CUT, "10min");
    send("KILL", world.supervisor());
    works(&world, 2);
    assert!(overlap(&world, 1) < 0, "{} ms", overlap(&world, 1));
}

#[test]
fn a_program_with_a_name_cut_within_a_character_is_dead_before_the_end_of_its_lease() {
    let (world, _worker, _task) = begun_as(CUT, "3s");
    let server = world.server.pid().cast_signed();
    send("STOP", server);
    let supervises = || world.log().contains("lost its lease");
    eventually("the lease is lost", || supervises().then_some(()));
    send("CONT", server);
    works(&world, 2);
    assert!(overlap(&world, 1) < 0, "{} ms", overlap(&world, 1));
}

/// Records as TWIG does, in its second thread. The first thread has ended, so the process looks like a zombie.
const HEADLESS: &str = "exec python3 -c '
import ctypes, os, threading, time
def work():
    while True:
        with open(\"FOLDER/stamps\", \"a\") as stamps:
            stamps.write(os.environ[\"BLUEQUE_ATTEMPT\"] + \" \" + str(time.time_ns()) + chr(10))
        time.sleep(0.01)
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall(93 if os.uname().machine == \"aarch64\" else 60, 0)'";

#[test]
fn a_process_whose_first_thread_has_ended_is_killed_before_the_task_goes_on() {
    let world = World::new();
    world.program("tree", "setsid FOLDER/worker.d/twig & exec sleep 600");
    world.program("twig", HEADLESS);
    let _worker = world.worker(&["--queue", "tree", "--lease", "10min"]);
    world.submit("tree", "[]");
    works(&world, 1);
    send("KILL", world.supervisor());
    works(&world, 2);
    assert!(overlap(&world, 1) < 0, "{} ms", overlap(&world, 1));
}

#[test]
fn who_says_now_accepts_that_two_trees_work_at_one_time_until_the_first_is_told() {
    for words in [&["requeue"][..], &["cancel", "--force"]] {
        let (world, _worker, task) = begun("6s");
        // The first tree continues until its supervisor checks, after a third of the lease at most.
        let supervisor = world.supervisor();
        send("STOP", supervisor);
        blueque(&world, &[words, &[task.id().as_str(), "--now"]].concat());
        if words[0] == "cancel" {
            task.retry().unwrap();
        }
        works(&world, 2);
        let first = of(&stamps(&world), 1).len();
        eventually("the first tree goes on", || (of(&stamps(&world), 1).len() > first + 10).then_some(()));
        assert!(overlap(&world, 1) > 0);
        let told = Instant::now();
        send("CONT", supervisor);
        eventually("only the second is left", || (world.runs().len() == 1).then_some(()));
        assert!(told.elapsed() < Duration::from_secs(4), "{:?}", told.elapsed());
        assert_eq!(task.info().unwrap().attempt(), 2);
        let last = of(&stamps(&world), 1).len();
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(of(&stamps(&world), 1).len(), last, "the first tree is dead");
    }
}
