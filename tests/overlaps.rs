//! Rules for the tasks of a schedule, whatever changes while they run; and a test that no option is lost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use blueque::bundle;
use blueque::contract::{Described, Form, TASK_OPTIONS};
use redis::{Connection, Value};
use support::{Server, seed};

struct Caller {
    connection: Connection,
    now: u64,
}

impl Caller {
    fn new(server: &Server) -> Self {
        Self { connection: server.connection(), now: 1_000_000 }
    }

    fn call(&mut self, name: &str, args: &[&str]) -> Result<Vec<String>, String> {
        let script = bundle::commands().find(|command| command.name() == name).unwrap();
        let mut call = redis::cmd("EVAL");
        call.arg(script.source()).arg(1).arg("ns_meta").arg(self.now).arg(args);
        let text = |value: &Value| match value {
            Value::Int(number) => number.to_string(),
            Value::Nil => String::new(),
            other => redis::from_redis_value_ref(other).unwrap(),
        };
        match call.query::<Value>(&mut self.connection) {
            Ok(Value::Array(items)) => Ok(items.iter().map(text).collect()),
            Ok(Value::Nil) => Ok(Vec::new()),
            Ok(one) => Ok(vec![text(&one)]),
            Err(error) => Err(error.code().unwrap_or_default().to_owned()),
        }
    }

    fn record(&mut self, id: &str) -> BTreeMap<String, String> {
        redis::cmd("HGETALL").arg(format!("ns_task_{id}")).query(&mut self.connection).unwrap()
    }
}

/// A reproducible generator.
struct Chance(u64);

impl Chance {
    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        &all[usize::try_from(self.0 >> 33).unwrap() % all.len()]
    }
}

const QUEUES: [&str; 2] = ["a", "b"];

/// A schedule is changed at random, and its tasks run, fail, are given back and retried. No task that was created
/// since the overlap is queue or cancel runs at the same time as another.
#[test]
fn no_two_tasks_of_a_schedule_run_together_whatever_is_changed() {
    let (mut most, mut held_back, mut runs) = (0, 0, 0);
    for seed in seed::fixed(1..=25) {
        runs += 1;
        let server = Server::start();
        let (mut caller, mut chance) = (Caller::new(&server), Chance(seed));
        for queue in QUEUES {
            caller.call("register", &[queue, "h_1"]).unwrap();
        }
        let (mut serial, mut period, mut story) = (false, BTreeSet::new(), Vec::new());
        let mut running: BTreeMap<String, String> = BTreeMap::new();
        for _ in 0..120 {
            caller.now += *chance.of(&[0, 1, 3, 10]);
            let what = *chance.of(&["change", "tick", "tick", "tick", "reserve", "reserve", "end", "end", "promote"]);
            match what {
                "change" => {
                    let (queue, overlap) =
                        (*chance.of(&QUEUES), *chance.of(&["skip", "allow", "queue", "queue", "cancel"]));
                    let args =
                        ["s", queue, "every 10", "p", "0", "overlap", overlap, "max_failures", "2", "delay", "5"];
                    caller.call("schedule", &args).unwrap();
                    let now_serial = overlap == "queue" || overlap == "cancel";
                    if !(serial && now_serial) {
                        period.clear();
                    }
                    serial = now_serial;
                    story.push(format!("{} {queue} {overlap}", caller.now));
                }
                "tick" => {
                    let made = caller.call("tick", &["10"]).unwrap();
                    let last: Option<String> =
                        redis::cmd("HGET").arg("ns_schedule_s").arg("last_task").query(&mut caller.connection).unwrap();
                    if let (true, Some(last)) = (serial && made[0] != "0", last) {
                        period.insert(last);
                    }
                    let held: bool =
                        redis::cmd("HEXISTS").arg("ns_schedule_s").arg("held").query(&mut caller.connection).unwrap();
                    held_back += u32::from(held);
                    story.push(format!("{} tick {made:?}", caller.now));
                }
                "reserve" => {
                    let queue = *chance.of(&QUEUES);
                    let taken = caller.call("reserve", &["h_1", "1", queue, "lease", "600000"]).unwrap();
                    if let [id, _, token, ..] = taken.as_slice() {
                        story.push(format!("{} reserve {id} in {queue}", caller.now));
                        running.insert(id.clone(), token.clone());
                        let fresh = running.keys().any(|id| period.contains(id));
                        assert!(running.len() == 1 || !fresh, "seed {seed}: {running:?} run\n{}", story.join("\n"));
                        most = most.max(running.len());
                    }
                }
                "end" => {
                    let ids: Vec<String> = running.keys().cloned().collect();
                    if ids.is_empty() {
                        continue;
                    }
                    let id = chance.of(&ids).clone();
                    let token = running.remove(&id).unwrap();
                    let how = *chance.of(&["complete", "fail", "fail", "release"]);
                    let rest: &[&str] = if how == "release" { &[] } else { &["x"] };
                    let answer = caller.call(how, &[&[id.as_str(), &token], rest].concat()).unwrap();
                    story.push(format!("{} {how} {id}: {answer:?}", caller.now));
                }
                _ => {
                    for queue in QUEUES {
                        caller.call("promote", &[queue, "10"]).unwrap();
                    }
                }
            }
        }
    }
    assert!(most > 1 || runs == 1, "with allow some run together");
    assert!(held_back >= runs, "{held_back} slots were held back in {runs} runs");
}

