//! The command over several partitions, each on a server of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "../../tests/support/delivering.rs"]
mod delivering;
#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "partitions/turns.rs"]
mod turns;

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use blueque::calls::EditOptions;
use blueque::{Client, PartitionName, Partitions, Status};
use delivering::delivering;
use serde_json::Value;
use support::{Folder, Server, eventually};

const SOON: Duration = Duration::from_secs(20);

/// Two servers, and a home without a configuration.
struct Desk {
    servers: Vec<Server>,
    home: Folder,
    /// The topology, if it differs from one partition on each server.
    topology: Option<String>,
}

struct Left {
    code: i32,
    out: String,
    err: String,
}

impl Desk {
    /// With the topology stored.
    fn new() -> Self {
        let desk = Self::bare();
        assert_eq!(desk.ok(&["partition", "add"]), "version 1: 1 2\n");
        desk
    }

    fn bare() -> Self {
        Self { servers: vec![Server::start(), Server::start()], home: Folder::new(), topology: None }
    }

    fn topology(&self) -> String {
        if let Some(topology) = &self.topology {
            return topology.clone();
        }
        let each = self.servers.iter().enumerate().map(|(at, server)| format!("{}={}", at + 1, server.url()));
        each.collect::<Vec<_>>().join(",")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        command.env_clear().env("HOME", self.home.path()).env("BLUEQUE_TOPOLOGY", self.topology());
        command.env("BLUEQUE_STATE_DIR", self.home.path().join("state"));
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

    fn refused(&self, code: i32, args: &[&str]) -> String {
        let left = self.run(args);
        assert_eq!(left.code, code, "{args:?}: {}{}", left.out, left.err);
        left.err
    }

    fn submit(&self, args: &[&str]) -> String {
        let all: Vec<&str> = ["submit"].iter().chain(args).copied().collect();
        self.ok(&all).trim().to_owned()
    }

    fn partitions(&self) -> Partitions {
        Partitions::open(&self.topology()).unwrap()
    }

    fn client(&self, name: &str) -> Client {
        self.partitions().partition(&PartitionName::new(name).unwrap()).unwrap()
    }

    /// Takes the next task of a partition, and completes it with this result.
    fn complete(&self, name: &str, queue: &str, result: &str) {
        let mut listener = self.client(name).listener(&[queue]).unwrap();
        listener.listen(SOON).unwrap().expect("a task").complete_bytes(result.as_bytes()).unwrap();
        listener.unregister().unwrap();
    }
}

fn column(rows: &Value, name: &str) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|row| row[name].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_task_has_an_id_that_names_its_partition_and_every_command_finds_it() {
    let desk = Desk::new();
    // The example of docs/run/partitions.md.
    assert_eq!(desk.submit(&["q", "--id", "movie-17"]), "1:movie-17");
    assert_eq!(desk.submit(&["q", "--id", "x", "--partition", "2"]), "2:x");
    assert_eq!(desk.json(&["show", "2:x"])["id"], "2:x");
    assert_eq!(desk.json(&["show", "x"])["id"], "2:x", "the only one of this id");
    assert!(desk.ok(&["why", "1:movie-17"]).contains("no worker"), "{}", desk.ok(&["why", "1:movie-17"]));
    assert!(desk.ok(&["history", "2:x"]).contains("pending"));
    let done = desk.json(&["cancel", "1:movie-17", "2:x"]);
    assert_eq!(column(&done, "id"), ["1:movie-17", "2:x"]);
    assert_eq!(column(&done, "partition"), ["1", "2"]);
    let waited = desk.run(&["wait", "2:x", "movie-17", "-o", "id"]);
    assert_eq!((waited.code, waited.out.lines().collect::<BTreeSet<_>>()), (7, ["1:movie-17", "2:x"].into()));
    assert_eq!(column(&desk.json(&["retry", "2:x"]), "id"), ["2:x"]);
    assert!(desk.refused(4, &["show", "nosuch"]).contains("no partition has a task"));
    assert!(desk.refused(4, &["show", "2:nosuch"]).contains("no task has an id"));
    desk.submit(&["q", "--id", "x", "--partition", "1"]);
    assert!(desk.refused(2, &["show", "x"]).contains("x is ambiguous: 1:x, 2:x"));
    assert!(desk.refused(2, &["show", "2:x", "--partition", "1"]).contains("another partition"));
    assert!(desk.refused(2, &["schedule", "ls"]).contains("--partition"), "a command on one partition asks which");
    desk.ok(&["schedule", "ls", "--partition", "1"]);
}

#[test]
fn lists_have_the_tasks_of_all_partitions_in_one_order() {
    let desk = Desk::new();
    for (id, at) in [("a", "2"), ("b", "1"), ("c", "2"), ("d", "1")] {
        desk.submit(&["q", "--id", id, "--partition", at]);
    }
    assert_eq!(column(&desk.json(&["find", "q"]), "id"), ["1:d", "2:c", "1:b", "2:a"], "the latest first");
    let left = desk.run(&["find", "q", "--limit", "3", "-o", "id"]);
    assert_eq!(left.out, "1:d\n2:c\n1:b\n");
    assert!(left.err.contains("the first 3 tasks"), "{}", left.err);
    let table = desk.ok(&["ls"]);
    assert_eq!(table.lines().count(), 5, "one heading: {table}");
    desk.complete("2", "q", "1");
    let listed = column(&desk.json(&["ls"]), "id");
    assert_eq!((listed.len(), listed[3].as_str()), (4, "2:a"), "what has ended comes last: {listed:?}");

    let queues = desk.json(&["queue", "ls"]);
    assert_eq!(
        (column(&queues, "queue"), column(&queues, "partition")),
        (vec!["q".into(); 2], vec!["1".into(), "2".into()])
    );
    assert_eq!(desk.ok(&["queue", "ls", "-o", "id"]), "q\n");
    let total = &desk.json(&["queue", "stats", "q"])["total"];
    assert_eq!((&total["submitted"], &total["complete"]), (&4.into(), &1.into()));
    let events = desk.json(&["events", "q"]);
    let ids = column(&events, "id");
    assert_eq!(ids[..4], ["2:a", "1:b", "2:c", "1:d"], "in the order of time");
    assert_eq!(ids.len(), 6);

    desk.submit(&["only", "--id", "o", "--partition", "2"]);
    assert_eq!(column(&desk.json(&["ls", "only"]), "id"), ["2:o"], "a queue that one of them has");
    assert!(desk.refused(4, &["ls", "nosuch"]).contains("there is no queue nosuch"));
    let done = desk.json(&["bulk", "cancel", "q", "--yes"]);
    assert_eq!(done.as_array().unwrap().iter().map(|row| row["changed"].as_u64().unwrap()).sum::<u64>(), 3);
    desk.ok(&["queue", "pause", "q"]);
    assert!(
        desk.json(&["queue", "ls"])
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["queue"] == "q")
            .all(|row| row["paused"].is_object())
    );
    assert!(desk.run(&["doctor"]).out.contains("partition 2\n"));
}

