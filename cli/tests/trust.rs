//! A worker trusts root and its own user, and nobody else. Other users of the host are uid 1234 here, so these tests
//! need root, as in CI; without root they fail with that reason.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use blueque::{Client, Status, Submit};
use support::{Server, eventually};
use world::{HOLD, World, result, status};

const OTHER: u32 = 1234;
const SECRET: &str = "s3cret-of-the-server";

/// A folder under the world's, with an owner, a group and a mode.
fn folder(world: &World, name: &str, uid: u32, gid: u32, mode: u32) -> PathBuf {
    let path = world.path(name);
    fs::create_dir_all(&path).unwrap();
    chown(&path, Some(uid), Some(gid)).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    path
}

/// Checks that a worker refuses to start, with this reason.
fn refused(world: &World, args: &[&str], state: &Path, why: &str) {
    let before = world.log().len();
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), args);
    let mut worker = world::Worker(command.env("BLUEQUE_STATE_DIR", state).spawn().unwrap());
    let code = worker.ended().code();
    let said = world.log().split_off(before - 1);
    assert_eq!(code, Some(2), "{why}: {said}");
    assert!(said.contains(why), "{said} should say {why}");
}

#[test]
fn a_worker_does_not_start_with_a_state_folder_that_another_user_could_have_filled() {
    let world = World::new();
    world.program("q", "echo 1");
    let state = world.path("state");
    let inner = [
        "",
        "blueque",
        "blueque/runs",
        "blueque/kept",
        "blueque/output",
        "blueque/logs",
        "blueque/runs/t.1",
        "blueque/kept/t.1",
    ];
    for owned in inner {
        folder(&world, "state/blueque/runs", 0, 0, 0o700);
        let theirs = folder(&world, &format!("state/{owned}"), OTHER, OTHER, 0o755);
        refused(
            &world,
            &["-q", "q"],
            &state,
            &format!("{} belongs to", theirs.display().to_string().trim_end_matches('/')),
        );
        fs::remove_dir_all(&state).unwrap();
    }
    for (mode, gid, why) in [(0o777, 0, "is writable by others: chmod o-w"), (0o775, OTHER, "is writable by its group")]
    {
        for open in &inner[..6] {
            folder(&world, "state/blueque/runs", 0, 0, 0o700);
            folder(&world, &format!("state/{open}"), 0, gid, mode);
            refused(&world, &["-q", "q"], &state, why);
            fs::remove_dir_all(&state).unwrap();
        }
    }
    for (uid, gid, mode, why) in [
        (OTHER, OTHER, 0o755, "above belongs to"),
        (0, OTHER, 0o775, "above is writable by its group"),
        (0, 0, 0o777, "above is writable by others"),
        (OTHER, 0, 0o1777, "above belongs to"),
    ] {
        // The state folder does not exist in the first round, and exists in the second.
        for name in ["above", "above/state"] {
            folder(&world, name, 0, 0, 0o700);
            folder(&world, "above", uid, gid, mode);
            refused(&world, &["-q", "q"], &world.path("above/state"), why);
            fs::remove_dir_all(world.path("above")).unwrap();
        }
    }
    // In a folder such as /tmp every user may create a link.
    folder(&world, "tmp", 0, 0, 0o1777);
    folder(&world, "real", 0, 0, 0o700);
    symlink(world.path("real"), world.path("tmp/link")).unwrap();
    std::os::unix::fs::lchown(world.path("tmp/link"), Some(OTHER), Some(OTHER)).unwrap();
    refused(&world, &["-q", "q"], &world.path("tmp/link"), "tmp/link belongs to");
    assert!(fs::read_dir(world.path("real")).unwrap().next().is_none(), "nothing was made behind it");

    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["-q", "q"]);
    let _worker = world::Worker(command.env("BLUEQUE_STATE_DIR", world.path("tmp/own")).spawn().unwrap());
    assert_eq!(result(&world.submit("q", "[]")), "1", "a folder of its own in such a folder is fine");
}

/// Planted by another user before the folder was given away for good.
#[test]
fn files_of_the_state_folder_are_not_followed_where_they_are_links() {
    let world = World::new();
    world.program("q", "echo 1");
    folder(&world, "state/blueque/runs", 0, 0, 0o700);
    symlink(world.path("target"), world.path("state/blueque/supervisors.log")).unwrap();
    let _worker = world.worker(&["-q", "q"]);
    let task = world.submit("q", "[]");
    eventually("it is said", || world.log().contains("supervisors.log").then_some(()));
    assert_ne!(status_of(&task), Some(Status::Complete));
    assert!(!world.path("target").exists());
    fs::remove_file(world.path("state/blueque/supervisors.log")).unwrap();
    assert_eq!(result(&task), "1");
}

