//! Repairs of everything that the old client leaves behind.

use blueque::{Cancelled, Error, Status, Submit};
use serde_json::json;

use crate::both::{Both, QUEUE, assert_lost};
use crate::old::Old;

#[test]
fn a_task_popped_by_a_killed_listener_goes_back_to_the_front_after_the_grace() {
    let mut both = Both::start();
    let id = both.enqueue();
    let other = both.enqueue();
    assert_eq!(both.old.call("pop", json!({"queue": QUEUE})), json!(id));
    let next = Old::start(&both.server);
    std::mem::replace(&mut both.old, next).kill();

    assert_eq!(both.repair(both.later(0.0)), (2, 1), "both tasks enter the index of all");
    assert_eq!(both.repair(both.later(59.0)), (0, 1));
    assert_eq!(both.queue.list("pending", 10).unwrap(), [other.as_str()]);
    assert_eq!(both.repair(both.later(61.0)), (1, 0));
    assert_eq!(both.queue.list("pending", 10).unwrap(), [id.as_str(), &other]);
    assert!(both.keys("blueque_suspects_*").is_empty());
    both.audit();
    assert_eq!(both.reserve().id().as_str(), id);
}

#[test]
fn a_listener_that_is_only_slow_keeps_its_task() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.old.call("pop", json!({"queue": QUEUE}));
    both.repair(both.later(0.0));
    both.old.call("update", json!({"queue": QUEUE, "id": id}));
    assert_eq!(both.repair(both.later(61.0)), (0, 0));
    assert_eq!(both.status(&id), Status::Reserved);
    assert!(both.keys("blueque_suspects_*").is_empty());
    both.audit();
}

#[test]
fn each_pop_has_a_grace_of_its_own() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.old.call("pop", json!({"queue": QUEUE}));
    assert_eq!(both.repair(both.later(0.0)).1, 1);
    both.old.call("update", json!({"queue": QUEUE, "id": id}));
    both.old.call("start", json!({ "id": id }));
    both.old.call("fail", json!({"id": id, "error": "broken"}));
    both.client.task(&id).unwrap().retry().unwrap();
    both.old.call("pop", json!({"queue": QUEUE}));
    assert_eq!(both.repair(both.later(61.0)), (0, 1), "suspected anew");
    assert_eq!(both.repair(both.later(122.0)), (1, 0));
    both.audit();
}

#[test]
fn a_listener_that_goes_on_after_its_pop_was_undone_holds_the_task_again() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.old.call("pop", json!({"queue": QUEUE}));
    both.repair(both.later(0.0));
    both.repair(both.later(61.0));
    assert_eq!(both.queue.list("pending", 10).unwrap(), [id.as_str()]);
    both.old.call("update", json!({"queue": QUEUE, "id": id}));
    both.old.call("start", json!({ "id": id }));
    both.repair_all();
    assert_eq!(both.status(&id), Status::Started);
    let next = Old::start(&both.server);
    let dead = std::mem::replace(&mut both.old, next).kill();
    let attempt = both.listener().adopt(&dead, both.queue.name(), &blueque::TaskId::new(id).unwrap());
    attempt.unwrap().unwrap().complete("done").unwrap();
    both.repair_all();
}

#[test]
fn a_popped_task_that_the_old_client_claimed_and_left_runs_like_any_other_once_repaired() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.old.call("pop", json!({"queue": QUEUE}));
    let next = Old::start(&both.server);
    std::mem::replace(&mut both.old, next).kill();
    // Blueque's runner does nothing with an orphan that is still pending.
    assert_eq!(both.old.text("claim_orphan", json!({"queue": QUEUE})), id);
    both.repair(both.later(0.0));
    assert_eq!(both.repair(both.later(61.0)), (1, 0));
    both.reserve();
    assert_eq!(both.expire().requeued, 1, "its lease is an ordinary one");
    both.audit();
}

#[test]
fn a_cancel_that_the_old_owner_never_hears_of_leaves_nothing_once_repaired() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.listen();
    let task = both.client.task(&id).unwrap();
    assert_eq!(task.cancel("stop").unwrap(), Cancelled::Requested);
    both.old.call("start", json!({ "id": id }));
    both.old.call("complete", json!({"id": id, "result": "fine"}));
    both.repair_all();
    assert_eq!(both.status(&id), Status::Complete);
    assert!(!both.info(&id).is_cancelling());
    assert!(both.keys("blueque_orders_*").is_empty());
}

#[test]
fn an_orphan_of_the_old_client_whose_cancel_was_asked_for_is_cancelled_when_adopted() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.listen();
    both.client.task(&id).unwrap().cancel("stop").unwrap();
    let next = Old::start(&both.server);
    let dead = std::mem::replace(&mut both.old, next).kill();
    let id = blueque::TaskId::new(id).unwrap();
    assert!(both.listener().adopt(&dead, both.queue.name(), &id).unwrap().is_none());
    assert_eq!(both.status(id.as_str()), Status::Cancelled);
    both.audit();
}

