//! A task that goes through several queues: real workers and programs, some of them killed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;

use blueque::{Status, Submit};
use world::{World, field, result, send, status};

const QUEUES: [&str; 8] = ["--queue", "fetch", "--queue", "encode", "--queue", "publish", "--lease", "2s"];

#[test]
fn a_chain_of_programs_goes_on_by_itself_whatever_is_killed_between() {
    let world = World::new();
    world.program("fetch", "cat > /dev/null; echo '{\"film\":\"raw\"}'");
    // The first attempt of this step is killed with its supervisor and its worker; the next one finds the same parameters.
    world.program(
        "encode",
        "cp \"$BLUEQUE_PARAMETERS\" FOLDER/encode.$BLUEQUE_ATTEMPT; echo $BLUEQUE_START_REASON >> FOLDER/reasons\n\
         if [ ! -e FOLDER/killed ]; then echo $$ > FOLDER/pid; exec sleep 1000; fi; echo '{\"film\":\"small\"}'",
    );
    world.program("publish", "echo \"{\\\"published\\\":$(cat)}\"");
    let worker = world.worker(&QUEUES);
    let how = Submit::default().step("encode").step("publish").tag("film");
    let task = world.submit_as("fetch", "premiere", how);
    let pid: i32 = world.written("pid").parse().unwrap();
    let said = world.run(&["why", "premiere"]);
    assert!(said.trim_end().ends_with("Then it goes on to publish."), "{said}");
    let supervisor = world.supervisor();
    world.touch("killed");
    worker.kill();
    send("KILL", supervisor);
    send("KILL", pid);
    let _worker = world.worker(&QUEUES);
    let ended = status(&task, Status::Complete);
    assert_eq!(result(&task), "{\"published\":{\"film\":\"small\"}}");
    assert_eq!((field(&ended, "queue").as_str(), field(&ended, "step").as_str()), ("publish", "2"));
    assert_eq!(ended.tags(), ["film"]);
    assert_eq!(world.written("reasons"), "new\nlost");
    let read = |name| fs::read_to_string(world.path(name)).unwrap();
    assert_eq!((read("encode.2").as_str(), read("encode.3").as_str()), ("{\"film\":\"raw\"}", "{\"film\":\"raw\"}"));
    let whys = task.history().unwrap().into_iter().filter(|entry| entry.why.as_deref() == Some("next"));
    // A quick program ends before its start is sent: its attempt is still `reserved`.
    let from: Vec<bool> = whys.map(|entry| entry.from.as_deref() == Some("moved")).collect();
    assert_eq!(from, [false, true, false, true]);
    for (queue, complete) in [("fetch", 0), ("encode", 0), ("publish", 1)] {
        let counts = world.client.queue(queue).unwrap().counts().unwrap();
        assert_eq!((counts.complete, counts.pending, counts.started), (complete, 0, 0), "{queue}");
    }
}

#[test]
fn a_program_says_where_its_task_goes_on() {
    let world = World::new();
    let say = format!("{} task", env!("CARGO_BIN_EXE_blueque"));
    // Of the chain the first step is replaced, the second one given back elsewhere, and the third one skipped.
    world.program("look", &format!("{say} next large || exit; echo '\"seen\"'"));
    world.program("large", &format!("echo half > $BLUEQUE_CHECKPOINT; {say} into huge; exit 85"));
    world.program("huge", &format!("echo \"$(cat) $(cat $BLUEQUE_CHECKPOINT)\" > FOLDER/huge; {say} next; echo 7"));
    world.program("shut", &format!("{say} into closed; exit 85"));
    world.run(&["config", "set", "--queue", "closed", "closed=1"]);
    let _worker = world.worker(&["--queue", "look", "--queue", "large", "--queue", "huge", "--queue", "shut"]);
    assert_eq!(world.run(&["submit", "look", "[]", "--id", "t", "--steps", "small,publish"]), "t\n");
    let (task, shut) = (world.client.task("t").unwrap(), world.submit_as("shut", "s", Submit::default()));
    let ended = status(&task, Status::Complete);
    assert_eq!((field(&ended, "queue").as_str(), result(&task).as_str()), ("huge", "7"));
    assert!(!ended.fields.contains_key("steps"), "{:?}", ended.fields);
    assert_eq!(world.written("huge"), "\"seen\" half");
    assert_eq!(field(&status(&shut, Status::Failed), "group"), "into");
    assert!(field(&shut.info().unwrap(), "error").contains("the other queue is closed"));
}
