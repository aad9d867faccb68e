//! Tasks of killed listeners of one side, taken over by listeners of the second side.

use blueque::{Error, ListenerId, Outcome, Status, Submit, TaskId};
use serde_json::json;

use crate::both::{Both, NO_LIMIT, QUEUE, assert_lost, assert_told_lost};
use crate::old::Old;

/// Replaces the old client by a new one; returns the id of the killed client's listener.
fn kill(both: &mut Both) -> ListenerId {
    let next = Old::start(&both.server);
    std::mem::replace(&mut both.old, next).kill()
}

fn adopted_and_completed(both: &mut Both, from: &ListenerId, id: &str) {
    let listener = both.listener();
    let task = TaskId::new(id).unwrap();
    let attempt = listener.adopt(from, both.queue.name(), &task).unwrap().unwrap();
    assert_eq!(attempt.reservation().outcome, Some(Outcome::Lost));
    assert_eq!(both.old.status(id), "reserved");
    attempt.start(1).unwrap();
    both.audit();
    assert_eq!(attempt.complete("done").unwrap(), Outcome::Complete);
    both.audit();
    assert_eq!(both.old.get(id)["result"], json!("\"done\""));
    assert_eq!(both.info(id).losses(), 1);
    both.client.call(&both.client.calls().unregister(both.queue.name(), from)).unwrap();
    both.repair_all();
}

#[test]
fn a_reserved_task_of_a_killed_old_listener_is_adopted() {
    let mut both = Both::start();
    let id = both.enqueue();
    assert_eq!(both.listen(), json!(id));
    let dead = kill(&mut both);
    adopted_and_completed(&mut both, &dead, &id);
}

#[test]
fn a_started_task_of_a_killed_old_listener_is_adopted() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.listen();
    both.old.call("start", json!({ "id": id }));
    let dead = kill(&mut both);
    adopted_and_completed(&mut both, &dead, &id);
}

#[test]
fn a_started_task_of_an_old_listener_that_exits_is_adopted() {
    let mut both = Both::start();
    let id = both.queue.submit("p", Submit::default()).unwrap().id().to_string();
    both.listen();
    both.old.call("start", json!({ "id": id }));
    let next = Old::start(&both.server);
    let dead = std::mem::replace(&mut both.old, next).exit();
    adopted_and_completed(&mut both, &dead, &id);
}

#[test]
fn a_task_popped_by_an_old_listener_that_was_killed_before_its_update_is_adopted() {
    let mut both = Both::start();
    let id = both.enqueue();
    assert_eq!(both.old.call("pop", json!({"queue": QUEUE})), json!(id));
    let dead = kill(&mut both);
    assert_eq!(both.status(&id), Status::Pending);
    adopted_and_completed(&mut both, &dead, &id);
}

#[test]
fn a_task_of_a_living_old_listener_is_not_adopted_from_another() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.listen();
    let dead = both.dead_listener();
    let task = TaskId::new(id.as_str()).unwrap();
    let refused = both.listener().adopt(dead.id(), both.queue.name(), &task);
    assert!(matches!(&refused, Err(Error::State { code: blueque::Code::State, .. })), "{refused:?}");
    assert_eq!(both.status(&id), Status::Reserved);
    both.old.call("start", json!({ "id": id }));
    both.old.call("complete", json!({"id": id, "result": "fine"}));
    assert_eq!(both.status(&id), Status::Complete);
    both.repair_all();
}

#[test]
fn the_old_client_claims_and_completes_a_task_of_a_killed_listener_of_the_crate() {
    let mut both = Both::start();
    let id = both.queue.submit("p", Submit::default()).unwrap().id().to_string();
    let mut dead = both.dead_listener();
    let attempt = dead.try_listen().unwrap().unwrap();
    assert_eq!(both.old.text("claim_orphan", json!({"queue": QUEUE})), id);
    assert_eq!(both.old.call("claim_orphan", json!({"queue": QUEUE})), json!(null));
    both.old.call("start", json!({ "id": id }));
    assert_eq!(both.status(&id), Status::Started);
    both.old.call("complete", json!({"id": id, "result": "fine"}));
    assert_lost(&attempt);

    let orphans = both.expire();
    assert_eq!((orphans.requeued, orphans.failed, orphans.postponed), (0, 0, 0));
    assert!(both.keys("blueque_leases_*").is_empty(), "the lease is dropped");
    assert_lost(&attempt);
    assert_told_lost(&attempt);
    assert_eq!(both.old.get(&id)["result"], json!("fine"));
    assert_eq!(both.status(&id), Status::Complete);
    both.repair_all();
}

