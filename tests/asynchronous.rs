//! The asynchronous client (feature `tokio`).

#![cfg(feature = "tokio")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use blueque::calls::{EditOptions, NewTask, RegisterOptions, ReserveOptions, TaskOptions};
use blueque::tokio::{Client, Worker};
use blueque::{
    Action, Error, Filter, ListenerId, Order, Outcome, Plan, QueueName, Recurrence, Reserved, Status, Stop, Submit,
    Submitted, Summary, TaskId,
};
use futures_util::{StreamExt, TryStreamExt};
use support::Server;

const LIMIT: Duration = Duration::from_secs(25);

/// Number of connections of the server, and number of those that wait.
fn connections(server: &Server) -> (u32, u32) {
    let info: String = redis::cmd("INFO").arg("clients").query(&mut server.connection()).unwrap();
    let number = |name: &str| {
        let line = info.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim_start_matches(':').trim().parse().unwrap()
    };
    (number("connected_clients"), number("blocked_clients"))
}

async fn eventually(what: &str, mut look: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !look() {
        assert!(begun.elapsed() < LIMIT, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn a_task_goes_through_its_whole_life_asynchronously() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    assert!(client.handshake().is_some());
    let task = client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
    let mut listener = client.listener_as(ListenerId::new("host_1").unwrap(), &["q"]).await.unwrap();
    let work = listener.listen(LIMIT).await.unwrap().unwrap();
    assert_eq!((work.id(), work.parameters::<String>().unwrap().as_str()), (task.id(), "x"));
    work.start(7).await.unwrap();
    assert_eq!(work.heartbeat().await.unwrap(), Order::Continue);
    work.progress(&0.5).await.unwrap();
    work.checkpoint(&3).await.unwrap();
    assert_eq!(work.edit(EditOptions::new().priority(1)).await.unwrap(), Status::Started);
    assert_eq!(task.edit(&EditOptions::new().unset("priority")).await.unwrap(), Status::Started);
    assert_eq!(listener.held(&"q".parse().unwrap()).await.unwrap().len(), 1);
    assert_eq!(work.complete("r").await.unwrap(), Outcome::Complete);
    assert!(matches!(work.release().await, Err(Error::Lost)));
    assert_eq!(task.result::<String>(LIMIT).await.unwrap(), "r");
    let history = task.history().await.unwrap();
    assert_eq!(history.last().unwrap().to, "complete");
    listener.unregister().await.unwrap();
    assert_eq!(client.queue("q").unwrap().listeners().await.unwrap(), []);
    task.delete().await.unwrap();
    assert!(matches!(task.info().await, Err(Error::NotFound)));
}

#[tokio::test]
async fn search_and_events_are_streams() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    let ids: Vec<TaskId> = (0..1200).map(|n| TaskId::new(format!("t{n}")).unwrap()).collect();
    let tasks: Vec<_> = ids.iter().map(|id| NewTask::new(id, b"1")).collect();
    let made = queue.submit_many(&tasks, &TaskOptions::default().tag("night")).await.unwrap();
    assert!(made.len() == 1200 && made.iter().all(|one| *one == Submitted::Created));
    let filter = Filter::new().tag("night");
    let mut found: Vec<String> = queue.search(&filter).try_collect().await.unwrap();
    let listed = queue.find(&filter, 2000).await.unwrap();
    assert_eq!(found, listed, "the same in the same order");
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 1200);
    assert_eq!(queue.search(&filter).take(3).try_collect::<Vec<_>>().await.unwrap(), listed[..3]);

    assert_eq!(client.search(&filter).try_collect::<Vec<_>>().await.unwrap(), listed, "of all queues");
    assert_eq!(client.find(&filter, 3).await.unwrap(), listed[..3]);
    let ids: Vec<TaskId> = listed.iter().map(|id| TaskId::new(id.as_str()).unwrap()).collect();
    assert!(client.infos(&ids).await.unwrap().iter().all(Option::is_some));

    let mut events = queue.follow("0");
    let mut seen = 0;
    while seen < 1200 {
        let event = events.next().await.unwrap().unwrap();
        assert_eq!(event.to, "pending");
        seen += 1;
    }
    let latest = queue.latest_event().await.unwrap();
    assert!(queue.events(&latest).await.unwrap().items.is_empty() && latest != "0");
    // Receives a change while the stream waits.
    let (event, cancelled) = tokio::join!(events.next(), queue.bulk(&CANCEL, &filter));
    assert_eq!(event.unwrap().unwrap().to, "cancelled");
    assert_eq!(cancelled.unwrap().changed, 1200);
    assert!(queue.search(&Filter::new().tag("day")).next().await.is_none());
    let refused = queue.follow("nonsense").next().await.unwrap().unwrap_err();
    assert_eq!(refused.code(), Some(blueque::Code::BadArgument));
}

