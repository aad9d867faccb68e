//! Hooks of workers and of submits.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::error::Error as StdError;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use blueque::calls::{NewTask, TaskOptions};
use blueque::{
    AroundAttempt, Client, Code, Context, Error, Failure, Hooks, QueueName, Retry, Status, Stop, Submit, TaskId, Worker,
};
use support::{Server, eventually};

const LIMIT: Duration = Duration::from_secs(20);

/// Notes every call. `on_worker_start` and `before_attempt` panic.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn note(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn of(&self, task: &str) -> Vec<String> {
        let lines = self.0.lock().unwrap();
        lines.iter().filter_map(|line| line.strip_suffix(&format!(" {task}"))).map(str::to_owned).collect()
    }
}

fn name(attempt: &Context) -> String {
    attempt.processor().parameters().unwrap()
}

impl Hooks for Notes {
    fn around_attempt<'a>(&'a self, attempt: &'a Context, run: AroundAttempt<'a>) -> AroundAttempt<'a> {
        Box::pin(async move {
            self.note(format!("enter {}", name(attempt)));
            run.await;
            self.note(format!("leave {}", name(attempt)));
            panic!("the hook is broken");
        })
    }

    fn before_attempt(&self, attempt: &Context) -> Result<(), Failure> {
        self.note(format!("before {}", name(attempt)));
        panic!("the hook is broken");
    }

    fn after_attempt(&self, attempt: &Context, error: Option<&(dyn StdError + 'static)>) -> Result<(), Failure> {
        let error = error.map(ToString::to_string).unwrap_or_default();
        self.note(format!("after ({error}) {}", name(attempt)));
        if error == "missing" { Err(Failure::new("the film is missing").permanent()) } else { Ok(()) }
    }

    fn on_success(&self, attempt: &Context) {
        self.note(format!("success {}", name(attempt)));
    }

    fn on_failure(&self, attempt: &Context, error: &str) {
        self.note(format!("failure ({error}) {}", name(attempt)));
    }

    fn on_retry(&self, attempt: &Context, error: &str) {
        self.note(format!("retry ({error}) {}", name(attempt)));
    }

    fn on_cancel(&self, attempt: &Context) {
        self.note(format!("cancel {}", name(attempt)));
    }

    fn on_worker_start(&self) {
        self.note("start worker");
        panic!("the hook is broken");
    }

    fn on_worker_stop(&self) {
        self.note("stop worker");
    }
}

fn work(what: String, cx: &Context) -> Result<String, blueque::HandlerError> {
    match what.as_str() {
        "panics" => panic!("no such film"),
        "missing" => Err("missing".into()),
        "waits" => loop {
            cx.check()?;
            thread::sleep(Duration::from_millis(2));
        },
        _ => Ok(what),
    }
}

#[test]
fn a_worker_calls_its_hooks_and_only_a_failure_that_they_return_counts() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let notes = Notes::default();
    let builder = Worker::builder(&client).queue("q").unwrap().heartbeat(Duration::from_millis(50));
    let worker = builder.handle(work).hooks(notes.clone()).build().unwrap();
    let running = thread::spawn({
        let worker = worker.clone();
        move || worker.run()
    });
    let submit = |what: &str, retries| {
        let how = Submit::default().max_failures(retries).delay(Duration::ZERO);
        queue.submit(what, how).unwrap()
    };
    assert_eq!(submit("good", 0).result::<String>(LIMIT).unwrap(), "good");
    assert_eq!(submit("panics", 1).wait(LIMIT).unwrap().status(), Some(Status::Failed));
    let missing = submit("missing", 5).wait(LIMIT).unwrap();
    assert_eq!((missing.status(), missing.failures()), (Some(Status::Failed), 1));
    let waits = submit("waits", 0);
    eventually("the handler begins", || notes.of("waits").pop());
    waits.cancel("").unwrap();
    assert_eq!(waits.wait(LIMIT).unwrap().status(), Some(Status::Cancelled));
    worker.stop(Stop::Drain);
    running.join().unwrap().unwrap();
    assert_eq!(notes.of("good"), ["enter", "before", "after ()", "leave", "success"]);
    let again = "the handler panicked: no such film";
    assert_eq!(
        notes.of("panics")[2..5],
        ["after (no such film)".to_owned(), "leave".into(), format!("retry ({again})")]
    );
    assert_eq!(notes.of("panics").last(), Some(&format!("failure ({again})")));
    assert_eq!(notes.of("missing").last().unwrap(), "failure (the film is missing)");
    assert_eq!(notes.of("waits").last().unwrap(), "cancel");
    assert_eq!(notes.of("worker"), ["start", "stop"]);
}

