//! Graphs over partitions in which one task and everything downstream is rerun: when all is complete, while a task
//! runs, with an old end still on its way, while a partition is away, and by a caller that is killed before its first
//! call, before its second call, and so on.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "support/delivering.rs"]
mod delivering;
#[path = "support/kill_point.rs"]
mod kill_point;
#[path = "support/partitions.rs"]
mod partitions;
mod support;

use std::env;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use blueque::calls::{EditOptions, RetryGraphOptions};
use blueque::{
    Client, Code, GlobalId, Graph, GraphHandle, GraphId, Outcome, Partitions, Processor, Status, Task, TaskId,
};
use delivering::delivering;
use kill_point::Gate;
use partitions::name;
use support::{Folder, Server, eventually, report};

const SOON: Duration = Duration::from_secs(30);

/// The partitions of the caller that runs as a process of its own.
const RUN: &str = "BLUEQUE_TEST_RETRIES";

/// Deaths that are tried at the same time.
const AT_ONCE: usize = 4;

const ID: &str = "premiere";

/// A graph whose tasks are each in a queue of their name. Below `b`, edges lead from partition to partition and back:
/// `a` in 1, `b` in 2, `c` in 1, `d` in 3, `e` in 1 and also `g` in 3; `f` in 2 needs `a` alone.
fn graph() -> Graph {
    let graph = Graph::new().id(GraphId::new(ID).unwrap());
    let a = graph.task("a", "m", &0).label("a").partition(&name("1"));
    let b = graph.join("b", "m").label("b").partition(&name("2")).result_of(&a);
    let c = graph.join("c", "m").label("c").partition(&name("1")).result_of(&b);
    let d = graph.join("d", "m").label("d").partition(&name("3")).result_of(&c);
    graph.join("e", "m").label("e").partition(&name("1")).result_of(&d).result_of(&a);
    graph.join("f", "m").label("f").partition(&name("2")).result_of(&a);
    graph.task("g", "m", &0).label("g").partition(&name("3")).needs(&b);
    graph
}

struct Scene {
    folder: Folder,
    partitions: Partitions,
    addresses: String,
    graph: GraphHandle,
    tasks: Vec<(String, GlobalId)>,
}

impl Scene {
    fn new(servers: &[Server], number: usize) -> Self {
        let each = servers.iter().enumerate().map(|(at, server)| format!("{}={}#n{number}", at + 1, server.url()));
        let addresses = each.collect::<Vec<_>>().join(",");
        let partitions = Client::builder().limit(SOON).open_partitions(&addresses).unwrap();
        partitions.store().unwrap();
        let made = partitions.submit_graph(&graph(), None).unwrap();
        let tasks = made.tasks.into_iter().map(|(label, id)| (label, id.as_str().parse().unwrap())).collect();
        Self { folder: Folder::new(), partitions, addresses, graph: made.graph, tasks }
    }

    fn id(&self, label: &str) -> &GlobalId {
        &self.tasks.iter().find(|(name, _)| name == label).unwrap().1
    }

    fn client(&self, label: &str) -> Client {
        self.partitions.partition(self.id(label).partition()).unwrap()
    }

    fn task(&self, label: &str) -> Task {
        self.partitions.task(self.id(label)).unwrap()
    }

    fn status(&self, label: &str) -> Option<Status> {
        self.task(label).info().unwrap().status()
    }

    /// The placeholder of a task in another partition.
    fn placeholder(&self, at: &str, label: &str) -> Task {
        self.partitions.partition(&name(at)).unwrap().task(&self.id(label).to_string()).unwrap()
    }

    /// Takes a task, which must have these parameters.
    fn take(&self, label: &str, parameters: &str) -> Processor {
        let mut listener = self.client(label).listener(&[label]).unwrap();
        let attempt = listener.listen(SOON).unwrap().unwrap_or_else(|| panic!("{label} is not there"));
        assert_eq!(String::from_utf8_lossy(&attempt.reservation().parameters), parameters, "{label}");
        attempt
    }

    fn run(&self, label: &str, parameters: &str, result: &str) {
        self.take(label, parameters).complete_bytes(result.as_bytes()).unwrap();
    }

    fn run_all(&self) {
        self.run("a", "0", "1");
        self.run("b", "[1]", "2");
        self.run("f", "[1]", "3");
        self.run("c", "[2]", "4");
        self.run("d", "[4]", "5");
        self.run("e", "[5,1]", "6");
        self.run("g", "0", "7");
        assert_eq!(self.graph.wait(SOON).unwrap().info.complete, 7);
    }

    /// Runs everything upstream of `c`, and takes `c`.
    fn run_to_c(&self) -> Processor {
        self.run("a", "0", "1");
        self.run("b", "[1]", "2");
        self.run("f", "[1]", "3");
        self.run("g", "0", "7");
        self.take("c", "[2]")
    }