fn status_of(task: &blueque::Task) -> Option<Status> {
    task.info().unwrap().status()
}

#[test]
fn a_program_that_another_user_could_replace_is_not_run() {
    let world = World::new();
    let programs = world.path("worker.d");
    for name in ["theirs", "group", "plain", "deployed", "sub/open/p", "sub/theirs/p", "sub/fine/p"] {
        fs::create_dir_all(programs.join(name).parent().unwrap()).unwrap();
        world.program(name, "echo 1");
    }
    chown(programs.join("theirs"), Some(OTHER), Some(OTHER)).unwrap();
    chown(programs.join("group"), Some(OTHER), Some(OTHER)).unwrap();
    fs::set_permissions(programs.join("group"), PermissionsExt::from_mode(0o775)).unwrap();
    folder(&world, "worker.d/sub/open", 0, 0, 0o777);
    folder(&world, "worker.d/sub/theirs", OTHER, OTHER, 0o755);
    symlink("sub/open/p", programs.join("behind-open")).unwrap();
    symlink("sub/theirs/p", programs.join("behind-theirs")).unwrap();
    symlink("sub/fine/p", programs.join("behind-fine")).unwrap();
    // The link on the way is unsafe, even if it leads back to a safe program.
    symlink("../../plain", programs.join("sub/open/back")).unwrap();
    symlink("sub/open/back", programs.join("detour")).unwrap();
    symlink("round", programs.join("round")).unwrap();
    // The documented case: a group that deploys.
    folder(&world, "worker.d/sub/fine", 0, OTHER, 0o775);
    chown(programs.join("deployed"), Some(0), Some(OTHER)).unwrap();
    fs::set_permissions(programs.join("deployed"), PermissionsExt::from_mode(0o775)).unwrap();
    folder(&world, "worker.d", 0, OTHER, 0o775);
    let queue = world.client.queue("q").unwrap();
    let submit = |method: &str| queue.submit_bytes(b"[]", Submit::default().method(method)).unwrap();
    let bad = [
        ("theirs", "theirs belongs to"),
        ("group", "group belongs to"),
        ("behind-open", "open is writable by others"),
        ("behind-theirs", "theirs belongs to"),
        ("detour", "open is writable by others"),
        ("round", "too many links"),
    ];
    let bad: Vec<_> = bad.iter().map(|(method, why)| (submit(method), *why)).collect();
    let good: Vec<_> = ["plain", "deployed", "behind-fine"].iter().map(|method| submit(method)).collect();
    let _worker = world.worker(&["-q", "q", "--slots", "4"]);
    for (task, why) in &bad {
        let error = status(task, Status::Failed).error().unwrap().clone();
        assert!(error.contains(why), "{error} should say {why}");
    }
    for task in &good {
        assert_eq!(result(task), "1");
    }
}

#[test]
fn a_worker_does_not_start_with_a_folder_of_programs_that_another_user_could_replace() {
    let world = World::new();
    let state = world.path("state");
    let fine = |name: &str| {
        folder(&world, &format!("{name}/worker.d"), 0, 0, 0o755);
        world.path(name).join("worker.d").display().to_string()
    };
    for (name, uid, gid, mode, why) in [
        ("theirs", OTHER, OTHER, 0o755, "theirs belongs to"),
        ("group", 0, OTHER, 0o775, "group is writable by its group"),
        ("sticky", OTHER, 0, 0o1777, "sticky belongs to"),
        ("open", 0, 0, 0o777, "open is writable by others"),
    ] {
        let programs = fine(name);
        folder(&world, name, uid, gid, mode);
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        command.args(["worker", "-q", "q", "--dir", &programs]).env("BLUEQUE_URL", world.server.url());
        let output = command.env("BLUEQUE_STATE_DIR", &state).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{said} should say {why}");
    }
    folder(&world, "worker.d", OTHER, OTHER, 0o755);
    refused(&world, &["-q", "q"], &state, "worker.d belongs to");
}

/// A server that another user may use, with a password.
fn guarded() -> World {
    let mut world = World::new();
    world.server = Server::start_with(&["--save", "", "--requirepass", SECRET, "--unixsocketperm", "777"]);
    world.client = Client::open(&format!("{}?pass={SECRET}", world.server.url())).unwrap();
    world
}

