//! Each call of Blueque's own Python API, and the call of the crate that does the same: the table in
//! `docs/migrating/blueque-1.0.md`.

use std::time::Duration;

use blueque::{Outcome, Status, Submit, Worker};
use serde_json::{Value, json};

use crate::both::{Both, QUEUE};
use crate::support::eventually;

const FIELDS: [&str; 5] = ["status", "queue", "parameters", "node", "pid"];

/// The tasks of both sides, as the old client reads them.
fn alike(both: &mut Both, old: &str, new: &str) -> Value {
    let [old, new] = [old, new].map(|id| both.old.get(id));
    for field in FIELDS {
        assert_eq!(old[field], new[field], "{field}: {old} {new}");
    }
    assert!(new["created"].is_number() || new["created"].is_string(), "{new}");
    new
}

#[test]
fn enqueue_schedule_and_enqueue_due_tasks() {
    let mut both = Both::start();
    let old = both.enqueue();
    let new = both.queue.submit_bytes(b"[1]", Submit::default()).unwrap();
    assert_eq!(alike(&mut both, &old, new.id().as_str())["status"], "pending");
    assert_eq!(both.queue.counts().unwrap().pending, 2, "both are in the queue");

    let later = both.later(60.0);
    let eta = later.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    let old = both.old.text("schedule", json!({"queue": QUEUE, "parameters": "[2]", "eta": eta}));
    let new = both.queue.submit(&[2], Submit::default().eta(later)).unwrap();
    assert_eq!(alike(&mut both, &old, new.id().as_str())["status"], "scheduled");
    assert_eq!(both.queue.promote().unwrap().promoted, 0, "not yet");
    both.old.call("enqueue_due_tasks", json!({"queue": QUEUE}));
    assert_eq!(both.queue.counts().unwrap().scheduled, 2);
    let due = both.client.calls().promote(both.queue.name(), 100).at(both.later(61.0));
    assert_eq!(both.client.call(&due).unwrap().promoted, 2);
    assert_eq!(alike(&mut both, &old, new.id().as_str())["status"], "pending");
}

#[test]
fn a_listener_and_a_processor_take_start_complete_and_fail() {
    let mut both = Both::start();
    for fails in [false, true] {
        let old = both.enqueue();
        assert_eq!(both.listen(), json!(old));
        both.old.call("start", json!({ "id": old }));
        let new = both.queue.submit_bytes(b"[1]", Submit::default()).unwrap();
        let mut listener = both.listener();
        let processor = listener.listen(Duration::from_secs(20)).unwrap().unwrap();
        assert_eq!(processor.id(), new.id());
        processor.start(7).unwrap();
        assert_eq!((both.status(&old), both.status(new.id().as_str())), (Status::Started, Status::Started));
        if fails {
            both.old.call("fail", json!({"id": old, "error": "no"}));
            assert_eq!(processor.fail("no").unwrap(), Outcome::Failed);
        } else {
            both.old.call("complete", json!({"id": old, "result": "[3]"}));
            assert_eq!(processor.complete_bytes(b"[3]").unwrap(), Outcome::Complete);
        }
        let [old, new] = [old.as_str(), new.id().as_str()].map(|id| both.old.get(id));
        for field in ["status", "queue", "parameters", "result", "error"] {
            assert_eq!(old[field], new[field], "{field}");
        }
    }
}

#[test]
fn every_attribute_of_a_task_and_its_deletion() {
    let mut both = Both::start();
    let [old, new] = [both.enqueue(), both.enqueue()];
    for id in [&old, &new] {
        assert_eq!(both.listen(), json!(id));
        both.old.call("start", json!({ "id": id }));
        both.old.call("complete", json!({ "id": id, "result": "[3]" }));
    }
    let (said, info) = (both.old.get(&new), both.info(&new));
    let text = |field: &str| said[field].as_str().map(str::to_owned);
    assert_eq!(info.status().map(Status::as_str), said["status"].as_str());
    assert_eq!((info.queue(), info.node()), (text("queue"), text("node")));
    assert_eq!(info.parameters_bytes(), text("parameters").as_deref().map(str::as_bytes));
    assert_eq!((info.result_bytes(), info.error()), (Some(b"[3]".as_slice()), text("error")));
    assert_eq!(info.pid().map(|pid| pid.to_string()), Some(both.old.pid().to_string()));
    assert!(info.created().unwrap() <= info.updated().unwrap());

    both.old.call("delete", json!({"queue": QUEUE, "id": old}));
    both.queue.task(&new).unwrap().delete().unwrap();
    for id in [old, new] {
        assert_eq!(both.old.status(&id), "absent");
        assert!(both.client.task(&id).unwrap().info().is_err());
    }
    let waits = both.enqueue();
    assert!(both.old.refused("delete", json!({"queue": QUEUE, "id": waits})).contains("ValueError"));
    assert!(both.client.task(&waits).unwrap().delete().is_err(), "both delete finished tasks only");
}

#[test]
fn an_orphan_is_claimed_by_one_side_and_adopted_by_the_other() {
    let mut both = Both::start();
    let (mine, theirs) = (both.enqueue(), both.enqueue());
    let mut dead = both.dead_listener();
    assert_eq!(dead.try_listen().unwrap().unwrap().id().as_str(), mine);
    assert_eq!(both.old.call("claim_orphan", json!({"queue": QUEUE})), json!(mine));
    assert_eq!(both.listen(), json!(theirs));
    let (gone, host) = (both.old.listener(), both.old.host().to_owned());
    let old = std::mem::replace(&mut both.old, crate::old::Old::on_host(&both.server, &host));
    assert_eq!(old.kill(), gone);
    let taken = both.listener().adopt(&gone, both.queue.name(), &theirs.parse().unwrap()).unwrap().unwrap();
    assert_eq!(taken.id().as_str(), theirs);
}

#[test]
fn a_worker_runs_what_a_forking_runner_ran() {
    let mut both = Both::start();
    let id = both.enqueue();
    let client = blueque::Client::builder().for_tests().open(&both.server.url()).unwrap();
    let worker = Worker::builder(&client).queue(QUEUE).unwrap();
    let worker = worker.handle(|numbers: Vec<u32>, _: &blueque::Context| Ok(numbers)).build().unwrap();
    let running = std::thread::spawn({
        let worker = worker.clone();
        move || worker.run()
    });
    eventually("it is complete", || (both.old.status(&id) == "complete").then_some(()));
    assert_eq!(both.old.get(&id)["result"], "[1]");
    worker.stop(blueque::Stop::Drain);
    running.join().unwrap().unwrap();
}
