//! A worker's retries, its leases, and its maintenance.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::thread;
use std::time::{Duration, Instant, SystemTime};

use blueque::{
    Client, Context, Failure, HandlerError, Maintenance, QueueName, QueueOrder, Status, Stop, Submit, Summary, Worker,
};
use support::{Server, eventually};

const LIMIT: Duration = Duration::from_secs(20);

fn run(worker: &Worker) -> thread::JoinHandle<blueque::Result<Summary>> {
    let worker = worker.clone();
    thread::spawn(move || worker.run())
}

fn end(worker: &Worker, ends: thread::JoinHandle<blueque::Result<Summary>>) -> Summary {
    worker.stop(Stop::Drain);
    ends.join().unwrap().unwrap()
}

#[test]
fn a_handler_that_fails_is_tried_again_as_often_as_its_task_survives() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    queue.configure("max_failures", Some("2")).unwrap();
    queue.configure("delay", Some("0")).unwrap();
    let task = queue.submit("x", Submit::default()).unwrap();
    let never = queue.submit("never", Submit::default().max_failures(0)).unwrap();
    let handler = |name: String, cx: &Context| -> Result<u32, HandlerError> {
        let tried = cx.last_checkpoint::<u32>()?.unwrap_or(0) + 1;
        cx.checkpoint(&tried)?;
        if tried <= 2 { Err(format!("{name} fails").into()) } else { Ok(tried) }
    };
    let worker = Worker::builder(&client).queue("q").unwrap().handle(handler).build().unwrap();
    let ends = run(&worker);
    assert_eq!(task.result::<u32>(LIMIT).unwrap(), 3);
    assert_eq!(never.wait(LIMIT).unwrap().error().as_deref(), Some("never fails"));
    let summary = end(&worker, ends);
    assert_eq!((summary.complete, summary.retrying, summary.failed), (1, 2, 1));
}

#[test]
fn a_failure_says_when_to_try_again_its_group_or_that_it_is_no_use() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let submit = |what: &str| queue.submit(what, Submit::default().max_failures(5)).unwrap();
    let (later, never, words, wrong) = (submit("later"), submit("never"), submit("words"), submit("wrong"));
    let handler = |what: String, _: &Context| -> Result<(), HandlerError> {
        let failure = Failure::new(what.as_str());
        Err(match what.as_str() {
            "later" => failure.again_in(Duration::from_secs(3600)).group("quota"),
            "never" => failure.permanent().again_in(Duration::from_secs(1)),
            "words" => failure.group("cannot reach 10.0.0.7:5432 in 30 s").permanent(),
            _ => failure.again_in(Duration::from_secs(1 << 40)),
        }
        .into())
    };
    let worker = Worker::builder(&client).queue("q").unwrap().handle(handler).build().unwrap();
    let ends = run(&worker);
    assert_eq!(never.wait(LIMIT).unwrap().error().as_deref(), Some("never"));
    let group = words.wait(LIMIT).unwrap().group().unwrap();
    assert!(group.starts_with("cannot reach ") && !group.contains("5432"), "{group}");
    let error = eventually("the fourth was tried", || wrong.info().unwrap().last_error());
    assert!(error.contains("BADARG"), "the attempt ends all the same: {error}");
    let info = later.info().unwrap();
    assert_eq!((info.status(), info.last_group().as_deref()), (Some(Status::Scheduled), Some("quota")));
    let why = client.call(&client.calls().why(later.id())).unwrap();
    assert!((3500.0..=3600.0).contains(&why.eta.unwrap().duration_since(why.now).unwrap().as_secs_f64()), "{why:?}");
    end(&worker, ends);
}

#[test]
fn tasks_with_leases_of_their_own_are_each_renewed_in_time() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    queue.configure("lease", Some("3600")).unwrap();
    let long = queue.submit("long", Submit::default()).unwrap();
    let short = queue.submit("short", Submit::default().lease(Duration::from_secs(1))).unwrap();
    let handler = |_: String, cx: &Context| -> Result<u64, HandlerError> {
        let lease = cx.reservation().lease;
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(2_500) {
            cx.check()?;
            thread::sleep(Duration::from_millis(2));
        }
        Ok(lease.as_secs())
    };
    let worker = Worker::builder(&client).queue("q").unwrap().slots(2).handle(handler).build().unwrap();
    let ends = run(&worker);
    assert_eq!((long.result::<u64>(LIMIT).unwrap(), short.result::<u64>(LIMIT).unwrap()), (3600, 1));
    assert_eq!(short.info().unwrap().attempt(), 1);
    assert_eq!(end(&worker, ends).lost, 0);
}