#[test]
fn a_partition_that_does_not_answer_is_named_and_the_others_are_shown() {
    let mut desk = Desk::new();
    desk.submit(&["q", "--id", "a", "--partition", "1"]);
    desk.submit(&["q", "--id", "b", "--partition", "2"]);
    desk.servers[1].kill();
    for args in [&["ls"][..], &["find"], &["queue", "ls"], &["queue", "stats", "q"], &["doctor"], &["events", "q"]] {
        let began = Instant::now();
        let left = desk.run(args);
        assert_eq!(left.code, 3, "{args:?}: {}", left.err);
        assert!(left.err.contains("partition 2: no server at"), "{args:?}: {}", left.err);
        assert!(!left.err.contains("partition 1"), "{args:?}: {}", left.err);
        assert!(left.out.contains('1'), "{args:?}: {}", left.out);
        assert!(began.elapsed() < Duration::from_secs(12), "{args:?}: {:?}", began.elapsed());
    }
    assert_eq!(desk.json(&["show", "1:a"])["id"], "1:a");
    assert_eq!(desk.json(&["show", "a"])["id"], "1:a");
    assert!(desk.refused(3, &["show", "2:b"]).contains("no server at"));
    assert!(desk.refused(3, &["show", "b"]).contains("of those that answered no partition has"));
    let left = desk.run(&["partition", "-o", "jsonl"]);
    let rows: Vec<Value> = left.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((left.code, &rows[0]["waiting"], &rows[0]["version"]), (3, &1.into(), &1.into()));
    assert!(rows[1]["trouble"].is_string() && rows[0]["trouble"].is_null(), "{rows:?}");
    // For an existing task, `wait` waits until its server is back.
    let mut waits = desk.command(&["wait", "2:b", "--timeout", "20s"]).spawn().unwrap();
    desk.servers[1].restart();
    waits.kill().unwrap();
    waits.wait().unwrap();
}

