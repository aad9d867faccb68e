//! The conformance cases of `tests/conformance`, run on a real server, and a check that they leave nothing out. If
//! `REDIS_URL` is set they run on that server, which must be empty.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "conformance/absent.rs"]
mod absent;
#[path = "conformance/cases.rs"]
mod cases;
#[path = "conformance/existing.rs"]
mod existing;
#[path = "conformance/half_moved_slot.rs"]
mod half_moved_slot;
#[cfg(feature = "cluster")]
#[path = "support/moving_cluster.rs"]
mod moving_cluster;
#[path = "conformance/odd_arguments.rs"]
mod odd_arguments;
#[cfg(feature = "cluster")]
#[path = "support/replica_set.rs"]
mod replica_set;
#[allow(dead_code, reason = "tests/repeats.rs uses the rest")]
#[path = "conformance/runner.rs"]
mod runner;
#[cfg(feature = "cluster")]
#[path = "support/sentinel.rs"]
mod sentinel;
#[cfg(feature = "cluster")]
#[path = "conformance/several_servers.rs"]
mod several_servers;
#[cfg(feature = "cluster")]
#[path = "support/slot_move.rs"]
mod slot_move;
mod support;
#[path = "conformance/tagged.rs"]
mod tagged;
#[path = "support/touched.rs"]
mod touched;
#[path = "conformance/touches.rs"]
mod touches;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use blueque::bundle;
use cases::{Case, list, text};
use existing::Existing;
use runner::Runner;
use serde_json::{Value, json};
use support::receiver::Ground;
use support::{Server, eventually};
use touched::Watch;

static CONTRACT: LazyLock<Value> = LazyLock::new(cases::contract);

/// Codes that every command can return.
static COMMON: LazyLock<Vec<&str>> = LazyLock::new(|| codes(|code| code["common"] == true));

/// All codes that scripts return.
static CODES: LazyLock<Vec<&str>> = LazyLock::new(|| codes(|code| code["server"] != true && code["client"] != true));

fn codes(which: fn(&Value) -> bool) -> Vec<&'static str> {
    let all = CONTRACT["errors"].as_object().unwrap().iter();
    // `NOPERM` is left out: tests/rights.rs tries every command without a permission.
    all.filter(|(name, code)| *name != "NOPERM" && which(code)).map(|(name, _)| name.as_str()).collect()
}

/// The files that stand for many cases.
const TABLES: [&str; 2] = ["arguments.json", "cells.json"];

/// The columns of the table command x state.
static STATES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let states = list(&CONTRACT["types"]["status"]["words"]).iter().map(text);
    std::iter::once("absent").chain(states).collect()
});

/// The rows of the table: the commands that change a task by its id, and two commands that look at a task, or at
/// many. `run_schedule` gets the id of a new task.
static ROWS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let takes_id = |name: &str| cases::positional(&CONTRACT, name).iter().any(|(argument, _)| argument == "id");
    let writes = CONTRACT["commands"].as_object().unwrap().iter().filter(|(_, command)| command["writes"] == true);
    let rows = writes.map(|(name, _)| name.as_str()).filter(|name| takes_id(name) && *name != "run_schedule");
    rows.chain(["bulk", "get"]).collect()
});

/// The cases for a kind of server.
fn meant(cases: &[Case], on_cluster: bool) -> Vec<&Case> {
    let cases: Vec<&Case> = cases.iter().filter(|case| case.on_cluster() == on_cluster).collect();
    assert!(cases.len() > 100, "only {} cases were found", cases.len());
    cases
}

/// Runs a case; returns what failed.
fn failure(ground: &mut dyn Ground, case: &Case) -> Option<String> {
    let what = Runner::run(ground, case).err()?;
    Some(format!("{}: {}: {what}", case.file, case.name()))
}

/// The server in `REDIS_URL`, to use instead of a server that the test starts.
fn url() -> Option<String> {
    std::env::var("REDIS_URL").ok()
}

