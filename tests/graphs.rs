//! Graphs of tasks on a real server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::thread;
use std::time::{Duration, SystemTime};

use blueque::calls::{GraphPart, NewTask, PruneOptions, SubmitGraphOptions, TaskOptions};
use blueque::{
    Client, Code, Context, Filter, Graph, GraphId, GraphInfo, Namespace, QueueName, Status, Stop, Submit, TaskId,
    Worker,
};
use serde_json::{Value, json};
use support::{Server, eventually};

const LIMIT: Duration = Duration::from_secs(120);

fn client(server: &Server) -> Client {
    Client::open(&server.url()).unwrap()
}

/// Runs a worker of the queue `q` that adds up all numbers in the input, while the test does something.
fn adding<T>(client: &Client, meanwhile: impl FnOnce() -> T) -> T {
    fn sum(value: &Value) -> u64 {
        value.as_array().map_or_else(|| value.as_u64().unwrap_or(0), |all| all.iter().map(sum).sum())
    }
    let worker = Worker::builder(client).queue("q").unwrap().slots(4);
    let worker = worker.handle(|input: Value, _: &Context| Ok(sum(&input))).build().unwrap();
    let stop = worker.clone();
    let running = thread::spawn(move || worker.run());
    let outcome = meanwhile();
    stop.stop(Stop::Drain);
    running.join().unwrap().unwrap();
    outcome
}

#[test]
fn a_chain_of_1_000_runs_through_and_so_does_a_join_of_1_000() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::new();
    let mut last = graph.task("q", "add", &1);
    for _ in 1..1_000 {
        last = graph.task("q", "add", &1).result_of(&last);
    }
    last.label("chain");
    let join = graph.join("q", "add").label("join");
    for number in 1..=1_000 {
        join.result_of(&graph.task("q", "add", &number));
    }
    let made = client.submit_graph(&graph).unwrap();
    assert_eq!((made.created, made.tasks.len()), (true, 2_001));
    let counts = client.queue("q").unwrap().counts().unwrap();
    assert_eq!((counts.waiting, counts.pending), (1_000, 1_001));
    let result = |label: &str| client.task(made.task(label).unwrap().as_str()).unwrap().result::<u64>(LIMIT).unwrap();
    let sums = adding(&client, || ["chain", "join"].map(result));
    assert_eq!(sums, [1_000, 500_500]);
}

#[test]
fn a_join_does_with_enough_of_1_501_whichever_they_are() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::new();
    let all: Vec<_> = (0..1_500).map(|_| graph.task("q", "add", &1)).collect();
    let never = graph.task("nobody", "add", &1);
    let join = graph.join("q", "add").label("join").at_least(1_200, &[all.as_slice(), &[never]].concat());
    for one in all.iter().chain([&never]) {
        join.result_of(one);
    }
    let made = client.submit_graph(&graph).unwrap();
    let id = made.task("join").unwrap();
    let why = client.call(&client.calls().why(id)).unwrap();
    assert_eq!((why.open, why.least, why.chances), (Some(1_501), Some(1_200), Some(1_501)));
    let cancel = |task: &TaskId| client.task(task.as_str()).unwrap().cancel("no").unwrap();
    made.tasks.iter().take(300).for_each(|(_, task)| _ = cancel(task));
    let member = made.graph.look().unwrap().tasks.into_iter().find(|task| task.label == "join").unwrap();
    assert_eq!((member.open, member.at_least), (1_201, Some(1_200)));
    assert_eq!(adding(&client, || client.task(id.as_str()).unwrap().result::<u64>(LIMIT).unwrap()), 1_200);
    let status = client.task(made.tasks[1_500].1.as_str()).unwrap().info().unwrap().status();
    assert_eq!(status, Some(Status::Pending), "what is not needed stays as it is");
}

#[test]
fn a_join_of_9_999_gets_all_results() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::new();
    let all: Vec<_> = (0..9_999).map(|_| graph.task("q", "add", &1)).collect();
    let join = graph.join("q", "add").label("join");
    for one in &all {
        join.result_of(one);
    }
    let made = client.submit_graph(&graph).unwrap();
    let tasks = made.graph.look().unwrap().tasks;
    assert_eq!(tasks.len(), 10_000);
    let open: Vec<u64> = tasks.iter().map(|task| task.open).filter(|open| *open > 0).collect();
    assert_eq!(open, [9_999]);
    let joined = client.task(made.task("join").unwrap().as_str()).unwrap();
    assert_eq!(adding(&client, || joined.result::<u64>(LIMIT).unwrap()), 9_999);
    let info = made.graph.info().unwrap();
    assert_eq!((info.complete, info.total), (10_000, 10_000));
}

