//! Queues by pattern: what a listener and a worker take, when they see new queues, and what they leave alone.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use blueque::{Client, Code, Context, ListenerId, Maintenance, Pattern, QueueOrder, Status, Stop, Submit, Worker};
use support::{Server, eventually};

const LIMIT: Duration = Duration::from_secs(60);

/// Less than half a minute, after which a listener that is not woken looks by itself.
const WOKEN: Duration = Duration::from_secs(20);

fn id(process: u32) -> ListenerId {
    ListenerId::of_process("host", process)
}

/// The queues of the tasks that a listener takes one after another, until there is none.
fn taken(listener: &mut blueque::Listener) -> Vec<String> {
    let mut queues = Vec::new();
    while let Some(processor) = listener.try_listen().unwrap() {
        queues.push(processor.reservation().queue.to_string());
        processor.complete(&()).unwrap();
    }
    queues
}

#[test]
fn a_listener_takes_tasks_of_all_queues_that_match_and_of_no_others() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let submit = |queue: &str| drop(client.queue(queue).unwrap().submit("x", Submit::default()).unwrap());
    ["video-b", "video-a", "video-test", "audio"].into_iter().for_each(submit);
    let mut listener = client.listener_as(id(1), &["video-*", "!video-test"]).unwrap();
    assert_eq!(taken(&mut listener), ["video-a", "video-b"]);
    ["video-c", "video-test"].into_iter().for_each(submit);
    assert_eq!(taken(&mut listener), ["video-c"], "a new queue");
    listener.unregister().unwrap();
    assert!(client.queues().unwrap().iter().all(|queue| queue.listeners == 0));
    let refused = client.listener_as(id(2), &["!a"]).unwrap_err();
    assert_eq!(refused.code(), Some(Code::BadArgument), "{refused}");
    assert!(client.listener_as(id(2), &["a b"]).is_err());
}

#[test]
fn turns_and_weights_are_those_of_the_patterns() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let submit = |queue: &str| {
        let queue = client.queue(queue).unwrap();
        (0..6).for_each(|_| drop(queue.submit("x", Submit::default()).unwrap()));
    };
    ["bulk-1", "bulk-2", "urgent"].into_iter().for_each(submit);
    let weights = QueueOrder::Weighted(vec![2, 1, 1]);
    let mut listener = client.listener_as(id(1), &["urgent*", "!nothing", "bulk-*"]).unwrap().order(weights);
    let mut first = BTreeMap::<String, u32>::new();
    for _ in 0..8 {
        let processor = listener.try_listen().unwrap().unwrap();
        *first.entry(processor.reservation().queue.to_string()).or_default() += 1;
        processor.complete(&()).unwrap();
    }
    assert_eq!(first, BTreeMap::from([("bulk-1".into(), 2), ("bulk-2".into(), 2), ("urgent".into(), 4)]));
}

#[test]
fn of_more_queues_than_one_call_asks_all_are_served_in_each_order() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    for order in [QueueOrder::Strict, QueueOrder::Round] {
        for n in 0..70 {
            let queue = client.queue(&format!("q{n:02}")).unwrap();
            queue.submit("x", Submit::default()).unwrap();
            if n < 40 {
                queue.configure("concurrency", Some("1")).unwrap();
            }
        }
        // Queues at their limit do not hide further queues.
        let mut holder = client.listener_as(id(1), &["q*"]).unwrap().order(order.clone());
        let mut held = Vec::new();
        let mut queues = Vec::new();
        while let Some(processor) = holder.try_listen().unwrap() {
            queues.push(processor.reservation().queue.to_string());
            held.push(processor);
        }
        queues.sort();
        queues.dedup();
        assert_eq!(queues.len(), 70, "{order:?}");
        for processor in held {
            processor.complete(&()).unwrap();
        }
    }
}

