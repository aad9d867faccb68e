//! Pages, actions and live data, over HTTP and a real server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "../../tests/support/mod.rs"]
mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, SystemTime};

use blueque::calls::AppendLogOptions;
use blueque::{Client, Processor, Recurrence, Status, Submit, TaskId};
use blueque_web::{Place, Web};
use support::{Server, eventually as found};

const LIMIT: Duration = Duration::from_secs(60);

fn eventually(what: &str, mut is: impl FnMut() -> bool) {
    found(what, || is().then_some(()));
}

/// A served page.
struct Site {
    address: String,
    client: Client,
    server: Server,
}

/// An answer: status, headers of interest, text.
#[derive(Debug)]
struct Answer {
    status: u16,
    location: String,
    cookie: String,
    text: String,
}

fn serve(router: axum::Router) -> String {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap().to_string()).unwrap();
            axum::serve(listener, router).await.unwrap();
        });
    });
    receiver.recv_timeout(LIMIT).unwrap()
}

impl Site {
    fn new() -> Self {
        Self::of(Server::start(), |web| web)
    }

    fn of(server: Server, settings: impl Fn(Web) -> Web) -> Self {
        let client = Client::open(&server.url()).unwrap();
        let place = Place::new("default", &server.url()).unwrap();
        let address = serve(settings(Web::builder().place(place)).build().unwrap());
        Self { address, client, server }
    }

    /// Sends a request, and returns the connection from which its answer is read: by HTTP/1.0, without chunks.
    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect_timeout(&self.address.parse().unwrap(), LIMIT).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let (host, length) = (&self.address, body.len());
        let head = format!("{method} {path} HTTP/1.0\r\nhost: {host}\r\nconnection: close\r\n{headers}");
        write!(stream, "{head}content-length: {length}\r\n\r\n{body}").unwrap();
        stream
    }

    fn read(mut stream: TcpStream) -> Answer {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let all = String::from_utf8_lossy(&all).into_owned();
        let (head, text) = all.split_once("\r\n\r\n").unwrap();
        let header = |name: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.unwrap_or_default().to_owned()
        };
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, location: header("location"), cookie: header("set-cookie"), text: text.to_owned() }
    }

    fn get(&self, path: &str) -> Answer {
        Self::read(self.send("GET", path, "", ""))
    }

    fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.text
    }

    fn act(&self, action: &str, fields: &[(&str, &str)]) -> Answer {
        let escaped = |text: &str| text.bytes().fold(String::new(), |all, byte| all + &format!("%{byte:02X}"));
        let pairs = fields.iter().map(|(name, value)| format!("{}={}", escaped(name), escaped(value)));
        let headers = format!(
            "content-type: application/x-www-form-urlencoded\r\norigin: http://{}\r\nsec-fetch-site: same-origin\r\n",
            self.address
        );
        let page = self.get("/default/audit").text;
        let token = page.split("data-csrf=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        let body = pairs.chain([format!("csrf={token}")]).collect::<Vec<_>>().join("&");
        Self::read(self.send("POST", &format!("/default/act/{action}"), &headers, &body))
    }

    /// Does an action that must succeed, and returns what the page says of it.
    fn done(&self, action: &str, fields: &[(&str, &str)]) -> String {
        let answer = self.act(action, fields);
        assert_eq!(answer.status, 303, "{action}: {answer:?}");
        assert!(answer.cookie.contains("good%20"), "{action}: {}", answer.cookie);
        answer.cookie
    }

    /// Lines of an event stream, from a thread of its own.
    fn events(&self, path: &str, last: Option<&str>) -> mpsc::Receiver<String> {
        let headers = last.map_or(String::new(), |last| format!("last-event-id: {last}\r\n"));
        let stream = self.send("GET", path, &headers, "");
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        receiver
    }

    fn submit(&self, queue: &str, id: &str) -> TaskId {
        let how = Submit::default().id(TaskId::new(id).unwrap());
        self.client.queue(queue).unwrap().submit(&["a"], how).unwrap().id().clone()
    }

    fn log(&self, work: &Processor, source: &str, text: &[u8]) {
        let (token, options) = (work.reservation().token, AppendLogOptions::new());
        let call = self.client.calls().append_log(work.id(), token, source, text, &options);
        self.client.call(&call).unwrap();
    }

    fn status(&self, id: &str) -> Option<Status> {
        self.client.task(id).unwrap().info().unwrap().status()
    }
}