#[test]
fn bad_topologies_are_refused_and_the_text_says_what_is_wrong() {
    let desk = Desk::bare();
    let one = desk.servers[0].url();
    let two = desk.servers[1].url();
    let says = |topology: &str, code, text: &str| {
        let said = desk.refused(code, &["--topology", topology, "partition", "add"]);
        assert!(said.contains(text), "{topology}: {said}");
    };
    says(&format!("{one},{two}"), 2, "must be NAME=URL");
    says(&format!("1={one},1={two}"), 2, "two partitions have the name 1");
    says(&format!("1={one},2={one}"), 2, "has the address of another partition");
    says(&format!("1={one},2={one}?db=0"), 1, "1 and 2 lead to one namespace of one server");
    says("redis://shard-{4..1}.internal", 2, "the lower one first");
    says(
        &format!("1={one},,3={two}"),
        2,
        "between two commas of the list of partitions, or after the last one, is nothing",
    );
    says("/nosuch/file", 2, "nor a file that can be read");
    says("1=redis://u:secret@host/", 2, "--topology holds a password");
    let mut shards = desk.command(&["graph", "submit", "--shard", "1=redis://u:secret@host/", "/nosuch"]);
    let said = shards.env_remove("BLUEQUE_TOPOLOGY").output().unwrap();
    let (code, said) = (said.status.code(), String::from_utf8(said.stderr).unwrap());
    assert!(code == Some(2) && said.contains("--shard holds a password"), "{code:?}: {said}");
    assert!(desk.refused(1, &["ls"]).contains("has no topology yet"), "nothing of this was stored");

    let replica = Server::start();
    redis::cmd("REPLICAOF").arg("127.0.0.1").arg(1).exec(&mut replica.connection()).unwrap();
    says(
        &format!("1={one},2={}", replica.url()),
        1,
        "the partition 2 leads to a replica: name its master, 127.0.0.1:1",
    );

    desk.ok(&["partition", "add"]);
    assert!(desk.run(&["partition", "add"]).err.contains("nothing was changed"));
    says(&format!("1={two},2={one}"), 1, "the address of the partition 1 leads to 2: correct it");
    let less = desk.refused(1, &["--topology", &format!("1={one}"), "show", "1:x"]);
    assert!(less.contains("it has also 2: give the client the stored topology"), "{less}");
    assert!(desk.refused(2, &["--partition", "3", "ls"]).contains("there are 1 2"));
    assert!(desk.refused(2, &["--url", &one, "--partition", "1", "ls"]).contains("--partition needs"));
    assert!(desk.refused(2, &["--url", &one, "partition"]).contains("which partitions?"));

    let file = desk.home.path().join("topology");
    fs::write(&file, format!("# two of them\n1={one}\n\n2={two}\n")).unwrap();
    assert_eq!(desk.ok(&["--topology", file.to_str().unwrap(), "partition", "-o", "id"]), "1\n2\n");
}

