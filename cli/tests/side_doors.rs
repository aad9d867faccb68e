//! A worker does not mistake objects of another user of the host for its own, even if they look alike. The other user
//! is uid 1234, so these tests need root, as in CI; without root they fail with that reason.

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

/// A supervisor of the worker's own user, whose program removes its lock file. The worker may read the path of the
/// supervisor's binary (root), or may not.
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
                (log.contains("whose lock file was removed") || log.contains("gave ")).then_some(())
            });
            world.touch("go");
            assert_eq!(result(&task), "\"done\"");
            assert_eq!(task.info().unwrap().attempt(), 1, "{uid}, {how}: {}", world.log());
            world.nothing_is_left();
        }
    }
}

/// The manifest that attempt 1 of the task `up` publishes.
const MANIFEST: &str = "{\"task\":\"up\",\"attempt\":1,\"files\":[]}";

#[test]
fn inputs_names_no_folder_that_a_client_chooses() {
    let world = World::new();
    let say = format!("{} task inputs --timeout 0s", env!("CARGO_BIN_EXE_blueque"));
    world.program("q", &format!("{say} > FOLDER/out 2> FOLDER/err; echo $? > FOLDER/code; echo > FOLDER/done"));
    let output = world.path("state/blueque/output");
    for place in [world.path("state/other/output/up"), world.path("secret/up"), output.join("up/deep")] {
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("manifest.json"), MANIFEST).unwrap();
    }
    for name in ["state", "state/other", "state/other/output", "state/blueque", "state/blueque/output"] {
        fs::set_permissions(world.path(name), PermissionsExt::from_mode(0o700)).unwrap();
    }
    let _worker = world.worker(&["-q", "q"]);
    let told = |folder: &Path, task: &str| {
        let one = serde_json::json!([{"published": {"host": "h", "folder": folder, "task": task, "attempt": 1}}]);
        let task = world.submit("q", &one.to_string());
        task.wait(world::LIMIT).unwrap();
        ["out", "err"].map(|name| fs::read_to_string(world.path(name)).unwrap())
    };
    for (folder, task) in [
        (world.path("state/other/output/up"), "up"),
        (world.path("secret/up"), "up"),
        (output.join("up/deep"), "up"),
        (world.path("secret/up"), "../../../secret/up"),
        (world.path("secret/up"), ".."),
    ] {
        let [out, err] = told(&folder, task);
        assert!(out.is_empty() && !err.is_empty(), "{folder:?} {task}: {out}{err}");
    }
    fs::write(output.join("up/manifest.json"), MANIFEST).unwrap();
    // The command finds the folder even if the worker that published it knows the folder by another path.
    let [out, err] = told(Path::new("/mnt/output/up"), "up");
    assert_eq!((out.trim(), err.as_str()), (output.join("up").to_str().unwrap(), ""));
}

/// Starts a worker that publishes in this folder. Returns its error if it does not start.
fn publishing(world: &World, folder: &Path) -> Result<Worker, String> {
    let before = world.log().len();
    let mut worker = world.worker(&["-q", "q", "--publish", folder.to_str().unwrap()]);
    eventually("it listens, or ends", || {
        let said = world.log().get(before - 1..).unwrap_or_default().to_owned();
        if said.contains(" takes tasks of ") {
            return Some(Ok(()));
        }
        worker.0.try_wait().unwrap().map(|status| Err(format!("{status} {said}")))
    })
    .map(|()| worker)
}

