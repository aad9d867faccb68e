//! Old clients claim tasks from one another, and a worker of the crate handles these tasks.

use blueque::{ListenerId, Status, Submit};
use serde_json::json;

use crate::both::{Both, QUEUE};
use crate::old::Old;

/// Kills the old client, and starts a new client in its place.
fn die(both: &mut Both) -> ListenerId {
    let next = Old::start(&both.server);
    std::mem::replace(&mut both.old, next).kill()
}

/// Another old client claims what the first one held, and a third one takes its place.
fn claimed(both: &mut Both, id: &str) -> Old {
    die(both);
    assert_eq!(both.old.text("claim_orphan", json!({"queue": QUEUE})), id);
    let next = Old::start(&both.server);
    std::mem::replace(&mut both.old, next)
}

fn pending(both: &Both, id: &str) {
    let info = both.info(id);
    assert_eq!((info.status(), info.losses()), (Some(Status::Pending), 1));
    both.repair_all();
    assert!(both.keys("blueque_claims_*").is_empty());
    assert_eq!(both.reserve().id().as_str(), id);
}

#[test]
fn a_task_that_a_dead_old_client_claimed_is_taken_back() {
    for (started, removed) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut both = Both::start();
        let id = both.enqueue();
        both.listen();
        if started {
            both.old.call("start", json!({ "id": id }));
        }
        let claimer = claimed(&mut both, &id).kill();
        if removed {
            // The claimer held no task itself: a search for orphans removes it, and then no listener of its name is
            // known.
            assert_eq!(both.old.call("claim_orphan", json!({"queue": QUEUE})), json!(null));
            let known = both.queue.listeners().unwrap();
            assert!(known.iter().all(|listener| listener.id != claimer.as_str()), "{known:?}");
        }
        both.maintenance(&[]);
        pending(&both, &id);
    }
}

#[test]
fn a_living_claimer_keeps_a_task_that_it_is_about_to_run_or_runs() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.listen();
    let mut claimer = claimed(&mut both, &id);
    both.maintenance(&[]);
    assert_eq!(both.status(&id), Status::Reserved);
    claimer.call("start", json!({ "id": id }));
    both.maintenance(&[]);
    assert_eq!(both.status(&id), Status::Started);
    claimer.call("complete", json!({"id": id, "result": "fine"}));
    both.maintenance(&[]);
    both.repair_all();
    assert_eq!(both.info(&id).result_bytes().unwrap(), b"fine");
    assert!(both.keys("blueque_claims_*").is_empty());
}

#[test]
fn a_started_task_whose_process_is_dead_is_taken_back_from_a_living_claimer() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.listen();
    both.old.call("start", json!({ "id": id }));
    let _claimer = claimed(&mut both, &id); // the client only waits for the process
    both.maintenance(&[]);
    pending(&both, &id);
}

#[test]
fn a_task_reserved_here_and_claimed_by_an_old_client_that_dies_is_taken_back() {
    let mut both = Both::start();
    let id = both.queue.submit("p", Submit::default()).unwrap().id().to_string();
    let mut dead = both.dead_listener();
    dead.try_listen().unwrap().unwrap();
    both.old.text("claim_orphan", json!({"queue": QUEUE}));
    die(&mut both);
    both.expire();
    assert_eq!(both.status(&id), Status::Reserved, "by its lease alone it stays with the claimer");
    both.maintenance(&[]);
    pending(&both, &id);
}

#[test]
fn what_a_claimer_leaves_of_several_tasks_is_taken_back_after_the_grace() {
    // `claim_orphan` removes the listener and one of its tasks.
    let mut both = Both::start();
    let left = both.enqueue();
    let taken = both.enqueue();
    both.listen();
    both.listen();
    let claimer = claimed(&mut both, &taken);
    both.maintenance(&[]);
    assert_eq!((both.status(&left), both.status(&taken)), (Status::Reserved, Status::Reserved));
    both.repair(both.later(0.0));
    both.repair(both.later(61.0));
    both.maintenance(&[]);
    assert_eq!((both.status(&left), both.status(&taken)), (Status::Pending, Status::Reserved));
    claimer.kill();
    both.maintenance(&[]);
    assert_eq!((both.status(&left), both.status(&taken)), (Status::Pending, Status::Pending));
    both.repair_all();
}

#[test]
fn orphans_of_an_old_client_are_taken_back_by_any_name_of_the_host() {
    let mut both = Both::start();
    let mut named = Old::on_host(&both.server, "vm.example.org");
    let id = both.enqueue();
    assert_eq!(named.call("listen", json!({"queue": QUEUE})), json!(id));
    named.call("start", json!({ "id": id }));
    named.kill();
    both.maintenance(&["another.example.org"]);
    assert_eq!(both.status(&id), Status::Started, "the process may live on another machine");
    both.maintenance(&["vm.example.org"]);
    pending(&both, &id);
}

#[test]
fn a_listener_that_an_old_client_took_off_by_mistake_keeps_what_it_holds() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.listen();
    let call = both.client.calls().unregister(both.queue.name(), &both.old.listener());
    assert_eq!(both.client.call(&call).unwrap_err().code(), Some(blueque::Code::Held));
    let removed: u32 = redis::cmd("SREM")
        .arg("blueque_listeners_q")
        .arg(both.old.listener().as_str())
        .query(&mut both.server.connection())
        .unwrap();
    assert_eq!(removed, 1);
    both.repair(both.later(0.0));
    both.repair(both.later(61.0));
    both.maintenance(&[]);
    assert_eq!(both.status(&id), Status::Reserved, "its process lives");
    both.old.call("start", json!({ "id": id }));
    both.old.call("complete", json!({"id": id, "result": "fine"}));
    both.repair_all();
    assert_eq!(both.info(&id).result_bytes().unwrap(), b"fine");
}