#[test]
fn a_partition_whose_data_has_another_schema_or_that_a_list_leaves_out_is_named() {
    let mut desk = Desk::bare();
    let other = |server: &Server, words: &[&str]| {
        redis::cmd(words[0]).arg(&words[1..]).exec(&mut server.connection()).unwrap();
    };
    other(&desk.servers[1], &["HSET", "blueque_meta", "schema", "9"]);
    let refused = desk.refused(1, &["partition", "add"]);
    assert!(refused.contains("nothing was stored, because of the partition 2: SCHEMA: "), "{refused}");
    let left = desk.run(&["partition", "-o", "jsonl"]);
    let rows: Vec<Value> = left.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(
        rows[0]["version"].is_null() && rows[1]["trouble"].as_str().unwrap().contains("another schema"),
        "{rows:?}"
    );
    let left = desk.run(&["ping"]);
    assert!(left.code == 1 && left.out.contains("FINDING  schema       the data has schema 9"), "{}", left.out);

    // The data of a server is replaced later: the remaining partitions continue.
    other(&desk.servers[1], &["FLUSHALL"]);
    desk.ok(&["partition", "add"]);
    desk.submit(&["q", "--id", "a", "--partition", "1"]);
    other(&desk.servers[1], &["FLUSHALL"]);
    other(&desk.servers[1], &["HSET", "blueque_meta", "schema", "9"]);
    let left = desk.run(&["ls"]);
    assert!(left.code == 1 && left.out.contains("1:a"), "{}: {}", left.code, left.out);
    assert!(left.err.contains("partition 2: ") && left.err.contains("another schema"), "{}", left.err);
    assert!(desk.refused(1, &["submit", "q", "--partition", "2"]).contains("another schema"));

    // A list that omits a partition.
    other(&desk.servers[1], &["FLUSHALL"]);
    desk.servers.push(Server::start());
    desk.ok(&["partition", "add"]);
    let (one, three) = (desk.servers[0].url(), desk.servers[2].url());
    let gap = desk.refused(1, &["--topology", &format!("1={one},3={three}"), "show", "1:a"]);
    assert!(gap.contains("it has also 2: give the client the stored topology"), "{gap}");
    let gap = desk.refused(1, &["--topology", &format!("1={one},3={three}"), "submit", "q", "--partition", "3"]);
    assert!(gap.contains("it has also 2"), "{gap}");
}

#[test]
fn a_partition_more_is_added_while_the_others_are_used() {
    let mut desk = Desk::new();
    desk.submit(&["q", "--id", "a"]);
    let third = Server::start();
    let left = desk.run(&["partition", "add", &format!("3={}", third.url())]);
    assert_eq!((left.code, left.out.as_str()), (0, "version 2: 1 2 3\n"), "{}", left.err);
    assert!(left.err.contains(&format!("3={}", third.url())), "the list that clients need: {}", left.err);
    assert!(desk.refused(1, &["show", "1:a"]).contains("it has also 3"));
    desk.servers.push(third);
    assert_eq!(desk.json(&["partition"]).as_array().unwrap().len(), 3);
    assert_eq!(desk.json(&["show", "a"])["status"], "pending");
    // The example of docs/run/partitions.md.
    assert_eq!(desk.submit(&["q", "--unique", "movie-17", "--id", "m"]), "3:m");
}

