//! Logs: complete on the worker's host, their beginning and end on the server, and joined by the command.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use blueque::{Status, Submit};
use serde_json::Value;
use support::eventually;
use world::{LIMIT, Worker, World, status};

/// 60,002 lines, 4.5 MB.
const FLOOD: &str = "echo the first line
seq -f 'line %06g of a flood, which says nothing that anybody would ever want to read' 60000
echo the last line";

/// The command, on the worker's host or on another.
fn command(world: &World, here: bool, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.env_clear().env("HOME", world.path("home")).env("BLUEQUE_URL", world.server.url());
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command.env("BLUEQUE_STATE_DIR", world.path(if here { "state" } else { "elsewhere" }));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn said(world: &World, here: bool, args: &[&str]) -> (String, String) {
    let output = command(world, here, args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    text(&output)
}

fn text(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// The folders of logs.
fn logs(world: &World) -> Vec<PathBuf> {
    let entries = fs::read_dir(world.path("state/blueque/logs")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn an_empty_variable_for_the_state_folder_counts_as_absent() {
    let world = World::new();
    world.program("q", "echo $BLUEQUE_RUN");
    let home = |command: &mut Command| {
        command.env("BLUEQUE_STATE_DIR", "").env_remove("XDG_STATE_HOME").env("HOME", world.path("home"));
    };
    let mut worker = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["--queue", "q"]);
    home(&mut worker);
    let _worker = Worker(worker.spawn().unwrap());
    world.submit_as("q", "t", Submit::default()).wait(LIMIT).unwrap();
    let mut logs = command(&world, true, &["logs", "t"]);
    home(&mut logs);
    let output = logs.output().unwrap();
    let (run, talk) = text(&output);
    assert!(output.status.success(), "{talk}");
    let usual = world.path("home/.local/state/blueque");
    assert!(run.starts_with(usual.to_str().unwrap()), "{run:?} {talk}");
}

#[test]
fn the_whole_log_is_on_the_workers_host_and_elsewhere_its_beginning_and_its_end_with_what_is_missing() {
    let world = World::new();
    world.program("q", FLOOD);
    let _worker = world.worker(&["--queue", "q"]);
    world.submit_as("q", "t", Submit::default()).wait(LIMIT).unwrap();
    let (all, talk) = said(&world, true, &["logs", "t"]);
    assert_eq!(all.lines().filter(|line| line.contains("line")).count(), 60_002, "{talk}");
    assert!(!talk.contains("cut out") && talk.contains("exit code 0"), "{talk}");
    let (some, talk) = said(&world, false, &["logs", "t"]);
    assert!(some.starts_with("the first line\nline 000001") && some.contains("line 060000 of a flood"), "{some}");
    assert!(some.contains("\nthe last line\n") && some.len() < 200 << 10);
    let host = nix::unistd::gethostname().unwrap().into_string().unwrap();
    let missing: usize = talk.split_once("-- ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    assert!(
        talk.contains(&format!(
            "bytes are not at the server: run blueque logs t on {host}, which has all that is kept"
        )),
        "{talk}"
    );
    let lines = |text: &str| -> usize {
        let of_program = text.lines().filter(|line| line.contains("line") && !line.contains("not sent"));
        of_program.map(|line| line.len() + 1).sum()
    };
    assert_eq!(lines(&some) + missing, lines(&all));
    let notice = some.lines().find(|line| line.contains("were not sent")).unwrap();
    assert_eq!(notice.rsplit_once(" in ").unwrap().1, logs(&world)[0].to_str().unwrap(), "the notice tells the truth");
    // In JSON the offsets show it.
    let (lines, _) = said(&world, false, &["logs", "t", "-o", "jsonl"]);
    let entries: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = |entry: &Value| entry["offset"].as_u64().unwrap() + entry["text"].as_str().unwrap().len() as u64;
    let gaps: Vec<u64> = entries.windows(2).map(|two| two[1]["offset"].as_u64().unwrap() - end(&two[0])).collect();
    assert_eq!(gaps.iter().sum::<u64>(), missing as u64);
}

#[test]
fn run_and_submit_follow_lose_no_output_wherever_the_worker_is() {
    let world = World::new();
    world.program("q", FLOOD);
    let _worker = world.worker(&["--queue", "q"]);
    for here in [true, false] {
        let (out, _) = said(&world, here, &["run", "q"]);
        assert_eq!(out.lines().count(), 60_002, "{here}");
        assert!(out.starts_with("the first line\n") && out.ends_with("\nthe last line\n"));
        let (_, talk) = said(&world, here, &["submit", "q", "--follow"]);
        let lines = talk.lines().filter(|line| line.contains("line")).count();
        assert_eq!(lines, 60_002, "{here}: {}", talk.lines().next_back().unwrap());
    }
    let (out, _) = said(&world, false, &["run", "q", "--log-bytes", "64K"]);
    assert!(out.lines().count() < 2_000, "as much as was asked for");
}

#[test]
fn run_ends_as_the_program_did_also_where_no_log_is_kept() {
    let world = World::new();
    world.program("q", "echo said; exit 42");
    let _worker = world.worker(&["--queue", "q"]);
    for bytes in ["0", "64M"] {
        let output = command(&world, false, &["run", "q", "--log-bytes", bytes]).output().unwrap();
        assert_eq!(output.status.code(), Some(42), "{output:?}");
        assert_eq!(text(&output).0, if bytes == "0" { "" } else { "said\n" });
    }
}

#[test]
fn parts_of_a_log_are_chosen_by_lines_time_stream_and_attempt() {
    let world = World::new();
    world.program(
        "q",
        "if [ $BLUEQUE_ATTEMPT = 1 ]; then echo early; exit 1; fi
seq -f 'out %g' 5; sleep 0.05; echo warning >&2; sleep 0.05; printf open",
    );
    let _worker = world.worker(&["--queue", "q"]);
    let how = Submit::default().max_failures(1).delay(Duration::ZERO);
    world.submit_as("q", "t", how).wait(LIMIT).unwrap();
    for here in [true, false] {
        let part = |args: &[&str]| said(&world, here, &[&["logs", "t"], args].concat());
        assert_eq!(part(&[]).0, "early\nout 1\nout 2\nout 3\nout 4\nout 5\nwarning\nopen");
        assert_eq!(part(&["--attempt", "1"]).0, "early\n");
        assert_eq!(part(&["--attempt", "2", "--head", "2"]).0, "out 1\nout 2\n");
        assert_eq!(part(&["--tail", "2"]).0, "warning\nopen");
        let (both, talk) = part(&["--head", "1", "--tail", "1"]);
        assert_eq!(both, "early\nopen");
        assert!(talk.contains("-- 6 lines are left out here --"), "{talk}");
        assert_eq!(part(&["--stderr"]).0, "warning\n");
        assert_eq!(part(&["--stdout", "--tail", "1"]).0, "open");
        assert_eq!(part(&["--since", "1h"]).0, part(&[]).0);
        let (none, why) = part(&["--since", "2100-01-01T00:00:00Z"]);
        assert_eq!((none.as_str(), why.as_str()), ("", "nothing in the log of t is of that kind\n"));
        for nothing in ["--head", "--tail"] {
            assert_eq!(
                part(&["--stdout", nothing, "0"]),
                (String::new(), "nothing in the log of t is of that kind\n".into())
            );
            assert_eq!(part(&[nothing, "0"]).0, "");
            assert!(!part(&[nothing, "0"]).1.contains("has no log"));
        }
        for more in [&["--attempt", "3"][..], &["--attempt", "3", "-f"], &["--attempt", "3", "-o", "json"]] {
            let output = command(&world, true, &[&["logs", "t"], more].concat()).output().unwrap();
            assert_eq!(text(&output), (String::new(), "blueque: t has had 2 attempts\n".into()), "{more:?}");
            assert_eq!(output.status.code(), Some(4), "{more:?}: there is no such attempt");
        }
        let stamped = part(&["--timestamps", "--stdout", "--attempt", "2"]).0;
        for (line, said) in stamped.lines().zip(["out 1", "out 2", "out 3", "out 4", "out 5", "open"]) {
            let (at, text) = line.split_once(' ').unwrap();
            assert!(at.len() == 27 && at.ends_with('Z') && text == said, "{line}");
        }
        let (json, _) = part(&["-o", "json", "--stdout", "--tail", "2", "--attempt", "2"]);
        let texts: Vec<Value> = serde_json::from_str::<Vec<Value>>(&json).unwrap();
        let texts: Vec<&str> = texts.iter().map(|entry| entry["text"].as_str().unwrap()).collect();
        assert_eq!(texts, ["out 5\n", "open"]);
    }
    let output = command(&world, true, &["logs", "t", "-f", "--head", "1"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    for (option, value, low) in
        [("--attempt", "0", 1), ("--attempt", "x", 1), ("--head", "x", 0), ("--tail", "9999999999999999999999", 0)]
    {
        let output = command(&world, true, &["logs", "t", option, value]).output().unwrap();
        let why = text(&output).1;
        assert!(
            output.status.code() == Some(2) && why.contains(&format!("must be a whole number from {low} to")),
            "{why}"
        );
    }
}

#[test]
fn a_followed_log_goes_on_wherever_it_is_read() {
    let world = World::new();
    world.program("q", "echo one; echo two; while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo three");
    let _worker = world.worker(&["--queue", "q"]);
    let task = world.submit_as("q", "t", Submit::default());
    eventually("it has begun", || said(&world, false, &["logs", "t"]).0.contains("two").then_some(()));
    let follow = |here, args: &[&str]| command(&world, here, &[&["logs", "t", "-f"], args].concat()).spawn().unwrap();
    let children = [follow(true, &[]), follow(false, &[]), follow(false, &["-o", "jsonl"])];
    let mut tail = follow(true, &["--tail", "1"]);
    let mut shown = BufReader::new(tail.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(shown.next().unwrap(), "two");
    world.touch("go");
    task.wait(LIMIT).unwrap();
    let [here, there, lines] = children.map(|child| text(&child.wait_with_output().unwrap()).0);
    assert_eq!((here.as_str(), there.as_str()), ("one\ntwo\nthree\n", "one\ntwo\nthree\n"));
    assert_eq!(shown.collect::<Vec<_>>(), ["three"]);
    assert!(tail.wait().unwrap().success());
    assert!(lines.contains("three"), "{lines}");
}

#[test]
fn a_log_of_another_task_with_that_id_is_not_shown() {
    let world = World::new();
    world.program("q", "read -r what; echo \"$what\"");
    let _worker = world.worker(&["--queue", "q"]);
    for what in ["first", "second"] {
        let how = Submit::default().id(blueque::TaskId::new("t").unwrap());
        let task = world.client.queue("q").unwrap().submit_bytes(format!("{what}\n").as_bytes(), how).unwrap();
        task.wait(LIMIT).unwrap();
        assert_eq!(said(&world, true, &["logs", "t"]).0, format!("{what}\n"));
        task.delete().unwrap();
    }
    assert_eq!(logs(&world).len(), 2);
}

#[test]
fn a_worker_lets_old_logs_go_and_none_of_what_runs() {
    let world = World::new();
    world.program("q", "echo text; while [ ! -e FOLDER/$BLUEQUE_TASK_ID ]; do sleep 0.02; done");
    let worker = world.worker(&["--queue", "q", "--slots", "2"]);
    let [short, long] = ["short", "long"].map(|id| world.submit_as("q", id, Submit::default()));
    world.touch("short");
    short.wait(LIMIT).unwrap();
    eventually("both have a log, and one runs", || (logs(&world).len() == 2 && world.runs().len() == 1).then_some(()));
    let long_ago = SystemTime::now() - Duration::from_secs(40 * 86_400);
    for folder in logs(&world) {
        for entry in fs::read_dir(&folder).unwrap() {
            fs::File::options().write(true).open(entry.unwrap().path()).unwrap().set_modified(long_ago).unwrap();
        }
        fs::File::open(&folder).unwrap().set_modified(long_ago).unwrap();
    }
    worker.kill();
    let _next = world.worker(&["--queue", "q"]);
    eventually("the old one is gone", || (logs(&world).len() == 1).then_some(()));
    assert!(logs(&world)[0].file_name().unwrap().to_str().unwrap().starts_with("long.1."));
    assert_eq!(long.info().unwrap().status(), Some(Status::Started));
    world.touch("long");
    long.wait(LIMIT).unwrap();
}

#[test]
fn a_verbose_worker_passes_on_what_programs_print_each_line_with_its_task() {
    let world = World::new();
    world.program("q", "echo out; echo err >&2; printf 'odd \\033[31mcolour\\n'; printf open");
    let mut worker = world.worker(&["--queue", "q", "--verbose"]);
    world.submit_as("q", "t", Submit::default()).wait(LIMIT).unwrap();
    world.nothing_is_left();
    worker.signal("TERM");
    assert!(worker.ended().success());
    let log = world.log();
    for line in ["t: out", "t: err", "t: odd colour", "t: open"] {
        assert!(log.lines().any(|said| said == line), "{line}: {log}");
    }
}

#[test]
fn nobody_who_does_not_read_a_verbose_workers_stderr_holds_a_program_up() {
    let world = World::new();
    world.program("q", FLOOD);
    let mut command =
        world.command(std::path::Path::new(env!("CARGO_BIN_EXE_blueque")), &["--queue", "q", "--verbose"]);
    let _worker = world::Worker(command.stderr(Stdio::piped()).spawn().unwrap());
    let task = world.submit_as("q", "t", Submit::default());
    status(&task, Status::Complete);
}
