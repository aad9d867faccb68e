//! Durable calls succeed when their changes are on disk, or on replicas. The servers are real, and one of them hangs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::process::Command;
use std::time::{Duration, Instant};

use blueque::{Client, Code, Durability, Error, Submit, TaskId};
use support::Server;

fn open(server: &Server, limit: u64) -> Client {
    Client::builder().limit(Duration::from_millis(limit)).open(&server.url()).unwrap()
}

fn with_id(id: &str) -> Submit {
    Submit::default().id(TaskId::new(id).unwrap())
}

/// A signal for a server.
fn send(signal: &str, server: &Server) {
    assert!(Command::new("kill").args([signal, &server.pid().to_string()]).status().unwrap().success());
}

#[test]
fn a_call_has_succeeded_when_so_many_replicas_have_it_and_says_so_when_they_have_not() {
    let (master, port) = Server::start_at_port(&[]);
    let (replica, _) = Server::start_replica(&port);
    let client = open(&master, 1_500);
    let safe = client.durable(Durability::Replica(1)).queue("q").unwrap();
    safe.submit("x", with_id("a")).unwrap();
    send("-STOP", &replica);
    let begun = Instant::now();
    let error = safe.submit("x", with_id("b")).unwrap_err();
    assert!(matches!(error, Error::NotDurable { wished: Durability::Replica(1), reached: 0, .. }), "{error:?}");
    assert_eq!((error.to_string().as_str(), error.code()), ("accepted, not yet on a replica", Some(Code::TimedOut)));
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    // The call was accepted, and a call that only reads does not wait.
    assert_eq!(safe.counts().unwrap().pending, 2);
    client.queue("q").unwrap().submit("x", with_id("c")).unwrap();
    send("-CONT", &replica);
    // A repeated call asks the replica again.
    assert_eq!(safe.submit("x", with_id("b")).unwrap().id().as_str(), "b");
    assert_eq!(safe.counts().unwrap().pending, 3);
    let error = client.durable(Durability::Replica(2)).queue("q").unwrap().submit("x", with_id("d")).unwrap_err();
    assert_eq!(error.to_string(), "accepted, not yet on 2 replicas: 1 confirmed it");
}

#[test]
fn a_call_has_succeeded_when_it_is_on_the_disk_where_the_server_can_say_so() {
    let server = Server::start_with(&["--appendonly", "yes"]);
    let knows: Vec<redis::Value> =
        redis::cmd("COMMAND").arg("INFO").arg("WAITAOF").query(&mut server.connection()).unwrap();
    let client = open(&server, 10_000).durable(Durability::Fsync);
    let submitted = client.queue("q").unwrap().submit("x", with_id("a"));
    match &knows[0] {
        redis::Value::Nil => {
            let error = submitted.unwrap_err().to_string();
            assert!(
                error.starts_with("accepted, not yet on the server's disk: ") && error.contains("WAITAOF"),
                "{error}"
            );
        }
        _ => assert_eq!(submitted.unwrap().id().as_str(), "a"),
    }
    assert_eq!(client.queue("q").unwrap().counts().unwrap().pending, 1);
    let without = open(&Server::start(), 5_000).durable(Durability::Fsync);
    let error = without.queue("q").unwrap().submit("x", with_id("a")).unwrap_err();
    assert!(
        matches!(error, Error::NotDurable { wished: Durability::Fsync, .. } | Error::Unavailable { .. }),
        "{error:?}"
    );
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn an_asynchronous_call_waits_without_delaying_the_others() {
    let (master, port) = Server::start_at_port(&[]);
    let (replica, _) = Server::start_replica(&port);
    let builder = blueque::tokio::Client::builder().limit(Duration::from_secs(3));
    let client = builder.durability(Durability::Replica(1)).open(&master.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    queue.submit("x", with_id("a")).await.unwrap();
    send("-STOP", &replica);
    let waits = tokio::spawn({
        let queue = queue.clone();
        async move { queue.submit("x", with_id("b")).await.map(drop) }
    });
    let begun = Instant::now();
    client.durable(Durability::Local).queue("q").unwrap().submit("x", with_id("c")).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    let error = waits.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::NotDurable { reached: 0, .. }), "{error:?}");
    send("-CONT", &replica);
    queue.submit("x", with_id("b")).await.unwrap();
    assert_eq!(queue.counts().await.unwrap().pending, 3);
}
