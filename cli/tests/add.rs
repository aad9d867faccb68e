//! `blueque add`: tasks that run a command line, on workers that allow it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use blueque::{Status, Task};
use support::eventually;
use world::{Worker, World, result, send, status};

const SECRET: &str = "not-to-be-seen";

/// Runs `blueque add` in the folder of the world, with a secret in its environment.
fn add(world: &World, args: &[&str]) -> (i32, String) {
    add_as(world, "none", args)
}

/// Does the same with the keys of another user, who has this folder of configuration.
fn add_as(world: &World, user: &str, args: &[&str]) -> (i32, String) {
    as_user(world, user, &[&["add"], args].concat())
}

fn as_user(world: &World, user: &str, args: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.args(args).env("BLUEQUE_URL", world.server.url()).env("XDG_CONFIG_HOME", world.path(user));
    let output = command.env("SECRET", SECRET).current_dir(world.folder.path()).output().unwrap();
    // A warning of a submit that succeeds is no part of the id.
    let text = if output.status.success() { output.stdout } else { [output.stdout, output.stderr].concat() };
    let text = String::from_utf8(text).unwrap();
    (output.status.code().unwrap(), text.trim().to_owned())
}

fn added(world: &World, args: &[&str]) -> Task {
    let (code, id) = add(world, args);
    assert_eq!(code, 0, "{id}");
    world.client.task(&id).unwrap()
}

