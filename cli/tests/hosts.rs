//! Hosts that look alike: containers and machines of one name, and users who cannot see each other's processes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Stdio};

use blueque::{Status, Task};
use support::{Server, eventually, within};
use world::{HOLD, LIMIT, Worker, World, field, lives, result, send};

/// Number of times that each worker lists the listeners to find dead ones, while the test waits.
const LOOKS: usize = 8;

/// Returns true if this test may make namespaces and act as other users.
fn is_root() -> bool {
    let root = fs::metadata("/proc/self").unwrap().uid() == 0;
    if !root {
        support::report("only root can make namespaces: not checked here");
    }
    root
}

/// A worker behind another command, with a state folder and a log of its own.
fn worker_by(world: &World, name: &str, before: &[&str], args: &[&str]) -> Worker {
    let usual = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), args);
    let mut command = Command::new(before[0]);
    command.args(&before[1..]).arg(usual.get_program()).args(usual.get_args());
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("BLUEQUE_STATE_DIR", world.path(name)).stdin(Stdio::null()).stdout(Stdio::null());
    let log = File::options().create(true).append(true).open(world.path(&format!("{name}.log"))).unwrap();
    Worker(command.stderr(log).spawn().unwrap())
}

fn log(world: &World, name: &str) -> String {
    fs::read_to_string(world.path(&format!("{name}.log"))).unwrap_or_default()
}

fn is_up(world: &World, name: &str) {
    eventually(&format!("{name} listens"), || log(world, name).contains(" takes tasks of ").then_some(()));
}

/// A worker in a container with the host name `twin`: process 1 there, or a later one.
fn container(world: &World, name: &str, first: bool, args: &[&str]) -> Worker {
    let later = "for n in $(seq 200); do (:); done; \"$0\" \"$@\"; :";
    let script = &format!("hostname twin; {}", if first { "exec \"$0\" \"$@\"" } else { later });
    let before = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--uts", "sh", "-c", script];
    worker_by(world, name, &before, args)
}

/// The worker in a container.
fn inner(container: &Worker) -> i32 {
    let pid = container.pid();
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    children.trim().parse().unwrap()
}

fn counting() -> World {
    let world = World::on(Server::start_counting());
    world.program("hold", HOLD);
    world
}

/// Waits until this many workers have looked for dead listeners.
fn looked(world: &World, workers: usize) {
    let before = world.server.calls_of("listeners");
    within(LIMIT * 3, "they look for dead listeners", || {
        (world.server.calls_of("listeners") >= before + workers * LOOKS).then_some(())
    });
}

/// Checks that the first attempt still runs the task, and that the task then completes.
fn undisturbed(world: &World, task: &Task, token: &str) {
    let info = task.info().unwrap();
    assert_eq!((info.attempt(), field(&info, "token").as_str()), (1, token), "{:?}", info.status());
    world.touch("go");
    assert_eq!(result(task), "\"done\"");
}

#[test]
fn workers_of_two_users_who_do_not_see_each_other_s_processes_leave_each_other_s_tasks_alone() {
    if !is_root() {
        return;
    }
    let world = counting();
    fs::set_permissions(world.server.socket(), Permissions::from_mode(0o777)).unwrap();
    let worker = |name: &str, user: u32| {
        fs::create_dir(world.path(name)).unwrap();
        chown(world.path(name), Some(user), Some(user)).unwrap();
        let script = format!(
            "mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid={user} --regid={user} --clear-groups \"$0\" \"$@\""
        );
        let started = worker_by(&world, name, &["unshare", "--mount", "sh", "-c", &script], &["--queue", "hold"]);
        is_up(&world, name);
        started
    };
    // The folder above must not be writable by others.
    fs::set_permissions(world.folder.path(), Permissions::from_mode(0o1777)).unwrap();
    let _one = worker("one", 64_201);
    let _other = worker("other", 64_202);
    let task = world.held();
    let token = field(&task.info().unwrap(), "token");
    looked(&world, 2);
    undisturbed(&world, &task, &token);
}

#[test]
fn two_machines_of_one_name_leave_each_other_s_tasks_alone() {
    if !is_root() {
        return;
    }
    let world = counting();
    let _one = container(&world, "one", false, &["--queue", "hold"]);
    is_up(&world, "one");
    let task = world.held();
    let token = field(&task.info().unwrap(), "token");
    let _other = container(&world, "other", true, &["--queue", "hold"]);
    is_up(&world, "other");
    looked(&world, 2);
    assert_eq!(world.client.workers().unwrap().len(), 2);
    undisturbed(&world, &task, &token);
}

#[test]
fn the_end_of_one_of_two_containers_with_one_name_and_process_number_leaves_the_other_s_task_alone() {
    if !is_root() {
        return;
    }
    let world = counting();
    let _one = container(&world, "one", true, &["--queue", "hold", "--no-adopt"]);
    is_up(&world, "one");
    let task = world.held();
    let token = field(&task.info().unwrap(), "token");
    let mut other = container(&world, "other", true, &["--queue", "hold", "--no-adopt"]);
    is_up(&world, "other");
    eventually("both are known", || (world.client.workers().unwrap().len() == 2).then_some(()));
    send("TERM", inner(&other));
    other.ended();
    let workers = world.client.workers().unwrap();
    assert_eq!(workers.len(), 1, "{workers:?}");
    assert_eq!(task.info().unwrap().status(), Some(Status::Started));
    undisturbed(&world, &task, &token);
}

