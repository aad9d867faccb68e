//! Tests how the crate handles a call that was executed, but whose reply was lost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "support/proxy.rs"]
mod proxy;
mod support;

use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use blueque::calls::{NewTask, TaskOptions};
use blueque::{
    Client, Context, HandlerError, Listener, ListenerId, Status, Stop, Submit, Submitted, Task, TaskId, Worker,
};
use proxy::Proxy;
use support::{Server, eventually};

fn micros(connection: &mut redis::Connection) -> u64 {
    let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(connection).unwrap();
    seconds * 1_000_000 + micros
}

/// A task of the queue `q`, the connection to its server, and a listener that asked for the task over this
/// connection: it was given out, and the reply was lost. The connection is closed.
fn given_out_unheard(server: &Server) -> (Task, Proxy, Listener) {
    let proxy = Proxy::to(server);
    let task = Client::open(&server.url()).unwrap().queue("q").unwrap().submit("work", Submit::default()).unwrap();
    let client = Client::builder().limit(Duration::from_millis(500)).open(&proxy.url()).unwrap();
    let mut listener = client.listener_as(ListenerId::of_process("host", 1), &["q"]).unwrap();
    proxy.lose_and_close("reserve");
    assert!(listener.try_listen().is_err());
    assert_eq!(proxy.lost(), 1);
    (task, proxy, listener)
}

#[test]
fn a_lease_that_is_counted_from_a_repeated_reserve_holds_so_long_at_the_server() {
    let server = Server::start();
    let (task, proxy, mut listener) = given_out_unheard(&server);
    let held = |connection: &mut redis::Connection| -> u64 {
        let leases: Vec<(String, f64)> = redis::cmd("ZRANGE")
            .arg("blueque_leases_q")
            .arg("0")
            .arg("-1")
            .arg("WITHSCORES")
            .query(connection)
            .unwrap();
        format!("{:.0}", leases[0].1).parse().unwrap()
    };
    let mut connection = server.connection();
    assert!(held(&mut connection) > 0, "the server has given it out");
    proxy.open();
    let (asked, processor) = eventually("the repeated call is answered", || {
        let asked = micros(&mut connection);
        Some((asked, listener.try_listen().ok()??))
    });
    assert_eq!((processor.id(), processor.reservation().attempt), (task.id(), 1));
    let lease = u64::try_from(processor.lease().as_micros()).unwrap();
    let holds = held(&mut connection);
    assert!(holds >= asked + lease, "the server holds it {} µs less than its owner believes", asked + lease - holds);
}

#[test]
fn a_reservation_that_was_lost_before_its_answer_was_heard_is_nobody_s() {
    let server = Server::start();
    let (task, proxy, mut listener) = given_out_unheard(&server);
    task.requeue_now().unwrap();
    let direct = Client::open(&server.url()).unwrap();
    let mut other = direct.listener_as(ListenerId::of_process("host", 2), &["q"]).unwrap();
    let taken = other.try_listen().unwrap().expect("the task");
    proxy.open();
    let answered = eventually("the repeated call is answered", || listener.try_listen().ok());
    assert!(answered.is_none());
    taken.complete("done").unwrap();
}

#[test]
fn of_many_that_were_taken_unheard_those_beyond_the_next_limit_are_given_back() {
    let server = Server::start();
    let proxy = Proxy::to(&server);
    let direct = Client::open(&server.url()).unwrap();
    let queue = direct.queue("q").unwrap();
    let ids = ["a", "b", "c"].map(|id| TaskId::new(id).unwrap());
    let new = ids.each_ref().map(|id| NewTask::new(id, b"p"));
    queue.submit_many(&new, &TaskOptions::default()).unwrap();
    let client = Client::builder().limit(Duration::from_millis(500)).open(&proxy.url()).unwrap();
    let mut listener = client.listener_as(ListenerId::of_process("host", 1), &["q"]).unwrap();
    proxy.lose_and_close("reserve");
    assert!(listener.try_listen_many(3).is_err());
    proxy.open();
    let taken = eventually("the repeated call is answered", || listener.try_listen_many(2).ok());
    assert_eq!(taken.iter().map(|processor| processor.id().as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let third = queue.task("c").unwrap().info().unwrap();
    assert_eq!(
        (third.status(), third.attempt()),
        (Some(Status::Pending), 1),
        "given back, not left until its lease ends"
    );
    let next = listener.try_listen().unwrap().expect("the third");
    assert_eq!(next.id().as_str(), "c");
}

#[test]
fn what_a_call_did_is_done_once_and_told_as_at_first() {
    let server = Server::start();
    let proxy = Proxy::to(&server);
    let direct = Client::open(&server.url()).unwrap();
    let client = Client::open(&proxy.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let id = TaskId::new("t").unwrap();
    proxy.lose("submit", || {});
    let new = [NewTask::new(&id, b"p")];
    assert_eq!(queue.submit_many(&new, &TaskOptions::default()).unwrap(), [Submitted::Created]);
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

/// A worker with two slots ends its first task, and the reply, with the third task, is withheld. The end of the second
/// task is sent at once, and takes the fourth task. The lost call is repeated, and returns the third task again.
#[test]
fn an_end_is_sent_while_another_is_under_way_and_each_finds_its_task_after_a_lost_reply() {
    let server = Server::start();
    let proxy = Proxy::to(&server);
    let queue = Client::open(&server.url()).unwrap().queue("q").unwrap();
    let tasks: Vec<Task> = (0..6_usize).map(|n| queue.submit(&n, Submit::default()).unwrap()).collect();
    let started = || tasks.iter().filter(|task| task.info().unwrap().status() == Some(Status::Started)).count();
    let is = |n: usize, status| {
        eventually("a task has this state", || (tasks[n].info().unwrap().status() == Some(status)).then_some(()));
    };
    let (doors, waits): (Vec<_>, Vec<_>) = (0..6).map(|_| mpsc::channel::<()>()).unzip();
    let waits: Vec<_> = waits.into_iter().map(Mutex::new).collect();
    let begun = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&begun);
    let handler = move |n: usize, _: &Context| -> Result<(), HandlerError> {
        seen.lock().unwrap().push(n);
        waits[n].lock().unwrap().recv()?;
        Ok(())
    };
    let client = Client::open(&proxy.url()).unwrap();
    let worker = Worker::builder(&client).queue("q").unwrap().slots(2).handle(handler).build().unwrap();
    let running = worker.clone();
    let ends = thread::spawn(move || running.run());
    eventually("both slots are taken", || (begun.lock().unwrap().len() == 2).then_some(()));
    let (release, held) = mpsc::channel();
    proxy.lose("finish_and_reserve", move || held.recv().unwrap());
    doors[0].send(()).unwrap();
    is(2, Status::Started);
    doors[1].send(()).unwrap();
    is(1, Status::Complete);
    is(3, Status::Started);
    assert_eq!((proxy.lost(), started()), (0, 2));
    release.send(()).unwrap();
    eventually("all have begun", || (begun.lock().unwrap().len() == 4).then_some(()));
    assert_eq!((proxy.lost(), started()), (1, 2), "the repeated call took nothing more");
    for door in &doors[2..] {
        door.send(()).unwrap();
    }
    is(5, Status::Complete);
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().complete, 6);
    let mut begun = begun.lock().unwrap().clone();
    begun.sort_unstable();
    assert_eq!(begun, [0, 1, 2, 3, 4, 5]);
}
