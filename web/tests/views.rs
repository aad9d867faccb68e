//! Pages of workers, failures, graphs, limits and several places, and what must not be shown.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod http;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use blueque::calls::FailOptions;
use blueque::{CommandLine, Context, GraphId, Submit, TaskId, Worker};
use blueque_web::Place;
use http::support::eventually;
use http::{Answer, Page};

const LIMIT: Duration = Duration::from_secs(60);

fn act(page: &Page, action: &str, fields: &[(&str, &str)]) -> Answer {
    let body = page.get("/main/audit", &[]).body;
    let csrf = body.split("data-csrf=\"").nth(1).unwrap().split('"').next().unwrap();
    let escaped = |text: &str| text.bytes().fold(String::new(), |all, byte| all + &format!("%{byte:02X}"));
    let pairs = fields.iter().map(|(name, value)| format!("{name}={}&", escaped(value)));
    let form = pairs.collect::<String>() + &format!("csrf={csrf}");
    let answer = page.form(&format!("/main/act/{action}"), &[&format!("Origin: http://{}", page.address)], &form);
    assert_eq!(answer.status, 303, "{action}: {answer:?}");
    assert!(answer.header("set-cookie").contains("good%20"), "{action}: {answer:?}");
    answer
}

fn submit(page: &Page, queue: &str, id: &str, how: Submit) {
    page.client().queue(queue).unwrap().submit("x", how.id(TaskId::new(id).unwrap())).unwrap();
}

#[test]
fn a_worker_is_drained_and_a_dead_one_is_told_from_a_silent_listener() {
    let page = Page::open();
    let client = page.client();
    let worker = Worker::builder(&client).queue("q").unwrap().handle(|_: String, _: &Context| Ok("done"));
    let worker = worker.build().unwrap();
    let other = worker.clone();
    let thread = std::thread::spawn(move || other.run());
    let shown = || page.get("/main/workers", &[]).body;
    eventually("the worker is alive", || shown().contains(">alive</span>").then_some(()));
    let id = client.workers().unwrap()[0].id.clone();
    let mut silent = client.listener(&["other"]).unwrap();
    assert!(silent.listen(Duration::from_millis(10)).unwrap().is_none());
    let page_with_both = shown();
    assert!(page_with_both.contains("Without reports"), "{page_with_both}");
    let long_ago = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() - 100;
    // The worker reports every ten seconds, and is alive again with the next report.
    eventually("the worker is dead", || {
        let mut connection = page.server.connection();
        redis::cmd("HSET").arg(format!("blueque_worker_{id}")).arg("at").arg(long_ago).exec(&mut connection).unwrap();
        let text = shown();
        (text.contains(">dead</span>") && !text.contains("data-action=\"drain\"")).then_some(())
    });
    for action in ["drain", "undrain"] {
        let id = &client.queue("other").unwrap().listeners().unwrap()[0].id;
        act(&page, action, &[("listener", id), ("queue", "other")]);
    }
    eventually("the worker is alive again", || shown().contains(">alive</span>").then_some(()));
    // A worker all of whose queues are drained ends when its last task has ended.
    act(&page, "drain", &[("listener", &id)]);
    thread.join().unwrap().unwrap();
}

