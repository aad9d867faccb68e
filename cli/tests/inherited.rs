//! The properties that a worker inherits from the process that starts it: ignored and blocked signals, descriptors and
//! limits; and a worker that is process 1 of a container.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use blueque::Status;
use nix::sys::signal::{SigSet, Signal};
use support::eventually;
use world::{HOLD, STEPS, Worker, World, lives, result, saved, send, status};

/// A worker that is started by a shell, after these words of its own.
fn worker_after(world: &World, words: &str, args: &[&str]) -> Worker {
    worker_by(world, &["sh", "-c", &format!("{words}; exec \"$@\""), "sh"], args)
}

/// A worker that is started by another program.
fn worker_by(world: &World, starter: &[&str], args: &[&str]) -> Worker {
    let usual = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), args);
    let mut command = Command::new(starter[0]);
    command.args(&starter[1..]).arg(usual.get_program()).args(usual.get_args());
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let log = File::options().create(true).append(true).open(world.path("worker.log")).unwrap();
    command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null()).stderr(log);
    Worker(command.spawn().unwrap())
}

/// The signals of a process in one of the masks that the kernel shows.
fn mask(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    u64::from_str_radix(line.trim_start_matches(':').trim(), 16).unwrap()
}

#[test]
fn a_worker_whose_parent_ignored_the_ends_of_children_notices_those_of_its_supervisors() {
    let world = World::new();
    world.program("q", "echo 1");
    let mut worker = worker_by(&world, &["env", "--ignore-signal=CHLD"], &["--queue", "q", "--slots", "2"]);
    let tasks: Vec<_> = (0..5).map(|_| world.submit("q", "[]")).collect();
    for task in &tasks {
        assert_eq!(result(task), "1");
    }
    worker.signal("TERM");
    assert!(worker.ended().success());
}

#[test]
fn a_worker_whose_parent_blocked_signals_runs_stops_and_ends_as_any_other() {
    let world = World::new();
    world.program("q", "cat /proc/self/status > FOLDER/status; echo 1");
    world.program("steps", STEPS.replace("60", "60000").as_str());
    // The signals are in the mask of this test's thread only during the start.
    let (all, before) = (SigSet::all(), SigSet::thread_get_mask().unwrap());
    all.thread_block().unwrap();
    let args = ["-q", "q", "-q", "steps", "--lease", "10min", "--drain", "checkpoint"];
    let mut worker = worker_by(&world, &["env", "--ignore-signal=CHLD,USR1,QUIT"], &args);
    before.thread_set_mask().unwrap();
    assert_eq!(result(&world.submit("q", "[]")), "1", "long before the next heartbeat");
    let seen = fs::read_to_string(world.path("status")).unwrap();
    // Two signals of the C library are ignored in every process that it has started.
    let inherited = ["SigBlk", "SigIgn"].map(|name| mask(&seen, name) & !(0b11 << 31));
    assert_eq!(inherited, [0, 0], "of what its starter blocked and ignored the program has nothing");
    let task = world.submit("steps", "[]");
    saved(&task, 1);
    worker.signal("TERM");
    assert!(worker.ended().success());
    assert_eq!(task.info().unwrap().status(), Some(Status::Pending));
}

#[test]
fn a_worker_that_may_not_write_files_as_large_as_a_run_needs_does_not_start_and_says_why() {
    let world = World::new();
    let mut worker = worker_after(&world, "ulimit -f 512", &["--queue", "q"]);
    assert_eq!(worker.ended().code(), Some(2));
    let log = world.log();
    assert!(log.contains("ulimit -f") && log.contains("LimitFSIZE"), "{log}");
}

#[test]
fn a_log_larger_than_files_may_be_stops_no_supervisor() {
    let world = World::new();
    world.program(
        "q",
        "head -c 6000000 /dev/zero | tr '\\0' x; echo; cat /proc/self/status > FOLDER/status; echo 1 >&2",
    );
    let _worker = worker_after(&world, "ulimit -f 8192", &["--queue", "q"]);
    let task = world.submit("q", "[]");
    let info = task.wait(world::LIMIT).unwrap();
    assert_eq!((info.status(), info.attempt(), info.losses()), (Some(Status::Complete), 1, 0), "{:?}", info.error());
    let seen = fs::read_to_string(world.path("status")).unwrap();
    assert_eq!(mask(&seen, "SigIgn") & 1 << (Signal::SIGXFSZ as u64 - 1), 0, "the program has its own limit");
    world.nothing_is_left();
}

#[test]
fn a_lock_that_the_starter_of_a_worker_holds_is_free_when_the_worker_is_dead_though_programs_run_on() {
    let world = World::new();
    world.program("hold", HOLD);
    let lock = world.path("lock");
    let worker = worker_after(&world, &format!("exec 3>{0} 7>{0}; flock 3", lock.display()), &["--queue", "hold"]);
    world.held();
    let (supervisor, program) = (world.supervisor(), world.written("pid").parse().unwrap());
    let has = |pid: i32| {
        let open = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
        open.filter(|fd| fs::read_link(fd.path()).is_ok_and(|file| file == lock)).count()
    };
    assert_eq!(has(worker.pid()), 2, "the worker holds it as long as it lives");
    assert_eq!((has(supervisor), has(program)), (0, 0));
    worker.kill();
    assert!(lives(supervisor) && lives(program));
    assert!(Command::new("flock").arg("-n").arg(&lock).arg("true").status().unwrap().success(), "the lock is free");
    world.touch("go");
    world.nothing_is_left();
}

#[test]
fn a_program_is_killed_for_memory_before_its_supervisor_whatever_the_worker_was_given() {
    let world = World::new();
    world.program("q", "cat /proc/self/oom_score_adj");
    for (given, expected) in [(0, "300"), (500, "800"), (900, "1000")] {
        let words = format!("echo {given} > /proc/self/oom_score_adj");
        let _worker = worker_after(&world, &words, &["--queue", "q"]);
        assert_eq!(result(&world.submit("q", "[]")), expected);
    }
}

#[test]
fn a_worker_that_is_process_1_waits_for_what_a_dead_supervisor_leaves_to_it() {
    let world = World::new();
    world.program("hold", &format!("sleep 600 & sleep 600 & {HOLD}"));
    let starter = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];
    let worker = worker_by(&world, &starter, &["--queue", "hold"]);
    let task = world.held();
    // Outside of the container its processes have other numbers.
    let children = |parent: i32| -> Vec<i32> {
        let all = fs::read_dir("/proc").unwrap().flatten();
        let all = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let is_child = |pid: &i32| {
            let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
            let stat = String::from_utf8_lossy(&stat).into_owned();
            stat.rsplit_once(") ").and_then(|(_, fields)| fields.split(' ').nth(1)) == Some(&parent.to_string())
        };
        all.filter(is_child).collect()
    };
    let first = children(worker.pid())[0];
    let supervisor = children(first)[0];
    fs::remove_file(world.path("pid")).unwrap();
    send("KILL", supervisor);
    world.written("pid");
    let again = status(&task, Status::Started);
    assert_eq!(again.attempt(), 2);
    eventually("only the new supervisor is a child of the worker", || {
        let left: Vec<i32> = children(first).into_iter().filter(|&pid| !lives(pid)).collect();
        left.is_empty().then_some(())
    });
}
