//! A namespace on a cluster (feature `cluster`): three real nodes, and a slot that moves.

#![cfg(feature = "cluster")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "cluster/half_moved.rs"]
mod half_moved;
#[path = "support/slot_move.rs"]
mod slot_move;
mod support;

use std::fs;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use blueque::{Client, Namespace, Outcome, Status, Submit};
use redis::Connection;
use slot_move::Point;
use support::{Folder, eventually, free_ports, server_program};

struct Node {
    port: String,
    child: Child,
    _folder: Folder,
}

impl Node {
    fn start() -> Self {
        let folder = Folder::new();
        let [port, bus] = free_ports();
        let child = Command::new(server_program())
            .args(["--logfile", "log", "--port", &port, "--cluster-port", &bus, "--bind", "127.0.0.1"])
            .args(["--cluster-enabled", "yes", "--cluster-node-timeout", "10000", "--save", ""])
            .arg("--dir")
            .arg(folder.path())
            .spawn()
            .unwrap();
        let log = folder.path().join("log");
        let mut node = Self { port, child, _folder: folder };
        eventually("the node answers", || {
            let ended = node.child.try_wait().unwrap();
            assert!(ended.is_none(), "{}", fs::read_to_string(&log).unwrap());
            node.try_connect().and_then(|mut c| cluster(&mut c, &["INFO"]).ok())
        });
        // Each node keeps its bus port; other nodes get the port when they meet it.
        let myself = cluster(&mut node.connect(), &["MYID"]).unwrap();
        assert_eq!(myself.len(), 40);
        node
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    fn try_connect(&self) -> Option<Connection> {
        redis::Client::open(self.url()).ok()?.get_connection_with_timeout(Duration::from_secs(1)).ok()
    }

    fn connect(&self) -> Connection {
        eventually("the node answers", || self.try_connect())
    }

    fn id(&self) -> String {
        cluster(&mut self.connect(), &["MYID"]).unwrap()
    }

    /// The port on which the node talks to others.
    fn bus(&self) -> String {
        let nodes = cluster(&mut self.connect(), &["NODES"]).unwrap();
        let own = nodes.lines().find(|line| line.contains("myself")).unwrap();
        let address = own.split_whitespace().nth(1).unwrap();
        address.split_once('@').unwrap().1.split(',').next().unwrap().to_owned()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn cluster(connection: &mut Connection, args: &[&str]) -> redis::RedisResult<String> {
    redis::cmd("CLUSTER").arg(args).query(connection)
}

/// Three masters with a third of the slots each.
fn three_nodes() -> Vec<Node> {
    let nodes: Vec<Node> = (0..3).map(|_| Node::start()).collect();
    let ranges = [("0", "5460"), ("5461", "10922"), ("10923", "16383")];
    for (number, (node, (from, to))) in nodes.iter().zip(ranges).enumerate() {
        cluster(&mut node.connect(), &["ADDSLOTSRANGE", from, to]).unwrap();
        cluster(&mut node.connect(), &["SET-CONFIG-EPOCH", &(number + 1).to_string()]).unwrap();
    }
    eventually("the nodes have met", || {
        let info = cluster(&mut nodes[0].connect(), &["INFO"]).unwrap();
        // On a loaded machine a handshake may take too long, and be given up.
        for other in nodes[1..].iter().filter(|_| !info.contains("cluster_known_nodes:3")) {
            cluster(&mut nodes[0].connect(), &["MEET", "127.0.0.1", &other.port, &other.bus()]).unwrap();
        }
        info.contains("cluster_known_nodes:3").then_some(())
    });
    for node in &nodes {
        eventually("all nodes know of all slots", || {
            let info = cluster(&mut node.connect(), &["INFO"]).unwrap();
            (info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3")).then_some(())
        });
    }
    nodes
}

fn client(nodes: &[Node]) -> Client {
    let urls: Vec<String> = nodes.iter().map(Node::url).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    Client::builder()
        .namespace(Namespace::new("{blueque:7}").unwrap())
        .limit(Duration::from_secs(30))
        .open_cluster(&urls)
        .unwrap()
}

#[test]
fn a_task_goes_through_its_whole_life_on_a_cluster() {
    let nodes = three_nodes();
    let client = client(&nodes);
    let queue = client.queue("q").unwrap();
    let task = queue.submit("x", Submit::default()).unwrap();
    for node in &nodes {
        let builder = Client::builder().namespace(Namespace::new("{blueque:7}").unwrap());
        let by_any = builder.open(&node.url().replace("redis:", "redis+cluster:")).unwrap();
        assert_eq!(by_any.queue("q").unwrap().counts().unwrap().pending, 1);
    }
    let mut listener = client.listener(&["q"]).unwrap();
    let work = listener.listen(Duration::from_secs(20)).unwrap().unwrap();
    work.start(1).unwrap();
    work.heartbeat().unwrap();
    assert_eq!(work.complete("y").unwrap(), Outcome::Complete);
    assert_eq!(task.info().unwrap().status(), Some(Status::Complete));
    listener.unregister().unwrap();
}

#[test]
fn a_namespace_without_a_tag_is_refused_on_a_cluster() {
    let error = Client::builder().open_cluster(&["redis://127.0.0.1:1/"]).unwrap_err();
    assert_eq!(error.code(), Some(blueque::Code::BadName));
}

#[test]
fn a_call_without_a_key_is_refused_by_every_node() {
    for node in three_nodes() {
        let mut call = redis::cmd("EVAL");
        call.arg(support::script("get")).arg(&["0", "", "t"]);
        let error = call.exec(&mut node.connect()).unwrap_err();
        assert_eq!(error.code(), Some("BADNAME"), "{error}");
    }
}

#[test]
fn tasks_go_on_while_their_slot_moves_to_another_node_and_back() {
    let nodes = three_nodes();
    let client = client(&nodes);
    let queue = client.queue("q").unwrap();
    let (moving, done) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicU64::new(0)));
    let works = thread::spawn({
        let (client, queue, moving, done) = (client.clone(), queue.clone(), Arc::clone(&moving), Arc::clone(&done));
        move || {
            let mut listener = client.listener(&["q"]).unwrap();
            while moving.load(Ordering::Acquire) {
                let number = done.load(Ordering::Acquire);
                queue.submit(&number, Submit::default()).unwrap();
                let work = listener.try_listen().unwrap().expect("the task just submitted");
                work.start(1).unwrap();
                assert_eq!(work.complete(&number).unwrap(), Outcome::Complete);
                done.fetch_add(1, Ordering::Release);
            }
        }
    });
    move_to_and_fro(&nodes, &done);
    moving.store(false, Ordering::Release);
    works.join().unwrap();
    let counts = queue.counts().unwrap();
    let done = done.load(Ordering::Acquire);
    assert_eq!((counts.complete, counts.pending, counts.reserved, counts.started), (done, 0, 0, 0));
}

/// Moves the namespace's slot three times; a task is done before each move and after the last one.
fn move_to_and_fro(nodes: &[Node], done: &AtomicU64) {
    let one_more = || {
        let before = done.load(Ordering::Acquire);
        eventually("one more task is done", || (done.load(Ordering::Acquire) > before).then_some(()));
    };
    let mut points: Vec<Point> = nodes.iter().map(|node| Point::new(node.connect())).collect();
    let slot: u16 = points[0].cluster(&["KEYSLOT", "{blueque:7}_meta"]).unwrap();
    points.rotate_left(usize::from(slot > 5460) + usize::from(slot > 10922));
    for _ in 0..3 {
        one_more();
        slot_move::agree(&mut points);
        let [from, to, third] = &mut points[..] else { panic!("three nodes") };
        let slot = slot.to_string();
        slot_move::begin(&slot, from, to);
        while slot_move::carry(&slot, 3, from, to) > 0 {}
        slot_move::end(&slot, to, [from, third]);
        points.swap(0, 1);
    }
    one_more();
}

#[cfg(feature = "tokio-cluster")]
mod asynchronous {
    use blueque::tokio::{Client, Worker};

    use super::*;

    async fn client(nodes: &[Node]) -> Client {
        let urls: Vec<String> = nodes.iter().map(Node::url).collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        let builder = Client::builder().namespace(Namespace::new("{blueque:7}").unwrap());
        builder.limit(Duration::from_secs(30)).open_cluster(&urls).await.unwrap()
    }

    #[tokio::test]
    async fn a_namespace_without_a_tag_is_refused_on_a_cluster() {
        let error = Client::builder().open_cluster(&["redis://127.0.0.1:1/"]).await.unwrap_err();
        assert_eq!(error.code(), Some(blueque::Code::BadName));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_listener_that_waits_on_a_cluster_is_woken() {
        let nodes = three_nodes();
        let client = client(&nodes).await;
        let queue = client.queue("q").unwrap();
        let mut listener = client.listener(&["q"]).await.unwrap();
        let waits = tokio::spawn(async move { listener.listen(Duration::from_secs(60)).await.unwrap().unwrap() });
        let waiting = || {
            let waits = nodes.iter().any(|node| {
                let info: String = redis::cmd("INFO").arg("clients").query(&mut node.connect()).unwrap();
                info.contains("blocked_clients:1")
            });
            waits.then_some(())
        };
        tokio::task::block_in_place(|| eventually("it waits", waiting));
        let begun = std::time::Instant::now();
        let task = queue.submit("x", Submit::default()).await.unwrap();
        let work = waits.await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(20), "woken, not found by a later look");
        work.start(1).await.unwrap();
        assert_eq!(work.complete("y").await.unwrap(), Outcome::Complete);
        assert_eq!(task.result::<String>(Duration::ZERO).await.unwrap(), "y");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_worker_goes_on_while_its_slot_moves_to_another_node_and_back() {
        let nodes = three_nodes();
        let client = client(&nodes).await;
        let queue = client.queue("q").unwrap();
        let worker = Worker::builder(&client).queue("q").unwrap().slots(2).handle(|n: u64, _| async move { Ok(n) });
        let worker = worker.build().unwrap();
        let runs = worker.clone();
        let ends = tokio::spawn(async move { runs.run().await });
        let moving = Arc::new(AtomicBool::new(true));
        let done = Arc::new(AtomicU64::new(0));
        let (moves, counts) = (Arc::clone(&moving), Arc::clone(&done));
        let submits = tokio::spawn(async move {
            while moves.load(Ordering::Acquire) {
                let number = counts.load(Ordering::Acquire);
                let task = queue.submit(&number, Submit::default()).await.unwrap();
                assert_eq!(task.result::<u64>(Duration::from_secs(60)).await.unwrap(), number);
                counts.fetch_add(1, Ordering::Release);
            }
            queue
        });
        tokio::task::block_in_place(|| move_to_and_fro(&nodes, &done));
        moving.store(false, Ordering::Release);
        let queue = submits.await.unwrap();
        let done = done.load(Ordering::Acquire);
        worker.stop(blueque::Stop::Drain);
        assert_eq!(ends.await.unwrap().unwrap().complete, done);
        let counts = queue.counts().await.unwrap();
        assert_eq!((counts.complete, counts.pending, counts.reserved, counts.started), (done, 0, 0, 0));
    }
}