/// Nothing is kept of tasks that have ended. Still, each of 250 tasks gets a result that is delivered to it later.
#[test]
fn retention_takes_no_result_that_others_wait_for() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::new();
    let first = graph.task("q", "m", &()).label("first");
    let join = graph.join("late", "m").label("join");
    for number in 0..250 {
        join.result_of(&graph.join("q", "m").argument(&number).result_of(&first));
    }
    let made = client.submit_graph(&graph).unwrap();
    let queue = client.queue("q").unwrap();
    let nothing = PruneOptions::new().keep(0);
    let prune = || client.call(&client.calls().prune(queue.name(), 500, &nothing)).unwrap().deleted;
    let settle = || client.call(&client.calls().run_deferred(10)).unwrap();
    let mut listener = client.listener(&["q"]).unwrap();
    let mut done = 0;
    while done < 251 {
        if let Some(attempt) = listener.try_listen().unwrap() {
            let input: Value = attempt.parameters().unwrap();
            attempt.complete(&if done == 0 { json!({"n": 1}) } else { input }).unwrap();
            if done == 0 {
                assert_eq!((prune(), queue.counts().unwrap().complete), (0, 1), "250 wait for it");
            }
            done += 1;
        } else {
            settle();
        }
        prune();
    }
    while settle().more {}
    prune();
    assert_eq!(queue.counts().unwrap().complete, 0);
    let input = client.task(made.task("join").unwrap().as_str()).unwrap().info().unwrap();
    let elements: Vec<String> = (0..250).map(|number| format!("[{number},{{\"n\":1}}]")).collect();
    assert_eq!(input.parameters_bytes().unwrap(), format!("[{}]", elements.join(",")).as_bytes());
}

/// Long results are joined in steps. After each step, the consumer has all of its input or nothing of it.
#[test]
fn a_join_of_long_results_is_never_seen_half() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::new();
    let join = graph.join("late", "m").label("join");
    for number in 0..5 {
        join.result_of(&graph.task("q", "m", &number));
    }
    let made = client.submit_graph(&graph).unwrap();
    let mut listener = client.listener(&["q"]).unwrap();
    let mut results = Vec::new();
    for number in 0..5 {
        let attempt = listener.try_listen().unwrap().unwrap();
        let frame = json!({"frame": number, "name": "a \\ \"}], ", "sizes": [[1, 2.5], []]});
        results.push(json!({"of": number, "frames": vec![frame; 10_000]}));
        attempt.complete(&results[number]).unwrap();
    }
    let task = client.task(made.task("join").unwrap().as_str()).unwrap();
    let mut steps = 0;
    loop {
        let info = task.info().unwrap();
        let parameters = info.parameters_bytes().unwrap();
        if info.status() == Some(Status::Pending) {
            assert_eq!(serde_json::from_slice::<Value>(parameters).unwrap(), json!(results));
            break;
        }
        assert_eq!((info.status(), parameters.len()), (Some(Status::Waiting), 0));
        assert!(client.call(&client.calls().run_deferred(100)).unwrap().more, "it is ready when nothing is left to do");
        steps += 1;
    }
    assert!(steps > 20, "{steps} steps for 3 MB");
    settle(&client);
    let mut connection = server.connection();
    let left: Vec<String> = redis::cmd("KEYS").arg("blueque_[jiu]*_*").query(&mut connection).unwrap();
    let left: Vec<_> = left.iter().filter(|key| key.contains("joined") || key.contains("inputs")).collect();
    assert!(left.is_empty(), "{left:?}");
    let waiting = client.call(&client.calls().run_deferred(100)).unwrap();
    assert!(!waiting.more);
}

/// Lets `run_deferred` do everything that is left.
fn settle(client: &Client) {
    while client.call(&client.calls().run_deferred(100)).unwrap().more {}
}