#[test]
fn a_sleeping_listener_is_woken_by_a_new_queue_if_its_patterns_match() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let blocked = |number: u32| {
        eventually("they wait", || {
            let info: String = redis::cmd("INFO").arg("clients").query(&mut server.connection()).unwrap();
            info.contains(&format!("blocked_clients:{number}\r")).then_some(())
        });
    };
    let mut listeners = Vec::new();
    for (number, pattern) in (1..).zip(["a*", "b*", "b*", "c*"]) {
        let mut listener = client.listener_as(id(number), &[pattern]).unwrap();
        listeners.push(thread::spawn(move || {
            let begun = listener.listen(LIMIT).unwrap().map(|processor| processor.reservation().queue.to_string());
            (begun, listener)
        }));
        blocked(number);
    }
    let begun = Instant::now();
    for queue in ["c1", "b1", "b2", "a1"] {
        client.queue(queue).unwrap().submit("x", Submit::default()).unwrap();
    }
    let mut taken: Vec<String> = listeners.into_iter().map(|listener| listener.join().unwrap().0.unwrap()).collect();
    taken.sort();
    assert_eq!(taken, ["a1", "b1", "b2", "c1"]);
    assert!(begun.elapsed() < WOKEN, "found by a later look: {:?}", begun.elapsed());
}

#[test]
fn queues_that_are_paused_or_at_their_limit_let_a_listener_sleep_and_wake_it_later() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let (paused, full) = (client.queue("a").unwrap(), client.queue("b").unwrap());
    paused.submit("x", Submit::default()).unwrap();
    full.configure("concurrency", Some("1")).unwrap();
    (0..2).for_each(|_| drop(full.submit("x", Submit::default()).unwrap()));
    paused.pause("me", "").unwrap();
    let mut listener = client.listener_as(id(1), &["*"]).unwrap();
    let first = listener.try_listen().unwrap().unwrap();
    assert_eq!(first.reservation().queue.as_str(), "b");
    let sleeps = thread::spawn(move || {
        let of = listener.listen(LIMIT).unwrap().map(|processor| processor.reservation().queue.to_string());
        (of, listener)
    });
    let calls = || -> u64 {
        let info: String = redis::cmd("INFO").arg("commandstats").query(&mut server.connection()).unwrap();
        let calls = info.lines().find_map(|line| line.strip_prefix("cmdstat_evalsha:calls=")).unwrap();
        calls.split(',').next().unwrap().parse().unwrap()
    };
    eventually("it waits", || {
        let info: String = redis::cmd("INFO").arg("clients").query(&mut server.connection()).unwrap();
        info.contains("blocked_clients:1\r").then_some(())
    });
    let before = calls();
    let begun = Instant::now();
    first.complete(&()).unwrap();
    let (of, mut listener) = sleeps.join().unwrap();
    assert_eq!(of.as_deref(), Some("b"));
    assert!(calls() - before < 12, "it slept");
    paused.resume().unwrap();
    assert_eq!(listener.listen(LIMIT).unwrap().unwrap().reservation().queue.as_str(), "a");
    assert!(begun.elapsed() < WOKEN, "found by a later look: {:?}", begun.elapsed());
}

