//! Graphs over partitions whose submitter is killed between any two steps: before its first call, before its second
//! one, and so on.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "support/delivering.rs"]
mod delivering;
#[path = "support/kill_point.rs"]
mod kill_point;
#[path = "support/partitions.rs"]
mod partitions;
mod support;

use std::collections::BTreeMap;
use std::env;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use blueque::{Client, Filter, Graph, GraphId, GraphInfo, GraphState, Partitions, Status, SubmittedGraph};
use delivering::delivering;
use kill_point::Gate;
use partitions::name;
use redis::Commands as _;
use support::{Folder, Server, eventually, report};

const SOON: Duration = Duration::from_secs(30);

/// The partitions of the submitter that runs as a process of its own.
const RUN: &str = "BLUEQUE_TEST_SUBMITS";

/// Deaths that are tried at the same time.
const AT_ONCE: usize = 8;

/// More than there are calls.
const DEATHS: usize = 1_000;

/// The id of the graph. Only keys of the graph have it in their names.
const ID: &str = "premiere";

const NAMES: [&str; 3] = ["1", "2", "3"];

/// The first partition decides; it gets results of both others, and the third one gets its own.
fn graph() -> Graph {
    let graph = Graph::new().id(GraphId::new(ID).unwrap());
    let first = graph.task("q", "m", &1).label("first").partition(&name("1"));
    let second = graph.task("q", "m", &2).label("second").partition(&name("2"));
    graph.task("q", "m", &3).label("more").partition(&name("2")).needs(&second);
    let third = graph.join("q", "m").label("third").partition(&name("3")).result_of(&first);
    graph.join("q", "m").label("all").partition(&name("1")).result_of(&first).result_of(&second).result_of(&third);
    graph
}

fn is_there(graph: blueque::Result<GraphInfo>) -> bool {
    match graph {
        Ok(info) => info.state == Some(GraphState::Created),
        Err(error) => {
            assert_eq!(error.word(), "NOTASK");
            false
        }
    }
}

/// Three partitions by themselves on the three servers.
struct Scene {
    folder: Folder,
    partitions: Partitions,
    addresses: String,
    namespace: String,
}

impl Scene {
    fn new(servers: &[Server], number: usize) -> Self {
        let namespace = format!("n{number}");
        let each = NAMES.iter().zip(servers).map(|(at, server)| format!("{at}={}#{namespace}", server.url()));
        let addresses = each.collect::<Vec<_>>().join(",");
        let partitions = Client::builder().limit(SOON).open_partitions(&addresses).unwrap();
        partitions.store().unwrap();
        Self { folder: Folder::new(), partitions, addresses, namespace }
    }

    fn clients(&self) -> [Client; 3] {
        NAMES.map(|at| self.partitions.partition(&name(at)).unwrap())
    }

    fn submit_apart(&self, gate: &Arc<Gate>, servers: &[Server]) {
        let test = "a_graph_is_there_or_not_whenever_its_submitter_dies";
        gate.run(test, (RUN, &self.addresses), servers, &self.folder);
    }

    fn submit(&self) -> SubmittedGraph {
        self.partitions.submit_graph(&graph(), None).unwrap()
    }

    fn is_decided(&self) -> bool {
        is_there(self.clients()[0].graph(ID).unwrap().info())
    }

    /// The keys of the graph that are left after the ten minutes in which a staged part has to be completed.
    fn keys_after_ten_minutes(&self, servers: &[Server]) -> Vec<String> {
        let mut left = Vec::new();
        for (client, server) in self.clients().iter().zip(servers) {
            let (mut connection, of) = (server.connection(), |what: &str| format!("{}_{what}", self.namespace));
            let state: Option<String> = connection.hget(of(&format!("graph_{ID}")), "state").unwrap();
            if state.as_deref() == Some("staging") {
                let () = connection.zadd(of("graphs_due"), ID, 0).unwrap();
                client.run_deferred(1_000).unwrap();
            }
            let keys: Vec<String> = connection.keys(of(&format!("*{ID}*"))).unwrap();
            left.extend(keys);
        }
        left
    }

