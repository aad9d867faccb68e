//! A queue used like a queue of redis-work-queue; the rows of `docs/migrating/from-redis-work-queue.md`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use blueque::calls::TaskOptions;
use blueque::{Client, Code, Status, Submit, WorkItem, WorkQueue};
use support::{Server, eventually, seed};

const NOW: Option<Duration> = Some(Duration::ZERO);
const SHORT: Duration = Duration::from_secs(1);
const LONG: Duration = Duration::from_secs(600);

fn client(server: &Server) -> Client {
    Client::open(&server.url()).unwrap()
}

/// The example, built as this test is.
fn program() -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--locked", "--quiet", "--package", "blueque", "--example", "work_queue"]);
    if cfg!(feature = "tokio") {
        cargo.arg("--all-features");
    }
    assert!(cargo.status().unwrap().success());
    std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("examples/work_queue")
}

/// A worker, killed when dropped.
struct Working(Child, BufReader<ChildStdout>);

impl Working {
    fn begin(program: &PathBuf, server: &Server, words: &[&str]) -> Self {
        let mut child = Command::new(program).arg(server.url()).args(words).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self(child, lines)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.1.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Working {
    /// Kills the worker by SIGKILL.
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_item_is_added_leased_and_completed_once_and_leaves_nothing() {
    let server = Server::start();
    let client = client(&server);
    let mut queue = client.work_queue("films").unwrap();
    let (one, two) = (WorkItem::with_id("1", *b"\x00\xff"), WorkItem::from_json(&[1, 2]).unwrap());
    assert!(queue.add_item(&one).unwrap());
    assert!(queue.add_item(&two).unwrap());
    assert!(!queue.add_item(&WorkItem::with_id("1", "other")).unwrap(), "an unfinished one stays as it is");
    assert!(!queue.complete(&one).unwrap(), "it is not leased");
    assert_eq!((queue.queue_len().unwrap(), queue.processing().unwrap()), (2, 0));

    let first = queue.lease(NOW, LONG).unwrap().unwrap();
    assert_eq!((first.id(), first.data()), ("1", b"\x00\xff".as_slice()), "the oldest first");
    assert!(!queue.add_item(&one).unwrap(), "one that is leased is unfinished, too");
    let second = queue.lease(None, LONG).unwrap().unwrap();
    assert_eq!((second.id(), second.data_json::<Vec<u8>>().unwrap()), (two.id(), vec![1, 2]));
    assert!(queue.lease(NOW, LONG).unwrap().is_none());
    assert_eq!((queue.queue_len().unwrap(), queue.processing().unwrap()), (0, 2));

    assert!(queue.complete(&first).unwrap());
    assert!(!queue.complete(&first).unwrap(), "once");
    assert!(!queue.complete(&first.clone()).unwrap(), "a copy is the same");
    assert!(client.task("1").unwrap().info().is_err(), "no record");
    assert!(queue.complete(&second).unwrap());
    assert_eq!((queue.queue_len().unwrap(), queue.processing().unwrap()), (0, 0));
    assert_eq!(queue.queue().listeners().unwrap().len(), 1, "the first lease registered it");
    drop(queue);
    assert!(client.queue("films").unwrap().listeners().unwrap().is_empty(), "it is forgotten");
}

#[test]
fn a_completed_item_is_made_anew_whether_or_not_its_record_was_kept() {
    let server = Server::start();
    for keep in [false, true] {
        let mut queue = client(&server).work_queue("films").unwrap().keep_records(keep);
        for data in ["one", "two"] {
            assert!(queue.add_item(&WorkItem::with_id("1", data)).unwrap());
            let item = queue.lease(NOW, LONG).unwrap().unwrap();
            assert_eq!(item.data(), data.as_bytes());
            assert!(queue.complete(&item).unwrap());
            assert!(!queue.complete(&item).unwrap());
            assert_eq!(queue.queue().counts().unwrap().complete, u64::from(keep));
        }
    }
}

#[test]
fn any_text_is_a_name_and_an_id_and_comes_back_as_it_was() {
    let server = Server::start();
    let client = client(&server);
    let mut queue = client.work_queue("my films/ü").unwrap();
    assert_eq!(queue.queue().name().as_str(), "my@20films@2F@C3@BC");
    for id in ["", "a b", "a@b", "@", "@41", "ü{}*", "\0\n", "plain-1_2.3:4"] {
        let name = WorkItem::encode(id);
        assert_eq!(WorkItem::decode(&name), id, "{name}");
        assert!(queue.add_item(&WorkItem::with_id(id, "x")).unwrap());
        let item = queue.lease(NOW, LONG).unwrap().unwrap();
        assert_eq!(item.id(), id);
        assert!(queue.complete(&item).unwrap());
    }
    assert_eq!(WorkItem::encode("a/b"), "a@2Fb");
    for name in ["a@b", "@2f", "@41", "a@", "@C3"] {
        assert_eq!(WorkItem::decode(name), name, "no text is encoded so");
    }
    let error = queue.add_item(&WorkItem::with_id("x".repeat(129), "x")).unwrap_err();
    assert_eq!(error.code(), Some(Code::BadName));
    assert!(client.work_queue(&"ü".repeat(30)).is_err());
    let other = client.work_queue("other").unwrap();
    assert!(queue.add_item(&WorkItem::with_id("same", "x")).unwrap());
    let error = other.add_item(&WorkItem::with_id("same", "x")).unwrap_err();
    assert_eq!(error.code(), Some(Code::OtherQueue), "ids are unique in a namespace");
}

#[test]
fn a_lease_that_ended_is_given_back_by_a_light_clean_and_its_owner_completes_nothing() {
    let server = Server::start();
    let client = client(&server);
    let (mut slow, mut fast) = (client.work_queue("q").unwrap(), client.work_queue("q").unwrap());
    assert!(slow.add_item(&WorkItem::with_id("1", "x")).unwrap());
    let lost = slow.lease(NOW, SHORT).unwrap().unwrap();
    assert_eq!(fast.light_clean().unwrap(), 0, "the lease is valid");
    eventually("the lease has ended", || (fast.light_clean().unwrap() == 1).then_some(()));
    assert_eq!((fast.queue_len().unwrap(), fast.processing().unwrap()), (1, 0));
    let again = fast.lease(NOW, LONG).unwrap().unwrap();
    assert!(!slow.complete(&lost).unwrap(), "another has it now");
    assert!(fast.complete(&again).unwrap());
    assert!(!slow.complete(&lost).unwrap());
    assert_eq!(fast.deep_clean().unwrap(), 0, "there is nothing to clean");
    assert!(fast.lease(NOW, Duration::from_millis(500)).is_err(), "a lease of less than a second");
}

#[test]
fn a_late_owner_completes_what_nobody_took() {
    let server = Server::start();
    let mut queue = client(&server).work_queue("q").unwrap();
    queue.add_item(&WorkItem::new("x")).unwrap();
    let item = queue.lease(NOW, SHORT).unwrap().unwrap();
    let why = queue.queue().client().calls().why(&item.id().parse().unwrap());
    eventually("the lease has ended", || {
        let why = queue.queue().client().call(&why).unwrap();
        (why.deadline.unwrap() < why.now).then_some(())
    });
    assert!(queue.complete(&item).unwrap());
}

#[test]
fn items_are_tasks_that_a_worker_of_blueque_can_run_and_the_other_way() {
    let server = Server::start();
    let client = client(&server);
    let mut queue = client.work_queue("q").unwrap();
    queue.add_item(&WorkItem::with_id("item", "1")).unwrap();
    let mut listener = client.listener(&["q"]).unwrap();
    let taken = listener.try_listen().unwrap().unwrap();
    assert_eq!((taken.id().as_str(), taken.parameters::<u8>().unwrap()), ("item", 1));
    taken.complete(&2).unwrap();
    let task = queue.queue().submit(&3, Submit::default()).unwrap();
    let item = queue.lease(NOW, LONG).unwrap().unwrap();
    assert_eq!((item.id(), item.data()), (task.id().as_str(), b"3".as_slice()));
}

/// A worker is killed at its work. Returns the queue, after the lease has ended.
fn killed_at_work(server: &Server, options: Option<TaskOptions>, words: &[&str]) -> WorkQueue {
    let queue = client(server).work_queue("q").unwrap();
    let queue = options.into_iter().fold(queue, WorkQueue::options);
    queue.add_item(&WorkItem::with_id("1", "0")).unwrap();
    let mut worker = Working::begin(&program(), server, &[&["q"], words].concat());
    assert_eq!(worker.line(), "working on 1");
    drop(worker);
    eventually("its lease has ended", || {
        queue.light_clean().unwrap();
        (queue.processing().unwrap() == 0).then_some(())
    });
    queue
}

#[test]
fn by_default_an_item_whose_worker_was_killed_runs_again() {
    let server = Server::start();
    let mut queue = killed_at_work(&server, None, &[]);
    assert_eq!(queue.lease(NOW, LONG).unwrap().unwrap().id(), "1");
}

#[test]
fn an_item_completed_first_never_runs_twice_and_nobody_knows_of_it_after_a_crash() {
    let server = Server::start();
    let mut queue = killed_at_work(&server, None, &["once"]);
    assert!(queue.lease(NOW, LONG).unwrap().is_none());
    assert!(queue.queue().list("all", 10).unwrap().is_empty(), "no trace is left");
}

#[test]
fn an_item_with_all_caps_at_0_never_runs_twice_and_is_found_failed_after_a_crash() {
    let server = Server::start();
    let options = TaskOptions::default().max_losses(0).max_failures(0).max_releases(0);
    let mut queue = killed_at_work(&server, Some(options), &[]);
    assert!(queue.lease(NOW, LONG).unwrap().is_none());
    let info = client(&server).task("1").unwrap().info().unwrap();
    assert_eq!((info.status(), info.group().as_deref()), (Some(Status::Failed), Some("lost")));
    assert_eq!(info.parameters_bytes(), Some(b"0".as_slice()), "it can be looked at, and retried by a person");
}

/// The idea of redis-work-queue's own integration tests.
#[test]
fn workers_that_crash_at_random_complete_every_item_and_its_result_is_right() {
    const ITEMS: u64 = 60;
    let server = Server::start();
    let program = program();
    let mut random = seed::new();
    let mut below = |bound: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % bound
    };
    let queue = client(&server).work_queue("q").unwrap();
    let mut expected = BTreeMap::new();
    for id in 0..ITEMS {
        let number = 1 + below(1000);
        expected.insert(id.to_string(), number * number);
        queue.add_item(&WorkItem::with_id(id.to_string(), number.to_string())).unwrap();
    }
    let mut workers: Vec<_> = (0..3).map(|_| Working::begin(&program, &server, &["q"])).collect();
    let mut completed = BTreeMap::new();
    let mut note = |line: String| {
        if let Some(id) = line.strip_prefix("completed ") {
            *completed.entry(id.to_owned()).or_insert(0) += 1;
        }
    };
    for _ in 0..6 {
        let chosen = usize::try_from(below(3)).unwrap();
        for _ in 0..=below(8) {
            if queue.queue_len().unwrap() > 10 {
                note(workers[chosen].line());
            }
        }
        let mut killed = std::mem::replace(&mut workers[chosen], Working::begin(&program, &server, &["q"]));
        killed.0.kill().unwrap();
        killed.1.by_ref().lines().for_each(|line| note(line.unwrap()));
    }
    // In one call: an item whose lease ends may be in neither of two numbers that are read in turn.
    eventually("all are completed", || {
        let counts = queue.queue().counts().unwrap();
        (counts.pending + counts.scheduled + counts.reserved + counts.started == 0).then_some(())
    });
    for worker in &mut workers {
        worker.0.kill().unwrap();
        worker.1.by_ref().lines().for_each(|line| note(line.unwrap()));
    }
    let results: BTreeMap<String, u64> = redis::cmd("HGETALL").arg("squares").query(&mut server.connection()).unwrap();
    assert_eq!(results, expected);
    assert!(completed.values().all(|&times| times == 1), "{completed:?}");
    assert!(completed.len() > 40, "the others were completed by workers that were killed before they said so");
    let counts = queue.queue().counts().unwrap();
    assert_eq!((counts.failed, counts.cancelled, counts.scheduled), (0, 0, 0));
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn the_asynchronous_client_does_the_same() {
    let server = Server::start();
    let client = blueque::tokio::Client::open(&server.url()).await.unwrap();
    let mut queue = client.work_queue("q").unwrap();
    assert!(queue.add_item(&WorkItem::with_id("1", "x")).await.unwrap());
    let item = queue.lease(None, LONG).await.unwrap().unwrap();
    assert_eq!((queue.queue_len().await.unwrap(), queue.processing().await.unwrap()), (0, 1));
    assert!(queue.complete(&item).await.unwrap());
    assert!(!queue.complete(&item).await.unwrap());
    assert_eq!((queue.light_clean().await.unwrap(), queue.deep_clean().await.unwrap()), (0, 0));
}
