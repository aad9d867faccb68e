//! `blueque worker` with real programs, real signals and a real server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use blueque::{Client, Status, Submit, Task};
use support::{Server, eventually};
use world::{HOLD, STEPS, World, beginnings, field, lives, result, saved, send, status};

#[test]
fn a_shell_script_reads_its_arguments_on_stdin_and_what_it_prints_is_the_result() {
    let world = World::new();
    world.program("echo", "read -r list; echo \"{\\\"got\\\": $list}\"");
    world.program("other", "echo '\"other\"'");
    let worker = world.worker(&["--queue", "echo"]);
    assert_eq!(result(&world.submit("echo", "[1,\"zwei\"]")), "{\"got\": [1,\"zwei\"]}");
    let named = world.submit_as("echo", "named", Submit::default().method("other"));
    assert_eq!(result(&named), "\"other\"", "the method chooses the program");
    world.nothing_is_left();
    drop(worker);
}

#[test]
fn published_files_are_listed_and_fetched_as_they_were_published() {
    let world = World::new();
    world.program("films", "cd \"$BLUEQUE_OUTPUT_DIR\"; mkdir cut; printf film > cut/a.mp4; printf '{}' > 'b c.json'");
    world.program("none", "echo 1");
    let _worker = world.worker(&["-q", "films", "-q", "none"]);
    let id = world.submit_as("films", "movie", Submit::default());
    result(&id);
    world.nothing_is_left();
    let published = world.path("state/blueque/output/movie");
    let listed = world.run(&["output", "movie", "-o", "id"]);
    let mut files: Vec<_> = listed.lines().collect();
    files.sort_unstable();
    let named = |name: &str| published.join(name).display().to_string();
    assert_eq!(files, [named("b c.json"), named("cut/a.mp4")]);
    let fetch = |more: &[&str], to: &str| {
        let to = world.path(to);
        world.outcome(&[&["output", "movie", "--fetch", to.to_str().unwrap()], more].concat())
    };
    let (code, _, err) = fetch(&[], "here");
    assert_eq!((code, err.as_str()), (0, "2 files, 6 B, as published\n"));
    assert_eq!(fs::read_to_string(world.path("here/cut/a.mp4")).unwrap(), "film");
    let (code, _, err) = fetch(&[], "here");
    assert!(code == 2 && err.contains("is not empty: name a new folder"), "{err}");
    // From here on the folder is on another host.
    fs::rename(&published, world.path("away")).unwrap();
    let (_, out, err) = world.outcome(&["output", "movie"]);
    assert!(out.contains(published.to_str().unwrap()) && err.contains("--fetch DIR copies it"), "{out}{err}");
    let copy = format!(
        "test -n \"$HOST\" && test \"$FOLDER\" = {} && cp -r {}/. \"$DIR\"",
        published.display(),
        world.path("away").display()
    );
    let (code, _, err) = fetch(&["--with", &copy], "there");
    assert_eq!((code, err.as_str()), (0, "2 files, 6 B, as published\n"));
    fs::write(world.path("away/cut/a.mp4"), "cut!").unwrap();
    let (code, _, err) = fetch(&["--with", &copy], "changed");
    assert!(code == 1 && err.contains("a.mp4 is not as it was published"), "{err}");
    let (code, _, err) = fetch(&["--with", "exit 3"], "failed");
    assert!(code == 1 && err.contains("was not fetched: exit status: 3"), "{err}");
    result(&world.submit_as("none", "none", Submit::default()));
    let (code, _, err) = world.outcome(&["output", "none"]);
    assert!(code == 4 && err.contains("none has published no output: it is complete, and wrote no files"), "{err}");
}

