//! The worker: closures on threads, and what may happen to them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use blueque::{
    Client, Code, Context, Order, QueueName, Requeued, Status, Stop, Stopped, Submit, Summary, Worker, WorkerBuilder,
};
use support::{Server, eventually};

const LIMIT: Duration = Duration::from_secs(20);

fn builder(client: &Client) -> WorkerBuilder {
    Worker::builder(client).queue("q").unwrap().heartbeat(Duration::from_millis(50))
}

fn run(worker: &Worker) -> thread::JoinHandle<blueque::Result<Summary>> {
    let worker = worker.clone();
    thread::spawn(move || worker.run())
}

/// Works until it is ordered to stop.
fn patient(_: String, cx: &Context) -> Result<(), blueque::HandlerError> {
    loop {
        cx.check()?;
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_worker_completes_what_it_takes_and_ends_when_drained() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let tasks: Vec<_> = (0..20_u32).map(|n| queue.submit(&n, Submit::default()).unwrap()).collect();
    let worker = builder(&client).slots(4).handle(|n: u32, _: &Context| Ok(n * 2)).build().unwrap();
    let ends = run(&worker);
    for (n, task) in (0..20_u32).zip(&tasks) {
        assert_eq!(task.result::<u32>(LIMIT).unwrap(), n * 2);
    }
    let stopped = Instant::now();
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().complete, 20);
    assert!(stopped.elapsed() < Duration::from_secs(5), "an idle worker ends at once");
    assert_eq!(queue.listeners().unwrap(), []);
}

#[test]
fn a_task_submitted_while_the_worker_waits_begins_at_once() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let worker = builder(&client).handle(|n: u32, _: &Context| Ok(n)).build().unwrap();
    let ends = run(&worker);
    eventually("the worker waits", || {
        let info: String = redis::cmd("INFO").arg("clients").query(&mut server.connection()).unwrap();
        info.contains("blocked_clients:1").then_some(())
    });
    let begun = Instant::now();
    client.queue("q").unwrap().submit(&1, Submit::default()).unwrap().result::<u32>(LIMIT).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2));
    worker.stop(Stop::Drain);
    ends.join().unwrap().unwrap();
}

#[test]
fn a_failure_and_a_panic_fail_the_task_with_their_text() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let fails = queue.submit("fail", Submit::default()).unwrap();
    let panics = queue.submit("panic", Submit::default()).unwrap();
    let wrong = queue.submit(&17, Submit::default()).unwrap();
    let handler = |how: String, _: &Context| -> Result<(), blueque::HandlerError> {
        assert!(how != "panic", "on purpose");
        Err("no such codec".into())
    };
    let worker = builder(&client).handle(handler).build().unwrap();
    let ends = run(&worker);
    assert_eq!(fails.wait(LIMIT).unwrap().error().unwrap(), "no such codec");
    assert!(panics.wait(LIMIT).unwrap().error().unwrap().contains("on purpose"));
    assert_eq!(wrong.wait(LIMIT).unwrap().status(), Some(Status::Failed), "parameters of another type");
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().failed, 3);
}

#[test]
fn a_cancel_reaches_the_handler_by_the_next_heartbeat() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let worker = builder(&client).handle(patient).build().unwrap();
    let ends = run(&worker);
    eventually("it runs", || (task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    task.cancel("enough").unwrap();
    assert_eq!(task.wait(LIMIT).unwrap().status(), Some(Status::Cancelled));
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().cancelled, 1);
}

#[test]
fn a_worker_told_to_release_gives_back_what_runs_and_another_goes_on_from_the_checkpoint() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let first = builder(&client)
        .handle(|_: String, cx: &Context| -> Result<u32, blueque::HandlerError> {
            cx.checkpoint(&41)?;
            patient(String::new(), cx)?;
            unreachable!("patient ends with an error only")
        })
        .build()
        .unwrap();
    let ends = run(&first);
    eventually("it saved a checkpoint", || task.info().unwrap().checkpoint_bytes().map(|_| ()));
    first.stop(Stop::Release);
    assert_eq!(ends.join().unwrap().unwrap().released, 1);
    let info = task.info().unwrap();
    assert_eq!((info.status(), info.losses()), (Some(Status::Pending), 0), "given back uncounted");

    let second = builder(&client)
        .handle(|_: String, cx: &Context| Ok(cx.last_checkpoint::<u32>()?.unwrap_or(0) + 1))
        .build()
        .unwrap();
    let ends = run(&second);
    assert_eq!(task.result::<u32>(LIMIT).unwrap(), 42);
    second.stop(Stop::Drain);
    ends.join().unwrap().unwrap();
}