#[test]
fn the_password_is_in_no_environment_that_a_program_of_the_workers_user_can_read() {
    let world = guarded();
    // A copy of the binary that the other user can reach, independent of the build folder.
    let binary = world.path("blueque");
    fs::copy(env!("CARGO_BIN_EXE_blueque"), &binary).unwrap();
    world.program(
        "hold",
        &format!(
            "for what in environ mem; do cat /proc/$PPID/$what; cat /proc/$WORKER_PID/$what; done > FOLDER/read 2> FOLDER/errors\n{HOLD}"
        ),
    );
    for program in [world.path("worker.d/hold"), world.path("worker.d"), world.folder.path().to_owned()] {
        chown(program, Some(OTHER), Some(OTHER)).unwrap();
    }
    let mut command = world.command(&binary, &["-q", "hold", "--env", "WORKER_PID"]);
    command.uid(OTHER).gid(OTHER).env("BLUEQUE_PASSWORD", SECRET);
    command.env("BLUEQUE_URL", format!("{}?pass={SECRET}", world.server.url()));
    // The pid is not known before the start: a shell becomes the worker.
    let args: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg("WORKER_PID=$$ exec \"$@\"").arg("sh").arg(&binary).args(args);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.uid(OTHER).gid(OTHER);
    let log = fs::File::options().create(true).append(true).open(world.path("worker.log")).unwrap();
    let _worker = world::Worker(shell.stderr(log).spawn().unwrap());
    let task = world.held();
    let supervisor = world.supervisor();
    let (read, errors) = (fs::read(world.path("read")).unwrap(), fs::read_to_string(world.path("errors")).unwrap());
    assert!(read.is_empty(), "{}", String::from_utf8_lossy(&read));
    assert_eq!(errors.matches("Permission denied").count(), 4, "{errors}");
    // Nor can root find it in the supervisor's initial environment.
    let environment = fs::read(format!("/proc/{supervisor}/environ")).unwrap();
    assert!(!environment.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()));
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
    world.nothing_is_left();
    assert!(!world.log().contains(SECRET));
}

#[test]
fn a_password_file_is_read_again_by_what_runs() {
    let world = guarded();
    let file = world.path("password");
    fs::write(&file, format!("{SECRET}\n")).unwrap();
    fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    let config = world.path("config.toml");
    fs::write(&config, format!("url = \"{}\"\npassword_file = \"{}\"\n", world.server.url(), file.display())).unwrap();
    world.program("hold", HOLD);
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["-q", "hold", "--lease", "3s"]);
    let worker = world::Worker(command.env("BLUEQUE_CONFIG", &config).spawn().unwrap());
    let task = world.held();
    worker.kill();
    let mut admin =
        redis::Client::open(format!("{}?pass={SECRET}", world.server.url())).unwrap().get_connection().unwrap();
    redis::cmd("CONFIG").arg("SET").arg("requirepass").arg("another").exec(&mut admin).unwrap();
    fs::write(&file, "another").unwrap();
    redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("normal").arg("SKIPME").arg("yes").exec(&mut admin).unwrap();
    redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("pubsub").exec(&mut admin).unwrap();
    world.touch("go");
    let client = Client::open(&format!("{}?pass=another", world.server.url())).unwrap();
    let task = client.task(task.id().as_str()).unwrap();
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(task.info().unwrap().attempt(), 1);
    world.nothing_is_left();
}

#[test]
fn a_worker_and_its_program_live_through_a_new_password() {
    let world = guarded();
    let (file, secrets) = (world.path("password"), [SECRET, "another-s3cret"]);
    let write = |password: &str| {
        fs::write(world.path("new"), password).unwrap();
        fs::set_permissions(world.path("new"), PermissionsExt::from_mode(0o600)).unwrap();
        fs::rename(world.path("new"), &file).unwrap();
    };
    write(SECRET);
    world.program("hold", &format!("env >> FOLDER/env\n{HOLD}"));
    world.program("q", "echo 1");
    let mut command =
        world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["-q", "hold", "-q", "q", "--slots", "2"]);
    let _worker = world::Worker(command.env("BLUEQUE_PASSWORD_FILE", &file).spawn().unwrap());
    let task = world.held();
    let client = |password: &str| Client::open(&format!("{}?pass={password}", world.server.url()));
    let mut admin =
        redis::Client::open(format!("{}?pass={SECRET}", world.server.url())).unwrap().get_connection().unwrap();
    redis::cmd("CONFIG").arg("SET").arg("requirepass").arg(secrets[1]).exec(&mut admin).unwrap();
    for kind in ["normal", "pubsub"] {
        redis::cmd("CLIENT").arg(&["KILL", "TYPE", kind, "SKIPME", "yes"]).exec(&mut admin).unwrap();
    }
    let says = |log: &str| log.contains("waiting for the server") && log.contains("refuses this user or password");
    eventually("the worker says what it waits for", || says(&world.log()).then_some(()));
    write(secrets[1]);
    world.touch("go");
    let after = client(secrets[1]).unwrap();
    assert_eq!(result(&after.task(task.id().as_str()).unwrap()), "\"done\"");
    assert_eq!(after.task(task.id().as_str()).unwrap().info().unwrap().attempt(), 1);
    let next = after.queue("q").unwrap().submit_bytes(b"[]", blueque::Submit::default()).unwrap();
    assert_eq!(result(&next), "1", "by the same worker");
    assert!(!world.log().contains("s3cret"), "{}", world.log());
    assert!(!fs::read_to_string(world.path("env")).unwrap().contains("s3cret"));
    assert!(!fs::read_to_string(world.path("env")).unwrap().contains("BLUEQUE_PASSWORD"));
    for pid in world.processes() {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&words).contains("s3cret"));
    }
    world.nothing_is_left();
}