#[test]
fn what_run_says_begins_a_line_of_its_own_and_stdout_stays_exact() {
    let world = World::new();
    world.program("cat", "printf unended");
    let _worker = world.worker(&["-q", "cat"]);
    let together = Command::new("sh")
        .args(["-c", "exec \"$0\" run cat --id a 2>&1", env!("CARGO_BIN_EXE_blueque")])
        .env("BLUEQUE_URL", world.server.url())
        .output()
        .unwrap();
    let shown = String::from_utf8(together.stdout).unwrap();
    assert!(shown.contains("\nunended\na complete after "), "{shown}");
    let (code, out, err) = world.outcome(&["run", "cat", "--id", "b"]);
    assert_eq!((code, out.as_str()), (0, "unended"));
    assert!(!err.contains("\n\n"), "{err}");
    eventually("the worker says how it ended", || world.log().contains("ended b: complete").then_some(()));
}

#[test]
fn the_oldest_outputs_go_first_and_nothing_else_in_their_folder() {
    let world = World::new();
    world.program("films", "head -c 1000 /dev/zero > \"$BLUEQUE_OUTPUT_DIR/film\"");
    let worker = world.worker(&["-q", "films"]);
    for id in ["a", "b", "c"] {
        result(&world.submit_as("films", id, Submit::default()));
        world.nothing_is_left();
    }
    drop(worker);
    let output = |name: &str| world.path("state/blueque/output").join(name);
    let other = output("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("manifest.json"), r#"{"task":"else","attempt":1,"files":[]}"#).unwrap();
    let worker = world.worker(&["-q", "films", "--keep-outputs", "2500", "--keep-outputs-for", "1h"]);
    eventually("the worker reports it", || world.log().contains("removed 1 old outputs: 1000 B").then_some(()));
    assert_eq!(["a", "b", "c", "other"].map(|name| output(name).exists()), [false, true, true, true]);
    drop(worker);
    let hour = std::time::SystemTime::now() - Duration::from_secs(4000);
    fs::File::open(output("b/manifest.json")).unwrap().set_modified(hour).unwrap();
    let _worker = world.worker(&["-q", "films", "--keep-outputs-for", "1h"]);
    eventually("by age", || (!output("b").exists()).then_some(()));
    assert!(output("c").exists() && other.exists());
}

#[test]
fn one_command_does_every_task_of_a_worker_that_has_one() {
    let world = World::new();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.args(["worker", "-q", "q", "--quiet", "--", "sed", "s/a/b/g"]);
    command.env("BLUEQUE_URL", world.server.url()).env("BLUEQUE_STATE_DIR", world.path("state"));
    let worker = world::Worker(command.spawn().unwrap());
    assert_eq!(result(&world.submit("q", "[\"banana\"]")), "[\"bbnbnb\"]");
    drop(worker);
}

#[test]
fn a_worker_with_patterns_does_the_tasks_of_all_queues_that_match_also_of_later_ones() {
    let world = World::new();
    world.program("video-a", "echo 1");
    world.program("video-b", "echo 2");
    let worker = world.worker(&["video-*", "!video-test"]);
    assert_eq!(result(&world.submit("video-a", "[]")), "1");
    assert_eq!(result(&world.submit("video-b", "[]")), "2");
    let left = world.submit("video-test", "[]");
    eventually("it reports", || world.client.workers().unwrap().pop().filter(|info| info.queues[0] == "video-*"));
    let workers = world.run(&["workers", "video-b"]);
    let row = workers.lines().find(|line| line.contains("video-b")).unwrap_or_default();
    let slots: Vec<&str> = row.split_whitespace().skip(4).take(2).collect();
    assert_eq!(slots, ["1", "1"], "what it reports belongs to the queue: {workers}");
    assert_eq!(left.info().unwrap().status(), Some(Status::Pending));
    world.nothing_is_left();
    let (_, findings, _) = world.outcome(&["doctor"]);
    let findings: Vec<&str> = findings.lines().filter(|line| line.starts_with("FINDING")).collect();
    // This server is not durable.
    let [durable, waits] = findings[..] else { panic!("{findings:#?}") };
    assert!(durable.contains("persistence") && waits.contains("waits in video-test"), "{findings:#?}");
    drop(worker);
    for (args, why) in [
        (&["!video-test"][..], "name some to take tasks from"),
        (&["video-*", "!a=3"], "has no weight"),
        (&["video-*", "-q", "video-*"], "twice"),
        (&["a?"], "a pattern must be"),
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_blueque"));
        command.arg("worker").args(args).args(["--", "true"]).env("BLUEQUE_URL", world.server.url());
        let out = command.output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && said.contains(why), "{args:?}: {said}");
    }
}