fn until(lines: &mpsc::Receiver<String>, fits: impl Fn(&str) -> bool) -> String {
    loop {
        let line = lines.recv_timeout(LIMIT).expect("the line does not come");
        if fits(&line) {
            return line;
        }
    }
}

#[test]
fn every_page_of_an_empty_namespace_says_what_to_do_next() {
    let site = Site::new();
    for (path, command) in [
        ("/default/", "blueque submit"),
        ("/default/tasks", "blueque submit"),
        ("/default/graphs", "blueque graph submit"),
        ("/default/queues", "blueque dev"),
        ("/default/workers", "blueque worker"),
        ("/default/schedules", "blueque schedule add"),
        ("/default/audit", "No changes"),
        ("/default/server", "blueque doctor"),
    ] {
        let page = site.page(path);
        assert!(page.contains(command), "{path}");
    }
    assert_eq!((site.get("/").status, site.get("/").location.as_str()), (303, "/default/"));
    assert_eq!(site.get("/default/nothing").status, 404);
    assert_eq!(site.get("/default/tasks/none").status, 404);
    assert_eq!(site.get("/other/").status, 404);
}

#[test]
fn a_running_task_is_shown_with_its_progress_log_and_checkpoint() {
    let site = Site::new();
    site.submit("encode", "movie");
    assert!(site.page("/default/tasks/movie").contains("has no worker"));
    let mut listener = site.client.listener(&["encode"]).unwrap();
    let work = listener.listen(LIMIT).unwrap().unwrap();
    work.start(std::process::id()).unwrap();
    work.progress(&serde_json::json!({"done": 3, "total": 12, "unit": "frames"})).unwrap();
    work.checkpoint(&12_345_678_901_234_567_u64).unwrap();
    site.log(&work, "stderr", b"\x1b[31mred\x1b[0m <script>\n");
    let page = site.page("/default/tasks/movie");
    for part in [
        "value=\"0.2500\"",
        "3/12 frames",
        "12345678901234567",
        "<span class=\"a1\">red</span> &lt;script&gt;",
        "data-source=\"stderr\"",
        "data-action=\"cancel\"",
        "data-action=\"kill\"",
        "data-action=\"suspend\"",
        "last heartbeat",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(site.page("/default/").contains("data-key=\"movie\""));
    work.complete(&serde_json::json!({"n": 1})).unwrap();
    let page = site.page("/default/tasks/movie");
    assert!(page.contains("It ended well") && page.contains("data-action=\"delete\""));
    assert_eq!(site.page("/default/tasks/movie/raw/log"), "\u{1b}[31mred\u{1b}[0m <script>\n");
}

#[test]
fn the_end_of_an_attempt_is_shown_in_words_and_is_no_output() {
    let site = Site::new();
    site.submit("q", "one");
    let mut listener = site.client.listener(&["q"]).unwrap();
    let work = listener.listen(LIMIT).unwrap().unwrap();
    work.start(1).unwrap();
    for n in 0..700 {
        site.log(&work, "stdout", format!("line {n}\n").as_bytes());
    }
    site.log(&work, "exit", b"{\"exit\":3,\"wall_ms\":90000,\"oom\":true}\n");
    site.log(&work, "exit", b"{\"exit\":");
    let page = site.page("/default/tasks/one");
    assert!(page.contains("exit code 3 after 1 min 30 s, out of memory"), "{page}");
    assert!(page.contains("The attempt has ended") && !page.contains("&quot;exit&quot;"), "a part of it");
    let log = site.page("/default/tasks/one/raw/log");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[699]), (700, "line 0", "line 699"));
}