#[test]
fn unique_names_and_limits_that_would_hold_in_each_partition_by_itself_are_refused_unless_that_is_wanted() {
    let desk = Desk::new();
    let keys = desk.partitions();
    let of = |partition: &str| {
        let all = (0..1_000).map(|number| format!("key-{number}"));
        let mut fitting = all.filter(|key| keys.place_of(key).unwrap().as_str() == partition);
        fitting.next().unwrap()
    };
    let (one, two) = (of("1"), of("2"));
    // A key chooses the partition, before a unique name, before the id.
    assert!(desk.submit(&["q", "--key", &two]).starts_with("2:"));
    assert_eq!(desk.submit(&["q", "--key", &two, "--id", "movie-17"]), "2:movie-17");
    assert!(desk.submit(&["q", "--unique", &one]).starts_with("1:"));
    let again = desk.refused(5, &["submit", "q", "--unique", &one]);
    assert!(again.contains("unique"), "{again}");
    let twice = desk.refused(2, &["submit", "q", "--unique", &one, "--partition", "2"]);
    assert!(twice.contains(&format!("the unique name {one} belongs to partition 1")), "{twice}");
    assert!(twice.contains("leave out --partition, or add --per-partition"), "{twice}");
    let both = desk.refused(2, &["submit", "q", "--key", &two, "--unique", &one]);
    assert!(both.contains(&format!("the unique name {one} belongs to partition 1")), "{both}");
    assert!(desk.refused(2, &["run", "q", "--key", &one, "--partition", "2"]).contains("the key"));
    assert_eq!(desk.json(&["find", "q"]).as_array().unwrap().len(), 3, "what was refused has changed nothing");
    assert!(desk.submit(&["q", "--unique", &one, "--partition", "2", "--per-partition"]).starts_with("2:"));
    let by_itself = ["submit", "q", "--unique", &one, "--key", &two, "--partition", "1", "--per-partition"];
    assert!(desk.refused(5, &by_itself).contains("unique"), "there it is known");

    // The tasks of a key are in one partition, so its limit holds for all partitions.
    desk.ok(&["limit", "set", "q", &two, "--concurrency", "1"]);
    let shared = ["limit", "set", "--shared", "gpu", "--concurrency", "1"];
    let refused = desk.refused(2, &shared);
    assert!(refused.contains("2 of them allow 2 times as much together"), "{refused}");
    assert!(refused.contains("--partition, or add --per-partition"), "{refused}");
    assert_eq!(desk.json(&["limit", "ls", "--shared"]).as_array().unwrap().len(), 0, "and nothing has changed");
    desk.ok(&[&shared[..], &["--partition", "1"]].concat());
    assert_eq!(column(&desk.json(&["limit", "ls", "--shared"]), "partition"), ["1"]);
    desk.ok(&[&shared[..], &["--per-partition"]].concat());
    assert_eq!(column(&desk.json(&["limit", "ls", "--shared"]), "partition"), ["1", "2"]);
    desk.ok(&["limit", "set", "--shared", "gpu", "--none"]);
    for pair in ["concurrency=3", "rate=3/1h"] {
        let refused = desk.refused(2, &["config", "-q", "q", "set", "lease=5m", pair]);
        assert!(refused.contains("the setting "), "{refused}");
        desk.ok(&["config", "-q", "q", "set", pair, "--per-partition"]);
    }
    desk.ok(&["config", "-q", "q", "set", "key_concurrency=3", "lease=5m"]);
}

#[test]
fn ping_says_of_each_partition_what_is_there_and_what_is_missing() {
    let mut desk = Desk::bare();
    desk.servers = (0..2).map(|_| Server::start_with(&["--appendonly", "yes"])).collect();
    let left = desk.run(&["ping"]);
    assert_eq!(left.code, 1, "{}", left.out);
    let missing = left.out.lines().filter(|line| line.starts_with("FINDING")).collect::<Vec<_>>();
    assert_eq!(missing.len(), 2, "{missing:?}");
    assert!(missing.iter().all(|line| line.contains("has no topology yet") && line.contains("blueque partition add")));
    desk.ok(&["partition", "add"]);
    let left = desk.run(&["ping"]);
    assert_eq!((left.code, left.err.as_str()), (0, "nothing is wrong\n"), "{}", left.out);
    assert!(left.out.starts_with("partition 1\n") && left.out.contains("\npartition 2\n"), "{}", left.out);
    assert_eq!(left.out.matches("is the partition").count(), 2, "{}", left.out);
    let json = desk.json(&["ping"]);
    assert_eq!(
        (column(&json, "partition"), &json[0]["server"]["role"]),
        (vec!["1".into(), "2".into()], &"master".into())
    );

    // The rows are in the order of the names, although the live partitions answer sooner.
    desk.servers[0].kill();
    let begun = Instant::now();
    let left = desk.run(&["ping"]);
    assert_eq!(left.code, 3, "{}", left.err);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    let first = left.out.split("partition 2\n").next().unwrap();
    assert!(first.contains(": there is no such socket: start it, or correct its address in the topology"), "{first}");
    assert!(left.out.split("partition 2\n").nth(1).unwrap().contains("answers in"), "{}", left.out);
    desk.ok(&["ping", "--partition", "2"]);
    desk.ok(&["ping", &desk.servers[1].url()]);
}

