//! The events of a queue, across the absence of its server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use blueque::{Client, Submit};
use support::{Server, eventually};

#[test]
fn a_follower_misses_no_event_while_the_server_is_away() {
    let mut server = Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let client = Client::builder().limit(Duration::from_millis(200)).open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let mut sent = vec![queue.submit(&0, Submit::default()).unwrap().id().to_string()];
    let (tell, told) = mpsc::channel();
    let follower = queue.clone();
    thread::spawn(move || {
        for event in follower.follow("0") {
            tell.send(event.map(|event| event.id)).unwrap();
        }
    });
    let mut seen = vec![told.recv_timeout(Duration::from_secs(20)).unwrap().unwrap()];
    for number in 1..4 {
        server.kill();
        assert!(queue.counts().unwrap_err().is_transient());
        server.restart();
        let task = eventually("the server is back", || queue.submit(&number, Submit::default()).ok());
        sent.push(task.id().to_string());
        seen.push(told.recv_timeout(Duration::from_secs(20)).unwrap().unwrap());
    }
    assert_eq!(seen, sent);
}
