//! What the crate makes of a call that was executed, and whose reply it never heard.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "support/proxy.rs"]
mod proxy;
mod support;

use blueque::calls::{NewTask, SubmitOptions};
use blueque::{Client, ListenerId, Submitted, TaskId};
use proxy::Proxy;
use support::Server;

#[test]
fn what_a_call_did_is_done_once_and_told_as_at_first() {
    let server = Server::start();
    let proxy = Proxy::to(&server);
    let direct = Client::open(&server.url()).unwrap();
    let client = Client::open(&proxy.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let id = TaskId::new("t").unwrap();
    proxy.lose("submit", || {});
    let new = [NewTask { id: &id, eta: None, parameters: b"p" }];
    assert_eq!(queue.submit_many(&new, SubmitOptions::default()).unwrap(), [Submitted::Created]);
    let task = client.task("t").unwrap();
    task.cancel("no").unwrap();
    let mut worker = direct.listener_as(ListenerId::of_process("host", 1), &["q"]).unwrap();
    proxy.lose("retry", move || worker.try_listen().unwrap().expect("the task").fail("broken").map(drop).unwrap());
    task.retry().unwrap();
    assert_eq!(task.info().unwrap().error().as_deref(), Some("broken"), "it was not tried once more");
    proxy.lose("delete", || {});
    task.delete().unwrap();
    assert_eq!(proxy.lost(), 3);
}
