//! A slot with a key that has not moved yet, seen from the node that the slot moves to. A key that has not arrived
//! yet is never taken for absent.

use std::collections::{BTreeMap, BTreeSet};

use redis::{Connection, Value};

use crate::support::script;
use crate::{Node, cluster, three_nodes};

type Call = &'static [&'static str];

/// The state: tasks that run, are reserved, wait for every kind of reason, or are finished.
const STATE: [Call; 19] = [
    &["register", "1000", "q", "h_1", "has", "gpu"],
    &["register", "1000", "q", "h_2"],
    &["configure", "1000", "q", "concurrency", "50"],
    &["submit", "1000", "q", "3", "runs", "", "p", "held", "", "p", "done", "", "p"],
    &["reserve", "1001", "h_1", "1", "q"],
    &["start", "1002", "runs", "1001000001", "7"],
    &["reserve", "1003", "h_1", "1", "q"],
    &["reserve", "1004", "h_1", "1", "q"],
    &["complete", "1005", "done", "1004000001", "R"],
    &["submit", "1006", "q", "1", "waits", "", "p"],
    &["submit", "1007", "q", "1", "later", "1500", "p"],
    &["submit", "1008", "q", "1", "first", "", "p", "priority", "5", "request", "r"],
    &["submit", "1009", "q", "1", "keyed", "", "p", "key", "k", "needs", "gpu", "unique", "n", "tags", "red"],
    &["schedule", "1010", "s", "q", "every 100 0", "p", "0"],
    &["schedule", "1010", "t", "q", "every 100 0", "p", "0"],
    &["pause_schedule", "1011", "s", "me", "why"],
    &["aggregate", "1012", "q", "4"],
    &["submit", "1013", "q", "1", "waiter", "", "p", "inputs", "success=waits"],
    &["limit", "1013", "*", "shared", "2", "-"],
];

#[rustfmt::skip] // one call a line, as far as it fits
/// Calls that are each made in that state. Calls that only read many tasks, such as `counts`, may return less for a
/// moment.
const CALLS: [Call; 40] = [
    &["start", "1020", "held", "1003000001", "8"],
    &["progress", "1020", "runs", "1001000001", "half"],
    &["checkpoint", "1020", "runs", "1001000001", "half"],
    &["complete", "1020", "runs", "1001000001", "R"],
    &["fail", "1020", "runs", "1001000001", "E"],
    &["release", "1020", "runs", "1001000001"],
    &["complete", "1020", "done", "1004000001", "R"],
    &["heartbeat", "1020", "q", "h_1", "60", "2", "runs", "1001000001", "held", "1003000001"],
    &["reserve", "1020", "h_1", "1", "q"],
    &["reserve", "1020", "h_1", "1", "q", "limit", "2", "pid", "7"],
    &["finish_and_reserve", "1020", "h_1", "q", "2", "1", "fail", "runs", "1001000001", "E", "g", "", "7", "pid", "7", "request", "r"],
    &[
        "finish_and_reserve", "1020", "h_1", "q", "2", "2", "complete", "runs", "1001000001", "R", "", "", "", "complete", "held",
        "1003000001", "R", "", "", "", "pid", "7", "request", "r",
    ],
    &["get", "1020", "runs"],
    &["history", "1020", "runs", "0", "10"],
    &["cancel", "1020", "runs", "why"],
    &["cancel", "1020", "waits", "why"],
    &["cancel", "1020", "keyed", "why"],
    &["prioritise", "1020", "first", "7"],
    &["delete", "1020", "done"],
    &["delete", "1020", "done", "request", "s"],
    &["cancel", "1020", "waits", "why", "request", "s"],
    &["promote", "1600", "q", "10"],
    &["requeue_orphans", "2000", "q", "10"],
    &["prune", "1020", "q", "10", "keep", "0"],
    &["unregister", "1020", "q", "h_1"],
    &["unregister", "1020", "q", "h_2"],
    &["submit", "1020", "q", "1", "waits", "", "p"],
    &["submit", "1020", "q", "1", "new", "", "p", "request", "s"],
    &["submit", "1020", "q", "1", "first", "", "p", "priority", "5", "request", "r"],
    &["show_schedule", "1020", "s"],
    &["pause_schedule", "1020", "t", "me", "why"],
    &["resume_schedule", "1020", "s"],
    &["aggregate", "1020", "q", "500"],
    &["tag", "1020", "waits", "2", "red", "blue"],
    &["untag", "1020", "keyed", "1", "red"],
    &["move", "1020", "keyed", "w"],
    &["drain", "1020", "q", "h_1", "1"],
    &["undepend", "1020", "waiter", "waits"],
    &["bulk", "1020", "q", "cancel", "0", "10"],
    &["submit", "1020", "q", "1", "new", "", "p", "limits", "shared"],
];

