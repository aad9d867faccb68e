//! A host on which the program of a task cannot be run: without its interpreter, or in the middle of a deployment.
//! The tasks go back to the queue, which is not counted as a loss, and other hosts run them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use blueque::{Status, Submit, Task};
use support::eventually;
use world::{Worker, World, field, result};

/// The `PATH` of cron.
const BARE: &str = "/usr/bin:/bin";

/// A program with this first line.
fn program(world: &World, first: &str, text: &str) {
    let (path, new) = (world.path("worker.d/q"), world.path("worker.d/.new"));
    let text = text.replace("FOLDER", world.folder.path().to_str().unwrap());
    fs::write(&new, format!("{first}\n{text}\n")).unwrap();
    fs::set_permissions(&new, PermissionsExt::from_mode(0o755)).unwrap();
    fs::rename(new, path).unwrap();
}

fn worker(world: &World, path: &str, args: &[&str]) -> Worker {
    let args = [&["--queue", "q"], args].concat();
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &args);
    Worker(command.env("PATH", path).spawn().unwrap())
}

fn submit(world: &World) -> Task {
    let how = Submit::default().max_failures(5).max_releases(0);
    world.client.queue("q").unwrap().submit_bytes(b"[]", how).unwrap()
}

fn uncounted(task: &Task) -> u32 {
    field(&task.info().unwrap(), "uncounted").parse().unwrap_or(0)
}

/// Number of tasks in the state.
fn count(tasks: &[Task], status: Status) -> usize {
    tasks.iter().filter(|task| task.info().unwrap().status() == Some(status)).count()
}

#[test]
fn a_host_without_the_interpreter_gives_its_tasks_back_and_the_host_that_has_it_completes_them() {
    let world = World::new();
    fs::create_dir(world.path("tools")).unwrap();
    symlink("/bin/sh", world.path("tools/toolsh")).unwrap();
    program(&world, "#!/usr/bin/env toolsh", "while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo 1");
    let tasks: Vec<Task> = (0..40).map(|_| submit(&world)).collect();
    let _bare = worker(&world, BARE, &["--slots", "2"]);
    eventually("the lone host gives tasks back six times", || {
        assert_eq!(count(&tasks, Status::Failed), 0, "{:?}", tasks[0].info().unwrap().error());
        (tasks.iter().map(uncounted).sum::<u32>() >= 6).then_some(())
    });
    let says = |args: &[&str]| {
        let words = "takes nothing of q: ";
        eventually(&format!("{args:?} names the interpreter"), || {
            let said = world.run(args);
            (said.contains(words) && said.contains("toolsh")).then_some(())
        });
    };
    says(&["workers", "-o", "json"]);
    says(&["doctor"]);
    eventually("it pauses away longer", || world.log().contains("takes nothing of q for 2s").then_some(()));
    let log = world.log();
    let pauses: Vec<&str> = log.lines().filter(|line| line.contains("takes nothing of q for ")).collect();
    assert!(pauses.len() < 20, "{pauses:#?}");

    let tools = format!("{}:{BARE}", world.path("tools").display());
    let _good = worker(&world, &tools, &["--slots", "4"]);
    eventually("the good host is full", || (count(&tasks, Status::Started) == 4).then_some(()));
    world.touch("go");
    for task in &tasks {
        assert_eq!(result(task), "1");
        let info = task.info().unwrap();
        assert_eq!((field(&info, "failures").as_str(), field(&info, "releases").as_str()), ("", ""));
    }
    world.nothing_is_left();
}

/// Seconds from the first moment at which a task could be taken (pending, with the worker present) to its start.
fn waited(task: &Task, first: &Task) -> f64 {
    let there = first.history().unwrap().iter().find(|step| step.to == "reserved").unwrap().at.unwrap();
    let steps = task.history().unwrap();
    let since = steps.iter().find(|step| step.to == "pending").unwrap().at.unwrap();
    let start = steps.iter().rfind(|step| step.to == "reserved").unwrap().at.unwrap();
    start.duration_since(since.max(there)).unwrap_or_default().as_secs_f64()
}

#[test]
fn a_task_waits_two_seconds_at_most_behind_twenty_tasks_whose_program_is_missing() {
    for (slots, number) in [("1", 1), ("1", 3), ("1", 20), ("4", 1), ("4", 3), ("4", 5), ("4", 20)] {
        let world = World::new();
        program(&world, "#!/bin/sh", "echo 1");
        let queue = world.client.queue("q").unwrap();
        let typo = |n| queue.submit_bytes(b"[]", Submit::default().method(format!("typo{n}"))).unwrap();
        let typos: Vec<Task> = (0..number).map(typo).collect();
        let early = submit(&world);
        let _worker = worker(&world, BARE, &["--slots", slots]);
        assert_eq!(result(&early), "1", "{slots} slots, {number} mistyped: {}", world.log());
        eventually("each came back", || typos.iter().all(|task| uncounted(task) >= 2).then_some(()));
        let late = submit(&world);
        for task in [&early, &late] {
            let info = task.wait(Duration::from_secs(150)).unwrap();
            assert_eq!(info.status(), Some(Status::Complete), "{slots} slots, {number} mistyped: {}", world.log());
            let (told, waits) = (task.history().unwrap(), waited(task, &typos[0]));
            assert!(waits <= 2.0, "{slots} slots, {number} mistyped: it waited {waits} s");
            assert!(told.iter().all(|step| step.why.as_deref() != Some("no-program")), "a false reason: {told:?}");
        }
    }
}

