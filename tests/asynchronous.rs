//! The asynchronous client (feature `tokio`).

#![cfg(feature = "tokio")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::time::{Duration, Instant};

use blueque::calls::{CompleteOptions, NewTask, ReleaseOptions, ReserveOptions, TaskOptions};
use blueque::tokio::Client;
use blueque::{Error, ListenerId, Namespace, Order, Outcome, QueueName, Status, Submitted, TaskId};
use support::Server;

const LEASE: Duration = Duration::from_secs(60);
fn request() -> ReserveOptions {
    ReserveOptions::new().lease(LEASE).request("r1")
}

fn names() -> (QueueName, ListenerId) {
    (QueueName::new("q").unwrap(), ListenerId::new("host_1").unwrap())
}

async fn submit(client: &Client, queue: &QueueName) -> TaskId {
    let id = TaskId::random();
    let task = NewTask::new(&id, b"x");
    let made = client.call(&client.calls().submit(queue, &[task], &TaskOptions::default())).await.unwrap();
    assert_eq!(made, [Submitted::Created]);
    id
}

#[tokio::test]
async fn a_task_goes_through_its_whole_life_asynchronously() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let (queue, listener) = names();
    let calls = client.calls();
    client.call(&calls.register(&queue, &listener, &blueque::calls::RegisterOptions::new())).await.unwrap();
    let id = submit(&client, &queue).await;
    let work = client.listen(&listener, std::slice::from_ref(&queue), &request(), LEASE).await.unwrap().unwrap();
    assert_eq!(work.id, id);
    client.call(&calls.start(&id, work.token, 7, &blueque::calls::StartOptions::new())).await.unwrap();
    let beat = client.call(&calls.heartbeat(&queue, &listener, LEASE, &[(id.clone(), work.token)])).await.unwrap();
    assert_eq!(beat.orders, [Order::Continue]);
    assert_eq!(
        client.call(&calls.complete(&id, work.token, b"r", &CompleteOptions::new())).await.unwrap(),
        Outcome::Complete
    );
    assert!(matches!(client.call(&calls.release(&id, work.token, &ReleaseOptions::new())).await, Err(Error::Lost)));
    let info = client.call(&calls.get(&id)).await.unwrap().unwrap();
    assert_eq!((info.status(), info.result_bytes()), (Some(Status::Complete), Some(&b"r"[..])));
}

#[tokio::test]
async fn a_waiting_listener_does_not_hold_up_other_calls() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let (queue, listener) = names();
    client.call(&client.calls().register(&queue, &listener, &blueque::calls::RegisterOptions::new())).await.unwrap();
    let waits = tokio::spawn({
        let (client, queue) = (client.clone(), queue.clone());
        async move { client.listen(&listener, &[queue], &request(), Duration::from_secs(25)).await }
    });
    let begun = Instant::now();
    loop {
        let info: String = redis::cmd("INFO").arg("clients").query(&mut server.connection()).unwrap();
        if info.contains("blocked_clients:1") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "the listener never waits");
        tokio::task::yield_now().await;
    }
    let id = submit(&client, &queue).await;
    assert_eq!(waits.await.unwrap().unwrap().unwrap().id, id);
    assert!(begun.elapsed() < Duration::from_secs(20), "woken, not found by a later look");
}

#[tokio::test]
async fn a_restarted_server_is_survived_asynchronously() {
    let mut server = Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let client = Client::open(&server.url()).await.unwrap();
    let (queue, _) = names();
    submit(&client, &queue).await;
    server.kill();
    server.restart();
    submit(&client, &queue).await;
    assert_eq!(client.call(&client.calls().counts(&queue)).await.unwrap().pending, 2);
}

#[tokio::test]
async fn nobody_at_the_address_is_an_error_within_the_limit_asynchronously() {
    let limit = Duration::from_millis(300);
    let begun = Instant::now();
    let error = Client::open_with("unix:///nowhere/at/all", Namespace::default(), limit).await.unwrap_err();
    assert_eq!(error.code(), Some(blueque::Code::Unavailable));
    assert!(begun.elapsed() < limit * 4);
}

#[tokio::test]
async fn a_namespace_for_tests_is_opened_for_tests_only() {
    let server = Server::start();
    let (space, limit) = (Namespace::default(), Duration::from_secs(10));
    let client = Client::open_for_tests(&server.url(), space.clone(), limit).await.unwrap();
    client
        .call(&client.calls().tick(1).at(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1000)))
        .await
        .unwrap();
    assert_eq!(Client::open(&server.url()).await.unwrap_err().code(), Some(blueque::Code::Test));
    Client::open_for_tests(&server.url(), space, limit).await.unwrap();
}