    /// Checks that the graph is not shown, with a deliverer that has looked at each partition.
    fn shows_nothing(&self, death: usize) {
        for client in self.clients() {
            let compare = client.task("@compare").unwrap();
            eventually("a deliverer has looked at all partitions", || {
                (compare.info().ok()?.status() == Some(Status::Complete)).then_some(())
            });
            let mut graphs = client.graphs().map(Result::unwrap);
            assert!(graphs.all(|graph| graph.state == Some(GraphState::Staging)), "{death}");
        }
        let found = self.partitions.find(&Filter::default(), 100).all().unwrap();
        // Deliverers and submitters use ids with `@` for their own tasks, such as the receipts of parts.
        let of_graph = found.into_values().flatten().find(|id| !id.task().as_str().starts_with('@'));
        assert_eq!(of_graph, None, "{death}");
        let found = self.partitions.find_graph(&GraphId::new(ID).unwrap());
        assert_eq!(found.unwrap_err().word(), "NOTASK", "{death}");
    }

    /// Each task is taken once, in the order of what they wait for.
    fn runs_to_its_end(&self, death: usize) {
        let [one, two, three] = self.clients();
        let all: [(&Client, &str, Option<&[u8]>); 5] = [
            (&one, "1", Some(b"1")),
            (&two, "2", None),
            (&two, "3", None),
            (&three, "4", Some(b"[1]")),
            (&one, "5", Some(b"[1,2,4]")),
        ];
        for (client, result, parameters) in all {
            let mut listener = client.listener(&["q"]).unwrap();
            let attempt = listener.listen(SOON).unwrap();
            let attempt = attempt.unwrap_or_else(|| panic!("no task for the result {result}, {death}"));
            if let Some(parameters) = parameters {
                assert_eq!(attempt.reservation().parameters, parameters, "{death}");
            }
            attempt.complete_bytes(result.as_bytes()).unwrap();
            listener.unregister().unwrap();
        }
        let id = GraphId::new(ID).unwrap();
        let found = self.partitions.graph(&name("1"), &id).wait(SOON).unwrap();
        assert_eq!((found.info.complete, found.info.total), (5, 5), "{death}");
        let counts = self.partitions.counts("q").all().unwrap();
        assert!(counts.values().all(|counts| counts.pending + counts.started + counts.waiting == 0), "{death}");
    }
}

/// Returns whether the graph exists whose submitter dies before this call, or `None` if the submitter ends before it
/// makes this call.
fn dies(servers: &[Server], number: usize, swept: bool, death: usize) -> Option<bool> {
    let scene = Scene::new(servers, number);
    let gate = Gate::new(Some(death));
    scene.submit_apart(&gate, servers);
    eventually(&format!("the submitter dies before its call {death}"), || {
        (gate.has_killed() || gate.has_ended()).then_some(())
    });
    let decided = scene.is_decided();
    if swept {
        let left = scene.keys_after_ten_minutes(servers);
        assert!(decided || left.is_empty(), "{death}: {left:?}");
    }
    delivering(&scene.partitions, || {
        if !decided {
            scene.shows_nothing(death);
            assert!(scene.submit().created, "{death}");
        }
        scene.runs_to_its_end(death);
    });
    assert!(!scene.submit().created, "{death}");
    gate.has_killed().then_some(decided)
}

#[test]
fn a_graph_is_there_or_not_whenever_its_submitter_dies() {
    if let Ok(addresses) = env::var(RUN) {
        Partitions::open(&addresses).unwrap().submit_graph(&graph(), None).unwrap();
        return;
    }
    let servers = [Server::start(), Server::start(), Server::start()];
    // With `swept`, staged parts are removed before another process goes on.
    for (round, swept) in [false, true].into_iter().enumerate() {
        let (next, survived, outcomes) = (AtomicUsize::new(1), AtomicBool::new(false), Mutex::new(BTreeMap::new()));
        thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    while !survived.load(Ordering::Relaxed) {
                        let death = next.fetch_add(1, Ordering::Relaxed);
                        match dies(&servers, round * DEATHS + death, swept, death) {
                            Some(decided) => _ = outcomes.lock().unwrap().insert(death, decided),
                            None => survived.store(true, Ordering::Relaxed),
                        }
                    }
                });
            }
        });
        let outcomes: Vec<bool> = outcomes.into_inner().unwrap().into_values().collect();
        let (deaths, decided) = (outcomes.len(), outcomes.iter().filter(|decided| **decided).count());
        report(&format!(
            "a submitter was killed before each of {deaths} calls, and {decided} times there is its graph; swept: {swept}"
        ));
        assert!(outcomes.is_sorted() && decided > 0 && decided < deaths, "one call decides: {outcomes:?}");
    }
}