#[test]
fn a_task_waits_for_one_of_another_partition() {
    let mut desk = Desk::bare();
    desk.servers[1] = Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    desk.ok(&["partition", "add"]);
    desk.submit(&["q", "--id", "save", "--partition", "2"]);
    desk.submit(&["q", "--id", "own", "--partition", "1"]);
    let email = desk.submit(&["mail", "--id", "email", "--result-of", "1:own", "--result-of", "2:save"]);
    assert_eq!(email, "1:email", "beside the first that it waits for");
    desk.complete("1", "q", "1");
    let why = desk.ok(&["why", "1:email"]);
    assert!(why.contains("2:save: ") && why.contains("no worker"), "the other partition says why: {why}");
    desk.servers[1].kill();
    let why = desk.ok(&["why", "1:email"]);
    assert!(why.contains("It waits for 2:save. Partition 2 cannot be reached: no server at"), "{why}");
    desk.servers[1].restart();
    let partitions = desk.partitions();
    let deliverer = blueque::Deliverer::new(&partitions);
    std::thread::scope(|scope| {
        scope.spawn(|| deliverer.run());
        desk.complete("2", "q", "2");
        let ready = eventually("its results are there", || {
            let task = desk.json(&["show", "1:email"]);
            (task["status"] == "pending").then_some(task)
        });
        assert_eq!(ready["parameters"], serde_json::json!([1, 2]));
        deliverer.stop();
    });
}

/// A worker of all partitions, which ends with the test.
struct Working(std::process::Child);

impl Working {
    fn start(desk: &Desk, args: &[&str]) -> Self {
        let all: Vec<&str> = ["worker", "-q", "*"].iter().chain(args).chain(&["--", "/bin/cat"]).copied().collect();
        Self(desk.command(&all).spawn().unwrap())
    }