#[test]
fn an_interpreter_that_is_missing_by_its_path_or_behind_options_of_env_gives_the_task_back() {
    for first in ["#!/no/such/toolsh", "#!/usr/bin/env -S A=1 toolsh -x", "#!/usr/bin/env /no/such/toolsh"] {
        let world = World::new();
        program(&world, first, "echo 1");
        let task = submit(&world);
        let _worker = worker(&world, BARE, &[]);
        eventually(&format!("{first}: it is given back twice"), || {
            let info = task.info().unwrap();
            assert_ne!(info.status(), Some(Status::Failed), "{first}: {:?}", info.error());
            (uncounted(&task) >= 2).then_some(())
        });
        assert_eq!(task.history().unwrap().last().unwrap().why.as_deref(), Some("no-program"));
        program(&world, "#!/usr/bin/env sh", "echo 2");
        assert_eq!(result(&task), "2", "{first}");
    }
}

#[test]
fn exit_code_127_at_once_slows_a_worker_alone_and_after_three_in_a_row_fails_no_more_tasks() {
    let world = World::new();
    program(&world, "#!/bin/sh", "exec toolsh");
    let tasks: Vec<Task> = (0..40).map(|_| submit(&world)).collect();
    let _worker = worker(&world, BARE, &[]);
    eventually("tasks are given back twice", || (tasks.iter().map(uncounted).sum::<u32>() >= 2).then_some(()));
    assert_eq!(count(&tasks, Status::Failed), 3, "{}", world.log());
    assert!(world.log().contains("takes nothing of q for 4s: 3 of its tasks failed here at once"), "{}", world.log());
    program(&world, "#!/bin/sh", "echo 1");
    for task in &tasks[3..] {
        assert_eq!(result(task), "1");
    }
    assert_eq!(count(&tasks, Status::Failed), 3, "{}", world.log());
}

#[test]
fn a_program_that_is_being_written_gives_its_task_back_for_a_second() {
    let world = World::new();
    fs::copy("/bin/true", world.path("worker.d/q")).unwrap();
    let copying = File::options().append(true).open(world.path("worker.d/q")).unwrap();
    let task = submit(&world);
    let _worker = worker(&world, BARE, &[]);
    eventually("it is given back", || {
        let info = task.info().unwrap();
        assert_ne!(info.status(), Some(Status::Failed), "{:?}", info.error());
        (info.status() == Some(Status::Scheduled)).then_some(())
    });
    let info = task.info().unwrap();
    let pause = info.eta().unwrap().duration_since(info.updated().unwrap()).unwrap().as_secs_f64();
    assert!((0.9..2.1).contains(&pause), "{pause}");
    eventually("the worker says why", || world.log().contains("Text file busy").then_some(()));
    drop(copying);
    assert_eq!(result(&task), "null");
    assert_eq!(field(&task.info().unwrap(), "failures"), "");
}

#[test]
fn a_program_that_is_not_executable_yet_gives_its_task_back_for_a_second() {
    let world = World::new();
    world.program("q", "echo 1");
    fs::set_permissions(world.path("worker.d/q"), PermissionsExt::from_mode(0o644)).unwrap();
    let task = submit(&world);
    let _worker = worker(&world, BARE, &[]);
    eventually("it is given back", || {
        let info = task.info().unwrap();
        assert_ne!(info.status(), Some(Status::Failed), "{:?}", info.error());
        (uncounted(&task) > 0).then_some(())
    });
    assert!(world.log().contains("is not executable: chmod +x"), "{}", world.log());
    fs::set_permissions(world.path("worker.d/q"), PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(result(&task), "1");
    assert_eq!(field(&task.info().unwrap(), "failures"), "");
}

#[test]
fn run_says_once_that_the_queue_is_left_alone() {
    let world = World::new();
    program(&world, "#!/usr/bin/env toolsh", "");
    let _worker = worker(&world, BARE, &[]);
    let file = File::create(world.path("said")).unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_blueque"));
    run.args(["run", "q", "--id", "t"])
        .env("BLUEQUE_URL", world.server.url())
        .env("XDG_CONFIG_HOME", world.path("none"));
    let _run = Worker(run.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file).spawn().unwrap());
    let said = || fs::read_to_string(world.path("said")).unwrap();
    eventually("it was left alone several times, and that was said", || {
        (world.log().contains("takes nothing of q for 8s") && said().contains("-- t: ")).then_some(())
    });
    let said = said();
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("-- t: ")).collect();
    assert!(!lines.is_empty() && !said.contains("should take it soon"), "{said}");
    assert!(lines.windows(2).all(|two| two[0] != two[1]), "twice in a row: {said}");
}
