//! Disks that are full, or whose files are taken away.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use blueque::Status;

use crate::support::eventually;
use crate::world::{World, result, status};

/// A small disk, gone when dropped. To mount one takes root.
struct Disk(PathBuf);

impl Disk {
    fn mount(path: &Path, options: &str) -> Self {
        fs::create_dir_all(path).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "none"]).arg(path);
        assert!(mount.status().unwrap().success(), "this test mounts a small disk, and needs root for it");
        fs::set_permissions(path, PermissionsExt::from_mode(0o700)).unwrap();
        Self(path.to_owned())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Bytes, or files, until no more of them find room.
const FILL: [(&str, &str); 2] = [
    ("size=8m", "cat /dev/zero > FOLDER/state/fill 2>/dev/null"),
    ("nr_inodes=80", "i=0; while touch FOLDER/state/fill.$i 2>/dev/null; do i=$((i + 1)); done"),
];

fn make_room(world: &World) {
    for entry in fs::read_dir(world.path("state")).unwrap().flatten() {
        if entry.file_name().to_str().unwrap().starts_with("fill") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
}

#[test]
fn a_full_disk_keeps_the_output_of_a_finished_program_until_there_is_room() {
    for (options, fill) in FILL {
        let world = World::new();
        let _disk = Disk::mount(&world.path("state"), options);
        world.program("film", &format!("echo 1 > \"$BLUEQUE_OUTPUT_DIR/film\"; {fill}; echo '\"done\"'"));
        let _worker = world.worker(&["--queue", "film"]);
        let task = world.submit("film", "[]");
        assert_eq!(result(&task), "\"done\"", "{options}");
        let published = world.path("state/blueque/output").join(task.id().as_str()).join("film");
        // Where the space that was set aside is enough for its description too, it is published at once.
        eventually("the end is marked as accepted", || {
            (published.exists() || world.runs().iter().any(|run| run.join("accepted").exists())).then_some(())
        });
        make_room(&world);
        eventually("the output is published", || published.exists().then_some(()));
        world.nothing_is_left();
    }
}

/// The program takes away what was set aside for its end, so that nothing on the disk says that it was accepted.
#[test]
fn an_output_is_kept_where_only_the_server_knows_that_its_task_is_complete() {
    let world = World::new();
    let _disk = Disk::mount(&world.path("state"), FILL[1].0);
    let script = format!("echo 1 > \"$BLUEQUE_OUTPUT_DIR/film\"; rm -f \"$BLUEQUE_RUN\"/spare*; {}", FILL[1].1);
    world.program("film", &format!("{script}; echo '\"done\"'"));
    let _worker = world.worker(&["--queue", "film"]);
    let task = world.submit("film", "[]");
    assert_eq!(result(&task), "\"done\"");
    eventually("the worker looks after it", || world.log().contains("ended before").then_some(()));
    eventually("it cannot yet", || world.log().contains("cannot be published yet").then_some(()));
    make_room(&world);
    let published = world.path("state/blueque/output").join(task.id().as_str()).join("film");
    eventually("the output is published", || published.exists().then_some(()));
    assert_eq!(result(&task), "\"done\"");
    world.nothing_is_left();
}

#[test]
fn a_task_whose_end_finds_no_room_on_the_disk_does_not_begin_there() {
    let world = World::new();
    let _disk = Disk::mount(&world.path("state"), "size=512k");
    world.program("film", "echo 1");
    let _worker = world.worker(&["--queue", "film"]);
    let task = world.submit("film", "[]");
    eventually("it is said", || world.log().contains("No space left on device").then_some(()));
    let info = status(&task, Status::Scheduled);
    assert_eq!(info.fields.get("failures"), None);
}

/// A mark that the program made itself, and that cannot be removed.
#[test]
fn a_false_mark_does_not_keep_the_end_from_being_sent() {
    let world = World::new();
    world.program(
        "q",
        "mkdir \"$BLUEQUE_RUN/accepted\"; echo \"$BLUEQUE_RUN\" > FOLDER/run\n\
        while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo 1",
    );
    let _worker = world.worker(&["--queue", "q"]);
    let task = world.submit("q", "[]");
    let disk = Disk::mount(&Path::new(&world.written("run")).join("accepted"), "size=64k");
    world.touch("go");
    assert_eq!(result(&task), "1");
    drop(disk);
    world.nothing_is_left();
}
