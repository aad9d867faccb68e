//! `blueque doctor` on the data of every feature: sound data has no finding, each manual damage is found.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "doctor/damage.rs"]
mod damage;
#[path = "doctor/furnish.rs"]
mod furnish;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::process::Command;

use blueque::contract::{Form, SETTINGS};
use redis::Value;
use support::{Folder, Server};

/// A server with data, and a home without a configuration.
struct Ward {
    server: Server,
    home: Folder,
    caller: Caller,
}

/// Calls commands of the contract.
struct Caller(redis::Connection);

impl Caller {
    fn plant(&mut self, words: &[&str]) {
        redis::cmd(words[0]).arg(&words[1..]).exec(&mut self.0).unwrap();
    }

    fn ask<T: redis::FromRedisValue>(&mut self, words: &[&str]) -> T {
        redis::cmd(words[0]).arg(&words[1..]).query(&mut self.0).unwrap()
    }

    /// Calls a command of the contract at the server's time: its name, then its arguments; `~` stands for a space.
    fn call(&mut self, words: &str) -> Vec<String> {
        self.call_at("", words)
    }

    /// Calls at another time; the namespace is marked as a test namespace during the call.
    fn call_at(&mut self, now: &str, words: &str) -> Vec<String> {
        if !now.is_empty() {
            self.plant(&["HSET", "blueque_meta", "test", "1"]);
            let answer = self.send(now, words);
            self.plant(&["HDEL", "blueque_meta", "test"]);
            return answer;
        }
        self.send(now, words)
    }

    fn send(&mut self, now: &str, words: &str) -> Vec<String> {
        let mut words = words.split(' ').map(|word| if word == "''" { String::new() } else { word.replace('~', " ") });
        let command = blueque::bundle::command(&words.next().unwrap()).unwrap();
        let mut eval = redis::cmd("EVAL");
        eval.arg(command.source()).arg(1).arg("blueque_meta").arg(now);
        let answer: Value = eval.arg(words.collect::<Vec<_>>()).query(&mut self.0).unwrap();
        let text = |value: &Value| redis::from_redis_value_ref::<Option<String>>(value).unwrap().unwrap_or_default();
        match &answer {
            Value::Array(items) => items.iter().map(text).collect(),
            Value::Nil => Vec::new(),
            other => vec![text(other)],
        }
    }
}

impl Ward {
    fn new() -> Self {
        let server = Server::start_with(&["--appendonly", "yes"]);
        let caller = Caller(server.connection());
        Self { server, home: Folder::new(), caller }
    }

    /// The doctor's output, and its code.
    fn doctor(&self, args: &[&str]) -> (String, i32) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        command.env_clear().env("HOME", self.home.path()).env("BLUEQUE_URL", self.server.url());
        let output = command.arg("doctor").args(args).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap_or(-1))
    }

    fn plant(&mut self, words: &[&str]) {
        self.caller.plant(words);
    }

    fn ask<T: redis::FromRedisValue>(&mut self, words: &[&str]) -> T {
        self.caller.ask(words)
    }

    fn call(&mut self, words: &str) -> Vec<String> {
        self.caller.call(words)
    }

    /// Repeats a call with its next cursor up to the end.
    fn through(&mut self, words: &str) {
        let mut cursor = "0".to_owned();
        loop {
            cursor = self.call(&words.replace("CURSOR", &cursor)).remove(0);
            if cursor == "0" {
                return;
            }
        }
    }

    /// Takes the next task of a queue and returns its id and token.
    fn take(&mut self, queue: &str) -> (String, String) {
        let answer = self.call(&format!("reserve host_1 1 {queue}"));
        let [id, _, token, ..] = answer.as_slice() else { panic!("nothing in {queue}") };
        (id.clone(), token.clone())
    }

    /// Takes and starts the next task of a queue.
    fn run(&mut self, queue: &str) -> (String, String) {
        let (id, token) = self.take(queue);
        self.call(&format!("start {id} {token} 1"));
        (id, token)
    }
}

