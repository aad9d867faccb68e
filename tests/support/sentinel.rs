//! A Sentinel that watches a master, named `films`.

#![allow(dead_code)]

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::{Folder, eventually, free_port, server_program};

pub struct Sentinel {
    pub port: String,
    child: Child,
    _folder: Folder,
}

impl Sentinel {
    /// Starts a Sentinel that fails over on command.
    pub fn start(master: &str) -> Self {
        Self::start_with(master, "")
    }

    /// Starts a Sentinel with more lines of its configuration.
    pub fn start_with(master: &str, more: &str) -> Self {
        Self::start_of(&server_program(), master, 1, more)
    }

    /// Starts one of several Sentinels. `quorum` of them have to agree that the master is down.
    pub fn start_of(program: &Path, master: &str, quorum: u32, more: &str) -> Self {
        let (folder, port) = (Folder::new(), free_port());
        let file = folder.path().join("sentinel.conf");
        let text = format!(
            "port {port}\nbind 127.0.0.1\nsentinel monitor films 127.0.0.1 {master} {quorum}\n\
             sentinel down-after-milliseconds films 60000\nsentinel failover-timeout films 5000\n{more}"
        );
        fs::write(&file, text).unwrap();
        let program = Command::new(program).arg(&file).arg("--sentinel").stdout(Stdio::null()).spawn();
        let sentinel = Self { port, child: program.unwrap(), _folder: folder };
        let address = SocketAddr::from(([127, 0, 0, 1], sentinel.port.parse().unwrap()));
        eventually("the Sentinel listens", || TcpStream::connect_timeout(&address, Duration::from_secs(1)).ok());
        // Without this, the Sentinel looks at the servers every ten seconds. Sentinels before Redis 7 do not have the
        // command. The period of its pings stays one second: a replica that was not looked at for five periods is
        // passed over, and without a master each replica is looked at once a second.
        let _ = sentinel.try_ask::<String>(&["SENTINEL", "DEBUG", "INFO-PERIOD", "200"]);
        sentinel
    }

    pub fn try_ask<T: redis::FromRedisValue>(&self, words: &[&str]) -> Option<T> {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}/", self.port)).unwrap();
        let mut connection = client.get_connection_with_timeout(Duration::from_secs(1)).ok()?;
        redis::cmd(words[0]).arg(&words[1..]).query(&mut connection).ok()
    }

    pub fn knows_a_replica(&self) {
        eventually("the Sentinel knows the replica", || {
            let known: Option<Vec<redis::Value>> = self.try_ask(&["SENTINEL", "REPLICAS", "films"]);
            known.filter(|replicas| !replicas.is_empty())
        });
    }

    /// Lets the Sentinel fail over by itself if the master does not answer for five seconds. With less time, the
    /// Sentinel rejects a replica as too old if the replica was without its master for ten times that time.
    pub fn watch(&self) {
        let set: Option<String> = self.try_ask(&["SENTINEL", "SET", "films", "down-after-milliseconds", "5000"]);
        assert_eq!(set.as_deref(), Some("OK"));
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