#[test]
fn a_worker_says_what_it_has_and_in_which_order_it_asks() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queues = [client.queue("a").unwrap(), client.queue("b").unwrap()];
    let tasks: Vec<_> = (0..6_u32).map(|n| queues[usize::from(n > 2)].submit(&n, Submit::default()).unwrap()).collect();
    let heavy = queues[1].submit(&9, Submit::default().needs("gpu")).unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let handler = move |n: u32, cx: &Context| -> Result<u32, HandlerError> {
        tell.send(cx.reservation().queue.to_string())?;
        Ok(n)
    };
    let builder = Worker::builder(&client).queue("a").unwrap().queue("b").unwrap();
    let worker = builder.order(QueueOrder::Round).has("gpu").handle(handler).build().unwrap();
    let ends = run(&worker);
    for task in tasks.iter().chain([&heavy]) {
        task.wait(LIMIT).unwrap();
    }
    end(&worker, ends);
    let order: Vec<String> = told.try_iter().take(6).collect();
    assert_eq!(order.concat(), "ababab");
}

#[test]
fn maintenance_pauses_until_the_next_thing_is_due_and_no_longer_than_usual() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let mut maintenance = Maintenance::new(client.clone(), vec![QueueName::new("q").unwrap()]);
    assert_eq!(maintenance.round().unwrap(), Duration::from_secs(2));
    queue.submit("later", Submit::default().eta(SystemTime::now() + Duration::from_secs(60))).unwrap();
    assert_eq!(maintenance.round().unwrap(), Duration::from_secs(2));
    let task = queue.submit("soon", Submit::default().eta(SystemTime::now() + Duration::from_millis(500))).unwrap();
    let pause = maintenance.round().unwrap();
    assert!(pause < Duration::from_secs(1), "{pause:?}");
    eventually("the task is due", || {
        thread::sleep(maintenance.round().unwrap().min(Duration::from_millis(500)));
        (task.info().unwrap().status() == Some(Status::Pending)).then_some(())
    });
}

/// A broken key of one queue, whichever it is, does not keep a second queue from any part of its maintenance.
#[test]
fn what_is_wrong_with_one_queue_keeps_no_other_from_its_maintenance() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let mut connection = server.connection();
    let (a, b) = (client.queue("a").unwrap(), client.queue("b").unwrap());
    let later = || Submit::default().eta(SystemTime::now() + Duration::from_secs(3600));
    a.submit(&1, later()).unwrap();
    a.submit(&2, later().priority(7)).unwrap();
    for _ in 0..3 {
        a.submit(&3, Submit::default()).unwrap();
    }
    let mut own = client.listener(&["a"]).unwrap();
    own.try_listen().unwrap().unwrap().complete(&1).unwrap();
    own.try_listen().unwrap().unwrap().fail("broken").unwrap();
    own.try_listen().unwrap().unwrap().start(1).unwrap();
    // No process can have this id: it is one above the kernel's maximum.
    let no_process = std::fs::read_to_string("/proc/sys/kernel/pid_max").unwrap().trim().parse().unwrap();
    let dead = support::listener_here(no_process);
    let keys: Vec<String> = redis::cmd("KEYS").arg("blueque_*_a").query(&mut connection).unwrap();
    let mut named = Vec::new();
    for key in keys {
        let mut redis = |words: &[&str]| {
            let mut command = redis::cmd(words[0]);
            command.arg(&words[1..]).exec(&mut connection).unwrap();
        };
        redis(&["RENAME", &key, "aside"]);
        redis(&["SET", &key, "of the wrong type"]);
        client.listener_as(dead.clone(), &["b"]).unwrap();
        support::silent(&server, "b", &dead);
        let soon = SystemTime::now() + Duration::from_millis(20);
        let task = b.submit(&key, Submit::default().eta(soon)).unwrap();
        let mut maintenance = Maintenance::new(client.clone(), vec![a.name().clone(), b.name().clone()]);
        let met = eventually(&format!("{key} broken, b gets its maintenance"), || {
            let met = [maintenance.adopt_dead(own.id(), |_| false).err(), maintenance.round().err()];
            let buried = b.listeners().unwrap().iter().all(|found| found.id != dead.as_str());
            (buried && task.info().unwrap().status() == Some(Status::Pending)).then_some(met)
        });
        redis(&["RENAME", "aside", &key]);
        named.extend(met.into_iter().flatten().map(|met| (key.clone(), met.to_string())));
    }
    for key in ["blueque_scheduled_tasks_a", "blueque_leases_a", "blueque_listeners_a", "blueque_tasks_a"] {
        let told = named.iter().find(|(broken, _)| broken == key).map(|(_, text)| text.as_str());
        assert_eq!(told, Some("the maintenance of a fails"), "{key}");
    }
}
