//! A slot that moves from one node of a cluster to another, one key at a time, as `redis-cli --cluster reshard` moves it.

use redis::{Connection, FromRedisValue, RedisResult};

use crate::support::eventually;

/// A node, with a connection to it.
pub struct Point {
    pub connection: Connection,
    port: String,
    id: String,
}

impl Point {
    pub fn new(mut connection: Connection) -> Self {
        let (_, port): (String, String) = redis::cmd("CONFIG").arg("GET").arg("port").query(&mut connection).unwrap();
        let id = redis::cmd("CLUSTER").arg("MYID").query(&mut connection).unwrap();
        Self { connection, port, id }
    }

    pub fn cluster<T: FromRedisValue>(&mut self, args: &[&str]) -> RedisResult<T> {
        redis::cmd("CLUSTER").arg(args).query(&mut self.connection)
    }

    /// The highest epoch that the node knows.
    fn epoch(&mut self) -> String {
        let info: String = self.cluster(&["INFO"]).unwrap();
        info.lines().find_map(|line| line.strip_prefix("cluster_current_epoch:")).unwrap().trim().to_owned()
    }
}

/// Waits until all nodes know the same epoch, before a slot moves. A node that takes a slot also takes a new epoch.
/// If the node does not know the latest epoch yet, two nodes have the same epoch, and the cluster may give the slot
/// back.
pub fn agree(points: &mut [Point]) {
    eventually("all nodes know of the same epoch", || {
        let epochs: Vec<_> = points.iter_mut().map(Point::epoch).collect();
        (epochs.iter().min() == epochs.iter().max()).then_some(())
    });
}

/// Begins the move: the slot is half moved from now on. A node that received an epoch late may have taken the slot
/// back: then both nodes are ordered again to accept the owner.
pub fn begin(slot: &str, from: &mut Point, to: &mut Point) {
    let (source, target) = (from.id.clone(), to.id.clone());
    eventually("two nodes agree whose the slot is", || {
        let accepted = to.cluster::<()>(&["SETSLOT", slot, "IMPORTING", &source]);
        let begun = accepted.and_then(|()| from.cluster::<()>(&["SETSLOT", slot, "MIGRATING", &target]));
        if begun.is_err() {
            for point in [&mut *from, &mut *to] {
                let _ = point.cluster::<()>(&["SETSLOT", slot, "NODE", &source]);
            }
        }
        begun.ok()
    });
}

/// Moves some keys, and returns how many.
pub fn carry(slot: &str, number: usize, from: &mut Point, to: &Point) -> usize {
    let keys: Vec<String> = from.cluster(&["GETKEYSINSLOT", slot, &number.to_string()]).unwrap();
    for key in &keys {
        // REPLACE: a node that did not answer in time may have taken the key.
        let mut migrate = redis::cmd("MIGRATE");
        migrate.arg(&["127.0.0.1", &to.port, key, "0", "5000", "REPLACE"]);
        eventually("a key moves between nodes that may be busy", || match migrate.exec(&mut from.connection) {
            // The target's own error comes as the text of another.
            Err(error) if error.code() == Some("IOERR") || error.to_string().to_uppercase().contains("CLUSTERDOWN") => {
                None
            }
            Err(error) => {
                let nodes = from.cluster::<String>(&["NODES"]);
                panic!("{key} cannot be moved: {error}\n{}", nodes.unwrap_or_default())
            }
            Ok(()) => Some(()),
        });
    }
    keys.len()
}

/// Ends the move: reports the new owner to each of these nodes, to the new owner first.
pub fn end<'a>(slot: &str, to: &'a mut Point, others: impl IntoIterator<Item = &'a mut Point>) {
    let id = to.id.clone();
    for point in std::iter::once(to).chain(others) {
        // A Valkey first waits until a replica knows the new owner as well.
        eventually("a node knows the new owner", || match point.cluster::<()>(&["SETSLOT", slot, "NODE", &id]) {
            Ok(()) => Some(()),
            Err(error) => {
                assert_eq!(error.code(), Some("NOREPLICAS"), "{error}");
                None
            }
        });
    }
}