/// Options whose field has another name or value than the option: name, value, field, and what it holds.
const OTHERWISE: [(&str, &str, &str, &str); 5] = [
    ("max_bytes", "100", "parameters", "p"),
    ("lease", "90", "own_lease", "90000000"),
    ("needs", "ram>=8,gpu", "needs", "gpu,ram>=8"),
    ("tags", "b,a", "tags", "a,b"),
    ("unique_policy", "replace", "unique", "n"),
];

/// A value of an option that is not its default. Free text has what a list of words would lose.
fn sample(option: &Described) -> String {
    match option.form {
        Form::Flag => "1".into(),
        Form::Word(words) => words.last().unwrap().0.to_owned(),
        Form::Whole { low, high, .. } | Form::Decimal { low, high } => 4.clamp(low, high).to_string(),
        Form::Seconds { high, time: true, .. } => high.to_string(), // a time must lie in the future
        Form::Seconds { low, high, .. } => format!("{}.5", 7.clamp(low, high - 1)),
        Form::Bytes { .. } => "two words, = 'and' \"quotes\"\nin \u{e9} lines ".into(),
        _ => match option.kind {
            "unique_until" => "start".into(),
            "command" => r#"{"argv":["a"]}"#.into(),
            "trace" => "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 a=b".into(),
            _ => "n".into(),
        },
    }
}

#[test]
fn every_option_of_a_schedule_reaches_its_tasks() {
    let server = Server::start();
    let mut caller = Caller::new(&server);
    let schedule = bundle::commands().find(|command| command.name() == "schedule").unwrap();
    let listed: BTreeSet<&str> = schedule.options().split_whitespace().collect();
    let options: Vec<_> = TASK_OPTIONS.iter().filter(|option| listed.contains(option.name)).collect();
    assert!(options.len() > 15, "{listed:?}");
    let expected: Vec<(&str, String, &str, String)> = options
        .iter()
        .map(|option| match OTHERWISE.iter().find(|(name, ..)| *name == option.name) {
            Some((name, value, field, holds)) => (*name, (*value).to_owned(), *field, (*holds).to_owned()),
            None => (option.name, sample(option), option.name, sample(option)),
        })
        .collect();
    let mut args = vec!["s", "q", "every 10", "p", "0"];
    for (name, value, ..) in &expected {
        args.extend([*name, value.as_str()]);
    }
    caller.call("limit", &["*", "n", "1", "-"]).unwrap();
    caller.call("schedule", &args).unwrap();
    caller.now += 10;
    assert_eq!(caller.call("tick", &["10"]).unwrap()[0], "1");
    let record = caller.record("s@1000010");
    for (name, _, field, holds) in &expected {
        assert_eq!(record.get(*field), Some(holds), "{name}: {record:?}");
    }
}
