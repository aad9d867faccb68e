//! Graphs over two partitions, each on a server of its own, with the programs of enq: its document D3 through either
//! address, failures in it, and a server that is down.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "../../tests/support/mod.rs"]
mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Folder, Server, eventually};

const PROGRAMS: [(&str, &str); 6] = [
    ("process-user-data", "#!/bin/sh\njq '.[].uid' - >&2\n"),
    (
        "save-user-data",
        "#!/bin/sh\nuid=$(jq '.[].uid' -)\necho \"{\\\"link\\\": \\\"https://download/for/$uid\\\"}\"\n",
    ),
    ("send-mail", "#!/bin/sh\nlink=$(jq '.[].link' -)\necho \"sending mail with link $link\" >&2\n"),
    // The program `save-user-data`, but it first waits for the file `go`.
    (
        "save-later",
        "#!/bin/sh\nuid=$(jq '.[].uid' -)\nfor n in $(seq 600); do [ -e \"$HOME/go\" ] && break; sleep 0.05; done\n\
         echo \"{\\\"link\\\": \\\"https://download/for/$uid\\\"}\"\n",
    ),
    ("fail-for-good", "#!/bin/sh\n[ -e \"$HOME/repaired\" ] && echo '{\"link\": \"repaired\"}' && exit\nexit 64\n"),
    ("sleep", "#!/bin/sh\nexec sleep 60\n"),
];

/// Two servers that lose nothing when they are killed, and a folder of programs.
struct Desk {
    servers: Vec<Server>,
    home: Folder,
}

struct Left {
    code: i32,
    out: String,
    err: String,
}

