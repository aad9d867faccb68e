//! Tasks that cross sides: the old client creates them and the crate handles them, or the reverse.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use blueque::calls::{NewTask, TaskOptions};
use blueque::{Cancelled, Error, Outcome, Status, Submit, TaskId};
use serde_json::json;

use crate::both::{Both, NO_LIMIT, QUEUE};

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

/// A time as a client without scripts writes it, in whole seconds.
fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap().as_secs()
}

#[test]
fn the_crate_completes_a_task_of_the_old_client_which_reads_the_result() {
    let mut both = Both::start();
    let id = both.old.text("enqueue", json!({"queue": QUEUE, "parameters": "[\"movie\", 17]"}));
    let attempt = both.reserve();
    assert_eq!(attempt.id().as_str(), id);
    assert_eq!(attempt.parameters::<(String, u32)>().unwrap(), ("movie".into(), 17));
    assert_eq!(both.old.status(&id), "reserved");
    attempt.start(4321).unwrap();
    let seen = both.old.get(&id);
    assert_eq!((&seen["status"], &seen["pid"]), (&json!("started"), &json!(4321)));
    assert_eq!(attempt.complete("done").unwrap(), Outcome::Complete);
    let seen = both.old.get(&id);
    assert_eq!(
        (&seen["status"], &seen["result"], &seen["queue"]),
        (&json!("complete"), &json!("\"done\""), &json!(QUEUE))
    );
    both.audit();
}

#[test]
fn the_crate_fails_a_task_of_the_old_client_which_reads_the_error() {
    let mut both = Both::start();
    let id = both.enqueue();
    let attempt = both.reserve();
    attempt.start(1).unwrap();
    attempt.fail("no space").unwrap();
    let seen = both.old.get(&id);
    assert_eq!((&seen["status"], &seen["error"]), (&json!("failed"), &json!("no space")));
    both.audit();
    both.old.call("delete", json!({"queue": QUEUE, "id": id}));
    both.repair_all();
    assert!(both.all().is_empty());
}

#[test]
fn the_crate_promotes_what_the_old_client_scheduled() {
    let mut both = Both::start();
    let eta = both.later(1000.0);
    let id = both.old.text("schedule", json!({"queue": QUEUE, "parameters": "[1]", "eta": seconds(eta)}));
    assert_eq!(both.status(&id), Status::Scheduled);
    assert_eq!(both.queue.list("scheduled", 10).unwrap(), [id.as_str()]);
    let early = both.queue.promote().unwrap();
    assert_eq!((early.promoted, early.next.map(seconds)), (0, Some(seconds(eta))));
    let call = both.client.calls().promote(both.queue.name(), 500).at(both.later(1001.0));
    assert_eq!(both.client.call(&call).unwrap().promoted, 1);
    assert_eq!(both.old.status(&id), "pending");
    both.audit();
    both.reserve().complete("done").unwrap();
    both.audit();
}

#[test]
fn the_old_client_promotes_what_the_crate_scheduled() {
    let mut both = Both::start();
    // Due long ago for a client that takes the real time, but not at the time of the submit.
    let id = TaskId::new("due").unwrap();
    let late = TaskId::new("late").unwrap();
    let later = both.later(1000.0);
    let tasks = [NewTask::new(&id, b"p").eta(Some(at(2000))), NewTask::new(&late, b"p").eta(Some(later))];
    both.client
        .call(&both.client.calls().submit(both.queue.name(), &tasks, &TaskOptions::default()).at(at(1000)))
        .unwrap();
    assert_eq!(both.old.status("due"), "scheduled");
    both.old.call("enqueue_due_tasks", json!({"queue": QUEUE}));
    assert_eq!((both.status("due"), both.status("late")), (Status::Pending, Status::Scheduled));
    both.audit();
    assert_eq!(both.reserve().id(), &id);
}

#[test]
fn the_old_client_does_not_promote_what_limits_needs_and_priorities_bind() {
    let mut both = Both::start();
    let choices = [
        ("keyed", TaskOptions::default().key("k")),
        ("needy", TaskOptions::default().needs("gpu")),
        ("urgent", TaskOptions::default().priority(5)),
        ("plain", TaskOptions::default()),
    ];
    for (name, options) in choices {
        let id = TaskId::new(name).unwrap();
        let tasks = [NewTask::new(&id, b"p").eta(Some(at(2000)))];
        both.client.call(&both.client.calls().submit(both.queue.name(), &tasks, &options).at(at(1000))).unwrap();
    }
    both.old.call("enqueue_due_tasks", json!({"queue": QUEUE}));
    let status = ["keyed", "needy", "urgent", "plain"].map(|id| both.status(id));
    assert_eq!(status, [Status::Scheduled, Status::Scheduled, Status::Scheduled, Status::Pending]);
    assert_eq!(both.listen(), json!("plain"));
    both.audit();
}