fn ended(info: &GraphInfo) -> (u64, u64, u64) {
    (info.complete, info.failed, info.cancelled)
}

#[test]
fn a_graph_of_10_000_is_cancelled_and_retried_and_runs_anew() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::new();
    let all: Vec<_> = (0..9_998).map(|_| graph.task("q", "add", &1)).collect();
    let join = graph.join("q", "add").label("join");
    for one in &all {
        join.result_of(one);
    }
    graph.task("q", "add", &1).label("end").result_of(&join);
    let made = client.submit_graph(&graph).unwrap();
    assert_eq!(ended(&made.graph.cancel("no").unwrap()), (0, 0, 10_000));
    assert_eq!(ended(&made.graph.retry().unwrap()), (0, 0, 0));
    let counts = client.queue("q").unwrap().counts().unwrap();
    assert_eq!((counts.pending, counts.waiting, counts.cancelled), (9_998, 2, 0));
    // The cancel of one task fails the join, which ends all other tasks.
    let first = client.task(made.tasks[0].1.as_str()).unwrap();
    first.cancel("no").unwrap();
    settle(&client);
    assert_eq!(ended(&made.graph.info().unwrap()), (0, 2, 9_998));
    let join = client.task(made.task("join").unwrap().as_str()).unwrap();
    assert_eq!(join.info().unwrap().fields.get("cause").map(Vec::as_slice), Some(first.id().as_str().as_bytes()));
    first.retry().unwrap();
    settle(&client);
    assert_eq!(ended(&made.graph.info().unwrap()), (0, 0, 0));

    let end = client.task(made.task("end").unwrap().as_str()).unwrap();
    assert_eq!(adding(&client, || end.result::<u64>(LIMIT).unwrap()), 9_999);
    assert_eq!(ended(&made.graph.retry_from(first.id()).unwrap()), (9_997, 0, 0));
    assert_eq!(adding(&client, || end.result::<u64>(LIMIT).unwrap()), 9_999);
    assert_eq!(first.info().unwrap().attempt(), 2);
}

#[test]
fn a_chain_of_1_000_fails_and_goes_on_with_its_first_task() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::new();
    let mut last = graph.task("q", "add", &1);
    for _ in 1..1_000 {
        last = graph.task("q", "add", &1).result_of(&last);
    }
    last.label("last");
    let made = client.submit_graph(&graph).unwrap();
    let first = client.task(made.tasks[0].1.as_str()).unwrap();
    first.cancel("no").unwrap();
    settle(&client);
    assert_eq!(ended(&made.graph.info().unwrap()), (0, 999, 1));
    let last = client.task(made.task("last").unwrap().as_str()).unwrap();
    assert_eq!(last.info().unwrap().fields.get("cause").map(Vec::as_slice), Some(first.id().as_str().as_bytes()));
    first.retry().unwrap();
    settle(&client);
    assert_eq!(ended(&made.graph.info().unwrap()), (0, 0, 0));
    // The cancel of the last task ends all tasks.
    last.cancel("no").unwrap();
    settle(&client);
    assert_eq!(ended(&made.graph.info().unwrap()), (0, 0, 1_000));
    made.graph.retry().unwrap();
    assert_eq!(adding(&client, || last.result::<u64>(LIMIT).unwrap()), 1_000);
}

#[test]
fn a_graph_is_waited_for_and_shows_its_tasks() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::new().name("sums");
    let first = graph.task("q", "add", &[1, 2]).label("first");
    graph.task("q", "add", &3).result_of(&first).label("total");
    let made = client.submit_graph(&graph).unwrap();
    let late = made.graph.wait(Duration::from_millis(50)).unwrap_err();
    assert!(matches!(late, blueque::Error::TimedOut(..)), "{late}");
    let ended = adding(&client, || made.graph.wait(LIMIT).unwrap().tasks);
    let shown: Vec<_> = ended.iter().map(|task| (task.label.as_str(), task.status, task.upstreams.len())).collect();
    assert_eq!(shown, [("first", Some(Status::Complete), 0), ("total", Some(Status::Complete), 1)]);
    let info = made.graph.info().unwrap();
    assert_eq!((info.name.as_str(), info.total, info.complete), ("sums", 2, 2));
    let none = client.graph("none").unwrap().info().unwrap_err();
    assert_eq!(none.code(), Some(Code::NoTask));
}

