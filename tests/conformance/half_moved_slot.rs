//! A slot that is half moved, with each key here and away in turn: every error of every call, repeated or not, has a code
//! of the contract.

use std::collections::BTreeSet;

use blueque::bundle;
use redis::{Connection, Value as Reply};
use serde_json::{Value, json};

use crate::cases::values::Tried;
use crate::cases::{self, list};
use crate::runner::literal;
use crate::support::{Server, eventually, seed};

const SLOT: &str = "9937"; // of the tag {ns}
const OTHER_NODE: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

type Call = Vec<Vec<u8>>;

/// The side of the move on which calls are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    /// A key has left the node already.
    Source,
    /// A key has not arrived yet.
    Target,
}

struct Node {
    connection: Connection,
    calls: usize,
    without_code: BTreeSet<String>,
}

impl Node {
    fn start(server: &Server) -> Self {
        let mut connection = server.connection();
        eventually("the node serves its slots", || {
            let info: String = redis::cmd("CLUSTER").arg("INFO").query(&mut connection).ok()?;
            info.contains("cluster_state:ok").then_some(())
        });
        // The second node does not run; with this timeout no command notices.
        redis::cmd("CONFIG").arg(&["SET", "cluster-node-timeout", "3600000"]).exec(&mut connection).unwrap();
        for command in bundle::commands() {
            redis::cmd("SCRIPT").arg("LOAD").arg(command.source()).exec(&mut connection).unwrap();
        }
        Self { connection, calls: 0, without_code: BTreeSet::new() }
    }

    fn set_slot(&mut self, words: &[&str]) {
        redis::cmd("CLUSTER").arg("SETSLOT").arg(SLOT).arg(words).exec(&mut self.connection).unwrap();
    }

    fn call(&mut self, call: &Call, asking: bool) -> redis::RedisResult<Reply> {
        let command = bundle::command(std::str::from_utf8(&call[0]).unwrap()).unwrap();
        if asking {
            redis::cmd("ASKING").exec(&mut self.connection).unwrap();
        }
        let mut eval = redis::cmd("EVALSHA");
        eval.arg(command.sha1()).arg(1).arg("{ns}_meta").arg(&call[1..]).query(&mut self.connection)
    }

    /// Every key with its contents.
    fn kept(&mut self) -> Vec<(String, Vec<u8>)> {
        let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut self.connection).unwrap();
        keys.into_iter()
            .map(|key| {
                let held = redis::cmd("DUMP").arg(&key).query(&mut self.connection).unwrap();
                (key, held)
            })
            .collect()
    }

    /// Writes keys while the slot is whole, which a node that gives it away refuses, and deletes one of them.
    fn write(&mut self, side: Side, kept: &[(String, Vec<u8>)], without: &str) {
        let mut pipe = redis::pipe();
        let set_slot = |pipe: &mut redis::Pipeline, words: &[&str]| {
            pipe.cmd("CLUSTER").arg("SETSLOT").arg(SLOT).arg(words).ignore();
        };
        if side == Side::Source {
            set_slot(&mut pipe, &["STABLE"]);
        }
        for (key, held) in kept {
            pipe.cmd("ASKING").ignore().cmd("RESTORE").arg(key).arg(0).arg(held).arg("REPLACE").ignore();
        }
        pipe.cmd("ASKING").ignore().cmd("DEL").arg(without).ignore();
        if side == Side::Source {
            set_slot(&mut pipe, &["MIGRATING", OTHER_NODE]);
        }
        pipe.exec(&mut self.connection).unwrap();
    }

    /// Takes one of the sides; there must be no keys.
    fn stand(&mut self, side: Side) {
        redis::cmd("FLUSHALL").exec(&mut self.connection).unwrap();
        match side {
            Side::Source => {}
            Side::Target => {
                self.set_slot(&["NODE", OTHER_NODE]);
                self.set_slot(&["IMPORTING", OTHER_NODE]);
            }
        }
    }

    fn rest(&mut self) {
        redis::cmd("FLUSHALL").exec(&mut self.connection).unwrap();
        self.set_slot(&["STABLE"]);
        self.set_slot(&["NODE", &"a".repeat(40)]);
    }

    /// Makes a call in a state with each of its keys away in turn.
    fn try_each(&mut self, side: Side, kept: &[(String, Vec<u8>)], call: &Call) {
        let mut missing: Option<usize> = None; // all keys must be written again
        for (at, (key, _)) in kept.iter().enumerate() {
            if key == "{ns}_meta" {
                continue; // a call names this key: the server redirects the call before a script runs
            }
            if let Some(last) = missing {
                self.write(side, &kept[last..=last], key);
            } else {
                redis::cmd("FLUSHALL").exec(&mut self.connection).unwrap();
                self.write(side, kept, key);
            }
            let met = self.call(call, side == Side::Target);
            self.calls += 1;
            missing = met.is_err().then_some(at);
            if let Err(error) = met
                && !error.code().is_some_and(|code| crate::CODES.contains(&code))
            {
                let words: Vec<_> = call.iter().map(|word| String::from_utf8_lossy(word)).collect();
                self.without_code.insert(format!("{words:?}, {side:?} without {key}: {error}"));
            }
        }
    }
}