#[test]
fn the_line_of_a_begun_task_names_its_method_and_the_beginning_of_its_input_unless_that_is_to_be_quiet() {
    let world = World::new();
    world.program("encode", "echo 1");
    let queue = world.client.queue("movies").unwrap();
    let line = |id: &str| {
        let begins = format!("started {id} of movies");
        eventually("it is said", || {
            let log = world.log();
            let line = log.lines().find(|line| line.contains(&begins))?.to_owned();
            log.contains(&format!("{line}\n")).then_some(line)
        })
    };
    let submit = |id: &str, input: &str| {
        let how = Submit::default().id(blueque::TaskId::new(id).unwrap()).method("encode");
        result(&queue.submit_bytes(input.as_bytes(), how).unwrap());
    };
    let worker = world.worker(&["--queue", "movies"]);
    submit("long", &format!("[\"scene \u{1b}[31m1\",\n \"{}\"]", "x".repeat(500)));
    submit("none", "[]");
    let long = line("long");
    let (about, input) = long.split_once(", supervisor ").unwrap();
    assert!(about.ends_with("started long of movies (encode), attempt 1"), "{long}");
    let (_, input) = input.split_once(": ").unwrap();
    assert!(input.starts_with("[\"scene ") && input.ends_with('…') && input.chars().count() <= 80, "{long}");
    assert!(!input.contains('\u{1b}') && !input.contains(&"x".repeat(80)), "{long}");
    assert!(line("none").rsplit_once(", supervisor ").unwrap().1.chars().all(|c| c.is_ascii_digit()), "nothing to say");
    drop(worker);
    let _worker = world.worker(&["--queue", "movies", "--quiet-input"]);
    submit("secret", "[\"token\"]");
    let secret = line("secret");
    assert!(secret.contains("started secret of movies (encode), attempt 1, supervisor "), "{secret}");
    assert!(!world.log().contains("token"), "{secret}");
}

