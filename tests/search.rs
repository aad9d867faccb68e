//! The crate's search, tags, groups of failures and bulk on a real server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::time::{Duration, SystemTime};

use blueque::calls::{FailOptions, NewTask, TaskOptions};
use blueque::{Action, Client, Filter, Force, Order, Status, Submit, TaskId};
use support::Server;

const SOON: Duration = Duration::from_secs(20);
const HOUR: Duration = Duration::from_secs(3600);

fn client(server: &Server) -> Client {
    Client::open(&server.url()).unwrap()
}

fn id(text: &str) -> TaskId {
    TaskId::new(text).unwrap()
}

#[test]
fn tasks_of_all_queues_are_found_and_their_records_read_together() {
    let server = Server::start();
    let client = client(&server);
    let mut all = Vec::new();
    for queue in ["a", "b", "c"] {
        let ids: Vec<TaskId> = (0..400).map(|n| id(&format!("{queue}-{n:03}"))).collect();
        let tasks: Vec<NewTask<'_>> = ids.iter().map(|id| NewTask::new(id, b"{}")).collect();
        let options = TaskOptions::default().tag(if queue == "b" { "blue" } else { "red" });
        client.queue(queue).unwrap().submit_many(&tasks, &options).unwrap();
        all.extend(ids);
    }
    client.task("c-007").unwrap().cancel("no").unwrap();
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    let every: Vec<String> = all.iter().map(ToString::to_string).collect();
    assert_eq!(sorted(client.find(&Filter::new(), 2000).unwrap()), every);
    let found: Vec<String> = client.search(&Filter::new()).map(Result::unwrap).collect();
    assert_eq!(sorted(found), every);
    assert_eq!(client.find(&Filter::new().tag("blue"), 2000).unwrap().len(), 400);
    assert_eq!(client.find(&Filter::new().status(Status::Cancelled), 10).unwrap(), ["c-007"]);
    assert_eq!(client.find(&Filter::new(), 7).unwrap().len(), 7);

    all.insert(3, id("nosuch"));
    let infos = client.infos(&all).unwrap();
    assert_eq!(infos.len(), 1201);
    assert_eq!(infos.iter().filter(|info| info.is_none()).count(), 1);
    assert!(infos[3].is_none());
    assert_eq!(infos[1200].as_ref().unwrap().queue().as_deref(), Some("c"));
    assert!(client.infos(&[]).unwrap().is_empty());
}

#[test]
fn tasks_are_found_by_every_filter() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    let later = SystemTime::now() + HOUR;
    queue.submit(&1, Submit::default().id(id("a-1")).tag("red").method("encode")).unwrap();
    queue.submit(&2, Submit::default().id(id("a-2")).tag("red").tag("blue").key("acme")).unwrap();
    queue.submit(&3, Submit::default().id(id("b-1")).eta(later)).unwrap();
    let found = |filter: Filter| queue.find(&filter, 100).unwrap().join(" ");
    assert_eq!(found(Filter::new()), "b-1 a-2 a-1");
    assert_eq!(found(Filter::new().prefix("a-")), "a-2 a-1");
    assert_eq!(found(Filter::new().status(Status::Scheduled).status(Status::Started)), "b-1");
    assert_eq!(found(Filter::new().tag("red").prefix("a-1")), "a-1");
    assert_eq!(found(Filter::new().method("encode")), "a-1");
    assert_eq!(found(Filter::new().key("acme")), "a-2");
    assert_eq!(found(Filter::new().from(later)), "");
    assert_eq!(found(Filter::new().to(later).tag("blue")), "a-2");
    assert_eq!(queue.find(&Filter::new(), 2).unwrap(), ["b-1", "a-2"]);
    assert_eq!(queue.find(&Filter::new(), 0).unwrap(), Vec::<String>::new());
    assert_eq!(queue.find(&Filter::new().tag("no tag"), 1).unwrap_err().code(), Some(blueque::Code::BadName));
    assert_eq!(
        queue.find(&Filter::new().from(later).to(SystemTime::now()), 1).unwrap_err().code(),
        Some(blueque::Code::BadArgument)
    );

    let tags: Vec<(String, u64)> = queue.tags().unwrap().into_iter().map(|tag| (tag.name, tag.tasks)).collect();
    assert_eq!(tags, [("red".to_owned(), 2), ("blue".to_owned(), 1)]);
    let task = client.task("b-1").unwrap();
    assert_eq!(task.tag(&["green", "blue"]).unwrap(), ["blue", "green"]);
    assert_eq!(task.untag(&["blue"]).unwrap(), ["green"]);
    assert_eq!(task.tag(&[]).unwrap_err().code(), Some(blueque::Code::BadArgument));
    let many: Vec<String> = (0..16).map(|n| format!("t{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(task.tag(&many).unwrap_err().code(), Some(blueque::Code::TooMany));
    assert_eq!(client.task("nosuch").unwrap().untag(&["x"]).unwrap_err().code(), Some(blueque::Code::NoTask));
}

/// A thousand tasks; a step changes fifty.
#[test]
fn a_bulk_of_many_steps_changes_each_task_once_and_ends() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    let ids: Vec<TaskId> = (0..1_000).map(|n| id(&format!("t{n:04}"))).collect();
    for part in ids.chunks(500) {
        let tasks: Vec<NewTask<'_>> = part.iter().map(|id| NewTask::new(id, b"[]")).collect();
        queue.submit_many(&tasks, &TaskOptions::default()).unwrap();
    }
    let done = queue.bulk(&Action::Prioritise { priority: 3 }, &Filter::new().prefix("t000")).unwrap();
    assert_eq!((done.changed, done.refused, done.looked), (10, 0, 1_000));
    let done = queue.bulk(&Action::Cancel { reason: "over".into(), force: Force::No }, &Filter::new()).unwrap();
    assert_eq!((done.changed, done.refused, done.looked), (1_000, 0, 1_000));
    assert_eq!(queue.counts().unwrap().cancelled, 1_000);
    let done =
        queue.bulk(&Action::Retry { fresh: true, into: None }, &Filter::new().status(Status::Cancelled)).unwrap();
    assert_eq!(done.changed, 1_000);
    let other = client.queue("other").unwrap();
    let into = other.name().clone();
    let done = queue.bulk(&Action::Move { into }, &Filter::new()).unwrap();
    assert_eq!((done.changed, done.refused), (1_000, 0));
    let first: Vec<String> = (0..12).map(|n| format!("t{n:04}")).collect();
    assert_eq!(other.list("pending", 12).unwrap(), first, "in their order, those with a priority first");
    let done = other.bulk(&Action::Delete, &Filter::new()).unwrap();
    assert_eq!((done.changed, done.refused), (0, 1_000));
    let done = other.bulk(&Action::Purge, &Filter::new()).unwrap();
    assert_eq!((done.changed, done.refused), (1_000, 0));
    other.delete().unwrap();
    queue.delete().unwrap();
    assert!(client.queues().unwrap().is_empty());
    let error = queue.bulk(&Action::Prioritise { priority: 1_001 }, &Filter::new()).unwrap_err();
    assert_eq!(error.code(), Some(blueque::Code::BadArgument));
}

