//! A host on which no process can be started: its tasks go back and never fail, and it reports the cause.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use blueque::{Status, Task};
use support::eventually;
use world::{Worker, World, field, result, status};

/// No other test has processes under these users.
const USER: u32 = 64_100;

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

fn run(world: &World, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.args(args).env("BLUEQUE_URL", world.server.url()).env("XDG_CONFIG_HOME", world.path("none"));
    let output = command.output().unwrap();
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat()
}

fn trouble(world: &World) -> Option<String> {
    world.client.workers().unwrap().into_iter().find(|worker| !worker.dead)?.trouble
}

/// Checks that no loss or release counts against the task, and that every command and record shows the reason.
fn is_said(world: &World, task: &Task, what: &str) {
    let said = format!("takes nothing: {what}");
    eventually("its record says so", || trouble(world).filter(|trouble| trouble.contains(&said)));
    let says = |args: &[&str]| {
        eventually(&format!("{args:?} says so"), || run(world, args).contains(&said).then_some(()));
    };
    says(&["why", task.id().as_str()]);
    says(&["workers", "-o", "json"]);
    says(&["doctor"]);
    let tries = || {
        let log = world.log();
        log.lines().filter(|line| line.contains("takes nothing for ") && line.contains(what)).count()
    };
    eventually("it rests a third time", || {
        let info = task.info().unwrap();
        assert_eq!((info.losses(), field(&info, "releases").as_str()), (0, ""), "{}", world.log());
        (tries() >= 3).then_some(())
    });
    let info = task.info().unwrap();
    let back: u32 = field(&info, "uncounted").parse().unwrap();
    let rests = tries();
    assert!(
        (back as usize) < rests,
        "{back} times given back, {rests} times rests: the worker takes what it cannot begin"
    );
}

/// A worker of a user that has no other processes.
fn worker_of_its_own_user(world: &World, user: u32) -> Worker {
    if !is_root() {
        return world.worker(&["--queue", "q", "--slots", "2"]);
    }
    chown(world.folder.path(), Some(user), Some(user)).unwrap();
    fs::set_permissions(world.server.socket(), Permissions::from_mode(0o777)).unwrap();
    let usual = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["--queue", "q", "--slots", "2"]);
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".into()]);
    command.arg(usual.get_program()).args(usual.get_args()).stdin(Stdio::null()).stdout(Stdio::null());
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let log = fs::File::options().create(true).append(true).open(world.path("worker.log")).unwrap();
    Worker(command.stderr(log).spawn().unwrap())
}

/// Number of threads of this user, once its worker is its only process: a supervisor that ends would count too.
fn threads(user: u32) -> u32 {
    let of = |path: PathBuf| {
        let status = fs::read_to_string(path.join("status")).ok()?;
        let line = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let uid: u32 = line("Uid:")?.split_whitespace().next()?.parse().ok()?;
        (uid == user).then(|| line("Threads:")?.parse::<u32>().ok())?
    };
    let all = || fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| of(entry.path())).collect::<Vec<_>>();
    eventually("the worker is alone", || <[u32; 1]>::try_from(all()).ok())[0]
}