#[test]
fn output_is_published_in_no_folder_that_another_user_can_change() {
    let world = World::new();
    world.program("q", "echo 1 > $BLUEQUE_OUTPUT_DIR/film");
    let made = |name: &str, uid: u32, gid: u32, mode: u32| {
        let path = world.path(name);
        fs::create_dir_all(&path).unwrap();
        chown(&path, Some(uid), Some(gid)).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    };
    fs::set_permissions(world.folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let sticky = made("sticky", 0, 0, 0o1777);
    made("sticky/theirs", OTHER, OTHER, 0o755);
    std::os::unix::fs::symlink(made("fine", 0, 0, 0o755), world.path("sticky/link")).unwrap();
    nix::unistd::fchownat(
        nix::fcntl::AT_FDCWD,
        &world.path("sticky/link"),
        Some(OTHER.into()),
        None,
        nix::fcntl::AtFlags::AT_SYMLINK_NOFOLLOW,
    )
    .unwrap();
    for (folder, why) in [
        (made("theirs", OTHER, OTHER, 0o755), "belongs to"),
        (world.path("theirs/new"), "belongs to"),
        (sticky.join("theirs"), "belongs to"),
        (sticky.join("link"), "belongs to"),
        (sticky, "is writable by others"),
        (made("open", 0, 0, 0o777), "is writable by others"),
    ] {
        let said = publishing(&world, &folder).err().unwrap_or_default();
        assert!(said.contains("exit status: 2") && said.contains(why), "{}: {said}", folder.display());
        assert!(said.contains("--publish"), "{said}");
    }
    assert!(!world.path("theirs/new").exists(), "nothing is created in a folder of another user");
    for folder in [made("group", 0, OTHER, 0o775), world.path("sticky/new")] {
        let worker = publishing(&world, &folder).unwrap();
        let task = world.submit("q", "[]");
        task.wait(world::LIMIT).unwrap();
        eventually("it is published", || folder.join(task.id().as_str()).join("film").exists().then_some(()));
        worker.kill();
    }
    // The folder is replaced while a task runs: the output waits until the folder is repaired.
    world.program("q", "until [ -e FOLDER/go ]; do sleep 0.02; done; echo 1 > $BLUEQUE_OUTPUT_DIR/film");
    let folder = world.path("sticky/new");
    let _worker = publishing(&world, &folder).unwrap();
    let task = world.submit("q", "[]");
    world.supervisor();
    fs::rename(&folder, world.path("old")).unwrap();
    made("sticky/new", OTHER, OTHER, 0o777);
    world.touch("go");
    eventually("it says so", || world.run(&["logs", task.id().as_str()]).contains("belongs to").then_some(()));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    fs::remove_dir(&folder).unwrap();
    eventually("it is published", || folder.join(task.id().as_str()).join("film").exists().then_some(()));
}

/// A folder in another file system than the state folder, removed at the end.
struct Elsewhere(PathBuf);

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn output_that_is_copied_goes_through_no_link_that_takes_the_place_of_the_copy() {
    let world = World::new();
    let elsewhere = Elsewhere(Path::new("/dev/shm").join(format!("blueque-doors-{}", std::process::id())));
    let (victim, publish) = (elsewhere.0.join("victim"), elsewhere.0.join("publish"));
    for (folder, mode) in [(&victim, 0o700), (&publish, 0o775)] {
        fs::create_dir_all(folder).unwrap();
        fs::set_permissions(folder, PermissionsExt::from_mode(mode)).unwrap();
    }
    chown(&publish, Some(0), Some(OTHER)).unwrap();
    world.program("q", "cd $BLUEQUE_OUTPUT_DIR; seq 3000 | split -l 1 -a 4 - film.; echo 1 > film");
    // A user of the group that may write to the folder.
    let swap = "echo > ready; while :; do for copy in .+*.copy; do \
        [ -d \"$copy\" ] && mv \"$copy\" moved && ln -s ../victim \"$copy\" && exit; done; done";
    let mut other = Command::new("sh");
    other.args(["-c", swap]).current_dir(&publish).uid(OTHER).gid(OTHER);
    let mut other = Worker(other.spawn().unwrap());
    eventually("it waits for the copy", || publish.join("ready").exists().then_some(()));
    let _worker = world.worker(&["-q", "q", "--publish", publish.to_str().unwrap()]);
    let task = world.submit("q", "[]");
    other.ended();
    let target = publish.join(task.id().as_str());
    eventually("it is published", || target.join("film").exists().then_some(()));
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 0, "nothing was written behind the link");
    assert!(!fs::symlink_metadata(&target).unwrap().is_symlink());
    assert_eq!(fs::read_dir(&target).unwrap().count(), 3002, "the files and the manifest");
}
