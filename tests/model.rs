//! Random calls by several listeners, with time moving, compared with a plain model of the contract.
//!
//! `BLUEQUE_MODEL_CALLS` is the number of calls (2,000) and `BLUEQUE_SEED` selects them. `BLUEQUE_MODEL_SHRINK` is
//! how often a failure may be retried with less (2,000). `BLUEQUE_MODEL_KIND` plays one kind of cases alone:
//! `graphs`, `sets` of tasks, `shared` limits, `changes`, `next_round` rounds, `watched` tasks, queues by `patterns`,
//! what is `audited`, `maintenance`, what comes next (`peek`), `edits` of limits or `controls` of programs.
//! `BLUEQUE_SCRIPTS` is a folder of scripts to use instead of the crate's scripts.
//!
//! Two more tests make the same calls, 300 of them by default, on a cluster while their slot moves, and on a set of
//! Sentinels whose master is replaced. `BLUEQUE_MODEL_CALLS` changes the number.
//!
//! `BLUEQUE_MODEL_SHARE=6` plays every sixth planted bug, from one that `BLUEQUE_SEED` selects: CI, which has no time
//! for all of them, plays others each time.
//!
//! Each planted bug has a seed in `model/seeds.txt` that finds it soon. After a change of the generators,
//! `BLUEQUE_MODEL_SEEDS=20 cargo test --test model planted_bug` tries 20 seeds for each bug, and writes the best seed
//! there. `BLUEQUE_MODEL_BUG` selects the bugs whose names contain its value.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::pedantic, missing_docs)]

#[path = "model/mod.rs"]
mod model;
#[cfg(feature = "cluster")]
#[path = "support/moving_cluster.rs"]
mod moving_cluster;
#[cfg(feature = "cluster")]
#[path = "support/replica_set.rs"]
mod replica_set;
#[cfg(feature = "cluster")]
#[path = "support/sentinel.rs"]
mod sentinel;
#[cfg(feature = "cluster")]
#[path = "model/several_servers.rs"]
mod several_servers;
#[cfg(feature = "cluster")]
#[path = "support/slot_move.rs"]
mod slot_move;
mod support;
#[path = "support/touched.rs"]
mod touched;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use blueque::bundle;
use model::planted::{BUGS, Bug, keep_seed, plant, seed_of};
use model::{Bench, Failure, Judge, Kind, explore, scripts};
use serde_json::Value;
use support::{Folder, Server, seed};
use touched::{Touched, Watch, name};

fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} must be a whole number, not {value:?}")))
}

#[test]
fn random_calls_do_what_the_model_says_and_keep_the_invariants() {
    let calls = u32::try_from(setting("BLUEQUE_MODEL_CALLS").unwrap_or(2000)).unwrap();
    let seed = seed::new();
    println!("with BLUEQUE_MODEL_CALLS={calls}");
    let server = Server::start();
    let (mut connection, scripts) = (server.connection(), scripts());
    let watch = Watch::start(&server, &["model", "{model}"]);
    let mut bench = Bench::new(&mut connection, &scripts, Judge::Both);
    bench.kind = match std::env::var("BLUEQUE_MODEL_KIND").as_deref() {
        Err(_) => Kind::All,
        Ok("graphs") => Kind::Graphs,
        Ok("sets") => Kind::Sets,
        Ok("next_round") => Kind::NextRound,
        Ok("watched") => Kind::Watched,
        Ok("audited") => Kind::Audited,
        Ok("maintenance") => Kind::KeptUp,
        Ok("peek") => Kind::Peeked,
        Ok("edits") => Kind::Edited,
        Ok("controls") => Kind::Controlled,
        Ok("shared") => Kind::Shared,
        Ok("changes") => Kind::Changes,
        Ok("patterns") => Kind::Patterns,
        Ok(other) => panic!("BLUEQUE_MODEL_KIND is none of the kinds that the head of this file names: {other:?}"),
    };
    let shrink = u32::try_from(setting("BLUEQUE_MODEL_SHRINK").unwrap_or(2000)).unwrap();
    if let Some(failure) = explore(&mut bench, seed, calls, shrink) {
        panic!("BLUEQUE_SEED={seed}: after {} calls\n{}", failure.after, failure.what);
    }
    println!("{} calls: {:#?}", bench.calls, bench.seen);
    let undeclared = undeclared(&watch.end(&mut server.connection()));
    assert!(undeclared.is_empty(), "BLUEQUE_SEED={seed}: the contract does not say that {undeclared:?}");
}