#[test]
fn the_old_client_listens_starts_completes_fails_and_deletes_tasks_of_the_crate() {
    let mut both = Both::start();
    let good = both.queue.submit("good", Submit::default()).unwrap().id().to_string();
    let bad = both.queue.submit("bad", Submit::default()).unwrap().id().to_string();
    for id in [&good, &bad] {
        assert_eq!(both.listen(), json!(id), "first in, first out");
        both.audit();
        both.old.call("start", json!({ "id": id }));
        assert_eq!(both.status(id), Status::Started);
        assert_eq!(both.info(id).node().unwrap(), both.old.listener().as_str());
        both.audit();
    }
    both.old.call("complete", json!({"id": good, "result": "fine"}));
    both.old.call("fail", json!({"id": bad, "error": "broken"}));
    both.audit();
    assert_eq!(both.info(&good).result_bytes().unwrap(), b"fine");
    assert_eq!(both.info(&bad).error().unwrap(), "broken");
    assert_eq!((both.status(&good), both.status(&bad)), (Status::Complete, Status::Failed));

    for id in [&good, &bad] {
        both.old.call("delete", json!({"queue": QUEUE, "id": id}));
        assert!(matches!(both.client.task(id).unwrap().info(), Err(Error::NotFound)));
    }
    assert_eq!(both.all().len(), 2, "the old client does not know the index of all tasks");
    assert_eq!(both.repair(both.later(0.0)), (2, 0));
    assert!(both.all().is_empty());
    both.audit();
}

#[test]
fn a_task_that_the_old_client_failed_is_retried_by_the_crate() {
    let mut both = Both::start();
    let id = both.queue.submit("p", Submit::default()).unwrap().id().to_string();
    both.listen();
    both.old.call("start", json!({ "id": id }));
    both.old.call("fail", json!({"id": id, "error": "broken"}));
    both.client.task(&id).unwrap().retry().unwrap();
    let seen = both.old.get(&id);
    assert_eq!((&seen["status"], &seen["error"], &seen["pid"]), (&json!("pending"), &json!(null), &json!(null)));
    both.reserve().complete("done").unwrap();
    both.audit();
}

#[test]
fn the_crate_cancels_lists_counts_and_deletes_tasks_of_the_old_client() {
    let mut both = Both::start();
    let ids: Vec<String> = (0..4).map(|_| both.enqueue()).collect();
    let eta = both.later(1000.0);
    let scheduled = both.old.text("schedule", json!({"queue": QUEUE, "parameters": "[1]", "eta": seconds(eta)}));
    for id in [&ids[0], &ids[1]] {
        assert_eq!(both.listen(), json!(id));
    }
    both.old.call("start", json!({"id": ids[1]}));

    let counts = both.queue.counts().unwrap();
    assert_eq!((counts.scheduled, counts.pending, counts.reserved, counts.started, counts.listeners), (1, 2, 1, 1, 1));
    assert_eq!(both.queue.list("pending", 10).unwrap(), [ids[2].as_str(), &ids[3]]);
    assert_eq!(both.queue.list("reserved", 10).unwrap(), [ids[0].as_str()]);
    assert_eq!(both.queue.list("started", 10).unwrap(), [ids[1].as_str()]);

    for id in [&ids[2], &scheduled] {
        assert_eq!(both.client.task(id).unwrap().cancel("not needed").unwrap(), Cancelled::Done);
        assert_eq!(both.old.status(id), "cancelled");
        let refused = both.old.refused("delete", json!({"queue": QUEUE, "id": id}));
        assert!(refused.contains("Cannot delete"), "{refused}");
    }
    both.old.call("complete", json!({"id": ids[1], "result": "fine"}));
    for id in [&ids[1], &ids[2], &scheduled] {
        both.client.task(id).unwrap().delete().unwrap();
        assert_eq!(both.old.status(id), "absent");
    }
    both.repair_all();
    let left: BTreeSet<String> = both.all().into_iter().collect();
    assert_eq!(left, BTreeSet::from([ids[0].clone(), ids[3].clone()]));
}

#[test]
fn a_task_of_the_old_client_enters_the_index_when_it_is_touched_or_repaired() {
    let mut both = Both::start();
    let ids: Vec<String> = (0..6).map(|_| both.enqueue()).collect();
    let eta = both.later(1000.0);
    let scheduled = both.old.text("schedule", json!({"queue": QUEUE, "parameters": "[1]", "eta": seconds(eta)}));
    assert!(both.all().is_empty());
    assert_eq!(both.reserve().id().as_str(), ids[0]);
    assert_eq!(both.all(), [ids[0].as_str()]);
    both.client.task(&ids[1]).unwrap().cancel("").unwrap();
    assert_eq!(both.all(), [ids[0].as_str(), &ids[1]], "by time of creation");

    // Tasks in each state that the old client knows, none of them touched by the crate.
    for id in &ids[2..5] {
        assert_eq!(both.listen(), json!(id));
        both.old.call("start", json!({ "id": id }));
    }
    both.old.call("complete", json!({"id": ids[2], "result": ""}));
    both.old.call("fail", json!({"id": ids[3], "error": ""}));
    let now = both.later(0.0);
    assert_eq!(both.repair(now), (6, 0), "five indexed, one failure grouped");
    assert_eq!(both.repair(now), (0, 0));
    let mut every = ids.clone();
    every.push(scheduled);
    assert_eq!(both.all(), every);
    both.audit();
}

