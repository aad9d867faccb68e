//! Outages of the server and damage to the disk: no end is lost, and none is counted twice.

use std::fs;
use std::time::{Duration, Instant};

use blueque::Status;
use nix::sys::signal::Signal;

use crate::proxy::Proxy;
use crate::stage::{Stage, gone, send, text};
use crate::support::{Server, eventually};

const WAITS: &str = "echo $$ > child; while [ ! -e go ]; do sleep 0.01; done; echo '\"done\"'";

#[test]
fn a_server_that_is_away_at_the_end_learns_of_it_when_it_is_back() {
    let mut stage = Stage::new();
    let mut run = stage.task(WAITS);
    run.supervise();
    run.pid("child");
    eventually("the task has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    stage.server.kill();
    fs::write(run.folder.join("work/go"), "").unwrap();
    eventually("the end is on the disk", || run.folder.join("end.json").exists().then_some(()));
    stage.server.restart();
    run.ended();
    let info = run.task.info().unwrap();
    assert_eq!((info.status(), info.attempt()), (Some(Status::Complete), 1));
    assert_eq!(text(info.result_bytes()), "\"done\"");
    assert_eq!(stage.transitions(&run, "complete"), 1);
}

#[test]
fn the_rest_of_a_log_waits_for_a_server_that_is_away_and_comes_once() {
    let mut stage = Stage::new();
    let mut run = stage.task(
        "echo $$ > child; echo before; while [ ! -e go ]; do sleep 0.01; done\nfor i in $(seq 1000); do echo row $i; done; echo late >&2",
    );
    let supervisor = run.supervise();
    run.pid("child");
    eventually("the log has begun", || (stage.log(&run, "stdout").concat() == b"before\n").then_some(()));
    stage.server.kill();
    fs::write(run.folder.join("work/go"), "").unwrap();
    eventually("the end is on the disk", || run.folder.join("end.json").exists().then_some(()));
    // The result is the same if the next supervisor, which does not know what was sent, sends the end.
    send(supervisor, Signal::SIGKILL);
    run.ended();
    stage.server.restart();
    assert!(run.again().success());
    let rows = (1..=1000).map(|row| format!("row {row}\n")).collect::<Vec<_>>().concat();
    assert_eq!(String::from_utf8(stage.log(&run, "stdout").concat()).unwrap(), format!("before\n{rows}"));
    assert_eq!(stage.log(&run, "stderr").concat(), b"late\n");
    assert_eq!(stage.log(&run, "exit").len(), 1);
}

#[test]
fn a_server_that_refuses_a_log_has_the_end_all_the_same() {
    let stage = Stage::new();
    let mut run = stage.task("for i in $(seq 1000); do echo row $i; done; echo '\"done\"' > \"$BLUEQUE_RESULT\"");
    // A key of another type in the place of the log.
    let key = format!("blueque_log_{}", run.task.id());
    redis::cmd("SET").arg(key).arg("x").exec(&mut stage.server.connection()).unwrap();
    assert_eq!(text(run.finish().result_bytes()).trim(), "\"done\"");
}

#[test]
fn an_end_on_the_disk_is_sent_by_the_next_supervisor() {
    let mut stage = Stage::new();
    let script = format!("echo x > \"$BLUEQUE_OUTPUT_DIR/film\"; {WAITS}");
    let mut run = stage.task(&script);
    let supervisor = run.supervise();
    run.pid("child");
    eventually("the task has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    stage.server.kill();
    fs::write(run.folder.join("work/go"), "").unwrap();
    eventually("the end is on the disk", || run.folder.join("end.json").exists().then_some(()));
    send(supervisor, Signal::SIGKILL);
    run.ended();
    stage.server.restart();
    assert!(run.again().success());
    assert_eq!(text(run.task.info().unwrap().result_bytes()), "\"done\"");
    assert!(stage.published(&run).join("film").exists() && !run.folder.exists());
}

#[test]
fn a_publication_that_was_cut_off_goes_on() {
    let mut stage = Stage::new();
    let mut run = stage.task(&format!("echo x > \"$BLUEQUE_OUTPUT_DIR/film\"; {WAITS}"));
    let supervisor = run.supervise();
    run.pid("child");
    eventually("the task has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    stage.server.kill();
    fs::write(run.folder.join("work/go"), "").unwrap();
    eventually("the end is on the disk", || run.folder.join("end.json").exists().then_some(()));
    send(supervisor, Signal::SIGKILL);
    run.ended();
    // The state between the two renames, with an earlier output of this id.
    let (place, name) = (stage.state.path().join("blueque/output"), run.folder.file_name().unwrap().to_str().unwrap());
    fs::create_dir_all(place.join(format!(".+{name}.old"))).unwrap();
    fs::rename(run.folder.join("output"), place.join(format!(".+{name}.new"))).unwrap();
    fs::write(run.folder.join("accepted"), "").unwrap();
    stage.server.restart();
    // At this point the server may have forgotten this attempt.
    run.task.cancel_now("gone").unwrap();
    assert!(run.again().success());
    let left: Vec<_> = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [run.task.id().as_str()]);
    assert!(stage.published(&run).join("film").exists() && !run.folder.exists());
}

#[test]
fn an_end_that_cannot_be_read_gives_the_task_back_and_says_so() {
    let mut stage = Stage::new();
    let mut run = stage.task(WAITS);
    let supervisor = run.supervise();
    run.pid("child");
    eventually("the task has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    stage.server.kill();
    fs::write(run.folder.join("work/go"), "").unwrap();
    eventually("the end is on the disk", || run.folder.join("end.json").exists().then_some(()));
    send(supervisor, Signal::SIGKILL);
    run.ended();
    fs::write(run.folder.join("end.payload"), "another result").unwrap();
    stage.server.restart();
    assert_eq!(run.again().code(), Some(16), "given back");
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Pending));
    let said = stage.log(&run, "supervisor").concat();
    assert!(String::from_utf8_lossy(&said).contains("given back"), "{said:?}");
}

#[test]
fn a_server_that_is_away_for_a_while_is_not_noticed_by_the_program() {
    let mut stage = Stage::new();
    let mut run = stage.task_with(WAITS, Duration::from_secs(6), |_| {});
    run.supervise();
    run.pid("child");
    eventually("the task has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    stage.server.kill();
    stage.server.restart();
    let renewals = stage.renewals();
    eventually("the lease is renewed again", || (stage.renewals() > renewals).then_some(()));
    fs::write(run.folder.join("work/go"), "").unwrap();
    run.ended();
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Complete));
}