/// Keys that a command touched and that the manifest does not list for it.
fn undeclared(touched: &Touched) -> BTreeSet<String> {
    let manifest: Value = serde_json::from_str(bundle::contract()).unwrap();
    let bare = |key: &str| key.strip_prefix("ns_").unwrap().to_owned();
    let all: Vec<String> = manifest["keys"].as_object().unwrap().keys().map(|key| bare(key)).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let mut found = BTreeSet::new();
    for (command, keys) in touched {
        let listed = manifest["commands"][command]["touches"].as_array().unwrap();
        let listed: BTreeSet<String> = listed.iter().map(|key| bare(key.as_str().unwrap())).collect();
        let missing = keys.iter().map(|key| name(key, &all)).filter(|key| !listed.contains(*key));
        found.extend(missing.map(|key| format!("{command} touches ns_{key}")));
    }
    found
}

const ENOUGH: u32 = 200_000;

/// A bug that takes no more calls needs no better seed.
const SOON: u32 = 300;

fn search(server: &Server, bug: &Bug, judge: Judge, seed: u64, calls: u32) -> Option<Failure> {
    let (mut connection, scripts) = (server.connection(), plant(bug));
    let mut bench = Bench::new(&mut connection, &scripts, judge);
    bench.kind = bug.kind;
    explore(&mut bench, seed, calls, 0)
}

fn of(kind: Kind) -> impl Iterator<Item = &'static Bug> {
    BUGS.iter().filter(move |bug| bug.kind == kind)
}

/// Each of these bugs is found.
fn caught(bugs: impl Iterator<Item = &'static Bug>, judge: Judge) {
    let server = Server::start();
    let part = std::env::var("BLUEQUE_MODEL_BUG").unwrap_or_default();
    let share = usize::try_from(setting("BLUEQUE_MODEL_SHARE").unwrap_or(1)).unwrap().max(1);
    let first = if share > 1 { usize::try_from(seed::new()).unwrap() % share } else { 0 };
    let bugs = bugs.filter(|bug| bug.name.contains(&part)).skip(first).step_by(share);
    if let Some(seeds) = setting("BLUEQUE_MODEL_SEEDS") {
        bugs.filter(|_| judge == Judge::Model).for_each(|bug| find_seed(&server, bug, seeds));
        return;
    }
    let (mut number, mut calls) = (0, 0);
    for bug in bugs {
        let seed = seed_of(bug);
        let failure = search(&server, bug, judge, seed, ENOUGH);
        let failure = failure.unwrap_or_else(|| panic!("`{}` was not found in {ENOUGH} calls", bug.name));
        let what = failure.what.lines().next().unwrap();
        println!("{:52} seed {seed:3} after {:5} calls: {what}", bug.name, failure.after);
        (number, calls) = (number + 1, calls + failure.after);
    }
    println!("{number} planted bugs after {calls} calls");
}

/// Stores a seed with which every judge that has to find a bug finds it soon: the present seed if it does, else the
/// best of `seeds` others.
fn find_seed(server: &Server, bug: &Bug, seeds: u64) {
    let judges = if bug.shows { &[Judge::Model, Judge::Invariants][..] } else { &[Judge::Model] };
    let mut best = (ENOUGH, 0);
    for seed in [seed_of(bug)].into_iter().chain(1..=seeds) {
        if best.0 <= SOON {
            break;
        }
        let mut calls = 0;
        for judge in judges {
            let found = search(server, bug, *judge, seed, best.0.saturating_sub(calls));
            calls = found.map_or(ENOUGH, |failure| calls + failure.after);
        }
        best = best.min((calls, seed));
    }
    println!("{:52} seed {:3} after {:5} calls", bug.name, best.1, best.0);
    assert!(best.1 > 0, "`{}` was not found", bug.name);
    keep_seed(bug, best.1);
}

#[test]
fn each_planted_bug_still_has_its_place() {
    for bug in &BUGS {
        plant(bug); // panics if a bug has no place
    }
}

