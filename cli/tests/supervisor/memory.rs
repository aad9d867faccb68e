//! A server that is short of memory or refuses an end: the lease is renewed, and the end is accepted as soon as
//! possible.

use std::fs;
use std::time::Duration;

use blueque::{Status, Task};

use crate::stage::{QUEUE, Stage, lives, text};
use crate::support::eventually;

const WAITS: &str = "echo $$ > child; while [ ! -e go ]; do sleep 0.01; done; echo '\"done\"'";

/// Saves a checkpoint, and another just before its end.
const SAVES: &str = "save() { echo $1 > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"; }\n\
    finish() { while [ ! -e go ]; do sleep 0.01; done; save 2; exit 1; }\n\
    save 1; trap finish TERM; echo $$ > child; finish";

fn memory(stage: &Stage, most: &str) {
    redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg(most).exec(&mut stage.server.connection()).unwrap();
}

fn user(stage: &Stage, rules: &[&str]) {
    redis::cmd("ACL").arg("SETUSER").arg("app").arg(rules).exec(&mut stage.server.connection()).unwrap();
}

fn saved(task: &Task) {
    eventually("the checkpoint is saved", || task.info().unwrap().checkpoint_bytes().map(<[u8]>::to_vec));
}

/// Waits until the lease has been renewed this many times.
fn renewed(stage: &Stage, times: u32) {
    for time in 0..times {
        let before = stage.deadline();
        eventually(&format!("the lease is renewed, {time}"), || {
            let now = stage.deadline();
            assert!(now.is_some(), "the lease is gone");
            (now > before).then_some(())
        });
    }
}

#[test]
fn an_end_is_accepted_while_the_server_has_no_memory_for_the_last_checkpoint() {
    let stage = Stage::new();
    let mut run = stage.task_with(SAVES, Duration::from_secs(3), |_| {});
    run.supervise();
    run.pid("child");
    saved(&run.task);
    memory(&stage, "1");
    fs::write(run.folder.join("work/go"), "").unwrap();
    let info = eventually("it has failed", || {
        let info = run.task.info().unwrap();
        (info.status() == Some(Status::Failed)).then_some(info)
    });
    memory(&stage, "0");
    run.ended();
    assert_eq!((info.losses(), info.attempt()), (0, 1));
    let kept = fs::read_dir(stage.state.path().join("blueque/kept")).unwrap().count();
    assert_eq!(kept, 1, "what the server has no room for is kept for the next attempt on this host");
}

#[test]
fn a_cancelled_task_is_free_while_the_server_has_no_memory_for_its_last_checkpoint() {
    let stage = Stage::new();
    let grace = |run: &mut serde_json::Value| run["limits"]["grace_ms"] = 600_000.into();
    let mut run = stage.task_with(SAVES, Duration::from_secs(6), grace);
    run.supervise();
    run.pid("child");
    saved(&run.task);
    run.task.cancel("enough").unwrap();
    eventually("it is to stop", || run.folder.join("stop").exists().then_some(()));
    memory(&stage, "1");
    fs::write(run.folder.join("work/go"), "").unwrap();
    eventually("it is cancelled", || (run.task.info().unwrap().status() == Some(Status::Cancelled)).then_some(()));
    memory(&stage, "0");
    run.ended();
}

#[test]
fn the_lease_is_renewed_while_the_server_refuses_that_the_task_starts() {
    let stage = Stage::new();
    let mut run = stage.task_with(WAITS, Duration::from_secs(6), |_| {});
    memory(&stage, "1");
    run.supervise();
    let child = run.pid("child");
    renewed(&stage, 4);
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Reserved));
    assert!(lives(child));
    memory(&stage, "0");
    eventually("it has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    fs::write(run.folder.join("work/go"), "").unwrap();
    run.ended();
    let info = run.task.info().unwrap();
    assert_eq!((info.status(), info.losses(), info.attempt()), (Some(Status::Complete), 0, 1));
}

#[test]
fn an_end_that_is_refused_for_long_keeps_a_short_lease() {
    let stage = Stage::new();
    user(&stage, &["on", "nopass", "~*", "&*", "+@all"]);
    let url = format!("{}?user=app", stage.server.url());
    let mut run = stage.task_with(WAITS, Duration::from_secs(3), |run| run["url"] = url.into());
    run.password = "any".into();
    run.supervise();
    run.pid("child");
    eventually("the task has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    user(&stage, &["-xadd"]);
    fs::write(run.folder.join("work/go"), "").unwrap();
    eventually("the end is on the disk", || run.folder.join("end.json").exists().then_some(()));
    let queue = stage.client.queue(QUEUE).unwrap();
    // After these renewals the delays have reached their maximum.
    for time in 0..12 {
        let before = stage.deadline();
        eventually(&format!("the lease is renewed, {time}"), || {
            assert_eq!(queue.requeue_orphans().unwrap().requeued, 0, "the lease has ended");
            (stage.deadline() > before).then_some(())
        });
    }
    user(&stage, &["+xadd"]);
    run.ended();
    let info = run.task.info().unwrap();
    assert_eq!((info.status(), info.losses()), (Some(Status::Complete), 0));
    assert_eq!(text(info.result_bytes()), "\"done\"");
}
