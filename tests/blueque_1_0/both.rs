//! A server with the crate and a Blueque 1.0 client on it, and checks of its keys.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, SystemTime};

use blueque::{Client, Error, Listener, ListenerId, Maintenance, Order, Orphans, Processor, Queue, Status, TaskInfo};
use redis::Connection;
use serde_json::{Value, json};

use crate::old::Old;
use crate::support::Server;

pub const QUEUE: &str = "q";

pub struct Both {
    pub server: Server,
    pub client: Client,
    pub queue: Queue,
    pub old: Old,
}

impl Both {
    pub fn start() -> Self {
        let server = Server::start();
        let client = Client::builder().for_tests().open(&server.url()).unwrap();
        let queue = client.queue(QUEUE).unwrap();
        let old = Old::start(&server);
        Self { server, client, queue, old }
    }

    /// A task of the old client.
    pub fn enqueue(&mut self) -> String {
        self.old.text("enqueue", json!({"queue": QUEUE, "parameters": "[1]"}))
    }

    /// The old client takes the next task.
    pub fn listen(&mut self) -> Value {
        self.old.call("listen", json!({"queue": QUEUE}))
    }

    pub fn listener(&self) -> Listener {
        self.client.listener(&[QUEUE]).unwrap()
    }

    /// The crate takes the next task, which must exist.
    pub fn reserve(&self) -> Processor {
        self.listener().try_listen().unwrap().expect("no task is pending")
    }

    /// A listener of the crate whose process is dead, as the old client sees it.
    pub fn dead_listener(&self) -> Listener {
        let mut process = Command::new("true").spawn().unwrap();
        process.wait().unwrap();
        let id = ListenerId::new(format!("{}_{}", self.old.host(), process.id())).unwrap();
        self.client.listener_as(id, &[QUEUE]).unwrap()
    }

    /// The maintenance of a worker on the host of the old client, repeated for a whole round of repairing.
    pub fn maintenance(&self, names: &[&str]) {
        let own = ListenerId::of_process(self.old.host(), std::process::id());
        let own = self.client.listener_as(own, &[QUEUE]).unwrap();
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let mut maintenance = Maintenance::new(self.client.clone(), vec![self.queue.name().clone()]).host_names(names);
        for _ in 0..3 {
            maintenance.round().unwrap();
            maintenance.adopt_dead(own.id(), |_| false).unwrap();
        }
        own.unregister().unwrap();
    }

    pub fn info(&self, id: &str) -> TaskInfo {
        self.client.task(id).unwrap().info().unwrap()
    }

    pub fn status(&self, id: &str) -> Status {
        self.info(id).status().unwrap()
    }

    pub fn all(&self) -> Vec<String> {
        self.queue.list("all", 500).unwrap()
    }

    /// The server's time plus a number of seconds.
    pub fn later(&self, seconds: f64) -> SystemTime {
        self.client.call(&self.client.calls().handshake()).unwrap().now + Duration::from_secs_f64(seconds)
    }

    /// Makes a whole round of `repair` at a time. Returns how much it repaired, and how much it suspects.
    pub fn repair(&self, now: SystemTime) -> (u64, u64) {
        let (mut repaired, mut suspected, mut cursor) = (0, 0, String::new());
        loop {
            let call = self
                .client
                .calls()
                .repair(self.queue.name(), &cursor, 100, &blueque::calls::RepairOptions::new())
                .at(now);
            let step = self.client.call(&call).unwrap();
            repaired += step.repaired;
            suspected += step.suspected;
            match step.next {
                Some(next) => cursor = next,
                None => return (repaired, suspected),
            }
        }
    }

    /// Repeats `repair` until nothing is suspected, and then checks that all keys agree.
    pub fn repair_all(&self) {
        let mut seconds = 0.0;
        while self.repair(self.later(seconds)) != (0, 0) {
            seconds += 61.0;
            assert!(seconds < 400.0, "repair finds ever more to do");
        }
        self.audit();
    }

