//! What another user of the host creates is not the worker's because it looks like it. That user is uid 1234 here, so
//! these tests need root, as in CI; as another user they fail with that reason.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use blueque::Status;
use support::eventually;
use world::{HOLD, Worker, World, result, send};

const OTHER: u32 = 1234;

fn give(path: &Path, mode: u32) {
    chown(path, Some(OTHER), Some(OTHER)).unwrap();
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

/// A folder of the other user under the world's.
fn theirs(world: &World, name: &str) -> PathBuf {
    let path = world.path(name);
    fs::create_dir_all(&path).unwrap();
    give(&path, 0o755);
    fs::set_permissions(world.folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    path
}

/// A process with the arguments of the supervisor of a run.
fn looks_like_a_supervisor(of: &Path, folder: &Path, uid: u32) -> Worker {
    let pipe = folder.join("supervise");
    if !pipe.exists() {
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        give(&pipe, 0o644);
    }
    let mut command = Command::new("cat");
    command.arg("supervise").arg(of).current_dir(folder).uid(uid).gid(uid).stdin(Stdio::null()).stdout(Stdio::null());
    Worker(command.spawn().unwrap())
}

#[test]
fn a_process_that_looks_like_a_supervisor_takes_no_slot_and_holds_up_no_drain() {
    for uid in [OTHER, 0] {
        let world = World::new();
        let (mut worker, task) = world.holding(&[]);
        let folder = theirs(&world, "theirs");
        let run = world.runs().remove(0);
        let mut fake = looks_like_a_supervisor(&run, &folder, uid);
        send("KILL", world.supervisor());
        eventually("the task is given back and runs again", || {
            let info = task.info().unwrap();
            (info.attempt() == 2 && info.status() == Some(Status::Started)).then_some(())
        });
        assert!(!world.log().contains("took over"), "{}", world.log());
        let mut next = looks_like_a_supervisor(&world.runs().remove(0), &folder, uid);
        worker.signal("TERM");
        eventually("it drains", || world.log().contains(" drains").then_some(()));
        send("KILL", world.supervisor());
        worker.ended();
        assert_ne!(task.info().unwrap().status(), Some(Status::Started), "it is given back");
        for one in [&mut fake, &mut next] {
            assert!(one.0.try_wait().unwrap().is_none(), "it still runs");
        }
    }
}

/// A supervisor of the worker's own user, whose program removes its lock file; whether the worker may read the path of
/// its binary (root), or not.
#[test]
fn a_supervisor_whose_lock_file_is_gone_is_taken_over_after_an_upgrade_too() {
    for uid in [OTHER, 0] {
        for how in ["replaced", "renamed"] {
            let world = World::new();
            fs::set_permissions(world.server.socket(), PermissionsExt::from_mode(0o777)).unwrap();
            let binary = world.path("blueque");
            fs::copy(env!("CARGO_BIN_EXE_blueque"), &binary).unwrap();
            world.program("hold", HOLD);
            for path in [world.path("worker.d/hold"), world.path("worker.d"), world.folder.path().to_owned()] {
                chown(path, Some(uid), Some(uid)).unwrap();
            }
            let start = || {
                let mut command = world.command(&binary, &["-q", "hold"]);
                Worker(command.uid(uid).gid(uid).spawn().unwrap())
            };
            let worker = start();
            let task = world.held();
            worker.kill();
            fs::copy(&binary, world.path("new")).unwrap();
            if how == "renamed" {
                fs::rename(&binary, world.path("blueque.old")).unwrap();
            }
            fs::rename(world.path("new"), &binary).unwrap();
            fs::remove_file(world.runs()[0].join("lock")).unwrap();
            let _worker = start();
            eventually("it is found", || {
                let log = world.log();
                (log.contains("whose lock file is gone") || log.contains("gave ")).then_some(())
            });
            world.touch("go");
            assert_eq!(result(&task), "\"done\"");
            assert_eq!(task.info().unwrap().attempt(), 1, "{uid}, {how}: {}", world.log());
            world.nothing_is_left();
        }
    }
}
