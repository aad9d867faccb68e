//! A call whose reply was lost is repeated. The second reply agrees with the first, and nothing is done twice. The
//! calls come from the conformance cases, so that no command of the contract is left out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "conformance/cases.rs"]
mod cases;
#[allow(dead_code, reason = "tests/conformance.rs uses the rest")]
#[path = "conformance/runner.rs"]
mod runner;
mod support;

use std::collections::BTreeSet;

use blueque::bundle;
use cases::{Case, text};
use runner::{Again, Runner};
use serde_json::Value;
use support::{Server, seed};

/// The cases of a single server, each with its last successful call, and that call's command.
fn answered() -> Vec<(Case, usize, String)> {
    let last = |case: Case| {
        let last = case.steps().iter().rposition(|step| step["do"].is_array() && step["error"].is_null())?;
        let command = text(&case.steps()[last]["do"][0]).to_owned();
        Some((case, last, command))
    };
    cases::all().into_iter().filter(|case| !case.on_cluster()).filter_map(last).collect()
}

/// The reply to a repeated call, from the header of its command, if it does not return its first reply.
fn again(command: &str) -> Again {
    let header = bundle::command(command).unwrap().source().lines().find_map(|line| line.strip_prefix("-- @again "));
    match header {
        None => Again::Same,
        Some("goes on" | "another entry") => Again::Anew,
        Some("a later deadline") => Again::Later,
        Some(word) => Again::Word(word.trim_matches('`').to_owned()),
    }
}

fn reads() -> BTreeSet<String> {
    let contract = cases::contract();
    let commands = contract["commands"].as_object().unwrap().iter();
    commands.filter(|(_, entry)| entry["writes"] == false).map(|(name, _)| name.clone()).collect()
}

#[test]
fn every_call_that_is_sent_twice_gives_its_first_answer_and_is_done_once() {
    let server = Server::start();
    let mut connection = server.connection();
    let mut failures = Vec::new();
    for case in seed::part(cases::all()).filter(|case| !case.on_cluster()) {
        if let Err(what) = Runner::twice(&mut connection, &case, again) {
            failures.push(format!("{}: {}: {what}", case.file, case.name()));
        }
    }
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
}

/// Between the two, a worker takes what it can get, and deleted tasks are submitted again.
#[test]
fn nor_does_what_happens_in_between_change_the_answer() {
    let server = Server::start();
    let mut connection = server.connection();
    let (reads, mut seen, mut failures) = (reads(), BTreeSet::new(), Vec::new());
    for (case, last, command) in answered() {
        if reads.contains(&command) {
            seen.insert(command); // a read returns the present state
            continue;
        }
        match Runner::disturbed(&mut connection, &case, last, again) {
            Ok(()) => _ = seen.insert(command),
            Err(what) => failures.push(format!("{}: {}: {what}", case.file, case.name())),
        }
    }
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
    let missing: Vec<_> = bundle::commands().map(bundle::Command::name).filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "no call of {missing:?}");
}

/// The number of stored replies is bounded, and the oldest are removed first.
#[test]
fn answers_are_kept_for_an_hour_and_ten_thousand_of_them() {
    let server = Server::start();
    let mut connection = server.connection();
    let mut submit = |now: &str, from: u32, to: u32| -> u64 {
        let mut runner = Runner::new(&mut connection);
        for number in from..to {
            let (id, request) = (format!("t{number}"), format!("r{number}"));
            let call = ["submit", now, "q", "1", &id, "", "p", "request", &request];
            runner.call(&call.map(Value::from), &Value::Null).unwrap();
        }
        redis::cmd("HLEN").arg("ns_requests").query(&mut connection).unwrap()
    };
    // Two fields for each, and two for the whole.
    assert_eq!(submit("1000", 0, 10_050), 20_002);
    assert_eq!(submit("4601", 10_050, 10_060), 19_822);
    assert_eq!(submit("4601", 10_060, 12_000), 3_902);
    let left: i64 = redis::cmd("TTL").arg("ns_requests").query(&mut connection).unwrap();
    assert!((80_000..=86_400).contains(&left), "{left}");
}
