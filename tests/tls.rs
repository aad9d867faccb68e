//! Connections by TLS (features `tls-rustls` and `tokio-tls-rustls`), blocking and asynchronous, to a real server.
//!
//! `tests/tls` has an authority of the tests' own and a certificate of `localhost` by it, for a hundred years.

#![cfg(feature = "tls-rustls")]
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod support;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use blueque::{Client, Code, Submit};
use support::Server;

/// Where the test that is run as a program of its own finds the server.
const URL: &str = "BLUEQUE_TEST_TLS_URL";

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
}

/// Runs a test of this file as a program of its own, to which the authorities of a file are the system's.
fn run(test: &str, url: &str, authorities: &Path) -> bool {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.args(["--exact", test]).env(URL, url).env("SSL_CERT_FILE", authorities).env_remove("SSL_CERT_DIR");
    command.stdout(Stdio::null()).status().unwrap().success()
}

/// Runs a test against a server that speaks TLS alone.
fn with_server(test: &str) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let [certificate, key] = ["server.pem", "server.key"].map(|name| file(name).display().to_string());
    let server = Server::start_with(&[
        "--save",
        "",
        "--port",
        "0",
        "--bind",
        "127.0.0.1",
        "--tls-port",
        &port,
        "--tls-auth-clients",
        "no",
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &key,
    ]);
    let url = format!("rediss://localhost:{port}/");
    assert!(run(test, &url, &file("ca.pem")), "{test}");
    let tasks: i64 = redis::cmd("LLEN").arg("blueque_pending_tasks_q").query(&mut server.connection()).unwrap();
    assert_eq!(tasks, 1, "it is the same server");
}

/// The URL, in the program of its own.
fn url() -> Option<String> {
    let url = std::env::var(URL).ok()?;
    rustls::crypto::ring::default_provider().install_default().unwrap();
    Some(url)
}

#[test]
fn a_blocking_client_speaks_tls() {
    let Some(url) = url() else { return with_server("a_blocking_client_speaks_tls") };
    Client::open(&url).unwrap().queue("q").unwrap().submit("x", Submit::default()).unwrap();
    // The URL's authorities take the place of the system's.
    for (authority, trusted) in [("ca.pem", true), ("absent.pem", false)] {
        let opened = Client::open(&format!("{url}?ca={}", file(authority).display()));
        assert_eq!(opened.is_ok(), trusted, "{authority}: {opened:?}");
    }
    // By this name nobody has vouched for it; and without TLS it does not answer.
    let other = url.replace("localhost", "[::ffff:127.0.0.1]");
    assert_eq!(open(&other), Some(Code::Unavailable));
    assert_eq!(open(&url.replace("rediss:", "redis:")), Some(Code::Unavailable));
}

fn open(url: &str) -> Option<Code> {
    let limit = std::time::Duration::from_secs(1);
    Client::builder().limit(limit).open(url).unwrap_err().code()
}

#[cfg(feature = "tokio-tls-rustls")]
#[tokio::test]
async fn an_asynchronous_client_speaks_tls() {
    use blueque::calls::{NewTask, TaskOptions};

    let Some(url) = url() else {
        return with_server("an_asynchronous_client_speaks_tls");
    };
    let client = blueque::tokio::Client::open(&url).await.unwrap();
    let (queue, id) = (blueque::QueueName::new("q").unwrap(), blueque::TaskId::random());
    let task = NewTask::new(&id, b"[]");
    client.call(&client.calls().submit(&queue, &[task], &TaskOptions::default())).await.unwrap();
}

#[test]
fn a_build_with_tls_alone_brings_no_asynchronous_runtime() {
    let packages = |features: &str| {
        let tree = ["tree", "--locked", "--offline", "--edges", "normal", "--prefix", "none", "--package", "blueque"];
        let mut cargo = Command::new(env!("CARGO"));
        let output =
            cargo.args(tree).args(["--features", features]).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let blocking = packages("tls-rustls");
    assert!(blocking.contains("rustls ") && !blocking.contains("tokio"), "{blocking}");
    assert!(packages("tokio-tls-rustls").contains("tokio-rustls "), "the asynchronous client needs it");
}
