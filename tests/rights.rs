//! No error follows a write: each command, called by a user who lacks permission for one of the server's commands,
//! or on a server whose memory is full, either does all of its work or changes nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::pedantic, missing_docs)]

#[path = "rights/bench.rs"]
mod bench;
#[path = "rights/state.rs"]
mod state;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use bench::Bench;
use serde_json::Value;
use state::{AHEAD, ALL_CALLS, ENDING, FIRST};
use support::seed;

fn name(call: &str) -> &str {
    call.split(' ').next().unwrap()
}

/// Failures by call, and the permissions that show them.
#[derive(Default)]
struct Wrong(BTreeMap<String, Vec<String>>);

impl Wrong {
    fn note(&mut self, call: &str, what: String) {
        self.0.entry(call.to_owned()).or_default().push(what);
    }

    fn none(&self) {
        let lines: Vec<_> = self.0.iter().map(|(call, what)| format!("{call}: {}", what.join("; "))).collect();
        let number: usize = self.0.values().map(Vec::len).sum();
        assert!(lines.is_empty(), "{number} in {} calls:\n{}", lines.len(), lines.join("\n"));
    }
}

const ALL: &str = "~ns_* &ns_* +@all";

#[test]
fn every_command_has_its_calls_and_they_change_what_they_should() {
    let mut bench = Bench::new("ns");
    let contract: Value = serde_json::from_str(blueque::bundle::contract()).unwrap();
    // The clock of this state does not run ahead.
    let reads = |name: &str| contract["commands"][name]["writes"] == false || name == "reset_clock";
    let mut wrong = Wrong::default();
    for call in ALL_CALLS.iter() {
        let tried = bench.call(call);
        match &tried.answer {
            Err(error) if *call != "unregister q host_1" => wrong.note(call, error.clone()),
            Ok(_) if tried.changed.is_empty() != reads(name(call)) => {
                wrong.note(call, format!("changes {:?}", tried.changed))
            }
            _ => {}
        }
    }
    for call in AHEAD {
        let tried = Bench::ahead("ns").call(call);
        if tried.answer.is_err() || tried.changed.is_empty() {
            wrong.note(call, format!("{:?}", tried.answer));
        }
    }
    wrong.none();
}

