//! A worker whose messages nobody reads.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::path::Path;

use nix::fcntl::{FcntlArg, fcntl};
use world::{Worker, World, result};

/// A pipe that is full.
fn full() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = pipe().unwrap();
    let room = fcntl(&writer, FcntlArg::F_GETPIPE_SZ).unwrap();
    writer.write_all(&vec![b'.'; usize::try_from(room).unwrap()]).unwrap();
    (reader, writer)
}

fn worker(world: &World, args: &[&str], stderr: PipeWriter) -> Worker {
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), args);
    Worker(command.stderr(stderr).spawn().unwrap())
}

#[test]
fn a_worker_whose_messages_nobody_reads_does_its_tasks_says_so_and_ends() {
    let world = World::new();
    world.program("echo", "cat");
    let (mut reader, writer) = full();
    let mut worker = worker(&world, &["--queue", "echo", "--slots", "4"], writer);
    let tasks: Vec<_> = (0..20).map(|_| world.submit("echo", "[1]")).collect();
    for task in &tasks {
        assert_eq!(result(task), "[1]");
    }
    worker.signal("TERM");
    assert!(worker.ended().success());
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text.trim_start_matches('.'), "", "nothing more went through the full pipe");
}

#[test]
fn messages_go_on_once_somebody_reads_again() {
    let world = World::new();
    world.program("echo", "cat");
    let (mut reader, writer) = full();
    let mut worker = worker(&world, &["--queue", "echo"], writer);
    let task = world.submit("echo", "[1]");
    assert_eq!(result(&task), "[1]");
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        text
    });
    worker.signal("TERM");
    assert!(worker.ended().success());
    world.nothing_is_left();
    let text = reading.join().unwrap();
    for said in ["takes tasks of echo", &format!("started {}", task.id()), &format!("ended {}", task.id()), " ends\n"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn a_worker_that_copies_output_which_nobody_reads_does_its_tasks_and_ends() {
    let world = World::new();
    world.program("much", "seq 100000 >&2; echo 1");
    let (_reader, writer) = full();
    let mut worker = worker(&world, &["--queue", "much", "--verbose"], writer);
    for _ in 0..2 {
        assert_eq!(result(&world.submit("much", "[]")), "1");
    }
    worker.signal("TERM");
    assert!(worker.ended().success());
}