#[test]
fn actions_on_a_task_do_what_they_say_and_the_audit_names_the_user() {
    let site = Site::new();
    site.submit("q", "one");
    site.done("prioritise", &[("id", "one"), ("priority", "7")]);
    site.done("tag", &[("id", "one"), ("tags", "nightly, hd")]);
    site.done("untag", &[("id", "one"), ("tags", "hd")]);
    site.done("move", &[("id", "one"), ("into", "other")]);
    site.done("note", &[("id", "one"), ("text", "look at this")]);
    site.done(
        "edit",
        &[
            ("id", "one"),
            ("was.key", ""),
            ("set.key", "acme"),
            ("was.parameters", "[\"a\"]"),
            ("set.parameters", "[\"b\"]"),
        ],
    );
    let info = site.client.task("one").unwrap().info().unwrap();
    assert_eq!((info.priority(), info.queue().as_deref(), info.key().as_deref()), (7, Some("other"), Some("acme")));
    assert_eq!((info.tags(), info.parameters_bytes()), (vec!["nightly".to_owned()], Some(&b"[\"b\"]"[..])));
    site.done("cancel", &[("id", "one"), ("reason", "no longer needed")]);
    assert_eq!(site.status("one"), Some(Status::Cancelled));
    site.done("retry", &[("id", "one")]);
    assert_eq!(site.status("one"), Some(Status::Pending));
    site.done("cancel", &[("id", "one")]);
    site.done("retry-fresh", &[("id", "one")]);
    site.done("cancel", &[("id", "one")]);
    let page = site.page("/default/tasks/one");
    assert!(page.contains("look at this") && page.contains("no longer needed"), "{page}");
    let audit = site.page("/default/audit");
    assert!(audit.contains("local") && audit.contains("prioritise") && audit.contains("cancel"), "{audit}");
    let gone = site.act("delete", &[("id", "one")]);
    assert_eq!((gone.status, gone.location.as_str()), (303, "/default/tasks"));
    assert_eq!(site.get("/default/tasks/one").status, 404);
    let refused = site.act("cancel", &[("id", "one"), ("back", "/default/tasks?q=x")]);
    assert_eq!(refused.location, "/default/tasks?q=x");
    assert!(refused.cookie.contains("bad%20"), "{}", refused.cookie);
    let away = site.act("cancel", &[("id", "one"), ("back", "https://elsewhere.example/")]);
    assert_eq!(away.location, "/default/", "a form leads to no other site");
}

#[test]
fn a_running_task_is_stopped_suspended_and_given_back() {
    let site = Site::new();
    site.submit("q", "run");
    let mut listener = site.client.listener(&["q"]).unwrap();
    let work = listener.listen(LIMIT).unwrap().unwrap();
    work.start(1).unwrap();
    let attend = |answered| {
        let about = work.reservation();
        let options = blueque::calls::AttendOptions::new().answered(answered);
        site.client.call(&site.client.calls().attend(&about.id, about.token, &options)).unwrap()
    };
    site.done("suspend", &[("id", "run")]);
    assert_eq!(work.heartbeat().unwrap(), blueque::Order::Attend);
    assert_eq!(attend(1), None);
    let page = site.page("/default/tasks/run");
    assert!(page.contains("It has been suspended by ") && page.contains("data-action=\"continue\""), "{page}");
    site.done("signal", &[("id", "run"), ("signal", "USR1")]);
    site.done("continue", &[("id", "run")]);
    assert_eq!(attend(2).and_then(|control| control.what).as_deref(), Some("unsuspend"));
    assert_eq!(attend(3), None);
    assert!(site.page("/default/tasks/run").contains("data-action=\"suspend\""));
    site.done("requeue", &[("id", "run")]);
    assert_eq!(work.heartbeat().unwrap(), blueque::Order::Stop);
    site.done("cancel", &[("id", "run")]);
    assert_eq!(work.heartbeat().unwrap(), blueque::Order::Cancel);
    site.done("kill", &[("id", "run")]);
    assert_eq!(work.heartbeat().unwrap(), blueque::Order::Kill);
    site.done("free", &[("id", "run")]);
    assert_eq!(site.status("run"), Some(Status::Cancelled));
}

