//! A worker with problems: it continues where it can, reports what is wrong, and does not harm the queue.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use blueque::calls::ReportOptions;
use blueque::{ListenerId, Status, Submit, Task};
use support::eventually;
use world::{Worker, World, result};

#[test]
fn trouble_with_one_queue_is_said_once_and_keeps_no_other_from_its_maintenance() {
    let world = World::new();
    world.program("b", "echo 1");
    let mut connection = world.server.connection();
    redis::cmd("SET").arg("blueque_scheduled_tasks_a").arg("x").exec(&mut connection).unwrap();
    let lost = world.submit("b", "[]");
    let elsewhere = ListenerId::new("elsewhere_1").unwrap();
    let mut listener = world.client.listener_as(elsewhere, &["b"]).unwrap().lease(Duration::from_secs(1));
    listener.try_listen().unwrap().expect("the task");
    let soon = SystemTime::now() + Duration::from_secs(1);
    let due = world.client.queue("b").unwrap().submit_bytes(b"[]", Submit::default().eta(soon)).unwrap();
    let _worker = world.worker(&["--queue", "a", "--queue", "b"]);
    assert_eq!(result(&due), "1", "a scheduled task");
    assert_eq!(result(&lost), "1", "a lease that has ended");
    let said = "the maintenance of a fails";
    eventually("it is said", || world.log().contains(said).then_some(()));
    redis::cmd("DEL").arg("blueque_scheduled_tasks_a").exec(&mut connection).unwrap();
    eventually("its end is said", || world.log().contains("the maintenance of a works again").then_some(()));
    assert_eq!(world.log().matches(said).count(), 1, "{}", world.log());
}

#[test]
fn a_worker_that_can_take_nothing_any_more_ends_at_once_and_says_why() {
    let world = World::new();
    world.program("q", "echo 1");
    let mut connection = world.server.connection();
    let mut acl =
        |rules: &[&str]| redis::cmd("ACL").arg("SETUSER").arg("app").arg(rules).exec(&mut connection).unwrap();
    acl(&["on", "nopass", "~*", "&*", "+@all"]);
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["--queue", "q"]);
    command.env("BLUEQUE_URL", format!("{}?user=app&pass=any", world.server.url()));
    let mut worker = world::Worker(command.spawn().unwrap());
    let before = world.submit("q", "[]");
    assert_eq!(result(&before), "1");
    world.nothing_is_left();
    acl(&["-zadd"]);
    let task = world.submit("q", "[]");
    assert_eq!(worker.ended().code(), Some(1));
    assert!(world.log().contains("may not run ZADD"), "{}", world.log());
    assert_eq!(task.info().unwrap().status(), Some(Status::Pending));
    acl(&["+zadd"]);
    let listeners = world.client.queue("q").unwrap().listeners().unwrap();
    assert!(listeners.is_empty(), "it has said goodbye: {listeners:?}");
}

/// A worker on another folder of programs.
fn worker_on(world: &World, programs: &str) -> Worker {
    fs::create_dir_all(world.path(programs)).unwrap();
    let usual = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &[]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.args(["worker", "--queue", "q", "--dir"]).arg(world.path(programs));
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let log = fs::File::create(world.path(&format!("{programs}.log"))).unwrap();
    Worker(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap())
}

fn said(world: &World, programs: &str) -> String {
    fs::read_to_string(world.path(&format!("{programs}.log"))).unwrap()
}

fn many(world: &World, number: usize) -> Vec<Task> {
    (0..number).map(|_| world.submit("q", "[]")).collect()
}

#[test]
fn a_worker_without_the_program_takes_little_and_fails_nothing() {
    let world = World::new();
    world.program("q", "sleep 0.1; echo 1");
    let broken = worker_on(&world, "empty");
    let first = world.submit("q", "[]");
    eventually("it is given back", || said(&world, "empty").contains("takes nothing of q for").then_some(()));
    let why = || {
        let record = world
            .client
            .workers()
            .unwrap()
            .into_iter()
            .find(|worker| worker.id.ends_with(&format!("_{}", broken.pid())));
        record?.trouble
    };
    let why = eventually("its record says so", why);
    assert!(why.starts_with("takes nothing of q: there is no program q in "), "{why}");
    let _good = world.worker(&["--queue", "q", "--slots", "2"]);
    let tasks = many(&world, 20);
    for task in tasks.iter().chain([&first]) {
        assert_eq!(result(task), "1");
    }
    let taken = said(&world, "empty").matches("gave ").count();
    assert!(taken <= 8, "at most one each 0.5, 1, 2, 4 … seconds: {taken}");
}

