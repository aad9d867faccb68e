//! The command as people and scripts run it, on a real server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "commands/asked.rs"]
mod asked;
#[path = "commands/bars.rs"]
mod bars;
#[path = "commands/bulk.rs"]
mod bulk;
#[path = "commands/clocks.rs"]
mod clocks;
#[path = "commands/connect.rs"]
mod connect;
#[path = "commands/doctor.rs"]
mod doctor;
#[path = "commands/follow.rs"]
mod follow;
#[path = "commands/full_memory.rs"]
mod full_memory;
#[path = "commands/history.rs"]
mod history;
#[path = "commands/inside.rs"]
mod inside;
#[path = "commands/lists.rs"]
mod lists;
#[path = "commands/lost_replies.rs"]
mod lost_replies;
#[path = "commands/names.rs"]
mod names;
#[path = "commands/ping.rs"]
mod ping;
#[path = "commands/policies.rs"]
mod policies;
#[path = "../../tests/support/proxy.rs"]
mod proxy;
#[path = "commands/schedule.rs"]
mod schedule;
#[path = "commands/screens.rs"]
mod screens;
#[path = "commands/secrets.rs"]
mod secrets;
#[path = "commands/show.rs"]
mod show;
#[path = "commands/steer.rs"]
mod steer;
#[path = "commands/submit.rs"]
mod submit;
#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "commands/takers.rs"]
mod takers;
#[path = "commands/terminal.rs"]
mod terminal;
#[path = "commands/texts.rs"]
mod texts;
#[path = "commands/waiting.rs"]
mod waiting;
#[path = "commands/watch.rs"]
mod watch;

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use blueque::calls::AppendLogOptions;
use blueque::{Client, ListenerId, Processor};
use serde_json::Value;
use support::{Folder, Server};

/// A bound for waits, long enough that no wait reaches it.
const SOON: Duration = Duration::from_secs(20);

/// A server, and a home without a configuration.
struct Desk {
    server: Server,
    home: Folder,
    /// True if calls may carry a time.
    tests: bool,
}

/// The result of a command.
struct Left {
    code: i32,
    out: String,
    err: String,
}

impl Desk {
    fn new() -> Self {
        Self::on(Server::start())
    }

    fn on(server: Server) -> Self {
        Self { server, home: Folder::new(), tests: false }
    }

    /// A namespace whose calls may carry a time.
    fn for_tests() -> Self {
        Self { tests: true, ..Self::new() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        command.env_clear().env("HOME", self.home.path()).env("BLUEQUE_URL", self.server.url()).env("TZ", "UTC");
        if self.tests {
            command.env("BLUEQUE_FOR_TESTS", "1");
        }
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Left {
        left(self.command(args).output().unwrap())
    }

    /// The output of a command that must succeed.
    fn ok(&self, args: &[&str]) -> String {
        let left = self.run(args);
        assert_eq!(left.code, 0, "{args:?}: {}{}", left.out, left.err);
        left.out
    }

    /// The JSON output of a command that must succeed.
    fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = ["-o", "json"].iter().chain(args).copied().collect();
        serde_json::from_str(&self.ok(&args)).unwrap()
    }

    /// The error of a command that must end with this code.
    fn refused(&self, code: i32, args: &[&str]) -> String {
        let left = self.run(args);
        assert_eq!(left.code, code, "{args:?}: {}{}", left.out, left.err);
        left.err
    }

    fn client(&self) -> Client {
        let builder = Client::builder();
        let builder = if self.tests { builder.for_tests() } else { builder };
        builder.open(&self.server.url()).unwrap()
    }

    /// Takes the next task of a queue, and starts it.
    fn take(&self, queue: &str) -> Processor {
        self.take_as(queue, 1)
    }

    fn take_as(&self, queue: &str, pid: u32) -> Processor {
        let id = ListenerId::of_process("host", pid);
        let mut listener = self.client().listener_as(id, &[queue]).unwrap();
        let task = listener.listen(SOON).unwrap().expect("a task");
        task.start(pid).unwrap();
        task
    }

    /// Writes to the log of a task.
    fn say(&self, task: &Processor, source: &str, text: &str) {
        let client = self.client();
        client
            .call(&client.calls().append_log(
                task.id(),
                task.reservation().token,
                source,
                text.as_bytes(),
                &AppendLogOptions::new(),
            ))
            .unwrap();
    }
}

fn left(output: Output) -> Left {
    Left {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Gives a command its stdin.
fn fed(mut command: Command, input: &[u8]) -> Left {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    left(child.wait_with_output().unwrap())
}
