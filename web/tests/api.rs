//! The HTTP API: calls of the contract, errors, repeated calls, events, health and metrics.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod http;

use std::collections::BTreeSet;
use std::io::BufRead;
use std::time::Duration;

use blueque::{Context, Submit, Worker};
use blueque_web::Role;
use http::support::eventually;
use http::{Page, line_with};

fn submit(page: &Page, id: &str) {
    let body = format!(r#"{{"queue":"q","tasks":[{{"id":"{id}","parameters":{{"n":1}}}}]}}"#);
    assert_eq!(page.post("/api/v1/main/submit", &[], &body).status, 200);
}

#[test]
fn a_task_goes_through_the_api_with_every_byte_of_its_parameters() {
    let page = Page::open();
    let body = r#"{"queue":"q","tasks":[{"id":"t","parameters":{"n": 123456789012345678901234567890, "x": 1.10}}],"tags":"night","priority":5}"#;
    assert_eq!(page.post("/api/v1/main/submit", &[], body).body, "{\"items\":[{\"outcome\":\"created\"}]}\n");
    let task = page.get("/api/v1/main/get?id=t", &[]);
    assert!(task.body.contains(r#""parameters":{"n": 123456789012345678901234567890, "x": 1.10}"#), "{}", task.body);
    assert_eq!((&task.json()["status"], &task.json()["priority"]), (&"pending".into(), &5.into()));
    let bytes = r#"{"queue":"q","tasks":[{"id":"b","parameters_base64":"/wAB"},{"id":"c","parameters":"text"}]}"#;
    assert_eq!(page.post("/api/v1/main/submit", &[], bytes).status, 200);
    assert_eq!(page.client().task("b").unwrap().info().unwrap().parameters_bytes(), Some(&b"\xff\x00\x01"[..]));
    assert_eq!(page.get("/api/v1/main/get?id=b", &[]).json()["parameters_base64"], "/wAB");
    assert_eq!(page.client().task("c").unwrap().info().unwrap().parameters_bytes(), Some(&b"\"text\""[..]));
    let ids = page.get("/api/v1/main/list?queue=q&status=pending&limit=2", &[]).json();
    assert_eq!(ids["items"].as_array().unwrap().len(), 2);
    let many = page.get("/api/v1/main/get_many?ids=t&ids=nosuch", &[]).json();
    assert_eq!((&many["items"][0]["queue"], &many["items"][1]["missing"]), (&"q".into(), &true.into()));
    assert_eq!(page.get("/api/v1/main/find?queue=*&tag=night", &[]).json()["items"][0]["id"], "t");
}

#[test]
fn an_error_has_a_code_a_text_and_a_remedy() {
    let page = Page::open();
    submit(&page, "t");
    let problem = |status: u16, code: &str| (status, code.to_owned());
    for (path, status, code) in [
        ("/api/v1/main/get?id=nosuch", 404, "NOTASK"),
        ("/api/v1/main/history?id=nosuch&after=0", 404, "NOTASK"),
        ("/api/v1/main/show_graph?graph=nosuch", 404, "NOGRAPH"),
        ("/api/v1/main/show_schedule?name=nosuch", 404, "NOSCHEDULE"),
        ("/api/v1/main/get", 400, "BADARG"),
        ("/api/v1/main/get?id=a%20b", 400, "BADNAME"),
        ("/api/v1/main/get?id=t&more=1", 400, "BADARG"),
        ("/api/v1/main/get?id=t&id=t", 400, "BADARG"),
        ("/api/v1/main/get?id=%ff", 400, "BADARG"),
        ("/api/v1/main/list?queue=q&status=gone", 400, "BADARG"),
        ("/api/v1/main/list?queue=q&status=all&limit=501", 400, "BADARG"),
        ("/api/v1/main/nosuch", 404, "NOCOMMAND"),
        ("/api/v1/main/ready?listener=h_1", 404, "NOCOMMAND"),
        ("/api/v1/nosuch/queues", 404, "NOPLACE"),
        ("/api/v1/main/cancel", 405, "METHOD"),
        ("/api/v1/nosuch", 404, "NOTFOUND"),
        ("/api/v1/a/b/c", 404, "NOTFOUND"),
        ("/api/v1/events?queue=a%20b", 400, "BADNAME"),
        ("/api/v1/events", 400, "BADARG"),
    ] {
        assert_eq!(page.get(path, &[]).problem(), problem(status, code), "{path}");
    }
    for (path, body, status, code) in [
        ("retry", r#"{"id":"t"}"#, 409, "STATE"),
        ("cancel", r#"{"id":"nosuch","reason":""}"#, 404, "NOTASK"),
        ("cancel", r#"{"id":"t","reason":1}"#, 400, "BADARG"),
        ("cancel", r#"{"id":"t","reason":"","by":"mallory"}"#, 400, "BADARG"),
        ("cancel", "", 400, "BADARG"),
        ("cancel", "[]", 400, "BADARG"),
        ("reserve", r#"{"listener":"h_1"}"#, 404, "NOCOMMAND"),
        ("queues", "{}", 405, "METHOD"),
    ] {
        assert_eq!(
            page.post(&format!("/api/v1/main/{path}"), &[], body).problem(),
            problem(status, code),
            "{path} {body}"
        );
    }
    assert_eq!(
        page.send("DELETE", "/api/v1/main/queues", &["Content-Type: application/json"], "").problem(),
        problem(405, "METHOD")
    );
    let large = format!(r#"{{"id":"t","reason":"{}"}}"#, "x".repeat(2000));
    assert_eq!(page.post("/api/v1/main/cancel", &[], &large).problem().0, 400);
    let page = Page::with_users();
    let token = format!("Authorization: Bearer {}", page.token("t", Role::Admin));
    assert_eq!(
        page.send("POST", "/api/v1/main/cancel", &[&token, "Content-Type: text/plain"], "{}").problem(),
        problem(415, "CONTENT")
    );
}

#[test]
fn a_repeated_call_with_the_same_key_changes_nothing() {
    let page = Page::open();
    submit(&page, "t");
    let cancel = |key: &str| {
        page.post("/api/v1/main/cancel", &[&format!("Idempotency-Key: {key}")], r#"{"id":"t","reason":"x"}"#)
    };
    assert_eq!(cancel("key-1").json()["outcome"], "cancelled");
    assert_eq!(cancel("key-1").json()["outcome"], "cancelled", "the first reply");
    page.post("/api/v1/main/retry", &[], r#"{"id":"t"}"#);
    assert_eq!(cancel("key-1").json()["outcome"], "cancelled", "still the first reply");
    assert_eq!(page.get("/api/v1/main/get?id=t", &[]).json()["status"], "pending");
    assert_eq!(cancel("a key").problem(), (400, "BADNAME".to_owned()));
}

#[test]
fn events_go_on_after_a_cut_where_they_stopped() {
    let page = Page::open();
    submit(&page, "a");
    let mut stream = page.stream("GET", "/api/v1/events?queue=q&after=0", &[], "");
    let first = line_with(&mut stream, "data: ");
    assert!(
        first.contains(r#""queue":"q""#) && first.contains(r#""id":"a""#) && first.contains(r#""to":"pending""#),
        "{first}"
    );
    submit(&page, "b");
    let id = line_with(&mut stream, "id: ");
    let second = line_with(&mut stream, "data: ");
    let id = if second.contains(r#""id":"b""#) { id } else { line_with(&mut stream, "id: ") };
    drop(stream);
    // What happens while nobody listens is not lost.
    submit(&page, "c");
    submit(&page, "d");
    let mut stream = page.stream("GET", "/api/v1/events?queue=q", &[&format!("Last-Event-ID: {id}")], "");
    for expected in ["c", "d"] {
        let data = line_with(&mut stream, "data: ");
        assert!(data.contains(&format!(r#""id":"{expected}""#)), "{data}");
    }
    // Without a cursor a stream begins now.
    let mut stream = page.stream("GET", "/api/v1/events?place=main&queue=q&queue=r", &[], "");
    line_with(&mut stream, "content-type: text/event-stream");
    eventually("the stream has begun", || {
        submit(&page, &format!("e{}", blueque::TaskId::random()));
        stream.get_ref().set_read_timeout(Some(Duration::from_millis(700))).unwrap();
        stream.fill_buf().is_ok_and(|bytes| !bytes.is_empty()).then_some(())
    });
    stream.get_ref().set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let data = line_with(&mut stream, "data: ");
    assert!(data.contains(r#""id":"e"#), "{data}");
}

#[test]
fn a_server_that_is_away_is_an_error_and_comes_back() {
    let mut page = Page::open();
    submit(&page, "t");
    assert_eq!((page.get("/healthz", &[]).status, page.get("/readyz", &[]).status), (200, 200));
    page.server.kill();
    let answer = page.get("/api/v1/main/queues", &[]);
    assert_eq!(answer.problem(), (503, "UNAVAILABLE".to_owned()), "{answer:?}");
    assert_eq!(answer.header("retry-after"), "2");
    eventually("it is not ready", || (page.get("/readyz", &[]).status == 503).then_some(()));
    assert_eq!(page.get("/healthz", &[]).status, 200);
    eventually("the metrics notice", || {
        page.get("/metrics", &[]).body.contains("blueque_up{place=\"main\"} 0").then_some(())
    });
    page.server.restart();
    eventually("it is ready", || (page.get("/readyz", &[]).status == 200).then_some(()));
    assert_eq!(page.get("/api/v1/main/queues", &[]).status, 200);
}

#[test]
fn hidden_fields_are_hidden_in_the_api_too() {
    let page = Page::with(|_, access| access.open("tester"), |web| web.redact(["password", "*_key"]));
    let body = r#"{"queue":"q","tasks":[{"id":"t","parameters":{"user":"a","password":"hunter2","in":{"API_KEY":"hunter2"}}},{"id":"u","parameters_base64":"aHVudGVyMg=="}]}"#;
    assert_eq!(page.post("/api/v1/main/submit", &[], body).status, 200);
    for id in ["t", "u"] {
        let task = page.get(&format!("/api/v1/main/get?id={id}"), &[]);
        assert!(!task.body.contains("hunter2") && task.body.contains("•••"), "{}", task.body);
    }
    assert!(!page.get("/api/v1/main/get_many?ids=t&ids=u", &[]).body.contains("hunter2"));
    assert!(page.get("/api/v1/main/get?id=t", &[]).body.contains(r#""user":"a""#));
}

#[test]
fn the_document_describes_every_call_that_the_api_answers() {
    let page = Page::open();
    let document = page.get("/api/v1/openapi.json", &[]).json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    let mut names = BTreeSet::new();
    for command in blueque::bundle::commands() {
        let path = paths.get(&format!("/{{place}}/{}", command.name()));
        match command.role() {
            Some("worker" | "maintenance") => assert!(path.is_none(), "{}", command.name()),
            role => {
                let method = if role.is_some() { "post" } else { "get" };
                let path = path.unwrap_or_else(|| panic!("{} is missing", command.name()));
                assert!(path[method]["responses"]["200"].is_object(), "{}", command.name());
                assert!(names.insert(path[method]["operationId"].to_string()));
            }
        }
    }
    assert!(names.len() > 50, "{names:?}");
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(document.pointer(reference).is_some(), "{reference}");
    }
}

#[test]
fn metrics_count_tasks_by_state_and_have_a_bounded_number_of_series() {
    let page = Page::open();
    let client = page.client();
    for number in 0..60 {
        let queue = client.queue(&format!("q{number}")).unwrap();
        queue.submit("x", Submit::default()).unwrap();
    }
    for _ in 0..3 {
        client.queue("q7").unwrap().submit("x", Submit::default()).unwrap();
    }
    let worker =
        Worker::builder(&client).queue("q7").unwrap().handle(|_: String, _: &Context| Ok("done")).build().unwrap();
    let other = worker.clone();
    let thread = std::thread::spawn(move || other.run());
    let value = |text: &str, series: &str| -> Option<f64> {
        text.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok())
    };
    http::support::within(Duration::from_secs(120), "four tasks are counted", || {
        let text = page.get("/metrics", &[]).body;
        let complete = value(&text, r#"blueque_tasks_complete_total{place="main",queue="q7"}"#);
        let runs = value(&text, r#"blueque_attempt_run_seconds_count{place="main",queue="q7"}"#);
        (complete == Some(4.0) && runs == Some(4.0)).then_some(())
    });
    let answer = page.get("/metrics", &[]);
    let text = answer.body.as_str();
    assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    assert_eq!(value(text, r#"blueque_up{place="main"}"#), Some(1.0));
    assert_eq!(value(text, r#"blueque_queues{place="main"}"#), Some(60.0));
    assert_eq!(value(text, r#"blueque_workers{place="main",life="alive"}"#), Some(1.0));
    let pending = text.lines().filter(|line| line.starts_with("blueque_tasks{") && line.contains("state=\"pending\""));
    let pending: Vec<f64> = pending.map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect();
    assert_eq!((pending.len(), pending.iter().sum::<f64>()), (51, 59.0), "50 queues, and the rest as one");
    assert!(text.contains(r#"queue="(rest)""#));
    let series = text.lines().filter(|line| !line.starts_with('#')).count();
    assert!(series < 4000, "{series}");
    // Every family has its help and its type once, before its samples.
    let types: Vec<&str> = text.lines().filter(|line| line.starts_with("# TYPE")).collect();
    assert_eq!(types.iter().collect::<BTreeSet<_>>().len(), types.len());
    // The dashboard asks for nothing else.
    let dashboard = include_str!("../../docs/run/grafana/blueque.json");
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
    let names: BTreeSet<&str> = dashboard.split(|c| !is_name(c)).filter(|word| word.starts_with("blueque_")).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(text.lines().any(|line| line.starts_with(&format!("{name}{{"))), "{name}");
    }
    worker.stop(blueque::Stop::Drain);
    thread.join().unwrap().unwrap();
}
