//! Statistics are exact, whatever process adds them up, also if several do at the same time, and across restarts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use blueque::{Client, ListenerId, Maintenance, Queue, QueueName, Statistics, Submit};
use support::{Server, eventually};

fn settled(queue: &Queue) -> Statistics {
    while queue.aggregate().unwrap().more {}
    queue.statistics(2).unwrap()
}

/// Takes tasks of a queue and ends them, until there are none: of ten, one fails and one is given back once.
fn work(client: &Client, pid: u32) {
    let mut listener = client.listener_as(ListenerId::of_process("host", pid), &["q"]).unwrap();
    let mut number = 0;
    while let Some(task) = listener.listen(Duration::from_millis(1)).unwrap() {
        number += 1;
        task.start(pid).unwrap();
        match number % 10 {
            3 => task.release().unwrap(),
            7 => task.fail("no").unwrap(),
            _ => task.complete(&number).unwrap(),
        };
    }
}

#[test]
fn aggregates_that_race_count_every_event_once() {
    const TASKS: u64 = 400;
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let name = QueueName::new("q").unwrap();
                while !over.load(Ordering::Acquire) {
                    client.call(&client.calls().aggregate(&name, 7)).unwrap();
                }
            });
        }
        for number in 0..TASKS {
            queue.submit(&number, Submit::default()).unwrap();
        }
        for pid in 1..=3 {
            let client = &client;
            scope.spawn(move || work(client, pid));
        }
        eventually("all tasks have ended", || {
            let counts = queue.counts().unwrap();
            (counts.complete + counts.failed == TASKS).then_some(())
        });
        over.store(true, Ordering::Release);
    });
    let counts = queue.counts().unwrap();
    let total = settled(&queue).total;
    assert_eq!((total.submitted, total.missed), (TASKS, 0));
    assert_eq!((total.complete, total.failed, total.failures), (counts.complete, counts.failed, counts.failed));
    assert_eq!(total.started, TASKS + total.releases);
    assert_eq!((total.wait.count, total.run.count, total.done.count), (total.started, total.started, total.complete));
    let host = queue.statistics_of("host", 2).unwrap().total;
    assert_eq!((host.complete, host.failures, host.releases), (total.complete, total.failures, total.releases));
    assert_eq!((host.submitted, host.wait.count, &host.run, &host.done), (0, 0, &total.run, &total.done));
    assert_eq!(queue.statistics_of("other", 2).unwrap().total.run.count, 0);
    for durations in [&total.wait, &total.run, &total.done] {
        assert_eq!(durations.buckets.iter().sum::<u64>(), durations.count);
        assert!(durations.least <= durations.mean().unwrap() && durations.mean().unwrap() <= durations.most);
    }
}

#[test]
fn a_restart_counts_nothing_twice_and_misses_nothing() {
    let mut server = Server::start_with(&["--appendonly", "yes", "--appendfsync", "always", "--save", ""]);
    let submit = |client: &Client, number: u32| {
        for one in 0..number {
            client.queue("q").unwrap().submit(&one, Submit::default()).unwrap();
        }
    };
    let name = QueueName::new("q").unwrap();
    let client = Client::open(&server.url()).unwrap();
    client.queue("q").unwrap().configure("events", Some("100")).unwrap();
    submit(&client, 500);
    client.call(&client.calls().aggregate(&name, 300)).unwrap();
    server.kill();
    server.restart();
    assert_eq!(settled(&client.queue("q").unwrap()).total.submitted, 500);
    submit(&client, 40);

    // A server that rewrote its file still knows how many entries there were.
    let mut connection = server.connection();
    redis::cmd("BGREWRITEAOF").exec(&mut connection).unwrap();
    eventually("the file is rewritten", || {
        let info: String = redis::cmd("INFO").arg("persistence").query(&mut connection).ok()?;
        (info.contains("aof_rewrite_in_progress:0") && info.contains("aof_rewrite_scheduled:0")).then_some(())
    });
    drop(connection);
    server.kill();
    server.restart();
    submit(&client, 1);
    let total = settled(&client.queue("q").unwrap()).total;
    assert_eq!((total.submitted, total.missed), (541, 0));
}

#[test]
fn maintenance_adds_up_what_happened() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    for number in 0..1_200 {
        queue.submit(&number, Submit::default()).unwrap();
    }
    Maintenance::new(client.clone(), vec![queue.name().clone()]).round().unwrap();
    assert_eq!(queue.statistics(2).unwrap().total.submitted, 1_200);
}

#[test]
fn a_task_tells_its_history_and_its_expected_end() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let task = queue.submit("one", Submit::default()).unwrap();
    let mut listener = client.listener(&["q"]).unwrap();
    for _ in 0..3 {
        listener.listen(Duration::from_secs(5)).unwrap().expect("the task").release().unwrap();
    }
    let history = task.history().unwrap();
    let states: Vec<&str> = history.iter().map(|step| step.to.as_str()).collect();
    assert_eq!(states, ["pending", "reserved", "pending", "reserved", "pending", "reserved", "pending"]);
    assert!(history.iter().zip(1..).all(|(step, number)| step.number == number));
    assert!(history.windows(2).all(|steps| steps[0].at.unwrap() <= steps[1].at.unwrap()));
    assert!(history.windows(2).all(|steps| Some(&steps[0].to) == steps[1].from.as_ref()));

    let events = queue.events("0").unwrap();
    assert_eq!(events.items.iter().map(|event| event.to.as_str()).collect::<Vec<_>>(), states);
    let rest = queue.events(&events.items[4].cursor).unwrap();
    assert_eq!((rest.missed, &rest.items[..]), (false, &events.items[5..]));

    let estimate = task.estimate(None).unwrap();
    assert_eq!((estimate.start, estimate.end, estimate.basis), (Some(estimate.now), None, None));
    let running = listener.listen(Duration::from_secs(5)).unwrap().expect("the task");
    running.start(1).unwrap();
    assert!(task.estimate(Some(0.5)).unwrap().end.is_some());
    assert_eq!(task.estimate(Some(f64::NAN)).unwrap().end, None);
    running.complete("done").unwrap();
    let total = settled(&queue).total;
    assert_eq!((total.releases, total.done.count), (3, 1));
    assert_eq!(task.estimate(None).unwrap().runs, 1);
}
