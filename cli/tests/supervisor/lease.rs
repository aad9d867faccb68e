//! The lease is renewed while all is well, and the process tree is dead before the lease can have expired.

use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use blueque::Status;
use nix::fcntl::OFlag;
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::{Value, json};

use crate::stage::{Stage, boot_clock_us, gone, send};
use crate::support::eventually;

const TREE: &str = "trap '' TERM
setsid sh -c 'trap \"\" TERM; echo $$ > grandchild; while :; do sleep 1; done' &
echo $$ > child
while :; do sleep 0.01; done";

#[test]
fn a_quiet_program_keeps_its_lease_far_beyond_its_length() {
    let stage = Stage::new();
    let mut run = stage.task_with("echo $$ > child; sleep 10; echo 1", Duration::from_secs(4), |_| {});
    run.supervise();
    run.pid("child");
    let queue = stage.client.queue("films").unwrap();
    eventually("it is complete, and a search for orphans has never found it", || {
        assert_eq!(queue.requeue_orphans().unwrap().requeued, 0);
        (run.task.info().unwrap().status() == Some(Status::Complete)).then_some(())
    });
    assert_eq!(run.task.info().unwrap().attempt(), 1);
}

#[test]
fn frozen_beyond_its_lease_and_woken_it_kills_its_tree_and_changes_nothing() {
    let stage = Stage::new();
    let mut run = stage.task_with(TREE, Duration::from_secs(2), |_| {});
    let supervisor = run.supervise();
    let tree = [run.pid("child"), run.pid("grandchild")];
    send(supervisor, Signal::SIGSTOP);
    let queue = stage.client.queue("films").unwrap();
    eventually("the task is taken from it", || (queue.requeue_orphans().unwrap().requeued == 1).then_some(()));
    let before = stage.dump(&run);
    send(supervisor, Signal::SIGCONT);
    run.ended();
    tree.into_iter().for_each(gone);
    assert_eq!(stage.dump(&run), before, "nothing of the task has changed");
    assert!(!run.folder.exists());
}

#[test]
fn frozen_and_woken_before_anybody_took_the_task_it_kills_its_tree_all_the_same() {
    let stage = Stage::new();
    let mut run = stage.task_with(TREE, Duration::from_secs(1), |_| {});
    let supervisor = run.supervise();
    let tree = [run.pid("child"), run.pid("grandchild")];
    eventually("the task has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    send(supervisor, Signal::SIGSTOP);
    let over = boot_clock_us() + 1_100_000;
    eventually("the lease is over", || (boot_clock_us() > over).then_some(()));
    send(supervisor, Signal::SIGCONT);
    run.ended();
    tree.into_iter().for_each(gone);
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Started), "it changes nothing");
}

#[test]
fn without_a_server_the_tree_is_dead_before_the_lease_can_have_expired() {
    let mut stage = Stage::new();
    let mut run = stage.task_with(TREE, Duration::from_secs(2), |_| {});
    run.supervise();
    let tree = [run.pid("child"), run.pid("grandchild")];
    eventually("the task has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    // After this, no renewal can be acknowledged.
    stage.server.kill();
    let last = boot_clock_us();
    tree.into_iter().for_each(gone);
    let took = boot_clock_us() - last;
    assert!(took < 2_000_000, "{took} µs after the last possible renewal");
    run.ended();
}

#[test]
fn a_server_that_hangs_does_not_delay_the_kill() {
    let stage = Stage::new();
    let mut run = stage.task_with(TREE, Duration::from_secs(2), |_| {});
    run.supervise();
    let tree = [run.pid("child"), run.pid("grandchild")];
    eventually("the task has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    let server = nix::unistd::Pid::from_raw(stage.server.pid().cast_signed());
    send(server, Signal::SIGSTOP);
    let last = boot_clock_us();
    tree.into_iter().for_each(gone);
    let took = boot_clock_us() - last;
    assert!(took < 2_000_000, "{took} µs after the last possible renewal");
    run.ended();
    send(server, Signal::SIGCONT);
}

#[test]
fn killed_itself_it_takes_the_program_with_it() {
    let stage = Stage::new();
    let mut run = stage.task(TREE);
    let supervisor = run.supervise();
    let child = run.pid("child");
    let grandchild = run.pid("grandchild");
    send(supervisor, Signal::SIGKILL);
    gone(child);
    // The process that takes over ends the rest of the tree.
    send(grandchild, Signal::SIGKILL);
    run.ended();
    let before = stage.dump(&run);
    assert!(!run.again().success(), "it does not start the program a second time");
    assert_eq!(stage.dump(&run), before);
}

#[test]
fn a_program_whose_lease_is_over_is_not_started() {
    let stage = Stage::new();
    let late = |run: &mut Value| run["renewed_us"] = json!(boot_clock_us() - 60_000_000);
    let rebooted = |run: &mut Value| run["boot"] = json!("another");
    for change in [late as fn(&mut Value), rebooted] {
        let mut run = stage.task_with("echo 1", Duration::from_secs(60), change);
        let before = stage.dump(&run);
        run.finish();
        assert_eq!(stage.dump(&run), before);
        assert!(!run.folder.exists());
        run.task.cancel_now("next").unwrap();
    }
}

#[test]
fn nor_is_one_whose_lease_ends_just_before_it_would_start() {
    let mut stage = Stage::new();
    let mut run = stage.task_with("echo 1", Duration::from_secs(2), |_| {});
    // Without a server there is no renewal.
    stage.server.kill();
    // The supervisor opens its parameters last. The open blocks until a process writes them.
    let parameters = run.folder.join("parameters");
    fs::remove_file(&parameters).unwrap();
    mkfifo(&parameters, Mode::S_IRWXU).unwrap();
    let says = stage.runs().join("says");
    run.supervise_with(File::create(&says).unwrap().into());
    let over = boot_clock_us() + 2_000_000;
    eventually("the lease is over", || (boot_clock_us() > over).then_some(()));
    eventually("the parameters are opened, or it is over", || {
        let opened = File::options().write(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(&parameters);
        (opened.is_ok() || !run.folder.exists()).then_some(())
    });
    run.ended();
    let says = fs::read_to_string(says).unwrap();
    assert!(says.contains("before its program was started"), "{says}");
    assert!(!run.folder.exists());
}

#[test]
fn only_one_supervisor_works_on_a_run() {
    let stage = Stage::new();
    let mut run = stage.task("echo $$ > child; while [ ! -e go ]; do sleep 0.01; done; echo 1");
    run.supervise();
    run.pid("child");
    assert!(!run.second().success());
    fs::write(run.folder.join("work/go"), "").unwrap();
    assert!(run.ended().success());
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Complete));
}

#[test]
fn a_task_taken_away_is_stopped_at_once_and_its_work_discarded() {
    let stage = Stage::new();
    for requeued in [false, true] {
        // The order arrives long before the next heartbeat.
        let script = format!("echo x > \"$BLUEQUE_OUTPUT_DIR/x\"\n{TREE}");
        let mut run = stage.task_with(&script, Duration::from_secs(600), |_| {});
        run.supervise();
        let tree = [run.pid("child"), run.pid("grandchild")];
        eventually("it runs", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
        let begun = Instant::now();
        if requeued {
            run.task.requeue_now().unwrap();
        } else {
            run.task.cancel_now("now").unwrap();
        }
        run.ended();
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        tree.into_iter().for_each(gone);
        assert!(!stage.published(&run).exists() && !run.folder.exists());
    }
}
