//! Hooks of workers and of submits.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::error::Error as StdError;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use blueque::calls::{NewTask, TaskOptions};
use blueque::{
    AroundAttempt, Client, Code, Context, Error, Failure, Graph, Hooks, LocalContext, Order, QueueName, Retry, Status,
    Stop, Submit, TaskId, Worker,
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

    fn on_slot_start(&self) {
        self.note(format!("begin {:?} slot", thread::current().id()));
        panic!("the hook is broken");
    }

    fn on_slot_stop(&self) {
        self.note(format!("end {:?} slot", thread::current().id()));
    }

    fn on_checkpoint(&self, attempt: &Context, stored: &Result<(), Error>, _: Duration) {
        let method = attempt.info().unwrap().method();
        self.note(format!("checkpoint {} {method:?} {}", stored.is_ok(), name(attempt)));
        panic!("the hook is broken");
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
        "saves" => {
            cx.checkpoint(&1)?;
            assert!(cx.checkpoint(&"x".repeat(2 << 20)).is_err());
            Ok(what)
        }
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
    submit("saves", 0).wait(LIMIT).unwrap();
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
    assert_eq!(notes.of("saves")[2..4], ["checkpoint true None", "checkpoint false None"]);
    let slots = notes.of("slot");
    let [begun, ended] = slots.as_slice() else { panic!("{slots:?}") };
    assert_eq!(begun.strip_prefix("begin "), ended.strip_prefix("end "), "on one thread");
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

#[test]
fn hooks_are_around_each_submit_and_change_or_refuse_it() {
    let server = Server::start();
    let notes = Notes::default();
    let kept = notes.clone();
    let builder = Client::builder().around_submit(move |submit, run| {
        let (notes, tasks) = (kept.clone(), submit.tasks);
        let whom = submit.queue.as_ref().map_or_else(|| "graph".to_owned(), ToString::to_string);
        Box::pin(async move {
            let outcome = run(submit).await;
            notes.note(format!("{tasks} {:?} {whom}", outcome.is_ok()));
            outcome
        })
    });
    let builder = builder.around_submit(|mut submit, run| {
        Box::pin(async move {
            match submit.queue.as_ref().map(QueueName::as_str) {
                Some("closed") => return Err(Error::Cancelled),
                Some("dropped") => return Ok(()),
                _ => submit.options = submit.options.trace(TRACE),
            }
            run(submit).await
        })
    });
    let client = builder.open(&server.url()).unwrap();
    let queue = |name: &str| client.queue(name).unwrap();
    let traced = |id: &str| client.task(id).unwrap().info().unwrap().trace().as_deref() == Some(TRACE);
    assert!(traced(queue("q").submit(&1, Submit::default()).unwrap().id().as_str()));
    let ids = ["a", "b"].map(|id| TaskId::new(id).unwrap());
    queue("q").submit_many(&ids.each_ref().map(|id| NewTask::new(id, b"1")), &TaskOptions::default()).unwrap();
    let (again, _) = queue("q").submit_again(&1, Submit::default().id(ids[0].clone()), "once").unwrap();
    assert!(traced("b") && traced(again.id().as_str()));
    let graph = Graph::new();
    graph.task("q", "m", &1);
    assert!(traced(client.submit_graph(&graph).unwrap().tasks[0].1.as_str()));
    assert!(matches!(queue("closed").submit(&1, Submit::default()), Err(Error::Cancelled)));
    let dropped = queue("dropped").submit(&1, Submit::default()).unwrap_err();
    assert!(dropped.to_string().contains("a hook around the submit has not run it"), "{dropped}");
    assert_eq!(client.queues().unwrap().len(), 1);
    assert_eq!(notes.of("q"), ["1 true", "2 true", "1 true"]);
    assert_eq!([notes.of("graph"), notes.of("closed")], [["1 true"], ["1 false"]]);
}

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn a_handler_that_is_called_directly_has_a_context_in_memory() {
    let handler = |film: String, cx: &Context| -> Result<u32, blueque::HandlerError> {
        let done = cx.last_checkpoint::<u32>()?.unwrap_or(0) + 1;
        cx.progress(done.into(), 3, "parts")?;
        cx.checkpoint(&done)?;
        cx.check()?;
        if film.is_empty() { Err("no film".into()) } else { Ok(done) }
    };
    let first = LocalContext::new("films").unwrap();
    assert_eq!(handler(String::new(), &first).unwrap_err().to_string(), "no film");
    let reported: serde_json::Value = first.reported().unwrap().unwrap();
    assert_eq!((first.saved().unwrap(), &reported["done"]), (Some(1), &1.into()));
    let second = first.next_attempt();
    assert_eq!((second.reservation().attempt, second.saved::<u32>().unwrap()), (2, None));
    assert_eq!(handler("a film".to_owned(), &second).unwrap(), 2);
    second.give(Order::Cancel);
    assert_eq!(handler("a film".to_owned(), &second).unwrap_err().to_string(), "stopped by the order to cancel");
    assert_eq!(second.info().unwrap().queue().as_deref(), Some("films"));
    let refused = second.processor().complete(&1).unwrap_err();
    assert!(refused.to_string().contains("called without a worker"), "{refused}");
    assert!(LocalContext::new("a b").is_err());
}

#[cfg(all(feature = "tokio", feature = "tracing"))]
mod log_fields {
    use std::fmt;
    use std::sync::atomic::{AtomicU64, Ordering};

    use blueque::LogFields;
    use blueque::tokio::{Client, Worker};
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;

    /// Notes the fields of each span, and in which span each line is written.
    #[derive(Clone, Default)]
    struct Lines(Notes, Arc<AtomicU64>);

    thread_local! {
        static WITHIN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }

    struct Text(String);

    impl Visit for Text {
        fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
            self.0.push_str(&format!("{field}={value:?} "));
        }
    }

    impl Subscriber for Lines {
        fn enabled(&self, about: &Metadata<'_>) -> bool {
            about.target().starts_with("blueque") || about.target().starts_with("hooks")
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            let (mut text, id) = (Text(String::new()), self.1.fetch_add(1, Ordering::Relaxed) + 1);
            span.record(&mut text);
            self.0.note(format!("{}{id} span", text.0));
            Id::from_u64(id)
        }

        fn event(&self, line: &Event<'_>) {
            let mut text = Text(String::new());
            line.record(&mut text);
            self.0.note(format!("{}in {} line", text.0, WITHIN.get()));
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn enter(&self, span: &Id) {
            WITHIN.set(span.into_u64());
        }

        fn exit(&self, _: &Id) {
            WITHIN.set(0);
        }
    }

    #[tokio::test]
    async fn log_lines_of_a_handler_have_the_fields_of_its_attempt() {
        let (server, lines) = (Server::start(), Lines::default());
        tracing::subscriber::set_global_default(lines.clone()).unwrap();
        let client = Client::open(&server.url()).await.unwrap();
        let worker = Worker::builder(&client).queue("q").unwrap().hooks(LogFields);
        let worker = worker.handle_method("cut", async |film: String, _| {
            tracing::info!("{film}");
            Ok(())
        });
        let worker = worker.build().unwrap();
        let running = tokio::spawn({
            let worker = worker.clone();
            async move { worker.run().await }
        });
        let how = Submit::default().id(TaskId::new("t").unwrap()).method("cut");
        client.queue("q").unwrap().submit("a film", how).await.unwrap().wait(LIMIT).await.unwrap();
        worker.stop(Stop::Drain);
        running.await.unwrap().unwrap();
        let spans = lines.0.of("span");
        assert_eq!(spans, ["task=\"t\" attempt=1 queue=\"q\" method=\"cut\" 1"]);
        assert_eq!(lines.0.of("line"), ["message=a film in 1"]);
    }
}
