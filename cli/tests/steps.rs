//! A task that goes through several queues: real workers and programs, some of them killed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::time::Duration;

use blueque::{Status, Submit};
use world::{World, field, result, send, status};

const QUEUES: [&str; 8] = ["--queue", "fetch", "--queue", "encode", "--queue", "publish", "--lease", "2s"];

#[test]
fn a_chain_of_programs_goes_on_by_itself_whatever_is_killed_between() {
    let world = World::new();
    world.program("fetch", "cat > /dev/null; echo '{\"film\":\"raw\"}'");
    // The first attempt of this step is killed with its supervisor and worker; the next attempt gets the same parameters.
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
fn a_program_says_what_the_next_step_has_otherwise() {
    let world = World::new();
    let say = format!("{} task", env!("CARGO_BIN_EXE_blueque"));
    // The parameters come from a file, the options from the command; then from the events file alone.
    world.program(
        "fetch",
        &format!("head -c 200000 /dev/zero | tr '\\0' 7 > big; {say} next encode @big --limits gpu --needs disk --tag film --steps publish; echo '\"unused\"'"),
    );
    world.program(
        "encode",
        "wc -c > FOLDER/encoded; echo '{\"next\":{\"queue\":\"publish\",\"parameters\":{ \"b\": 1, \"a\": 12345678901234567890 },\
         \"unset\":[\"limits\",\"needs\"],\"priority\":3,\"steps\":[\"store\"],\"eta\":1}}' >> $BLUEQUE_EVENTS; echo 2",
    );
    world.program("publish", "cat > FOLDER/published; echo >> FOLDER/published; printf null > $BLUEQUE_RESULT");
    world.program("store", "echo \"[$(cat)]\"");
    world.program("wrong", &format!("{say} next encode --limits none; echo 1"));
    world.program("odd", "echo '{\"next\":{\"queue\":\"encode\",\"colour\":1}}' >> $BLUEQUE_EVENTS; echo 1");
    world.program("nowhere", &format!("{say} next --priority 3; echo 1"));
    world.run(&["limit", "set", "--shared", "gpu", "--concurrency", "1"]);
    let queues = ["fetch", "encode", "publish", "store", "wrong", "odd", "nowhere"];
    let queues: Vec<&str> = queues.iter().flat_map(|queue| ["--queue", queue]).chain(["--has", "disk"]).collect();
    let _worker = world.worker(&queues);
    let task = world.submit_as("fetch", "t", Submit::default());
    let wrong = world.submit_as("wrong", "w", Submit::default());
    let odd = world.submit_as("odd", "o", Submit::default());
    let nowhere = world.submit_as("nowhere", "n", Submit::default());
    let ended = status(&task, Status::Complete);
    assert_eq!(world.written("encoded"), "200000");
    assert_eq!(world.written("published"), "{ \"b\": 1, \"a\": 12345678901234567890 }");
    assert_eq!(result(&task), "[{ \"b\": 1, \"a\": 12345678901234567890 }]");
    assert_eq!(
        (ended.priority(), ended.limits(), ended.needs(), ended.tags()),
        (3, None, None, vec!["film".to_owned()])
    );
    for (task, why) in [
        (&wrong, "the server does not take the next step: NOLIMIT: there is no shared limit none"),
        (&odd, "its request for the next step is wrong: there is no option colour"),
        (&nowhere, "the server does not take the next step: BADARG: the task has no next step"),
    ] {
        let failed = status(task, Status::Failed);
        let error = field(&failed, "error");
        assert_eq!(failed.group().as_deref(), Some("result"), "{error}");
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_program_changes_what_its_next_attempt_has() {
    let world = World::new();
    let say = format!("{} task", env!("CARGO_BIN_EXE_blueque"));
    world.program(
        "count",
        &format!(
            "[ $BLUEQUE_ATTEMPT -gt 1 ] && exec cat\n\
             {say} edit '[\"from the first\"]' --max-failures 2 --reason 'half is done'\n\
             echo '{{\"edit\":{{\"priority\":7,\"unset\":\"tags\"}}}}' >> $BLUEQUE_EVENTS\n\
             {say} edit --key other\n echo '{{\"edit\":{{\"colour\":1}}}}' >> $BLUEQUE_EVENTS\n exit 1"
        ),
    );
    let _worker = world.worker(&["--queue", "count"]);
    let how = Submit::default().max_failures(1).delay(Duration::ZERO).tag("film");
    let task = world.submit_as("count", "t", how);
    let ended = status(&task, Status::Complete);
    assert_eq!(result(&task), "[\"from the first\"]");
    assert_eq!((ended.priority(), ended.key(), ended.tags().len()), (7, None, 0));
    let edits: Vec<_> =
        task.history().unwrap().into_iter().filter(|entry| entry.why.as_deref() == Some("edit")).collect();
    assert_eq!(edits.len(), 2, "{edits:?}");
    let log = world.run(&["logs", "t", "--attempt", "1"]);
    assert!(log.contains("the next attempt is not changed: STATE"), "{log}");
    assert!(log.contains("an edit that cannot be read: there is no option colour"), "{log}");
    // Outside of a task the command changes nothing, and reports malformed arguments.
    assert_eq!(world.run(&["task", "edit", "[1]"]), "");
    let (code, _, said) = world.outcome(&["task", "edit"]);
    assert!(code == 2 && said.contains("name a change"), "{code} {said}");
}

#[test]
fn a_program_says_where_its_task_goes_on() {
    let world = World::new();
    let say = format!("{} task", env!("CARGO_BIN_EXE_blueque"));
    // The first step of the chain is replaced, the second step is given back to another queue, and the third step is
    // skipped.
    world.program("look", &format!("{say} next large || exit; echo '\"seen\"'"));
    world.program("large", &format!("echo half > $BLUEQUE_CHECKPOINT; {say} into huge; exit 85"));
    world.program("huge", &format!("echo \"$(cat) $(cat $BLUEQUE_CHECKPOINT)\" > FOLDER/huge; {say} next; echo 7"));
    world.program("shut", &format!("{say} into closed; exit 85"));
    world.run(&["config", "set", "--queue", "closed", "closed=1"]);
    let _worker = world.worker(&["--queue", "look", "--queue", "large", "--queue", "huge", "--queue", "shut"]);
    assert_eq!(world.outcome(&["submit", "look", "[]", "--id", "t", "--steps", "small,publish"]).1, "t\n");
    let (task, shut) = (world.client.task("t").unwrap(), world.submit_as("shut", "s", Submit::default()));
    let ended = status(&task, Status::Complete);
    assert_eq!((field(&ended, "queue").as_str(), result(&task).as_str()), ("huge", "7"));
    assert!(!ended.fields.contains_key("steps"), "{:?}", ended.fields);
    assert_eq!(world.written("huge"), "\"seen\" half");
    assert_eq!(field(&status(&shut, Status::Failed), "group"), "into");
    assert!(field(&shut.info().unwrap(), "error").contains("the other queue is closed"));
}
