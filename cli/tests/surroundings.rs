//! Unusual surroundings of a worker and output of its programs: a bare environment, closed descriptors, a hundred
//! programs, any bytes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[allow(dead_code)]
#[path = "worker/victims.rs"]
mod victims;
#[path = "worker/world.rs"]
mod world;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use blueque::calls::LogsOptions;
use blueque::{Status, Submit, Task};
use support::eventually;
use victims::victims;
use world::{Worker, World, field, result, status};

/// Number of programs that run at the same time.
const CROWD: usize = 100;

/// The output at the server, each stream whole.
fn output(world: &World, task: &Task) -> BTreeMap<String, Vec<u8>> {
    let calls = world.client.calls();
    let mut all: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut after = "0".to_owned();
    loop {
        let page = world.client.call(&calls.logs(task.id(), &after, 500, &LogsOptions::new())).unwrap();
        if page.items.is_empty() {
            return all;
        }
        for entry in page.items {
            all.entry(entry.source).or_default().extend(entry.text);
        }
        after = page.last;
    }
}

#[test]
fn a_hundred_programs_at_once_run_once_each_although_their_worker_is_killed() {
    let world = World::new();
    world.program(
        "q",
        "echo $$ >> FOLDER/begun\n\
        while [ ! -e FOLDER/go ]; do sleep 0.3; done\n\
        seq -f \"$BLUEQUE_TASK_ID %g\" 200 >&2; printf '\"%s\"' $BLUEQUE_TASK_ID",
    );
    let tasks: Vec<Task> =
        (0..CROWD).map(|n| world.submit_as("q", &format!("t{n}"), Submit::default().max_losses(0))).collect();
    let begun = || fs::read_to_string(world.path("begun")).unwrap_or_default().lines().count();
    let slots = CROWD.to_string();
    let worker = world.worker(&["--queue", "q", "--slots", &slots, "--lease", "60s"]);
    eventually("all have begun", || (begun() == CROWD).then_some(()));
    worker.kill();
    assert_eq!(victims(&world, "program").len(), CROWD, "they run on");
    let _next = world.worker(&["--queue", "q", "--slots", &slots, "--lease", "60s"]);
    world.touch("go");
    for task in &tasks {
        let id = task.id().as_str();
        assert_eq!(result(task), format!("\"{id}\""));
        let info = task.info().unwrap();
        assert_eq!((info.attempt(), field(&info, "losses").as_str()), (1, ""), "{id}");
        let lines: String = (1..=200).fold(String::new(), |text, n| text + &format!("{id} {n}\n"));
        let log = output(&world, task);
        assert_eq!(String::from_utf8_lossy(&log["stderr"]), lines);
        assert_eq!(String::from_utf8_lossy(&log["stdout"]), format!("\"{id}\""));
    }
    assert_eq!(begun(), CROWD);
    world.nothing_is_left();
}

#[test]
fn a_log_has_every_byte_that_was_printed_in_its_order() {
    let world = World::new();
    // A return in the middle of a line replaces what it has: the log has only some states of such a line.
    let every: Vec<u8> = (0..=255).chain((0..=255).rev()).filter(|&byte| byte != b'\r').collect();
    let text = [vec![b'x'; 20_000], "ä€😀\r\n\n\r\0".repeat(500).into_bytes()].concat();
    let all = [every, text, b"no newline at the end".to_vec()].concat();
    fs::write(world.path("all"), &all).unwrap();
    // The programs write in pieces that may end in the middle of a line or character.
    world.program("q", "dd if=FOLDER/all bs=777 2>/dev/null & dd if=FOLDER/all bs=1000 status=none >&2; wait; exit 3");
    let task = world.submit("q", "[]");
    let _worker = world.worker(&["--queue", "q"]);
    status(&task, Status::Failed);
    let log = output(&world, &task);
    for stream in ["stdout", "stderr"] {
        assert!(log[stream] == all, "{stream}: {} of {} bytes", log[stream].len(), all.len());
    }
}

#[test]
fn a_worker_with_an_empty_environment_runs_programs() {
    let world = World::new();
    world.program("q", "echo \"\\\"$BLUEQUE_QUEUE ${HOME-none} ${PATH+path}\\\"\"");
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.args(["worker", "--queue", "q", "--url", &world.server.url()]);
    command.arg("--dir").arg(world.path("worker.d")).arg("--state-dir").arg(world.path("state"));
    let log = fs::File::create(world.path("worker.log")).unwrap();
    command.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    let _worker = Worker(command.spawn().unwrap());
    // The shell has a PATH of its own.
    assert_eq!(result(&world.submit("q", "[]")), "\"q none path\"");
}

#[test]
fn a_worker_without_stdin_stdout_and_stderr_runs_programs_that_have_them() {
    let world = World::new();
    world.program("q", "read -r input; echo said >&2; echo \"{\\\"input\\\": $input}\"");
    let usual = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["--queue", "q"]);
    for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("exec \"$@\" {closed}"), "sh"]).arg(usual.get_program()).args(usual.get_args());
        command.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let worker = Worker(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let task = world.submit("q", "[1]");
        assert_eq!(result(&task), "{\"input\": [1]}", "{closed}");
        assert_eq!(output(&world, &task)["stderr"], b"said\n", "{closed}");
        world.nothing_is_left();
        worker.signal("TERM");
        let mut worker = worker;
        assert!(worker.ended().success(), "{closed}");
    }
}