#[test]
fn the_password_comes_through_stdin() {
    let stage = Stage::new();
    let mut run = stage.task("echo 1");
    let mut admin = stage.server.connection();
    let set = |admin: &mut redis::Connection, password: &str| {
        redis::cmd("CONFIG").arg("SET").arg("requirepass").arg(password).exec(admin).unwrap();
    };
    run.password = "s3cret &=/@:ü".into();
    set(&mut admin, &run.password);
    run.supervise();
    run.ended();
    set(&mut admin, "");
    assert_eq!(text(run.task.info().unwrap().result_bytes()), "1");
}

#[test]
fn a_log_that_cannot_be_written_stops_nothing() {
    let stage = Stage::new();
    let mut run = stage.task("echo '[1]'");
    // A file in the place of the log's folder has the same effect on the log as a full disk.
    fs::write(stage.state.path().join("blueque/logs"), "in the way").unwrap();
    assert_eq!(text(run.finish().result_bytes()), "[1]");
    let said = String::from_utf8(stage.log(&run, "supervisor").concat()).unwrap();
    assert_eq!(said.matches("the log of this attempt cannot be written").count(), 1, "{said}");
    assert_eq!(stage.log(&run, "stdout").concat(), b"[1]\n", "the server gets what it can");
    assert_eq!(stage.log(&run, "exit").len(), 1);
}