#[test]
fn a_task_that_the_old_client_claimed_stays_with_it_when_the_lease_expires() {
    let mut both = Both::start();
    let id = both.queue.submit("p", Submit::default()).unwrap().id().to_string();
    let mut dead = both.dead_listener();
    let attempt = dead.try_listen().unwrap().unwrap();
    both.old.text("claim_orphan", json!({"queue": QUEUE}));
    both.old.call("start", json!({ "id": id }));
    assert_eq!(both.expire().requeued, 0);
    assert_eq!(both.status(&id), Status::Started);
    assert_lost(&attempt);
    assert_told_lost(&attempt);
    both.audit();
    both.old.call("complete", json!({"id": id, "result": "fine"}));
    assert_eq!(both.info(&id).result_bytes().unwrap(), b"fine");
    both.repair_all();
}

#[test]
fn the_forking_runner_of_the_old_client_runs_an_orphan_of_the_crate_and_then_a_new_task() {
    let mut both = Both::start();
    let orphan = both.queue.submit("orphan", Submit::default()).unwrap();
    let mut dead = both.dead_listener();
    let attempt = dead.try_listen().unwrap().unwrap();
    both.old.send("run", json!({"queue": QUEUE}));
    let info = orphan.wait(NO_LIMIT).unwrap();
    assert_eq!(info.result_bytes().unwrap(), b"ran \"orphan\"");
    assert_lost(&attempt);
    let fresh = both.queue.submit("fresh", Submit::default()).unwrap();
    assert_eq!(fresh.wait(NO_LIMIT).unwrap().result_bytes().unwrap(), b"ran \"fresh\"");
    both.expire();
    both.repair_all();
}

#[test]
fn a_started_task_of_the_crate_that_the_old_client_claims_and_leaves_is_requeued() {
    // Blueque's runner only waits for the process of a started orphan.
    let mut both = Both::start();
    let id = both.queue.submit("p", Submit::default()).unwrap().id().to_string();
    let mut dead = both.dead_listener();
    let attempt = dead.try_listen().unwrap().unwrap();
    attempt.start(9).unwrap();
    assert_eq!(both.old.text("claim_orphan", json!({"queue": QUEUE})), id);
    assert_eq!(both.expire().requeued, 1);
    assert_eq!(both.status(&id), Status::Pending);
    assert_lost(&attempt);
    assert_eq!(both.field(&id, "reclaimed_node"), None);
    both.audit();
}

#[test]
fn a_task_that_the_old_client_claimed_is_adopted_only_from_the_one_who_claimed_it() {
    let mut both = Both::start();
    let id = both.queue.submit("p", Submit::default()).unwrap().id().clone();
    let mut dead = both.dead_listener();
    dead.try_listen().unwrap().unwrap();
    both.old.text("claim_orphan", json!({"queue": QUEUE}));
    let listener = both.listener();
    let refused = listener.adopt(dead.id(), both.queue.name(), &id);
    assert!(matches!(&refused, Err(Error::State { code: blueque::Code::State, .. })), "{refused:?}");
    let claimer = kill(&mut both);
    let attempt = listener.adopt(&claimer, both.queue.name(), &id).unwrap().unwrap();
    both.audit();
    attempt.complete("done").unwrap();
    both.repair_all();
}

#[test]
fn a_task_that_was_requeued_and_popped_by_the_old_client_is_lost_for_its_former_owner() {
    let mut both = Both::start();
    let id = both.queue.submit("p", Submit::default()).unwrap().id().to_string();
    let attempt = both.reserve();
    attempt.start(1).unwrap();
    assert_eq!(both.expire().requeued, 1);
    assert_eq!(both.listen(), json!(id));
    assert_lost(&attempt);
    assert_told_lost(&attempt);
    both.old.call("start", json!({ "id": id }));
    assert_lost(&attempt);
    assert_told_lost(&attempt);
    both.audit();
    both.old.call("complete", json!({"id": id, "result": "fine"}));
    assert_lost(&attempt);
    assert_eq!(both.info(&id).result_bytes().unwrap(), b"fine");
    both.repair_all();
}

#[test]
fn a_task_that_the_old_client_failed_and_popped_again_is_lost_for_the_owner_it_was_claimed_from() {
    let mut both = Both::start();
    let id = both.queue.submit("p", Submit::default()).unwrap().id().to_string();
    let mut dead = both.dead_listener();
    let attempt = dead.try_listen().unwrap().unwrap();
    both.old.text("claim_orphan", json!({"queue": QUEUE}));
    both.old.call("start", json!({ "id": id }));
    both.old.call("fail", json!({"id": id, "error": "broken"}));
    both.client.task(&id).unwrap().retry().unwrap();
    assert_eq!(both.listen(), json!(id));
    assert_lost(&attempt);
    assert_eq!(both.expire().requeued, 0);
    assert_eq!(both.status(&id), Status::Reserved);
    both.audit();
}