#[test]
fn a_pipe_as_the_log_of_the_supervisors_holds_up_no_worker() {
    let world = World::new();
    world.program("echo", "echo 1");
    let log = world.path("state/blueque/supervisors.log");
    std::fs::create_dir_all(log.parent().unwrap()).unwrap();
    nix::unistd::mkfifo(&log, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let _worker = world.worker(&["--queue", "echo"]);
    let task = world.submit("echo", "[]");
    let said = || {
        let said = std::fs::read_to_string(world.path("worker.log")).unwrap();
        said.contains("supervisors.log cannot be written: it is a pipe, not a file: remove it")
    };
    let end = Instant::now() + world::LIMIT;
    while !said() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::fs::remove_file(&log).unwrap(); // after a failure the test reads all logs, and a pipe blocks it
    assert!(said(), "{}", world.log());
    assert_eq!(result(&task), "1");
    world.nothing_is_left();
}

#[test]
fn a_task_whose_program_is_not_there_is_given_back_for_a_while_and_runs_when_it_is() {
    let world = World::new();
    world.program("fine", "echo 1");
    let queue = world.client.queue("q").unwrap();
    let task = queue.submit_bytes(b"[]", Submit::default().method("late").max_releases(0)).unwrap();
    let _worker = world.worker(&["--queue", "q"]);
    let info = eventually("it is given back twice", || {
        let info = task.info().unwrap();
        (info.status() == Some(Status::Scheduled) && field(&info, "uncounted") == "2").then_some(info)
    });
    let pause = info.eta().unwrap().duration_since(info.updated().unwrap()).unwrap().as_secs_f64();
    assert!((1.9..2.1).contains(&pause), "after 1 s and 2 s: {pause}");
    assert!(world.log().contains("there is no program late"), "{}", world.log());
    assert_eq!(task.history().unwrap().last().unwrap().why.as_deref(), Some("no-program"));
    world.program("late", "echo 2");
    assert_eq!(result(&task), "2");
}

#[test]
fn free_slots_are_filled_by_one_call() {
    let world = World::new();
    world.program("q", HOLD);
    let tasks: Vec<Task> = (0..4).map(|_| world.submit("q", "[]")).collect();
    let _worker = world.worker(&["--queue", "q", "--slots", "3"]);
    let started = |task: &Task| task.info().unwrap().status() == Some(Status::Started);
    eventually("three have begun", || tasks[..3].iter().all(started).then_some(()));
    let tokens = tasks[..3].iter().map(|task| task.info().unwrap().token().unwrap().value());
    let tokens: Vec<u64> = tokens.collect();
    assert_eq!(tokens, [tokens[0], tokens[0] + 1, tokens[0] + 2], "taken at one time");
    assert_eq!(tasks[3].info().unwrap().status(), Some(Status::Pending), "there is no slot for it");
}

#[test]
fn those_taken_with_a_task_whose_program_is_not_there_run_at_once() {
    let world = World::new();
    world.program("fine", "echo 1");
    let queue = world.client.queue("q").unwrap();
    let submit = |method: &str| queue.submit_bytes(b"[]", Submit::default().method(method).max_releases(0)).unwrap();
    let (_late, fine) = (submit("late"), [submit("fine"), submit("fine")]);
    let _worker = world.worker(&["--queue", "q", "--slots", "3"]);
    for task in &fine {
        assert_eq!(result(task), "1");
        let whys: Vec<_> = task.history().unwrap().into_iter().filter_map(|step| step.why).collect();
        assert!(!whys.iter().any(|why| why == "no-program"), "{whys:?}");
    }
}

#[test]
fn a_method_whose_program_nobody_should_run_fails_its_task_for_good_and_says_why() {
    let world = World::new();
    let programs = world.path("worker.d");
    world.program("fine", "echo 1");
    world.program("open", "echo 1");
    fs::set_permissions(programs.join("open"), PermissionsExt::from_mode(0o777)).unwrap();
    fs::create_dir(programs.join("folder")).unwrap();
    world.program(".hidden", "echo 1");
    symlink("/bin/sh", programs.join("out")).unwrap();
    symlink("fine", programs.join("inside")).unwrap();
    fs::write(world.path("secret"), "#!/bin/sh\n").unwrap();
    let cases = [
        ("..", "begins with no dot"),
        (".hidden", "begins with no dot"),
        ("a:b", "cannot be a program"),
        ("out", "leads out of"),
        ("open", "writable by others"),
        ("folder", "not a file"),
    ];
    let queue = world.client.queue("q").unwrap();
    let submit = |method: &str| queue.submit_bytes(b"[]", Submit::default().method(method)).unwrap();
    let mut tasks: Vec<_> = cases.iter().map(|(method, why)| (submit(method), *why)).collect();
    // A method that submit refuses may be in a record that another client wrote.
    for method in ["../secret", "/bin/sh", "a b"] {
        let task = submit("fine");
        let key = format!("blueque_task_{}", task.id());
        let _: () =
            redis::cmd("HSET").arg(key).arg("method").arg(method).query(&mut world.server.connection()).unwrap();
        tasks.push((task, "cannot be a program"));
    }
    let inside = submit("inside");
    let _worker = world.worker(&["--queue", "q", "--slots", "4"]);
    for (task, why) in &tasks {
        let info = status(task, Status::Failed);
        let error = info.error().unwrap();
        assert!(error.contains(why), "{error} should say {why}");
        assert_eq!(info.group().as_deref(), Some("permanent"));
    }
    assert_eq!(result(&inside), "1", "a link that stays in the folder is fine");
    world.nothing_is_left();
}

#[test]
fn a_namespace_for_tests_has_workers_and_supervisors_where_the_environment_says_so() {
    let mut world = World::new();
    world.client = Client::builder().for_tests().open(&world.server.url()).unwrap();
    world.program("q", "echo 1");
    assert!(!world.worker(&["--queue", "q"]).ended().success());
    assert!(world.log().contains("TEST: this namespace is for tests"), "{}", world.log());
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["--queue", "q"]);
    let _worker = world::Worker(command.env("BLUEQUE_FOR_TESTS", "1").spawn().unwrap());
    assert_eq!(result(&world.submit("q", "[]")), "1");
    world.nothing_is_left();
}

