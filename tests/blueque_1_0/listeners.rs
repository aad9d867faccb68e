//! Listeners of both sides on one queue.

use blueque::QueueInfo;
use serde_json::json;

use crate::both::{Both, QUEUE};

/// Blueque's own count.
fn score(both: &Both) -> i64 {
    redis::cmd("ZSCORE").arg("blueque_queues").arg(QUEUE).query(&mut both.server.connection()).unwrap()
}

/// The listeners that take tasks, as `queues` counts them.
fn present(both: &Both) -> u64 {
    let queues: Vec<QueueInfo> = both.client.queues().unwrap();
    assert_eq!((queues.len(), queues[0].name.as_str()), (1, QUEUE));
    queues[0].listeners
}

#[test]
fn both_sides_see_each_others_listeners_and_count_them_alike() {
    let mut both = Both::start();
    both.enqueue();
    assert_eq!((score(&both), present(&both)), (0, 0));
    let name = both.old.text("register", json!({"queue": QUEUE}));
    assert_eq!(name, both.old.listener().as_str());
    assert_eq!((score(&both), present(&both)), (1, 1));
    let listener = both.dead_listener();
    assert_eq!((score(&both), present(&both)), (2, 2));

    let infos = both.queue.listeners().unwrap();
    let old = infos.iter().find(|info| info.id == name).unwrap();
    assert_eq!((old.seen, old.held), (None, 0), "an old client is never heard of");
    let new = infos.iter().find(|info| info.id == listener.id().as_str()).unwrap();
    assert!(new.seen.is_some());
    let (host, pid) = listener.id().as_str().split_once('_').unwrap();
    let seen = both.old.call("seen_listeners", json!({"queue": QUEUE}));
    assert!(seen.as_array().unwrap().contains(&json!([host, pid.parse::<u32>().unwrap()])), "{seen}");

    let call =
        both.client.calls().register(both.queue.name(), &both.old.listener(), &blueque::calls::RegisterOptions::new());
    both.client.call(&call).unwrap();
    assert_eq!((score(&both), present(&both)), (2, 2), "registered before, by the other side");
    both.client.call(&both.client.calls().unregister(both.queue.name(), &both.old.listener())).unwrap();
    assert_eq!((score(&both), present(&both)), (1, 1));
    assert_eq!(both.old.call("unregister", json!({"queue": QUEUE})), json!(0));
    assert_eq!((score(&both), present(&both)), (1, 1));
    listener.unregister().unwrap();
    assert_eq!((score(&both), present(&both)), (0, 0));
    assert_eq!(both.queue.listeners().unwrap(), []);
}

#[test]
fn the_old_client_removes_a_dead_listener_of_the_crate_which_counts_once() {
    let mut both = Both::start();
    let listener = both.dead_listener();
    both.old.text("register", json!({"queue": QUEUE}));
    assert_eq!(both.old.call("claim_orphan", json!({"queue": QUEUE})), json!(null), "it held nothing");
    assert_eq!((score(&both), present(&both)), (1, 1));
    listener.unregister().unwrap();
    assert_eq!((score(&both), present(&both)), (1, 1));
}

#[test]
fn a_listener_that_its_process_added_twice_is_counted_right_once_repaired() {
    let mut both = Both::start();
    for _ in 0..2 {
        both.old.text("add", json!({"queue": QUEUE}));
    }
    assert_eq!((score(&both), present(&both)), (2, 1), "Blueque counts it each time");
    assert_eq!(both.repair(both.later(0.0)), (0, 1));
    assert_eq!(both.repair(both.later(61.0)), (1, 0));
    assert_eq!(score(&both), 1);
    both.repair_all();
}

#[test]
fn listeners_of_both_sides_take_each_task_once() {
    let mut both = Both::start();
    let first = both.enqueue();
    let second = both.enqueue();
    let mut listener = both.listener();
    assert_eq!(listener.try_listen().unwrap().unwrap().id().as_str(), first);
    assert_eq!(both.old.call("listen", json!({"queue": QUEUE})), json!(second));
    assert!(listener.try_listen().unwrap().is_none());
    assert_eq!(both.old.call("listen", json!({"queue": QUEUE})), json!(null));
    both.repair_all();
}