#[test]
fn a_program_that_comes_is_seen_at_once_by_a_worker_that_had_left_the_queue_alone() {
    let world = World::new();
    let _worker = worker_on(&world, "worker.d");
    let lost: Vec<Task> = many(&world, 8);
    eventually("it stays away", || said(&world, "worker.d").contains("takes nothing of q for 8s").then_some(()));
    let begun = Instant::now();
    world.program("q", "echo 1");
    let new = world.submit("q", "[]");
    assert_eq!(result(&new), "1");
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    drop(lost);
}

#[test]
fn a_worker_whose_tasks_fail_at_once_while_those_of_others_succeed_slows_down() {
    let world = World::new();
    world.program("q", "sleep 0.1; echo 1");
    fs::create_dir(world.path("bad")).unwrap();
    fs::write(world.path("bad/q"), "#!/bin/sh\necho 'no CUDA device' >&2; exit 1\n").unwrap();
    fs::set_permissions(world.path("bad/q"), fs::Permissions::from_mode(0o755)).unwrap();
    let _good = world.worker(&["--queue", "q"]);
    assert_eq!(result(&world.submit("q", "[]")), "1");
    let _bad = worker_on(&world, "bad");
    let tasks = many(&world, 20);
    for task in &tasks {
        task.wait(world::LIMIT).unwrap();
    }
    let failed = tasks.iter().filter(|task| task.info().unwrap().status() == Some(Status::Failed)).count();
    assert!((3..=10).contains(&failed), "{failed} of 20 failed");
    let said = said(&world, "bad");
    assert!(said.contains("takes nothing of q for 4s: 3 of its tasks failed here at once"), "{said}");
}

#[test]
fn a_program_that_no_worker_has_is_named() {
    let world = World::new();
    world.program("fine", "echo 1");
    let _worker = world.worker(&["--queue", "q"]);
    let queue = world.client.queue("q").unwrap();
    let task = queue.submit_bytes(b"[]", Submit::default().method("late")).unwrap();
    let record = || world.client.workers().unwrap().into_iter().next();
    let record = eventually("it reports", record);
    assert_eq!(record.methods, ["fine"]);
    let why = eventually("why says so", || {
        let why = world.run(&["why", task.id().as_str()]);
        why.contains("No worker of q has its program late").then_some(why)
    });
    assert!(why.contains("late"), "{why}");
    let sentence = "no worker of q has the program late, which a waiting task needs";
    // While the worker holds the task, the task does not wait, so the test repeats the commands.
    eventually("workers says so", || world.run(&["workers"]).contains(sentence).then_some(()));
    eventually("doctor says so", || world.run(&["doctor"]).contains(sentence).then_some(()));
    assert!(world.run(&["workers", "-o", "json"]).contains("\"methods\":[\"fine\"]"));
}

#[test]
fn a_program_that_is_not_executable_is_named_until_it_is() {
    let world = World::new();
    world.program("fine", "echo 1");
    world.program("late", "echo 2");
    let file = world.path("worker.d/late");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let _worker = world.worker(&["--queue", "q", "--name", "desk"]);
    let task = world.client.queue("q").unwrap().submit_bytes(b"[]", Submit::default().method("late")).unwrap();
    let sentence =
        format!("can run its program late: on the host of desk, {} is not executable: chmod +x.", file.display());
    eventually("why says so", || world.run(&["why", task.id().as_str()]).contains(&sentence).then_some(()));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(result(&task), "2");
    let ails = || world.client.workers().unwrap().remove(0).trouble;
    eventually("the worker reports it no longer", || ails().is_none().then_some(()));
}