/// The node that takes all slots. If several nodes took slots, two of them can have the same epoch for a while, and
/// the cluster gives slots back to settle that.
const TAKER: usize = 2;

/// Number of times that a slot may be taken back.
const TRIES: u32 = 5;

fn make(connection: &mut Connection, namespace: &str, call: Call, asking: bool) -> Result<Value, String> {
    if asking {
        redis::cmd("ASKING").exec(connection).unwrap();
    }
    let mut eval = redis::cmd("EVAL");
    eval.arg(script(call[0])).arg(1).arg(format!("{namespace}_meta")).arg(&call[1..]);
    eval.query(connection).map_err(|error| error.code().unwrap_or("?").to_owned())
}

/// The next namespace whose slot is not on the taker, in that state; its slot, and the node that has the slot.
struct Scene<'a> {
    nodes: &'a [Node],
    namespace: String,
    slot: String,
    owner: usize,
}

/// The namespaces of earlier scenes, and their slots, which the taker has now.
#[derive(Default)]
struct Used {
    number: u32,
    slots: BTreeSet<u16>,
}

impl<'a> Scene<'a> {
    fn new(nodes: &'a [Node], used: &mut Used) -> Self {
        let (namespace, slot, owner) = loop {
            used.number += 1;
            let namespace = format!("{{half:{}}}", used.number);
            let slot = cluster(&mut nodes[0].connect(), &["KEYSLOT", &namespace]).unwrap();
            let at = slot.parse::<u16>().unwrap();
            let owner = usize::from(at > 5460) + usize::from(at > 10922);
            if owner != TAKER && used.slots.insert(at) {
                break (namespace, slot, owner);
            }
        };
        let scene = Self { nodes, namespace, slot, owner };
        let mut connection = nodes[owner].connect();
        for call in STATE {
            make(&mut connection, &scene.namespace, call, false).unwrap_or_else(|code| panic!("{call:?}: {code}"));
        }
        scene
    }

    fn migrate(&self, key: &str) {
        let port = &self.nodes[TAKER].port;
        let mut source = self.nodes[self.owner].connect();
        let moved: String =
            redis::cmd("MIGRATE").arg(&["127.0.0.1", port, key, "0", "5000"]).query(&mut source).unwrap();
        assert_eq!(moved, "OK", "{key}");
    }

    /// Moves all keys but one.
    fn move_all_but(&self, left: &str) {
        let (mut source, mut target) = (self.nodes[self.owner].connect(), self.nodes[TAKER].connect());
        cluster(&mut target, &["SETSLOT", &self.slot, "IMPORTING", &self.nodes[self.owner].id()]).unwrap();
        cluster(&mut source, &["SETSLOT", &self.slot, "MIGRATING", &self.nodes[TAKER].id()]).unwrap();
        for key in self.keys(&mut source).into_iter().filter(|key| key != left) {
            self.migrate(&key);
        }
    }

    fn finish(&self, left: &str) {
        self.migrate(left);
        for node in [TAKER, self.owner] {
            let id = self.nodes[TAKER].id();
            cluster(&mut self.nodes[node].connect(), &["SETSLOT", &self.slot, "NODE", &id]).unwrap();
        }
    }

