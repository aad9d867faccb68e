//! A program may put anything in the place of any file in its run folder.

use std::fs;
use std::os::unix::net::UnixListener;

use blueque::{Status, Submit, Task};

use crate::support::eventually;
use crate::world::{World, result};

const PATHS: [&str; 24] = [
    "run.json",
    "parameters",
    "events",
    "checkpoint",
    "stop",
    "stop.new",
    "result",
    "output",
    "output/manifest.json",
    "log",
    "../../logs/LOG",
    "../../logs/LOG/000000000000.log",
    "stdout",
    "work",
    "lock",
    "keeper",
    "accepted",
    "end.json",
    "end.new",
    "end.payload",
    "group",
    "spare.end.json",
    "spare.end.payload",
    "spare.accepted",
];

const KINDS: [&str; 7] = ["folder", "pipe", "link", "socket", "huge", "closed", "missing"];

/// The program's parameters: the kind, the path, and the end of the program.
const PROGRAM: &str = "[ \"$BLUEQUE_ATTEMPT\" = 1 ] || { echo '\"again\"'; exit; }
read -r kind path end; cd \"$BLUEQUE_RUN\"
case $path in *LOG*)
  mkdir -p ../../logs; path=$(echo \"$path\" | sed \"s/LOG/$BLUEQUE_TASK_ID.$BLUEQUE_ATTEMPT.${BLUEQUE_RUN##*.}/\")
  case $path in *.log) mkdir \"${path%/*}\" ;; esac ;;
esac
rm -rf \"$path\"
case $kind in
  folder) mkdir \"$path\"; echo > \"$path/file\" ;;
  pipe) mkfifo \"$path\" ;;
  link) ln -s FOLDER/elsewhere \"$path\" ;;
  socket) ln FOLDER/heard \"$path\" ;;
  huge) size=3G; [ \"$path\" = output/manifest.json ] && size=70M; truncate -s $size \"$path\" ;;
  closed) echo 1 > \"$path\"; chmod 0 \"$path\" ;;
esac
case $end in
  kill) kill -9 $PPID; sleep 600 ;;
  term) trap 'echo \"\\\"done\\\"\"; exit' TERM; echo > \"FOLDER/$kind.${path#*/}\"; while :; do sleep 0.02; done ;;
esac
echo '\"done\"'";

fn worker(world: &World) -> crate::world::Worker {
    let _heard = UnixListener::bind(world.path("heard")).unwrap();
    fs::create_dir(world.path("elsewhere")).unwrap();
    fs::write(world.path("elsewhere/precious"), "").unwrap();
    world.program("any", PROGRAM);
    world.worker(&["--queue", "any", "--slots", "12"])
}

fn submit(world: &World, kind: &str, path: &str, end: &str) -> Task {
    let how = Submit::default().max_failures(0);
    world.client.queue("any").unwrap().submit_bytes(format!("{kind} {path} {end}\n").as_bytes(), how).unwrap()
}

/// Returns true if a successful program completes its task despite this file. It does not if the file takes the place
/// of the result.
fn completes(kind: &str, path: &str) -> bool {
    path != "result" || matches!(kind, "closed" | "missing")
}

fn settled(world: &World, mut worker: crate::world::Worker) {
    world.nothing_is_left();
    let names: Vec<_> =
        fs::read_dir(world.path("elsewhere")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["precious"], "links are not followed");
    let about = fs::read_to_string(format!("/proc/{}/status", worker.pid())).unwrap();
    let peak = about.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 200 << 10, "the worker had {peak} KiB");
    worker.signal("TERM");
    assert!(worker.ended().success());
}

#[test]
fn whatever_a_program_puts_in_the_place_of_a_file_it_ends_as_it_would() {
    let world = World::new();
    let worker = worker(&world);
    let cases = KINDS.iter().flat_map(|kind| PATHS.map(|path| (*kind, path)));
    let tasks: Vec<_> = cases.map(|(kind, path)| (kind, path, submit(&world, kind, path, "exit"))).collect();
    for (kind, path, task) in tasks {
        let info = task.wait(crate::world::LIMIT).unwrap_or_else(|error| panic!("{kind} at {path}: {error}"));
        if completes(kind, path) {
            let shown = format!("{kind} at {path}: {:?}", info.error());
            assert_eq!(info.status(), Some(Status::Complete), "{shown}");
            let expected: &[u8] = if path == "result" && kind == "closed" { b"1\n" } else { b"\"done\"" };
            assert_eq!(info.result_bytes(), Some(expected), "{shown}");
        } else {
            assert_eq!(info.group().as_deref(), Some("result"), "{kind} at {path}: {:?}", info.status());
        }
    }
    settled(&world, worker);
}

#[test]
fn whatever_stands_in_the_place_of_a_file_of_a_dead_supervisor_its_task_goes_on() {
    let world = World::new();
    let worker = worker(&world);
    let cases = KINDS.iter().flat_map(|kind| PATHS.map(|path| (*kind, path)));
    let tasks: Vec<_> = cases.map(|(kind, path)| (kind, path, submit(&world, kind, path, "kill"))).collect();
    for (kind, path, task) in tasks {
        let info = task.wait(crate::world::LIMIT).unwrap_or_else(|error| panic!("{kind} at {path}: {error}"));
        assert_eq!(info.result_bytes(), Some(&b"\"again\""[..]), "{kind} at {path}: {:?}", info.error());
    }
    settled(&world, worker);
}

#[test]
fn whatever_stands_in_the_place_of_a_file_a_program_can_be_stopped() {
    let world = World::new();
    let worker = worker(&world);
    for path in ["stop", "stop.new", "events", "checkpoint"] {
        let tasks: Vec<_> = KINDS.iter().map(|kind| (*kind, submit(&world, kind, path, "term"))).collect();
        for (kind, task) in &tasks {
            world.written(&format!("{kind}.{path}"));
            task.cancel("enough").unwrap();
        }
        for (kind, task) in &tasks {
            let info = task.wait(crate::world::LIMIT).unwrap_or_else(|error| panic!("{kind} at {path}: {error}"));
            assert_eq!(info.status(), Some(Status::Cancelled), "{kind} at {path}");
        }
    }
    settled(&world, worker);
}

/// Without its lock file a supervisor is identified by its command line.
#[test]
fn a_supervisor_whose_lock_was_taken_away_is_taken_over_all_the_same() {
    let world = World::new();
    world.program(
        "hold",
        "rm -f \"$BLUEQUE_RUN/lock\"; echo 1 >> FOLDER/begun\n\
         while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo '\"done\"'",
    );
    let first = world.worker(&["--queue", "hold"]);
    let task = world.submit("hold", "[]");
    world.written("begun");
    first.kill();
    // Otherwise the run counts as one that is just being started.
    let run = world.runs()[0].join("run.json");
    let text = fs::read_to_string(&run).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["renewed_us"] = 1.into();
    fs::write(&run, json.to_string()).unwrap();
    let _second = world.worker(&["--queue", "hold"]);
    eventually("it is found", || world.log().contains("found ").then_some(()));
    eventually("it is taken over", || world.log().contains("took over").then_some(()));
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(task.info().unwrap().attempt(), 1);
    world.nothing_is_left();
}