const CANCEL: Action = Action::Cancel { reason: String::new(), force: blueque::Force::No };

#[tokio::test]
async fn a_schedule_is_set_and_run_asynchronously() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let schedule = client.schedule("hourly").unwrap();
    let hourly = Recurrence::every(Duration::from_secs(3600)).unwrap();
    schedule.set("q", &hourly, &["all"], &Plan::default()).await.unwrap();
    let task = schedule.run(None).await.unwrap();
    assert_eq!(client.queue("q").unwrap().task(task.id().as_str()).await.unwrap().id(), task.id());
    assert_eq!(client.schedules().await.unwrap().len(), 1);
    client.tick().await.unwrap();
    while client.maintenance(&[]).await.unwrap().more {}
    let (queues, listener) = ([QueueName::new("q").unwrap()], ListenerId::new("bare_1").unwrap());
    let calls = client.calls();
    client.call(&calls.register(&queues[0], &listener, &RegisterOptions::new())).await.unwrap();
    let reserve = calls.reserve_or_due(&listener, &queues, &ReserveOptions::new());
    let Reserved::Tasks(taken) = client.call(&reserve).await.unwrap() else { panic!("the task of the schedule") };
    assert_eq!(&taken[0].id, task.id());
    assert!(matches!(client.call(&reserve).await.unwrap(), Reserved::Nothing { .. }));
    assert!(client.audit("0", &blueque::calls::AuditOptions::new().on("hourly")).await.unwrap().items.len() > 1);
    schedule.remove().await.unwrap();
}

#[tokio::test]
async fn tracked_tasks_are_followed_asynchronously() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
    task.track().await.unwrap();
    let mut changes = client.follow_tracked("0");
    assert_eq!(changes.next().await.unwrap().unwrap().what, "track");
    let (change, cancelled) = tokio::join!(changes.next(), task.cancel("no"));
    assert_eq!(change.unwrap().unwrap().to, "cancelled");
    cancelled.unwrap();
    assert_eq!(client.tracked().await.unwrap().len(), 1);
    task.untrack().await.unwrap();
    assert!(client.tracked().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_waiting_listener_does_not_hold_up_other_calls() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let mut listener = client.listener(&["q"]).await.unwrap();
    let begun = Instant::now();
    let waits = tokio::spawn(async move { listener.listen(LIMIT).await });
    eventually("it waits", || connections(&server).1 == 1).await;
    let task = client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
    assert_eq!(waits.await.unwrap().unwrap().unwrap().id(), task.id());
    assert!(begun.elapsed() < Duration::from_secs(20), "woken, not found by a later look");
}

#[tokio::test]
async fn a_thousand_waiting_listeners_share_a_connection_and_each_task_wakes_one() {
    const LISTENERS: usize = 1000;
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let (done, mut ends) = tokio::sync::mpsc::unbounded_channel();
    let mut waits = tokio::task::JoinSet::new();
    for number in 0..LISTENERS {
        let (client, done) = (client.clone(), done.clone());
        waits.spawn(async move {
            let queues = ["common".to_owned(), format!("own{}", number % 10)];
            let queues = queues.each_ref().map(String::as_str);
            let mut listener = client.listener(&queues).await.unwrap();
            loop {
                let work = listener.listen(LIMIT * 2).await.unwrap().expect("a task, or the end of the test");
                work.start(1).await.unwrap();
                work.complete(&number).await.unwrap();
                done.send(work.id().clone()).unwrap();
            }
        });
    }
    let registered = || {
        let mut connection = server.connection();
        redis::cmd("SCARD").arg("blueque_listeners_common").query::<usize>(&mut connection).unwrap() == LISTENERS
    };
    eventually("all are registered", registered).await;
    eventually("they wait", || connections(&server).1 == 1).await;
    assert_eq!(connections(&server).0, 3, "one for calls, one for waits, and this one that looks");
    let begun = Instant::now();
    for n in 0..LISTENERS / 2 {
        let name = if n % 2 == 0 { "common".to_owned() } else { format!("own{}", n % 10) };
        client.queue(&name).unwrap().submit(&n, Submit::default()).await.unwrap();
    }
    let mut ids = std::collections::HashSet::new();
    while ids.len() < LISTENERS / 2 {
        assert!(ids.insert(ends.recv().await.unwrap()));
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "woken, not found by a later look: {:?}", begun.elapsed());
}

