//! A worker that meets trouble: it goes on where it can, says what is wrong, and does not harm the queue.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::path::Path;
use std::time::{Duration, SystemTime};

use blueque::{ListenerId, Status, Submit};
use support::eventually;
use world::{World, result};

#[test]
fn trouble_with_one_queue_is_said_once_and_keeps_no_other_from_its_upkeep() {
    let world = World::new();
    world.program("b", "echo 1");
    let mut connection = world.server.connection();
    redis::cmd("SET").arg("blueque_scheduled_tasks_a").arg("x").exec(&mut connection).unwrap();
    let lost = world.submit("b", "[]");
    let elsewhere = ListenerId::new("elsewhere_1").unwrap();
    let mut listener = world.client.listener_as(elsewhere, &["b"]).unwrap().lease(Duration::from_secs(1));
    listener.try_listen().unwrap().expect("the task");
    let soon = SystemTime::now() + Duration::from_secs(1);
    let due = world.client.queue("b").unwrap().submit_bytes(b"[]", Submit::default().eta(soon)).unwrap();
    let _worker = world.worker(&["--queue", "a", "--queue", "b"]);
    assert_eq!(result(&due), "1", "a scheduled task");
    assert_eq!(result(&lost), "1", "a lease that has ended");
    let said = "the upkeep of a fails";
    eventually("it is said", || world.log().contains(said).then_some(()));
    redis::cmd("DEL").arg("blueque_scheduled_tasks_a").exec(&mut connection).unwrap();
    eventually("its end is said", || world.log().contains("the upkeep of a works again").then_some(()));
    assert_eq!(world.log().matches(said).count(), 1, "{}", world.log());
}

#[test]
fn a_worker_that_can_take_nothing_any_more_ends_at_once_and_says_why() {
    let world = World::new();
    world.program("q", "echo 1");
    let mut connection = world.server.connection();
    let mut acl =
        |rules: &[&str]| redis::cmd("ACL").arg("SETUSER").arg("app").arg(rules).exec(&mut connection).unwrap();
    acl(&["on", "nopass", "~*", "&*", "+@all"]);
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["--queue", "q"]);
    command.env("BLUEQUE_URL", format!("{}?user=app&pass=any", world.server.url()));
    let mut worker = world::Worker(command.spawn().unwrap());
    let before = world.submit("q", "[]");
    assert_eq!(result(&before), "1");
    world.nothing_is_left();
    acl(&["-zadd"]);
    let task = world.submit("q", "[]");
    assert_eq!(worker.ended().code(), Some(1));
    assert!(world.log().contains("may not run ZADD"), "{}", world.log());
    assert_eq!(task.info().unwrap().status(), Some(Status::Pending));
    acl(&["+zadd"]);
    let listeners = world.client.queue("q").unwrap().listeners().unwrap();
    assert!(listeners.is_empty(), "it has said goodbye: {listeners:?}");
}
