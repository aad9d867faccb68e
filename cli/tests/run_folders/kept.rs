//! Checkpoints that only this host has.

use std::fs;
use std::time::Duration;

use blueque::{Status, Submit};

use crate::age;
use crate::support::eventually;
use crate::world::{World, result, saved, send, status};

const WEEKS: Duration = Duration::from_secs(15 * 86_400);

#[test]
fn nothing_among_the_kept_checkpoints_keeps_a_task_from_beginning() {
    let world = World::new();
    world.program("inn", "[ -e \"$BLUEQUE_CHECKPOINT\" ] && echo '\"found\"' || echo '\"none\"'");
    world.program("large", "head -c 5000 /dev/zero > \"$BLUEQUE_CHECKPOINT\"; exit 1");
    let kept = world.path("state/blueque/kept");
    let first = world.worker(&["--queue", "large", "--max-bytes", "1K"]);
    status(&world.submit_as("large", "large", Submit::default().max_failures(1)), Status::Failed);
    let name = eventually("its checkpoint is kept", || Some(fs::read_dir(&kept).ok()?.next()?.ok()?.file_name()));
    let server = name.to_str().unwrap().split('+').nth(1).unwrap().to_owned();
    drop(first);
    fs::remove_file(kept.join(name)).unwrap();
    for folder in ["old.1", &format!("inn.1+{server}+7"), &format!("inn.7+{server}+8")] {
        fs::create_dir_all(kept.join(folder)).unwrap();
        fs::write(kept.join(folder).join("weights"), "1").unwrap();
    }
    age(&kept.join("old.1"), WEEKS);
    fs::write(kept.join("past.1"), "").unwrap();
    age(&kept.join("past.1"), WEEKS);
    let _worker = world.worker(&["--queue", "inn"]);
    let task = world.submit_as("inn", "inn", Submit::default());
    assert_eq!(result(&task), "\"none\"");
    assert_eq!(task.info().unwrap().attempt(), 1, "{}", world.log());
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
        let entries = world
            .client
            .call(&world.client.calls().logs(task.id(), "0", 500, &blueque::calls::LogsOptions::new()))
            .unwrap()
            .items;
        entries.into_iter().map(|entry| String::from_utf8(entry.text).unwrap()).collect::<String>()
    };
    eventually("its log says so", || log().contains("checkpoint cannot be read: it is a folder").then_some(()));
    world.touch("go");
    status(&task, Status::Failed);
    assert_eq!(log().matches("it is a folder").count(), 1, "once");
    world.nothing_is_left();
    assert_eq!(fs::read_dir(world.path("state/blueque/kept")).unwrap().count(), 0);
}

#[test]
fn a_fresh_retry_begins_anew_also_where_this_host_has_a_checkpoint() {
    let world = World::new();
    world.program(
        "large",
        "[ -e \"$BLUEQUE_CHECKPOINT\" ] && { echo '\"found\"'; exit; }\n\
         [ \"$BLUEQUE_ATTEMPT\" = 1 ] || { echo '\"none\"'; exit; }\n\
         head -c 2000 /dev/zero > \"$BLUEQUE_CHECKPOINT\"; exit 64",
    );
    let _worker = world.worker(&["--queue", "large", "--max-bytes", "1K"]);
    for (id, fresh, found) in [("again", false, "\"found\""), ("anew", true, "\"none\"")] {
        let task = world.submit_as("large", id, Submit::default());
        status(&task, Status::Failed);
        if fresh { task.retry_fresh() } else { task.retry() }.unwrap();
        assert_eq!(result(&task), found, "{id}");
    }
}

/// The state after a failover to a replica that did not have the task yet: the first attempt is made twice.
#[test]
fn a_kept_checkpoint_of_an_attempt_that_the_server_forgot_replaces_no_newer_one() {
    let mut world = World::new();
    world.program(
        "twice",
        "save() { echo $1 > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"; }\n\
         [ -e \"$BLUEQUE_CHECKPOINT\" ] && { cat \"$BLUEQUE_CHECKPOINT\"; exit; }\n\
         [ -e FOLDER/forgotten ] || { save 10; sleep 600; }\n\
         save 50; echo > FOLDER/second; while [ ! -e FOLDER/go ]; do sleep 0.02; done; exit 75",
    );
    let _worker = world.worker(&["--queue", "twice", "--slots", "2"]);
    let how = || Submit::default().max_failures(2).delay(Duration::from_secs(1));
    let first = world.submit_as("twice", "film", how());
    saved(&first, 10);
    let supervisor = world.supervisor();
    send("STOP", supervisor);
    world.touch("forgotten");
    world.server.kill();
    world.server.restart();
    let task = world.submit_as("twice", "film", how());
    world.written("second");
    send("CONT", supervisor);
    eventually("the first has ended", || (world.runs().len() == 1).then_some(()));
    saved(&task, 50);
    world.touch("go");
    assert_eq!(result(&task), "50");
    assert_eq!(task.info().unwrap().attempt(), 2);
    eventually("what it left is gone", || {
        fs::read_dir(world.path("state/blueque/kept")).map_or(true, |mut kept| kept.next().is_none()).then_some(())
    });
}