#[tokio::test]
async fn a_wake_up_for_a_listener_that_has_gone_wakes_another() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    for _ in 0..20 {
        let mut gone = client.listener(&["q"]).await.unwrap();
        let mut stays = client.listener(&["q"]).await.unwrap();
        let waits = tokio::spawn(async move { gone.listen(LIMIT).await.map(|work| work.is_some()) });
        eventually("it waits", || connections(&server).1 == 1).await;
        let listens = tokio::spawn(async move { stays.listen(LIMIT).await });
        let begun = Instant::now();
        let task = queue.submit("x", Submit::default()).await.unwrap();
        waits.abort();
        if matches!(waits.await, Ok(Ok(true))) {
            listens.abort();
            continue; // it was quicker
        }
        let work = listens.await.unwrap().unwrap().unwrap();
        assert_eq!(work.id(), task.id());
        work.release().await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(20));
        task.cancel("").await.unwrap();
    }
}

#[tokio::test]
async fn an_interrupted_listener_takes_nothing_and_does_not_wait() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let mut listener = client.listener(&["q"]).await.unwrap();
    let interrupter = listener.interrupter();
    let begun = Instant::now();
    let waits = tokio::spawn(async move { listener.listen(LIMIT).await.map(|work| work.is_some()) });
    eventually("it waits", || connections(&server).1 == 1).await;
    interrupter.interrupt();
    assert!(!waits.await.unwrap().unwrap());
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_restarted_server_is_survived_asynchronously() {
    let mut server = Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let client = Client::open(&server.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    let mut listener = client.listener(&["q", "other"]).await.unwrap();
    let waits = tokio::spawn(async move {
        let work = listener.listen(LIMIT * 2).await.unwrap().unwrap();
        (listener, work)
    });
    eventually("it waits", || connections(&server).1 == 1).await;
    server.kill();
    server.restart();
    let task = client.queue("other").unwrap().submit("x", Submit::default()).await.unwrap();
    let begun = Instant::now();
    let (_listener, work) = waits.await.unwrap();
    assert_eq!(work.id(), task.id());
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    queue.submit("y", Submit::default()).await.unwrap();
    assert_eq!(queue.counts().await.unwrap().pending, 1);
}

#[tokio::test]
async fn nobody_at_the_address_is_an_error_within_the_limit_asynchronously() {
    let limit = Duration::from_millis(300);
    let begun = Instant::now();
    let error = Client::builder().limit(limit).open("unix:///nowhere/at/all").await.unwrap_err();
    assert_eq!(error.code(), Some(blueque::Code::Unavailable));
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_namespace_for_tests_is_opened_for_tests_only() {
    let server = Server::start();
    let client = Client::builder().for_tests().open(&server.url()).await.unwrap();
    client
        .call(&client.calls().tick(1).at(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1000)))
        .await
        .unwrap();
    assert_eq!(Client::open(&server.url()).await.unwrap_err().code(), Some(blueque::Code::Test));
    Client::builder().for_tests().open(&server.url()).await.unwrap();
}

/// The moment at which a future is dropped.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// As soon as the future waits, for the first time or a later time.
    Waiting(u32),
    /// After the event that the future waits for.
    Woken(u32),
}

