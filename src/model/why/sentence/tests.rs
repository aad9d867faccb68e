#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::{BTreeMap, HashSet};
use std::fs;

use redis::Value;
use serde_json::json;

use super::{PARTS, Sentence};
use crate::model::{TaskInfo, Why};

/// The values that a field of the reply or of the record may have. Others have the first value: empty, or a count of 0.
const REPLY: [(&str, &[&str]); 43] = [
    (
        "status",
        &[
            "pending",
            "pending",
            "pending",
            "scheduled",
            "reserved",
            "started",
            "waiting",
            "held",
            "complete",
            "failed",
            "cancelled",
        ],
    ),
    ("queue", &["films", "films", "films", "films", "my films"]),
    ("eta", &["", "1799999000.000000", "1800003725.500000"]),
    ("paused", &["", "", "", "1799999940.000000 ann a new \"disk\"", "1799999940.000000 ann "]),
    ("ahead", &["", "0", "0", "1", "7", "10000"]),
    ("listeners", &["0", "1", "1", "4", "4"]),
    ("node", &["", "vm:1_2", "vm:1_2"]),
    ("deadline", &["", "1799999990000000", "1800000060000000", "1800000060000000"]),
    ("cancel", &["", "", "", "1799999999.000000"]),
    ("now", &["1800000000.000000"]),
    ("priority", &["0"]),
    ("key", &["", "", "ann"]),
    ("weight", &["1", "1", "3"]),
    ("needs", &["", "", "", "", "gpu,memory=64"]),
    ("failures", &["0", "0", "1", "2"]),
    ("losses", &["0"]),
    ("able", &["", "0", "2"]),
    ("concurrency", &["", "", "1", "5"]),
    ("used", &["0", "1", "4", "5"]),
    ("rate_until", &["", "", "1800000030.000000"]),
    ("key_concurrency", &["", "", "1", "2"]),
    ("key_used", &["0", "1", "2"]),
    ("key_rate_until", &["", "", "1800000090.000000"]),
    ("lacking", &["", "gpu", "gpu,memory=64"]),
    ("releases", &["0"]),
    ("uncounted", &["0", "1", "3"]),
    ("order", &["", "", "", "cancel", "stop", "kill"]),
    ("full", &["0", "1", "4"]),
    ("draining", &["0", "0", "2"]),
    ("silent", &["0", "0", "2"]),
    ("open", &["", "1", "2", "3", "9"]),
    ("upstream", &["", "cut-1", "cut-1"]),
    ("last", &[""]),
    ("slots", &[""]),
    ("least", &["", "", "1", "3"]),
    ("chances", &["", "1", "2", "3"]),
    ("end_by", &["", "", "1799999999.000000", "1800086400.000000"]),
    ("limit", &["", "", "disk"]),
    ("limit_weight", &["", "2"]),
    ("limit_concurrency", &["", "1", "4"]),
    ("limit_used", &["", "0", "1", "4"]),
    ("limit_rate_until", &["", "", "1800000001.250000"]),
    ("limit_turn", &["", "", "books"]),
];
const RECORD: [(&str, &[&str]); 10] = [
    ("attempt", &["0", "2"]),
    ("started", &["", "1799990000.000000"]),
    ("updated", &["", "1799996400.000000"]),
    ("held_by", &["", "ann"]),
    ("suspended", &["", "1799990000.000000"]),
    ("suspended_by", &["", "ann"]),
    ("error", &["", "no disk\nleft", "Traceback (most recent call last):\n  x\nKeyError: 'é'", "exit code 1: a\nb\nc"]),
    ("last_error", &["", "ValueError: no film"]),
    ("reason", &["", "not needed"]),
    ("token", &["", "7"]),
];

/// Fields of the reply that are empty if they do not apply. All others are absent.
const OFTEN_EMPTY: [&str; 9] = ["eta", "paused", "ahead", "node", "deadline", "cancel", "key", "needs", "order"];

/// A generator of the same numbers on every machine.
struct Numbers(u64);

impl Numbers {
    fn one_of<'a>(&mut self, values: &[&'a str]) -> &'a str {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        values[usize::try_from((self.0 >> 33) % values.len() as u64).unwrap()]
    }
}

type Pairs = Vec<(&'static str, &'static str)>;

fn sentence(reply: &Pairs, record: &Pairs) -> (Why, TaskInfo) {
    let bulk = |text: &str| Value::BulkString(text.as_bytes().to_vec());
    let pairs = reply.iter().flat_map(|(name, value)| [bulk(name), bulk(value)]).collect();
    let fields: BTreeMap<_, _> =
        record.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
    (Why::read(&Value::Array(pairs)).unwrap(), TaskInfo { fields })
}

/// The sentences of random replies are the same in every client: the clients' tests read this file.
#[test]
fn sentences_are_those_of_the_file() {
    let mut numbers = Numbers(1);
    let mut cases = Vec::new();
    let mut used = HashSet::new();
    for _ in 0..3_000 {
        let mut pick = |fields: &[(&'static str, &[&'static str])]| -> Pairs {
            fields.iter().map(|(name, values)| (*name, numbers.one_of(values))).collect()
        };
        let (mut reply, mut record) = (pick(&REPLY), pick(&RECORD));
        reply.retain(|(name, value)| !value.is_empty() || OFTEN_EMPTY.contains(name));
        record.push(("status", reply[0].1));
        record.push(("queue", reply[1].1));
        if reply.iter().any(|(name, value)| *name == "cancel" && !value.is_empty()) {
            record.push(("cancel", "1799999999.000000"));
        }
        record.retain(|(_, value)| !value.is_empty());
        let (why, task) = sentence(&reply, &record);
        let sentence = why.sentence(&task);
        // A case for each alternative of each part, and the first cases.
        let parts = Sentence::new(&why, Some(&task), &[]);
        let mut new = cases.len() < 60;
        for (name, alternatives) in PARTS.iter().filter(|(name, _)| sentence.contains(&parts.part(name))) {
            let found = alternatives.iter().position(|(when, _)| when.split_whitespace().all(|each| parts.holds(each)));
            new |= found.is_some_and(|found| !parts.part(name).is_empty() && used.insert((name.clone(), found)));
        }
        if new {
            let reply: Vec<_> = reply.iter().map(|(name, value)| json!([name, value])).collect();
            let record: Vec<_> = record.iter().map(|(name, value)| json!([name, value])).collect();
            cases.push(json!({"reply": reply, "record": record, "sentence": sentence}));
        }
    }
    let lines: Vec<String> = cases.iter().map(ToString::to_string).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/why.json");
    if std::env::var_os("BLUEQUE_BLESS").is_some() {
        fs::write(file, &text).unwrap();
    }
    assert!(fs::read_to_string(file).unwrap_or_default() == text, "tests/fixtures/why.json is old: make bless");
}