#[test]
fn a_handler_whose_task_was_taken_hears_that_it_is_lost_and_changes_nothing() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let (tell, told) = mpsc::channel();
    let worker = builder(&client)
        .handle(move |_: String, cx: &Context| -> Result<(), blueque::HandlerError> {
            let stopped = loop {
                match cx.check() {
                    Ok(()) => thread::sleep(Duration::from_millis(2)),
                    Err(stopped) => break stopped,
                }
            };
            tell.send((stopped, cx.checkpoint(&1).unwrap_err().word().to_owned())).unwrap();
            Ok(()) // as if it had not noticed
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    eventually("it runs", || (task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    task.cancel_now("cut off").unwrap();
    let (stopped, code) = told.recv_timeout(LIMIT).unwrap();
    assert_eq!(stopped, Stopped(Order::Lost));
    assert_eq!(code, "LOST");
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().lost, 1);
    let info = task.info().unwrap();
    assert_eq!((info.status(), info.result_bytes(), info.checkpoint_bytes()), (Some(Status::Cancelled), None, None));
}

#[test]
fn a_forced_cancel_stops_the_handler_and_its_end_is_reported() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let (tell, told) = mpsc::channel();
    let worker = builder(&client)
        .handle(move |_: String, cx: &Context| {
            let stopped = patient(String::new(), cx);
            tell.send(cx.order()).unwrap();
            stopped
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    eventually("it runs", || (task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    task.cancel_by_force("enough").unwrap();
    assert_eq!(told.recv_timeout(LIMIT).unwrap(), Order::Kill);
    // Long before the lease of 60 s has expired.
    assert_eq!(task.wait(LIMIT).unwrap().status(), Some(Status::Cancelled));
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().cancelled, 1);
}

#[test]
fn a_handler_that_ignores_a_forced_cancel_loses_its_lease_and_changes_nothing() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let (tell, told) = mpsc::channel();
    let lease = Duration::from_secs(1);
    let worker = builder(&client)
        .lease(lease)
        .handle(move |_: String, cx: &Context| -> Result<(), blueque::HandlerError> {
            let mut heard = vec![Order::Continue];
            while heard.last() != Some(&Order::Lost) {
                let order = cx.order();
                if heard.last() != Some(&order) {
                    heard.push(order);
                }
                thread::sleep(Duration::from_millis(2));
            }
            tell.send((heard, Instant::now(), cx.checkpoint(&1).is_err())).unwrap();
            Ok(())
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    eventually("it runs", || (task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    task.cancel_by_force("enough").unwrap();
    let ordered = Instant::now();
    let (heard, lost, refused) = told.recv_timeout(LIMIT).unwrap();
    assert_eq!(heard, [Order::Continue, Order::Kill, Order::Lost]);
    assert!(lost < ordered + lease + Duration::from_millis(100), "{:?}", lost - ordered);
    assert!(refused);
    let info = task.wait(LIMIT).unwrap();
    assert_eq!((info.status(), info.result_bytes(), info.checkpoint_bytes()), (Some(Status::Cancelled), None, None));
    worker.stop(Stop::Drain);
    ends.join().unwrap().unwrap();
}

#[test]
fn a_handler_that_ends_before_it_hears_of_a_forced_cancel_frees_its_task_at_once() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let tasks = ["completes", "fails", "saves"].map(|how| queue.submit(how, Submit::default()).unwrap());
    let (go, gone) = mpsc::channel::<()>();
    let gone = std::sync::Mutex::new(gone);
    let worker = Worker::builder(&client)
        .queue("q")
        .unwrap()
        .slots(1)
        .handle(move |how: String, cx: &Context| -> Result<(), blueque::HandlerError> {
            gone.lock().unwrap().recv().unwrap();
            match how.as_str() {
                "completes" => Ok(()),
                "fails" => Err("no luck".into()),
                _ => Ok(cx.checkpoint(&1)?),
            }
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    for task in &tasks {
        eventually("it runs", || (task.info().unwrap().status() == Some(Status::Started)).then_some(()));
        task.cancel_by_force("enough").unwrap();
        go.send(()).unwrap();
        assert_eq!(task.wait(LIMIT).unwrap().status(), Some(Status::Cancelled));
    }
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().cancelled, 3);
}

#[test]
fn a_requeued_task_is_given_back_uncounted_and_runs_again_from_its_checkpoint() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default().max_releases(0)).unwrap();
    let worker = builder(&client)
        .handle(|how: String, cx: &Context| {
            if cx.last_checkpoint::<u32>()?.is_none() {
                cx.checkpoint(&7)?;
                patient(how, cx)?;
            }
            Ok(cx.last_checkpoint::<u32>()?)
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    eventually("it saved a checkpoint", || task.info().unwrap().checkpoint_bytes().map(|_| ()));
    assert_eq!(task.requeue().unwrap(), Requeued::Requested);
    assert_eq!(task.result::<u32>(LIMIT).unwrap(), 7);
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().released, 1);
}

#[test]
fn a_stopped_queue_takes_its_tasks_back_and_the_worker_goes_on_with_others() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let worker = builder(&client)
        .queue("other")
        .unwrap()
        .handle(|how: String, cx: &Context| if how == "x" { patient(how, cx) } else { Ok(()) })
        .build()
        .unwrap();
    let ends = run(&worker);
    eventually("it runs", || (task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    client.queue("q").unwrap().pause_and_stop("ops", "disk").unwrap();
    eventually("it is given back", || (task.info().unwrap().status() == Some(Status::Pending)).then_some(()));
    client.queue("other").unwrap().submit("y", Submit::default()).unwrap().result::<()>(LIMIT).unwrap();
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().released, 1);
}

#[test]
fn without_the_server_a_handler_is_stopped_before_its_lease_can_have_expired() {
    let mut server = Server::start_with(&["--appendonly", "yes"]);
    let client = Client::builder().limit(Duration::from_millis(200)).open(&server.url()).unwrap();
    client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let (enter, entered) = mpsc::channel();
    let (tell, told) = mpsc::channel();
    let worker = builder(&client)
        .lease(Duration::from_secs(1))
        .handle(move |_: String, cx: &Context| -> Result<(), blueque::HandlerError> {
            enter.send(()).unwrap();
            let outcome = patient(String::new(), cx);
            tell.send(Instant::now()).unwrap();
            outcome
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    entered.recv_timeout(LIMIT).unwrap();
    server.kill();
    let killed = Instant::now();
    let stopped = told.recv_timeout(LIMIT).unwrap();
    assert!(stopped - killed <= Duration::from_millis(1100), "a lease later at most");
    server.restart();
    worker.stop(Stop::Release);
    ends.join().unwrap().unwrap();
}

#[test]
fn the_end_of_a_task_is_sent_until_a_server_that_was_away_takes_it() {
    let mut server = Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let client = Client::builder().limit(Duration::from_millis(200)).open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let (finish, may_finish) = mpsc::channel::<()>();
    let may_finish = std::sync::Mutex::new(may_finish);
    let runs = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&runs);
    let worker = builder(&client)
        .handle(move |_: String, _: &Context| {
            counted.fetch_add(1, Ordering::SeqCst);
            may_finish.lock().unwrap().recv_timeout(LIMIT)?;
            Ok("worth hours")
        })
        .build()
        .unwrap();
    let ends = run(&worker);
    eventually("it runs", || (runs.load(Ordering::SeqCst) == 1).then_some(()));
    server.kill();
    finish.send(()).unwrap();
    // While the worker tries without success, each call of this client fails after its limit.
    for _ in 0..3 {
        assert_eq!(client.queue("q").unwrap().counts().unwrap_err().code(), Some(blueque::Code::Unavailable));
    }
    server.restart();
    assert_eq!(task.result::<String>(LIMIT).unwrap(), "worth hours");
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().complete, 1);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[test]
fn tasks_of_a_dead_process_on_this_host_are_taken_back_where_that_is_asked_for() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    let dead = support::listener_here(gone.id());
    gone.wait().unwrap();
    let mut listener = client.listener_as(dead.clone(), &["q"]).unwrap();
    listener.listen(LIMIT).unwrap().expect("the task");
    support::silent(&server, "q", &dead);
    let worker = builder(&client).adopt_dead(true).handle(|_: String, _: &Context| Ok(1)).build().unwrap();
    let ends = run(&worker);
    assert_eq!(task.result::<u32>(LIMIT).unwrap(), 1);
    let info = task.info().unwrap();
    assert_eq!((info.losses(), info.attempt()), (1, 3));
    worker.stop(Stop::Drain);
    ends.join().unwrap().unwrap();
}

#[test]
fn tasks_that_a_process_took_and_started_in_one_call_and_died_with_are_taken_back() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let tasks: Vec<_> = (0..3).map(|_| queue.submit("x", Submit::default()).unwrap()).collect();
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    let dead = support::listener_here(gone.id());
    let _listener = client.listener_as(dead.clone(), &["q"]).unwrap();
    let options = blueque::calls::ReserveOptions::new().limit(3).pid(gone.id());
    let taken = client.call(&client.calls().reserve(&dead, &[queue.name().clone()], &options)).unwrap();
    assert_eq!(taken.len(), 3);
    gone.wait().unwrap();
    support::silent(&server, "q", &dead);
    let worker = builder(&client).slots(3).adopt_dead(true).handle(|_: String, _: &Context| Ok(1)).build().unwrap();
    let ends = run(&worker);
    for task in &tasks {
        assert_eq!(task.result::<u32>(LIMIT).unwrap(), 1);
        assert_eq!(task.info().unwrap().losses(), 1);
    }
    worker.stop(Stop::Drain);
    ends.join().unwrap().unwrap();
}

#[test]
fn a_full_worker_reports_its_slots_and_obeys_an_order_for_another_of_its_queues() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let worker = builder(&client).queue("other").unwrap().name("left").unwrap().handle(patient).build().unwrap();
    let ends = run(&worker);
    let found = eventually("it is full", || client.workers().unwrap().into_iter().find(|found| found.free == 0));
    assert_eq!((found.slots, found.queues, found.name), (1, vec!["q".to_owned(), "other".into()], Some("left".into())));
    let listener = blueque::ListenerId::new(found.id.as_str()).unwrap();
    client.queue("other").unwrap().drain(&listener, true).unwrap();
    assert_eq!(ends.join().unwrap().unwrap().released, 1);
    assert_eq!(task.info().unwrap().status(), Some(Status::Pending));
    assert_eq!(client.workers().unwrap(), []);
}

#[test]
fn tasks_go_to_the_typed_handlers_of_their_methods() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let worker = builder(&client)
        .handle_method("double", |n: u32, _: &Context| Ok(n * 3))
        .handle_method("greet", |name: String, _: &Context| Ok(format!("hello, {name}")))
        .handle_method("double", |n: u32, _: &Context| Ok(n * 2));
    let double = queue.submit(&4, Submit::default().method("double")).unwrap();
    let greet = queue.submit("you", Submit::default().method("greet")).unwrap();
    let other = queue.submit("x", Submit::default().method("other").max_failures(3)).unwrap();
    let none = queue.submit("x", Submit::default().max_failures(3)).unwrap();
    let first = worker.build().unwrap();
    let ends = run(&first);
    assert_eq!(double.result::<u32>(LIMIT).unwrap(), 8, "the last one that was given for the method");
    assert_eq!(greet.result::<String>(LIMIT).unwrap(), "hello, you");
    for (task, text) in [(other, "the method other"), (none, "the task has no method")] {
        let failed = task.wait(LIMIT).unwrap();
        assert_eq!((failed.status(), failed.failures()), (Some(Status::Failed), 1), "no retry would help");
        assert!(failed.error().unwrap().contains(text), "{:?}", failed.error());
    }
    let reported = eventually("it reports", || client.workers().unwrap().pop());
    assert_eq!(reported.methods, ["greet", "double"]);
    first.stop(Stop::Drain);
    ends.join().unwrap().unwrap();

    // A handler of a method next to a handler of all methods.
    let second = builder(&client)
        .handle(|name: String, _: &Context| Ok(name))
        .handle_method("double", |n: u32, _: &Context| Ok(n * 2))
        .build()
        .unwrap();
    let ends = run(&second);
    let double = queue.submit(&5, Submit::default().method("double")).unwrap();
    let other = queue.submit("x", Submit::default().method("other")).unwrap();
    let none = queue.submit("y", Submit::default()).unwrap();
    assert_eq!(double.result::<u32>(LIMIT).unwrap(), 10);
    assert_eq!(other.result::<String>(LIMIT).unwrap() + &none.result::<String>(LIMIT).unwrap(), "xy");
    second.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().complete, 3);
}

#[test]
fn handlers_follow_the_steps_of_a_task_or_say_where_it_goes_on() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let split = QueueName::new("split").unwrap();
    let first = move |n: u32, cx: &Context| {
        if n > 10 {
            cx.next(&split);
        }
        Ok(n + 1)
    };
    let worker = |queue: &str| Worker::builder(&client).queue(queue).unwrap().slots(2);
    let workers = [
        worker("q").handle(first).build().unwrap(),
        worker("split").handle(|n: u32, _: &Context| Ok(n / 2)).build().unwrap(),
        worker("store").handle(|n: u32, _: &Context| Ok(vec![n])).build().unwrap(),
    ];
    let ends: Vec<_> = workers.iter().map(run).collect();
    let queue = client.queue("q").unwrap();
    let chain = || Submit::default().step("store");
    let tasks = [(7, chain()), (99, chain()), (99, chain().step("store")), (5, chain())];
    let tasks = tasks.map(|(n, how)| queue.submit(&n, how).unwrap());
    assert_eq!(tasks[0].result::<Vec<u32>>(LIMIT).unwrap(), [8]);
    assert_eq!(tasks[1].result::<u32>(LIMIT).unwrap(), 50, "in place of the one step that it had");
    assert_eq!(tasks[2].result::<Vec<u32>>(LIMIT).unwrap(), [50]);
    assert_eq!(tasks[3].result::<Vec<u32>>(LIMIT).unwrap(), [6]);
    for (worker, ends) in workers.iter().zip(ends) {
        worker.stop(Stop::Drain);
        ends.join().unwrap().unwrap();
    }
}

#[test]
fn a_worker_that_cannot_work_is_not_built_and_runs_once_at_a_time() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let handled = || builder(&client).handle(|_: String, _: &Context| Ok(()));
    let refused = |built: blueque::Result<Worker>| built.unwrap_err().code().unwrap();
    assert_eq!(refused(builder(&client).build()), Code::BadArgument);
    assert_eq!(refused(Worker::builder(&client).handle(|_: String, _: &Context| Ok(())).build()), Code::BadArgument);
    assert_eq!(refused(handled().lease(Duration::from_millis(999)).build()), Code::BadArgument);
    assert_eq!(refused(handled().handle_method("a b", |(), _: &Context| Ok(())).build()), Code::BadName);
    let worker = handled().build().unwrap();
    let ends = run(&worker);
    eventually("it listens", || client.queue("q").unwrap().listeners().unwrap().pop());
    assert_eq!(worker.run().unwrap_err().code(), Some(Code::BadArgument));
    worker.stop(Stop::Drain);
    ends.join().unwrap().unwrap();
}

