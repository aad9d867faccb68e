//! Connections by TLS (features `tls-rustls` and `tokio-tls-rustls`), blocking and asynchronous, to a real server.
//!
//! `tests/tls` has an authority of the tests' own and certificates by it: of `localhost` and of a client for a hundred
//! years, and one of `localhost` for a day of 2020.

#![cfg(feature = "tls-rustls")]
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use blueque::{Client, Code, Submit};
use support::{Server, free_port};

/// Variable with the server's URL, for the test that is run as a program of its own.
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

/// A server that speaks TLS alone, with this certificate, and its URL.
fn server(certificate: &str, more: &[&str]) -> (Server, String) {
    let port = free_port();
    let [certificate, key] = [certificate, "server.key"].map(|name| file(name).display().to_string());
    let args = ["--save", "", "--port", "0", "--bind", "127.0.0.1", "--tls-port", &port];
    let tls = ["--tls-cert-file", &certificate, "--tls-key-file", &key];
    let server = Server::start_with(&[&args[..], &tls, more].concat());
    (server, format!("rediss://localhost:{port}/"))
}

/// Runs a test against a server that asks no client for a certificate.
fn with_server(test: &str) {
    let (server, url) = server("server.pem", &["--tls-auth-clients", "no"]);
    assert!(run(test, &url, &file("ca.pem")), "{test}");
    let tasks: i64 = redis::cmd("LLEN").arg("blueque_pending_tasks_q").query(&mut server.connection()).unwrap();
    assert_eq!(tasks, 1, "it is the same server");
}

/// The URL with the authority of the tests.
fn trusting(url: &str) -> String {
    // Another test may have installed the provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    format!("{url}?ca={}", file("ca.pem").display())
}

/// The words of the error with which a URL is refused. The refusal must come at once.
fn refusal(url: &str) -> String {
    let begun = Instant::now();
    let error = Client::open(url).unwrap_err();
    assert_eq!(error.code(), Some(Code::Connection), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    let source = std::error::Error::source(&error).unwrap();
    format!("{error}: {source}")
}

#[test]
fn a_certificate_that_has_expired_or_is_for_another_name_is_said_with_the_remedy() {
    let (_server, url) = server("expired.pem", &["--tls-auth-clients", "no"]);
    let said = refusal(&trusting(&url));
    assert!(said.contains("the server's certificate has expired: renew it"), "{said}");
    let (_server, url) = server("server.pem", &["--tls-auth-clients", "no"]);
    let other = trusting(&url.replace("localhost", "[::ffff:127.0.0.1]"));
    let said = refusal(&other);
    assert!(said.contains("is for another name: write a name of the certificate into the URL"), "{said}");
    let said = refusal(&trusting(&url).replace("tls/ca.pem", "tls/client.pem"));
    assert!(said.contains("no known authority vouches for the server's certificate: name its authority's"), "{said}");
}

#[test]
fn a_server_may_ask_for_the_clients_certificate() {
    let authority = file("ca.pem").display().to_string();
    let (server, url) = server("server.pem", &["--tls-auth-clients", "yes", "--tls-ca-cert-file", &authority]);
    let own =
        |cert: &str, key: &str| format!("{}&cert={}&key={}", trusting(&url), file(cert).display(), file(key).display());
    let client = Client::open(&own("client.pem", "client.key")).unwrap();
    client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let tasks: i64 = redis::cmd("LLEN").arg("blueque_pending_tasks_q").query(&mut server.connection()).unwrap();
    assert_eq!(tasks, 1);
    // No certificate, a certificate for another purpose, an absent file.
    for url in [trusting(&url), own("expired.pem", "server.key")] {
        let said = refusal(&url);
        assert!(said.contains("the server refuses this client's certificate, or asks for one"), "{said}");
    }
    let said = refusal(&own("absent.pem", "client.key"));
    assert!(said.contains("a file of the address cannot be read") && said.contains("absent.pem"), "{said}");
}

#[test]
fn a_server_may_speak_each_version_of_tls() {
    for version in ["TLSv1.2", "TLSv1.3"] {
        let (_server, url) = server("server.pem", &["--tls-auth-clients", "no", "--tls-protocols", version]);
        let opened = Client::open(&trusting(&url));
        assert!(opened.is_ok(), "{version}: {opened:?}");
        #[cfg(feature = "tokio-tls-rustls")]
        {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            let opened = runtime.block_on(blueque::tokio::Client::open(&trusting(&url)));
            assert!(opened.is_ok(), "{version}: {:?}", opened.err());
        }
    }
}

#[cfg(feature = "tokio-tls-rustls")]
#[tokio::test]
async fn an_asynchronous_client_shows_its_certificate_too() {
    let authority = file("ca.pem").display().to_string();
    let (_server, url) = server("server.pem", &["--tls-auth-clients", "yes", "--tls-ca-cert-file", &authority]);
    let [cert, key] = ["client.pem", "client.key"].map(|name| file(name).display().to_string());
    let own = format!("{}&cert={cert}&key={key}", trusting(&url));
    let client = blueque::tokio::Client::open(&own).await.unwrap();
    client.queue("q").unwrap().submit("x", Submit::default()).await.unwrap();
    let error = blueque::tokio::Client::open(&trusting(&url)).await.unwrap_err();
    assert_eq!(error.code(), Some(Code::Connection), "{error:?}");
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
    // The server's certificate does not cover this name; and the server does not answer without TLS.
    let other = url.replace("localhost", "[::ffff:127.0.0.1]");
    assert_eq!(open(&other), Some(Code::Connection));
    assert_eq!(open(&url.replace("rediss:", "redis:")), Some(Code::Unavailable));
}

fn open(url: &str) -> Option<Code> {
    let limit = Duration::from_secs(1);
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