#[test]
fn a_worker_does_not_start_with_a_folder_that_others_may_write_to() {
    let world = World::new();
    let programs = world.path("worker.d");
    fs::set_permissions(&programs, PermissionsExt::from_mode(0o777)).unwrap();
    let mut worker = world.worker(&["--queue", "q"]);
    assert!(!worker.ended().success());
    assert!(world.log().contains("writable by others: chmod o-w"), "{}", world.log());

    fs::set_permissions(&programs, PermissionsExt::from_mode(0o755)).unwrap();
    fs::set_permissions(world.folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    assert!(!world.worker(&["--queue", "q"]).ended().success(), "nor where they may put another in its place");
}

#[test]
fn a_worker_killed_and_started_again_finds_its_programs_at_work() {
    let world = World::new();
    let (worker, task) = world.holding(&["--lease", "3s"]);
    let second = world.submit("hold", "[]");
    let pid: i32 = world.written("pid").parse().unwrap();
    let before = status(&task, Status::Started);
    worker.kill();
    let worker = world.worker(&["--queue", "hold", "--lease", "3s"]);
    eventually("it is taken over", || world.log().contains("took over").then_some(()));
    // Waits longer than the lease: only the supervisor renews it.
    let begun = Instant::now();
    eventually("the lease would have ended", || (begun.elapsed() > Duration::from_secs(4)).then_some(()));
    let after = task.info().unwrap();
    for name in ["token", "attempt", "pid", "node", "status"] {
        assert_eq!(field(&before, name), field(&after, name), "{name}");
    }
    assert!(lives(pid));
    assert_eq!(second.info().unwrap().status(), Some(Status::Pending), "it counts against the slots");
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(result(&second), "\"done\"");
    assert_eq!(task.info().unwrap().attempt(), 1);
    world.nothing_is_left();
    drop(worker);
}

#[test]
fn a_worker_leaves_to_another_living_one_what_that_looks_after_until_it_dies() {
    let world = World::new();
    let (first, task) = world.holding(&[]);
    let _second = world.worker(&["--queue", "hold"]);
    let other = world.submit("hold", "[]");
    status(&other, Status::Started);
    assert!(!world.log().contains("took over"), "its slot was free");
    first.kill();
    eventually("it is taken over", || world.log().contains(&format!("took over {}", task.id())).then_some(()));
    let third = world.submit("hold", "[]");
    world.touch("go");
    for task in [task, other, third] {
        assert_eq!(result(&task), "\"done\"");
        assert_eq!(task.info().unwrap().attempt(), 1);
    }
    world.nothing_is_left();
}

#[test]
fn a_killed_supervisor_is_noticed_at_once_and_its_task_goes_on_from_the_checkpoint() {
    let world = World::new();
    world.program("steps", &format!("setsid sleep 600 & echo $! > FOLDER/grandchild\n{STEPS}"));
    let _worker = world.worker(&["--queue", "steps"]);
    let task = world.submit("steps", "[]");
    let saved = saved(&task, 3);
    let grandchild: i32 = world.written("grandchild").parse().unwrap();
    let supervisor = world.supervisor();
    let begun = Instant::now();
    send("KILL", supervisor);
    eventually("it begins again", || (beginnings(&world).len() > 1).then_some(()));
    let waited = begun.elapsed();
    assert!(waited < Duration::from_secs(5), "the lease is 60 s, it took {waited:?}");
    assert!(!lives(grandchild), "the tree is dead before the task runs again");
    assert_eq!(result(&task), "[60]");
    assert!(beginnings(&world)[1] >= saved, "{:?} after {saved}", beginnings(&world));
    world.nothing_is_left();
}

/// Without a control group such a process escapes, as described in `docs/use/programs.md`.
#[test]
fn a_process_that_hides_from_its_run_dies_with_it_where_runs_have_control_groups() {
    let world = World::new();
    let hides = "env -i /bin/setsid /bin/sh -c 'sleep 600 & echo $! > FOLDER/hidden'";
    world.program("steps", &format!("{hides}\n{STEPS}"));
    let _worker = world.worker(&["--queue", "steps"]);
    let task = world.submit("steps", "[]");
    saved(&task, 3);
    let hidden: i32 = world.written("hidden").parse().unwrap();
    let grouped = world.runs()[0].join("group").exists();
    if grouped {
        let groups = || fs::read_to_string(format!("/proc/{hidden}/cgroup")).unwrap();
        eventually("it is moved to the group", || groups().contains("/blueque-").then_some(()));
    }
    send("KILL", world.supervisor());
    eventually("it begins again", || (beginnings(&world).len() > 1).then_some(()));
    assert_eq!(lives(hidden), !grouped, "a control group: {grouped}");
    assert_eq!(result(&task), "[60]");
    if !grouped {
        send("KILL", hidden);
    }
    world.nothing_is_left();
}

#[test]
fn a_checkpoint_that_a_killed_supervisor_had_not_sent_yet_is_not_lost() {
    let world = World::new();
    world.program(
        "save",
        "[ -e \"$BLUEQUE_CHECKPOINT\" ] && cat \"$BLUEQUE_CHECKPOINT\" && exit\n\
         while [ ! -e FOLDER/go ]; do sleep 0.02; done\n\
         echo '[5]' > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"\n\
         echo yes > FOLDER/saved; sleep 600",
    );
    let _worker = world.worker(&["--queue", "save"]);
    let task = world.submit("save", "[]");
    status(&task, Status::Started);
    let supervisor = world.supervisor();
    send("STOP", supervisor);
    world.touch("go");
    world.written("saved");
    assert_eq!(task.info().unwrap().checkpoint_bytes(), None);
    send("KILL", supervisor);
    assert_eq!(result(&task), "[5]");
    world.nothing_is_left();
}

#[test]
fn after_worker_and_supervisor_were_killed_at_once_the_next_worker_resumes_from_the_checkpoint() {
    let world = World::new();
    world.program("steps", STEPS);
    let worker = world.worker(&["--queue", "steps"]);
    let task = world.submit("steps", "[]");
    let saved = saved(&task, 3);
    send("KILL", world.supervisor());
    worker.kill();
    let _worker = world.worker(&["--queue", "steps"]);
    assert_eq!(result(&task), "[60]");
    assert_eq!(beginnings(&world).len(), 2);
    assert!(beginnings(&world)[1] >= saved, "{:?} after {saved}", beginnings(&world));
    assert_eq!(task.info().unwrap().losses(), 1, "a machine that a task brings down again and again must count it");
    world.nothing_is_left();
}

#[test]
fn a_cancel_reaches_the_program_long_before_the_next_heartbeat() {
    let world = World::new();
    world.program(
        "hold",
        "trap 'echo stopped > FOLDER/stopped; exit 0' TERM\n echo $$ > FOLDER/pid\n while :; do sleep 0.02; done",
    );
    let _worker = world.worker(&["--queue", "hold", "--lease", "10min"]);
    let task = world.held();
    let begun = Instant::now();
    task.cancel("not needed").unwrap();
    assert_eq!(world.written("stopped"), "stopped");
    status(&task, Status::Cancelled);
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    world.nothing_is_left();
}

#[test]
fn an_end_while_the_server_is_away_is_sent_when_it_is_back_also_by_the_next_worker() {
    let mut world = World::new();
    world.server = Server::start_with(&["--appendonly", "yes", "--appendfsync", "always", "--save", ""]);
    world.client = Client::open(&world.server.url()).unwrap();
    let (worker, task) = world.holding(&["--lease", "60s"]);
    let supervisor = world.supervisor();
    world.server.kill();
    world.touch("go");
    eventually("the end is on the disk", || world.runs()[0].join("end.json").exists().then_some(()));
    // The end does not depend on the first supervisor.
    worker.kill();
    send("KILL", supervisor);
    world.server.restart();
    let _worker = world.worker(&["--queue", "hold"]);
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(task.info().unwrap().attempt(), 1, "the work was not done again");
    world.nothing_is_left();
}

/// Copies the program with another process. If this process wrote the copy, a program started at the same time inherits
/// the open file, and the copy cannot run until that file is closed.
fn copied(to: &Path) {
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_blueque")).arg(to).status().unwrap().success());
}

#[test]
fn a_binary_replaced_in_mid_task_changes_nothing_for_what_runs() {
    let world = World::new();
    world.program("hold", HOLD);
    let (old, new) = (world.path("blueque"), world.path("blueque.new"));
    copied(&old);
    let worker = world.worker_of(&old, &["--queue", "hold", "--slots", "2"]);
    let task = world.held();
    let before = status(&task, Status::Started);
    copied(&new);
    fs::rename(&new, &old).unwrap();
    // The running worker's own binary is gone from the disk, and it can still start supervisors.
    let second = world.submit("hold", "[]");
    status(&second, Status::Started);
    worker.kill();
    let _worker = world.worker_of(&old, &["--queue", "hold", "--slots", "2"]);
    eventually("both are taken over", || (world.log().matches("took over").count() == 2).then_some(()));
    world.touch("go");
    assert_eq!((result(&task), result(&second)), ("\"done\"".into(), "\"done\"".into()));
    assert_eq!(field(&task.info().unwrap(), "ended"), field(&before, "token"));
    world.nothing_is_left();
}

#[test]
fn a_worker_that_starts_before_its_server_waits_for_it() {
    let mut world = World::new();
    world.program("echo", "cat");
    world.server.kill();
    let begun = Instant::now();
    let _worker = world.worker(&["--queue", "echo"]);
    eventually("it waits", || world.log().contains("WARNING waiting for the server: ").then_some(()));
    // A call is repeated for ten seconds: the worker does not wait for its end.
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
    world.server.restart();
    let task = world.submit("echo", "[7]");
    assert_eq!(result(&task), "[7]");
    assert_eq!(world.log().matches("waiting for the server").count(), 1, "{}", world.log());
}

#[test]
fn a_worker_states_what_it_serves_where_and_how_to_stop_it() {
    let world = World::new();
    world.program("echo", "cat");
    let mut worker = world.worker(&["--queue", "echo", "--slots", "2"]);
    let said = eventually("it is said", || world.log().contains("to stop it").then(|| world.log()));
    let mut lines = said.lines();
    let (what, stop) = (lines.next().unwrap(), lines.next().unwrap());
    let (time, rest) = what.split_once(' ').unwrap();
    assert!(time.ends_with('Z') && time.parse::<jiff::Timestamp>().is_ok(), "{said}");
    assert!(rest.starts_with("INFO  takes tasks of echo as ") && rest.contains(": 2 slots, unix://"), "{said}");
    assert!(stop.contains(" INFO  to stop it: Ctrl-C or SIGTERM, then it waits for running programs"), "{said}");
    worker.signal("TERM");
    assert!(worker.ended().success());
}

#[test]
fn the_messages_of_a_worker_may_be_json() {
    let world = World::new();
    world.program("echo", "echo from the program >&2; cat");
    let mut worker = world.worker(&["--queue", "echo", "--verbose", "--log-format", "json"]);
    let task = world.submit("echo", "[7]");
    assert_eq!(result(&task), "[7]");
    worker.signal("TERM");
    assert!(worker.ended().success());
    let log = world.log();
    let lines: Vec<serde_json::Value> =
        log.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).expect(&log)).collect();
    let level = |level: &'static str| lines.iter().filter(move |line| line["level"] == level);
    assert!(
        level("info").any(|line| line["message"].as_str().unwrap().starts_with("takes tasks of echo as ")),
        "{log}"
    );
    let output = level("output").next().unwrap();
    assert_eq!((&output["task"], &output["message"]), (&task.id().to_string().into(), &"from the program".into()));
}