#[test]
fn the_words_of_an_error_are_a_group_which_runs_again_elsewhere() {
    let server = Server::start();
    let client = client(&server);
    let (queue, other) = (client.queue("q").unwrap(), client.queue("other").unwrap());
    let task = queue.submit(&1, Submit::default().id(id("words"))).unwrap();
    let mut listener = client.listener(&["q"]).unwrap();
    let work = listener.listen(SOON).unwrap().expect("a task");
    work.start(1).unwrap();
    work.fail_with("broken", &FailOptions::new().group("cannot reach 10.0.0.7 in 30 s: Ärger")).unwrap();
    let group = "cannot reach # in # s: Ärger";
    assert_eq!(task.info().unwrap().group().as_deref(), Some(group));
    assert_eq!(queue.groups().unwrap()[0].name, group);
    assert_eq!(task.history().unwrap().last().and_then(|last| last.group.clone()).as_deref(), Some(group));
    let words = Filter::new().group("cannot reach 10.0.0.8 in 5 s: Ärger");
    assert_eq!(queue.find(&words, 9).unwrap(), ["words"]);
    let into = Some(other.name().clone());
    assert_eq!(queue.bulk(&Action::Retry { fresh: false, into }, &words).unwrap().changed, 1);
    assert_eq!(task.info().unwrap().queue().as_deref(), Some("other"));
    assert_eq!(other.list("pending", 9).unwrap(), ["words"]);
}

#[test]
fn a_group_of_failures_is_summed_up_and_a_stopped_queue_takes_its_tasks_back() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    let mut listener = client.listener(&["q"]).unwrap();
    for (n, group) in [Some("net"), Some("net"), None].into_iter().enumerate() {
        queue.submit(&n, Submit::default().id(id(&format!("t{n}")))).unwrap();
        let work = listener.listen(SOON).unwrap().expect("a task");
        work.start(1).unwrap();
        work.fail_with("broken", &group.into_iter().fold(FailOptions::new(), FailOptions::group)).unwrap();
    }
    let groups = queue.groups().unwrap();
    let seen: Vec<_> = groups.iter().map(|one| (one.name.as_str(), one.tasks, one.last.as_deref())).collect();
    assert_eq!(seen, [("net", 2, Some("t1")), ("", 1, Some("t2"))]);
    assert!(groups[0].at.is_some());
    assert_eq!(queue.find(&Filter::new().group(""), 9).unwrap(), ["t2"]);
    let done = queue.bulk(&Action::Retry { fresh: false, into: None }, &Filter::new().group("net")).unwrap();
    assert_eq!(done.changed, 2);

    let work = listener.listen(SOON).unwrap().expect("a task that runs again");
    work.start(1).unwrap();
    assert_eq!(queue.delete().unwrap_err().code(), Some(blueque::Code::NotEmpty));
    queue.pause_and_stop("ops", "disk").unwrap();
    assert!(client.queues().unwrap()[0].stopping);
    assert_eq!(work.heartbeat().unwrap(), Order::Stop);
    work.release().unwrap();
    queue.resume().unwrap();
    let task = client.task("t0").unwrap();
    task.move_to(client.queue("w").unwrap().name()).unwrap();
    assert_eq!(task.info().unwrap().queue().as_deref(), Some("w"));
    assert_eq!(client.task("t2").unwrap().move_to(queue.name()).unwrap(), (), "it is there already");
    assert_eq!(
        client.task("t2").unwrap().move_to(client.queue("w").unwrap().name()).unwrap_err().code(),
        Some(blueque::Code::State)
    );
}
