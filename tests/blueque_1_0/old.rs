//! A process with the Python package `blueque` 1.0.1, driven by lines of JSON.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use blueque::ListenerId;
use serde_json::{Value, json};

use crate::support::Server;

/// The folder of the sources.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().find(|folder| folder.join("tests/blueque_1_0").is_dir());
    root.unwrap_or(here).to_owned()
}

/// An interpreter with the package: `BLUEQUE_PYTHON`, else that of `make tools`.
fn python() -> PathBuf {
    let python = env::var_os("BLUEQUE_PYTHON").map_or_else(|| root().join(".venv/bin/python"), PathBuf::from);
    let version = Command::new(&python)
        .args(["-c", "import redis, blueque, importlib.metadata as m; print(m.version('blueque'))"])
        .stderr(Stdio::null())
        .output();
    let found = version.is_ok_and(|output| output.status.success() && output.stdout.trim_ascii() == b"1.0.1");
    assert!(
        found,
        "{} does not have the Python package blueque 1.0.1: run `make tools`, or set BLUEQUE_PYTHON to an interpreter that has it",
        python.display()
    );
    python
}

/// A client of Blueque 1.0, killed when dropped.
pub struct Old {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<String>,
    host: String,
}

impl Old {
    pub fn start(server: &Server) -> Self {
        Self::on_host(server, "")
    }

    /// A client that takes another host for its own.
    pub fn on_host(server: &Server, host: &str) -> Self {
        let script = root().join("tests/blueque_1_0/client.py");
        let mut child = Command::new(python())
            .arg(script)
            .arg(server.url())
            .arg(host)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, answers) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut old = Self { child, stdin, answers, host: String::new() };
        let hello = old.call("hello", json!({}));
        hello["host"].as_str().unwrap().clone_into(&mut old.host);
        old
    }

    /// Sends a command without waiting for its reply.
    pub fn send(&mut self, name: &str, mut arguments: Value) {
        arguments["do"] = name.into();
        writeln!(self.stdin, "{arguments}").unwrap();
    }

    fn answer(&mut self, name: &str, arguments: Value) -> Value {
        self.send(name, arguments);
        let line = self.answers.recv_timeout(Duration::from_secs(30));
        let line = line.unwrap_or_else(|error| panic!("no answer to `{name}` from the Blueque client: {error}"));
        serde_json::from_str(&line).unwrap()
    }

    /// The reply to a command.
    pub fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.answer(name, arguments);
        assert!(answer.get("error").is_none(), "`{name}` of the Blueque client: {}", answer["error"]);
        answer["ok"].clone()
    }

    /// The reply, or the error that it may end with.
    pub fn try_call(&mut self, name: &str, arguments: Value) -> Result<Value, String> {
        let answer = self.answer(name, arguments);
        answer["error"].as_str().map_or_else(|| Ok(answer["ok"].clone()), |error| Err(error.to_owned()))
    }

    /// The error that a command must end with.
    pub fn refused(&mut self, name: &str, arguments: Value) -> String {
        let answer = self.answer(name, arguments);
        answer["error"].as_str().unwrap_or_else(|| panic!("`{name}` succeeded: {answer}")).to_owned()
    }

    /// Calls a command whose reply is text, such as an id.
    pub fn text(&mut self, name: &str, arguments: Value) -> String {
        let answer = self.call(name, arguments);
        answer.as_str().unwrap_or_else(|| panic!("`{name}` answered {answer}")).to_owned()
    }

    pub fn get(&mut self, id: &str) -> Value {
        self.call("get", json!({ "id": id }))
    }

    pub fn status(&mut self, id: &str) -> String {
        self.get(id)["status"].as_str().unwrap_or("absent").to_owned()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The id of the client's listeners.
    pub fn listener(&self) -> ListenerId {
        ListenerId::new(format!("{}_{}", self.host, self.pid())).unwrap()
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    /// Kills the client with SIGKILL; no process has its pid afterwards.
    pub fn kill(mut self) -> ListenerId {
        let listener = self.listener();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        listener
    }

    /// Lets the client exit abruptly.
    pub fn exit(mut self) -> ListenerId {
        let listener = self.listener();
        self.send("exit", json!({}));
        assert_eq!(self.child.wait().unwrap().code(), Some(1));
        listener
    }
}

impl Drop for Old {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
