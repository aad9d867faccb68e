//! Disks that are full, or whose files are removed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use blueque::{Status, Task};

use crate::support::eventually;
use crate::world::{World, lives, result, send, status};

/// A mount in a world's folder, unmounted when dropped. Needs root.
struct Disk(PathBuf);

impl Disk {
    /// A small disk.
    fn small(world: &World, path: &Path, options: &str) -> Self {
        fs::create_dir_all(path).unwrap();
        let disk = Self::mount(world, path, &["-t", "tmpfs", "-o", options, "none"]);
        fs::set_permissions(path, PermissionsExt::from_mode(0o700)).unwrap();
        disk
    }

    /// A file that cannot be read, as on a dying disk: there is no memory at its address 0.
    fn broken(world: &World, file: &Path) -> Self {
        Self::mount(world, file, &["--bind", &format!("/proc/{}/mem", std::process::id())])
    }

    fn mount(world: &World, path: &Path, args: &[&str]) -> Self {
        let mounted = Command::new("mount").args(args).arg(path).status().unwrap().success();
        assert!(mounted, "this test mounts a disk, and needs root for it");
        Self(world.folder.path().to_owned())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // The folder above may be renamed at this time, because it is renamed before it is removed.
        eventually("nothing is mounted", || {
            let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
            let places = mounts.lines().filter_map(|line| line.split(' ').nth(1));
            let own: Vec<_> = places.filter(|place| Path::new(place).starts_with(&self.0)).collect();
            for place in &own {
                let _ = Command::new("umount").args(["-l", place]).stderr(Stdio::null()).status();
            }
            own.is_empty().then_some(())
        });
    }
}

/// Bytes, or files, until the disk is full.
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
        let _disk = Disk::small(&world, &world.path("state"), options);
        world.program("film", &format!("echo 1 > \"$BLUEQUE_OUTPUT_DIR/film\"; {fill}; echo '\"done\"'"));
        let _worker = world.worker(&["--queue", "film"]);
        let task = world.submit("film", "[]");
        assert_eq!(result(&task), "\"done\"", "{options}");
        let published = world.path("state/blueque/output").join(task.id().as_str()).join("film");
        // If the reserved space is also enough for the manifest, the output is published at once.
        eventually("the end is marked as accepted", || {
            (published.exists() || world.runs().iter().any(|run| run.join("accepted").exists())).then_some(())
        });
        make_room(&world);
        eventually("the output is published", || published.exists().then_some(()));
        world.nothing_is_left();
    }
}

/// The program removes the space reserved for its end, so the disk does not record that the end was accepted.
#[test]
fn an_output_is_kept_where_only_the_server_knows_that_its_task_is_complete() {
    let world = World::new();
    let _disk = Disk::small(&world, &world.path("state"), FILL[1].0);
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
    let _disk = Disk::small(&world, &world.path("state"), "size=512k");
    world.program("film", "echo 1");
    let _worker = world.worker(&["--queue", "film"]);
    let task = world.submit("film", "[]");
    eventually("it is said", || world.log().contains("No space left on device").then_some(()));
    let info = status(&task, Status::Scheduled);
    assert_eq!(info.fields.get("failures"), None);
}

/// A mark that the program created itself, and that cannot be removed.
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
    let disk = Disk::small(&world, &Path::new(&world.written("run")).join("accepted"), "size=64k");
    world.touch("go");
    assert_eq!(result(&task), "1");
    drop(disk);
    world.nothing_is_left();
}

/// Names a file of its run folder, and waits.
fn names(file: &str) -> String {
    format!("echo \"{file}\" > FOLDER/file; while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo '\"done\"'")
}

fn said(world: &World, task: &Task) -> String {
    let entries = world
        .client
        .call(&world.client.calls().logs(task.id(), "0", 500, &blueque::calls::LogsOptions::new()))
        .unwrap()
        .items;
    entries.into_iter().map(|entry| String::from_utf8(entry.text).unwrap()).collect()
}

#[test]
fn a_result_that_the_disk_does_not_give_back_is_no_failure_of_the_task() {
    let world = World::new();
    world.program("q", &format!("echo 1 > \"$BLUEQUE_RESULT\"; {}", names("$BLUEQUE_RESULT")));
    let _worker = world.worker(&["--queue", "q"]);
    let task = world.submit("q", "[]");
    let _disk = Disk::broken(&world, Path::new(&world.written("file")));
    world.touch("go");
    let info =
        eventually("it has ended", || task.info().unwrap().fields.contains_key("ended").then(|| task.info().unwrap()));
    assert_eq!(info.status(), Some(Status::Scheduled), "{:?}", info.error());
    assert_eq!(task.history().unwrap().last().unwrap().why.as_deref(), Some("trouble"));
    let said = said(&world, &task);
    assert!(said.contains("given back") && said.contains("Input/output error"), "{said}");
}

#[test]
fn an_end_that_the_disk_does_not_give_back_now_is_not_taken_for_lost() {
    let world = World::new();
    world.program("q", &names("$BLUEQUE_RUN"));
    let first = world.worker(&["--queue", "q"]);
    let task = world.submit("q", "[]");
    let run = PathBuf::from(world.written("file"));
    status(&task, Status::Started);
    let mut connection = world.server.connection();
    redis::cmd("CLIENT").arg(&["PAUSE", "600000", "WRITE"]).exec(&mut connection).unwrap();
    world.touch("go");
    eventually("the end is on the disk", || run.join("end.json").exists().then_some(()));
    let supervisor = world.supervisor();
    first.kill();
    send("KILL", supervisor);
    eventually("the supervisor is gone", || (!lives(supervisor)).then_some(()));
    let disk = Disk::broken(&world, &run.join("end.payload"));
    redis::cmd("CLIENT").arg("UNPAUSE").exec(&mut connection).unwrap();
    let _second = world.worker(&["--queue", "q"]);
    eventually("it is said", || {
        let log = world.log();
        assert!(!log.contains(&format!("gave {} back", task.id())), "{log}");
        log.contains("cannot be read yet").then_some(())
    });
    drop(disk);
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(task.info().unwrap().attempt(), 1);
    world.nothing_is_left();
}

#[test]
fn a_worker_that_cannot_list_its_runs_gives_none_of_them_back() {
    let world = World::new();
    let (mut worker, task) = world.holding(&[]);
    let (runs, away) = (world.path("state/blueque/runs"), world.path("state/blueque/away"));
    fs::rename(&runs, &away).unwrap();
    fs::write(&runs, "").unwrap();
    worker.signal("TERM");
    eventually("it is said", || {
        assert_eq!(task.info().unwrap().status(), Some(Status::Started), "{}", world.log());
        world.log().contains("cannot be listed").then_some(())
    });
    fs::remove_file(&runs).unwrap();
    fs::rename(&away, &runs).unwrap();
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(task.info().unwrap().attempt(), 1);
    assert!(worker.ended().success());
}

#[test]
fn output_that_cannot_be_read_is_said_in_the_log_of_its_task() {
    let world = World::new();
    let film = "$BLUEQUE_OUTPUT_DIR/film";
    world.program("film", &format!("echo 1 > \"{film}\"; {}", names(film)));
    let _worker = world.worker(&["--queue", "film"]);
    let task = world.submit("film", "[]");
    let disk = Disk::broken(&world, Path::new(&world.written("file")));
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
    let said = said(&world, &task);
    assert!(said.contains("not published") && said.contains("film: Input/output error"), "{said}");
    drop(disk);
    let published = world.path("state/blueque/output").join(task.id().as_str()).join("film");
    eventually("the output is published", || published.exists().then_some(()));
    world.nothing_is_left();
}