#[test]
fn a_result_survives_a_full_disk() {
    let stage = Stage::new();
    let mut run = stage.task("echo '[1]'");
    for name in ["stdout", "end.new"] {
        std::os::unix::fs::symlink("/dev/full", run.folder.join(name)).unwrap();
    }
    assert_eq!(text(run.finish().result_bytes()), "[1]");
}

/// Everything that the program wrote to its folder is lost.
#[test]
fn a_task_whose_run_folder_was_taken_away_is_given_back_and_not_completed_without_its_result() {
    for (printed, id) in [("", "result"), ("echo 42; ", "stdout")] {
        let stage = Stage::new();
        let script = "echo '\"precious\"' > \"$BLUEQUE_RESULT\"; rm -rf \"$BLUEQUE_RUN\"";
        let mut run = stage.task(&format!("{printed}{script}"));
        let info = run.finish();
        assert_eq!((info.result_bytes(), info.fields.get("failures")), (None, None), "{id}: {:?}", info.fields);
        assert_eq!(info.status(), Some(Status::Scheduled), "{id}");
        let said = String::from_utf8(stage.log(&run, "supervisor").concat()).unwrap();
        assert!(said.contains("given back") && said.contains("run folder"), "{said}");
    }
}

#[test]
fn a_cleaner_that_empties_the_file_of_stdout_makes_no_other_result_of_it() {
    let stage = Stage::new();
    let mut run =
        stage.task("cd \"$BLUEQUE_RUN\"; printf 4; while [ ! -s stdout ]; do sleep 0.01; done; : > stdout; printf 2");
    let info = run.finish();
    assert_eq!((info.status(), info.result_bytes()), (Some(Status::Scheduled), None));
    let said = String::from_utf8(stage.log(&run, "supervisor").concat()).unwrap();
    assert!(said.contains("given back") && said.contains("stdout"), "{said}");
}

#[test]
fn a_supervisor_whose_orders_are_cut_off_heartbeats_at_once() {
    let stage = Stage::new();
    let mut run = stage.task_with(WAITS, Duration::from_secs(600), |_| {});
    run.supervise();
    run.pid("child");
    let mut admin = stage.server.connection();
    let mut last = (None, Instant::now());
    eventually("it hears orders, and has asked what it missed", || {
        let (_, hears): (String, u32) =
            redis::cmd("PUBSUB").arg("NUMSUB").arg("blueque_orders_films").query(&mut admin).unwrap();
        if stage.deadline() != last.0 || hears == 0 {
            last = (stage.deadline(), Instant::now());
        }
        (last.1.elapsed() > Duration::from_secs(1)).then_some(())
    });
    // After a cut connection the client may reach a server that gives the task away. So the supervisor sends a
    // heartbeat. A new subscription also causes a heartbeat, so the test lets no subscription succeed.
    redis::cmd("ACL").arg("SETUSER").arg("default").arg("-subscribe").exec(&mut admin).unwrap();
    redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("pubsub").exec(&mut admin).unwrap();
    eventually("it heartbeats long before a third of the lease", || (stage.deadline() > last.0).then_some(()));
    eventually("a new way for orders is refused", || {
        let refused: Vec<redis::Value> = redis::cmd("ACL").arg("LOG").query(&mut admin).unwrap();
        (!refused.is_empty()).then_some(())
    });
    redis::cmd("ACL").arg("SETUSER").arg("default").arg("+subscribe").exec(&mut admin).unwrap();
    eventually("it hears orders again", || {
        let (_, hears): (String, u32) =
            redis::cmd("PUBSUB").arg("NUMSUB").arg("blueque_orders_films").query(&mut admin).unwrap();
        (hears == 1).then_some(())
    });
    fs::write(run.folder.join("work/go"), "").unwrap();
    run.ended();
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Complete));
}