    fn retry_from(&self, label: &str) -> blueque::Result<()> {
        self.graph.retry_from(&TaskId::new(self.id(label).to_string())?).map(drop)
    }

    /// Runs everything below `b` with other results: no task gets an old result.
    fn run_anew(&self) {
        self.run("b", "[1]", "12");
        self.run("c", "[12]", "14");
        self.run("d", "[14]", "15");
        self.run("e", "[15,1]", "16");
        self.run("g", "0", "17");
        self.is_anew();
    }

    fn is_anew(&self) {
        let found = self.graph.wait(SOON).unwrap();
        assert_eq!((found.info.complete, found.info.total), (7, 7), "{found:?}");
        for (label, result) in [("a", "1"), ("b", "12"), ("c", "14"), ("d", "15"), ("e", "16"), ("f", "3"), ("g", "17")]
        {
            let info = self.task(label).info().unwrap();
            assert_eq!(info.result_bytes(), Some(result.as_bytes()), "{label}");
        }
        for label in ["a", "f"] {
            assert_eq!(self.task(label).info().unwrap().attempt(), 1, "{label} keeps its result");
        }
    }
}

fn servers() -> [Server; 3] {
    [Server::start(), Server::start(), Server::start()]
}

#[test]
fn a_task_and_all_below_it_run_anew_over_partitions_and_back() {
    let servers = servers();
    let scene = Scene::new(&servers, 0);
    delivering(&scene.partitions, || {
        scene.run_all();
        scene.retry_from("b").unwrap();
        let found = scene.graph.look().unwrap();
        let open =
            |label: &str| found.tasks.iter().any(|task| task.label == label && !task.status.unwrap().is_finished());
        assert!(["b", "c", "d", "e", "g"].into_iter().all(open), "{found:?}");
        assert!(!open("a") && !open("f"), "{found:?}");
        scene.run_anew();

        // Reruns `b` again, and then `c` at once: the second rerun goes on with what the first one has begun.
        scene.retry_from("b").unwrap();
        scene.retry_from("c").unwrap();
        scene.retry_from("b").unwrap();
        scene.run_anew();

        // Reruns `e`, the last task, alone.
        scene.retry_from("e").unwrap();
        assert_eq!(scene.status("d"), Some(Status::Complete));
        scene.run("e", "[15,1]", "16");
        scene.is_anew();
    });
    let error = scene.graph.retry_from(&TaskId::new("2:nosuch").unwrap()).unwrap_err();
    assert_eq!(error.code(), Some(Code::NoTask));
}

#[test]
fn what_runs_is_stopped_before_it_runs_anew_and_no_partition_takes_its_old_end() {
    let servers = servers();
    let scene = Scene::new(&servers, 0);
    delivering(&scene.partitions, || {
        let runs = scene.run_to_c();
        scene.retry_from("b").unwrap();
        scene.run("b", "[1]", "12");
        scene.run("g", "0", "17");
        // The owner of `c` was not notified yet. Another rerun in that partition leaves `c` so.
        scene.retry_from("e").unwrap();
        assert_eq!(scene.status("c"), Some(Status::Reserved));
        assert_eq!(runs.complete_bytes(b"4").unwrap(), Outcome::Cancelled, "its result is discarded");
        scene.run("c", "[12]", "14");
        scene.run("d", "[14]", "15");
        scene.run("e", "[15,1]", "16");
        scene.is_anew();
    });
}

#[test]
fn two_that_run_anew_one_after_the_other_wait_for_the_same_task_to_stop() {
    let servers = servers();
    let scene = Scene::new(&servers, 0);
    delivering(&scene.partitions, || {
        let runs = scene.run_to_c();
        scene.retry_from("b").unwrap();
        // Reruns `a` in the same partition, which still waits for `c` to stop.
        scene.retry_from("a").unwrap();
        assert_eq!(runs.complete_bytes(b"4").unwrap(), Outcome::Cancelled);
        scene.run("a", "0", "1");
        scene.run("b", "[1]", "12");
        scene.run("f", "[1]", "3");
        scene.run("c", "[12]", "14");
        scene.run("d", "[14]", "15");
        scene.run("e", "[15,1]", "16");
        scene.run("g", "0", "17");
        assert_eq!(scene.graph.wait(SOON).unwrap().info.complete, 7);
    });
}