#[test]
fn data_of_every_feature_has_no_finding() {
    let mut ward = Ward::new();
    ward.furnish();
    let (out, code) = ward.doctor(&[]);
    assert!(code == 0 && !out.contains("FINDING"), "{out}");
}

#[test]
fn no_setting_within_its_bounds_is_a_finding() {
    let mut ward = Ward::new();
    for setting in SETTINGS {
        let values = match setting.form {
            Form::Whole { low, high, .. } | Form::Seconds { low, high, .. } => vec![low.to_string(), high.to_string()],
            Form::Word(words) => words.iter().map(|(word, _)| (*word).to_owned()).collect(),
            _ if setting.name == "notify" => vec!["ops:failed".to_owned()],
            _ => vec!["1000/604800".to_owned()],
        };
        for value in values {
            for queue in ["*", "q"].into_iter().filter(|queue| *queue == "*" || !setting.all_queues) {
                ward.call(&format!("configure {queue} {} {value}", setting.name));
            }
            let (out, code) = ward.doctor(&[]);
            assert_eq!(code, 0, "{}={value}: {out}", setting.name);
        }
    }
}

#[test]
fn limits_that_were_lowered_are_notes_and_so_is_what_is_not_looked_at() {
    let mut ward = Ward::new();
    ward.furnish();
    for setting in ["limits concurrency 2", "limits key_concurrency 1"] {
        ward.call(&format!("configure {setting}"));
    }
    let (out, code) = ward.doctor(&[]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.contains("note     limits       limits: key full takes 2 places of 1: the limit was lowered since"),
        "{out}"
    );
    assert!(out.contains("places of 2 are taken"), "{out}");
    let (out, code) = ward.doctor(&["--limit", "1"]);
    assert!(code == 0 && out.contains("--limit checks more"), "{out}");
}

#[test]
fn a_queue_that_listeners_with_patterns_have_yet_to_find_is_a_note() {
    let mut ward = Ward::new();
    ward.call("register here host_1");
    ward.call("ready host_1 0 10 1 *");
    ward.call("submit here 1 t '' p");
    assert!(!ward.doctor(&[]).0.contains("blueque_ready"));
    ward.plant(&["ZREM", "blueque_ready", "here"]);
    let (out, code) = ward.doctor(&[]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.contains("note     queues       here has tasks, but is not in blueque_ready: a worker that takes"),
        "{out}"
    );
}

#[test]
fn tasks_of_every_kind_that_move_while_the_doctor_looks_are_no_findings() {
    let ward = Ward::new();
    let looked = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for pid in 1..=2 {
            let mut busy = Caller(ward.server.connection());
            let looked = &looked;
            scope.spawn(move || {
                busy.call("configure q key_concurrency 1");
                busy.call(&format!("register q host_{pid} has gpu"));
                let mut number = 0;
                while !looked.load(std::sync::atomic::Ordering::Acquire) {
                    number += 1;
                    for options in [
                        "key a tags red",
                        "key b needs gpu priority 1",
                        "needs gpu tags red,blue",
                        "priority 2 weight 3 unique one unique_policy existing",
                        "unique two unique_until 1 unique_policy existing",
                        "max_failures 1",
                    ] {
                        number += 1;
                        busy.call(&format!("submit q 1 t{pid}.{number} '' x {options}"));
                    }
                    while let [id, _, token, ..] = busy.call(&format!("reserve host_{pid} 1 q")).as_slice() {
                        busy.call(&format!("start {id} {token} {pid}"));
                        match number % 3 {
                            0 => drop(busy.call(&format!("fail {id} {token} x group g again 0"))),
                            _ => drop(busy.call(&format!("complete {id} {token} x"))),
                        }
                    }
                    busy.call("aggregate q 500");
                    busy.call("prune q 500 keep 20");
                }
            });
        }
        let left: Vec<_> = (0..8).map(|_| ward.doctor(&[])).collect();
        looked.store(true, std::sync::atomic::Ordering::Release);
        for (out, code) in left {
            assert!(code == 0, "{out}");
        }
    });
    let (out, code) = ward.doctor(&[]);
    assert!(code == 0, "{out}");
}

