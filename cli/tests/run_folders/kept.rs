//! Checkpoints that only this host has.

use std::fs;
use std::time::Duration;

use blueque::{Status, Submit};

use crate::age;
use crate::support::eventually;
use crate::world::{World, result, status};

const WEEKS: Duration = Duration::from_secs(15 * 86_400);

#[test]
fn nothing_among_the_kept_checkpoints_keeps_a_task_from_beginning() {
    let world = World::new();
    world.program("inn", "[ -e \"$BLUEQUE_CHECKPOINT\" ] && echo '\"found\"' || echo '\"none\"'");
    let kept = world.path("state/blueque/kept");
    for folder in ["old.1", "inn.0", "inn.7"] {
        fs::create_dir_all(kept.join(folder)).unwrap();
        fs::write(kept.join(folder).join("weights"), "1").unwrap();
    }
    age(&kept.join("old.1"), WEEKS);
    fs::write(kept.join("past.1"), "").unwrap();
    age(&kept.join("past.1"), WEEKS);
    let _worker = world.worker(&["--queue", "inn"]);
    let task = world.submit_as("inn", "inn", Submit::default());
    assert_eq!(result(&task), "\"none\"");
    assert_eq!(task.info().unwrap().attempts(), 1, "{}", world.log());
    assert_eq!(fs::read_dir(&kept).unwrap().count(), 0, "what is old or of no use is gone");
}

#[test]
fn a_folder_in_the_place_of_the_checkpoint_is_told_to_its_author_and_not_kept() {
    let world = World::new();
    world.program(
        "frame",
        "mkdir \"$BLUEQUE_CHECKPOINT\"; head -c 5000 /dev/zero > \"$BLUEQUE_CHECKPOINT/weights\"\n\
         while [ ! -e FOLDER/go ]; do sleep 0.02; done; exit 1",
    );
    let _worker = world.worker(&["--queue", "frame", "--max-bytes", "1K"]);
    let task = world.submit("frame", "[]");
    let log = || {
        let entries = world.client.call(&world.client.calls().logs(task.id(), "0", 500)).unwrap().items;
        entries.into_iter().map(|entry| String::from_utf8(entry.text).unwrap()).collect::<String>()
    };
    eventually("its log says so", || log().contains("checkpoint cannot be read: it is a folder").then_some(()));
    world.touch("go");
    status(&task, Status::Failed);
    assert_eq!(log().matches("it is a folder").count(), 1, "once");
    world.nothing_is_left();
    assert!(!world.path("state/blueque/kept").exists());
}
