//! Several partitions, each on a server of its own, for asynchronous programs.

#![cfg(feature = "tokio")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "support/partitions.rs"]
mod partitions;
mod support;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use blueque::tokio::{Client, Partitions, Worker};
use blueque::{Deliverer, Error, Filter, GlobalId, Graph, GraphId, Status, Stop, Submit, TaskId};
use partitions::{addresses, name, signal};
use serde_json::Value;
use support::Server;

const SOON: Duration = Duration::from_secs(20);

/// Partitions, each on its own server. The call that stores their topology blocks.
fn servers(number: usize) -> Vec<Server> {
    let servers: Vec<_> = (0..number).map(|_| Server::start()).collect();
    assert_eq!(blueque::Partitions::open(&addresses(&servers)).unwrap().store().unwrap().version(), 1);
    servers
}

#[tokio::test]
async fn a_task_is_found_by_its_global_id_and_run_where_it_is() {
    let servers = servers(2);
    let partitions = Partitions::open(&addresses(&servers)).unwrap();
    let mut ids = Vec::new();
    for number in 0..20_u32 {
        ids.push(partitions.submit("q", &number, Submit::default()).await.unwrap());
    }
    let used: BTreeSet<_> = ids.iter().map(|id| id.partition().clone()).collect();
    assert_eq!(used.len(), 2, "20 random ids are in both");

    let (queues, counts) = tokio::join!(partitions.queues(), partitions.counts("q"));
    assert_eq!(queues.all().unwrap().len(), 2);
    assert_eq!(counts.all().unwrap().values().map(|counts| counts.pending).sum::<u64>(), 20);
    let found = partitions.find(&Filter::default(), 100).await.all().unwrap();
    assert_eq!(found.into_values().flatten().collect::<BTreeSet<_>>(), ids.iter().cloned().collect());
    let each = partitions.each(|client| async move { client.queue("q")?.list("pending", 100).await }).await;
    assert_eq!(each.all().unwrap().into_values().flatten().count(), 20);
    assert!(partitions.stored().await.all().unwrap().values().all(Option::is_some));

    let mut workers = Vec::new();
    for name in partitions.names() {
        let worker = Worker::builder(&partitions.partition(name).await.unwrap()).queue("q").unwrap();
        workers.push(worker.handle(|number: u32, _| async move { Ok(number * 2) }).build().unwrap());
    }
    let runs: Vec<_> = workers
        .iter()
        .map(|worker| {
            tokio::spawn({
                let worker = worker.clone();
                async move { worker.run().await }
            })
        })
        .collect();
    for (number, id) in (0..).zip(&ids) {
        let id: GlobalId = id.to_string().parse().unwrap();
        assert_eq!(partitions.task(&id).await.unwrap().result::<u32>(SOON).await.unwrap(), number * 2);
    }
    assert_eq!(partitions.workers().await.all().unwrap().into_values().flatten().count(), 2);
    for (worker, run) in workers.iter().zip(runs) {
        worker.stop(Stop::Drain);
        run.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn the_caller_a_key_a_unique_name_or_the_id_chooses_the_partition() {
    let servers = servers(2);
    let partitions = Partitions::open(&addresses(&servers)).unwrap();
    let id = |text: &str| Submit::default().id(TaskId::new(text).unwrap());
    let chosen = partitions.submit_in(&name("2"), "q", "x", id("a")).await.unwrap();
    assert_eq!(chosen.to_string(), "2:a");
    let bytes = partitions.submit_bytes_in(&name("2"), "q", b"\"y\"", id("b")).await.unwrap();
    let info = partitions.task(&bytes).await.unwrap().info().await.unwrap();
    assert_eq!(info.parameters::<String>().unwrap().as_deref(), Some("y"));
    // The example of docs/run/partitions.md.
    let own = partitions.submit("q", "x", id("movie-17")).await.unwrap();
    assert_eq!(own.to_string(), "1:movie-17");
    let by_key = partitions.submit_by("movie-17", "q", "x", Submit::default()).await.unwrap();
    assert_eq!(by_key.partition().as_str(), "1");
    let other = (0..).map(|number| format!("tenant-{number}"));
    let other = other.take(1_000).find(|key| partitions.place_of(key).unwrap() == &name("2")).unwrap();
    let of_two = Submit::default().key(other.as_str()).unique("movie-17");
    assert_eq!(partitions.submit("q", "x", of_two).await.unwrap_err().word(), "BADARG");
    assert_eq!(partitions.submit_in(&name("3"), "q", "x", Submit::default()).await.unwrap_err().word(), "BADARG");
}

#[tokio::test]
async fn a_partition_that_hangs_is_named_within_the_limit_and_delays_nothing_else() {
    let limit = Duration::from_secs(1);
    let servers = servers(3);
    let open = || Client::builder().limit(limit).open_partitions(&addresses(&servers)).unwrap();
    let known = open();
    let ids = [
        known.submit_in(&name("1"), "q", "x", Submit::default()).await.unwrap(),
        known.submit_in(&name("2"), "q", "x", Submit::default()).await.unwrap(),
    ];
    assert_eq!(known.queues().await.all().unwrap().len(), 3);
    assert_eq!(known.task(&ids[1]).await.unwrap().info().await.unwrap().status(), Some(Status::Pending));
    signal(&servers[1], "-STOP");
    signal(&servers[2], "-STOP");
    // Partitions that were connected before, and partitions that are not connected yet.
    for partitions in [&known, &open()] {
        let began = Instant::now();
        // Both futures run on one thread: the second one goes on only if the first one does not block the thread.
        let beside = async {
            let status = partitions.task(&ids[0]).await.unwrap().info().await.unwrap().status();
            (status, began.elapsed())
        };
        let (found, (status, alone)) = tokio::join!(partitions.counts("q"), beside);
        let took = began.elapsed();
        assert_eq!(
            found.answers.iter().map(|(name, counts)| (name.as_str(), counts.pending)).collect::<Vec<_>>(),
            [("1", 1)]
        );
        let missing: Vec<_> = found.missing.iter().map(|(name, error)| (name.as_str(), error.word())).collect();
        assert_eq!(missing, [("2", "UNAVAILABLE"), ("3", "UNAVAILABLE")]);
        // The partitions are asked at the same time: asking them in turn takes twice as long.
        assert!(took < limit * 2, "{took:?}");
        assert!(status == Some(Status::Pending) && alone < limit, "the other one answers as ever: {alone:?}");
    }
    signal(&servers[1], "-CONT");
    signal(&servers[2], "-CONT");
    let began = Instant::now();
    while known.counts("q").await.all().is_err() {
        assert!(began.elapsed() < SOON, "they answer again");
    }
}

#[tokio::test]
async fn a_client_with_another_topology_is_refused_with_what_differs() {
    let mut servers = servers(2);
    servers.push(Server::start());
    let all = Partitions::open(&addresses(&servers)).unwrap();
    let refused = all.partition(&name("1")).await.unwrap_err();
    assert_eq!(refused.word(), "TOPOLOGY");
    assert!(refused.to_string().contains("this client has also 3"), "{refused}");
    let none = all.submit_in(&name("3"), "q", "x", Submit::default()).await.unwrap_err();
    assert!(none.to_string().contains("the namespace of the partition 3 has no topology yet"), "{none}");
    let stored = all.stored().await.all().unwrap();
    assert!(stored[&name("3")].is_none());
    assert_eq!(all.require(&name("1"), stored[&name("1")].as_ref()).unwrap_err().word(), "TOPOLOGY");
    servers.swap(0, 1);
    let swapped = Partitions::open(&addresses(&servers[..2])).unwrap();
    let refused = swapped.partition(&name("1")).await.unwrap_err();
    assert!(refused.to_string().contains("the address of the partition 1 leads to 2: correct it"), "{refused}");
}

/// Runs the deliverer between partitions, which blocks, on a thread of its own.
struct Delivering(Arc<Deliverer>, Option<JoinHandle<()>>);

impl Delivering {
    fn start(servers: &[Server]) -> Self {
        let deliverer = Arc::new(Deliverer::new(&blueque::Partitions::open(&addresses(servers)).unwrap()));
        let own = Arc::clone(&deliverer);
        Self(deliverer, Some(std::thread::spawn(move || own.run())))
    }
}

impl Drop for Delivering {
    fn drop(&mut self) {
        self.0.stop();
        self.1.take().unwrap().join().unwrap();
    }
}

#[tokio::test]
async fn a_graph_over_partitions_is_made_cancelled_retried_and_waited_for() {
    let servers = servers(2);
    let partitions = Partitions::open(&addresses(&servers)).unwrap();
    let graph = || {
        let graph = Graph::new().id(GraphId::new("film").unwrap());
        let left = graph.task("q", "encode", &1).label("left").partition(&name("1"));
        let right = graph.task("q", "encode", &2).label("right").partition(&name("2"));
        graph.join("q", "join").label("film").partition(&name("1")).result_of(&left).result_of(&right);
        graph
    };
    let made = partitions.submit_graph(&graph(), None).await.unwrap();
    assert!(made.created && made.coming.is_empty());
    assert!(!partitions.submit_graph(&graph(), None).await.unwrap().created, "it is there already");
    assert_eq!(partitions.partitions_of(&graph(), None).unwrap(), [name("1"), name("2")]);
    let found = partitions.find_graph(&GraphId::new("film").unwrap()).await.unwrap();
    assert_eq!((found.home(), found.look().await.unwrap().tasks.len()), (Some(&name("1")), 3));
    assert!(matches!(found.wait(Duration::ZERO).await, Err(Error::TimedOut(..))));
    let joined = found.member("film").await.unwrap();
    assert_eq!(Some(&joined), made.tasks.iter().find(|(label, _)| label == "film").map(|(_, id)| id));

    found.cancel("the source was wrong").await.unwrap();
    let ended = found.wait(SOON).await.unwrap();
    assert!(ended.tasks.iter().all(|task| task.status == Some(Status::Cancelled)), "{ended:?}");
    found.retry().await.unwrap();

    let delivering = Delivering::start(&servers);
    let mut runs = Vec::new();
    let mut workers = Vec::new();
    for name in partitions.names() {
        let worker = Worker::builder(&partitions.partition(name).await.unwrap()).queue("q").unwrap();
        let sum = |input: Value, _| async move {
            let numbers = input.as_array().map_or(vec![&input], |all| all.iter().collect());
            Ok(numbers.into_iter().map(|number| number.as_u64().unwrap()).sum::<u64>())
        };
        let worker = worker.handle(sum).build().unwrap();
        workers.push(worker.clone());
        runs.push(tokio::spawn(async move { worker.run().await }));
    }
    let ended = found.wait(SOON).await.unwrap();
    assert_eq!((ended.info.complete, ended.missing.len()), (3, 0));
    assert_eq!(partitions.task(&joined.as_str().parse().unwrap()).await.unwrap().result::<u64>(SOON).await.unwrap(), 3);

    // A task is rerun, with its dependents in other partitions.
    found.retry_from(&found.member("right").await.unwrap()).await.unwrap();
    let ended = found.wait(SOON).await.unwrap();
    assert_eq!((ended.info.complete, ended.missing.len()), (3, 0));
    for (label, attempts) in [("left", 1), ("right", 2), ("film", 2)] {
        let id = found.member(label).await.unwrap();
        let info = partitions.task(&id.as_str().parse().unwrap()).await.unwrap().info().await.unwrap();
        assert_eq!((info.status(), info.attempt()), (Some(Status::Complete), attempts), "{label}");
    }

    // A task gets the result of another partition.
    let far = partitions.submit_in(&name("2"), "q", &17, Submit::default()).await.unwrap();
    let there = partitions.link(&far, &name("1")).await.unwrap();
    let waits = Submit::default().result_of(0, &there);
    let near = partitions.submit_bytes_in(&name("1"), "q", b"", waits).await.unwrap();
    assert_eq!(partitions.task(&near).await.unwrap().result::<u64>(SOON).await.unwrap(), 17);
    for (worker, run) in workers.iter().zip(runs) {
        worker.stop(Stop::Drain);
        run.await.unwrap().unwrap();
    }
    tokio::task::spawn_blocking(|| drop(delivering)).await.unwrap();
}
