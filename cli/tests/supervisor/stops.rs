//! Programs that are stopped by a cancel, a drain or a limit; none of their processes is left.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use blueque::{ListenerId, Status};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::stage::{QUEUE, Stage, gone, lives, send, text};
use crate::support::eventually;

/// Ignores SIGTERM, as does a grandchild in another session.
const STUBBORN: &str = "trap '' TERM
setsid sh -c 'trap \"\" TERM; echo $$ > grandchild; while :; do sleep 1; done' &
echo $$ > child
while :; do cat \"$BLUEQUE_STOP\" > stop 2>/dev/null; sleep 0.01; done";

/// Saves its state when it gets the stop signal.
const SAVES: &str = "trap 'echo half > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"; exit 0' TERM
echo $$ > child
while :; do sleep 0.01; done";

#[test]
fn cancel_kills_the_whole_tree_after_the_grace_and_the_task_is_cancelled() {
    let stage = Stage::new();
    // The next heartbeat is too late for this test: the order itself wakes the supervisor.
    let mut run = stage.task_with(STUBBORN, Duration::from_secs(600), |_| {});
    run.supervise();
    let tree = [run.pid("child"), run.pid("grandchild")];
    // More often than the supervisor asks by itself at its start.
    for _ in 0..3 {
        let before = stage.deadline();
        eventually("it asks for orders when it is called", || {
            stage.call();
            (stage.deadline() > before).then_some(())
        });
    }
    run.task.cancel("enough").unwrap();
    let stop: Value = serde_json::from_str(&run.said("stop")).unwrap();
    assert_eq!(stop["reason"], json!("cancel"));
    assert!(stop["kill_at"].as_f64().unwrap() > 1e9, "{stop}");
    run.ended();
    tree.into_iter().for_each(gone);
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Cancelled));
    assert!(!run.folder.exists());
}

#[test]
fn a_forced_cancel_kills_the_whole_tree_without_grace_and_the_task_is_cancelled_at_once() {
    let stage = Stage::new();
    for asked_before in [false, true] {
        let grace = |run: &mut Value| run["limits"]["grace_ms"] = json!(600_000);
        let mut run = stage.task_with(STUBBORN, Duration::from_secs(600), grace);
        run.supervise();
        let tree = [run.pid("child"), run.pid("grandchild")];
        eventually("it runs", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
        if asked_before {
            run.task.cancel("please").unwrap();
            run.said("stop");
        }
        let begun = Instant::now();
        run.task.cancel_by_force("now").unwrap();
        run.ended();
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert!(!tree.into_iter().any(lives), "the tree is dead before the task is free");
        let info = run.task.info().unwrap();
        assert_eq!((info.status(), info.reason().as_deref()), (Some(Status::Cancelled), Some("now")));
        assert!(!run.folder.exists());
    }
}

#[test]
fn a_program_that_completes_after_a_forced_cancel_is_refused_and_its_task_is_free_at_once() {
    let stage = Stage::new();
    let script = "echo $$ > child; echo 1 > \"$BLUEQUE_CHECKPOINT\"; echo x > \"$BLUEQUE_OUTPUT_DIR/x\"
while [ ! -e go ]; do sleep 0.01; done; echo 1";
    let mut run = stage.task_with(script, Duration::from_secs(600), |_| {});
    let supervisor = run.supervise();
    let child = run.pid("child");
    eventually("it runs", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    // The supervisor gets the order after the program has ended.
    send(supervisor, Signal::SIGSTOP);
    run.task.cancel_by_force("too late").unwrap();
    fs::write(run.folder.join("work/go"), "").unwrap();
    gone(child);
    send(supervisor, Signal::SIGCONT);
    run.ended();
    let info = run.task.info().unwrap();
    assert_eq!((info.status(), info.result_bytes()), (Some(Status::Cancelled), None));
    assert!(!stage.published(&run).exists() && !run.folder.exists());
}

#[test]
fn a_requeued_task_is_stopped_with_its_grace_and_goes_back_with_its_checkpoint() {
    let stage = Stage::new();
    let mut run = stage.task_with(SAVES, Duration::from_secs(600), |_| {});
    run.supervise();
    run.pid("child");
    eventually("it runs", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    run.task.requeue().unwrap();
    run.ended();
    let info = run.task.info().unwrap();
    assert_eq!((info.status(), info.losses()), (Some(Status::Pending), 0));
    assert_eq!(text(info.checkpoint_bytes()), "half\n");
    assert!(!info.is_requeued());
}

#[test]
fn a_suspended_program_is_stopped_gracefully_too() {
    let stage = Stage::new();
    let mut run = stage.task(SAVES);
    let supervisor = run.supervise();
    send(run.pid("child"), Signal::SIGSTOP);
    send(supervisor, Signal::SIGTERM);
    run.ended();
    assert_eq!(text(run.task.info().unwrap().checkpoint_bytes()), "half\n");
}

#[test]
fn a_task_cancelled_before_its_start_is_stopped_and_cancelled() {
    let stage = Stage::new();
    let mut run = stage.task("exec sleep 1000");
    run.task.cancel("too late to begin").unwrap();
    assert_eq!(run.finish().status(), Some(Status::Cancelled));
}

#[test]
fn sigterm_to_the_supervisor_gives_the_task_back_with_its_checkpoint() {
    let stage = Stage::new();
    let mut run = stage.task(SAVES);
    let supervisor = run.supervise();
    let child = run.pid("child");
    send(supervisor, Signal::SIGHUP);
    send(supervisor, Signal::SIGINT);
    send(supervisor, Signal::SIGTERM);
    run.ended();
    gone(child);
    let info = run.task.info().unwrap();
    assert_eq!(info.status(), Some(Status::Pending), "its exit code 0 does not complete it");
    assert_eq!(text(info.checkpoint_bytes()), "half\n");
    assert_eq!((info.losses(), info.attempt()), (0, 1));
}

#[test]
fn the_order_to_drain_is_obeyed_or_not_as_the_run_says() {
    let stage = Stage::new();
    let drain = |run: &mut Value| run["on_drain"] = json!("stop");
    let mut run = stage.task_with(SAVES, Duration::from_secs(60), drain);
    run.supervise();
    run.pid("child");
    let (queue, listener) = (stage.client.queue(QUEUE).unwrap(), ListenerId::new("test_1").unwrap());
    queue.drain(&listener, true).unwrap();
    run.ended();
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Pending));

    // By default the programs of a draining listener run to their end.
    queue.drain(&listener, false).unwrap();
    let program = stage.program("waits", "echo $$ > child; while [ ! -e go ]; do sleep 0.01; done; echo 1");
    let mut run = stage.reserve(&run.task, &program, Duration::from_secs(1), |_| {});
    queue.drain(&listener, true).unwrap();
    run.supervise();
    run.pid("child");
    let renewals = stage.renewals();
    eventually("two more heartbeats, each with the order", || (stage.renewals() >= renewals + 2).then_some(()));
    fs::write(run.folder.join("work/go"), "").unwrap();
    run.ended();
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Complete));
}