#[test]
fn a_queue_is_paused_configured_and_limited() {
    let site = Site::new();
    site.submit("q", "one");
    site.done("pause", &[("queue", "q"), ("reason", "maintenance at noon")]);
    let page = site.page("/default/queues/q");
    assert!(page.contains("maintenance at noon") && page.contains("by local"), "{page}");
    assert!(site.page("/default/tasks/one").contains("paused"), "the sentence about the task says so");
    site.done("open", &[("queue", "q")]);
    assert!(!site.page("/default/queues/q").contains("data-paused"));
    site.done("configure", &[("queue", "q"), ("name", "concurrency"), ("value", "3")]);
    site.done("limit", &[("queue", "q"), ("key", "acme"), ("concurrency", "2"), ("rate", "10/60")]);
    site.done("limit", &[("key", "gpu"), ("concurrency", "4")]);
    let page = site.page("/default/queues/q");
    assert!(page.contains("<small>of this queue</small>") && page.contains("acme"), "{page}");
    assert!(site.page("/default/queues").contains("gpu"));
    site.done("configure", &[("queue", "q"), ("name", "concurrency"), ("value", "")]);
    assert!(!site.page("/default/queues/q").contains("<small>of this queue</small>"));
    site.done("stop", &[("queue", "q")]);
    assert!(site.page("/default/queues/q").contains("Paused and stopping"));
    let refused = site.act("delete-queue", &[("queue", "q")]);
    assert!(refused.cookie.contains("NOTEMPTY"), "{}", refused.cookie);
}

#[test]
fn many_tasks_are_changed_at_once_selected_or_all_that_match() {
    let site = Site::new();
    for n in 0..120 {
        site.submit("q", &format!("task-{n}"));
    }
    site.submit("other", "bystander");
    let page = site.page("/default/tasks?q=queue:q");
    assert!(page.contains("120 match") && page.contains("rel=\"next\""), "{page}");
    site.done(
        "many",
        &[("what", "cancel"), ("scope", "selected"), ("id", "task-1"), ("id", "task-2"), ("reason", "x")],
    );
    assert_eq!((site.status("task-1"), site.status("task-3")), (Some(Status::Cancelled), Some(Status::Pending)));
    let done = site.act("many", &[("what", "cancel"), ("scope", "all"), ("q", "queue:q state:pending")]);
    assert!(done.status == 303 && done.location.starts_with("/default/bulk/"), "{done:?}");
    eventually("the page says that it is done", || site.page(&done.location).contains("It is done."));
    assert!(site.page(&done.location).contains("<dd>118</dd>"), "{}", site.page(&done.location));
    eventually("all are cancelled", || site.client.queue("q").unwrap().counts().unwrap().cancelled == 120);
    assert_eq!(site.status("bystander"), Some(Status::Pending));
    let none = site.act("many", &[("what", "cancel"), ("scope", "selected")]);
    assert!(none.cookie.contains("No%20task%20is%20selected"), "{}", none.cookie);
}