#[test]
fn what_a_dead_worker_had_reserved_and_not_begun_goes_back_within_seconds() {
    let world = World::new();
    world.program("echo", "cat");
    // No process can have this id: it is one above the kernel's maximum.
    let max: u32 = fs::read_to_string("/proc/sys/kernel/pid_max").unwrap().trim().parse().unwrap();
    let dead = support::listener_here(max);
    let mut listener = world.client.listener_as(dead.clone(), &["echo"]).unwrap();
    let task = world.submit("echo", "[1]");
    listener.try_listen().unwrap().expect("the task");
    // The listener counts as alive until the server has not seen it for a while.
    support::silent(&world.server, "echo", &dead);
    let _worker = world.worker(&["--queue", "echo"]);
    assert_eq!(result(&task), "[1]");
}

#[test]
fn a_damaged_run_folder_is_cleared_away_and_its_task_given_back() {
    let world = World::new();
    world.program("steps", STEPS);
    let worker = world.worker(&["--queue", "steps"]);
    let task = world.submit("steps", "[]");
    saved(&task, 1);
    let supervisor = world.supervisor();
    worker.kill();
    send("KILL", supervisor);
    let run = world.runs().remove(0);
    fs::write(run.join("run.json"), "{ no JSON").unwrap();
    fs::write(run.join("end.json"), "{ no JSON").unwrap();
    let _worker = world.worker(&["--queue", "steps"]);
    assert_eq!(result(&task), "[60]");
    world.nothing_is_left();
}