#[test]
fn a_task_of_a_document_without_parameters_gets_an_empty_list() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::from_json(r#"{"tasks": {"a": {"queue": "q"}}}"#).unwrap();
    let made = client.submit_graph(&graph).unwrap();
    settle(&client);
    let task = made.graph.look().unwrap().tasks.remove(0);
    let info = client.task(task.id.as_str()).unwrap().info().unwrap();
    assert_eq!(info.parameters::<Value>().unwrap(), Some(json!([])));
}

#[test]
fn a_graph_s_deadline_is_that_of_all_its_tasks() {
    let server = Server::start();
    let client = client(&server);
    let soon = SystemTime::now() + Duration::from_secs(2);
    let graph = Graph::new().deadline(soon + LIMIT);
    let first = graph.task("nobody", "m", &1).label("first").options(&TaskOptions::default().deadline(soon));
    graph.task("nobody", "m", &2).label("second").needs(&first);
    graph.task("nobody", "m", &3).label("third");
    let made = client.submit_graph(&graph).unwrap();
    let info = |label: &str| client.task(made.task(label).unwrap().as_str()).unwrap().info().unwrap();
    let micros = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_micros();
    assert_eq!(
        ["first", "third"].map(|label| info(label).deadline().map(micros)),
        [Some(micros(soon)), Some(micros(soon + LIMIT))]
    );
    adding(&client, || {
        eventually("the second task fails", || (info("second").status() == Some(Status::Failed)).then_some(()));
    });
    assert_eq!(info("first").group().as_deref(), Some("deadline"));
    assert_eq!(info("third").status(), Some(Status::Pending));
    let late = Graph::new().deadline(SystemTime::now() - Duration::from_secs(1));
    late.task("q", "m", &1);
    assert_eq!(client.submit_graph(&late).unwrap_err().code(), Some(Code::Overdue));
}

#[test]
fn what_is_wrong_with_a_graph_is_known_before_a_task_is_made() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::new();
    let first = graph.task("q", "m", &());
    first.after(&graph.task("q", "m", &()).after(&first));
    let error = client.submit_graph(&graph).unwrap_err();
    assert_eq!(error.code(), Some(Code::BadArgument));
    assert!(error.to_string().contains("m-0 -> m-1 -> m-0"), "{error}");
    assert!(client.queues().unwrap().is_empty());
}

#[test]
fn a_graph_of_which_a_part_is_refused_is_not_there_and_the_same_call_creates_it_later() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::new().id(GraphId::new("g").unwrap());
    let first = graph.task("q", "m", &1);
    let others: Vec<_> = (0..150).map(|_| graph.task("q", "m", &()).after(&first)).collect();
    let second = graph.join("late", "m").result_of(&first).after(&others[0]);
    graph.join("q", "m").result_of(&second).argument(&json!({"a": [1]}));
    let late = client.queue("late").unwrap();
    late.configure("closed", Some("1")).unwrap();
    assert_eq!(client.submit_graph(&graph).unwrap_err().code(), Some(Code::Closed));
    let counts = client.queue("q").unwrap().counts().unwrap();
    assert_eq!((counts.waiting, counts.pending), (0, 0));
    late.configure("closed", None).unwrap();
    let made = client.submit_graph(&graph).unwrap();
    assert!(made.created && !client.submit_graph(&graph).unwrap().created);
    assert_eq!(made.tasks[152].1.as_str(), "g.152");
    assert_eq!(client.task("g.152").unwrap().info().unwrap().status(), Some(Status::Waiting));
    let other = Graph::new().id(GraphId::new("g").unwrap());
    other.task("q", "m", &1);
    assert_eq!(client.submit_graph(&other).unwrap_err().code(), Some(Code::Duplicate));
}

