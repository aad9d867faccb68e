//! The examples that are programs of their own run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[cfg(feature = "opentelemetry")]
#[path = "examples/collector.rs"]
mod collector;
mod support;

use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use blueque::{Client, Status, Submit};
use support::Server;

const LIMIT: Duration = Duration::from_secs(25);

/// An example's program, built as this test is.
fn program(name: &str) -> PathBuf {
    built(&["--example", name]).join("examples").join(name)
}

/// Builds a program, and returns the folder of all programs.
fn built(what: &[&str]) -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    // The features are those of the tests, so that nothing is built a second time.
    cargo.args(["build", "--locked", "--quiet", "--workspace"]).args(what);
    if cfg!(feature = "tokio") {
        cargo.arg("--all-features");
    }
    assert!(cargo.status().unwrap().success());
    let tests = std::env::current_exe().unwrap();
    tests.parent().unwrap().parent().unwrap().to_owned()
}

/// The output of an example that runs to its end.
fn printed(name: &str) -> String {
    let server = Server::start();
    let output = Command::new(program(name)).arg(server.url()).output().unwrap();
    let (text, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}{errors}");
    text
}

/// A program that is killed when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_child_process_goes_on_with_the_attempt_of_its_listener() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("squares").unwrap();
    let task = queue.submit(&12, Submit::default()).unwrap();
    let fails = queue.submit(&u64::MAX, Submit::default()).unwrap();
    let _parent = Running(Command::new(program("child")).args([&server.url(), "squares"]).spawn().unwrap());
    assert_eq!(task.result::<u64>(LIMIT).unwrap(), 144);
    let info = task.info().unwrap();
    assert_ne!(info.pid().unwrap(), std::process::id());
    let node = info.node().unwrap();
    let pid = info.pid().unwrap().to_string();
    assert!(!node.ends_with(&pid), "{node} is the listener, {pid} its child");
    let failed = fails.wait(LIMIT).unwrap();
    assert_eq!(failed.status(), Some(Status::Failed));
    assert!(failed.error().unwrap().contains("the child ended with"), "{:?}", failed.error());
}

#[test]
fn failures_are_retried() {
    let text = printed("retries");
    assert!(text.starts_with("a page, after 2 failures\n"), "{text}");
    for line in [
        "attempt 1: scheduled too many requests",
        "attempt 2: scheduled the connection was reset",
        "attempt 3: complete",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(text.ends_with("failed for good: not found\n"), "{text}");
}

#[test]
fn a_name_is_unique() {
    let text = printed("unique");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("reject: DUPLICATE"), "{text}");
    assert_eq!(lines[1..], ["existing: the first task", "replace: the first task is cancelled"]);
}

#[test]
fn a_schedule_makes_its_tasks() {
    let text = printed("schedules");
    assert_eq!(text.lines().filter(|line| line.starts_with("tick: ")).count(), 3, "{text}");
    assert!(text.ends_with("3 tasks, 3 made\n"), "{text}");
}

#[test]
fn work_goes_on_at_its_checkpoint_and_is_cancelled() {
    let text = printed("checkpoints");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[2]), ("given back: 1", "cancelled: it takes too long"));
    let first: u64 = lines[1].strip_prefix("attempt 2 went on at ").unwrap().parse().unwrap();
    assert!((5..50).contains(&first), "{text}");
}

#[cfg(feature = "tokio")]
#[test]
fn search_and_events_are_streams() {
    let text = printed("events");
    assert!(text.starts_with("3 tasks wait\n3 cancelled\n"), "{text}");
    assert_eq!(text.matches("pending → cancelled").count(), 3, "{text}");
}

#[cfg(feature = "tokio")]
mod service {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::process::Stdio;

    use super::*;