#[test]
fn an_end_on_its_way_from_before_does_not_count() {
    let servers = servers();
    let scene = Scene::new(&servers, 0);
    delivering(&scene.partitions, || {
        scene.run("a", "0", "1");
        eventually("b and f are there", || {
            (scene.status("b") == Some(Status::Pending) && scene.status("f") == Some(Status::Pending)).then_some(())
        });
    });
    // No process delivers the first end of `b`.
    scene.run("b", "[1]", "2");
    scene.run("f", "[1]", "3");
    scene.retry_from("b").unwrap();
    // A process delivers it that had taken it before, and was frozen since.
    let stale = EditOptions::new().parameters(&br#"{"complete":2}"#[..]).unset("eta");
    scene.placeholder("1", "b").edit(&stale).unwrap();
    let stale = EditOptions::new().parameters(&br#"{"complete":null}"#[..]).unset("eta");
    scene.placeholder("3", "b").edit(&stale).unwrap();
    delivering(&scene.partitions, || {
        eventually("the placeholders have asked", || {
            let asked = |at: &str| scene.placeholder(at, "b").info().unwrap();
            let waits = |at: &str| asked(at).attempt() > 0 && asked(at).status() == Some(Status::Scheduled);
            (waits("1") && waits("3")).then_some(())
        });
        assert_eq!((scene.status("c"), scene.status("g")), (Some(Status::Waiting), Some(Status::Waiting)));
        scene.run_anew();
    });
}

#[test]
fn a_partition_that_is_away_is_found_out_before_anything_runs_anew() {
    let mut servers = [1, 2, 3].map(|_| Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]));
    let mut scene = Scene::new(&servers, 0);
    delivering(&scene.partitions, || scene.run_all());
    servers[2].kill();
    scene.partitions = Client::builder().limit(Duration::from_millis(500)).open_partitions(&scene.addresses).unwrap();
    scene.graph = scene.partitions.graph(&name("1"), &GraphId::new(ID).unwrap());
    let error = scene.retry_from("b").unwrap_err();
    assert!(error.is_transient(), "{error}");
    for label in ["b", "c", "e"] {
        assert_eq!(scene.status(label), Some(Status::Complete), "{label}");
    }
    servers[2].restart();
    scene.partitions = Client::builder().limit(SOON).open_partitions(&scene.addresses).unwrap();
    scene.graph = scene.partitions.graph(&name("1"), &GraphId::new(ID).unwrap());
    delivering(&scene.partitions, || {
        scene.retry_from("b").unwrap();
        scene.run_anew();
    });
}

#[test]
fn a_new_deadline_holds_in_all_partitions() {
    let servers = servers();
    let scene = Scene::new(&servers, 0);
    delivering(&scene.partitions, || {
        scene.run_all();
        let deadline = SystemTime::now() + Duration::from_secs(3_600);
        let again = RetryGraphOptions::new().deadline(deadline).task(scene.id("b").to_string());
        scene.graph.retry_with(&again).unwrap();
        for label in ["b", "c", "d", "e", "g"] {
            assert!(scene.task(label).info().unwrap().deadline().is_some(), "{label}");
        }
        scene.run_anew();
    });
}

/// Returns false if the caller ends before it makes this call.
fn dies(servers: &[Server], death: usize) -> bool {
    let scene = Scene::new(servers, death);
    let gate = Gate::new(Some(death));
    delivering(&scene.partitions, || {
        scene.run_all();
        let test = "whoever_runs_a_task_anew_may_die_between_any_two_calls_and_is_repeated";
        gate.run(test, (RUN, &scene.addresses), servers, &scene.folder);
        eventually(&format!("the caller dies before its call {death}"), || {
            (gate.has_killed() || gate.has_ended()).then_some(())
        });
        if gate.has_killed() {
            scene.retry_from("b").unwrap();
        }
        scene.run_anew();
    });
    gate.has_killed()
}

#[test]
fn whoever_runs_a_task_anew_may_die_between_any_two_calls_and_is_repeated() {
    if let Ok(addresses) = env::var(RUN) {
        let partitions = Partitions::open(&addresses).unwrap();
        let graph = partitions.graph(&name("1"), &GraphId::new(ID).unwrap());
        let from = graph.member("b").unwrap();
        graph.retry_from(&from).unwrap();
        return;
    }
    let servers = servers();
    let (next, survived) = (AtomicUsize::new(1), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while !survived.load(Ordering::Relaxed) {
                    if !dies(&servers, next.fetch_add(1, Ordering::Relaxed)) {
                        survived.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let deaths = next.into_inner() - 1;
    report(&format!("a caller was killed before each of about {deaths} calls"));
    assert!(deaths > 10, "{deaths}");
}

#[test]
fn what_waits_for_a_task_that_is_gone_refuses_to_wait_for_it_again() {
    let servers = servers();
    let scene = Scene::new(&servers, 0);
    delivering(&scene.partitions, || scene.run_all());
    scene.placeholder("1", "b").delete().unwrap();
    let error = scene.retry_from("b").unwrap_err();
    assert!(error.to_string().contains("what stood for that one in the partition 1 was deleted"), "{error}");
    assert_eq!(scene.status("b"), Some(Status::Complete));
}