#[test]
fn an_action_on_all_that_a_text_finds_asks_for_the_number_and_changes_only_these() {
    let site = Site::new();
    for n in 0..70 {
        site.submit("q", &format!("movie-{n:02}"));
    }
    site.submit("q", "song");
    let page = site.page("/default/tasks?q=movie");
    assert!(page.contains("All that match (counted first)"), "{page}");
    // What is wrong is refused before the page looks.
    let refused = site.act("many", &[("what", "move"), ("scope", "all"), ("q", "movie")]);
    assert!(refused.cookie.contains("bad") && refused.location == "/default/", "{refused:?}");
    let asks = site.act("many", &[("what", "cancel"), ("scope", "all"), ("q", "movie state:pending"), ("reason", "x")]);
    let at = asks.location;
    eventually("the page asks", || site.page(&at).contains("70 tasks found."));
    let page = site.page(&at);
    assert!(page.contains("It looked into all 71 tasks of the search.") && page.contains("Cancel: 70 tasks"), "{page}");
    assert_eq!(site.client.queue("q").unwrap().counts().unwrap().cancelled, 0, "nothing is changed before");
    assert!(site.page("/default/tasks").contains("70 tasks found: confirm the number"));
    // One is added and one begins to run after the count.
    site.submit("q", "movie-new");
    let mut listener = site.client.listener(&["q"]).unwrap();
    let running = listener.listen(LIMIT).unwrap().unwrap();
    let taken = running.reservation().id.to_string();
    let job = at.rsplit('/').next().unwrap();
    site.done("confirm-many", &[("job", job)]);
    eventually("the page says that it is done", || site.page(&at).contains("It is done."));
    assert!(site.page(&at).contains("<dt>Changed</dt><dd>69</dd>"), "{}", site.page(&at));
    assert_eq!(site.client.queue("q").unwrap().counts().unwrap().cancelled, 69);
    for id in ["movie-new", "song"] {
        assert_eq!(site.status(id), Some(Status::Pending), "{id}");
    }
    assert!(taken.starts_with("movie-") && site.status(&taken) == Some(Status::Reserved), "{taken}");
    let again = site.act("confirm-many", &[("job", job)]);
    assert!(again.cookie.contains("does%20not%20wait"), "{again:?}");
    let none = site.act("many", &[("what", "tag"), ("tags", "x"), ("scope", "all"), ("q", "nothing-like-it")]).location;
    eventually("the page says that there is none", || site.page(&none).contains("No task was found."));
    // Ids are found in the same way.
    let ids = site.act("many", &[("what", "tag"), ("tags", "x"), ("scope", "all"), ("q", "ids:song,nobody")]).location;
    eventually("the page asks for one", || site.page(&ids).contains("Add tags: 1 task<"));
    site.done("stop-many", &[("job", ids.rsplit('/').next().unwrap())]);
    assert!(site.page(&ids).contains("It was stopped before it changed a task."));
    assert!(site.client.task("song").unwrap().info().unwrap().tags().is_empty());
}

#[test]
fn a_search_keeps_its_place_and_names_what_it_does_not_understand() {
    let site = Site::new();
    for n in 0..70 {
        site.submit("q", &format!("movie-{n:02}"));
    }
    let first = site.page("/default/tasks?q=movie");
    let next = first.split("rel=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&");
    site.submit("q", "movie-new");
    let second = site.page(&next);
    let rows = |page: &str| page.matches("name=\"id\"").count();
    assert_eq!((rows(&first), rows(&second)), (50, 20), "a new task moves no other to another page");
    assert!(site.page("/default/tasks?q=state:broken").contains("state:broken"));
    assert!(site.page("/default/tasks?q=since:soon").contains("soon"));
    assert_eq!(rows(&site.page("/default/tasks?q=id:movie-0+state:pending+since:1h")), 10);
}

