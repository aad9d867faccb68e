//! Deliveries between partitions whose deliverer is killed between any two steps: before its first call, before its second
//! one, and so on.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "support/delivering.rs"]
mod delivering;
#[path = "support/kill_point.rs"]
mod kill_point;
#[path = "support/partitions.rs"]
mod partitions;
mod support;

use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use blueque::{Client, Deliverer, Durability, Error, GlobalId, Partitions, Status, Submit, TaskId};
use delivering::delivering;
use kill_point::Gate;
use partitions::name;
use support::{Folder, Server, eventually, report};

const SOON: Duration = Duration::from_secs(30);

/// The partitions of the deliverer that runs as a process of its own.
const RUN: &str = "BLUEQUE_TEST_DELIVERS";

/// Deaths that are tried at the same time.
const AT_ONCE: usize = 16;

/// Two partitions of their own on the two servers. A task of the second partition gets the end of a task of the
/// first.
struct Scene {
    folder: Folder,
    partitions: Partitions,
    addresses: String,
    upstream: GlobalId,
    there: TaskId,
    down: GlobalId,
    fails: bool,
}

impl Scene {
    fn new(servers: &[Server; 2], number: usize, fails: bool) -> Self {
        let [one, two] = servers.each_ref().map(Server::url);
        let addresses = format!("1={one}#n{number},2={two}#n{number}");
        let partitions = Client::builder().limit(SOON).open_partitions(&addresses).unwrap();
        partitions.store().unwrap();
        // The lease is short, so that the task of a dead deliverer is free soon.
        for at in ["1", "2"] {
            let client = partitions.partition(&name(at)).unwrap();
            client.queue(Deliverer::QUEUE).unwrap().configure("lease", Some("1")).unwrap();
        }
        let submit = |at: &str, id: &str, how: Submit| {
            let how = how.id(TaskId::new(id).unwrap());
            partitions.submit_bytes_in(&name(at), "q", b"", how).unwrap()
        };
        let upstream = submit("1", "up", Submit::default());
        let there = partitions.link(&upstream, &name("2")).unwrap();
        let down = submit("2", "down", Submit::default().result_of(0, &there));
        let client = partitions.partition(&name("1")).unwrap();
        let mut listener = client.listener(&["q"]).unwrap();
        let attempt = listener.listen(SOON).unwrap().unwrap();
        if fails {
            attempt.fail("the disk is full").unwrap();
        } else {
            attempt.complete_bytes(b"17").unwrap();
        }
        listener.unregister().unwrap();
        Self { folder: Folder::new(), partitions, addresses, upstream, there, down, fails }
    }

    /// A deliverer in a process of its own, whose calls go through the gate.
    fn deliver(&self, gate: &Arc<Gate>, servers: &[Server; 2]) {
        let test = "a_delivery_survives_the_death_of_its_deliverer_between_any_two_steps";
        gate.run(test, (RUN, &self.addresses), servers, &self.folder);
    }

    /// The task whose end shows that nothing is left to deliver.
    fn carrier(&self) -> TaskId {
        TaskId::new(if self.fails { "@2@up" } else { "@2:up" }).unwrap()
    }

    fn is_delivered(&self) -> bool {
        let ended = |at: &str, id: &TaskId| {
            let info = self.partitions.partition(&name(at)).unwrap().task(id.as_str()).unwrap().info();
            info.is_ok_and(|info| info.status().is_some_and(Status::is_finished))
        };
        ended("1", &self.carrier()) && ended("2", &self.there)
    }

    /// Checks that the end was delivered once, unchanged.
    fn check(&self, death: Option<usize>) {
        let down = self.partitions.task(&self.down).unwrap();
        let (status, parameters) =
            if self.fails { (Status::Failed, None) } else { (Status::Pending, Some(&b"[17]"[..])) };
        let info = eventually(&format!("the end has arrived after {death:?}"), || {
            let info = down.info().unwrap();
            (info.status() == Some(status)).then_some(info)
        });
        if let Some(parameters) = parameters {
            assert_eq!(info.parameters_bytes(), Some(parameters), "{death:?}");
        }
        let placeholder = self.partitions.partition(&name("2")).unwrap().task(self.there.as_str()).unwrap();
        let info = placeholder.info().unwrap();
        if self.fails {
            assert_eq!(info.error().as_deref(), Some("the disk is full"), "{death:?}");
            let error = down.info().unwrap().error().unwrap();
            assert!(error.contains("1:up failed: the disk is full"), "{death:?}: {error}");
        } else {
            assert_eq!(info.result_bytes(), Some(&b"17"[..]), "{death:?}");
        }
        let up = self.partitions.task(&self.upstream).unwrap().info().unwrap();
        assert_eq!(up.attempt(), 1, "{death:?}");
    }
}

/// Another deliverer finishes what the dead one has left.
fn dies(servers: &[Server; 2], number: usize, fails: bool, death: usize) {
    let scene = Scene::new(servers, number, fails);
    let gate = Gate::new(Some(death));
    scene.deliver(&gate, servers);
    eventually(&format!("the deliverer dies before its call {death}"), || gate.has_killed().then_some(()));
    delivering(&scene.partitions, || {
        eventually(&format!("all is delivered after the call {death}"), || scene.is_delivered().then_some(()));
        scene.check(Some(death));
    });
}

#[test]
fn a_delivery_survives_the_death_of_its_deliverer_between_any_two_steps() {
    if let Ok(addresses) = env::var(RUN) {
        Deliverer::new(&Partitions::open(&addresses).unwrap()).run();
        return;
    }
    let servers = [Server::start(), Server::start()];
    let mut number = 0;
    for fails in [false, true] {
        // The first run is undisturbed, to count the calls.
        let scene = Scene::new(&servers, number, fails);
        let gate = Gate::new(None);
        scene.deliver(&gate, &servers);
        eventually("all is delivered", || scene.is_delivered().then_some(()));
        let calls = gate.calls();
        gate.kill();
        scene.check(None);
        assert!(calls >= 6, "it takes, delivers and ends in both partitions: {calls} calls");
        report(&format!("a deliverer is killed before each of {calls} calls; the upstream fails: {fails}"));
        let (first, next) = (number, AtomicUsize::new(1));
        thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    loop {
                        let death = next.fetch_add(1, Ordering::Relaxed);
                        if death > calls {
                            break;
                        }
                        dies(&servers, first + death, fails, death);
                    }
                });
            }
        });
        number = first + calls + 1;
    }
}

#[test]
fn a_change_of_a_partition_is_as_durable_as_wished_and_a_delivery_does_not_wait_for_that() {
    let servers = [Server::start(), Server::start()];
    let scene = Scene::new(&servers, 0, false);
    let careful = Client::builder().limit(Duration::from_secs(2)).durability(Durability::Replica(1));
    let careful = careful.open_partitions(&scene.addresses).unwrap();
    let refused = careful.submit_in(&name("2"), "q", "x", Submit::default()).unwrap_err();
    assert!(matches!(refused, Error::NotDurable { .. }), "{refused:?}");
    assert!(refused.to_string().contains("accepted, not yet on a replica"), "{refused}");
    delivering(&careful, || {
        eventually("it is delivered", || scene.is_delivered().then_some(()));
        scene.check(None);
    });
}