#[test]
fn the_old_client_reads_every_record_that_the_crate_leaves() {
    let mut both = Both::start();
    let mut seen = BTreeSet::new();
    let mut look = |both: &mut Both, id: &str, status: &str| {
        let task = both.old.get(id);
        assert_eq!(task["status"], json!(status), "{id}");
        assert_eq!(task["queue"], json!(QUEUE));
        assert!(task["created"].as_f64().unwrap() > 1e9 && task["updated"].as_f64().unwrap() > 1e9, "{task}");
        let started = status == "started";
        assert!(!started || task["pid"] == json!(9), "{task}");
        seen.insert(status.to_owned());
    };
    let submit = |both: &Both| both.queue.submit("p", Submit::default()).unwrap();

    let eta = std::time::SystemTime::now() + std::time::Duration::from_secs(1000);
    let task = both.queue.submit("p", Submit::default().eta(eta)).unwrap();
    look(&mut both, task.id().as_str(), "scheduled");
    task.cancel("not needed").unwrap();
    look(&mut both, task.id().as_str(), "cancelled");
    task.retry().unwrap();
    look(&mut both, task.id().as_str(), "pending");

    let attempt = both.reserve();
    look(&mut both, attempt.id().as_str(), "reserved");
    attempt.start(9).unwrap();
    attempt.progress("half").unwrap();
    attempt.checkpoint("half").unwrap();
    look(&mut both, attempt.id().as_str(), "started");
    attempt.release().unwrap();
    look(&mut both, attempt.id().as_str(), "pending");

    let attempt = both.reserve();
    attempt.start(9).unwrap();
    task.cancel("stop").unwrap();
    look(&mut both, task.id().as_str(), "started");
    attempt.release().unwrap();
    look(&mut both, task.id().as_str(), "cancelled");
    task.retry_fresh().unwrap();
    both.reserve().fail("broken").unwrap();
    look(&mut both, task.id().as_str(), "failed");
    task.retry().unwrap();
    both.reserve().complete("done").unwrap();
    look(&mut both, task.id().as_str(), "complete");

    let lost = submit(&both);
    let attempt = both.reserve();
    attempt.start(9).unwrap();
    assert_eq!(both.expire().requeued, 1);
    look(&mut both, lost.id().as_str(), "pending");
    let adopted = both.dead_listener().try_listen().unwrap().unwrap();
    adopted.start(9).unwrap();
    let from = both.info(lost.id().as_str()).node().unwrap();
    let from = blueque::ListenerId::new(from).unwrap();
    let again = both.listener().adopt(&from, both.queue.name(), lost.id()).unwrap().unwrap();
    look(&mut both, lost.id().as_str(), "reserved");
    again.start(9).unwrap();
    look(&mut both, lost.id().as_str(), "started");
    lost.cancel_now("stop").unwrap();
    look(&mut both, lost.id().as_str(), "cancelled");
    assert_eq!(seen.len(), 7, "every state: {seen:?}");
    both.audit();
}

#[test]
fn errors_are_plain_text_and_results_json_and_each_side_reads_both() {
    let mut both = Both::start();
    let text = "no such codec: \u{e9} \"x\"\nsecond line";
    for theirs in [false, true] {
        let (good, bad) = (both.enqueue(), both.enqueue());
        if theirs {
            for id in [&good, &bad] {
                assert_eq!(both.listen(), json!(id));
                both.old.call("start", json!({ "id": id }));
            }
            both.old.call("complete", json!({"id": good, "result": "[1,\"a\"]"}));
            both.old.call("fail", json!({"id": bad, "error": text}));
        } else {
            both.reserve().complete(&(1, "a")).unwrap();
            both.reserve().fail(text).unwrap();
        }
        assert_eq!(both.info(&bad).error().unwrap(), text);
        assert_eq!(both.client.task(&good).unwrap().result::<(u8, String)>(NO_LIMIT).unwrap(), (1, "a".into()));
        assert_eq!(both.old.get(&bad)["error"], json!(text));
        let result = both.old.get(&good)["result"].as_str().unwrap().to_owned();
        assert_eq!(serde_json::from_str::<(u8, String)>(&result).unwrap(), (1, "a".into()));
    }
}

#[test]
fn a_task_has_an_error_and_an_eta_only_where_blueque_has_them() {
    let mut both = Both::start();
    let how = Submit::default().max_failures(2).delay(std::time::Duration::from_secs(5)).jitter(0);
    let id = both.queue.submit("p", how).unwrap().id().to_string();
    both.reserve().fail("first").unwrap();
    assert_eq!((both.old.status(&id).as_str(), both.old.get(&id)["error"].clone()), ("scheduled", json!(null)));
    let call = both.client.calls().promote(both.queue.name(), 10).at(both.later(6.0));
    assert_eq!(both.client.call(&call).unwrap().promoted, 1);
    assert_eq!((both.field(&id, "eta"), both.field(&id, "error")), (None, None));
    both.reserve().complete("done").unwrap();
    assert_eq!((both.old.get(&id)["error"].clone(), both.field(&id, "last_error")), (json!(null), None));
}