/// The outcome of a future; `None` if it was dropped before its end.
async fn cut<T>(future: impl Future<Output = T>, how: Cut) -> Option<T> {
    let (most, woken) = match how {
        Cut::Waiting(most) => (most, false),
        Cut::Woken(most) => (most, true),
    };
    let (mut future, mut polls) = (pin!(future), 0);
    poll_fn(|cx| {
        if polls == most {
            return Poll::Ready(None);
        }
        polls += 1;
        match future.as_mut().poll(cx) {
            Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
            Poll::Pending if polls == most && !woken => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Drops a future in every way: at each of its polls, until a run ends before it is dropped.
async fn at_each_await(mut ends: impl AsyncFnMut(Cut) -> bool) {
    for way in [Cut::Waiting, Cut::Woken] {
        let mut points = 0;
        for most in 1.. {
            assert!(most < 100);
            if ends(way(most)).await {
                break;
            }
            points += 1;
        }
        assert!(points > 0, "it never waits");
    }
}

#[tokio::test]
async fn a_listener_finds_what_its_dropped_future_took() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    at_each_await(async |how| {
        let client = Client::open(&server.url()).await.unwrap();
        let queue = client.queue("q").unwrap();
        let task = queue.submit("x", Submit::default()).await.unwrap();
        let mut listener = client.listener(&["q"]).await.unwrap();
        let first = cut(listener.listen(LIMIT), how).await;
        let ended = first.is_some();
        let work = match first {
            Some(work) => work.unwrap().unwrap(),
            // Calls again, and drops the repeated call at the same place.
            None => match cut(listener.try_listen(), how).await {
                Some(work) => work.unwrap().unwrap(),
                None => listener.listen(LIMIT).await.unwrap().unwrap(),
            },
        };
        assert_eq!((work.id(), work.reservation().attempt), (task.id(), 1), "{how:?}: the same attempt");
        work.complete("r").await.unwrap();
        listener.unregister().await.unwrap();
        ended
    })
    .await;
    assert_eq!(queue.counts().await.unwrap().reserved, 0);
}

#[tokio::test]
async fn dropping_a_listener_gives_back_what_its_dropped_future_took() {
    let server = Server::start();
    at_each_await(async |how| {
        let client = Client::open(&server.url()).await.unwrap();
        let queue = client.queue("q").unwrap();
        let task = queue.submit("x", Submit::default()).await.unwrap();
        let mut listener = client.listener(&["q"]).await.unwrap();
        let ended = match cut(listener.listen(LIMIT), how).await {
            Some(work) => {
                work.unwrap().unwrap().release().await.unwrap();
                true
            }
            None => false,
        };
        drop(listener);
        // Another listener gets the task long before its lease of 60 s has expired; the listener may have been there
        // before.
        let begun = Instant::now();
        let mut other = client.listener(&["q"]).await.unwrap();
        let work = loop {
            if let Some(work) = other.try_listen().await.unwrap() {
                break work;
            }
            assert!(begun.elapsed() < LIMIT, "{how:?}: it was not given back");
            tokio::time::sleep(Duration::from_millis(2)).await;
        };
        assert_eq!(work.id(), task.id());
        assert_eq!((work.reservation().losses, work.reservation().failures), (0, 0));
        // The dropped call may only now find that there is no task for it.
        work.complete("r").await.unwrap();
        ended
    })
    .await;
}

#[tokio::test]
async fn unregistering_gives_back_what_a_dropped_future_took() {
    let server = Server::start();
    let seen = AtomicBool::new(false);
    at_each_await(async |how| {
        let client = Client::open(&server.url()).await.unwrap();
        let queue = client.queue("q").unwrap();
        let task = queue.submit("x", Submit::default()).await.unwrap();
        let mut listener = client.listener(&["q"]).await.unwrap();
        let first = cut(listener.listen(LIMIT), how).await;
        let ended = first.is_some();
        seen.fetch_or(first.is_none() && queue.counts().await.unwrap().reserved == 1, Ordering::Relaxed);
        if let Some(work) = first {
            work.unwrap().unwrap().release().await.unwrap();
        }
        listener.unregister().await.unwrap();
        let counts = queue.counts().await.unwrap();
        assert_eq!((counts.reserved, counts.pending), (0, 1), "{how:?}");
        task.cancel("").await.unwrap();
        ended
    })
    .await;
    assert!(seen.load(Ordering::Relaxed), "none of them took the task before it was dropped");
}

#[tokio::test]
async fn a_listener_whose_wait_was_dropped_is_woken_the_next_time() {
    let server = Server::start();
    for how in (1..4).flat_map(|most| [Cut::Waiting(most), Cut::Woken(most)]) {
        let client = Client::open(&server.url()).await.unwrap();
        let mut listener = client.listener(&["q"]).await.unwrap();
        let short = Duration::from_millis(50);
        cut(listener.listen(short), how).await;
        cut(listener.wait(short), how).await;
        let begun = Instant::now();
        let queue = client.queue("q").unwrap();
        let (work, task) = tokio::join!(listener.listen(LIMIT), queue.submit("x", Submit::default()));
        let work = work.unwrap().unwrap();
        assert_eq!(work.id(), task.unwrap().id());
        assert!(begun.elapsed() < Duration::from_secs(20), "{how:?}");
        work.complete("r").await.unwrap();
    }
}

#[tokio::test]
async fn calls_of_an_owner_that_were_dropped_return_their_first_reply_when_repeated() {
    let server = Server::start();
    at_each_await(async |how| {
        let client = Client::open(&server.url()).await.unwrap();
        let queue = client.queue("q").unwrap();
        let id = TaskId::random();
        let submitted = cut(queue.submit("x", Submit::default().id(id.clone())), how).await;
        let mut ended = submitted.is_some();
        queue.submit("x", Submit::default().id(id.clone())).await.unwrap();
        let mut listener = client.listener(&["q"]).await.unwrap();
        let work = listener.listen(LIMIT).await.unwrap().unwrap();
        assert_eq!(work.id(), &id);
        ended &= cut(work.start(1), how).await.is_some();
        work.start(1).await.unwrap();
        ended &= cut(work.checkpoint(&1), how).await.is_some();
        ended &= cut(work.heartbeat(), how).await.is_some();
        let rebuilt = cut(client.processor(&work.attempt()), how).await;
        ended &= rebuilt.is_some();
        assert_eq!(work.heartbeat().await.unwrap(), Order::Continue);
        ended &= cut(work.complete("r"), how).await.is_some();
        assert_eq!(work.complete("r").await.unwrap(), Outcome::Complete);
        assert_eq!(queue.counts().await.unwrap().pending, 0, "submitted once");
        ended &= cut(listener.unregister(), how).await.is_some();
        ended
    })
    .await;
}

fn worker(client: &Client) -> blueque::tokio::WorkerBuilder {
    Worker::builder(client).queue("q").unwrap().heartbeat(Duration::from_millis(50))
}

fn run(worker: &Worker) -> tokio::task::JoinHandle<blueque::Result<Summary>> {
    let worker = worker.clone();
    tokio::spawn(async move { worker.run().await })
}

async fn is(task: &blueque::tokio::Task, status: Status) {
    let begun = Instant::now();
    while task.info().await.unwrap().status() != Some(status) {
        assert!(begun.elapsed() < LIMIT, "{status}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn an_asynchronous_worker_completes_what_it_takes_and_ends_when_drained() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    let worker = worker(&client)
        .slots(8)
        .handle(|n: u32, _| async move {
            tokio::task::yield_now().await;
            if n == 7 { Err("no sevens".into()) } else { Ok(n * 2) }
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    for n in 0..20_u32 {
        let task = queue.submit(&n, Submit::default()).await.unwrap();
        let begun = Instant::now();
        let outcome = task.result::<u32>(LIMIT).await;
        assert!(begun.elapsed() < Duration::from_secs(20));
        match n {
            7 => assert!(matches!(outcome, Err(Error::Failed(text)) if text == "no sevens")),
            n => assert_eq!(outcome.unwrap(), n * 2),
        }
    }
    assert_eq!(client.workers().await.unwrap().len(), 1);
    let stopped = Instant::now();
    worker.stop(Stop::Drain);
    let summary = ends.await.unwrap().unwrap();
    assert_eq!((summary.complete, summary.failed), (19, 1));
    assert!(stopped.elapsed() < Duration::from_secs(10), "an idle worker ends at once");
    assert_eq!(queue.listeners().await.unwrap(), []);
}

#[tokio::test]
async fn tasks_go_to_the_typed_handlers_of_their_methods() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    let worker = worker(&client)
        .slots(2)
        .handle_method("double", |n: u32, _| async move { Ok(n * 2) })
        .handle_method("greet", |name: String, _| async move { Ok(format!("hello, {name}")) })
        .build()
        .unwrap();
    let ends = run(&worker);
    let double = queue.submit(&4, Submit::default().method("double")).await.unwrap();
    let greet = queue.submit("you", Submit::default().method("greet")).await.unwrap();
    let other = queue.submit("x", Submit::default().method("other").max_failures(3)).await.unwrap();
    assert_eq!(double.result::<u32>(LIMIT).await.unwrap(), 8);
    assert_eq!(greet.result::<String>(LIMIT).await.unwrap(), "hello, you");
    let failed = other.wait(LIMIT).await.unwrap();
    assert_eq!((failed.status(), failed.failures()), (Some(Status::Failed), 1), "no retry would help");
    worker.stop(Stop::Drain);
    ends.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_asynchronous_handler_says_where_its_task_goes_on() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let (queue, other) = (client.queue("q").unwrap(), client.queue("other").unwrap());
    let name = other.name().clone();
    let worker = worker(&client)
        .handle(move |n: u32, cx| {
            cx.next(&name);
            async move { Ok(n + 1) }
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    let task = queue.submit(&4, Submit::default()).await.unwrap();
    let mut listener = client.listener(&["other"]).await.unwrap();
    let work = listener.listen(LIMIT).await.unwrap().unwrap();
    assert_eq!(work.parameters::<u32>().unwrap(), 5);
    assert_eq!(work.next(other.name(), &6).await.unwrap(), Outcome::Complete);
    let work = listener.listen(LIMIT).await.unwrap().unwrap();
    assert_eq!((work.id(), work.parameters::<u32>().unwrap()), (task.id(), 6));
    let third = client.queue("third").unwrap();
    assert_eq!(work.release_into(third.name()).await.unwrap(), Outcome::Released);
    assert_eq!(third.counts().await.unwrap().pending, 1);
    worker.stop(Stop::Drain);
    ends.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_asynchronous_handler_hears_of_a_cancel_while_it_waits() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
    let worker = worker(&client)
        .handle(|_: String, cx| async move {
            let stopped = cx.stopped().await;
            assert_eq!(cx.check(), Err(stopped));
            Err::<(), _>(stopped.into())
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    is(&task, Status::Started).await;
    task.cancel("enough").await.unwrap();
    is(&task, Status::Cancelled).await;
    worker.stop(Stop::Drain);
    assert_eq!(ends.await.unwrap().unwrap().cancelled, 1);
}

#[tokio::test]
async fn a_released_asynchronous_worker_gives_back_what_runs_and_another_goes_on_from_the_checkpoint() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
    let first = worker(&client)
        .handle(|_: String, cx| async move {
            cx.checkpoint(&41).await?;
            Err::<(), _>(cx.stopped().await.into())
        })
        .build()
        .unwrap();
    let ends = run(&first);
    let begun = Instant::now();
    while task.info().await.unwrap().checkpoint_bytes().is_none() {
        assert!(begun.elapsed() < LIMIT);
    }
    first.stop(Stop::Release);
    assert_eq!(ends.await.unwrap().unwrap().released, 1);
    let info = task.info().await.unwrap();
    assert_eq!((info.status(), info.losses()), (Some(Status::Pending), 0), "given back uncounted");
    let second = worker(&client)
        .handle(|_: String, cx| async move { Ok(cx.last_checkpoint::<u32>()?.unwrap_or(0) + 1) })
        .build();
    let second = second.unwrap();
    let ends = run(&second);
    assert_eq!(task.result::<u32>(LIMIT).await.unwrap(), 42);
    second.stop(Stop::Drain);
    ends.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_panic_of_an_asynchronous_handler_fails_its_task_and_nothing_else() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    let panics = queue.submit("panic", Submit::default()).await.unwrap();
    let wrong = queue.submit(&17, Submit::default()).await.unwrap();
    let fine = queue.submit("fine", Submit::default()).await.unwrap();
    let worker = worker(&client)
        .handle(|how: String, _| async move {
            assert!(how != "panic", "on purpose");
            Ok(how)
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    assert!(panics.wait(LIMIT).await.unwrap().error().unwrap().contains("on purpose"));
    assert_eq!(wrong.wait(LIMIT).await.unwrap().status(), Some(Status::Failed), "parameters of another type");
    assert_eq!(fine.result::<String>(LIMIT).await.unwrap(), "fine");
    worker.stop(Stop::Drain);
    ends.await.unwrap().unwrap();
}

#[tokio::test]
async fn the_end_of_a_task_is_sent_until_a_server_that_was_away_takes_it_asynchronously() {
    let mut server = Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let client = Client::builder().limit(Duration::from_millis(200)).open(&server.url()).await.unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
    let go = std::sync::Arc::new(tokio::sync::Notify::new());
    let gone = std::sync::Arc::clone(&go);
    let worker = worker(&client)
        .handle(move |_: String, _| {
            let gone = std::sync::Arc::clone(&gone);
            async move {
                gone.notified().await;
                Ok("worth hours")
            }
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    is(&task, Status::Started).await;
    server.kill();
    go.notify_one();
    assert_eq!(task.info().await.unwrap_err().code(), Some(blueque::Code::Unavailable));
    server.restart();
    let begun = Instant::now();
    let info = loop {
        match task.info().await {
            Ok(info) if info.status() == Some(Status::Complete) => break info,
            _ => assert!(begun.elapsed() < LIMIT),
        }
    };
    assert_eq!(info.result::<String>().unwrap().unwrap(), "worth hours");
    worker.stop(Stop::Drain);
    assert_eq!(ends.await.unwrap().unwrap().complete, 1);
}

#[tokio::test]
async fn ends_of_the_same_moment_are_sent_together_and_fill_their_slots() {
    const TASKS: u32 = 300;
    let server = Server::start_counting();
    let client = Client::open(&server.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    for n in 0..TASKS {
        queue.submit(&n, Submit::default()).await.unwrap();
    }
    let worker = worker(&client).slots(20).handle(|n: u32, _| async move { Ok(n) }).build().unwrap();
    let ends = run(&worker);
    let begun = Instant::now();
    while queue.counts().await.unwrap().complete < u64::from(TASKS) {
        assert!(begun.elapsed() < LIMIT);
    }
    worker.stop(Stop::Drain);
    assert_eq!(ends.await.unwrap().unwrap().complete, u64::from(TASKS));
    let calls = ["start", "complete", "reserve", "finish_and_reserve"].map(|command| server.calls_of(command));
    assert_eq!(calls[..2], [0, 0], "{calls:?}");
    assert!(calls[2] < 50 && calls[3] < 200, "{calls:?}");
}

#[tokio::test]
async fn an_asynchronous_worker_adopts_tasks_of_a_dead_process_on_this_host() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    let dead = support::listener_here(gone.id());
    gone.wait().unwrap();
    let mut listener = client.listener_as(dead.clone(), &["q"]).await.unwrap();
    listener.listen(LIMIT).await.unwrap().expect("the task");
    support::silent(&server, "q", &dead);
    let worker = worker(&client).adopt_dead(true).handle(|_: String, _| async { Ok(1) }).build().unwrap();
    let ends = run(&worker);
    assert_eq!(task.result::<u32>(LIMIT).await.unwrap(), 1);
    let info = task.info().await.unwrap();
    assert_eq!((info.losses(), info.attempt()), (1, 3), "long before its lease of 60 s has expired");
    worker.stop(Stop::Drain);
    ends.await.unwrap().unwrap();
}

#[tokio::test]
async fn closures_that_block_hold_up_nothing_else_and_make_calls() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    let (both, met) = (std::sync::Barrier::new(2), std::sync::Arc::new(AtomicBool::new(false)));
    let meets = std::sync::Arc::clone(&met);
    let worker = worker(&client)
        .slots(3)
        .handle_blocking(move |name: String, cx| {
            cx.block_on(cx.checkpoint("saved"))?;
            both.wait(); // until both handlers run
            meets.store(true, Ordering::Release);
            Ok(name)
        })
        .handle_method_blocking("patient", |_: String, cx| -> Result<(), _> {
            loop {
                cx.check()?;
                std::thread::sleep(Duration::from_millis(2));
            }
        })
        .handle_method_blocking("panic", |(): (), _| -> Result<(), _> { panic!("on purpose") })
        .build()
        .unwrap();
    let ends = run(&worker);
    let patient = queue.submit("x", Submit::default().method("patient")).await.unwrap();
    let first = queue.submit("a", Submit::default()).await.unwrap();
    let second = queue.submit("b", Submit::default()).await.unwrap();
    assert_eq!(first.result::<String>(LIMIT).await.unwrap() + &second.result::<String>(LIMIT).await.unwrap(), "ab");
    assert!(met.load(Ordering::Acquire));
    let panics = queue.submit(&(), Submit::default().method("panic")).await.unwrap();
    assert!(panics.wait(LIMIT).await.unwrap().error().unwrap().contains("on purpose"));
    is(&patient, Status::Started).await;
    patient.cancel("enough").await.unwrap();
    is(&patient, Status::Cancelled).await;
    worker.stop(Stop::Drain);
    let summary = ends.await.unwrap().unwrap();
    assert_eq!((summary.complete, summary.failed, summary.cancelled), (2, 1, 1));
}

#[tokio::test]
async fn bytes_go_to_an_asynchronous_handler_as_they_are() {
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let queue = client.queue("q").unwrap();
    let task = queue.submit_bytes(b"\0\xff", Submit::default()).await.unwrap();
    let worker = worker(&client)
        .handle_bytes(|cx| async move { Ok(cx.reservation().parameters.iter().rev().copied().collect()) })
        .build()
        .unwrap();
    let ends = run(&worker);
    assert_eq!(task.wait(LIMIT).await.unwrap().result_bytes().unwrap(), b"\xff\0");
    worker.stop(Stop::Drain);
    ends.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_worker_whose_future_was_dropped_runs_again_and_finds_its_tasks_by_their_leases() {
    /// Records that a handler was dropped.
    struct Handler(std::sync::Arc<AtomicBool>);
    impl Drop for Handler {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let server = Server::start();
    let client = Client::open(&server.url()).await.unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
    let [runs, dropped] = [(); 2].map(|()| std::sync::Arc::new(AtomicBool::new(false)));
    let (begins, says) = (std::sync::Arc::clone(&runs), std::sync::Arc::clone(&dropped));
    let worker = worker(&client)
        .lease(Duration::from_secs(1))
        .handle(move |_: String, cx| {
            let (begins, handler) = (std::sync::Arc::clone(&begins), Handler(std::sync::Arc::clone(&says)));
            async move {
                begins.store(true, Ordering::Release);
                if cx.reservation().losses == 0 {
                    cx.stopped().await;
                }
                drop(handler);
                Ok(cx.reservation().attempt)
            }
        })
        .build()
        .unwrap();
    tokio::select! {
        ended = worker.run() => panic!("{ended:?}"),
        () = eventually("its handler runs", || runs.load(Ordering::Acquire)) => {}
    }
    eventually("its handler is dropped", || dropped.load(Ordering::Acquire)).await;
    let ends = run(&worker);
    assert_eq!(task.result::<u32>(LIMIT).await.unwrap(), 2);
    worker.stop(Stop::Drain);
    assert_eq!(ends.await.unwrap().unwrap().complete, 1);
}

#[test]
fn a_runtime_that_stops_while_calls_are_under_way_loses_no_task() {
    const TURNS: u64 = 8;
    const TASKS: u64 = 15;
    let server = Server::start();
    let client = blueque::Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let mut tasks = Vec::new();
    // Each runtime is dropped in the middle of something else, and with it workers, listeners and calls under way.
    for turn in 0..TURNS {
        tasks.extend((0..TASKS).map(|n| queue.submit(&(turn * TASKS + n), Submit::default()).unwrap()));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let client = runtime.block_on(Client::open(&server.url())).unwrap();
        let handled = std::sync::Arc::new(tokio::sync::Notify::new());
        let counted = std::sync::Arc::clone(&handled);
        let worker = Worker::builder(&client).queue("q").unwrap().slots(4).lease(Duration::from_secs(1));
        let worker = worker
            .handle(move |n: u64, cx| {
                counted.notify_one();
                async move {
                    cx.checkpoint(&n).await?;
                    if n % 5 == 4 {
                        cx.stopped().await; // never, as long as the runtime lives
                    }
                    Ok(n)
                }
            })
            .build()
            .unwrap();
        let runs = worker.clone();
        runtime.spawn(async move { runs.run().await });
        let mut listener = runtime.block_on(client.listener(&["q"])).unwrap().lease(Duration::from_secs(1));
        runtime.spawn(async move {
            while let Some(work) = listener.listen(LIMIT).await? {
                work.start(1).await?;
                work.complete(&work.parameters::<u64>()?).await?;
            }
            Ok::<(), Error>(())
        });
        runtime.block_on(async {
            for _ in 0..=turn % 4 {
                handled.notified().await;
            }
        });
        drop(runtime);
    }
    assert_ne!(queue.counts().unwrap().reserved, 0, "something was under way");
    let worker = blueque::Worker::builder(&client).queue("q").unwrap();
    let worker = worker.slots(4).handle(|n: u64, _: &blueque::Context| Ok(n)).build().unwrap();
    let runs = worker.clone();
    let ends = std::thread::spawn(move || runs.run());
    for (n, task) in tasks.iter().enumerate() {
        assert_eq!(task.result::<usize>(LIMIT).unwrap(), n);
    }
    worker.stop(Stop::Drain);
    ends.join().unwrap().unwrap();
    let counts = queue.counts().unwrap();
    assert_eq!((counts.complete, counts.failed, counts.reserved, counts.pending), (TURNS * TASKS, 0, 0, 0));
}