    /// Lets every lease expire; returns the totals. The first call finds a gap in time.
    pub fn expire(&self) -> Orphans {
        let requeue = |seconds| {
            let call = self.client.calls().requeue_orphans(self.queue.name(), 100).at(self.later(seconds));
            self.client.call(&call).unwrap()
        };
        let first = requeue(61.0);
        if first.postponed == 0 { first } else { requeue(200.0) }
    }

    pub fn keys(&self, pattern: &str) -> Vec<String> {
        redis::cmd("KEYS").arg(pattern).query(&mut self.server.connection()).unwrap()
    }

    pub fn field(&self, id: &str, field: &str) -> Option<String> {
        redis::cmd("HGET").arg(format!("blueque_task_{id}")).arg(field).query(&mut self.server.connection()).unwrap()
    }

    /// Checks that every task is once in the index that its status names, in no other, and in the index of all; and
    /// that no index names a missing task.
    pub fn audit(&self) {
        let mut connection = self.server.connection();
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for key in self.keys("blueque_*_tasks_*") {
            let name = key.strip_prefix("blueque_").unwrap();
            for id in entries(&mut connection, &key) {
                found.entry(id).or_default().push(name.to_owned());
            }
        }
        for names in found.values_mut() {
            names.sort();
        }
        let mut wanted = BTreeMap::new();
        for key in self.keys("blueque_task_*") {
            let id = key.strip_prefix("blueque_task_").unwrap().to_owned();
            let record: BTreeMap<String, String> = redis::cmd("HGETALL").arg(&key).query(&mut connection).unwrap();
            let status = record["status"].as_str();
            let held = format!("reserved_tasks_{QUEUE}_{}", record.get("node").map_or("", String::as_str));
            let index = match status {
                "reserved" => vec![held],
                "started" => vec![held, format!("started_tasks_{QUEUE}")],
                "scheduled" if record.get("flags").is_some_and(|flags| flags.contains('r')) => {
                    vec![format!("scheduled_ranked_tasks_{QUEUE}")]
                }
                other => vec![format!("{other}_tasks_{QUEUE}")],
            };
            wanted.insert(id, index);
        }
        assert_eq!(found, wanted, "the indexes, and what the records say");
        let mut all = entries(&mut connection, &format!("blueque_tasks_{QUEUE}"));
        all.sort();
        assert_eq!(all, wanted.into_keys().collect::<Vec<_>>(), "the index of all tasks");
    }
}

/// The ids in an index of any type.
fn entries(connection: &mut Connection, key: &str) -> Vec<String> {
    let kind: String = redis::cmd("TYPE").arg(key).query(connection).unwrap();
    match kind.as_str() {
        "list" => redis::cmd("LRANGE").arg(key).arg(0).arg(-1).query(connection).unwrap(),
        "zset" => redis::cmd("ZRANGE").arg(key).arg(0).arg(-1).query(connection).unwrap(),
        "set" => {
            let entries: Vec<String> = redis::cmd("SMEMBERS").arg(key).query(connection).unwrap();
            entries.iter().map(|entry| entry.rsplit(' ').next().unwrap().to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

/// Checks that every call of an attempt that no longer holds its task is refused.
pub fn assert_lost(attempt: &Processor) {
    let lost = |what: &str, answer: Result<(), Error>| {
        assert!(matches!(answer, Err(Error::Lost)), "{what}: {answer:?}");
    };
    lost("start", attempt.start(77));
    lost("progress", attempt.progress("half"));
    lost("checkpoint", attempt.checkpoint("half"));
    lost("complete", attempt.complete("no").map(|_| ()));
    lost("fail", attempt.fail("no").map(|_| ()));
    lost("release", attempt.release().map(|_| ()));
}

pub fn assert_told_lost(attempt: &Processor) {
    assert_eq!(attempt.heartbeat().unwrap(), Order::Lost);
}

pub const NO_LIMIT: Duration = Duration::from_secs(30);
