//! The forms of an address, each to real servers: Sentinels and their failover, several hosts, a cluster.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::fs;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use blueque::{Address, Client, ClientBuilder, Code, Namespace, Submit};
use support::{Folder, Server, eventually, server_program};

fn free() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

fn server(more: &[&str]) -> (Server, String) {
    let port = free();
    let mut args = vec!["--save", "", "--bind", "127.0.0.1", "--port", &port];
    args.extend(more);
    (Server::start_with(&args), port)
}

/// A replica of the server at a port, which has caught up.
fn replica(port: &str) -> (Server, String) {
    let (replica, own) = server(&["--replicaof", "127.0.0.1", port, "--repl-diskless-sync-delay", "0"]);
    eventually("the replica has caught up", || {
        let info: String = redis::cmd("INFO").arg("replication").query(&mut replica.connection()).unwrap();
        info.contains("master_link_status:up").then_some(())
    });
    (replica, own)
}

struct Sentinel {
    port: String,
    child: Child,
    _folder: Folder,
}

impl Sentinel {
    fn start(master: &str) -> Self {
        let (folder, port) = (Folder::new(), free());
        let file = folder.path().join("sentinel.conf");
        let text = format!(
            "port {port}\nbind 127.0.0.1\nsentinel monitor films 127.0.0.1 {master} 1\n\
             sentinel down-after-milliseconds films 60000\nsentinel failover-timeout films 5000\n"
        );
        fs::write(&file, text).unwrap();
        let program = Command::new(server_program()).arg(&file).arg("--sentinel").stdout(Stdio::null()).spawn();
        let sentinel = Self { port, child: program.unwrap(), _folder: folder };
        eventually("the Sentinel answers", || sentinel.try_ask::<String>(&["PING"]));
        // Else it looks at the servers every ten seconds. Those before Redis 7 cannot be told.
        let _ = sentinel.try_ask::<String>(&["SENTINEL", "DEBUG", "INFO-PERIOD", "200", "PING-PERIOD", "100"]);
        sentinel
    }

    fn try_ask<T: redis::FromRedisValue>(&self, words: &[&str]) -> Option<T> {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}/", self.port)).unwrap();
        let mut connection = client.get_connection_with_timeout(Duration::from_secs(1)).ok()?;
        redis::cmd(words[0]).arg(&words[1..]).query(&mut connection).ok()
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn builder() -> ClientBuilder {
    Client::builder().namespace(Namespace::new("{bq}").unwrap()).limit(Duration::from_secs(20))
}

#[test]
fn a_client_goes_on_across_a_failover_of_sentinel() {
    let (master, port) = server(&[]);
    let (_replica, other) = replica(&port);
    let sentinel = Sentinel::start(&port);
    // The first of the Sentinels is away.
    let url = format!("redis+sentinel://127.0.0.1:1,127.0.0.1:{}/films", sentinel.port);
    let client = builder().open(&url).unwrap();
    let queue = client.queue("q").unwrap();
    let before = queue.submit("before", Submit::default()).unwrap();
    eventually("the Sentinel knows the replica", || {
        let known: Option<Vec<redis::Value>> = sentinel.try_ask(&["SENTINEL", "REPLICAS", "films"]);
        known.filter(|replicas| !replicas.is_empty())
    });
    eventually("the failover begins", || sentinel.try_ask::<String>(&["SENTINEL", "FAILOVER", "films"]));
    eventually("the replica is the master", || {
        let named: (String, String) = sentinel.try_ask(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", "films"])?;
        (named.1 == other).then_some(())
    });
    // It would accept calls, which are lost, until Sentinel has made it a replica, some ten seconds later.
    drop(master);
    // By the same client, whose connection led to it.
    let after = queue.submit("after", Submit::default()).unwrap();
    assert_ne!(before.id(), after.id());
    let direct = builder().open(&format!("redis://127.0.0.1:{other}/")).unwrap();
    assert_eq!(direct.queue("q").unwrap().counts().unwrap().pending, 2, "both tasks are on the new master");

    let unknown = builder().open(&url.replace("films", "songs")).unwrap_err();
    assert!(matches!(unknown, blueque::Error::Connection(_)), "{unknown:?}");
}

#[test]
fn of_several_hosts_the_master_is_found() {
    let (_master, port) = server(&[]);
    let (_replica, other) = replica(&port);
    let url = format!("redis://127.0.0.1:1,127.0.0.1:{other},127.0.0.1:{port}/");
    builder().open(&url).unwrap().queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let away = Instant::now();
    let nobody = builder().limit(Duration::from_millis(300)).open("redis://127.0.0.1:1,127.0.0.1:2/").unwrap_err();
    assert_eq!(nobody.code(), Some(Code::Unavailable));
    assert!(away.elapsed() < Duration::from_secs(3), "{:?}", away.elapsed());
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn an_asynchronous_client_finds_the_master_too() {
    let (_master, port) = server(&[]);
    let (_replica, other) = replica(&port);
    let sentinel = Sentinel::start(&port);
    for url in [
        format!("redis+sentinel://127.0.0.1:{}/films", sentinel.port),
        format!("redis://127.0.0.1:{other},127.0.0.1:{port}"),
    ] {
        let client = blueque::tokio::Client::open(&url).await.unwrap();
        client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
    }
}

#[test]
fn a_node_of_a_cluster_leads_to_the_namespace() {
    let node = Server::start_cluster_node();
    let port: u16 = redis::cmd("CONFIG")
        .arg("GET")
        .arg("port")
        .query::<(String, u16)>(&mut node.connection())
        .map(|(_, port)| port)
        .unwrap();
    eventually("the node serves", || {
        let info: String = redis::cmd("CLUSTER").arg("INFO").query(&mut node.connection()).unwrap();
        info.contains("cluster_state:ok").then_some(())
    });
    let url = format!("redis+cluster://127.0.0.1:1,127.0.0.1:{port}");
    builder().open(&url).unwrap().queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let untagged = Client::open(&url).unwrap_err();
    assert_eq!(untagged.code(), Some(Code::BadName), "{untagged:?}");
    let namespace = Namespace::new("{bq}").unwrap();
    let mut connection = Address::parse(&url).unwrap().connect(&namespace, Duration::from_secs(5)).unwrap();
    let tasks: i64 = redis::cmd("LLEN").arg("{bq}_pending_tasks_q").query(&mut connection).unwrap();
    assert_eq!(tasks, 1);
}