#[test]
fn every_key_of_the_contract_is_known_with_its_type() {
    let contract = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../lua/README.md")).unwrap();
    let mut ward = Ward::new();
    let mut number = 0;
    for row in contract.lines().filter(|line| line.starts_with("| `ns_")) {
        let mut cells = row.split('|').skip(1).map(str::trim);
        let (names, kind) = (cells.next().unwrap(), cells.next().unwrap());
        for name in names.split('`').filter_map(|name| name.strip_prefix("ns_")) {
            let key = format!("blueque_{}", name.replace("LISTENER", "host_1"));
            match kind.split(';').next().unwrap() {
                "hash" if name != "meta" => ward.plant(&["HSET", &key, "f", "v"]),
                "list" => ward.plant(&["RPUSH", &key, "x"]),
                "set" => ward.plant(&["SADD", &key, "x"]),
                "zset" => ward.plant(&["ZADD", &key, "1", "x"]),
                "stream" => ward.plant(&["XADD", &key, "*", "f", "v"]),
                _ => continue,
            }
            number += 1;
        }
    }
    assert!(number > 40, "{number}");
    let (out, _) = ward.doctor(&[]);
    assert!(out.contains("FINDING") && !out.contains("is unknown") && !out.contains("must be a"), "{out}");
}

/// After a queue has been purged and forgotten, no key of the namespace names it, neither in its name nor in its value.
/// Exceptions: streams and the record of the queue's worker, which record the past.
#[test]
fn nothing_names_a_queue_that_was_purged_and_deleted() {
    let mut ward = Ward::new();
    ward.furnish();
    ward.call("submit_graph film 2 1 cut2 graphs '' x '' ''");
    for name in ["ticks", "ends", "rests", "cron"] {
        ward.call(&format!("unschedule {name}"));
    }
    let queues = ["plain", "lanes", "limits", "names", "groups", "graphs", "latest"];
    for queue in queues {
        ward.call(&format!("resume {queue}"));
        ward.through(&format!("bulk {queue} cancel CURSOR 100 force 1 at_once 1"));
    }
    while ward.call("run_deferred 100").remove(1) != "0" {}
    for queue in queues {
        ward.through(&format!("bulk {queue} purge CURSOR 100"));
        ward.call(&format!("unregister {queue} host_1"));
    }
    while ward.call("run_deferred 100").remove(1) != "0" {}
    for queue in queues {
        assert_eq!(ward.call(&format!("delete_queue {queue}")), ["deleted"], "{queue}");
    }
    let mut named = Vec::new();
    for key in ward.ask::<Vec<String>>(&["KEYS", "blueque_*"]) {
        let kind: String = ward.ask(&["TYPE", &key]);
        let entries: Vec<String> = match kind.as_str() {
            "hash" => ward.ask(&["HGETALL", &key]),
            "zset" => ward.ask(&["ZRANGE", &key, "0", "-1"]),
            "set" => ward.ask(&["SMEMBERS", &key]),
            "list" => ward.ask(&["LRANGE", &key, "0", "-1"]),
            "string" => vec![ward.ask(&["GET", &key])],
            _ => Vec::new(),
        };
        let words = |text: &str| -> Vec<String> {
            text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_owned).collect()
        };
        // Keys with an expiry are removed by themselves. Names of key kinds and the counter of changes are not queues.
        let own = if ["graphs_due", "graphs", "shared_limits"].iter().any(|kind| key == format!("blueque_{kind}")) {
            ""
        } else {
            key.trim_start_matches("blueque_")
        };
        if ward.ask::<i64>(&["TTL", &key]) >= 0 {
            continue;
        }
        for text in entries.iter().map(String::as_str).filter(|text| *text != "limits").chain([own]) {
            if words(text).iter().any(|word| queues.contains(&word.as_str())) {
                named.push(format!("{key}: {text}"));
            }
        }
    }
    assert_eq!(named, [""; 0]);
}