/// Makes each call without each one of the server's commands that it uses; returns how many were refused.
fn deny_each(bench: &mut Bench, calls: &[&'static str], wrong: &mut Wrong) -> u32 {
    let made = bench.made(calls);
    let commands: BTreeSet<_> = made.values().flatten().collect();
    let mut refused = 0;
    for command in commands {
        bench.rights(&format!("{ALL} -{command}"));
        for call in calls.iter().filter(|call| made[*call].contains(command)) {
            let tried = bench.call(call);
            let Err(error) = tried.answer else { continue };
            refused += 1;
            if !tried.changed.is_empty() {
                wrong.note(call, format!("without {command} it changed {:?} ({error})", tried.changed));
            }
        }
    }
    refused
}

#[test]
fn a_call_that_lacks_a_right_changes_nothing() {
    let mut wrong = Wrong::default();
    let calls: Vec<_> = seed::part(ALL_CALLS.iter().copied()).collect();
    let refused = deny_each(&mut Bench::new("ns"), &calls, &mut wrong);
    assert!(refused as usize > 3 * calls.len(), "{refused} of {} calls", calls.len());
    wrong.none();
}

#[test]
fn nor_does_it_in_a_namespace_with_a_tag_or_in_one_that_holds_nothing_yet() {
    let mut wrong = Wrong::default();
    let refused = deny_each(&mut Bench::new("{ns}"), &ALL_CALLS, &mut wrong);
    assert!(refused > 1000, "{refused}");
    for namespace in ["ns", "{ns}"] {
        assert!(deny_each(&mut Bench::empty(namespace), FIRST, &mut wrong) > 50);
        assert!(deny_each(&mut Bench::ahead(namespace), AHEAD, &mut wrong) > 3);
    }
    wrong.none();
}

#[test]
fn a_call_that_may_not_write_to_the_keys_changes_nothing() {
    let mut bench = Bench::new("ns");
    let mut wrong = Wrong::default();
    for rights in [
        "%R~ns_* &ns_* +@all",
        "%R~ns_* ~ns_meta &ns_* +@all",
        "~ns_meta ~ns_task_* ~ns_leases_* &ns_* +@all",
        "~ns_* &ns_* +@read",
    ] {
        bench.rights(rights);
        for call in ALL_CALLS.iter() {
            let tried = bench.call(call);
            if let (Err(error), false) = (&tried.answer, tried.changed.is_empty()) {
                wrong.note(call, format!("with {rights}: {error}; it changed {:?}", tried.changed));
            }
        }
    }
    wrong.none();
}

/// Each role of the contract, with the role that it includes.
fn roles(contract: &Value) -> BTreeMap<&str, Vec<&str>> {
    let table = contract["roles"].as_object().unwrap();
    let all = table.iter().map(|(name, role)| {
        let mut has = vec![name.as_str()];
        has.extend(role["includes"].as_str());
        (name.as_str(), has)
    });
    all.collect()
}

fn refused(verdict: &redis::Value) -> bool {
    matches!(verdict, redis::Value::BulkString(text) if text.starts_with(b"NOPERM"))
}

#[test]
fn a_role_suffices_for_its_commands_and_for_no_other() {
    let mut bench = Bench::new("ns");
    let contract: Value = serde_json::from_str(blueque::bundle::contract()).unwrap();
    let mut wrong = Wrong::default();
    let commands = "-@all +@read +@write -@dangerous +time +info +publish";
    let mut rules: Vec<(Vec<&str>, String)> = vec![(vec![], format!("%R~ns_* ~ns_meta &ns_* {commands}"))];
    for has in roles(&contract).into_values() {
        let marks: Vec<_> = has.iter().map(|role| format!("~ns_{}", role.to_uppercase())).collect();
        rules.push((has, format!("~ns_[a-z]* {} &ns_* {commands}", marks.join(" "))));
    }
    for (has, rule) in rules {
        for call in ALL_CALLS.iter() {
            bench.rights(ALL);
            let whole = bench.call(call);
            bench.rights(&rule);
            let tried = bench.call(call);
            let role = contract["commands"][name(call)]["role"].as_str();
            if role.is_none_or(|role| has.contains(&role)) {
                if tried.answer.is_ok() != whole.answer.is_ok() || tried.changed.is_empty() != whole.changed.is_empty()
                {
                    wrong.note(call, format!("{has:?}: {:?} instead of {:?}", tried.answer, whole.answer));
                }
                continue;
            }
            match tried.answer {
                _ if !tried.changed.is_empty() => wrong.note(call, format!("{has:?} changes {:?}", tried.changed)),
                // Nothing to write: it answers like a command that reads, or is refused before it asks.
                Ok(_) if whole.changed.is_empty() => {}
                Err(_) if whole.answer.is_err() => {}
                Err(error) if error.starts_with("NOPERM") => {}
                // Each task has its own answer.
                Ok(redis::Value::Array(each)) if each.iter().all(refused) => {}
                other => wrong.note(call, format!("{has:?}: {other:?}")),
            }
        }
    }
    wrong.none();
}

/// A message on a channel is a hint: a user who may not send it loses nothing else.
#[test]
fn a_user_without_channels_gets_all_work_done() {
    let mut bench = Bench::new("ns");
    let mut wrong = Wrong::default();
    for call in ALL_CALLS.iter() {
        bench.rights(ALL);
        let (whole, held) = bench.call_and_look(call);
        for rights in ["~ns_* resetchannels +@all", "~ns_* &ns_* +@all -publish"] {
            bench.rights(rights);
            let (tried, after) = bench.call_and_look(call);
            let other: Vec<_> =
                held.keys().chain(after.keys()).filter(|key| held.get(*key) != after.get(*key)).collect();
            if tried.answer.is_ok() != whole.answer.is_ok() || !other.is_empty() {
                wrong.note(
                    call,
                    format!("with {rights}: {:?} instead of {:?}, other in {other:?}", tried.answer, whole.answer),
                );
            }
        }
    }
    wrong.none();
}

#[test]
fn a_call_that_finds_no_memory_changes_nothing_and_those_that_end_an_attempt_get_through() {
    let mut wrong = Wrong::default();
    for (mut bench, calls, least) in [
        (Bench::new("ns"), ALL_CALLS.as_slice(), 30),
        (Bench::new("{ns}"), ALL_CALLS.as_slice(), 30),
        (Bench::empty("ns"), FIRST, 5),
        (Bench::empty("{ns}"), FIRST, 5),
        (Bench::ahead("ns"), AHEAD, 0),
    ] {
        let mut refused = 0;
        for call in calls {
            let whole = bench.call(call);
            bench.memory("1");
            let tried = bench.call(call);
            bench.memory("0");
            let Err(error) = &tried.answer else { continue };
            refused += u32::from(error.starts_with("OOM"));
            if !tried.changed.is_empty() {
                wrong.note(call, format!("{error}; it changed {:?}", tried.changed));
            } else if calls == ALL_CALLS.as_slice() && ENDING.contains(&name(call)) && whole.answer.is_ok() {
                wrong.note(call, format!("{error}; it must get through"));
            }
        }
        assert!(refused >= least, "{refused}");
    }
    wrong.none();
}
