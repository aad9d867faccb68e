//! The forms of an address, each to real servers: Sentinels and their failover, several hosts, a cluster.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "support/sentinel.rs"]
mod sentinel;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use blueque::{Address, Client, ClientBuilder, Code, Error, Namespace, Submit};
use sentinel::Sentinel;
use support::{Folder, Server, eventually};

fn builder() -> ClientBuilder {
    Client::builder().namespace(Namespace::new("{bq}").unwrap()).limit(Duration::from_secs(20))
}

#[test]
fn a_client_goes_on_across_a_failover_of_sentinel() {
    let (master, port) = Server::start_at_port(&[]);
    let (_replica, other) = Server::start_replica(&port);
    let sentinel = Sentinel::start(&port);
    // The first of the Sentinels is away.
    let url = format!("redis+sentinel://127.0.0.1:1,127.0.0.1:{}/films", sentinel.port);
    let client = builder().open(&url).unwrap();
    let queue = client.queue("q").unwrap();
    let before = queue.submit("before", Submit::default()).unwrap();
    sentinel.knows_a_replica();
    eventually("the failover begins", || sentinel.try_ask::<String>(&["SENTINEL", "FAILOVER", "films"]));
    eventually("the replica is the master", || {
        let named: (String, String) = sentinel.try_ask(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", "films"])?;
        (named.1 == other).then_some(())
    });
    // The old master accepts calls until Sentinel has made it a replica, some ten seconds later. Those calls are
    // lost.
    drop(master);
    // Submits by the same client, whose connection led to the old master.
    let after = queue.submit("after", Submit::default()).unwrap();
    assert_ne!(before.id(), after.id());
    let direct = builder().open(&format!("redis://127.0.0.1:{other}/")).unwrap();
    assert_eq!(direct.queue("q").unwrap().counts().unwrap().pending, 2, "both tasks are on the new master");

    let unknown = builder().open(&url.replace("films", "songs")).unwrap_err();
    assert!(matches!(unknown, blueque::Error::Connection(_)), "{unknown:?}");
}

#[cfg(feature = "tokio")]
#[tokio::test(flavor = "multi_thread")]
async fn an_asynchronous_listener_goes_on_across_a_failover() {
    let (master, port) = Server::start_at_port(&[]);
    let (_replica, _) = Server::start_replica(&port);
    let sentinel = Sentinel::start(&port);
    sentinel.knows_a_replica();
    let builder = blueque::tokio::Client::builder().limit(Duration::from_secs(25));
    let client = builder.open(&format!("redis+sentinel://127.0.0.1:{}/films", sentinel.port)).await.unwrap();
    let mut listener = client.listener(&["q"]).await.unwrap();
    let listens =
        tokio::spawn(async move { listener.listen(Duration::from_secs(60)).await.map(|work| work.is_some()) });
    drop(master);
    sentinel.watch();
    // Sentinel takes twelve seconds or so.
    client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
    assert!(listens.await.unwrap().unwrap(), "it was given the task of the new master");
}

#[test]
fn of_several_hosts_the_master_is_found() {
    let (_master, port) = Server::start_at_port(&[]);
    let (_replica, other) = Server::start_replica(&port);
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
    let (_master, port) = Server::start_at_port(&[]);
    let (_replica, other) = Server::start_replica(&port);
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
fn who_only_reads_may_ask_a_replica() {
    let (_master, port) = Server::start_at_port(&[]);
    let (replica, other) = Server::start_replica(&port);
    let sentinel = Sentinel::start(&port);
    sentinel.knows_a_replica();
    let hosts = format!("redis://127.0.0.1:{port},127.0.0.1:{other}/");
    let queue = builder().open(&hosts).unwrap().queue("q").unwrap();
    queue.submit("x", Submit::default()).unwrap();
    let is_replica = |url: &str| {
        let namespace = Namespace::new("{bq}").unwrap();
        let mut connection = Address::parse(url).unwrap().connect(&namespace, Duration::from_secs(5)).unwrap();
        let info: String = redis::cmd("INFO").arg("replication").query(&mut connection).unwrap();
        info.contains("role:slave").then_some(())
    };
    let asked =
        [format!("{hosts}?read=replica"), format!("redis+sentinel://127.0.0.1:{}/films?read=replica", sentinel.port)];
    for url in &asked {
        eventually("it leads to the replica", || is_replica(url));
        let queue = builder().open(url).unwrap().queue("q").unwrap();
        eventually("the replica has it", || (queue.counts().unwrap().pending == 1).then_some(()));
        let begun = Instant::now();
        let error = queue.submit("x", Submit::default()).unwrap_err();
        assert_eq!(error.code(), Some(Code::ReadOnly), "{error:?}");
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    }
    // Without a replica the master is asked.
    drop(replica);
    for url in &asked {
        assert_eq!(builder().open(url).unwrap().queue("q").unwrap().counts().unwrap().pending, 1);
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

/// A wrong node or a refused connection is recognised within this time.
const SOON: Duration = Duration::from_millis(500);

/// Addresses at which no server listens.
const NOBODY: [&str; 5] = [
    "redis://127.0.0.1:1/",
    "unix:///nowhere/socket",
    "redis://127.0.0.1:1,127.0.0.1:2/",
    "redis+sentinel://127.0.0.1:1,127.0.0.1:2/films",
    "redis+cluster://127.0.0.1:1,127.0.0.1:2/",
];

/// The result of a closure, and its time: the fastest of three runs, as this machine may be busy.
fn timed<T>(mut what: impl FnMut() -> T) -> (T, Duration) {
    let run = |_| {
        let begun = Instant::now();
        (what(), begun.elapsed())
    };
    (0..3).map(run).min_by_key(|(_, took)| *took).unwrap()
}

/// The node of a cluster that holds the namespace, by its port.
fn holder(ports: &[String]) -> String {
    let url = format!("redis+cluster://127.0.0.1:{}", ports[0]);
    let namespace = Namespace::new("{bq}").unwrap();
    let mut holder = Address::parse(&url).unwrap().connect(&namespace, Duration::from_secs(5)).unwrap();
    redis::cmd("CONFIG").arg("GET").arg("port").query::<(String, String)>(&mut holder).unwrap().1
}

#[test]
fn the_first_connection_recognises_a_wrong_node_and_a_refusal_within_half_a_second() {
    let (_nodes, ports) = Server::start_cluster();
    let holder = holder(&ports);
    for port in &ports {
        let (opened, took) = timed(|| builder().open(&format!("redis://127.0.0.1:{port}/")));
        assert!(took < SOON, "{port}: {took:?}");
        if *port == holder {
            opened.unwrap().queue("q").unwrap().submit("x", Submit::default()).unwrap();
        } else {
            let error = opened.unwrap_err();
            assert_eq!(error.code(), Some(Code::Moved), "{error:?}");
            assert!(error.to_string().contains(&format!("connect to 127.0.0.1:{holder}")), "{error}");
        }
        // Each host, given as the address of a cluster, leads to the node that holds the namespace.
        let url = format!("redis+cluster://127.0.0.1:{port}/");
        let (done, took) = timed(|| builder().open(&url)?.queue("q")?.submit("x", Submit::default()));
        done.unwrap();
        assert!(took < SOON, "{port}: {took:?}");
    }
    for url in NOBODY {
        let (opened, took) = timed(|| builder().open(url));
        let error = opened.unwrap_err();
        assert!(took < SOON, "{url}: {took:?}");
        assert!(matches!(&error, Error::Unavailable { source, .. } if source.is_connection_refusal()), "{error:?}");
    }
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn an_asynchronous_client_recognises_them_as_soon() {
    let (_nodes, ports) = Server::start_cluster();
    let holder = holder(&ports);
    let wrong = ports.iter().find(|port| **port != holder).unwrap();
    let urls = NOBODY.map(str::to_owned).into_iter().chain([format!("redis://127.0.0.1:{wrong}/")]);
    for url in urls {
        let mut fastest = Duration::MAX;
        let mut code = None;
        for _ in 0..3 {
            let begun = Instant::now();
            let builder = blueque::tokio::Client::builder().namespace(Namespace::new("{bq}").unwrap());
            code = builder.open(&url).await.unwrap_err().code();
            fastest = fastest.min(begun.elapsed());
        }
        let expected = if url.contains(wrong.as_str()) { Code::Moved } else { Code::Unavailable };
        assert_eq!(code, Some(expected), "{url}");
        assert!(fastest < SOON, "{url}: {fastest:?}");
    }
}

#[test]
fn who_is_patient_waits_for_a_server_that_is_still_to_be_started() {
    let (mut server, port) = Server::start_at_port(&[]);
    server.kill();
    let url = format!("redis://127.0.0.1:{port}/");
    assert_eq!(builder().open(&url).unwrap_err().code(), Some(Code::Unavailable));
    let patient = builder().patience(Duration::MAX);
    let opens = std::thread::spawn(move || patient.open(&url).map(drop));
    server.restart();
    opens.join().unwrap().unwrap();
}

/// A file with a password, replaced as a whole.
fn write_password(file: &Path, password: &str) {
    fs::write(file.with_extension("new"), format!("{password}\n")).unwrap();
    fs::rename(file.with_extension("new"), file).unwrap();
}

/// A server with a user `app`, and the URL of that user, whose password is in a file.
fn guarded(folder: &Folder) -> (Server, PathBuf, String) {
    let server = Server::start();
    set_password(&server, "one");
    let file = folder.path().join("password");
    write_password(&file, "one");
    let url = format!("{}?user=app&password_file={}", server.url(), file.display());
    (server, file, url)
}

fn set_password(server: &Server, password: &str) {
    let mut connection = server.connection();
    let user = ["SETUSER", "app", "on", "resetpass", &format!(">{password}"), "~*", "&*", "+@all"];
    redis::cmd("ACL").arg(&user).exec(&mut connection).unwrap();
    redis::cmd("CLIENT").arg(&["KILL", "USER", "app"]).exec(&mut connection).unwrap();
}

#[test]
fn a_password_file_is_read_again_when_the_server_refuses_what_it_had() {
    let folder = Folder::new();
    let (server, file, url) = guarded(&folder);
    let client = builder().open(&url).unwrap();
    let queue = client.queue("q").unwrap();
    queue.submit("before", Submit::default()).unwrap();
    // First the file, then the server.
    write_password(&file, "two");
    set_password(&server, "two");
    queue.submit("at once", Submit::default()).unwrap();
    // First the server: calls wait for the file.
    set_password(&server, "three");
    let submits = std::thread::spawn(move || queue.submit("later", Submit::default()).map(drop));
    eventually("the call is refused", || {
        let log: Vec<redis::Value> = redis::cmd("ACL").arg("LOG").query(&mut server.connection()).unwrap();
        (!log.is_empty()).then_some(())
    });
    write_password(&file, "three");
    submits.join().unwrap().unwrap();
    assert_eq!(client.queue("q").unwrap().counts().unwrap().pending, 3);
    // A file that is missing for a moment ends nothing.
    redis::cmd("CLIENT").arg(&["KILL", "USER", "app"]).exec(&mut server.connection()).unwrap();
    fs::remove_file(&file).unwrap();
    let short = Client::builder().namespace(Namespace::new("{bq}").unwrap()).limit(Duration::from_secs(1));
    let error = client.until(Instant::now() + Duration::from_millis(300)).queues().unwrap_err();
    assert_eq!(error.code(), Some(Code::Unavailable), "{error:?}");
    // A client that is opened now reports the error.
    let error = short.clone().open(&url).unwrap_err();
    assert_eq!(error.code(), Some(Code::Connection), "{error:?}");
    write_password(&file, "wrong");
    let error = short.open(&url).unwrap_err();
    assert_eq!(error.code(), Some(Code::Connection), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("wrong\""), "{error:?}");
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn an_asynchronous_client_reads_the_password_file_again() {
    let folder = Folder::new();
    let (server, file, url) = guarded(&folder);
    let client = blueque::tokio::Client::open(&url).await.unwrap();
    set_password(&server, "two");
    write_password(&file, "two");
    client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
}

#[test]
fn a_sentinel_may_have_a_user_and_a_password_of_its_own() {
    let folder = Folder::new();
    let (_master, port) = Server::start_at_port(&[]);
    let sentinel = Sentinel::start_with(&port, "requirepass s1\nuser looks on >s2 +@all\n");
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    write_password(&one, "s1");
    write_password(&two, "s2");
    let url = format!("redis+sentinel://127.0.0.1:{}/films", sentinel.port);
    let error = builder().open(&url).unwrap_err();
    assert_eq!(error.code(), Some(Code::Connection), "{error:?}");
    for more in [
        format!("sentinel_password_file={}", one.display()),
        format!("sentinel_user=looks&sentinel_password_file={}", two.display()),
    ] {
        builder().open(&format!("{url}?{more}")).unwrap();
    }
}

/// Variable with the server's address, for the test that is run as a program of its own.
const RUN: &str = "BLUEQUE_TEST_FROM_ENV";

#[test]
fn the_environment_says_where_the_server_is_and_who_asks() {
    if std::env::var_os(RUN).is_some() {
        let client = Client::builder().open_from_env().unwrap();
        assert_eq!(client.calls().namespace().as_str(), "films");
        client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
        return;
    }
    let folder = Folder::new();
    let (server, file, _) = guarded(&folder);
    let run = |name: &str, value: &str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "the_environment_says_where_the_server_is_and_who_asks"]).env(RUN, "1");
        command.env("BLUEQUE_URL", server.url()).env("BLUEQUE_USER", "app");
        command.env("BLUEQUE_NAMESPACE", "films").env(name, value);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    };
    assert!(run("BLUEQUE_PASSWORD", "one"));
    assert!(run("BLUEQUE_PASSWORD_FILE", &file.display().to_string()));
    assert!(!run("BLUEQUE_PASSWORD", "other"));
    assert!(!run("BLUEQUE_PASSWORD", ""), "a user without a password would be the default one");
}
