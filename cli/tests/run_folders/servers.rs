//! Workers of two servers on one state folder.

use std::fs;

use blueque::{Client, Status, Submit, TaskId};

use crate::support::{Server, eventually};
use crate::world::{Worker, World, lives, result, send, status};

const SAVE: &str = "[ -e \"$BLUEQUE_CHECKPOINT\" ] && cat \"$BLUEQUE_CHECKPOINT\" && exit\n\
    echo $$ > FOLDER/$BLUEQUE_TASK_ID; while [ ! -e FOLDER/save ]; do sleep 0.02; done\n\
    echo '[5]' > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"\n\
    echo 1 > FOLDER/saved; sleep 600";

const WAIT: &str = "echo $$ > FOLDER/$BLUEQUE_TASK_ID; while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo '\"done\"'";

#[test]
fn a_worker_leaves_the_runs_of_another_server_alone() {
    let world = World::new();
    world.program("save", SAVE);
    world.program("wait", WAIT);
    world.program("quick", "echo '\"quick\"'");
    let worker = world.worker(&["--queue", "q", "--slots", "2"]);
    let unsaved = world.submit_as("q", "ck", Submit::default().method("save"));
    world.written("ck");
    status(&unsaved, Status::Started);
    let supervisor = world.supervisor();
    let running = world.submit_as("q", "ck2", Submit::default().method("wait"));
    let program: i32 = world.written("ck2").parse().unwrap();
    status(&running, Status::Started);
    worker.kill();
    send("STOP", supervisor);
    world.touch("save");
    world.written("saved");
    send("KILL", supervisor);

    let other = Server::start();
    let client = Client::open(&other.url()).unwrap();
    let mut command = world.command(
        std::path::Path::new(env!("CARGO_BIN_EXE_blueque")),
        &["--queue", "q", "--slots", "1", "--drain", "checkpoint"],
    );
    let mut foreign = Worker(command.env("BLUEQUE_URL", other.url()).spawn().unwrap());
    let how = Submit::default().method("quick").id(TaskId::new("ck3").unwrap());
    let task = client.queue("q").unwrap().submit_bytes(b"[]", how).unwrap();
    assert_eq!(result(&task), "\"quick\"", "no run of the other server takes its slot");
    let said = || world.log().contains("2 runs here belong to another server");
    eventually("it says so", || said().then_some(()));
    foreign.signal("TERM");
    assert!(foreign.ended().success());
    assert!(lives(program), "no run of the other server is stopped");
    assert_eq!(world.runs().len(), 2);

    let _worker = world.worker(&["--queue", "q", "--slots", "2"]);
    assert_eq!(result(&unsaved), "[5]", "its checkpoint was not lost");
    world.touch("go");
    assert_eq!(result(&running), "\"done\"");
    assert_eq!(running.info().unwrap().attempt(), 1);
    world.nothing_is_left();
}

/// Both servers have a task with this id, and the checkpoint is too large for either.
#[test]
fn a_kept_checkpoint_is_for_the_server_of_its_task() {
    let world = World::new();
    let script = "if [ -e \"$BLUEQUE_CHECKPOINT\" ]; then echo '\"found\"'; exit; fi\n\
        [ \"$BLUEQUE_ATTEMPT\" = 1 ] || { echo '\"none\"'; exit; }\n\
        [ -e FOLDER/second ] || head -c 2000 /dev/zero > \"$BLUEQUE_CHECKPOINT\"; exit 1";
    world.program("q", script);
    let args = ["--queue", "q", "--max-bytes", "1K"];
    let how =
        || Submit::default().max_failures(1).delay(std::time::Duration::from_secs(1)).id(TaskId::new("x").unwrap());
    let worker = world.worker(&args);
    let task = world.client.queue("q").unwrap().submit_bytes(b"[]", how()).unwrap();
    let _kept = eventually("it is kept", || fs::read_dir(world.path("state/blueque/kept")).ok()?.next());
    worker.kill();
    world.touch("second");

    let other = Server::start();
    let client = Client::open(&other.url()).unwrap();
    let mut command = world.command(std::path::Path::new(env!("CARGO_BIN_EXE_blueque")), &args);
    let foreign = Worker(command.env("BLUEQUE_URL", other.url()).spawn().unwrap());
    let twin = client.queue("q").unwrap().submit_bytes(b"[]", how()).unwrap();
    assert_eq!(result(&twin), "\"none\"");
    foreign.kill();
    let _worker = world.worker(&args);
    assert_eq!(result(&task), "\"found\"");
}