#[test]
fn a_task_that_was_cut_off_and_completed_by_the_old_client_all_the_same_is_complete() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.listen();
    both.old.call("start", json!({ "id": id }));
    assert_eq!(both.client.task(&id).unwrap().cancel_now("stop").unwrap(), Cancelled::Done);
    both.audit();
    both.old.call("complete", json!({"id": id, "result": "fine"}));
    both.repair_all();
    assert_eq!(both.status(&id), Status::Complete);
    let counts = both.queue.counts().unwrap();
    assert_eq!((counts.complete, counts.cancelled), (1, 0));
}

#[test]
fn what_a_late_update_makes_of_a_deleted_task_is_removed() {
    let mut both = Both::start();
    for repaired_by_retention in [false, true] {
        let id = both.enqueue();
        assert_eq!(both.listen(), json!(id));
        both.old.call("start", json!({ "id": id }));
        let task = both.client.task(&id).unwrap();
        let late = both.old.get(&id);
        task.cancel_now("stop").unwrap();
        task.delete().unwrap();
        assert!(matches!(task.info(), Err(Error::NotFound)));
        both.old.call("late_complete", json!({"queue": QUEUE, "id": id, "node": late["node"], "pid": late["pid"]}));
        assert_eq!(both.queue.list("complete", 10).unwrap(), [id.as_str()]);
        if repaired_by_retention {
            assert_eq!(both.queue.prune(Some(0), None).unwrap().deleted, 1);
        } else {
            assert_eq!(both.repair(both.later(0.0)), (1, 0));
        }
        assert!(both.keys("blueque_task_*").is_empty());
        both.audit();
    }
}

#[test]
fn retention_deletes_finished_tasks_of_the_old_client() {
    let mut both = Both::start();
    let ids: Vec<String> = (0..3).map(|_| both.enqueue()).collect();
    for id in &ids {
        both.listen();
        both.old.call("start", json!({ "id": id }));
        both.old.call("complete", json!({"id": id, "result": ""}));
    }
    both.old.call("delete", json!({"queue": QUEUE, "id": ids[0]}));
    both.queue.submit("p", Submit::default()).unwrap();
    assert_eq!(both.queue.prune(Some(1), None).unwrap().deleted, 1);
    assert_eq!(both.queue.list("complete", 10).unwrap(), [ids[2].as_str()]);
    both.repair_all();
}

#[test]
fn the_list_of_a_listener_whose_hostname_has_an_underscore_is_told_from_those_of_another_queue() {
    // `reserved_tasks_q_my_host_PID` may be of queue `q` or of queue `q_my`.
    let mut both = Both::start();
    let mut old = Old::on_host(&both.server, "my_host");
    let id = both.enqueue();
    let kept = both.enqueue();
    old.call("pop", json!({"queue": QUEUE}));
    assert_eq!(old.call("listen", json!({"queue": QUEUE})), json!(kept));
    let other = both.client.queue("q_my").unwrap();
    for (seconds, found) in [(0.0, (2, 1)), (61.0, (1, 0))] {
        let now = both.later(seconds);
        let call = both.client.calls().repair(other.name(), "", 100, &blueque::calls::RepairOptions::new()).at(now);
        let step = both.client.call(&call).unwrap();
        assert_eq!((step.repaired, step.suspected), (0, 0), "nothing of another queue");
        assert_eq!(both.repair(now), found);
    }
    assert_eq!(both.queue.list("pending", 10).unwrap(), [id.as_str()]);
    assert_eq!(both.queue.list("reserved", 10).unwrap(), [kept.as_str()]);
    both.audit();
    let refused = blueque::ListenerId::new(format!("my_host_{}", old.pid()));
    assert_eq!(refused.unwrap_err().code(), Some(blueque::Code::BadName), "so it cannot be adopted from");
    assert_eq!(both.client.task(&kept).unwrap().cancel_now("its host is gone").unwrap(), Cancelled::Done);
    both.client.task(&kept).unwrap().retry().unwrap();
    both.audit();
}

#[test]
fn a_task_that_a_slow_listener_completes_after_its_pop_was_undone_stays_complete() {
    let mut both = Both::start();
    let id = both.enqueue();
    both.old.call("pop", json!({"queue": QUEUE}));
    both.repair(both.later(0.0));
    both.repair(both.later(61.0));
    let attempt = both.reserve();
    attempt.start(9).unwrap();
    both.old.call("update", json!({"queue": QUEUE, "id": id}));
    both.old.call("start", json!({ "id": id }));
    both.old.call("complete", json!({"id": id, "result": "fine"}));
    assert_lost(&attempt);
    let orphans = both.expire();
    assert_eq!((orphans.requeued, orphans.failed), (0, 0));
    assert!(both.keys("blueque_leases_*").is_empty());
    both.repair_all();
    assert_eq!(both.info(&id).result_bytes().unwrap(), b"fine");
}