/// Does not run the attempt, or ends it early.
struct Impatient;

impl Hooks for Impatient {
    fn around_attempt<'a>(&'a self, attempt: &'a Context, run: AroundAttempt<'a>) -> AroundAttempt<'a> {
        assert_ne!(name(attempt), "unwrapped", "a panic outside of the future");
        Box::pin(async move { drop(run) })
    }
}

#[test]
fn a_handler_runs_even_if_a_hook_does_not_run_it() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let worker = Worker::builder(&client).queue("q").unwrap().handle(work).hooks(Impatient).build().unwrap();
    let running = thread::spawn({
        let worker = worker.clone();
        move || worker.run()
    });
    for what in ["dropped", "unwrapped"] {
        assert_eq!(queue.submit(what, Submit::default()).unwrap().result::<String>(LIMIT).unwrap(), what);
    }
    worker.stop(Stop::Drain);
    assert_eq!(running.join().unwrap().unwrap().complete, 2);
}

#[test]
fn the_kind_of_an_error_decides_about_the_retry() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let handler = |what: String, _: &Context| -> Result<(), blueque::HandlerError> {
        match what.as_str() {
            "io" => Err(std::io::Error::other("no disk").into()),
            "again" => Err(Failure::new("itself").again_in(Duration::ZERO).into()),
            _ => Err("of another kind".into()),
        }
    };
    let builder = Worker::builder(&client).queue("q").unwrap().handle(handler);
    let worker = builder
        .retry(|error, attempt| match error.is::<std::io::Error>() {
            true if attempt == 1 => Retry::After(Duration::ZERO),
            true => Retry::Usual,
            false => Retry::Never,
        })
        .build()
        .unwrap();
    let running = thread::spawn({
        let worker = worker.clone();
        move || worker.run()
    });
    for (what, failures) in [("io", 3), ("again", 3), ("other", 1)] {
        let how = Submit::default().max_failures(2).delay(Duration::ZERO);
        assert_eq!(queue.submit(what, how).unwrap().wait(LIMIT).unwrap().failures(), failures, "{what}");
    }
    worker.stop(Stop::Drain);
    running.join().unwrap().unwrap();
}

#[test]
fn a_hook_of_the_client_changes_or_refuses_each_submit() {
    let server = Server::start();
    let client = Client::builder().before_submit(|queue: &QueueName, options: TaskOptions| {
        if queue.as_str() == "closed" {
            return Err(Error::Invalid { code: Code::BadArgument, text: "this tenant is closed".to_owned() });
        }
        Ok(options.key("tenant-7"))
    });
    let client = client.open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    assert_eq!(queue.submit(&1, Submit::default()).unwrap().info().unwrap().key().as_deref(), Some("tenant-7"));
    let id = TaskId::new("many").unwrap();
    queue.submit_many(&[NewTask::new(&id, b"1")], &TaskOptions::default()).unwrap();
    assert_eq!(client.task("many").unwrap().info().unwrap().key().as_deref(), Some("tenant-7"));
    let refused = client.queue("closed").unwrap().submit(&1, Submit::default()).unwrap_err();
    assert!(refused.to_string().contains("this tenant is closed"));
}