/// Limits the number of processes of its user; none: unlimited.
fn limit(worker: &Worker, user: u32, processes: Option<u32>) {
    let limits = fs::read_to_string(format!("/proc/{}/limits", worker.pid())).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max processes")).unwrap();
    let most = line.split_whitespace().nth(3).unwrap();
    let soft = processes.map_or(most.to_owned(), |processes| processes.to_string());
    let mut command = Command::new("prlimit");
    if is_root() {
        // Without this permission of root, only the user itself may change the limit.
        command = Command::new("setpriv");
        command.args([format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".into(), "prlimit".into()]);
    }
    command.args(["--pid", &worker.pid().to_string(), &format!("--nproc={soft}:")]);
    assert!(command.status().unwrap().success());
}

/// Allows `more` additional processes: 0, or too few for all threads of a supervisor.
fn no_processes(more: u32) {
    let world = World::new();
    world.program("q", "echo 1");
    let user = USER + more;
    let worker = worker_of_its_own_user(&world, user);
    assert_eq!(result(&world.submit("q", "[]")), "1");
    world.nothing_is_left();
    let most = if is_root() { threads(user) + more } else { 1 };
    limit(&worker, user, Some(most));
    let task = world.submit("q", "[]");
    is_said(&world, &task, "no more processes or threads can be started");
    limit(&worker, user, None);
    assert_eq!(result(&task), "1");
    eventually("it says so no more", || trouble(&world).is_none().then_some(()));
}

#[test]
fn a_host_that_can_start_no_process_takes_nothing_says_so_and_counts_nothing_against_the_task() {
    no_processes(0);
}

#[test]
fn a_host_on_which_a_supervisor_gets_no_thread_takes_nothing_says_so_and_counts_nothing_against_the_task() {
    std::thread::scope(|scope| {
        for more in 1..=3 {
            scope.spawn(move || no_processes(more));
        }
    });
}

/// A file system in memory. Only root may mount one.
struct Disk(PathBuf);

impl Disk {
    fn at(path: PathBuf, options: &str) -> Self {
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
        let options = format!("mode=700,{options}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&path).status();
        assert!(mounted.unwrap().success());
        Self(path)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_host_whose_disk_is_full_takes_nothing_says_so_and_counts_nothing_against_the_task() {
    if !is_root() {
        eprintln!("only root can mount a disk that is full");
        return;
    }
    std::thread::scope(|scope| {
        for options in ["size=16m", "nr_inodes=200"] {
            scope.spawn(move || {
                let world = World::new();
                world.program("q", "echo 1");
                let disk = Disk::at(world.path("state"), options);
                let _worker = world.worker(&["--queue", "q"]);
                assert_eq!(result(&world.submit("q", "[]")), "1");
                world.nothing_is_left();
                for number in 0.. {
                    if fs::write(disk.0.join(format!("filling-{number}")), vec![0; 1 << 16]).is_err() {
                        break;
                    }
                }
                let task = world.submit("q", "[]");
                is_said(&world, &task, "no space is left on the disk of ");
                for entry in fs::read_dir(&disk.0).unwrap().flatten() {
                    if entry.file_name().to_str().unwrap().starts_with("filling-") {
                        fs::remove_file(entry.path()).unwrap();
                    }
                }
                assert_eq!(result(&task), "1");
                assert_eq!(status(&task, Status::Complete).losses(), 0);
            });
        }
    });
}

#[test]
fn a_task_does_not_end_before_a_process_that_its_supervisor_may_not_kill() {
    if !is_root() {
        eprintln!("only root can make a file that makes its user root");
        return;
    }
    let world = World::new();
    world.program(
        "q",
        "FOLDER/rootly --reuid=0 --regid=0 --clear-groups sh -c 'echo $$ > FOLDER/pid; exec sleep 600' &
while [ ! -s FOLDER/pid ]; do sleep 0.02; done; echo 1",
    );
    fs::copy("/usr/bin/setpriv", world.path("rootly")).unwrap();
    let user = USER + 11;
    let worker = worker_of_its_own_user(&world, user);
    fs::set_permissions(world.path("rootly"), Permissions::from_mode(0o4755)).unwrap();
    let task = world.submit("q", "[]");
    let pid: i32 = world.written("pid").parse().unwrap();
    let said =
        format!("do not end though they were killed, and the task has not ended before they have: {pid} (sleep)");
    support::within(world::LIMIT * 4, "the process is named", || {
        run(&world, &["logs", task.id().as_str()]).contains(&said).then_some(())
    });
    assert_eq!(task.info().unwrap().status(), Some(Status::Started));
    world::send("KILL", pid);
    assert_eq!(result(&task), "1");
    world.nothing_is_left();
    drop(worker);
}

#[test]
fn a_left_run_folder_that_cannot_be_removed_is_said_in_the_worker_s_log_and_record() {
    if !is_root() {
        support::report("only root can leave files of another user: not checked here");
        return;
    }
    let world = World::new();
    world.program("q", "echo $BLUEQUE_RUN > FOLDER/run; while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo 1");
    let user = USER + 10;
    let worker = worker_of_its_own_user(&world, user);
    let task = world.submit("q", "[]");
    let attempt = PathBuf::from(world.written("run"));
    // The files that a program in a container leaves if it runs as root.
    let left = attempt.join("work/of-root");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("file"), "x").unwrap();
    world.touch("go");
    assert_eq!(result(&task), "1");
    world.nothing_is_left();
    let runs = attempt.parent().unwrap();
    let is_hidden = |path: &PathBuf| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"."));
    let hidden = || fs::read_dir(runs).unwrap().map(|entry| entry.unwrap().path()).find(is_hidden);
    let hidden = eventually("it is set aside", hidden);
    fs::File::open(&hidden).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    drop(worker);
    let worker = worker_of_its_own_user(&world, user);
    let log = || fs::read_to_string(world.path("worker.log")).unwrap();
    eventually("its log says so", || log().contains("cannot be removed").then_some(()));
    let said = eventually("its record says so", || trouble(&world));
    for text in [&log(), &said] {
        assert!(text.contains(hidden.to_str().unwrap()) && text.contains("Permission denied"), "{text}");
    }
    assert!(run(&world, &["doctor"]).contains("cannot be removed"));
    let owner = user.to_string();
    assert!(Command::new("chown").args(["-R", &owner]).arg(&hidden).status().unwrap().success());
    drop(worker);
    let _worker = worker_of_its_own_user(&world, user);
    eventually("it is removed", || (!hidden.exists()).then_some(()));
    eventually("it says so no more", || trouble(&world).is_none().then_some(()));
}

#[test]
fn a_worker_whose_state_folder_has_no_locks_is_refused_with_the_remedy() {
    let world = World::new();
    let usual = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["--queue", "q"]);
    // The kernel refuses the call, as on a file system without locks.
    let mut command = Command::new("timeout");
    command.args([
        "20",
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=flock",
        "-e",
        "inject=flock:error=ENOLCK",
    ]);
    command.arg(usual.get_program()).args(usual.get_args());
    command.env("BLUEQUE_URL", world.server.url()).env("BLUEQUE_STATE_DIR", world.path("state"));
    let output = command.output().expect("strace is needed: apt-get install strace");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("No locks available") && text.contains("--state-dir"), "{text}");
}