#[test]
fn of_two_documents_that_come_at_once_with_one_id_one_is_made_and_never_a_mixture() {
    let server = Server::start();
    let document = |id: &str, which: u32| {
        let graph = Graph::new().id(GraphId::new(id).unwrap());
        (0..1_200).for_each(|_| _ = graph.task("q", "m", &which)); // the same names, in three calls
        graph
    };
    for round in 0..20 {
        let id = format!("g{round}");
        let begin = std::sync::Barrier::new(4);
        let made: Vec<_> = thread::scope(|scope| {
            let submit = |which: u32| {
                let (graph, client) = (document(&id, which), client(&server));
                begin.wait();
                client.submit_graph(&graph).map(|made| made.created)
            };
            let all: Vec<_> = [1, 2, 1, 2].map(|which| scope.spawn(move || (which, submit(which)))).into();
            all.into_iter().map(|each| each.join().unwrap()).collect()
        });
        let winners: Vec<_> = made.iter().filter(|(_, made)| matches!(made, Ok(true))).collect();
        assert_eq!(winners.len(), 1, "{made:?}");
        for (which, outcome) in &made {
            match outcome {
                Ok(_) => assert_eq!(*which, winners[0].0, "{made:?}"),
                Err(error) => assert_eq!((error.code(), *which == winners[0].0), (Some(Code::Duplicate), false)),
            }
        }
        let client = client(&server);
        for task in client.graph(&id).unwrap().look().unwrap().tasks {
            let info = client.task(task.id.as_str()).unwrap().info().unwrap();
            assert_eq!(info.parameters_bytes().unwrap(), winners[0].0.to_string().as_bytes());
        }
    }
}

#[test]
fn a_graph_of_a_client_that_sends_no_digest_is_compared_by_its_names() {
    let server = Server::start();
    let client = client(&server);
    let (id, queue) = (GraphId::new("old").unwrap(), QueueName::new("q").unwrap());
    let (task, options) = (TaskId::new("old.0").unwrap(), TaskOptions::default());
    let part =
        GraphPart { id: &task, queue: &queue, eta: None, parameters: b"1", inputs: "", label: "a", options: &options };
    client.call(&client.calls().submit_graph(&id, 1, &[part], &SubmitGraphOptions::new())).unwrap();
    let named = |label: &str| {
        let graph = Graph::new().id(id.clone());
        graph.task("q", "m", &1).label(label);
        client.submit_graph(&graph).map(|made| made.created)
    };
    assert!(!named("a").unwrap());
    assert_eq!(named("b").unwrap_err().code(), Some(Code::Duplicate));
}

#[test]
fn a_graph_of_which_tasks_were_deleted_is_still_the_same() {
    let server = Server::start();
    let client = client(&server);
    let graph = Graph::new().id(GraphId::new("g").unwrap());
    graph.task("q", "m", &1);
    graph.task("q", "m", &2);
    client.submit_graph(&graph).unwrap();
    client.task("g.0").unwrap().cancel("").unwrap();
    client.task("g.0").unwrap().delete().unwrap();
    assert!(!client.submit_graph(&graph).unwrap().created);
}

#[test]
fn a_graph_that_meets_full_memory_half_way_is_not_there_and_the_same_call_creates_it_later() {
    let server = Server::start();
    let client = client(&server);
    client.queue("q").unwrap().configure("keep", Some("10")).unwrap(); // the namespace is there
    let graph = Graph::new().id(GraphId::new("g").unwrap());
    // 500 in a call, which has 2.5 MB: the first one or two find room.
    let tasks: Vec<_> = (0..1_400).map(|_| graph.task("q", "m", &"x".repeat(5_000))).collect();
    graph.join("q", "m").after(&tasks[0]).after(&tasks[1_399]);
    let mut connection = server.connection();
    let info: String = redis::cmd("INFO").arg("memory").query(&mut connection).unwrap();
    let used: u64 = info.lines().find_map(|line| line.strip_prefix("used_memory:")).unwrap().trim().parse().unwrap();
    let mut limit = |bytes: u64| {
        redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg(bytes).exec(&mut connection).unwrap();
    };
    limit(used + 6_500_000);
    let error = client.submit_graph(&graph).unwrap_err();
    assert!(error.to_string().contains("OOM"), "{error}");
    let staged: u64 = redis::cmd("HGET").arg("blueque_graph_g").arg("staged").query(&mut server.connection()).unwrap();
    assert!((1..1_400).contains(&staged), "some of them had arrived: {staged}");
    let queue = client.queue("q").unwrap();
    let counts = queue.counts().unwrap();
    assert_eq!((counts.waiting, counts.pending), (0, 0));
    assert!(client.task("g.0").unwrap().info().is_err());
    assert!(queue.find(&Filter::new(), 10).unwrap().is_empty());
    limit(0);
    assert!(client.submit_graph(&graph).unwrap().created);
    settle(&client);
    let counts = queue.counts().unwrap();
    assert_eq!((counts.waiting, counts.pending), (1, 1_400));
}