    /// Ends the worker as an operator does, and returns its output.
    fn ends(mut self) -> String {
        signal(self.0.id(), "-TERM");
        let code = eventually("the worker ends", || self.0.try_wait().unwrap()).code();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut self.0.stderr.take().unwrap(), &mut said).unwrap();
        assert_eq!(code, Some(0), "{said}");
        said
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn signal(pid: u32, signal: &str) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

#[test]
fn one_worker_runs_the_tasks_of_all_partitions_in_turn_and_delivers_between_them() {
    let desk = Desk::new();
    for number in 0..12 {
        desk.submit(&["q", "--id", &format!("many-{number}"), "--partition", "1"]);
    }
    for number in 0..3 {
        desk.submit(&["q", "--id", &format!("few-{number}"), "--partition", "2"]);
    }
    desk.submit(&["q", "7", "--id", "save", "--partition", "2"]);
    desk.submit(&["q", "--id", "email", "--partition", "1", "--result-of", "2:save"]);
    let worker = Working::start(&desk, &["--slots", "1"]);
    let waited = desk.json(&["wait", "1:email", "2:few-2", "--timeout", "60s"]);
    assert_eq!(waited[0]["result"], serde_json::json!([7]), "the result of the other partition");
    let ended = |id: &str| desk.json(&["show", id])["ended"].as_str().unwrap_or("9999").to_owned();
    let last = ended("2:few-2");
    let before = (0..12).filter(|number| ended(&format!("1:many-{number}")) < last).count();
    assert!(before <= 6, "{before} of the many were first, and the few had their turns");
    for server in &desk.servers {
        let clients: String = redis::cmd("CLIENT").arg("LIST").query(&mut server.connection()).unwrap();
        println!("{} connections", clients.lines().count());
        assert!(clients.lines().count() <= 16, "{clients}");
    }
    let workers = column(&desk.json(&["workers"]), "partition");
    assert!(workers.contains(&"1".to_owned()) && workers.contains(&"2".to_owned()), "{workers:?}");
    let said = worker.ends();
    assert!(said.contains("partition 2: started few-0") && said.contains("partition 1: ends"), "{said}");
    let used = |more: &[&str]| {
        let row = &desk.json(&[&["usage", "q"], more].concat())[0];
        (row["tasks"].as_u64().unwrap(), row["wall_seconds"].as_f64().unwrap())
    };
    let (first, second, all) = (used(&["--partition", "1"]), used(&["--partition", "2"]), used(&[]));
    assert_eq!(all.0, first.0 + second.0);
    assert!((all.1 - first.1 - second.1).abs() < 0.001 && all.1 > first.1, "{all:?}");
    let shown = desk.run(&["usage", "q", "--limit", "1"]).err;
    assert!(shown.starts_with("looked at the latest 2 tasks, created since 2"), "{shown}");
}

#[test]
fn a_partition_that_hangs_or_is_away_keeps_a_worker_from_no_other() {
    let mut desk = Desk::new();
    let third = Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    desk.ok(&["partition", "add", &format!("3={}", third.url())]);
    desk.servers.push(third);
    desk.servers[2].kill();
    let worker = Working::start(&desk, &["--slots", "1"]);
    desk.submit(&["q", "--id", "first", "--partition", "2"]);
    assert_eq!(desk.run(&["wait", "2:first", "--timeout", "60s"]).code, 0);
    signal(desk.servers[1].pid(), "-STOP");
    for number in 0..3 {
        desk.submit(&["q", "--id", &format!("t{number}"), "--partition", "1"]);
        assert_eq!(desk.run(&["wait", &format!("1:t{number}"), "--timeout", "60s"]).code, 0);
    }
    signal(desk.servers[1].pid(), "-CONT");
    desk.servers[2].restart();
    for at in ["2", "3"] {
        desk.submit(&["q", "--id", "late", "--partition", at]);
        assert_eq!(desk.run(&["wait", &format!("{at}:late"), "--timeout", "60s"]).code, 0);
    }
    worker.ends();
}

#[test]
fn a_worker_takes_tasks_only_of_the_partitions_that_it_is_given() {
    let desk = Desk::new();
    let mine = desk.submit(&["q", "--id", "mine", "--partition", "1"]);
    desk.submit(&["q", "--id", "other", "--partition", "2"]);
    let worker = Working::start(&desk, &["--partition", "1"]);
    assert_eq!(desk.run(&["wait", &mine, "--timeout", "60s"]).code, 0);
    assert_eq!(desk.json(&["show", "2:other"])["status"], "pending");
    worker.ends();
    assert!(
        desk.refused(2, &["worker", "-q", "q", "--partition", "7", "--", "cat"]).contains("there is no partition 7")
    );
}

#[test]
fn a_part_of_a_graph_that_its_partition_refuses_for_good_is_shown_with_the_cause_and_made_by_a_retry() {
    let mut desk = Desk::new();
    let document = r#"{"name": "film", "queue": "films", "tasks": {
        "left": {"partition": "1", "method": "encode"},
        "right": {"partition": "2", "method": "encode"},
        "film": {"partition": "1", "method": "join", "args": [{"result": "left"}, {"result": "right"}]}}}"#;
    let file = desk.home.path().join("film.json");
    fs::write(&file, document).unwrap();
    desk.ok(&["graph", "submit", file.to_str().unwrap(), "--id", "premiere"]);
    // The partition loses its part of the graph with the receipt, and refuses a new delivery. This failure is made the
    // last try.
    desk.servers[1].kill();
    desk.servers[1].restart();
    let partitions = desk.partitions();
    partitions.store().unwrap();
    let brings = desk.client("1").task("@@@2:premiere").unwrap();
    brings.edit(&EditOptions::new().max_failures(1)).unwrap();
    desk.complete("1", "films", "1");
    delivering(&partitions, || {
        eventually("it is given up", || (brings.info().unwrap().status() == Some(Status::Failed)).then_some(()));
        let left = desk.run(&["graph", "show", "1:premiere"]);
        let cause = "partition 2: STATE: it has not created its part of the graph: the partition 2 has no receipt";
        assert!(left.code != 0 && left.err.contains(cause), "{} {}", left.code, left.err);
        assert!(left.err.contains("Correct this, then retry the graph"), "{}", left.err);
        let wait = desk.run(&["graph", "wait", "1:premiere", "--timeout", "1s"]);
        assert!(wait.code != 0 && wait.err.contains(cause), "{} {}", wait.code, wait.err);
        let why = desk.ok(&["why", "1:premiere.2"]);
        assert!(
            why.contains("Partition 2: STATE: it has not created its part") && why.contains("retry the graph"),
            "{why}"
        );

        desk.ok(&["graph", "submit", file.to_str().unwrap(), "--id", "premiere"]);
        desk.run(&["graph", "retry", "1:premiere", "--yes"]);
        desk.complete("2", "films", "2");
        desk.complete("1", "films", "3");
        desk.ok(&["graph", "wait", "1:premiere", "--timeout", "20s"]);
    });
}