/// A worker of the queue `default` without a folder of programs.
fn worker(world: &World, args: &[&str]) -> Worker {
    let log = File::options().create(true).append(true).open(world.path("worker.log")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.args(["worker", "default"]).args(args).env_remove("BLUEQUE_NAMESPACE").env_remove("BLUEQUE_DIR");
    command.env("BLUEQUE_URL", world.server.url()).env("BLUEQUE_STATE_DIR", world.path("state"));
    command.env("XDG_CONFIG_HOME", world.path("none")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    Worker(command.spawn().unwrap())
}

#[test]
fn a_command_line_runs_as_it_is_in_its_folder_with_its_environment() {
    let world = World::new();
    let show = r#"import json, os, sys; print(json.dumps([sys.argv[1:], os.getcwd(), os.environ.get("A"), sys.stdin.read()]))"#;
    let odd = ["", "a  b", "*", "$HOME", "--env", "it's", "{x}", "é\n"];
    let exact =
        added(&world, &[&["--env", "A=1=2", "--params", "[7]", "--", "python3", "-c", show], &odd[..]].concat());
    fs::write(world.path("variables"), "# none\n\nA=from a file\nB='x'\nSECRET\n").unwrap();
    fs::create_dir(world.path("below")).unwrap();
    let files =
        ["--env-file", "variables", "-e", "B=2", "--cwd", "below", "--shell", r#"echo "\"$A $B $SECRET ${PWD##*/}\"""#];
    let shell = added(&world, &files);
    fs::write(world.path("job.py"), "#!/usr/bin/env python3\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n")
        .unwrap();
    let script = added(&world, &["--script", "job.py", "--", "one", "two  words"]);
    fs::remove_file(world.path("job.py")).unwrap();
    let absent = [
        added(&world, &["--", "no-such-program"]),
        added(&world, &["--cwd", "/no/such/folder", "--", "true"]),
        added(&world, &["--", "./variables"]),
    ];
    let text = added(&world, &["--", "echo", "no JSON"]);
    let _worker = worker(&world, &["--allow-commands", "--slots", "4"]);
    let folder = world.folder.path().canonicalize().unwrap();
    let expected = serde_json::json!([odd, folder, "1=2", "[7]"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&result(&exact)).unwrap(), expected);
    assert_eq!(result(&shell), format!("\"from a file 2 {SECRET} below\""));
    assert_eq!(result(&script), r#"["one", "two  words"]"#);
    assert_eq!(result(&text), "null");
    for (task, why) in
        absent.iter().zip(["127: blueque: no-such-program cannot", "folder /no/such/folder cannot", "126: "])
    {
        status(task, Status::Failed);
        let error = task.info().unwrap().error().unwrap().clone();
        assert!(error.contains(why), "{error}");
        assert_eq!(task.info().unwrap().group().as_deref(), Some("permanent"), "given back to nobody");
    }
}

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn a_trace_goes_on_from_the_environment_of_a_submit_to_the_program() {
    let world = World::new();
    let run = |variables: [&str; 2], args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        let names = ["TRACEPARENT", "TRACESTATE"];
        command.args(args).env("BLUEQUE_URL", world.server.url()).envs(names.into_iter().zip(variables));
        let output = command.env("XDG_CONFIG_HOME", world.path("none")).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let command = ["--shell", r#"echo "\"${TRACEPARENT-none} ${TRACESTATE-none}\"""#];
    let add = |id: &str, variables: [&str; 2], more: &[&str]| {
        let (code, said) = run(variables, &[&["add", "--id", id], more, &command[..]].concat());
        assert_eq!(code, 0, "{said}");
        world.client.task(id).unwrap()
    };
    let other = PARENT.replace("-01", "-00");
    let tasks = [
        (add("both", [PARENT, "a=b,c=d"], &[]), format!("{PARENT} a=b,c=d")),
        (add("own", [PARENT, "a=b"], &["--trace", &other]), format!("{other} none")),
        (add("wrong", ["00-12-34-01", "a=b"], &[]), "none none".to_owned()),
        (add("none", ["", ""], &[]), "none none".to_owned()),
    ];
    let _worker = worker(&world, &["--allow-commands", "--slots", "4", "--env", "TRACEPARENT"]);
    for (task, seen) in &tasks {
        assert_eq!(result(task), format!("\"{seen}\""));
    }
    // A repeated submit may belong to another trace.
    for parent in [PARENT, &other] {
        let (code, said) = run([parent, ""], &["submit", "q", "--array", "1-2", "--id", "a"]);
        assert_eq!(code, 0, "{said}");
        assert_eq!(world.client.task("a.1").unwrap().info().unwrap().trace().as_deref(), Some(PARENT));
    }
    let (code, said) = run(["", ""], &["add", "--trace", "00", "--", "true"]);
    assert!(code == 2 && said.contains("trace must be a traceparent, such as 00-"), "{said}");
}

#[test]
fn the_values_of_an_environment_are_shown_nowhere() {
    let world = World::new();
    let task = added(&world, &["--id", "t", "--env", "SECRET", "--", "run", "a b"]);
    let stored = task.info().unwrap().command().unwrap();
    assert!(stored.contains(SECRET), "{stored}");
    let edited = stored.replace("a b", "c");
    world.outcome(&["edit", "t", "--command", &edited]);
    world.outcome(&["schedule", "add", "s", "default", "--every", "1h", "--command", &stored]);
    let all = [
        &["ls"][..],
        &["ls", "-o", "json"],
        &["show", "t"],
        &["show", "t", "-o", "json"],
        &["history", "t"],
        &["history", "t", "-o", "json"],
        &["admin", "audit"],
        &["find", "default", "-o", "json"],
        &["schedule", "show", "s"],
        &["schedule", "show", "s", "-o", "json"],
        &["schedule", "ls"],
        &["why", "t"],
        &["events", "default", "--past", "1h"],
    ];
    let all: String = all.iter().map(|args| world.run(args)).collect();
    assert!(!all.contains(SECRET), "{all}");
    for shown in ["run c", "variables   SECRET", r#""argv":["run","c"]"#, r#""env":["SECRET"]"#, "run 'a b'"] {
        assert!(all.contains(shown), "{shown}: {all}");
    }
}

#[test]
fn a_schedule_runs_a_command_line() {
    let world = World::new();
    fs::write(world.path("job.sh"), "#!/bin/sh\ncat\n").unwrap();
    let schedule = |args: &[&str]| as_user(&world, "none", &[&["schedule", "add"], args].concat());
    let echo = r#"echo "\"$SECRET $1\"""#;
    let words = ["words", "-e", "SECRET", "--title", "some words", "--", "sh", "-c", echo, "sh", "a  b"];
    for args in [
        &words[..],
        &["shell", "default", "--shell", "echo 2 | cat"],
        &["script", "default", "[3]", "--script", "job.sh"],
    ] {
        let (code, text) = schedule(&[&["--every", "1s", "--times", "1"], args].concat());
        assert!(code == 0 && text.contains("\nqueue       default\n"), "{text}");
    }
    let _worker = worker(&world, &["--allow-commands"]);
    for (name, expected) in [("words", format!("\"{SECRET} a  b\"")), ("shell", "2".into()), ("script", "[3]".into())] {
        let made = eventually("a task", || world.client.schedule(name).unwrap().info().unwrap().last_task());
        assert_eq!(result(&world.client.task(&made).unwrap()), expected);
    }
    let list = world.run(&["schedule", "ls"]);
    assert!(list.contains("some words") && list.contains("sh -c 'echo 2 | cat'") && list.contains("job.sh"), "{list}");
    let shown = world.run(&["schedule", "show", "words"]);
    let folder = world.folder.path().canonicalize().unwrap();
    for fact in
        ["command     sh -c ", "'a  b'\n", &format!("folder      {}\n", folder.display()), "variables   SECRET\n"]
    {
        assert!(shown.contains(fact), "{fact}: {shown}");
    }
    assert!(!shown.contains(SECRET) && !list.contains(SECRET));
    for (args, why) in [
        (&["x"][..], "<QUEUE>"),
        (&["x", "q", "-e", "A=1"], "required arguments were not provided"),
        (&["x", "q", "--cwd", "/"], "required arguments were not provided"),
        (&["x", "--shell", "a", "--", "b"], "cannot be used with"),
        (&["x", "--command", "{}", "--", "b"], "cannot be used with"),
        (&["x", "--", ""], "the command has no name"),
        (&["x", "--script", "absent"], "absent cannot be read"),
    ] {
        let (code, text) = schedule(&[&["--every", "1h"], args].concat());
        assert!(code == 2 && text.contains(why), "{args:?}: {code} {text}");
    }
    assert!(!world.run(&["schedule", "-o", "id"]).contains('x'));
}

#[test]
fn only_a_worker_that_allows_it_runs_a_command_line() {
    let world = World::new();
    world.program("default", "echo 1");
    let refuses = world.worker(&["-q", "default"]);
    let task = added(&world, &["--id", "t", "--", "echo", "2"]);
    let other = world.submit("default", "[]");
    assert_eq!(result(&other), "1");
    let why = world.run(&["why", "t"]);
    assert_eq!(why.trim(), "It needs commands, which the only worker of default does not have.");
    // Without the need, the worker takes the task and gives it back.
    world.outcome(&["edit", "t", "--needs", "other"]);
    world.outcome(&["submit", "default", "--id", "bare", "--command", r#"{"argv":["true"]}"#]);
    eventually("it is given back", || world.run(&["history", "bare"]).contains("no-program").then_some(()));
    drop(refuses);
    world.outcome(&["edit", "t", "--needs", "commands"]);
    let _allows = worker(&world, &["--allow-commands", "--has", "ssd"]);
    assert_eq!(result(&task), "2");
    status(&world.client.task("bare").unwrap(), Status::Complete);
    assert!(!world.run(&["doctor"]).contains("no worker of default has the program default"));
}

#[test]
fn a_worker_of_one_user_runs_only_what_this_user_has_proved() {
    let world = World::new();
    let _worker = worker(&world, &["--allow-commands=user"]);
    let own = added(&world, &["--", "echo", "1"]);
    assert_eq!(result(&own), "1");
    let (_, id) = add_as(&world, "other", &["--id", "other", "--", "echo", "2"]);
    // A copy of a proved command line is proved for its own task only.
    let copied = own.info().unwrap().command().unwrap();
    world.outcome(&["submit", "default", "--id", "copy", "--needs", "commands", "--command", &copied]);
    for id in [id.as_str(), "copy"] {
        let says = format!("gave {id} back: its command, of ");
        eventually("it is given back", || {
            fs::read_to_string(world.path("worker.log")).unwrap().contains(&says).then_some(())
        });
        assert_ne!(world.client.task(id).unwrap().info().unwrap().status(), Some(Status::Complete));
    }
    fs::write(world.path("lines"), "{\"x\": 3}\n{\"x\": 4}\n").unwrap();
    let (code, made) = add(&world, &["--id", "g", "--each", "lines", "--", "echo", "{x}"]);
    assert_eq!((code, made.as_str()), (0, "g[2]"));
    assert_eq!(["g.0", "g.1"].map(|id| result(&world.client.task(id).unwrap())), ["3", "4"]);
    let schedule = ["schedule", "add", "s", "--every", "1s", "--times", "1", "--", "echo", "5"];
    assert_eq!(as_user(&world, "none", &schedule).0, 0);
    let made = eventually("a task", || world.client.schedule("s").unwrap().info().unwrap().last_task());
    assert_eq!(result(&world.client.task(&made).unwrap()), "5");
    // Another user can neither read nor replace the key.
    let key = world.path("none/blueque/commands.key");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&key, Permissions::from_mode(0o644)).unwrap();
    let mut refused = worker(&world, &["--allow-commands=user"]);
    assert_eq!(refused.ended().code(), Some(2));
}

#[test]
fn a_task_for_each_line_of_a_file_is_one_group_all_or_none() {
    let world = World::new();
    let lines = "{\"name\": \"a b\", \"lr\": 0.10}\n\n{\"name\": \"c\", \"lr\": 1e-3}\n";
    fs::write(world.path("lines"), lines).unwrap();
    let each = ["--id", "g", "--each", "lines"];
    let (code, made) = add(
        &world,
        &[
            &each[..],
            &["--title", "train {name}", "-e", "N={index}", "--shell", "echo \"[\\\"{name}\\\", {lr}, $N, $(cat)]\""],
        ]
        .concat(),
    );
    assert_eq!((code, made.as_str()), (0, "g[2]"));
    let _worker = worker(&world, &["--allow-commands"]);
    let tasks = ["g.0", "g.1"].map(|id| world.client.task(id).unwrap());
    assert_eq!(result(&tasks[0]), r#"["a b", 0.10, 1, {"name": "a b", "lr": 0.10}]"#);
    assert_eq!(result(&tasks[1]), r#"["c", 1e-3, 2, {"name": "c", "lr": 1e-3}]"#);
    let info = tasks[1].info().unwrap();
    assert_eq!((info.label().as_deref(), info.title().as_deref()), (Some("sh[2]"), Some("train c")));
    let (code, _) = add(&world, &["--id", "h", "--each", "lines", "--name", "{name}-{index}", "--", "true"]);
    assert_eq!(code, 0);
    assert_eq!(world.client.task("h.0").unwrap().info().unwrap().label().as_deref(), Some("a b-1"));
    let number = || world.run(&["ls", "-o", "id"]).lines().count();
    for (line, how, why) in [
        ("{\"x\": 1}\nx", "{x}", "line 2 is no JSON object"),
        ("{\"x\": 1}\n[1]", "{x}", "line 2 is no JSON object"),
        ("{\"x\": 1}\n\n{\"y\": 1}", "{x}", "line 3 has no field x; write {{x}}"),
        ("\n", "x", "has no lines"),
    ] {
        fs::write(world.path("lines"), line).unwrap();
        let (code, text) = add(&world, &["--each", "lines", "--", "echo", how]);
        assert!(code == 2 && text.contains(why), "{code} {text}");
    }
    fs::write(world.path("lines"), "{\"x\": 1}\n{\"x\": 1}\n").unwrap();
    let (code, text) = add(&world, &["--each", "lines", "--name", "{x}", "--", "true"]);
    assert!(code == 2 && text.contains("several lines have the name 1: add {index}"), "{text}");
    assert_eq!(number(), 4);
}

#[test]
fn bad_command_lines_are_refused_with_their_reason_and_make_nothing() {
    let world = World::new();
    fs::write(world.path("plain"), "echo 1\n").unwrap();
    fs::write(world.path("large"), format!("#!/bin/sh\n{}", "#".repeat(65_536))).unwrap();
    fs::write(world.path("odd"), "A-B=1\n").unwrap();
    for (args, why) in [
        (&[][..], "required arguments were not provided"),
        (&["--", ""], "the command has no name"),
        (&["--quue", "q", "--", "true"], "unexpected argument '--quue'"),
        (&["--shell", "a", "--", "b"], "cannot be used with"),
        (&["--script", "plain"], "plain is no script: begin it with a line that names its interpreter"),
        (&["--script", "large"], "large cannot be read: it has more than 65536 bytes"),
        (&["--script", "absent"], "absent cannot be read"),
        (&["--env", "NO_SUCH_VARIABLE", "--", "true"], "--env NO_SUCH_VARIABLE is not set here"),
        (&["--env", "1=x", "--", "true"], "the name of a variable has letters"),
        (&["--env", "BLUEQUE_RUN=x", "--", "true"], "only Blueque itself sets variables"),
        (&["--env-file", "odd", "--", "true"], "odd: the name of a variable"),
        (&["--command", "{}", "--", "true"], "cannot be used with"),
        (&["--each", "plain", "--wait", "--", "true"], "cannot be used with"),
        (&["--each", "plain", "--hold", "--", "true"], "cannot be used with"),
        (&["--name", "x", "--", "true"], "--each"),
        (&["--", "echo", &"x".repeat(66_000)], "TOOBIG"),
    ] {
        let (code, text) = add(&world, args);
        assert!(code == 2 && text.contains(why), "{args:?}: {code} {text}");
    }
    assert_eq!(world.run(&["ls", "-o", "id"]), "");
}

#[test]
fn a_command_line_survives_its_worker_and_continues_from_its_checkpoint() {
    let world = World::new();
    let text = r#"if [ -e "$BLUEQUE_CHECKPOINT" ]; then cat "$BLUEQUE_CHECKPOINT"; exit; fi
        echo 5 > c; mv c "$BLUEQUE_CHECKPOINT"; echo $$ > pid; while [ ! -e go ]; do sleep 0.02; done; echo 6"#;
    let (first, second) = (added(&world, &["--shell", text]), worker(&world, &["--allow-commands"]));
    world.written("pid");
    second.kill();
    let _third = worker(&world, &["--allow-commands", "--slots", "2"]);
    world.touch("go");
    assert_eq!((result(&first).as_str(), first.info().unwrap().attempt()), ("6", 1));
    for file in ["go", "pid"] {
        fs::remove_file(world.path(file)).unwrap();
    }
    let lost = added(&world, &["--shell", text]);
    let pid = world.written("pid");
    eventually("the checkpoint is saved", || lost.info().unwrap().checkpoint_bytes().map(drop));
    let parent = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let parent = parent.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().parse().unwrap();
    send("KILL", parent);
    assert_eq!((result(&lost).as_str(), lost.info().unwrap().attempt()), ("5", 2));
    world.nothing_is_left();
}