/// The calls of a command that are tried, each with the calls before it.
fn calls_of(contract: &Value, name: &str, row: &Value) -> Vec<(Vec<Call>, Call)> {
    let literals = |words: &[Value]| words.iter().map(literal).collect::<Call>();
    let good = [&[json!(name)], list(&row["args"])].concat();
    let mut calls = vec![(Vec::new(), literals(&good))];
    for also in list(&row["also"]) {
        let before = list(&also["before"]).iter().filter(|step| step["do"].is_array());
        let before = before.map(|step| literals(list(&step["do"]))).collect();
        let call = if also["call"].is_array() { list(&also["call"]) } else { &good };
        calls.push((before, literals(call)));
    }
    // With a request id, a repeated call gives the first reply.
    for option in cases::choices(contract, name, row).into_iter().filter(|option| option.name == "request") {
        let base = option.call.as_deref().unwrap_or(&good);
        let value = Tried::new(&contract["types"][&option.of], &Value::Null).good;
        calls.push((Vec::new(), literals(&[base, &option.beside, &[json!(option.name), value]].concat())));
    }
    calls
}

#[test]
fn every_error_has_a_code_whatever_key_is_here_or_away() {
    let server = Server::start_cluster_node();
    let mut node = Node::start(&server);
    let (contract, table) = (cases::contract(), cases::file("arguments.json"));
    let given: Vec<Call> =
        list(&table["given"]).iter().map(|step| list(&step["do"]).iter().map(literal).collect()).collect();
    let rows = cases::rows(&contract, &table);
    // Each call as the first one, and repeated: the states are made while the slot is whole.
    let mut tried = Vec::new();
    for (name, row) in seed::part(&rows) {
        for (before, call) in calls_of(&contract, name, row) {
            redis::cmd("FLUSHALL").exec(&mut node.connection).unwrap();
            for step in given.iter().chain(&before) {
                node.call(step, false).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
            tried.push((node.kept(), call.clone()));
            if node.call(&call, false).is_ok() {
                tried.push((node.kept(), call));
            }
        }
    }
    for side in [Side::Source, Side::Target] {
        node.stand(side);
        for (kept, call) in &tried {
            node.try_each(side, kept, call);
        }
        node.rest();
    }
    assert!(node.calls > 10 * tried.len(), "only {} calls of {}", node.calls, tried.len());
    let odd: Vec<_> = node.without_code.iter().map(String::as_str).collect();
    assert!(odd.is_empty(), "of {} calls {} answered without a code:\n{}", node.calls, odd.len(), odd.join("\n"));
}

#[test]
fn an_attempt_that_is_to_be_killed_stores_no_checkpoint_while_its_order_is_away() {
    let server = Server::start_cluster_node();
    let mut node = Node::start(&server);
    let call = |words: &[&str]| words.iter().map(|word| word.as_bytes().to_vec()).collect::<Call>();
    for step in [
        &["register", "1000", "q", "h_1"][..],
        &["submit", "1000", "q", "1", "t", "", "p"],
        &["reserve", "1001", "h_1", "1", "q"],
        &["cancel", "1002", "t", "", "force", "1"],
    ] {
        node.call(&call(step), false).unwrap();
    }
    let (kept, checkpoint) = (node.kept(), call(&["checkpoint", "1003", "t", "1001000001", "c"]));
    let met = node.call(&checkpoint, false);
    assert_eq!(met.unwrap_err().code(), Some("LOST"));
    node.stand(Side::Target);
    node.write(Side::Target, &kept, "{ns}_orders_q");
    let met = node.call(&checkpoint, true);
    assert_eq!(met.unwrap_err().code(), Some("RETRY"));
}