#[test]
fn schedules_are_paused_run_and_edited() {
    let site = Site::new();
    let schedule = site.client.schedule("nightly").unwrap();
    let cron = Recurrence::cron("0 3 * * *", "Europe/Berlin").unwrap();
    schedule.set("q", &cron, &["x"], &blueque::Plan::default()).unwrap();
    let page = site.page("/default/schedules/nightly");
    assert!(page.contains("Next times") && page.contains("CE"), "{page}");
    site.done("pause-schedule", &[("schedule", "nightly"), ("reason", "holiday")]);
    assert!(site.page("/default/schedules/nightly").contains("holiday"));
    site.done("resume-schedule", &[("schedule", "nightly")]);
    site.done("run-schedule", &[("schedule", "nightly")]);
    assert_eq!(site.client.queue("q").unwrap().counts().unwrap().pending, 1);
    site.done(
        "edit-schedule",
        &[("schedule", "nightly"), ("recurrence", "every 3600 0"), ("queue", "q"), ("parameters", "[\"y\"]")],
    );
    let info = schedule.info().unwrap();
    assert_eq!((info.recurrence().as_deref(), info.parameters_bytes()), (Some("every 3600 0"), Some(&b"[\"y\"]"[..])));
    site.done("delete-schedule", &[("schedule", "nightly")]);
    assert_eq!(site.get("/default/schedules/nightly").status, 404);
}

#[test]
fn a_form_that_is_sent_twice_adds_one_task() {
    let site = Site::new();
    for _ in 0..2 {
        let done = site.act("add-task", &[("queue", "q"), ("fresh", "the-only-one"), ("set.max_run", "2h")]);
        assert_eq!((done.status, done.location.as_str()), (303, "/default/tasks/the-only-one"), "{done:?}");
    }
    assert_eq!(site.client.queue("q").unwrap().counts().unwrap().pending, 1);
    let info = site.client.task("the-only-one").unwrap().info().unwrap();
    assert_eq!(info.fields.get("max_run").map(Vec::as_slice), Some(&b"7200"[..]));
}

#[test]
fn a_page_that_only_reads_refuses_every_action() {
    let site = Site::of(Server::start(), |web| web.read_only(true));
    site.submit("q", "one");
    for action in ["cancel", "edit", "pause", "configure", "many", "drain", "delete", "add-task", "add-schedule"] {
        let refused = site.act(action, &[("id", "one"), ("queue", "q"), ("what", "cancel"), ("scope", "selected")]);
        assert_eq!(refused.status, 403, "{action}: {refused:?}");
    }
    assert_eq!(site.status("one"), Some(Status::Pending));
}

#[test]
fn roles_are_checked_for_every_action() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let place = Place::new("default", &server.url()).unwrap();
    let actor = blueque_web::Actor { name: "anna".to_owned(), role: blueque_web::Role::Operator };
    let router = Web::builder().place(place).build().unwrap().layer(axum::Extension(actor));
    let site = Site { address: serve(router), client, server };
    site.submit("q", "one");
    site.done("tag", &[("id", "one"), ("tags", "a")]);
    site.done("many", &[("what", "tag"), ("scope", "selected"), ("id", "one"), ("tags", "b")]);
    for (action, fields) in [
        ("pause", vec![("queue", "q")]),
        ("requeue", vec![("id", "one")]),
        ("configure", vec![("queue", "q"), ("name", "keep"), ("value", "1")]),
        ("many", vec![("what", "cancel"), ("scope", "all"), ("q", "queue:q")]),
        ("many", vec![("what", "pause"), ("scope", "selected"), ("id", "one"), ("queue", "q")]),
    ] {
        let answer = site.act(action, &fields);
        assert_eq!(answer.status, 403, "{action} {fields:?}: {answer:?}");
    }
    let audit = site.client.audit("0", &blueque::calls::AuditOptions::new().what("tag")).unwrap();
    assert!(audit.items.iter().all(|change| change.by.as_deref() == Some("anna")), "{audit:?}");
}

#[test]
fn live_parts_are_sent_when_they_change() {
    let site = Site::new();
    let lines = site.events("/default/live?topic=now", None);
    until(&lines, |line| line.contains("There are no queues"));
    site.submit("q", "fresh");
    until(&lines, |line| line.starts_with("data:") && line.contains("/default/queues/q"));
    assert_eq!(site.get("/default/live?topic=none").status, 404);
}