#[test]
fn every_case_holds_on_a_single_server() {
    let cases = cases::all();
    let cases = meant(&cases, false);
    let failures: Vec<String> = if let Some(url) = url() {
        let mut existing = Existing::open(&url, &cases).unwrap_or_else(|why| panic!("{why}"));
        let fitted: Vec<Case> = cases.iter().map(|case| existing.fitted(case)).collect();
        fitted.iter().filter_map(|case| failure(&mut existing.connection, case)).collect()
    } else {
        let server = Server::start();
        let mut connection = server.connection();
        let (again, once): (Vec<_>, Vec<_>) = cases
            .iter()
            .copied()
            .partition(|case| !TABLES.contains(&case.file.as_str()) && tagged::unfit(case).is_none());
        let mut failures: Vec<_> = again.iter().filter_map(|case| failure(&mut connection, case)).collect();
        // Calls in a namespace with a tag touch the same keys, and ask for keys that they may write.
        let watch = Watch::start(&server, &["ns", tagged::NAMESPACE]);
        failures.extend(again.iter().filter_map(|case| failure(&mut connection, &tagged::tagged(case))));
        failures.extend(once.iter().filter_map(|case| failure(&mut connection, case)));
        touches::agree(&watch.end(&mut connection));
        failures
    };
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_case_holds_on_a_cluster_node() {
    let cases = cases::all();
    let cases = meant(&cases, true);
    if url().is_some() {
        support::report(&format!("{} cases not run: they need a cluster node of their own", cases.len()));
        return;
    }
    let server = Server::start_cluster_node();
    let mut connection = server.connection();
    eventually("the node serves its slots", || {
        let info: String = redis::cmd("CLUSTER").arg("INFO").query(&mut connection).ok()?;
        info.contains("cluster_state:ok").then_some(())
    });
    let failures: Vec<String> = cases.iter().filter_map(|case| failure(&mut connection, case)).collect();
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_server_that_is_there_already_is_refused_with_keys_or_users_and_left_as_it_was() {
    let server = Server::start_with(&["--save", "60 1000", "--requirepass", "secret", "--maxmemory", "100mb"]);
    let url = format!("redis+unix://{}?db=3&pass=secret", server.socket().display());
    let client = redis::Client::open(url.as_str()).unwrap();
    let mut connection = client.get_connection().unwrap();
    let mut ask = |words: &str| -> redis::Value {
        let words: Vec<&str> = words.split(' ').collect();
        redis::cmd(words[0]).arg(&words[1..]).query(&mut connection).unwrap()
    };
    let cases = cases::all();
    let cases = meant(&cases, false);
    let refused = || Existing::open(&url, &cases).err().unwrap_or_default();

    ask("SET somebodys key");
    assert!(refused().contains("REDIS_URL holds keys (db3:keys=1"), "{}", refused());
    ask("DEL somebodys");
    ask("ACL SETUSER app on");
    assert!(refused().contains("REDIS_URL has a user app"), "{}", refused());
    ask("ACL DELUSER app");

    let look = ["CONFIG GET save", "CONFIG GET maxmemory*", "CONFIG GET slowlog*", "ACL LIST", "INFO keyspace"];
    let before = look.map(&mut ask);
    let mut existing = Existing::open(&url, &cases).unwrap();
    let changes_it =
        |case: &&&Case| case.steps().iter().any(|step| step["redis"][1] == "SETUSER" || step["redis"][1] == "SET");
    let some: Vec<Case> = cases.iter().filter(changes_it).map(|case| existing.fitted(case)).collect();
    assert!(some.len() > 20, "{}", some.len());
    let failures: Vec<String> = some.iter().filter_map(|case| failure(&mut existing.connection, case)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    drop(existing);
    assert_eq!(look.map(&mut ask), before);
}

#[test]
fn a_case_that_is_wrong_fails() {
    let server = Server::start();
    let mut connection = server.connection();
    let submit = json!({"do": ["submit", "1000", "q", "1", "t", "", "p"]});
    let with = |what: Value| {
        let mut step = submit.clone();
        step.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        json!([step])
    };
    let bad = json!({"do": ["get", "1000", ""], "error": "LOST"});
    let wrong = [
        (with(json!({"reply": ["existing"]})), json!({})),
        (with(json!({"reply": []})), json!({})),
        (with(json!({"reply": null})), json!({})),
        (with(json!({"reply": {"length": 2}})), json!({})),
        (with(json!({"error": "LOST"})), json!({})),
        (with(json!({"unchanged": true})), json!({})),
        (json!([submit, {"redis": ["HSET", "ns_task_t", "status", "pending"], "unchanged": true}]), json!({})),
        (json!([bad]), json!({})),
        (json!([{"do": ["get", "1000", ""], "error": "BADNAME", "says": "another text"}]), json!({})),
        (json!([submit]), json!({"ns_task_t": null})),
        (json!([submit]), json!({"ns_task_t": {"list": []}})),
        (json!([submit]), json!({"ns_task_t": {"hash": {"status": "pending"}}})),
        (json!([submit]), json!({"ns_task_t": {"hash~": {"status": "reserved"}}})),
        (json!([submit]), json!({"ns_task_t": {"hash~": {"token": ""}}})),
        (json!([submit]), json!({"ns_tasks_q": {"zset": {"t": 1001}}})),
        (json!([submit]), json!({"ns_pending_tasks_q": {"list": ["t", "t"]}})),
        (json!([submit]), json!({"ns_events_q": {"stream": []}})),
        (json!([submit]), json!({"ns_meta": {"hash~": {"schema": "1"}}})),
    ];
    for (steps, keys) in wrong {
        let data = json!({"name": "wrong", "steps": steps, "keys": keys, "no_other_keys": true});
        let case = Case { file: String::new(), data };
        assert!(Runner::run(&mut connection, &case).is_err(), "{} passed", case.data);
    }
}

#[test]
fn every_command_has_its_arguments_and_options_in_the_table() {
    let table = cases::file("arguments.json");
    // A duplicate row would silently replace the first.
    let rows = include_str!("conformance/arguments.json").matches(": {\"args\": ").count();
    assert_eq!(rows, table["commands"].as_object().unwrap().len(), "rows of arguments.json");
    let rows = cases::rows(&CONTRACT, &table);
    let mut narrowed: BTreeSet<&str> = table["narrow"].as_object().unwrap().keys().map(String::as_str).collect();
    for command in bundle::commands() {
        let (name, row) = (command.name(), &rows[command.name()]);
        let args = cases::positional(&CONTRACT, name);
        let given = list(&row["args"]);
        assert!(given.len() >= args.len(), "arguments of {name}");
        let options: Vec<String> = cases::choices(&CONTRACT, name, row).into_iter().map(|one| one.name).collect();
        // A command may need one of its options.
        for option in given[args.len()..].iter().step_by(2) {
            assert!(options.iter().any(|name| option == name), "arguments of {name}: {option} is no option of it");
        }
        for option in row["options"].as_object().into_iter().flatten().map(|(option, _)| option) {
            assert!(options.contains(option), "{name} has no option {option}");
        }
        assert!(!list(&row["touches"]).is_empty(), "keys of {name}");
        for one in args.into_iter().map(|(arg, _)| arg).chain(options) {
            narrowed.remove(one.as_str());
            narrowed.remove(format!("{name} {one}").as_str());
        }
    }
    assert!(narrowed.is_empty(), "no command has {narrowed:?}");
}

#[test]
fn every_code_of_every_command_has_a_case() {
    let cases = cases::all();
    let mut seen = BTreeSet::new();
    let mut answered = BTreeSet::new();
    for step in cases.iter().flat_map(Case::steps).filter(|step| step["do"].is_array()) {
        let command = text(&step["do"][0]);
        match step["error"].as_str() {
            Some(code) => _ = seen.insert((command, code)),
            None if step.get("reply").is_some() => _ = answered.insert(command),
            None => {}
        }
    }
    let rows = cases::rows(&CONTRACT, &cases::file("arguments.json"));
    let mut lacking = Vec::new();
    for command in bundle::commands() {
        let name = command.name();
        // During slot migration, a command that only reads the meta hash has nothing to lose.
        let only_meta = rows[name]["touches"] == json!(["ns_meta"]);
        let common = COMMON.iter().copied().filter(|code| !(only_meta && *code == "RETRY"));
        let codes = common.chain(command.errors().split_whitespace());
        lacking.extend(codes.filter(|code| !seen.contains(&(name, code))).map(|code| format!("{name} {code}")));
        if !answered.contains(name) {
            lacking.push(format!("{name} with a reply"));
        }
    }
    assert!(lacking.is_empty(), "no case for: {}", lacking.join(", "));
    let codes: BTreeSet<&str> =
        seen.iter().map(|(_, code)| *code).filter(|code| !["OOM", "NOPERM"].contains(code)).collect();
    assert_eq!(codes, CODES.iter().copied().collect(), "the codes of the cases and those of the contract");
}

#[test]
fn every_header_lists_the_codes_that_its_script_raises() {
    for command in bundle::commands() {
        let specific = || CODES.iter().copied().filter(|code| !COMMON.contains(code));
        let raised: BTreeSet<&str> = specific().filter(|code| raises(command.source(), code)).collect();
        // Some codes are recorded where they happen, and not returned.
        let noted = command.source().lines().find_map(|line| line.strip_prefix("-- @noted ")).unwrap_or_default();
        let codes = command.errors().split_whitespace().chain(noted.split_whitespace());
        let listed = codes.filter(|code| !COMMON.contains(code));
        assert_eq!(listed.collect::<BTreeSet<_>>(), raised, "@errors of {}", command.name());
    }
}

/// Returns true if a script raises a code, or has a piece that returns the code to its caller.
fn raises(source: &str, code: &str) -> bool {
    source.contains(&format!("('{code}', ")) || source.contains(&format!("return '{code}', "))
}

#[test]
fn every_cell_of_command_and_state_has_a_case() {
    let table = cases::with_plain_cells(&CONTRACT, &cases::file("cells.json"));
    let calls = table["calls"].as_object().unwrap();
    for call in calls.keys() {
        assert!(table["cells"][call].is_object(), "no cell for {call}");
    }
    assert!(ROWS.len() > 15, "{:?}", *ROWS);
    for &command in &*ROWS {
        for &state in &*STATES {
            let hit = calls.iter().any(|(name, call)| call[0] == command && table["cells"][name][state].is_object());
            assert!(hit, "no case for {command} of a task that is {state}");
        }
    }
}

#[test]
fn a_command_that_leaves_a_task_in_its_state_needs_no_row() {
    let mut table = cases::file("cells.json");
    for part in ["calls", "cells"] {
        table[part].as_object_mut().unwrap().remove("untag");
    }
    let table = cases::with_plain_cells(&CONTRACT, &table);
    assert_eq!(table["calls"]["untag"], json!(["untag", "1010", "t", "1", "aZ09._:@-"]));
    assert_eq!(table["cells"]["untag"]["absent"], json!({"error": "NOTASK"}));
    assert!(STATES.iter().all(|state| table["cells"]["untag"][state].is_object()), "{}", table["cells"]["untag"]);
}