/// Runs a command as another user of the host; returns its exit code and its output.
fn as_other(command: &str) -> (bool, String) {
    let output = Command::new("/bin/sh").args(["-c", command]).uid(OTHER).gid(OTHER).output().unwrap();
    (output.status.success(), [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat())
}

#[test]
fn another_user_reads_nothing_of_a_run_and_signals_nothing_of_it() {
    let world = World::new();
    world.program("hold", &format!("echo s3cret-of-a-task > \"$BLUEQUE_CHECKPOINT\"; echo s3cret-of-a-task\n{HOLD}"));
    let _worker = world.worker(&["-q", "hold"]);
    let task = world.submit("hold", "[\"s3cret-of-a-task\"]");
    world.written("pid");
    let (supervisor, run) = (world.supervisor(), world.runs().remove(0));
    let program = world.written("pid");
    for path in [run.parent().unwrap().to_owned(), run.clone(), run.join("parameters"), run.join("checkpoint")] {
        let (done, said) = as_other(&format!("cat {0} || ls {0}", path.display()));
        assert!(!done && said.contains("Permission denied"), "{}: {said}", path.display());
    }
    for pid in [supervisor.to_string(), program] {
        let (done, said) = as_other(&format!("kill {pid}"));
        assert!(!done, "{said}");
        let (_, line) = as_other(&format!("cat /proc/{pid}/cmdline"));
        assert!(!line.is_empty() && !line.contains("s3cret"), "{line}");
    }
    world.touch("go");
    task.wait(world::LIMIT).unwrap();
    // The log is kept longer than the run.
    let logs = world.path("state/blueque/logs");
    let log = fs::read_dir(&logs).unwrap().next().unwrap().unwrap().path();
    for path in [logs, log.clone(), log.join("000000000000.log")] {
        assert!(path.exists());
        let (done, said) = as_other(&format!("cat {0} || ls {0}", path.display()));
        assert!(!done && said.contains("Permission denied"), "{}: {said}", path.display());
    }
}

#[test]
fn a_program_has_the_rights_of_the_workers_user() {
    let world = guarded();
    let file = world.path("password");
    fs::write(&file, SECRET).unwrap();
    fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    let config = world.path("config.toml");
    fs::write(&config, format!("url = \"{}\"\npassword_file = \"{}\"\n", world.server.url(), file.display())).unwrap();
    let binary = world.path("blueque");
    fs::copy(env!("CARGO_BIN_EXE_blueque"), &binary).unwrap();
    world.program("q", "cat FOLDER/password >&2 || exit 1; id -u");
    for path in [file, config.clone(), world.path("worker.d"), world.folder.path().to_owned()] {
        chown(path, Some(OTHER), Some(OTHER)).unwrap();
    }
    let mut command = world.command(&binary, &["-q", "q"]);
    command.uid(OTHER).gid(OTHER).env_remove("BLUEQUE_URL").env("BLUEQUE_CONFIG", &config);
    let _worker = world::Worker(command.spawn().unwrap());
    assert_eq!(result(&world.submit("q", "[]")).trim(), "1234");
}

/// The record was written without the scripts, by a user with write access to the keys.
#[test]
fn an_id_that_no_script_would_take_makes_no_file() {
    let world = World::new();
    world.program("q", "echo 1");
    let mut connection = world.server.connection();
    let mut redis = |words: &[&str]| redis::cmd(words[0]).arg(&words[1..]).exec(&mut connection).unwrap();
    let odd = "../../../escaped";
    redis(&["HSET", &format!("blueque_task_{odd}"), "status", "pending", "queue", "q", "parameters", "[]"]);
    redis(&["LPUSH", "blueque_pending_tasks_q", odd]);
    let _worker = world.worker(&["-q", "q"]);
    let task = world.submit("q", "[]");
    eventually("it is served, or the worker has ended and says why", || {
        (status_of(&task) == Some(Status::Complete) || world.log().contains("blueque: ")).then_some(())
    });
    let made: Vec<_> = fs::read_dir(world.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(made.iter().all(|name| !name.to_string_lossy().contains("escaped")), "{made:?}");
}