#[test]
fn a_log_is_followed_and_continues_where_it_was() {
    let site = Site::new();
    site.submit("q", "talks");
    let mut listener = site.client.listener(&["q"]).unwrap();
    let work = listener.listen(LIMIT).unwrap().unwrap();
    work.start(1).unwrap();
    let lines = site.events("/default/tasks/talks/log?stream&after=0", None);
    site.log(&work, "stdout", b"first line\n");
    let id = until(&lines, |line| line.starts_with("id:"));
    until(&lines, |line| line.contains("first line"));
    drop(lines);
    site.log(&work, "stdout", b"second line\n");
    let again = site.events("/default/tasks/talks/log?stream&after=0", Some(id.trim_start_matches("id:").trim()));
    let line = until(&again, |line| line.starts_with("data:"));
    assert!(line.contains("second line") && !line.contains("first line"), "{line}");
    assert_eq!(site.get("/default/tasks/talks/log?stream&after=x").status, 400);
}

#[test]
fn many_readers_cost_the_server_one() {
    let site = Site::of(Server::start_counting(), |web| web);
    site.submit("q", "one");
    let readers: Vec<_> = (0..40).map(|_| site.events("/default/live?topic=now", None)).collect();
    for lines in &readers {
        until(lines, |line| line.starts_with("data:"));
    }
    let (before, begun) = (site.server.calls_of("counts"), SystemTime::now());
    eventually("the topic is read again", || site.server.calls_of("counts") >= before + 3);
    let calls = site.server.calls_of("counts") - before;
    let seconds = usize::try_from(begun.elapsed().unwrap().as_secs()).unwrap();
    assert!(calls <= seconds + 4, "{calls} calls in {seconds} s for 40 readers");
    drop(readers);
}

#[test]
fn a_server_that_is_away_is_said_without_its_password_and_the_page_heals() {
    let port = support::free_port();
    let place = Place::new("default", &format!("redis://user:secret-word@127.0.0.1:{port}/")).unwrap();
    let other = Server::start();
    let second = Place::new("second", &other.url()).unwrap();
    let address = serve(Web::builder().place(place).place(second).build().unwrap());
    let site = Site { address, client: Client::open(&other.url()).unwrap(), server: other };
    let answer = site.get("/default/");
    assert_eq!(answer.status, 503);
    assert!(answer.text.contains("The server does not answer") && answer.text.contains("http-equiv=\"refresh\""));
    assert!(!answer.text.contains("secret-word"), "{}", answer.text);
    assert_eq!(site.get("/second/").status, 200, "the other place does not mind");
    let server = Server::start_with(&[
        "--save",
        "",
        "--port",
        &port,
        "--user",
        "user",
        "on",
        ">secret-word",
        "~*",
        "&*",
        "+@all",
    ]);
    eventually("the page heals", || site.get("/default/").status == 200);
    drop(server);
}

#[test]
fn a_full_memory_of_the_server_is_said_with_its_remedy() {
    let server = Server::start_with(&["--save", "", "--maxmemory", "1500kb", "--maxmemory-policy", "noeviction"]);
    let site = Site::of(server, |web| web);
    let filler = "x".repeat(64 * 1_024);
    for n in 0..40 {
        let call = redis::cmd("SET").arg(n).arg(&filler).exec(&mut site.server.connection());
        if call.is_err() {
            break;
        }
    }
    for path in ["/default/", "/default/server"] {
        let page = site.page(path);
        assert!(page.contains("The memory is") && page.contains("Raise maxmemory"), "{path}: {page}");
    }
}