    /// Returns true if the slot is still where it was moved to. Nodes that took slots at the same time may have the
    /// same epoch. Until they have settled that, the node with the higher epoch may take a slot back, and all its
    /// keys are gone.
    fn has_moved(&self) -> bool {
        let meta = format!("{}_meta", self.namespace);
        redis::cmd("EXISTS").arg(meta).query::<u32>(&mut self.nodes[TAKER].connect()) == Ok(1)
    }

    fn keys(&self, connection: &mut Connection) -> Vec<String> {
        redis::cmd("CLUSTER").arg("GETKEYSINSLOT").arg(&self.slot).arg(500).query(connection).unwrap()
    }

    /// Every key with its contents, except keys about the node, and times of the server.
    fn content(&self, node: usize) -> BTreeMap<String, Vec<u8>> {
        let mut connection = self.nodes[node].connect();
        let keys = self.keys(&mut connection).into_iter();
        let changing = ["_meta", "_audit", "_events_", "_history_", "_log_", "_logged_", "_logs", "_aggregate_"];
        let keys = keys.filter(|key| !changing.iter().any(|name| key.contains(name)));
        keys.map(|key| {
            let name = key[self.namespace.len()..].to_owned();
            let held: Vec<u8> = if name.contains("started_tasks") || name.contains("_listeners_") {
                let mut members: Vec<String> = redis::cmd("SMEMBERS").arg(&key).query(&mut connection).unwrap();
                members.sort();
                members.concat().into_bytes()
            } else {
                redis::cmd("DUMP").arg(&key).query(&mut connection).unwrap()
            };
            (name, held)
        })
        .collect()
    }
}

#[test]
fn what_has_not_moved_yet_is_not_taken_for_absent() {
    let nodes = three_nodes();
    let mut used = Used::default();
    let first = Scene::new(&nodes, &mut used);
    let names: Vec<String> = first.keys(&mut nodes[first.owner].connect());
    let names: Vec<&str> =
        names.iter().map(|key| &key[first.namespace.len()..]).filter(|key| *key != "_meta").collect();
    assert!(names.len() > 20, "{names:?}");
    let mut retried = 0;
    for call in CALLS {
        let twin = Scene::new(&nodes, &mut used);
        let expected = make(&mut nodes[twin.owner].connect(), &twin.namespace, call, false);
        assert!(expected.is_ok() || call[0] == "unregister", "{call:?}: {expected:?}");
        let after = twin.content(twin.owner);
        for name in &names {
            let proven = (0..TRIES).any(|_| {
                let scene = Scene::new(&nodes, &mut used);
                let left = format!("{}{name}", scene.namespace);
                scene.move_all_but(&left);
                let mut target = nodes[TAKER].connect();
                let met = make(&mut target, &scene.namespace, call, true);
                scene.finish(&left);
                // Maintenance that finds nothing yet finds it in its next round.
                let maintenance = ["promote", "requeue_orphans", "prune", "aggregate"].contains(&call[0]);
                let in_part = matches!(&met, Ok(reply) if format!("{reply:?}").contains("RETRY"));
                let again = met == Err("RETRY".into()) || in_part || maintenance && met != expected;
                let answer = if again { make(&mut target, &scene.namespace, call, false) } else { met };
                let mut own = scene.content(TAKER);
                if !scene.has_moved() {
                    return false;
                }
                retried += u32::from(again);
                let when = if again { "after" } else { "before" };
                assert_eq!(answer, expected, "{call:?} {when} {name} moved");
                assert_eq!(own.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
                own.retain(|key, held| after.get(key) != Some(held));
                // A heartbeat succeeds whatever has moved, and records its listener in the part of the keys that it
                // finds.
                own.retain(|key, _| !(call[0] == "heartbeat" && key == "_seen_q"));
                // A refused end of a finish_and_reserve is repeated, so that its task comes last in the index.
                own.retain(|key, _| !(in_part && key == "_complete_tasks_q"));
                assert!(own.is_empty(), "{call:?}, {name}: {:?} differ", own.keys());
                true
            });
            assert!(proven, "{call:?}, {name}: {TRIES} slots did not stay where they were moved to");
        }
    }
    assert!(retried > 50, "only {retried} calls met what had not moved");
}