// Several tests, so that each has its own core.

#[test]
fn every_second_planted_bug_is_caught() {
    caught(of(Kind::Plain).chain(of(Kind::Shared)).step_by(2), Judge::Model);
}

#[test]
fn every_other_planted_bug_is_caught() {
    caught(of(Kind::Plain).chain(of(Kind::Shared)).skip(1).step_by(2), Judge::Model);
}

#[test]
fn every_second_planted_bug_about_graphs_is_caught() {
    caught(of(Kind::Graphs).step_by(2).chain(of(Kind::Sets)), Judge::Model);
}

#[test]
fn every_other_planted_bug_about_graphs_is_caught() {
    caught(of(Kind::Graphs).skip(1).step_by(2), Judge::Model);
}

#[test]
fn every_planted_bug_about_changes_and_patterns_is_caught() {
    caught(
        of(Kind::Changes).chain(of(Kind::Patterns)).chain(of(Kind::NextRound)).chain(of(Kind::Watched)),
        Judge::Model,
    );
}

#[test]
fn every_planted_bug_about_audits_maintenance_peeks_edits_and_controls_is_caught() {
    let kinds = [Kind::Audited, Kind::KeptUp, Kind::Peeked, Kind::Edited, Kind::Controlled];
    caught(kinds.into_iter().flat_map(of), Judge::Model);
}

#[test]
fn the_invariants_alone_catch_what_breaks_them() {
    caught(BUGS.iter().filter(|bug| bug.shows && ![Kind::Graphs, Kind::Sets].contains(&bug.kind)), Judge::Invariants);
}

#[test]
fn the_invariants_alone_catch_what_breaks_graphs() {
    caught(of(Kind::Graphs).chain(of(Kind::Sets)).filter(|bug| bug.shows), Judge::Invariants);
}

#[test]
fn a_failure_is_shrunk_to_the_calls_it_takes() {
    let server = Server::start();
    let bug = BUGS.iter().find(|bug| bug.name == "complete without a look at the token").unwrap();
    let (mut connection, scripts) = (server.connection(), plant(bug));
    let mut bench = Bench::new(&mut connection, &scripts, Judge::Both);
    let failure = explore(&mut bench, seed_of(bug), ENOUGH, 10_000).expect("a failure");
    // Register, submit, reserve, complete; the listeners may exist from the beginning.
    assert!(failure.case.calls.len() <= 5, "{}", failure.what);
    assert!(failure.what.contains(" complete \"t"), "{}", failure.what);
}

#[test]
fn a_soak_fails_on_a_planted_bug_and_keeps_the_line_that_repeats_it() {
    let folder = Folder::new();
    let bug = BUGS.iter().find(|bug| bug.name == "complete without a look at the token").unwrap();
    let planted = folder.path().join("scripts");
    fs::create_dir_all(&planted).unwrap();
    for (name, source) in plant(bug) {
        fs::write(planted.join(name).with_extension("lua"), source).unwrap();
    }
    let kept = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    for runs in 1..=2 {
        let soak = Command::new("scripts/soak")
            .args(["--hours", "0", "--only", "model", "--seed", "1"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("BLUEQUE_SOAK", folder.path())
            .env("BLUEQUE_SOAK_MODEL", std::env::current_exe().unwrap())
            .env("BLUEQUE_SCRIPTS", &planted)
            .env("BLUEQUE_MODEL_SHRINK", "0")
            .output()
            .unwrap();
        let said = String::from_utf8(soak.stdout).unwrap();
        assert_eq!(soak.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&soak.stderr));
        let repeat = said.lines().last().unwrap().trim();
        assert!(repeat.starts_with("scripts/soak --repeat model/"), "{said}");
        assert!(kept("findings.txt").contains(repeat));
        assert_eq!(kept("runs.jsonl").lines().count(), runs);
        let page = kept("proof.md");
        let found = if runs == 1 { "1 run" } else { "2 runs" };
        assert!(page.contains(&format!(", {found}, ")) && page.contains(&format!("`{repeat}`")), "{page}");
        assert!(page.contains(", open: ") && !page.contains(folder.path().to_str().unwrap()), "{page}");
    }
}