#[test]
fn the_password_of_the_server_reaches_no_command_line_and_no_program() {
    let mut world = World::new();
    world.server = Server::start_with(&["--save", "", "--requirepass", "hunter2"]);
    let url = format!("{}?pass=hunter2", world.server.url());
    world.client = Client::open(&url).unwrap();
    world.program("hold", &format!("env > FOLDER/env.new; mv FOLDER/env.new FOLDER/env\n{HOLD}"));
    let server = world.server.url();
    let asked = ["--env", "BLUEQUE_PASSWORD", "--env", "BLUEQUE_URL", "--env", "BLUEQUE_TOPOLOGY"];
    let args = [&["--queue", "hold", "--url", &server][..], &asked].concat();
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &args);
    command.env("BLUEQUE_URL", &url).env("BLUEQUE_TOPOLOGY", format!("1={url}"));
    let worker = world::Worker(command.env("BLUEQUE_PASSWORD", "hunter2").spawn().unwrap());
    let task = world.held();
    assert!(!fs::read_to_string(world.path("env")).unwrap().contains("hunter2"));
    let processes = world.processes();
    assert!(processes.len() > 1, "the supervisor, and its program");
    for pid in processes {
        let seen = |file: &str| {
            let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains("hunter2")
        };
        assert!(!seen("cmdline"));
        assert!(pid == worker.0.id().cast_signed() || !seen("environ"), "of a child");
    }
    assert!(!fs::read_to_string(world.runs()[0].join("run.json")).unwrap().contains("hunter2"));
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
    assert!(!world.log().contains("hunter2"));
}
