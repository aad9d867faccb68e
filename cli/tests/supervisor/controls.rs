//! Programs that users suspend, continue and signal.

use std::fs;
use std::time::{Duration, Instant};

use blueque::{Status, Task, TaskInfo};
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::stage::{Run, Stage, gone, send};
use crate::support::eventually;

/// Counts USR1, ignores nothing else, and has a grandchild in another session.
const COUNTS: &str = "n=0; trap 'n=$((n+1)); echo $n > signals' USR1
setsid sh -c 'echo $$ > grandchild; while :; do sleep 0.01; done' &
echo $$ > child
while [ ! -e go ]; do sleep 0.01; done; echo $n";

/// The lease: the next heartbeat is too late for a test, so requests arrive because they are announced.
const LONG: Duration = Duration::from_secs(600);

fn state(pid: Pid) -> char {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).unwrap_or('X')
}

fn started(run: &Run) -> [Pid; 2] {
    let pids = [run.pid("child"), run.pid("grandchild")];
    eventually("it runs", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    pids
}

fn answered(task: &Task, number: u64) -> TaskInfo {
    eventually(&format!("request {number} is answered"), || task.info().ok().filter(|info| info.controlled() >= number))
}

fn suspended(run: &Run) -> [Pid; 2] {
    let pids = started(run);
    assert!(run.task.suspend().unwrap(), "the supervisor must do it");
    assert!(answered(&run.task, 1).suspended().is_some());
    eventually("the whole tree is stopped", || (pids.map(state) == ['T', 'T']).then_some(()));
    pids
}

#[test]
fn the_whole_tree_is_suspended_and_its_limits_of_time_do_not_run() {
    let stage = Stage::new();
    let limits = |run: &mut Value| {
        run["limits"] = json!({ "grace_ms": 100, "max_run_ms": 2_500, "warn_ms": 1, "no_progress_ms": 2_000 });
    };
    let mut run = stage.task_with(COUNTS, Duration::from_secs(9), limits);
    run.supervise();
    let pids = suspended(&run);
    let (since, deadline) = (Instant::now(), stage.deadline());
    eventually("its limits have passed", || (since.elapsed() > Duration::from_secs(3)).then_some(()));
    eventually("its lease is renewed", || (stage.deadline() > deadline).then_some(()));
    assert_eq!(pids.map(state), ['T', 'T']);
    assert!(run.task.unsuspend().unwrap());
    assert!(answered(&run.task, 2).suspended().is_none());
    fs::write(run.folder.join("work/go"), "").unwrap();
    run.ended();
    let info = run.task.info().unwrap();
    assert_eq!((info.status(), info.result_bytes()), (Some(Status::Complete), Some(&b"0"[..])), "{info:?}");
    assert!(info.controls().is_none() && info.suspended_by().is_none(), "{info:?}");
}

#[test]
fn a_suspended_tree_is_cancelled_requeued_and_killed() {
    for (end, status) in [("cancel", Status::Cancelled), ("requeue", Status::Pending), ("kill", Status::Cancelled)] {
        let stage = Stage::new();
        let mut run = stage.task_with(COUNTS, LONG, |_| {});
        run.supervise();
        let pids = suspended(&run);
        match end {
            "cancel" => drop(run.task.cancel("enough").unwrap()),
            "requeue" => drop(run.task.requeue().unwrap()),
            _ => drop(run.task.cancel_by_force("at once").unwrap()),
        }
        run.ended();
        pids.into_iter().for_each(gone);
        let info = run.task.info().unwrap();
        assert_eq!((info.status(), info.suspended()), (Some(status), None), "{end}");
    }
}

#[test]
fn the_tree_of_a_suspended_program_dies_with_its_supervisor() {
    let stage = Stage::new();
    let mut run = stage.task_with(COUNTS, LONG, |_| {});
    let supervisor = run.supervise();
    let [child, grandchild] = suspended(&run);
    send(supervisor, Signal::SIGKILL);
    gone(child);
    // A worker would kill it if it is left.
    let _ = nix::sys::signal::kill(grandchild, Signal::SIGKILL);
}

#[test]
fn a_program_is_described_from_its_host() {
    let stage = Stage::new();
    let script = "exec 3> data; echo hello >&3; echo from the program; (exec sleep 60) & wait";
    let mut run = stage.task_with(script, LONG, |_| {});
    run.supervise();
    let fs =
        eventually("it runs", || fs::read_to_string(run.folder.join("work/data")).ok().filter(|it| !it.is_empty()));
    assert_eq!(fs, "hello\n");
    eventually("it is started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    let (client, id) = (stage.client.clone(), run.task.id().clone());
    let described = |values: bool| {
        let options = blueque::calls::DescribeOptions::new();
        let options = if values { options.values(true) } else { options };
        let number = client.call(&client.calls().describe(&id, &options)).unwrap();
        let info = answered(&run.task, number);
        let text = client.call(&client.calls().description(&id, info.token().unwrap(), number)).unwrap().unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let found = eventually("its log is written", || {
        Some(described(true)).filter(|found| found["log"].as_str().is_some_and(|log| log.contains("from the program")))
    });
    let work = run.folder.join("work").canonicalize().unwrap();
    assert_eq!(found["cwd"], work.to_str().unwrap());
    assert_eq!(found["environment"]["BLUEQUE_TASK_ID"], id.as_str());
    let commands: Vec<&str> =
        found["processes"].as_array().unwrap().iter().filter_map(|process| process["command"].as_str()).collect();
    assert!(commands.contains(&"sleep 60"), "{commands:?}");
    let files = found["files"].as_array().unwrap();
    let data = files.iter().find(|file| file["path"].as_str().unwrap().ends_with("work/data")).unwrap();
    assert_eq!((&data["position"], &data["size"]), (&json!(6), &json!(6)));
    assert_eq!(described(false)["environment"]["BLUEQUE_TASK_ID"], Value::Null);
    run.task.cancel("enough").unwrap();
    run.ended();
}

#[test]
fn each_signal_reaches_the_program_once_and_only_if_it_handles_it() {
    let stage = Stage::new();
    let mut run = stage.task_with(COUNTS, LONG, |_| {});
    run.supervise();
    started(&run);
    assert_eq!(run.task.signal("USR1").unwrap(), 1);
    answered(&run.task, 1);
    assert_eq!(run.said("signals"), "1");
    // Nobody handles it, so it is not sent: it would end the program.
    assert_eq!(run.task.signal("HUP").unwrap(), 2);
    let refused = answered(&run.task, 2).control_refused().unwrap();
    assert_eq!(refused, "2 no process of the program handles HUP, so it was not sent");
    // A signal waits in a suspended program.
    run.task.suspend().unwrap();
    run.task.signal("USR1").unwrap();
    answered(&run.task, 4);
    assert_eq!(run.said("signals"), "1");
    run.task.unsuspend().unwrap();
    eventually("the second signal arrives", || (run.said("signals") == "2").then_some(()));
    fs::write(run.folder.join("work/go"), "").unwrap();
    run.ended();
    assert_eq!(run.task.info().unwrap().result_bytes(), Some(&b"2"[..]));
    let whys: Vec<String> = run.task.history().unwrap().into_iter().filter_map(|step| step.why).collect();
    let asked =
        ["signal", "signalled", "signal", "refused", "suspend", "signal", "suspended", "signalled", "unsuspend"];
    let found: Vec<&str> = whys.iter().map(String::as_str).filter(|why| *why != "reserve").collect();
    assert!(asked.iter().all(|why| found.contains(why)), "{found:?}");
}