impl Desk {
    fn new() -> Self {
        let found = Command::new("jq").arg("--version").output().is_ok_and(|output| output.status.success());
        assert!(found, "no jq, which the programs of these tests use: apt-get install jq");
        let server = || Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
        let desk = Self { servers: vec![server(), server()], home: Folder::new() };
        fs::create_dir(desk.path("worker.d")).unwrap();
        for (name, text) in PROGRAMS {
            let path = desk.path("worker.d").join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        assert_eq!(desk.ok(&["partition", "add"]), "version 1: 1 2\n");
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn shard(&self, name: usize) -> String {
        format!("{name}={}", self.servers[name - 1].url())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        command.env_clear().env("HOME", self.home.path()).env("PATH", std::env::var_os("PATH").unwrap());
        command.env("BLUEQUE_TOPOLOGY", format!("{},{}", self.shard(1), self.shard(2)));
        command.env("BLUEQUE_STATE_DIR", self.path("state"));
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Left {
        let output = self.command(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Left { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    fn ok(&self, args: &[&str]) -> String {
        let left = self.run(args);
        assert_eq!(left.code, 0, "{args:?}: {}{}", left.out, left.err);
        left.out
    }

    fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = ["-o", "json"].iter().chain(args).copied().collect();
        serde_json::from_str(&self.ok(&args)).unwrap()
    }

    /// Submits a document by the addresses of its shards, as enq does. Returns the reply, with the ids by their names.
    fn submit(&self, document: &Value) -> Value {
        fs::write(self.path("task.json"), document.to_string()).unwrap();
        let (file, shards) = (self.path("task.json"), [self.shard(1), self.shard(2)]);
        let args = ["-o", "json", "graph", "submit", "--shard", &shards[0], "--shard", &shards[1]];
        let output = self.command(&args).arg(file).env_remove("BLUEQUE_TOPOLOGY").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let made: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(made["created"], true);
        made
    }

    fn worker(&self, more: &[&str]) -> Worker {
        let folder = self.path("worker.d");
        let args =
            ["worker", "--queue", "shard-1", "--queue", "shard-2", "--slots", "6", "--quiet", "--grace", "1s", "--dir"];
        let mut command = self.command(&args);
        Worker(command.arg(folder).args(more).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn show(&self, id: &Value) -> Value {
        self.json(&["show", id.as_str().unwrap()])
    }

    /// Waits until a task is in a state.
    fn until(&self, id: &Value, status: &str) -> Value {
        let mut last = String::new();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(30) {
            let left = self.run(&["-o", "json", "show", id.as_str().unwrap()]);
            let task = serde_json::from_str::<Value>(&left.out).unwrap_or_default();
            if task["status"] == status {
                return task;
            }
            last = format!("{task} {}", left.err);
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{id} is not {status}: {last}");
    }

    fn file(&self, name: &str) {
        fs::write(self.path(name), "").unwrap();
    }
}

/// A worker of both partitions, which ends with the test.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        // The first signal lets the worker wait for its programs, the second one stops the programs.
        for _ in 0..2 {
            let _ = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(3) {
                if let Ok(Some(_)) = self.0.try_wait() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn task(shard: &str, id: &str, method: &str, args: &Value) -> Value {
    json!({"task_id": {"shard": shard, "id": id}, "method": method, "args": args})
}

fn save(shard: &str, method: &str, uid: u32) -> Value {
    task(shard, "save", method, &json!([{"type": "VALUE", "value_json": json!({"uid": uid}).to_string()}]))
}

fn email(method: &str) -> Value {
    let args = ["1", "2"].map(|shard| json!({"type": "TASKREF", "task_id": {"shard": shard, "id": "save"}}));
    task("1", "email", method, &json!(args))
}

/// D3, with other programs.
fn document(first: &str, second: &str, last: &str) -> Value {
    json!([save("1", first, 1234), save("2", second, 1234), email(last)])
}

fn states(desk: &Desk, made: &Value) -> [String; 3] {
    ["1/save", "2/save", "1/email"].map(|name| desk.show(&made["tasks"][name])["status"].as_str().unwrap().to_owned())
}

#[test]
fn d3_runs_over_two_servers_and_is_seen_through_either_address() {
    let desk = Desk::new();
    let made = desk.submit(&document("save-user-data", "save-user-data", "send-mail"));
    let id = made["graph"].as_str().unwrap();
    let ids = ["1/save", "2/save", "1/email"].map(|name| made["tasks"][name].as_str().unwrap());
    assert!(id.starts_with("1:") && ids[0].starts_with("1:") && ids[1].starts_with("2:") && ids[2].starts_with("1:"));
    assert_eq!(states(&desk, &made), ["pending", "pending", "waiting"]);
    // The lists that a worker of one partition reads contain no tasks of another partition.
    for (name, number) in [(1, 1), (2, 1)] {
        let client = blueque::Client::open(&desk.servers[name - 1].url()).unwrap();
        let counts = client.queue(&format!("shard-{name}")).unwrap().counts().unwrap();
        assert_eq!((counts.pending, counts.waiting), (number, u64::from(name == 1)));
    }
    let shown = desk.ok(&["graph", "show", id]);
    assert!(shown.contains("2 pending, 1 waiting") && shown.contains("waits for 1/save, 2/save"), "{shown}");
    let bare = id.strip_prefix("1:").unwrap();
    assert_eq!(desk.ok(&["graph", "show", bare]), shown);
    assert_eq!(
        desk.ok(&["graph", "show", &format!("2:{bare}")]).lines().skip(1).collect::<Vec<_>>(),
        shown.lines().skip(1).collect::<Vec<_>>()
    );

    let _worker = desk.worker(&[]);
    // With the addresses in reverse order the outcome is the same.
    let turned = format!("{},{}", desk.shard(2), desk.shard(1));
    let args = ["graph", "wait", id, "--timeout", "60s"];
    let waited = desk.command(&args).env("BLUEQUE_TOPOLOGY", turned).output().unwrap();
    assert_eq!(waited.status.code(), Some(0), "{}", String::from_utf8_lossy(&waited.stderr));
    let done = desk.show(&made["tasks"]["1/email"]);
    let link = json!({"link": "https://download/for/1234"});
    assert_eq!((&done["parameters"], &done["result"]), (&json!([link, link]), &Value::Null));
    let log = desk.ok(&["logs", ids[2]]);
    let lines: Vec<&str> = log.lines().take(2).collect();
    let expected = ["sending mail with link \"https://download/for/1234\"", "\"https://download/for/1234\""];
    assert_eq!(lines, expected);
    for (name, others) in [(1, ["1/save", "1/email"].as_slice()), (2, &["2/save"])] {
        let found = desk.json(&["find", &format!("shard-{name}")]);
        let found: Vec<&str> = found.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
        let mut all: Vec<&str> = others.iter().map(|label| made["tasks"][label].as_str().unwrap()).collect();
        all.reverse();
        assert_eq!(found.len(), all.len(), "what a worker of this partition ran: {found:?}");
        assert!(all.iter().all(|id| found.contains(id)), "{found:?}");
    }
    let listed = desk.json(&["graph", "ls"]);
    assert_eq!(listed.as_array().unwrap().len(), 1, "its parts are one graph: {listed}");
    assert_eq!(
        (&listed[0]["graph"], &listed[0]["status"], &listed[0]["total"]),
        (&json!(id), &json!("complete"), &json!(3))
    );
    let drawn = desk.ok(&["graph", "export", id]);
    assert_eq!(drawn.matches("->").count(), 2, "{drawn}");

    // D3b: the order of the arguments decides, not the order in which the tasks end.
    let made = desk.submit(&json!([save("1", "save-later", 1), save("2", "save-user-data", 2), email("send-mail")]));
    desk.until(&made["tasks"]["2/save"], "complete");
    assert_eq!(desk.show(&made["tasks"]["1/email"])["status"], "waiting");
    desk.file("go");
    let done = desk.until(&made["tasks"]["1/email"], "complete");
    let both = [1, 2].map(|uid| json!({"link": format!("https://download/for/{uid}")}));
    assert_eq!(done["parameters"], json!(both));
}

#[test]
fn the_failures_of_d3_reach_the_other_server() {
    let desk = Desk::new();
    // 1/save fails while 2/save waits for a worker. The worker of partition 1 delivers the failure to partition 2.
    let made = desk.submit(&document("fail-for-good", "save-user-data", "send-mail"));
    {
        let _worker = desk.worker(&["--partition", "1"]);
        desk.until(&made["tasks"]["2/save"], "cancelled");
        assert_eq!(states(&desk, &made), ["failed", "cancelled", "failed"]);
        assert_eq!(desk.show(&made["tasks"]["2/save"])["attempt"], 0, "it was never started");
        let email = desk.show(&made["tasks"]["1/email"]);
        assert_eq!(
            (&email["attempt"], &email["cause"]),
            (&json!(0), &json!(made["tasks"]["1/save"].as_str().unwrap()[2..]))
        );
        let left = desk.run(&["graph", "wait", made["graph"].as_str().unwrap(), "--timeout", "20s"]);
        assert_eq!(left.code, 1, "{}", left.err);
        // A retry of the first cause alone reruns the whole graph.
        desk.file("repaired");
        desk.ok(&["retry", made["tasks"]["1/save"].as_str().unwrap()]);
    }
    let _worker = desk.worker(&[]);
    desk.until(&made["tasks"]["1/email"], "complete");
    assert_eq!(states(&desk, &made), ["complete", "complete", "complete"]);
    fs::remove_file(desk.path("repaired")).unwrap();

    // 1/save is cancelled while 2/save runs: 2/save is stopped.
    let made = desk.submit(&json!([save("1", "save-later", 1), save("2", "sleep", 2), email("send-mail")]));
    desk.until(&made["tasks"]["2/save"], "started");
    desk.ok(&["cancel", made["tasks"]["1/save"].as_str().unwrap()]);
    desk.until(&made["tasks"]["2/save"], "cancelled");
    desk.until(&made["tasks"]["1/save"], "cancelled");
    assert_eq!(states(&desk, &made), ["cancelled", "cancelled", "failed"]);

    // 1/save fails after 2/save is complete: 2/save stays complete.
    let made =
        desk.submit(&json!([save("1", "save-later", 1), save("2", "save-user-data", 2), email("fail-for-good")]));
    desk.until(&made["tasks"]["2/save"], "complete");
    desk.file("go");
    desk.until(&made["tasks"]["1/email"], "failed");
    assert_eq!(states(&desk, &made), ["complete", "complete", "failed"]);

    // The task that fails is on the second server.
    let made = desk.submit(&document("sleep", "fail-for-good", "send-mail"));
    desk.until(&made["tasks"]["1/save"], "cancelled");
    assert_eq!(states(&desk, &made), ["cancelled", "failed", "failed"]);
    let error = desk.show(&made["tasks"]["1/email"])["error"].to_string();
    assert!(error.contains(made["tasks"]["2/save"].as_str().unwrap()), "it names the task that failed: {error}");
    let left = desk.run(&["why", made["tasks"]["1/email"].as_str().unwrap()]);
    assert!(left.out.contains("failed"), "{}", left.out);
    // The task on the second server is retried alone.
    desk.file("repaired");
    desk.ok(&["retry", made["tasks"]["2/save"].as_str().unwrap()]);
    desk.until(&made["tasks"]["2/save"], "complete");
    desk.until(&made["tasks"]["1/save"], "started");
    desk.ok(&["graph", "cancel", made["graph"].as_str().unwrap(), "--yes"]);
    desk.until(&made["tasks"]["1/save"], "cancelled");
    assert_eq!(states(&desk, &made)[1..], ["complete", "cancelled"]);
}

#[test]
fn a_cancel_of_what_waits_cancels_what_only_that_needed_on_both_servers() {
    let desk = Desk::new();
    let made = desk.submit(&document("save-user-data", "save-user-data", "send-mail"));
    let _worker = desk.worker(&["--partition", "1", "--queue", "!shard-1"]);
    desk.ok(&["cancel", made["tasks"]["1/email"].as_str().unwrap()]);
    desk.until(&made["tasks"]["2/save"], "cancelled");
    assert_eq!(states(&desk, &made), ["cancelled", "cancelled", "cancelled"]);
    let id = made["graph"].as_str().unwrap();
    let left = desk.run(&["graph", "wait", id, "--timeout", "20s"]);
    assert_eq!(left.code, 7, "{}", left.err);
    desk.ok(&["graph", "retry", id, "--yes"]);
    let shown = eventually("all of it goes on", || {
        let shown = desk.ok(&["graph", "show", id]);
        shown.contains("2 pending, 1 waiting").then_some(shown)
    });
    assert!(shown.contains("waits for 1/save, 2/save"), "{shown}");
    let _other = desk.worker(&[]);
    let left = desk.run(&["graph", "wait", id, "--timeout", "30s"]);
    assert_eq!(left.code, 0, "{}", left.err);
}

#[test]
fn a_retry_from_a_task_runs_what_is_below_it_anew_on_both_servers() {
    let mut desk = Desk::new();
    let made = desk.submit(&document("save-user-data", "save-user-data", "send-mail"));
    let id = made["graph"].as_str().unwrap();
    let worker = desk.worker(&[]);
    desk.until(&made["tasks"]["1/email"], "complete");
    let attempts = || ["1/save", "2/save", "1/email"].map(|name| desk.show(&made["tasks"][name])["attempt"].clone());
    assert_eq!(attempts(), [1, 1, 1]);
    drop(worker);
    let said = desk.run(&["graph", "retry", id, "--from", "2/save", "--yes"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("1 complete"), "{}", said.err);
    let worker = desk.worker(&[]);
    assert_eq!(desk.run(&["graph", "wait", id, "--timeout", "30s"]).code, 0);
    assert_eq!(attempts(), [1, 2, 2]);
    desk.ok(&["graph", "retry", id, "--from", made["tasks"]["1/email"].as_str().unwrap(), "--yes"]);
    assert_eq!(desk.run(&["graph", "wait", id, "--timeout", "30s"]).code, 0);
    assert_eq!(attempts(), [1, 2, 3]);
    let unknown = desk.run(&["graph", "retry", id, "--from", "nosuch", "--yes"]);
    assert_eq!(unknown.code, 4, "{}", unknown.err);

    drop(worker);
    desk.servers[1].kill();
    let left = desk.run(&["graph", "retry", id, "--from", "1/save", "--yes"]);
    assert_eq!(left.code, 3, "{}", left.err);
    assert!(left.err.contains("partition 2 does not answer; nothing was changed"), "{}", left.err);
    let shown = desk.run(&["graph", "show", id]);
    assert!(shown.out.contains("2 complete"), "{}", shown.out);
}

#[test]
fn a_server_that_is_away_delays_only_what_waits_for_it() {
    let mut desk = Desk::new();
    // A server is down before the submit: the graph is refused at once, and nothing is made.
    desk.servers[1].kill();
    let begun = Instant::now();
    fs::write(desk.path("task.json"), document("save-user-data", "save-user-data", "send-mail").to_string()).unwrap();
    let file = desk.path("task.json");
    let left = desk.run(&["graph", "submit", file.to_str().unwrap()]);
    assert_eq!(left.code, 3, "{}", left.err);
    assert!(left.err.contains("partition 2 does not answer; nothing was made"), "{}", left.err);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    let client = blueque::Client::open(&desk.servers[0].url()).unwrap();
    assert_eq!(client.graphs().count(), 0);
    desk.servers[1].restart();

    // A server goes down while 2/save runs.
    let _worker = desk.worker(&[]);
    let made = desk.submit(&document("save-user-data", "save-later", "send-mail"));
    desk.until(&made["tasks"]["2/save"], "started");
    desk.until(&made["tasks"]["1/save"], "complete");
    desk.servers[1].kill();
    let why = eventually("it is said since when", || {
        let why = desk.run(&["why", made["tasks"]["1/email"].as_str().unwrap()]).out;
        why.contains("artition 2 cannot be reached since 20").then_some(why)
    });
    assert!(why.contains("It waits for"), "{why}");
    let id = made["graph"].as_str().unwrap();
    let shown = desk.run(&["graph", "show", id]);
    assert_eq!(shown.code, 3);
    assert!(shown.err.contains("partition 2: ") && shown.out.contains("1/email"), "{}{}", shown.out, shown.err);
    assert_eq!(desk.show(&made["tasks"]["1/email"])["status"], "waiting");
    // Other work of the same worker continues.
    let other = desk.ok(&["submit", "shard-1", "--method", "process-user-data", "[{\"uid\":1}]", "--partition", "1"]);
    desk.until(&json!(other.trim()), "complete");
    desk.file("go");
    desk.servers[1].restart();
    let begun = Instant::now();
    desk.until(&made["tasks"]["1/email"], "complete");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let client = blueque::Client::open(&desk.servers[0].url()).unwrap();
    eventually("the note is gone", || client.task("@away.2").unwrap().info().is_err().then_some(()));
}

#[test]
fn an_end_that_was_not_reported_is_reported_soon_after_a_long_outage() {
    let mut desk = Desk::new();
    let made = desk.submit(&document("save-user-data", "save-user-data", "send-mail"));
    // 2/save completes while nobody delivers, and then its server goes down.
    let second = desk.servers[1].url();
    {
        let client = blueque::Client::open(&second).unwrap();
        let mut listener = client.listener(&["shard-2"]).unwrap();
        let attempt = listener.listen(Duration::from_secs(10)).unwrap().expect("a task");
        attempt.complete_bytes(b"{\"link\": \"2\"}").unwrap();
    }
    desk.servers[1].kill();
    let _worker = desk.worker(&[]);
    desk.until(&made["tasks"]["1/save"], "complete");
    desk.servers[1].restart();
    let begun = Instant::now();
    desk.until(&made["tasks"]["1/email"], "complete");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());

    // The receiving partition was down for so long that the next delivery is planned for much later.
    let made = desk.submit(&document("save-user-data", "save-later", "send-mail"));
    desk.until(&made["tasks"]["2/save"], "started");
    desk.until(&made["tasks"]["1/save"], "complete");
    desk.servers[0].kill();
    desk.file("go");
    desk.until(&made["tasks"]["2/save"], "complete");
    let carrier = format!("@1:{}", &made["tasks"]["2/save"].as_str().unwrap()[2..]);
    let client = blueque::Client::open(&second).unwrap();
    let carrier = client.task(&carrier).unwrap();
    eventually("a delivery has failed", || (carrier.info().unwrap().failures() > 0).then_some(()));
    eventually("it waits for an hour", || {
        let hour = std::time::SystemTime::now() + Duration::from_secs(3600);
        carrier.edit(&blueque::calls::EditOptions::new().eta(hour)).ok()
    });
    desk.servers[0].restart();
    let begun = Instant::now();
    desk.until(&made["tasks"]["1/email"], "complete");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}