#[test]
fn what_was_refused_to_a_supervisor_is_in_the_cost_that_the_next_one_tells() {
    let mut stage = Stage::new();
    let mut run = stage.task(WAITS);
    let memory = |most: &str| {
        redis::cmd("CONFIG").arg(&["SET", "maxmemory", most]).exec(&mut stage.server.connection()).unwrap();
    };
    memory("1");
    let supervisor = run.supervise();
    run.pid("child");
    let said = |what: &str| stage.disk_log(&run).iter().any(|line| line.contains(what)).then_some(());
    eventually("the start is refused", || said("refuses the start of the program"));
    memory("0");
    eventually("the task has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    stage.server.kill();
    fs::write(run.folder.join("work/go"), "").unwrap();
    eventually("the end is refused", || {
        stage.disk_log(&run).iter().any(|line| line.contains("cannot be delivered")).then_some(())
    });
    send(supervisor, Signal::SIGKILL);
    run.ended();
    stage.server.restart();
    assert!(run.again().success());
    let info = run.task.info().unwrap();
    let cost: serde_json::Value = serde_json::from_slice(info.cost().unwrap()).unwrap();
    assert_eq!(cost["refused"][0]["about"], "start");
    assert!(cost["refused"][0]["why"].as_str().unwrap().starts_with("OOM "), "{cost}");
    // The log has one exit entry, even if a supervisor writes other entries after it.
    assert_eq!(stage.log(&run, "exit").len(), 1);
}

#[test]
fn a_supervisor_whose_server_was_demoted_and_forgot_the_attempt_hears_of_it_with_its_next_call() {
    let stage = Stage::new();
    let proxy = Proxy::to(&stage.server);
    let script = "echo $$ > child; while [ ! -e go ]; do sleep 0.01; done; echo a line; sleep 600";
    let through = |run: &mut serde_json::Value| run["url"] = proxy.url().into();
    let mut run = stage.task_with(script, Duration::from_secs(600), through);
    run.supervise();
    let child = run.pid("child");
    eventually("the task has started", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    // The new master never had the reservation; every connection to the old one stays open.
    let master = Server::start();
    proxy.lead_to(&master);
    redis::cmd("REPLICAOF").arg(&["127.0.0.1", "1"]).exec(&mut stage.server.connection()).unwrap();
    fs::write(run.folder.join("work/go"), "").unwrap();
    run.ended();
    gone(child);
}

/// The server does not have the last checkpoint yet: the supervisor sends the part that it has read.
#[test]
fn a_checkpoint_that_a_cleaner_has_taken_away_reaches_the_server() {
    let mut stage = Stage::new();
    let script =
        "save() { echo $1 > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"; }
wait_for() { while [ ! -e $1 ]; do sleep 0.01; done; }
save 1; wait_for away; save 2
for i in 1 2; do echo \"{\\\"log\\\": \\\"look $i\\\"}\" >> \"$BLUEQUE_EVENTS\"; wait_for look$i; done
rm \"$BLUEQUE_CHECKPOINT\"; exit 75";
    let mut run = stage.task(script);
    run.supervise();
    eventually("the first is saved", || (text(run.task.info().unwrap().checkpoint_bytes()) == "1\n").then_some(()));
    stage.server.kill();
    fs::write(run.folder.join("work/away"), "").unwrap();
    // When the second line is seen, everything before the first line has been processed.
    for i in [1, 2] {
        let line = format!("look {i}");
        eventually(&line, || stage.disk_log(&run).iter().any(|said| said.ends_with(&line)).then_some(()));
        fs::write(run.folder.join(format!("work/look{i}")), "").unwrap();
    }
    eventually("the end is on the disk", || run.folder.join("end.json").exists().then_some(()));
    stage.server.restart();
    run.ended();
    let info = run.task.info().unwrap();
    assert_eq!((info.status(), text(info.checkpoint_bytes()).as_str()), (Some(Status::Failed), "2\n"));
}