#[test]
fn slots_that_become_free_are_filled_by_the_calls_that_free_them() {
    const TASKS: u32 = 300;
    let server = Server::start_counting();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    for n in 0..TASKS {
        queue.submit(&n, Submit::default()).unwrap();
    }
    let worker = Worker::builder(&client).queue("q").unwrap().slots(20);
    let worker = worker.handle(|n: u32, _: &Context| Ok(n)).build().unwrap();
    let ends = run(&worker);
    eventually("all are complete", || (queue.counts().unwrap().complete == u64::from(TASKS)).then_some(()));
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().complete, u64::from(TASKS));
    let calls = ["start", "complete", "reserve", "finish_and_reserve"].map(|command| server.calls_of(command));
    assert_eq!(calls[..2], [0, 0], "{calls:?}");
    assert!(calls[2] < 50 && calls[3] <= TASKS as usize, "{calls:?}");
}

#[test]
fn calls_that_are_under_way_at_the_same_time_never_take_more_than_the_slots() {
    const TASKS: u32 = 400;
    const SLOTS: u32 = 5;
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    for n in 0..TASKS {
        queue.submit(&n, Submit::default()).unwrap();
    }
    let (runs, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (begun, peak) = (Arc::clone(&runs), Arc::clone(&most));
    let handler = move |n: u32, _: &Context| {
        peak.fetch_max(begun.fetch_add(1, Ordering::AcqRel) + 1, Ordering::AcqRel);
        thread::yield_now();
        begun.fetch_sub(1, Ordering::AcqRel);
        Ok(n)
    };
    let worker = Worker::builder(&client).queue("q").unwrap().slots(SLOTS as usize).handle(handler).build().unwrap();
    let ends = run(&worker);
    eventually("all are complete", || {
        let counts = queue.counts().unwrap();
        assert!(counts.started <= u64::from(SLOTS), "{counts:?}");
        (counts.complete == u64::from(TASKS)).then_some(())
    });
    worker.stop(Stop::Drain);
    assert_eq!(ends.join().unwrap().unwrap().complete, u64::from(TASKS));
    assert!(most.load(Ordering::Acquire) <= SLOTS);
}