#[test]
fn hostile_text_is_shown_as_text_in_every_page() {
    let site = Site::new();
    let queue = site.client.queue("q").unwrap();
    let hostile = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>\u{202e}\u{1b}[2J";
    let how = Submit::default().id(TaskId::new("evil").unwrap());
    queue.submit(&[hostile], how).unwrap();
    site.client.task("evil").unwrap().note(hostile, &blueque::calls::NoteOptions::new()).unwrap();
    queue.pause("anna", hostile).unwrap();
    let check = |path: &str| {
        let page = site.page(path);
        assert!(!page.contains("<script>alert") && !page.contains("<img src=x"), "{path}");
        assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'), "{path}");
    };
    check("/default/tasks/evil");
    check("/default/queues/q");
    queue.resume().unwrap();
    let mut listener = site.client.listener(&["q"]).unwrap();
    let work = listener.listen(LIMIT).unwrap().unwrap();
    work.start(1).unwrap();
    work.progress(&serde_json::json!({"progress": 0.5, "message": hostile})).unwrap();
    site.log(&work, "stdout", hostile.as_bytes());
    site.log(&work, "stderr", b"\xff\xfe</p><script>x");
    work.fail(hostile).unwrap();
    for path in [
        "/default/",
        "/default/tasks",
        "/default/tasks/evil",
        "/default/queues/q",
        "/default/audit",
        "/default/workers",
    ] {
        check(path);
    }
    let answer = site.get("/default/tasks?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E");
    assert!(!answer.text.contains("<script>alert"));
    let raw = site.get("/default/tasks/evil/raw/parameters");
    assert_eq!(serde_json::from_str::<Vec<String>>(&raw.text).unwrap(), [hostile]);
}

#[test]
fn redacted_fields_are_shown_nowhere() {
    let site = Site::of(Server::start(), |web| web.redact(["*password*"]));
    let how = Submit::default().id(TaskId::new("secret").unwrap());
    let parameters = serde_json::json!({"host": "a", "db_password": "hunter2"});
    site.client.queue("q").unwrap().submit(&parameters, how).unwrap();
    for path in ["/default/tasks/secret", "/default/tasks/secret/raw/parameters", "/default/tasks", "/default/"] {
        assert!(!site.page(path).contains("hunter2"), "{path}");
    }
    assert!(site.page("/default/tasks/secret").contains("•••"));
}

#[test]
fn a_graph_is_drawn_and_its_tasks_are_grouped() {
    let site = Site::new();
    let document = serde_json::json!({"name": "film", "tasks": {
        "cut": {"queue": "q"}, "sim": {"queue": "q", "array": "1-30", "needs": ["cut"]}, "join": {"queue": "q", "needs": ["sim"]},
    }});
    let graph = blueque::Graph::from_json(&document.to_string()).unwrap().id(blueque::GraphId::new("film").unwrap());
    site.client.submit_graph(&graph).unwrap();
    assert!(site.page("/default/graphs").contains("film"));
    let page = site.page("/default/graphs/film");
    assert!(page.contains("30 tasks") && page.matches("class=\"node\"").count() == 3, "{page}");
    site.done("cancel-graph", &[("graph", "film")]);
    eventually("it is cancelled", || {
        site.client.call(&site.client.calls().run_deferred(100)).unwrap();
        site.page("/default/graphs/film").contains("32 / 32")
    });
    site.done("retry-graph", &[("graph", "film")]);
}

#[test]
fn the_page_is_served_below_a_path() {
    let server = Server::start();
    let place = Place::new("default", &server.url()).unwrap();
    let address = serve(Web::builder().place(place).base_path("/queue").build().unwrap());
    let site = Site { address, client: Client::open(&server.url()).unwrap(), server };
    let page = site.page("/queue/default/");
    for link in page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(link.starts_with("/queue/") || link.starts_with('#'), "{link}");
    }
    let style = page.split("stylesheet\" href=\"").nth(1).unwrap().split('"').next().unwrap();
    let script = page.split("script src=\"").nth(1).unwrap().split('"').next().unwrap();
    let weight = page.len() + site.page(style).len() + site.page(script).len();
    assert!(weight < 150 * 1_024, "the first load has {weight} bytes");
}