#[test]
fn maintenance_promotes_in_queues_that_match_and_finds_what_clients_without_scripts_push() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let patterns = vec![Pattern::new("v*").unwrap()];
    let mut maintenance = Maintenance::of(client.clone(), &id(1), patterns);
    maintenance.round().unwrap();
    let at = std::time::SystemTime::now() + Duration::from_millis(300);
    let due = client.queue("v-later").unwrap().submit("x", Submit::default().eta(at)).unwrap();
    let mut listener = client.listener_as(id(1), &["v*"]).unwrap();
    let taken = eventually("promoted", || {
        maintenance.round().unwrap();
        listener.try_listen().unwrap()
    });
    assert_eq!(taken.id(), due.id());
    // As Blueque 1.0 does it. The search begins every 15 seconds.
    let mut connection = server.connection();
    let _: () = redis::cmd("HSET")
        .arg("blueque_task_old")
        .arg(&["status", "pending", "queue", "v-old"])
        .arg(&["parameters", "\"x\"", "created", "1.0", "updated", "1.0"])
        .query(&mut connection)
        .unwrap();
    let _: () = redis::cmd("ZADD").arg("blueque_queues").arg(0).arg("v-old").query(&mut connection).unwrap();
    let _: () = redis::cmd("LPUSH").arg("blueque_pending_tasks_v-old").arg("old").query(&mut connection).unwrap();
    let searched: String = redis::cmd("HGET").arg("blueque_meta").arg("searched").query(&mut connection).unwrap();
    let searched_at: u64 = searched.split(' ').nth(1).unwrap().parse().unwrap();
    let earlier = format!("0 {}", searched_at - 15_000_000);
    let _: () = redis::cmd("HSET").arg("blueque_meta").arg("searched").arg(earlier).query(&mut connection).unwrap();
    maintenance.round().unwrap();
    let begun = Instant::now();
    assert_eq!(listener.listen(LIMIT).unwrap().unwrap().id().as_str(), "old");
    assert!(begun.elapsed() < WOKEN);
}

#[test]
fn a_worker_serves_queues_that_come_while_it_runs_and_says_by_which_patterns() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let seen: &'static Mutex<Vec<String>> = Box::leak(Box::default());
    let worker = Worker::builder(&client).queue("video-*").unwrap().queue("!video-test").unwrap().slots(3);
    let handled = |n: u32, cx: &Context| {
        seen.lock().unwrap().push(cx.reservation().queue.to_string());
        Ok(n)
    };
    let worker = worker.handle(handled).build().unwrap();
    let runs = worker.clone();
    let ends = thread::spawn(move || runs.run());
    let mut tasks = Vec::new();
    for round in 0..5 {
        for n in 0..8 {
            let queue = client.queue(&format!("video-{}", round * 2 + n % 2)).unwrap();
            tasks.push((n, queue.submit(&n, Submit::default()).unwrap()));
        }
        for (n, task) in tasks.drain(..) {
            assert_eq!(task.result::<u32>(LIMIT).unwrap(), n);
        }
    }
    let left = client.queue("video-test").unwrap().submit(&1, Submit::default()).unwrap();
    let known = eventually("it reports", || client.workers().unwrap().pop());
    assert_eq!(known.queues, ["video-*", "!video-test"]);
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().complete, 40);
    assert_eq!(seen.lock().unwrap().len(), 40);
    assert_eq!(left.info().unwrap().status(), Some(Status::Pending));
    assert!(client.queues().unwrap().iter().all(|queue| queue.listeners == 0));
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn asynchronous_listeners_and_workers_take_queues_by_pattern_too() {
    use blueque::tokio::{Client, Worker};

    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let mut listener = client.listener_as(id(1), &["*-a"]).await.unwrap();
    let waits = tokio::spawn(async move {
        let queue = listener.listen(LIMIT).await.unwrap().map(|processor| processor.reservation().queue.to_string());
        listener.unregister().await.ok();
        queue
    });
    let begun = Instant::now();
    client.queue("x-a").unwrap().submit("x", Submit::default()).await.unwrap();
    assert_eq!(waits.await.unwrap().as_deref(), Some("x-a"));
    let worker = Worker::builder(&client).queue("*-b").unwrap();
    let worker = worker.handle(|n: u32, _| async move { Ok(n + 1) }).build().unwrap();
    let runs = worker.clone();
    let ends = tokio::spawn(async move { runs.run().await });
    for n in 0..4 {
        let task = client.queue(&format!("{n}-b")).unwrap().submit(&n, Submit::default()).await.unwrap();
        assert_eq!(task.result::<u32>(LIMIT).await.unwrap(), n + 1);
    }
    worker.stop(Stop::Drain);
    assert_eq!(ends.await.unwrap().unwrap().complete, 4);
    assert!(begun.elapsed() < WOKEN, "found by a later look: {:?}", begun.elapsed());
}