#[test]
fn a_task_of_a_graph_waits_for_10_000_earlier_tasks_and_not_for_one_more() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("early").unwrap();
    let ids: Vec<TaskId> = (0..10_000).map(|n| TaskId::new(format!("t{n}")).unwrap()).collect();
    for page in ids.chunks(500) {
        let tasks: Vec<NewTask<'_>> = page.iter().map(|id| NewTask::new(id, b"1")).collect();
        queue.submit_many(&tasks, &TaskOptions::default()).unwrap();
    }
    let document = |number: usize, field: &str| {
        let all: Vec<String> = (0..number).map(|n| format!("{{\"task\": \"t{n}\"}}")).collect();
        Graph::from_json(&format!(
            "{{\"queue\": \"q\", \"tasks\": {{\"a\": {{}}, \"b\": {{\"{field}\": [{}]}}}}}}",
            all.join(",")
        ))
    };
    for field in ["needs", "after"] {
        let error = document(10_001, field).and_then(|graph| graph.check()).unwrap_err().to_string();
        let expected = format!("task 1 \"b\", {field}: 10001 arguments and edges of one task: at most 10000");
        assert_eq!(error, expected);
    }
    let made = client.submit_graph(&document(10_000, "after").unwrap()).unwrap();
    settle(&client);
    let last = client.task(made.task("b").unwrap().as_str()).unwrap();
    assert_eq!(client.call(&client.calls().why(last.id())).unwrap().open, Some(10_000));
    for id in &ids {
        client.task(id.as_str()).unwrap().cancel("").unwrap();
    }
    settle(&client);
    assert_eq!(last.info().unwrap().status(), Some(Status::Pending));
}

#[test]
fn a_task_of_another_namespace_is_none_that_a_graph_can_wait_for() {
    let server = Server::start();
    let client = client(&server);
    let elsewhere = Client::builder().namespace(Namespace::new("elsewhere").unwrap()).open(&server.url()).unwrap();
    let id = TaskId::new("there").unwrap();
    elsewhere.queue("q").unwrap().submit(&1, Submit::default().id(id.clone())).unwrap();
    let text = r#"{"queue": "q", "tasks": {"a": {}, "b": {"args": [{"result": "a"}, {"result": {"task": "there"}}]}}}"#;
    let error = client.submit_graph(&Graph::from_json(text).unwrap()).unwrap_err();
    assert_eq!(error.code(), Some(Code::NoTask));
    let named = " \"b\", args[1]: no task has the id there";
    assert!(error.to_string().starts_with("NOTASK: task ") && error.to_string().contains(named), "{error}");
    let counts = client.queue("q").unwrap().counts().unwrap();
    assert_eq!((counts.waiting, counts.pending), (0, 0));
    // A plain task with that id is another task.
    client.queue("q").unwrap().submit(&1, Submit::default().id(id)).unwrap();
    assert!(client.submit_graph(&Graph::from_json(text).unwrap()).unwrap().created);
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn the_asynchronous_client_submits_graphs_too() {
    let server = Server::start();
    let graph = Graph::new();
    let first = graph.task("q", "add", &[1, 2]);
    graph.task("q", "add", &3).result_of(&first).label("total");
    let client = blueque::tokio::Client::open(&server.url()).await.unwrap();
    // The future does not hold the graph: it goes to other threads.
    let submit = client.submit_graph(&graph);
    let made = submit.await.unwrap();
    assert!(made.created);
    assert_eq!(made.graph.info().await.unwrap().total, 2);
    assert_eq!(made.graph.cancel("no").await.unwrap().cancelled, 2);
    assert_eq!(made.graph.retry().await.unwrap().cancelled, 0);
    assert_eq!(made.graph.retry_from(made.task("total").unwrap()).await.unwrap().cancelled, 0);
    let blocking = self::client(&server);
    let total = blocking.task(made.task("total").unwrap().as_str()).unwrap();
    assert_eq!(adding(&blocking, || total.result::<u64>(LIMIT).unwrap()), 6);
}
