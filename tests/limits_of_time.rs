//! Every time limit of a caller may be of any length: `Duration::MAX` means without limit.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::thread;
use std::time::Duration;

use blueque::{Client, Context, Status, Stop, Submit, Worker};
use support::Server;

const FOR_EVER: Duration = Duration::MAX;

fn client(server: &Server) -> Client {
    Client::builder().limit(FOR_EVER).open(&server.url()).unwrap()
}

#[test]
fn a_listener_and_whoever_waits_for_a_task_may_wait_for_ever() {
    let server = Server::start();
    let mut listener = client(&server).listener(&["q"]).unwrap();
    let takes = thread::spawn(move || listener.listen(FOR_EVER).unwrap().expect("a task").complete("made").unwrap());
    let task = client(&server).queue("q").unwrap().submit("x", Submit::default()).unwrap();
    assert_eq!(task.wait(FOR_EVER).unwrap().status(), Some(Status::Complete));
    assert_eq!(task.result::<String>(FOR_EVER).unwrap(), "made");
    takes.join().unwrap();
}

#[test]
fn a_worker_takes_every_time_without_limit() {
    let server = Server::start();
    let client = client(&server);
    let worker = Worker::builder(&client).queue("q").unwrap().heartbeat(FOR_EVER).patience(FOR_EVER);
    let worker = worker.handle(|n: u32, _: &Context| Ok(n + 1)).build().unwrap();
    let runs = thread::spawn({
        let worker = worker.clone();
        move || worker.run()
    });
    let task = client.queue("q").unwrap().submit(&1, Submit::default()).unwrap();
    assert_eq!(task.result::<u32>(FOR_EVER).unwrap(), 2);
    worker.stop(Stop::ReleaseAfter(FOR_EVER));
    assert_eq!(runs.join().unwrap().unwrap().complete, 1);
}

#[test]
fn a_time_that_is_sent_is_refused_by_its_bounds_and_not_by_a_panic() {
    let server = Server::start();
    let client = client(&server);
    let mut listener = client.listener(&["q"]).unwrap().lease(FOR_EVER);
    client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    assert_eq!(listener.try_listen().unwrap_err().code(), Some(blueque::Code::BadArgument));
    for options in
        [Submit::default().delay(FOR_EVER), Submit::default().max_delay(FOR_EVER), Submit::default().lease(FOR_EVER)]
    {
        assert_eq!(
            client.queue("q").unwrap().submit("x", options).unwrap_err().code(),
            Some(blueque::Code::BadArgument)
        );
    }
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn an_asynchronous_listener_may_wait_for_ever() {
    let server = Server::start();
    let client = blueque::tokio::Client::builder().limit(FOR_EVER).open(&server.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    let mut listener = client.listener(&["q"]).await.unwrap();
    let (taken, submitted) = tokio::join!(listener.listen(FOR_EVER), queue.submit("x", Submit::default()));
    assert_eq!(taken.unwrap().unwrap().id(), submitted.unwrap().id());
}