#[test]
fn failures_are_grouped_and_a_group_is_retried_at_once() {
    let page = Page::open();
    let client = page.client();
    let mut listener = client.listener(&["q"]).unwrap();
    for number in 0..6 {
        submit(&page, "q", &format!("task-{number}"), Submit::default().max_failures(0));
        let work = listener.listen(LIMIT).unwrap().unwrap();
        work.start(1).unwrap();
        let group = if number < 4 { "disk full" } else { "no such film" };
        work.fail_with("it failed", &FailOptions::new().group(group)).unwrap();
    }
    let shown = page.get("/main/queues/q", &[]).body;
    let groups: Vec<&str> = shown.split("data-group=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(groups.len(), 2, "{groups:?}");
    let largest = shown.split("data-group=\"").nth(1).unwrap();
    assert!(largest.contains("<td class=\"number\" data-bad>4</td>"), "{largest}");
    let query = format!("state:failed queue:q group:\"{}\"", groups[0]);
    act(&page, "many", &[("what", "retry"), ("scope", "all"), ("q", &query)]);
    eventually("the group is pending", || {
        let counts = client.queue("q").unwrap().counts().unwrap();
        ((counts.pending, counts.failed) == (4, 2)).then_some(())
    });
}

#[test]
fn a_part_of_a_graph_is_cancelled_and_run_again() {
    let page = Page::open();
    let client = page.client();
    let document = serde_json::json!({"name": "film", "tasks": {
        "cut": {"queue": "q"}, "mix": {"queue": "q", "needs": ["cut"]}, "join": {"queue": "q", "needs": ["mix"]},
    }});
    let graph = blueque::Graph::from_json(&document.to_string()).unwrap().id(GraphId::new("film").unwrap());
    client.submit_graph(&graph).unwrap();
    let mut listener = client.listener(&["q"]).unwrap();
    let mut first = None;
    for _ in 0..3 {
        client.call(&client.calls().run_deferred(100)).unwrap();
        let work = listener.listen(LIMIT).unwrap().unwrap();
        first.get_or_insert_with(|| work.id().clone());
        work.start(1).unwrap();
        work.complete("done").unwrap();
    }
    assert!(page.get("/main/graphs/film", &[]).body.contains("3 / 3"));
    let cut = first.unwrap();
    assert!(page.get(&format!("/main/tasks/{cut}"), &[]).body.contains("data-action=\"rerun-graph\""));
    act(&page, "rerun-graph", &[("graph", "film"), ("task", cut.as_str())]);
    eventually("everything downstream runs again", || {
        client.call(&client.calls().run_deferred(100)).unwrap();
        let counts = client.queue("q").unwrap().counts().unwrap();
        (counts.complete == 0 && counts.pending == 1).then_some(())
    });
    act(&page, "cancel-graph", &[("graph", "film")]);
    eventually("the graph is cancelled", || {
        client.call(&client.calls().run_deferred(100)).unwrap();
        (client.queue("q").unwrap().counts().unwrap().cancelled == 3).then_some(())
    });
}

#[test]
fn a_shared_limit_names_who_holds_it_and_who_waits() {
    let page = Page::open();
    let client = page.client();
    act(&page, "limit", &[("key", "gpu"), ("concurrency", "1")]);
    for id in ["first", "second", "third"] {
        submit(&page, "q", id, Submit::default().limits("gpu"));
    }
    let mut listener = client.listener(&["q"]).unwrap();
    let work = listener.listen(LIMIT).unwrap().unwrap();
    work.start(1).unwrap();
    let shown = page.get("/main/queues", &[]).body;
    let row = shown.split("data-key=\"gpu\"").nth(1).unwrap().split("</tr>").next().unwrap();
    let (holds, waits) = row.split_once("data-waiters").unwrap();
    assert!(holds.contains("/main/tasks/first") && !holds.contains("/main/tasks/second"), "{row}");
    assert!(waits.contains("/main/tasks/second") && waits.contains("/main/tasks/third"), "{row}");
    assert!(row.contains("do not run\">2</td>"), "{row}");
    assert!(page.get("/main/queues/q", &[]).body.contains("second"), "the next tasks, and why each waits");
}

#[test]
fn places_are_never_mixed() {
    let other = http::support::Server::start();
    let url = other.url();
    let page = Page::with(|_, access| access.open("tester"), |web| web.place(Place::new("second", &url).unwrap()));
    submit(&page, "q", "only-in-main", Submit::default());
    for (place, has) in [("main", true), ("second", false)] {
        assert_eq!(page.get(&format!("/{place}/tasks"), &[]).body.contains("only-in-main"), has, "{place}");
        let task = page.get(&format!("/{place}/tasks/only-in-main"), &[]);
        assert_eq!(task.status == 200, has, "{place}");
        assert_eq!(page.get(&format!("/api/v1/{place}/get?id=only-in-main"), &[]).status == 200, has, "{place}");
    }
    let shown = page.get("/second/", &[]).body;
    assert!(shown.contains("href=\"/main/\"") && shown.contains("aria-current=\"true\""), "the switch");
}

#[test]
fn a_hidden_field_is_shown_by_no_page_call_or_download() {
    let page = Page::with(|_, access| access.open("tester"), |web| web.redact(["*password*"]));
    let client = page.client();
    let secret = serde_json::json!({"host": "a", "inner": {"db_password": "hunter2"}});
    let command = CommandLine {
        argv: vec!["run".into()],
        env: [("TOKEN".to_owned(), "hunter2".to_owned())].into(),
        proof: Some("hunter2".into()),
        ..CommandLine::default()
    };
    let how = Submit::default().id(TaskId::new("one").unwrap()).command(command.to_json());
    client.queue("q").unwrap().submit(&secret, how).unwrap();
    let work = client.listener(&["q"]).unwrap().listen(LIMIT).unwrap().unwrap();
    work.start(1).unwrap();
    work.checkpoint(&secret).unwrap();
    work.complete(&secret).unwrap();
    for path in [
        "/main/",
        "/main/tasks",
        "/main/tasks/one",
        "/main/queues/q",
        "/main/tasks/one/raw/parameters",
        "/main/tasks/one/raw/result",
        "/main/tasks/one/raw/checkpoint",
        "/api/v1/main/get?id=one",
        "/api/v1/main/get_many?ids=one",
        "/api/v1/main/history?id=one&after=0",
        "/api/v1/main/changes?after=0",
    ] {
        let answer = page.get(path, &[]);
        assert!(!answer.body.contains("hunter2"), "{path}: {}", answer.body);
    }
    let shown = page.get("/api/v1/main/get?id=one", &[]).body;
    assert!(shown.contains("\"host\"") && shown.contains("db_password") && shown.contains("TOKEN"), "{shown}");
}
