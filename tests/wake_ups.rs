//! Tests that a wake-up which no listener follows goes to the next listener.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use blueque::{Client, Listener, Stop, Submit, Worker};
use support::{Server, eventually};

const LIMIT: Duration = Duration::from_secs(60);

/// A listener that is not woken looks after half a minute.
const WOKEN: Duration = Duration::from_secs(20);

fn waiting(server: &Server, number: u32) {
    eventually("they wait", || {
        let info: String = redis::cmd("INFO").arg("clients").query(&mut server.connection()).unwrap();
        info.contains(&format!("blocked_clients:{number}\r")).then_some(())
    });
}

/// Runs `first` on a listener that is woken. The task must then go to the listener that waits behind it.
fn passes_on(first: impl FnOnce(Listener) + Send + 'static) {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let mut woken = client.listener(&["q"]).unwrap();
    let mut next = client.listener(&["q"]).unwrap();
    let waits = thread::spawn(move || {
        woken.wait(LIMIT);
        first(woken);
    });
    waiting(&server, 1);
    let listens = thread::spawn(move || next.listen(LIMIT).unwrap().map(|work| work.id().clone()));
    waiting(&server, 2);
    let begun = Instant::now();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    assert_eq!(listens.join().unwrap().as_ref(), Some(task.id()));
    assert!(begun.elapsed() < WOKEN, "found by a later look: {:?}", begun.elapsed());
    waits.join().unwrap();
}

#[test]
fn a_listener_that_is_dropped_after_its_wake_up_wakes_the_next() {
    passes_on(drop);
}

#[test]
fn a_listener_that_is_unregistered_after_its_wake_up_wakes_the_next() {
    passes_on(|listener| listener.unregister().unwrap());
}

#[test]
fn a_listener_that_is_interrupted_after_its_wake_up_wakes_the_next() {
    passes_on(|mut listener| {
        listener.interrupter().interrupt();
        assert!(listener.listen(LIMIT).unwrap().is_none());
        // The listener is kept: nothing else wakes the next one.
        thread::spawn(move || {
            thread::park_timeout(LIMIT);
            drop(listener);
        });
    });
}

#[test]
fn a_worker_that_is_stopped_while_it_waits_takes_no_wake_up_with_it() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let running = queue.submit("x", Submit::default()).unwrap();
    let (go, gone) = mpsc::channel::<()>();
    let gone = std::sync::Mutex::new(gone);
    let worker = Worker::builder(&client).queue("q").unwrap().slots(2);
    let worker = worker
        .handle(move |_: String, _: &blueque::Context| Ok(gone.lock().unwrap().recv_timeout(LIMIT).is_ok()))
        .build()
        .unwrap();
    let runs = worker.clone();
    let ends = thread::spawn(move || runs.run());
    eventually("it runs", || (worker.running() == 1).then_some(()));
    waiting(&server, 1);
    let mut next = client.listener(&["q"]).unwrap();
    let listens = thread::spawn(move || next.listen(LIMIT).unwrap().map(|work| work.id().clone()));
    waiting(&server, 2);
    let begun = Instant::now();
    // The worker's stop and its wake-up race. In either order, the task is taken soon, by the second listener or by
    // the worker.
    let stops = worker.clone();
    let stopped = thread::spawn(move || stops.stop(Stop::Drain));
    let task = queue.submit("y", Submit::default()).unwrap();
    let taken = eventually("it is taken", || task.info().unwrap().node());
    assert!(begun.elapsed() < WOKEN, "{:?}", begun.elapsed());
    stopped.join().unwrap();
    go.send(()).unwrap();
    go.send(()).unwrap();
    ends.join().unwrap().unwrap();
    assert!(running.result::<bool>(LIMIT).unwrap(), "{taken}");
    if task.info().unwrap().status().is_some_and(blueque::Status::is_finished) {
        queue.submit("z", Submit::default()).unwrap();
    }
    assert!(listens.join().unwrap().is_some());
}

#[cfg(feature = "tokio")]
mod asynchronous {
    use blueque::tokio::{Client, Listener};

    use super::*;

    async fn passes_on(first: impl AsyncFnOnce(Listener)) {
        let server = Server::start();
        let client = Client::open(&server.url()).await.unwrap();
        let mut woken = client.listener(&["q"]).await.unwrap();
        let mut next = Client::open(&server.url()).await.unwrap().listener(&["q"]).await.unwrap();
        let waits = tokio::spawn(async move {
            woken.wait(LIMIT).await;
            woken
        });
        tokio::task::block_in_place(|| waiting(&server, 1));
        let listens = tokio::spawn(async move { next.listen(LIMIT).await.unwrap().map(|work| work.id().clone()) });
        tokio::task::block_in_place(|| waiting(&server, 2));
        let begun = Instant::now();
        let task = client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
        first(waits.await.unwrap()).await;
        assert_eq!(listens.await.unwrap().as_ref(), Some(task.id()));
        assert!(begun.elapsed() < WOKEN, "found by a later look: {:?}", begun.elapsed());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_listener_that_is_dropped_after_its_wake_up_wakes_the_next() {
        passes_on(async |listener| drop(listener)).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_listener_that_is_unregistered_after_its_wake_up_wakes_the_next() {
        passes_on(async |listener| listener.unregister().await.unwrap()).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_listener_whose_call_is_dropped_after_its_wake_up_wakes_the_next() {
        passes_on(async |mut listener| {
            // The future is dropped before it begins: the listener is still woken, and dropped then.
            drop(listener.try_listen());
            drop(listener);
        })
        .await;
    }
}
