//! The examples that are programs of their own run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use blueque::{Client, Status, Submit};
use support::Server;

const LIMIT: Duration = Duration::from_secs(25);

/// An example's program, built as this test is.
fn program(name: &str) -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--locked", "--quiet", "--package", "blueque", "--example", name]);
    if cfg!(feature = "tokio") {
        cargo.arg("--all-features");
    }
    assert!(cargo.status().unwrap().success());
    let tests = std::env::current_exe().unwrap();
    tests.parent().unwrap().parent().unwrap().join("examples").join(name)
}

/// A program that is killed when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_child_process_goes_on_with_the_attempt_of_its_listener() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let queue = client.queue("squares").unwrap();
    let task = queue.submit(&12, Submit::default()).unwrap();
    let fails = queue.submit(&u64::MAX, Submit::default()).unwrap();
    let _parent = Running(Command::new(program("child")).args([&server.url(), "squares"]).spawn().unwrap());
    assert_eq!(task.result::<u64>(LIMIT).unwrap(), 144);
    let info = task.info().unwrap();
    assert_ne!(info.pid().unwrap(), std::process::id());
    let node = info.node().unwrap();
    let pid = info.pid().unwrap().to_string();
    assert!(!node.ends_with(&pid), "{node} is the listener, {pid} its child");
    let failed = fails.wait(LIMIT).unwrap();
    assert_eq!(failed.status(), Some(Status::Failed));
    assert!(failed.error().unwrap().contains("the child ended with"), "{:?}", failed.error());
}
