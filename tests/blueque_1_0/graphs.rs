//! Tasks that wait for others, next to a client that does not know that state.

use std::collections::BTreeMap;

use blueque::{Graph, Status, Submit};
use serde_json::json;

use crate::both::{Both, QUEUE};
use crate::support::seed;

impl Both {
    /// No list from which a client takes tasks has a task that waits for others.
    fn none_waits_in_a_list(&self) {
        let mut connection = self.server.connection();
        for key in self.keys("blueque_*_tasks_*").into_iter().filter(|key| key != "blueque_waiting_tasks_q") {
            let kind: String = redis::cmd("TYPE").arg(&key).query(&mut connection).unwrap();
            let ids: Vec<String> = match kind.as_str() {
                "list" => redis::cmd("LRANGE").arg(&key).arg(0).arg(-1).query(&mut connection).unwrap(),
                "zset" => redis::cmd("ZRANGE").arg(&key).arg(0).arg(-1).query(&mut connection).unwrap(),
                _ => Vec::new(),
            };
            for id in ids {
                assert_ne!(self.field(&id, "status").as_deref(), Some("waiting"), "{id} is in {key}");
            }
        }
    }

    /// Maintenance for tasks that wait.
    fn pass_on(&self) {
        self.repair(self.later(0.0));
        while self.client.call(&self.client.calls().run_deferred(100)).unwrap().more {}
    }

    fn old_takes(&mut self) -> Option<String> {
        let id = self.listen().as_str()?.to_owned();
        self.old.call("start", json!({ "id": id }));
        Some(id)
    }
}

#[test]
fn an_old_client_never_sees_a_waiting_task_and_its_ends_are_passed_on_by_maintenance() {
    let mut both = Both::start();
    let submit = |id: &str, how: Submit| {
        both.queue.submit_bytes(b"[]", how.id(blueque::TaskId::new(id).unwrap())).unwrap();
    };
    let first = both.queue.submit_bytes(b"[]", Submit::default()).unwrap();
    let up = first.id();
    let how = Submit::default;
    both.queue.submit_bytes(b"", how().id(blueque::TaskId::new("join").unwrap()).result_of(0, up)).unwrap();
    submit("tidy", how().after_failure(up));
    submit("then", how().after_success(&blueque::TaskId::new("join").unwrap()));
    both.none_waits_in_a_list();
    // The record of the waiting task is a hash with a status that the old client does not know.
    assert_eq!(both.old.status("join"), "waiting");
    assert_eq!(both.old_takes().as_deref(), Some(up.as_str()));
    assert!(both.listen().is_null(), "nothing else is pending");
    both.old.call("complete", json!({"id": up.as_str(), "result": "{\"n\":1}"}));
    assert!(both.listen().is_null(), "it does not know who waits");
    assert_eq!(both.status("join"), Status::Waiting);
    both.maintenance(&[]);
    assert_eq!((both.status("join"), both.status("tidy")), (Status::Pending, Status::Cancelled));
    assert_eq!(both.old_takes().as_deref(), Some("join"), "what is ready is anybody's");
    assert_eq!(both.old.get("join")["parameters"], json!("[{\"n\":1}]"));
    both.old.call("fail", json!({"id": "join", "error": "no paper"}));
    both.pass_on();
    assert_eq!(both.status("then"), Status::Failed);
    assert_eq!(both.field("then", "cause").as_deref(), Some("join"));
    both.audit();
    both.client.task("join").unwrap().retry().unwrap();
    both.client.task("then").unwrap().retry().unwrap();
    let attempt = both.reserve();
    assert_eq!(attempt.id().as_str(), "join");
    attempt.complete("2").unwrap();
    assert_eq!(both.old_takes().as_deref(), Some("then"));
    both.old.call("complete", json!({"id": "then", "result": "3"}));
    both.repair_all();
}

#[test]
fn an_upstream_that_an_old_client_deletes_is_missed_by_maintenance() {
    let mut both = Both::start();
    let up = both.enqueue();
    let how = Submit::default().after_success(&blueque::TaskId::new(&up).unwrap());
    let waits = both.queue.submit_bytes(b"[]", how).unwrap();
    assert_eq!(both.old_takes().as_deref(), Some(up.as_str()));
    both.old.call("complete", json!({"id": up, "result": "1"}));
    both.old.call("delete", json!({"queue": QUEUE, "id": up}));
    both.pass_on();
    assert_eq!(both.status(waits.id().as_str()), Status::Failed);
    assert_eq!(both.field(waits.id().as_str(), "error"), Some(format!("{up} was deleted")));
    both.repair_all();
}

/// The client that takes the next task, and the client that does maintenance, are random.
#[test]
fn graphs_run_to_their_end_on_clients_of_both_sorts() {
    let mut random = seed::new();
    let mut below = |limit: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % limit
    };
    let mut both = Both::start();
    let mut joins = BTreeMap::new();
    for number in 0..8 {
        let graph = Graph::new();
        let [left, right] = ["left", "right"].map(|name| graph.task(QUEUE, "work", &number).label(name));
        let join = graph.join(QUEUE, "work").label("join");
        let join = join.result_of(&right).argument(&number).result_of(&left);
        graph.task(QUEUE, "work", &number).after(&join).needs(&left).label("last");
        let made = both.client.submit_graph(&graph).unwrap();
        let id = |name: &str| made.task(name).unwrap().as_str().to_owned();
        joins.insert(id("join"), (id("right"), number, id("left")));
    }
    let mut own = both.listener();
    let (mut by_old, mut by_own) = (0, 0);
    while both.queue.counts().unwrap().complete < 32 {
        assert!(by_old + by_own <= 32, "a task ran twice");
        both.none_waits_in_a_list();
        let result = |id: &str| format!("\"{id}\"");
        match below(5) {
            0 | 1 => {
                if let Some(id) = both.old_takes() {
                    both.old.call("complete", json!({"id": id, "result": result(&id)}));
                    by_old += 1;
                }
            }
            2 | 3 => {
                if let Some(attempt) = own.try_listen().unwrap() {
                    attempt.complete_bytes(result(attempt.id().as_str()).as_bytes()).unwrap();
                    by_own += 1;
                }
            }
            _ => both.pass_on(),
        }
    }
    println!("{by_old} by the old client, {by_own} by the other");
    assert!(by_old > 0 && by_own > 0);
    for (join, (right, number, left)) in joins {
        assert_eq!(both.field(&join, "parameters"), Some(format!("[\"{right}\",{number},\"{left}\"]")));
    }
    both.repair_all();
}