#[test]
fn a_child_that_saves_has_its_grace_though_the_leader_is_gone() {
    let stage = Stage::new();
    let script = "(trap 'sleep 0.3; echo half > \"$BLUEQUE_CHECKPOINT\"; exit' TERM; echo $$ > child; while :; do sleep 0.01; done) &
wait";
    let grace = |run: &mut Value| run["limits"]["grace_ms"] = json!(20_000);
    let mut run = stage.task_with(script, Duration::from_secs(60), grace);
    let supervisor = run.supervise();
    run.pid("child");
    send(supervisor, Signal::SIGTERM);
    run.ended();
    assert_eq!(text(run.task.info().unwrap().checkpoint_bytes()), "half\n");
}

#[test]
fn what_a_program_leaves_behind_is_killed_at_its_end() {
    let stage = Stage::new();
    let mut run = stage.task(
        "setsid sh -c 'echo $$ > \"$BLUEQUE_OUTPUT_DIR/pid\"; exec sleep 1000' >/dev/null 2>&1 &
while [ ! -s \"$BLUEQUE_OUTPUT_DIR/pid\" ]; do sleep 0.01; done; echo 1",
    );
    assert_eq!(run.finish().status(), Some(Status::Complete));
    let pid = fs::read_to_string(stage.published(&run).join("pid")).unwrap();
    gone(nix::unistd::Pid::from_raw(pid.trim().parse().unwrap()));
}

/// The kernel keeps the first 15 bytes of a name. Here byte 15 is the first half of a character.
const CUT: &str = "prüf-bericht-ä-lang";

#[test]
fn a_process_whose_name_is_cut_within_a_character_is_killed_at_the_end_and_by_a_cancel() {
    let stage = Stage::new();
    let child = stage.state.path().join(CUT);
    let loops = "#!/bin/sh\ntrap '' TERM\necho $$ > pid\nwhile :; do sleep 0.05; done\n";
    fs::write(&child, loops).unwrap();
    fs::set_permissions(&child, PermissionsExt::from_mode(0o755)).unwrap();
    let script = format!("'{}' >/dev/null 2>&1 &\nwhile [ ! -e go ]; do sleep 0.01; done; echo 1", child.display());
    for cancelled in [false, true] {
        let mut run = stage.task_with(&script, Duration::from_secs(600), |_| {});
        run.supervise();
        let pid = run.pid("pid");
        eventually("it runs", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
        let begun = Instant::now();
        if cancelled {
            run.task.cancel("enough").unwrap();
        } else {
            fs::write(run.folder.join("work/go"), "").unwrap();
        }
        run.ended();
        assert!(!lives(pid), "it is dead before its task has ended");
        let expected = if cancelled { Status::Cancelled } else { Status::Complete };
        assert_eq!(run.task.info().unwrap().status(), Some(expected));
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_program_below_another_process_group_is_asked_to_stop_too() {
    let stage = Stage::new();
    let saver = stage.program("saver", SAVES);
    for words in ["timeout 1000", "setsid -w"] {
        // Before the shell's trap runs, its child must have ended.
        let script = format!("trap 'exit 0' TERM; {words} '{}'; true", saver.display());
        let grace = |run: &mut Value| run["limits"]["grace_ms"] = json!(600_000);
        let mut run = stage.task_with(&script, Duration::from_secs(600), grace);
        run.supervise();
        run.pid("child");
        eventually("it runs", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
        run.task.requeue().unwrap();
        run.ended();
        let info = run.task.info().unwrap();
        assert_eq!(text(info.checkpoint_bytes()), "half\n", "{words}");
        run.task.cancel("done").unwrap();
    }
}

#[test]
fn a_program_that_forks_without_end_is_killed_whole() {
    let stage = Stage::new();
    // Bounded, so that a bug here does not take down the machine.
    let script = "ulimit -u 400 2>/dev/null
bomb() { [ \"$1\" -gt 7 ] || { bomb $(($1 + 1)) & bomb $(($1 + 1)) & }; sleep 1000; }
trap '' TERM; echo $$ > child; bomb 0";
    let mut run = stage.task(script);
    let supervisor = run.supervise();
    run.pid("child");
    send(supervisor, Signal::SIGTERM);
    run.ended();
    let mark = format!("BLUEQUE_RUN={}", run.folder.display());
    let left = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        fs::read(entry.path().join("environ")).is_ok_and(|all| all.split(|&b| b == 0).any(|one| one == mark.as_bytes()))
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn a_program_that_runs_too_long_fails_after_a_warning() {
    let stage = Stage::new();
    let script = "trap 'cp \"$BLUEQUE_STOP\" \"$BLUEQUE_CHECKPOINT\"' USR1; while :; do sleep 0.01; done";
    let limits = |run: &mut Value| {
        run["limits"] = json!({ "grace_ms": 100, "max_run_ms": 12_000, "warn_ms": 10_000 });
    };
    let info = stage.task_with(script, Duration::from_secs(60), limits).finish();
    assert_eq!((info.status(), info.group().as_deref()), (Some(Status::Failed), Some("timeout")));
    assert!(
        text(info.checkpoint_bytes()).contains("\"reason\":\"deadline\""),
        "the warning came: {:?}",
        info.checkpoint_bytes()
    );
}

#[test]
fn the_warning_does_not_kill_who_does_not_want_it() {
    let stage = Stage::new();
    let limits = |run: &mut Value| run["limits"] = json!({ "max_run_ms": 60_000, "warn_ms": 59_990 });
    let mut run = stage.task_with(
        "while [ ! -e \"$BLUEQUE_STOP\" ]; do sleep 0.01; done; echo 1",
        Duration::from_secs(60),
        limits,
    );
    assert_eq!(text(run.finish().result_bytes()), "1");
}

#[test]
fn a_program_can_ask_for_more_time() {
    let stage = Stage::new();
    let script = "echo '{\"extend\":60}' >> \"$BLUEQUE_EVENTS\"; sleep 1.2; echo 1";
    let limits = |run: &mut Value| run["limits"] = json!({ "grace_ms": 100, "max_run_ms": 800 });
    assert_eq!(text(stage.task_with(script, Duration::from_secs(60), limits).finish().result_bytes()), "1");
}

#[test]
fn a_silent_program_is_stopped_and_a_sign_of_life_keeps_it_running() {
    let stage = Stage::new();
    let limits = |run: &mut Value| run["limits"] = json!({ "grace_ms": 100, "no_progress_ms": 700 });
    let info = stage.task_with("exec sleep 1000", Duration::from_secs(60), limits).finish();
    assert_eq!((info.status(), info.group().as_deref()), (Some(Status::Failed), Some("timeout")));
    assert!(info.error().unwrap().contains("without a sign of life"));

    let script = "for i in 1 2 3 4 5 6; do echo '{\"alive\":true}' >> \"$BLUEQUE_EVENTS\"; sleep 0.25; done; echo 1";
    assert_eq!(text(stage.task_with(script, Duration::from_secs(60), limits).finish().result_bytes()), "1");
}