#[test]
fn a_run_of_another_host_in_a_shared_state_folder_is_left_alone_which_is_said_once() {
    let world = World::new();
    world.program("echo", "cat");
    let (worker, task) = world.holding(&["--lease", "5min"]);
    let token = field(&task.info().unwrap(), "token");
    // Imitates the view of another host without common locks: no lock, no process, another boot.
    let supervisor = world.supervisor();
    send("STOP", worker.pid());
    send("KILL", supervisor);
    worker.kill();
    let path = world.runs().remove(0);
    let mut run: serde_json::Value = serde_json::from_slice(&fs::read(path.join("run.json")).unwrap()).unwrap();
    run["boot"] = "6f0f5b5c-3c39-4a6f-8f1e-2d9a1c0b7e55".into();
    run["machine"] = "0123456789abcdef0123456789abcdef".into();
    run["listener"] = "far:0a1b2c3d-4e5f60_7".into();
    fs::write(path.join("run.json"), run.to_string()).unwrap();
    let _worker = world.worker(&["--queue", "hold", "--queue", "echo"]);
    eventually("it says so, or takes it", || {
        let log = world.log();
        (log.contains("of another host") || log.contains("gave ")).then_some(())
    });
    for _ in 0..3 {
        assert_eq!(result(&world.submit("echo", "[1]")), "[1]");
    }
    let info = task.info().unwrap();
    assert_eq!((info.status(), field(&info, "token")), (Some(Status::Started), token), "{}", world.log());
    assert!(path.exists());
    assert_eq!(world.log().matches("of another host").count(), 1, "{}", world.log());
    assert!(world.log().contains("1 run here is of another host (far)"), "{}", world.log());
}

#[test]
fn a_run_whose_supervisor_cannot_be_seen_takes_its_slot_and_is_not_called_dead() {
    if !is_root() {
        return;
    }
    let world = World::new();
    world.program("hold", HOLD);
    world.program("echo", "cat");
    let user = 64_203;
    fs::set_permissions(world.folder.path(), Permissions::from_mode(0o1777)).unwrap();
    fs::set_permissions(world.server.socket(), Permissions::from_mode(0o777)).unwrap();
    fs::create_dir(world.path("hidden")).unwrap();
    chown(world.path("hidden"), Some(user), Some(user)).unwrap();
    // Supervisors cannot be dumped: with hidepid their own user does not see them either.
    let script = format!(
        "mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid={user} --regid={user} --clear-groups \"$0\" \"$@\""
    );
    let start =
        || worker_by(&world, "hidden", &["unshare", "--mount", "sh", "-c", &script], &["-q", "hold", "-q", "echo"]);
    let first = start();
    let task = world.held();
    let token = field(&task.info().unwrap(), "token");
    first.kill();
    let _second = start();
    eventually("it finds the run", || log(&world, "hidden").contains(" found ").then_some(()));
    assert!(!log(&world, "hidden").contains("is dead"), "{}", log(&world, "hidden"));
    assert!(log(&world, "hidden").contains("cannot be seen"), "{}", log(&world, "hidden"));
    let next = world.submit("echo", "[1]");
    eventually("it reports its only slot as taken", || {
        let workers = world.client.workers().unwrap();
        workers.iter().any(|worker| !worker.dead && worker.slots == 1 && worker.free == 0).then_some(())
    });
    assert_eq!(next.info().unwrap().status(), Some(Status::Pending));
    undisturbed(&world, &task, &token);
    assert_eq!(result(&next), "[1]", "its slot is free again");
}

#[test]
fn a_run_without_its_description_takes_its_slot_which_is_said() {
    let world = World::new();
    world.program("echo", "cat");
    let (worker, task) = world.holding(&["--queue", "echo"]);
    worker.kill();
    fs::remove_file(world.runs()[0].join("run.json")).unwrap();
    let _worker = world.worker(&["--queue", "hold", "--queue", "echo"]);
    eventually("it is taken over", || world.log().contains(&format!("took over {}", task.id())).then_some(()));
    assert!(world.log().contains("run.json cannot be read"), "{}", world.log());
    let next = world.submit("echo", "[1]");
    eventually("it reports its only slot as taken", || {
        let workers = world.client.workers().unwrap();
        workers.iter().any(|worker| !worker.dead && worker.slots == 1 && worker.free == 0).then_some(())
    });
    assert_eq!(next.info().unwrap().status(), Some(Status::Pending));
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(result(&next), "[1]");
}

#[test]
fn an_end_that_waits_in_another_state_folder_of_this_host_is_not_given_back_by_others() {
    let world = counting();
    let worker = worker_by(&world, "one", &["env"], &["--queue", "hold", "--lease", "5min"]);
    let task = world.held();
    worker.kill();
    let info = task.info().unwrap();
    let owner = blueque::ListenerId::new(info.node().unwrap()).unwrap();
    let _other = worker_by(&world, "other", &["env"], &["--queue", "hold"]);
    is_up(&world, "other");
    // The supervisor lives and has the end of the program, but it is frozen, and the server has had no report from it
    // for a while.
    let runs = fs::read_dir(world.path("one/blueque/runs")).unwrap();
    let run = runs.map(|entry| entry.unwrap().path()).next().unwrap();
    let holder: serde_json::Value = serde_json::from_slice(&fs::read(run.join("lock")).unwrap()).unwrap();
    let pid = |who: &str| i32::try_from(holder[who]["pid"].as_i64().unwrap()).unwrap();
    send("STOP", pid("supervisor"));
    world.touch("go");
    eventually("the program has ended", || (!lives(pid("program"))).then_some(()));
    support::silent(&world.server, "hold", &owner);
    looked(&world, 1);
    send("CONT", pid("supervisor"));
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(task.info().unwrap().attempt(), 1);
}