    /// Sends one request to the service, and returns the whole answer.
    fn asked(address: &str, request: &str, body: &str) -> String {
        let mut connection = TcpStream::connect_timeout(&address.parse().unwrap(), LIMIT).unwrap();
        connection.set_read_timeout(Some(LIMIT)).unwrap();
        let about = format!("Content-Type: application/json\r\nContent-Length: {}", body.len());
        write!(connection, "{request} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{about}\r\n\r\n{body}")
            .unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn a_service_submits_and_follows_what_an_asynchronous_worker_does() {
        let server = Server::start();
        let folder = built(&["--bin", "blueque-example-service"]);
        let mut service = Command::new(folder.join("blueque-example-service"));
        let service = service.args([&server.url(), "127.0.0.1:0"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut service = Running(service);
        let mut line = String::new();
        BufReader::new(service.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap();

        let id_of = |answer: &str| {
            assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
            answer.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
        };
        let id = id_of(&asked(address, "POST /tasks", "\"movie-17.mkv\""));
        let gone = id_of(&asked(address, "POST /tasks", "\"movie-18.mkv\""));
        assert!(asked(address, &format!("GET /tasks/{id}"), "").contains("\"status\":\"pending\""));
        assert!(asked(address, &format!("DELETE /tasks/{gone}"), "").starts_with("HTTP/1.1 202"));
        assert!(asked(address, "GET /tasks/nobody", "").starts_with("HTTP/1.1 404"));
        assert!(asked(address, "GET /tasks/a%20b", "").starts_with("HTTP/1.1 400"));

        let worker = program("async_worker");
        let mut worker = Running(Command::new(worker).arg(server.url()).stdout(Stdio::piped()).spawn().unwrap());
        let events = asked(address, &format!("GET /tasks/{id}/events"), "");
        assert!(events.contains("\"result\":\"movie-17.mkv.mp4\""), "{events}");
        assert!(asked(address, &format!("GET /tasks/{gone}/events"), "").contains("\"status\":\"cancelled\""));
        let client = Client::open(&server.url()).unwrap();
        let thumbnail = client.queue("transcode").unwrap();
        let thumbnail = thumbnail.submit("movie-17.mkv", Submit::default().method("thumbnail")).unwrap();
        assert_eq!(thumbnail.result::<String>(LIMIT).unwrap(), "movie-17.mkv.png");

        assert!(Command::new("kill").args(["-INT", &worker.0.id().to_string()]).status().unwrap().success());
        assert!(worker.0.wait().unwrap().success());
        let mut text = String::new();
        worker.0.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "2 complete, 0 given back\n");
    }
}

#[cfg(feature = "opentelemetry")]
mod telemetry {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::collector::{Collector, Span};

    #[test]
    fn a_trace_goes_on_from_the_submit_to_the_program_that_the_handler_starts() {
        let (server, collector) = (Server::start(), Collector::start());
        let folder = built(&["--bin", "blueque-example-telemetry"]);
        let mut example = Command::new(folder.join("blueque-example-telemetry"));
        let example = example.arg(server.url()).env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url());
        let output = example.output().unwrap();
        let (text, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{text}{errors}");
        let said = |what: &str| text.lines().find_map(|line| line.strip_prefix(what)).expect(what);
        let (trace, spans) = (said("trace "), collector.spans());
        assert!(spans.iter().all(|span| span.trace == trace), "{spans:#?}");
        let named = |name: &str| spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
        let one = |name: &str| *named(name).first().unwrap_or_else(|| panic!("no span {name}: {spans:#?}"));
        let ids = |spans: &[&Span]| spans.iter().map(|span| span.id.clone()).collect::<BTreeSet<_>>();

        let (request, submit, graph) = (one("request"), one("submit films"), one("submit graph"));
        assert_eq!([&submit.parent, &graph.parent], [&request.id, &request.id]);
        assert_eq!((submit.kind, submit.about("messaging.operation.type")), (PRODUCER, Some("send")));
        assert_eq!(submit.about("messaging.system"), Some("blueque"));
        let of = |id: &str| {
            named("run films")
                .into_iter()
                .filter(|run| run.about("messaging.message.id") == Some(id))
                .collect::<Vec<_>>()
        };
        let film = submit.about("messaging.message.id").unwrap();
        let attempts = of(film);
        let [first, second] = attempts.as_slice() else { panic!("{spans:#?}") };
        assert_eq!([&first.parent, &second.parent, &one("wait films").parent], [&submit.id; 3]);
        assert_eq!(
            (first.kind, first.about("blueque.outcome"), first.error.as_str()),
            (CONSUMER, Some("retrying"), "the disk is full")
        );
        assert_eq!((second.about("blueque.outcome"), second.about("blueque.attempt")), (Some("complete"), Some("2")));
        assert_eq!((&first.links[..], &second.links), (&[][..], &vec![first.id.clone()]));
        assert_eq!(ids(&[first, second]), named("checkpoint films").iter().map(|span| span.parent.clone()).collect());
        let own = one("transcode");
        assert_eq!(own.parent, second.id);
        assert_eq!(said("result "), format!("movie-17 00-{trace}-{}-01", own.id));

        let task =
            |index: u32| of(&format!("{}.{index}", said("graph "))).into_iter().next().expect("a task of the graph");
        assert_eq!(task(2).links.iter().cloned().collect::<BTreeSet<_>>(), ids(&[task(0), task(1)]));
        assert!((0..3).all(|index| task(index).parent == graph.id));

        let count = |name: &str| -> u64 {
            let points = collector.metric(name);
            let value = |point: &Value| {
                point.get("asInt").or(point.get("count")).and_then(Value::as_str).map(str::parse::<u64>)
            };
            points.iter().map(|point| value(point).unwrap().unwrap()).sum()
        };
        assert_eq!(count("messaging.client.sent.messages"), 4);
        assert_eq!(count("messaging.client.consumed.messages"), 5);
        assert_eq!(count("messaging.process.duration"), 5);
        assert_eq!(count("messaging.client.operation.duration"), 4, "two submits and two checkpoints");
    }

    /// Kinds of spans in OTLP.
    const PRODUCER: u64 = 4;
    const CONSUMER: u64 = 5;
}