#[test]
fn why_says_that_the_workers_of_a_queue_leave_it_alone() {
    let world = World::new();
    world.program("fine", "echo 1");
    let worker = world.worker(&["--queue", "q"]);
    let queue = world.client.queue("q").unwrap();
    // The worker leaves the queue alone after many tasks in a row whose programs are missing.
    for number in 0..40 {
        queue.submit_bytes(b"[]", Submit::default().method(format!("late{number}"))).unwrap();
    }
    eventually("it stays away", || world.log().contains("takes nothing of q for").then_some(()));
    let id = world.client.workers().unwrap().remove(0).id;
    worker.signal("STOP");
    // Sends the report of a worker that leaves the queue alone, so that the test does not depend on its timing.
    let (queues, who) = ([queue.name().clone()], ListenerId::new(id.as_str()).unwrap());
    let trouble = "takes nothing of q: it is tired; takes nothing of other: for nothing";
    let report = ReportOptions::new().methods("fine").trouble(trouble);
    world.client.call(&world.client.calls().report(&who, 1, 1, &queues, &report)).unwrap();
    let task = queue.submit_bytes(b"[]", Submit::default().method("fine")).unwrap();
    let said = world.run(&["why", task.id().as_str()]);
    assert_eq!(said, format!("Its queue is left alone for a moment: {id} takes nothing of q: it is tired.\n"));
    worker.signal("CONT");
}

/// A worker of q and p, with a key of a wrong type in q: before it starts, or while it runs.
fn one_bad_queue(key: &str, from_the_start: bool) {
    let world = World::new();
    world.program("p", "echo 1");
    world.program("q", "echo 2");
    let mut connection = world.server.connection();
    let mut damage = || {
        redis::cmd("DEL").arg(key).exec(&mut connection).unwrap();
        redis::cmd("SET").arg(key).arg("x").exec(&mut connection).unwrap();
    };
    if from_the_start {
        damage();
    }
    let mut worker = world.worker(&["--queue", "q", "--queue", "p"]);
    assert_eq!(result(&world.submit("p", "[]")), "1", "{}", world.log());
    if !from_the_start {
        damage();
    }
    let said = "takes nothing of q: ";
    eventually("its record says so, also of p", || {
        assert_eq!(worker.0.try_wait().unwrap(), None, "{}", world.log());
        let record = world.client.workers().unwrap().into_iter().next()?;
        record.trouble.filter(|trouble| trouble.contains(said) && trouble.contains("WRONGKEY"))
    });
    assert!(world.log().contains("takes nothing of q for "), "{}", world.log());
    for _ in 0..5 {
        assert_eq!(result(&world.submit("p", "[]")), "1");
    }
    redis::cmd("DEL").arg(key).exec(&mut connection).unwrap();
    assert_eq!(result(&world.submit("q", "[]")), "2");
    assert_eq!(worker.0.try_wait().unwrap(), None);
}

#[test]
fn a_queue_whose_key_has_a_wrong_type_is_left_aside_and_the_other_goes_on() {
    one_bad_queue("blueque_pending_tasks_q", false);
}

#[test]
fn a_worker_starts_for_the_queue_that_is_sound_where_a_key_of_another_has_a_wrong_type() {
    one_bad_queue("blueque_listeners_q", true);
}

/// The error of a worker that is started under a limit, or without permission to raise one, and must not start.
fn refused(limit: &str, args: &[&str]) -> String {
    let world = World::new();
    let usual = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), args);
    let mut command = Command::new("prlimit");
    command.arg(limit);
    if fs::read_to_string("/proc/self/status").unwrap().contains("CapEff:\t0000000000000000") {
        command.arg(usual.get_program());
    } else {
        command.args(["setpriv", "--bounding-set", "-sys_resource,-sys_nice"]).arg(usual.get_program());
    }
    command.args(usual.get_args()).stdin(Stdio::null()).stdout(Stdio::null());
    for (name, value) in usual.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.stderr(fs::File::create(world.path("worker.log")).unwrap());
    let mut worker = Worker(command.spawn().unwrap());
    assert_eq!(worker.ended().code(), Some(2), "{}", world.log());
    world.log()
}

#[test]
fn limits_that_no_program_can_be_given_are_refused_when_the_worker_starts() {
    let said = refused("--data=536870912:536870912", &["--queue", "q", "--memory", "1G"]);
    assert!(said.contains("--memory") && said.contains("ulimit -d"), "{said}");
    let said = refused("--nice=0:0", &["--queue", "q", "--nice", "-5"]);
    assert!(said.contains("--nice"), "{said}");
}
